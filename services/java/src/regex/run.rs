//! Runs a pattern's steps on a text, and goes back where they lead to nothing.
use super::ast::Place;
use super::class::line_ends;
use super::program::{Program, Step};
use crate::character::{self as ch, category};
use crate::{Failure, Result};

/// No place.
pub(super) const NOWHERE: usize = usize::MAX;

/// What to do when the steps lead to nothing.
enum Back {
    /// Goes on at a step and a place.
    Try(usize, usize),
    /// Puts a slot back.
    Restore(usize, usize),
}

pub(super) struct Run<'a> {
    pub(super) program: &'a Program,
    pub(super) text: &'a str,
    pub(super) slots: Vec<usize>,
    back: Vec<Back>,
    steps_left: u64,
}

impl<'a> Run<'a> {
    pub(super) fn new(program: &'a Program, text: &'a str, steps: u64) -> Run<'a> {
        let slots = vec![NOWHERE; program.slots];
        Run { program, text, slots, back: Vec::new(), steps_left: steps }
    }

    pub(super) fn steps_left(&self) -> u64 {
        self.steps_left
    }

    /// Matches from a place; gives the place behind.
    pub(super) fn at(&mut self, from: usize, wanted_end: Option<usize>) -> Result<Option<usize>> {
        self.slots.fill(NOWHERE);
        self.back.clear();
        self.steps(0, from, wanted_end)
    }

    fn next(&self, at: usize) -> Option<char> {
        match self.text.as_bytes().get(at)? {
            byte if byte.is_ascii() => Some(char::from(*byte)),
            _ => self.text[at..].chars().next(),
        }
    }

    fn save(&mut self, slot: usize, at: usize) {
        self.back.push(Back::Restore(slot, self.slots[slot]));
        self.slots[slot] = at;
    }

    /// Runs from a step to its `Done`, which must be at the wanted end if there is one.
    fn steps(
        &mut self,
        from_step: usize,
        from: usize,
        wanted_end: Option<usize>,
    ) -> Result<Option<usize>> {
        let base = self.back.len();
        let (mut step, mut at) = (from_step, from);
        loop {
            let Some(left) = self.steps_left.checked_sub(1) else {
                return Err(Failure::Uncertain("a match within the step budget"));
            };
            self.steps_left = left;
            let program = self.program;
            let onward = match &program.steps[step] {
                Step::Set(set) => match self.next(at) {
                    Some(c) if set.contains(u32::from(c)) => {
                        at += c.len_utf8();
                        Some(step + 1)
                    }
                    _ => None,
                },
                Step::Goto(to) => Some(*to),
                Step::Fork(first, second) => {
                    self.back.push(Back::Try(*second, at));
                    Some(*first)
                }
                Step::Save(slot) => {
                    self.save(*slot, at);
                    Some(step + 1)
                }
                Step::Stuck(slot, out) => {
                    Some(if self.slots[*slot] == at { *out } else { step + 1 })
                }
                Step::Place(place) => self.is_at(*place, at).then_some(step + 1),
                Step::Back(group, ignore_case) => {
                    self.back_reference(*group, *ignore_case, at).map(|end| {
                        at = end;
                        step + 1
                    })
                }
                Step::Look { ahead, negative, least, most, end } => {
                    let found = match ahead {
                        true => self.steps(step + 1, at, None)?.is_some(),
                        false => self.behind(step + 1, at, *least, *most)?,
                    };
                    (found != *negative).then_some(*end)
                }
                Step::Atomic { end } => self.steps(step + 1, at, None)?.map(|to| {
                    at = to;
                    *end
                }),
                Step::Done if wanted_end.is_none_or(|end| end == at) => {
                    // What was kept stays kept, and can still be put back; what could be tried is over.
                    let mut kept = base;
                    for index in base..self.back.len() {
                        if matches!(self.back[index], Back::Restore(..)) {
                            self.back.swap(kept, index);
                            kept += 1;
                        }
                    }
                    self.back.truncate(kept);
                    return Ok(Some(at));
                }
                Step::Done => None,
            };
            match onward {
                Some(onward) => step = onward,
                None => loop {
                    if self.back.len() == base {
                        return Ok(None);
                    }
                    match self.back.pop() {
                        Some(Back::Try(to, place)) => {
                            (step, at) = (to, place);
                            break;
                        }
                        Some(Back::Restore(slot, place)) => self.slots[slot] = place,
                        None => return Ok(None),
                    }
                },
            }
        }
    }

    /// Whether what begins at most `most` and at least `least` characters before ends here; the nearest one first.
    fn behind(&mut self, step: usize, at: usize, least: usize, most: usize) -> Result<bool> {
        let starts: Vec<usize> = std::iter::once(at)
            .chain(self.text[..at].char_indices().rev().map(|(start, _)| start))
            .skip(least)
            .take(most - least + 1)
            .collect();
        for start in starts {
            if self.steps(step, start, Some(at))?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn back_reference(&self, group: usize, ignore_case: bool, at: usize) -> Option<usize> {
        let (from, to) = (self.slots[2 * group], self.slots[2 * group + 1]);
        if from == NOWHERE || to == NOWHERE {
            return None;
        }
        let wanted = self.text.get(from..to)?;
        let found = self.text.get(at..at + wanted.len())?;
        let equal = found == wanted || ignore_case && found.eq_ignore_ascii_case(wanted);
        equal.then_some(at + wanted.len())
    }

    fn is_at(&self, place: Place, at: usize) -> bool {
        let (before, after) = (&self.text[..at], &self.text[at..]);
        let is_line_end = |c: char, unix: bool| line_ends(unix).contains(u32::from(c));
        match place {
            Place::Begin => at == 0,
            Place::VeryEnd => after.is_empty(),
            Place::End { unix: true } => after.is_empty() || after == "\n",
            Place::End { unix: false } => {
                let mut rest = after.chars();
                match rest.next() {
                    None => true,
                    // Not between the two of one end.
                    Some('\n') => rest.next().is_none() && !before.ends_with('\r'),
                    Some('\r') => matches!((rest.next(), rest.next()), (None | Some('\n'), None)),
                    Some(c) => is_line_end(c, false) && rest.next().is_none(),
                }
            }
            // Never at the end of the text, even behind a line.
            Place::LineBegin { .. } if after.is_empty() => false,
            Place::LineBegin { unix } => match before.chars().next_back() {
                None => true,
                Some('\r') if !unix && after.starts_with('\n') => false,
                Some(c) => is_line_end(c, unix),
            },
            Place::LineEnd { unix } => match after.chars().next() {
                None => true,
                Some('\n') if !unix && before.ends_with('\r') => false,
                Some(c) => is_line_end(c, unix),
            },
            Place::WordEdge => self.is_word_edge(at),
            Place::NoWordEdge => !self.is_word_edge(at),
        }
    }

    /// Java 17's word has letters and digits of all scripts, and marks behind them.
    fn is_word_edge(&self, at: usize) -> bool {
        let is_word = |c: char| c == '_' || ch::is_letter_or_digit(u32::from(c) as i32);
        let is_mark = |c: char| ch::category_of(u32::from(c) as i32) == category::NON_SPACING_MARK;
        let follows_base = |text: &str| {
            let base = text.chars().rev().find(|c| !is_mark(*c));
            base.is_some_and(|c| ch::is_letter_or_digit(u32::from(c) as i32))
        };
        let (before, after) = (&self.text[..at], &self.text[at..]);
        let word = |c: Option<char>, upto: &str| {
            c.is_some_and(|c| is_word(c) || is_mark(c) && follows_base(upto))
        };
        let left = word(before.chars().next_back(), before);
        let right = word(after.chars().next(), before);
        left != right
    }
}
