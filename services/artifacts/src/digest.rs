//! The name of an artifact.

use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use thiserror::Error;

/// How much of a file is read at once.
const READ_BYTES: usize = 64 << 10;

/// SHA-256 of an artifact's bytes; as text 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest([u8; 32]);

/// A text that is no digest.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{0}` is no digest: 64 lower-case hexadecimal digits")]
pub struct DigestError(String);

impl Digest {
    /// The digest of some bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The digest and the size of a file.
    ///
    /// # Errors
    /// A file that can't be read.
    pub fn of_file(path: &Path) -> io::Result<(Self, u64)> {
        let mut hasher = Hasher::default();
        hasher.read(&mut File::open(path)?)?;
        Ok(hasher.finish())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

impl FromStr for Digest {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, DigestError> {
        let lower = text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        if text.len() != 64 || !lower {
            return Err(DigestError(text.to_owned()));
        }
        let mut digest = [0; 32];
        for (byte, pair) in digest.iter_mut().zip(0..) {
            *byte = u8::from_str_radix(&text[2 * pair..2 * pair + 2], 16)
                .map_err(|_| DigestError(text.to_owned()))?;
        }
        Ok(Self(digest))
    }
}

impl TryFrom<String> for Digest {
    type Error = DigestError;

    fn try_from(text: String) -> Result<Self, DigestError> {
        text.parse()
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

/// Bytes on their way to a digest.
#[derive(Debug, Default)]
pub(crate) struct Hasher {
    hash: Sha256,
    bytes: u64,
}

impl Hasher {
    /// Takes the next bytes.
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.hash.update(bytes);
        self.bytes += bytes.len() as u64;
    }

    /// Takes all that a file holds from where it stands.
    pub(crate) fn read(&mut self, file: &mut File) -> io::Result<()> {
        let mut buffer = vec![0; READ_BYTES];
        loop {
            match file.read(&mut buffer)? {
                0 => return Ok(()),
                n => self.update(&buffer[..n]),
            }
        }
    }

    /// How many bytes were taken.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The digest and the number of bytes.
    pub(crate) fn finish(self) -> (Digest, u64) {
        (Digest(self.hash.finalize().into()), self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_that_of_sha256sum() {
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Digest::of(b"abc").to_string(), abc);
        assert_eq!(abc.parse(), Ok(Digest::of(b"abc")));
    }

    #[test]
    fn other_texts_are_refused() {
        let upper = Digest::of(b"abc").to_string().to_uppercase();
        for bad in ["", "ba78", "../../etc/passwd", &upper, &"é".repeat(32)] {
            assert!(bad.parse::<Digest>().is_err(), "{bad}");
        }
    }
}
