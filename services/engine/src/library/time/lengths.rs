//! Lengths of time, and units of it.
use super::super::LibTy::{Bool, Int, Long, Ref};
use super::super::strings::int;
use super::super::{Method, pure, throwing};
use super::value::Value;
use super::{duration, new};
use crate::memory::Memory;
use crate::reason::Reason;
use sluice_java::time::{Duration, Offset};

/// `Duration.ofX(long)`.
macro_rules! of {
    ($unit:literal, $nanos:expr) => {
        throwing(
            concat!("java/time/Duration.of", $unit, "(J)Ljava/time/Duration;"),
            &[Long],
            Ref,
            |memory, args| {
                let length = Duration::of_nanos(i128::from(args[0] as i64) * $nanos)?;
                new(memory, Value::Duration(length))
            },
        )
    };
}

/// `toX()` of a length.
macro_rules! to {
    ($name:literal, |$length:ident| $of:expr) => {
        throwing(concat!("java/time/Duration.", $name, "()J"), &[Ref], Long, |memory, args| {
            let $length = duration(memory, args[0])?;
            let long: i64 = $of;
            Ok(long as u64)
        })
    };
}

const SECOND: i128 = 1_000_000_000;

pub(in super::super) static METHODS: &[Method] = &[
    of!("Days", 86_400 * SECOND),
    of!("Hours", 3_600 * SECOND),
    of!("Minutes", 60 * SECOND),
    of!("Seconds", SECOND),
    of!("Millis", 1_000_000),
    of!("Nanos", 1),
    to!("toDays", |length| length.second / 86_400),
    to!("toHours", |length| length.second / 3_600),
    to!("toMinutes", |length| length.second / 60),
    to!("toSeconds", |length| length.second),
    to!("getSeconds", |length| length.second),
    to!("toMillis", |length| length.millis()?),
    to!("toNanos", |length| length.total_nanos()?),
    throwing("java/time/Duration.getNano()I", &[Ref], Int, |memory, args| {
        Ok(int(duration(memory, args[0])?.nano))
    }),
    throwing("java/time/Duration.isNegative()Z", &[Ref], Bool, |memory, args| {
        Ok(u64::from(duration(memory, args[0])?.second < 0))
    }),
    throwing("java/time/Duration.isZero()Z", &[Ref], Bool, |memory, args| {
        Ok(u64::from(duration(memory, args[0])?.nanos() == 0))
    }),
    pure("java/time/Duration.ZEROLjava/time/Duration;", &[], Ref, |memory, _| {
        new(memory, Value::Duration(Duration { second: 0, nano: 0 }))
    }),
    throwing(
        "java/time/Duration.between(Ljava/time/temporal/Temporal;Ljava/time/temporal/Temporal;)Ljava/time/Duration;",
        &[Ref, Ref],
        Ref,
        |memory, args| {
            let length = Duration::of_nanos(nanos_between(memory, args[0], args[1])?)?;
            new(memory, Value::Duration(length))
        },
    ),
    throwing(
        "java/time/Duration.compareTo(Ljava/time/Duration;)I",
        &[Ref, Ref],
        Int,
        |memory, args| {
            let [a, b] = [duration(memory, args[0])?, duration(memory, args[1])?];
            Ok(int(match a.second.cmp(&b.second) as i32 {
                0 => a.nano - b.nano,
                order => order,
            }))
        },
    ),
    throwing(
        "java/time/Duration.plus(Ljava/time/Duration;)Ljava/time/Duration;",
        &[Ref, Ref],
        Ref,
        |memory, args| {
            let sum = duration(memory, args[0])?.nanos() + duration(memory, args[1])?.nanos();
            let length = Duration::of_nanos(sum)?;
            new(memory, Value::Duration(length))
        },
    ),
    throwing(
        "java/time/Duration.minus(Ljava/time/Duration;)Ljava/time/Duration;",
        &[Ref, Ref],
        Ref,
        |memory, args| {
            let rest = duration(memory, args[0])?.nanos() - duration(memory, args[1])?.nanos();
            let length = Duration::of_nanos(rest)?;
            new(memory, Value::Duration(length))
        },
    ),
];

/// Nanoseconds from one point to another of the same class.
fn nanos_between(memory: &Memory<'_>, from: u64, to: u64) -> Result<i128, Reason> {
    let nanos = |slot: u64| -> Result<(u8, i128), Reason> {
        let (kind, point) = match memory.thing::<Value>(slot)? {
            Value::Instant(at) => (0, *at),
            Value::DateTime(at) => (1, at.instant(Offset::UTC)),
            Value::Zoned(at) => (2, at.instant()),
            Value::OffsetDateTime(at) => (3, at.instant()),
            Value::Time(time) => return Ok((4, i128::from(time.nano_of_day()))),
            _ => return Err(Reason::Uncertain("the length between these")),
        };
        Ok((kind, Duration { second: point.second, nano: point.nano }.nanos()))
    };
    let ((kind, from), (other, to)) = (nanos(from)?, nanos(to)?);
    if kind == other { Ok(to - from) } else { Err(Reason::Uncertain("the length between these")) }
}
