//! The main scenario: three devices, routes switching under them, equal to the unsplit job.

use std::time::Duration;

use xtask::demo::{self, Options};

#[test]
fn switching_routes_loses_and_doubles_nothing() {
    let dir = std::env::temp_dir().join(format!("sluice-e2e-live-{}", std::process::id()));
    let seconds =
        std::env::var("SLUICE_E2E_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(20);
    let options =
        Options { seconds, switch_every: Duration::from_millis(200), dir, ..Options::default() };
    let verdict = demo::run(&options, &mut |line| println!("{line}")).unwrap();
    println!("{verdict}");
    assert!(verdict.is_pass(), "{verdict}");
}
