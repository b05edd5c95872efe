//! Q2: taxi trips in the two forms of New York's public files: the 17 columns of the DEBS 2015 challenge, and now and
//! then the 14 of the city's own trip file.
//!
//! One device holds the trips of 1,500 taxis, in the order of their drop-offs. *Time* stands for the trips of a minute and
//! then steps on, now and then over an hour in which nobody drove. *Disorder.* The query's watermark trails by ten
//! minutes; one trip in twenty is sent up to eight minutes after its turn, so no valid trip is ever late. Shares of zero
//! coordinates, durations and distances are those of the public file.

mod place;
mod trip;

use crate::random::Random;
use crate::turns::Turns;
use trip::Trip;

/// 2013-01-01 00:00:00 in minutes since 1970.
const FIRST_MINUTE: u64 = 22_616_640;
/// 9999-11-30: time stands still there.
const LAST_MINUTE: u64 = 4_223_325_600;
/// Minutes between the last trip and the closing one: longer than window and watermark bound together.
const CLOSING_MINUTES: u64 = 30 * 1440;

/// The city's names of its columns; the other form has none.
pub const HEADER: &str = concat!(
    "medallion,hack_license,vendor_id,rate_code,store_and_fwd_flag,pickup_datetime,dropoff_datetime,passenger_count,",
    "trip_time_in_secs,trip_distance,pickup_longitude,pickup_latitude,dropoff_longitude,dropoff_latitude",
);

const LATE_PER_10000: u32 = 500;
const MOST_LATE_MINUTES: u32 = 8;
const JUMP_PER_10000: u32 = 30;
const CITY_PER_10000: u32 = 300;
const MALFORMED_PER_10000: u32 = 40;
const DUPLICATE_PER_10000: u32 = 20;
const CARRIAGE_RETURN_PER_10000: u32 = 10;

/// The endless stream of one device's lines.
#[derive(Clone, Debug)]
pub struct Generator {
    random: Random,
    device: u32,
    /// The minute whose trips are sent.
    minute: u64,
    trips: Turns<Trip>,
    latest_s: Option<u64>,
    /// A line to send again.
    duplicate: Vec<u8>,
}

impl Generator {
    /// The stream of `device` under `seed`. Taxis of different devices have different medallions; their routes are the
    /// same.
    #[must_use]
    pub fn new(seed: u64, device: u32) -> Generator {
        let random = Random::new(seed, device);
        let (trips, duplicate) = (Turns::new(), Vec::new());
        Generator { random, device, minute: FIRST_MINUTE, trips, latest_s: None, duplicate }
    }

    /// Appends the next line to `out`, without a line end. A line may be empty: that is one of its flaws.
    pub fn next_line(&mut self, out: &mut Vec<u8>) {
        if !self.duplicate.is_empty() {
            return out.append(&mut self.duplicate);
        }
        let trip = loop {
            match self.trips.next() {
                Some(trip) => break trip,
                None => self.begin_minute(),
            }
        };
        self.latest_s = self.latest_s.max(Some(trip.dropoff_s));
        let start = out.len();
        if self.random.chance(CITY_PER_10000) {
            trip.write_city(out);
        } else {
            trip.write_debs(out);
        }
        if self.random.chance(MALFORMED_PER_10000) {
            trip::spoil(&mut self.random, start, out);
        } else if self.random.chance(DUPLICATE_PER_10000) {
            self.duplicate.extend_from_slice(&out[start..]);
        } else if self.random.chance(CARRIAGE_RETURN_PER_10000) {
            out.push(b'\r');
        }
    }

    /// Appends the line that ends the device's stream: a valid trip 30 days after the latest within cell 1.1, where
    /// nobody else drives, so that every window before it closes. Nothing may follow it.
    pub fn closing_line(&mut self, out: &mut Vec<u8>) {
        let minute = (self.minute + CLOSING_MINUTES).min(LAST_MINUTE);
        Trip::closing(minute * 60).write_debs(out);
    }

    /// The highest event time so far, epoch milliseconds; none before the first trip.
    #[must_use]
    pub fn latest_ms(&self) -> Option<i64> {
        self.latest_s.map(|seconds| seconds as i64 * 1000)
    }

    fn begin_minute(&mut self) {
        let random = &mut self.random;
        self.minute += 1;
        self.trips.begin();
        if random.chance(JUMP_PER_10000) {
            // What was kept belongs before the jump: behind it, it would be late.
            self.trips.hurry();
            self.trips.shuffle(random);
            self.minute += u64::from(20 + random.below(70));
            return;
        }
        self.minute = self.minute.min(LAST_MINUTE);
        for _ in 0..30 + random.below(60) {
            let trip = Trip::draw(self.device, self.minute * 60, random);
            let is_late = random.chance(LATE_PER_10000);
            let delay = if is_late { 1 + random.below(MOST_LATE_MINUTES) } else { 0 };
            self.trips.add(trip, delay);
        }
        self.trips.shuffle(random);
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
