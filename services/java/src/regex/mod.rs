//! `java.util.regex`: patterns whose meaning is certain, matched as Java does, by trying and going back.
//!
//! A pattern that Java would refuse, and one with what is not here (graphemes, canonical equivalence, Unicode case, sets of scripts and
//! blocks), is a [`Failure::Uncertain`] when it is compiled.
mod ast;
mod class;
mod matcher;
mod parse;
mod program;
mod replace;
mod run;
mod split;

pub use matcher::Matcher;
pub use replace::quote_replacement;
pub use split::{plain, split, split_text};

use crate::{Failure, Result};
use program::Program;

/// Flags of patterns.
pub mod flags {
    /// `\n` alone ends lines.
    pub const UNIX_LINES: i32 = 1;
    /// ASCII letters in either case.
    pub const CASE_INSENSITIVE: i32 = 2;
    /// Blanks and comments are left out.
    pub const COMMENTS: i32 = 4;
    /// `^` and `$` are at lines.
    pub const MULTILINE: i32 = 8;
    /// No character is special.
    pub const LITERAL: i32 = 16;
    /// `.` is any character.
    pub const DOTALL: i32 = 32;
}

/// Steps that a search may take before it is given up.
pub const STEPS: u64 = 2_000_000;

/// A compiled pattern (`java.util.regex.Pattern`).
#[derive(Debug, Clone)]
pub struct Pattern {
    text: String,
    program: Program,
    groups: usize,
    names: Vec<(String, usize)>,
    /// Whether Java may find it between the halves of a character.
    may_begin_with_a_half: bool,
}

impl Pattern {
    /// `Pattern.compile(String, int)`.
    pub fn compile(pattern: &str, flags: i32) -> Result<Pattern> {
        let parsed = parse::parse(pattern, flags)?;
        Ok(Pattern {
            text: pattern.to_owned(),
            program: program::compile(&parsed.node, parsed.groups)?,
            groups: parsed.groups,
            names: parsed.names,
            may_begin_with_a_half: parsed.node.may_begin_with_a_half(),
        })
    }

    /// `pattern()`.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How many groups it has, the whole match not among them.
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// The number of a named group.
    pub fn group_of(&self, name: &str) -> Option<usize> {
        self.names.iter().find(|(known, _)| known == name).map(|(_, group)| *group)
    }

    /// Whether the whole text matches.
    pub fn matches(&self, text: &str, steps: &mut u64) -> Result<bool> {
        let mut matcher = Matcher::new(*steps);
        let found = matcher.matches(self, text);
        *steps = matcher.steps_left;
        found
    }

    /// `Pattern.quote`.
    pub fn quote(text: &str) -> Result<String> {
        if text.contains("\\E") {
            return Err(Failure::Uncertain("a quotation of a quotation"));
        }
        Ok(format!("\\Q{text}\\E"))
    }
}
