//! The seam between those who move frames and what executes their functions.
use crate::chain::{Chain, Dead};
use sluice_wire::{Event, EventsBuffer};

/// What became of a frame's events, beside those that were passed on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FrameOutcome {
    /// The watermark that the frame's events justify at the assigner's place, epoch milliseconds: the highest time there less the bound less 1.
    /// None if the assigner does not lie in the chain or no event got there; a watermark that the frame came with stays then.
    pub watermark: Option<i64>,
    /// Events (by delta) that died.
    pub dead: u32,
}

/// An engine that failed as a whole: the frame must be run again, by this engine or another.
#[derive(Debug, thiserror::Error)]
#[error("engine: {0}")]
pub struct EngineError(pub String);

/// Executes a range of operators on frames.
///
/// A frame at a time, so that an engine in another process needs one exchange for a frame. The native engine is deterministic: a function
/// that threw would throw again, so it is not tried twice.
pub trait Engine {
    /// Runs the operators on the events of one frame and appends what comes out to `out`, in order.
    ///
    /// `events` may hold several with one delta (outputs of one source event): if one of them dies, all do. For each delta that dies
    /// `dead` is called once, and nothing of it is left in `out`.
    ///
    /// # Errors
    /// [`EngineError`] when the engine itself failed; what is in `out` then is of no use.
    fn run_frame<'a>(
        &mut self,
        events: &mut dyn Iterator<Item = Event<'a>>,
        out: &mut EventsBuffer,
        dead: &mut dyn FnMut(&Event<'a>, Dead),
    ) -> Result<FrameOutcome, EngineError>;
}

impl Engine for Chain {
    fn run_frame<'a>(
        &mut self,
        events: &mut dyn Iterator<Item = Event<'a>>,
        out: &mut EventsBuffer,
        dead: &mut dyn FnMut(&Event<'a>, Dead),
    ) -> Result<FrameOutcome, EngineError> {
        let mut deaths = 0;
        let mut group = None;
        let mut before = out.mark();
        let mut died = false;
        self.begin_frame();
        for event in events {
            if group != Some(event.delta) {
                group = Some(event.delta);
                before = out.mark();
                died = false;
            }
            if died {
                continue;
            }
            if let Err(death) = self.run_event(event.delta, event.time, event.value, out) {
                out.rewind(before);
                died = true;
                deaths += 1;
                dead(&event, death);
            }
        }
        Ok(FrameOutcome { watermark: self.watermark(), dead: deaths })
    }
}
