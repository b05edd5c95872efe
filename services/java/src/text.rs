//! `java.lang.String`, but for what needs a regular expression or a format.
use crate::failure::{ILLEGAL_ARGUMENT, throw};
use crate::utf16::{self, Place};
use crate::{Failure, Result, case, character as ch};
use std::cmp::Ordering;
use std::ops::Range;

/// `trim` as a range of bytes: a blank is whatever is not above the space.
pub fn trim(text: &str) -> Range<usize> {
    let bytes = text.as_bytes();
    let from = bytes.iter().position(|byte| *byte > b' ').unwrap_or(bytes.len());
    let to = bytes.iter().rposition(|byte| *byte > b' ').map_or(from, |last| last + 1);
    from..to
}

fn is_space(c: char) -> bool {
    ch::is_whitespace(u32::from(c) as i32)
}

/// `stripLeading` as a range of bytes.
pub fn strip_leading(text: &str) -> Range<usize> {
    text.len() - text.trim_start_matches(is_space).len()..text.len()
}

/// `stripTrailing` as a range of bytes.
pub fn strip_trailing(text: &str) -> Range<usize> {
    0..text.trim_end_matches(is_space).len()
}

/// `strip` as a range of bytes.
pub fn strip(text: &str) -> Range<usize> {
    let from = strip_leading(text).start;
    from..from + text[from..].trim_end_matches(is_space).len()
}

/// `isBlank`.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(is_space)
}

/// `compareTo`: the difference of the first units that differ, else of the lengths.
pub fn compare(a: &str, b: &str) -> i32 {
    if a.is_ascii() && b.is_ascii() {
        let differ = a.bytes().zip(b.bytes()).find(|(a, b)| a != b);
        let differ = differ.map(|(a, b)| i32::from(a) - i32::from(b));
        return differ.unwrap_or_else(|| (a.len() as i32).wrapping_sub(b.len() as i32));
    }
    let differ = a.encode_utf16().zip(b.encode_utf16()).find(|(a, b)| a != b);
    let differ = differ.map(|(a, b)| i32::from(a) - i32::from(b));
    differ.unwrap_or_else(|| (utf16::length(a) as i32).wrapping_sub(utf16::length(b) as i32))
}

/// The order of `compareTo`.
pub fn order(a: &str, b: &str) -> Ordering {
    compare(a, b).cmp(&0)
}

/// The case-blind form in which JDK 17 compares units (and, between texts of wide characters, whole characters).
fn folded(code: i32) -> i32 {
    ch::to_lower_case(ch::to_upper_case(code))
}

/// `compareToIgnoreCase`.
pub fn compare_ignore_case(a: &str, b: &str) -> i32 {
    let [latin_a, latin_b] = [a, b].map(utf16::is_latin1);
    if latin_a || latin_b {
        let fold = |unit: u16| folded(i32::from(unit));
        let mut pairs = a.encode_utf16().map(fold).zip(b.encode_utf16().map(fold));
        let differ = pairs.find(|(a, b)| a != b).map(|(a, b)| a - b);
        return differ
            .unwrap_or_else(|| (utf16::length(a) as i32).wrapping_sub(utf16::length(b) as i32));
    }
    // Characters of two units are compared as characters.
    let fold = |c: char| folded(u32::from(c) as i32);
    let differ = a.chars().zip(b.chars()).find(|(a, b)| fold(*a) != fold(*b));
    match differ {
        Some((a, b)) => fold(a) - fold(b),
        None => (utf16::length(a) as i32).wrapping_sub(utf16::length(b) as i32),
    }
}

/// `equalsIgnoreCase`, on non-null texts.
pub fn equals_ignore_case(a: &str, b: &str) -> bool {
    if a.is_ascii() && b.is_ascii() {
        return a.eq_ignore_ascii_case(b);
    }
    let length = utf16::length(a);
    length == utf16::length(b)
        && region_matches(a, true, 0, b, 0, i32::try_from(length).unwrap_or(i32::MAX))
}

/// `regionMatches`.
pub fn region_matches(
    a: &str,
    ignore_case: bool,
    offset: i32,
    b: &str,
    other: i32,
    count: i32,
) -> bool {
    let fits = |text: &str, at: i32| {
        at >= 0 && i64::from(at) <= utf16::length(text) as i64 - i64::from(count)
    };
    if !fits(a, offset) || !fits(b, other) {
        return false;
    }
    if count <= 0 {
        return true;
    }
    let units = |text: &str, at: i32| -> Vec<u16> {
        text.encode_utf16().skip(at as usize).take(count as usize).collect()
    };
    if a.is_ascii() && b.is_ascii() {
        let [offset, other, count] = [offset, other, count].map(|number| number as usize);
        let (a, b) = (&a[offset..offset + count], &b[other..other + count]);
        return if ignore_case { a.eq_ignore_ascii_case(b) } else { a == b };
    }
    let (units_a, units_b) = (units(a, offset), units(b, other));
    if !ignore_case {
        return units_a == units_b;
    }
    let wide = !utf16::is_latin1(a) && !utf16::is_latin1(b);
    equal_but_for_case(&units_a, &units_b, wide)
}

/// JDK 17 compares units; two texts of wide characters are compared by whole characters where both have one.
fn equal_but_for_case(a: &[u16], b: &[u16], wide: bool) -> bool {
    if wide {
        let fold = |units: &[u16]| -> Vec<i32> {
            let point = |unit: std::result::Result<char, std::char::DecodeUtf16Error>| match unit {
                Ok(c) => folded(u32::from(c) as i32),
                Err(error) => i32::from(error.unpaired_surrogate()),
            };
            char::decode_utf16(units.iter().copied()).map(point).collect()
        };
        return fold(a) == fold(b);
    }
    a.iter().zip(b).all(|(a, b)| case::equal_units(*a, *b))
}

/// `indexOf(int, int)`: the index of a code point from an index on; -1 if there is none.
pub fn index_of_char(text: &str, code: i32, from: i32) -> i32 {
    let from = from.max(0) as usize;
    if text.is_ascii() {
        let Ok(byte) = u8::try_from(code) else { return -1 };
        let found = text.as_bytes().get(from..).and_then(|rest| memchr::memchr(byte, rest));
        return found.map_or(-1, |at| (from + at) as i32);
    }
    let Ok(code) = u32::try_from(code) else { return -1 };
    match char::from_u32(code) {
        Some(c) => {
            let start = match utf16::place(text, from) {
                Place::At(byte) => byte,
                Place::Within(byte) => byte + 4,
                Place::Behind => return -1,
            };
            let found = text[start..].find(c);
            found.map_or(-1, |at| utf16::index(text, start + at) as i32)
        }
        // A half of a character is found where it stands.
        None => {
            let mut units = text.encode_utf16().enumerate().skip(from);
            units.find(|(_, unit)| u32::from(*unit) == code).map_or(-1, |(at, _)| at as i32)
        }
    }
}

/// `lastIndexOf(int, int)`: the last index of a code point up to an index.
pub fn last_index_of_char(text: &str, code: i32, from: i32) -> i32 {
    let Ok(from) = usize::try_from(from) else { return -1 };
    let Ok(code) = u32::try_from(code) else { return -1 };
    let mut last = -1;
    let mut at = 0;
    let half = char::from_u32(code).is_none();
    for c in text.chars() {
        let mut units = [0; 2];
        let found = match half {
            false => u32::from(c) == code,
            true => false,
        };
        if found && at <= from {
            last = at as i32;
        }
        for unit in c.encode_utf16(&mut units) {
            if half && u32::from(*unit) == code && at <= from {
                last = at as i32;
            }
            at += 1;
        }
    }
    last
}

/// `indexOf(String, int)`.
pub fn index_of(text: &str, wanted: &str, from: i32) -> i32 {
    let from = from.max(0) as usize;
    if from == 0 {
        let found = memchr::memmem::find(text.as_bytes(), wanted.as_bytes());
        return found.map_or(-1, |byte| utf16::index(text, byte) as i32);
    }
    let start = match utf16::place(text, from) {
        Place::At(byte) => byte,
        // Whole characters begin behind this one; an empty text is found between the halves.
        Place::Within(_) if wanted.is_empty() => return from as i32,
        Place::Within(byte) => byte + 4,
        Place::Behind => {
            return if wanted.is_empty() { utf16::length(text) as i32 } else { -1 };
        }
    };
    let found = memchr::memmem::find(&text.as_bytes()[start..], wanted.as_bytes());
    found.map_or(-1, |byte| utf16::index(text, start + byte) as i32)
}

/// `lastIndexOf(String, int)`.
pub fn last_index_of(text: &str, wanted: &str, from: i32) -> i32 {
    let Ok(from) = usize::try_from(from) else { return -1 };
    let end = match utf16::place(text, from) {
        Place::At(byte) => byte,
        Place::Within(_) if wanted.is_empty() => return from as i32,
        Place::Within(byte) => byte,
        Place::Behind => text.len(),
    };
    let within = &text.as_bytes()[..text.len().min(end.saturating_add(wanted.len()))];
    let found = memchr::memmem::rfind(within, wanted.as_bytes());
    found.map_or(-1, |byte| utf16::index(text, byte) as i32)
}

/// `startsWith(String, int)`.
pub fn starts_with(text: &str, prefix: &str, offset: i32) -> bool {
    let Ok(offset) = usize::try_from(offset) else { return false };
    match utf16::place(text, offset) {
        Place::At(byte) => text[byte..].starts_with(prefix),
        Place::Within(_) => prefix.is_empty(),
        Place::Behind => false,
    }
}

/// `replace(CharSequence, CharSequence)`.
pub fn replace(text: &str, target: &str, with: &str) -> Result<String> {
    if target.is_empty() && text.chars().any(|c| c.len_utf16() == 2) {
        // Java puts the replacement between the halves, too.
        return if with.is_empty() { Ok(text.to_owned()) } else { Err(Failure::Surrogate) };
    }
    Ok(text.replace(target, with))
}

/// `replace(char, char)`.
pub fn replace_char(text: &str, from: u16, to: u16) -> Result<String> {
    match (char::from_u32(from.into()), char::from_u32(to.into())) {
        (Some(from), Some(to)) => Ok(text.replace(from, to.encode_utf8(&mut [0; 4]))),
        _ => {
            let swap = |unit: u16| if unit == from { to } else { unit };
            utf16::from_units(&text.encode_utf16().map(swap).collect::<Vec<_>>())
        }
    }
}

/// `repeat`.
pub fn repeat(text: &str, count: i32, limit: usize) -> Result<String> {
    match usize::try_from(count) {
        Err(_) => throw(ILLEGAL_ARGUMENT, format!("count is negative: {count}")),
        Ok(count) if text.len().saturating_mul(count) <= limit => Ok(text.repeat(count)),
        Ok(_) => Err(Failure::Uncertain("a text beyond the memory budget")),
    }
}

/// The lines that `lines()` streams.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text).filter(|text| !text.is_empty());
    std::iter::from_fn(move || {
        let text = rest?;
        let Some(end) = text.find(['\n', '\r']) else {
            rest = None;
            return Some(text);
        };
        let behind = match text[end..].starts_with("\r\n") {
            true => end + 2,
            false => end + 1,
        };
        rest = Some(&text[behind..]).filter(|text| !text.is_empty());
        Some(&text[..end])
    })
}
