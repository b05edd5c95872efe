//! Hash codes.

/// `String.hashCode`.
pub fn string(text: &str) -> i32 {
    if text.is_ascii() {
        let add = |hash: i32, byte: &u8| hash.wrapping_mul(31).wrapping_add(i32::from(*byte));
        return text.as_bytes().iter().fold(0, add);
    }
    text.encode_utf16().fold(0, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)))
}

/// `Long.hashCode`.
pub fn long(value: i64) -> i32 {
    (value ^ (value as u64 >> 32) as i64) as i32
}

/// `Double.hashCode`: every NaN is the canonical one.
pub fn double(value: f64) -> i32 {
    long(double_bits(value) as i64)
}

/// `Float.hashCode`.
pub fn float(value: f32) -> i32 {
    float_bits(value) as i32
}

/// `Boolean.hashCode`.
pub fn boolean(value: bool) -> i32 {
    if value { 1231 } else { 1237 }
}

/// `Double.doubleToLongBits`.
pub fn double_bits(value: f64) -> u64 {
    if value.is_nan() { 0x7FF8_0000_0000_0000 } else { value.to_bits() }
}

/// `Float.floatToIntBits`.
pub fn float_bits(value: f32) -> u32 {
    if value.is_nan() { 0x7FC0_0000 } else { value.to_bits() }
}

/// What `HashMap` makes of a hash code before it takes the lowest bits of it.
pub fn spread(hash: i32) -> u32 {
    let hash = hash as u32;
    hash ^ hash >> 16
}
