//! Decimal numbers: their digits, and the nearest double.

/// Where the parts of `-digits.digitsE-digits` end, and their value as far as it fits.
#[derive(Debug, Default, Clone, Copy)]
pub struct Decimal {
    /// Bytes read.
    pub len: usize,
    /// Digits before the point.
    pub whole: usize,
    /// Whether there was a point.
    pub point: bool,
    /// Digits behind the point.
    pub fraction: usize,
    /// Digits of the exponent; none without an exponent.
    pub exponent: Option<usize>,
    /// The digits as one number, if at most 19 of them.
    mantissa: u64,
    /// The exponent as written, saturated.
    power: i64,
}

/// Reads digits, a point, digits, an exponent, as far as they go, without a sign. Says nothing on what must be there.
#[inline]
pub fn scan(text: &[u8]) -> Decimal {
    let mut decimal = Decimal::default();
    let mut at = 0;
    let mut mantissa = 0u64;
    while let Some(digit) = digit(text, at) {
        mantissa = mantissa.wrapping_mul(10).wrapping_add(digit);
        at += 1;
    }
    decimal.whole = at;
    if text.get(at) == Some(&b'.') {
        decimal.point = true;
        at += 1;
        let start = at;
        while let Some(digit) = digit(text, at) {
            mantissa = mantissa.wrapping_mul(10).wrapping_add(digit);
            at += 1;
        }
        decimal.fraction = at - start;
    }
    decimal.mantissa = mantissa;
    if matches!(text.get(at), Some(b'e' | b'E')) {
        at += 1;
        let negative = text.get(at) == Some(&b'-');
        at += usize::from(matches!(text.get(at), Some(b'-' | b'+')));
        let start = at;
        while let Some(digit) = digit(text, at) {
            decimal.power = (decimal.power * 10 + digit as i64).min(1 << 40);
            at += 1;
        }
        decimal.exponent = Some(at - start);
        if negative {
            decimal.power = -decimal.power;
        }
    }
    decimal.len = at;
    decimal
}

#[inline]
fn digit(text: &[u8], at: usize) -> Option<u64> {
    let digit = text.get(at)?.wrapping_sub(b'0');
    (digit < 10).then_some(u64::from(digit))
}

impl Decimal {
    /// Whether there is a digit before the exponent, and one in it.
    pub fn is_number(&self) -> bool {
        self.whole + self.fraction > 0 && self.exponent != Some(0)
    }

    /// The double nearest to the number, a tie to the even one. `text` is what was scanned.
    #[inline]
    pub fn value(&self, text: &[u8]) -> f64 {
        /// The powers of ten that a double holds exactly.
        const TENS: [f64; 23] = [
            1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
            1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
        ];
        let power = self.power - self.fraction as i64;
        // Two exact operands, one rounding (W. D. Clinger, How to read floating point numbers accurately, 1990).
        if self.whole + self.fraction <= 19
            && self.mantissa <= 1 << 53
            && (-22..=22).contains(&power)
        {
            let ten = TENS[power.unsigned_abs() as usize];
            let mantissa = self.mantissa as f64;
            return if power < 0 { mantissa / ten } else { mantissa * ten };
        }
        let text = &text[..self.len];
        // Rust reads a superset of the forms that get here, and rounds correctly.
        std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()).unwrap_or(f64::NAN)
    }
}
