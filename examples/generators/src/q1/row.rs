//! One line of a site.

use super::aqi;
use super::site::Site;
use crate::date;
use crate::random::Random;

/// What a row summarises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A sampler's daily row.
    Daily,
    /// A continuous monitor's daily row.
    DailyBlock,
    /// A continuous monitor's hourly summary: no standard and no index, and the query drops it.
    Hourly,
}

/// What depends on nothing but kind and dialect: duration with standard, and method code with name.
struct Texts {
    duration: [&'static str; 2],
    method: [&'static str; 2],
}

const DAILY: Texts = Texts {
    duration: [r#""24 HOUR","PM25 24-hour 2012",""#, "24 HOUR,PM25 24-hour 2012,"],
    method: [
        r#""118","R & P Model 2025 PM2.5 Sequential w/WINS - GRAVIMETRIC","#,
        "118.0,R & P Model 2025 PM2.5 Sequential w/WINS - GRAVIMETRIC,",
    ],
};
const DAILY_BLOCK: Texts = Texts {
    duration: [r#""24-HR BLK AVG","PM25 24-hour 2012",""#, "24-HR BLK AVG,PM25 24-hour 2012,"],
    method: [r#""", " - ","#, ", - ,"],
};
const HOURLY: Texts = Texts {
    duration: [r#""1 HOUR","",""#, "1 HOUR,,"],
    method: [
        r#""183","Thermo Scientific 5014i or FH62C14-DHS w/VSCC - Beta Attenuation","#,
        "183.0,Thermo Scientific 5014i or FH62C14-DHS w/VSCC - Beta Attenuation,",
    ],
};
const UNITS: [&str; 2] = [r#"","Micrograms/cubic meter (LC)",""#, ",Micrograms/cubic meter (LC),"];

const NEGATIVE_PER_10000: u32 = 40;
const EXCLUDED_PER_10000: u32 = 100;
const INCLUDED_PER_10000: u32 = 250;
const SPARSE_PER_10000: u32 = 150;

/// What a site says on one day.
pub(super) struct Row<'a> {
    site: &'a Site,
    kind: Kind,
    day: u32,
    event: &'static str,
    is_sparse: bool,
    is_negative: bool,
    mean_tenths: u32,
    /// Further digits of the mean: hundred-thousandths of its last one.
    fraction: u32,
    hour: u32,
}

impl<'a> Row<'a> {
    /// A row as a site sends it, valid or with the flaws that real rows have.
    pub(super) fn draw(site: &'a Site, kind: Kind, day: u32, random: &mut Random) -> Row<'a> {
        let event = match random.below(10_000) {
            roll if roll < EXCLUDED_PER_10000 => "Excluded",
            roll if roll < EXCLUDED_PER_10000 + INCLUDED_PER_10000 => "Included",
            _ => "None",
        };
        let is_sparse = random.chance(SPARSE_PER_10000);
        let is_negative = random.chance(NEGATIVE_PER_10000);
        let mean_tenths = site.mean_tenths(random);
        let (fraction, hour) =
            if kind == Kind::Hourly { (random.below(100_000), random.below(24)) } else { (0, 0) };
        Row { site, kind, day, event, is_sparse, is_negative, mean_tenths, fraction, hour }
    }

    /// A row that every query takes.
    pub(super) fn closing(site: &'a Site, day: u32) -> Row<'a> {
        let (is_sparse, is_negative) = (false, false);
        Row {
            site,
            kind: Kind::Daily,
            day,
            event: "None",
            is_sparse,
            is_negative,
            mean_tenths: 100,
            fraction: 0,
            hour: 0,
        }
    }

    /// Appends the row as a line.
    pub(super) fn write(&self, second: bool, out: &mut Vec<u8>) {
        let dialect = usize::from(second);
        let is_hourly = self.kind == Kind::Hourly;
        let texts = match self.kind {
            Kind::Daily => DAILY,
            Kind::DailyBlock => DAILY_BLOCK,
            Kind::Hourly => HOURLY,
        };
        let observed = match (is_hourly, self.is_sparse) {
            (true, false) => "24,100.0,",
            (true, true) => "17,71.0,",
            (false, false) => "1,100.0,",
            (false, true) => "1,62.0,",
        };
        // Below zero an instrument only drifts.
        let mean_tenths =
            if self.is_negative { 1 + self.mean_tenths / 20 } else { self.mean_tenths };
        let sign: &[u8] = if self.is_negative { b"-" } else { b"" };

        out.extend_from_slice(self.site.head.get(second));
        out.extend_from_slice(texts.duration[dialect].as_bytes());
        out.extend_from_slice(&date::iso(self.day));
        out.extend_from_slice(UNITS[dialect].as_bytes());
        out.extend_from_slice(self.event.as_bytes());
        out.extend_from_slice(if second { b"," } else { b"\"," });
        out.extend_from_slice(observed.as_bytes());
        out.extend_from_slice(sign);
        tenths(mean_tenths, self.fraction, second, out);
        out.push(b',');
        out.extend_from_slice(sign);
        tenths(mean_tenths, 0, second, out);
        out.push(b',');
        integer(self.hour, out);
        out.push(b',');
        if !is_hourly {
            integer(if self.is_negative { 0 } else { aqi::index(mean_tenths) }, out);
            out.extend_from_slice(if second { b".0" } else { b"" });
        }
        out.push(b',');
        out.extend_from_slice(texts.method[dialect].as_bytes());
        out.extend_from_slice(self.site.tail.get(second));
    }
}

/// Appends `value` / 10, with five more digits where there are some. The usual dialect leaves out a last ".0".
fn tenths(value: u32, fraction: u32, second: bool, out: &mut Vec<u8>) {
    integer(value / 10, out);
    if !value.is_multiple_of(10) || fraction > 0 || second {
        out.extend_from_slice(&[b'.', b'0' + (value % 10) as u8]);
    }
    if fraction > 0 {
        let mut place = 10_000;
        let mut rest = fraction;
        while rest > 0 {
            out.push(b'0' + (rest / place) as u8);
            rest %= place;
            place /= 10;
        }
    }
}

fn integer(value: u32, out: &mut Vec<u8>) {
    let mut divisor = 1;
    while value / divisor >= 10 {
        divisor *= 10;
    }
    while divisor > 0 {
        out.push(b'0' + (value / divisor % 10) as u8);
        divisor /= 10;
    }
}

/// Makes the line from `start` one that no reader of 29 columns takes.
pub(super) fn spoil(random: &mut Random, start: usize, out: &mut Vec<u8>) {
    let line = &out[start..];
    let commas =
        || line.iter().enumerate().filter(|(_, byte)| **byte == b',').map(|(at, _)| start + at);
    match random.below(6) {
        0 => out.truncate(start),
        // A line that was cut off while it was written; the last columns are a fifth of it.
        1 => out.truncate(start + 1 + random.below(line.len() as u32 / 2) as usize),
        2 => out.extend_from_slice(b",\"one more\""),
        3 => {
            let first = commas().next().unwrap_or(start);
            out.drain(start..=first);
        }
        // The fifth column is a number; no text before it has a comma.
        4 => out.insert(commas().nth(3).unwrap_or(start) + 1, b'x'),
        _ => out.insert(start, b'"'),
    }
}
