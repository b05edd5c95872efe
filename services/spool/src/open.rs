//! Opening: what a crash may have left is removed or cut off, what must not be missing is checked, and all that is
//! found is made durable before anyone may rely on it.

use std::collections::VecDeque;

use crate::journal::{self, Journal};
use crate::segment::{self, Segment, Tail};
use crate::syncer::Active;
use crate::{Disk, DiskFile, Index, SpoolError};

/// What was found on the disk, repaired and durable.
pub(crate) struct Opened {
    pub journal: Journal,
    pub segments: VecDeque<Segment>,
    pub active: Option<Active>,
    pub next: Index,
    pub torn_bytes: u64,
}

impl Opened {
    pub fn new(disk: &dyn Disk) -> Result<Opened, SpoolError> {
        let names = disk.names().map_err(|error| SpoolError::read("list its directory", error))?;
        let mut firsts: Vec<Index> = names.iter().filter_map(|name| segment::first(name)).collect();
        firsts.sort_unstable();
        let journal = Journal::open(disk, firsts.is_empty())?;
        let cursor = journal.ledger().cursor();
        let remove = |first: Index| {
            let name = segment::name(first);
            disk.remove(&name).map_err(|error| SpoolError::write(format!("remove {name}"), &error))
        };

        // A crash may have come between the durable cursor and the unlink.
        let free = firsts.windows(2).take_while(|pair| pair[1] <= cursor).count();
        firsts.drain(..free).try_for_each(remove)?;
        if let Some(first) = firsts.first()
            && *first > cursor
        {
            let what = format!("the records from {cursor} on are missing before it");
            return Err(SpoolError::damaged(&segment::name(*first), 0, what));
        }

        let mut newest = firsts.last().map(|first| Newest::open(disk, *first)).transpose()?;
        let end = newest.as_ref().map_or(Index(0), |newest| newest.tail.end);
        if end.max(cursor) < journal.ledger().durable() {
            let (name, at) =
                newest.as_ref().map_or((journal::NAME.to_owned(), 0), Newest::end_of_file);
            let what = format!(
                "the records from {} to {} are missing",
                end.max(cursor),
                journal.ledger().durable()
            );
            return Err(SpoolError::damaged(&name, at, what));
        }
        let torn_bytes = newest.as_ref().map_or(0, |newest| newest.tail.torn_bytes);
        if let Some(acknowledged) = newest.take_if(|newest| newest.tail.end <= cursor) {
            remove(acknowledged.first)?;
            firsts.clear();
        }
        if let Some(newest) = &newest {
            newest.repair()?;
        }
        disk.sync_names().map_err(|error| SpoolError::sync("the spool directory", &error))?;

        let mut segments = VecDeque::new();
        for first in firsts {
            let bytes = match &newest {
                Some(newest) if newest.first == first => newest.tail.bytes,
                _ => length(disk, first)?,
            };
            segments.push_back(Segment { first, bytes });
        }
        let active = newest.map(|newest| Active {
            first: newest.first,
            file: newest.file,
            bytes: newest.tail.bytes,
        });
        Ok(Opened { journal, segments, active, next: end.max(cursor), torn_bytes })
    }
}

fn length(disk: &dyn Disk, first: Index) -> Result<u64, SpoolError> {
    let name = segment::name(first);
    disk.open(&name)
        .and_then(|file| file.bytes())
        .map_err(|error| SpoolError::read(format!("open {name}"), error))
}

/// The segment that was written last.
struct Newest {
    first: Index,
    file: Box<dyn DiskFile>,
    tail: Tail,
}

impl Newest {
    fn open(disk: &dyn Disk, first: Index) -> Result<Newest, SpoolError> {
        let name = segment::name(first);
        let file =
            disk.open(&name).map_err(|error| SpoolError::read(format!("open {name}"), error))?;
        let tail = segment::scan(&*file, first)?;
        Ok(Newest { first, file, tail })
    }

    fn end_of_file(&self) -> (String, u64) {
        (segment::name(self.first), self.tail.bytes)
    }

    /// Cuts the torn tail off, and syncs what the last process may have written and not synced.
    fn repair(&self) -> Result<(), SpoolError> {
        let name = segment::name(self.first);
        if self.tail.torn_bytes > 0 {
            let cut = self.file.truncate(self.tail.bytes);
            cut.map_err(|error| SpoolError::write(format!("cut the torn tail of {name}"), &error))?;
        }
        self.file.sync().map_err(|error| SpoolError::sync(name, &error))
    }
}
