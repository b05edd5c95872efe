//! The lines that a replay plays, from a place on.

use std::fs::File;
use std::io::{BufRead as _, BufReader};

use anyhow::Context as _;
use sluice_generators::q1;

use crate::config::Lines;

/// Lines in order. The place of a replay is the number of lines before it.
pub enum LineReader {
    /// Of a file.
    File(BufReader<File>),
    /// Of the generator of q1, with how many it still gives and whether the closing line is due.
    Q1 {
        /// The generator.
        generator: Box<q1::Generator>,
        /// Lines left; none means without end.
        left: Option<u64>,
        /// Whether the closing line follows them.
        closing: bool,
    },
}

impl LineReader {
    /// Opens the lines and passes over those before `place`.
    pub fn open(lines: &Lines, place: u64) -> anyhow::Result<Self> {
        let mut reader = match lines {
            Lines::File(path) => {
                let file = File::open(path)
                    .with_context(|| format!("sources.file = {}", path.display()))?;
                Self::File(BufReader::with_capacity(1 << 16, file))
            }
            Lines::Q1 { seed, device, count, closing } => Self::Q1 {
                generator: Box::new(q1::Generator::new(*seed, *device)),
                left: *count,
                closing: *closing,
            },
        };
        let mut passed_over = Vec::new();
        for _ in 0..place {
            if !reader.next_line(&mut passed_over)? {
                break;
            }
        }
        Ok(reader)
    }

    /// Puts the next line into `line`, without its line feed. False at the end.
    pub fn next_line(&mut self, line: &mut Vec<u8>) -> anyhow::Result<bool> {
        line.clear();
        match self {
            Self::File(file) => {
                let read = file.read_until(b'\n', line).context("sources.file can't be read")?;
                if line.last() == Some(&b'\n') {
                    line.pop();
                }
                Ok(read > 0)
            }
            Self::Q1 { left: Some(0), closing: false, .. } => Ok(false),
            Self::Q1 { generator, left: Some(0), closing } => {
                *closing = false;
                generator.closing_line(line);
                Ok(true)
            }
            Self::Q1 { generator, left, .. } => {
                *left = left.map(|left| left - 1);
                generator.next_line(line);
                Ok(true)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(lines: &Lines, place: u64) -> Vec<Vec<u8>> {
        let mut reader = LineReader::open(lines, place).unwrap();
        let mut line = Vec::new();
        let mut all = Vec::new();
        while reader.next_line(&mut line).unwrap() {
            all.push(line.clone());
        }
        all
    }

    #[test]
    fn a_replay_goes_on_at_its_place() {
        let lines = Lines::Q1 { seed: 1, device: 1, count: Some(20), closing: true };
        let whole = all(&lines, 0);
        assert_eq!(whole.len(), 21);
        for place in [0, 7, 20, 21, 99] {
            assert_eq!(all(&lines, place as u64), whole[whole.len().min(place)..], "from {place}");
        }
    }

    #[test]
    fn a_file_may_lack_its_last_line_feed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("rows.csv");
        std::fs::write(&path, "a\n\nb").unwrap();
        assert_eq!(all(&Lines::File(path), 0), [&b"a"[..], b"", b"b"]);
    }
}
