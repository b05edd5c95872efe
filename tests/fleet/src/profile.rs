//! What the chains of some queries cost on a small device.

use std::borrow::Cow;

/// Megabits in bytes a second.
pub const MEGABIT: f64 = 1e6 / 8.0;

/// The true costs of a query's chain, and the range of its conditions.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// Its name in tables.
    pub name: &'static str,
    /// CPU time per source event that leaves at cut k, seconds.
    pub cpu_seconds: Cow<'static, [f64]>,
    /// Bytes on the wire per source event that leaves at cut k.
    pub wire_bytes: Cow<'static, [f64]>,
    /// CPU time per source event that is the same at every cut, seconds.
    pub overhead_seconds: f64,
    /// Cores that the chain may use.
    pub cores: f64,
    /// Cores that are left under contention.
    pub contended_cores: f64,
    /// Least and greatest arrivals, events a second.
    pub rate: (f64, f64),
    /// Least and greatest uplink, megabits a second.
    pub megabits: (f64, f64),
}

/// Small sensor records: the first operator drops three fifths of the bytes.
pub static AIR: Profile = Profile {
    name: "air",
    cpu_seconds: Cow::Borrowed(&[2e-6, 15e-6, 23e-6, 30e-6]),
    wire_bytes: Cow::Borrowed(&[400.0, 160.0, 120.0, 90.0]),
    overhead_seconds: 1.5e-6,
    cores: 1.0,
    contended_cores: 0.35,
    rate: (20_000.0, 45_000.0),
    megabits: (80.0, 170.0),
};

/// Pictures: decoding and scaling is dear, and worth it on a thin link.
pub static VIDEO: Profile = Profile {
    name: "video",
    cpu_seconds: Cow::Borrowed(&[0.4e-3, 10e-3, 16e-3]),
    wire_bytes: Cow::Borrowed(&[250_000.0, 60_000.0, 6_000.0]),
    overhead_seconds: 0.3e-3,
    cores: 1.0,
    contended_cores: 0.35,
    rate: (20.0, 50.0),
    megabits: (80.0, 170.0),
};

/// A fifth of a core and a thin link: neither end can do it alone.
pub static METER: Profile = Profile {
    name: "meter",
    cpu_seconds: Cow::Borrowed(&[0.5e-6, 6e-6, 9e-6]),
    wire_bytes: Cow::Borrowed(&[200.0, 120.0, 48.0]),
    overhead_seconds: 0.5e-6,
    cores: 0.2,
    contended_cores: 0.08,
    rate: (8_000.0, 24_000.0),
    megabits: (8.0, 40.0),
};

/// Two operators of 6 and 5 us, selectivity 0.6, 200, 200 and 80 bytes: 22,222 events a second at the best cut, 26,889 at the best mix.
pub static WORKED: Profile = Profile {
    name: "worked",
    cpu_seconds: Cow::Borrowed(&[0.0, 6e-6, 9e-6]),
    wire_bytes: Cow::Borrowed(&[200.0, 120.0, 48.0]),
    overhead_seconds: 1e-9,
    cores: 0.2,
    contended_cores: 0.2,
    rate: (26_000.0, 26_000.0),
    megabits: (16.0, 16.0),
};

/// The profiles that mixed fleets have in turn.
pub static MIXED: [&Profile; 3] = [&AIR, &VIDEO, &METER];
