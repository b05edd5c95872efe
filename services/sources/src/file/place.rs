//! What has been read of which file, kept on the disk.

use std::fs;
use std::io;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};
use sluice_runtime::files;

use super::find::{Candidate, digest};

const FILE: &str = "source.json";
/// How many files that were read are remembered, so that they are known again under another name or compressed.
const REMEMBERED: usize = 1_000;
/// So many first bytes tell a file from another one that got its inode.
pub const HEAD_BYTES: u64 = 1_024;

/// The first bytes of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// How many.
    pub bytes: u64,
    /// Their CRC-32.
    pub crc: u32,
}

impl Head {
    /// Whether a content that begins with `first_bytes` has this head.
    pub fn is_of(self, first_bytes: &[u8]) -> bool {
        let mine = usize::try_from(self.bytes).ok().and_then(|bytes| first_bytes.get(..bytes));
        mine.is_some_and(|mine| crc32fast::hash(mine) == self.crc)
    }

    /// As much as tells a file from others.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn whole(content: impl io::Read) -> io::Result<Self> {
        let (bytes, crc) = digest(content, HEAD_BYTES)?;
        Ok(Self { bytes, crc })
    }

    /// Whether more bytes would not be covered.
    pub const fn is_whole(self) -> bool {
        self.bytes == HEAD_BYTES
    }
}

/// A file, and how far it was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// Its name when it was met, for people.
    pub name: String,
    /// Its inode.
    pub inode: u64,
    /// Its first bytes.
    pub head: Head,
    /// Its bytes before the next line, decompressed.
    pub offset: u64,
    /// CRC-32 of these bytes.
    pub crc: u32,
}

/// The place of the source.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The index of the spool at which it was noted.
    pub index: u64,
    /// The file that was being read.
    pub current: Option<Known>,
    /// Files that were read to their end, the last one last.
    pub passed: Vec<Known>,
}

impl Place {
    /// A file was read as far as it goes.
    pub fn pass(&mut self, known: Known) {
        self.forget(known.inode);
        self.passed.push(known);
        let surplus = self.passed.len().saturating_sub(REMEMBERED);
        self.passed.drain(..surplus);
    }

    /// A file has been cut off: what comes is new.
    pub fn forget(&mut self, inode: u64) {
        self.passed.retain(|known| known.inode != inode);
    }

    /// What is known of a file; nothing when it is new.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn known(&self, candidate: &Candidate) -> io::Result<Option<&Known>> {
        let first_bytes = candidate.first_bytes()?;
        for known in self.passed.iter().rev() {
            if candidate.is_beginning_with(&first_bytes, known)? {
                return Ok(Some(known));
            }
        }
        Ok(None)
    }
}

/// Where the place is kept.
pub struct Store {
    folder: PathBuf,
}

impl Store {
    /// In a folder, which is made when it is needed.
    pub const fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The place, if one was noted.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn load(&self) -> Result<Option<Place>> {
        let path = self.folder.join(FILE);
        match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            bytes => {
                let place = bytes
                    .map_err(anyhow::Error::from)
                    .and_then(|bytes| Ok(serde_json::from_slice(&bytes)?));
                let what = || {
                    format!(
                        "{}: no place of a source; remove it to begin anew, with lines read twice",
                        path.display()
                    )
                };
                Ok(Some(place.with_context(what)?))
            }
        }
    }

    /// Puts a place in the place of the one before; whole or not at all.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn save(&self, place: &Place) -> Result<()> {
        files::replace(&self.folder, FILE, &serde_json::to_vec(place)?)
    }
}
