//! The fields of dates and times (`java.time.temporal.ChronoField`).
use super::date_time;
use crate::Result;

/// A field of dates or times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Field {
    EpochDay,
    Year,
    YearOfEra,
    Month,
    Day,
    DayOfYear,
    DayOfWeek,
    AmPm,
    HourOfAmPm,
    ClockHourOfAmPm,
    ClockHourOfDay,
    Hour,
    Minute,
    Second,
    NanoOfDay,
    MilliOfDay,
    Nano,
    InstantSeconds,
    OffsetSeconds,
}

impl Field {
    /// Java's name of it.
    pub fn name(self) -> &'static str {
        match self {
            Field::EpochDay => "EpochDay",
            Field::Year => "Year",
            Field::YearOfEra => "YearOfEra",
            Field::Month => "MonthOfYear",
            Field::Day => "DayOfMonth",
            Field::DayOfYear => "DayOfYear",
            Field::DayOfWeek => "DayOfWeek",
            Field::AmPm => "AmPmOfDay",
            Field::HourOfAmPm => "HourOfAmPm",
            Field::ClockHourOfAmPm => "ClockHourOfAmPm",
            Field::ClockHourOfDay => "ClockHourOfDay",
            Field::Hour => "HourOfDay",
            Field::Minute => "MinuteOfHour",
            Field::Second => "SecondOfMinute",
            Field::NanoOfDay => "NanoOfDay",
            Field::MilliOfDay => "MilliOfDay",
            Field::Nano => "NanoOfSecond",
            Field::InstantSeconds => "InstantSeconds",
            Field::OffsetSeconds => "OffsetSeconds",
        }
    }

    /// The least value, the least and the greatest of the highest values.
    fn range(self) -> (i64, i64, i64) {
        let (least, most) = match self {
            Field::EpochDay => (-365_243_219_162, 365_241_780_471),
            Field::Year => (-999_999_999, 999_999_999),
            Field::YearOfEra => return (1, 999_999_999, 1_000_000_000),
            Field::Month | Field::ClockHourOfAmPm => (1, 12),
            Field::Day => return (1, 28, 31),
            Field::DayOfYear => return (1, 365, 366),
            Field::DayOfWeek => (1, 7),
            Field::AmPm => (0, 1),
            Field::HourOfAmPm => (0, 11),
            Field::ClockHourOfDay => (1, 24),
            Field::Hour => (0, 23),
            Field::Minute | Field::Second => (0, 59),
            Field::NanoOfDay => (0, 86_400_000_000_000 - 1),
            Field::MilliOfDay => (0, 86_400_000 - 1),
            Field::Nano => (0, 999_999_999),
            Field::InstantSeconds => (i64::MIN, i64::MAX),
            Field::OffsetSeconds => (-18 * 3600, 18 * 3600),
        };
        (least, most, most)
    }

    /// `checkValidValue`; fields that fit an int only.
    pub(crate) fn check(self, value: i64) -> Result<i32> {
        self.check_long(value).map(|value| value as i32)
    }

    /// `checkValidValue`.
    pub(crate) fn check_long(self, value: i64) -> Result<i64> {
        let (least, short, most) = self.range();
        if (least..=most).contains(&value) {
            return Ok(value);
        }
        let range = match short == most {
            true => format!("{least} - {most}"),
            false => format!("{least} - {short}/{most}"),
        };
        date_time(format!("Invalid value for {} (valid values {range}): {value}", self.name()))
    }

    /// Whether it is a part of a time.
    pub(crate) fn is_of_time(self) -> bool {
        (Field::AmPm..=Field::Nano).contains(&self)
    }
}
