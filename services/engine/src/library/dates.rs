//! java.util.Date, java.util.TimeZone and java.text.SimpleDateFormat. Only in UTC are they certain: the zone of a JVM is its host's.
use super::LibTy::{Bool, Int, Long, Ref, String as Text};
use super::locale::Locale;
use super::strings::int;
use super::{Method, changing, pure, throwing};
use crate::heap::Thing;
use crate::memory::Memory;
use crate::reason::Reason;
use serde_json::Value as Json;
use sluice_java::hash;
use sluice_java::time::SimpleFormat;
use std::sync::Arc;

type Answer = Result<u64, Reason>;

/// One of them.
#[derive(Debug, Clone)]
enum Value {
    /// Epoch milliseconds.
    Date(i64),
    /// Whether it is UTC.
    Zone(bool),
    /// A format, and whether its zone is UTC.
    Format(Arc<SimpleFormat>, bool),
}

// A date prints itself in the zone of the host, so its text is not certain.
impl Thing for Value {
    fn class(&self) -> &'static str {
        match self {
            Value::Date(_) => "java/util/Date",
            Value::Zone(_) => "java/util/TimeZone",
            Value::Format(..) => "java/text/SimpleDateFormat",
        }
    }

    fn above(&self) -> &'static [&'static str] {
        match self {
            Value::Date(_) => &["java/lang/Comparable"],
            Value::Zone(_) => &[],
            Value::Format(..) => &["java/text/DateFormat", "java/text/Format"],
        }
    }

    fn equals(&self, other: &dyn Thing) -> Option<bool> {
        match (self, other.of::<Value>()?) {
            (Value::Date(a), Value::Date(b)) => Some(a == b),
            _ => None,
        }
    }

    fn hash_code(&self) -> Option<i32> {
        match self {
            Value::Date(millis) => Some(hash::long(*millis)),
            _ => None,
        }
    }

    fn compare(&self, other: &dyn Thing) -> Option<i32> {
        match (self, other.of::<Value>()?) {
            (Value::Date(a), Value::Date(b)) => Some(a.cmp(b) as i32),
            _ => None,
        }
    }
}

pub(super) static METHODS: &[Method] = &[
    pure("java/util/Date.<init>(J)V", &[Long], Ref, |memory, args| {
        memory.new_thing(Value::Date(args[0] as i64))
    }),
    throwing("java/util/Date.getTime()J", &[Ref], Long, |memory, args| {
        Ok(date(memory, args[0])? as u64)
    }),
    changing("java/util/Date.setTime(J)V", &[Ref, Long], None, |memory, args| {
        *memory.thing_mut::<Value>(args[0])? = Value::Date(args[1] as i64);
        Ok(0)
    }),
    throwing("java/util/Date.before(Ljava/util/Date;)Z", &[Ref, Ref], Bool, |memory, args| {
        Ok(u64::from(date(memory, args[0])? < date(memory, args[1])?))
    }),
    throwing("java/util/Date.after(Ljava/util/Date;)Z", &[Ref, Ref], Bool, |memory, args| {
        Ok(u64::from(date(memory, args[0])? > date(memory, args[1])?))
    }),
    throwing("java/util/Date.compareTo(Ljava/util/Date;)I", &[Ref, Ref], Int, |memory, args| {
        Ok(int(date(memory, args[0])?.cmp(&date(memory, args[1])?) as i32))
    }),
    throwing(
        "java/util/TimeZone.getTimeZone(Ljava/lang/String;)Ljava/util/TimeZone;",
        &[Text],
        Ref,
        |memory, args| {
            let utc = is_utc(memory.text(args[0]));
            memory.new_thing(Value::Zone(utc))
        },
    ),
    throwing(
        "java/text/SimpleDateFormat.<init>(Ljava/lang/String;)V",
        &[Text],
        Ref,
        |memory, args| new_format(memory, args[0]),
    ),
    throwing(
        "java/text/SimpleDateFormat.<init>(Ljava/lang/String;Ljava/util/Locale;)V",
        &[Text, Ref],
        Ref,
        |memory, args| match memory.thing::<Locale>(args[1])?.is_english() {
            true => new_format(memory, args[0]),
            false => Err(Reason::Uncertain("a date in another language")),
        },
    ),
    changing(
        "java/text/DateFormat.setTimeZone(Ljava/util/TimeZone;)V",
        &[Ref, Ref],
        None,
        set_zone,
    ),
    changing(
        "java/text/SimpleDateFormat.setTimeZone(Ljava/util/TimeZone;)V",
        &[Ref, Ref],
        None,
        set_zone,
    ),
    throwing(
        "java/text/DateFormat.parse(Ljava/lang/String;)Ljava/util/Date;",
        &[Ref, Text],
        Ref,
        parse,
    ),
    throwing(
        "java/text/SimpleDateFormat.parse(Ljava/lang/String;)Ljava/util/Date;",
        &[Ref, Text],
        Ref,
        parse,
    ),
    throwing(
        "java/text/DateFormat.format(Ljava/util/Date;)Ljava/lang/String;",
        &[Ref, Ref],
        Text,
        format,
    ),
    throwing(
        "java/text/SimpleDateFormat.format(Ljava/util/Date;)Ljava/lang/String;",
        &[Ref, Ref],
        Text,
        format,
    ),
];

fn is_utc(zone: &str) -> bool {
    matches!(zone, "UTC" | "GMT" | "Etc/UTC" | "Z")
}

fn date(memory: &Memory<'_>, slot: u64) -> Result<i64, Reason> {
    match memory.thing::<Value>(slot)? {
        Value::Date(millis) => Ok(*millis),
        _ => Err(Reason::exception("java/lang/ClassCastException", None)),
    }
}

/// A format whose zone is known.
fn format_of(memory: &Memory<'_>, slot: u64) -> Result<Arc<SimpleFormat>, Reason> {
    match memory.thing::<Value>(slot)? {
        Value::Format(format, true) => Ok(format.clone()),
        Value::Format(_, false) => Err(Reason::Uncertain("a date in the zone of a host")),
        _ => Err(Reason::exception("java/lang/ClassCastException", None)),
    }
}

fn new_format(memory: &mut Memory<'_>, pattern: u64) -> Answer {
    let format = SimpleFormat::of(memory.text(pattern))?;
    memory.new_thing(Value::Format(Arc::new(format), false))
}

fn set_zone(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let Value::Zone(utc) = *memory.thing::<Value>(args[1])? else {
        return Err(Reason::exception("java/lang/ClassCastException", None));
    };
    if let Value::Format(_, zone) = memory.thing_mut::<Value>(args[0])? {
        *zone = utc;
    }
    Ok(0)
}

fn parse(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    memory.work(64);
    let millis = format_of(memory, args[0])?.parse(memory.text(args[1]))?;
    memory.new_thing(Value::Date(millis))
}

fn format(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let text = format_of(memory, args[0])?.format(date(memory, args[1])?)?;
    memory.new_text(&text)
}

/// A constant.
pub(super) fn constant(class: &str, json: &Json) -> Option<Box<dyn Thing>> {
    let text = |name: &str| json.get(name).and_then(Json::as_str);
    match class {
        "java/text/SimpleDateFormat" => {
            let english = matches!(text("locale")?, "en" | "en-US");
            let lenient = json.get("lenient").and_then(Json::as_bool)?;
            let format = SimpleFormat::of(text("text")?).ok()?;
            let zone = is_utc(text("zone")?);
            let known = english && lenient;
            known.then(|| Box::new(Value::Format(Arc::new(format), zone)) as Box<dyn Thing>)
        }
        _ => None,
    }
}
