//! Text to fields to dates and times.
use super::formatter::{
    Common, Element, Formatter, INSTANT, Number, OffsetForm, Presence, Sign, Style,
};
use super::{
    DATE_TIME_PARSE, DAYS, Date, DateTime, Field, MONTHS, Offset, Time, Zone, ZonedDateTime,
};
use crate::failure::throw;
use crate::{Failure, Result, utf16};

/// What a text is parsed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Shape {
    Date,
    Time,
    DateTime,
    ZonedDateTime,
    OffsetDateTime,
    Instant,
}

/// What was parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Temporal {
    Date(Date),
    Time(Time),
    DateTime(DateTime),
    Zoned(ZonedDateTime),
    Instant(super::Instant),
}

impl std::fmt::Display for Temporal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Temporal::Date(value) => value.fmt(f),
            Temporal::Time(value) => value.fmt(f),
            Temporal::DateTime(value) => value.fmt(f),
            Temporal::Zoned(value) => value.fmt(f),
            Temporal::Instant(value) => value.fmt(f),
        }
    }
}

/// The fields that a text named.
#[derive(Debug, Clone, Default)]
pub(super) struct Fields {
    values: Vec<(Field, i64)>,
    pub(super) zone: Option<Zone>,
}

impl Fields {
    pub(super) fn get(&self, field: Field) -> Option<i64> {
        self.values.iter().find(|(known, _)| *known == field).map(|(_, value)| *value)
    }

    pub(super) fn take(&mut self, field: Field) -> Option<i64> {
        let at = self.values.iter().position(|(known, _)| *known == field)?;
        Some(self.values.swap_remove(at).1)
    }

    pub(super) fn remove(&mut self, fields: &[Field]) {
        self.values.retain(|(known, _)| !fields.contains(known));
    }

    pub(super) fn set(&mut self, field: Field, value: i64) {
        self.values.retain(|(known, _)| *known != field);
        self.values.push((field, value));
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Field, i64)> + '_ {
        self.values.iter().copied()
    }
}

/// The place behind what was read, or where it went wrong.
type Place = std::result::Result<usize, usize>;

struct Parser<'a> {
    text: &'a str,
    ignore_case: bool,
    fields: Fields,
    /// Something of the text that Java knows and this does not.
    uncertain: bool,
}

impl Formatter {
    /// `DateTimeFormatter.parse(text, query)`: `LocalDate.parse` and so on.
    pub fn parse(&self, text: &str, shape: Shape) -> Result<Temporal> {
        if let Some(value) = self.common.and_then(|form| common(form, text.as_bytes(), shape)) {
            return Ok(value);
        }
        let fields = self.fields(text)?;
        match self.resolve(fields).and_then(|resolved| resolved.shape(shape)) {
            Err(Failure::Throws(exception)) if exception.class.starts_with("java/time/") => {
                let message = exception.message.unwrap_or_default();
                let text = shown(text);
                throw(DATE_TIME_PARSE, format!("Text '{text}' could not be parsed: {message}"))
            }
            answer => answer,
        }
    }

    fn fields(&self, text: &str) -> Result<Fields> {
        let (ignore_case, fields) = (self.ignore_case, Fields::default());
        let mut parser = Parser { text, ignore_case, fields, uncertain: false };
        let end = parser.all(&self.elements, 0);
        if parser.uncertain {
            return Err(Failure::Uncertain("a zone with rules"));
        }
        let what = match end {
            Ok(end) if end == text.len() => return Ok(parser.fields),
            Ok(end) => {
                format!(
                    "could not be parsed, unparsed text found at index {}",
                    utf16::index(text, end)
                )
            }
            Err(at) => format!("could not be parsed at index {}", utf16::index(text, at)),
        };
        throw(DATE_TIME_PARSE, format!("Text '{}' {what}", shown(text)))
    }

    /// `Instant.parse`.
    pub fn parse_instant(text: &str) -> Result<super::Instant> {
        let no_instant = |at: usize| {
            throw(
                DATE_TIME_PARSE,
                format!("Text '{}' could not be parsed at index {at}", shown(text)),
            )
        };
        let fields = INSTANT.fields(text)?;
        let get = |field| fields.get(field).unwrap_or(0);
        let (mut hour, mut second) = (get(Field::Hour), get(Field::Second));
        let (minute, nano) = (get(Field::Minute), get(Field::Nano));
        let mut days = 0;
        if (hour, minute, second, nano) == (24, 0, 0, 0) {
            (hour, days) = (0, 1);
        } else if (hour, minute, second) == (23, 59, 60) {
            second = 59;
        }
        let year = get(Field::Year);
        let local = Date::of(year % 10_000, get(Field::Month), get(Field::Day))
            .and_then(|date| date.plus_days(days))
            .and_then(|date| Ok(DateTime { date, time: Time::of(hour, minute, second, 0)? }));
        let offset = Offset::of(get(Field::OffsetSeconds) as i32);
        let (Ok(local), Ok(offset)) = (local, offset) else { return no_instant(0) };
        let seconds = local.epoch_second(offset) + year / 10_000 * 146_097 * 25 * 86_400;
        match super::Instant::of(seconds, nano) {
            Ok(instant) => Ok(instant),
            Err(Failure::Throws(exception)) => throw(
                DATE_TIME_PARSE,
                format!(
                    "Text '{}' could not be parsed: {}",
                    shown(text),
                    exception.message.unwrap_or_default()
                ),
            ),
            Err(failure) => Err(failure),
        }
    }
}

/// A date, or a date and a time, in the common form, if they exist.
fn common(form: Common, text: &[u8], shape: Shape) -> Option<Temporal> {
    let digits = |range: std::ops::Range<usize>| {
        let mut digits = text.get(range)?.iter();
        digits.try_fold(0, |number, digit| {
            digit.is_ascii_digit().then(|| number * 10 + i64::from(digit - b'0'))
        })
    };
    let marks = |marks: &[(usize, u8)]| marks.iter().all(|(at, mark)| text.get(*at) == Some(mark));
    if !marks(&[(4, b'-'), (7, b'-')]) {
        return None;
    }
    let date = Date::of(digits(0..4)?, digits(5..7)?, digits(8..10)?).ok()?;
    match (form, shape) {
        (Common::Date, Shape::Date) if text.len() == 10 => Some(Temporal::Date(date)),
        (Common::DateTime, Shape::DateTime)
            if text.len() == 19 && marks(&[(10, b'T'), (13, b':'), (16, b':')]) =>
        {
            let time = Time::of(digits(11..13)?, digits(14..16)?, digits(17..19)?, 0).ok()?;
            Some(Temporal::DateTime(DateTime { date, time }))
        }
        _ => None,
    }
}

/// A text as messages show it.
fn shown(text: &str) -> String {
    if utf16::length(text) <= 64 {
        return text.to_owned();
    }
    let cut = match utf16::place(text, 64) {
        utf16::Place::At(byte) | utf16::Place::Within(byte) => byte,
        utf16::Place::Behind => text.len(),
    };
    format!("{}...", &text[..cut])
}

impl Parser<'_> {
    fn all(&mut self, elements: &[Element], mut at: usize) -> Place {
        for element in elements {
            at = self.one(element, at)?;
        }
        Ok(at)
    }

    fn one(&mut self, element: &Element, at: usize) -> Place {
        match element {
            Element::Literal(literal) => self.literal(literal, at),
            Element::Number(number) => self.number(number, at),
            Element::Fraction { least, most, point } => self.fraction(*least, *most, *point, at),
            Element::Text { field, style } => self.name(*field, *style, at),
            Element::Offset(form) => self.offset(form, at),
            Element::Zone { brackets } => self.zone(*brackets, at),
            Element::Optional(elements) => {
                let before = self.fields.clone();
                self.all(elements, at).or_else(|_| {
                    self.fields = before;
                    Ok(at)
                })
            }
        }
    }

    fn starts_with(&self, wanted: &str, at: usize) -> bool {
        let Some(text) = self.text.get(at..) else { return false };
        text.starts_with(wanted)
            || self.ignore_case
                && text.get(..wanted.len()).is_some_and(|text| text.eq_ignore_ascii_case(wanted))
    }

    fn literal(&self, literal: &str, at: usize) -> Place {
        if self.starts_with(literal, at) { Ok(at + literal.len()) } else { Err(at) }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    fn set(&mut self, field: Field, value: i64, from: usize, to: usize) -> Place {
        match self.fields.get(field) {
            Some(known) if known != value => Err(from),
            _ => {
                self.fields.set(field, value);
                Ok(to)
            }
        }
    }

    fn digits(&self, from: usize, most: usize) -> usize {
        let bytes = self.text.as_bytes().iter().skip(from).take(most);
        from + bytes.take_while(|byte| byte.is_ascii_digit()).count()
    }

    fn number(&mut self, number: &Number, at: usize) -> Place {
        let (negative, positive) = match self.byte(at) {
            None => return Err(at),
            Some(b'+') if number.sign == Sign::ExceedsPad => (false, true),
            Some(b'-') if number.sign != Sign::NotNegative => (true, false),
            Some(b'+' | b'-') => return Err(at),
            Some(_) => (false, false),
        };
        let from = at + usize::from(negative || positive);
        let following = if number.fixed { 0 } else { number.following };
        let mut to = self.digits(from, number.most + following);
        if to < from + number.least {
            return Err(from);
        }
        if following > 0 {
            to = self.digits(from, number.least.max((to - from).saturating_sub(following)));
        }
        // Java keeps what a long holds and sets the position before the last digit for the rest; no field takes that.
        let digits = &self.text[from..to];
        let Ok(mut value) = digits.parse::<i64>() else { return Err(from) };
        if negative {
            if value == 0 {
                return Err(at);
            }
            value = -value;
        } else if number.sign == Sign::ExceedsPad {
            if positive && to - from <= number.least {
                return Err(at);
            }
            if !positive && to - from > number.least {
                return Err(from);
            }
        }
        if number.reduced && to - from == number.least {
            value += 2000;
        }
        self.set(number.field, value, from, to)
    }

    fn fraction(&mut self, least: usize, most: usize, point: bool, at: usize) -> Place {
        let none = if least > 0 { Err(at) } else { Ok(at) };
        if at == self.text.len() || point && self.byte(at) != Some(b'.') {
            return none;
        }
        let from = at + usize::from(point);
        let to = self.digits(from, most);
        if to < from + least {
            return Err(from);
        }
        let digits = self.text[from..to].bytes().take(9);
        let value = digits.fold(0, |value, digit| value * 10 + i64::from(digit - b'0'));
        let nanos = value * 10i64.pow(9 - (to - from).min(9) as u32);
        self.set(Field::Nano, nanos, from, to)
    }

    fn name(&mut self, field: Field, style: Style, at: usize) -> Place {
        let names: &[&str] = match field {
            Field::Month => &MONTHS,
            Field::DayOfWeek => &DAYS,
            _ => &["AM", "PM"],
        };
        let first = i64::from(field != Field::AmPm);
        // The longest one first; no short name is the beginning of another.
        for (index, name) in names.iter().enumerate() {
            let name = if style == Style::Short { &name[..name.len().min(3)] } else { name };
            if self.starts_with(name, at) {
                return self.set(field, index as i64 + first, at, at + name.len());
            }
        }
        Err(at)
    }

    fn offset(&mut self, form: &OffsetForm, at: usize) -> Place {
        if at < self.text.len() && self.starts_with(form.zero, at) {
            return self.set(Field::OffsetSeconds, 0, at, at + form.zero.len());
        }
        let sign = match self.byte(at) {
            Some(b'+') => 1,
            Some(b'-') => -1,
            _ => return Err(at),
        };
        let pair = |at: usize, colon: bool| {
            if colon && self.byte(at) != Some(b':') {
                return None;
            }
            let from = at + usize::from(colon);
            let [a, b] = [self.byte(from)?, self.byte(from + 1)?];
            let both = a.is_ascii_digit() && b.is_ascii_digit();
            let value = i64::from(a.wrapping_sub(b'0')) * 10 + i64::from(b.wrapping_sub(b'0'));
            (both && value < 60).then_some((value, from + 2))
        };
        let Some((hour, mut to)) = pair(at + 1, false) else { return Err(at) };
        let (minutes, seconds) = match form.lenient {
            true => (Presence::Optional, Presence::Optional),
            false => (form.minutes, form.seconds),
        };
        let mut parts = [0, 0];
        for (part, presence) in parts.iter_mut().zip([minutes, seconds]) {
            if presence == Presence::Never {
                break;
            }
            match pair(to, form.colon) {
                Some((value, behind)) => (*part, to) = (value, behind),
                None if presence == Presence::Always => return Err(at),
                None => break,
            }
        }
        if hour > 23 {
            // An exception of the parser, in words that name no index.
            self.uncertain = true;
            return Err(at);
        }
        let total = sign * (hour * 3600 + parts[0] * 60 + parts[1]);
        self.set(Field::OffsetSeconds, total, at, to)
    }

    fn zone(&mut self, brackets: bool, at: usize) -> Place {
        let from = at + usize::from(brackets);
        if brackets && self.byte(at) != Some(b'[') {
            return Err(at);
        }
        let rest = &self.text[from.min(self.text.len())..];
        let end = if brackets { rest.find(']') } else { Some(rest.len()) };
        let Some(end) = end else { return Err(from) };
        match Zone::of(&rest[..end]) {
            Some(zone) => {
                self.fields.zone = Some(zone);
                Ok(from + end + usize::from(brackets))
            }
            None => {
                self.uncertain = true;
                Err(from)
            }
        }
    }
}
