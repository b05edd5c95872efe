//! Avro bytes to slots. What nobody reads is skipped, and what stands behind the last that is read is not looked at.
use super::code::Slot;
use crate::ir::Literal;
use crate::memory::Span;
use crate::op::of_literal;
use sluice_wire::types::NullableType;
use sluice_wire::{DecodeError, Reader, Type};
use std::sync::Arc;

/// How a value gets into slots.
#[derive(Debug)]
pub(crate) enum Load {
    Skip(Type),
    Bool(Slot),
    Int(Slot),
    Long(Slot),
    Float(Slot),
    Double(Slot),
    /// Checked for UTF-8.
    Text(Slot),
    Bytes(Slot),
    /// The encoded value as it is.
    Opaque(Slot, Type),
    Record(Vec<Load>),
    /// The slot gets whether it is null.
    Nullable(Slot, Arc<NullableType>, Box<Load>),
}

impl Load {
    /// A value of type `avro` into `slots`, one for each as [`crate::compile`] orders them; none where nobody reads it.
    pub(crate) fn of(avro: &Type, slots: &mut impl Iterator<Item = Option<Slot>>) -> Load {
        if let Type::Record(record) = avro {
            let fields = record.fields.iter().map(|field| Load::of(&field.ty, slots));
            let mut fields: Vec<Load> = fields.collect();
            return match fields.iter().all(Load::is_skip) {
                true => Load::Skip(avro.clone()),
                false => {
                    fields.shrink_to_fit();
                    Load::Record(fields)
                }
            };
        }
        let slot = slots.next().flatten();
        if let Type::Nullable(nullable) = avro {
            let inner = Load::of(&nullable.inner, slots);
            // The flag of a value that is read without a look at it is written all the same.
            return match slot {
                None if inner.is_skip() => Load::Skip(avro.clone()),
                slot => {
                    Load::Nullable(slot.unwrap_or(Slot::MAX), nullable.clone(), Box::new(inner))
                }
            };
        }
        let Some(slot) = slot else {
            return Load::Skip(avro.clone());
        };
        match avro {
            Type::Boolean => Load::Bool(slot),
            Type::Int => Load::Int(slot),
            Type::Long => Load::Long(slot),
            Type::Float => Load::Float(slot),
            Type::Double => Load::Double(slot),
            Type::String => Load::Text(slot),
            Type::Bytes => Load::Bytes(slot),
            other => Load::Opaque(slot, other.clone()),
        }
    }

    fn is_skip(&self) -> bool {
        matches!(self, Load::Skip(_))
    }

    /// The same without skips at its end.
    pub(crate) fn without_tail(self) -> Load {
        match self {
            Load::Skip(_) => Load::Record(Vec::new()),
            Load::Record(mut fields) => {
                while fields.last().is_some_and(Load::is_skip) {
                    fields.pop();
                }
                let last = fields.pop().map(Load::without_tail);
                fields.extend(last);
                Load::Record(fields)
            }
            other => other,
        }
    }

    /// What the slots get where the value is null: what is empty, since they may be looked at all the same.
    pub(crate) fn clear(&self, slots: &mut [u64]) {
        match self {
            Load::Skip(_) => {}
            Load::Record(fields) => fields.iter().for_each(|field| field.clear(slots)),
            Load::Nullable(slot, _, inner) => {
                if let Some(slot) = slots.get_mut(*slot as usize) {
                    *slot = 1;
                }
                inner.clear(slots);
            }
            Load::Bool(slot)
            | Load::Int(slot)
            | Load::Long(slot)
            | Load::Float(slot)
            | Load::Double(slot)
            | Load::Text(slot)
            | Load::Bytes(slot)
            | Load::Opaque(slot, _) => slots[*slot as usize] = 0,
        }
    }

    /// Reads the value.
    pub(crate) fn run(
        &self,
        reader: &mut Reader<'_>,
        slots: &mut [u64],
    ) -> Result<(), DecodeError> {
        let (slot, bits) = match self {
            Load::Skip(ty) => return ty.skip(reader),
            Load::Record(fields) => {
                return fields.iter().try_for_each(|field| field.run(reader, slots));
            }
            Load::Nullable(slot, nullable, inner) => {
                let present = nullable.read_branch(reader)?;
                if let Some(slot) = slots.get_mut(*slot as usize) {
                    *slot = u64::from(!present);
                }
                if !present {
                    inner.clear(slots);
                    return Ok(());
                }
                return inner.run(reader, slots);
            }
            Load::Bool(slot) => (slot, u64::from(reader.boolean()?)),
            Load::Int(slot) => (slot, of_literal(&Literal::Int(reader.int()?))),
            Load::Long(slot) => (slot, reader.long()? as u64),
            Load::Float(slot) => (slot, u64::from(reader.float()?.to_bits())),
            Load::Double(slot) => (slot, reader.double()?.to_bits()),
            Load::Text(slot) => {
                let text = reader.string()?;
                let (len, ascii) = (text.len(), text.is_ascii());
                (slot, Span::input(reader.position() - len, len).known_ascii(ascii).0)
            }
            Load::Bytes(slot) => {
                let len = reader.bytes()?.len();
                (slot, Span::input(reader.position() - len, len).0)
            }
            Load::Opaque(slot, ty) => {
                let start = reader.position();
                ty.skip(reader)?;
                (slot, Span::input(start, reader.position() - start).0)
            }
        };
        slots[*slot as usize] = bits;
        Ok(())
    }
}
