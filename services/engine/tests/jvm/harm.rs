//! Functions that harm the host: nothing else is harmed.

use crate::host::*;
use sluice_engine::jvm::JvmChain;
use std::time::{Duration, Instant};

const DEADLINE: Duration = Duration::from_secs(20);
/// Of functions that do not end.
const SHORT: Duration = Duration::from_millis(1500);

fn harm(host: &Host) -> JvmChain {
    open(host, &[STRING, STRING], &[HARM])
}

/// Runs a frame of twelve texts, `poison` among them; all others live, and the next frame too.
fn one_of_twelve(host: &Host, poison: &str) -> String {
    let mut chain = harm(host);
    let mut words = ["fine"; 12];
    words[7] = poison;
    let made = run(&mut chain, STRING, &texts(&words));
    assert_eq!(made.events.len(), 11);
    assert!(made.events.iter().all(|(delta, _, value)| *delta != 7 && value == r#""fine""#));
    assert_eq!(run(&mut chain, STRING, &texts(&["fine"])).values().len(), 1);
    let (delta, operator, reason) = made.death();
    assert_eq!((delta, operator), (7, "v9"));
    reason.to_owned()
}

#[test]
fn a_function_that_exits() {
    let host = host(DEADLINE);
    assert_eq!(one_of_twelve(&host, "exit"), "the JVM ended with exit 7 each time");
    assert_eq!(one_of_twelve(&host, "halt"), "the JVM ended with exit 8 each time");
    assert_eq!(host.sidecar.counters().poison(), 2);
    assert!(host.sidecar.counters().starts() >= 4);
}

#[test]
fn a_function_that_does_not_end() {
    let host = host(SHORT);
    assert_eq!(one_of_twelve(&host, "loop"), "the JVM took longer than 1500 ms each time");
}

#[test]
fn a_function_that_takes_all_memory() {
    let host = host(DEADLINE);
    assert_eq!(one_of_twelve(&host, "memory"), "the JVM ran out of memory each time");
}

#[test]
fn a_function_without_an_end_of_its_stack() {
    let host = host(DEADLINE);
    assert!(one_of_twelve(&host, "deep").starts_with("java.lang.StackOverflowError"));
    assert_eq!(host.sidecar.counters().starts(), 1);
}

#[test]
fn threads_that_a_function_leaves_behind() {
    let host = host(DEADLINE);
    let mut chain = harm(&host);
    assert_eq!(run(&mut chain, STRING, &texts(&["threads", "print"])).values().len(), 2);
    assert_eq!(run(&mut chain, STRING, &texts(&["fine"])).values().len(), 1);
    let process = host.sidecar.process_id().unwrap();
    drop(chain);
    assert_eq!(host.sidecar.process_id(), None);
    assert!(!is_running(process));
}

/// Linux lists what runs.
fn is_running(process: u32) -> bool {
    std::path::Path::new(&format!("/proc/{process}")).exists()
}

#[test]
fn chains_beside_a_harmful_one_lose_nothing() {
    let host = host(SHORT);
    let mut good = open(&host, &[STRING, READING], &[PARSE]);
    let mut bad = harm(&host);
    std::thread::scope(|scope| {
        let poison = scope.spawn(move || run(&mut bad, STRING, &texts(&["loop", "fine", "exit"])));
        let mut frames = 0;
        while !poison.is_finished() || frames < 20 {
            let made = run(&mut good, READING, &texts(&["a,1", "b,2"]));
            assert_eq!((made.events.len(), made.dead.len()), (2, 0));
            frames += 1;
        }
        let made = poison.join().unwrap();
        assert_eq!((made.events.len(), made.dead.len()), (1, 2));
    });
    assert_eq!(host.sidecar.counters().poison(), 2);
}

#[test]
fn a_host_that_was_killed_is_started_again() {
    let host = host(DEADLINE);
    let mut chain = harm(&host);
    let first = host.sidecar.process_id().unwrap();
    let killed = std::process::Command::new("kill").args(["-9", &first.to_string()]).status();
    assert!(killed.unwrap().success());
    assert_eq!(run(&mut chain, STRING, &texts(&["fine"])).values().len(), 1);
    assert_ne!(host.sidecar.process_id(), Some(first));
    assert_eq!(host.sidecar.counters().poison(), 0);
}

#[test]
fn a_host_that_can_not_start_is_said_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let mut options = options(dir.path(), DEADLINE);
    options.java = "no-such-java".into();
    let began = Instant::now();
    let sidecar = sluice_engine::jvm::Sidecar::new(options, |_| {});
    let error = JvmChain::open(&sidecar, spec(&[STRING, STRING], &[HARM])).unwrap_err();
    assert!(error.to_string().contains("no-such-java does not start"), "{error}");
    assert!(began.elapsed() < DEADLINE);
}
