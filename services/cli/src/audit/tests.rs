use proptest::prelude::*;
use sluice_model::{Cut, Epoch, Seq};
use sluice_wire::{Event, FrameHeader, FrameKind, Previous};

use super::*;

const DEVICE: &str = "pi-1";

fn id() -> DeviceId {
    DeviceId::new(DEVICE).unwrap()
}

/// A data frame whose events have the given seqs.
fn frame(incarnation: i64, first: i64, last: i64, seqs: &[i64]) -> Frame<'static> {
    let header = FrameHeader {
        kind: FrameKind::Data,
        device: id(),
        incarnation: Incarnation(incarnation),
        previous: None,
        epoch: Epoch(0),
        left_at: Cut(0),
        applied: 3,
        first: Seq(first),
        last: Seq(last),
        watermark: None,
        dead: 0,
        reason: None,
        dispatched_at: 0,
    };
    let event = |seq: &i64| Event { delta: (seq - first) as i32, time: None, value: None };
    Frame { header, events: seqs.iter().map(event).collect() }
}

fn with(frame: Frame<'static>, change: impl FnOnce(&mut FrameHeader)) -> Frame<'static> {
    let mut frame = frame;
    change(&mut frame.header);
    frame
}

fn audit(frames: &[Frame<'_>]) -> DeviceReport {
    let mut audit = Audit::default();
    frames.iter().for_each(|frame| audit.handle_frame(0, frame));
    audit.report().devices.remove(DEVICE).unwrap_or_default()
}

fn dead_copy(seq: i64, crc32: i64) -> DeadEvent {
    DeadEvent {
        input: "readings".to_owned(),
        device: DEVICE.to_owned(),
        incarnation: Some(1),
        seq: Some(seq),
        time: None,
        operator: "parse".to_owned(),
        reason: String::new(),
        topic: None,
        partition: None,
        offset: None,
        schema_id: None,
        head: Vec::new(),
        size: 0,
        crc32,
    }
}

#[test]
fn events_of_a_range_are_emitted_and_the_rest_is_filtered() {
    let report = audit(&[frame(1, 0, 9, &[0, 0, 3, 9])]);
    assert_eq!((report.dispatched, report.emitted, report.filtered), (10, 3, 7));
    assert_eq!((report.lost, report.replayed), (0, 0));
}

#[test]
fn a_hole_is_lost_until_it_is_filled() {
    let late = frame(1, 0, 4, &[1]);
    let early = frame(1, 5, 9, &[5]);
    assert_eq!(audit(std::slice::from_ref(&early)).lost, 5);
    assert_eq!(audit(&[early, late]).lost, 0);
}

#[test]
fn a_replay_counts_its_new_part_only() {
    let report = audit(&[frame(1, 0, 4, &[4]), frame(1, 3, 7, &[4, 5])]);
    assert_eq!((report.dispatched, report.emitted, report.replayed), (8, 2, 2));
}

#[test]
fn a_heartbeat_names_what_must_have_come() {
    let beat = with(frame(1, 8, 7, &[]), |h| h.kind = FrameKind::Heartbeat);
    assert_eq!(audit(&[frame(1, 0, 4, &[]), beat]).lost, 3);
}

#[test]
fn a_newer_incarnation_names_the_end_of_the_older_one() {
    let newer = with(frame(2, 0, 0, &[]), |h| {
        h.previous = Some(Previous { incarnation: Incarnation(1), end: Seq(9) });
    });
    let report = audit(&[frame(1, 0, 4, &[]), newer]);
    assert_eq!((report.incarnations, report.dispatched, report.lost), (2, 11, 5));
}

#[test]
fn a_gap_is_declared_not_lost() {
    let gap = with(frame(1, 5, 9, &[]), |h| h.kind = FrameKind::Gap);
    let report = audit(&[frame(1, 0, 4, &[0]), gap]);
    assert_eq!((report.gap, report.filtered, report.lost), (5, 4, 0));
}

#[test]
fn dead_events_need_a_copy() {
    let dying = with(frame(1, 0, 9, &[0]), |h| h.dead = 2);
    for (copies, problems) in [(&[(3, 7), (3, 7), (4, 8)][..], 0), (&[(3, 7)], 1)] {
        let mut audit = Audit::default();
        audit.handle_frame(0, &dying);
        copies.iter().for_each(|&(seq, crc)| audit.handle_dead(&dead_copy(seq, crc)));
        let report = audit.report();
        let device = &report.devices[DEVICE];
        assert_eq!((device.emitted, device.dead, device.filtered), (1, 2, 7));
        assert_eq!(device.problems.len(), problems, "{copies:?}");
    }
}

#[test]
fn switches_follow_the_seqs_not_the_order_of_arrival() {
    let at = |first, epoch, cut| {
        with(frame(1, first, first + 9, &[]), |h| {
            h.epoch = Epoch(epoch);
            h.left_at = Cut(cut);
        })
    };
    let mut audit = Audit::default();
    for frame in [at(20, 6, 0), at(0, 5, 3), at(30, 6, 1), at(10, 5, 3)] {
        audit.handle_frame(0, &frame);
    }
    let report = audit.report();
    assert_eq!(report.switches(), 1);
    assert_eq!(report.cut_shares(), "0:25.0%,1:25.0%,3:50.0%");
    assert_eq!(report.devices[DEVICE].by_epoch.len(), 2);
}

#[test]
fn an_incarnation_has_one_partition() {
    let mut audit = Audit::default();
    audit.handle_frame(0, &frame(1, 0, 0, &[]));
    audit.handle_frame(1, &frame(2, 0, 0, &[]));
    assert_eq!(audit.report().devices[DEVICE].problems.len(), 0);
    audit.handle_frame(1, &frame(1, 1, 1, &[]));
    assert_eq!(audit.report().devices[DEVICE].problems.len(), 1);
}

#[test]
fn a_status_tells_what_is_outstanding() {
    let mut audit = Audit::default();
    audit.handle_frame(0, &frame(1, 0, 4, &[]));
    let status = DeviceStatus {
        incarnation: Some(Incarnation(1)),
        acked_seq: 4,
        next_seq: 7,
        ..DeviceStatus::empty(0)
    };
    audit.handle_status(&id(), &status);
    let device = &audit.report().devices[DEVICE];
    assert_eq!((device.outstanding, device.lost), (2, 0));
    audit.handle_status(&id(), &DeviceStatus { acked_seq: 6, ..status });
    let device = &audit.report().devices[DEVICE];
    assert_eq!((device.outstanding, device.lost), (0, 2));
}

proptest! {
    /// Whatever frames come in whatever order, the books balance, and agree with a plain set of seqs.
    #[test]
    fn the_books_balance(
        frames in prop::collection::vec((0i64..60, 0i64..12, 0i32..3, any::<u16>(), any::<bool>()), 0..30)
    ) {
        let mut seen: BTreeMap<i64, bool> = BTreeMap::new();
        let (mut offered, mut highest) = (0, -1);
        let frames: Vec<Frame<'_>> = frames
            .into_iter()
            .map(|(first, len, dead, mask, gap)| {
                let last = first + len;
                let seqs: Vec<i64> =
                    (first..=last).filter(|s| !gap && mask >> (s - first) & 1 == 1).collect();
                offered += len + 1;
                highest = highest.max(last);
                (first..=last).for_each(|s| { seen.entry(s).or_insert(seqs.contains(&s)); });
                with(frame(1, first, last, &seqs), |h| {
                    if gap { h.kind = FrameKind::Gap } else { h.dead = dead }
                })
            })
            .collect();
        let report = audit(&frames);
        let accounted = report.emitted + report.filtered + report.dead + report.gap;
        prop_assert_eq!(report.dispatched, highest + 1);
        prop_assert_eq!(report.dispatched, accounted + report.lost);
        prop_assert_eq!(accounted, seen.len() as i64);
        prop_assert_eq!(report.emitted, seen.values().filter(|e| **e).count() as i64);
        prop_assert_eq!(report.replayed, offered - accounted);
        prop_assert_eq!(report.by_epoch.iter().map(|s| s.dispatched).sum::<i64>(), accounted);
    }
}
