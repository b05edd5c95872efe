//! Variable-length integers in zigzag form (Avro specification, "Binary Encoding": int and long).

use crate::DecodeError;

/// The most bytes that an Avro int takes.
const INT_BYTES: usize = 5;
/// The most bytes that an Avro long takes.
const LONG_BYTES: usize = 10;

/// Appends `value` as an Avro long; the form of an Avro int of the same value is the same.
#[inline]
pub fn put_long(out: &mut Vec<u8>, value: i64) {
    let mut rest = zigzag(value);
    if rest < 0x80 {
        out.push(rest as u8);
        return;
    }
    let mut bytes = [0; LONG_BYTES];
    let mut len = 0;
    while rest >= 0x80 {
        bytes[len] = rest as u8 | 0x80;
        rest >>= 7;
        len += 1;
    }
    bytes[len] = rest as u8;
    out.extend_from_slice(&bytes[..=len]);
}

/// The number of bytes that [`put_long`] appends for `value`.
#[must_use]
pub const fn long_len(value: i64) -> usize {
    let bits = 64 - (zigzag(value) | 1).leading_zeros() as usize;
    bits.div_ceil(7)
}

/// Reads an Avro long at the start of `bytes`: the value and the number of bytes it took.
///
/// # Errors
/// [`DecodeError::End`] when the bytes end first, [`DecodeError::Varint`] when the number does not fit 64 bits.
#[inline]
pub fn read_long(bytes: &[u8]) -> Result<(i64, usize), DecodeError> {
    match bytes.first() {
        Some(&byte) if byte < 0x80 => Ok((unzigzag(u64::from(byte)), 1)),
        Some(_) => {
            let (raw, len) = read_raw(bytes, LONG_BYTES)?;
            // The tenth byte holds the one bit that nine bytes have no room for.
            if len == LONG_BYTES && bytes[len - 1] > 1 {
                return Err(DecodeError::Varint);
            }
            Ok((unzigzag(raw), len))
        }
        None => Err(DecodeError::End),
    }
}

/// Reads an Avro int at the start of `bytes`: the value and the number of bytes it took.
///
/// # Errors
/// [`DecodeError::End`] when the bytes end first, [`DecodeError::Varint`] when the number does not fit 32 bits.
#[inline]
pub fn read_int(bytes: &[u8]) -> Result<(i32, usize), DecodeError> {
    match bytes.first() {
        Some(&byte) if byte < 0x80 => Ok((unzigzag(u64::from(byte)) as i32, 1)),
        Some(_) => {
            let (raw, len) = read_raw(bytes, INT_BYTES)?;
            let value = i32::try_from(unzigzag(raw)).map_err(|_| DecodeError::Varint)?;
            Ok((value, len))
        }
        None => Err(DecodeError::End),
    }
}

fn read_raw(bytes: &[u8], limit: usize) -> Result<(u64, usize), DecodeError> {
    let mut raw = 0;
    for (i, &byte) in bytes.iter().take(limit).enumerate() {
        raw |= u64::from(byte & 0x7f) << (7 * i);
        if byte < 0x80 {
            return Ok((raw, i + 1));
        }
    }
    Err(if bytes.len() < limit { DecodeError::End } else { DecodeError::Varint })
}

const fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

const fn unzigzag(raw: u64) -> i64 {
    (raw >> 1) as i64 ^ -((raw & 1) as i64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn examples_of_the_specification() {
        for (value, bytes) in [(0, [0]), (-1, [1]), (1, [2]), (-2, [3]), (2, [4]), (-64, [0x7f])] {
            let mut out = Vec::new();
            put_long(&mut out, value);
            assert_eq!(out, bytes);
        }
        let mut out = Vec::new();
        put_long(&mut out, 64);
        assert_eq!(out, [0x80, 0x01]);
    }

    #[test]
    fn numbers_that_do_not_fit_are_refused() {
        assert_eq!(read_long(&[0xff; 11]), Err(DecodeError::Varint));
        assert_eq!(read_long(&[0xff; 9]), Err(DecodeError::End));
        let mut ten = [0xff; 10];
        ten[9] = 1;
        assert_eq!(read_long(&ten), Ok((i64::MIN, 10)));
        ten[9] = 2;
        assert_eq!(read_long(&ten), Err(DecodeError::Varint));
        assert_eq!(read_int(&[0xff, 0xff, 0xff, 0xff, 0x0f]), Ok((i32::MIN, 5)));
        assert_eq!(read_int(&[0xff, 0xff, 0xff, 0xff, 0x1f]), Err(DecodeError::Varint));
        assert_eq!(read_int(&[0x80; 6]), Err(DecodeError::Varint));
    }

    proptest! {
        #[test]
        fn longs_round_trip(value: i64, shift in 0..64_u32) {
            let value = value >> shift;
            let mut out = Vec::new();
            put_long(&mut out, value);
            prop_assert_eq!(out.len(), long_len(value));
            prop_assert_eq!(read_long(&out), Ok((value, out.len())));
            let int = read_int(&out);
            match i32::try_from(value) {
                Ok(value) => prop_assert_eq!(int, Ok((value, out.len()))),
                Err(_) => prop_assert_eq!(int, Err(DecodeError::Varint)),
            }
        }

        #[test]
        fn a_cut_number_is_no_number(value: i64) {
            let mut out = Vec::new();
            put_long(&mut out, value);
            out.pop();
            prop_assert_eq!(read_long(&out), Err(DecodeError::End));
        }
    }
}
