//! `kind = "file"`: follows a file that is written, rotated and compressed by others, or the files of a folder. A line is an event.
//!
//! Its place is kept beside the spool as a `place::Place`: at which index of the spool which line of which file came. Between two of them an event is a
//! line, so a restart goes on exactly behind the last event that is safe.

mod find;
mod lines;
mod place;

use std::collections::HashSet;
use std::fs::File;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result};
use sluice_runtime::config::Section;

use crate::intake::Intake;
use find::{Candidate, Files, Stamp, digest};
use lines::{LineReader, Read};
use place::{Head, Known, Place, Store};

/// Lines accepted together.
const BATCH: usize = 1_000;
/// After so many bytes of a file the place is noted anew: what a restart reads again, at most.
const NOTE_BYTES: u64 = 8 << 20;

/// Where a source that was never here begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum From {
    /// With everything that is there.
    Start,
    /// With what comes from now on.
    End,
}

/// Settings of the source.
#[derive(Debug, Clone)]
pub struct Settings {
    /// A file, or a folder.
    pub path: PathBuf,
    /// Of a folder: which files, with `*` for anything.
    pub pattern: String,
    /// Where it begins.
    pub from: From,
    /// How often files that have no more to say are looked at.
    pub poll: Duration,
    /// How long a file that has a successor must be silent until its last line counts as finished.
    pub settle: Duration,
    /// The longest line, bytes.
    pub max_line_bytes: usize,
}

impl Settings {
    /// Reads the settings of a section; nothing only when a problem was noted.
    #[must_use]
    pub fn read(section: &Section) -> Option<Self> {
        let from = match section.one_of("from", &["start", "end"], "start") {
            "end" => From::End,
            _ => From::Start,
        };
        Some(Self {
            path: section.required("path")?,
            pattern: section.or("pattern", "*".to_owned()),
            from,
            poll: Duration::from_millis(section.or("poll_ms", 200).max(10)),
            settle: Duration::from_millis(section.or("settle_ms", 2_000)),
            max_line_bytes: section.or("max_line_bytes", 7 << 20),
        })
    }
}

/// A source that is ready to follow.
pub struct Follow {
    settings: Settings,
    intake: Intake,
    files: Files,
    store: Store,
    place: Place,
    /// Compressed files that were read: what tells that is their whole content, which need not be looked at again.
    read_copies: HashSet<Stamp>,
}

/// The file that is being read. It may have another name by now, or none.
struct Current {
    known: Known,
    file: File,
    is_compressed: bool,
    reader: LineReader,
    /// How long it had nothing to say.
    silent: Duration,
}

impl Current {
    fn open(candidate: &Candidate, at: (u64, u32), limit: usize) -> Result<Self> {
        let open = || {
            let file = File::open(&candidate.path)?;
            let is_compressed = candidate.is_compressed();
            let reader = LineReader::new(file.try_clone()?, is_compressed, at, limit)?;
            let known = Known {
                name: candidate.path.display().to_string(),
                inode: candidate.inode,
                head: Head::whole(candidate.content()?)?,
                offset: at.0,
                crc: at.1,
            };
            Ok(Self { known, file, is_compressed, reader, silent: Duration::ZERO })
        };
        open().map_err(|error: std::io::Error| {
            anyhow::anyhow!("sources.path: {}: {error}", candidate.path.display())
        })
    }

    /// What is known of it now.
    fn known(&mut self) -> Result<&Known> {
        if !self.known.head.is_whole() && !self.is_compressed {
            self.known.head = Head::whole(Start::of(&self.file))?;
        }
        self.known.offset = self.reader.offset();
        self.known.crc = self.reader.crc();
        Ok(&self.known)
    }

    /// Whether it was cut off behind our back.
    fn is_truncated(&self) -> Result<bool> {
        Ok(!self.is_compressed && self.file.metadata()?.len() < self.reader.offset())
    }
}

/// Reads a file from its start without moving the place of those who read on.
struct Start<'f>(&'f File, u64);

impl<'f> Start<'f> {
    const fn of(file: &'f File) -> Self {
        Self(file, 0)
    }
}

impl std::io::Read for Start<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = std::os::unix::fs::FileExt::read_at(self.0, buffer, self.1)?;
        self.1 += read as u64;
        Ok(read)
    }
}

impl Follow {
    /// Reads the place that is kept in `folder`.
    ///
    /// # Errors
    /// When the place can't be read, or the path can't.
    pub fn open(settings: Settings, intake: Intake, folder: PathBuf) -> Result<Self> {
        let files = Files::new(&settings.path, &settings.pattern)?;
        let store = Store::new(folder);
        let place = store.load()?;
        let is_new = place.is_none();
        let place = place.unwrap_or_default();
        let read_copies = HashSet::new();
        let mut follow = Self { settings, intake, files, store, place, read_copies };
        if is_new && follow.settings.from == From::End {
            for candidate in follow.files.list()? {
                let (offset, crc) = digest(candidate.content()?, u64::MAX)?;
                let mut current = Current::open(&candidate, (offset, crc), 0)?;
                follow.place.pass(current.known()?.clone());
            }
        }
        Ok(follow)
    }

    /// Follows until the source is to end.
    ///
    /// # Errors
    /// When the spool has failed, or a file or the place can't be read or written.
    pub fn run(mut self) -> Result<()> {
        self.intake.observer().connected(None);
        let mut current = self.resume()?;
        self.note(current.as_mut())?;
        while !self.intake.is_stopped() {
            if current.is_none() {
                current = self.next_file()?;
                if current.is_some() {
                    self.note(current.as_mut())?;
                }
            }
            let Some(file) = &mut current else {
                std::thread::sleep(self.settings.poll);
                continue;
            };
            if self.read(file)? {
                file.silent = Duration::ZERO;
            } else if file.is_truncated()? {
                tracing::warn!("{}: cut off; read from its start", file.known.name);
                self.place.forget(file.known.inode);
                current = None;
                self.note(None)?;
            } else if self.is_over(file)? {
                self.end(file)?;
                current = None;
            } else {
                std::thread::sleep(self.settings.poll);
                file.silent += self.settings.poll;
            }
        }
        Ok(())
    }

    /// The file of the place, behind the lines that were accepted since it was noted.
    fn resume(&mut self) -> Result<Option<Current>> {
        let Some(noted) = self.place.current.clone() else { return Ok(None) };
        // Fewer than the place says: the spool is a new one, and holds none of the lines.
        let accepted = self.intake.position().0.saturating_sub(self.place.index);
        let Some(candidate) = self.files.find(&noted)? else {
            tracing::error!("{}: gone, with what was not read of it", noted.name);
            return Ok(None);
        };
        let at = (noted.offset, noted.crc);
        let mut current = Current::open(&candidate, at, self.settings.max_line_bytes)?;
        for _ in 0..accepted {
            // A last line without its end was accepted when the file was over.
            if current.reader.next()? == Read::Nothing {
                current.reader.unfinished();
            }
        }
        Ok(Some(current))
    }

    fn next_file(&mut self) -> Result<Option<Current>> {
        let listed = self.files.list()?;
        let stamps: HashSet<Stamp> = listed.iter().map(Candidate::stamp).collect();
        self.read_copies.retain(|stamp| stamps.contains(stamp));
        for candidate in listed {
            if self.read_copies.contains(&candidate.stamp()) {
                continue;
            }
            let at = match self.place.known(&candidate)? {
                Some(_) if candidate.is_compressed() => {
                    self.read_copies.insert(candidate.stamp());
                    continue;
                }
                Some(known) if candidate.size() <= known.offset => continue,
                Some(known) => (known.offset, known.crc),
                // Others are newer: they wait until it is whole.
                None if candidate.is_compressed()
                    && !candidate.is_settled(self.settings.settle) =>
                {
                    return Ok(None);
                }
                None => (0, 0),
            };
            tracing::info!(offset = at.0, "follows {}", candidate.path.display());
            return Current::open(&candidate, at, self.settings.max_line_bytes).map(Some);
        }
        Ok(None)
    }

    /// Accepts some lines. False when there are none for now.
    fn read(&mut self, file: &mut Current) -> Result<bool> {
        let mut values = Vec::new();
        let mut is_over = false;
        let mut is_odd = false;
        while values.len() < BATCH && !is_over && !is_odd {
            match file.reader.next()? {
                Read::Line(line) => {
                    let value = self.intake.encoded(line);
                    is_odd = !self.intake.takes(value.len());
                    values.push(value);
                }
                Read::TooLong => {
                    self.intake.observer().oversize(file.reader.head().to_vec());
                    is_odd = true;
                }
                Read::Nothing => is_over = true,
            }
        }
        if values.is_empty() && !is_odd {
            return Ok(false);
        }
        if self.intake.accept(&values)?.is_none() {
            return Ok(true);
        }
        // A line that became no event must not be counted as one by a restart.
        if is_odd || file.reader.offset() - file.known.offset >= NOTE_BYTES {
            self.note(Some(file))?;
        }
        Ok(true)
    }

    /// Whether a file that has nothing to say for now will have nothing: it is compressed, or has a successor and is silent.
    fn is_over(&self, file: &Current) -> Result<bool> {
        Ok(file.is_compressed
            || file.silent >= self.settings.settle && self.files.has_successor(file.known.inode)?)
    }

    /// Takes the last line, finished or not, and notes that the file is read.
    fn end(&mut self, file: &mut Current) -> Result<()> {
        match file.reader.unfinished() {
            Read::Nothing => {}
            Read::TooLong => self.intake.observer().oversize(file.reader.head().to_vec()),
            Read::Line(line) => {
                if self.intake.accept(&[self.intake.encoded(line)])?.is_none() {
                    return Ok(());
                }
            }
        }
        self.place.pass(file.known()?.clone());
        self.note(None)
    }

    /// Notes the place, once everything before it is safe.
    fn note(&mut self, file: Option<&mut Current>) -> Result<()> {
        let position = self.intake.position();
        if !self.intake.wait_durable(position)? {
            return Ok(());
        }
        self.place.index = position.0;
        self.place.current = file.map(Current::known).transpose()?.cloned();
        self.store.save(&self.place).context("sources.path: the place")
    }
}
