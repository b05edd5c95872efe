//! Opening: what a crash may have left is removed or cut off, what must not be missing and is becomes a hole, and all
//! that is found is made durable before anyone may rely on it.

use std::collections::VecDeque;
use std::ops::Range;

use crate::holes::SpoolHole;
use crate::journal::Journal;
use crate::ledger::{Entry, HOLES_PER_ENTRY};
use crate::quarantine::Quarantine;
use crate::segment::{self, Damage, Found, Place, Segment, SegmentFile};
use crate::syncer::Active;
use crate::{Disk, Index, SpoolError};

/// What was found on the disk, repaired and durable.
pub(crate) struct Opened {
    pub journal: Journal,
    pub segments: VecDeque<Segment>,
    pub active: Option<Active>,
    pub quarantine: Quarantine,
    pub next: Index,
    pub torn_bytes: u64,
}

impl Opened {
    pub fn new(disk: &dyn Disk, quarantine_bytes: u64) -> Result<Opened, SpoolError> {
        let names = disk.names().map_err(|error| SpoolError::read("list its directory", error))?;
        let mut firsts: Vec<Index> = names.iter().filter_map(|name| segment::first(name)).collect();
        firsts.sort_unstable();
        let mut journal = Journal::open(disk, firsts.is_empty())?;
        let mut quarantine = Quarantine::new(quarantine_bytes);
        let (floor, durable) = (journal.ledger().floor(), journal.ledger().durable());

        // A crash may have come between the durable cursor, or the durable holes, and the unlink.
        let free = firsts.windows(2).take_while(|pair| pair[1] <= floor).count();
        firsts.drain(..free).try_for_each(|first| remove(disk, first))?;
        let missing_before = firsts.first().map_or(durable, |first| *first);
        if missing_before > floor {
            let segment = firsts.first().copied().unwrap_or_default();
            let damage = Damage { segment, at: 0, behind: 0, first: floor, end: missing_before };
            quarantine.note(disk, None, &damage);
            declare(disk, &mut journal, &damage, "missing: before")?;
        }

        let mut newest = match firsts.last() {
            Some(first) => SegmentFile::open(disk, *first)?,
            None => None,
        };
        let tail = match &newest {
            // Below the floor records may be missing in front of those that were only ever in memory.
            Some(file) => scan(file, if durable > floor { durable } else { Index(0) })?,
            None => Tail::default(),
        };
        for damage in &tail.damages {
            quarantine.note(disk, newest.as_ref(), damage);
            declare(disk, &mut journal, damage, "damaged:")?;
        }
        let facts = journal.ledger();
        let next = tail.end.max(facts.floor()).max(facts.holes().end()).max(facts.durable());
        if let Some(acknowledged) = newest.take_if(|_| tail.end <= facts.floor()) {
            remove(disk, acknowledged.first)?;
            firsts.pop();
        }
        if let Some(newest) = &newest {
            repair(newest, &tail)?;
        }
        disk.sync_names().map_err(|error| SpoolError::sync("the spool directory", &error))?;

        let mut segments = VecDeque::new();
        for first in firsts {
            let bytes = match &newest {
                Some(newest) if newest.first == first => tail.bytes,
                _ => SegmentFile::open(disk, first)?.map_or(0, |file| file.bytes),
            };
            segments.push_back(Segment { first, bytes });
        }
        // Behind damage a new segment begins: nothing is appended to a file that is not understood.
        let active =
            newest.filter(|_| tail.damages.is_empty() && tail.end == next).map(|newest| Active {
                first: newest.first,
                file: newest.file,
                bytes: tail.bytes,
                end: next,
                dirty: false,
            });
        let torn_bytes = tail.torn_bytes;
        Ok(Opened { journal, segments, active, quarantine, next, torn_bytes })
    }
}

fn remove(disk: &dyn Disk, first: Index) -> Result<(), SpoolError> {
    let name = segment::name(first);
    disk.remove(&name).map_err(|error| SpoolError::write(format!("remove {name}"), &error))
}

/// Makes damage among records that are needed a durable hole.
fn declare(
    disk: &dyn Disk,
    journal: &mut Journal,
    damage: &Damage,
    what: &str,
) -> Result<(), SpoolError> {
    let cursor = journal.ledger().cursor();
    let lost = damage.first.max(cursor)..damage.end;
    match gaps(journal.ledger().holes().outside(lost), damage, what) {
        Some(entry) => journal.append(disk, entry),
        None => Ok(()),
    }
}

/// The holes to store for damaged records. There are few parts: what lies between them were holes before.
pub(crate) fn gaps(parts: Vec<Range<Index>>, damage: &Damage, what: &str) -> Option<Entry> {
    let reason = format!("{what} {} at byte {}", segment::name(damage.segment), damage.at);
    let holes: Vec<_> = parts.iter().map(|part| SpoolHole::gap(part, &reason)).collect();
    debug_assert!(holes.len() <= HOLES_PER_ENTRY);
    (!holes.is_empty()).then_some(Entry::Holes(holes))
}

/// What the newest segment holds.
#[derive(Debug, Default)]
struct Tail {
    /// Length without the torn tail, in bytes.
    bytes: u64,
    /// The index behind the last record, or behind the damage at the end.
    end: Index,
    /// How much is torn, in bytes.
    torn_bytes: u64,
    damages: Vec<Damage>,
}

/// Reads the newest segment. Where it is unreadable before the index that was once durable (because the journal or a
/// later block says so) it is damaged; behind that it is a torn tail.
fn scan(file: &SegmentFile, durable: Index) -> Result<Tail, SpoolError> {
    let (mut place, mut durable) = (Place { at: 0, next: file.first }, durable);
    let (mut body, mut damages) = (Vec::new(), Vec::new());
    loop {
        let header = match file.find(place, &mut body)? {
            Found::Block(header) => {
                place = Place { at: place.at + header.block_bytes(), next: header.end() };
                continue;
            }
            Found::Body(header) => Some(header),
            Found::Nothing => None,
        };
        // Records may hold anything, even blocks: they are searched only where the block's length is unknown.
        let behind = place.at + header.map_or(0, |header| header.block_bytes());
        durable = durable.max(file.proved_durable(place, behind)?);
        if place.next >= durable {
            let torn_bytes = file.bytes - place.at;
            return Ok(Tail { bytes: place.at, end: place.next, torn_bytes, damages });
        }
        let damage = file.damage(place, header, durable)?;
        place = Place { at: damage.behind, next: damage.end };
        damages.push(damage);
    }
}

/// Cuts the torn tail off, and syncs what the last process may have written and not synced.
fn repair(newest: &SegmentFile, tail: &Tail) -> Result<(), SpoolError> {
    let name = segment::name(newest.first);
    if tail.torn_bytes > 0 {
        let cut = newest.file.truncate(tail.bytes);
        cut.map_err(|error| SpoolError::write(format!("cut the torn tail of {name}"), &error))?;
    }
    newest.file.sync().map_err(|error| SpoolError::sync(name, &error))
}
