//! The objects of java.time.
use crate::heap::Thing;
use serde_json::Value as Json;
use sluice_java::time::{
    Date, DateTime, Duration, Formatter, Instant, Offset, Shape, Temporal, Time, Zone,
    ZonedDateTime,
};
use std::sync::Arc;

/// An object of java.time.
#[derive(Debug, Clone)]
pub(super) enum Value {
    Date(Date),
    Time(Time),
    DateTime(DateTime),
    Zoned(ZonedDateTime),
    OffsetDateTime(ZonedDateTime),
    Instant(Instant),
    Duration(Duration),
    Offset(Offset),
    Zone(Zone),
    Formatter(Arc<Formatter>),
}

impl Thing for Value {
    fn class(&self) -> &'static str {
        match self {
            Value::Date(_) => "java/time/LocalDate",
            Value::Time(_) => "java/time/LocalTime",
            Value::DateTime(_) => "java/time/LocalDateTime",
            Value::Zoned(_) => "java/time/ZonedDateTime",
            Value::OffsetDateTime(_) => "java/time/OffsetDateTime",
            Value::Instant(_) => "java/time/Instant",
            Value::Duration(_) => "java/time/Duration",
            Value::Offset(_) | Value::Zone(Zone::Offset(_)) => "java/time/ZoneOffset",
            Value::Zone(Zone::Named(_)) => "java/time/ZoneRegion",
            Value::Formatter(_) => "java/time/format/DateTimeFormatter",
        }
    }

    fn above(&self) -> &'static [&'static str] {
        match self {
            Value::Date(_) => &[
                "java/time/chrono/ChronoLocalDate",
                "java/time/temporal/Temporal",
                "java/time/temporal/TemporalAccessor",
                "java/lang/Comparable",
            ],
            Value::DateTime(_) => &[
                "java/time/chrono/ChronoLocalDateTime",
                "java/time/temporal/Temporal",
                "java/time/temporal/TemporalAccessor",
                "java/lang/Comparable",
            ],
            Value::Zoned(_) => &[
                "java/time/chrono/ChronoZonedDateTime",
                "java/time/temporal/Temporal",
                "java/time/temporal/TemporalAccessor",
                "java/lang/Comparable",
            ],
            Value::Time(_) | Value::OffsetDateTime(_) | Value::Instant(_) => &[
                "java/time/temporal/Temporal",
                "java/time/temporal/TemporalAccessor",
                "java/lang/Comparable",
            ],
            Value::Duration(_) => &["java/time/temporal/TemporalAmount", "java/lang/Comparable"],
            Value::Offset(_) | Value::Zone(_) => &["java/time/ZoneId", "java/lang/Comparable"],
            Value::Formatter(_) => &[],
        }
    }

    fn equals(&self, other: &dyn Thing) -> Option<bool> {
        let Some(other) = other.of::<Value>() else { return Some(false) };
        Some(match (self, other) {
            (Value::Date(a), Value::Date(b)) => a == b,
            (Value::Time(a), Value::Time(b)) => a == b,
            (Value::DateTime(a), Value::DateTime(b)) => a == b,
            (Value::Zoned(a), Value::Zoned(b)) => a == b,
            (Value::OffsetDateTime(a), Value::OffsetDateTime(b)) => a == b,
            (Value::Instant(a), Value::Instant(b)) => a == b,
            (Value::Duration(a), Value::Duration(b)) => a == b,
            (Value::Formatter(_), Value::Formatter(_)) => return None,
            (a, b) => match (a.as_zone(), b.as_zone()) {
                (Some(a), Some(b)) => a == b,
                _ => false,
            },
        })
    }

    fn hash_code(&self) -> Option<i32> {
        match self {
            Value::Date(date) => Some(date.hash_code()),
            Value::Time(time) => Some(time.hash_code()),
            Value::DateTime(local) => Some(local.hash_code()),
            Value::Instant(instant) => Some(instant.hash_code()),
            Value::Duration(duration) => Some(duration.hash_code()),
            Value::OffsetDateTime(at) => Some(at.local.hash_code() ^ at.zone.offset().seconds),
            Value::Offset(offset) => Some(offset.seconds),
            _ => None,
        }
    }

    fn compare(&self, other: &dyn Thing) -> Option<i32> {
        let other = other.of::<Value>()?;
        Some(match (self, other) {
            (Value::Date(a), Value::Date(b)) => compare_dates(*a, *b),
            (Value::Time(a), Value::Time(b)) => a.cmp(b) as i32,
            (Value::DateTime(a), Value::DateTime(b)) => compare_locals(*a, *b),
            (Value::Instant(a), Value::Instant(b)) => match a.second.cmp(&b.second) as i32 {
                0 => a.nano - b.nano,
                order => order,
            },
            (Value::Duration(a), Value::Duration(b)) => match a.second.cmp(&b.second) as i32 {
                0 => a.nano - b.nano,
                order => order,
            },
            _ => return None,
        })
    }

    fn text(&self) -> Option<String> {
        Some(match self {
            Value::Date(value) => value.to_string(),
            Value::Time(value) => value.to_string(),
            Value::DateTime(value) => value.to_string(),
            Value::Zoned(value) | Value::OffsetDateTime(value) => value.to_string(),
            Value::Instant(value) => value.to_string(),
            Value::Duration(value) => value.to_string(),
            Value::Offset(value) => value.to_string(),
            Value::Zone(value) => value.to_string(),
            Value::Formatter(_) => return None,
        })
    }
}

impl Value {
    fn as_zone(&self) -> Option<Zone> {
        match self {
            Value::Offset(offset) => Some(Zone::Offset(*offset)),
            Value::Zone(zone) => Some(*zone),
            _ => None,
        }
    }

    /// What a formatter prints.
    pub(super) fn temporal(&self) -> Option<Temporal> {
        Some(match self {
            Value::Date(value) => Temporal::Date(*value),
            Value::Time(value) => Temporal::Time(*value),
            Value::DateTime(value) => Temporal::DateTime(*value),
            Value::Zoned(value) | Value::OffsetDateTime(value) => Temporal::Zoned(*value),
            Value::Instant(value) => Temporal::Instant(*value),
            _ => return None,
        })
    }
}

/// `LocalDate.compareTo`: the difference of the first parts that differ.
pub(super) fn compare_dates(a: Date, b: Date) -> i32 {
    [a.year - b.year, a.month - b.month, a.day - b.day]
        .into_iter()
        .find(|order| *order != 0)
        .unwrap_or(0)
}

/// `LocalDateTime.compareTo`.
pub(super) fn compare_locals(a: DateTime, b: DateTime) -> i32 {
    match compare_dates(a.date, b.date) {
        0 => a.time.cmp(&b.time) as i32,
        order => order,
    }
}

/// A constant: what its `toString` gave.
pub(crate) fn constant(class: &str, json: &Json) -> Option<Box<dyn Thing>> {
    let text = json.get("text")?.as_str()?;
    let parsed = |name: &str, shape| Formatter::named(name)?.parse(text, shape).ok();
    let value = match class {
        "java/time/LocalDate" => parsed("ISO_LOCAL_DATE", Shape::Date)?,
        "java/time/LocalTime" => parsed("ISO_LOCAL_TIME", Shape::Time)?,
        "java/time/LocalDateTime" => parsed("ISO_LOCAL_DATE_TIME", Shape::DateTime)?,
        "java/time/ZonedDateTime" => parsed("ISO_ZONED_DATE_TIME", Shape::ZonedDateTime)?,
        "java/time/OffsetDateTime" => parsed("ISO_OFFSET_DATE_TIME", Shape::OffsetDateTime)?,
        "java/time/Instant" => Temporal::Instant(Formatter::parse_instant(text).ok()?),
        "java/time/format/DateTimeFormatter" => {
            let known = |name: &str| json.get(name).and_then(Json::as_str).unwrap_or_default();
            let zone = match known("zone") {
                "" => None,
                zone => Some(Zone::of(zone)?),
            };
            // Another language matters to names only; nobody asks where there are none.
            let english = matches!(known("locale"), "en" | "en-US") || !text.contains("Text(");
            let formatter = Formatter::of_description(text, known("resolver") == "STRICT", zone)?;
            let certain = english && matches!(known("resolver"), "STRICT" | "SMART");
            return certain
                .then(|| Box::new(Value::Formatter(Arc::new(formatter))) as Box<dyn Thing>);
        }
        "java/time/ZoneOffset" | "java/time/ZoneRegion" => {
            let value = match Zone::of(text)? {
                Zone::Offset(offset) => Value::Offset(offset),
                zone => Value::Zone(zone),
            };
            return Some(Box::new(value));
        }
        _ => return None,
    };
    Some(Box::new(match value {
        Temporal::Date(value) => Value::Date(value),
        Temporal::Time(value) => Value::Time(value),
        Temporal::DateTime(value) => Value::DateTime(value),
        Temporal::Zoned(value) if class.ends_with("OffsetDateTime") => Value::OffsetDateTime(value),
        Temporal::Zoned(value) => Value::Zoned(value),
        Temporal::Instant(value) => Value::Instant(value),
    }))
}
