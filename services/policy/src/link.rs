//! What the uplink carries.

use serde::{Deserialize, Serialize};

use crate::estimates::{Goodput, Recent};
use crate::estimator::EstimatorSettings;
use crate::filter::{WindowedMax, average, is_jump};
use crate::observation::Observation;

/// From this share of the interval on that events were queued, the rate meanwhile is the link's.
const FULL_SHARE: f64 = 0.9;

/// While the link is the limit every interval is a sample of it; while it is not, intervals are lower bounds, and the greatest counts.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct LinkFilter {
    bounds: WindowedMax,
}

impl LinkFilter {
    /// What is known after one more interval. A link that has never been the limit is not known.
    pub fn learn(
        &mut self,
        settings: &EstimatorSettings,
        seen: &Observation,
        recent: &Recent,
        known: Option<Goodput>,
    ) -> Option<Goodput> {
        // What the whole interval carried is a lower bound. The rate while events were queued is an upper one: short waits end with an
        // acknowledgement, which counts for them alone.
        let carried = recent.wire_bytes_per_second;
        let queued = seen.link.queued_seconds.zip(seen.link.queued_acked_wire_bytes);
        let (seconds, bytes) = queued.unwrap_or_default();
        let share = seconds / seen.seconds;
        // A link that fills in the middle of an interval is the limit too: the target is missed already.
        let is_limit = share >= settings.limited_share
            || share >= settings.least_queued_share && recent.missed;
        if !is_limit {
            self.bounds.add(seen.at_ms, carried, settings.goodput_window_ms);
            let bound = self.bounds.get().unwrap_or(carried);
            return known.map(|known| Goodput {
                bytes_per_second: known.bytes_per_second.max(bound),
                limited: false,
                ..known
            });
        }
        self.bounds.clear();
        let known = known.map(|known| known.bytes_per_second);
        let bytes_per_second = match known {
            _ if share >= FULL_SHARE => {
                let rate = bytes / seconds;
                let near = |known: &f64| !is_jump(*known, rate, settings.jump);
                known.filter(near).map_or(rate, |known| average(known, rate))
            }
            Some(known) if known > carried => average(known.min(bytes / seconds), carried),
            _ => carried,
        };
        Some(Goodput { bytes_per_second, limited: true, limited_at_ms: seen.at_ms })
    }
}
