use std::collections::VecDeque;

use proptest::prelude::*;
use sluice_model::{Mode, Shares};

use super::*;

fn machine() -> Machine {
    let limits = Limits { linger_ms: 0, frame_events: 7, ..Limits::default() };
    let mut machine = Machine::new(limits, Control::new(3), Index(0));
    machine.handle_numbered(vec![run(41, 0, 0)]);
    machine
}

/// A numbered run; an end of 0 stands for an open one.
fn run(incarnation: i64, first: u64, end: u64) -> Run {
    let end = (end > 0).then_some(Index(end));
    Run { incarnation: Some(incarnation), first: Index(first), end, started_at_ms: 0 }
}

fn route(machine: &mut Machine, epoch: i64, cut: i32) -> Outcome {
    let key = "q1/readings/pi-1/manual".parse().unwrap();
    let command = RoutingCommand::route(Shares::binary(Cut(cut)), Mode::Manual, "", "");
    machine.handle_command(&key, Epoch(epoch), &command, 0)
}

fn cut_of(order: &Order) -> Option<Cut> {
    match order.content {
        Content::Events { cut, .. } => Some(cut),
        Content::Gap { .. } => None,
    }
}

fn send(machine: &mut Machine, order: &Order, end: Index) -> Token {
    let done = Dispatched { end, bytes: 100, watermark: Some(end.0 as i64), messages: 1 };
    machine.handle_dispatched(order, done, 0)
}

#[test]
fn incarnations_of_another_version_are_not_named() {
    let mut machine = machine();
    machine.handle_numbered(vec![
        run(41, 0, 10),
        run(42, 10, 20),
        run(43, 20, 20),
        run(44, 20, 30),
        run(45, 30, 0),
    ]);
    machine.handle_versions(vec![Index(0), Index(20)]);
    machine.handle_durable(Index(40), 0);
    let mut named = Vec::new();
    while let Some(order) = machine.poll_dispatch(0) {
        send(&mut machine, &order, order.end);
        named.push((order.incarnation.0, order.previous.map(|previous| previous.incarnation.0)));
    }
    named.dedup();
    assert_eq!(named, [(41, None), (42, Some(41)), (44, None), (45, Some(44))]);
}

#[test]
fn nothing_leaves_before_the_number() {
    let mut machine = Machine::new(Limits::default(), Control::new(3), Index(0));
    machine.handle_numbered(vec![Run { incarnation: None, ..run(0, 0, 0) }]);
    machine.handle_durable(Index(5), 0);
    assert_eq!(machine.poll_dispatch(1_000), None);
    assert_eq!(machine.poll_sign_of_life(1_000), None);
}

#[test]
fn a_switch_concerns_the_next_frame() {
    let mut machine = machine();
    machine.handle_durable(Index(20), 0);
    let order = machine.poll_dispatch(0).unwrap();
    assert_eq!((cut_of(&order), order.end), (Some(Cut(0)), Index(7)));
    send(&mut machine, &order, order.end);
    assert_eq!(route(&mut machine, 9, 2), Outcome::Accepted);
    let order = machine.poll_dispatch(0).unwrap();
    assert_eq!((cut_of(&order), order.epoch, order.first_seq), (Some(Cut(2)), Epoch(9), 7));
    assert_eq!(machine.plan().from_seq, 7);
}

#[test]
fn older_incarnations_replay_first_and_are_named() {
    let mut machine = machine();
    machine.handle_numbered(vec![run(41, 0, 10), run(42, 10, 10), run(43, 10, 0)]);
    machine.handle_durable(Index(12), 0);
    let heartbeat = machine.poll_sign_of_life(0).unwrap();
    assert_eq!((heartbeat.incarnation, heartbeat.last), (Incarnation(43), -1));
    assert_eq!(heartbeat.previous, Some(Previous { incarnation: Incarnation(41), end: Seq(9) }));
    let first = machine.poll_dispatch(0).unwrap();
    assert_eq!((first.incarnation, first.previous), (Incarnation(41), None));
    send(&mut machine, &first, Index(10));
    let second = machine.poll_dispatch(0).unwrap();
    assert_eq!((second.incarnation, second.first_seq), (Incarnation(43), 0));
    assert_eq!(
        second.previous,
        Some(Previous { incarnation: Incarnation(41), end: Seq(9) }),
        "the empty one is skipped"
    );
}

#[test]
fn holes_become_gaps_or_are_passed() {
    let mut machine = machine();
    let hole = |first, end, kind| SpoolHole { first: Index(first), end: Index(end), kind };
    let gap = || HoleKind::Gap("disk full".into());
    machine.handle_holes(vec![
        hole(0, 3, gap()),
        hole(3, 5, HoleKind::Acknowledged),
        hole(8, 9, gap()),
    ]);
    machine.handle_durable(Index(12), 0);
    let mut seen = vec![];
    let mut tokens = vec![];
    while let Some(order) = machine.poll_dispatch(0) {
        seen.push((order.first.0, order.end.0, cut_of(&order).is_none()));
        tokens.push(send(&mut machine, &order, order.end));
    }
    assert_eq!(seen, [(0, 3, true), (5, 8, false), (8, 9, true), (9, 12, false)]);
    machine.handle_acknowledged(tokens[1], 0);
    assert_eq!(machine.acknowledged_ahead(), [Index(3)..Index(5), Index(5)..Index(8)]);
    machine.handle_acknowledged(tokens[0], 0);
    assert_eq!(machine.cursor(), Index(8));
}

#[test]
fn a_leave_waits_for_the_drain() {
    let mut machine = machine();
    machine.handle_durable(Index(3), 0);
    machine.handle_leaving();
    let order = machine.poll_dispatch(0).unwrap();
    let token = send(&mut machine, &order, order.end);
    assert!(!machine.poll_sign_of_life(0).unwrap().is_leave);
    machine.handle_acknowledged(token, 0);
    let leave = machine.poll_sign_of_life(1_000).unwrap();
    assert_eq!((leave.is_leave, leave.last), (true, 2));
}

#[test]
fn a_hanging_path_is_found_only_while_others_are_heard() {
    let mut machine = machine();
    machine.handle_durable(Index(14), 0);
    let order = machine.poll_dispatch(0).unwrap();
    send(&mut machine, &order, order.end);
    assert_eq!(machine.poll_hanging_path(20_000), None, "nobody is heard: the link may be down");
    route(&mut machine, 9, 2);
    let order = machine.poll_dispatch(0).unwrap();
    let token = send(&mut machine, &order, order.end);
    machine.handle_acknowledged(token, 100);
    assert_eq!(machine.poll_hanging_path(9_999), None);
    assert_eq!(machine.poll_hanging_path(10_000), Some(Cut(0)));
    machine.handle_discarded(10_000);
    assert_eq!(machine.poll_dispatch(10_000).unwrap().first, Index(0));
}

#[test]
fn a_hanging_path_that_fills_the_budget_can_be_left() {
    let limits = Limits { in_flight_bytes: (100, 100), linger_ms: 0, ..Limits::default() };
    let mut machine = Machine::new(limits, Control::new(3), Index(0));
    machine.handle_numbered(vec![run(41, 0, 0)]);
    machine.handle_durable(Index(14), 0);
    let order = machine.poll_dispatch(0).unwrap();
    send(&mut machine, &order, order.first.plus(7));
    route(&mut machine, 9, 2);
    assert_eq!(machine.poll_dispatch(5_000), None, "no room, so that nobody else can be heard");
    assert_eq!(machine.poll_hanging_path(9_999), None);
    assert_eq!(machine.poll_hanging_path(10_000), Some(Cut(0)));
    machine.handle_discarded(10_000);
    let again = machine.poll_dispatch(10_000).unwrap();
    assert_eq!((again.first, cut_of(&again)), (Index(0), Some(Cut(2))));
}

#[derive(Debug, Clone)]
enum Step {
    Accept(u64),
    Dispatch(u64),
    Acknowledge(usize),
    Discard,
    Route(i32),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (1u64..20).prop_map(Step::Accept),
        (1u64..8).prop_map(Step::Dispatch),
        (0usize..6).prop_map(Step::Acknowledge),
        Just(Step::Discard),
        (0i32..4).prop_map(Step::Route),
    ]
}

proptest! {
    /// The cursor never passes an event that was not acknowledged, ranges are contiguous from it on, and the heartbeat
    /// names no more than what is acknowledged.
    #[test]
    fn the_cursor_is_the_acknowledged_prefix(steps in prop::collection::vec(step(), 1..120)) {
        let mut machine = machine();
        let (mut durable, mut epoch) = (0, 0);
        let mut flying: VecDeque<(Token, u64, u64)> = VecDeque::new();
        let mut acked = vec![];
        for step in steps {
            match step {
                Step::Accept(n) => {
                    durable += n;
                    machine.handle_durable(Index(durable), 0);
                }
                Step::Dispatch(n) => {
                    if let Some(order) = machine.poll_dispatch(0) {
                        let expected = flying.back().map_or(machine.cursor().0, |f| f.2);
                        prop_assert_eq!(order.first.0.max(expected), order.first.0);
                        let end = order.end.min(order.first.plus(n));
                        let token = send(&mut machine, &order, end);
                        flying.push_back((token, order.first.0, end.0));
                    }
                }
                Step::Acknowledge(at) => {
                    if let Some((token, first, end)) = flying.remove(at) {
                        acked.resize(acked.len().max(end as usize), false);
                        acked[first as usize..end as usize].fill(true);
                        machine.handle_acknowledged(token, 0);
                    }
                }
                Step::Discard => {
                    flying.clear();
                    machine.handle_discarded(0);
                    // What was acknowledged behind the cursor is dispatched again.
                    acked.truncate(machine.cursor().0 as usize);
                }
                Step::Route(cut) => {
                    epoch += 1;
                    route(&mut machine, epoch, cut);
                    prop_assert_eq!(machine.plan().epoch, Epoch(epoch));
                }
            }
            let prefix = acked.iter().position(|a| !a).unwrap_or(acked.len()) as u64;
            prop_assert_eq!(machine.cursor(), Index(prefix));
            prop_assert_eq!(machine.acked_seq(), prefix as i64 - 1);
        }
    }
}
