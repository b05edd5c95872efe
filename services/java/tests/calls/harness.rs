//! Asks the JDK the same calls.
use sluice_java::{Failure, Result};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// A call: its name and arguments as fields of a line.
pub type Call = Vec<String>;

/// Puts a call together.
#[macro_export]
macro_rules! call {
    ($name:expr $(, $argument:expr)* $(,)?) => {
        vec![$name.to_owned() $(, $crate::harness::Field::field(&$argument))*]
    };
}

/// What stands for a value in a line.
pub trait Field {
    fn field(&self) -> String;
}

impl Field for &str {
    fn field(&self) -> String {
        escape(self)
    }
}

impl Field for String {
    fn field(&self) -> String {
        escape(self)
    }
}

macro_rules! fields {
    ($($ty:ty: $value:ident => $shown:expr;)*) => {$(
        impl Field for $ty {
            fn field(&self) -> String {
                let $value = *self;
                $shown
            }
        }
    )*};
}

fields! {
    i32: value => value.to_string();
    i64: value => value.to_string();
    u16: value => value.to_string();
    u32: value => value.to_string();
    bool: value => i32::from(value).to_string();
    f64: value => format!("{:x}", sluice_java::hash::double_bits(value));
    f32: value => format!("{:x}", sluice_java::hash::float_bits(value));
}

/// The arguments of a call.
#[derive(Clone, Copy)]
pub struct Arguments<'a>(pub &'a [String]);

impl Arguments<'_> {
    pub fn s(self, i: usize) -> String {
        let mut text = String::new();
        let mut chars = self.0[i + 1].chars();
        while let Some(c) = chars.next() {
            text.push(match (c, c == '\\') {
                (_, true) => match chars.next() {
                    Some('n') => '\n',
                    Some('r') => '\r',
                    Some('t') => '\t',
                    other => other.unwrap(),
                },
                (c, false) => c,
            });
        }
        text
    }

    pub fn i(self, i: usize) -> i32 {
        self.0[i + 1].parse().unwrap()
    }

    pub fn l(self, i: usize) -> i64 {
        self.0[i + 1].parse().unwrap()
    }

    pub fn d(self, i: usize) -> f64 {
        f64::from_bits(u64::from_str_radix(&self.0[i + 1], 16).unwrap())
    }

    pub fn f(self, i: usize) -> f32 {
        f32::from_bits(u32::from_str_radix(&self.0[i + 1], 16).unwrap())
    }
}

pub fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r").replace('\t', "\\t")
}

/// An answer in the words of the Java side; none where ours is that it is not certain.
fn shown(answer: Result<String>) -> Option<String> {
    match answer {
        Ok(text) => Some(escape(&text)),
        Err(Failure::Throws(exception)) => Some(format!("!{}", escape(&exception.to_string()))),
        Err(Failure::Surrogate) => Some("\\uD800".to_owned()),
        Err(Failure::Uncertain(_)) => None,
    }
}

fn agree(ours: &str, java: &str) -> bool {
    // Java shows several fields in an order of its own.
    let several = |text: &str| {
        let (before, fields) = text.split_once("TemporalAccessor: {")?;
        let fields = fields.split_once('}')?.0.contains(", ");
        fields.then(|| before.to_owned())
    };
    // Vague messages are compared by class; only the JDK's are exact.
    if let (Some(ours), Some(java)) = (ours.strip_prefix("!com."), java.strip_prefix("!com.")) {
        // Whether an early end is one depends on the version.
        let class = |text: &str| {
            let class = text.split(':').next().unwrap_or_default();
            class.replace("io.JsonEOFException", "JsonParseException")
        };
        return class(ours) == class(java);
    }
    if several(ours).is_some() && several(ours) == several(java) {
        return true;
    }
    // Where we have half of a character, Java may throw afterwards.
    let half = ours == "\\uD800" && (java.contains("\\uD") || java.starts_with('!'));
    ours == java || half
}

/// How many calls a file of vectors has.
const VECTORS: usize = 400;

/// Holds our answers against those of the vectors, and those of the vectors against the JDK's. Where there is no file of vectors, the JDK
/// makes one of the calls.
pub fn check_vectors(name: &str, calls: &[Call], ours: fn(&str, Arguments<'_>) -> Result<String>) {
    let path = PathBuf::from("tests/vectors").join(format!("{name}.tsv"));
    if !path.exists() {
        let certain = |call: &&Call| shown(ours(&call[0], Arguments(call))).is_some();
        let calls: Vec<Call> = calls.iter().filter(certain).take(VECTORS).cloned().collect();
        let java = ask(&calls).expect("the JDK that the vectors are of");
        let line = |(call, java): (&Call, &String)| format!("{}\t=\t{java}\n", call.join("\t"));
        let text: String = calls.iter().zip(&java).map(line).collect();
        std::fs::write(&path, text).expect("a file of vectors");
    }
    let text = std::fs::read_to_string(&path).expect("a file of vectors");
    let (mut calls, mut expected) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let (call, answer) = line.rsplit_once("\t=\t").expect("a call and its answer");
        calls.push(call.split('\t').map(str::to_owned).collect());
        expected.push(answer.to_owned());
    }
    compare(&calls, &expected, ours);
}

/// Holds our answers against the JDK's where there is one. Returns how many were certain.
pub fn check(calls: &[Call], ours: fn(&str, Arguments<'_>) -> Result<String>) -> usize {
    match ask(calls) {
        Some(java) => compare(calls, &java, ours),
        None => calls.len(),
    }
}

fn compare(
    calls: &[Call],
    java: &[String],
    ours: fn(&str, Arguments<'_>) -> Result<String>,
) -> usize {
    assert_eq!(calls.len(), java.len());
    let (mut wrong, mut certain) = (Vec::new(), 0);
    for (call, java) in calls.iter().zip(java) {
        let Some(ours) = shown(ours(&call[0], Arguments(call))) else { continue };
        certain += 1;
        if !agree(&ours, java) {
            wrong.push(format!("{}\n  ours {ours}\n  java {java}", call.join(" | ")));
        }
    }
    let shown: Vec<_> = wrong.iter().take(20).cloned().collect();
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), calls.len(), shown.join("\n"));
    certain
}

/// Asks the JDK, if it is there and of the version that this library follows.
pub fn ask(calls: &[Call]) -> Option<Vec<String>> {
    let classes = classes().as_ref()?;
    let mut command = Command::new("java");
    command.arg("-cp").arg(class_path(classes)).arg("Calls").args(families());
    let mut java = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    let mut input = java.stdin.take()?;
    let lines: String = calls.iter().map(|call| call.join("\t") + "\n").collect();
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = java.wait_with_output().ok()?;
    writer.join().ok()?.ok()?;
    assert!(output.status.success(), "the calls of the JDK failed");
    Some(String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect())
}

/// The families that need libraries, if those are in the local repository of Maven.
fn families() -> Vec<&'static str> {
    if jars().is_empty() { Vec::new() } else { vec!["JsonCalls"] }
}

/// The jars of Jackson and Gson; none unless all are there.
pub fn jars() -> Vec<PathBuf> {
    const JARS: [&str; 4] = [
        "com/fasterxml/jackson/core/jackson-databind",
        "com/fasterxml/jackson/core/jackson-core",
        "com/fasterxml/jackson/core/jackson-annotations",
        "com/google/code/gson/gson",
    ];
    let Some(home) = std::env::home_dir() else { return Vec::new() };
    let repository = home.join(".m2/repository");
    let versions = |path: &str| -> Vec<String> {
        let jar = |entry: std::fs::DirEntry| {
            let version = entry.file_name().into_string().ok()?;
            jar(&repository, path, &version).exists().then_some(version)
        };
        let entries = std::fs::read_dir(repository.join(path)).into_iter().flatten();
        entries.filter_map(|entry| jar(entry.ok()?)).collect()
    };
    let gson = versions(JARS[3]).into_iter().max_by_key(|version| numbers(version));
    // All parts of Jackson in one version.
    let jackson = versions(JARS[0])
        .into_iter()
        .filter(|version| JARS[..3].iter().all(|path| jar(&repository, path, version).exists()));
    let (Some(jackson), Some(gson)) = (jackson.max_by_key(|version| numbers(version)), gson) else {
        return Vec::new();
    };
    let version = |path: &str| if path == JARS[3] { &gson } else { &jackson };
    JARS.iter().map(|path| jar(&repository, path, version(path))).collect()
}

/// The numbers of a version, to order by.
fn numbers(version: &str) -> Vec<u32> {
    version.split('.').map(|number| number.parse().unwrap_or(0)).collect()
}

fn jar(repository: &Path, path: &str, version: &str) -> PathBuf {
    let name = path.rsplit('/').next().unwrap_or_default();
    repository.join(path).join(version).join(format!("{name}-{version}.jar"))
}

fn class_path(classes: &Path) -> std::ffi::OsString {
    let paths = std::iter::once(classes.to_owned()).chain(jars());
    std::env::join_paths(paths).expect("paths without colons")
}

/// The compiled calls; none without a compiler of Java 17.
fn classes() -> &'static Option<PathBuf> {
    static CLASSES: OnceLock<Option<PathBuf>> = OnceLock::new();
    CLASSES.get_or_init(|| {
        let version = Command::new("javac").arg("-version").output().ok()?;
        let version = String::from_utf8_lossy(&version.stdout).into_owned();
        if !version.starts_with(&format!("javac {}", sluice_java::JAVA)) {
            return None;
        }
        let classes = Path::new(env!("CARGO_TARGET_TMPDIR")).join("calls");
        let folders = if jars().is_empty() {
            &["tests/java"][..]
        } else {
            &["tests/java", "tests/java/json"]
        };
        let sources =
            folders.iter().flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten());
        let sources = sources.filter_map(|entry| Some(entry.ok()?.path()));
        let status = Command::new("javac")
            .args(["-encoding", "UTF-8", "-cp"])
            .arg(class_path(&classes))
            .arg("-d")
            .arg(&classes)
            .args(sources.filter(|path| path.extension().is_some_and(|e| e == "java")))
            .status();
        assert!(status.ok()?.success(), "the calls do not compile");
        Some(classes)
    })
}

/// A generator of numbers with a seed (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }

    /// Some of the pieces, in a row.
    pub fn text(&mut self, pieces: &[&str], most: usize) -> String {
        (0..self.below(most + 1)).map(|_| self.one(pieces)).collect()
    }

    pub fn index(&mut self, around: i32) -> i32 {
        self.below(around as usize + 4) as i32 - 2
    }
}
