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

const INPUTS: &str =
    "a\n\nalpha\nAa\nhello world hello\nabc\nabcdz\n42\n-7\nxyzzy xx\nab ab cd\nabcdefghijkl\nbooster";

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
    UserFunction {
        class: class.to_owned(),
        form: Form::MethodReference,
        rich: false,
        interfaces: Vec::new(),
        implementation: Some(Implementation {
            owner: class.to_owned(),
            name: method.to_owned(),
            descriptor: "(Ljava/lang/String;)Ljava/lang/String;".to_owned(),
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
    let args = ["-cp", ".", "Runner", "inputs", "Control", "Library", "Numbers", "Things"];
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
        let result = result.replace('$', "$");
        if given != result {
            wrong.push(format!("{class}.{method}({at}): {given}, not {result}"));
        }
    }
    let refused: Vec<String> = translated
        .iter()
        .filter_map(|((class, method), ir)| Some(format!("{class}.{method}: {}", ir.as_ref().err()?)))
        .collect();
    assert!(wrong.is_empty() && refused.is_empty(), "{}\n{}", wrong.join("\n"), refused.join("\n"));
}
