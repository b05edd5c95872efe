//! A disk in memory that tests can fill, fail, stop, and cut the power of.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use sluice_spool::{Batch, Disk, DiskFile, Index, Options, Spool, SpoolError};

/// What was done to the disk.
#[derive(Clone, Debug)]
pub enum Op {
    Create {
        name: String,
        file: usize,
    },
    Rename {
        from: String,
        to: String,
    },
    Remove {
        name: String,
    },
    SyncNames,
    Write {
        file: usize,
        offset: usize,
        bytes: Vec<u8>,
    },
    Truncate {
        file: usize,
        bytes: usize,
    },
    Sync {
        file: usize,
    },
    /// Not done by the spool: bits of a byte changed on the medium.
    Rot {
        file: usize,
        offset: usize,
        bits: u8,
    },
}

/// Content and faults.
#[derive(Default)]
pub struct Memory {
    pub names: BTreeMap<String, usize>,
    pub files: Vec<Vec<u8>>,
    pub trace: Vec<Op>,
    /// Bytes that may still be added; no bound if `None`.
    pub space: Option<usize>,
    pub write_error: bool,
    pub sync_error: bool,
    pub read_only: bool,
    /// A file and a byte of it that can't be read.
    pub unreadable: Option<(usize, usize)>,
    /// Syncs wait while this is set.
    pub hold_syncs: bool,
}

impl Memory {
    /// Changes bits on the medium.
    pub fn rot(&mut self, file: usize, offset: usize, bits: u8) {
        self.files[file][offset] ^= bits;
        self.trace.push(Op::Rot { file, offset, bits });
    }
}

/// A handle of a disk in memory; clones share it.
#[derive(Clone, Default)]
pub struct MemoryDisk {
    memory: Arc<(Mutex<Memory>, Condvar)>,
}

struct MemoryFile {
    disk: MemoryDisk,
    file: usize,
}

impl MemoryDisk {
    pub fn new(names: BTreeMap<String, usize>, files: Vec<Vec<u8>>) -> MemoryDisk {
        let disk = MemoryDisk::default();
        disk.with(|memory| (memory.names, memory.files) = (names, files));
        disk
    }

    fn lock(&self) -> MutexGuard<'_, Memory> {
        self.memory.0.lock().expect("no test panics with the lock")
    }

    /// Looks at the disk or changes it.
    pub fn with<T>(&self, change: impl FnOnce(&mut Memory) -> T) -> T {
        let result = change(&mut self.lock());
        self.memory.1.notify_all();
        result
    }

    /// The disk as the next process finds it when this one is killed now.
    pub fn killed(&self) -> MemoryDisk {
        let memory = self.lock();
        let disk = MemoryDisk::new(memory.names.clone(), memory.files.clone());
        disk.with(|killed| killed.trace = memory.trace.clone());
        disk
    }

    /// The names of the segment files.
    pub fn segments(&self) -> Vec<String> {
        self.lock().names.keys().filter(|name| name.ends_with(".seg")).cloned().collect()
    }

    /// Changes the content of a file.
    pub fn edit<T>(&self, name: &str, change: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        self.with(|memory| {
            let file = memory.names[name];
            change(&mut memory.files[file])
        })
    }

    /// Changes bits on the medium.
    pub fn rot(&self, name: &str, offset: usize, bits: u8) {
        self.with(|memory| memory.rot(memory.names[name], offset, bits));
    }

    /// The disk, if it can be written.
    fn writable(&self) -> io::Result<MutexGuard<'_, Memory>> {
        let memory = self.lock();
        if memory.read_only { Err(io::ErrorKind::ReadOnlyFilesystem.into()) } else { Ok(memory) }
    }

    pub fn open(&self, options: &Options) -> Spool {
        Spool::open_on(Box::new(self.clone()), options).expect("a spool")
    }
}

fn not_found() -> io::Error {
    io::ErrorKind::NotFound.into()
}

impl Disk for MemoryDisk {
    fn names(&self) -> io::Result<Vec<String>> {
        Ok(self.lock().names.keys().cloned().collect())
    }

    fn create(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        let mut memory = self.writable()?;
        let file = memory.files.len();
        memory.files.push(Vec::new());
        memory.names.insert(name.to_owned(), file);
        memory.trace.push(Op::Create { name: name.to_owned(), file });
        Ok(Box::new(MemoryFile { disk: self.clone(), file }))
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        let file = *self.lock().names.get(name).ok_or_else(not_found)?;
        Ok(Box::new(MemoryFile { disk: self.clone(), file }))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let mut memory = self.writable()?;
        let file = memory.names.remove(from).ok_or_else(not_found)?;
        memory.names.insert(to.to_owned(), file);
        memory.trace.push(Op::Rename { from: from.to_owned(), to: to.to_owned() });
        Ok(())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let mut memory = self.writable()?;
        let file = memory.names.remove(name).ok_or_else(not_found)?;
        let freed = memory.files[file].len();
        memory.space = memory.space.map(|space| space + freed);
        memory.trace.push(Op::Remove { name: name.to_owned() });
        Ok(())
    }

    fn sync_names(&self) -> io::Result<()> {
        self.lock().trace.push(Op::SyncNames);
        Ok(())
    }
}

/// Writes into a file's content, zeros filling what was never written.
pub fn write(content: &mut Vec<u8>, offset: usize, bytes: &[u8]) {
    content.resize(content.len().max(offset + bytes.len()), 0);
    content[offset..offset + bytes.len()].copy_from_slice(bytes);
}

impl DiskFile for MemoryFile {
    fn bytes(&self) -> io::Result<u64> {
        Ok(self.disk.lock().files[self.file].len() as u64)
    }

    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        let memory = self.disk.lock();
        let content = memory.files[self.file].get(offset as usize..).unwrap_or_default();
        let bytes = content.len().min(into.len());
        let (file, offset) = (self.file, offset as usize);
        if memory
            .unreadable
            .is_some_and(|(bad, at)| bad == file && (offset..offset + bytes).contains(&at))
        {
            return Err(io::Error::from_raw_os_error(5));
        }
        into[..bytes].copy_from_slice(&content[..bytes]);
        Ok(bytes)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let mut memory = self.disk.writable()?;
        if memory.write_error {
            return Err(io::Error::other("injected"));
        }
        let offset = offset as usize;
        let length = memory.files[self.file].len();
        let added = (offset + bytes.len()).saturating_sub(length);
        let kept = match memory.space {
            Some(space) if added > space => bytes.len() - (added - space),
            _ => bytes.len(),
        };
        write(&mut memory.files[self.file], offset, &bytes[..kept]);
        let grown = memory.files[self.file].len() - length;
        memory.space = memory.space.map(|space| space - grown);
        memory.trace.push(Op::Write { file: self.file, offset, bytes: bytes[..kept].to_vec() });
        if kept < bytes.len() { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    fn truncate(&self, bytes: u64) -> io::Result<()> {
        let mut memory = self.disk.writable()?;
        let length = memory.files[self.file].len();
        memory.files[self.file].resize(bytes as usize, 0);
        memory.space = memory.space.map(|space| space + length - bytes as usize);
        memory.trace.push(Op::Truncate { file: self.file, bytes: bytes as usize });
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        let memory = self.disk.lock();
        let mut memory =
            self.disk.memory.1.wait_while(memory, |memory| memory.hold_syncs).expect("no panic");
        if memory.sync_error {
            return Err(io::Error::other("injected"));
        }
        memory.trace.push(Op::Sync { file: self.file });
        Ok(())
    }
}

/// Small bounds, so that little data makes many segments and old records are read from files.
pub fn small() -> Options {
    Options {
        max_bytes: 16 << 10,
        segment_bytes: 1 << 10,
        recent_bytes: 700,
        block_bytes: 300,
        min_sync_interval: Duration::ZERO,
        disk_retry: Duration::from_millis(1),
        ..Options::new("unused")
    }
}

/// A deadline that only a failing test reaches.
pub fn soon() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

/// A deadline that has come.
pub fn now() -> Instant {
    Instant::now()
}

/// Waits until all that was appended is durable.
pub fn settle(spool: &Spool) {
    assert!(spool.wait_durable(spool.next_index(), soon()).expect("a working spool"));
}

/// Waits until something holds.
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = soon();
    while !holds() {
        assert!(now() < deadline, "{what}");
        std::thread::yield_now();
    }
}

/// Reads everything that can be read from `from` on, with its index, going on behind holes.
pub fn read_around(spool: &Spool, from: Index) -> Vec<(Index, Vec<u8>)> {
    let (mut at, mut batch, mut records) = (from, Batch::new(), Vec::new());
    loop {
        match spool.read(at, 10, 1 << 20, &mut batch) {
            Ok(0) => break,
            Ok(_) => {
                let values = batch.values().map(<[u8]>::to_vec);
                records.extend(values.zip(at.0..).map(|(value, index)| (Index(index), value)));
                at = batch.end();
            }
            Err(SpoolError::Hole(hole)) => {
                assert!(hole.first <= at && at < hole.end && spool.holes().contains(&hole));
                at = hole.end;
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert!(at >= spool.durable());
    records
}

/// Reads everything from `from` on in batches of `limit` records.
pub fn read_all(spool: &Spool, from: Index, limit: usize) -> Vec<(Vec<u8>, i64)> {
    let (mut at, mut batch, mut records) = (from, Batch::new(), Vec::new());
    while spool.read(at, limit, 1 << 20, &mut batch).expect("readable records") > 0 {
        assert_eq!(batch.first(), at);
        for place in 0..batch.len() {
            records.push((batch.value(place).to_vec(), batch.accepted_at_ms(place)));
        }
        at = batch.end();
    }
    assert_eq!(at, spool.durable());
    records
}
