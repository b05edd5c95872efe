//! The description, as far as it is used: paths, responses, and schemas of JSON.

use std::cell::RefCell;
use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use yaml_rust2::{Yaml, YamlLoader};

/// `openapi.yaml`.
pub struct Document {
    root: Value,
    /// Path and method of what was asked.
    asked: RefCell<BTreeSet<(String, String)>>,
}

impl Document {
    pub fn read() -> Self {
        let text = include_str!("../../openapi.yaml");
        let documents = YamlLoader::load_from_str(text).expect("the description is YAML");
        Self { root: to_json(&documents[0]), asked: RefCell::default() }
    }

    /// Checks that a path may answer so.
    pub fn check(&self, path: &str, method: &str, status: u16, answer: &Value) {
        let place = format!("{method} {path} {status}");
        let operation = &self.root["paths"][path][method];
        assert!(operation.is_object(), "{method} {path} is not described");
        let response = self.resolve(&operation["responses"][status.to_string()]);
        assert!(response.is_object(), "{place} is not described: {answer}");
        let schema = &response["content"]["application/json"]["schema"];
        if schema.is_object() {
            self.conforms(schema, answer, &place);
        }
        self.asked.borrow_mut().insert((path.to_owned(), method.to_owned()));
    }

    pub fn assert_all_paths_were_asked(&self) {
        let paths = self.root["paths"].as_object().expect("paths");
        for (path, operations) in paths {
            for method in ["get", "post"] {
                let place = (path.clone(), method.to_owned());
                let is_described = operations[method].is_object();
                assert!(!is_described || self.asked.borrow().contains(&place), "{place:?}");
            }
        }
    }

    fn resolve<'a>(&'a self, value: &'a Value) -> &'a Value {
        match value["$ref"].as_str() {
            Some(at) => self.root.pointer(at.trim_start_matches('#')).expect("a known $ref"),
            None => value,
        }
    }

    fn conforms(&self, schema: &Value, value: &Value, place: &str) {
        let schema = self.resolve(schema);
        if value.is_null() && schema["nullable"] == json!(true) {
            return;
        }
        let is_right = match schema["type"].as_str() {
            Some("object") => value.is_object(),
            Some("array") => value.is_array(),
            Some("string") => value.is_string(),
            Some("integer") => value.is_i64() || value.is_u64(),
            Some("number") => value.is_number(),
            Some("boolean") => value.is_boolean(),
            _ => true,
        };
        assert!(is_right, "{place}: {value} is no {}", schema["type"]);
        if let Some(words) = schema["enum"].as_array() {
            assert!(words.contains(value), "{place}: {value} is none of {words:?}");
        }
        for name in schema["required"].as_array().into_iter().flatten() {
            let name = name.as_str().expect("a name");
            assert!(value.get(name).is_some(), "{place}: no {name} in {value}");
        }
        if let (Some(properties), Some(fields)) =
            (schema["properties"].as_object(), value.as_object())
        {
            for (name, field) in fields {
                let of = properties.get(name);
                let of = of.unwrap_or_else(|| panic!("{place}: {name} is not described"));
                self.conforms(of, field, &format!("{place}.{name}"));
            }
        }
        for item in value.as_array().into_iter().flatten() {
            self.conforms(&schema["items"], item, &format!("{place}[]"));
        }
    }
}

fn to_json(yaml: &Yaml) -> Value {
    match yaml {
        Yaml::Real(text) => json!(text.parse::<f64>().expect("a number")),
        Yaml::Integer(number) => json!(number),
        Yaml::String(text) => json!(text),
        Yaml::Boolean(yes) => json!(yes),
        Yaml::Array(items) => items.iter().map(to_json).collect(),
        Yaml::Hash(fields) => {
            let field = |(name, value): (&Yaml, &Yaml)| {
                (name.as_str().expect("a name").to_owned(), to_json(value))
            };
            Value::Object(fields.iter().map(field).collect::<Map<_, _>>())
        }
        Yaml::Null | Yaml::Alias(_) | Yaml::BadValue => Value::Null,
    }
}
