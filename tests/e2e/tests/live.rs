//! The main scenario, for each query: three devices, routes switching under them, equal to the unsplit job.

use std::path::PathBuf;
use std::time::Duration;

use sluice_generators::Query;
use xtask::demo::{self, Options};

#[test]
fn q1_is_equal() {
    play(Query::Q1, 20);
}

#[test]
fn q2_is_equal() {
    play(Query::Q2, 20);
}

#[test]
fn q3_is_equal() {
    play(Query::Q3, 20);
}

#[test]
fn q4_is_equal() {
    play(Query::Q4, 20);
}

/// Generated events for so many seconds, unless another time is set; then the public ones, all of them, where `SLUICE_DATA` is a
/// folder that has some.
fn play(query: Query, seconds: u32) {
    let set = std::env::var("SLUICE_E2E_SECONDS").ok().and_then(|s| s.parse().ok());
    play_data(query, set.unwrap_or(seconds), None);
    let data = std::env::var_os("SLUICE_DATA").map(|data| PathBuf::from(data).join(query.name()));
    if let Some(data) = data.filter(|data| data.is_dir()) {
        play_data(query, seconds, Some(data));
    }
}

fn play_data(query: Query, seconds: u32, data: Option<PathBuf>) {
    let name = format!("sluice-e2e-live-{query}-{}", std::process::id());
    let dir = std::env::temp_dir().join(name);
    let switch_every = Duration::from_millis(200);
    let options = Options { query, seconds, switch_every, dir, data, ..Options::default() };
    let verdict = demo::run(&options, &mut |line| println!("{line}")).unwrap();
    println!("{verdict}");
    assert!(verdict.is_pass(), "{verdict}");
}
