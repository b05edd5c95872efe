//! Hexadecimal floating-point numbers (Java Language Specification 3.10.2).

/// A binary format of floating-point numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Format {
    /// Bits of a significand.
    bits: i64,
    /// The exponent of the least number above zero.
    least: i64,
    /// The exponent of the greatest number.
    most: i64,
}

/// Of doubles.
pub(super) const DOUBLE: Format = Format { bits: 53, least: -1074, most: 1023 };
/// Of floats.
pub(super) const FLOAT: Format = Format { bits: 24, least: -149, most: 127 };

/// The number of a format nearest to `0xHEX.HEXp-DIGITS`, a tie to the even one; `text` has neither sign nor suffix.
pub(super) fn parse(text: &[u8], format: Format) -> Option<f64> {
    let digits = text.strip_prefix(b"0x").or_else(|| text.strip_prefix(b"0X"))?;
    let p = digits.iter().position(|c| matches!(c, b'p' | b'P'))?;
    let power = power(&digits[p + 1..])?;
    let (whole, fraction) = match digits[..p].iter().position(|c| *c == b'.') {
        Some(point) => (&digits[..point], &digits[point + 1..p]),
        None => (&digits[..p], &[][..]),
    };
    // A point needs a digit behind it, or one before it.
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut significand = Significand::default();
    for &c in whole {
        significand.push(c, false)?;
    }
    for &c in fraction {
        significand.push(c, true)?;
    }
    Some(significand.round(power, format))
}

/// A signed number of ASCII digits, saturated.
fn power(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    if digits.is_empty() {
        return None;
    }
    let power = digits.iter().try_fold(0i64, |power, c| {
        c.is_ascii_digit().then(|| (power * 10 + i64::from(c - b'0')).min(1 << 40))
    })?;
    Some(if negative { -power } else { power })
}

/// `bits` times two to the `power`, and whether something not zero was cut off.
#[derive(Debug, Default)]
struct Significand {
    bits: u64,
    power: i64,
    sticky: bool,
}

impl Significand {
    fn push(&mut self, c: u8, fraction: bool) -> Option<()> {
        let digit = char::from(c).to_digit(16)?;
        if self.bits >> 60 == 0 {
            self.bits = self.bits << 4 | u64::from(digit);
            self.power -= if fraction { 4 } else { 0 };
        } else {
            self.sticky |= digit != 0;
            self.power += if fraction { 0 } else { 4 };
        }
        Some(())
    }

    fn round(self, power: i64, format: Format) -> f64 {
        if self.bits == 0 {
            return 0.0;
        }
        let shift = self.bits.leading_zeros();
        let (bits, power) = (self.bits << shift, self.power + power - i64::from(shift));
        // The value is bits x 2^power with the top bit set; the lowest bit kept weighs that of the least number at least.
        let exponent = power + 63;
        if exponent > format.most {
            return f64::INFINITY;
        }
        let cut = (64 - format.bits).max(format.least - power);
        if cut > 64 {
            return 0.0;
        }
        let (kept, lost) = match cut {
            64 => (0, bits),
            cut => (bits >> cut, bits << (64 - cut)),
        };
        const HALF: u64 = 1 << 63;
        let up = lost > HALF || lost == HALF && (self.sticky || kept & 1 == 1);
        // At most 2^53, so the conversion is exact; so is each product, the second unless it overflows to infinity.
        let value = (kept + u64::from(up)) as f64;
        let weight = power + cut;
        let value = value * two_to(weight / 2) * two_to(weight - weight / 2);
        if value < two_to(format.most) * 2.0 { value } else { f64::INFINITY }
    }
}

/// A power of two of the normal range.
fn two_to(power: i64) -> f64 {
    f64::from_bits(((power + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::{DOUBLE, parse};

    #[test]
    fn values() {
        for (text, value) in [
            ("0x1p0", 1.0),
            ("0x1.8p1", 3.0),
            ("0X.8P0", 0.5),
            ("0x1.p0", 1.0),
            ("0x0p99999999999999", 0.0),
            ("0x1p99999999999999", f64::INFINITY),
            ("0x1p-99999999999999", 0.0),
            ("0x1.fffffffffffffp1023", f64::MAX),
            ("0x1.fffffffffffff7p1023", f64::MAX),
            ("0x1.fffffffffffff8p1023", f64::INFINITY),
            ("0x1p-1074", f64::from_bits(1)),
            ("0x1p-1075", 0.0),
            ("0x1.00000000000000000000001p-1075", f64::from_bits(1)),
            ("0x3p-1075", f64::from_bits(2)),
            ("0x1p-1022", f64::MIN_POSITIVE),
            ("0x0.fffffffffffffp-1022", f64::from_bits((1 << 52) - 1)),
            ("0x0.fffffffffffff8p-1022", f64::MIN_POSITIVE),
            ("0x1.00000000000008p0", 1.0),
            ("0x1.000000000000080000000000000001p0", 1.000_000_000_000_000_2),
            ("0x1.00000000000018p0", 1.000_000_000_000_000_4),
            ("0x10000000000000000000p0", 75_557_863_725_914_323_419_136.0),
        ] {
            assert_eq!(parse(text.as_bytes(), DOUBLE), Some(value), "{text}");
        }
    }

    #[test]
    fn no_values() {
        for text in [
            "0x",
            "0xp1",
            "0x.p1",
            "0x1",
            "0x1p",
            "0x1p+",
            "0x1.2.3p1",
            "0xgp1",
            "1p1",
            "0x1pa",
            "0x1p1.0",
        ] {
            assert_eq!(parse(text.as_bytes(), DOUBLE), None, "{text}");
        }
    }
}
