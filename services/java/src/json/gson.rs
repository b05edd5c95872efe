//! Gson's reader of texts in its lenient mode, which `JsonParser` and `Gson.fromJson` use (versions 2.7 to 2.10).
use super::number::LazyNumber;
use super::scan::{Scan, Units};
use super::{DEPTH, Json, put};
use crate::failure::{NUMBER_FORMAT, throw, throw_vague};
use crate::{Failure, Result, floating, integer};
use std::sync::Arc;

/// `com.google.gson.JsonSyntaxException`.
const SYNTAX: &str = "com/google/gson/JsonSyntaxException";
/// `com.google.gson.stream.MalformedJsonException`'s and an early end's wrapper in trees.
const MALFORMED: &str = SYNTAX;

/// `JsonParser.parseString`: the one value of a text; null for an empty text.
pub fn parse(text: &str) -> Result<Arc<Json>> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let mut reader = Reader { scan: Scan { text, at: 0 } };
    if reader.next()?.is_none() {
        return Ok(Arc::new(Json::Null));
    }
    reader.scan.at -= 1;
    if reader.scan.rest().starts_with(")]}'\n") {
        reader.scan.at += 5;
    }
    let value = reader.value(0, false)?;
    // Behind the value it is not lenient any more.
    reader.scan.skip(b" \t\r\n");
    if value != Json::Null && reader.scan.byte().is_some() {
        return throw_vague(SYNTAX, "Did not consume the entire document.");
    }
    Ok(Arc::new(value))
}

/// Whether a character may be in a literal without quotes.
fn is_literal(byte: u8) -> bool {
    !matches!(
        byte,
        b'/' | b'\\'
            | b';'
            | b'#'
            | b'='
            | b'{'
            | b'}'
            | b'['
            | b']'
            | b':'
            | b','
            | b' '
            | b'\t'
            | 0x0C
            | b'\r'
            | b'\n'
    )
}

struct Reader<'a> {
    scan: Scan<'a>,
}

impl Reader<'_> {
    fn refuse<T>(&self, what: &str) -> Result<T> {
        throw_vague(MALFORMED, what)
    }

    /// The next byte behind blanks and comments, taken; none at the end.
    fn next(&mut self) -> Result<Option<u8>> {
        loop {
            self.scan.skip(b" \t\r\n");
            let Some(byte) = self.scan.byte() else { return Ok(None) };
            let rest = self.scan.rest();
            if let Some(comment) = rest.strip_prefix("/*") {
                match comment.find("*/") {
                    Some(end) => self.scan.at += 2 + end + 2,
                    None => return self.refuse("Unterminated comment"),
                }
            } else if byte == b'#' || rest.starts_with("//") {
                self.scan.at += rest.find(['\n', '\r']).map_or(rest.len(), |end| end + 1);
            } else {
                self.scan.at += 1;
                return Ok(Some(byte));
            }
        }
    }

    fn must(&mut self) -> Result<u8> {
        match self.next()? {
            Some(byte) => Ok(byte),
            None => self.refuse("End of input"),
        }
    }

    fn value(&mut self, depth: usize, in_array: bool) -> Result<Json> {
        if depth > DEPTH {
            return Err(Failure::Uncertain("JSON this deep"));
        }
        match self.must()? {
            b'{' => self.members(depth),
            b'[' => self.items(depth),
            quote @ (b'"' | b'\'') => Ok(Json::Text(self.quoted(quote)?.into())),
            b']' | b',' | b';' if in_array => {
                self.scan.at -= 1;
                Ok(Json::Null)
            }
            b']' | b',' | b';' => self.refuse("Unexpected value"),
            _ => {
                self.scan.at -= 1;
                self.literal()
            }
        }
    }

    fn literal(&mut self) -> Result<Json> {
        let rest = self.scan.rest();
        // Only ASCII characters end a literal.
        let end = rest.bytes().position(|byte| !is_literal(byte)).unwrap_or(rest.len());
        if end == 0 {
            return self.refuse("Expected value");
        }
        self.scan.at += end;
        let literal = &rest[..end];
        for (word, value) in
            [("true", Json::Bool(true)), ("false", Json::Bool(false)), ("null", Json::Null)]
        {
            if literal.eq_ignore_ascii_case(word) {
                return Ok(value);
            }
        }
        match is_number(literal) {
            true => Ok(Json::Lazy(literal.to_owned())),
            false => Ok(Json::Text(literal.into())),
        }
    }

    fn items(&mut self, depth: usize) -> Result<Json> {
        let mut items = Vec::new();
        if self.must()? == b']' {
            return Ok(Json::Array(items));
        }
        self.scan.at -= 1;
        loop {
            items.push(Arc::new(self.value(depth + 1, true)?));
            match self.must()? {
                b']' => return Ok(Json::Array(items)),
                b',' | b';' => {}
                _ => return self.refuse("Unterminated array"),
            }
        }
    }

    fn members(&mut self, depth: usize) -> Result<Json> {
        let mut members = Vec::new();
        loop {
            let name = match self.must()? {
                b'}' if members.is_empty() => return Ok(Json::Object(members)),
                quote @ (b'"' | b'\'') => self.quoted(quote)?,
                byte if is_literal(byte) => {
                    self.scan.at -= 1;
                    let rest = self.scan.rest();
                    let end = rest.bytes().position(|byte| !is_literal(byte));
                    let end = end.unwrap_or(rest.len());
                    self.scan.at += end;
                    rest[..end].to_owned()
                }
                _ => return self.refuse("Expected name"),
            };
            match self.must()? {
                b':' => {}
                b'=' => _ = self.scan.eat(b'>'),
                _ => return self.refuse("Expected ':'"),
            }
            let value = Arc::new(self.value(depth + 1, false)?);
            put(&mut members, name.into(), value);
            match self.must()? {
                b'}' => return Ok(Json::Object(members)),
                b',' | b';' => {}
                _ => return self.refuse("Unterminated object"),
            }
        }
    }

    fn quoted(&mut self, quote: u8) -> Result<String> {
        let mut text = Units::default();
        loop {
            let rest = self.scan.rest();
            let Some(plain) = rest.bytes().position(|byte| byte == quote || byte == b'\\') else {
                return self.refuse("Unterminated string");
            };
            if plain > 0 {
                text.push_str(&rest[..plain])?;
            }
            self.scan.at += plain;
            if self.scan.eat(quote) {
                return text.finish();
            }
            self.scan.at += 1;
            let unit = match self.scan.byte() {
                Some(b'u') => {
                    self.scan.at += 1;
                    let Some(unit) = self.scan.unit() else {
                        return self.refuse("a hexadecimal escape");
                    };
                    text.push(unit)?;
                    continue;
                }
                Some(b't') => 9,
                Some(b'b') => 8,
                Some(b'n') => 10,
                Some(b'r') => 13,
                Some(b'f') => 12,
                Some(c @ (b'\n' | b'\'' | b'"' | b'\\' | b'/')) => u16::from(c),
                _ => return self.refuse("Invalid escape sequence"),
            };
            self.scan.at += 1;
            text.push(unit)?;
        }
    }
}

/// Whether Gson takes a literal for a number: what JSON does.
fn is_number(literal: &str) -> bool {
    let mut scan = Scan { text: literal, at: 0 };
    scan.eat(b'-');
    let zero = scan.byte() == Some(b'0');
    let digits = scan.digits();
    if digits == 0 || zero && digits > 1 {
        return false;
    }
    if scan.eat(b'.') && scan.digits() == 0 {
        return false;
    }
    if matches!(scan.byte(), Some(b'e' | b'E')) {
        scan.at += 1;
        if matches!(scan.byte(), Some(b'+' | b'-')) {
            scan.at += 1;
        }
        if scan.digits() == 0 {
            return false;
        }
    }
    scan.at == literal.len()
}

/// What a primitive of Gson gives (`JsonPrimitive.getAsString` and so on).
pub mod primitive {
    use super::*;

    /// `getAsString`; none of what is no primitive.
    pub fn string(value: &Json) -> Option<String> {
        match value {
            Json::Text(text) => Some(text.to_string()),
            Json::Lazy(number) => Some(number.clone()),
            Json::Bool(value) => Some(value.to_string()),
            Json::Int(value) => Some(value.to_string()),
            Json::Long(value) => Some(value.to_string()),
            Json::Double(value) => Some(floating::double_to_string(*value)),
            Json::Big(number) => Some(number.clone()),
            Json::Null | Json::Array(_) | Json::Object(_) => None,
        }
    }

    /// `getAsInt` of a primitive.
    pub fn int(value: &Json) -> Result<i32> {
        match value {
            Json::Lazy(number) => LazyNumber(number).int(),
            value => integer::parse_int(&text(value)?, 10),
        }
    }

    /// `getAsLong` of a primitive.
    pub fn long(value: &Json) -> Result<i64> {
        match value {
            Json::Lazy(number) => LazyNumber(number).long(),
            value => integer::parse_long(&text(value)?, 10),
        }
    }

    /// `getAsDouble` of a primitive.
    pub fn double(value: &Json) -> Result<f64> {
        floating::parse_double(&text(value)?)
    }

    /// `getAsFloat` of a primitive.
    pub fn float(value: &Json) -> Result<f32> {
        floating::parse_float(&text(value)?)
    }

    /// `getAsBoolean` of a primitive.
    pub fn boolean(value: &Json) -> Result<bool> {
        match value {
            Json::Bool(value) => Ok(*value),
            value => Ok(integer::parse_boolean(&text(value)?)),
        }
    }

    fn text(value: &Json) -> Result<String> {
        string(value).map_or_else(|| throw(NUMBER_FORMAT, "no primitive"), Ok)
    }
}
