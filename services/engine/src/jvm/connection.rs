//! A connection to the host: a message there, a message back, in time.

use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// What a message begins with: its length, which counts the kind, and its kind.
pub(super) const HEADER_BYTES: usize = 5;
/// The host's limit.
const MAX_BYTES: usize = 64 << 20;

/// Why there was no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Broken {
    /// Not in time.
    Deadline,
    /// The host is gone.
    Gone,
}

/// A connection and the process that it goes to.
#[derive(Debug)]
pub(super) struct Connection {
    stream: UnixStream,
    /// Which start of the host it belongs to.
    pub(super) generation: u64,
}

impl Connection {
    pub(super) fn new(stream: UnixStream, generation: u64) -> Self {
        Self { stream, generation }
    }

    /// Sends a message, whose header is still to be filled in, and puts the body of the answer into `answer`. Gives the answer's kind.
    pub(super) fn exchange(
        &mut self,
        kind: u8,
        request: &mut [u8],
        answer: &mut Vec<u8>,
        deadline: Instant,
    ) -> Result<u8, Broken> {
        let len = u32::try_from(request.len() - HEADER_BYTES + 1).map_err(|_| Broken::Gone)?;
        request[..4].copy_from_slice(&len.to_be_bytes());
        request[4] = kind;
        self.write(request, deadline)?;
        let mut header = [0; HEADER_BYTES];
        self.read(&mut header, deadline)?;
        let len = u32::from_be_bytes([header[0], header[1], header[2], header[3]]) as usize;
        if len == 0 || len > MAX_BYTES * 2 {
            return Err(Broken::Gone);
        }
        // The memory of the answer before is used again; only what grows is zeroed.
        answer.resize(len - 1, 0);
        self.read(answer, deadline)?;
        Ok(header[4])
    }

    fn write(&mut self, mut bytes: &[u8], deadline: Instant) -> Result<(), Broken> {
        while !bytes.is_empty() {
            self.stream.set_write_timeout(Some(left(deadline)?)).map_err(|_| Broken::Gone)?;
            match self.stream.write(bytes) {
                Ok(0) => return Err(Broken::Gone),
                Ok(count) => bytes = &bytes[count..],
                Err(error) => passing(&error)?,
            }
        }
        Ok(())
    }

    fn read(&mut self, mut bytes: &mut [u8], deadline: Instant) -> Result<(), Broken> {
        while !bytes.is_empty() {
            self.stream.set_read_timeout(Some(left(deadline)?)).map_err(|_| Broken::Gone)?;
            match self.stream.read(bytes) {
                Ok(0) => return Err(Broken::Gone),
                Ok(count) => bytes = &mut bytes[count..],
                Err(error) => passing(&error)?,
            }
        }
        Ok(())
    }
}

fn left(deadline: Instant) -> Result<Duration, Broken> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(Broken::Deadline) } else { Ok(left) }
}

/// Timeouts and interruptions: whether the deadline has passed is asked before the next try.
fn passing(error: &std::io::Error) -> Result<(), Broken> {
    match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted => Ok(()),
        _ => Err(Broken::Gone),
    }
}
