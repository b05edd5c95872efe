//! Lower and upper case of texts, in locales without rules of their own (all but Azeri, Lithuanian and Turkish).
use crate::character as ch;
use crate::{Failure, Result};

/// `String.toLowerCase(Locale.ROOT)`.
pub fn to_lower_case(text: &str) -> Result<String> {
    if text.is_ascii() {
        return Ok(text.to_ascii_lowercase());
    }
    let mut lower = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        match c {
            'Σ' => lower.push(if is_final(text, at)? { 'ς' } else { 'σ' }),
            'İ' => lower.push_str("i\u{307}"),
            c => lower.push(mapped(c, ch::to_lower_case)),
        }
    }
    Ok(lower)
}

/// `String.toUpperCase(Locale.ROOT)`.
pub fn to_upper_case(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_uppercase();
    }
    let mut upper = String::with_capacity(text.len());
    for c in text.chars() {
        match ch::long_upper_case(c) {
            Some(more) => upper.push_str(more),
            None => upper.push(mapped(c, ch::to_upper_case)),
        }
    }
    upper
}

fn mapped(c: char, map: fn(i32) -> i32) -> char {
    char::from_u32(map(u32::from(c) as i32) as u32).unwrap_or(c)
}

/// Whether the sigma at a byte is the last letter of its word and not its first. Java asks its word iterator, whose rules for marks, points
/// and apostrophes are not certain; between letters, and between a letter and a blank or the end, they are.
fn is_final(text: &str, at: usize) -> Result<bool> {
    let cased = |c: char| {
        let code = u32::from(c) as i32;
        ch::is_upper_case(code) || ch::is_lower_case(code) || ch::is_title_case(code)
    };
    // Scripts whose letters are cased and make one word together.
    let plain = |c: &char| matches!(c, 'A'..='Z' | 'a'..='z' | 'Α'..='Ρ' | 'Σ'..='Ω' | 'ά'..='ώ');
    let blank = |c: &char| matches!(c, ' ' | '\t' | '\n' | '\r' | '!' | '"' | '(' | ')' | '?');
    match text[..at].chars().next_back() {
        None => return Ok(false),
        Some(c) if blank(&c) => return Ok(false),
        Some(c) if plain(&c) && cased(c) => {}
        Some(_) => return Err(Failure::Uncertain("the lower case of a sigma beside a mark")),
    }
    match text[at + 'Σ'.len_utf8()..].chars().next() {
        None => Ok(true),
        Some(c) if blank(&c) => Ok(true),
        Some(c) if plain(&c) && cased(c) => Ok(false),
        Some(_) => Err(Failure::Uncertain("the lower case of a sigma beside a mark")),
    }
}

/// Whether two units are the same but for their case, as `equalsIgnoreCase` and `regionMatches` see it.
pub(crate) fn equal_units(a: u16, b: u16) -> bool {
    if a == b {
        return true;
    }
    let [a, b] = [a, b].map(upper_unit);
    a == b || lower_unit(a) == lower_unit(b)
}

/// `Character.toUpperCase(char)`.
pub fn upper_unit(unit: u16) -> u16 {
    ch::to_upper_case(i32::from(unit)) as u16
}

/// `Character.toLowerCase(char)`.
pub fn lower_unit(unit: u16) -> u16 {
    ch::to_lower_case(i32::from(unit)) as u16
}
