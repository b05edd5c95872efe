//! Fields to dates and times (`java.time.format.Parsed`).
use super::formatter::{Formatter, Resolver};
use super::parse::{Fields, Shape, Temporal};
use super::{Date, DateTime, Field, Instant, Offset, Time, Zone, ZonedDateTime, date_time};
use crate::{Failure, Result};

/// What the fields of a text come to.
#[derive(Debug, Default)]
pub(super) struct Resolved {
    date: Option<Date>,
    time: Option<Time>,
    zone: Option<Zone>,
    offset: Option<Offset>,
    /// What came to nothing.
    rest: Fields,
}

impl Formatter {
    pub(super) fn resolve(&self, mut fields: Fields) -> Result<Resolved> {
        let smart = self.resolver == Resolver::Smart;
        let zone = fields.zone.or(self.zone);
        let offset = fields.get(Field::OffsetSeconds);
        let offset = offset.map(|seconds| Offset::of(seconds as i32)).transpose();
        let mut date = date(&mut fields, smart)?;
        clock_hours(&mut fields, smart)?;
        let (time, excess) = time(&mut fields, smart)?;
        for (field, value) in fields.iter().filter(|(field, _)| field.is_of_time()) {
            field.check_long(value)?;
        }
        cross_check(&mut fields, date, time)?;
        if let (Some(found), 1..) = (date, excess) {
            date = Some(found.plus_days(excess)?);
        }
        // Without a time, nobody asks whether it is an offset.
        let offset = if date.is_some() && time.is_some() { offset? } else { offset.ok().flatten() };
        if let (Some(date), Some(time)) = (date, time)
            && let Some(zone) = zone.or(offset.map(Zone::Offset))
        {
            let second = DateTime { date, time }.epoch_second(zone.offset());
            fields.set(Field::InstantSeconds, second);
        }
        Ok(Resolved { date, time, zone, offset, rest: fields })
    }
}

fn date(fields: &mut Fields, smart: bool) -> Result<Option<Date>> {
    if let Some(of_era) = fields.take(Field::YearOfEra) {
        Field::YearOfEra.check_long(of_era)?;
        let year = fields.get(Field::Year);
        if !smart {
            return Err(Failure::Uncertain("a strict year of an era"));
        }
        let of_era = if year.is_none_or(|year| year > 0) { of_era } else { 1 - of_era };
        if year.is_some_and(|year| year != of_era) {
            return date_time(format!(
                "Conflict found: Year {} differs from Year {of_era}",
                year.unwrap_or_default()
            ));
        }
        fields.set(Field::Year, of_era);
    }
    let Some(year) = fields.get(Field::Year) else { return Ok(None) };
    if let (Some(month), Some(day)) = (fields.get(Field::Month), fields.get(Field::Day)) {
        fields.remove(&[Field::Year, Field::Month, Field::Day]);
        Field::Year.check(year)?;
        Field::Month.check(month)?;
        let mut day = i64::from(Field::Day.check(day)?);
        if smart {
            day = day.min(match month {
                2 => i64::from(Date::of(year, 2, 1)?.length_of_month()),
                4 | 6 | 9 | 11 => 30,
                _ => day,
            });
        }
        return Date::of(year, month, day).map(Some);
    }
    match fields.get(Field::DayOfYear) {
        None => Ok(None),
        Some(day_of_year) => {
            fields.remove(&[Field::Year, Field::DayOfYear]);
            Field::Year.check(year)?;
            Date::of_year_day(year, day_of_year).map(Some)
        }
    }
}

/// Hours on a clock's face, and its halves of the day, to the hour of the day.
fn clock_hours(fields: &mut Fields, smart: bool) -> Result<()> {
    if let Some(hour) = fields.take(Field::ClockHourOfDay) {
        if !smart || hour != 0 {
            Field::ClockHourOfDay.check(hour)?;
        }
        put(fields, Field::ClockHourOfDay, Field::Hour, if hour == 24 { 0 } else { hour })?;
    }
    if let Some(hour) = fields.take(Field::ClockHourOfAmPm) {
        if !smart || hour != 0 {
            Field::ClockHourOfAmPm.check(hour)?;
        }
        put(fields, Field::ClockHourOfAmPm, Field::HourOfAmPm, if hour == 12 { 0 } else { hour })?;
    }
    if let (Some(half), Some(hour)) = (fields.get(Field::AmPm), fields.get(Field::HourOfAmPm)) {
        fields.remove(&[Field::AmPm, Field::HourOfAmPm]);
        Field::AmPm.check(half)?;
        Field::HourOfAmPm.check(hour)?;
        put(fields, Field::AmPm, Field::Hour, half * 12 + hour)?;
    }
    if let Some(nanos) = fields.take(Field::NanoOfDay) {
        Field::NanoOfDay.check_long(nanos)?;
        let time = Time::of_nano_of_day(nanos)?;
        put(fields, Field::NanoOfDay, Field::Hour, time.hour.into())?;
        put(fields, Field::NanoOfDay, Field::Minute, time.minute.into())?;
        put(fields, Field::NanoOfDay, Field::Second, time.second.into())?;
        put(fields, Field::NanoOfDay, Field::Nano, time.nano.into())?;
    }
    if fields.get(Field::MilliOfDay).is_some() {
        return Err(Failure::Uncertain("milliseconds of a day"));
    }
    Ok(())
}

fn put(fields: &mut Fields, from: Field, field: Field, value: i64) -> Result<()> {
    match fields.get(field) {
        Some(known) if known != value => date_time(format!(
            "Conflict found: {} {known} differs from {} {value} while resolving  {}",
            field.name(),
            field.name(),
            from.name()
        )),
        _ => {
            fields.set(field, value);
            Ok(())
        }
    }
}

/// The time and whole days above it.
fn time(fields: &mut Fields, smart: bool) -> Result<(Option<Time>, i64)> {
    let [hour, minute, second, nano] =
        [Field::Hour, Field::Minute, Field::Second, Field::Nano].map(|field| fields.get(field));
    if let Some(nano) = nano {
        Field::Nano.check(nano)?;
    }
    let Some(hour) = hour else { return Ok((None, 0)) };
    if minute.is_none() && (second.is_some() || nano.is_some()) {
        return Ok((None, 0));
    }
    if minute.is_some() && second.is_none() && nano.is_some() {
        return Ok((None, 0));
    }
    fields.remove(&[Field::Hour, Field::Minute, Field::Second, Field::Nano]);
    let [minute, second, nano] = [minute, second, nano].map(|value| value.unwrap_or(0));
    Field::Minute.check(minute)?;
    Field::Nano.check(nano)?;
    if smart && (hour, minute, second, nano) == (24, 0, 0, 0) {
        return Ok((Some(Time::MIDNIGHT), 1));
    }
    Time::of(hour, minute, second, nano).map(|time| (Some(time), 0))
}

/// What is left must not contradict; what agrees is done with.
fn cross_check(fields: &mut Fields, date: Option<Date>, time: Option<Time>) -> Result<()> {
    for (field, value) in fields.iter().collect::<Vec<_>>() {
        let of_date = date.and_then(|date| {
            Some(match field {
                Field::Year => i64::from(date.year),
                Field::Month => i64::from(date.month),
                Field::Day => i64::from(date.day),
                Field::DayOfYear => i64::from(date.day_of_year()),
                Field::DayOfWeek => i64::from(date.day_of_week()),
                _ => return None,
            })
        });
        let of_time = time.and_then(|time| {
            Some(match field {
                Field::AmPm => i64::from(time.hour / 12),
                Field::HourOfAmPm => i64::from(time.hour % 12),
                _ => return None,
            })
        });
        let (found, target) = match (of_date, of_time) {
            (Some(found), _) => (found, date.map(|date| date.to_string())),
            (None, Some(found)) => (found, time.map(|time| time.to_string())),
            (None, None) => continue,
        };
        if found != value {
            let name = field.name();
            return date_time(format!(
                "Conflict found: Field {name} {found} differs from {name} {value} derived from {}",
                target.unwrap_or_default()
            ));
        }
        fields.take(field);
    }
    Ok(())
}

impl Resolved {
    /// `LocalDate.from` and so on.
    pub(super) fn shape(&self, shape: Shape) -> Result<Temporal> {
        let local = self.date.zip(self.time).map(|(date, time)| DateTime { date, time });
        let zone = self.zone.or(self.offset.map(Zone::Offset));
        // An offset that contradicts its zone moves the time; where both are there, the zone has none of its own here.
        if let (Some(zone), Some(offset)) = (self.zone, self.offset)
            && zone.offset() != offset
        {
            return Err(Failure::Uncertain("an offset that is not its zone's"));
        }
        let offset = self.offset.or(match self.zone {
            Some(Zone::Offset(offset)) => Some(offset),
            _ => None,
        });
        let found = match shape {
            Shape::Date => self.date.map(Temporal::Date),
            Shape::Time => self.time.map(Temporal::Time),
            Shape::DateTime => local.map(Temporal::DateTime),
            Shape::ZonedDateTime => {
                local.zip(zone).map(|(local, zone)| Temporal::Zoned(ZonedDateTime { local, zone }))
            }
            Shape::OffsetDateTime => local.zip(offset).map(|(local, offset)| {
                Temporal::Zoned(ZonedDateTime { local, zone: Zone::Offset(offset) })
            }),
            Shape::Instant => {
                let instant = local.zip(zone).map(|(local, zone)| local.instant(zone.offset()));
                instant.map(|Instant { second, nano }| Temporal::Instant(Instant { second, nano }))
            }
        };
        let name = match shape {
            Shape::Date => "LocalDate",
            Shape::Time => "LocalTime",
            Shape::DateTime => "LocalDateTime",
            Shape::ZonedDateTime => "ZonedDateTime",
            Shape::OffsetDateTime => "OffsetDateTime",
            Shape::Instant => "Instant",
        };
        found.map_or_else(
            || date_time(format!("Unable to obtain {name} from TemporalAccessor: {self}")),
            Ok,
        )
    }
}

impl std::fmt::Display for Resolved {
    /// Java shows more than one field in an order that is another in every run.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let fields = self.rest.iter().map(|(field, value)| format!("{}={value}", field.name()));
        write!(f, "{{{}}},ISO", fields.collect::<Vec<_>>().join(", "))?;
        if let Some(zone) = self.zone {
            write!(f, ",{zone}")?;
        }
        match (self.date, self.time) {
            (Some(date), Some(time)) => write!(f, " resolved to {}", DateTime { date, time })?,
            (Some(date), None) => write!(f, " resolved to {date}")?,
            (None, Some(time)) => write!(f, " resolved to {time}")?,
            (None, None) => {}
        }
        f.write_str(" of type java.time.format.Parsed")
    }
}
