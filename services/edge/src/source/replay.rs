//! Lines played at a rate. The spool's next index is the place, so a restart goes on where the last run stopped.

use std::time::{Duration, Instant};

use super::lines::LineReader;
use super::{Acceptor, SourceContext, encode_line};
use crate::config::ReplaySettings;

/// How often due lines are offered: also how finely the hold of the source is sampled.
const TICK: Duration = Duration::from_millis(1);
/// The most lines offered at once, so that a stop is heard.
const BATCH: u64 = 1_000;

/// A replay that is ready to run.
pub struct Replay {
    lines: LineReader,
    rate: u64,
    acceptor: Acceptor,
}

impl Replay {
    /// Opens the lines at the place where the spool stands.
    pub fn open(settings: &ReplaySettings, context: SourceContext) -> anyhow::Result<Self> {
        let lines = LineReader::open(&settings.lines, context.spool.next_index().0)?;
        Ok(Self { lines, rate: settings.rate, acceptor: Acceptor::new(context) })
    }

    /// Plays until the end of the lines or the stop of the source.
    pub fn run(mut self) -> anyhow::Result<()> {
        self.acceptor.context.meters.source_done.set(0.0);
        let began = Instant::now();
        let mut offered: u64 = 0;
        let mut values: Vec<Vec<u8>> = Vec::new();
        let mut line = Vec::new();
        while !self.acceptor.context.is_stopped() {
            let due = self.due(began.elapsed()).saturating_sub(offered).min(BATCH);
            if due == 0 {
                std::thread::sleep(TICK);
                continue;
            }
            let mut more = true;
            let mut filled = 0;
            while filled < usize::try_from(due)? {
                more = self.lines.next_line(&mut line)?;
                if !more {
                    break;
                }
                if values.len() == filled {
                    values.push(Vec::new());
                }
                values[filled].clear();
                encode_line(&line, &mut values[filled]);
                filled += 1;
            }
            if !self.acceptor.accept(&values[..filled])? {
                break;
            }
            offered += u64::try_from(filled)?;
            if !more {
                self.acceptor.context.meters.source_done.set(1.0);
                tracing::info!(input = %self.acceptor.context.key, "the source is accepted whole");
                break;
            }
        }
        Ok(())
    }

    /// Lines that are due after this time.
    fn due(&self, elapsed: Duration) -> u64 {
        match self.rate {
            0 => u64::MAX,
            rate => u64::try_from(elapsed.as_micros() * u128::from(rate) / 1_000_000)
                .unwrap_or(u64::MAX),
        }
    }
}
