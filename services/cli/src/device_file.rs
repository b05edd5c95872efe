//! Device files, the configurations of edges (docs/edge.md): which inputs they have a source for.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use sluice_model::{DeployedQuery, DeviceId, DeviceKey, Input};
use sluice_runtime::exit::Failure;
use toml::{Table, Value};

/// What a device file says of its sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceFile {
    /// Where it stands.
    pub path: PathBuf,
    /// The device.
    pub device: DeviceId,
    /// The names of its sources.
    sources: Vec<String>,
}

impl DeviceFile {
    /// Reads a device file. What it says besides device and sources is for the edge to check.
    ///
    /// # Errors
    /// A file that can't be read, or without device (exit code 64).
    pub fn load(path: &Path) -> Result<Self> {
        let read = || Self::parse(path, &fs::read_to_string(path).map_err(|e| e.to_string())?);
        read().map_err(|what| Failure::usage(format!("device file {}: {what}", path.display())))
    }

    fn parse(path: &Path, text: &str) -> Result<Self, String> {
        let file: Table = text.parse().map_err(|error: toml::de::Error| error.to_string())?;
        let id = file.get("device").and_then(|device| device.get("id")).and_then(Value::as_str);
        let id = id.ok_or("names no device: [device] id = \"..\"")?;
        let device = DeviceId::new(id).map_err(|error| error.to_string())?;
        let mut sources = Vec::new();
        for source in file.get("sources").and_then(Value::as_array).into_iter().flatten() {
            let name = source.get("name").and_then(Value::as_str).ok_or("a source has no name")?;
            sources.push(name.to_owned());
        }
        Ok(Self { path: path.to_owned(), device, sources })
    }

    /// The source of an input: the one of its name, or else the one called as the job's own source.
    pub fn source_of(&self, input: &Input, called: &[String]) -> Option<&str> {
        let named = self.sources.iter().find(|name| *name == input.name.as_str());
        let called = || self.sources.iter().find(|name| called.contains(name));
        named.or_else(called).map(String::as_str)
    }
}

/// The lines that give a device a source for an input.
pub fn lines_for(input: &Input) -> String {
    let what = match input.types.first().map(String::as_str) {
        Some("\"bytes\"") => {
            "the bytes of an event, as the job's deserialization schema takes them"
        }
        _ => "a line of text an event",
    };
    format!(
        "[[sources]]\nname = \"{}\"\nkind = \"..\"            # docs/sources.md lists the kinds; {what}\n",
        input.name
    )
}

/// What is to be done so that devices feed an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The file has no source for it.
    Add {
        /// The file; none where none was given.
        file: Option<PathBuf>,
        /// The input.
        input: String,
        /// The lines.
        lines: String,
        /// Sources of the file that may be meant all the same.
        others: Vec<String>,
    },
    /// The file has a source for it, so the device can join.
    Join {
        /// QUERY/INPUT/DEVICE.
        key: String,
        /// The source.
        source: String,
    },
}

impl Step {
    /// For scripts.
    pub fn json(&self) -> serde_json::Value {
        match self {
            Self::Add { file, input, lines, others } => serde_json::json!({
                "step": "add", "file": file, "input": input, "lines": lines, "others": others
            }),
            Self::Join { key, source } => {
                serde_json::json!({ "step": "join", "device": key, "source": source })
            }
        }
    }
}

/// The steps for people.
pub fn text(steps: &[Step]) -> String {
    let step = |step: &Step| match step {
        Step::Add { file, input, lines, others } => {
            let place = match file {
                Some(file) => format!("{} has no source called {input}", file.display()),
                None => format!("input {input} needs a source on each device"),
            };
            let lines: String = lines.lines().map(|line| format!("    {line}\n")).collect();
            let others = match &others[..] {
                [] => String::new(),
                others => format!(
                    "  or let the device join with another of its sources: {}\n",
                    others.join(", ")
                ),
            };
            format!("{place}; add:\n{lines}{others}")
        }
        Step::Join { key, source } => {
            format!("ready: sluice device join {key} --partition N --source {source}\n")
        }
    };
    steps.iter().map(step).collect()
}

/// The steps for every input and device file; without files, the lines for each input that no device takes part in.
pub fn steps(
    query: &DeployedQuery,
    files: &[DeviceFile],
    joined: &BTreeSet<DeviceKey>,
    called: impl Fn(&Input) -> Vec<String>,
) -> Vec<Step> {
    let mut steps = Vec::new();
    for input in &query.inputs {
        let add = |file: Option<&DeviceFile>| Step::Add {
            file: file.map(|file| file.path.clone()),
            input: input.name.to_string(),
            lines: lines_for(input),
            others: file.map(|file| file.sources.clone()).unwrap_or_default(),
        };
        let is_of = |key: &DeviceKey| key.query == query.query && key.input == input.name;
        if files.is_empty() && !joined.iter().any(is_of) {
            steps.push(add(None));
        }
        let called = called(input);
        for file in files {
            let key = DeviceKey {
                query: query.query.clone(),
                input: input.name.clone(),
                device: file.device.clone(),
            };
            match file.source_of(input, &called) {
                None => steps.push(add(Some(file))),
                Some(_) if joined.contains(&key) => {}
                Some(source) => {
                    steps.push(Step::Join { key: key.to_string(), source: source.to_owned() });
                }
            }
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> Result<DeviceFile, String> {
        DeviceFile::parse(Path::new("pi-1.toml"), text)
    }

    fn query() -> DeployedQuery {
        serde_json::from_str(
            r#"{"query":"q1","version":1,"inputs":[
            {"name":"lines","partitions":4,"types":["\"string\""],"operators":[]},
            {"name":"sites","partitions":4,"types":["\"bytes\""],"operators":[]}]}"#,
        )
        .unwrap()
    }

    #[test]
    fn a_source_is_found_by_the_name_of_the_input_or_of_the_jobs_source() {
        let file = file("[device]\nid = \"pi-1\"\n[[sources]]\nname = \"lines\"\n[[sources]]\nname = \"Site Source\"")
            .unwrap();
        let query = query();
        let called = ["Site Source".to_owned()];
        assert_eq!(file.source_of(&query.inputs[0], &[]), Some("lines"));
        assert_eq!(file.source_of(&query.inputs[1], &[]), None);
        assert_eq!(file.source_of(&query.inputs[1], &called), Some("Site Source"));
        let files = [file];
        let none = |_: &Input| Vec::new();
        let joined = ["q1/lines/pi-1".parse().unwrap()].into();
        assert_eq!(steps(&query, &files, &joined, none).len(), 1, "it takes part already");
        let steps = steps(&query, &files, &BTreeSet::new(), none);
        assert_eq!(
            steps[0],
            Step::Join { key: "q1/lines/pi-1".to_owned(), source: "lines".to_owned() }
        );
        assert!(matches!(&steps[1], Step::Add { file: Some(_), input, lines, others }
            if input == "sites" && others.len() == 2 && lines.contains("name = \"sites\"") && lines.contains("bytes")));
    }

    #[test]
    fn without_files_the_lines_are_shown_once_an_input() {
        let none = |_: &Input| Vec::new();
        assert_eq!(steps(&query(), &[], &BTreeSet::new(), none).len(), 2);
        let joined = ["q1/lines/pi-1".parse().unwrap()].into();
        assert_eq!(steps(&query(), &[], &joined, none).len(), 1);
    }

    #[test]
    fn a_file_without_device_is_refused() {
        assert!(file("[[sources]]\nname = \"x\"").unwrap_err().contains("names no device"));
        assert!(file("[device]\nid = \"Pi\"").is_err());
        assert!(file("[device]\nid = \"pi\"\n[[sources]]\nkind = \"mqtt\"").is_err());
        assert!(DeviceFile::load(Path::new("no.toml")).is_err());
    }
}
