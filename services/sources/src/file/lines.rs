//! The lines of a file that may still grow.

use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Seek as _, SeekFrom};

use crc32fast::Hasher;
use flate2::read::MultiGzDecoder;

/// What became of the attempt to read a line.
#[derive(Debug, PartialEq, Eq)]
pub enum Read<'a> {
    /// A line, without its line feed.
    Line(&'a [u8]),
    /// A line that is longer than is allowed; it is passed over.
    TooLong,
    /// No finished line is there for now.
    Nothing,
}

/// Reads finished lines.
pub struct LineReader {
    content: Box<dyn BufRead + Send>,
    /// The bytes of the line that is not finished, without what is beyond the limit.
    line: Vec<u8>,
    /// Its whole length.
    length: u64,
    /// Its CRC.
    line_crc: Hasher,
    is_given: bool,
    offset: u64,
    /// The CRC of everything before `offset`.
    crc: Hasher,
    limit: usize,
    is_compressed: bool,
}

/// The content of a file, decompressed.
pub fn content(file: File, is_compressed: bool) -> Box<dyn io::Read + Send> {
    match is_compressed {
        true => Box::new(MultiGzDecoder::new(BufReader::new(file))),
        false => Box::new(file),
    }
}

impl LineReader {
    /// Reads `file` on from an offset of its content, where a line begins; `crc` is that of everything before. Lines of more than `limit` bytes are
    /// passed over.
    pub fn new(
        mut file: File,
        is_compressed: bool,
        (offset, crc): (u64, u32),
        limit: usize,
    ) -> io::Result<Self> {
        if !is_compressed {
            file.seek(SeekFrom::Start(offset))?;
        }
        let content = content(file, is_compressed);
        let mut content: Box<dyn BufRead + Send> =
            Box::new(BufReader::with_capacity(1 << 16, content));
        if is_compressed {
            io::copy(&mut io::Read::take(&mut content, offset), &mut io::sink())?;
        }
        Ok(Self {
            content,
            line: Vec::new(),
            length: 0,
            line_crc: Hasher::new(),
            is_given: false,
            offset,
            crc: Hasher::new_with_initial_len(crc, offset),
            limit,
            is_compressed,
        })
    }

    /// The bytes before the next line.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// The CRC-32 of these bytes.
    pub fn crc(&self) -> u32 {
        self.crc.clone().finalize()
    }

    /// What was kept of the line that was too long.
    pub fn head(&self) -> &[u8] {
        &self.line
    }

    /// The next line, if it is finished.
    pub fn next(&mut self) -> io::Result<Read<'_>> {
        if self.is_given {
            self.line.clear();
            self.length = 0;
            self.is_given = false;
        }
        loop {
            let part = match self.content.fill_buf() {
                Ok(part) => part,
                // A compressed file that is still being written.
                Err(error) if self.is_compressed && error.kind() == ErrorKind::UnexpectedEof => &[],
                Err(error) => return Err(error),
            };
            if part.is_empty() {
                return Ok(Read::Nothing);
            }
            let feed = part.iter().position(|byte| *byte == b'\n');
            let taken = feed.unwrap_or(part.len());
            let room = (self.limit + 1).saturating_sub(self.line.len());
            self.line.extend_from_slice(&part[..taken.min(room)]);
            let used = taken + usize::from(feed.is_some());
            self.line_crc.update(&part[..used]);
            self.length += used as u64;
            self.content.consume(used);
            if feed.is_some() {
                self.pass();
                return Ok(self.given());
            }
        }
    }

    /// The line is given; the next one begins behind it.
    fn pass(&mut self) {
        self.offset += self.length;
        self.crc.combine(&std::mem::take(&mut self.line_crc));
        self.is_given = true;
    }

    /// The last line of a file that is over, if it lacks its line feed.
    pub fn unfinished(&mut self) -> Read<'_> {
        if self.is_given || self.length == 0 {
            return Read::Nothing;
        }
        self.pass();
        self.given()
    }

    fn given(&self) -> Read<'_> {
        match self.line.len() > self.limit {
            true => Read::TooLong,
            false => Read::Line(&self.line),
        }
    }
}
