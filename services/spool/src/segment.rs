//! Segment files: their names, what their blocks hold, and where they are damaged.

use std::io;

use crate::block::{HEADER_BYTES, Header, MAGIC, RECORD_BYTES};
use crate::{Disk, DiskFile, Index, SpoolError};

/// How much of a damaged file is searched at once, in bytes.
const WINDOW_BYTES: usize = 1 << 20;
/// Where a file can't be read at once, it is read in pieces of this many bytes.
const PAGE_BYTES: usize = 4 << 10;
/// The error of a device that can't read a sector (EIO on every Unix).
const IO_ERROR: i32 = 5;

/// A segment file as the spool knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    /// The index of its first record.
    pub first: Index,
    /// How much of it is durable.
    pub bytes: u64,
}

/// The file name of the segment that begins with `first`.
pub(crate) fn name(first: Index) -> String {
    format!("{first:020}.seg")
}

/// The first index that a file name tells; `None` if it is not a segment's.
pub(crate) fn first(name: &str) -> Option<Index> {
    let digits = name.strip_suffix(".seg")?;
    let canonical = digits.len() == 20 && digits.bytes().all(|byte| byte.is_ascii_digit());
    canonical.then(|| digits.parse().ok().map(Index)).flatten()
}

/// Bytes of a segment that should be blocks and are not, or are missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Damage {
    /// The segment's first index.
    pub segment: Index,
    /// Where the damage begins in the file, and where the next block may begin, in bytes.
    pub at: u64,
    pub behind: u64,
    /// The first record that it concerns.
    pub first: Index,
    /// The index behind the last one.
    pub end: Index,
}

/// A place between two blocks: where the next one begins in the file, and with which record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub at: u64,
    pub next: Index,
}

/// What is found at a place.
pub(crate) enum Found {
    /// A whole block with this header. Its body was read.
    Block(Header),
    /// A header whose body is damaged or cut.
    Body(Header),
    /// No block.
    Nothing,
}

/// A segment file that is read.
pub(crate) struct SegmentFile {
    pub first: Index,
    pub file: Box<dyn DiskFile>,
    /// How much of it may be read: what is behind may just be written.
    pub bytes: u64,
}

impl SegmentFile {
    /// Opens the file; `None` if it is missing.
    pub fn open(disk: &dyn Disk, first: Index) -> Result<Option<SegmentFile>, SpoolError> {
        let opened = disk.open(&name(first)).and_then(|file| Ok((file.bytes()?, file)));
        match opened {
            Ok((bytes, file)) => Ok(Some(SegmentFile { first, file, bytes })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(SpoolError::read(format!("open {}", name(first)), error)),
        }
    }

    fn cannot_read(&self, error: io::Error) -> SpoolError {
        SpoolError::read(format!("read {}", name(self.first)), error)
    }

    /// Reads at `at`. What the device can't read is taken for zeros: it is damage like any other.
    pub fn read(&self, into: &mut [u8], at: u64) -> Result<usize, SpoolError> {
        match self.file.read_at(into, at) {
            Err(error) if error.raw_os_error() == Some(IO_ERROR) => {}
            read => return read.map_err(|error| self.cannot_read(error)),
        }
        let left = usize::try_from(self.bytes.saturating_sub(at)).unwrap_or(usize::MAX);
        let into_bytes = into.len().min(left);
        for (page, into) in into[..into_bytes].chunks_mut(PAGE_BYTES).enumerate() {
            match self.file.read_at(into, at + (page * PAGE_BYTES) as u64) {
                Err(error) if error.raw_os_error() == Some(IO_ERROR) => into.fill(0),
                read => drop(read.map_err(|error| self.cannot_read(error))?),
            }
        }
        Ok(into_bytes)
    }

    /// The header at a place, if it is the one of the next block.
    pub fn header(&self, place: Place) -> Result<Option<Header>, SpoolError> {
        let mut head = [0; HEADER_BYTES];
        let head_bytes = self.read(&mut head, place.at)?;
        Ok(Header::decode(&head[..head_bytes]).filter(|header| header.first == place.next))
    }

    /// Reads the body of the block at `at`. Returns whether it is whole.
    pub fn body(&self, at: u64, header: Header, body: &mut Vec<u8>) -> Result<bool, SpoolError> {
        let body_bytes = header.body_bytes as usize;
        body.clear();
        // The header is good, but a file that was cut may be far shorter than it says.
        if at + header.block_bytes() > self.bytes {
            return Ok(false);
        }
        body.reserve_exact(body_bytes);
        body.resize(body_bytes, 0);
        let read = self.read(body, at + HEADER_BYTES as u64)?;
        Ok(read == body_bytes && crc32fast::hash(body) == header.body_crc)
    }

    /// What is at a place.
    pub fn find(&self, place: Place, body: &mut Vec<u8>) -> Result<Found, SpoolError> {
        match self.header(place)? {
            None => Ok(Found::Nothing),
            Some(header) if self.body(place.at, header, body)? => Ok(Found::Block(header)),
            Some(header) => Ok(Found::Body(header)),
        }
    }

    /// How far the damage at a place reaches, whose records were durable up to `durable`: to the end of the block
    /// if its header is good, else to the next good block, else to the end of the file and to `durable`.
    pub fn damage(
        &self,
        place: Place,
        header: Option<Header>,
        durable: Index,
    ) -> Result<Damage, SpoolError> {
        let next = match header {
            Some(header) => Some((place.at + header.block_bytes(), header.end())),
            None => self.next_block(place, durable)?,
        };
        let (behind, end) = next
            .filter(|(behind, _)| *behind < self.bytes)
            .unwrap_or((self.bytes.max(place.at), durable));
        Ok(Damage { segment: self.first, at: place.at, behind, first: place.next, end })
    }

    /// The next good block behind a damaged place.
    fn next_block(&self, place: Place, durable: Index) -> Result<Option<(u64, Index)>, SpoolError> {
        let mut body = Vec::new();
        let mut found = None;
        self.search(place, place.at, |at, header| {
            let good = header.first <= durable && self.body(at, *header, &mut body)?;
            found = good.then_some((at, header.first));
            Ok(good)
        })?;
        Ok(found)
    }

    /// The highest index that a block from byte `from` on calls durable, behind a damaged place; 0 if none does.
    pub fn proved_durable(&self, place: Place, from: u64) -> Result<Index, SpoolError> {
        let mut durable = Index(0);
        self.search(place, from, |_, header| {
            durable = durable.max(header.durable_before());
            Ok(false)
        })?;
        Ok(durable)
    }

    /// Calls `accept` for each header from byte `from` on whose records may follow those of a damaged place, until it
    /// returns true. Records may hold anything, even blocks; those are hardly ever numbered as if they stood here,
    /// since a byte of a segment holds at most a twelfth of a record.
    fn search(
        &self,
        place: Place,
        from: u64,
        mut accept: impl FnMut(u64, &Header) -> Result<bool, SpoolError>,
    ) -> Result<(), SpoolError> {
        let mut base = from;
        let left = usize::try_from(self.bytes.saturating_sub(base)).unwrap_or(WINDOW_BYTES);
        let mut window = vec![0; WINDOW_BYTES.min(left)];
        while base + (HEADER_BYTES as u64) <= self.bytes {
            let filled = self.read(&mut window, base)?;
            let bytes = &window[..filled];
            for at in 0..(filled + 1).saturating_sub(HEADER_BYTES) {
                if !bytes[at..].starts_with(&MAGIC) {
                    continue;
                }
                let offset = base + at as u64;
                let records = place.next.plus((offset - place.at) / RECORD_BYTES as u64);
                if let Some(header) = Header::decode(&bytes[at..])
                    && place.next < header.first
                    && header.first <= records
                    && accept(offset, &header)?
                {
                    return Ok(());
                }
            }
            if filled < HEADER_BYTES {
                break;
            }
            base += (filled + 1 - HEADER_BYTES) as u64;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_others_are_none() {
        for index in [0, 7, u64::MAX] {
            assert_eq!(first(&name(Index(index))), Some(Index(index)));
        }
        for other in
            ["journal", "lock", "7.seg", "+0000000000000000007.seg", "99999999999999999999.seg"]
        {
            assert_eq!(first(other), None, "{other}");
        }
    }
}
