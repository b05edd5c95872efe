//! What a tree of Jackson gives (`JsonNode`).
use super::Json;
use super::number::whole;
use crate::{Failure, Result, floating};

impl Json {
    /// `asText`.
    pub fn as_text(&self) -> Result<String> {
        Ok(match self {
            Json::Null => "null".to_owned(),
            Json::Bool(value) => value.to_string(),
            Json::Int(value) => value.to_string(),
            Json::Long(value) => value.to_string(),
            Json::Big(number) | Json::Lazy(number) => number.clone(),
            Json::Double(value) => floating::double_to_string(*value),
            Json::Text(text) => text.to_string(),
            Json::Array(_) | Json::Object(_) => String::new(),
        })
    }

    /// `textValue`: null where it is no text.
    pub fn text_value(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    /// `asInt`, `intValue`; `lenient` where texts and booleans count (`asInt`).
    pub fn int(&self, lenient: bool) -> Result<i32> {
        match self {
            Json::Double(value) => Ok(*value as i32),
            value => value.long(lenient).map(|long| match value {
                // A text is parsed as an int of its own.
                Json::Text(_) => long.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32,
                _ => long as i32,
            }),
        }
    }

    /// `asLong`, `longValue`.
    pub fn long(&self, lenient: bool) -> Result<i64> {
        Ok(match self {
            Json::Int(value) => i64::from(*value),
            Json::Long(value) => *value,
            Json::Double(value) => *value as i64,
            Json::Big(number) | Json::Lazy(number) => whole(number)?,
            Json::Bool(value) if lenient => i64::from(*value),
            Json::Text(text) if lenient => plain_long(text)?,
            _ => 0,
        })
    }

    /// `asDouble`, `doubleValue`.
    pub fn double(&self, lenient: bool) -> Result<f64> {
        Ok(match self {
            Json::Int(value) => f64::from(*value),
            Json::Long(value) => *value as f64,
            Json::Double(value) => *value,
            Json::Big(number) | Json::Lazy(number) => floating::parse_double(number)?,
            Json::Bool(value) if lenient => f64::from(u8::from(*value)),
            Json::Text(text) if lenient => {
                let trimmed = &text[crate::text::trim(text)];
                match trimmed.is_empty() {
                    true => 0.0,
                    false => floating::parse_double(trimmed).unwrap_or(0.0),
                }
            }
            _ => 0.0,
        })
    }

    /// `asBoolean`, `booleanValue`.
    pub fn boolean(&self, lenient: bool) -> Result<bool> {
        Ok(match self {
            Json::Bool(value) => *value,
            Json::Int(value) if lenient => *value != 0,
            Json::Long(value) if lenient => *value != 0,
            // A double counts as a boolean nowhere.
            Json::Double(_) => false,
            Json::Text(text) if lenient => &text[crate::text::trim(text)] == "true",
            Json::Big(_) | Json::Lazy(_) if lenient => true,
            _ => false,
        })
    }
}

/// `NumberInput.parseAsLong(text, 0)` of the texts for which every version gives the same: whole numbers that fit.
fn plain_long(text: &str) -> Result<i64> {
    let trimmed = &text[crate::text::trim(text)];
    let digits = trimmed.strip_prefix('-').unwrap_or(trimmed);
    if trimmed.is_empty() {
        return Ok(0);
    }
    if !digits.is_empty() && digits.len() <= 9 && digits.bytes().all(|digit| digit.is_ascii_digit())
    {
        return trimmed.parse().or(Ok(0));
    }
    Err(Failure::Uncertain("a text as a number of a JSON tree"))
}
