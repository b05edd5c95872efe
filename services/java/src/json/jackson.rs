//! Jackson's reader of texts (`ObjectMapper.readTree(String)`), by its default settings in versions 2.9 to 2.19.
use super::scan::{Scan, Units};
use super::{DEPTH, Json, NUMBER_LENGTH, put};
use crate::failure::throw_vague;
use crate::{Failure, Result, character as ch, floating};
use std::sync::Arc;

/// `com.fasterxml.jackson.core.JsonParseException`.
const PARSE: &str = "com/fasterxml/jackson/core/JsonParseException";
/// `com.fasterxml.jackson.core.io.JsonEOFException`.
const END: &str = "com/fasterxml/jackson/core/io/JsonEOFException";

/// What a text has.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Nothing but blanks; what comes of it is another thing in another version, and in another method.
    Nothing,
    /// A value. What stands behind it is not looked at.
    Value(Arc<Json>),
}

/// Reads the first value of a text.
pub fn parse(text: &str) -> Result<Content> {
    if text.starts_with('\u{FEFF}') {
        return Err(Failure::Uncertain("a byte order mark before JSON"));
    }
    let mut reader = Reader { scan: Scan { text, at: 0 } };
    reader.blanks();
    if reader.scan.byte().is_none() {
        return Ok(Content::Nothing);
    }
    reader.value(0).map(|value| Content::Value(Arc::new(value)))
}

struct Reader<'a> {
    scan: Scan<'a>,
}

impl Reader<'_> {
    fn blanks(&mut self) {
        self.scan.skip(b" \t\r\n");
    }

    fn refuse<T>(&self) -> Result<T> {
        match self.scan.char() {
            None => throw_vague(END, "Unexpected end-of-input"),
            Some(c) => throw_vague(PARSE, format!("Unexpected character ({c:?})")),
        }
    }

    fn value(&mut self, depth: usize) -> Result<Json> {
        if depth > DEPTH {
            return Err(Failure::Uncertain("JSON this deep"));
        }
        self.blanks();
        match self.scan.byte() {
            Some(b'{') => {
                self.scan.at += 1;
                self.members(depth)
            }
            Some(b'[') => {
                self.scan.at += 1;
                self.items(depth)
            }
            Some(b'"') => {
                self.scan.at += 1;
                Ok(Json::Text(self.text()?.into()))
            }
            Some(b'-' | b'0'..=b'9') => self.number(depth == 0),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            _ => self.refuse(),
        }
    }

    fn comma(&mut self) -> Result<()> {
        if !self.scan.eat(b',') {
            return self.refuse();
        }
        self.blanks();
        match self.scan.byte() {
            Some(_) => Ok(()),
            None => throw_vague(PARSE, "Unexpected end-of-input within/between entries"),
        }
    }

    fn members(&mut self, depth: usize) -> Result<Json> {
        let mut members = Vec::new();
        self.blanks();
        if self.scan.eat(b'}') {
            return Ok(Json::Object(members));
        }
        loop {
            self.blanks();
            if !self.scan.eat(b'"') {
                return self.refuse();
            }
            let name = self.text()?;
            self.blanks();
            if !self.scan.eat(b':') {
                return self.refuse();
            }
            let value = Arc::new(self.value(depth + 1)?);
            put(&mut members, name.into(), value);
            self.blanks();
            if self.scan.eat(b'}') {
                return Ok(Json::Object(members));
            }
            self.comma()?;
        }
    }

    fn items(&mut self, depth: usize) -> Result<Json> {
        let mut items = Vec::new();
        self.blanks();
        if self.scan.eat(b']') {
            return Ok(Json::Array(items));
        }
        loop {
            items.push(Arc::new(self.value(depth + 1)?));
            self.blanks();
            if self.scan.eat(b']') {
                return Ok(Json::Array(items));
            }
            self.comma()?;
        }
    }

    fn text(&mut self) -> Result<String> {
        let mut text = Units::default();
        loop {
            let rest = self.scan.rest();
            let plain = rest.bytes().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1F));
            let Some(plain) = plain else {
                self.scan.at = self.scan.text.len();
                return self.refuse();
            };
            if plain > 0 {
                text.push_str(&rest[..plain])?;
            }
            self.scan.at += plain;
            if self.scan.eat(b'"') {
                return text.finish();
            }
            if !self.scan.eat(b'\\') {
                return self.refuse();
            }
            let unit = match self.scan.byte() {
                Some(c @ (b'"' | b'\\' | b'/')) => u16::from(c),
                Some(b'b') => 8,
                Some(b't') => 9,
                Some(b'n') => 10,
                Some(b'f') => 12,
                Some(b'r') => 13,
                Some(b'u') => {
                    self.scan.at += 1;
                    let Some(unit) = self.scan.unit() else {
                        let digits = self.scan.rest().bytes().take(4);
                        let digits = digits.take_while(u8::is_ascii_hexdigit).count();
                        self.scan.at += digits;
                        return self.refuse();
                    };
                    text.push(unit)?;
                    continue;
                }
                _ => return self.refuse(),
            };
            self.scan.at += 1;
            text.push(unit)?;
        }
    }

    fn number(&mut self, root: bool) -> Result<Json> {
        let from = self.scan.at;
        self.scan.eat(b'-');
        let zero = self.scan.byte() == Some(b'0');
        let digits = self.scan.digits();
        if digits == 0 && self.scan.byte().is_none() {
            return self.refuse();
        }
        if digits == 0 || zero && digits > 1 {
            return throw_vague(PARSE, "Invalid numeric value");
        }
        let mut whole = true;
        if self.scan.eat(b'.') {
            whole = false;
            if self.scan.digits() == 0 {
                return throw_vague(PARSE, "Invalid numeric value");
            }
        }
        if matches!(self.scan.byte(), Some(b'e' | b'E')) {
            whole = false;
            self.scan.at += 1;
            if matches!(self.scan.byte(), Some(b'+' | b'-')) {
                self.scan.at += 1;
            }
            if self.scan.digits() == 0 {
                return self.refuse();
            }
        }
        if root && !matches!(self.scan.byte(), None | Some(b' ' | b'\t' | b'\r' | b'\n')) {
            return self.refuse();
        }
        let digits = &self.scan.text[from..self.scan.at];
        if digits.len() > NUMBER_LENGTH {
            return Err(Failure::Uncertain("a number this long in JSON"));
        }
        if !whole {
            return floating::parse_double(digits).map(Json::Double);
        }
        Ok(match digits.parse::<i64>() {
            Ok(number) => match i32::try_from(number) {
                Ok(number) => Json::Int(number),
                Err(_) => Json::Long(number),
            },
            Err(_) => Json::Big(digits.to_owned()),
        })
    }

    fn word(&mut self, word: &str, value: Json) -> Result<Json> {
        if !self.scan.rest().starts_with(word) {
            return throw_vague(PARSE, "Unrecognized token");
        }
        self.scan.at += word.len();
        match self.scan.char() {
            Some(c) if ch::is_java_identifier_part(u32::from(c) as i32) && c >= '0' => {
                throw_vague(PARSE, "Unrecognized token")
            }
            _ => Ok(value),
        }
    }
}
