//! The stream of Q1 against the rules by which the query reads it.

use sluice_generators::q1::{Generator, HEADER};

const LINES: usize = 200_000;

/// The values of a line, or none where a quote is wrong: the reader of the query, in short.
fn columns(line: &str) -> Option<Vec<String>> {
    let mut values = Vec::new();
    let mut rest = line;
    loop {
        let Some(mut quoted) = rest.strip_prefix('"') else {
            let (value, after) =
                rest.split_once(',').map_or((rest, None), |(value, after)| (value, Some(after)));
            values.push(value.to_owned());
            match after {
                Some(after) => rest = after,
                None => return Some(values),
            }
            continue;
        };
        let mut value = String::new();
        loop {
            let (text, after) = quoted.split_once('"')?;
            value += text;
            match after.strip_prefix('"') {
                Some(after) => {
                    value.push('"');
                    quoted = after;
                }
                None => {
                    values.push(value);
                    match after.strip_prefix(',') {
                        Some(after) => rest = after,
                        None => return after.is_empty().then_some(values),
                    }
                    break;
                }
            }
        }
    }
}

fn lines(seed: u64, device: u32) -> Vec<String> {
    Generator::new(seed, device).take(LINES).map(|line| String::from_utf8(line).unwrap()).collect()
}

/// The 29 columns of a well-formed row.
fn row(line: &str) -> Option<Vec<String>> {
    let columns = columns(line).filter(|columns| columns.len() == 29)?;
    columns[4].parse::<i32>().is_ok().then_some(columns)
}

fn is_valid(row: &[String]) -> bool {
    let number = |at: usize| row[at].parse::<f64>().unwrap();
    row[9] != "1 HOUR" && row[13] != "Excluded" && number(15) >= 75.0 && number(16) >= 0.0
}

fn key(row: &[String]) -> String {
    format!("{:0>2}-{:0>3}-{:0>4}", row[0], row[1], row[2])
}

#[test]
fn the_same_seed_and_device_give_the_same_bytes_and_others_do_not() {
    assert_eq!(lines(7, 1), lines(7, 1));
    assert_ne!(lines(7, 1)[1..20], lines(8, 1)[1..20]);
    assert_ne!(lines(7, 1)[1..20], lines(7, 2)[1..20]);
    assert_eq!(lines(7, 1)[0], HEADER);
    // A change of these bytes is a change of every recorded result.
    let hash =
        Generator::new(1, 0).take(10_000).flatten().fold(0xCBF2_9CE4_8422_2325u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
        });
    assert_eq!(format!("{hash:016x}"), "7b511742903bbbfc");
}

#[test]
fn shares_are_those_of_real_rows() {
    let lines = lines(3, 0);
    let share = |count: usize| count as f64 / LINES as f64;
    let rows: Vec<_> = lines[1..].iter().filter_map(|line| row(line)).collect();
    let count =
        |test: &dyn Fn(&Vec<String>) -> bool| share(rows.iter().filter(|row| test(row)).count());
    let near = |what: &str, got: f64, low: f64, high: f64| {
        assert!((low..high).contains(&got), "{what}: {got:.4}")
    };
    near("malformed", 1.0 - share(rows.len()), 0.003, 0.008);
    near("hourly", count(&|row| row[9] == "1 HOUR"), 0.28, 0.33);
    near("blank index", count(&|row| row[19].is_empty()), 0.28, 0.33);
    near("negative", count(&|row| row[16].starts_with('-')), 0.003, 0.006);
    near("excluded", count(&|row| row[13] == "Excluded"), 0.008, 0.013);
    near("sparse", count(&|row| row[15].parse::<f64>().unwrap() < 75.0), 0.012, 0.018);
    near(
        "second dialect",
        share(lines.iter().filter(|line| line.contains(",88101,")).count()),
        0.025,
        0.035,
    );
    near("valid", count(&|row| is_valid(row)), 0.63, 0.71);
    near(
        "above moderate",
        count(&|row| row[19].parse::<f64>().is_ok_and(|aqi| aqi > 100.0)),
        0.001,
        0.02,
    );
    near(
        "repeated",
        share(lines.windows(2).filter(|pair| pair[0] == pair[1]).count()),
        0.008,
        0.013,
    );
    let bytes = lines.iter().map(String::len).sum::<usize>();
    near("bytes per line", bytes as f64 / LINES as f64, 350.0, 390.0);
}

#[test]
fn every_number_parses_and_no_valid_row_is_late() {
    let mut latest = String::new();
    let mut behind = 0;
    for row in lines(5, 4)[1..].iter().filter_map(|line| row(line)) {
        for at in [5, 6, 15, 16, 17] {
            assert!(row[at].parse::<f64>().is_ok(), "{row:?}");
        }
        for at in [14, 18] {
            assert!(row[at].parse::<i32>().is_ok(), "{row:?}");
        }
        assert!(
            row[9] == "1 HOUR" || row[19].trim_end_matches(".0").parse::<i32>().is_ok(),
            "{row:?}"
        );
        if row[11] > latest {
            // The day before the latest is the earliest that may still come: days here are consecutive.
            latest = row[11].clone();
        } else if row[11] < latest {
            assert_eq!(next_day(&row[11]), latest);
            behind += 1;
        }
    }
    assert!(behind > LINES / 100, "no disorder: {behind}");
}

fn next_day(date: &str) -> String {
    let number = |range: std::ops::Range<usize>| date[range].parse::<u32>().unwrap();
    let (year, month, day): (u32, u32, u32) = (number(0..4), number(5..7), number(8..10));
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let length =
        [31, 28 + u32::from(is_leap), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month as usize - 1];
    match (month, day) {
        (12, 31) => format!("{:04}-01-01", year + 1),
        (month, day) if day == length => format!("{year:04}-{:02}-01", month + 1),
        _ => format!("{year:04}-{month:02}-{:02}", day + 1),
    }
}

#[test]
fn devices_share_no_site() {
    let keys = |device| {
        let rows = Generator::new(1, device).skip(1).take(2_000);
        rows.filter_map(|line| Some(key(&row(&String::from_utf8(line).ok()?)?)))
            .collect::<std::collections::BTreeSet<_>>()
    };
    let mut all = std::collections::BTreeSet::new();
    for device in [0, 1, 2, 97, 98, 99, 196, 18_999] {
        let keys = keys(device);
        assert_eq!(keys.len(), 50, "device {device}");
        assert!(all.is_disjoint(&keys), "device {device}");
        all.extend(keys);
    }
    assert!(!all.contains("99-999-9999"));
}

#[test]
fn the_closing_line_is_a_valid_row_of_its_own_site_beyond_every_window() {
    let mut generator = Generator::new(9, 2);
    let latest = generator
        .by_ref()
        .take(5_000)
        .filter_map(|line| Some(row(&String::from_utf8(line).ok()?)?[11].clone()));
    let latest = latest.filter(|date| date.len() == 10 && !date.contains("Date")).max().unwrap();
    let mut line = Vec::new();
    generator.closing_line(&mut line);
    let row = row(std::str::from_utf8(&line).unwrap()).unwrap();
    assert!(is_valid(&row));
    assert_eq!(key(&row), "99-999-9999");
    let sixty_later = (0..60).fold(latest, |date, _| next_day(&date));
    assert_eq!(row[11], sixty_later);
}
