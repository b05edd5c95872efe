//! `java.time` in the ISO calendar, and `java.text.SimpleDateFormat`; zones are fixed offsets.
mod civil;
mod clock;
mod description;
mod field;
mod formatter;
mod moment;
mod parse;
mod pattern;
mod print;
mod resolve;
mod simple;

pub use civil::Date;
pub(crate) use civil::{DAYS, MONTHS};
pub use clock::{DateTime, Time};
pub use field::Field;
pub use formatter::Formatter;
pub use moment::{Duration, Instant, Offset, Zone, ZonedDateTime};
pub use parse::{Shape, Temporal};
pub use simple::SimpleFormat;

use crate::Result;
use crate::failure::{ARITHMETIC, throw};

/// `java.time.DateTimeException`.
pub const DATE_TIME: &str = "java/time/DateTimeException";
/// `java.time.format.DateTimeParseException`.
pub const DATE_TIME_PARSE: &str = "java/time/format/DateTimeParseException";
/// `java.time.temporal.UnsupportedTemporalTypeException`.
pub const UNSUPPORTED: &str = "java/time/temporal/UnsupportedTemporalTypeException";

pub(crate) fn date_time<T>(message: impl Into<String>) -> Result<T> {
    throw(DATE_TIME, message)
}

pub(crate) fn overflow<T>() -> Result<T> {
    throw(ARITHMETIC, "long overflow")
}
