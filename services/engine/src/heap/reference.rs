//! References in slots.

/// What no text has: both of the first bits.
const NO_TEXT: u64 = 3 << 62;
const KIND: u32 = 56;

/// Null.
pub(crate) const NULL: u64 = NO_TEXT;

/// What a reference is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reference {
    Null,
    Text,
    /// An object of the event.
    Heap(usize),
    /// A constant.
    Frozen(usize),
    Int(i32),
    Short(i16),
    Byte(i8),
    Char(u16),
    Bool(bool),
    Float(u32),
}

impl Reference {
    /// What a slot refers to.
    #[inline]
    pub(crate) fn of(slot: u64) -> Reference {
        if slot < NO_TEXT {
            return Reference::Text;
        }
        let low = slot as u32;
        match slot >> KIND & 0x3F {
            1 => Reference::Heap(low as usize),
            2 => Reference::Frozen(low as usize),
            3 => Reference::Int(low as i32),
            4 => Reference::Short(low as i16),
            5 => Reference::Byte(low as i8),
            6 => Reference::Char(low as u16),
            7 => Reference::Bool(low != 0),
            8 => Reference::Float(low),
            _ => Reference::Null,
        }
    }
}

#[inline]
fn slot(kind: u64, low: u32) -> u64 {
    NO_TEXT | kind << KIND | u64::from(low)
}

/// The reference to an object of the event.
#[inline]
pub(crate) fn heap(number: usize) -> u64 {
    // A budget of elements is far below 2^32.
    slot(1, number as u32)
}

/// The reference to a constant.
pub(crate) fn frozen(number: usize) -> u64 {
    slot(2, number as u32)
}

/// An `Integer`.
pub(crate) fn int(value: i32) -> u64 {
    slot(3, value as u32)
}

/// A `Short`.
pub(crate) fn short(value: i16) -> u64 {
    slot(4, i32::from(value) as u32)
}

/// A `Byte`.
pub(crate) fn byte(value: i8) -> u64 {
    slot(5, i32::from(value) as u32)
}

/// A `Character`.
pub(crate) fn character(value: u16) -> u64 {
    slot(6, u32::from(value))
}

/// A `Boolean`.
pub(crate) fn boolean(value: bool) -> u64 {
    slot(7, u32::from(value))
}

/// A `Float`.
pub(crate) fn float(bits: u32) -> u64 {
    slot(8, bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_keep_what_they_refer_to() {
        assert_eq!(Reference::of(NULL), Reference::Null);
        assert_eq!(Reference::of(0), Reference::Text);
        assert_eq!(Reference::of(NULL - 1), Reference::Text);
        assert_eq!(Reference::of(heap(7)), Reference::Heap(7));
        assert_eq!(Reference::of(frozen(7)), Reference::Frozen(7));
        assert_eq!(Reference::of(int(-5)), Reference::Int(-5));
        assert_eq!(Reference::of(short(-5)), Reference::Short(-5));
        assert_eq!(Reference::of(byte(-5)), Reference::Byte(-5));
        assert_eq!(Reference::of(character(0xD83D)), Reference::Char(0xD83D));
        assert_eq!(Reference::of(boolean(true)), Reference::Bool(true));
        assert_eq!(Reference::of(float(1.5f32.to_bits())), Reference::Float(1.5f32.to_bits()));
    }
}
