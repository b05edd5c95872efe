//! `Double.toString` and `Float.toString`.
use super::digits::{Binary, Digits, digits};

/// `Double.toString`.
pub fn double_to_string(value: f64) -> String {
    match special(value) {
        Some(text) => text.to_owned(),
        None => print(value < 0.0, &digits(Binary::of_double(value), true)),
    }
}

/// `Float.toString`.
pub fn float_to_string(value: f32) -> String {
    match special(f64::from(value)) {
        Some(text) => text.to_owned(),
        None => print(value < 0.0, &digits(Binary::of_float(value), true)),
    }
}

fn special(value: f64) -> Option<&'static str> {
    Some(match value {
        _ if value.is_nan() => "NaN",
        f64::INFINITY => "Infinity",
        f64::NEG_INFINITY => "-Infinity",
        _ if value == 0.0 && value.is_sign_negative() => "-0.0",
        0.0 => "0.0",
        _ => return None,
    })
}

/// Plain from a thousandth to below ten million, else in the exponential form; a digit on both sides of the point.
fn print(negative: bool, Digits { digits, exponent }: &Digits) -> String {
    let mut text = String::with_capacity(26);
    if negative {
        text.push('-');
    }
    let put = |text: &mut String, digits: &[u8]| {
        text.extend(digits.iter().map(|digit| char::from(*digit)));
        if digits.is_empty() {
            text.push('0');
        }
    };
    match *exponent {
        whole @ 1..8 => {
            let split = digits.len().min(whole as usize);
            put(&mut text, &digits[..split]);
            text.extend(std::iter::repeat_n('0', whole as usize - split));
            text.push('.');
            put(&mut text, &digits[split..]);
        }
        zeros @ -2..=0 => {
            text.push_str("0.");
            text.extend(std::iter::repeat_n('0', -zeros as usize));
            put(&mut text, digits);
        }
        exponent => {
            put(&mut text, &digits[..1]);
            text.push('.');
            put(&mut text, &digits[1..]);
            text.push('E');
            text.push_str(&(exponent - 1).to_string());
        }
    }
    text
}
