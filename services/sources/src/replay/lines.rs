//! The lines that a replay plays, from a place on.

use std::fs::File;
use std::io::{BufRead as _, BufReader};

use anyhow::Context as _;
use sluice_generators::Generator;

use super::Lines;

/// Lines in order. The place of a replay is the number of lines before it.
pub enum LineReader {
    /// Of a file.
    File(BufReader<File>),
    /// Of a generator, with how many it still gives and whether the closing line is due.
    Generated {
        /// The generator.
        generator: Box<Generator>,
        /// Lines left; none means without end.
        left: Option<u64>,
        /// Whether the closing line follows them.
        closing: bool,
    },
}

impl LineReader {
    /// Opens the lines at the first.
    pub fn open(lines: &Lines) -> anyhow::Result<Self> {
        Ok(match lines {
            Lines::File(path) => {
                let file = File::open(path)
                    .with_context(|| format!("sources.file = {}", path.display()))?;
                Self::File(BufReader::with_capacity(1 << 16, file))
            }
            Lines::Generated { query, seed, device, count, closing } => Self::Generated {
                generator: Box::new(query.generator(*seed, *device)),
                left: *count,
                closing: *closing,
            },
        })
    }

    /// Passes over so many lines, until `is_stopped` says so.
    pub fn pass_over(&mut self, lines: u64, is_stopped: impl Fn() -> bool) -> anyhow::Result<()> {
        let mut line = Vec::new();
        for _ in 0..lines {
            if is_stopped() || !self.next_line(&mut line)? {
                break;
            }
        }
        Ok(())
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
            Self::Generated { left: Some(0), closing: false, .. } => Ok(false),
            Self::Generated { generator, left: Some(0), closing } => {
                *closing = false;
                generator.closing_line(line);
                Ok(true)
            }
            Self::Generated { generator, left, .. } => {
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
    use sluice_generators::Query;

    fn all(lines: &Lines, place: u64) -> Vec<Vec<u8>> {
        let mut reader = LineReader::open(lines).unwrap();
        reader.pass_over(place, || false).unwrap();
        let mut line = Vec::new();
        let mut all = Vec::new();
        while reader.next_line(&mut line).unwrap() {
            all.push(line.clone());
        }
        all
    }

    #[test]
    fn a_replay_goes_on_at_its_place() {
        for query in Query::ALL {
            let lines =
                Lines::Generated { query, seed: 1, device: 1, count: Some(20), closing: true };
            let whole = all(&lines, 0);
            assert_eq!(whole.len(), 21);
            for place in [0, 7, 20, 21, 99] {
                let rest = &whole[whole.len().min(place)..];
                assert_eq!(all(&lines, place as u64), rest, "{query} from {place}");
            }
        }
    }

    #[test]
    fn a_file_may_lack_its_last_line_feed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("rows.csv");
        std::fs::write(&path, "a\n\nb").unwrap();
        assert_eq!(all(&Lines::File(path), 0), [&b"a"[..], b"", b"b"]);
    }

    #[test]
    fn empty_and_header_only_files_have_no_more_than_that() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("rows.csv");
        for (content, lines) in [("", &[][..]), ("a,b", &[&b"a,b"[..]]), ("a,b\r\n", &[b"a,b\r"])] {
            std::fs::write(&path, content).unwrap();
            assert_eq!(all(&Lines::File(path.clone()), 0), lines);
        }
    }
}
