//! Numbers that are kept as they are written.
use crate::{Failure, Result, integer};

/// Gson's `LazilyParsedNumber`.
pub(super) struct LazyNumber<'a>(pub(super) &'a str);

impl LazyNumber<'_> {
    /// `intValue`: of an int, else the lowest bits of a long, else of a decimal number.
    pub(super) fn int(&self) -> Result<i32> {
        match integer::parse_int(self.0, 10) {
            Ok(value) => Ok(value),
            Err(_) => self.long().map(|value| value as i32),
        }
    }

    /// `longValue`.
    pub(super) fn long(&self) -> Result<i64> {
        integer::parse_long(self.0, 10).or_else(|_| whole(self.0))
    }
}

/// `BigDecimal.longValue`: the whole part's lowest 64 bits. The number is one of JSON.
pub(super) fn whole(number: &str) -> Result<i64> {
    let (negative, digits) = match number.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, number),
    };
    let (mantissa, exponent) = digits.split_once(['e', 'E']).unwrap_or((digits, "0"));
    let Ok(exponent) = exponent.parse::<i64>() else {
        return Err(Failure::Uncertain("a number this large"));
    };
    let (before, behind) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{before}{behind}");
    let point = before.len() as i64 + exponent;
    if !(-100_000..=100_000).contains(&point) {
        return Err(Failure::Uncertain("a number this large"));
    }
    // The digits before the point, in arithmetic that wraps around as the lowest bits do.
    let mut value = 0i64;
    for at in 0..point.max(0) as usize {
        let digit = all.as_bytes().get(at).map_or(0, |digit| i64::from(digit - b'0'));
        value = value.wrapping_mul(10).wrapping_add(digit);
    }
    Ok(if negative { value.wrapping_neg() } else { value })
}
