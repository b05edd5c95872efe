//! Points and lengths of time.
use super::clock::NANOS_PER_SECOND;
use super::{DateTime, date_time, overflow};
use crate::Result;
use std::fmt;

const LEAST_SECOND: i64 = -31_557_014_167_219_200;
const MOST_SECOND: i64 = 31_556_889_864_403_199;

/// A point of time (`java.time.Instant`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instant {
    /// Seconds since the epoch.
    pub second: i64,
    /// Nanoseconds behind it.
    pub nano: i32,
}

impl Instant {
    /// `Instant.ofEpochSecond(long, long)`.
    pub fn of(second: i64, nanos: i64) -> Result<Instant> {
        let Some(second) = second.checked_add(nanos.div_euclid(NANOS_PER_SECOND)) else {
            return overflow();
        };
        if !(LEAST_SECOND..=MOST_SECOND).contains(&second) {
            return date_time("Instant exceeds minimum or maximum instant");
        }
        Ok(Instant { second, nano: nanos.rem_euclid(NANOS_PER_SECOND) as i32 })
    }

    /// `Instant.ofEpochMilli`.
    pub fn of_epoch_milli(milli: i64) -> Instant {
        let nano = milli.rem_euclid(1000) as i32 * 1_000_000;
        Instant { second: milli.div_euclid(1000), nano }
    }

    /// `toEpochMilli`.
    pub fn epoch_milli(self) -> Result<i64> {
        let milli = i128::from(self.second) * 1000 + i128::from(self.nano / 1_000_000);
        i64::try_from(milli).or_else(|_| overflow())
    }

    /// `plus` with a length of time.
    pub fn plus(self, length: Duration) -> Result<Instant> {
        let Some(second) = self.second.checked_add(length.second) else { return overflow() };
        Instant::of(second, i64::from(self.nano) + i64::from(length.nano))
    }

    /// `hashCode`.
    pub fn hash_code(self) -> i32 {
        crate::hash::long(self.second).wrapping_add(self.nano.wrapping_mul(51))
    }
}

impl fmt::Display for Instant {
    /// As `ISO_INSTANT` prints it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ok(local) = DateTime::of_epoch_second(self.second, self.nano.into(), Offset::UTC)
        else {
            return write!(f, "{}s", self.second);
        };
        write!(f, "{local}")?;
        if local.time.second == 0 && local.time.nano == 0 {
            f.write_str(":00")?;
        }
        f.write_str("Z")
    }
}

/// A length of time (`java.time.Duration`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Duration {
    /// Seconds, rounded down.
    pub second: i64,
    /// Nanoseconds behind them.
    pub nano: i32,
}

impl Duration {
    /// Of seconds and nanoseconds of any sign.
    pub fn of(second: i64, nanos: i64) -> Result<Duration> {
        let Some(second) = second.checked_add(nanos.div_euclid(NANOS_PER_SECOND)) else {
            return overflow();
        };
        Ok(Duration { second, nano: nanos.rem_euclid(NANOS_PER_SECOND) as i32 })
    }

    /// Of all its nanoseconds.
    pub fn of_nanos(nanos: i128) -> Result<Duration> {
        let second = nanos.div_euclid(i128::from(NANOS_PER_SECOND));
        let Ok(second) = i64::try_from(second) else { return overflow() };
        Ok(Duration { second, nano: nanos.rem_euclid(i128::from(NANOS_PER_SECOND)) as i32 })
    }

    /// All its nanoseconds.
    pub fn nanos(self) -> i128 {
        i128::from(self.second) * i128::from(NANOS_PER_SECOND) + i128::from(self.nano)
    }

    /// `Duration.between` two points.
    pub fn between(from: Instant, to: Instant) -> Result<Duration> {
        let nanos = |point: Instant| Duration { second: point.second, nano: point.nano }.nanos();
        Duration::of_nanos(nanos(to) - nanos(from))
    }

    /// `toMillis`.
    pub fn millis(self) -> Result<i64> {
        // Towards zero.
        i64::try_from(self.nanos() / 1_000_000).or_else(|_| overflow())
    }

    /// `toNanos`.
    pub fn total_nanos(self) -> Result<i64> {
        i64::try_from(self.nanos()).or_else(|_| overflow())
    }

    /// `hashCode`.
    pub fn hash_code(self) -> i32 {
        crate::hash::long(self.second).wrapping_add(self.nano.wrapping_mul(51))
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.second == 0 && self.nano == 0 {
            return f.write_str("PT0S");
        }
        let effective = self.second + i64::from(self.second < 0 && self.nano > 0);
        let (hours, minutes, seconds) = (effective / 3600, effective % 3600 / 60, effective % 60);
        f.write_str("PT")?;
        if hours != 0 {
            write!(f, "{hours}H")?;
        }
        if minutes != 0 {
            write!(f, "{minutes}M")?;
        }
        if seconds == 0 && self.nano == 0 {
            return Ok(());
        }
        if self.second < 0 && self.nano > 0 && seconds == 0 {
            f.write_str("-0")?;
        } else {
            write!(f, "{seconds}")?;
        }
        if self.nano > 0 {
            let nano = if self.second < 0 { 1_000_000_000 - self.nano } else { self.nano };
            write!(f, ".{}", format!("{nano:09}").trim_end_matches('0'))?;
        }
        f.write_str("S")
    }
}

/// A distance from UTC (`java.time.ZoneOffset`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offset {
    /// Seconds east of it.
    pub seconds: i32,
}

impl Offset {
    /// None.
    pub const UTC: Offset = Offset { seconds: 0 };

    /// `ZoneOffset.ofTotalSeconds`.
    pub fn of(seconds: i32) -> Result<Offset> {
        if !(-18 * 3600..=18 * 3600).contains(&seconds) {
            return date_time("Zone offset not in valid range: -18:00 to +18:00");
        }
        Ok(Offset { seconds })
    }
}

impl fmt::Display for Offset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.seconds == 0 {
            return f.write_str("Z");
        }
        let (sign, total) = (if self.seconds < 0 { '-' } else { '+' }, self.seconds.abs());
        write!(f, "{sign}{:02}:{:02}", total / 3600, total / 60 % 60)?;
        if total % 60 == 0 { Ok(()) } else { write!(f, ":{:02}", total % 60) }
    }
}

/// A zone whose offset never changes (`java.time.ZoneId`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zone {
    /// An offset itself.
    Offset(Offset),
    /// UTC under one of its names.
    Named(&'static str),
}

impl Zone {
    /// The zone of an id, where it is certain: offsets, and `UTC`, `GMT`, `UT` and `Z`.
    pub fn of(id: &str) -> Option<Zone> {
        match id {
            "Z" => Some(Zone::Offset(Offset::UTC)),
            "UTC" => Some(Zone::Named("UTC")),
            "GMT" => Some(Zone::Named("GMT")),
            "UT" => Some(Zone::Named("UT")),
            id => {
                let bytes = id.as_bytes();
                let [sign @ (b'+' | b'-'), a, b, b':', c, d] = bytes else { return None };
                let digits = [a, b, c, d].map(|digit| i32::from(digit.wrapping_sub(b'0')));
                if digits.iter().any(|digit| *digit > 9) || digits[2] > 5 {
                    return None;
                }
                let total = (digits[0] * 10 + digits[1]) * 3600 + (digits[2] * 10 + digits[3]) * 60;
                let total = if *sign == b'-' { -total } else { total };
                Offset::of(total).ok().map(Zone::Offset)
            }
        }
    }

    /// Its offset.
    pub fn offset(self) -> Offset {
        match self {
            Zone::Offset(offset) => offset,
            Zone::Named(_) => Offset::UTC,
        }
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Zone::Offset(offset) => offset.fmt(f),
            Zone::Named(name) => f.write_str(name),
        }
    }
}

/// A local time and its zone (`java.time.ZonedDateTime`; `OffsetDateTime` where the zone is an offset).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ZonedDateTime {
    /// The local time.
    pub local: DateTime,
    /// The zone.
    pub zone: Zone,
}

impl ZonedDateTime {
    /// `toInstant`.
    pub fn instant(self) -> Instant {
        self.local.instant(self.zone.offset())
    }

    /// `ofInstant`.
    pub fn of(point: Instant, zone: Zone) -> Result<ZonedDateTime> {
        let local = DateTime::of_epoch_second(point.second, point.nano.into(), zone.offset())?;
        Ok(ZonedDateTime { local, zone })
    }
}

impl fmt::Display for ZonedDateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.local, self.zone.offset())?;
        match self.zone {
            Zone::Offset(_) => Ok(()),
            Zone::Named(name) => write!(f, "[{name}]"),
        }
    }
}
