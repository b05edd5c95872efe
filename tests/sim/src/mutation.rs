//! The rules that can be taken away. Their numbers are those of the table in this crate's README.

use std::fmt;
use std::str::FromStr;

macro_rules! mutations {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// A rule that is broken on purpose: the simulator must notice.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Mutation {
            $($(#[$doc])* $variant,)*
        }

        impl Mutation {
            /// Every mutation.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Its name on the command line.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

mutations! {
    /// 1: held frames are checkpointed as covered.
    HeldIsCovered = "01-held-is-covered",
    /// 2: a start goes on numbering where the last one ended.
    NumbersAgain = "02-numbers-again",
    /// 3: a start chooses its own number and does not wait for its hello.
    DispatchesBeforeHello = "03-dispatches-before-hello",
    /// 4: frames name no previous incarnation.
    ForgetsPrevious = "04-forgets-previous",
    /// 5: acknowledged segments are deleted before the cursor is durable.
    DeletesBeforeCursor = "05-deletes-before-cursor",
    /// 5: a gap covers what the broker has acknowledged.
    GapsCoverAcknowledged = "05-gaps-cover-acknowledged",
    /// 6: a hole has no limit.
    NoHoleLimit = "06-no-hole-limit",
    /// 7: a device that sends heartbeats is not idle.
    HeartbeatsHoldTime = "07-heartbeats-hold-time",
    /// 8: limits run with wall time, also behind the end of the partition.
    LimitsOnWallClock = "08-limits-on-wall-clock",
    /// 9: the watermark of a heartbeat counts at once.
    HeartbeatCountsAtOnce = "09-heartbeat-counts-at-once",
    /// 9: a heartbeat has the watermark of what was dispatched.
    HeartbeatOfDispatched = "09-heartbeat-of-dispatched",
    /// 10: every part of a frame that a replica splits keeps the watermark.
    PartsKeepWatermark = "10-parts-keep-watermark",
    /// 10: every slice of a frame that the reader cuts keeps the watermark.
    SlicesKeepWatermark = "10-slices-keep-watermark",
    /// 11: a producer is never discarded because a path hangs.
    NoPathTimeout = "11-no-path-timeout",
    /// 12: a version retires when its devices are silent.
    RetiresEarly = "12-retires-early",
    /// 13: intervals have no bound.
    NoIntervalBound = "13-no-interval-bound",
    /// 14: `out` is trimmed before its records were read for the last time.
    TrimsEarly = "14-trims-early",
    /// 15: the plan of the last status is not taken.
    IgnoresLastPlan = "15-ignores-last-plan",
    /// 16: append times are the device's.
    DeviceAppendTime = "16-device-append-time",
    /// 17: in event-time order the assigner stands behind the reader, in the residual job.
    AssignsInResidual = "17-assigns-in-residual",
    /// 18: a frame is acknowledged without the copies of its dead events.
    CopiesNotAwaited = "18-copies-not-awaited",
    /// 19: a leave acts when it is read.
    LeavesAtOnce = "19-leaves-at-once",
    /// 21: an empty incarnation is named as the previous one.
    NamesEmpty = "21-names-empty",
    /// 22: the holes of a closed incarnation are covered.
    CoversClosedHoles = "22-covers-closed-holes",
    /// 23: the number is not made durable.
    VolatileNumber = "23-volatile-number",
    /// 23: a start leaves no mark before its first event.
    NoStartMark = "23-no-start-mark",
    /// 24: a hello stops an older agent.
    HelloStops = "24-hello-stops",
    /// 27: without state the reader does not settle.
    NoSettling = "27-no-settling",
}

impl fmt::Display for Mutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Mutation {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL.iter().find(|mutation| mutation.name() == text);
        known.copied().ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|mutation| mutation.name()).collect();
            format!("no mutation `{text}`; there are {}", names.join(", "))
        })
    }
}
