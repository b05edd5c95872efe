//! UTF-16 indices into texts that are not ASCII.
//!
//! Functions walk through a text by index. What was looked up last is kept, so that the next index is found from there.
use crate::memory::{Memory, Span};

/// A place in a text that was looked up last.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cursor {
    /// The text; 0, which is empty, where none was.
    text: u64,
    /// Its length in units.
    length: usize,
    unit: usize,
    byte: usize,
}

/// A text longer than this, of which a part was cut, is not looked through for ASCII.
const SHORT: usize = 64;

fn units(bytes: &[u8]) -> usize {
    let starts = bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count();
    starts + bytes.iter().filter(|byte| **byte >= 0xF0).count()
}

/// The bytes of the character that begins with this one.
fn width(first: u8) -> usize {
    match first {
        0..=0x7F => 1,
        0x80..=0xDF => 2,
        0xE0..=0xEF => 3,
        _ => 4,
    }
}

impl Memory<'_> {
    /// Points the cursor at a text.
    fn look_at(&mut self, text: u64) {
        if self.cursor.text != text {
            self.work(Span(text).len());
            let length = units(self.bytes(text));
            self.cursor = Cursor { text, length, unit: 0, byte: 0 };
        }
    }

    /// The UTF-16 units of a text.
    #[inline]
    pub(crate) fn units(&mut self, text: u64) -> usize {
        let span = Span(text);
        if span.is_ascii() {
            return span.len();
        }
        self.look_at(text);
        self.cursor.length
    }

    /// The byte at which the character of an index begins, and whether the index is that of its second unit; none behind the end.
    fn character(&mut self, text: u64, index: usize) -> Option<(usize, bool)> {
        self.look_at(text);
        let Cursor { length, mut unit, mut byte, .. } = self.cursor;
        if index > length {
            return None;
        }
        if index < unit && index < unit - index {
            (unit, byte) = (0, 0);
        }
        let walked = unit.abs_diff(index);
        let bytes = self.bytes(text);
        while unit > index {
            byte -= 1;
            while bytes[byte] & 0xC0 == 0x80 {
                byte -= 1;
            }
            unit -= if bytes[byte] >= 0xF0 { 2 } else { 1 };
        }
        while unit < index {
            let wide = bytes[byte] >= 0xF0;
            if wide && unit + 1 == index {
                break;
            }
            unit += if wide { 2 } else { 1 };
            byte += width(bytes[byte]);
        }
        self.cursor.unit = unit;
        self.cursor.byte = byte;
        self.work(walked);
        Some((byte, unit < index))
    }

    /// The unit at an index.
    pub(crate) fn unit_at(&mut self, text: u64, index: usize) -> Option<u16> {
        let (byte, second) = self.character(text, index)?;
        let bytes = self.bytes(text).get(byte..)?;
        let first = *bytes.first()?;
        if first < 0x80 {
            return Some(u16::from(first));
        }
        let c = std::str::from_utf8(&bytes[..width(first)]).ok()?.chars().next()?;
        c.encode_utf16(&mut [0; 2]).get(usize::from(second)).copied()
    }

    /// The part between two indices; none where that is not within the text, or cuts a character in half.
    pub(crate) fn part(&mut self, text: u64, from: usize, to: usize) -> Option<u64> {
        let (start, half) = self.character(text, from)?;
        let (end, other_half) = self.character(text, to)?;
        if half || other_half || start > end {
            return None;
        }
        let part = Span(text).part(start, end);
        Some(part.known_ascii(end - start <= SHORT && self.bytes(part.0).is_ascii()).0)
    }

    /// The index from another on at which an ASCII character stands first.
    pub(crate) fn index_of(&mut self, text: u64, wanted: u8, from: usize) -> Option<usize> {
        let (start, _) = self.character(text, from)?;
        let unit = self.cursor.unit;
        let bytes = &self.bytes(text)[start..];
        // The second unit of a character is no ASCII character, so the search may begin at the first.
        let found = memchr::memchr(wanted, bytes)?;
        let index = unit + units(&bytes[..found]);
        self.cursor.unit = index;
        self.cursor.byte = start + found;
        self.work(found);
        Some(index)
    }

    /// How many ASCII characters from an index on pass a test.
    pub(crate) fn span_of(&mut self, text: u64, from: usize, test: impl Fn(u8) -> bool) -> usize {
        let start = match Span(text).is_ascii() {
            true => from,
            false => match self.character(text, from) {
                Some((byte, false)) => byte,
                _ => return 0,
            },
        };
        let bytes = self.bytes(text).get(start..).unwrap_or_default();
        bytes.iter().position(|byte| !test(*byte)).unwrap_or(bytes.len())
    }
}
