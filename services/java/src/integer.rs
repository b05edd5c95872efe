//! `java.lang.Integer` and `Long`: texts of whole numbers.
use crate::character as ch;
use crate::failure::{NUMBER_FORMAT, throw};
use crate::{Result, utf16};

/// `Integer.parseInt(String, int)`.
pub fn parse_int(text: &str, radix: i32) -> Result<i32> {
    parse(text, radix, i64::from(i32::MIN), i64::from(i32::MAX)).map(|value| value as i32)
}

/// `Long.parseLong(String, int)`.
pub fn parse_long(text: &str, radix: i32) -> Result<i64> {
    parse(text, radix, i64::MIN, i64::MAX)
}

/// `Short.parseShort(String, int)`.
pub fn parse_short(text: &str, radix: i32) -> Result<i16> {
    let value = parse_int(text, radix)?;
    i16::try_from(value).or_else(|_| out_of_range(text, radix))
}

/// `Byte.parseByte(String, int)`.
pub fn parse_byte(text: &str, radix: i32) -> Result<i8> {
    let value = parse_int(text, radix)?;
    i8::try_from(value).or_else(|_| out_of_range(text, radix))
}

fn out_of_range<T>(text: &str, radix: i32) -> Result<T> {
    throw(NUMBER_FORMAT, format!("Value out of range. Value:\"{text}\" Radix:{radix}"))
}

/// An optional sign and at least one digit of any script of the basic plane, within the bounds.
fn parse(text: &str, radix: i32, least: i64, most: i64) -> Result<i64> {
    if radix < 2 {
        return throw(NUMBER_FORMAT, format!("radix {radix} less than Character.MIN_RADIX"));
    }
    if radix > 36 {
        return throw(NUMBER_FORMAT, format!("radix {radix} greater than Character.MAX_RADIX"));
    }
    value(text, radix, least, most).map_or_else(|| no_number(text, radix), Ok)
}

fn value(text: &str, radix: i32, least: i64, most: i64) -> Option<i64> {
    let (negative, digits) = match text.as_bytes() {
        [b'-', ..] => (true, &text[1..]),
        [b'+', ..] => (false, &text[1..]),
        _ => (false, text),
    };
    if digits.is_empty() {
        return None;
    }
    let radix_long = i64::from(radix);
    let mut number = 0i64;
    // Counted downwards, since the least number has no positive.
    if digits.is_ascii() {
        for byte in digits.bytes() {
            let digit = ch::digit(i32::from(byte), radix);
            number = down(number, radix_long, digit)?;
        }
    } else {
        for unit in digits.encode_utf16() {
            let digit = ch::digit(i32::from(unit), radix);
            number = down(number, radix_long, digit)?;
        }
    }
    let number = if negative { number } else { number.checked_neg()? };
    (least..=most).contains(&number).then_some(number)
}

fn down(number: i64, radix: i64, digit: i32) -> Option<i64> {
    if digit < 0 {
        return None;
    }
    number.checked_mul(radix)?.checked_sub(i64::from(digit))
}

fn no_number<T>(text: &str, radix: i32) -> Result<T> {
    let under = if radix == 10 { String::new() } else { format!(" under radix {radix}") };
    throw(NUMBER_FORMAT, format!("For input string: \"{text}\"{under}"))
}

/// `Integer.decode`, `Long.decode`: an optional sign, then `0x`, `#` or `0` for another radix.
pub fn decode(text: &str, least: i64, most: i64) -> Result<i64> {
    if text.is_empty() {
        return throw(NUMBER_FORMAT, "Zero length string");
    }
    let (negative, rest) = match text.as_bytes()[0] {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (radix, digits) = match rest.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &rest[2..]),
        [b'#', ..] => (16, &rest[1..]),
        [b'0', _, ..] => (8, &rest[1..]),
        _ => (10, rest),
    };
    if digits.starts_with(['-', '+']) {
        return throw(NUMBER_FORMAT, "Sign character in wrong position");
    }
    match value(digits, radix, least, most) {
        Some(number) if !negative => Ok(number),
        Some(number) => Ok(-number),
        // The least number, which has no positive; else the message names the digits with the sign that Java tried.
        None => {
            let signed = if negative { format!("-{digits}") } else { digits.to_owned() };
            value(&signed, radix, least, most).map_or_else(|| no_number(&signed, radix), Ok)
        }
    }
}

/// `Integer.parseUnsignedInt(String, int)`.
pub fn parse_unsigned_int(text: &str, radix: i32) -> Result<i32> {
    if text.starts_with('-') {
        return throw(
            NUMBER_FORMAT,
            format!("Illegal leading minus sign on unsigned string {text}."),
        );
    }
    if text.is_empty() {
        return no_number(text, radix);
    }
    let value = parse_long(text, radix)?;
    match u32::try_from(value) {
        Ok(value) => Ok(value as i32),
        Err(_) => {
            throw(NUMBER_FORMAT, format!("String value {text} exceeds range of unsigned int."))
        }
    }
}

/// `Long.toString(long, int)` and `Integer.toString(int, int)`; an impossible radix is ten.
pub fn to_string(value: i64, radix: i32) -> String {
    let digits = to_unsigned_string(value.unsigned_abs(), radix);
    if value < 0 { format!("-{digits}") } else { digits }
}

/// `Long.toUnsignedString(long, int)`.
pub fn to_unsigned_string(mut value: u64, radix: i32) -> String {
    let radix = if (2..=36).contains(&radix) { radix as u64 } else { 10 };
    if radix == 10 {
        return value.to_string();
    }
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit((value % radix) as u32, radix as u32).unwrap_or('0'));
        value /= radix;
        if value == 0 {
            return digits.into_iter().rev().collect();
        }
    }
}

/// `Character.toString(char)`.
pub fn char_to_string(unit: u16) -> Result<String> {
    utf16::from_units(&[unit])
}

/// `Boolean.parseBoolean`.
pub fn parse_boolean(text: &str) -> bool {
    crate::text::equals_ignore_case(text, "true")
}
