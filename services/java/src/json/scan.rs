//! A text, read character by character.
use crate::{Failure, Result, utf16};

/// A place in a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scan<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
}

impl<'a> Scan<'a> {
    pub(super) fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(super) fn char(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn eat(&mut self, wanted: u8) -> bool {
        let found = self.byte() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    pub(super) fn skip(&mut self, blanks: &[u8]) {
        while self.byte().is_some_and(|byte| blanks.contains(&byte)) {
            self.at += 1;
        }
    }

    pub(super) fn digits(&mut self) -> usize {
        let from = self.at;
        while self.byte().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - from
    }

    /// Four hexadecimal digits.
    pub(super) fn unit(&mut self) -> Option<u16> {
        let digits = self.text.as_bytes().get(self.at..self.at + 4)?;
        if !digits.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        self.at += 4;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    }
}

/// A text that grows by characters and by UTF-16 units.
#[derive(Debug, Default)]
pub(super) struct Units {
    text: String,
    high: Option<u16>,
}

impl Units {
    pub(super) fn push_str(&mut self, text: &str) -> Result<()> {
        self.whole()?;
        self.text.push_str(text);
        Ok(())
    }

    pub(super) fn push(&mut self, unit: u16) -> Result<()> {
        match (self.high.take(), unit) {
            (Some(high), 0xDC00..=0xDFFF) => {
                self.text.push_str(&utf16::from_units(&[high, unit])?);
            }
            (Some(_), _) => return Err(Failure::Surrogate),
            (None, 0xD800..=0xDBFF) => self.high = Some(unit),
            (None, unit) => self.text.push_str(&utf16::from_units(&[unit])?),
        }
        Ok(())
    }

    fn whole(&self) -> Result<()> {
        if self.high.is_some() { Err(Failure::Surrogate) } else { Ok(()) }
    }

    pub(super) fn finish(self) -> Result<String> {
        self.whole()?;
        Ok(self.text)
    }
}
