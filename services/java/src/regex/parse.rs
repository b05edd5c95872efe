//! A pattern's text. What is not certain, and what Java refuses, is refused alike: patterns are constants of the program.
use super::ast::{Greed, Node, Place};
use super::class::{Set, line_ends, named, predefined};
use super::flags;
use crate::{Failure, Result};

/// A pattern that was read.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) node: Node,
    pub(super) groups: usize,
    pub(super) names: Vec<(String, usize)>,
}

const DEPTH: usize = 60;

struct Parser {
    chars: Vec<char>,
    at: usize,
    flags: i32,
    groups: usize,
    names: Vec<(String, usize)>,
    depth: usize,
}

pub(super) fn parse(pattern: &str, flags: i32) -> Result<Parsed> {
    const KNOWN: i32 = flags::UNIX_LINES
        | flags::CASE_INSENSITIVE
        | flags::COMMENTS
        | flags::MULTILINE
        | flags::LITERAL
        | flags::DOTALL;
    if flags & !KNOWN != 0 {
        return refuse("a flag of the pattern");
    }
    let chars: Vec<char> = pattern.chars().collect();
    let mut parser = Parser { chars, at: 0, flags, groups: 0, names: Vec::new(), depth: 0 };
    let node = match flags & flags::LITERAL != 0 {
        true => {
            let ignore_case = parser.has(flags::CASE_INSENSITIVE);
            let chars = parser.chars.iter().map(|c| Node::Set(Set::one(*c, ignore_case)));
            Node::Row(chars.collect())
        }
        false => parser.either()?,
    };
    if flags & flags::LITERAL == 0 && parser.at < parser.chars.len() {
        return refuse("an unmatched parenthesis");
    }
    Ok(Parsed { node, groups: parser.groups, names: parser.names })
}

fn refuse<T>(what: &'static str) -> Result<T> {
    Err(Failure::Uncertain(what))
}

impl Parser {
    fn has(&self, flag: i32) -> bool {
        self.flags & flag != 0
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn next(&mut self) -> Result<char> {
        let c = self.peek();
        self.at += 1;
        c.map_or_else(|| refuse("a pattern that ends too early"), Ok)
    }

    fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    /// Leaves out blanks and comments where the flag says so.
    fn skip(&mut self) {
        while self.has(flags::COMMENTS) {
            match self.peek() {
                Some('\t'..='\r' | ' ') => self.at += 1,
                Some('#') => {
                    while self.peek().is_some_and(|c| c != '\n' && c != '\r') {
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    fn either(&mut self) -> Result<Node> {
        self.depth += 1;
        if self.depth > DEPTH {
            return refuse("a pattern this deep");
        }
        let mut branches = vec![self.row()?];
        while self.eat('|') {
            branches.push(self.row()?);
        }
        self.depth -= 1;
        Ok(if branches.len() == 1 { branches.remove(0) } else { Node::Either(branches) })
    }

    fn row(&mut self) -> Result<Node> {
        let mut row = Vec::new();
        loop {
            self.skip();
            match self.peek() {
                None | Some('|' | ')') => break,
                Some(_) => {
                    let node = self.atom()?;
                    let node = self.repeated(node)?;
                    row.push(node);
                }
            }
        }
        Ok(match row.len() {
            0 => Node::Empty,
            1 => row.remove(0),
            _ => Node::Row(row),
        })
    }

    fn repeated(&mut self, mut node: Node) -> Result<Node> {
        loop {
            self.skip();
            let (least, most) = match self.peek() {
                Some('*') => (0, None),
                Some('+') => (1, None),
                Some('?') => (0, Some(1)),
                Some('{') => (0, Some(0)),
                _ => return Ok(node),
            };
            self.at += 1;
            let (least, most) = if most == Some(0) { self.bounds()? } else { (least, most) };
            let greed = match self.peek() {
                Some('?') => Greed::Lazy,
                Some('+') => Greed::Possessive,
                _ => Greed::Greedy,
            };
            self.at += usize::from(greed != Greed::Greedy);
            if matches!(
                node,
                Node::Empty | Node::Place(_) | Node::Look { .. } | Node::Repeat { .. }
            ) {
                return refuse("a repetition of what takes no characters");
            }
            if matches!(self.peek(), Some('*' | '+' | '?' | '{')) {
                return refuse("a repetition of a repetition");
            }
            if !node.is_certain_when_repeated() || greed == Greed::Possessive && node.has_groups() {
                return refuse("a repetition of groups");
            }
            node = Node::Repeat { node: Box::new(node), least, most, greed };
        }
    }

    /// `n}`, `n,}`, `n,m}`.
    fn bounds(&mut self) -> Result<(usize, Option<usize>)> {
        let least = self.decimal()?;
        let most = match self.eat(',') {
            false => Some(least),
            true if self.peek() == Some('}') => None,
            true => Some(self.decimal()?),
        };
        if !self.eat('}') || most.is_some_and(|most| most < least) {
            return refuse("bounds of a repetition");
        }
        Ok((least, most))
    }

    fn decimal(&mut self) -> Result<usize> {
        let from = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_digit()) {
            self.at += 1;
        }
        let digits: String = self.chars[from..self.at].iter().collect();
        digits.parse().or_else(|_| refuse("bounds of a repetition"))
    }

    fn atom(&mut self) -> Result<Node> {
        let (ignore_case, unix) = (self.has(flags::CASE_INSENSITIVE), self.has(flags::UNIX_LINES));
        let lines = self.has(flags::MULTILINE);
        Ok(match self.next()? {
            '(' => self.group()?,
            '[' => Node::Set(self.class()?),
            '.' if self.has(flags::DOTALL) => Node::Set(Set::Range(0, 0x10_FFFF)),
            '.' => Node::Set(line_ends(unix).not()),
            '^' if lines => Node::Place(Place::LineBegin { unix }),
            '^' => Node::Place(Place::Begin),
            '$' if lines => Node::Place(Place::LineEnd { unix }),
            '$' => Node::Place(Place::End { unix }),
            '\\' => self.escape()?,
            '*' | '+' | '?' | '{' => return refuse("a repetition of nothing"),
            c => Node::Set(Set::one(c, ignore_case)),
        })
    }

    fn escape(&mut self) -> Result<Node> {
        let unix = self.has(flags::UNIX_LINES);
        let c = self.next()?;
        Ok(match c {
            'A' => Node::Place(Place::Begin),
            'Z' => Node::Place(Place::End { unix }),
            'z' => Node::Place(Place::VeryEnd),
            'b' if self.peek() == Some('{') => return refuse("a boundary of a grapheme"),
            'b' => Node::Place(Place::WordEdge),
            'B' => Node::Place(Place::NoWordEdge),
            // Java never gives back the second half of a line's end.
            'R' if self.depth > 1 || matches!(self.peek(), Some('*' | '+' | '?' | '{')) => {
                return refuse("a repeated end of a line");
            }
            'R' => Node::Either(vec![
                Node::Row([0x0D, 0x0A].map(|c| Node::Set(Set::Range(c, c))).to_vec()),
                Node::Set(predefined('v').unwrap_or(Set::Any(Vec::new()))),
            ]),
            'Q' => self.quoted()?,
            '1'..='9' => {
                let group = c as usize - '0' as usize;
                if group > self.groups || self.peek().is_some_and(|c| c.is_ascii_digit()) {
                    return refuse("a back reference");
                }
                Node::Back(group, self.has(flags::CASE_INSENSITIVE))
            }
            'k' => {
                if !self.eat('<') {
                    return refuse("a back reference");
                }
                let name = self.name()?;
                let found = self.names.iter().find(|(known, _)| *known == name);
                match found {
                    Some((_, group)) => Node::Back(*group, self.has(flags::CASE_INSENSITIVE)),
                    None => return refuse("a back reference"),
                }
            }
            _ => {
                self.at -= 1;
                Node::Set(self.escaped_set()?)
            }
        })
    }

    fn quoted(&mut self) -> Result<Node> {
        let ignore_case = self.has(flags::CASE_INSENSITIVE);
        let rest = &self.chars[self.at..];
        let end = rest.windows(2).position(|pair| pair == ['\\', 'E']).unwrap_or(rest.len());
        let nodes: Vec<_> =
            rest[..end].iter().map(|c| Node::Set(Set::one(*c, ignore_case))).collect();
        self.at = (self.at + end + 2).min(self.chars.len());
        // A repetition behind a quotation takes its last character, which is not worth the trouble.
        if nodes.len() != 1 && matches!(self.peek(), Some('*' | '+' | '?' | '{')) {
            return refuse("a repetition behind a quotation");
        }
        Ok(Node::Row(nodes))
    }

    /// A character or a set behind a backslash.
    fn escaped_set(&mut self) -> Result<Set> {
        let ignore_case = self.has(flags::CASE_INSENSITIVE);
        let c = self.next()?;
        if let Some(set) = predefined(c) {
            return Ok(set);
        }
        let code = match c {
            'p' | 'P' => {
                let name = match self.next()? {
                    '{' => {
                        let rest = &self.chars[self.at..];
                        let Some(end) = rest.iter().position(|c| *c == '}') else {
                            return refuse("a property");
                        };
                        let name = rest[..end].iter().collect();
                        self.at += end + 1;
                        name
                    }
                    letter => letter.to_string(),
                };
                let Some(set) = named(&name, ignore_case) else { return refuse("a property") };
                return Ok(if c == 'P' { set.not() } else { set });
            }
            't' => 0x09,
            'n' => 0x0A,
            'r' => 0x0D,
            'f' => 0x0C,
            'a' => 0x07,
            'e' => 0x1B,
            'x' if self.eat('{') => {
                let rest = &self.chars[self.at..];
                let Some(end) = rest.iter().position(|c| *c == '}') else {
                    return refuse("a hexadecimal escape");
                };
                let code = self.hexadecimal(end)?;
                self.at += 1;
                code
            }
            'x' => self.hexadecimal(2)?,
            'u' => self.hexadecimal(4)?,
            '0' => return refuse("an octal escape"),
            c if c.is_ascii_alphanumeric() => return refuse("an escape"),
            c => u32::from(c),
        };
        match char::from_u32(code) {
            Some(c) => Ok(Set::one(c, ignore_case)),
            None => refuse("half of a character of two units"),
        }
    }

    fn hexadecimal(&mut self, count: usize) -> Result<u32> {
        let digits: Option<String> =
            self.chars.get(self.at..self.at + count).map(|digits| digits.iter().collect());
        self.at += count;
        let digits = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let code = digits.and_then(|digits| u32::from_str_radix(&digits, 16).ok());
        code.map_or_else(|| refuse("a hexadecimal escape"), Ok)
    }

    /// What is between brackets; the opening one was read.
    fn class(&mut self) -> Result<Set> {
        self.depth += 1;
        if self.depth > DEPTH || self.has(flags::COMMENTS) {
            return refuse("a set like this");
        }
        let negative = self.eat('^');
        let mut all = Vec::new();
        let mut any = Vec::new();
        let mut simple = true;
        loop {
            match self.next()? {
                ']' if !any.is_empty() => break,
                ']' => return refuse("an empty set"),
                '[' => {
                    simple = false;
                    any.push(self.class()?);
                }
                '&' if self.peek() == Some('&') => {
                    self.at += 1;
                    simple = false;
                    if any.is_empty() || matches!(self.peek(), Some('&' | ']' | '^')) {
                        return refuse("an intersection of sets");
                    }
                    all.push(Set::Any(std::mem::take(&mut any)));
                }
                c => any.push(self.range(c)?),
            }
        }
        // Where a set ends with `&&[..]`, Java reads no more items behind it in the way a person does.
        if negative && !simple {
            return refuse("a negated set of sets");
        }
        self.depth -= 1;
        let last = Set::Any(any);
        let set = if all.is_empty() {
            last
        } else {
            all.push(last);
            Set::All(all)
        };
        Ok(if negative { set.not() } else { set })
    }

    fn range(&mut self, first: char) -> Result<Set> {
        let ignore_case = self.has(flags::CASE_INSENSITIVE);
        let single = |set: &Set| match set {
            Set::Range(from, to) | Set::RangeIgnoreCase(from, to) if from == to => Some(*from),
            _ => None,
        };
        let set = match first {
            '\\' if self.peek() == Some('Q') => return refuse("a quotation in a set"),
            '\\' => self.escaped_set()?,
            c => Set::one(c, ignore_case),
        };
        let Some(from) = single(&set) else { return Ok(set) };
        let ahead = self.chars.get(self.at + 1).copied();
        if self.peek() != Some('-') || matches!(ahead, None | Some(']' | '[')) {
            return Ok(set);
        }
        self.at += 1;
        let last = match self.next()? {
            '\\' => self.escaped_set()?,
            c => Set::one(c, ignore_case),
        };
        match single(&last) {
            Some(to) if from <= to => Ok(Set::range(from, to, ignore_case)),
            _ => refuse("a range of characters"),
        }
    }

    fn name(&mut self) -> Result<String> {
        let mut name = String::new();
        loop {
            match self.next()? {
                '>' if !name.is_empty() => return Ok(name),
                c if c.is_ascii_alphabetic() || !name.is_empty() && c.is_ascii_digit() => {
                    name.push(c);
                }
                _ => return refuse("the name of a group"),
            }
        }
    }

    /// What is between parentheses; the opening one was read.
    fn group(&mut self) -> Result<Node> {
        let before = self.flags;
        let node = if !self.eat('?') {
            self.capturing()?
        } else {
            match self.next()? {
                ':' => self.either()?,
                '=' => self.look(true, false)?,
                '!' => self.look(true, true)?,
                '>' => Node::Atomic(Box::new(self.either()?)),
                '<' => match self.peek() {
                    Some('=' | '!') => {
                        let negative = self.next()? == '!';
                        self.look(false, negative)?
                    }
                    _ => {
                        let name = self.name()?;
                        if self.names.iter().any(|(known, _)| *known == name) {
                            return refuse("a group's name that is taken");
                        }
                        self.names.push((name, self.groups + 1));
                        self.capturing()?
                    }
                },
                _ => {
                    self.at -= 1;
                    return self.inline_flags(before);
                }
            }
        };
        self.flags = before;
        if self.eat(')') { Ok(node) } else { refuse("an unclosed group") }
    }

    fn capturing(&mut self) -> Result<Node> {
        self.groups += 1;
        let number = self.groups;
        Ok(Node::Group(number, Box::new(self.either()?)))
    }

    fn look(&mut self, ahead: bool, negative: bool) -> Result<Node> {
        let node = Box::new(self.either()?);
        if node.has_groups() && (negative || !ahead) {
            return refuse("a group in a look around");
        }
        if !ahead && !node.has_obvious_width() {
            return refuse("a look behind without bounds");
        }
        Ok(Node::Look { node, ahead, negative })
    }

    /// `(?i)` for the rest of the group, or `(?i:..)`.
    fn inline_flags(&mut self, before: i32) -> Result<Node> {
        let mut on = true;
        loop {
            let flag = match self.next()? {
                'i' => flags::CASE_INSENSITIVE,
                'm' => flags::MULTILINE,
                's' => flags::DOTALL,
                'd' => flags::UNIX_LINES,
                'x' => flags::COMMENTS,
                '-' if on => {
                    on = false;
                    continue;
                }
                ')' => return Ok(Node::Empty),
                ':' => {
                    let node = self.either()?;
                    self.flags = before;
                    return if self.eat(')') { Ok(node) } else { refuse("an unclosed group") };
                }
                _ => return refuse("a flag of the pattern"),
            };
            if on {
                self.flags |= flag;
            } else {
                self.flags &= !flag;
            }
        }
    }
}
