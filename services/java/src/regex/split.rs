//! `Pattern.split` and `String.split`.
use super::{Matcher, Pattern};
use crate::Result;
use std::ops::Range;

/// `Pattern.split(CharSequence, int)` as ranges of bytes.
pub fn split(
    pattern: &Pattern,
    text: &str,
    limit: i32,
    steps: &mut u64,
) -> Result<Vec<Range<usize>>> {
    let mut parts = Parts::new(limit);
    let mut matcher = Matcher::new(*steps);
    while !parts.is_full() && matcher.find(pattern, text)? {
        let Some(found) = matcher.range(0) else { break };
        // An empty match at the very beginning parts nothing.
        if !(parts.at == 0 && found.end == 0) {
            parts.part(found);
        }
    }
    *steps = matcher.steps_left;
    Ok(parts.finish(text))
}

/// `String.split(String, int)` by a text without special characters.
pub fn split_text(text: &str, by: &str, limit: i32) -> Vec<Range<usize>> {
    let mut parts = Parts::new(limit);
    let mut finder = memchr::memmem::find_iter(text.as_bytes(), by.as_bytes());
    while !parts.is_full() {
        let Some(start) = finder.next() else { break };
        parts.part(start..start + by.len());
    }
    parts.finish(text)
}

/// The text that a pattern stands for if none of its characters is special: `String.split` by it needs no pattern.
pub fn plain(pattern: &str) -> Option<String> {
    let mut text = String::new();
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next()? {
                't' => text.push('\t'),
                'n' => text.push('\n'),
                'r' => text.push('\r'),
                c if c.is_ascii() && !c.is_ascii_alphanumeric() => text.push(c),
                _ => return None,
            },
            '.' | '$' | '|' | '(' | ')' | '[' | '{' | '^' | '?' | '*' | '+' => return None,
            c => text.push(c),
        }
    }
    Some(text).filter(|text| !text.is_empty())
}

struct Parts {
    parts: Vec<Range<usize>>,
    limit: i32,
    at: usize,
}

impl Parts {
    fn new(limit: i32) -> Parts {
        Parts { parts: Vec::new(), limit, at: 0 }
    }

    /// Whether only the rest may follow.
    fn is_full(&self) -> bool {
        self.limit > 0 && self.parts.len() + 1 >= self.limit as usize
    }

    fn part(&mut self, found: Range<usize>) {
        self.parts.push(self.at..found.start);
        self.at = found.end;
    }

    fn finish(mut self, text: &str) -> Vec<Range<usize>> {
        if self.at == 0 {
            return std::iter::once(0..text.len()).collect();
        }
        self.parts.push(self.at..text.len());
        if self.limit == 0 {
            while self.parts.last().is_some_and(Range::is_empty) {
                self.parts.pop();
            }
        }
        self.parts
    }
}
