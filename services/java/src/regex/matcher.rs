//! `java.util.regex.Matcher`.
use super::Pattern;
use super::run::{NOWHERE, Run};
use crate::failure::{ILLEGAL_ARGUMENT, ILLEGAL_STATE, INDEX, throw};
use crate::{Failure, Result, utf16};
use std::ops::Range;

/// Java searches between the halves of a character, too.
const WITHIN: Failure = Failure::Uncertain("a search within a character of two units");

/// Where a pattern was found in a text; the text and the pattern are given to each call.
#[derive(Debug, Clone)]
pub struct Matcher {
    /// Bytes of the last match and of its groups; empty where there was none.
    slots: Vec<usize>,
    /// Where the next search begins.
    next: Option<usize>,
    /// Steps that searches may still take.
    pub steps_left: u64,
}

impl Matcher {
    /// Before any search.
    pub fn new(steps: u64) -> Matcher {
        Matcher { slots: Vec::new(), next: None, steps_left: steps }
    }

    /// `reset()`.
    pub fn reset(&mut self) {
        *self = Matcher::new(self.steps_left);
    }

    fn run<'a>(&self, pattern: &'a Pattern, text: &'a str) -> Run<'a> {
        Run::new(&pattern.program, text, self.steps_left)
    }

    fn keep(&mut self, run: Run<'_>, found: Option<Range<usize>>) -> bool {
        self.steps_left = run.steps_left();
        match found {
            Some(Range { start, end }) => {
                self.slots = run.slots;
                (self.slots[0], self.slots[1]) = (start, end);
                true
            }
            None => {
                self.slots.clear();
                false
            }
        }
    }

    /// `matches()`.
    pub fn matches(&mut self, pattern: &Pattern, text: &str) -> Result<bool> {
        let mut run = self.run(pattern, text);
        let found = run.at(0, Some(text.len()))?;
        self.next = found;
        Ok(self.keep(run, found.map(|end| 0..end)))
    }

    /// `lookingAt()`.
    pub fn looking_at(&mut self, pattern: &Pattern, text: &str) -> Result<bool> {
        let mut run = self.run(pattern, text);
        let found = run.at(0, None)?;
        self.next = found;
        Ok(self.keep(run, found.map(|end| 0..end)))
    }

    /// `find()`.
    pub fn find(&mut self, pattern: &Pattern, text: &str) -> Result<bool> {
        let mut at = self.next.unwrap_or(0);
        if let [start, end, ..] = self.slots[..]
            && start == end
        {
            // Behind an empty match Java goes on a unit further.
            match text[at..].chars().next() {
                Some(c) if c.len_utf16() == 2 => return Err(WITHIN),
                Some(c) => at += c.len_utf8(),
                None => {
                    self.slots.clear();
                    self.next = Some(text.len());
                    return Ok(false);
                }
            }
        }
        self.find_from(pattern, text, at)
    }

    fn find_from(&mut self, pattern: &Pattern, text: &str, mut at: usize) -> Result<bool> {
        let mut run = self.run(pattern, text);
        loop {
            if let Some(end) = run.at(at, None)? {
                self.next = Some(end);
                return Ok(self.keep(run, Some(at..end)));
            }
            match text[at..].chars().next() {
                Some(c) if c.len_utf16() == 2 && pattern.may_begin_with_a_half => {
                    return Err(WITHIN);
                }
                Some(c) => at += c.len_utf8(),
                None => {
                    self.next = Some(text.len());
                    return Ok(self.keep(run, None));
                }
            }
        }
    }

    /// `group(int)` as a range of bytes; none where the group took no part.
    pub fn group(&self, pattern: &Pattern, group: i32) -> Result<Option<Range<usize>>> {
        if self.slots.is_empty() {
            return throw(ILLEGAL_STATE, "No match found");
        }
        match usize::try_from(group) {
            Ok(group) if group <= pattern.groups => Ok(self.range(group)),
            _ => throw(INDEX, format!("No group {group}")),
        }
    }

    /// `group(String)`.
    pub fn named_group(&self, pattern: &Pattern, name: &str) -> Result<Option<Range<usize>>> {
        if self.slots.is_empty() {
            return throw(ILLEGAL_STATE, "No match found");
        }
        match pattern.group_of(name) {
            Some(group) => Ok(self.range(group)),
            None => throw(ILLEGAL_ARGUMENT, format!("No group with name <{name}>")),
        }
    }

    /// The bytes of a group of the last match.
    pub(super) fn range(&self, group: usize) -> Option<Range<usize>> {
        match self.slots.get(2 * group..2 * group + 2) {
            Some(&[start, end]) if start != NOWHERE && end != NOWHERE => Some(start..end),
            _ => None,
        }
    }

    /// `start(int)`, as a UTF-16 index.
    pub fn start(&self, pattern: &Pattern, text: &str, group: i32) -> Result<i32> {
        let range = self.place(pattern, group)?;
        Ok(range.map_or(-1, |range| utf16::index(text, range.start) as i32))
    }

    /// `end(int)`, as a UTF-16 index.
    pub fn end(&self, pattern: &Pattern, text: &str, group: i32) -> Result<i32> {
        let range = self.place(pattern, group)?;
        Ok(range.map_or(-1, |range| utf16::index(text, range.end) as i32))
    }

    fn place(&self, pattern: &Pattern, group: i32) -> Result<Option<Range<usize>>> {
        if self.slots.is_empty() {
            return throw(ILLEGAL_STATE, "No match available");
        }
        self.group(pattern, group)
    }

    /// Whether the last search found something.
    pub fn found(&self) -> bool {
        !self.slots.is_empty()
    }
}
