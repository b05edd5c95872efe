//! One trip and its lines.

use super::HEADER;
use super::place::{FIRST_CELL, NOWHERE, Place};
use crate::date::stamp;
use crate::random::Random;

const TAXIS: u32 = 1500;

const TO_THE_SECOND_PER_10000: u32 = 150;
const NO_POSITION_PER_10000: u32 = 140;
const NO_END_PER_10000: u32 = 36;
const NO_DURATION_PER_10000: u32 = 66;
const NO_DISTANCE_PER_10000: u32 = 9;
const OTHER_DURATION_PER_10000: u32 = 29;
const CARD_PER_10000: u32 = 4000;
const UNKNOWN_PAYMENT_PER_10000: u32 = 2;
const TOLL_PER_10000: u32 = 120;

#[derive(Clone, Debug)]
pub(super) struct Trip {
    taxi: String,
    driver: String,
    pickup_s: u64,
    pub(super) dropoff_s: u64,
    duration_s: u32,
    hundredths_of_a_mile: u32,
    from: Place,
    to: Place,
    passengers: u32,
    payment: &'static str,
    fare_cents: u32,
    tip_cents: u32,
    toll_cents: u32,
}

impl Trip {
    /// A trip that ends in the minute from `minute_s` on, valid or with the flaws that real trips have.
    pub(super) fn draw(device: u32, minute_s: u64, random: &mut Random) -> Trip {
        let taxi = random.below(TAXIS);
        let to_the_second = random.chance(TO_THE_SECOND_PER_10000);
        let dropoff_s = minute_s + if to_the_second { u64::from(random.below(60)) } else { 0 };
        let (mut from, mut to) = (Place::draw(random), Place::draw(random));
        let mut miles = from.hundredths_of_a_mile_to(to).max(10);
        let mut duration_s = 60 + miles * 2 + random.below(1 + miles);
        if !to_the_second {
            duration_s = duration_s / 60 * 60;
        }
        match random.below(10_000) {
            roll if roll < NO_POSITION_PER_10000 => (from, to) = (NOWHERE, NOWHERE),
            roll if roll < NO_POSITION_PER_10000 + NO_END_PER_10000 => to = NOWHERE,
            _ => {}
        }
        if random.chance(NO_DURATION_PER_10000) {
            (duration_s, miles) = (0, 0);
        } else if random.chance(NO_DISTANCE_PER_10000) {
            miles = 0;
        }
        let pickup_s = dropoff_s - u64::from(duration_s);
        if random.chance(OTHER_DURATION_PER_10000) && duration_s > 0 {
            duration_s += 1 + random.below(59);
        }
        let payment = match random.below(10_000) {
            roll if roll < CARD_PER_10000 => "CRD",
            roll if roll < CARD_PER_10000 + UNKNOWN_PAYMENT_PER_10000 => "UNK",
            _ => "CSH",
        };
        let fare_cents = 250 + miles * 2 / 50 * 50 + duration_s / 60 * 15 / 50 * 50;
        let tip_cents = if payment == "CRD" { fare_cents / 5 } else { 0 };
        let toll_cents = if random.chance(TOLL_PER_10000) { 480 } else { 0 };
        Trip {
            taxi: name(2 * taxi, device),
            driver: name(2 * taxi + 1, device),
            pickup_s,
            dropoff_s,
            duration_s,
            hundredths_of_a_mile: miles,
            from,
            to,
            passengers: 1 + random.below(6) * random.below(2),
            payment,
            fare_cents,
            tip_cents,
            toll_cents,
        }
    }

    /// A trip of one mile within the first cell.
    pub(super) fn closing(dropoff_s: u64) -> Trip {
        Trip {
            taxi: name(0, u32::MAX),
            driver: name(1, u32::MAX),
            pickup_s: dropoff_s - 60,
            dropoff_s,
            duration_s: 60,
            hundredths_of_a_mile: 100,
            from: FIRST_CELL,
            to: FIRST_CELL,
            passengers: 1,
            payment: "CSH",
            fare_cents: 450,
            tip_cents: 0,
            toll_cents: 0,
        }
    }

    /// Appends the trip in the form of the challenge.
    pub(super) fn write_debs(&self, out: &mut Vec<u8>) {
        let (surcharge, tax) = (50, 50);
        let total = self.fare_cents + surcharge + tax + self.tip_cents + self.toll_cents;
        let line = format!(
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
            self.taxi,
            self.driver,
            stamp(self.pickup_s),
            stamp(self.dropoff_s),
            self.duration_s,
            hundredths(self.hundredths_of_a_mile),
            self.from,
            self.to,
            self.payment,
            hundredths(self.fare_cents),
            hundredths(surcharge),
            hundredths(tax),
            hundredths(self.tip_cents),
            hundredths(self.toll_cents),
            hundredths(total),
        );
        out.extend_from_slice(line.as_bytes());
    }

    /// Appends the trip in the form of the city, which writes an unknown place as `0,0`.
    pub(super) fn write_city(&self, out: &mut Vec<u8>) {
        let place = |place: Place| {
            if place == NOWHERE { "0,0".to_owned() } else { place.to_string() }
        };
        let line = format!(
            "{},{},VTS,1,,{},{},{},{},{},{},{}",
            self.taxi,
            self.driver,
            stamp(self.pickup_s),
            stamp(self.dropoff_s),
            self.passengers,
            self.duration_s,
            hundredths(self.hundredths_of_a_mile),
            place(self.from),
            place(self.to),
        );
        out.extend_from_slice(line.as_bytes());
    }
}

/// 32 hexadecimal digits, as the files write medallions and licences.
fn name(number: u32, device: u32) -> String {
    let mut random = Random::new(u64::from(number), device);
    format!("{:016X}{:016X}", random.next(), random.next())
}

fn hundredths(value: u32) -> String {
    format!("{}.{:02}", value / 100, value % 100)
}

/// Makes the line from `start` one that tells of no trip.
pub(super) fn spoil(random: &mut Random, start: usize, out: &mut Vec<u8>) {
    let length = (out.len() - start) as u32;
    match random.below(6) {
        0 => out.truncate(start),
        // The second name ends at 65: what is left has three columns at most.
        1 => out.truncate(start + 1 + random.below(length.min(80)) as usize),
        2 => out.extend_from_slice(b",1"),
        3 => {
            out.truncate(start);
            out.extend_from_slice(HEADER.as_bytes());
        }
        4 => {
            let line = String::from_utf8_lossy(&out[start..]).replace(",20", ",NA 20");
            out.truncate(start);
            out.extend_from_slice(line.as_bytes());
        }
        _ => {
            let line = String::from_utf8_lossy(&out[start..]).replace("-7", "Null");
            out.truncate(start);
            out.extend_from_slice(line.as_bytes());
        }
    }
}
