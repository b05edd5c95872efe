//! The stream of Q2 against the rules by which the query reads it.

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::{assert_reproducible, assert_share, delays, lines, seconds};
use sluice_generators::Query;

const LINES: usize = 200_000;

struct Trip {
    medallion: String,
    pickup_s: i64,
    dropoff_s: i64,
    duration_s: i64,
    miles: f64,
    /// Longitude and latitude of both ends.
    places: [f64; 4],
    is_city_form: bool,
}

impl Trip {
    fn is_valid(&self) -> bool {
        self.duration_s > 0
            && self.miles > 0.0
            && self.dropoff_s > self.pickup_s
            && self.places.iter().all(|degrees| *degrees != 0.0)
    }

    /// The cells of both ends; none beyond the grid.
    fn route(&self) -> Option<[i64; 4]> {
        let [from_east, from_north, to_east, to_north] = self.places;
        let east = |degrees: f64| ((degrees + 74.913_585) / 0.005_986 + 1.5).floor() as i64;
        let south = |degrees: f64| ((41.474_937 - degrees) / 0.004_491_556 + 1.5).floor() as i64;
        let route = [east(from_east), south(from_north), east(to_east), south(to_north)];
        route.iter().all(|cell| (1..=300).contains(cell)).then_some(route)
    }
}

/// A line's trip, if it tells of one: the reader of the query, in short.
fn trip(line: &str) -> Option<Trip> {
    let columns: Vec<&str> = line.trim().split(',').collect();
    let (times, lengths, places) = match columns.len() {
        17 => (2, 4, 6),
        14 => (5, 8, 10),
        _ => return None,
    };
    let degrees = |at: usize| columns[places + at].parse().ok();
    Some(Trip {
        medallion: columns[0].to_owned(),
        pickup_s: seconds(columns[times])?,
        dropoff_s: seconds(columns[times + 1])?,
        duration_s: columns[lengths].parse().ok()?,
        miles: columns[lengths + 1].parse().ok()?,
        places: [degrees(0)?, degrees(1)?, degrees(2)?, degrees(3)?],
        is_city_form: columns.len() == 14,
    })
}

#[test]
fn the_same_seed_and_device_give_the_same_bytes_and_others_do_not() {
    assert_reproducible(Query::Q2, "14c05effb6caf843");
}

#[test]
fn shares_are_those_of_real_trips() {
    let lines = lines(Query::Q2, 3, 0, LINES);
    let trips: Vec<_> = lines.iter().filter_map(|line| trip(line)).collect();
    let count = |test: &dyn Fn(&Trip) -> bool| trips.iter().filter(|trip| test(trip)).count();
    assert_share("malformed", LINES - trips.len(), LINES, 0.002..0.007);
    assert_share("zero place", count(&|t| t.places.contains(&0.0)), LINES, 0.015..0.020);
    assert_share("zero duration", count(&|t| t.duration_s == 0), LINES, 0.005..0.008);
    assert_share("zero distance", count(&|t| t.miles == 0.0), LINES, 0.006..0.009);
    assert_share("city form", count(&|t| t.is_city_form), LINES, 0.025..0.035);
    assert_share("valid", count(&Trip::is_valid), LINES, 0.96..0.98);
    assert_share(
        "off the grid",
        count(&|t| t.is_valid() && t.route().is_none()),
        LINES,
        0.0..0.001,
    );
    let apart = count(&|t| t.dropoff_s - t.pickup_s != t.duration_s);
    assert_share("other duration", apart, LINES, 0.002..0.004);
    assert_share("card", lines.iter().filter(|l| l.contains(",CRD,")).count(), LINES, 0.37..0.41);
    let repeated = lines.windows(2).filter(|pair| pair[0] == pair[1]).count();
    assert_share("repeated", repeated, LINES, 0.001..0.004);
    let bytes = lines.iter().map(String::len).sum::<usize>();
    assert!((180..200).contains(&(bytes / LINES)), "bytes per line: {}", bytes / LINES);
}

#[test]
fn routes_are_skewed() {
    let lines = lines(Query::Q2, 3, 1, 10_000);
    let mut routes: BTreeMap<[i64; 4], usize> = BTreeMap::new();
    for route in lines.iter().filter_map(|line| trip(line)).filter_map(|trip| trip.route()) {
        *routes.entry(route).or_default() += 1;
    }
    let most = routes.values().max().copied().unwrap_or(0);
    assert!((10..80).contains(&most), "trips of the first route: {most}");
    assert!(routes.len() > 4000, "routes: {}", routes.len());
}

#[test]
fn time_jumps_and_no_valid_trip_is_late() {
    let lines = lines(Query::Q2, 5, 4, LINES);
    let times: Vec<_> = lines
        .iter()
        .filter_map(|line| trip(line))
        .filter(Trip::is_valid)
        .map(|trip| trip.dropoff_s)
        .collect();
    let delays = delays(&times);
    assert!(delays.iter().all(|delay| *delay < 600), "{:?}", delays.iter().max());
    assert!(delays.iter().any(|delay| *delay > 400));
    assert_share("out of order", delays.iter().filter(|d| **d >= 60).count(), LINES, 0.03..0.06);
    let stamps: BTreeSet<_> = times.iter().copied().collect();
    let whole = times.iter().filter(|time| *time % 60 == 0).count();
    assert_share("whole minutes", whole, times.len(), 0.97..1.0);
    let stamps: Vec<_> = stamps.into_iter().collect();
    let jumps = stamps.windows(2).filter(|pair| pair[1] - pair[0] >= 1200).count();
    assert!(jumps > 3, "jumps: {jumps}");
}

#[test]
fn devices_share_no_taxi() {
    let taxis = |device| {
        let lines = lines(Query::Q2, 1, device, 20_000);
        let trips = lines.iter().filter_map(|line| trip(line));
        trips.map(|trip| trip.medallion).collect::<BTreeSet<_>>()
    };
    let mut all = BTreeSet::new();
    for device in [0, 1, 2, 99] {
        let taxis = taxis(device);
        assert!((1400..=1500).contains(&taxis.len()), "device {device}: {}", taxis.len());
        assert!(all.is_disjoint(&taxis), "device {device}");
        all.extend(taxis);
    }
    let names =
        all.iter().all(|name| name.len() == 32 && name.bytes().all(|b| b.is_ascii_hexdigit()));
    assert!(names);
}

#[test]
fn the_closing_line_is_a_trip_within_the_first_cell_beyond_every_window() {
    let mut generator = Query::Q2.generator(9, 2);
    let mut line = Vec::new();
    for _ in 0..5_000 {
        line.clear();
        generator.next_line(&mut line);
    }
    let latest_s = generator.latest_ms().expect("trips") / 1000;
    line.clear();
    generator.closing_line(&mut line);
    let closing = trip(std::str::from_utf8(&line).unwrap()).expect("a trip");
    assert!(closing.is_valid());
    assert_eq!(closing.route(), Some([1, 1, 1, 1]));
    assert!(closing.dropoff_s > latest_s + 29 * 86_400);
}
