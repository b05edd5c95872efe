//! Values of topics as JSON, for people and scripts.

use serde_json::{Map, Number, Value, json};
use sluice_wire::{DecodeError, Frame, Reader, Type};

/// The Avro value that `bytes` hold exactly, as JSON. Bytes are shown as text with `\u00XX` for each byte; numbers
/// that JSON does not have (NaN, infinities) as text.
///
/// # Errors
/// When the bytes are no value of the type.
pub fn value(bytes: &[u8], ty: &Type) -> Result<Value, DecodeError> {
    let mut reader = Reader::new(bytes);
    let value = read(&mut reader, ty)?;
    reader.finish()?;
    Ok(value)
}

fn read(reader: &mut Reader<'_>, ty: &Type) -> Result<Value, DecodeError> {
    Ok(match ty {
        Type::Boolean => Value::from(reader.boolean()?),
        Type::Int => Value::from(reader.int()?),
        Type::Long => Value::from(reader.long()?),
        Type::Float => number(f64::from(reader.float()?)),
        Type::Double => number(reader.double()?),
        Type::String => Value::from(String::from_utf8_lossy(reader.bytes()?)),
        Type::Bytes => latin1(reader.bytes()?),
        Type::Fixed(fixed) => latin1(reader.take(fixed.size)?),
        Type::Enum(symbols) => {
            Value::from(symbols.symbols[reader.index(symbols.symbols.len())?].as_str())
        }
        Type::Array(items) => {
            let mut values = Vec::new();
            reader.blocks(|reader| {
                values.push(read(reader, items)?);
                Ok::<_, DecodeError>(())
            })?;
            Value::from(values)
        }
        Type::Map(values) => {
            let mut map = Map::new();
            reader.blocks(|reader| {
                let key = String::from_utf8_lossy(reader.bytes()?).into_owned();
                map.insert(key, read(reader, values)?);
                Ok::<_, DecodeError>(())
            })?;
            Value::from(map)
        }
        Type::Record(record) => {
            let mut map = Map::new();
            for field in &record.fields {
                map.insert(field.name.clone(), read(reader, &field.ty)?);
            }
            Value::from(map)
        }
        Type::Nullable(nullable) => match nullable.read_branch(reader)? {
            true => read(reader, &nullable.inner)?,
            false => Value::Null,
        },
    })
}

fn number(value: f64) -> Value {
    Number::from_f64(value).map_or_else(|| Value::from(value.to_string()), Value::from)
}

/// Avro's JSON form of bytes: one character below U+0100 for each.
fn latin1(bytes: &[u8]) -> Value {
    Value::from(bytes.iter().map(|&byte| char::from(byte)).collect::<String>())
}

/// A frame with its events.
pub fn frame(frame: &Frame<'_>, ty: &Type) -> Value {
    let header = &frame.header;
    let events = frame.events.iter().map(|event| {
        let shown = match event.value.map(|bytes| value(bytes, ty)) {
            None => Value::Null,
            Some(Ok(value)) => value,
            Some(Err(error)) => json!({ "undecodable": error.to_string() }),
        };
        json!({ "seq": event.seq(header.first), "time": event.time, "value": shown })
    });
    let previous = header
        .previous
        .map(|previous| json!({ "incarnation": previous.incarnation, "end": previous.end }));
    json!({
        "kind": header.kind.symbol(),
        "device": header.device,
        "incarnation": header.incarnation,
        "previous": previous,
        "epoch": header.epoch,
        "left_at": header.left_at,
        "applied": header.applied,
        "first": header.first,
        "last": header.last,
        "watermark": header.watermark,
        "dead": header.dead,
        "reason": header.reason,
        "dispatched_at": header.dispatched_at,
        "events": events.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_has_a_form() {
        let schema = r#"{"type":"record","name":"R","fields":[
            {"name":"b","type":"boolean"},{"name":"i","type":"int"},{"name":"d","type":"double"},
            {"name":"n","type":["null","string"]},{"name":"s","type":["null","string"]},
            {"name":"y","type":"bytes"},{"name":"e","type":{"type":"enum","name":"E","symbols":["A","B"]}},
            {"name":"a","type":{"type":"array","items":"int"}},{"name":"m","type":{"type":"map","values":"int"}}]}"#;
        let mut bytes = vec![1, 3];
        bytes.extend(f64::NAN.to_le_bytes());
        bytes.extend([0, 2, 2, b'x', 2, 0xff, 2, 4, 2, 4, 0, 2, 2, b'k', 6, 0]);
        let shown = value(&bytes, &schema.parse().unwrap()).unwrap();
        let expected = json!({"b": true, "i": -2, "d": "NaN", "n": null, "s": "x", "y": "\u{ff}",
            "e": "B", "a": [1, 2], "m": {"k": 3}});
        assert_eq!(shown, expected);
        assert!(value(&bytes[1..], &schema.parse().unwrap()).is_err());
    }
}
