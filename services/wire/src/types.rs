//! The types that values on the topics can have: the part of Avro that Sluice carries.

use std::sync::Arc;

use crate::{DecodeError, Reader};

/// An Avro type, with all references to named types resolved.
///
/// A value of any of these types takes at least one byte, so that skipping is bounded by the input. Logical types
/// are their underlying types (Avro specification, "Logical Types": readers may ignore them).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    /// One byte, 0 or 1.
    Boolean,
    /// 32 bits in zigzag form.
    Int,
    /// 64 bits in zigzag form.
    Long,
    /// Four bytes, IEEE 754.
    Float,
    /// Eight bytes, IEEE 754.
    Double,
    /// A length and as many bytes.
    Bytes,
    /// A length and as many bytes of UTF-8.
    String,
    /// A set number of bytes.
    Fixed(Arc<FixedType>),
    /// The index of a symbol.
    Enum(Arc<EnumType>),
    /// Blocks of items.
    Array(Arc<Type>),
    /// Blocks of string and value.
    Map(Arc<Type>),
    /// Its fields, one behind the other.
    Record(Arc<RecordType>),
    /// The union of null and one other type.
    Nullable(Arc<NullableType>),
}

/// An Avro fixed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixedType {
    /// The full name.
    pub name: String,
    /// Bytes, at least 1.
    pub size: usize,
}

/// An Avro enum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnumType {
    /// The full name.
    pub name: String,
    /// The symbols in their order, at least one.
    pub symbols: Vec<String>,
}

/// An Avro record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordType {
    /// The full name.
    pub name: String,
    /// The fields in the order of their bytes, at least one.
    pub fields: Vec<Field>,
}

/// A field of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The name.
    pub name: String,
    /// The type.
    pub ty: Type,
}

/// An Avro union of null and one other type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NullableType {
    /// The type that is not null.
    pub inner: Type,
    /// Whether null is the first branch.
    pub null_first: bool,
}

impl RecordType {
    /// The place of the field called `name`.
    #[must_use]
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }
}

impl NullableType {
    /// The index of the null branch.
    #[must_use]
    pub const fn null_branch(&self) -> usize {
        if self.null_first { 0 } else { 1 }
    }

    /// Reads the branch: whether a value of the inner type follows.
    ///
    /// # Errors
    /// Those of [`Reader::index`].
    #[inline]
    pub fn read_branch(&self, reader: &mut Reader<'_>) -> Result<bool, DecodeError> {
        Ok(reader.index(2)? != self.null_branch())
    }

    /// Appends the branch: that of the inner type if a value will follow, that of null otherwise.
    #[inline]
    pub fn put_branch(&self, out: &mut Vec<u8>, value_follows: bool) {
        out.push(if value_follows == self.null_first { 2 } else { 0 });
    }
}

impl Type {
    /// Moves `reader` behind a value of this type.
    ///
    /// What is skipped without error can be read without error, but for strings that are not UTF-8.
    ///
    /// # Errors
    /// A [`DecodeError`] when the bytes are no value of this type.
    pub fn skip(&self, reader: &mut Reader<'_>) -> Result<(), DecodeError> {
        match self {
            Self::Boolean => reader.boolean().map(drop),
            Self::Int => reader.int().map(drop),
            Self::Long => reader.long().map(drop),
            Self::Float => reader.take(4).map(drop),
            Self::Double => reader.take(8).map(drop),
            Self::Bytes | Self::String => reader.bytes().map(drop),
            Self::Fixed(fixed) => reader.take(fixed.size).map(drop),
            Self::Enum(symbols) => reader.index(symbols.symbols.len()).map(drop),
            Self::Array(items) => reader.blocks(|reader| items.skip(reader)),
            Self::Map(values) => reader.blocks(|reader| {
                reader.bytes()?;
                values.skip(reader)
            }),
            Self::Record(record) => {
                record.fields.iter().try_for_each(|field| field.ty.skip(reader))
            }
            Self::Nullable(nullable) => match nullable.read_branch(reader)? {
                true => nullable.inner.skip(reader),
                false => Ok(()),
            },
        }
    }
}
