//! `replaceAll` and `replaceFirst`.
use super::{Matcher, Pattern};
use crate::failure::{ILLEGAL_ARGUMENT, INDEX, throw};
use crate::{Failure, Result};

impl Pattern {
    /// `Matcher.replaceAll(String)`.
    pub fn replace_all(
        &self,
        text: &str,
        replacement: &str,
        limit: usize,
        steps: &mut u64,
    ) -> Result<String> {
        self.replace(text, replacement, usize::MAX, limit, steps)
    }

    /// `Matcher.replaceFirst(String)`.
    pub fn replace_first(
        &self,
        text: &str,
        replacement: &str,
        limit: usize,
        steps: &mut u64,
    ) -> Result<String> {
        self.replace(text, replacement, 1, limit, steps)
    }

    fn replace(
        &self,
        text: &str,
        replacement: &str,
        most: usize,
        limit: usize,
        steps: &mut u64,
    ) -> Result<String> {
        let mut matcher = Matcher::new(*steps);
        let (mut out, mut at) = (String::new(), 0);
        for _ in 0..most {
            if !matcher.find(self, text)? {
                break;
            }
            let Some(found) = matcher.range(0) else { break };
            out.push_str(&text[at..found.start]);
            self.expand(text, &matcher, replacement, &mut out)?;
            at = found.end;
            if out.len() > limit {
                return Err(Failure::Uncertain("a text beyond the memory budget"));
            }
        }
        out.push_str(&text[at..]);
        *steps = matcher.steps_left;
        Ok(out)
    }

    /// Appends a replacement: `$1`, `${name}` and `\` are special in it.
    pub fn expand(
        &self,
        text: &str,
        matcher: &Matcher,
        replacement: &str,
        out: &mut String,
    ) -> Result<()> {
        let mut chars = replacement.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\\' => match chars.next() {
                    Some(c) => out.push(c),
                    None => {
                        return throw(ILLEGAL_ARGUMENT, "character to be escaped is missing");
                    }
                },
                '$' => {
                    let group = match chars.next() {
                        None => {
                            return throw(
                                ILLEGAL_ARGUMENT,
                                "Illegal group reference: group index is missing",
                            );
                        }
                        Some('{') => {
                            let mut name = String::new();
                            while let Some(c) = chars.next_if(char::is_ascii_alphanumeric) {
                                name.push(c);
                            }
                            self.named(&name, chars.next())?
                        }
                        Some(digit @ '0'..='9') => {
                            let mut group = digit as usize - '0' as usize;
                            if group > self.groups {
                                return throw(INDEX, format!("No group {group}"));
                            }
                            // As many digits as make the number of a group.
                            while let Some(digit) = chars.peek().and_then(|c| c.to_digit(10)) {
                                let longer = group * 10 + digit as usize;
                                if longer > self.groups {
                                    break;
                                }
                                group = longer;
                                chars.next();
                            }
                            group
                        }
                        Some(_) => return throw(ILLEGAL_ARGUMENT, "Illegal group reference"),
                    };
                    if let Some(range) = matcher.range(group) {
                        out.push_str(&text[range]);
                    }
                }
                c => out.push(c),
            }
        }
        Ok(())
    }

    fn named(&self, name: &str, behind: Option<char>) -> Result<usize> {
        if name.is_empty() {
            return throw(ILLEGAL_ARGUMENT, "named capturing group has 0 length name");
        }
        if behind != Some('}') {
            return throw(ILLEGAL_ARGUMENT, "named capturing group is missing trailing '}'");
        }
        if name.starts_with(|c: char| c.is_ascii_digit()) {
            return throw(
                ILLEGAL_ARGUMENT,
                format!("capturing group name {{{name}}} starts with digit character"),
            );
        }
        match self.group_of(name) {
            Some(group) => Ok(group),
            None => throw(ILLEGAL_ARGUMENT, format!("No group with name {{{name}}}")),
        }
    }
}

/// `Matcher.quoteReplacement`.
pub fn quote_replacement(text: &str) -> String {
    text.replace('\\', "\\\\").replace('$', "\\$")
}
