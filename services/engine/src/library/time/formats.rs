//! Reading and printing.
use super::super::LibTy::{Bool, Ref, String as Text};
use super::super::{Method, pure, throwing};
use super::value::Value;
use super::{Answer, formatter, new};
use crate::memory::Memory;
use crate::reason::Reason;
use sluice_java::time::{Formatter, Shape, Temporal};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

/// `parse(CharSequence)` and `parse(CharSequence, DateTimeFormatter)` of a class.
macro_rules! parse {
    ($class:literal, $shape:ident, $by:literal) => {
        [
            throwing(
                concat!("java/time/", $class, ".parse(Ljava/lang/CharSequence;)Ljava/time/", $class, ";"),
                &[Ref],
                Ref,
                |memory, args| {
                    static BY: LazyLock<Option<Formatter>> = LazyLock::new(|| Formatter::named($by));
                    let Some(by) = &*BY else { return Err(Reason::Uncertain("a formatter")) };
                    parse(memory, args[0], by, Shape::$shape)
                },
            ),
            throwing(
                concat!(
                    "java/time/",
                    $class,
                    ".parse(Ljava/lang/CharSequence;Ljava/time/format/DateTimeFormatter;)Ljava/time/",
                    $class,
                    ";"
                ),
                &[Ref, Ref],
                Ref,
                |memory, args| {
                    let by = formatter(memory, args[1])?;
                    parse(memory, args[0], &by, Shape::$shape)
                },
            ),
            throwing(
                concat!("java/time/", $class, ".format(Ljava/time/format/DateTimeFormatter;)Ljava/lang/String;"),
                &[Ref, Ref],
                Text,
                |memory, args| format(memory, args[1], args[0]),
            ),
        ]
    };
}

pub(in super::super) static PARSES: &[[Method; 3]] = &[
    parse!("LocalDate", Date, "ISO_LOCAL_DATE"),
    parse!("LocalTime", Time, "ISO_LOCAL_TIME"),
    parse!("LocalDateTime", DateTime, "ISO_LOCAL_DATE_TIME"),
    parse!("ZonedDateTime", ZonedDateTime, "ISO_ZONED_DATE_TIME"),
    parse!("OffsetDateTime", OffsetDateTime, "ISO_OFFSET_DATE_TIME"),
];

/// A static field of `DateTimeFormatter`.
macro_rules! named {
    ($name:literal) => {
        pure(
            concat!(
                "java/time/format/DateTimeFormatter.",
                $name,
                "Ljava/time/format/DateTimeFormatter;"
            ),
            &[],
            Ref,
            |memory, _| {
                static NAMED: LazyLock<Option<Arc<Formatter>>> =
                    LazyLock::new(|| Formatter::named($name).map(Arc::new));
                match &*NAMED {
                    Some(formatter) => new(memory, Value::Formatter(formatter.clone())),
                    None => Err(Reason::Uncertain("a formatter")),
                }
            },
        )
    };
}

pub(in super::super) static METHODS: &[Method] = &[
    named!("ISO_LOCAL_DATE"),
    named!("ISO_LOCAL_TIME"),
    named!("ISO_LOCAL_DATE_TIME"),
    named!("ISO_OFFSET_DATE"),
    named!("ISO_OFFSET_TIME"),
    named!("ISO_OFFSET_DATE_TIME"),
    named!("ISO_ZONED_DATE_TIME"),
    named!("ISO_DATE"),
    named!("ISO_TIME"),
    named!("ISO_DATE_TIME"),
    named!("BASIC_ISO_DATE"),
    throwing(
        "java/time/Instant.parse(Ljava/lang/CharSequence;)Ljava/time/Instant;",
        &[Ref],
        Ref,
        |memory, args| {
            memory.work(64);
            let instant = Formatter::parse_instant(memory.sequence(args[0])?)?;
            new(memory, Value::Instant(instant))
        },
    ),
    throwing(
        "java/time/format/DateTimeFormatter.ofPattern(Ljava/lang/String;)Ljava/time/format/DateTimeFormatter;",
        &[Text],
        Ref,
        |memory, args| of_pattern(memory, args[0], false),
    ),
    throwing(
        "java/time/format/DateTimeFormatter.ofPattern(Ljava/lang/String;Ljava/util/Locale;)Ljava/time/format/DateTimeFormatter;",
        &[Text, Ref],
        Ref,
        |memory, args| {
            let english = memory.thing::<super::super::locale::Locale>(args[1])?.is_english();
            of_pattern(memory, args[0], english)
        },
    ),
    throwing(
        "java/time/format/DateTimeFormatter.withZone(Ljava/time/ZoneId;)Ljava/time/format/DateTimeFormatter;",
        &[Ref, Ref],
        Ref,
        |memory, args| {
            let zone = super::zone(memory, args[1])?;
            let formatter = formatter(memory, args[0])?.with_zone(zone);
            new(memory, Value::Formatter(Arc::new(formatter)))
        },
    ),
    throwing(
        "java/time/format/DateTimeFormatter.format(Ljava/time/temporal/TemporalAccessor;)Ljava/lang/String;",
        &[Ref, Ref],
        Text,
        |memory, args| format(memory, args[0], args[1]),
    ),
    pure("java/time/LocalDate.equals(Ljava/lang/Object;)Z", &[Ref, Ref], Bool, equals),
    pure("java/time/LocalTime.equals(Ljava/lang/Object;)Z", &[Ref, Ref], Bool, equals),
    pure("java/time/LocalDateTime.equals(Ljava/lang/Object;)Z", &[Ref, Ref], Bool, equals),
    pure("java/time/Instant.equals(Ljava/lang/Object;)Z", &[Ref, Ref], Bool, equals),
    pure("java/time/Duration.equals(Ljava/lang/Object;)Z", &[Ref, Ref], Bool, equals),
    pure("java/time/ZoneOffset.equals(Ljava/lang/Object;)Z", &[Ref, Ref], Bool, equals),
];

fn equals(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    memory.equals(args[0], args[1]).map(u64::from)
}

fn parse(memory: &mut Memory<'_>, text: u64, by: &Formatter, shape: Shape) -> Answer {
    memory.work(64);
    let value = match by.parse(memory.sequence(text)?, shape)? {
        Temporal::Date(value) => Value::Date(value),
        Temporal::Time(value) => Value::Time(value),
        Temporal::DateTime(value) => Value::DateTime(value),
        Temporal::Zoned(value) if shape == Shape::OffsetDateTime => Value::OffsetDateTime(value),
        Temporal::Zoned(value) => Value::Zoned(value),
        Temporal::Instant(value) => Value::Instant(value),
    };
    new(memory, value)
}

fn format(memory: &mut Memory<'_>, by: u64, value: u64) -> Answer {
    let by = formatter(memory, by)?;
    let Some(temporal) = memory.thing::<Value>(value)?.temporal() else {
        return Err(Reason::Uncertain("formatting this"));
    };
    let text = by.format(temporal)?;
    memory.new_text(&text)
}

/// The most formatters that a thread keeps.
const KEPT_FORMATTERS: usize = 64;

/// The formatter of a pattern. A function makes the same few for every event: they are kept.
fn of_pattern(memory: &mut Memory<'_>, pattern: u64, english: bool) -> Answer {
    thread_local! {
        static FORMATTERS: RefCell<HashMap<(String, bool), Arc<Formatter>>> = RefCell::default();
    }
    let key = (memory.text(pattern).to_owned(), english);
    let formatter = FORMATTERS.with_borrow_mut(|formatters| {
        if let Some(formatter) = formatters.get(&key) {
            return Ok::<_, Reason>(formatter.clone());
        }
        let formatter = Arc::new(Formatter::of_pattern(&key.0, english)?);
        if formatters.len() == KEPT_FORMATTERS {
            formatters.clear();
        }
        formatters.insert(key, formatter.clone());
        Ok(formatter)
    })?;
    new(memory, Value::Formatter(formatter))
}
