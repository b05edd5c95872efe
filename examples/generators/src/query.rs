//! The generators by the names of their queries.

use std::fmt;
use std::str::FromStr;

use crate::{q1, q2, q3, q4};

/// A query that has a generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Query {
    /// Air quality.
    Q1,
    /// Taxi routes.
    Q2,
    /// Spikes of smart meters.
    Q3,
    /// Sentiment of short texts.
    Q4,
}

/// A name that is none of a query's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownQuery;

impl Query {
    /// All of them.
    pub const ALL: [Query; 4] = [Query::Q1, Query::Q2, Query::Q3, Query::Q4];

    /// `q1` and so on.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Query::Q1 => "q1",
            Query::Q2 => "q2",
            Query::Q3 => "q3",
            Query::Q4 => "q4",
        }
    }

    /// How the query's result lines begin that tell of nothing but closing lines.
    #[must_use]
    pub fn closing_results(self) -> &'static [&'static str] {
        match self {
            Query::Q1 => &["99-999-9999", "ALERT,99-999-9999"],
            Query::Q2 => &["1.1,1.1,"],
            Query::Q3 => &["MAC999999,", "SPIKE,MAC999999,"],
            Query::Q4 => &["closing,"],
        }
    }

    /// The stream of `device` under `seed`.
    #[must_use]
    pub fn generator(self, seed: u64, device: u32) -> Generator {
        match self {
            Query::Q1 => Generator::Q1(q1::Generator::new(seed, device)),
            Query::Q2 => Generator::Q2(q2::Generator::new(seed, device)),
            Query::Q3 => Generator::Q3(q3::Generator::new(seed, device)),
            Query::Q4 => Generator::Q4(q4::Generator::new(seed, device)),
        }
    }
}

impl FromStr for Query {
    type Err = UnknownQuery;

    fn from_str(name: &str) -> Result<Query, UnknownQuery> {
        Query::ALL.into_iter().find(|query| query.name() == name).ok_or(UnknownQuery)
    }
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for UnknownQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("none of q1, q2, q3 and q4")
    }
}

impl std::error::Error for UnknownQuery {}

/// The endless stream of one device's lines, of any query.
#[derive(Clone, Debug)]
pub enum Generator {
    /// Air quality.
    Q1(q1::Generator),
    /// Taxi routes.
    Q2(q2::Generator),
    /// Spikes of smart meters.
    Q3(q3::Generator),
    /// Sentiment of short texts.
    Q4(q4::Generator),
}

impl Generator {
    /// Appends the next line to `out`, without a line end. A line may be empty: that is one of its flaws.
    pub fn next_line(&mut self, out: &mut Vec<u8>) {
        match self {
            Generator::Q1(lines) => lines.next_line(out),
            Generator::Q2(lines) => lines.next_line(out),
            Generator::Q3(lines) => lines.next_line(out),
            Generator::Q4(lines) => lines.next_line(out),
        }
    }

    /// Appends the line that ends the device's stream: a valid event so long after the others that every window before
    /// it closes. Nothing may follow it. [`Query::closing_results`] tells what comes of it.
    pub fn closing_line(&mut self, out: &mut Vec<u8>) {
        match self {
            Generator::Q1(lines) => lines.closing_line(out),
            Generator::Q2(lines) => lines.closing_line(out),
            Generator::Q3(lines) => lines.closing_line(out),
            Generator::Q4(lines) => lines.closing_line(out),
        }
    }

    /// The highest event time so far, epoch milliseconds; none before the first event.
    #[must_use]
    pub fn latest_ms(&self) -> Option<i64> {
        match self {
            Generator::Q1(lines) => lines.latest_ms(),
            Generator::Q2(lines) => lines.latest_ms(),
            Generator::Q3(lines) => lines.latest_ms(),
            Generator::Q4(lines) => lines.latest_ms(),
        }
    }
}
