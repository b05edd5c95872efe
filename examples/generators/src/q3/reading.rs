//! One reading and its lines.

use super::HEADER;
use crate::date::stamp;
use crate::random::Random;

const CLOSING_HOUSEHOLD: &str = "MAC999999";

#[derive(Clone, Debug)]
pub(super) struct Reading {
    household: String,
    time_s: u64,
    /// Kilowatt hours, or what stands in their place.
    energy: String,
    is_missing: bool,
}

impl Reading {
    pub(super) fn of(household: String, time_s: u64, energy: String) -> Reading {
        Reading { household, time_s, energy, is_missing: false }
    }

    /// A reading that every query takes.
    pub(super) fn closing(time_s: u64) -> Reading {
        Reading::of(CLOSING_HOUSEHOLD.to_owned(), time_s, "3.5".to_owned())
    }

    pub(super) fn renew(&mut self, time_s: u64, energy: String) {
        (self.time_s, self.energy) = (time_s, energy);
    }

    /// The reading as the word `Null` at a second between half hours.
    pub(super) fn null(self, random: &mut Random) -> Reading {
        let time_s = self.time_s + u64::from(1 + random.below(1700));
        Reading { time_s, energy: "Null".to_owned(), is_missing: true, ..self }
    }

    /// The reading without its energy.
    pub(super) fn missing(self, random: &mut Random) -> Reading {
        let energy = random.item(&["", "NA", "Null"]).to_owned();
        Reading { energy, is_missing: true, ..self }
    }

    pub(super) fn is_of(&self, time_s: u64) -> bool {
        self.time_s == time_s
    }

    /// Its time, if it is one that the query takes.
    pub(super) fn counted_at_s(&self) -> Option<u64> {
        (!self.is_missing).then_some(self.time_s)
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let line = format!("{},{}, {} ", self.household, stamp(self.time_s), self.energy);
        out.extend_from_slice(line.as_bytes());
    }

    /// Appends the reading in the form of the other edition.
    pub(super) fn write_other(&self, out: &mut Vec<u8>) {
        let line = format!(
            "{},Std,{}.0000000, {} ,ACORN-E,Affluent",
            self.household,
            stamp(self.time_s),
            self.energy
        );
        out.extend_from_slice(line.as_bytes());
    }
}

/// Whether a half hour is the first of its month.
pub(super) fn month_begins(time_s: u64) -> bool {
    time_s.is_multiple_of(86_400) && stamp(time_s).contains("-01 ")
}

/// Makes the line from `start` one that tells of no reading.
pub(super) fn spoil(random: &mut Random, start: usize, out: &mut Vec<u8>) {
    let line = String::from_utf8_lossy(&out[start..]).into_owned();
    out.truncate(start);
    match random.below(6) {
        0 => {}
        // Names have 9 letters and times 19: what is left has no third column.
        1 => out.extend_from_slice(&line.as_bytes()[..1 + random.below(28) as usize]),
        2 => out.extend_from_slice(format!("{line},").as_bytes()),
        3 => out.extend_from_slice(HEADER.as_bytes()),
        4 => out.extend_from_slice(format!("\u{feff}{HEADER}\r").as_bytes()),
        _ => out.extend_from_slice(line.replace(':', ".").as_bytes()),
    }
}
