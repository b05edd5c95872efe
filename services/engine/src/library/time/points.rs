//! Dates and times: their parts, and arithmetic.
use super::super::LibTy::{Bool, Int, Long, Ref};
use super::super::strings::int;
use super::super::{Method, throwing};
use super::value::{Value, compare_dates, compare_locals};
use super::{Answer, date, date_time, instant, new, offset, time, zone};
use crate::memory::Memory;
use crate::reason::Reason;
use sluice_java::time::{Date, DateTime, Instant, Time, Zone, ZonedDateTime};

/// `isBefore`, `isAfter`, `isEqual`, `compareTo` of a class.
macro_rules! order {
    ($class:literal, $of:literal, $get:ident, $compare:expr) => {
        [
            order!(
                $class,
                "isBefore",
                $of,
                $get,
                $compare,
                |order: i32| u64::from(order < 0),
                "Z",
                Bool
            ),
            order!(
                $class,
                "isAfter",
                $of,
                $get,
                $compare,
                |order: i32| u64::from(order > 0),
                "Z",
                Bool
            ),
            order!(
                $class,
                "isEqual",
                $of,
                $get,
                $compare,
                |order: i32| u64::from(order == 0),
                "Z",
                Bool
            ),
            order!($class, "compareTo", $of, $get, $compare, |order: i32| int(order), "I", Int),
        ]
    };
    ($class:literal, $name:literal, $of:literal, $get:ident, $compare:expr, $shown:expr, $ty:literal, $result:ident) => {
        throwing(
            concat!("java/time/", $class, ".", $name, "(Ljava/time/", $of, ";)", $ty),
            &[Ref, Ref],
            $result,
            |memory, args| {
                let order = $compare($get(memory, args[0])?, $get(memory, args[1])?);
                Ok($shown(order))
            },
        )
    };
}

pub(in super::super) static ORDERS: &[[Method; 4]] = &[
    order!("LocalDate", "chrono/ChronoLocalDate", date, compare_dates),
    order!("LocalDateTime", "chrono/ChronoLocalDateTime", date_time, compare_locals),
    order!("LocalTime", "LocalTime", time, |a: Time, b: Time| a.cmp(&b) as i32),
    order!("Instant", "Instant", instant, |a: Instant, b: Instant| {
        match a.second.cmp(&b.second) as i32 {
            0 => a.nano - b.nano,
            order => order,
        }
    }),
];

/// `plusX` and `minusX` of a class by a number of units.
macro_rules! shift {
    ($class:literal, $unit:literal, $get:ident, |$value:ident, $by:ident| $plus:expr) => {
        [
            throwing(
                concat!("java/time/", $class, ".plus", $unit, "(J)Ljava/time/", $class, ";"),
                &[Ref, Long],
                Ref,
                |memory, args| {
                    let ($value, $by) = ($get(memory, args[0])?, i128::from(args[1] as i64));
                    let value = $plus;
                    new(memory, value)
                },
            ),
            throwing(
                concat!("java/time/", $class, ".minus", $unit, "(J)Ljava/time/", $class, ";"),
                &[Ref, Long],
                Ref,
                |memory, args| {
                    let ($value, $by) = ($get(memory, args[0])?, -i128::from(args[1] as i64));
                    let value = $plus;
                    new(memory, value)
                },
            ),
        ]
    };
}

const SECOND: i128 = 1_000_000_000;

pub(in super::super) static SHIFTS: &[[Method; 2]] = &[
    shift!("LocalDate", "Days", date, |date, by| Value::Date(date.plus_days(long(by)?)?)),
    shift!("LocalDate", "Weeks", date, |date, by| Value::Date(date.plus_days(long(by * 7)?)?)),
    shift!("LocalDate", "Months", date, |date, by| Value::Date(date.plus_months(long(by)?)?)),
    shift!("LocalDate", "Years", date, |date, by| Value::Date(date.plus_years(long(by)?)?)),
    shift!("LocalDateTime", "Days", date_time, |at, by| days(at, by)?),
    shift!("LocalDateTime", "Weeks", date_time, |at, by| days(at, by * 7)?),
    shift!("LocalDateTime", "Months", date_time, |at, by| {
        Value::DateTime(DateTime { date: at.date.plus_months(long(by)?)?, ..at })
    }),
    shift!("LocalDateTime", "Years", date_time, |at, by| {
        Value::DateTime(DateTime { date: at.date.plus_years(long(by)?)?, ..at })
    }),
    shift!("LocalDateTime", "Hours", date_time, |at, by| Value::DateTime(
        at.plus_nanos(by * 3600 * SECOND)?
    )),
    shift!("LocalDateTime", "Minutes", date_time, |at, by| Value::DateTime(
        at.plus_nanos(by * 60 * SECOND)?
    )),
    shift!("LocalDateTime", "Seconds", date_time, |at, by| Value::DateTime(
        at.plus_nanos(by * SECOND)?
    )),
    shift!("LocalDateTime", "Nanos", date_time, |at, by| Value::DateTime(at.plus_nanos(by)?)),
    shift!("LocalTime", "Hours", time, |time, by| Value::Time(time.plus_nanos(by * 3600 * SECOND))),
    shift!("LocalTime", "Minutes", time, |time, by| Value::Time(time.plus_nanos(by * 60 * SECOND))),
    shift!("LocalTime", "Seconds", time, |time, by| Value::Time(time.plus_nanos(by * SECOND))),
    shift!("Instant", "Seconds", instant, |at, by| Value::Instant(at.plus(lengths(by * SECOND)?)?)),
    shift!("Instant", "Millis", instant, |at, by| Value::Instant(
        at.plus(lengths(by * 1_000_000)?)?
    )),
    shift!("Instant", "Nanos", instant, |at, by| Value::Instant(at.plus(lengths(by)?)?)),
];

fn long(by: i128) -> Result<i64, Reason> {
    i64::try_from(by).map_err(|_| {
        Reason::exception("java/lang/ArithmeticException", Some("long overflow".to_owned()))
    })
}

fn days(at: DateTime, by: i128) -> Result<Value, Reason> {
    Ok(Value::DateTime(DateTime { date: at.date.plus_days(long(by)?)?, ..at }))
}

fn lengths(nanos: i128) -> Result<sluice_java::time::Duration, Reason> {
    Ok(sluice_java::time::Duration::of_nanos(nanos)?)
}

pub(in super::super) static METHODS: &[Method] = &[
    number!("LocalDate", "getYear", date, |date| date.year),
    number!("LocalDate", "getMonthValue", date, |date| date.month),
    number!("LocalDate", "getDayOfMonth", date, |date| date.day),
    number!("LocalDate", "getDayOfYear", date, |date| date.day_of_year()),
    number!("LocalDate", "lengthOfMonth", date, |date| date.length_of_month()),
    number!("LocalDate", "hashCode", date, |date| date.hash_code()),
    number!("LocalTime", "getHour", time, |time| time.hour),
    number!("LocalTime", "getMinute", time, |time| time.minute),
    number!("LocalTime", "getSecond", time, |time| time.second),
    number!("LocalTime", "getNano", time, |time| time.nano),
    number!("LocalTime", "toSecondOfDay", time, |time| time.second_of_day()),
    number!("LocalDateTime", "getYear", date_time, |at| at.date.year),
    number!("LocalDateTime", "getMonthValue", date_time, |at| at.date.month),
    number!("LocalDateTime", "getDayOfMonth", date_time, |at| at.date.day),
    number!("LocalDateTime", "getDayOfYear", date_time, |at| at.date.day_of_year()),
    number!("LocalDateTime", "getHour", date_time, |at| at.time.hour),
    number!("LocalDateTime", "getMinute", date_time, |at| at.time.minute),
    number!("LocalDateTime", "getSecond", date_time, |at| at.time.second),
    number!("LocalDateTime", "getNano", date_time, |at| at.time.nano),
    number!("LocalDateTime", "hashCode", date_time, |at| at.hash_code()),
    throwing("java/time/LocalDate.isLeapYear()Z", &[Ref], Bool, |memory, args| {
        Ok(u64::from(date(memory, args[0])?.is_leap_year()))
    }),
    throwing(
        "java/time/LocalDate.of(III)Ljava/time/LocalDate;",
        &[Int, Int, Int],
        Ref,
        |memory, args| {
            let [year, month, day] = [args[0], args[1], args[2]].map(|slot| i64::from(slot as i32));
            let date = Date::of(year, month, day)?;
            new(memory, Value::Date(date))
        },
    ),
    throwing(
        "java/time/LocalDate.ofEpochDay(J)Ljava/time/LocalDate;",
        &[Long],
        Ref,
        |memory, args| {
            let date = Date::of_epoch_day(args[0] as i64)?;
            new(memory, Value::Date(date))
        },
    ),
    throwing("java/time/LocalDate.toEpochDay()J", &[Ref], Long, |memory, args| {
        Ok(date(memory, args[0])?.epoch_day() as u64)
    }),
    throwing(
        "java/time/LocalDate.atStartOfDay()Ljava/time/LocalDateTime;",
        &[Ref],
        Ref,
        |memory, args| {
            let date = date(memory, args[0])?;
            new(memory, Value::DateTime(DateTime { date, time: Time::MIDNIGHT }))
        },
    ),
    throwing(
        "java/time/LocalDate.atStartOfDay(Ljava/time/ZoneId;)Ljava/time/ZonedDateTime;",
        &[Ref, Ref],
        Ref,
        |memory, args| {
            let (date, zone) = (date(memory, args[0])?, zone(memory, args[1])?);
            let local = DateTime { date, time: Time::MIDNIGHT };
            new(memory, Value::Zoned(ZonedDateTime { local, zone }))
        },
    ),
    throwing(
        "java/time/LocalDate.atTime(II)Ljava/time/LocalDateTime;",
        &[Ref, Int, Int],
        Ref,
        |memory, args| {
            let date = date(memory, args[0])?;
            let time = Time::of((args[1] as i32).into(), (args[2] as i32).into(), 0, 0)?;
            new(memory, Value::DateTime(DateTime { date, time }))
        },
    ),
    throwing(
        "java/time/LocalTime.of(II)Ljava/time/LocalTime;",
        &[Int, Int],
        Ref,
        |memory, args| {
            let time = Time::of((args[0] as i32).into(), (args[1] as i32).into(), 0, 0)?;
            new(memory, Value::Time(time))
        },
    ),
    throwing(
        "java/time/LocalTime.of(III)Ljava/time/LocalTime;",
        &[Int, Int, Int],
        Ref,
        |memory, args| {
            let [hour, minute, second] =
                [args[0], args[1], args[2]].map(|slot| i64::from(slot as i32));
            let time = Time::of(hour, minute, second, 0)?;
            new(memory, Value::Time(time))
        },
    ),
    throwing("java/time/LocalTime.toNanoOfDay()J", &[Ref], Long, |memory, args| {
        Ok(time(memory, args[0])?.nano_of_day() as u64)
    }),
    throwing(
        "java/time/LocalDateTime.of(IIIII)Ljava/time/LocalDateTime;",
        &[Int; 5],
        Ref,
        local_of,
    ),
    throwing(
        "java/time/LocalDateTime.of(IIIIII)Ljava/time/LocalDateTime;",
        &[Int; 6],
        Ref,
        local_of,
    ),
    throwing(
        "java/time/LocalDateTime.of(IIIIIII)Ljava/time/LocalDateTime;",
        &[Int; 7],
        Ref,
        local_of,
    ),
    throwing(
        "java/time/LocalDateTime.of(Ljava/time/LocalDate;Ljava/time/LocalTime;)Ljava/time/LocalDateTime;",
        &[Ref, Ref],
        Ref,
        |memory, args| {
            let (date, time) = (date(memory, args[0])?, time(memory, args[1])?);
            new(memory, Value::DateTime(DateTime { date, time }))
        },
    ),
    throwing(
        "java/time/LocalDateTime.ofEpochSecond(JILjava/time/ZoneOffset;)Ljava/time/LocalDateTime;",
        &[Long, Int, Ref],
        Ref,
        |memory, args| {
            let offset = offset(memory, args[2])?;
            let at = DateTime::of_epoch_second(args[0] as i64, (args[1] as i32).into(), offset)?;
            new(memory, Value::DateTime(at))
        },
    ),
    throwing(
        "java/time/LocalDateTime.ofInstant(Ljava/time/Instant;Ljava/time/ZoneId;)Ljava/time/LocalDateTime;",
        &[Ref, Ref],
        Ref,
        |memory, args| {
            let (point, zone) = (instant(memory, args[0])?, zone(memory, args[1])?);
            let at = ZonedDateTime::of(point, zone)?.local;
            new(memory, Value::DateTime(at))
        },
    ),
    throwing(
        "java/time/LocalDateTime.toEpochSecond(Ljava/time/ZoneOffset;)J",
        &[Ref, Ref],
        Long,
        |memory, args| Ok(date_time(memory, args[0])?.epoch_second(offset(memory, args[1])?) as u64),
    ),
    throwing(
        "java/time/LocalDateTime.toInstant(Ljava/time/ZoneOffset;)Ljava/time/Instant;",
        &[Ref, Ref],
        Ref,
        |memory, args| {
            let point = date_time(memory, args[0])?.instant(offset(memory, args[1])?);
            new(memory, Value::Instant(point))
        },
    ),
    throwing(
        "java/time/LocalDateTime.toLocalDate()Ljava/time/LocalDate;",
        &[Ref],
        Ref,
        |memory, args| {
            let date = date_time(memory, args[0])?.date;
            new(memory, Value::Date(date))
        },
    ),
    throwing(
        "java/time/LocalDateTime.toLocalTime()Ljava/time/LocalTime;",
        &[Ref],
        Ref,
        |memory, args| {
            let time = date_time(memory, args[0])?.time;
            new(memory, Value::Time(time))
        },
    ),
    throwing(
        "java/time/LocalDateTime.atZone(Ljava/time/ZoneId;)Ljava/time/ZonedDateTime;",
        &[Ref, Ref],
        Ref,
        |memory, args| {
            let (local, zone) = (date_time(memory, args[0])?, zone(memory, args[1])?);
            new(memory, Value::Zoned(ZonedDateTime { local, zone }))
        },
    ),
    throwing(
        "java/time/LocalDateTime.atOffset(Ljava/time/ZoneOffset;)Ljava/time/OffsetDateTime;",
        &[Ref, Ref],
        Ref,
        |memory, args| {
            let (local, offset) = (date_time(memory, args[0])?, offset(memory, args[1])?);
            new(memory, Value::OffsetDateTime(ZonedDateTime { local, zone: Zone::Offset(offset) }))
        },
    ),
];

fn local_of(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let part = |at: usize| args.get(at).map_or(0, |slot| i64::from(*slot as i32));
    let date = Date::of(part(0), part(1), part(2))?;
    let time = Time::of(part(3), part(4), part(5), part(6))?;
    new(memory, Value::DateTime(DateTime { date, time }))
}
