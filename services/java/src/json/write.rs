//! JSON texts.
use super::Json;
use crate::floating;
use std::fmt::Write;

/// A text between quotes as Jackson writes it: only quotes, backslashes and control characters are escaped.
pub fn quote(text: &str, out: &mut String) {
    quote_with(text, out, |c, out| match c {
        '\0'..='\u{1F}' => _ = write!(out, "\\u{:04X}", u32::from(c)),
        c => out.push(c),
    });
}

/// A text between quotes as Gson writes it. `html`: whether `<`, `>`, `&`, `=` and `'` are escaped, as `Gson.toJson` does by default.
pub fn quote_gson(text: &str, html: bool, out: &mut String) {
    quote_with(text, out, |c, out| match c {
        '\0'..='\u{1F}' | '\u{2028}' | '\u{2029}' => _ = write!(out, "\\u{:04x}", u32::from(c)),
        '<' | '>' | '&' | '=' | '\'' if html => _ = write!(out, "\\u{:04x}", u32::from(c)),
        c => out.push(c),
    });
}

/// A text between quotes; `other` writes what has no short escape.
fn quote_with(text: &str, out: &mut String, other: impl Fn(char, &mut String)) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{C}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            c => other(c, out),
        }
    }
    out.push('"');
}

impl Json {
    /// `JsonNode.toString`.
    pub fn to_jackson(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, &quote);
        out
    }

    /// `JsonElement.toString`.
    pub fn to_gson(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, &|text, out| quote_gson(text, false, out));
        out
    }

    fn write(&self, out: &mut String, quote: &dyn Fn(&str, &mut String)) {
        match self {
            Json::Null => out.push_str("null"),
            Json::Bool(value) => _ = write!(out, "{value}"),
            Json::Int(value) => _ = write!(out, "{value}"),
            Json::Long(value) => _ = write!(out, "{value}"),
            Json::Big(number) | Json::Lazy(number) => out.push_str(number),
            Json::Double(value) => {
                let text = floating::double_to_string(*value);
                match value.is_finite() {
                    true => out.push_str(&text),
                    false => quote(&text, out),
                }
            }
            Json::Text(text) => quote(text, out),
            Json::Array(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    item.write(out, quote);
                }
                out.push(']');
            }
            Json::Object(members) => {
                out.push('{');
                for (at, (name, value)) in members.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    quote(name, out);
                    out.push(':');
                    value.write(out, quote);
                }
                out.push('}');
            }
        }
    }
}
