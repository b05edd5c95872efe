//! Times of a day.
use super::{Date, Field, Instant, Offset};
use crate::Result;

pub(crate) const NANOS_PER_SECOND: i64 = 1_000_000_000;
pub(crate) const SECONDS_PER_DAY: i64 = 86_400;
pub(crate) const NANOS_PER_DAY: i64 = SECONDS_PER_DAY * NANOS_PER_SECOND;

/// A time of a day (`java.time.LocalTime`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time {
    /// From 0 to 23.
    pub hour: i32,
    /// From 0 to 59.
    pub minute: i32,
    /// From 0 to 59.
    pub second: i32,
    /// From 0 to 999,999,999.
    pub nano: i32,
}

impl Time {
    /// Its first one.
    pub const MIDNIGHT: Time = Time { hour: 0, minute: 0, second: 0, nano: 0 };

    /// `LocalTime.of(int, int, int, int)`.
    pub fn of(hour: i64, minute: i64, second: i64, nano: i64) -> Result<Time> {
        Ok(Time {
            hour: Field::Hour.check(hour)?,
            minute: Field::Minute.check(minute)?,
            second: Field::Second.check(second)?,
            nano: Field::Nano.check(nano)?,
        })
    }

    /// `LocalTime.ofNanoOfDay`.
    pub fn of_nano_of_day(nano_of_day: i64) -> Result<Time> {
        Field::NanoOfDay.check_long(nano_of_day)?;
        Ok(Time::within_day(nano_of_day))
    }

    fn within_day(nanos: i64) -> Time {
        let (seconds, nano) = (nanos / NANOS_PER_SECOND, nanos % NANOS_PER_SECOND);
        Time {
            hour: (seconds / 3600) as i32,
            minute: (seconds / 60 % 60) as i32,
            second: (seconds % 60) as i32,
            nano: nano as i32,
        }
    }

    /// `toSecondOfDay`.
    pub fn second_of_day(self) -> i32 {
        self.hour * 3600 + self.minute * 60 + self.second
    }

    /// `toNanoOfDay`.
    pub fn nano_of_day(self) -> i64 {
        i64::from(self.second_of_day()) * NANOS_PER_SECOND + i64::from(self.nano)
    }

    /// `plus` with a number of nanoseconds; it wraps around at midnight.
    pub fn plus_nanos(self, nanos: i128) -> Time {
        let sum = i128::from(self.nano_of_day()) + nanos;
        Time::within_day(sum.rem_euclid(i128::from(NANOS_PER_DAY)) as i64)
    }

    /// `hashCode`.
    pub fn hash_code(self) -> i32 {
        crate::hash::long(self.nano_of_day())
    }
}

impl std::fmt::Display for Time {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Time { hour, minute, second, nano } = *self;
        write!(f, "{hour:02}:{minute:02}")?;
        match (second, nano) {
            (0, 0) => Ok(()),
            (second, 0) => write!(f, ":{second:02}"),
            (second, nano) if nano % 1_000_000 == 0 => {
                write!(f, ":{second:02}.{:03}", nano / 1_000_000)
            }
            (second, nano) if nano % 1_000 == 0 => write!(f, ":{second:02}.{:06}", nano / 1_000),
            (second, nano) => write!(f, ":{second:02}.{nano:09}"),
        }
    }
}

/// A day and a time of it (`java.time.LocalDateTime`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct DateTime {
    /// The day.
    pub date: Date,
    /// The time.
    pub time: Time,
}

impl DateTime {
    /// `LocalDateTime.ofEpochSecond`.
    pub fn of_epoch_second(second: i64, nano: i64, offset: Offset) -> Result<DateTime> {
        let nano = Field::Nano.check(nano)?;
        let local = i128::from(second) + i128::from(offset.seconds);
        let Ok(local) = i64::try_from(local) else { return super::overflow() };
        let date = Date::of_epoch_day(local.div_euclid(SECONDS_PER_DAY))?;
        let within = local.rem_euclid(SECONDS_PER_DAY) * NANOS_PER_SECOND;
        Ok(DateTime { date, time: Time { nano, ..Time::within_day(within) } })
    }

    /// `toEpochSecond`.
    pub fn epoch_second(self, offset: Offset) -> i64 {
        self.date.epoch_day() * SECONDS_PER_DAY + i64::from(self.time.second_of_day())
            - i64::from(offset.seconds)
    }

    /// `toInstant`.
    pub fn instant(self, offset: Offset) -> Instant {
        Instant { second: self.epoch_second(offset), nano: self.time.nano }
    }

    /// `plus` with a number of nanoseconds.
    pub fn plus_nanos(self, nanos: i128) -> Result<DateTime> {
        let sum = i128::from(self.time.nano_of_day()) + nanos;
        let day = i128::from(NANOS_PER_DAY);
        let date = self.date.plus_days(sum.div_euclid(day) as i64)?;
        Ok(DateTime { date, time: Time::within_day(sum.rem_euclid(day) as i64) })
    }

    /// `hashCode`.
    pub fn hash_code(self) -> i32 {
        self.date.hash_code() ^ self.time.hash_code()
    }
}

impl std::fmt::Display for DateTime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}T{}", self.date, self.time)
    }
}
