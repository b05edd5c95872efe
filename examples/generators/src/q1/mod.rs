//! Q1: daily PM2.5 summaries in the form of the US EPA's AQS files, 29 columns.
//!
//! One device holds 50 sites; each of them reports once a day, 22 of them twice (an hourly and a daily row). Shares of
//! invalid, duplicate and odd rows are near those of the public file of 2012, as is the length of a line.
//!
//! *Disorder.* The query's watermark trails the highest event time by two days. A row comes at most one day behind the
//! highest one before it, so no valid row is ever late: what is late at which moment would depend on the order in which
//! devices are read, and the results of two runs could then not be compared.

mod aqi;
mod row;
mod site;

use crate::random::Random;
use row::{Kind, Row};
pub use site::HEADER;
use site::{SITES, Site};

/// 2012-01-01 in days since 1970.
pub(crate) const FIRST_DAY: u32 = 15_340;
/// 9999-12-31: later dates have no four-digit year, so time stands still there (after 200 million lines).
pub(crate) const LAST_DAY: u32 = 2_932_896;
/// Days between the last row and the closing one: longer than window and watermark bound together.
const CLOSING_DAYS: u32 = 60;

const LATE_PER_10000: u32 = 400;
const DUPLICATE_PER_10000: u32 = 100;
const MALFORMED_PER_10000: u32 = 50;
const SECOND_DIALECT_PER_10000: u32 = 300;

/// The endless stream of one device's lines, the header first.
#[derive(Clone, Debug)]
pub struct Generator {
    random: Random,
    sites: Vec<Site>,
    /// The day whose rows are sent.
    day: u32,
    /// Its rows and the late ones of the day before, in the order of sending, the next one last.
    due: Vec<Due>,
    /// Rows of this day that will be sent among those of the next.
    late: Vec<Due>,
    header_sent: bool,
    /// A line to send again.
    duplicate: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct Due {
    site: usize,
    kind: Kind,
    day: u32,
}

impl Generator {
    /// The stream of `device` under `seed`. Sites of different devices (up to 19,000) have different keys.
    pub fn new(seed: u64, device: u32) -> Generator {
        let mut random = Random::new(seed, device);
        let sites = (0..SITES).map(|number| Site::new(device, number, &mut random)).collect();
        let (due, late, duplicate) = (Vec::new(), Vec::new(), Vec::new());
        Generator { random, sites, day: FIRST_DAY - 1, due, late, header_sent: false, duplicate }
    }

    /// Appends the next line to `out`, without a line end. A line may be empty: that is one of its flaws.
    pub fn next_line(&mut self, out: &mut Vec<u8>) {
        if !self.header_sent {
            self.header_sent = true;
            return out.extend_from_slice(HEADER.as_bytes());
        }
        if !self.duplicate.is_empty() {
            return out.append(&mut self.duplicate);
        }
        let due = loop {
            match self.due.pop() {
                Some(due) => break due,
                None => self.begin_day(),
            }
        };
        let start = out.len();
        let second_dialect = self.random.chance(SECOND_DIALECT_PER_10000);
        Row::draw(&self.sites[due.site], due.kind, due.day, &mut self.random)
            .write(second_dialect, out);
        if self.random.chance(MALFORMED_PER_10000) {
            row::spoil(&mut self.random, start, out);
        } else if self.random.chance(DUPLICATE_PER_10000) {
            self.duplicate.extend_from_slice(&out[start..]);
        }
    }

    /// Appends the line that ends the device's stream: a valid row 60 days after the latest, on a site of its own
    /// (99-999-9999), so that every window before it closes. Nothing may follow it.
    pub fn closing_line(&mut self, out: &mut Vec<u8>) {
        let day = (self.day.max(FIRST_DAY) + CLOSING_DAYS).min(LAST_DAY);
        Row::closing(&Site::closing(), day).write(false, out);
    }

    /// The highest event time so far, epoch milliseconds (the day's start, UTC); none before the first row.
    pub fn latest_ms(&self) -> Option<i64> {
        (self.day >= FIRST_DAY).then(|| i64::from(self.day) * 86_400_000)
    }

    fn begin_day(&mut self) {
        self.day = (self.day + 1).min(LAST_DAY);
        self.due.append(&mut self.late);
        for site in 0..self.sites.len() {
            self.sites[site].begin_day(&mut self.random);
            for &kind in self.sites[site].kinds() {
                let due = Due { site, kind, day: self.day };
                let is_late = self.random.chance(LATE_PER_10000);
                if is_late { self.late.push(due) } else { self.due.push(due) }
            }
        }
        self.random.shuffle(&mut self.due);
    }
}

impl Iterator for Generator {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        let mut line = Vec::new();
        self.next_line(&mut line);
        Some(line)
    }
}
