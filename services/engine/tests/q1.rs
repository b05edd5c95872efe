//! The movable operators of Q1 as `tests/plans/q1` has them: rows that are kept, rows that are dropped, and any cut giving the same.
mod support;

use proptest::prelude::*;
use sluice_wire::Reader;
use support::{Events, Q1_ASSIGNER, Q1_BOUND_MS, Q1_OPERATORS, lines, q1, q1_types, run};

/// A usable row in the unquoted form.
const PLAIN: &str = "1,73,23,88101,3,33.553056,-86.815,WGS84,PM2.5 - Local Conditions,24-HR BLK AVG,PM25 24-hour 2012,\
2016-01-15,Micrograms/cubic meter (LC),Included,1,100.0,10.2,10.2,0,43.0,, - ,North Side,\"NO. 5, 3009 28TH ST.\",Alabama,\
Jefferson,Birmingham,\"Birmingham-Hoover, AL\",2020-05-19";

/// A usable row in the quoted form.
const QUOTED: &str = "\"01\",\"003\",\"0010\",\"88101\",1,30.5,-87.880258,\"NAD83\",\"PM2.5 - Local Conditions\",\"24 HOUR\",\
\"PM25 24-hour 2012\",\"2012-01-01\",\"Micrograms/cubic meter (LC)\",\"None\",1,100.0,6.7,6.7,0,28,\"118\",\"Sampler\",\
\"FAIRHOPE, Alabama\",\"1 DRIVE, FAIRHOPE,  ALABAMA\",\"Alabama\",\"Baldwin\",\"Fairhope\",\"Daphne-Fairhope-Foley, AL\",\
\"2014-06-07\"";

/// [`PLAIN`] with another value in one of its columns before the first with a comma.
fn with(column: usize, value: &str) -> String {
    let mut values: Vec<&str> = PLAIN.split(',').collect();
    values[column] = value;
    values.join(",")
}

#[derive(Debug, PartialEq)]
struct Reading {
    site: String,
    time: i64,
    pm25: f64,
    aqi: i32,
    category: String,
}

fn readings(rows: &[String]) -> Vec<Reading> {
    let made = run(&mut q1(0, 3), &q1_types()[3], &lines(rows));
    assert_eq!(made.dead, []);
    made.events
        .iter()
        .map(|(_, time, value)| {
            let mut reader = Reader::new(value.as_deref().unwrap());
            let reading = Reading {
                site: reader.string().unwrap().to_owned(),
                time: reader.long().unwrap(),
                pm25: reader.double().unwrap(),
                aqi: reader.int().unwrap(),
                category: reader.string().unwrap().to_owned(),
            };
            reader.finish().unwrap();
            assert_eq!(*time, Some(reading.time));
            reading
        })
        .collect()
}

fn reading(row: &str) -> Option<Reading> {
    readings(&[row.to_owned()]).pop()
}

#[test]
fn the_plan_names_what_the_tests_use() {
    let plan = include_str!("../../../tests/plans/q1/plan.json");
    let plan: serde_json::Value = serde_json::from_str(plan).unwrap();
    let input = &plan["inputs"][0];
    assert_eq!(input["types"].as_array().unwrap().len(), q1_types().len());
    let operators = input["operators"].as_array().unwrap();
    for (planned, used) in operators.iter().zip(Q1_OPERATORS) {
        assert_eq!(planned["name"], used.name);
        assert_eq!(planned["ir"], format!("{}.ir", used.name));
    }
    assert_eq!(operators.len(), Q1_OPERATORS.len());
    assert_eq!(input["assigner"]["after"], Q1_ASSIGNER.after);
    assert_eq!(input["assigner"]["bound_ms"], Q1_ASSIGNER.bound_ms);
}

#[test]
fn both_forms() {
    let plain = Reading {
        site: "01-073-0023".to_owned(),
        time: 1_452_816_000_000,
        pm25: 10.2,
        aqi: 43,
        category: "Good".to_owned(),
    };
    assert_eq!(reading(PLAIN), Some(plain));
    let quoted = reading(QUOTED).unwrap();
    assert_eq!(
        (quoted.site.as_str(), quoted.time, quoted.aqi),
        ("01-003-0010", 1_325_376_000_000, 28)
    );
}

#[test]
fn rows_that_are_dropped() {
    let header = format!("State Code{}", ",x".repeat(28));
    let short = PLAIN.rsplit_once(',').unwrap().0;
    let rows = [
        "",
        "\r",
        "\u{FEFF}",
        "\"",
        &",".repeat(28),
        &header,
        short,
        &format!("{PLAIN},"),
        &with(7, "\"WGS"),
        &with(7, "\"WGS\"x"),
        &with(9, "1 HOUR"),
        &with(13, "Excluded"),
        &with(15, "74.99999999999999"),
        &with(15, "-1"),
        &with(16, "-0.1"),
        &with(16, "1e999"),
        &with(16, "NaN"),
        &with(16, "+1"),
        &with(11, "2015-02-29"),
        &with(11, "2016-1-15"),
        &with(19, ""),
        &with(19, "1.5"),
        &with(19, "2147483648"),
        &with(4, "x"),
        &with(5, "1."),
        &with(6, "1f"),
        &with(14, " 1"),
        &with(17, ""),
        &with(18, "1e1"),
    ];
    for row in rows {
        assert_eq!(reading(row), None, "{row}");
    }
}

#[test]
fn rows_that_are_kept() {
    for row in [
        format!("\u{FEFF}{PLAIN}\r"),
        with(9, "1 hour"),
        with(13, ""),
        with(15, "75"),
        with(15, "1e2"),
        with(16, "\"10.2\""),
        with(16, "-0.0"),
        with(7, "\"W,G\"\"S\""),
        with(7, "a\"b"),
        with(11, "0000-01-01"),
        with(19, "-2147483648"),
    ] {
        assert!(reading(&row).is_some(), "{row}");
    }
    assert_eq!(reading(&with(16, "-0.0")).unwrap().pm25.to_bits(), (-0.0f64).to_bits());
    assert_eq!(reading(&with(16, "123456789.123456789")).unwrap().pm25, 123_456_789.123_456_79);
}

#[test]
fn sites_are_padded_by_their_length_in_java() {
    for (column, value, site) in [
        (0, "", "00-073-0023"),
        (0, "123", "123-073-0023"),
        (2, "12345", "01-073-12345"),
        (0, "é", "0é-073-0023"),
        (0, "😀", "😀-073-0023"),
        (1, " 1", "01-0 1-0023"),
    ] {
        assert_eq!(reading(&with(column, value)).unwrap().site, site);
    }
}

#[test]
fn bands() {
    for (aqi, category) in [
        (-1, "Good"),
        (50, "Good"),
        (51, "Moderate"),
        (100, "Moderate"),
        (101, "Unhealthy for Sensitive Groups"),
        (150, "Unhealthy for Sensitive Groups"),
        (151, "Unhealthy"),
        (200, "Unhealthy"),
        (201, "Very Unhealthy"),
        (300, "Very Unhealthy"),
        (301, "Hazardous"),
    ] {
        assert_eq!(reading(&with(19, &aqi.to_string())).unwrap().category, category);
    }
}

#[test]
fn the_watermark_is_that_of_the_highest_time_after_the_parse() {
    let types = q1_types();
    let rows = lines([PLAIN, QUOTED, "no row"]);
    let whole = run(&mut q1(0, 3), &types[3], &rows);
    assert_eq!(whole.watermark, Some(1_452_816_000_000 - Q1_BOUND_MS - 1));
    assert_eq!(run(&mut q1(0, 1), &types[1], &rows).watermark, whole.watermark);
    assert_eq!(run(&mut q1(0, 0), &types[0], &rows).watermark, None);
    let parsed = run(&mut q1(0, 1), &types[1], &rows).events;
    assert_eq!(run(&mut q1(1, 3), &types[3], &parsed).watermark, None);
    assert_eq!(run(&mut q1(0, 3), &types[3], &lines(["no row"])).watermark, None);
}

#[test]
fn a_null_line_is_dead() {
    let made = run(&mut q1(0, 3), &q1_types()[3], &vec![(0, None, None)]);
    assert_eq!(made.dead, [(0, "parse: java.lang.NullPointerException".to_owned())]);
    let made = run(&mut q1(0, 0), &q1_types()[0], &vec![(0, Some(5), None)]);
    assert_eq!(made.events, [(0, Some(5), None)]);
}

#[test]
fn a_line_that_is_not_utf_8_is_dead() {
    let made = run(&mut q1(0, 3), &q1_types()[3], &vec![(0, None, Some(vec![4, 0xFF, 0xFE]))]);
    assert_eq!(made.dead, [(0, "parse: undecodable: a string is not UTF-8".to_owned())]);
}

/// Every way of cutting the chain into parts, the identity among them, gives what the whole gives.
fn every_cut_is_the_same(events: &Events) {
    let types = q1_types();
    let whole = run(&mut q1(0, 3), &types[3], events);
    for cuts in 0..64usize {
        // Two bits for each inner place: how many parts end there.
        let ends = [cuts & 3, cuts >> 2 & 3, cuts >> 4 & 3];
        let mut at = 0;
        let mut now = events.clone();
        let mut watermark = None;
        let mut dead = Vec::new();
        for to in (0..3).flat_map(|place| std::iter::repeat_n(place, ends[place])).chain([3]) {
            let made = run(&mut q1(at, to), &types[to], &now);
            now = made.events;
            watermark = made.watermark.or(watermark);
            dead.extend(made.dead);
            at = to;
        }
        assert_eq!(now, whole.events);
        assert_eq!(watermark, whole.watermark);
        assert_eq!(dead, whole.dead);
    }
}

/// Values that columns may have, right and wrong ones.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "-?[0-9]{1,3}(\\.[0-9]{1,3})?([eE]-?[0-9]{1,2})?",
        1 => "[A-Za-z0-9 .éß😀-]{0,10}",
        1 => Just("\"a,b \"\"c\"\"\"".to_owned()),
        1 => Just("1 HOUR".to_owned()),
        1 => (1990..2030, 1..14, 1..33).prop_map(|(y, m, d)| format!("{y}-{m:02}-{d:02}")),
    ]
}

fn row() -> impl Strategy<Value = String> {
    let changed = prop::collection::vec((0usize..23, value()), 0..4);
    let texts = changed.prop_map(|changes| {
        let mut values: Vec<&str> = PLAIN.split(',').collect();
        changes.iter().for_each(|(column, value)| values[*column] = value);
        values.join(",")
    });
    prop_oneof![8 => texts, 1 => Just(QUOTED.to_owned()), 1 => "[\",a-c0-9\r\u{FEFF}]{0,40}"]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_cut_gives_the_same_bytes(rows in prop::collection::vec(row(), 0..20)) {
        every_cut_is_the_same(&lines(rows));
    }

    #[test]
    fn mutated_bytes_do_not_panic(
        row in row(),
        from in 0usize..4,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let types = q1_types();
        let mut events = run(&mut q1(0, from), &types[from], &lines([row])).events;
        let mut chain = q1(from, 3);
        for (_, _, value) in &mut events {
            let value = value.as_mut().unwrap();
            for (place, byte) in &changes {
                let place = place.index(value.len());
                value[place] = *byte;
            }
            let mut out = sluice_wire::EventsBuffer::new();
            let before = format!("{out:?}");
            if chain.run_event(0, None, Some(value), &mut out).is_err() {
                prop_assert_eq!(format!("{:?}", out), before);
            }
        }
    }
}
