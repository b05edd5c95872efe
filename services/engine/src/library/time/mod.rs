//! java.time.

/// A method without arguments beside the receiver that gives an int.
macro_rules! number {
    ($class:literal, $name:literal, $get:ident, |$value:ident| $of:expr) => {
        throwing(concat!("java/time/", $class, ".", $name, "()I"), &[Ref], Int, |memory, args| {
            let $value = $get(memory, args[0])?;
            Ok(int($of))
        })
    };
}

mod formats;
mod lengths;
mod points;
mod value;
mod zones;

pub(super) use formats::{METHODS as FORMATS, PARSES};
pub(super) use lengths::METHODS as LENGTHS;
pub(super) use points::{METHODS as POINTS, ORDERS, SHIFTS};
pub(super) use value::constant;
pub(super) use zones::METHODS as ZONES;

use crate::memory::Memory;
use crate::reason::Reason;
use value::Value;

type Answer = Result<u64, Reason>;

/// A new object of java.time.
fn new(memory: &mut Memory<'_>, value: Value) -> Answer {
    memory.new_thing(value)
}

/// Declares how to get each kind of value.
macro_rules! getters {
    ($($name:ident: $variant:ident => $ty:ty;)*) => {$(
        fn $name(memory: &Memory<'_>, slot: u64) -> Result<$ty, Reason> {
            match memory.thing::<Value>(slot)? {
                Value::$variant(value) => Ok(value.clone()),
                _ => Err(Reason::exception("java/lang/ClassCastException", None)),
            }
        }
    )*};
}

getters! {
    date: Date => sluice_java::time::Date;
    time: Time => sluice_java::time::Time;
    date_time: DateTime => sluice_java::time::DateTime;
    zoned: Zoned => sluice_java::time::ZonedDateTime;
    offset_date_time: OffsetDateTime => sluice_java::time::ZonedDateTime;
    instant: Instant => sluice_java::time::Instant;
    duration: Duration => sluice_java::time::Duration;
    offset: Offset => sluice_java::time::Offset;
    formatter: Formatter => std::sync::Arc<sluice_java::time::Formatter>;
}

/// A `ZoneId`, which offsets are, too.
fn zone(memory: &Memory<'_>, slot: u64) -> Result<sluice_java::time::Zone, Reason> {
    match memory.thing::<Value>(slot)? {
        Value::Offset(offset) => Ok(sluice_java::time::Zone::Offset(*offset)),
        Value::Zone(zone) => Ok(*zone),
        _ => Err(Reason::exception("java/lang/ClassCastException", None)),
    }
}
