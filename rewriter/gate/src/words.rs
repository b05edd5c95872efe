//! Texts and numbers that may matter to a function: edge values, what its own text names, what the sample has.

use std::collections::BTreeSet;

use sluice_check::random::Random;
use sluice_wire::Type;

use crate::values::Value;

/// The most texts that are remembered.
const MAX_TEXTS: usize = 512;
/// The longest text that is remembered, bytes.
const MAX_TEXT_BYTES: usize = 2_000;

const TEXTS: [&str; 40] = [
    "",
    " ",
    "  a ",
    "a",
    "A",
    "null",
    "true",
    "0",
    "1",
    "-1",
    "+5",
    "007",
    "12.5",
    "-0.0",
    ".5",
    "1e5",
    "1d",
    "0x1p3",
    "NaN",
    "Infinity",
    "-Infinity",
    "2147483647",
    "2147483648",
    "-2147483648",
    "9223372036854775807",
    "9223372036854775808",
    "2021-03-04",
    "2021-02-30",
    "2021-03-04T05:06:07Z",
    "2021-03-04 05:06:07",
    "1614834367000",
    "{}",
    "[]",
    "{\"a\":1}",
    "a,b,c",
    ",,",
    "a\tb",
    "\"x\"",
    "Straße",
    "İ😀é",
];
const SEPARATORS: [char; 12] = [',', ';', '\t', ' ', '|', ':', '-', '/', '.', '"', '=', '\u{e9}'];
const WHOLES: [i64; 17] = [
    0,
    1,
    -1,
    2,
    7,
    10,
    59,
    60,
    100,
    255,
    1000,
    65_536,
    i32::MAX as i64,
    i32::MIN as i64,
    i64::MAX,
    i64::MIN,
    1_614_834_367_000,
];
const REALS: [f64; 14] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    0.1,
    100.0,
    1e7,
    1e-5,
    1e23,
    f64::MAX,
    f64::MIN_POSITIVE,
    f64::NAN,
    f64::INFINITY,
];

/// Texts and numbers.
#[derive(Debug, Clone, Default)]
pub struct Words {
    texts: Vec<String>,
    wholes: Vec<i64>,
    reals: Vec<f64>,
}

impl Words {
    /// What the text of a function names.
    pub fn add_function(&mut self, ir: &str) {
        let mut rest = ir;
        while let Some(start) = rest.find('"') {
            let body = &rest[start + 1..];
            let mut end = 0;
            let bytes = body.as_bytes();
            while end < bytes.len() && bytes[end] != b'"' {
                end += if bytes[end] == b'\\' { 2 } else { 1 };
            }
            let end = end.min(body.len());
            let Some(quoted) = body.get(..end) else { break };
            self.add_text(&unescaped(quoted));
            rest = body.get(end + 1..).unwrap_or_default();
        }
        for word in ir.split(|c: char| c.is_whitespace() || ",()".contains(c)) {
            let word = word.trim_end_matches(['L', 'f']);
            if let Ok(number) = word.parse::<i64>() {
                self.wholes.extend([number, number.wrapping_sub(1), number.wrapping_add(1)]);
            } else if let Ok(number) = word.parse::<f64>() {
                self.reals.extend([number, number.next_down(), number.next_up()]);
            }
        }
    }

    /// What a value of the sample has.
    pub fn add_value(&mut self, value: &Value) {
        match value {
            Value::Text(text) => self.add_text(text),
            Value::Bytes(bytes) => self.add_text(&String::from_utf8_lossy(bytes)),
            Value::Items(values) | Value::Fields(values) => {
                values.iter().for_each(|value| self.add_value(value));
            }
            Value::Entries(entries) => entries.iter().for_each(|(key, value)| {
                self.add_text(key);
                self.add_value(value);
            }),
            Value::Whole(number) if self.wholes.len() < MAX_TEXTS => self.wholes.push(*number),
            Value::Double(number) if self.reals.len() < MAX_TEXTS => self.reals.push(*number),
            _ => {}
        }
    }

    fn add_text(&mut self, text: &str) {
        if self.texts.len() < MAX_TEXTS
            && text.len() <= MAX_TEXT_BYTES
            && !self.texts.iter().any(|known| known == text)
        {
            self.texts.push(text.to_owned());
        }
    }

    /// A number.
    pub fn whole(&self, random: &mut Random) -> i64 {
        match random.below(4) {
            0 if !self.wholes.is_empty() => random.pick(&self.wholes),
            0 | 1 => random.pick(&WHOLES),
            2 => random.below(200) as i64 - 50,
            _ => random.next() as i64 >> random.below(64),
        }
    }

    /// A number with fractions.
    pub fn real(&self, random: &mut Random) -> f64 {
        match random.below(4) {
            0 if !self.reals.is_empty() => random.pick(&self.reals),
            0 | 1 => random.pick(&REALS),
            2 => (random.below(40_000) as f64 - 10_000.0) / 100.0,
            _ => f64::from_bits(random.next()),
        }
    }

    /// A text.
    pub fn text(&self, random: &mut Random) -> String {
        match random.below(6) {
            0 | 1 if !self.texts.is_empty() => self.known(random).to_owned(),
            0..=2 => random.pick(&TEXTS).to_owned(),
            3 => {
                let text = self.known(random).to_owned();
                self.changed(&text, random)
            }
            4 => {
                let separator = random.pick(&SEPARATORS).to_string();
                let parts: Vec<&str> = (0..random.below(9)).map(|_| self.known(random)).collect();
                parts.join(&separator)
            }
            _ => (0..random.below(12)).map(|_| character(random)).collect(),
        }
    }

    fn known(&self, random: &mut Random) -> &str {
        let at = random.below(self.texts.len() + TEXTS.len());
        self.texts.get(at).map_or_else(|| TEXTS[at - self.texts.len()], String::as_str)
    }

    /// A text like the one given.
    pub fn changed(&self, text: &str, random: &mut Random) -> String {
        let mut text: Vec<char> = text.chars().collect();
        for _ in 0..=random.below(3) {
            let at = random.below(text.len() + 1);
            match random.below(7) {
                0 => text.truncate(at),
                1 if at < text.len() => drop(text.remove(at)),
                2 if at < text.len() => text[at] = character(random),
                3 => text.insert(at, character(random)),
                4 => self.replace_part(&mut text, at, random),
                5 => {
                    let insert: Vec<char> = self.known(random).chars().collect();
                    text.splice(at..at, insert);
                }
                _ => {
                    let end = (at + random.below(6)).min(text.len());
                    let twice = text[at..end].to_vec();
                    text.splice(at..at, twice);
                }
            }
        }
        text.into_iter().collect()
    }

    /// Puts something else between two separators.
    fn replace_part(&self, text: &mut Vec<char>, at: usize, random: &mut Random) {
        let separator = |c: &char| SEPARATORS.contains(c);
        let start = text[..at].iter().rposition(separator).map_or(0, |found| found + 1);
        let end = text[at..].iter().position(separator).map_or(text.len(), |found| at + found);
        let part: Vec<char> = match random.below(3) {
            0 => Vec::new(),
            1 => self.whole(random).to_string().chars().collect(),
            _ => self.known(random).chars().collect(),
        };
        text.splice(start..end, part);
    }

    /// Learns from values of a type.
    pub fn learn<'a>(&mut self, ty: &Type, values: impl IntoIterator<Item = &'a [u8]>) {
        let mut seen = BTreeSet::new();
        for bytes in values {
            if seen.insert(bytes)
                && let Ok(value) = crate::values::read(ty, &mut sluice_wire::Reader::new(bytes))
            {
                self.add_value(&value);
            }
        }
    }
}

fn character(random: &mut Random) -> char {
    match random.below(6) {
        0 => random.pick(&SEPARATORS),
        1 | 2 => random.pick(&['0', '1', '2', '5', '9', '-', '+', '.', 'e', 'E']),
        3 => {
            random.pick(&['ß', 'İ', 'ı', '😀', '\u{0}', '\n', '\u{a0}', '\u{2003}', '٣', '\u{301}'])
        }
        _ => char::from(b' ' + random.below(95) as u8),
    }
}

fn unescaped(quoted: &str) -> String {
    let mut out = String::new();
    let mut chars = quoted.chars();
    while let Some(c) = chars.next() {
        out.push(match (c, if c == '\\' { chars.next() } else { None }) {
            (_, Some('n')) => '\n',
            (_, Some('t')) => '\t',
            (_, Some('r')) => '\r',
            (_, Some(escaped)) => escaped,
            (c, None) => c,
        });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_function_gives_words() {
        let mut words = Words::default();
        words.add_function(
            "%a = const \"PM \\\"2.5\\\"\"\n %b = less %x, 35L\n %c = add %y, 1.5\n\"open",
        );
        assert_eq!(words.texts, ["PM \"2.5\"", "open"]);
        assert_eq!(words.wholes, [35, 34, 36]);
        assert_eq!(words.reals[0], 1.5);
    }

    #[test]
    fn texts_change_without_end() {
        let mut words = Words::default();
        words.add_text("a,1,b");
        let mut random = Random::new(4);
        let mut seen = BTreeSet::new();
        for _ in 0..1_000 {
            seen.insert(words.changed("a,1,b", &mut random));
            seen.insert(words.text(&mut random));
        }
        assert!(seen.len() > 500, "{}", seen.len());
    }
}
