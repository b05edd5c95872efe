//! Which files there are, and which of them were met before.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result};
use sluice_runtime::clock::now_ms;

use super::lines::content;
use super::place::{HEAD_BYTES, Known};

/// By what a file that was not written in between is known again without being read: inode, size and time.
pub type Stamp = (u64, u64, SystemTime);

/// A file that may be read.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Where it is, or was when it was listed.
    pub path: PathBuf,
    /// Its inode.
    pub inode: u64,
    size: u64,
    modified: SystemTime,
}

impl Candidate {
    fn new(path: PathBuf, data: &Metadata) -> io::Result<Self> {
        Ok(Self { path, inode: data.ino(), size: data.len(), modified: data.modified()? })
    }

    /// Whether its content is compressed.
    pub fn is_compressed(&self) -> bool {
        self.path.extension().is_some_and(|extension| extension == "gz")
    }

    /// Its size on the disk when it was listed.
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// What it had when it was listed.
    pub const fn stamp(&self) -> Stamp {
        (self.inode, self.size, self.modified)
    }

    /// Whether it was not written for this long.
    pub fn is_settled(&self, time: Duration) -> bool {
        let now = UNIX_EPOCH + Duration::from_millis(now_ms().unsigned_abs());
        now.duration_since(self.modified).is_ok_and(|age| age >= time)
    }

    /// Whether it is a file that was met before: the same inode and beginning; or, under another inode or compressed, the same content as far
    /// as it was read.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn is(&self, known: &Known) -> io::Result<bool> {
        self.is_beginning_with(&self.first_bytes()?, known)
    }

    /// The same for one whose [first bytes](Candidate::first_bytes) were read already.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn is_beginning_with(&self, first_bytes: &[u8], known: &Known) -> io::Result<bool> {
        if !known.head.is_of(first_bytes) {
            return Ok(false);
        }
        if self.inode == known.inode && !self.is_compressed() {
            return Ok(true);
        }
        let (bytes, crc) = digest(self.content()?, known.offset)?;
        Ok(known.offset > 0 && (bytes, crc) == (known.offset, known.crc))
    }

    /// As much of its content as heads cover.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn first_bytes(&self) -> io::Result<Vec<u8>> {
        let mut first = Vec::new();
        match self.content()?.take(HEAD_BYTES).read_to_end(&mut first) {
            // A compressed file that is not written to its end.
            Err(error) if error.kind() != ErrorKind::UnexpectedEof => Err(error),
            _ => Ok(first),
        }
    }

    /// Its content from the start, decompressed.
    pub fn content(&self) -> io::Result<Box<dyn Read + Send>> {
        Ok(content(File::open(&self.path)?, self.is_compressed()))
    }
}

/// Length and CRC-32 of the first `bytes` bytes of a content, or of fewer if it has fewer.
pub fn digest(content: impl Read, bytes: u64) -> io::Result<(u64, u32)> {
    let mut content = content.take(bytes);
    let (mut length, mut crc) = (0, crc32fast::Hasher::new());
    let mut buffer = vec![0; 1 << 16];
    loop {
        match content.read(&mut buffer) {
            Ok(0) => return Ok((length, crc.finalize())),
            Ok(read) => {
                crc.update(&buffer[..read]);
                length += read as u64;
            }
            // A compressed file that is not written to its end.
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                return Ok((length, crc.finalize()));
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// The files that a source follows.
#[derive(Debug)]
pub struct Files {
    folder: PathBuf,
    /// The name of the file that is written, where one file is followed.
    live: Option<String>,
    pattern: String,
}

impl Files {
    /// Those of a path: a folder's files that match the pattern, or a file and what it is renamed to when it is rotated (its name and more).
    ///
    /// # Errors
    /// When the path can't be looked at. A file that is not there yet is no error if its folder is.
    pub fn new(path: &Path, pattern: &str) -> Result<Self> {
        if path.is_dir() {
            let pattern = pattern.to_owned();
            return Ok(Self { folder: path.to_owned(), live: None, pattern });
        }
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        fs::read_dir(&folder).with_context(|| format!("sources.path = {}", path.display()))?;
        let name = path.file_name().context("sources.path has no file name")?;
        let name = name.to_string_lossy().into_owned();
        Ok(Self { folder, pattern: format!("{name}*"), live: Some(name) })
    }

    /// All of them, the oldest first.
    ///
    /// # Errors
    /// When the folder can't be read.
    pub fn list(&self) -> Result<Vec<Candidate>> {
        let mut found = Vec::new();
        let entries = fs::read_dir(&self.folder)
            .with_context(|| format!("sources.path: {}", self.folder.display()))?;
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            // A file may go away while the folder is read.
            let Ok(data) = entry.metadata() else { continue };
            if data.is_file() && matches(&self.pattern, &name) {
                found.push(Candidate::new(entry.path(), &data)?);
            }
        }
        // The file that is written comes last, however coarse the clock of the disk is.
        let live = self.live.as_ref().map(|live| self.folder.join(live));
        let is_live = |candidate: &Candidate| live.as_ref() == Some(&candidate.path);
        found.sort_by(|a, b| {
            (is_live(a), a.modified, &a.path).cmp(&(is_live(b), b.modified, &b.path))
        });
        Ok(found)
    }

    /// The file that was met before.
    ///
    /// # Errors
    /// When a file can't be read.
    pub fn find(&self, known: &Known) -> Result<Option<Candidate>> {
        for candidate in self.list()? {
            if candidate.is(known)? {
                return Ok(Some(candidate));
            }
        }
        Ok(None)
    }

    /// Whether a file has been followed by another: of one that is followed, another lies in its place; in a folder, a newer one lies there.
    ///
    /// # Errors
    /// When the folder can't be read.
    pub fn has_successor(&self, inode: u64) -> Result<bool> {
        if let Some(live) = &self.live {
            let now = fs::metadata(self.folder.join(live));
            return Ok(now.is_ok_and(|data| data.ino() != inode));
        }
        let listed = self.list()?;
        Ok(listed.last().is_some_and(|newest| newest.inode != inode))
    }
}

/// Whether a name matches a pattern in which `*` stands for anything.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((before, after)) => name.strip_prefix(before).is_some_and(|rest| {
            let mut ends = (0..=rest.len()).filter(|at| rest.is_char_boundary(*at));
            ends.any(|at| matches(after, &rest[at..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, name) in
            [("*", "a"), ("a*", "a"), ("*.csv", "x.csv"), ("a*c*e", "abcde"), ("é*", "éa")]
        {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("*.csv", "x.csv.gz"), ("a", "ab"), ("a*b", "a")] {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }
}
