//! The events of a request's body.

use std::borrow::Cow;

use serde_json::value::RawValue;
use thiserror::Error;

/// A body that holds no events; none of it is taken.
#[derive(Debug, Error)]
pub enum BodyError {
    /// Nothing is in it.
    #[error("the body is empty")]
    Empty,
    /// It is no JSON, and says that it is.
    #[error("the body is no JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// A line of several is no JSON.
    #[error("line {line} is no JSON: {error}")]
    Line {
        /// Which one, from 1.
        line: usize,
        /// What is wrong with it.
        error: serde_json::Error,
    },
    /// It is of a type that is not known.
    #[error(
        "content-type {0}: known are application/json, application/x-ndjson, text/plain and application/octet-stream"
    )]
    Type(String),
}

/// The events of a body, by its content type: `application/json`, one event, or the elements of an array; `application/x-ndjson`, an event a
/// line; `text/plain` and `text/csv`, an event a line, whatever it is; anything else or nothing, the body is one event.
pub fn events<'b>(kind: Option<&str>, body: &'b [u8]) -> Result<Vec<Cow<'b, [u8]>>, BodyError> {
    let kind = kind.unwrap_or("application/octet-stream");
    let essence = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let events = match essence.as_str() {
        "application/json" => json(body)?,
        "application/x-ndjson" | "application/ndjson" | "application/jsonl" => {
            let lines: Vec<&[u8]> = lines(body).collect();
            for (number, line) in (1..).zip(&lines) {
                let checked = serde_json::from_slice::<&RawValue>(line);
                checked.map_err(|error| BodyError::Line { line: number, error })?;
            }
            lines.into_iter().map(Cow::Borrowed).collect()
        }
        "text/plain" | "text/csv" => lines(body).map(Cow::Borrowed).collect(),
        // What curl says unless told otherwise.
        "application/octet-stream" | "application/x-www-form-urlencoded" if !body.is_empty() => {
            vec![Cow::Borrowed(body)]
        }
        "application/octet-stream" | "application/x-www-form-urlencoded" => Vec::new(),
        _ => return Err(BodyError::Type(essence)),
    };
    if events.is_empty() { Err(BodyError::Empty) } else { Ok(events) }
}

fn json(body: &[u8]) -> Result<Vec<Cow<'_, [u8]>>, BodyError> {
    let trimmed = body.trim_ascii();
    if trimmed.is_empty() {
        return Ok(Vec::new());
    }
    if trimmed.first() == Some(&b'[') {
        let elements: Vec<&RawValue> = serde_json::from_slice(trimmed)?;
        return Ok(elements.iter().map(|one| Cow::Borrowed(one.get().as_bytes())).collect());
    }
    serde_json::from_slice::<&RawValue>(trimmed)?;
    Ok(vec![Cow::Borrowed(trimmed)])
}

/// The lines of a body without their ends; empty ones are none.
fn lines(body: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = body.split(|byte| *byte == b'\n');
    lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line)).filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(kind: &str, body: &str) -> Result<Vec<String>, String> {
        let events = events(Some(kind), body.as_bytes()).map_err(|error| error.to_string())?;
        Ok(events.iter().map(|event| String::from_utf8_lossy(event).into_owned()).collect())
    }

    #[test]
    fn a_body_is_one_event_or_many() {
        assert_eq!(all("application/json", " {\"a\": 1}\n").unwrap(), ["{\"a\": 1}"]);
        assert_eq!(
            all("application/json", "[{\"a\": 1}, 2 ,\"x\"]").unwrap(),
            ["{\"a\": 1}", "2", "\"x\""]
        );
        assert_eq!(all("application/x-ndjson; charset=utf-8", "1\r\n\n2").unwrap(), ["1", "2"]);
        assert_eq!(all("text/plain", "a,b\nc\n").unwrap(), ["a,b", "c"]);
        assert_eq!(all("application/octet-stream", "a\nb").unwrap(), ["a\nb"]);
        assert_eq!(events(None, b"x").unwrap().len(), 1);
    }

    #[test]
    fn a_body_without_events_is_refused() {
        for (kind, body, part) in [
            ("application/json", "", "empty"),
            ("application/json", "[]", "empty"),
            ("application/json", "{", "no JSON"),
            ("application/json", "[1,", "no JSON"),
            ("application/x-ndjson", "1\n{\n", "line 2"),
            ("text/plain", "\n\n", "empty"),
            ("image/png", "x", "image/png"),
        ] {
            let error = all(kind, body).unwrap_err();
            assert!(error.contains(part), "{kind} {body}: {error}");
        }
    }
}
