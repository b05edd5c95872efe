//! Decimal digits as Java's `Character.digit` knows them.

/// The zeros of the runs of ten decimal digits in the basic plane of Unicode (general category Nd); the numbers that
/// `Integer.parseInt` takes may be made of any of them. Those of higher planes are two `char`s in Java and no digits to it.
const ZEROS: [u16; 37] = [
    0x0030, 0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6,
    0x0D66, 0x0DE6, 0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80,
    0x1A90, 0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0,
    0xFF10,
];

/// The value of a decimal digit.
pub(super) fn value(c: char) -> Option<u32> {
    let code = u16::try_from(u32::from(c)).ok()?;
    let run = ZEROS.partition_point(|zero| *zero <= code).checked_sub(1)?;
    let value = code - ZEROS[run];
    (value < 10).then_some(u32::from(value))
}

#[cfg(test)]
mod tests {
    use super::value;

    #[test]
    fn digits() {
        assert_eq!(value('0'), Some(0));
        assert_eq!(value('9'), Some(9));
        assert_eq!(value('٣'), Some(3));
        assert_eq!(value('９'), Some(9));
        assert_eq!(value('a'), None);
        assert_eq!(value('/'), None);
        assert_eq!(value(':'), None);
        assert_eq!(value('²'), None);
        assert_eq!(value('𝟎'), None);
    }
}
