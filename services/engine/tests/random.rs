//! Random programs over the whole library: whatever they call, nothing panics, and nothing stays from one event to the next.
mod support;

use proptest::prelude::*;
use sluice_engine::library::{LibTy, Signature, names, signature};
use sluice_engine::{Budget, Chain};
use sluice_wire::Type;
use std::fmt::Write as _;
use support::{avro_string, run, single};

/// A register, its type known by where it is kept.
type Pool = Vec<(LibTy, String)>;

const TEXTS: [&str; 9] = [
    "\"\"",
    "\"a\"",
    "\"-12\"",
    "\"1.5e3\"",
    "\"é😀z\"",
    "\"2015-02-28\"",
    "\"[a-c]+\"",
    "\"{\\\"a\\\":[1,null]}\"",
    "\"%5.2f\"",
];
const INTS: [&str; 7] = ["0", "1", "-1", "2", "97", "2147483647", "-2147483648"];
const LONGS: [&str; 5] = ["0L", "1L", "-1L", "9223372036854775807L", "-9223372036854775808L"];
const FLOATS: [&str; 5] = ["0.0f", "-1.5f", "1e30f", "NaNf", "Infinityf"];
const DOUBLES: [&str; 6] = ["0.0", "-0.0", "2.5", "1e300", "NaN", "-Infinity"];
const BOOLS: [&str; 2] = ["true", "false"];

fn word(ty: LibTy) -> &'static str {
    match ty {
        LibTy::Bool => "bool",
        LibTy::Int => "int",
        LibTy::Long => "long",
        LibTy::Float => "float",
        LibTy::Double => "double",
        LibTy::String => "string",
        LibTy::Ref => "ref",
    }
}

fn literals(ty: LibTy) -> &'static [&'static str] {
    match ty {
        LibTy::Bool => &BOOLS,
        LibTy::Int => &INTS,
        LibTy::Long => &LONGS,
        LibTy::Float => &FLOATS,
        LibTy::Double => &DOUBLES,
        LibTy::String => &TEXTS,
        LibTy::Ref => &["%null", "%r", "%box", "%list", "%map", "%chars"],
    }
}

fn known(name: &str) -> Option<Signature> {
    let start = name.find('(').unwrap_or(name.len());
    let owner = name[..start].rfind('.')?;
    let (method, descriptor) = name[owner + 1..].split_at(start.saturating_sub(owner + 1));
    signature(&name[..owner], method, descriptor)
}

/// A map of texts that makes these calls, one after the other, whatever they throw.
fn program(choices: &[(prop::sample::Index, Vec<prop::sample::Index>)]) -> String {
    let names: Vec<_> = names().into_iter().filter(|name| known(name).is_some()).collect();
    let mut text = String::from(
        "map f(%s: string) -> string {
start:
  %null = null ref
  %r = ref %s
  %one = some 1L
  %box = ref %one
  %list = call \"java/util/ArrayList.<init>()V\"()
  %map = call \"java/util/HashMap.<init>()V\"()
  %chars = call \"java/lang/String.toCharArray()[C\"(%s)
  jump b0
b0:
",
    );
    let mut pool: Pool = vec![(LibTy::String, "%s".to_owned())];
    for (at, (method, args)) in choices.iter().enumerate() {
        let name = names[method.index(names.len())];
        let Some(Signature { params, result, throws, .. }) = known(name) else { continue };
        let mut given = Vec::new();
        for (ty, choice) in params.iter().zip(args) {
            let registers =
                pool.iter().filter(|(of, _)| of == ty).map(|(_, register)| register.as_str());
            let all: Vec<&str> = literals(*ty).iter().copied().chain(registers).collect();
            given.push(all[choice.index(all.len())]);
        }
        let call = format!("call \"{name}\"({})", given.join(", "));
        let next = at + 1;
        let default = result.map_or(String::new(), |ty| format!("({})", literals(ty)[0]));
        let catch = if throws { format!(" catch b{next}{default}") } else { String::new() };
        let _ = match result {
            Some(ty) => {
                pool.push((ty, format!("%v{next}")));
                write!(
                    text,
                    "  %c{next} = {call}{catch}\n  jump b{next}(%c{next})\nb{next}(%v{next}: {}):\n",
                    word(ty)
                )
            }
            None => write!(text, "  {call}{catch}\n  jump b{next}\nb{next}:\n"),
        };
    }
    // Everything is looked at in the end, so that nothing falls away.
    let shown: Vec<&str> = pool.iter().map(|(_, register)| register.as_str()).collect();
    let _ = write!(
        text,
        "  %all = string_concat \"{}\"({})\n  return %all\n}}",
        "\\u{1}|".repeat(shown.len()),
        shown.join(", ")
    );
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]
    #[test]
    fn no_program_panics(
        choices in prop::collection::vec((any::<prop::sample::Index>(), prop::collection::vec(any::<prop::sample::Index>(), 16)), 1..14),
        value in prop_oneof!["[ -~]{0,12}", "\\PC{0,12}"],
    ) {
        let text = program(&choices);
        let chain: Result<Chain, _> = single(&Type::String, &Type::String, &text);
        let chain = chain.map_err(|errors| TestCaseError::fail(format!("{errors:?}\n{text}")))?;
        let budget = Budget { steps: 20_000, bytes: 1 << 16, elements: 1 << 12 };
        let mut chain = chain.with_budget(budget);
        let event = vec![(0, None, Some(avro_string(&value)))];
        let first = run(&mut chain, &Type::String, &event);
        let second = run(&mut chain, &Type::String, &event);
        prop_assert_eq!(first, second);
    }
}
