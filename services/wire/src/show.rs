//! Values as JSON, for people to read.

use serde_json::{Map, Value};

use crate::{DecodeError, Reader, Type};

impl Type {
    /// The JSON of a value of this type that takes all of `bytes`.
    ///
    /// Follows the Avro specification's "JSON Encoding" but for unions, whose values stand without the branch, and
    /// for numbers that JSON lacks, which are text.
    ///
    /// # Errors
    /// A [`DecodeError`] when the bytes are no value of this type.
    pub fn to_json(&self, bytes: &[u8]) -> Result<Value, DecodeError> {
        let mut reader = Reader::new(bytes);
        let value = self.read_json(&mut reader)?;
        reader.finish()?;
        Ok(value)
    }

    fn read_json(&self, reader: &mut Reader<'_>) -> Result<Value, DecodeError> {
        Ok(match self {
            Self::Boolean => Value::from(reader.boolean()?),
            Self::Int => Value::from(reader.int()?),
            Self::Long => Value::from(reader.long()?),
            Self::Float => decimal(&reader.float()?.to_string()),
            Self::Double => decimal(&reader.double()?.to_string()),
            Self::Bytes => latin_1(reader.bytes()?),
            Self::String => Value::from(reader.string()?),
            Self::Fixed(fixed) => latin_1(reader.take(fixed.size)?),
            Self::Enum(symbols) => {
                let symbols = &symbols.symbols;
                Value::from(symbols[reader.index(symbols.len())?].as_str())
            }
            Self::Array(items) => {
                let mut list = Vec::new();
                reader.blocks(|reader| {
                    list.push(items.read_json(reader)?);
                    Ok::<_, DecodeError>(())
                })?;
                Value::Array(list)
            }
            Self::Map(values) => {
                let mut map = Map::new();
                reader.blocks(|reader| {
                    map.insert(reader.string()?.to_owned(), values.read_json(reader)?);
                    Ok::<_, DecodeError>(())
                })?;
                Value::Object(map)
            }
            Self::Record(record) => {
                let mut map = Map::new();
                for field in &record.fields {
                    map.insert(field.name.clone(), field.ty.read_json(reader)?);
                }
                Value::Object(map)
            }
            Self::Nullable(nullable) => match nullable.read_branch(reader)? {
                true => nullable.inner.read_json(reader)?,
                false => Value::Null,
            },
        })
    }
}

/// The number of a decimal text, or the text where JSON has no such number. Going through text keeps a float short.
fn decimal(text: &str) -> Value {
    text.parse().ok().filter(|n: &f64| n.is_finite()).map_or(Value::from(text), Value::from)
}

fn latin_1(bytes: &[u8]) -> Value {
    bytes.iter().copied().map(char::from).collect::<String>().into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::writer::{put_double, put_float, put_int, put_string};

    #[test]
    fn a_record_is_an_object() {
        let ty: Type = r#"{"type":"record","name":"R","fields":[
            {"name":"site","type":"string"}, {"name":"aqi","type":["null","int"]},
            {"name":"pm","type":"double"}, {"name":"t","type":"float"}, {"name":"raw","type":"bytes"},
            {"name":"level","type":{"type":"enum","name":"L","symbols":["low","high"]}},
            {"name":"tags","type":{"type":"array","items":"int"}}]}"#
            .parse()
            .unwrap();
        let mut bytes = Vec::new();
        put_string(&mut bytes, "s1");
        bytes.push(0);
        put_double(&mut bytes, f64::NAN);
        put_float(&mut bytes, 0.1);
        bytes.extend_from_slice(&[2, 0xe9, 2, 2]);
        put_int(&mut bytes, 7);
        bytes.push(0);
        let expected = json!({
            "site": "s1", "aqi": null, "pm": "NaN", "t": 0.1, "raw": "é", "level": "high", "tags": [7]
        });
        assert_eq!(ty.to_json(&bytes), Ok(expected));
        bytes.push(0);
        assert_eq!(ty.to_json(&bytes), Err(DecodeError::Trailing(1)));
    }
}
