//! Jackson and Gson.
use crate::call;
use crate::harness::{Arguments, Call, Random, check, check_vectors, jars};
use sluice_java::Result;
use sluice_java::failure::throw;
use sluice_java::hash::double_bits;
use sluice_java::json::{self, Content, Json, primitive};
use std::sync::Arc;

fn member(text: &str) -> Result<Option<Arc<Json>>> {
    Ok(match json::parse_jackson(text)? {
        Content::Nothing => None,
        Content::Value(value) => value.get("a").cloned(),
    })
}

fn gson(text: &str) -> Result<Arc<Json>> {
    let tree = json::parse_gson(text)?;
    if !matches!(*tree, Json::Object(_)) {
        return throw(
            "java/lang/IllegalStateException",
            format!("Not a JSON Object: {}", tree.to_gson()),
        );
    }
    match tree.get("a") {
        Some(value) if !matches!(**value, Json::Null | Json::Array(_) | Json::Object(_)) => {
            Ok(value.clone())
        }
        _ => Err(sluice_java::Failure::Uncertain("no primitive")),
    }
}

fn ours(name: &str, a: Arguments<'_>) -> Result<String> {
    let text = a.s(0);
    let double = |value: f64| format!("{:x}", double_bits(value));
    let missing = Arc::new(Json::Object(Vec::new()));
    let node = || member(&text).map(|found| found.unwrap_or(missing));
    Ok(match name {
        "jackson" => match json::parse_jackson(&text)? {
            Content::Nothing => "nothing".to_owned(),
            Content::Value(value) => value.to_jackson(),
        },
        "jackson.asText" => node()?.as_text()?,
        "jackson.asInt" => node()?.int(true)?.to_string(),
        "jackson.asLong" => node()?.long(true)?.to_string(),
        "jackson.asDouble" => double(node()?.double(true)?),
        "jackson.asBoolean" => node()?.boolean(true)?.to_string(),
        "jackson.intValue" => node()?.int(false)?.to_string(),
        "jackson.longValue" => node()?.long(false)?.to_string(),
        "jackson.doubleValue" => double(node()?.double(false)?),
        "jackson.write" => {
            let mut out = String::new();
            json::quote(&text, &mut out);
            out
        }
        "gson" => json::parse_gson(&text)?.to_gson(),
        "gson.getAsString" => primitive::string(&*gson(&text)?).unwrap_or_default(),
        "gson.getAsInt" => primitive::int(&*gson(&text)?)?.to_string(),
        "gson.getAsLong" => primitive::long(&*gson(&text)?)?.to_string(),
        "gson.getAsDouble" => double(primitive::double(&*gson(&text)?)?),
        "gson.getAsBoolean" => primitive::boolean(&*gson(&text)?)?.to_string(),
        "gson.write" => {
            let mut out = String::new();
            json::quote_gson(&text, true, &mut out);
            out
        }
        _ => panic!("{name}"),
    })
}

const SCALARS: &[&str] = &[
    "1",
    "-1",
    "0",
    "-0",
    "12",
    "2147483648",
    "-2147483649",
    "9223372036854775808",
    "99999999999999999999999",
    "1.5",
    "-0.0",
    "1e3",
    "1E-2",
    "1.0",
    "100.0",
    "1e400",
    "true",
    "false",
    "null",
    "\"\"",
    "\"x\"",
    "\"12\"",
    "\" 12 \"",
    "\"1.5\"",
    "\"true\"",
    "\"é€😀\"",
    "\"\\u00e9\\n\\t\\\"\\\\\\/\"",
    "\"\\ud83d\\ude00\"",
    "\"<a href='x'>&=\"",
    "\"\u{2028}\"",
    "01",
    "+1",
    ".5",
    "1.",
    "-",
    "NaN",
    "Infinity",
    "True",
    "NULL",
    "abc",
    "'q'",
    "\"\\x\"",
    "\"\\u12\"",
    "\"a\nb\"",
    "1x",
    "truex",
    "1.5e",
    "0x1",
    "\"\\'\"",
    "-5",
    "3.0e2",
    "\"-7\"",
    "\"1e2\"",
    "\"007\"",
];

fn value(random: &mut Random, depth: usize) -> String {
    match random.below(if depth == 0 { 6 } else { 10 }) {
        0..6 => random.one(SCALARS).to_owned(),
        6 | 7 => {
            let items: Vec<_> = (0..random.below(4)).map(|_| value(random, depth - 1)).collect();
            format!("[{}]", items.join(random.one(&[",", ", ", ",\n", ",", ";"])))
        }
        _ => object(random, depth - 1),
    }
}

fn object(random: &mut Random, depth: usize) -> String {
    let names = ["\"a\"", "\"a\"", "\"b\"", "\"c d\"", "\"\"", "\"é\"", "a", "'a'"];
    let member = |random: &mut Random| {
        let most = if random.below(8) == 0 { 8 } else { 6 };
        let name = names[random.below(most)];
        let colon = random.one(&[":", ": ", " : ", ":", ":", "=", "=>"]);
        format!("{name}{colon}{}", value(random, depth))
    };
    let members: Vec<_> = (0..random.below(4)).map(|_| member(random)).collect();
    format!("{{{}}}", members.join(random.one(&[",", ", ", " ,\t", ",", ";"])))
}

fn text(random: &mut Random) -> String {
    let mut text = match random.below(4) {
        0 => value(random, 2),
        1 => format!("{{\"a\":{}}}", random.one(SCALARS)),
        _ => object(random, 2),
    };
    match random.below(12) {
        0 => text.push_str(random.one(&[" ", "x", "}", ",", " 1", "//c", "\n/* c */", "#", "]"])),
        1 => {
            text.insert_str(0, random.one(&[" ", "\n", "\u{FEFF}", "/**/", "#x\n", ")]}'\n", "["]))
        }
        2 => {
            let mut cut = random.below(text.len() + 1);
            while !text.is_char_boundary(cut) {
                cut -= 1;
            }
            text.truncate(cut);
        }
        _ => {}
    }
    text
}

fn calls(count: usize, seed: u64) -> Vec<Call> {
    const NAMES: &[&str] = &[
        "jackson",
        "jackson.asText",
        "jackson.asInt",
        "jackson.asLong",
        "jackson.asDouble",
        "jackson.asBoolean",
        "jackson.intValue",
        "jackson.longValue",
        "jackson.doubleValue",
        "jackson.write",
        "gson",
        "gson",
        "gson.getAsString",
        "gson.getAsInt",
        "gson.getAsLong",
        "gson.getAsDouble",
        "gson.getAsBoolean",
        "gson.write",
        "jackson",
    ];
    let mut random = Random(seed);
    (0..count).map(|_| call!(random.one(NAMES), text(&mut random))).collect()
}

#[test]
fn vectors() {
    check_vectors("json", &calls(600, 1), ours);
}

#[test]
fn random_json() {
    if !jars().is_empty() {
        let calls = calls(100_000, 19);
        let certain = check(&calls, ours);
        println!("{certain} of {} certain", calls.len());
    }
}
