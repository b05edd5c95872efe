//! java.time.
use crate::call;
use crate::harness::{Arguments, Call, Random, ask, check, check_vectors};
use sluice_java::Result;
use sluice_java::time::{
    DateTime, Duration, Formatter, Instant, Offset, Shape, SimpleFormat, Temporal, Zone,
    ZonedDateTime,
};

fn by(pattern: &str) -> Result<Formatter> {
    match Formatter::named(pattern) {
        Some(formatter) => Ok(formatter),
        None => Formatter::of_pattern(pattern, true),
    }
}

fn shown(value: Temporal) -> String {
    value.to_string()
}

fn local(a: Arguments<'_>) -> Result<DateTime> {
    DateTime::of_epoch_second(a.l(1), a.l(2), Offset::UTC)
}

fn ours(name: &str, a: Arguments<'_>) -> Result<String> {
    let shape = match name.split('.').next().unwrap() {
        "LocalDate" => Shape::Date,
        "LocalTime" => Shape::Time,
        "LocalDateTime" => Shape::DateTime,
        "ZonedDateTime" => Shape::ZonedDateTime,
        "OffsetDateTime" => Shape::OffsetDateTime,
        _ => Shape::Instant,
    };
    let iso = |shape| match shape {
        Shape::Date => "ISO_LOCAL_DATE",
        Shape::Time => "ISO_LOCAL_TIME",
        Shape::DateTime => "ISO_LOCAL_DATE_TIME",
        Shape::ZonedDateTime => "ISO_ZONED_DATE_TIME",
        _ => "ISO_OFFSET_DATE_TIME",
    };
    if name.ends_with(".parse by") {
        return by(&a.s(0))?.parse(&a.s(1), shape).map(shown);
    }
    let duration = || Duration::of(a.l(0), a.l(1));
    Ok(match name {
        "SimpleDateFormat.parse" => SimpleFormat::of(&a.s(0))?.parse(&a.s(1))?.to_string(),
        "Instant.parse" => Formatter::parse_instant(&a.s(0))?.to_string(),
        _ if name.ends_with(".parse") => by(iso(shape))?.parse(&a.s(0), shape).map(shown)?,
        "SimpleDateFormat.format" => SimpleFormat::of(&a.s(0))?.format(a.l(1))?,
        "LocalDateTime.format" => by(&a.s(0))?.format(Temporal::DateTime(local(a)?))?,
        "LocalDate.format" => by(&a.s(0))?.format(Temporal::Date(local(a)?.date))?,
        "ZonedDateTime.format" => {
            let zone = Zone::Offset(Offset::of(a.i(3))?);
            by(&a.s(0))?.format(Temporal::Zoned(ZonedDateTime { local: local(a)?, zone }))?
        }
        "Instant.format" => by(&a.s(0))?
            .with_zone(Zone::of("UTC").unwrap())
            .format(Temporal::Instant(local(a)?.instant(Offset::UTC)))?,
        "LocalDateTime.toString" => local(a)?.to_string(),
        "LocalDateTime.hashCode" => local(a)?.hash_code().to_string(),
        "LocalDateTime.plusMonths" => {
            let date = local(a)?.date.plus_months(a.l(3))?;
            DateTime { date, ..local(a)? }.to_string()
        }
        "LocalDateTime.plusYears" => {
            let date = local(a)?.date.plus_years(a.l(3))?;
            DateTime { date, ..local(a)? }.to_string()
        }
        "LocalDateTime.plusNanos" => local(a)?.plus_nanos(a.l(3).into())?.to_string(),
        "LocalDateTime.fields" => {
            const DAYS: [&str; 7] =
                ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"];
            let date = local(a)?.date;
            let name = DAYS[date.day_of_week() as usize - 1];
            format!("{} {name} {}", date.day_of_year(), date.length_of_month())
        }
        "Instant.toString" => Instant::of(a.l(0), a.l(1))?.to_string(),
        "Instant.toEpochMilli" => Instant::of(a.l(0), a.l(1))?.epoch_milli()?.to_string(),
        "Instant.ofEpochMilli" => Instant::of_epoch_milli(a.l(0)).to_string(),
        "Duration.toString" => duration()?.to_string(),
        "Duration.toMillis" => duration()?.millis()?.to_string(),
        "Duration.toNanos" => duration()?.total_nanos()?.to_string(),
        _ => panic!("{name}"),
    })
}

const PATTERNS: &[&str] = &[
    "yyyy-MM-dd",
    "yyyy-MM-dd HH:mm:ss",
    "yyyy-MM-dd'T'HH:mm:ss",
    "yyyy-MM-dd HH:mm:ss.SSS",
    "uuuu-MM-dd HH:mm[:ss[.SSS]]",
    "dd/MM/yyyy",
    "d/M/yy",
    "MM/dd/yyyy hh:mm:ss a",
    "dd/MMM/yyyy:HH:mm:ss Z",
    "EEE MMM d HH:mm:ss yyyy",
    "EEEE, d. MMMM yyyy",
    "yyyyMMdd",
    "yyyyMMddHHmmss",
    "yyyyMMddHHmmssSSS",
    "yMMdd",
    "HH:mm",
    "H:m:s.n",
    "yyyy-DDD",
    "yyyy-MM-dd'T'HH:mm:ssXXX",
    "yyyy-MM-dd'T'HH:mm:ss.SSSSSSX",
    "yyyy-MM-dd HH:mm:ssx",
    "yyyy-MM-dd''HH 'o''clock'",
    "k:mm K a",
    "yyyy-MM-dd kk:mm",
    "ISO_LOCAL_DATE",
    "ISO_DATE_TIME",
    "ISO_OFFSET_DATE_TIME",
    "ISO_ZONED_DATE_TIME",
    "BASIC_ISO_DATE",
    "ISO_LOCAL_TIME",
    "ISO_DATE",
    "yyyy-MM-dd VV",
    "yy-M-d H:mm",
    "yyyy MM",
    "[yyyy-MM-dd][dd.MM.yyyy]",
    "ddMMyy",
    "yyyy-MM-dd'T'HH:mm:ss[xxxxx]",
];

const PIECES: &[&str] = &[
    "2016",
    "1999",
    "0",
    "00",
    "12",
    "24",
    "31",
    "30",
    "29",
    "02",
    "2",
    "-",
    "-",
    "-",
    "/",
    ":",
    ":",
    " ",
    "T",
    "t",
    "Z",
    "z",
    "+",
    "+02:00",
    "-0530",
    "+01",
    ".",
    ".5",
    ".123456789",
    ".1234567891",
    "AM",
    "pm",
    "Jan",
    "MON",
    "Mon",
    "January",
    "é",
    "😀",
    "[UTC]",
    "UTC",
    "60",
    "59",
    "23",
    "366",
    "10000",
    "+10000",
    "-0001",
    "1",
    "9",
    "0000",
    "'",
    ",",
];

fn seconds(random: &mut Random) -> i64 {
    match random.below(8) {
        0 => random.next() as i64 >> random.below(20),
        1 => 951_782_400 + random.below(172_800) as i64,
        2 => random.below(86_400 * 400) as i64 - 86_400 * 200,
        _ => random.below(4_102_444_800) as i64 - 1_000_000_000,
    }
    .clamp(-31_556_000_000_000_000, 31_556_000_000_000_000)
}

fn nanos(random: &mut Random) -> i64 {
    let nanos = random.below(1_000_000_000) as i64;
    nanos / [1, 1_000, 1_000_000, 1_000_000_000][random.below(4)] * [1, 1_000_000][random.below(2)]
        % 1_000_000_000
}

/// A text that a pattern prints, often with a wrong piece in it.
fn mutated(random: &mut Random, text: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    if random.below(2) == 0 || chars.is_empty() {
        return text.to_owned();
    }
    let at = random.below(chars.len());
    match random.below(5) {
        0 => _ = chars.remove(at),
        1 => chars.truncate(at),
        2 => chars[at] = char::from(b'0' + random.below(10) as u8),
        3 => {
            let piece: Vec<char> = random.one(PIECES).chars().collect();
            chars.splice(at..at, piece);
        }
        _ => {
            let piece: Vec<char> = random.one(PIECES).chars().collect();
            let end = (at + piece.len()).min(chars.len());
            chars.splice(at..end, piece);
        }
    }
    chars.into_iter().collect()
}

fn calls(count: usize, seed: u64) -> Vec<Call> {
    const SHAPES: &[&str] =
        &["LocalDate", "LocalTime", "LocalDateTime", "ZonedDateTime", "OffsetDateTime"];
    let mut random = Random(seed);
    let one = |_| {
        let random = &mut random;
        let (second, nano) = (seconds(random), nanos(random));
        let pattern = random.one(PATTERNS);
        let local = DateTime::of_epoch_second(second, nano, Offset::UTC).unwrap();
        let offset = random.below(49) as i32 * 1800 - 43_200 + [0, 0, 0, 61][random.below(4)];
        let zone = Zone::Offset(Offset::of(offset).unwrap());
        let zoned = ZonedDateTime { local, zone };
        match random.below(16) {
            0..6 => {
                let text = by(pattern).and_then(|by| by.format(Temporal::Zoned(zoned)));
                let text = mutated(random, &text.unwrap_or_default());
                call!(format!("{}.parse by", random.one(SHAPES)), pattern, text)
            }
            6 => call!("Instant.parse", mutated(random, &zoned.instant().to_string())),
            7 => {
                let (shape, text) = match random.below(5) {
                    0 => ("LocalDate", local.date.to_string()),
                    1 => ("LocalTime", local.time.to_string()),
                    2 => ("ZonedDateTime", zoned.to_string()),
                    3 => ("OffsetDateTime", zoned.to_string()),
                    _ => ("LocalDateTime", local.to_string()),
                };
                call!(format!("{shape}.parse"), mutated(random, &text))
            }
            8 => {
                let shape = random.one(SHAPES);
                call!(format!("{shape}.parse"), random.text(PIECES, 9))
            }
            9 => call!("LocalDateTime.format", pattern, second, nano),
            10 => call!("ZonedDateTime.format", pattern, second, nano, offset),
            11 => call!("LocalDate.format", pattern, second, nano),
            12 => call!("Instant.format", pattern, second, nano),
            13 => {
                let amount = random.next() as i64 >> random.below(64);
                let name = random.one(&[
                    "LocalDateTime.plusMonths",
                    "LocalDateTime.plusYears",
                    "LocalDateTime.plusNanos",
                ]);
                call!(name, "", second, nano, amount)
            }
            14 => {
                let name = random.one(&[
                    "LocalDateTime.toString",
                    "LocalDateTime.hashCode",
                    "LocalDateTime.fields",
                ]);
                call!(name, "", second, nano)
            }
            _ => {
                let name = random.one(&[
                    "Instant.toString",
                    "Instant.toEpochMilli",
                    "Instant.ofEpochMilli",
                    "Duration.toString",
                    "Duration.toMillis",
                    "Duration.toNanos",
                ]);
                let total = random.next() as i64 >> random.below(64);
                call!(name, total, random.next() as i64 >> random.below(64))
            }
        }
    };
    (0..count).map(one).collect()
}

const SIMPLE: &[&str] = &[
    "yyyy-MM-dd HH:mm:ss",
    "yyyy-MM-dd",
    "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'",
    "yyyyMMddHHmmss",
    "dd/MMM/yyyy:HH:mm:ss Z",
    "MM/dd/yyyy hh:mm a",
    "EEE MMM dd HH:mm:ss yyyy",
    "d MMMM yyyy",
    "yyyy-MM-dd'T'HH:mm:ssXXX",
    "HH:mm",
    "yyyy-D kk:mm",
    "yy-M-d",
    "yyyyMMdd",
    "y.M.d H:m:s,S X",
];

#[test]
fn random_simple_dates() {
    let mut random = Random(29);
    let one = |_| {
        let random = &mut random;
        let pattern = random.one(SIMPLE);
        let millis = seconds(random) / 1000 * 1000 + random.below(1_000_000) as i64;
        match random.below(3) {
            0 => call!("SimpleDateFormat.format", pattern, millis),
            _ => {
                let text = SimpleFormat::of(pattern).and_then(|format| format.format(millis));
                let mut text = mutated(random, &text.unwrap_or_default());
                if random.below(3) == 0 {
                    text = mutated(random, &text);
                }
                call!("SimpleDateFormat.parse", pattern, text)
            }
        }
    };
    let calls: Vec<_> = (0..40_000).map(one).collect();
    assert!(check(&calls, ours) > calls.len() / 2);
}

/// A formatter is known again by what it says of itself.
#[test]
fn descriptions() {
    let calls: Vec<_> =
        PATTERNS.iter().map(|pattern| call!("DateTimeFormatter.toString", *pattern)).collect();
    let Some(descriptions) = ask(&calls) else { return };
    let local = DateTime::of_epoch_second(1_700_000_000, 123_456_789, Offset::UTC).unwrap();
    let zoned = Temporal::Zoned(ZonedDateTime { local, zone: Zone::Offset(Offset::UTC) });
    let mut known = 0;
    for (pattern, description) in PATTERNS.iter().zip(descriptions) {
        let strict = pattern.contains("ISO_");
        let Some(found) = Formatter::of_description(&description, strict, None) else { continue };
        known += 1;
        let texts = [&found, &by(pattern).unwrap()].map(|by| by.format(zoned));
        assert_eq!(texts[0], texts[1], "{pattern}: {description}");
        let text = texts[0].clone().unwrap();
        let [read, expected] =
            [&found, &by(pattern).unwrap()].map(|by| by.parse(&text, Shape::DateTime));
        assert_eq!(read, expected, "{pattern}");
    }
    assert!(known > PATTERNS.len() * 3 / 4, "{known}");
}

#[test]
fn vectors() {
    check_vectors("time", &calls(600, 1), ours);
}

#[test]
fn random_times() {
    let calls = calls(60_000, 11);
    assert!(check(&calls, ours) > calls.len() * 9 / 10);
}
