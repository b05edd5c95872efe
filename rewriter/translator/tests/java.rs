//! Small Java functions, compiled here: what the engine makes of their translation is what the JVM makes of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use sluice_engine::{Chain, Operator};
use sluice_model::FunctionKind;
use sluice_planner::graph::{Form, Implementation, UserFunction};
use sluice_planner::jar::Classes;
use sluice_translator::{EngineLibrary, Translator};
use sluice_wire::writer::put_string;
use sluice_wire::{EventsBuffer, Reader, Type};

const INPUTS: &str = "a\n\nalpha\nAa\nhello world hello\nabc\nabcdz\n42\n-7\nxyzzy xx\nab ab cd\nabcdefghijkl\nbooster";

/// The classes of a folder.
struct Folder(BTreeMap<String, Vec<u8>>);

impl Folder {
    fn read(folder: &Path) -> Folder {
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let classes = files.filter(|file| file.extension().is_some_and(|e| e == "class"));
        let name = |file: &Path| file.file_stem().unwrap().to_str().unwrap().to_owned();
        Folder(classes.map(|file| (name(&file), std::fs::read(&file).unwrap())).collect())
    }
}

impl Classes for Folder {
    fn class(&self, internal_name: &str) -> Option<&[u8]> {
        self.0.get(internal_name).map(Vec::as_slice)
    }

    fn names(&self) -> Vec<&str> {
        self.0.keys().map(String::as_str).collect()
    }
}

/// A static method as a function of a job.
fn function(class: &str, method: &str) -> UserFunction {
    function_of(class, method, "(Ljava/lang/String;)Ljava/lang/String;")
}

fn function_of(class: &str, method: &str, descriptor: &str) -> UserFunction {
    UserFunction {
        class: class.to_owned(),
        form: Form::MethodReference,
        rich: false,
        interfaces: Vec::new(),
        implementation: Some(Implementation {
            owner: class.to_owned(),
            name: method.to_owned(),
            descriptor: descriptor.to_owned(),
            kind: "static".to_owned(),
        }),
        captured: Vec::new(),
        fields: None,
        serialized: None,
        problem: None,
        constants: String::new(),
    }
}

/// Runs a function on a text: what it gives, or the reason of its death.
fn run(ir: &str, text: &str) -> String {
    let types = [Type::String, Type::String];
    let operators = [Operator { name: "it", ir, constants: "" }];
    let mut chain = Chain::compile(&types, &operators, None, 0, 1)
        .unwrap_or_else(|errors| panic!("{errors:?}\n{ir}"));
    let mut value = Vec::new();
    put_string(&mut value, text);
    let mut out = EventsBuffer::new();
    match chain.run_event(0, None, Some(&value), &mut out) {
        Ok(()) => match out.events(&Type::String).unwrap()[0].value {
            Some(bytes) => format!("={}", Reader::new(bytes).string().unwrap()),
            None => "=null".to_owned(),
        },
        Err(dead) => {
            let reason = dead.reason.to_string();
            format!("!{}", reason.split(':').next().unwrap_or_default())
        }
    }
}

fn java(program: &str, args: &[&str], folder: &Path) -> Option<String> {
    let output = Command::new(program).args(args).current_dir(folder).output().ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

/// Compiles the sources; none without a JDK.
fn compiled(folder: &Path) -> Option<()> {
    let sources = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/java");
    let files = std::fs::read_dir(sources).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<String> = files.map(|file| file.to_str().unwrap().to_owned()).collect();
    let mut args = vec!["-d", "."];
    args.extend(files.iter().map(String::as_str));
    java("javac", &args, folder).map(drop)
}

#[test]
fn the_engine_gives_what_the_jvm_gives() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    if compiled(folder).is_none() {
        eprintln!("no JDK here");
        return;
    }
    std::fs::write(folder.join("inputs"), INPUTS).unwrap();
    let args = ["-cp", ".", "Runner", "inputs", "Control", "Library", "Lists", "Numbers", "Things"];
    let expected = java("java", &args, folder).expect("a JVM");
    let classes = Folder::read(folder);
    let translator = Translator::new(&classes, "dev.example.Job", &EngineLibrary);
    let inputs: Vec<&str> = INPUTS.split('\n').collect();
    let mut translated: BTreeMap<(String, String), Result<String, String>> = BTreeMap::new();
    let mut wrong = Vec::new();
    for line in expected.split_terminator('\n') {
        let [class, method, at, result] = line.splitn(4, '\t').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let ir = translated.entry((class.to_owned(), method.to_owned())).or_insert_with(|| {
            let function = function(class, method);
            translator
                .translate(Some(FunctionKind::Map), &function, &Type::String, &Type::String)
                .map_err(|refused| refused.to_string())
        });
        let Ok(ir) = ir else { continue };
        let given = run(ir, inputs[at.parse::<usize>().unwrap()]);
        if given != result {
            wrong.push(format!("{class}.{method}({at}): {given}, not {result}"));
        }
    }
    let refused: Vec<String> = translated
        .iter()
        .filter_map(|((class, method), ir)| {
            Some(format!("{class}.{method}: {}", ir.as_ref().err()?))
        })
        .collect();
    assert!(wrong.is_empty() && refused.is_empty(), "{}\n{}", wrong.join("\n"), refused.join("\n"));
}

#[test]
fn refusals_say_their_kind_and_place() {
    let folder = tempfile::tempdir().unwrap();
    if compiled(folder.path()).is_none() {
        eprintln!("no JDK here");
        return;
    }
    let classes = Folder::read(folder.path());
    let translator = Translator::new(&classes, "dev.example.Job", &EngineLibrary);
    let methods = [
        "state_count",
        "recursion_direct",
        "identity_texts",
        "identity_text",
        "unsupported_lock",
        "library_clock",
        "constant_static",
        "unsupported_lambda",
    ];
    for method in methods {
        let function = function("Refused", method);
        let kind = Some(FunctionKind::Map);
        let refused =
            translator.translate(kind, &function, &Type::String, &Type::String).unwrap_err();
        assert_eq!(Some(refused.kind.word()), method.split('_').next(), "{method}: {refused}");
        let place = format!("Refused.{method} (Refused.java:");
        assert!(refused.to_string().starts_with(&place), "{refused}");
    }
}

/// The classes of the tests with some bytes of one of them changed.
struct Mutated<'a> {
    classes: &'a Folder,
    name: &'a str,
    bytes: Vec<u8>,
}

impl Classes for Mutated<'_> {
    fn class(&self, internal_name: &str) -> Option<&[u8]> {
        if internal_name == self.name {
            Some(&self.bytes)
        } else {
            self.classes.class(internal_name)
        }
    }

    fn names(&self) -> Vec<&str> {
        self.classes.names()
    }
}

#[test]
fn broken_class_files_are_refused_or_translated_but_never_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    if compiled(folder.path()).is_none() {
        eprintln!("no JDK here");
        return;
    }
    let classes = Folder::read(folder.path());
    let methods =
        ["polymorphic", "counts", "lambdas", "patterns", "swaps", "maybe", "resources", "texts"];
    let targets = ["Things", "Things$Point", "Things$Named", "Things$Square", "Things$Guard"];
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).unwrap()
    };
    for _ in 0..400 {
        let name = targets[random(targets.len())];
        let mut bytes = classes.class(name).unwrap().to_vec();
        for _ in 0..=random(4) {
            let at = random(bytes.len());
            bytes[at] = random(256) as u8;
        }
        let mutated = Mutated { classes: &classes, name, bytes };
        let translator = Translator::new(&mutated, "dev.example.Job", &EngineLibrary);
        let function = function("Things", methods[random(methods.len())]);
        let kind = Some(FunctionKind::Map);
        // Whatever it says: it says something, and what it translates compiles.
        let _ = translator.translate(kind, &function, &Type::String, &Type::String);
    }
}

/// An event of `Events$Event` as Avro bytes.
fn event(name: Option<&str>, size: u8, extra: Option<u8>) -> Vec<u8> {
    let mut bytes = Vec::new();
    match name {
        Some(name) => {
            bytes.push(2);
            put_string(&mut bytes, name);
        }
        None => bytes.push(0),
    }
    bytes.push(size * 2);
    match extra {
        Some(extra) => bytes.extend([2, extra * 2]),
        None => bytes.push(0),
    }
    bytes
}

#[test]
fn events_that_are_objects_may_be_null_changed_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    if compiled(folder.path()).is_none() {
        eprintln!("no JDK here");
        return;
    }
    let classes = Folder::read(folder.path());
    let translator = Translator::new(&classes, "dev.example.Job", &EngineLibrary);
    let ty: Type = r#"{"type":"record","name":"dev.sluice.value.Events_Event","fields":[
        {"name":"name","type":["null","string"]},{"name":"size","type":"int"},{"name":"extra","type":["null","int"]}]}"#
        .parse()
        .unwrap();
    let null = "java.lang.NullPointerException";
    let (small, large) = (event(Some("a"), 2, None), event(None, 4, Some(1)));
    type Case<'a> = (&'a str, Option<&'a [u8]>, Result<Option<Vec<u8>>, &'a str>);
    let cases: &[Case<'_>] = &[
        ("renamed", None, Ok(None)),
        ("renamed", Some(&small), Ok(Some(small.clone()))),
        ("renamed", Some(&large), Ok(Some(event(Some("big"), 4, Some(1))))),
        ("fresh", None, Ok(Some(event(Some("new"), 1, None)))),
        ("fresh", Some(&large), Ok(Some(event(None, 5, Some(1))))),
        ("listed", None, Err(null)),
        ("listed", Some(&small), Ok(Some(event(Some("a"), 2, Some(3))))),
        ("loops", Some(&small), Ok(Some(event(Some("a"), 8, None)))),
        ("loops", Some(&large), Ok(Some(event(Some("none"), 19, Some(1))))),
        ("loops", None, Err(null)),
        ("chosen", Some(&small), Ok(None)),
        ("chosen", Some(&large), Ok(Some(large.clone()))),
    ];
    for (method, input, expected) in cases {
        let function = function_of("Events", method, "(LEvents$Event;)LEvents$Event;");
        let kind = Some(FunctionKind::Map);
        let ir = translator.translate(kind, &function, &ty, &ty).unwrap();
        let operators = [Operator { name: "it", ir: &ir, constants: "" }];
        let types = [ty.clone(), ty.clone()];
        let mut chain = Chain::compile(&types, &operators, None, 0, 1).unwrap();
        let mut out = EventsBuffer::new();
        let given = match chain.run_event(0, None, *input, &mut out) {
            Ok(()) => Ok(out.events(&ty).unwrap()[0].value.map(<[u8]>::to_vec)),
            Err(dead) => Err(dead.reason.to_string()),
        };
        let expected = expected.clone().map_err(str::to_owned);
        let given = given.map_err(|reason| reason.split(':').next().unwrap_or("").to_owned());
        assert_eq!(given, expected, "{method}\n{ir}");
    }
}
