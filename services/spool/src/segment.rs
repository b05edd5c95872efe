//! Segment files: their names, and the repair of the newest one.

use crate::block::{HEADER_BYTES, Header, MAGIC};
use crate::{DiskFile, Index, SpoolError};

/// How much of a damaged file is searched at once, in bytes.
const WINDOW_BYTES: usize = 1 << 20;

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

/// What the newest segment holds.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Tail {
    /// Length of the good blocks in bytes.
    pub bytes: u64,
    /// The index behind the last record.
    pub end: Index,
    /// How much behind the good blocks is torn, in bytes.
    pub torn_bytes: u64,
}

/// Reads the newest segment and finds where its good blocks end. What follows is a torn tail, unless a later block
/// says that it was durable.
pub(crate) fn scan(file: &dyn DiskFile, first: Index) -> Result<Tail, SpoolError> {
    let name = name(first);
    let read = |into: &mut [u8], at| {
        file.read_at(into, at).map_err(|error| SpoolError::read(format!("read {name}"), error))
    };
    let length = file.bytes().map_err(|error| SpoolError::read(format!("read {name}"), error))?;
    let (mut at, mut end) = (0, first);
    let mut head = [0; HEADER_BYTES];
    let mut body = Vec::new();
    loop {
        let head_bytes = read(&mut head, at)?;
        let header = Header::decode(&head[..head_bytes]).filter(|header| header.first == end);
        if let Some(header) = header
            && at + header.block_bytes() <= length
        {
            body.resize(header.body_bytes as usize, 0);
            read(&mut body, at + HEADER_BYTES as u64)?;
            if crc32fast::hash(&body) == header.body_crc {
                at += header.block_bytes();
                end = header.end();
                continue;
            }
        }
        // Records may hold anything, even blocks: they are searched only where the torn block's length is unknown.
        let behind = at + header.map_or(0, |header| header.block_bytes());
        return match find_proof(&read, behind, length, end)? {
            Some(proof) => {
                let what = format!(
                    "record {end} is unreadable, but the block at byte {proof} says it was durable"
                );
                Err(SpoolError::damaged(&name, at, what))
            }
            None => Ok(Tail { bytes: at, end, torn_bytes: length - at }),
        };
    }
}

/// Where a block begins, between `from` and `length`, that calls the record `lost` durable.
fn find_proof(
    read: &impl Fn(&mut [u8], u64) -> Result<usize, SpoolError>,
    from: u64,
    length: u64,
    lost: Index,
) -> Result<Option<u64>, SpoolError> {
    let mut window =
        vec![
            0;
            WINDOW_BYTES.min(usize::try_from(length.saturating_sub(from)).unwrap_or(WINDOW_BYTES))
        ];
    let mut base = from;
    while base + (HEADER_BYTES as u64) <= length {
        let filled = read(&mut window, base)?;
        let bytes = &window[..filled];
        for at in 0..(filled + 1).saturating_sub(HEADER_BYTES) {
            if bytes[at..].starts_with(&MAGIC)
                && Header::decode(&bytes[at..]).is_some_and(|header| header.durable_before() > lost)
            {
                return Ok(Some(base + at as u64));
            }
        }
        if filled < HEADER_BYTES {
            break;
        }
        base += (filled + 1 - HEADER_BYTES) as u64;
    }
    Ok(None)
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
