//! Dates and times to text.
use super::formatter::{Element, Formatter, Number, OffsetForm, Presence, Sign, Style};
use super::{
    DAYS, Date, DateTime, Field, MONTHS, Offset, Temporal, Time, UNSUPPORTED, Zone, ZonedDateTime,
    date_time,
};
use crate::Result;
use crate::failure::throw;
use std::fmt::Write;

/// The parts of a value that a formatter asks for.
struct Parts {
    date: Option<Date>,
    time: Option<Time>,
    offset: Option<Offset>,
    zone: Option<Zone>,
    value: Temporal,
}

impl Formatter {
    /// `DateTimeFormatter.format`.
    pub fn format(&self, value: Temporal) -> Result<String> {
        let value = match (self.zone, value) {
            (Some(zone), Temporal::Instant(instant)) => {
                Temporal::Zoned(ZonedDateTime::of(instant, zone)?)
            }
            (Some(zone), Temporal::Zoned(zoned)) => {
                Temporal::Zoned(ZonedDateTime::of(zoned.instant(), zone)?)
            }
            (_, value) => value,
        };
        let mut parts = Parts { date: None, time: None, offset: None, zone: self.zone, value };
        match value {
            Temporal::Date(date) => parts.date = Some(date),
            Temporal::Time(time) => parts.time = Some(time),
            Temporal::DateTime(DateTime { date, time }) => {
                (parts.date, parts.time) = (Some(date), Some(time));
            }
            Temporal::Zoned(ZonedDateTime { local: DateTime { date, time }, zone }) => {
                (parts.date, parts.time) = (Some(date), Some(time));
                (parts.offset, parts.zone) = (Some(zone.offset()), Some(zone));
            }
            Temporal::Instant(_) => {}
        }
        let mut text = String::new();
        parts.all(&self.elements, &mut text)?;
        Ok(text)
    }
}

impl Parts {
    fn all(&self, elements: &[Element], text: &mut String) -> Result<()> {
        for element in elements {
            match element {
                Element::Literal(literal) => text.push_str(literal),
                Element::Number(number) => print(number, self.get(number.field)?, text)?,
                Element::Fraction { least, most, point } => {
                    fraction(self.get(Field::Nano)?, *least, *most, *point, text);
                }
                Element::Text { field, style } => {
                    let value = self.get(*field)? as usize;
                    let name = match field {
                        Field::Month => MONTHS[value - 1],
                        Field::DayOfWeek => DAYS[value - 1],
                        _ => ["AM", "PM"][value],
                    };
                    let short = *style == Style::Short;
                    text.push_str(if short { &name[..name.len().min(3)] } else { name });
                }
                Element::Offset(form) => offset(form, self.get(Field::OffsetSeconds)?, text),
                Element::Zone { brackets } => {
                    let Some(zone) = self.zone else {
                        let value = &self.value;
                        return date_time(format!(
                            "Unable to extract ZoneId from temporal {value}"
                        ));
                    };
                    match (brackets, zone) {
                        (true, Zone::Named(name)) => text.extend(["[", name, "]"]),
                        (true, Zone::Offset(_)) => {}
                        (false, zone) => text.push_str(&zone.to_string()),
                    }
                }
                Element::Optional(elements) => {
                    let mut part = String::new();
                    // Left out where the value has no such field.
                    if self.has(elements) {
                        self.all(elements, &mut part)?;
                        text.push_str(&part);
                    }
                }
            }
        }
        Ok(())
    }

    fn has(&self, elements: &[Element]) -> bool {
        elements.iter().all(|element| match element {
            Element::Number(number) => self.get(number.field).is_ok(),
            Element::Fraction { .. } => self.time.is_some(),
            Element::Text { field, .. } => self.get(*field).is_ok(),
            Element::Offset(_) => self.offset.is_some(),
            Element::Zone { .. } => matches!(self.zone, Some(Zone::Named(_))),
            Element::Literal(_) | Element::Optional(_) => true,
        })
    }

    fn get(&self, field: Field) -> Result<i64> {
        let date = |get: fn(Date) -> i32| self.date.map(|date| i64::from(get(date)));
        let time = |get: fn(Time) -> i32| self.time.map(|time| i64::from(get(time)));
        let value = match field {
            Field::Year => date(|date| date.year),
            Field::YearOfEra => date(|date| if date.year >= 1 { date.year } else { 1 - date.year }),
            Field::Month => date(|date| date.month),
            Field::Day => date(|date| date.day),
            Field::DayOfYear => date(Date::day_of_year),
            Field::DayOfWeek => date(Date::day_of_week),
            Field::AmPm => time(|time| time.hour / 12),
            Field::HourOfAmPm => time(|time| time.hour % 12),
            Field::ClockHourOfAmPm => time(|time| (time.hour + 11) % 12 + 1),
            Field::ClockHourOfDay => time(|time| (time.hour + 23) % 24 + 1),
            Field::Hour => time(|time| time.hour),
            Field::Minute => time(|time| time.minute),
            Field::Second => time(|time| time.second),
            Field::Nano => time(|time| time.nano),
            Field::NanoOfDay => self.time.map(Time::nano_of_day),
            Field::MilliOfDay => self.time.map(|time| time.nano_of_day() / 1_000_000),
            Field::OffsetSeconds => self.offset.map(|offset| i64::from(offset.seconds)),
            Field::EpochDay | Field::InstantSeconds => None,
        };
        match value {
            Some(value) => Ok(value),
            None => throw(UNSUPPORTED, format!("Unsupported field: {}", field.name())),
        }
    }
}

fn print(number: &Number, value: i64, text: &mut String) -> Result<()> {
    let name = number.field.name();
    let mut digits = value.unsigned_abs();
    if number.reduced {
        digits %= 100;
    }
    let digits = digits.to_string();
    if digits.len() > number.most {
        return date_time(format!(
            "Field {name} cannot be printed as the value {value} exceeds the maximum print width of {}",
            number.most
        ));
    }
    match number.sign {
        Sign::NotNegative if value < 0 => {
            return date_time(format!(
                "Field {name} cannot be printed as the value {value} cannot be negative according to the SignStyle"
            ));
        }
        _ if value < 0 => text.push('-'),
        Sign::ExceedsPad if digits.len() > number.least => text.push('+'),
        _ => {}
    }
    let _ = write!(text, "{digits:0>width$}", width = number.least);
    Ok(())
}

fn fraction(nano: i64, least: usize, most: usize, point: bool, text: &mut String) {
    let digits = format!("{nano:09}");
    let used = digits.trim_end_matches('0').len().clamp(least.min(9), most.min(9));
    if used > 0 || least > 0 {
        text.push_str(if point { "." } else { "" });
        text.push_str(&digits[..used]);
        text.extend(std::iter::repeat_n('0', least.saturating_sub(9)));
    }
}

fn offset(form: &OffsetForm, total: i64, text: &mut String) {
    if total == 0 {
        text.push_str(form.zero);
        return;
    }
    let absolute = total.abs();
    let (hours, minutes, seconds) = (absolute / 3600, absolute / 60 % 60, absolute % 60);
    let shows = |presence: Presence, value: i64| match presence {
        Presence::Always => true,
        Presence::Optional => value > 0,
        Presence::Never => false,
    };
    let start = text.len();
    let _ = write!(text, "{}{hours:02}", if total < 0 { '-' } else { '+' });
    let mut printed = hours;
    let colon = if form.colon { ":" } else { "" };
    if shows(form.minutes, minutes) || shows(form.seconds, seconds) {
        let _ = write!(text, "{colon}{minutes:02}");
        printed += minutes;
        if shows(form.seconds, seconds) {
            let _ = write!(text, "{colon}{seconds:02}");
            printed += seconds;
        }
    }
    if printed == 0 {
        text.truncate(start);
        text.push_str(form.zero);
    }
}
