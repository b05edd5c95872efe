//! `kind = "replay"`: the lines of a file, or of a generator, once, at a rate. The spool's next index is the place, so a restart goes on where the
//! last run stopped.

mod lines;
mod pace;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use sluice_generators::{Query, UnknownQuery};
use sluice_runtime::config::Section;

use crate::intake::Intake;
use lines::LineReader;
pub use pace::Pace;

/// How often due lines are offered: also how finely the hold of the source is sampled.
const TICK: Duration = Duration::from_millis(1);
/// The most lines offered at once, so that a stop is heard.
const BATCH: usize = 1_000;

/// What is played.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The lines.
    pub lines: Lines,
    /// How fast.
    pub pace: Pace,
}

/// Where the lines come from.
#[derive(Debug, Clone)]
pub enum Lines {
    /// A file, once, a line an event.
    File(PathBuf),
    /// A generator.
    Generated {
        /// Of which query's lines.
        query: Query,
        /// Same seed, same lines.
        seed: u64,
        /// Which device's lines.
        device: u32,
        /// How many; without it they never end.
        count: Option<u64>,
        /// Whether a line that closes every window follows.
        closing: bool,
    },
}

impl Settings {
    /// Reads the settings of a section; nothing only when a problem was noted.
    #[must_use]
    pub fn read(section: &Section) -> Option<Self> {
        let steady = Pace::steady(section.or("rate", 0));
        let pace = section.or("rate_steps", steady);
        let file = section.optional::<PathBuf>("file");
        let generator = section.optional::<String>("generator");
        let lines = match (file, generator) {
            (Some(file), None) => Lines::File(file),
            (None, Some(name)) => match name.parse() {
                Ok(query) => Lines::Generated {
                    query,
                    seed: section.or("seed", 1),
                    device: section.or("generator_device", 1),
                    count: section.optional("count"),
                    closing: section.or("closing", false),
                },
                Err(UnknownQuery) => {
                    section.problem("generator", format!("`{name}` is {UnknownQuery}"));
                    return None;
                }
            },
            _ => {
                section.problem("file", "a replay has either a file or a generator");
                return None;
            }
        };
        Some(Self { lines, pace })
    }
}

/// A replay that is ready to run.
pub struct Replay {
    lines: LineReader,
    pace: Pace,
    intake: Intake,
}

impl Replay {
    /// Opens the lines.
    ///
    /// # Errors
    /// When they can't be opened.
    pub fn open(settings: &Settings, intake: Intake) -> anyhow::Result<Self> {
        Ok(Self { lines: LineReader::open(&settings.lines)?, pace: settings.pace.clone(), intake })
    }

    /// Plays until the end of the lines or the stop of the source.
    ///
    /// # Errors
    /// When the spool has failed, or the lines can't be read.
    pub fn run(mut self) -> anyhow::Result<()> {
        self.intake.observer().done(false);
        // Here and not before the start: behind a large spool it takes long, and nothing else waits for it.
        let place = self.intake.position().0;
        self.lines.pass_over(place, || self.intake.is_stopped())?;
        let began = Instant::now();
        let mut offered = 0;
        let mut values: Vec<Vec<u8>> = Vec::new();
        let mut line = Vec::new();
        while !self.intake.is_stopped() {
            let due = self.pace.due(began.elapsed()).saturating_sub(offered).min(BATCH);
            if due == 0 {
                std::thread::sleep(TICK);
                continue;
            }
            let mut more = true;
            let mut filled = 0;
            while filled < due {
                more = self.lines.next_line(&mut line)?;
                if !more {
                    break;
                }
                if values.len() == filled {
                    values.push(Vec::new());
                }
                values[filled].clear();
                self.intake.encode(&line, &mut values[filled]);
                filled += 1;
            }
            if self.intake.accept(&values[..filled])?.is_none() {
                break;
            }
            offered += filled;
            if !more {
                self.intake.observer().done(true);
                break;
            }
        }
        Ok(())
    }
}
