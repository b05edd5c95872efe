//! What happens to the world, and when.

use std::fmt;

use crate::dice::Dice;
use crate::scenario::{Class, Scenario};

/// One thing that happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// When, milliseconds after the epoch.
    pub at_ms: i64,
    /// What.
    pub action: Action,
}

/// Where in its work an agent dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CrashPoint {
    /// At once.
    Anywhere,
    /// An event was appended to the spool, and is not durable.
    Appended,
    /// Events are durable, and nobody knows.
    Synced,
    /// The hello was sent.
    HelloSent,
    /// The number was read back, and is not in the spool.
    NumberRead,
    /// The number is in the spool, and nothing was dispatched.
    Numbered,
    /// A frame was sent.
    Dispatched,
    /// An acknowledgement was taken in.
    Acknowledged,
    /// The cursor is durable, and its segments are not freed.
    CursorPersisted,
}

impl CrashPoint {
    const ALL: [Self; 9] = [
        Self::Anywhere,
        Self::Appended,
        Self::Synced,
        Self::HelloSent,
        Self::NumberRead,
        Self::Numbered,
        Self::Dispatched,
        Self::Acknowledged,
        Self::CursorPersisted,
    ];
}

/// A routing command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// One device, or all.
    pub device: Option<usize>,
    /// In a person's name.
    pub manual: bool,
    /// Share per mille by cut; none for a release. A cut that does not exist makes it illegal.
    pub shares: Option<Vec<(i32, i32)>>,
    /// It stays good for so long.
    pub expires_in_ms: Option<i64>,
    /// It is conditional on the plan of so many commands ago.
    pub if_last: Option<usize>,
}

/// What can happen. Fields are numbers of devices, stages, partitions and replicas, and times.
#[allow(missing_docs)] // the names of the fields say it
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// An agent dies at this point, and comes back.
    Crash { device: usize, at: CrashPoint, down_ms: i64 },
    /// An agent dies and its spool is lost.
    DeleteSpool { device: usize, down_ms: i64 },
    /// A copy of the spool is put aside.
    BackUp { device: usize },
    /// The agent dies and begins again with that copy.
    RestoreBackup { device: usize },
    /// A second machine begins with a copy of the spool.
    Clone { device: usize },
    /// A second machine begins with the same identity and nothing else.
    Twin { device: usize },
    /// The agent and its disk are gone.
    Destroy { device: usize },
    /// The source is quiet.
    Silence { device: usize, for_ms: i64 },
    /// The device's clock is wrong from now on.
    ShiftClock { device: usize, by_ms: i64 },
    /// The link of the device is cut.
    CutLink { device: usize, for_ms: i64 },
    /// A delivery fails.
    FailDelivery { device: usize },
    /// The device leaves; it joins again later, or never.
    Leave { device: usize, back_ms: Option<i64> },
    /// The leader of a partition is away: of a stage, or of `out` (stage N + 1).
    Hang { stage: i32, partition: i32, for_ms: i64 },
    /// No broker answers.
    PauseBroker { for_ms: i64 },
    /// The newest records of a partition are lost, though they were acknowledged.
    LoseAcknowledged { stage: i32, partition: i32 },
    /// The newest records of `out` can't be decoded.
    Tear { partition: i32 },
    /// A replica dies, and comes back.
    CrashReplica { stage: i32, member: usize, down_ms: i64 },
    /// A delivery of a replica fails.
    FailReplica { stage: i32, member: usize },
    /// A partition goes to another replica; the old one goes on for a while.
    Rebalance { stage: i32, partition: i32, zombie_ms: i64 },
    /// The residual job begins again at one of its last checkpoints.
    Restore { partition: i32, older: usize },
    /// The residual job is busy.
    PauseReader { partition: i32, for_ms: i64 },
    /// A command.
    Route(Command),
    /// The control and status topics are compacted.
    Compact,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>6} {:?}", self.at_ms, self.action)
    }
}

/// Writes the plot of a scenario.
pub fn write(dice: &mut Dice, scenario: &Scenario) -> Vec<Step> {
    let mut plot = Vec::new();
    let gap_ms = dice.within(150, 1_500);
    let identity = dice.chance(45);
    let commands = dice.within(200, 2_500);
    let mut at_ms = 500;
    while at_ms < scenario.faults_until_ms {
        plot.push(Step { at_ms, action: fault(dice, scenario, identity) });
        at_ms += dice.within(1, gap_ms * 2);
    }
    at_ms = 100;
    while at_ms < scenario.faults_until_ms {
        plot.push(Step { at_ms, action: Action::Route(command(dice, scenario)) });
        at_ms += dice.within(1, commands * 2);
    }
    if dice.chance(15) {
        hanging_path(dice, scenario, &mut plot);
    }
    plot.sort_by_key(|step| step.at_ms);
    plot
}

fn fault(dice: &mut Dice, scenario: &Scenario, identity: bool) -> Action {
    let device = dice.index(scenario.devices.len());
    let partition = i32::try_from(dice.roll(i64::from(scenario.partitions))).unwrap_or(0);
    let stage = i32::try_from(dice.within(1, i64::from(scenario.operators))).unwrap_or(1);
    let member = dice.index(2);
    let down_ms = dice.within(50, 1_500);
    if scenario.class == Class::Tight && dice.chance(8) {
        return loss(dice, scenario, device, partition);
    }
    match dice.roll(100) {
        0..24 => Action::Crash { device, at: *dice.pick(&CrashPoint::ALL), down_ms },
        24..32 => Action::CrashReplica { stage, member, down_ms },
        32..37 => Action::FailReplica { stage, member },
        37..46 => Action::Rebalance { stage, partition, zombie_ms: dice.within(0, 1_500) },
        46..53 => Action::Restore { partition, older: dice.index(3) },
        53..58 => Action::PauseReader { partition, for_ms: dice.within(100, 6_000) },
        58..66 => Action::FailDelivery { device },
        66..70 => Action::CutLink { device, for_ms: dice.within(100, 4_000) },
        70..74 => Action::Hang {
            stage: stage + i32::from(dice.chance(30)),
            partition,
            for_ms: dice.within(200, 5_000),
        },
        74..76 => Action::PauseBroker { for_ms: dice.within(100, 2_000) },
        76..79 => Action::Compact,
        79..82 => Action::Silence { device, for_ms: dice.within(500, 12_000) },
        82..84 => Action::ShiftClock { device, by_ms: dice.within(-20_000, 20_000) },
        84..87 => Action::BackUp { device },
        87..96 if identity => identity_fault(dice, device, down_ms),
        87..89 => {
            let back_ms = dice.chance(30).then(|| dice.within(100, 4_000));
            Action::Leave { device, back_ms }
        }
        _ => Action::Crash { device, at: *dice.pick(&CrashPoint::ALL), down_ms },
    }
}

fn identity_fault(dice: &mut Dice, device: usize, down_ms: i64) -> Action {
    match dice.roll(4) {
        0 => Action::DeleteSpool { device, down_ms },
        1 => Action::RestoreBackup { device },
        2 => Action::Clone { device },
        _ => Action::Twin { device },
    }
}

fn loss(dice: &mut Dice, scenario: &Scenario, device: usize, partition: i32) -> Action {
    let kind = dice.roll(10);
    if kind < 4 {
        Action::Destroy { device }
    } else if kind < 6 {
        Action::Tear { partition }
    } else {
        let last = i64::from(scenario.operators) + 1;
        let stage = i32::try_from(dice.within(1, last)).unwrap_or(1);
        Action::LoseAcknowledged { stage, partition }
    }
}

fn command(dice: &mut Dice, scenario: &Scenario) -> Command {
    let cuts = i64::from(scenario.operators);
    let cut = |dice: &mut Dice| i32::try_from(dice.within(0, cuts)).unwrap_or(0);
    let shares = match dice.roll(20) {
        0..2 => None,
        2 => Some(vec![(scenario.operators + 1, 1_000)]),
        3..9 => {
            let part = i32::try_from(dice.within(1, 999)).unwrap_or(500);
            let first = cut(dice);
            let second = (first + 1) % (scenario.operators + 1);
            Some(vec![(first, part), (second, 1_000 - part)])
        }
        _ => Some(vec![(cut(dice), 1_000)]),
    };
    Command {
        device: dice.chance(80).then(|| dice.index(scenario.devices.len())),
        manual: shares.is_none() || dice.chance(25),
        shares,
        expires_in_ms: dice.chance(8).then(|| dice.within(-500, 2_000)),
        if_last: dice.chance(10).then(|| dice.index(3)),
    }
}

/// A path that hangs for long, and a command that leaves it.
fn hanging_path(dice: &mut Dice, scenario: &Scenario, plot: &mut Vec<Step>) {
    let device = 0;
    let partition = scenario.devices[device].partition;
    let cut = i32::try_from(dice.roll(i64::from(scenario.operators))).unwrap_or(0);
    let at_ms = scenario.faults_until_ms + 500;
    let route = |cut: i32| {
        Action::Route(Command {
            device: Some(device),
            manual: true,
            shares: Some(vec![(cut, 1_000)]),
            expires_in_ms: None,
            if_last: None,
        })
    };
    let hang = Action::Hang { stage: cut + 1, partition, for_ms: 14_000 };
    plot.push(Step { at_ms, action: route(cut) });
    plot.push(Step { at_ms: at_ms + 1_000, action: hang });
    plot.push(Step { at_ms: at_ms + 3_000, action: route(scenario.operators) });
}
