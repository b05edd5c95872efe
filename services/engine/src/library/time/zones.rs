//! Points of time and zones.
use super::super::LibTy::{Int, Long, Ref, String as Text};
use super::super::strings::int;
use super::super::{Method, pure, throwing};
use super::value::Value;
use super::{duration, instant, new, offset, offset_date_time, zone, zoned};
use crate::reason::Reason;
use sluice_java::time::{Instant, Offset, Zone, ZonedDateTime};

pub(in super::super) static METHODS: &[Method] = &[
    number!("ZonedDateTime", "getYear", zoned, |at| at.local.date.year),
    number!("ZonedDateTime", "getMonthValue", zoned, |at| at.local.date.month),
    number!("ZonedDateTime", "getDayOfMonth", zoned, |at| at.local.date.day),
    number!("ZonedDateTime", "getHour", zoned, |at| at.local.time.hour),
    number!("ZonedDateTime", "getMinute", zoned, |at| at.local.time.minute),
    number!("ZonedDateTime", "getSecond", zoned, |at| at.local.time.second),
    number!("Instant", "getNano", instant, |at| at.nano),
    number!("Instant", "hashCode", instant, |at| at.hash_code()),
    number!("ZoneOffset", "getTotalSeconds", offset, |offset| offset.seconds),
    throwing(
        "java/time/ZonedDateTime.toInstant()Ljava/time/Instant;",
        &[Ref],
        Ref,
        |memory, args| {
            let point = zoned(memory, args[0])?.instant();
            new(memory, Value::Instant(point))
        },
    ),
    throwing("java/time/ZonedDateTime.toEpochSecond()J", &[Ref], Long, |memory, args| {
        Ok(zoned(memory, args[0])?.instant().second as u64)
    }),
    throwing(
        "java/time/ZonedDateTime.toLocalDateTime()Ljava/time/LocalDateTime;",
        &[Ref],
        Ref,
        |memory, args| {
            let local = zoned(memory, args[0])?.local;
            new(memory, Value::DateTime(local))
        },
    ),
    throwing(
        "java/time/ZonedDateTime.toLocalDate()Ljava/time/LocalDate;",
        &[Ref],
        Ref,
        |memory, args| {
            let date = zoned(memory, args[0])?.local.date;
            new(memory, Value::Date(date))
        },
    ),
    throwing(
        "java/time/OffsetDateTime.toInstant()Ljava/time/Instant;",
        &[Ref],
        Ref,
        |memory, args| {
            let point = offset_date_time(memory, args[0])?.instant();
            new(memory, Value::Instant(point))
        },
    ),
    throwing("java/time/OffsetDateTime.toEpochSecond()J", &[Ref], Long, |memory, args| {
        Ok(offset_date_time(memory, args[0])?.instant().second as u64)
    }),
    throwing(
        "java/time/OffsetDateTime.toLocalDateTime()Ljava/time/LocalDateTime;",
        &[Ref],
        Ref,
        |memory, args| {
            let local = offset_date_time(memory, args[0])?.local;
            new(memory, Value::DateTime(local))
        },
    ),
    pure("java/time/Instant.ofEpochMilli(J)Ljava/time/Instant;", &[Long], Ref, |memory, args| {
        new(memory, Value::Instant(Instant::of_epoch_milli(args[0] as i64)))
    }),
    throwing(
        "java/time/Instant.ofEpochSecond(J)Ljava/time/Instant;",
        &[Long],
        Ref,
        |memory, args| {
            let point = Instant::of(args[0] as i64, 0)?;
            new(memory, Value::Instant(point))
        },
    ),
    throwing(
        "java/time/Instant.ofEpochSecond(JJ)Ljava/time/Instant;",
        &[Long, Long],
        Ref,
        |memory, args| {
            let point = Instant::of(args[0] as i64, args[1] as i64)?;
            new(memory, Value::Instant(point))
        },
    ),
    throwing("java/time/Instant.toEpochMilli()J", &[Ref], Long, |memory, args| {
        Ok(instant(memory, args[0])?.epoch_milli()? as u64)
    }),
    throwing("java/time/Instant.getEpochSecond()J", &[Ref], Long, |memory, args| {
        Ok(instant(memory, args[0])?.second as u64)
    }),
    throwing(
        "java/time/Instant.plus(Ljava/time/temporal/TemporalAmount;)Ljava/time/Instant;",
        &[Ref, Ref],
        Ref,
        |memory, args| {
            let point = instant(memory, args[0])?.plus(duration(memory, args[1])?)?;
            new(memory, Value::Instant(point))
        },
    ),
    throwing(
        "java/time/Instant.atZone(Ljava/time/ZoneId;)Ljava/time/ZonedDateTime;",
        &[Ref, Ref],
        Ref,
        |memory, args| {
            let (point, zone) = (instant(memory, args[0])?, zone(memory, args[1])?);
            let at = ZonedDateTime::of(point, zone)?;
            new(memory, Value::Zoned(at))
        },
    ),
    pure("java/time/ZoneOffset.UTCLjava/time/ZoneOffset;", &[], Ref, |memory, _| {
        new(memory, Value::Offset(Offset::UTC))
    }),
    throwing(
        "java/time/ZoneOffset.ofHours(I)Ljava/time/ZoneOffset;",
        &[Int],
        Ref,
        |memory, args| {
            let hours = args[0] as i32;
            if !(-18..=18).contains(&hours) {
                let message = format!(
                    "Zone offset hours not in valid range: value {hours} is not in the range -18 to 18"
                );
                return Err(Reason::exception("java/time/DateTimeException", Some(message)));
            }
            new(memory, Value::Offset(Offset { seconds: hours * 3600 }))
        },
    ),
    throwing(
        "java/time/ZoneOffset.ofTotalSeconds(I)Ljava/time/ZoneOffset;",
        &[Int],
        Ref,
        |memory, args| {
            let offset = Offset::of(args[0] as i32)?;
            new(memory, Value::Offset(offset))
        },
    ),
    throwing(
        "java/time/ZoneId.of(Ljava/lang/String;)Ljava/time/ZoneId;",
        &[Text],
        Ref,
        |memory, args| match Zone::of(memory.text(args[0])) {
            Some(Zone::Offset(offset)) => new(memory, Value::Offset(offset)),
            Some(zone) => new(memory, Value::Zone(zone)),
            None => Err(Reason::Uncertain("a zone with rules")),
        },
    ),
    throwing(
        "java/time/ZoneOffset.of(Ljava/lang/String;)Ljava/time/ZoneOffset;",
        &[Text],
        Ref,
        |memory, args| match Zone::of(memory.text(args[0])) {
            Some(Zone::Offset(offset)) => new(memory, Value::Offset(offset)),
            _ => Err(Reason::Uncertain("this offset")),
        },
    ),
];
