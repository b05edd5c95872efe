//! The pieces of a format.
use crate::{Failure, Result};

/// Which argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Index {
    /// The next one.
    Ordinary,
    /// The one before.
    Last,
    /// From 1.
    Explicit(usize),
}

/// `%[index$][flags][width][.precision]conversion`.
#[derive(Debug, Clone)]
pub(super) struct Specifier {
    pub(super) index: Index,
    pub(super) flags: String,
    pub(super) width: Option<usize>,
    pub(super) precision: Option<usize>,
    pub(super) conversion: char,
}

impl std::fmt::Display for Specifier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let flags = "-#+ 0,(".chars().filter(|flag| self.has(*flag)).collect::<String>();
        write!(f, "%{flags}")?;
        match self.index {
            Index::Ordinary => {}
            Index::Last => f.write_str("<")?,
            Index::Explicit(number) => write!(f, "{number}$")?,
        }
        if let Some(width) = self.width {
            write!(f, "{width}")?;
        }
        if let Some(precision) = self.precision {
            write!(f, ".{precision}")?;
        }
        write!(f, "{}", self.conversion)
    }
}

impl Specifier {
    pub(super) fn has(&self, flag: char) -> bool {
        self.flags.contains(flag)
    }

    /// Whether each of its parts has a meaning; what Java says to the others is not worth knowing.
    fn is_plain(&self) -> bool {
        let only = |allowed: &str| self.flags.chars().all(|flag| allowed.contains(flag));
        let flags = match self.conversion.to_ascii_lowercase() {
            's' | 'b' | 'h' => only("-"),
            'c' => only("-") && self.precision.is_none(),
            'd' => only("-+ 0,(") && self.precision.is_none(),
            'x' | 'o' => only("-#0") && self.precision.is_none(),
            'e' => only("-+ 0("),
            'f' | 'g' => only("-+ 0,("),
            '%' => only("-") && self.precision.is_none() && self.index == Index::Ordinary,
            'n' => only("") && self.width.is_none() && self.precision.is_none(),
            _ => false,
        };
        let upper = !self.conversion.is_ascii_uppercase() || "SBHCXEG".contains(self.conversion);
        let pairs = !(self.has('-') && self.has('0') || self.has('+') && self.has(' '));
        let twice =
            self.flags.chars().enumerate().any(|(at, flag)| self.flags[..at].contains(flag));
        let width = self.width.is_some() || !(self.has('-') || self.has('0'));
        flags && upper && pairs && !twice && width
    }
}

/// A piece.
#[derive(Debug, Clone)]
pub(super) enum Piece {
    Text(String),
    Specifier(Specifier),
}

pub(super) fn parse(format: &str) -> Result<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut rest = format;
    while let Some(start) = rest.find('%') {
        if start > 0 {
            pieces.push(Piece::Text(rest[..start].to_owned()));
        }
        let (specifier, length) = specifier(&rest[start..])?;
        pieces.push(Piece::Specifier(specifier));
        rest = &rest[start + length..];
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest.to_owned()));
    }
    Ok(pieces)
}

/// The specifier at the beginning of a text, and how long it is.
fn specifier(text: &str) -> Result<(Specifier, usize)> {
    const REFUSED: Failure = Failure::Uncertain("a specifier of the format");
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        let count = bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        (from + count, text[from..from + count].parse::<usize>().ok())
    };
    let mut at = 1;
    let mut index = Index::Ordinary;
    if bytes.get(1).is_some_and(|byte| (b'1'..=b'9').contains(byte)) {
        let (end, number) = digits(1);
        if bytes.get(end) == Some(&b'$') {
            index = Index::Explicit(number.ok_or(REFUSED)?);
            at = end + 1;
        }
    }
    let flags = bytes[at..].iter().take_while(|byte| b"-#+ 0,(<".contains(byte)).count();
    let mut found = text[at..at + flags].to_owned();
    at += flags;
    if found.contains('<') {
        if index != Index::Ordinary {
            return Err(REFUSED);
        }
        index = Index::Last;
        found = found.replacen('<', "", 1);
    }
    let mut width = None;
    if bytes.get(at).is_some_and(u8::is_ascii_digit) {
        let (end, number) = digits(at);
        width = Some(number.ok_or(REFUSED)?);
        at = end;
    }
    let mut precision = None;
    if bytes.get(at) == Some(&b'.') {
        let (end, number) = digits(at + 1);
        precision = Some(number.ok_or(REFUSED)?);
        at = end;
    }
    let Some(&conversion) = bytes.get(at).filter(|byte| byte.is_ascii()) else {
        return Err(REFUSED);
    };
    let specifier =
        Specifier { index, flags: found, width, precision, conversion: char::from(conversion) };
    if specifier.is_plain() { Ok((specifier, at + 1)) } else { Err(REFUSED) }
}
