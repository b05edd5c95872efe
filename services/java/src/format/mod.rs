//! `java.util.Formatter` in English locales: `String.format`.
mod float;
mod specifier;

use crate::failure::throw;
use crate::{Failure, Result, case, utf16};
use specifier::{Index, Specifier};

/// An argument.
#[derive(Debug, Clone)]
pub enum Argument {
    /// Null.
    Null,
    /// A text.
    Text(String),
    /// A boolean.
    Bool(bool),
    /// A char.
    Char(u16),
    /// A byte.
    Byte(i8),
    /// A short.
    Short(i16),
    /// An int.
    Int(i32),
    /// A long.
    Long(i64),
    /// A float.
    Float(f32),
    /// A double.
    Double(f64),
    /// Another object: its class, and its text, if that is certain.
    Other(String, Option<String>),
}

impl Argument {
    fn class(&self) -> &str {
        match self {
            Argument::Null => "null",
            Argument::Text(_) => "java.lang.String",
            Argument::Bool(_) => "java.lang.Boolean",
            Argument::Char(_) => "java.lang.Character",
            Argument::Byte(_) => "java.lang.Byte",
            Argument::Short(_) => "java.lang.Short",
            Argument::Int(_) => "java.lang.Integer",
            Argument::Long(_) => "java.lang.Long",
            Argument::Float(_) => "java.lang.Float",
            Argument::Double(_) => "java.lang.Double",
            Argument::Other(class, _) => class,
        }
    }

    /// `String.valueOf`.
    fn text(&self) -> Result<String> {
        Ok(match self {
            Argument::Null => "null".to_owned(),
            Argument::Text(text) => text.clone(),
            Argument::Bool(value) => value.to_string(),
            Argument::Char(unit) => utf16::from_units(&[*unit])?,
            Argument::Byte(value) => value.to_string(),
            Argument::Short(value) => value.to_string(),
            Argument::Int(value) => value.to_string(),
            Argument::Long(value) => value.to_string(),
            Argument::Float(value) => crate::floating::float_to_string(*value),
            Argument::Double(value) => crate::floating::double_to_string(*value),
            Argument::Other(_, Some(text)) => text.clone(),
            Argument::Other(_, None) => return Err(Failure::Uncertain("the text of an object")),
        })
    }

    /// A whole number, and its bits where it is negative.
    fn whole(&self) -> Option<(i64, u32)> {
        match *self {
            Argument::Byte(value) => Some((value.into(), 8)),
            Argument::Short(value) => Some((value.into(), 16)),
            Argument::Int(value) => Some((value.into(), 32)),
            Argument::Long(value) => Some((value, 64)),
            _ => None,
        }
    }
}

/// Whether a format is certain, whatever its arguments are.
pub fn check(format: &str) -> Result<()> {
    specifier::parse(format).map(|_| ())
}

/// `String.format`.
pub fn format(format: &str, arguments: &[Argument], limit: usize) -> Result<String> {
    let mut out = String::new();
    let (mut ordinary, mut last) = (0, None);
    for piece in specifier::parse(format)? {
        let specifier = match piece {
            specifier::Piece::Text(text) => {
                out.push_str(&text);
                continue;
            }
            specifier::Piece::Specifier(specifier) => specifier,
        };
        if specifier.width.unwrap_or(0).max(specifier.precision.unwrap_or(0)) > limit {
            return Err(Failure::Uncertain("a text beyond the memory budget"));
        }
        match specifier.conversion {
            '%' => out.push_str(&specifier.justified("%".to_owned())),
            'n' => out.push('\n'),
            _ => {
                let index = match specifier.index {
                    Index::Ordinary => {
                        ordinary += 1;
                        Some(ordinary - 1)
                    }
                    Index::Last => last,
                    Index::Explicit(number) => Some(number - 1),
                };
                let missing = || {
                    let message = format!("Format specifier '{specifier}'");
                    throw("java/util/MissingFormatArgumentException", message)
                };
                let Some(index) = index else { return missing() };
                last = Some(index);
                let Some(argument) = arguments.get(index) else { return missing() };
                out.push_str(&specifier.print(argument)?);
            }
        }
    }
    Ok(out)
}

impl Specifier {
    fn print(&self, argument: &Argument) -> Result<String> {
        let upper = self.conversion.is_ascii_uppercase();
        let text = match self.conversion.to_ascii_lowercase() {
            's' => self.cut(argument.text()?)?,
            'b' => {
                let value = match argument {
                    Argument::Null => false,
                    Argument::Bool(value) => *value,
                    _ => true,
                };
                self.cut(value.to_string())?
            }
            'h' => {
                let hash = match argument {
                    Argument::Null => "null".to_owned(),
                    Argument::Text(text) => format!("{:x}", crate::hash::string(text)),
                    Argument::Int(value) => format!("{value:x}"),
                    Argument::Long(value) => format!("{:x}", crate::hash::long(*value)),
                    Argument::Double(value) => format!("{:x}", crate::hash::double(*value)),
                    Argument::Bool(value) => format!("{:x}", crate::hash::boolean(*value)),
                    _ => return Err(Failure::Uncertain("the hash code of an object")),
                };
                self.cut(hash)?
            }
            'c' => self.character(argument)?,
            'd' => match (argument, argument.whole()) {
                (Argument::Null, _) => "null".to_owned(),
                (_, Some((value, _))) => {
                    let digits = value.unsigned_abs().to_string();
                    self.signed(value < 0, &digits, "")
                }
                _ => return self.wrong(argument),
            },
            'x' | 'o' => match (argument, argument.whole()) {
                (Argument::Null, _) => "null".to_owned(),
                (_, Some((value, bits))) => self.unsigned(value, bits)?,
                _ => return self.wrong(argument),
            },
            _ => match *argument {
                Argument::Null => self.cut("null".to_owned())?,
                Argument::Double(value) => self.float(value),
                Argument::Float(value) => self.float(f64::from(value)),
                _ => return self.wrong(argument),
            },
        };
        Ok(self.justified(if upper { case::to_upper_case(&text) } else { text }))
    }

    fn wrong<T>(&self, argument: &Argument) -> Result<T> {
        throw(
            "java/util/IllegalFormatConversionException",
            format!("{} != {}", self.conversion.to_ascii_lowercase(), argument.class()),
        )
    }

    /// The first units of a text, as many as the precision says.
    fn cut(&self, text: String) -> Result<String> {
        match self.precision {
            Some(precision) if precision < utf16::length(&text) => {
                Ok(text[..utf16::byte(&text, precision)?].to_owned())
            }
            _ => Ok(text),
        }
    }

    fn character(&self, argument: &Argument) -> Result<String> {
        let code = match *argument {
            Argument::Null => return Ok("null".to_owned()),
            Argument::Char(unit) => return utf16::from_units(&[unit]),
            Argument::Byte(value) => i32::from(value),
            Argument::Short(value) => i32::from(value),
            Argument::Int(value) => value,
            _ => return self.wrong(argument),
        };
        if !(0..=0x10_FFFF).contains(&code) {
            return throw(
                "java/util/IllegalFormatCodePointException",
                format!("Code point = 0x{code:x}"),
            );
        }
        utf16::from_code_point(code).map(String::from)
    }

    fn unsigned(&self, value: i64, bits: u32) -> Result<String> {
        let value = value as u64 & (u64::MAX >> (64 - bits));
        let (digits, prefix) = match self.conversion {
            'o' => (format!("{value:o}"), "0"),
            _ => (format!("{value:x}"), "0x"),
        };
        let prefix = if self.has('#') { prefix } else { "" };
        let mut text = prefix.to_owned();
        if self.has('0') {
            let width = self.width.unwrap_or(0);
            text.extend(std::iter::repeat_n(
                '0',
                width.saturating_sub(prefix.len() + digits.len()),
            ));
        }
        text.push_str(&digits);
        Ok(text)
    }

    /// Sign, groups and zeros of a number whose digits may have a point. `exponent` stands behind them and counts to the width.
    fn signed(&self, negative: bool, digits: &str, exponent: &str) -> String {
        let mut text = String::new();
        match (negative, self.has('('), self.has('+'), self.has(' ')) {
            (true, true, ..) => text.push('('),
            (true, ..) => text.push('-'),
            (false, _, true, _) => text.push('+'),
            (false, _, _, true) => text.push(' '),
            _ => {}
        }
        let sign = text.len();
        let (whole, rest) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
        if self.has(',') {
            for (at, digit) in whole.chars().enumerate() {
                if at > 0 && (whole.len() - at) % 3 == 0 {
                    text.push(',');
                }
                text.push(digit);
            }
        } else {
            text.push_str(whole);
        }
        text.push_str(rest);
        let closing = if negative && self.has('(') { ")" } else { "" };
        if self.has('0') {
            let used = text.len() + exponent.len() + closing.len();
            let zeros = self.width.unwrap_or(0).saturating_sub(used);
            text.insert_str(sign, &"0".repeat(zeros));
        }
        text.push_str(exponent);
        text.push_str(closing);
        text
    }

    /// Fills up to the width.
    fn justified(&self, text: String) -> String {
        let blanks = self.width.unwrap_or(0).saturating_sub(utf16::length(&text));
        match (blanks, self.has('-')) {
            (0, _) => text,
            (blanks, true) => text + &" ".repeat(blanks),
            (blanks, false) => " ".repeat(blanks) + &text,
        }
    }
}
