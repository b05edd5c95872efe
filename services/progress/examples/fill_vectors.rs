//! Writes what happens into a script for the vectors: reads one from standard input, runs it, and prints it with its actions
//! and the state after each step. Read the result before you keep it.

use std::io::{Error, Read, stdin};

use serde_json::{Map, Value};

#[allow(dead_code)] // what was expected is not compared here
#[path = "../tests/script/mod.rs"]
mod script;

/// Shown of a device only when they are not 0 or false.
const QUIET: [&str; 7] =
    ["held", "fallback", "duplicates", "late", "gaps", "forgotten", "fallbacks"];

fn main() -> Result<(), Error> {
    let mut text = String::new();
    stdin().read_to_string(&mut text)?;
    let mut vector: Value = serde_json::from_str(&text)?;
    let script: script::Script = serde_json::from_str(&text)?;
    let mut run = script::Run::new(&script);
    let mut lines = Vec::new();
    for (number, step) in script.steps.iter().enumerate() {
        let line = &mut vector["steps"][number];
        line["then"] = run.step(step).into();
        line["state"] = brief(run.state()).into();
        lines.push(format!("    {line}"));
    }
    println!("{{");
    for name in ["rule", "limits", "start"] {
        if let Some(value) = vector.get(name) {
            println!("  \"{name}\": {value},");
        }
    }
    println!("  \"steps\": [\n{}\n  ]\n}}", lines.join(",\n"));
    Ok(())
}

fn brief(mut state: Map<String, Value>) -> Map<String, Value> {
    for device in state
        .get_mut("devices")
        .and_then(Value::as_object_mut)
        .into_iter()
        .flat_map(Map::values_mut)
    {
        if let Value::Object(device) = device {
            device.retain(|name, value| {
                !QUIET.contains(&name.as_str()) || (*value != 0 && *value != false)
            });
        }
    }
    state
}
