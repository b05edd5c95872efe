//! What must hold when everything is drained: invariants I1, I2 and I6, and that nothing holds time for ever.

mod plan;

use std::collections::{BTreeMap, BTreeSet};

use sluice_progress::GapReason;

use crate::events::EventId;
use crate::reader::{Pass, Reader};
use crate::scenario::{Class, WINDOW_MS};
use crate::world::World;

/// Judges the end.
pub fn judge(world: &mut World) {
    let ends = Ends::of(world);
    judge_events(world, &ends);
    for device in 0..world.destroyed.len() {
        judge_order(world, device);
        judge_lateness(world, device);
        judge_frontier(world, device);
        plan::judge(world, device);
    }
}

/// At the end of the quiet time only the steady device of a partition holds time.
pub fn judge_time(world: &mut World) {
    if world.context.scenario.class == Class::Retiring {
        return;
    }
    let mut failures = Vec::new();
    for reader in &world.readers {
        let scenario = &world.context.scenario;
        let steady = scenario.devices.iter().position(|device| {
            device.steady && usize::try_from(device.partition) == Ok(reader.partition)
        });
        for device in reader.progress.metrics() {
            let number = crate::reader::place(&device.device);
            if Some(number) == steady
                && device.active
                && reader.job.emitted_ms < device.watermark_ms
            {
                let all: Vec<_> = reader.progress.metrics().collect();
                failures.push(format!("{:?} is emitted; {all:?}", reader.job.emitted_ms));
            }
            if device.held_frames > 0 && Some(number) != steady {
                failures.push(format!("frames are held for ever: {device:?}"));
            }
        }
    }
    for text in failures {
        world.context.fail("stall of time", text);
    }
}

/// Where each event ended.
struct Ends {
    results: BTreeMap<EventId, usize>,
    covered: BTreeMap<EventId, usize>,
    gaps: BTreeMap<EventId, Vec<GapReason>>,
    /// Events that a spool still has, or had and got acknowledged.
    kept: BTreeSet<EventId>,
    /// Events that were dropped because their incarnation was forgotten.
    forgotten: BTreeSet<EventId>,
    /// Events in a record that the reader could read.
    readable: BTreeSet<EventId>,
}

impl Ends {
    fn of(world: &World) -> Self {
        let truth = &world.context.truth;
        let mut ends = Self {
            results: BTreeMap::new(),
            covered: BTreeMap::new(),
            gaps: BTreeMap::new(),
            kept: BTreeSet::new(),
            forgotten: BTreeSet::new(),
            readable: BTreeSet::new(),
        };
        for reader in &world.readers {
            for output in &reader.job.outputs {
                *ends.results.entry(output.id).or_default() += 1;
            }
            for pass in &reader.job.passes {
                for seq in pass.range.first..=pass.range.last {
                    if let Some(id) = truth.numbered(pass.device, pass.incarnation, seq) {
                        *ends.covered.entry(id).or_default() += 1;
                    }
                }
            }
            for (device, incarnation, range, reason) in &reader.job.gaps {
                for seq in range.first..=range.last {
                    if let Some(id) = truth.numbered(*device, *incarnation, seq) {
                        ends.gaps.entry(id).or_default().push(*reason);
                    }
                }
            }
            for (device, incarnation, range) in &reader.job.forgotten {
                for seq in range.first..=range.last {
                    ends.forgotten.extend(truth.numbered(*device, *incarnation, seq));
                }
            }
            ends.read_log(world, reader);
        }
        for copy in &world.copies {
            if let Some(disk) = copy.disk.as_ref().filter(|_| !world.destroyed[copy.device]) {
                ends.kept.extend(disk.history());
            }
        }
        ends
    }

    fn read_log(&mut self, world: &World, reader: &Reader) {
        if world.context.scenario.class != Class::Trimmed {
            return;
        }
        for (device, incarnation, range) in reader.readable(&world.context) {
            for seq in range.first..=range.last {
                self.readable.extend(world.context.truth.numbered(device, incarnation, seq));
            }
        }
    }
}

/// I1: each event is in exactly one place.
fn judge_events(world: &mut World, ends: &Ends) {
    let scenario = world.context.scenario.clone();
    let mut failures = Vec::new();
    for (place, event) in world.context.truth.events.iter().enumerate() {
        let id = EventId(u32::try_from(place).unwrap_or(u32::MAX));
        let each = event.fate.results(scenario.operators);
        let results = ends.results.get(&id).copied().unwrap_or(0);
        let covered = ends.covered.get(&id).copied().unwrap_or(0);
        let gaps = ends.gaps.get(&id).map_or(&[][..], Vec::as_slice);
        let passed = results.checked_div(each).unwrap_or(covered);
        if each > 0 && results % each != 0 {
            failures.push(("I1 part", format!("{results} results of {id:?}: {event:?}")));
        }
        if passed + gaps.len() > 1 + event.unnumbered_copies {
            failures.push(("I1 twice", format!("{id:?} came {passed} times, {gaps:?}: {event:?}")));
        }
        // What is dropped for want of room may have been acknowledged, though nobody remembers: before a crash, to a clone.
        let forgotten = scenario.devices[event.device].room.is_some();
        if gaps.contains(&GapReason::Declared) && event.acknowledged && !forgotten {
            failures.push(("I1 gap", format!("{id:?} was acknowledged and is a gap: {event:?}")));
        }
        let trimmed = scenario.class == Class::Trimmed && !ends.readable.contains(&id);
        let due = (event.durable && ends.kept.contains(&id)) || event.acknowledged;
        let excused = event.lost_by_broker || trimmed || ends.forgotten.contains(&id);
        if due && passed + gaps.len() == 0 && !excused {
            failures.push(("I1 lost", format!("{id:?} never came: {event:?}")));
        }
        // Of an event that was given up the frame may come without the copy.
        let given_up = scenario.devices[event.device].room.is_some() && !event.acknowledged;
        let died = event.fate.dies(scenario.operators) && passed > 0 && due && !given_up;
        if died && !world.context.truth.dead_copies.contains(&id) {
            failures.push(("I1 dead", format!("{id:?} died without a copy: {event:?}")));
        }
    }
    for (invariant, text) in failures {
        world.context.fail(invariant, text);
    }
}

fn passes(world: &World, device: usize) -> impl Iterator<Item = &Pass> {
    world
        .readers
        .iter()
        .flat_map(|reader| &reader.job.passes)
        .filter(move |pass| pass.device == device)
}

/// Whether nothing that may make events late happened to a device.
fn is_strict(world: &World, device: usize) -> bool {
    !matches!(world.context.scenario.class, Class::Tight | Class::Trimmed)
        && !world.context.meddled[device]
}

/// I2: source order, but for what was counted; where nothing excuses it nothing is counted.
fn judge_order(world: &mut World, device: usize) {
    let class = world.context.scenario.class;
    let mut failure = None;
    if class != Class::EventTime {
        let orderly = passes(world, device).filter(|pass| !pass.late && !pass.fallen);
        let order: Vec<_> = orderly.map(|pass| (pass.incarnation, pass.range.first)).collect();
        if let Some(pair) = order.windows(2).find(|pair| pair[0] >= pair[1]) {
            failure = Some(format!("d{device}: {pair:?} out of order"));
        }
    }
    let strict = is_strict(world, device);
    if let Some(late) = passes(world, device).find(|pass| strict && pass.late) {
        failure = Some(format!("d{device}: nothing may be late, but {late:?}"));
    }
    let falls = |reader: &Reader| {
        let seen = reader.job.seen.get(&device).copied().unwrap_or_default();
        // A settled device may wait for a frame of which only stale copies of its neighbours could be read.
        seen.fallbacks > 0 && !(class == Class::Trimmed && seen.settled)
    };
    if class != Class::Tight && world.readers.iter().any(falls) {
        failure = Some(format!("d{device} fell back, though no limit was reached"));
    }
    if let Some(text) = failure {
        world.context.fail("I2 order", text);
    }
}

/// I6: of a device that was never idle nothing is behind time, and its windows are those of the unsplit job.
fn judge_lateness(world: &mut World, device: usize) {
    if !is_strict(world, device) || world.rejoined[device] || !keeps_bound(world, device) {
        return;
    }
    let spec = &world.context.scenario.devices[device];
    let reader = &world.readers[usize::try_from(spec.partition).unwrap_or(0)];
    if was_idle(world, reader, device) {
        return;
    }
    world.context.tally.compared += 1;
    let reader = &world.readers[usize::try_from(spec.partition).unwrap_or(0)];
    let mut expected: BTreeMap<i64, i64> = BTreeMap::new();
    let mut failure = None;
    for output in &reader.job.outputs {
        let event = world.context.truth.event(output.id);
        if event.device != device {
            continue;
        }
        if output.behind_ms.is_some() {
            failure.get_or_insert(format!("{output:?} came behind time: {event:?}"));
        }
        let end_ms = (event.time_ms.div_euclid(WINDOW_MS) + 1) * WINDOW_MS;
        if Some(end_ms - 1) <= reader.job.emitted_ms {
            *expected.entry(end_ms).or_default() += 1;
        }
    }
    let fired = reader.job.fired.iter().filter(|((_, of), _)| *of == device);
    let fired: BTreeMap<i64, i64> = fired.map(|((end_ms, _), count)| (*end_ms, *count)).collect();
    if fired != expected {
        failure.get_or_insert(format!("windows of d{device}: {fired:?}, unsplit {expected:?}"));
    }
    if let Some(text) = failure {
        world.context.fail("I6 windows", text);
    }
}

/// Whether no event of the device came later than its assigner allows.
fn keeps_bound(world: &World, device: usize) -> bool {
    let mut highest_ms = i64::MIN;
    world.context.truth.numberings.range((device, i64::MIN)..=(device, i64::MAX)).all(
        |(_, numbering)| {
            numbering.events.iter().zip(&numbering.highest_ms).all(|(id, after_ms)| {
                let kept = world.context.truth.event(*id).time_ms
                    >= highest_ms.saturating_sub(world.context.scenario.bound_ms);
                highest_ms = highest_ms.max(after_ms.unwrap_or(i64::MIN));
                kept
            })
        },
    )
}

/// Whether the reader may have taken the device for idle, by the append times of what it passed.
fn was_idle(world: &World, reader: &Reader, device: usize) -> bool {
    let limits = &world.context.scenario.limits;
    let Some(began_ms) = reader.job.began_ms else { return true };
    let mut until_ms = began_ms + limits.start_grace_ms;
    for pass in reader.job.passes.iter().filter(|pass| pass.device == device) {
        if pass.at_ms >= until_ms {
            return true;
        }
        if pass.timed {
            until_ms = until_ms.max(pass.at_ms + limits.idle_after_ms);
        }
    }
    false
}

/// In the end a device's time is that of the unsplit job.
fn judge_frontier(world: &mut World, device: usize) {
    let class = world.context.scenario.class;
    if !is_strict(world, device) || class == Class::EventTime {
        return;
    }
    let spec = &world.context.scenario.devices[device];
    let reader = &world.readers[usize::try_from(spec.partition).unwrap_or(0)];
    let Some(known) = reader.progress.metrics().find(|known| known.device == spec.id) else {
        return;
    };
    let highest = world.context.truth.highest_ms(device, i64::MAX, 0);
    let unsplit = highest.map(|highest| highest - world.context.scenario.bound_ms - 1);
    let capped = world.context.scenario.limits.max_ahead_ms < 10_000 || spec.room.is_some();
    if known.watermark_ms != unsplit && !(capped && known.watermark_ms < unsplit) {
        let text =
            format!("d{device} ends at {:?}, the unsplit job at {unsplit:?}", known.watermark_ms);
        world.context.fail("I4 end", text);
    }
}
