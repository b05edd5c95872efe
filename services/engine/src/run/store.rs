//! Slots to Avro bytes.
use super::code::Slot;
use crate::memory::Memory;
use sluice_wire::Type;
use sluice_wire::types::NullableType;
use sluice_wire::varint::put_long;
use sluice_wire::writer::{put_boolean, put_bytes};
use std::sync::Arc;

/// What a chain passes on.
#[derive(Debug)]
pub(crate) enum Output {
    /// Its input as it came.
    Input,
    /// A value; null where the slot, if there is one, says so.
    Value(Option<Slot>, Vec<Store>),
}

/// How a slot gets into bytes.
#[derive(Debug)]
pub(crate) enum Store {
    Bool(Slot),
    Int(Slot),
    Long(Slot),
    /// The low four bytes as they are.
    Four(Slot),
    /// Eight bytes as they are.
    Eight(Slot),
    /// A length and the bytes.
    Bytes(Slot),
    /// The bytes of an encoded value.
    Opaque(Slot),
    /// The branch by the flag, and the value unless it is null.
    Nullable(Slot, Arc<NullableType>, Vec<Store>),
}

impl Store {
    /// A value of type `avro` from `slots`, as [`crate::compile`] orders them; appended to `stores`.
    pub(crate) fn of(avro: &Type, slots: &mut impl Iterator<Item = Slot>, stores: &mut Vec<Store>) {
        if let Type::Record(record) = avro {
            return record.fields.iter().for_each(|field| Store::of(&field.ty, slots, stores));
        }
        let Some(slot) = slots.next() else {
            return;
        };
        stores.push(match avro {
            Type::Boolean => Store::Bool(slot),
            Type::Int => Store::Int(slot),
            Type::Long => Store::Long(slot),
            Type::Float => Store::Four(slot),
            Type::Double => Store::Eight(slot),
            Type::Bytes | Type::String => Store::Bytes(slot),
            Type::Nullable(nullable) => {
                let mut inner = Vec::new();
                Store::of(&nullable.inner, slots, &mut inner);
                Store::Nullable(slot, nullable.clone(), inner)
            }
            _ => Store::Opaque(slot),
        });
    }

    /// Appends the bytes.
    #[inline]
    pub(crate) fn run(&self, memory: &Memory<'_>, slots: &[u64], out: &mut Vec<u8>) {
        match self {
            Store::Bool(slot) => put_boolean(out, slots[*slot as usize] != 0),
            Store::Int(slot) => put_long(out, i64::from(slots[*slot as usize] as i32)),
            Store::Long(slot) => put_long(out, slots[*slot as usize] as i64),
            Store::Four(slot) => {
                out.extend_from_slice(&(slots[*slot as usize] as u32).to_le_bytes())
            }
            Store::Eight(slot) => out.extend_from_slice(&slots[*slot as usize].to_le_bytes()),
            Store::Bytes(slot) => put_bytes(out, memory.bytes(slots[*slot as usize])),
            Store::Opaque(slot) => out.extend_from_slice(memory.bytes(slots[*slot as usize])),
            Store::Nullable(null, nullable, inner) => {
                let present = slots[*null as usize] == 0;
                nullable.put_branch(out, present);
                if present {
                    inner.iter().for_each(|store| store.run(memory, slots, out));
                }
            }
        }
    }
}
