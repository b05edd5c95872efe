//! A restart on a large spool: the first record comes soon, and memory stays flat, whatever lies on the disk. Alone
//! in its process, because the memory of the whole process is what counts.
//!
//! 128 MiB; 2 GiB where `SLUICE_LONG` is set.

use std::env;
use std::fs;
use std::time::{Duration, Instant};

use sluice_spool::{Batch, Index, Options, Spool};

/// Memory of this process in KiB, and the most it ever was.
fn resident_kib() -> (u64, u64) {
    let status = fs::read_to_string("/proc/self/status").expect("Linux");
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("a field");
        line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number")
    };
    (field("VmRSS:"), field("VmHWM:"))
}

fn value(index: u64) -> [u8; 1000] {
    let mut value = [index as u8; 1000];
    value[..8].copy_from_slice(&index.to_le_bytes());
    value
}

#[test]
fn a_large_spool_opens_fast_and_drains_with_flat_memory() {
    let records: u64 = if env::var_os("SLUICE_LONG").is_some() { 2 << 20 } else { 128 << 10 };
    let directory = tempfile::tempdir().expect("a directory");
    let options = Options { max_bytes: 4 << 30, ..Options::new(directory.path()) };
    let spool = Spool::open(&options).expect("a spool");
    spool.begin_start("n", 1).expect("a start");
    for first in (0..records).step_by(1 << 10) {
        let values: Vec<_> = (first..first + (1 << 10)).map(value).collect();
        assert_eq!(spool.append_batch(&values, 1).expect("room").end, Index(first + (1 << 10)));
    }
    spool.close().expect("a clean end");
    drop(spool);

    let (before, _) = resident_kib();
    let began = Instant::now();
    let spool = Spool::open(&options).expect("a spool");
    assert_eq!(spool.next_index(), Index(records));
    let (mut at, mut batch) = (Index(0), Batch::new());
    while spool.read(at, 10_000, 256 << 10, &mut batch).expect("readable records") > 0 {
        if at == Index(0) {
            assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
            println!("first records after {:?}", began.elapsed());
        }
        for (index, read) in (at.0..).zip(batch.values()) {
            assert_eq!(read, value(index));
        }
        at = batch.end();
    }
    assert_eq!(at, Index(records));
    let (after, most) = resident_kib();
    println!(
        "{records} records in {:?}; KiB: {before} before, {after} after, {most} at most",
        began.elapsed()
    );
    assert!(after < before + (16 << 10), "{before} KiB before, {after} KiB after");
    assert!(most < 128 << 10, "{most} KiB at most");
}
