//! One text and its line.

use super::{FIRST_TIME_S, HEADER};
use crate::date::stamp;
use crate::random::Random;

#[derive(Clone, Debug)]
pub(super) struct Post {
    number: u32,
    text: String,
    form: Form,
}

#[derive(Clone, Debug)]
enum Form {
    /// Number, rating and text with tabs between them.
    Rated(String),
    /// Number, time and text with commas between them, all quoted or only where they must be.
    Written { second: u32, quotes: bool },
}

impl Post {
    pub(super) fn new(number: u32, text: String, has_commas: bool, random: &mut Random) -> Post {
        let form = if has_commas {
            Form::Written { second: random.below(60), quotes: random.chance(5000) }
        } else {
            let sign = random.item(&["", "-"]);
            Form::Rated(format!("{sign}{}.{:09}", random.below(4), random.below(1_000_000_000)))
        };
        Post { number, text, form }
    }

    fn time_s(&self) -> u64 {
        let second = if let Form::Written { second, .. } = self.form { second } else { 0 };
        FIRST_TIME_S + u64::from(self.number) * 60 + u64::from(second)
    }

    /// Its time, if it is one that the query takes.
    pub(super) fn counted_at_s(&self) -> Option<u64> {
        (!self.text.trim().is_empty()).then(|| self.time_s())
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let Post { number, text, form } = self;
        let line = match form {
            Form::Rated(rating) => format!("{number}\t{rating}\t{text}"),
            Form::Written { quotes, .. } => {
                let time = stamp(self.time_s());
                let quoted = format!("\"{}\"", text.replace('"', "\"\""));
                match quotes {
                    true => format!("\"{number}\",\"{time}\",{quoted}"),
                    false if text.contains([',', '"']) => format!("{number},{time},{quoted}"),
                    false => format!("{number},{time},{text}"),
                }
            }
        };
        out.extend_from_slice(line.as_bytes());
    }
}

/// Makes the line from `start` one that tells of no text.
pub(super) fn spoil(random: &mut Random, start: usize, out: &mut Vec<u8>) {
    let line = String::from_utf8_lossy(&out[start..]).into_owned();
    out.truncate(start);
    let spoilt = match random.below(6) {
        0 => String::new(),
        1 => line.chars().take(1 + random.below(7) as usize).collect(),
        2 => format!("NA{line}"),
        3 => HEADER.to_owned(),
        4 => format!("\u{feff}{HEADER}\r"),
        // A quoted value without an end.
        _ => format!("7,2014-01-01 00:07:00,\"{}", line.replace(['"', '\t'], "")),
    };
    out.extend_from_slice(spoilt.as_bytes());
}
