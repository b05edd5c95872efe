//! Files that grow, are rotated, cut off and compressed, while the source starts and stops.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use crate::support::{Run, await_that, options};
use flate2::Compression;
use flate2::write::GzEncoder;
use sluice_sources::file::{Follow, From, Settings};
use tempfile::TempDir;

fn settings(path: &Path) -> Settings {
    Settings {
        path: path.to_owned(),
        pattern: "*".to_owned(),
        from: From::Start,
        poll: Duration::from_millis(5),
        settle: Duration::from_millis(50),
        max_line_bytes: 1 << 10,
    }
}

struct Rig {
    logs: TempDir,
    data: TempDir,
}

impl Rig {
    fn new() -> Self {
        Self { logs: TempDir::new().unwrap(), data: TempDir::new().unwrap() }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.logs.path().join(name)
    }

    fn append(&self, name: &str, text: &str) {
        let mut file = OpenOptions::new().create(true).append(true).open(self.path(name)).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    fn compress(&self, name: &str, text: &str) {
        let mut encoder =
            GzEncoder::new(File::create(self.path(name)).unwrap(), Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap();
    }

    fn start(&self, settings: Settings) -> Run {
        let folder = self.data.path().to_owned();
        let open = move |intake| Follow::open(settings, intake, folder);
        crate::support::run(&options(&self.data.path().join("spool")), open, Follow::run)
    }
}

fn numbers(range: std::ops::Range<u32>) -> Vec<String> {
    range.map(|n| format!("line {n}")).collect()
}

fn lines(range: std::ops::Range<u32>) -> String {
    numbers(range).iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn an_unfinished_last_line_waits() {
    let rig = Rig::new();
    rig.append("log", "line 0\nline");
    let run = rig.start(settings(&rig.path("log")));
    run.await_events(1);
    rig.append("log", " 1\r\nli");
    run.await_events(2);
    assert_eq!(run.stop(), ["line 0", "line 1\r"]);
}

#[test]
fn a_restart_goes_on_behind_the_last_event() {
    let rig = Rig::new();
    rig.append("log", &lines(0..2_500));
    let run = rig.start(settings(&rig.path("log")));
    run.await_events(2_500);
    run.stop();
    rig.append("log", &lines(2_500..2_600));
    let run = rig.start(settings(&rig.path("log")));
    run.await_events(2_600);
    run.stop();
    let run = rig.start(settings(&rig.path("log")));
    rig.append("log", &lines(2_600..2_700));
    run.await_events(2_700);
    assert_eq!(run.stop(), numbers(0..2_700));
}

#[test]
fn a_rotated_file_is_read_to_its_end() {
    let rig = Rig::new();
    rig.append("log", &lines(0..100));
    let run = rig.start(settings(&rig.path("log")));
    run.await_events(100);
    fs::rename(rig.path("log"), rig.path("log.1")).unwrap();
    rig.append("log.1", &lines(100..110));
    rig.append("log.1", "line 110");
    rig.append("log", &lines(111..200));
    run.await_events(200);
    assert_eq!(run.stop(), numbers(0..200));
}

#[test]
fn a_file_rotated_while_the_source_was_away_is_found_again() {
    let rig = Rig::new();
    rig.append("log", &lines(0..100));
    let run = rig.start(settings(&rig.path("log")));
    run.await_events(100);
    run.stop();
    rig.append("log", &lines(100..150));
    fs::rename(rig.path("log"), rig.path("log.1")).unwrap();
    rig.append("log", &lines(150..200));
    let run = rig.start(settings(&rig.path("log")));
    run.await_events(200);
    assert_eq!(run.stop(), numbers(0..200));
}

#[test]
fn a_copy_of_what_was_read_is_not_read_again_compressed_or_not() {
    let rig = Rig::new();
    rig.append("log", &lines(0..300));
    let run = rig.start(settings(&rig.path("log")));
    run.await_events(300);
    fs::rename(rig.path("log"), rig.path("log.1")).unwrap();
    rig.append("log", &lines(300..301));
    run.await_events(301);
    rig.compress("log.1.gz", &lines(0..300));
    fs::remove_file(rig.path("log.1")).unwrap();
    rig.append("log.copy", &lines(0..300));
    run.stop();
    let run = rig.start(settings(&rig.path("log")));
    rig.append("log", &lines(301..310));
    run.await_events(310);
    assert_eq!(run.stop(), numbers(0..310));
}

/// Its content would tell that it is another file, but nobody has written to it.
#[test]
fn a_copy_that_was_read_is_not_looked_into_again() {
    let rig = Rig::new();
    rig.compress("a.csv.gz", &lines(0..50));
    let run = rig.start(settings(rig.logs.path()));
    run.await_events(50);
    // Known as read by now, since the next file is.
    rig.append("b.csv", &lines(50..60));
    run.await_events(60);
    let path = rig.path("a.csv.gz");
    let written = fs::metadata(&path).unwrap();
    let other = vec![b'x'; usize::try_from(written.len()).unwrap()];
    let mut file = OpenOptions::new().write(true).open(&path).unwrap();
    file.write_all(&other).unwrap();
    file.set_modified(written.modified().unwrap()).unwrap();
    drop(file);
    rig.append("c.csv", &lines(60..70));
    run.await_events(70);
    assert_eq!(run.stop(), numbers(0..70));
}

#[test]
fn a_file_that_was_cut_off_begins_anew() {
    let rig = Rig::new();
    rig.append("log", &lines(0..100));
    let run = rig.start(settings(&rig.path("log")));
    run.await_events(100);
    File::create(rig.path("log")).unwrap();
    rig.append("log", &lines(0..3));
    run.await_events(103);
    assert_eq!(run.stop(), [numbers(0..100), numbers(0..3)].concat());
}

#[test]
fn the_files_of_a_folder_are_read_one_behind_the_other() {
    let rig = Rig::new();
    rig.compress("a.csv.gz", &lines(0..50));
    rig.append("b.csv", &lines(50..60));
    rig.append("b.csv", "line 60");
    rig.append("other.txt", "no\n");
    let settings = Settings { pattern: "*.csv*".to_owned(), ..settings(rig.logs.path()) };
    let run = rig.start(settings);
    run.await_events(60);
    rig.append("c.csv", &lines(61..70));
    run.await_events(70);
    assert_eq!(run.stop(), numbers(0..70));
}

#[test]
fn a_source_may_begin_at_the_end() {
    let rig = Rig::new();
    rig.append("log", &lines(0..100));
    let run = rig.start(Settings { from: From::End, ..settings(&rig.path("log")) });
    await_that("the place is noted", || rig.data.path().join("source.json").exists());
    rig.append("log", &lines(100..110));
    run.await_events(10);
    assert_eq!(run.stop(), numbers(100..110));
}

#[test]
fn a_line_that_is_too_long_is_counted_and_the_restart_still_exact() {
    let rig = Rig::new();
    rig.append("log", &format!("{}{}\n{}", lines(0..5), "x".repeat(5_000), lines(5..9)));
    let run = rig.start(settings(&rig.path("log")));
    run.await_events(9);
    assert_eq!(run.seen.oversize.load(std::sync::atomic::Ordering::Relaxed), 1);
    run.stop();
    let run = rig.start(settings(&rig.path("log")));
    rig.append("log", &lines(9..12));
    run.await_events(12);
    assert_eq!(run.stop(), numbers(0..12));
}

#[test]
fn a_lost_spool_does_not_bring_old_lines_again() {
    let rig = Rig::new();
    rig.append("log", &lines(0..100));
    let run = rig.start(settings(&rig.path("log")));
    run.await_events(100);
    run.stop();
    // A start notes the place anew.
    rig.start(settings(&rig.path("log"))).stop();
    fs::remove_dir_all(rig.data.path().join("spool")).unwrap();
    let run = rig.start(settings(&rig.path("log")));
    rig.append("log", &lines(100..105));
    run.await_events(5);
    assert_eq!(run.stop(), numbers(100..105));
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let rig = Rig::new();
    let error = match Follow::open(
        settings(Path::new("/no/such/log")),
        crate::support::intake(&rig.data.path().join("spool")),
        rig.data.path().to_owned(),
    ) {
        Ok(_) => panic!("opened"),
        Err(error) => format!("{error:#}"),
    };
    assert!(error.contains("sources.path = /no/such/log"), "{error}");
}
