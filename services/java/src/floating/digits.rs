//! The decimal digits that JDK 17 finds for a binary number.
//!
//! Up to version 18 they are not always the fewest that come back as the same number (JDK-4511638). The search generates digits of
//! `b / s` until what is left is within the half unit `m`, as Steele and White's does, but with bounds that differ by the width of the
//! integers that hold them. The steps here follow from that description of it, and are held against the JDK by tests.
use num_bigint::BigUint;

/// The parts of a finite number above zero.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Binary {
    /// The significand, its highest bit at [`TOP`].
    bits: u64,
    /// The exponent of that bit.
    exponent: i32,
    /// Bits of the significand that its format keeps there.
    significant: i32,
}

const TOP: i32 = 52;

impl Binary {
    pub(crate) fn of_double(value: f64) -> Binary {
        let bits = value.to_bits() & !(1 << 63);
        Binary::new(bits >> 52, bits & ((1 << 52) - 1), 1023, 53)
    }

    pub(crate) fn of_float(value: f32) -> Binary {
        let bits = u64::from(value.to_bits() & !(1 << 31));
        Binary::new(bits >> 23, (bits & ((1 << 23) - 1)) << 29, 127, 24)
    }

    fn new(exponent: u64, fraction: u64, bias: i32, significant: i32) -> Binary {
        if exponent > 0 {
            let bits = fraction | 1 << TOP;
            return Binary { bits, exponent: exponent as i32 - bias, significant };
        }
        let shift = fraction.leading_zeros() as i32 - (63 - TOP);
        Binary {
            bits: fraction << shift,
            exponent: 1 - shift - bias,
            significant: significant - shift,
        }
    }
}

/// `0.DIGITS` times ten to the exponent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Digits {
    /// ASCII digits.
    pub(crate) digits: Vec<u8>,
    pub(crate) exponent: i32,
}

impl Digits {
    /// Adds one to the last digit.
    fn round_up(&mut self) {
        for digit in self.digits.iter_mut().rev() {
            if *digit < b'9' {
                *digit += 1;
                return;
            }
            *digit = b'0';
        }
        self.exponent += 1;
        self.digits[0] = b'1';
    }
}

/// Bits of a power of five.
fn bits_of_five(power: i32) -> i32 {
    match power {
        0 => 0,
        1..=26 => (64 - 5u64.pow(power as u32).leading_zeros()) as i32,
        _ => power * 3,
    }
}

/// The digits of a number. `short` is how `toString` asks for them; a formatter wants those of the exponential form always.
pub(crate) fn digits(number: Binary, short: bool) -> Digits {
    let Binary { bits, exponent, significant } = number;
    let zeros = bits.trailing_zeros() as i32;
    // Bits from the highest to the lowest that is set, and those of them behind the point.
    let used = TOP + 1 - zeros;
    let behind = (used - exponent - 1).max(0);
    if behind == 0 && exponent <= 62 {
        return whole(bits, exponent, significant);
    }
    let power = estimate(bits, exponent);
    let five_b = (-power).max(0);
    let mut two_b = five_b + behind + exponent;
    let five_s = power.max(0);
    let mut two_s = five_s + behind;
    let mut two_m = two_b - significant;
    let bits = bits >> zeros;
    two_b -= used - 1;
    let common = two_b.min(two_s);
    two_b -= common;
    two_s -= common;
    two_m -= common;
    if used == 1 {
        // Below a power of two the next number is half as far away.
        two_m -= 1;
    }
    if two_m < 0 {
        two_b -= two_m;
        two_s -= two_m;
        two_m = 0;
    }
    let width_b = used + two_b + bits_of_five(five_b);
    let width_ten = two_s + 1 + bits_of_five(five_s + 1);
    let scale = Scale { bits, five_b, two_b, five_s, two_s, two_m };
    if width_b < 64 && width_ten < 64 {
        scale.narrow(power, short, if width_b < 32 && width_ten < 32 { 32 } else { 64 })
    } else {
        scale.wide(power, short)
    }
}

/// A whole number that fits 63 bits: its own digits, without those that its format does not keep.
fn whole(bits: u64, exponent: i32, significant: i32) -> Digits {
    let mut value = match exponent - TOP {
        shift if shift >= 0 => bits << shift,
        shift => bits >> -shift,
    };
    let lost = match exponent - significant - 1 {
        power if exponent > significant && power > 1 => {
            (f64::from(power) * std::f64::consts::LOG10_2) as u32
        }
        _ => 0,
    };
    if lost > 0 {
        let ten = 10u64.pow(lost);
        let up = value % ten >= ten / 2;
        value = value / ten + u64::from(up);
    }
    let mut digits = value.to_string().into_bytes();
    let exponent = digits.len() as i32 + lost as i32;
    while digits.len() > 1 && digits.ends_with(b"0") {
        digits.pop();
    }
    Digits { digits, exponent }
}

/// An estimate of the decimal exponent, by Java's formula; at most one too high.
#[expect(clippy::approx_constant, reason = "Java's constant has fewer digits")]
fn estimate(bits: u64, exponent: i32) -> i32 {
    let fraction = f64::from_bits(1023 << 52 | bits & ((1 << TOP) - 1));
    let power = (fraction - 1.5) * 0.289_529_654
        + 0.176_091_259
        + f64::from(exponent) * 0.301_029_995_663_981;
    power.floor() as i32
}

/// `b = bits 5^five_b 2^two_b`, `s = 5^five_s 2^two_s`, `m = 5^five_b 2^two_m`.
struct Scale {
    bits: u64,
    five_b: i32,
    two_b: i32,
    five_s: i32,
    two_s: i32,
    two_m: i32,
}

impl Scale {
    /// With integers of so many bits that wrap around as Java's do: where `b + m` does, the upper bound is not seen.
    fn narrow(&self, mut power: i32, short: bool, width: u32) -> Digits {
        let five = |power: i32| 5i128.pow(power as u32);
        let wrap = |value: i128| value << (128 - width) >> (128 - width);
        let mut b = (i128::from(self.bits) * five(self.five_b)) << self.two_b;
        let s = five(self.five_s) << self.two_s;
        let mut m = five(self.five_b) << self.two_m;
        let ten = s * 10;
        let mut digits = Vec::with_capacity(18);
        let mut step = |digits: &mut Vec<u8>, first: bool| {
            let q = b / s;
            b = 10 * (b % s);
            m = wrap(m * 10);
            let beyond = !first && m <= 0;
            let (low, high) = (beyond || b < m, beyond || wrap(b + m) > ten);
            if q > 0 || !first || high {
                digits.push(b'0' + q as u8);
            }
            (low, high)
        };
        let (mut low, mut high) = step(&mut digits, true);
        if digits.is_empty() {
            power -= 1;
        }
        if !short || !(-3..8).contains(&power) {
            (low, high) = (false, false);
        }
        while !low && !high {
            (low, high) = step(&mut digits, false);
        }
        finish(digits, power, low, high, || (b * 2).cmp(&ten))
    }

    /// With integers of any size; here the upper bound is taken in.
    fn wide(&self, mut power: i32, short: bool) -> Digits {
        let number = |five: i32, two: i32| BigUint::from(5u8).pow(five as u32) << two as u64;
        let mut b = number(self.five_b, self.two_b) * self.bits;
        let s = number(self.five_s, self.two_s);
        let mut m = number(self.five_b, self.two_m) * 10u8;
        let ten = &s * 10u8;
        let mut digits = Vec::with_capacity(18);
        let mut step = |digits: &mut Vec<u8>, first: bool| {
            if !first {
                m *= 10u8;
            }
            let q = &b / &s;
            b = (&b - &q * &s) * 10u8;
            let (low, high) = (b < m, &b + &m >= ten);
            let q = q.iter_u32_digits().next().unwrap_or(0) as u8;
            if q > 0 || !first || high {
                digits.push(b'0' + q);
            }
            (low, high)
        };
        let (mut low, mut high) = step(&mut digits, true);
        if digits.is_empty() {
            power -= 1;
        }
        if !short || !(-3..8).contains(&power) {
            (low, high) = (false, false);
        }
        while !low && !high {
            (low, high) = step(&mut digits, false);
        }
        finish(digits, power, low, high, || (&b * 2u8).cmp(&ten))
    }
}

/// Rounds the last digit by why the search ended.
fn finish(
    digits: Vec<u8>,
    power: i32,
    low: bool,
    high: bool,
    rest: impl FnOnce() -> std::cmp::Ordering,
) -> Digits {
    let last = digits.last().copied().unwrap_or(b'0');
    let mut digits = Digits { digits, exponent: power + 1 };
    let up = high
        && (!low
            || match rest() {
                std::cmp::Ordering::Less => false,
                std::cmp::Ordering::Equal => last & 1 == 1,
                std::cmp::Ordering::Greater => true,
            });
    if up {
        digits.round_up();
    }
    digits
}
