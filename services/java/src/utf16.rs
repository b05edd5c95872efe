//! UTF-16 indices into UTF-8 texts.
use crate::failure::{INDEX, STRING_INDEX, throw};
use crate::{Failure, Result};

/// UTF-16 units of a text (`String.length`): a character of four bytes takes two, any other one.
pub fn length(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    let bytes = text.as_bytes();
    let starts = bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count();
    starts + bytes.iter().filter(|byte| **byte >= 0xF0).count()
}

/// Where a UTF-16 index lies in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// At this byte, where a character begins, or at the end.
    At(usize),
    /// Between the two units of the character that begins at this byte.
    Within(usize),
    /// Behind the end.
    Behind,
}

/// Where a UTF-16 index lies.
pub fn place(text: &str, index: usize) -> Place {
    if text.is_ascii() {
        return if index <= text.len() { Place::At(index) } else { Place::Behind };
    }
    let mut units = 0;
    for (byte, c) in text.char_indices() {
        if units == index {
            return Place::At(byte);
        }
        units += c.len_utf16();
        if units > index {
            return Place::Within(byte);
        }
    }
    if units == index { Place::At(text.len()) } else { Place::Behind }
}

/// The byte of an index that is at most the length; the error of an index within a character is [`Failure::Surrogate`].
pub(crate) fn byte(text: &str, index: usize) -> Result<usize> {
    match place(text, index) {
        Place::At(byte) => Ok(byte),
        Place::Within(_) => Err(Failure::Surrogate),
        Place::Behind => string_index(index as i64),
    }
}

pub(crate) fn string_index<T>(index: i64) -> Result<T> {
    throw(STRING_INDEX, format!("index {index}"))
}

/// The UTF-16 index of a byte.
pub fn index(text: &str, byte: usize) -> usize {
    length(&text[..byte])
}

/// The unit at an index, if there is one.
pub(crate) fn unit(text: &str, index: usize) -> Option<u16> {
    let (byte, low) = match place(text, index) {
        Place::At(byte) => (byte, false),
        Place::Within(byte) => (byte, true),
        Place::Behind => return None,
    };
    let c = text[byte..].chars().next()?;
    let mut units = [0; 2];
    let units = c.encode_utf16(&mut units);
    units.get(usize::from(low)).copied()
}

/// `String.charAt`.
pub fn char_at(text: &str, index: i32) -> Result<u16> {
    let found = usize::try_from(index).ok().and_then(|index| unit(text, index));
    match found {
        Some(unit) => Ok(unit),
        None if is_latin1(text) => string_index_out_of_range(index),
        None => out_of_bounds(index, length(text)),
    }
}

/// Whether Java keeps the text in bytes; some messages of exceptions differ by that.
pub fn is_latin1(text: &str) -> bool {
    text.is_ascii() || text.chars().all(|c| u32::from(c) < 0x100)
}

fn string_index_out_of_range<T>(index: i32) -> Result<T> {
    throw(STRING_INDEX, format!("String index out of range: {index}"))
}

fn out_of_bounds<T>(index: i32, length: usize) -> Result<T> {
    throw(STRING_INDEX, format!("index {index}, length {length}"))
}

/// `String.codePointAt`.
pub fn code_point_at(text: &str, index: i32) -> Result<i32> {
    let Ok(at) = usize::try_from(index) else { return out_of_bounds(index, length(text)) };
    match place(text, at) {
        Place::At(byte) if byte < text.len() => {
            Ok(text[byte..].chars().next().map_or(0, |c| u32::from(c) as i32))
        }
        Place::Within(_) => Ok(unit(text, at).map_or(0, i32::from)),
        _ => out_of_bounds(index, length(text)),
    }
}

/// `String.codePointBefore`.
pub fn code_point_before(text: &str, index: i32) -> Result<i32> {
    let before = usize::try_from(index).ok().and_then(|index| index.checked_sub(1));
    let Some(before) = before else { return string_index_out_of_range(index) };
    match place(text, before) {
        Place::At(byte) if byte < text.len() => {
            let c = text[byte..].chars().next().unwrap_or_default();
            match c.len_utf16() {
                1 => Ok(u32::from(c) as i32),
                _ => Ok(unit(text, before).map_or(0, i32::from)),
            }
        }
        Place::Within(byte) => Ok(text[byte..].chars().next().map_or(0, |c| u32::from(c) as i32)),
        _ => string_index_out_of_range(index),
    }
}

/// `String.codePointCount`.
pub fn code_point_count(text: &str, begin: i32, end: i32) -> Result<i32> {
    let length = length(text) as i32;
    if begin < 0 || begin > end || end > length {
        return Err(Failure::Throws(crate::Exception {
            class: INDEX,
            message: None,
            vague: false,
        }));
    }
    let (begin, end) = (begin as usize, end as usize);
    if begin == end {
        return Ok(0);
    }
    // A lone half at either end counts as a point.
    let (from, head) = match place(text, begin) {
        Place::Within(byte) if end > begin => (byte + 4, 1),
        Place::Within(byte) => (byte, 0),
        Place::At(byte) => (byte, 0),
        Place::Behind => (text.len(), 0),
    };
    let (to, tail) = match place(text, end) {
        Place::Within(byte) if byte >= from => (byte, 1),
        Place::Within(_) => (from, 0),
        Place::At(byte) => (byte.max(from), 0),
        Place::Behind => (text.len(), 0),
    };
    Ok((head + tail + text[from..to].chars().count()) as i32)
}

/// `String.substring(int, int)` as a range of bytes.
pub fn substring(text: &str, begin: i32, end: i32) -> Result<std::ops::Range<usize>> {
    // The common case first.
    if text.is_ascii() && 0 <= begin && begin <= end && end as usize <= text.len() {
        return Ok(begin as usize..end as usize);
    }
    let length = length(text) as i32;
    if begin < 0 || begin > end || end > length {
        return throw(STRING_INDEX, format!("begin {begin}, end {end}, length {length}"));
    }
    if begin == end {
        return Ok(0..0);
    }
    Ok(byte(text, begin as usize)?..byte(text, end as usize)?)
}

/// `String.substring(int)` as a range of bytes.
pub fn substring_from(text: &str, begin: i32) -> Result<std::ops::Range<usize>> {
    let length = length(text) as i32;
    if begin < 0 || begin > length {
        return throw(STRING_INDEX, format!("begin {begin}, end {length}, length {length}"));
    }
    if begin == length {
        return Ok(text.len()..text.len());
    }
    Ok(byte(text, begin as usize)?..text.len())
}

/// A text of UTF-16 units.
pub fn from_units(units: &[u16]) -> Result<String> {
    String::from_utf16(units).map_err(|_| Failure::Surrogate)
}

/// `Character.toString(int)`, one code point.
pub fn from_code_point(code: i32) -> Result<char> {
    match u32::try_from(code).ok().filter(|code| *code <= 0x10_FFFF) {
        None => throw(
            crate::failure::ILLEGAL_ARGUMENT,
            format!("Not a valid Unicode code point: 0x{:X}", code as u32),
        ),
        Some(code) => char::from_u32(code).ok_or(Failure::Surrogate),
    }
}
