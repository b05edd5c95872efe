//! Q1's operators as one would write them by hand in Rust: from a line to a reading at once.
use memchr::memchr;
use sluice_wire::varint::put_long;
use sluice_wire::writer::{put_double, put_int, put_string};
use sluice_wire::{EventsBuffer, Reader};
use std::borrow::Cow;

const COLUMNS: usize = 29;
const DAY_MS: i64 = 86_400_000;

/// The loop's memory.
#[derive(Default)]
pub struct Hand {
    site: String,
}

impl Hand {
    /// Parses, projects and categorizes a line; gives its time if it is kept.
    pub fn event(
        &mut self,
        delta: i32,
        value: &[u8],
        out: &mut EventsBuffer,
    ) -> anyhow::Result<Option<i64>> {
        let line = Reader::new(value).string()?;
        let line = line.strip_prefix('\u{FEFF}').unwrap_or(line);
        let line = line.strip_suffix('\r').unwrap_or(line);
        let Some(columns) = split(line) else {
            return Ok(None);
        };
        let Some(row) = Row::parse(&columns) else {
            return Ok(None);
        };
        self.site.clear();
        for (place, (code, width)) in
            [(row.state, 2), (row.county, 3), (row.site, 4)].into_iter().enumerate()
        {
            if place > 0 {
                self.site.push('-');
            }
            let units = if code.is_ascii() { code.len() } else { code.encode_utf16().count() };
            (units..width).for_each(|_| self.site.push('0'));
            self.site.push_str(code);
        }
        out.push_with(delta, Some(row.time), |bytes| {
            put_string(bytes, &self.site);
            put_long(bytes, row.time);
            put_double(bytes, row.pm25);
            put_int(bytes, row.aqi);
            put_string(bytes, category(row.aqi));
        });
        Ok(Some(row.time))
    }
}

fn category(aqi: i32) -> &'static str {
    match aqi {
        ..=50 => "Good",
        51..=100 => "Moderate",
        101..=150 => "Unhealthy for Sensitive Groups",
        151..=200 => "Unhealthy",
        201..=300 => "Very Unhealthy",
        _ => "Hazardous",
    }
}

/// The columns of a line that has as many as it should.
fn split(line: &str) -> Option<[Cow<'_, str>; COLUMNS]> {
    let mut columns = [const { Cow::Borrowed("") }; COLUMNS];
    let mut rest = line;
    let mut filled = 0;
    loop {
        let column = columns.get_mut(filled)?;
        filled += 1;
        let end = if let Some(quoted) = rest.strip_prefix('"') {
            let (text, len) = unquote(quoted)?;
            *column = text;
            len + 1
        } else {
            let end = memchr(b',', rest.as_bytes()).unwrap_or(rest.len());
            *column = Cow::Borrowed(&rest[..end]);
            end
        };
        match rest.as_bytes().get(end) {
            None => return (filled == COLUMNS).then_some(columns),
            Some(b',') => rest = &rest[end + 1..],
            Some(_) => return None,
        }
    }
}

/// What stands before the closing quote, and how many bytes with it.
fn unquote(quoted: &str) -> Option<(Cow<'_, str>, usize)> {
    let end = memchr(b'"', quoted.as_bytes())?;
    if quoted.as_bytes().get(end + 1) != Some(&b'"') {
        return Some((Cow::Borrowed(&quoted[..end]), end + 1));
    }
    let mut text = quoted[..end].to_owned();
    let mut at = end;
    while quoted.as_bytes().get(at + 1) == Some(&b'"') {
        text.push('"');
        let start = at + 2;
        at = start + memchr(b'"', &quoted.as_bytes()[start..])?;
        text.push_str(&quoted[start..at]);
    }
    Some((Cow::Owned(text), at + 1))
}

struct Row<'a> {
    state: &'a str,
    county: &'a str,
    site: &'a str,
    time: i64,
    pm25: f64,
    aqi: i32,
}

impl<'a> Row<'a> {
    fn parse(columns: &'a [Cow<'_, str>; COLUMNS]) -> Option<Row<'a>> {
        integer(&columns[4])?;
        decimal(&columns[5])?;
        decimal(&columns[6])?;
        let time = date(&columns[11])?;
        integer(&columns[14])?;
        let percent = decimal(&columns[15])?;
        let pm25 = decimal(&columns[16])?;
        decimal(&columns[17])?;
        integer(&columns[18])?;
        let aqi = integer(&columns[19])?;
        let usable =
            columns[9] != "1 HOUR" && columns[13] != "Excluded" && percent >= 75.0 && pm25 >= 0.0;
        let [state, county, site] = [&columns[0], &columns[1], &columns[2]];
        usable.then_some(Row { state, county, site, time, pm25, aqi })
    }
}

fn integer(text: &str) -> Option<i32> {
    let text = text.strip_suffix(".0").unwrap_or(text);
    if text.starts_with('+') { None } else { text.parse().ok() }
}

fn decimal(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    let digits =
        |from: usize| from + bytes[from..].iter().take_while(|c| c.is_ascii_digit()).count();
    let mut start = usize::from(text.starts_with('-'));
    let mut end = digits(start);
    let mut legal = end > start;
    if bytes.get(end) == Some(&b'.') {
        start = end + 1;
        end = digits(start);
        legal &= end > start;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        start = end + 1 + usize::from(matches!(bytes.get(end + 1), Some(b'-' | b'+')));
        end = digits(start);
        legal &= end > start;
    }
    if !legal || end != bytes.len() {
        return None;
    }
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

/// Epoch milliseconds of `yyyy-MM-dd`.
fn date(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    let number = |from: usize, to: usize| -> Option<i64> {
        bytes[from..to]
            .iter()
            .try_fold(0, |number, c| c.is_ascii_digit().then(|| number * 10 + i64::from(c - b'0')))
    };
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let february = 28 + i64::from(leap);
    let months = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let days = *months.get(usize::try_from(month).ok()?.checked_sub(1)?)?;
    if !(1..=days).contains(&day) {
        return None;
    }
    let before: i64 = months[..month as usize - 1].iter().sum();
    let past = year - 1;
    let years = year * 365 + past.div_euclid(4) - past.div_euclid(100) + past.div_euclid(400);
    // The days from year 0 to 1970 by the same count.
    Some((years + before + day - 1 - 719_527) * DAY_MS)
}
