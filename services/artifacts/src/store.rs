//! A folder of artifacts. A file stands in `objects` under its digest only when it is whole, verified and on the disk;
//! what is on its way stands in `incoming`.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::digest::{Digest, Hasher};

/// How much a store takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The largest artifact, bytes.
    pub file_bytes: u64,
    /// All artifacts together, bytes; uploads at the same moment may pass it by one artifact each.
    pub total_bytes: u64,
}

impl Default for Limits {
    /// 1 GiB an artifact, 16 GiB in all.
    fn default() -> Self {
        Self { file_bytes: 1 << 30, total_bytes: 16 << 30 }
    }
}

/// Why a store did not do what it was asked for.
#[derive(Debug, Error)]
pub enum StoreError {
    /// Another process has the folder.
    #[error("{}: another process serves this folder", .0.display())]
    Taken(PathBuf),
    /// More bytes than one artifact may have.
    #[error("the artifact is larger than the limit of {0} bytes")]
    TooLarge(u64),
    /// No room within the limit of all artifacts.
    #[error("no room for the artifact within the store's limit of {0} bytes")]
    Full(u64),
    /// Other bytes than the digest says.
    #[error("the bytes have the digest {found}, not {wanted}")]
    WrongDigest {
        /// What was asked for.
        wanted: Digest,
        /// What came.
        found: Digest,
    },
    /// A file or folder that can't be read or written.
    #[error("{}: {error}", .path.display())]
    Io {
        /// Where.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

/// An artifact in a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stored {
    /// Its digest.
    pub digest: Digest,
    /// Its size.
    pub bytes: u64,
    /// When it was put there, epoch milliseconds.
    pub put_at: i64,
}

/// A folder of artifacts, open in this process only; clones share it.
#[derive(Debug, Clone)]
pub struct Store(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    objects: PathBuf,
    incoming: PathBuf,
    limits: Limits,
    uploads: AtomicU64,
    /// Held as long as the store is open.
    _lock: File,
}

impl Store {
    /// Opens the store in `folder`, which is made where it is missing. Uploads that an earlier process left are removed;
    /// downloads that can go on stay.
    ///
    /// # Errors
    /// A folder that can't be made or that another process has open.
    pub fn open(folder: &Path, limits: Limits) -> Result<Self, StoreError> {
        let (objects, incoming) = (folder.join("objects"), folder.join("incoming"));
        for folder in [&objects, &incoming] {
            fs::create_dir_all(folder).map_err(at(folder))?;
        }
        let path = folder.join("lock");
        let lock = OpenOptions::new().create(true).append(true).open(&path).map_err(at(&path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(StoreError::Taken(folder.to_owned())),
            Err(TryLockError::Error(error)) => return Err(at(&path)(error)),
        }
        for (path, _) in entries(&incoming)? {
            if path.extension().is_some_and(|e| e == "upload") {
                fs::remove_file(&path).map_err(at(&path))?;
            }
        }
        Ok(Self(Arc::new(Inner {
            objects,
            incoming,
            limits,
            uploads: AtomicU64::new(0),
            _lock: lock,
        })))
    }

    /// The folder with the artifacts, each under its digest.
    #[must_use]
    pub fn objects(&self) -> &Path {
        &self.0.objects
    }

    /// How much it takes.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.0.limits
    }

    /// The file of an artifact; none where it is not there.
    #[must_use]
    pub fn path(&self, digest: &Digest) -> Option<PathBuf> {
        let path = self.object(digest);
        path.is_file().then_some(path)
    }

    /// Every artifact, the one that came first at the head.
    ///
    /// # Errors
    /// A folder that can't be read.
    pub fn list(&self) -> Result<Vec<Stored>, StoreError> {
        let mut found = Vec::new();
        for (path, meta) in entries(&self.0.objects)? {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if let Ok(digest) = name.parse::<Digest>() {
                let put_at = meta.modified().ok();
                let since_1970 = put_at.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
                let ms = since_1970.and_then(|time| i64::try_from(time.as_millis()).ok());
                let stored = Stored { digest, bytes: meta.len(), put_at: ms.unwrap_or_default() };
                found.push((put_at, stored));
            }
        }
        found.sort_by_key(|(put_at, stored)| (*put_at, stored.digest));
        Ok(found.into_iter().map(|(_, stored)| stored).collect())
    }

    /// Reads every artifact, and removes those whose bytes are not those of their digest. Returns what was removed.
    ///
    /// # Errors
    /// A file that can't be removed. One that can't be read is damaged.
    pub fn verify(&self) -> Result<Vec<Digest>, StoreError> {
        let mut damaged = Vec::new();
        for Stored { digest, .. } in self.list()? {
            let found = Digest::of_file(&self.object(&digest));
            if found.map(|(found, _)| found).ok() != Some(digest) {
                self.remove(&digest)?;
                damaged.push(digest);
            }
        }
        Ok(damaged)
    }

    /// Removes an artifact, also one that is on its way. Returns whether it was there.
    ///
    /// # Errors
    /// A file that can't be removed.
    pub fn remove(&self, digest: &Digest) -> Result<bool, StoreError> {
        remove(&self.part(digest))?;
        remove(&self.object(digest))
    }

    /// Removes what came of downloads that nobody wants to go on with.
    ///
    /// # Errors
    /// A file that can't be removed.
    pub fn keep_downloads(&self, wanted: impl Fn(&Digest) -> bool) -> Result<(), StoreError> {
        for (path, _) in entries(&self.0.incoming)? {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let digest = name.strip_suffix(".part").and_then(|name| name.parse().ok());
            if digest.is_some_and(|digest| !wanted(&digest)) {
                remove(&path)?;
            }
        }
        Ok(())
    }

    /// Begins to take an artifact; several may be taken at once, and the same one too.
    ///
    /// # Errors
    /// No room, or a folder that can't be written.
    pub fn upload(&self, digest: Digest) -> Result<Incoming, StoreError> {
        let number = self.0.uploads.fetch_add(1, Ordering::Relaxed);
        let path = self.0.incoming.join(format!("{digest}.{number}.upload"));
        let file = File::create(&path).map_err(at(&path))?;
        self.incoming(digest, path, file, Hasher::default(), false)
    }

    /// Begins to take an artifact, or goes on where the last download of it ended; one at a time.
    ///
    /// # Errors
    /// No room, or a folder that can't be read and written.
    pub fn download(&self, digest: Digest) -> Result<Incoming, StoreError> {
        let path = self.part(&digest);
        let mut options = OpenOptions::new();
        options.create(true).read(true).write(true).truncate(false);
        let mut file = options.open(&path).map_err(at(&path))?;
        let mut hasher = Hasher::default();
        hasher.read(&mut file).map_err(at(&path))?;
        self.incoming(digest, path, file, hasher, true)
    }

    fn incoming(
        &self,
        digest: Digest,
        path: PathBuf,
        file: File,
        hasher: Hasher,
        keep: bool,
    ) -> Result<Incoming, StoreError> {
        let used: u64 = self.list()?.iter().map(|stored| stored.bytes).sum();
        let room = self.0.limits.total_bytes.saturating_sub(used);
        Ok(Incoming { store: self.clone(), digest, path, file, hasher, room, keep })
    }

    fn object(&self, digest: &Digest) -> PathBuf {
        self.0.objects.join(digest.to_string())
    }

    fn part(&self, digest: &Digest) -> PathBuf {
        self.0.incoming.join(format!("{digest}.part"))
    }
}

/// An artifact on its way into a store. Dropped before [`Incoming::finish`], an upload is gone; of a download stays what
/// came.
#[derive(Debug)]
pub struct Incoming {
    store: Store,
    digest: Digest,
    path: PathBuf,
    file: File,
    hasher: Hasher,
    room: u64,
    keep: bool,
}

impl Incoming {
    /// How many bytes are there.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.hasher.bytes()
    }

    /// Checks that an artifact of so many bytes fits.
    ///
    /// # Errors
    /// Too large, or no room.
    pub fn expect(&self, bytes: u64) -> Result<(), StoreError> {
        let limits = self.store.0.limits;
        if bytes > limits.file_bytes {
            return Err(StoreError::TooLarge(limits.file_bytes));
        }
        if bytes > self.room {
            return Err(StoreError::Full(limits.total_bytes));
        }
        Ok(())
    }

    /// Takes the next bytes.
    ///
    /// # Errors
    /// Too many bytes, no room, or a disk that refuses them.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        self.expect(self.bytes() + bytes.len() as u64)?;
        self.file.write_all(bytes).map_err(at(&self.path))?;
        self.hasher.update(bytes);
        Ok(())
    }

    /// Begins from the first byte again.
    ///
    /// # Errors
    /// A file that can't be cut.
    pub fn restart(&mut self) -> Result<(), StoreError> {
        self.hasher = Hasher::default();
        self.file.set_len(0).and_then(|()| self.file.rewind()).map_err(at(&self.path))
    }

    /// Verifies what came and puts it in its place. Returns its path.
    ///
    /// # Errors
    /// Other bytes than the digest says, which are removed; a disk that refuses them.
    pub fn finish(mut self) -> Result<PathBuf, StoreError> {
        self.keep = false;
        let (found, _) = std::mem::take(&mut self.hasher).finish();
        if found != self.digest {
            return Err(StoreError::WrongDigest { wanted: self.digest, found });
        }
        self.file.sync_all().map_err(at(&self.path))?;
        let object = self.store.object(&self.digest);
        fs::rename(&self.path, &object).map_err(at(&object))?;
        let folder = &self.store.0.objects;
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(at(folder))?;
        Ok(object)
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        if !self.keep {
            // After a finish there is nothing any more.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn at(path: &Path) -> impl Fn(io::Error) -> StoreError {
    move |error| StoreError::Io { path: path.to_owned(), error }
}

fn remove(path: &Path) -> Result<bool, StoreError> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(at(path)(error)),
    }
}

/// The files of a folder. One that is gone meanwhile is left out.
fn entries(folder: &Path) -> Result<Vec<(PathBuf, fs::Metadata)>, StoreError> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(at(folder))? {
        let path = entry.map_err(at(folder))?.path();
        match fs::metadata(&path) {
            Ok(meta) if meta.is_file() => found.push((path, meta)),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(at(&path)(error)),
        }
    }
    Ok(found)
}
