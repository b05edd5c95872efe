//! Appending Avro's primitive values to a buffer. Integers that are no `int` go through [`put_long`].

use crate::varint::put_long;

/// Appends an Avro boolean.
#[inline]
pub fn put_boolean(out: &mut Vec<u8>, value: bool) {
    out.push(u8::from(value));
}

/// Appends an Avro int.
#[inline]
pub fn put_int(out: &mut Vec<u8>, value: i32) {
    put_long(out, i64::from(value));
}

/// Appends an Avro float, every bit of it.
#[inline]
pub fn put_float(out: &mut Vec<u8>, value: f32) {
    out.extend_from_slice(&value.to_le_bytes());
}

/// Appends an Avro double, every bit of it.
#[inline]
pub fn put_double(out: &mut Vec<u8>, value: f64) {
    out.extend_from_slice(&value.to_le_bytes());
}

/// Appends Avro bytes: the length, then the bytes. An Avro string is the same with UTF-8 in it.
#[inline]
pub fn put_bytes(out: &mut Vec<u8>, value: &[u8]) {
    put_long(out, value.len() as i64);
    out.extend_from_slice(value);
}

/// Appends an Avro string.
#[inline]
pub fn put_string(out: &mut Vec<u8>, value: &str) {
    put_bytes(out, value.as_bytes());
}

/// Appends the union `["null", "long"]`.
#[inline]
pub fn put_optional_long(out: &mut Vec<u8>, value: Option<i64>) {
    match value {
        None => out.push(0),
        Some(value) => {
            out.push(2);
            put_long(out, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Reader;

    proptest! {
        #[test]
        fn what_is_written_is_read(
            boolean: bool, int: i32, float: u32, double: u64, bytes: Vec<u8>, string: String,
        ) {
            let mut out = Vec::new();
            put_boolean(&mut out, boolean);
            put_int(&mut out, int);
            put_float(&mut out, f32::from_bits(float));
            put_double(&mut out, f64::from_bits(double));
            put_bytes(&mut out, &bytes);
            put_string(&mut out, &string);
            let mut reader = Reader::new(&out);
            prop_assert_eq!(reader.boolean(), Ok(boolean));
            prop_assert_eq!(reader.int(), Ok(int));
            prop_assert_eq!(reader.float().map(f32::to_bits), Ok(float));
            prop_assert_eq!(reader.double().map(f64::to_bits), Ok(double));
            prop_assert_eq!(reader.bytes(), Ok(&bytes[..]));
            prop_assert_eq!(reader.string(), Ok(&string[..]));
            prop_assert_eq!(reader.finish(), Ok(()));
        }
    }
}
