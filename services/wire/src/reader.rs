//! Reading Avro's primitive values from a byte slice, borrowing what can be borrowed.

use thiserror::Error;

use crate::varint;

/// Why bytes are no Avro value of the type that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum DecodeError {
    /// The bytes end within a value.
    #[error("the bytes end within a value")]
    End,
    /// A variable-length integer that does not fit its type.
    #[error("a variable-length integer is too long")]
    Varint,
    /// A length or block count that no input can have.
    #[error("length {0} is impossible")]
    Length(i64),
    /// A boolean that is neither 0 nor 1.
    #[error("boolean byte {0} is neither 0 nor 1")]
    Boolean(u8),
    /// The index of a union branch or enum symbol that does not exist.
    #[error("index {index} is not within 0..{len}")]
    Index {
        /// The index as read.
        index: i64,
        /// The number of branches or symbols.
        len: usize,
    },
    /// A block whose byte size is not what its items take.
    #[error("a block's items do not take the bytes that it announces")]
    BlockSize,
    /// A string that is not UTF-8.
    #[error("a string is not UTF-8")]
    Utf8,
    /// Bytes behind the end of the value.
    #[error("{0} bytes follow the value")]
    Trailing(usize),
}

/// A place in a byte slice; every method reads one value there and moves behind it.
///
/// After an error the place is unspecified.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// A reader at the start of `bytes`.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The number of bytes read so far.
    #[must_use]
    pub const fn position(&self) -> usize {
        self.at
    }

    /// The bytes between `start`, a former [`position`](Self::position), and here.
    ///
    /// # Panics
    /// If `start` lies behind this place.
    #[must_use]
    pub fn since(&self, start: usize) -> &'a [u8] {
        &self.bytes[start..self.at]
    }

    /// The bytes not yet read.
    #[must_use]
    pub fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// Checks that everything has been read.
    ///
    /// # Errors
    /// [`DecodeError::Trailing`] with the number of bytes left.
    pub fn finish(&self) -> Result<(), DecodeError> {
        match self.bytes.len() - self.at {
            0 => Ok(()),
            left => Err(DecodeError::Trailing(left)),
        }
    }

    /// The next `len` bytes as they are (Avro fixed).
    ///
    /// # Errors
    /// [`DecodeError::End`].
    #[inline]
    pub fn take(&mut self, len: usize) -> Result<&'a [u8], DecodeError> {
        let taken = self.rest().get(..len).ok_or(DecodeError::End)?;
        self.at += len;
        Ok(taken)
    }

    /// An Avro boolean.
    ///
    /// # Errors
    /// [`DecodeError::End`], [`DecodeError::Boolean`].
    #[inline]
    pub fn boolean(&mut self) -> Result<bool, DecodeError> {
        match self.array::<1>()? {
            [0] => Ok(false),
            [1] => Ok(true),
            [byte] => Err(DecodeError::Boolean(byte)),
        }
    }

    /// An Avro int.
    ///
    /// # Errors
    /// [`DecodeError::End`], [`DecodeError::Varint`].
    #[inline]
    pub fn int(&mut self) -> Result<i32, DecodeError> {
        let (value, len) = varint::read_int(self.rest())?;
        self.at += len;
        Ok(value)
    }

    /// An Avro long.
    ///
    /// # Errors
    /// [`DecodeError::End`], [`DecodeError::Varint`].
    #[inline]
    pub fn long(&mut self) -> Result<i64, DecodeError> {
        let (value, len) = varint::read_long(self.rest())?;
        self.at += len;
        Ok(value)
    }

    /// An Avro float; every bit pattern is kept.
    ///
    /// # Errors
    /// [`DecodeError::End`].
    #[inline]
    pub fn float(&mut self) -> Result<f32, DecodeError> {
        self.array().map(f32::from_le_bytes)
    }

    /// An Avro double; every bit pattern is kept.
    ///
    /// # Errors
    /// [`DecodeError::End`].
    #[inline]
    pub fn double(&mut self) -> Result<f64, DecodeError> {
        self.array().map(f64::from_le_bytes)
    }

    /// Avro bytes, or the bytes of an Avro string without the check for UTF-8.
    ///
    /// # Errors
    /// [`DecodeError::End`], [`DecodeError::Varint`], [`DecodeError::Length`].
    #[inline]
    pub fn bytes(&mut self) -> Result<&'a [u8], DecodeError> {
        let len = self.long()?;
        let len = usize::try_from(len).map_err(|_| DecodeError::Length(len))?;
        self.take(len)
    }

    /// An Avro string.
    ///
    /// # Errors
    /// Those of [`bytes`](Self::bytes), [`DecodeError::Utf8`].
    #[inline]
    pub fn string(&mut self) -> Result<&'a str, DecodeError> {
        std::str::from_utf8(self.bytes()?).map_err(|_| DecodeError::Utf8)
    }

    /// The index of an enum symbol or union branch, of `len` there are.
    ///
    /// # Errors
    /// [`DecodeError::End`], [`DecodeError::Varint`], [`DecodeError::Index`].
    #[inline]
    pub fn index(&mut self, len: usize) -> Result<usize, DecodeError> {
        let index = self.long()?;
        match usize::try_from(index) {
            Ok(index) if index < len => Ok(index),
            _ => Err(DecodeError::Index { index, len }),
        }
    }

    /// The union `["null", "long"]`.
    ///
    /// # Errors
    /// [`DecodeError::End`], [`DecodeError::Varint`], [`DecodeError::Index`].
    #[inline]
    pub fn optional_long(&mut self) -> Result<Option<i64>, DecodeError> {
        match self.index(2)? {
            0 => Ok(None),
            _ => self.long().map(Some),
        }
    }

    /// The items of an Avro array or map: calls `item` at each, block by block.
    ///
    /// The work is bounded by the input if `item` always moves on.
    ///
    /// # Errors
    /// Those of `item`, [`DecodeError::Length`], [`DecodeError::BlockSize`].
    pub fn blocks<E: From<DecodeError>>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<(), E>,
    ) -> Result<(), E> {
        loop {
            let count = self.long()?;
            if count == 0 {
                return Ok(());
            }
            // A negative count is followed by the size of the block in bytes.
            let size = if count < 0 { Some(self.long()?) } else { None };
            let start = self.at;
            for _ in 0..count.unsigned_abs() {
                item(self)?;
            }
            if size.is_some_and(|size| usize::try_from(size) != Ok(self.at - start)) {
                return Err(DecodeError::BlockSize.into());
            }
        }
    }

    #[inline]
    fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let taken = self.rest().first_chunk().ok_or(DecodeError::End)?;
        self.at += N;
        Ok(*taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_with_and_without_size() {
        // Two items, then one item in a block of a byte, then the end.
        let mut reader = Reader::new(&[4, 2, 4, 1, 2, 6, 0]);
        let mut items = Vec::new();
        reader
            .blocks(|reader| {
                items.push(reader.int()?);
                Ok::<_, DecodeError>(())
            })
            .unwrap();
        assert_eq!(items, [1, 2, 3]);
        assert_eq!(reader.finish(), Ok(()));
    }

    #[test]
    fn a_block_of_another_size_is_refused() {
        let skip = |reader: &mut Reader<'_>| reader.int().map(drop);
        assert_eq!(Reader::new(&[1, 4, 6, 0]).blocks(skip), Err(DecodeError::BlockSize));
        assert_eq!(Reader::new(&[1, 1, 6, 0]).blocks(skip), Err(DecodeError::BlockSize));
    }

    #[test]
    fn garbage_is_named() {
        assert_eq!(Reader::new(&[2]).boolean(), Err(DecodeError::Boolean(2)));
        assert_eq!(Reader::new(&[1]).bytes(), Err(DecodeError::Length(-1)));
        assert_eq!(Reader::new(&[4, 65]).bytes(), Err(DecodeError::End));
        assert_eq!(Reader::new(&[2, 0xff]).string(), Err(DecodeError::Utf8));
        assert_eq!(Reader::new(&[4]).index(2), Err(DecodeError::Index { index: 2, len: 2 }));
        assert_eq!(Reader::new(&[0; 7]).double(), Err(DecodeError::End));
        assert_eq!(Reader::new(&[0; 7]).finish(), Err(DecodeError::Trailing(7)));
    }
}
