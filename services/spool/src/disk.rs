//! The seam to the file system: everything that a spool does to its directory goes through these two traits, so
//! that tests can fail it, fill it and cut its power.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::SpoolError;

/// A directory of files. A name may have one folder in front, with a slash; folders come and go with their files.
pub trait Disk: Send + Sync {
    /// The names of all files.
    fn names(&self) -> io::Result<Vec<String>>;
    /// Creates an empty file, or empties the one there is. Its name is durable after [`Disk::sync_names`].
    fn create(&self, name: &str) -> io::Result<Box<dyn DiskFile>>;
    /// Opens an existing file for reading and writing.
    fn open(&self, name: &str) -> io::Result<Box<dyn DiskFile>>;
    /// Gives a file another name, replacing the file that had it, in one step.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, name: &str) -> io::Result<()>;
    /// Makes every create, rename and remove so far durable.
    fn sync_names(&self) -> io::Result<()>;
}

/// An open file.
pub trait DiskFile: Send + Sync {
    /// Its length in bytes.
    fn bytes(&self) -> io::Result<u64>;
    /// Reads into `into` from `offset` on; less than asked for only at the end of the file.
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize>;
    /// Writes all of `bytes` at `offset`; after an error any part of it may have been written.
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;
    /// Cuts the file off at `bytes`.
    fn truncate(&self, bytes: u64) -> io::Result<()>;
    /// Makes the content and length durable.
    fn sync(&self) -> io::Result<()>;
}

/// A real directory, locked while this value lives.
#[derive(Debug)]
pub struct Directory {
    path: PathBuf,
    _lock: File,
}

impl Directory {
    /// Creates the directory if needed and takes its lock.
    ///
    /// # Errors
    /// [`SpoolError::Locked`] if another holder is alive, [`SpoolError::Io`] if the directory cannot be used.
    pub fn lock(path: &Path) -> Result<Directory, SpoolError> {
        let error =
            |error| SpoolError::read(format!("use the directory {}", path.display()), error);
        create_durably(path).map_err(error)?;
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path.join("lock"))
            .map_err(error)?;
        match lock.try_lock() {
            Ok(()) => Ok(Directory { path: path.to_owned(), _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(SpoolError::Locked(path.to_owned())),
            Err(TryLockError::Error(reason)) => Err(error(reason)),
        }
    }
}

/// Creates `path` and syncs the parent of every directory that was new: a spool whose own directory entry
/// vanishes in a power loss would be an empty one.
fn create_durably(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let parent = match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => return Err(io::ErrorKind::InvalidInput.into()),
    };
    create_durably(parent)?;
    match fs::create_dir(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => File::open(parent)?.sync_all(),
    }
}

impl Disk for Directory {
    fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            if entry.file_type()?.is_dir() {
                for inner in fs::read_dir(entry.path())? {
                    let inner = inner?.file_name().into_string();
                    names.extend(inner.ok().map(|inner| format!("{name}/{inner}")));
                }
            } else {
                names.push(name);
            }
        }
        Ok(names)
    }

    fn create(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        if let Some((folder, _)) = name.split_once('/') {
            fs::create_dir_all(self.path.join(folder))?;
        }
        let options = OpenOptions::new().read(true).write(true).create(true).truncate(true).clone();
        Ok(Box::new(options.open(self.path.join(name))?))
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(OpenOptions::new().read(true).write(true).open(self.path.join(name))?))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.path.join(from), self.path.join(to))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.path.join(name))
    }

    fn sync_names(&self) -> io::Result<()> {
        File::open(&self.path)?.sync_all()
    }
}

impl DiskFile for File {
    fn bytes(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut done = 0;
        while done < into.len() {
            match FileExt::read_at(self, &mut into[done..], offset + done as u64) {
                Ok(0) => break,
                Ok(bytes) => done += bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(done)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.write_all_at(bytes, offset)
    }

    fn truncate(&self, bytes: u64) -> io::Result<()> {
        self.set_len(bytes)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }
}
