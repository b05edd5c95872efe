//! Damage: counted once, its bytes put aside for people to look at.

use std::collections::BTreeSet;

use crate::segment::{self, Damage, SegmentFile};
use crate::{Disk, Index};

/// The folder of the copies inside the spool directory.
const FOLDER: &str = "quarantine/";
const CHUNK_BYTES: usize = 64 << 10;

/// What was found damaged since the spool was opened.
pub(crate) struct Quarantine {
    /// Bound of all copies together.
    limit_bytes: u64,
    /// Length of all copies, once the first one was made.
    used_bytes: Option<u64>,
    /// Where damage was seen, in segments that are still there: segment and byte.
    seen: BTreeSet<(Index, u64)>,
    count: u64,
}

impl Quarantine {
    pub fn new(limit_bytes: u64) -> Quarantine {
        Quarantine { limit_bytes, used_bytes: None, seen: BTreeSet::new(), count: 0 }
    }

    /// How often damage was found.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Takes note of damage, once, and copies its bytes if there is room. Returns whether it is new.
    pub fn note(&mut self, disk: &dyn Disk, file: Option<&SegmentFile>, damage: &Damage) -> bool {
        let new = self.seen.insert((damage.segment, damage.at));
        if new {
            self.count += 1;
            if let Some(file) = file {
                self.copy(disk, file, damage);
            }
        }
        new
    }

    /// Forgets where damage was in segments before `first`.
    pub fn forget_before(&mut self, first: Index) {
        self.seen = self.seen.split_off(&(first, 0));
    }

    /// A copy helps a person to understand; nothing depends on it, so that a disk that can't take it is no error.
    fn copy(&mut self, disk: &dyn Disk, file: &SegmentFile, damage: &Damage) {
        let used = *self.used_bytes.get_or_insert_with(|| copied_bytes(disk));
        let bytes = damage.behind.min(file.bytes).saturating_sub(damage.at);
        if bytes == 0 || used + bytes > self.limit_bytes {
            return;
        }
        let name = format!("{FOLDER}{}-{}.bad", segment::name(damage.segment), damage.at);
        let Ok(copy) = disk.create(&name) else { return };
        let mut chunk = vec![0; CHUNK_BYTES.min(usize::try_from(bytes).unwrap_or(CHUNK_BYTES))];
        let mut at = 0;
        while at < bytes {
            let left = usize::try_from(bytes - at).unwrap_or(CHUNK_BYTES).min(chunk.len());
            let read = file.read(&mut chunk[..left], damage.at + at).unwrap_or(0);
            if read == 0 || copy.write_at(&chunk[..read], at).is_err() {
                let _ = disk.remove(&name); // half a copy would mislead; one that stays is bounded by the file
                return;
            }
            at += read as u64;
        }
        self.used_bytes = Some(used + bytes);
    }
}

fn copied_bytes(disk: &dyn Disk) -> u64 {
    let names = disk.names().unwrap_or_default();
    let copies = names.iter().filter(|name| name.starts_with(FOLDER));
    copies.filter_map(|name| disk.open(name).ok()?.bytes().ok()).sum()
}
