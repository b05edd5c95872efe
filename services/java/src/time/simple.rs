//! `java.text.SimpleDateFormat` in English, in UTC, from 1582-10-15 on (Java changes to another calendar before).
use super::civil::{date_of, epoch_day};
use super::{DAYS, MONTHS};
use crate::failure::{ILLEGAL_ARGUMENT, throw};
use crate::{Failure, Result, utf16};

/// `java.text.ParseException`.
const PARSE: &str = "java/text/ParseException";
const DAY_MS: i64 = 86_400_000;
/// The first day of the Gregorian calendar.
const FIRST_DAY: i64 = -141_427;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Literal(char),
    Field(char, usize),
}

/// A pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimpleFormat {
    pieces: Vec<Piece>,
}

/// The fields that a text named; the calendar of Java takes any values.
#[derive(Debug, Default)]
struct Fields {
    year: Option<i64>,
    month: Option<i64>,
    day: Option<i64>,
    day_of_year: Option<i64>,
    hour_of_day: Option<i64>,
    hour: Option<i64>,
    afternoon: Option<i64>,
    minute: i64,
    second: i64,
    milli: i64,
    offset_minutes: i64,
}

impl SimpleFormat {
    /// `new SimpleDateFormat(String)`.
    pub fn of(pattern: &str) -> Result<SimpleFormat> {
        let mut pieces = Vec::new();
        let chars: Vec<char> = pattern.chars().collect();
        let (mut at, mut quoted) = (0, false);
        while at < chars.len() {
            let c = chars[at];
            at += 1;
            match c {
                '\'' if chars.get(at) == Some(&'\'') => {
                    pieces.push(Piece::Literal('\''));
                    at += 1;
                }
                '\'' => quoted = !quoted,
                c if quoted || !c.is_ascii_alphabetic() => pieces.push(Piece::Literal(c)),
                letter => {
                    let count = 1 + chars[at..].iter().take_while(|c| **c == letter).count();
                    at += count - 1;
                    match letter {
                        'y' | 'M' | 'd' | 'D' | 'H' | 'k' | 'K' | 'h' | 'm' | 's' | 'S' | 'a'
                        | 'E' | 'Z' => {}
                        'X' if count <= 3 => {}
                        'G' | 'Y' | 'L' | 'w' | 'W' | 'F' | 'u' | 'z' | 'X' => {
                            return Err(Failure::Uncertain("a letter of the pattern"));
                        }
                        _ => {
                            let message = format!("Illegal pattern character '{letter}'");
                            return throw(ILLEGAL_ARGUMENT, message);
                        }
                    }
                    pieces.push(Piece::Field(letter, count));
                }
            }
        }
        match quoted {
            true => throw(ILLEGAL_ARGUMENT, "Unterminated quote"),
            false => Ok(SimpleFormat { pieces }),
        }
    }

    /// `parse(String)`: epoch milliseconds. What stands behind is not looked at, and fields may have any value.
    pub fn parse(&self, text: &str) -> Result<i64> {
        let mut reader = Reader { text, at: 0, fields: Fields::default() };
        for (index, piece) in self.pieces.iter().enumerate() {
            let read = match piece {
                Piece::Literal(c) => {
                    let found = text[reader.at..].starts_with(*c);
                    reader.at += if found { c.len_utf8() } else { 0 };
                    found
                }
                Piece::Field(letter, count) => {
                    let fixed = match self.pieces.get(index + 1) {
                        Some(Piece::Field('M', count)) => *count <= 2,
                        Some(Piece::Field(letter, _)) => !matches!(letter, 'a' | 'E' | 'Z' | 'X'),
                        _ => false,
                    };
                    reader.field(*letter, *count, fixed)?
                }
            };
            if !read {
                return throw(PARSE, format!("Unparseable date: \"{text}\""));
            }
        }
        reader.fields.milliseconds()
    }

    /// `format(Date)`.
    pub fn format(&self, millis: i64) -> Result<String> {
        let day = millis.div_euclid(DAY_MS);
        if day < FIRST_DAY {
            return Err(Failure::Uncertain("a date of the Julian calendar"));
        }
        let (year, month, date) = date_of(day);
        let within = millis.rem_euclid(DAY_MS);
        let hour = within / 3_600_000;
        let mut out = String::new();
        for piece in &self.pieces {
            let (letter, count) = match piece {
                Piece::Literal(c) => {
                    out.push(*c);
                    continue;
                }
                Piece::Field(letter, count) => (*letter, *count),
            };
            let number = match letter {
                'y' if count == 2 => year % 100,
                'y' => year,
                'M' if count < 3 => month,
                'd' => date,
                'D' => day - epoch_day(year, 1, 1) + 1,
                'H' => hour,
                'k' => (hour + 23) % 24 + 1,
                'K' => hour % 12,
                'h' => (hour + 11) % 12 + 1,
                'm' => within / 60_000 % 60,
                's' => within / 1000 % 60,
                'S' => within % 1000,
                _ => {
                    let name = |name: &'static str| if count > 3 { name } else { &name[..3] };
                    out.push_str(match letter {
                        'M' => name(MONTHS[month as usize - 1]),
                        'E' => name(DAYS[(day + 3).rem_euclid(7) as usize]),
                        'a' => ["AM", "PM"][(hour / 12) as usize],
                        'Z' => "+0000",
                        _ => "Z",
                    });
                    continue;
                }
            };
            out.push_str(&format!("{number:0count$}"));
        }
        Ok(out)
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    fields: Fields,
}

impl Reader<'_> {
    /// Reads a field; false where it is not there. `fixed`: another number follows, so that it has as many characters as letters.
    fn field(&mut self, letter: char, count: usize, fixed: bool) -> Result<bool> {
        let start = self.at;
        let rest = &self.text[start..];
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        if rest.len() == blanks {
            return Ok(false);
        }
        self.at += blanks;
        match letter {
            'M' if count > 2 => {
                self.at = start;
                let month = self.name(&MONTHS);
                self.fields.month = month;
                return Ok(month.is_some());
            }
            'E' => {
                self.at = start;
                return Ok(self.name(&DAYS).is_some());
            }
            'a' => {
                self.at = start;
                self.fields.afternoon = self.name(&["AM", "PM"]);
                return Ok(self.fields.afternoon.is_some());
            }
            'Z' | 'X' => return self.offset(letter, count),
            _ => {}
        }
        if fixed && utf16::length(rest) < count {
            return Ok(false);
        }
        let end = if fixed { self.end_of(start, count)? } else { self.text.len() };
        let from = self.at;
        let Some(value) = self.number(end)? else { return Ok(false) };
        if letter == 'y' && count <= 2 && self.at - from == 2 {
            return Err(Failure::Uncertain(
                "a year of two digits, whose century depends on the day",
            ));
        }
        let fields = &mut self.fields;
        match letter {
            'y' => fields.year = Some(value),
            'M' => fields.month = Some(value - 1),
            'd' => fields.day = Some(value),
            'D' => fields.day_of_year = Some(value),
            'H' => fields.hour_of_day = Some(value),
            'k' => fields.hour_of_day = Some(if value == 24 { 0 } else { value }),
            'K' => fields.hour = Some(value),
            'h' => fields.hour = Some(if value == 12 { 0 } else { value }),
            'm' => fields.minute = value,
            's' => fields.second = value,
            _ => fields.milli = value,
        }
        Ok(true)
    }

    fn end_of(&self, start: usize, count: usize) -> Result<usize> {
        Ok(start + utf16::byte(&self.text[start..], count)?)
    }

    /// What `NumberFormat` reads up to a place: a sign and digits. Its other forms are not worth knowing.
    fn number(&mut self, end: usize) -> Result<Option<i64>> {
        let Some(text) = self.text.get(self.at..end) else { return Ok(None) };
        let negative = text.starts_with('-');
        let digits = &text[usize::from(negative)..];
        let count = digits.bytes().take_while(u8::is_ascii_digit).count();
        let next = digits[count..].chars().next();
        let strange = next.is_some_and(|c| !c.is_ascii() || c == 'E' && count > 0);
        if strange || digits.starts_with("NaN") || count > 18 {
            return Err(Failure::Uncertain("a number of a date"));
        }
        if count == 0 {
            return Ok(None);
        }
        self.at += usize::from(negative) + count;
        let value: i64 = digits[..count].parse().unwrap_or_default();
        Ok(Some(i64::from((if negative { -value } else { value }) as i32)))
    }

    /// The number of a name that stands here, long or short, in any case; the longest one counts.
    fn name(&mut self, names: &[&str]) -> Option<i64> {
        let rest = self.text.get(self.at..)?;
        let found =
            |name: &str| rest.get(..name.len()).is_some_and(|text| text.eq_ignore_ascii_case(name));
        let lengths = names.iter().enumerate().filter_map(|(index, name)| {
            let short = &name[..name.len().min(3)];
            let length = [*name, short].into_iter().filter(|name| found(name)).map(str::len).max();
            Some((length?, index))
        });
        let (length, index) = lengths.max_by_key(|(length, _)| *length)?;
        self.at += length;
        Some(index as i64)
    }

    /// `+hhmm`, or by the letters of an ISO zone.
    fn offset(&mut self, letter: char, count: usize) -> Result<bool> {
        let bytes = &self.text.as_bytes()[self.at..];
        if letter == 'X' && bytes[0] == b'Z' {
            self.at += 1;
            self.fields.offset_minutes = 0;
            return Ok(true);
        }
        let sign = match bytes[0] {
            b'+' => 1,
            b'-' => -1,
            _ if letter == 'X' => return Ok(false),
            _ => return Err(Failure::Uncertain("the name of a zone")),
        };
        let colon = letter == 'X' && count == 3;
        let pair = |from: usize| {
            let digits = bytes.get(from..from + 2)?;
            let both = digits.iter().all(u8::is_ascii_digit);
            both.then(|| i64::from(digits[0] - b'0') * 10 + i64::from(digits[1] - b'0'))
        };
        let Some(hours) = pair(1).filter(|hours| *hours <= 23) else { return Ok(false) };
        let mut used = 3;
        let mut minutes = 0;
        if letter == 'Z' || count > 1 {
            if colon && bytes.get(3) != Some(&b':') {
                return Ok(false);
            }
            used += usize::from(colon);
            let Some(found) = pair(used).filter(|minutes| *minutes <= 59) else { return Ok(false) };
            minutes = found;
            used += 2;
        }
        self.at += used;
        self.fields.offset_minutes = sign * (hours * 60 + minutes);
        Ok(true)
    }
}

impl Fields {
    fn milliseconds(&self) -> Result<i64> {
        let mixed = self.day_of_year.is_some() && (self.month.is_some() || self.day.is_some())
            || self.hour_of_day.is_some() && self.hour.is_some();
        if mixed {
            return Err(Failure::Uncertain("fields of a date that contradict each other"));
        }
        const MOST_YEARS: i64 = 100_000_000;
        if self.year.is_some_and(|year| !(1584..MOST_YEARS).contains(&year)) {
            return Err(Failure::Uncertain(
                "a year of the Julian calendar, or one that a date may not hold",
            ));
        }
        let months = self.year.unwrap_or(1970) * 12 + self.month.unwrap_or(0);
        let first = epoch_day(months.div_euclid(12), months.rem_euclid(12) + 1, 1);
        let day = first + self.day.or(self.day_of_year).unwrap_or(1) - 1;
        let hour = match (self.hour_of_day, self.hour) {
            (Some(hour), _) => hour,
            (None, Some(hour)) => hour + 12 * self.afternoon.unwrap_or(0),
            (None, None) => 12 * self.afternoon.unwrap_or(0),
        };
        let time = ((hour * 60 + self.minute) * 60 + self.second) * 1000 + self.milli;
        let millis = day * DAY_MS + time - self.offset_minutes * 60_000;
        // Java counts from the first of the month, by the calendar of its year.
        let earliest = [first, day, millis.div_euclid(DAY_MS)].into_iter().min();
        if earliest.is_none_or(|day| day < FIRST_DAY + 366) {
            return Err(Failure::Uncertain("a date of the Julian calendar"));
        }
        Ok(millis)
    }
}
