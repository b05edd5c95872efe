//! Values of an Avro type: read, written, made up and changed.

use sluice_check::random::Random;
use sluice_wire::writer::{put_boolean, put_bytes, put_double, put_float, put_string};
use sluice_wire::{DecodeError, Reader, Type, varint::put_long};

use crate::words::Words;

/// The most items of a list that is made up.
const MAX_ITEMS: usize = 4;
/// How deep values are made up; deeper is what is empty.
const MAX_DEPTH: usize = 8;

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A boolean.
    Boolean(bool),
    /// An int, a long or the place of an enum's symbol.
    Whole(i64),
    /// A float.
    Float(f32),
    /// A double.
    Double(f64),
    /// Bytes, fixed or not.
    Bytes(Vec<u8>),
    /// A text.
    Text(String),
    /// Items of an array.
    Items(Vec<Value>),
    /// Entries of a map.
    Entries(Vec<(String, Value)>),
    /// Fields of a record.
    Fields(Vec<Value>),
    /// Null of a union.
    Null,
}

/// Reads a value.
///
/// # Errors
/// When the bytes are no value of the type.
pub fn read(ty: &Type, reader: &mut Reader<'_>) -> Result<Value, DecodeError> {
    Ok(match ty {
        Type::Boolean => Value::Boolean(reader.boolean()?),
        Type::Int => Value::Whole(reader.int()?.into()),
        Type::Long => Value::Whole(reader.long()?),
        Type::Float => Value::Float(reader.float()?),
        Type::Double => Value::Double(reader.double()?),
        Type::Bytes => Value::Bytes(reader.bytes()?.to_vec()),
        Type::String => Value::Text(reader.string()?.to_owned()),
        Type::Fixed(fixed) => Value::Bytes(reader.take(fixed.size)?.to_vec()),
        Type::Enum(symbols) => Value::Whole(reader.index(symbols.symbols.len())? as i64),
        Type::Array(items) => {
            let mut list = Vec::new();
            reader.blocks(|reader| {
                list.push(read(items, reader)?);
                Ok::<_, DecodeError>(())
            })?;
            Value::Items(list)
        }
        Type::Map(values) => {
            let mut entries = Vec::new();
            reader.blocks(|reader| {
                entries.push((reader.string()?.to_owned(), read(values, reader)?));
                Ok::<_, DecodeError>(())
            })?;
            Value::Entries(entries)
        }
        Type::Record(record) => {
            let fields = record.fields.iter().map(|field| read(&field.ty, reader));
            Value::Fields(fields.collect::<Result<_, _>>()?)
        }
        Type::Nullable(nullable) => match nullable.read_branch(reader)? {
            true => read(&nullable.inner, reader)?,
            false => Value::Null,
        },
    })
}

/// Appends a value of the type.
pub fn write(ty: &Type, value: &Value, out: &mut Vec<u8>) {
    match (ty, value) {
        (Type::Nullable(nullable), Value::Null) => nullable.put_branch(out, false),
        (Type::Nullable(nullable), value) => {
            nullable.put_branch(out, true);
            write(&nullable.inner, value, out);
        }
        (Type::Array(ty), Value::Items(items)) => {
            count(items.len(), out);
            items.iter().for_each(|item| write(ty, item, out));
            if !items.is_empty() {
                count(0, out);
            }
        }
        (Type::Map(ty), Value::Entries(entries)) => {
            count(entries.len(), out);
            for (key, value) in entries {
                put_string(out, key);
                write(ty, value, out);
            }
            if !entries.is_empty() {
                count(0, out);
            }
        }
        (Type::Record(record), Value::Fields(values)) => {
            let fields = record.fields.iter().zip(values);
            fields.for_each(|(field, value)| write(&field.ty, value, out));
        }
        (Type::Fixed(_), Value::Bytes(bytes)) => out.extend_from_slice(bytes),
        (_, Value::Boolean(truth)) => put_boolean(out, *truth),
        (_, Value::Whole(number)) => put_long(out, *number),
        (_, Value::Float(number)) => put_float(out, *number),
        (_, Value::Double(number)) => put_double(out, *number),
        (_, Value::Bytes(bytes)) => put_bytes(out, bytes),
        (_, Value::Text(text)) => put_string(out, text),
        (ty, value) => unreachable!("{value:?} was made for another type than {ty:?}"),
    }
}

fn count(items: usize, out: &mut Vec<u8>) {
    put_long(out, items as i64);
}

/// Makes values up.
#[derive(Debug)]
pub struct Maker<'a> {
    /// What it chooses from.
    pub words: &'a Words,
    /// How it chooses.
    pub random: Random,
}

impl Maker<'_> {
    fn one_in(&mut self, n: usize) -> bool {
        self.random.below(n) == 0
    }

    /// Any value of a type.
    pub fn any(&mut self, ty: &Type) -> Value {
        self.within(ty, 0)
    }

    fn within(&mut self, ty: &Type, depth: usize) -> Value {
        match ty {
            Type::Boolean => Value::Boolean(self.one_in(2)),
            Type::Int => Value::Whole((self.words.whole(&mut self.random) as i32).into()),
            Type::Long => Value::Whole(self.words.whole(&mut self.random)),
            Type::Float => Value::Float(self.words.real(&mut self.random) as f32),
            Type::Double => Value::Double(self.words.real(&mut self.random)),
            Type::Bytes => Value::Bytes(self.words.text(&mut self.random).into_bytes()),
            Type::String => Value::Text(self.words.text(&mut self.random)),
            Type::Fixed(fixed) => {
                Value::Bytes((0..fixed.size).map(|_| self.random.next() as u8).collect())
            }
            Type::Enum(symbols) => Value::Whole(self.random.below(symbols.symbols.len()) as i64),
            Type::Array(items) => {
                let length = self.length(depth);
                Value::Items((0..length).map(|_| self.within(items, depth + 1)).collect())
            }
            Type::Map(values) => {
                let mut entries: Vec<(String, Value)> = Vec::new();
                for _ in 0..self.length(depth) {
                    let key = self.words.text(&mut self.random);
                    if entries.iter().all(|(other, _)| *other != key) {
                        entries.push((key, self.within(values, depth + 1)));
                    }
                }
                Value::Entries(entries)
            }
            Type::Record(record) => {
                let fields = record.fields.iter();
                Value::Fields(fields.map(|field| self.within(&field.ty, depth + 1)).collect())
            }
            Type::Nullable(_) if self.one_in(8) || depth > MAX_DEPTH => Value::Null,
            Type::Nullable(nullable) => self.within(&nullable.inner, depth),
        }
    }

    fn length(&mut self, depth: usize) -> usize {
        if depth > MAX_DEPTH { 0 } else { self.random.below(MAX_ITEMS + 1) }
    }

    /// A value like the one given: few parts of it are others.
    pub fn changed(&mut self, ty: &Type, value: &Value) -> Value {
        match (ty, value) {
            (Type::Nullable(_), _) if self.one_in(12) => self.any(ty),
            (Type::Nullable(nullable), value) if *value != Value::Null => {
                self.changed(&nullable.inner, value)
            }
            (Type::Record(record), Value::Fields(values)) => {
                let mut values = values.clone();
                for _ in 0..=self.random.below(3) {
                    let at = self.random.below(values.len());
                    values[at] = self.changed(&record.fields[at].ty, &values[at]);
                }
                Value::Fields(values)
            }
            (Type::Array(ty), Value::Items(items)) if !items.is_empty() => {
                let mut items = items.clone();
                let at = self.random.below(items.len());
                match self.random.below(4) {
                    0 => drop(items.remove(at)),
                    1 => items.insert(at, items[at].clone()),
                    _ => items[at] = self.changed(ty, &items[at]),
                }
                Value::Items(items)
            }
            (Type::Map(ty), Value::Entries(entries)) if !entries.is_empty() => {
                let mut entries = entries.clone();
                let at = self.random.below(entries.len());
                if self.one_in(3) {
                    entries.remove(at);
                } else {
                    entries[at].1 = self.changed(ty, &entries[at].1);
                }
                Value::Entries(entries)
            }
            (Type::String, Value::Text(text)) => {
                Value::Text(self.words.changed(text, &mut self.random))
            }
            (Type::Bytes, Value::Bytes(bytes)) => {
                let text = String::from_utf8_lossy(bytes);
                Value::Bytes(self.words.changed(&text, &mut self.random).into_bytes())
            }
            (Type::Long, Value::Whole(number)) if self.one_in(2) => {
                Value::Whole(number.wrapping_add(self.random.pick(&[-1, 1, 1000, -86_400_000])))
            }
            _ => self.any(ty),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPE: &str = r#"{"type":"record","name":"R","fields":[
        {"name":"a","type":["null","string"]},{"name":"b","type":{"type":"array","items":["null","int"]}},
        {"name":"c","type":{"type":"map","values":"double"}},{"name":"d","type":"boolean"},
        {"name":"e","type":{"type":"enum","name":"E","symbols":["X","Y"]}},{"name":"f","type":"bytes"},
        {"name":"g","type":"float"},{"name":"h","type":"long"}]}"#;

    #[test]
    fn what_is_made_can_be_written_and_read() {
        let ty: Type = TYPE.parse().unwrap();
        let words = Words::default();
        let mut maker = Maker { words: &words, random: Random::new(1) };
        let mut value = maker.any(&ty);
        for _ in 0..2_000 {
            let mut bytes = Vec::new();
            write(&ty, &value, &mut bytes);
            let mut reader = Reader::new(&bytes);
            let again = read(&ty, &mut reader).unwrap();
            reader.finish().unwrap();
            // NaN is no other value.
            assert_eq!(format!("{again:?}"), format!("{value:?}"));
            value = if maker.one_in(10) { maker.any(&ty) } else { maker.changed(&ty, &value) };
        }
    }
}
