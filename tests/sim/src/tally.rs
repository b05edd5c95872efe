//! What happened in a world: the proof that faults bit.

use std::fmt;

use sluice_progress::GapReason;

use crate::world::World;

macro_rules! tally {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// Counts over one world or many.
        #[derive(Debug, Clone, Copy, Default)]
        pub struct Tally {
            $($(#[$doc])* pub $name: u64,)*
        }

        impl Tally {
            /// Adds another one.
            pub fn add(&mut self, other: &Self) {
                $(self.$name += other.$name;)*
            }

            /// What never happened.
            #[must_use]
            pub fn never(&self) -> Vec<&'static str> {
                let all = [$(($text, self.$name)),*];
                all.into_iter().filter(|(_, count)| *count == 0).map(|(text, _)| text).collect()
            }
        }

        impl fmt::Display for Tally {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                $(writeln!(f, "{:>12} {}", self.$name, $text)?;)*
                Ok(())
            }
        }
    };
}

tally! {
    /// Events.
    events = "events taken",
    /// Results.
    outputs = "results in the job",
    /// Drops.
    drops = "drops of the oldest events",
    /// Lost in memory.
    spilled = "events that a spilling spool lost as it says",
    /// Starts of agents.
    starts = "starts of agents",
    /// Incarnations.
    incarnations = "incarnations that numbered an event",
    /// Producers that were discarded.
    discards = "producers discarded",
    /// Frames without anything new.
    duplicates = "duplicate frames at readers",
    /// Frames held.
    held = "frames held behind a hole",
    /// Restores.
    restores = "restores of readers",
    /// Late passes.
    late = "ranges passed late",
    /// Fallbacks.
    fallbacks = "fallbacks to event-time order",
    /// Gaps at a limit.
    gaps = "ranges given up at a limit",
    /// Gaps at the bound of intervals.
    interval_gaps = "ranges given up at the bound of intervals",
    /// Forgotten frames.
    forgotten = "frames of forgotten incarnations",
    /// Events behind time.
    behind = "results behind time",
    /// Commands in force.
    commands = "plans accepted",
    /// Plans at the end.
    plans = "devices whose plan is that of the plainest reading",
    /// Refused commands.
    refusals = "commands refused",
    /// Stopped agents.
    superseded = "agents stopped by a newer incarnation",
    /// Leaves.
    leaves = "leaves at the frontier",
    /// Settled devices.
    settled = "devices settled without state",
    /// Rebalances.
    zombies = "partitions taken from a living replica",
    /// Rewinds.
    rewinds = "rewinds of replicas",
    /// Windows.
    windows = "windows fired",
    /// Devices of which nothing excuses a difference.
    compared = "devices whose windows are those of the unsplit job",
}

impl Tally {
    /// What happened in a world that was run.
    #[must_use]
    pub fn of(world: &World) -> Self {
        let mut tally = world.context.tally;
        tally.events = world.context.truth.events.len() as u64;
        tally.incarnations = world.context.truth.numberings.len() as u64;
        for reader in &world.readers {
            let job = &reader.job;
            tally.outputs += job.outputs.len() as u64;
            tally.late += job.passes.iter().filter(|pass| pass.late).count() as u64;
            tally.forgotten += job.forgotten.len() as u64;
            tally.behind +=
                job.outputs.iter().filter(|output| output.behind_ms.is_some()).count() as u64;
            tally.windows += job.fired.len() as u64;
            let gaps =
                |reason: GapReason| job.gaps.iter().filter(|gap| gap.3 == reason).count() as u64;
            tally.gaps += gaps(GapReason::Lost);
            tally.interval_gaps += gaps(GapReason::Intervals);
            for seen in job.seen.values() {
                tally.fallbacks += u64::from(seen.fallbacks);
                tally.leaves += u64::from(seen.left);
                tally.settled += u64::from(seen.settled);
            }
        }
        tally
    }
}
