//! Conditions of a device over time, by trace and seed.

use clap::ValueEnum;
use fastrand::Rng;

use crate::profile::{AIR, MEGABIT, MIXED, Profile, VIDEO, WORKED};

/// How conditions change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Trace {
    /// Rate, uplink and CPU step at random times
    Steps,
    /// The uplink walks at random
    Walk,
    /// The uplink jumps between its extremes, with a period of its own per device
    Squares,
    /// Ten devices share an uplink
    Shared,
    /// Others take most of the CPU now and then
    Contention,
    /// CPU and uplink both bind, and nothing changes: only a mix of cuts sustains the rate
    Worked,
    /// The paper's Figure 8: rate by the hour, uplink 80 to 170 Mbit/s, contention in the second hour
    Figure8,
    /// The paper's Figure 9a: the rate rises every 20 minutes and comes back
    Figure9Gradual,
    /// The paper's Figure 9b: the rate jumps
    Figure9Abrupt,
    /// The paper's Figure 10a: the uplink changes
    Figure10Network,
    /// The paper's Figure 10b: CPU contention, 200 Mbit/s
    Figure10Contention,
    /// The paper's Figure 11: uplinks redrawn every 20 minutes, 80 to 200 Mbit/s
    Figure11,
    /// The paper's Figure 12: one device of five dies
    Figure12,
}

/// Devices of the shared trace that share an uplink.
pub const SHARING: usize = 10;

/// What a device finds at a moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Conditions {
    /// Arrivals, events a second.
    pub rate: f64,
    /// The uplink, bytes a second; of the shared trace the whole one.
    pub bytes_per_second: f64,
    /// Cores left for the chain.
    pub cores: f64,
    /// False once the device is dead.
    pub alive: bool,
}

/// The conditions of one device, second by second.
#[derive(Debug, Clone)]
pub struct Script {
    trace: Trace,
    profile: &'static Profile,
    device: usize,
    random: Rng,
    now: Conditions,
    next_seconds: f64,
    high: bool,
}

/// A row of a figure: from when, rate as a part of the profile's range, megabits, contention.
type Row = (f64, f64, f64, bool);

/// Rates and contention of Figure 8; its uplinks are redrawn every ten minutes.
const FIGURE_8: [Row; 3] =
    [(0.0, 0.5, 0.0, false), (3_600.0, 0.6, 0.0, true), (7_200.0, 0.8, 0.0, false)];
const FIGURE_9_GRADUAL: [Row; 6] = [
    (0.0, 0.0, 110.0, false),
    (1_200.0, 0.33, 110.0, false),
    (2_400.0, 0.66, 110.0, false),
    (3_600.0, 0.9, 110.0, false),
    (4_800.0, 0.45, 110.0, false),
    (6_000.0, 0.0, 110.0, false),
];
const FIGURE_9_ABRUPT: [Row; 5] = [
    (0.0, 0.1, 110.0, false),
    (1_200.0, 0.9, 110.0, false),
    (2_400.0, 0.1, 110.0, false),
    (3_600.0, 0.9, 110.0, false),
    (4_800.0, 0.1, 110.0, false),
];
const FIGURE_10_NETWORK: [Row; 5] = [
    (0.0, 0.5, 150.0, false),
    (1_200.0, 0.5, 100.0, false),
    (2_400.0, 0.5, 60.0, false),
    (3_600.0, 0.5, 120.0, false),
    (4_800.0, 0.5, 80.0, false),
];
const FIGURE_10_CONTENTION: [Row; 4] = [
    (0.0, 0.5, 200.0, false),
    (1_800.0, 0.5, 200.0, true),
    (3_600.0, 0.5, 200.0, false),
    (5_400.0, 0.5, 200.0, true),
];
const FIGURE_12: [Row; 1] = [(0.0, 0.5, 110.0, false)];

impl Trace {
    /// How long it lasts, hours.
    #[must_use]
    pub fn hours(self) -> f64 {
        if self == Self::Figure8 { 3.0 } else { 2.0 }
    }

    /// What device `i` runs.
    #[must_use]
    pub fn profile(self, device: usize) -> &'static Profile {
        match self {
            Self::Figure11 => &VIDEO,
            Self::Worked => &WORKED,
            Self::Figure12 | Self::Shared => &AIR,
            Self::Steps | Self::Walk | Self::Squares | Self::Contention => MIXED[device % 3],
            _ => [&AIR, &VIDEO][device % 2],
        }
    }

    fn rows(self) -> &'static [Row] {
        match self {
            Self::Figure9Gradual => &FIGURE_9_GRADUAL,
            Self::Figure9Abrupt => &FIGURE_9_ABRUPT,
            Self::Figure10Network => &FIGURE_10_NETWORK,
            Self::Figure10Contention => &FIGURE_10_CONTENTION,
            Self::Figure12 => &FIGURE_12,
            _ => &[],
        }
    }

    /// The cut that devices begin at: everything in the cloud, but for the contention test.
    #[must_use]
    pub fn first_cut(self) -> i32 {
        i32::from(self == Self::Figure10Contention)
    }
}

fn within(range: (f64, f64), part: f64) -> f64 {
    range.0 + part * (range.1 - range.0)
}

impl Script {
    /// The script of one device.
    #[must_use]
    pub fn new(trace: Trace, device: usize, seed: u64) -> Self {
        let profile = trace.profile(device);
        let stream = seed.wrapping_mul(1_000_003).wrapping_add(device as u64);
        let mut random = Rng::with_seed(stream);
        let now = Conditions {
            rate: within(profile.rate, 0.2 + 0.6 * random.f64()),
            bytes_per_second: within(profile.megabits, random.f64()) * MEGABIT,
            cores: profile.cores,
            alive: true,
        };
        Self { trace, profile, device, random, now, next_seconds: 0.0, high: false }
    }

    /// The present conditions.
    #[must_use]
    pub fn now(&self) -> Conditions {
        self.now
    }

    /// Goes on to a time; true if conditions made a step of their own (a walk makes none).
    pub fn advance(&mut self, seconds: f64) -> bool {
        let before = self.now;
        match self.trace {
            Trace::Worked => return false,
            Trace::Steps => self.steps(seconds),
            Trace::Walk => {
                self.walk(seconds);
                return false;
            }
            Trace::Squares => self.squares(seconds),
            Trace::Shared => self.shared(seconds),
            Trace::Contention => self.contention(seconds),
            Trace::Figure11 => self.figure_11(seconds),
            Trace::Figure8 => self.figure_8(seconds),
            trace => {
                let row = trace.rows().iter().rev().find(|row| row.0 <= seconds);
                if let Some(&(_, rate, megabits, contended)) = row {
                    self.now.rate = within(self.profile.rate, rate);
                    self.now.bytes_per_second = megabits * MEGABIT;
                    self.now.cores = self.cores(contended);
                }
                self.now.alive = trace != Trace::Figure12 || self.device != 0 || seconds < 900.0;
            }
        }
        seconds > 0.0 && before != self.now
    }

    fn cores(&self, contended: bool) -> f64 {
        if contended { self.profile.contended_cores } else { self.profile.cores }
    }

    /// True when the next change is due; the one after comes in between `least` and `most` seconds.
    fn due(&mut self, seconds: f64, least: f64, most: f64) -> bool {
        let due = seconds >= self.next_seconds;
        if due {
            self.next_seconds = seconds + within((least, most), self.random.f64());
        }
        due
    }

    fn steps(&mut self, seconds: f64) {
        if self.due(seconds, 300.0, 1_500.0) && seconds > 0.0 {
            let part = self.random.f64();
            match self.random.u8(0..3) {
                0 => self.now.rate = within(self.profile.rate, part),
                1 => self.now.bytes_per_second = within(self.profile.megabits, part) * MEGABIT,
                _ => {
                    self.now.cores =
                        within((self.profile.contended_cores, self.profile.cores), part);
                }
            }
        }
    }

    fn walk(&mut self, seconds: f64) {
        if self.due(seconds, 10.0, 10.0) {
            // Four percent every ten seconds: a factor of two within some minutes.
            let factor = if self.random.bool() { 1.04 } else { 1.0 / 1.04 };
            let (least, most) = self.profile.megabits;
            let walked = self.now.bytes_per_second * factor;
            self.now.bytes_per_second = walked.clamp(least * MEGABIT, most * MEGABIT);
        }
    }

    fn squares(&mut self, seconds: f64) {
        let period = 240.0 + 60.0 * (self.device % 10) as f64;
        if self.due(seconds, period, period) {
            self.high = !self.high;
            let (least, most) = self.profile.megabits;
            self.now.bytes_per_second = if self.high { most } else { least } * MEGABIT;
        }
    }

    /// The uplink of ten: enough for some of them to send everything.
    fn shared(&mut self, seconds: f64) {
        self.now.bytes_per_second = 700.0 * MEGABIT;
        if self.due(seconds, 600.0, 1_800.0) && seconds > 0.0 {
            self.now.rate = within(self.profile.rate, self.random.f64());
        }
    }

    fn contention(&mut self, seconds: f64) {
        if self.due(seconds, 300.0, 1_200.0) && seconds > 0.0 {
            self.high = !self.high;
            self.now.cores = self.cores(self.high);
        }
    }

    /// The paper shapes each uplink to 80 to 170 Mbit/s, without saying when.
    fn figure_8(&mut self, seconds: f64) {
        if let Some(&(_, rate, _, contended)) = FIGURE_8.iter().rev().find(|row| row.0 <= seconds) {
            self.now.rate = within(self.profile.rate, rate);
            self.now.cores = self.cores(contended);
        }
        if self.due(seconds, 600.0, 600.0) {
            self.now.bytes_per_second = within((80.0, 170.0), self.random.f64()) * MEGABIT;
        }
    }

    /// As the paper redraws them: at 20 s past each 20 minutes.
    fn figure_11(&mut self, seconds: f64) {
        self.now.rate = within(self.profile.rate, 0.8);
        let due = if self.next_seconds == 0.0 { true } else { seconds >= self.next_seconds };
        if due {
            self.next_seconds += if self.next_seconds == 0.0 { 1_220.0 } else { 1_200.0 };
            self.now.bytes_per_second = within((80.0, 200.0), self.random.f64()) * MEGABIT;
        }
    }
}
