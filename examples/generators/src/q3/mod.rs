//! Q3: half-hourly readings of smart meters in the form of London's public files, a column each for household, time and
//! energy; now and then in the form of their other edition, which has tariff and neighbourhood too.
//!
//! One device holds 40 households and sends one half hour after the other. *Skew.* As in the public files, devices 0 and
//! 4 of each five have households that draw more than 2 kWh in half an hour, in 6 % and 1 % of their readings; the others
//! have none. *Time.* Some readings are missing, two households in forty stop for good, and sometimes a device says
//! nothing for days. *Disorder.* The query's watermark trails by two hours; one reading in fifty is sent up to an hour and
//! a half after its turn, so none is late. When a month begins, some rows of its last half hour are sent again.

mod household;
mod reading;

use crate::random::Random;
use crate::turns::Turns;
use household::{HOUSEHOLDS, Household};
use reading::Reading;

/// 2013-01-01 00:00:00 in half hours since 1970.
const FIRST_SLOT: u64 = 753_888;
/// 9999-11-30: time stands still there.
const LAST_SLOT: u64 = 140_777_520;
const SLOT_S: u64 = 1800;
const SLOTS_A_DAY: u64 = 48;
/// Half hours between the last reading and the closing one: longer than window and watermark bound together.
const CLOSING_SLOTS: u64 = 30 * SLOTS_A_DAY;

/// The first line of every file.
pub const HEADER: &str = "LCLid,tstp,energy(kWh/hh)";

const LATE_PER_10000: u32 = 200;
const MOST_LATE_SLOTS: u32 = 3;
const JUMP_PER_10000: u32 = 5;
const GAP_PER_10000: u32 = 2;
const NULL_PER_10000: u32 = 10;
const MISSING_PER_10000: u32 = 5;
const REPEATED_PER_10000: u32 = 2500;
const OTHER_EDITION_PER_10000: u32 = 300;
const MALFORMED_PER_10000: u32 = 20;
const CARRIAGE_RETURN_PER_10000: u32 = 10;

/// The endless stream of one device's lines, the header first.
#[derive(Clone, Debug)]
pub struct Generator {
    random: Random,
    households: Vec<Household>,
    /// The half hour whose readings are sent.
    slot: u64,
    readings: Turns<Reading>,
    header_sent: bool,
    latest_s: Option<u64>,
}

impl Generator {
    /// The stream of `device` under `seed`. Households of different devices (up to 24,000) have different names.
    #[must_use]
    pub fn new(seed: u64, device: u32) -> Generator {
        let mut random = Random::new(seed, device);
        let households =
            (0..HOUSEHOLDS).map(|number| Household::new(device, number, &mut random)).collect();
        let (slot, readings) = (FIRST_SLOT - 1, Turns::new());
        Generator { random, households, slot, readings, header_sent: false, latest_s: None }
    }

    /// Appends the next line to `out`, without a line end. A line may be empty: that is one of its flaws.
    pub fn next_line(&mut self, out: &mut Vec<u8>) {
        if !self.header_sent {
            self.header_sent = true;
            return out.extend_from_slice(HEADER.as_bytes());
        }
        let reading = loop {
            match self.readings.next() {
                Some(reading) => break reading,
                None => self.begin_slot(),
            }
        };
        let start = out.len();
        if self.random.chance(OTHER_EDITION_PER_10000) {
            reading.write_other(out);
        } else {
            reading.write(out);
        }
        if self.random.chance(MALFORMED_PER_10000) {
            reading::spoil(&mut self.random, start, out);
        } else {
            self.latest_s = self.latest_s.max(reading.counted_at_s());
            if self.random.chance(CARRIAGE_RETURN_PER_10000) {
                out.push(b'\r');
            }
        }
    }

    /// Appends the line that ends the device's stream: a high reading of a household of its own (MAC999999) 30 days after
    /// the latest, so that every window before it closes. Nothing may follow it.
    pub fn closing_line(&mut self, out: &mut Vec<u8>) {
        let slot = (self.slot.max(FIRST_SLOT) + CLOSING_SLOTS).min(LAST_SLOT);
        Reading::closing(slot * SLOT_S).write(out);
    }

    /// The highest event time so far, epoch milliseconds; none before the first reading.
    #[must_use]
    pub fn latest_ms(&self) -> Option<i64> {
        self.latest_s.map(|seconds| seconds as i64 * 1000)
    }

    fn begin_slot(&mut self) {
        let random = &mut self.random;
        self.slot += 1;
        self.readings.begin();
        if random.chance(JUMP_PER_10000) {
            // What was kept belongs before the jump: behind it, it would be late.
            self.readings.hurry();
            self.readings.shuffle(random);
            self.slot += SLOTS_A_DAY * u64::from(1 + random.below(4));
            return;
        }
        self.slot = self.slot.min(LAST_SLOT);
        let time_s = self.slot * SLOT_S;
        let month_begins = reading::month_begins(time_s);
        for household in &mut self.households {
            let last = household.last();
            if month_begins && last.is_of(time_s - SLOT_S) && random.chance(REPEATED_PER_10000) {
                self.readings.add(last.clone(), 0);
            }
            let Some(reading) = household.read(time_s, random) else { continue };
            if random.chance(GAP_PER_10000) {
                continue;
            }
            let reading = match random.below(10_000) {
                roll if roll < NULL_PER_10000 => reading.null(random),
                roll if roll < NULL_PER_10000 + MISSING_PER_10000 => reading.missing(random),
                _ => reading,
            };
            let is_late = random.chance(LATE_PER_10000);
            let delay = if is_late { 1 + random.below(MOST_LATE_SLOTS) } else { 0 };
            self.readings.add(reading, delay);
        }
        self.readings.shuffle(random);
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
