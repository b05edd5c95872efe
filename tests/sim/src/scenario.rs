//! What a seed means: the world before anything happens, and the plot of what will.

use sluice_edge::machine;
use sluice_model::{DeviceId, Order};
use sluice_progress::{Limits, OnLostHole};

use crate::dice::Dice;
use crate::plot::{self, Step};

/// Where the clocks begin, epoch milliseconds.
pub const EPOCH_MS: i64 = 1_000_000;
/// The length of a window of the residual job.
pub const WINDOW_MS: i64 = 1_000;
/// Schema ids are this plus the operators applied.
pub const SCHEMA_IDS: i32 = 100;

/// Which guarantees a scenario puts to the test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Every fault heals, no limit is reached: everything must come out as if nothing had happened.
    Calm,
    /// As calm, in event-time order.
    EventTime,
    /// Devices die for good and the broker loses what it acknowledged: limits must end the waiting.
    Tight,
    /// The reader begins late, without state, behind a trimmed prefix.
    Trimmed,
    /// As calm; when all is drained, the replicas of the version retire.
    Retiring,
}

/// A device.
#[derive(Debug, Clone)]
pub struct Device {
    /// Its id.
    pub id: DeviceId,
    /// Its partition.
    pub partition: i32,
    /// The mean time between two events.
    pub interval_ms: i64,
    /// Events are at most this much out of order; more than the assigner's bound makes some late.
    pub disorder_ms: i64,
    /// Per cent of events that an operator drops.
    pub filtered: i64,
    /// Per cent of events that an operator dies of.
    pub dead: i64,
    /// Its spool has room for so many records; then the oldest are dropped.
    pub room: Option<u64>,
    /// Its spool keeps events in memory, and promises less.
    pub spill: bool,
    /// It sends events until the very end, so that time goes on. Nothing happens to its identity.
    pub steady: bool,
}

/// The world and its plot.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// Of all dice.
    pub seed: u64,
    /// What must hold.
    pub class: Class,
    /// N.
    pub operators: i32,
    /// The assigner stands behind this many operators.
    pub assigner_after: i32,
    /// The assigner's bound.
    pub bound_ms: i64,
    /// P.
    pub partitions: i32,
    /// The devices.
    pub devices: Vec<Device>,
    /// Replicas of each stage, and whether they run to the end or only their own operator.
    pub replicas: Vec<Vec<i32>>,
    /// Messages of replicas are split above this, bytes.
    pub message_bytes: usize,
    /// The reader's limits.
    pub limits: Limits,
    /// Until when faults happen, milliseconds after the epoch.
    pub faults_until_ms: i64,
    /// What happens.
    pub plot: Vec<Step>,
}

impl Scenario {
    /// The scenario of a seed.
    #[must_use]
    pub fn of(seed: u64) -> Self {
        let mut dice = Dice::new(seed, 1);
        let class = match dice.roll(100) {
            0..50 => Class::Calm,
            50..60 => Class::EventTime,
            60..82 => Class::Tight,
            82..92 => Class::Trimmed,
            _ => Class::Retiring,
        };
        let operators = i32::try_from(dice.within(2, 3)).unwrap_or(2);
        let partitions = if dice.chance(30) { 2 } else { 1 };
        let bound_ms = dice.within(20, 300);
        let stages = 1..=operators;
        let mut scenario = Self {
            seed,
            class,
            operators,
            assigner_after: i32::try_from(dice.within(0, i64::from(operators))).unwrap_or(0),
            bound_ms,
            partitions,
            devices: devices(&mut dice, partitions, bound_ms),
            replicas: stages.map(|stage| replicas(&mut dice, stage, operators)).collect(),
            message_bytes: if dice.chance(40) { 120 } else { 100_000 },
            limits: limits(&mut dice, class),
            faults_until_ms: dice.within(8_000, 20_000),
            plot: Vec::new(),
        };
        scenario.plot = plot::write(&mut dice, &scenario);
        scenario
    }

    /// The bounds of a start of an agent: each start has its own, so that replays are cut anew.
    #[must_use]
    pub fn agent_limits(&self, dice: &mut Dice) -> machine::Limits {
        machine::Limits {
            linger_ms: dice.within(0, 60),
            frame_bytes: usize::try_from(dice.within(20, 400)).unwrap_or(100),
            frame_events: dice.within(1, 24).unsigned_abs(),
            in_flight_bytes: (300, usize::try_from(dice.within(600, 6_000)).unwrap_or(600)),
            drain_bytes_per_s: dice.chance(10).then(|| dice.within(5_000, 50_000).unsigned_abs()),
            heartbeat_ms: dice.within(200, 1_000),
            path_timeout_ms: PATH_TIMEOUT_MS,
        }
    }

    /// The longest wait that a limit of the reader can impose once all is quiet.
    #[must_use]
    pub fn quiet_ms(&self) -> i64 {
        let limited = matches!(self.class, Class::Tight | Class::Trimmed);
        let waits = if limited { self.limits.hole_limit_ms * 2 } else { 0 };
        waits
            + self.limits.settle_ms
            + self.limits.start_grace_ms
            + self.limits.idle_after_ms
            + 5_000
    }
}

/// How long a path may hang.
pub const PATH_TIMEOUT_MS: i64 = 3_000;

fn devices(dice: &mut Dice, partitions: i32, bound_ms: i64) -> Vec<Device> {
    let count = partitions + i32::try_from(dice.within(0, 2)).unwrap_or(0);
    (0..count.max(1))
        .map(|number| {
            let steady = number < partitions;
            let quiet = !steady && dice.chance(15);
            Device {
                id: DeviceId::new(format!("d{number}")).expect("a name"),
                partition: if steady { number } else { number % partitions },
                interval_ms: if quiet { 4_000 } else { dice.within(30, 160) },
                disorder_ms: bound_ms * if !steady && dice.chance(10) { 3 } else { 1 },
                filtered: *dice.pick(&[0, 10, 30]),
                dead: *dice.pick(&[0, 0, 5]),
                room: (!steady && dice.chance(20)).then(|| dice.within(6, 40).unsigned_abs()),
                spill: !steady && dice.chance(20),
                steady,
            }
        })
        .collect()
}

/// The last operator of each replica of a stage.
fn replicas(dice: &mut Dice, stage: i32, operators: i32) -> Vec<i32> {
    let count = dice.within(1, 2);
    (0..count)
        .map(|_| {
            i32::try_from(dice.within(i64::from(stage), i64::from(operators))).unwrap_or(stage)
        })
        .collect()
}

fn limits(dice: &mut Dice, class: Class) -> Limits {
    let tight = class == Class::Tight;
    let (hole_limit_ms, silent_hole_limit_ms) = match class {
        Class::Tight => (dice.within(4_000, 8_000), dice.within(2_000, 4_000)),
        Class::Trimmed => (20_000, 20_000),
        _ => (3_600_000, 3_600_000),
    };
    let idle_after_ms = if tight { dice.within(1_500, 3_000) } else { dice.within(3_000, 8_000) };
    Limits {
        order: if class == Class::EventTime { Order::EventTime } else { Order::Source },
        on_lost_hole: if tight && dice.chance(40) {
            OnLostHole::DeclareGap
        } else {
            OnLostHole::FallBack
        },
        idle_after_ms,
        start_grace_ms: idle_after_ms * 2,
        hole_limit_ms,
        silent_hole_limit_ms,
        settle_ms: 6_000,
        max_ahead_ms: if dice.chance(15) { 2_000 } else { 3_600_000 },
        held_bytes: if tight && dice.chance(30) { 2_000 } else { 64 << 20 },
        max_intervals: if class == Class::EventTime { 4 } else { 10_000 },
        max_closed: if tight && dice.chance(20) { 1 } else { 1_000 },
    }
}
