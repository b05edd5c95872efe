//! Each mode against a plain list: what is promised at once, what a kill may lose, and that no number is used twice.

use std::collections::HashMap;

use proptest::prelude::*;
use sluice_spool::{AppendError, Full, Index, Mode, Options, Spool};

use crate::support::{MemoryDisk, eventually, read_all, settle, small, soon};

fn options(mode: Mode) -> Options {
    Options { mode, memory_bytes: 4 << 10, max_bytes: 12 << 10, ..small() }
}

fn started(disk: &MemoryDisk, options: &Options, incarnation: i64) -> Spool {
    let spool = disk.open(options);
    spool.begin_start("n", 1).expect("a start");
    spool.number_start(incarnation).expect("a number");
    spool
}

#[derive(Clone, Debug)]
enum Step {
    Append { values: usize, bytes: usize },
    Advance { permille: u64 },
    Read { limit: usize },
    Uplink { up: bool },
    Persist,
    Reopen,
    Kill,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (1..20_usize, 0..200_usize).prop_map(|(values, bytes)| Step::Append { values, bytes }),
        4 => (0..=1000_u64).prop_map(|permille| Step::Advance { permille }),
        2 => (1..50_usize).prop_map(|limit| Step::Read { limit }),
        2 => any::<bool>().prop_map(|up| Step::Uplink { up }),
        1 => Just(Step::Persist),
        1 => Just(Step::Reopen),
        1 => Just(Step::Kill),
    ]
}

/// The records that a spool should have, with what every number that was ever given stands for.
struct Model {
    mode: Mode,
    disk: MemoryDisk,
    spool: Spool,
    list: Vec<Vec<u8>>,
    cursor: u64,
    persisted: u64,
    starts: i64,
    numbered: HashMap<(i64, i64), Vec<u8>>,
    made: u32,
}

impl Model {
    fn new(mode: Mode) -> Model {
        let disk = MemoryDisk::default();
        let spool = started(&disk, &options(mode), 1);
        Model {
            mode,
            disk,
            spool,
            list: Vec::new(),
            cursor: 0,
            persisted: 0,
            starts: 1,
            numbered: HashMap::new(),
            made: 0,
        }
    }

    fn append(&mut self, values: usize, bytes: usize) {
        let mut value = |n: usize| {
            self.made += 1;
            [&self.made.to_le_bytes(), &vec![7; (bytes + n) % 200][..]].concat()
        };
        let values: Vec<_> = (0..values).map(&mut value).collect();
        match self.spool.append_batch(&values, 1) {
            Err(AppendError::Full(Full::Spool)) => {}
            Err(error) => panic!("{error}"),
            Ok(appended) => {
                assert_eq!(appended.start, Index(self.list.len() as u64));
                let count = appended.end.since(appended.start) as usize;
                self.list.extend(values.into_iter().take(count));
            }
        }
        // Any of them may be dispatched now.
        let runs = self.spool.runs();
        for index in self.cursor..self.spool.durable().0 {
            let index = Index(index);
            let run = runs.iter().find(|run| run.contains(index)).expect("a run");
            let number = (run.incarnation.expect("a number"), run.seq(index));
            let value = &self.list[index.0 as usize];
            assert_eq!(self.numbered.entry(number).or_insert_with(|| value.clone()), value);
        }
    }

    /// Opens what was left, of which at least `least` records must be there.
    fn restart(&mut self, disk: MemoryDisk, least: u64, accepted: u64, exact: bool) {
        self.disk = disk;
        self.starts += 1;
        self.spool = started(&self.disk, &options(self.mode), self.starts);
        let (next, before) = (self.spool.next_index().0, self.list.len() as u64);
        assert!((least..=before).contains(&next), "{least} {next} {before}");
        let (lost, told) = (accepted.saturating_sub(next), self.spool.lost_records());
        assert!(told == lost || told > lost && !exact && self.mode != Mode::Disk, "{told}, {lost}");
        self.list.truncate(next as usize);
        assert!((self.persisted..=self.cursor).contains(&self.spool.cursor().0));
        self.cursor = self.spool.cursor().0;
        self.persisted = self.cursor;
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Append { values, bytes } => self.append(values, bytes),
            Step::Advance { permille } => {
                self.cursor += (self.spool.durable().0 - self.cursor) * permille / 1000;
                self.spool.advance_cursor(Index(self.cursor)).expect("a cursor");
            }
            Step::Read { limit } => {
                settle(&self.spool);
                let read = read_all(&self.spool, Index(self.cursor), limit);
                let read: Vec<_> = read.into_iter().map(|(value, _)| value).collect();
                assert_eq!(read, self.list[self.cursor as usize..]);
            }
            Step::Uplink { up } => {
                self.spool.set_uplink(up);
                if self.mode == Mode::Spill && !up {
                    let all_on_disk = || self.spool.on_disk() == self.spool.next_index();
                    eventually("spilled", all_on_disk);
                    assert_eq!(self.spool.at_risk_bytes(), 0);
                    self.spool.set_uplink(true);
                }
            }
            Step::Persist => {
                self.spool.persist_cursor().expect("a journal");
                self.persisted = self.cursor;
            }
            Step::Reopen => {
                self.spool.close().expect("a clean end");
                self.persisted = self.cursor;
                let kept = self.mode != Mode::Memory;
                let least = if kept { self.list.len() as u64 } else { self.cursor };
                self.restart(self.disk.clone(), least, self.list.len() as u64, true);
            }
            Step::Kill => {
                let on_disk = self.spool.on_disk().0.min(self.spool.durable().0);
                let least = if on_disk > self.cursor { on_disk } else { self.persisted };
                let accepted = self.spool.durable().0;
                self.restart(self.disk.killed(), least, accepted, false);
            }
        }
        assert_eq!(self.spool.next_index(), Index(self.list.len() as u64));
        assert_eq!(self.spool.holes(), []);
        let options = options(self.mode);
        assert!(self.spool.bytes() <= options.max_bytes);
        let bound = if self.mode == Mode::Disk { 0 } else { options.memory_bytes };
        assert!(self.spool.at_risk_bytes() <= bound);
        if self.mode == Mode::Memory {
            assert!(self.disk.segments().is_empty());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_spool_is_a_list_in_each_mode(
        mode in prop::sample::select(vec![Mode::Disk, Mode::Spill, Mode::Memory]),
        steps in prop::collection::vec(step(), 1..80),
    ) {
        let mut model = Model::new(mode);
        for step in steps {
            model.step(step);
        }
    }
}

#[test]
fn spill_writes_no_record_while_the_uplink_works_and_memory_lasts() {
    let disk = MemoryDisk::default();
    let spool = started(&disk, &options(Mode::Spill), 1);
    for round in 0..2_000_u64 {
        let appended = spool.append_batch(&[[1; 100], [2; 100]], 1).expect("room");
        settle(&spool);
        assert_eq!(read_all(&spool, appended.start, 5).len(), 2);
        assert_eq!(appended.start, Index(2 * round));
        spool.advance_cursor(appended.end).expect("a cursor");
    }
    assert_eq!((disk.segments().len(), spool.at_risk_bytes(), spool.syncs()), (0, 0, 0));
    assert!(spool.written_bytes_per_event() < 20.0, "{}", spool.written_bytes_per_event());

    spool.append_batch(&[[3; 100], [4; 100]], 1).expect("room");
    assert!(spool.at_risk_bytes() > 200);
    assert_eq!(disk.killed().open(&options(Mode::Spill)).lost_records() >> 17, 0);
    spool.set_uplink(false);
    eventually("spilled", || spool.on_disk() == spool.next_index());
    let spool = disk.killed().open(&options(Mode::Disk));
    assert_eq!((spool.cursor(), spool.next_index()), (Index(4000), Index(4002)));
    assert_eq!(read_all(&spool, Index(4000), 1), [(vec![3; 100], 1), (vec![4; 100], 1)]);
}

#[test]
fn spill_writes_when_memory_runs_full_and_reads_in_order() {
    let disk = MemoryDisk::default();
    let spool = started(&disk, &options(Mode::Spill), 1);
    for n in 0..80_u8 {
        spool.append(&[n; 100], 1).expect("room");
        assert!(spool.at_risk_bytes() <= 4 << 10);
    }
    assert!(!disk.segments().is_empty());
    settle(&spool);
    let expected: Vec<_> = (0..80_u8).map(|n| (vec![n; 100], 1)).collect();
    assert_eq!(read_all(&spool, Index(0), 7), expected);
    spool.close().expect("a clean end");
    drop(spool);
    let spool = disk.open(&options(Mode::Spill));
    assert_eq!((spool.lost_records(), read_all(&spool, Index(0), 7)), (0, expected));
}

#[test]
fn a_full_memory_refuses_and_has_room_again_once_records_are_acknowledged() {
    let spool = started(&MemoryDisk::default(), &options(Mode::Memory), 1);
    let mut appended = 0;
    let full = loop {
        match spool.append(&[7; 100], 1) {
            Ok(_) => appended += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(full, AppendError::Full(Full::Spool)), "{full}");
    assert!((30..40).contains(&appended), "{appended}");
    settle(&spool);
    spool.advance_cursor(Index(appended / 2)).expect("a cursor");
    assert!(spool.wait_for_room(100, soon()).expect("a working spool"));
    spool.append(&[7; 100], 1).expect("room");
    settle(&spool);
    spool.advance_cursor(spool.durable()).expect("a cursor");
    spool
        .append(&vec![1; spool.max_value_bytes()], 1)
        .expect("any value fits into an empty memory");
}

#[test]
fn a_reservation_is_durable_before_a_record_may_be_dispatched() {
    let disk = MemoryDisk::default();
    let spool = started(&disk, &options(Mode::Memory), 1);
    disk.with(|memory| memory.hold_syncs = true);
    spool.append(b"record", 1).expect("room");
    assert_eq!((spool.durable(), spool.next_index()), (Index(0), Index(1)));
    disk.with(|memory| memory.hold_syncs = false);
    settle(&spool);
    let lost = disk.killed().open(&options(Mode::Memory)).lost_records();
    assert!((1..=1 + (1 << 16)).contains(&lost), "{lost}");
    let after_crash = disk.killed();
    drop(started(&after_crash, &options(Mode::Disk), 2));
    let told = after_crash.open(&options(Mode::Disk)).lost_records();
    assert_eq!(told, 0, "a start forgets what the one before it reserved");
    spool.close().expect("a clean end");
    assert_eq!(disk.open(&options(Mode::Memory)).lost_records(), 1);
}

#[test]
fn the_mode_may_change_between_starts() {
    let disk = MemoryDisk::default();
    let mut expected = Vec::new();
    for (n, mode) in [Mode::Disk, Mode::Spill, Mode::Disk, Mode::Memory].into_iter().enumerate() {
        let spool = started(&disk, &options(mode), n as i64 + 1);
        spool.append(&[n as u8; 100], 1).expect("room");
        settle(&spool);
        expected.push((vec![n as u8; 100], 1));
        assert_eq!(read_all(&spool, Index(0), 9), expected);
        spool.close().expect("a clean end");
    }
    let spool = disk.open(&options(Mode::Disk));
    assert_eq!((spool.next_index(), spool.lost_records()), (Index(3), 1));
}
