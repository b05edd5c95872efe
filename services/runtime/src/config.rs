//! Configuration: a TOML file, overridden by `SLUICE_SECTION__KEY` variables. Everything is read, every problem is
//! reported, then the process fails.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::path::Path;
use std::rc::Rc;
use std::str::FromStr;

use toml::{Table, Value};

use crate::exit::Failure;

/// The prefix of variables that override settings.
pub const PREFIX: &str = "SLUICE_";

/// The end of a variable that names a file with the setting in it: a secret stands in no variable.
pub const FILE: &str = "__FILE";

/// The section whose keys go to librdkafka as they are; in variables an underscore stands for a dot.
pub const KAFKA: &str = "kafka";

/// A configuration that is being read.
pub struct Config {
    root: Table,
    place: String,
    problems: Problems,
}

/// One table of the configuration.
pub struct Section {
    name: String,
    table: Table,
    asked: RefCell<BTreeSet<String>>,
    problems: Problems,
}

#[derive(Clone, Default)]
struct Problems(Rc<RefCell<Vec<String>>>);

impl Problems {
    fn add(&self, problem: String) {
        self.0.borrow_mut().push(problem);
    }
}

impl Config {
    /// Reads the file at `path` and the variables of this process.
    ///
    /// # Errors
    /// When the file can't be read or is no TOML (exit code 64).
    pub fn load(path: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            Failure::usage(format!("{}: {error}; give the file with --config", path.display()))
        })?;
        Self::parse(&text, &path.display().to_string(), std::env::vars())
    }

    /// Reads a text and variables, as [`Config::load`] does. `place` names the text in messages.
    ///
    /// # Errors
    /// When the text is no TOML (exit code 64).
    pub fn parse(
        text: &str,
        place: &str,
        variables: impl Iterator<Item = (String, String)>,
    ) -> anyhow::Result<Self> {
        let mut root: Table =
            text.parse().map_err(|error| Failure::usage(format!("{place}: {error}")))?;
        for (name, value) in variables {
            match name.strip_suffix(FILE) {
                Some(setting) if name.starts_with(PREFIX) => {
                    let value = std::fs::read_to_string(&value)
                        .map_err(|error| Failure::usage(format!("{name}={value}: {error}")))?;
                    override_setting(&mut root, setting, value.trim_end());
                }
                _ => override_setting(&mut root, &name, &value),
            }
        }
        Ok(Self { root, place: place.to_owned(), problems: Problems::default() })
    }

    /// Takes the table `name`; an empty one where it is missing.
    pub fn section(&mut self, name: &str) -> Section {
        let table = match self.root.remove(name) {
            None => Table::new(),
            Some(Value::Table(table)) => table,
            Some(_) => {
                self.problems.add(format!("{name}: must be a table, [{name}]"));
                Table::new()
            }
        };
        Section::new(name.to_owned(), table, &self.problems)
    }

    /// Takes the array of tables `name`; empty where it is missing.
    pub fn sections(&mut self, name: &str) -> Vec<Section> {
        let Some(value) = self.root.remove(name) else { return Vec::new() };
        let tables = match value {
            Value::Array(values) => values.into_iter().map(Value::try_into).collect(),
            _ => Err(serde::de::Error::custom("no array")),
        };
        let tables: Vec<Table> = tables.unwrap_or_else(|_: toml::de::Error| {
            self.problems.add(format!("{name}: must be an array of tables, [[{name}]]"));
            Vec::new()
        });
        let section = |(i, table)| Section::new(format!("{name}[{i}]"), table, &self.problems);
        tables.into_iter().enumerate().map(section).collect()
    }

    /// The `[kafka]` table: librdkafka properties as text.
    pub fn kafka(&mut self) -> BTreeMap<String, String> {
        let section = self.section(KAFKA);
        let as_text = |value: &Value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let properties: BTreeMap<String, String> =
            section.table.iter().map(|(key, value)| (key.clone(), as_text(value))).collect();
        section.asked.borrow_mut().extend(properties.keys().cloned());
        if !properties.contains_key("bootstrap.servers") {
            self.problems
                .add("kafka.bootstrap.servers: missing; give the broker's HOST:PORT".to_owned());
        }
        properties
    }

    /// Notes a problem that the caller found between settings.
    pub fn problem(&self, text: impl Into<String>) {
        self.problems.add(text.into());
    }

    /// Ends the reading.
    ///
    /// # Errors
    /// One error (exit code 64) with every problem found, unknown sections and settings among them.
    pub fn finish(self) -> anyhow::Result<()> {
        for name in self.root.keys() {
            self.problems.add(format!("{name}: unknown section"));
        }
        let problems = self.problems.0.take();
        if problems.is_empty() {
            return Ok(());
        }
        let lines: String = problems.iter().map(|problem| format!("\n  {problem}")).collect();
        Err(Failure::usage(format!("{}: {} problem(s){lines}", self.place, problems.len())))
    }
}

impl Section {
    fn new(name: String, table: Table, problems: &Problems) -> Self {
        Self { name, table, asked: RefCell::default(), problems: problems.clone() }
    }

    /// A setting that may be missing.
    pub fn optional<T: FromStr<Err: Display>>(&self, key: &str) -> Option<T> {
        self.asked.borrow_mut().insert(key.to_owned());
        let text = match self.table.get(key)? {
            Value::String(text) => text.clone(),
            value @ (Value::Integer(_) | Value::Float(_) | Value::Boolean(_)) => value.to_string(),
            _ => {
                self.problem(key, "must be a single value");
                return None;
            }
        };
        text.parse().map_err(|error| self.problem(key, format!("`{text}`: {error}"))).ok()
    }

    /// A setting with a default.
    pub fn or<T: FromStr<Err: Display>>(&self, key: &str, default: T) -> T {
        self.optional(key).unwrap_or(default)
    }

    /// A setting that must be there. `None` only when a problem was noted.
    pub fn required<T: FromStr<Err: Display>>(&self, key: &str) -> Option<T> {
        if !self.table.contains_key(key) {
            self.problem(key, "missing");
        }
        self.optional(key)
    }

    /// A setting that is one of a few words, with its default.
    pub fn one_of<'a>(&self, key: &str, words: &[&'a str], default: &'a str) -> &'a str {
        let given: Option<String> = self.optional(key);
        let Some(given) = given else { return default };
        words.iter().find(|word| **word == given).copied().unwrap_or_else(|| {
            self.problem(key, format!("`{given}` is none of {}", words.join(", ")));
            default
        })
    }

    /// A list of texts; empty where it is missing.
    pub fn list(&self, key: &str) -> Vec<String> {
        self.asked.borrow_mut().insert(key.to_owned());
        match self.table.get(key) {
            None => Vec::new(),
            // The form that a variable has.
            Some(Value::String(text)) => {
                text.split(',').map(|part| part.trim().to_owned()).collect()
            }
            Some(value) => value.clone().try_into().unwrap_or_else(|_| {
                self.problem(key, "must be a list of texts");
                Vec::new()
            }),
        }
    }

    /// Notes a problem with a setting of this section.
    pub fn problem(&self, key: &str, text: impl Display) {
        self.problems.add(format!("{}.{key}: {text}", self.name));
    }
}

impl Drop for Section {
    fn drop(&mut self) {
        let asked = self.asked.borrow();
        let mut known: Vec<&str> = asked.iter().map(String::as_str).collect();
        known.sort_unstable();
        for key in self.table.keys().filter(|key| !asked.contains(*key)) {
            self.problem(key, format!("unknown; known here: {}", known.join(", ")));
        }
    }
}

fn override_setting(root: &mut Table, variable: &str, value: &str) {
    let Some((section, key)) = variable.strip_prefix(PREFIX).and_then(|name| name.split_once("__"))
    else {
        return;
    };
    let section = section.to_lowercase();
    let key = key.to_lowercase();
    let key = if section == KAFKA { key.replace('_', ".") } else { key };
    let table = root.entry(section).or_insert_with(|| Value::Table(Table::new()));
    if let Some(table) = table.as_table_mut() {
        table.insert(key, Value::String(value.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str, variables: &[(&str, &str)]) -> Config {
        let variables = variables.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
        Config::parse(text, "edge.toml", variables).unwrap()
    }

    #[test]
    fn a_variable_may_name_a_file_with_the_setting() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "secret\n").unwrap();
        let variables = |path: &str| {
            let name = "SLUICE_KAFKA__SASL_PASSWORD__FILE".to_owned();
            Config::parse("", "edge.toml", [(name, path.to_owned())].into_iter())
        };
        let mut config = variables(file.path().to_str().unwrap()).unwrap();
        assert_eq!(config.kafka()["sasl.password"], "secret");
        let error = variables("/nowhere/secret").err().unwrap().to_string();
        assert!(error.contains("SLUICE_KAFKA__SASL_PASSWORD__FILE=/nowhere/secret"), "{error}");
    }

    #[test]
    fn variables_override_the_file() {
        let mut config = config(
            "[http]\nlisten = 1\n[kafka]\n\"linger.ms\" = 5",
            &[
                ("SLUICE_HTTP__LISTEN", "2"),
                ("SLUICE_KAFKA__BOOTSTRAP_SERVERS", "b:1"),
                ("HOME", "/"),
            ],
        );
        assert_eq!(config.section("http").required::<u16>("listen"), Some(2));
        let kafka = config.kafka();
        assert_eq!(kafka["bootstrap.servers"], "b:1");
        assert_eq!(kafka["linger.ms"], "5");
        config.finish().unwrap();
    }

    #[test]
    fn all_problems_are_reported_at_once() {
        let mut config = config(
            "odd = 1\n[http]\nlisten = \"x\"\nlitsen = 1\n[spool]\nfull_policy = \"drop\"",
            &[],
        );
        let http = config.section("http");
        assert_eq!(http.required::<u16>("listen"), None);
        assert_eq!(http.required::<u16>("port"), None);
        drop(http);
        config.section("spool").one_of("full_policy", &["block"], "block");
        config.kafka();
        let error = config.finish().unwrap_err();
        assert_eq!(crate::exit::code_of(&error), 64);
        let text = error.to_string();
        for part in [
            "http.listen: `x`",
            "http.port: missing",
            "http.litsen: unknown; known here: listen, port",
            "spool.full_policy: `drop` is none of block",
            "kafka.bootstrap.servers: missing",
            "odd: unknown section",
        ] {
            assert!(text.contains(part), "{part} not in {text}");
        }
    }

    #[test]
    fn a_list_may_come_from_a_variable() {
        let mut config = config("", &[("SLUICE_REPLICA__SERVE", "a, b")]);
        assert_eq!(config.section("replica").list("serve"), ["a", "b"]);
    }
}
