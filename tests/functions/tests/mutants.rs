//! Class files changed at random: the planner and the translator refuse or translate, and never fail in any other way.

use std::collections::HashMap;
use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind};

use sluice_check::random::Random;
use sluice_functions::{Captured, batch, grammar, tools};
use sluice_model::QueryId;
use sluice_planner::{Classes, Options, explain};
use sluice_translator::{EngineLibrary, Translator};

/// Changed class files; more with `SLUICE_LONG`.
const MUTANTS: usize = 1_000;
const LONG_MUTANTS: usize = 50_000;

/// Classes of which one is another.
struct Changed<'a> {
    classes: &'a dyn Classes,
    name: String,
    bytes: Vec<u8>,
}

impl Classes for Changed<'_> {
    fn class(&self, name: &str) -> Option<&[u8]> {
        if name == self.name { Some(&self.bytes) } else { self.classes.class(name) }
    }

    fn names(&self) -> Vec<&str> {
        self.classes.names()
    }
}

/// A class file with a few bytes that are others, twice there, or gone.
fn changed(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        match random.below(6) {
            0 => bytes.truncate(at.max(1)),
            1 => drop(bytes.remove(at)),
            2 => bytes.insert(at, random.next() as u8),
            3 => bytes[at] = bytes[at].wrapping_add(1),
            4 => bytes[at] ^= 1 << random.below(8),
            _ => bytes[at] = random.next() as u8,
        }
        if bytes.is_empty() {
            bytes.push(0);
        }
    }
    bytes
}

#[test]
fn changed_class_files_never_break_the_planner() {
    let long = env::var_os("SLUICE_LONG").is_some();
    let wanted = if long { LONG_MUTANTS } else { MUTANTS };
    let seed = if long { u64::from(std::process::id()) } else { 11 };
    println!("seed {seed}");
    let mut random = Random::new(seed);
    let folder = tempfile::tempdir().unwrap();
    let tools = tools::tools(folder.path()).unwrap();
    let functions: Vec<_> =
        (0..20).map(|at| grammar::function(&format!("F{at}"), &mut random)).collect();
    let jar = batch::compile(&tools, &functions, folder.path()).unwrap();
    let captured = Captured::of_jar(&tools, &jar, &["dev.example.Batch"], folder.path()).unwrap();
    let names: Vec<String> =
        captured.subjects().map(|s| s.function.class.replace('.', "/")).collect();
    let main_class = captured.capture.graph().job.main_class.clone();
    // The panics of the parser are caught, and are many.
    std::panic::set_hook(Box::new(|_| ()));
    let mut results: HashMap<bool, usize> = HashMap::new();
    for _ in 0..wanted {
        let name = &names[random.below(names.len())];
        let bytes = changed(captured.classes.class(name).unwrap(), &mut random);
        let classes = Changed { classes: &captured.classes, name: name.clone(), bytes };
        let result = catch_unwind(AssertUnwindSafe(|| {
            let translator = Translator::new(&classes, &main_class, &EngineLibrary);
            let options = Options::new(QueryId::new("mutants").unwrap());
            explain(&captured.capture, &classes, &options, &translator).unwrap();
            let subject = captured.subjects().find(|s| s.function.class.replace('.', "/") == *name);
            subject.unwrap().translated(&translator).is_ok()
        }));
        let Ok(translated) = result else {
            let file = env::temp_dir().join("sluice-mutant.class");
            std::fs::write(&file, &classes.bytes).unwrap();
            panic!("seed {seed}: the class {name} as in {} broke it", file.display());
        };
        *results.entry(translated).or_default() += 1;
    }
    println!("translated or refused: {results:?}");
}
