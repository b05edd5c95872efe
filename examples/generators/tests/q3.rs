//! The stream of Q3 against the rules by which the query reads it.

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::{assert_reproducible, assert_share, delays, lines, seconds};
use sluice_generators::Query;
use sluice_generators::q3::HEADER;

const LINES: usize = 400_000;
const THRESHOLD_KWH: f64 = 2.0;

struct Reading {
    household: String,
    time_s: i64,
    kwh: f64,
}

/// Household, time and energy of a line in one of the two forms.
fn columns(line: &str) -> Option<[&str; 3]> {
    let columns: Vec<&str> = line.split(',').map(str::trim).collect();
    match columns[..] {
        [household, time, energy] => Some([household, time, energy]),
        [household, _, time, energy, _, _] => {
            Some([household, time.strip_suffix(".0000000")?, energy])
        }
        _ => None,
    }
}

/// A line's reading, if it tells of one: the reader of the query, in short.
fn reading(line: &str) -> Option<Reading> {
    let [household, time, energy] = columns(line)?;
    let (time_s, kwh) = (seconds(time)?, energy.parse().ok()?);
    Some(Reading { household: household.to_owned(), time_s, kwh })
}

fn readings(seed: u64, device: u32) -> Vec<Reading> {
    lines(Query::Q3, seed, device, LINES).iter().filter_map(|line| reading(line)).collect()
}

#[test]
fn the_same_seed_and_device_give_the_same_bytes_and_others_do_not() {
    assert_reproducible(Query::Q3, "637440f599adbef9");
    assert_eq!(lines(Query::Q3, 1, 0, 1)[0], HEADER);
}

#[test]
fn shares_are_those_of_real_readings() {
    let lines = lines(Query::Q3, 3, 0, LINES);
    let count = |test: &dyn Fn(&str) -> bool| lines.iter().filter(|line| test(line)).count();
    let parsed = count(&|line| reading(line).is_some());
    assert_share("parsed", parsed, LINES, 0.995..0.999);
    let spaced = count(&|line| line.trim_end_matches('\r').ends_with(' '));
    assert_share("spaces around", spaced, LINES, 0.96..0.98);
    assert_share("other edition", count(&|l| l.contains(",ACORN-")), LINES, 0.025..0.035);
    assert_share("words for nothing", count(&|l| l.contains(", Null ")), LINES, 0.0005..0.002);
    assert!(count(&|line| line.contains(", NA ")) > 0);
    assert!(count(&|line| line.contains(",  ")) > 0);
    assert!(count(&|line| line.ends_with('\r')) > 0);
    assert!(count(&|line| line.starts_with('\u{feff}')) > 0);
    let digits = |wanted: usize| {
        count(&|line| {
            let energy = columns(line).map_or("", |[_, _, energy]| energy);
            energy.split_once('.').is_some_and(|(_, digits)| digits.len() == wanted)
        })
    };
    assert_share("three digits", digits(3), LINES, 0.83..0.93);
    assert_share("two digits", digits(2), LINES, 0.06..0.11);
    assert_share("seven digits", digits(7), LINES, 0.003..0.03);
    let bytes = lines.iter().map(String::len).sum::<usize>();
    assert!((35..=39).contains(&(bytes / LINES)), "bytes per line: {}", bytes / LINES);
}

#[test]
fn some_devices_pass_nothing() {
    let shares: Vec<f64> = (0..5)
        .map(|device| {
            let readings = readings(1, device);
            let passed = readings.iter().filter(|reading| reading.kwh > THRESHOLD_KWH).count();
            passed as f64 / readings.len() as f64
        })
        .collect();
    assert!((0.035..0.08).contains(&shares[0]), "{shares:?}");
    assert_eq!(shares[1..4], [0.0; 3]);
    assert!((0.006..0.02).contains(&shares[4]), "{shares:?}");
}

#[test]
fn time_jumps_households_stop_and_no_reading_is_late() {
    let readings = readings(5, 4);
    let times: Vec<_> = readings.iter().map(|reading| reading.time_s).collect();
    let delays = delays(&times);
    assert!(delays.iter().all(|delay| *delay < 7_200), "{:?}", delays.iter().max());
    assert!(delays.contains(&5_400));
    let behind = delays.iter().filter(|delay| **delay > 0).count();
    assert_share("out of order", behind, times.len(), 0.015..0.03);
    let slots: BTreeSet<_> = times.iter().copied().collect();
    let slots: Vec<_> = slots.into_iter().collect();
    assert!(slots.windows(2).any(|pair| pair[1] - pair[0] >= 86_400), "no jump");
    assert!(slots.iter().all(|time| time % 1800 == 0));

    let mut last: BTreeMap<&str, i64> = BTreeMap::new();
    for reading in &readings {
        let last = last.entry(&reading.household).or_default();
        *last = reading.time_s.max(*last);
    }
    let end = slots[slots.len() - 1];
    let stopped = last.values().filter(|last| end - **last > 30 * 86_400).count();
    assert_eq!((last.len(), stopped), (40, 2));
}

#[test]
fn rows_repeat_when_a_month_begins_and_only_then() {
    let mut counts: BTreeMap<(String, i64), usize> = BTreeMap::new();
    for reading in readings(2, 0) {
        *counts.entry((reading.household, reading.time_s)).or_default() += 1;
    }
    let repeated: Vec<_> = counts.iter().filter(|(_, count)| **count > 1).collect();
    assert!(repeated.len() > 20, "{}", repeated.len());
    for ((_, time_s), count) in repeated {
        assert_eq!((*count, (time_s + 1800) % 86_400), (2, 0));
    }
}

#[test]
fn devices_share_no_household() {
    let mut all = BTreeSet::new();
    for device in [0, 1, 2, 1_000, 24_000] {
        let lines = lines(Query::Q3, 1, device, 2_000);
        let readings = lines.iter().filter_map(|line| reading(line));
        let households: BTreeSet<_> = readings.map(|reading| reading.household).collect();
        assert_eq!(households.len(), 40, "device {device}");
        assert!(all.is_disjoint(&households), "device {device}");
        all.extend(households);
    }
    assert!(all.iter().all(|name| name.len() == 9) && !all.contains("MAC999999"));
}

#[test]
fn the_closing_line_is_a_high_reading_of_its_own_household_beyond_every_window() {
    let mut generator = Query::Q3.generator(9, 2);
    let mut line = Vec::new();
    for _ in 0..5_000 {
        line.clear();
        generator.next_line(&mut line);
    }
    let latest_s = generator.latest_ms().expect("readings") / 1000;
    line.clear();
    generator.closing_line(&mut line);
    let closing = reading(std::str::from_utf8(&line).unwrap()).expect("a reading");
    assert_eq!(closing.household, "MAC999999");
    assert!(closing.kwh > THRESHOLD_KWH);
    assert!(closing.time_s > latest_s + 29 * 86_400);
}
