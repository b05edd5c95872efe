//! Zip files in memory, read with bounds.

use std::io::{Cursor, Read};
use std::sync::Mutex;

use thiserror::Error;
use zip::ZipArchive;

/// An entry that unpacks to more than this is refused: no class, graph or function comes near it.
const MOST_ENTRY_BYTES: u64 = 256 << 20;

/// Why a zip file can't be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ArchiveError {
    /// Not a zip file, or a damaged one.
    #[error("no readable zip file: {0}")]
    Zip(String),
    /// An entry that can't be unpacked.
    #[error("entry `{name}`: {what}")]
    Entry {
        /// Its name.
        name: String,
        /// What is wrong.
        what: String,
    },
}

/// A zip file in memory.
#[derive(Debug)]
pub struct Archive {
    zip: Mutex<ZipArchive<Cursor<Vec<u8>>>>,
    names: Vec<String>,
}

impl Archive {
    /// Reads the directory of a zip file.
    ///
    /// # Errors
    /// [`ArchiveError::Zip`].
    pub fn read(bytes: Vec<u8>) -> Result<Self, ArchiveError> {
        let zip = ZipArchive::new(Cursor::new(bytes))
            .map_err(|error| ArchiveError::Zip(error.to_string()))?;
        let name = |at| match zip.name_for_index(at) {
            Some(Ok(name)) => name.into_owned(),
            // An entry that nobody can ask for.
            Some(Err(_)) | None => String::new(),
        };
        let names = (0..zip.len()).map(name).collect();
        Ok(Self { names, zip: Mutex::new(zip) })
    }

    /// The names of the entries by their place.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Unpacks the entry at a place.
    ///
    /// # Errors
    /// [`ArchiveError::Entry`].
    pub fn unpack(&self, at: usize) -> Result<Vec<u8>, ArchiveError> {
        let name = self.names.get(at).cloned().unwrap_or_default();
        let failed = |what: String| ArchiveError::Entry { name: name.clone(), what };
        let mut zip = self.zip.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let entry = zip.by_index(at).map_err(|error| failed(error.to_string()))?;
        if entry.size() > MOST_ENTRY_BYTES {
            return Err(failed(format!("unpacks to {} bytes", entry.size())));
        }
        let mut bytes = Vec::new();
        // The directory may lie about the size.
        entry
            .take(MOST_ENTRY_BYTES)
            .read_to_end(&mut bytes)
            .map_err(|error| failed(error.to_string()))?;
        Ok(bytes)
    }
}
