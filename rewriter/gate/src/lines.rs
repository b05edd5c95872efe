//! Events of a source from the lines of a file.

use sluice_check::events::Event;
use sluice_wire::Type;
use sluice_wire::writer::put_bytes;

/// A line an event; where the source gives text, lines that are none are left out.
#[must_use]
pub fn events(file: &[u8], ty: &Type) -> Vec<Event> {
    let body = file.strip_suffix(b"\n").unwrap_or(file);
    let lines = body.split(|byte| *byte == b'\n').filter(|_| !file.is_empty());
    let fits = |line: &&[u8]| *ty == Type::Bytes || std::str::from_utf8(line).is_ok();
    let event = |line: &[u8]| {
        let mut value = Vec::with_capacity(line.len() + 2);
        put_bytes(&mut value, line);
        Event { time_ms: None, value: Some(value) }
    };
    lines.filter(fits).map(event).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_an_event() {
        let values = |file: &[u8], ty: &Type| -> Vec<Vec<u8>> {
            events(file, ty).into_iter().filter_map(|event| event.value).collect()
        };
        assert_eq!(values(b"a\n\n\xff\n", &Type::String), [b"\x02a".to_vec(), b"\0".to_vec()]);
        assert_eq!(values(b"\xff", &Type::Bytes), [b"\x02\xff"]);
        assert!(values(b"", &Type::String).is_empty());
    }
}
