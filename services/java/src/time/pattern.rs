//! `DateTimeFormatter.ofPattern`.
use super::Field;
use super::formatter::{
    Element, Formatter, Number, OffsetForm, Presence, Resolver, Sign, Style, number,
};
use crate::failure::{ILLEGAL_ARGUMENT, throw};
use crate::{Failure, Result};

impl Formatter {
    /// `DateTimeFormatter.ofPattern`. Names of months and days are certain only where the locale is English by the program.
    pub fn of_pattern(pattern: &str, english: bool) -> Result<Formatter> {
        let mut builder = Builder::new(english);
        let mut rest = pattern;
        while let Some(c) = rest.chars().next() {
            let count = rest.chars().take_while(|other| *other == c).count();
            if c.is_ascii_alphabetic() {
                builder.letters(c, count)?;
                rest = &rest[count..];
                continue;
            }
            rest = &rest[c.len_utf8()..];
            match c {
                '\'' => rest = builder.quoted(rest, pattern)?,
                '[' => builder.open(),
                ']' => builder.close()?,
                '{' | '}' | '#' => {
                    return throw(
                        ILLEGAL_ARGUMENT,
                        format!("Pattern includes reserved character: '{c}'"),
                    );
                }
                c => builder.push(Element::Literal(c.to_string())),
            }
        }
        while builder.levels.len() > 1 {
            builder.close()?;
        }
        let elements = builder.finish()?;
        let (resolver, ignore_case) = (Resolver::Smart, false);
        Ok(Formatter { elements, resolver, ignore_case, zone: None, common: None })
    }
}

/// The elements of one pair of brackets.
#[derive(Debug, Default)]
struct Level {
    elements: Vec<Element>,
    /// The number that the next numbers take digits from.
    open_number: Option<usize>,
}

/// Puts elements together.
#[derive(Debug)]
pub(super) struct Builder {
    levels: Vec<Level>,
    english: bool,
}

impl Builder {
    pub(super) fn new(english: bool) -> Builder {
        Builder { levels: vec![Level::default()], english }
    }

    /// Begins what may be left out.
    pub(super) fn open(&mut self) {
        self.levels.push(Level::default());
    }

    /// Lets no number that follows take digits from one before.
    pub(super) fn seal(&mut self) {
        self.level().open_number = None;
    }

    /// The elements.
    pub(super) fn finish(mut self) -> Result<Vec<Element>> {
        match (self.levels.pop(), self.levels.is_empty()) {
            (Some(level), true) => Ok(level.elements),
            _ => Err(Failure::Uncertain("brackets of a pattern")),
        }
    }

    fn level(&mut self) -> &mut Level {
        let last = self.levels.len() - 1;
        &mut self.levels[last]
    }

    pub(super) fn push(&mut self, element: Element) {
        let level = self.level();
        level.open_number = None;
        level.elements.push(element);
    }

    /// A number that stands right behind another one: either it has a fixed width, which the open one leaves to it, or the open one gets one.
    pub(super) fn push_number(&mut self, element: Element) {
        let width = match &element {
            Element::Number(Number { least, most, sign: Sign::NotNegative, .. })
                if least == most =>
            {
                Some(*most)
            }
            Element::Fraction { most, .. } => Some(*most),
            _ => None,
        };
        let level = self.level();
        let Some(open) = level.open_number else {
            level.open_number = Some(level.elements.len());
            level.elements.push(element);
            return;
        };
        let mut element = element;
        match width {
            Some(width) => {
                if let Element::Number(number) = &mut level.elements[open] {
                    number.following += width;
                }
                if let Element::Number(number) = &mut element {
                    number.fixed = true;
                }
            }
            None => {
                if let Element::Number(number) = &mut level.elements[open] {
                    number.fixed = true;
                }
                level.open_number = Some(level.elements.len());
            }
        }
        level.elements.push(element);
    }

    pub(super) fn close(&mut self) -> Result<()> {
        if self.levels.len() == 1 {
            return throw(ILLEGAL_ARGUMENT, "Pattern invalid as it contains ] without previous [");
        }
        let level = self.levels.pop().unwrap_or_default();
        if !level.elements.is_empty() {
            self.push(Element::Optional(level.elements));
        } else {
            self.level().open_number = None;
        }
        Ok(())
    }

    /// A literal up to the next single quote.
    fn quoted<'a>(&mut self, rest: &'a str, pattern: &str) -> Result<&'a str> {
        let mut text = String::new();
        let mut chars = rest.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            if c != '\'' {
                text.push(c);
            } else if chars.peek().is_some_and(|(_, next)| *next == '\'') {
                chars.next();
                text.push('\'');
            } else {
                self.push(Element::Literal(if text.is_empty() { "'".to_owned() } else { text }));
                return Ok(&rest[at + 1..]);
            }
        }
        throw(
            ILLEGAL_ARGUMENT,
            format!("Pattern ends with an incomplete string literal: {pattern}"),
        )
    }

    fn letters(&mut self, letter: char, count: usize) -> Result<()> {
        match letter {
            'y' => self.year(Field::YearOfEra, count),
            'u' => self.year(Field::Year, count),
            'M' | 'L' => match count {
                1 | 2 => self.one_or_two(Field::Month, letter, count)?,
                3 | 4 => self.text(Field::Month, count, letter)?,
                5 => return Err(Failure::Uncertain("a narrow name")),
                _ => return too_many(letter),
            },
            'E' => match count {
                1..=4 => self.text(Field::DayOfWeek, count.max(3), letter)?,
                5 => return Err(Failure::Uncertain("a narrow name")),
                _ => return too_many(letter),
            },
            'a' if count == 1 => self.text(Field::AmPm, 3, letter)?,
            'a' => return too_many(letter),
            'D' => match count {
                1 => self.push_number(number(Field::DayOfYear, 1, 19, Sign::Normal)),
                2 | 3 => self.push_number(number(Field::DayOfYear, count, 3, Sign::NotNegative)),
                _ => return too_many(letter),
            },
            'S' => self.push_number(Element::Fraction { least: count, most: count, point: false }),
            'n' | 'N' | 'A' => {
                let field = match letter {
                    'n' => Field::Nano,
                    'N' => Field::NanoOfDay,
                    _ => Field::MilliOfDay,
                };
                self.push_number(number(field, count, 19, Sign::NotNegative));
            }
            'd' => self.one_or_two(Field::Day, letter, count)?,
            'H' => self.one_or_two(Field::Hour, letter, count)?,
            'h' => self.one_or_two(Field::ClockHourOfAmPm, letter, count)?,
            'K' => self.one_or_two(Field::HourOfAmPm, letter, count)?,
            'k' => self.one_or_two(Field::ClockHourOfDay, letter, count)?,
            'm' => self.one_or_two(Field::Minute, letter, count)?,
            's' => self.one_or_two(Field::Second, letter, count)?,
            'X' | 'x' | 'Z' => self.offset(letter, count)?,
            'V' if count == 2 => self.push(Element::Zone { brackets: false }),
            'V' => {
                return throw(ILLEGAL_ARGUMENT, "Pattern letter count must be 2: V".to_owned());
            }
            'B' | 'F' | 'G' | 'O' | 'Q' | 'W' | 'Y' | 'c' | 'e' | 'g' | 'p' | 'q' | 'v' | 'w'
            | 'z' => return Err(Failure::Uncertain("a letter of the pattern")),
            _ => return throw(ILLEGAL_ARGUMENT, format!("Unknown pattern letter: {letter}")),
        }
        Ok(())
    }

    fn year(&mut self, field: Field, count: usize) {
        self.push_number(match count {
            2 => Element::Number(Number {
                field,
                least: 2,
                most: 2,
                sign: Sign::NotNegative,
                following: 0,
                fixed: false,
                reduced: true,
            }),
            ..4 => number(field, count, 19, Sign::Normal),
            _ => number(field, count, 19, Sign::ExceedsPad),
        });
    }

    fn one_or_two(&mut self, field: Field, letter: char, count: usize) -> Result<()> {
        match count {
            1 => self.push_number(number(field, 1, 19, Sign::Normal)),
            2 => self.push_number(number(field, 2, 2, Sign::NotNegative)),
            _ => return too_many(letter),
        }
        Ok(())
    }

    fn text(&mut self, field: Field, count: usize, letter: char) -> Result<()> {
        if !self.english {
            return Err(Failure::Uncertain("a name of the default locale"));
        }
        if letter == 'L' {
            return Err(Failure::Uncertain("a stand-alone name"));
        }
        let style = if count == 4 { Style::Full } else { Style::Short };
        self.push(Element::Text { field, style });
        Ok(())
    }

    fn offset(&mut self, letter: char, count: usize) -> Result<()> {
        use Presence::{Always, Never, Optional};
        let (colon, minutes, seconds, zero) = match (letter, count) {
            ('Z', 1..=3) => (false, Always, Never, "+0000"),
            ('Z', 5) => (true, Always, Optional, "Z"),
            ('Z', 4) => return Err(Failure::Uncertain("a localized offset")),
            ('X' | 'x', 1) => (false, Optional, Never, if letter == 'X' { "Z" } else { "+00" }),
            ('X' | 'x', 2 | 3) => {
                let zero = if count == 2 { "+0000" } else { "+00:00" };
                (count == 3, Always, Never, if letter == 'X' { "Z" } else { zero })
            }
            ('X' | 'x', 4 | 5) => {
                let zero = if count == 4 { "+0000" } else { "+00:00" };
                (count == 5, Always, Optional, if letter == 'X' { "Z" } else { zero })
            }
            _ => return too_many(letter),
        };
        self.push(Element::Offset(OffsetForm { colon, minutes, seconds, zero, lenient: false }));
        Ok(())
    }
}

fn too_many<T>(letter: char) -> Result<T> {
    throw(ILLEGAL_ARGUMENT, format!("Too many pattern letters: {letter}"))
}
