//! Confluent wire format: a zero byte, the schema's registry id in four bytes big-endian, the Avro body.

use thiserror::Error;

/// The first byte of every message in this format.
pub const MAGIC: u8 = 0;
/// Bytes in front of the body.
pub const HEADER_BYTES: usize = 5;

/// A message that is not in the Confluent wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum EnvelopeError {
    /// Too short for the header.
    #[error("{0} bytes are too few for a message with a schema id")]
    Short(usize),
    /// Another first byte.
    #[error("first byte {0:#04x} in place of 0x00: not in the Confluent wire format")]
    Magic(u8),
}

/// Appends the header of a message whose body has the schema `schema_id`.
pub fn put_header(out: &mut Vec<u8>, schema_id: i32) {
    out.push(MAGIC);
    out.extend_from_slice(&schema_id.to_be_bytes());
}

/// Splits a message into schema id and body.
///
/// # Errors
/// An [`EnvelopeError`] when there is no such header.
pub fn split(message: &[u8]) -> Result<(i32, &[u8]), EnvelopeError> {
    match message {
        [MAGIC, a, b, c, d, body @ ..] => Ok((i32::from_be_bytes([*a, *b, *c, *d]), body)),
        [MAGIC, ..] | [] => Err(EnvelopeError::Short(message.len())),
        [first, ..] => Err(EnvelopeError::Magic(*first)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_not_framed_is_named() {
        assert_eq!(split(&[]), Err(EnvelopeError::Short(0)));
        assert_eq!(split(&[0, 1, 2, 3]), Err(EnvelopeError::Short(4)));
        assert_eq!(split(b"{\"cut\":2}"), Err(EnvelopeError::Magic(b'{')));
        assert_eq!(split(&[0, 0, 0, 1, 2]), Ok((258, &[][..])));
    }

    proptest! {
        #[test]
        fn headers_round_trip(schema_id: i32, body: Vec<u8>) {
            let mut message = Vec::new();
            put_header(&mut message, schema_id);
            prop_assert_eq!(message.len(), HEADER_BYTES);
            message.extend_from_slice(&body);
            prop_assert_eq!(split(&message), Ok((schema_id, &body[..])));
        }
    }
}
