//! dev tool
use sluice_planner::{Capture, Jar, Options, Refusal, Translate};
use sluice_planner::graph::UserFunction;
use sluice_translator::{EngineLibrary, Translator};
use sluice_engine::{Chain, Operator, Assigner};
use sluice_model::FunctionKind;
use sluice_wire::Type;
struct Show<'a>(Translator<'a>);
impl Show<'_> {
    fn show(&self, kind: Option<FunctionKind>, f: &UserFunction, input: &Type, output: &Type) -> Result<String, Refusal> {
        let start = std::time::Instant::now();
        let result = self.0.translate(kind, f, input, output);
        eprintln!("== {kind:?} {} {:?}", f.class, start.elapsed());
        match &result { Ok(text) => println!("{text}"), Err(refused) => println!("REFUSED {:?} {refused}", refused.kind) }
        if let Ok(ir) = &result {
            let types = [input.clone(), output.clone()];
            let ops = [Operator { name: "it", ir, constants: &f.constants }];
            let start = std::time::Instant::now();
            let r = if kind.is_some() { Chain::compile(&types, &ops, None, 0, 1) } else { Chain::compile(&types[..1], &[], Some(&Assigner { after: 0, bound_ms: 0, ir, constants: &f.constants }), 0, 0) };
            match r { Ok(_) => println!("COMPILED in {:?}", start.elapsed()), Err(e) => for e in e.iter().take(5) { println!("ERROR {e}") } }
        }
        result.map_err(|r| Refusal::new(r.kind.word(), r.to_string()))
    }
}
impl Translate for Show<'_> {
    fn operator(&self, kind: FunctionKind, f: &UserFunction, input: &Type, output: &Type) -> Result<String, Refusal> { self.show(Some(kind), f, input, output) }
    fn timestamps(&self, f: &UserFunction, input: &Type) -> Result<String, Refusal> { self.show(None, f, input, input) }
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let capture = Capture::read(&std::fs::read(&args[1]).unwrap()).unwrap();
    let jar = Jar::read(std::fs::read(&args[2]).unwrap()).unwrap();
    let options = Options::new("q1".parse().unwrap());
    let show = Show(Translator::new(&jar, &capture.graph().job.main_class.clone(), &EngineLibrary));
    let _ = sluice_planner::explain(&capture, &jar, &options, &show).unwrap();
}
