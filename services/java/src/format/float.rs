//! Floating-point numbers in formats: their digits are rounded half up, from the digits that `toString` could have had.
use super::specifier::Specifier;
use crate::floating::digits::{Binary, Digits, digits};

impl Specifier {
    pub(super) fn float(&self, value: f64) -> String {
        if value.is_nan() {
            return "NaN".to_owned();
        }
        let negative = value.is_sign_negative();
        if value.is_infinite() {
            // No zeros before it.
            let plain = Specifier { flags: self.flags.replace(['0', ','], ""), ..self.clone() };
            return plain.signed(negative, "Infinity", "");
        }
        let value = value.abs();
        match self.conversion.to_ascii_lowercase() {
            'e' => {
                let (mantissa, exponent) = scientific(value, self.precision.unwrap_or(6));
                self.signed(negative, &mantissa, &exponent)
            }
            'f' => self.signed(negative, &decimal(value, self.precision.unwrap_or(6)), ""),
            _ => {
                let (mantissa, exponent) = general(value, self.precision.unwrap_or(6).max(1));
                self.signed(negative, &mantissa, &exponent)
            }
        }
    }
}

fn digits_of(value: f64) -> Digits {
    match value {
        0.0 => Digits { digits: b"0".to_vec(), exponent: 1 },
        value => digits(Binary::of_double(value), false),
    }
}

/// Keeps the first digits, rounding half up; what is cut becomes zeros. A place before the first digit changes nothing.
fn rounded(mut number: Digits, places: i64) -> Digits {
    let Ok(places) = usize::try_from(places) else { return number };
    if places >= number.digits.len() {
        return number;
    }
    let up = number.digits[places] >= b'5';
    number.digits[places..].fill(b'0');
    if !up {
        return number;
    }
    for digit in number.digits[..places].iter_mut().rev() {
        if *digit < b'9' {
            *digit += 1;
            return number;
        }
        *digit = b'0';
    }
    number.digits[0] = b'1';
    number.digits[1..].fill(b'0');
    number.exponent += 1;
    number
}

fn text(digits: &[u8]) -> String {
    digits.iter().map(|digit| char::from(*digit)).collect()
}

/// With this many digits behind the point.
fn with_zeros(mut mantissa: String, places: usize) -> String {
    let behind = mantissa.find('.').map(|point| mantissa.len() - point - 1);
    if behind.is_none() && places > 0 {
        mantissa.push('.');
    }
    mantissa.extend(std::iter::repeat_n('0', places.saturating_sub(behind.unwrap_or(0))));
    mantissa
}

fn decimal(value: f64, precision: usize) -> String {
    let number = digits_of(value);
    let places = i64::from(number.exponent) + precision as i64;
    with_zeros(plain(&rounded(number, places), precision), precision)
}

/// `DIGITS.DIGITS` with at most so many behind the point.
fn plain(number: &Digits, precision: usize) -> String {
    let Digits { digits, exponent } = number;
    let mut mantissa;
    if *exponent > 0 {
        let whole = *exponent as usize;
        mantissa = text(&digits[..whole.min(digits.len())]);
        if digits.len() < whole {
            mantissa.extend(std::iter::repeat_n('0', whole - digits.len()));
        } else {
            let behind = (digits.len() - whole).min(precision);
            if behind > 0 {
                mantissa.push('.');
                mantissa.push_str(&text(&digits[whole..whole + behind]));
            }
        }
    } else {
        let zeros = (-*exponent as usize).min(precision);
        let shown =
            (precision as i64 + i64::from(*exponent)).clamp(0, digits.len() as i64) as usize;
        mantissa = "0".to_owned();
        if zeros > 0 || shown > 0 {
            mantissa.push('.');
            mantissa.extend(std::iter::repeat_n('0', zeros));
            mantissa.push_str(&text(&digits[..shown]));
        }
    }
    mantissa
}

/// The mantissa and `e+XX`.
fn scientific(value: f64, precision: usize) -> (String, String) {
    let number = rounded(digits_of(value), precision as i64 + 1);
    let mantissa = with_zeros(one_digit(&number, precision), precision);
    let exponent = if value == 0.0 { 0 } else { number.exponent - 1 };
    (mantissa, shown_exponent(exponent))
}

fn one_digit(number: &Digits, precision: usize) -> String {
    let mut mantissa = text(&number.digits[..1]);
    let behind = (number.digits.len() - 1).min(precision);
    if behind > 0 {
        mantissa.push('.');
        mantissa.push_str(&text(&number.digits[1..=behind]));
    }
    mantissa
}

fn shown_exponent(exponent: i32) -> String {
    format!("e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

/// As a decimal number from a ten thousandth to below ten to the precision, else in the scientific form.
fn general(value: f64, precision: usize) -> (String, String) {
    if value == 0.0 {
        return (with_zeros("0".to_owned(), precision - 1), String::new());
    }
    let number = rounded(digits_of(value), precision as i64);
    let places = i64::from(number.exponent) - 1;
    if places < -4 || places >= precision as i64 {
        let mantissa = with_zeros(one_digit(&number, precision - 1), precision - 1);
        return (mantissa, shown_exponent(number.exponent - 1));
    }
    let behind = (precision as i64 - i64::from(number.exponent)) as usize;
    (with_zeros(plain(&number, behind), behind), String::new())
}
