//! `Double.parseDouble` and `Float.parseFloat`.
use super::hexadecimal::Format;
use super::{decimal, hexadecimal};
use crate::failure::{NUMBER_FORMAT, throw};
use crate::{Result, text};

/// `Double.parseDouble`: blanks (up to the space) around are ignored; a sign; then `NaN`, `Infinity`, or a decimal or hexadecimal number, which
/// `f`, `F`, `d` or `D` may follow.
pub fn parse_double(text: &str) -> Result<f64> {
    parse(text, hexadecimal::DOUBLE, |digits| {
        decimal::scan(digits.as_bytes()).value(digits.as_bytes())
    })
}

/// `Float.parseFloat`: the nearest float to the number, not to the double nearest to it.
pub fn parse_float(text: &str) -> Result<f32> {
    // Exact in a double, so that nothing is rounded twice.
    let nearest = |digits: &str| f64::from(digits.parse::<f32>().unwrap_or(f32::NAN));
    parse(text, hexadecimal::FLOAT, nearest).map(|value| value as f32)
}

fn parse(text: &str, format: Format, nearest: fn(&str) -> f64) -> Result<f64> {
    let trimmed = &text[text::trim(text)];
    if trimmed.is_empty() {
        return throw(NUMBER_FORMAT, "empty String");
    }
    let (negative, number) = match trimmed.as_bytes()[0] {
        b'-' => (true, &trimmed[1..]),
        b'+' => (false, &trimmed[1..]),
        _ => (false, trimmed),
    };
    match value(number, format, nearest) {
        // NaN has no sign in Java: every one is the canonical one.
        Some(value) => Ok(if negative && !value.is_nan() { -value } else { value }),
        None if has_two_points(number) => throw(NUMBER_FORMAT, "multiple points"),
        None => throw(NUMBER_FORMAT, format!("For input string: \"{trimmed}\"")),
    }
}

fn value(number: &str, format: Format, nearest: fn(&str) -> f64) -> Option<f64> {
    let digits = without_suffix(number);
    match number.as_bytes() {
        b"NaN" => Some(f64::NAN),
        b"Infinity" => Some(f64::INFINITY),
        [b'0', b'x' | b'X', ..] => hexadecimal::parse(digits.as_bytes(), format),
        _ => {
            let decimal = decimal::scan(digits.as_bytes());
            (decimal.len == digits.len() && decimal.is_number()).then(|| nearest(digits))
        }
    }
}

/// Whether Java stops at a second point among the digits; it says so in words of its own.
fn has_two_points(number: &str) -> bool {
    let digits = |c: &u8| c.is_ascii_digit() || *c == b'.';
    let hexadecimal = number.starts_with("0x") || number.starts_with("0X");
    !hexadecimal && number.bytes().take_while(digits).filter(|c| *c == b'.').count() > 1
}

/// The text without the letter of a type. `d` and `f` are hexadecimal digits, but behind the `p` they are the letter.
fn without_suffix(text: &str) -> &str {
    text.strip_suffix(['f', 'F', 'd', 'D']).unwrap_or(text)
}
