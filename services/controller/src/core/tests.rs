//! The fleet on a virtual clock.

use sluice_model::{
    CpuCounters, Cut, CutCounters, DeviceState, EdgeCounters, Mode, PlanInForce, PlanMode, Refusal,
    Share, Shares, Verdict,
};
use sluice_policy::{Hull, HullSettings, Plan, Problem};

use super::*;

const KEY: &str = "q1/readings/pi-1";

fn key() -> DeviceKey {
    KEY.parse().unwrap()
}

/// A policy that wants one cut, whatever is known.
#[derive(Debug)]
struct Wants(i32);

impl Policy for Wants {
    fn name(&self) -> &'static str {
        "wants"
    }

    fn solve(&self, problem: &Problem, previous: &Plan) -> sluice_policy::Decision {
        let plan = Shares::binary(Cut(self.0));
        let plan = match *previous.base() == plan {
            true => previous.clone(),
            false => Plan::new(plan, problem.now_ms),
        };
        sluice_policy::Decision {
            plan,
            reasons: vec![sluice_policy::Reason::TargetMet],
            predictions: problem.estimates.predict(),
            sustained_per_second: None,
        }
    }
}

/// A fleet of one device, and the clock.
struct World {
    fleet: Fleet,
    now_ms: i64,
    boot: &'static str,
    up_us: i64,
    events: i64,
    epoch: i64,
}

impl World {
    fn new(policy: impl Policy + 'static) -> Self {
        let mut fleet = Fleet::new(Rules::default(), Box::new(policy));
        let query = serde_json::json!({"query": "q1", "version": 1, "inputs": [{"name": "readings",
            "partitions": 1, "types": ["\"string\"", "\"string\"", "\"string\""], "operators": [
                {"name": "v1", "engine": "native"}, {"name": "v2", "engine": "native"}]}]});
        fleet.handle_query(&key().query, Some(serde_json::from_value(query).unwrap()));
        let entry =
            DeviceEntry { partition: 0, source: "s".to_owned(), state: DeviceState::Joined };
        fleet.handle_entry(&key(), Some(entry), 0);
        fleet.handle_leading(true, 0);
        let mut world = Self { fleet, now_ms: 0, boot: "a", up_us: 0, events: 0, epoch: 1 };
        world.say_plan(Shares::binary(Cut(0)), PlanMode::Auto);
        world
    }

    fn say_plan(&mut self, shares: Shares, mode: PlanMode) {
        let plan = PlanInForce { epoch: Epoch(self.epoch), mode, shares, from_seq: 0 };
        let status = DeviceStatus { plan: Some(plan), ..DeviceStatus::empty(self.now_ms) };
        self.fleet.handle_status(&key(), status, self.now_ms);
    }

    fn telemetry(&self) -> Telemetry {
        let cut = |bytes: i64| CutCounters {
            left_events: self.events,
            left_packed_bytes: self.events * bytes,
            sample_events: self.events / 10,
            sample_out_events: self.events / 10,
            sample_busy_us: self.events,
            sample_packed_bytes: self.events / 10 * bytes,
            ..CutCounters::default()
        };
        let edge = EdgeCounters {
            accepted_events: self.events,
            acked_events: self.events,
            cuts: vec![cut(100), cut(50), cut(10)],
            wire_bytes: self.events * 100,
            cpu: CpuCounters { used_us: self.events * 20, cores: 4.0, ..CpuCounters::default() },
            ..EdgeCounters::default()
        };
        Telemetry {
            boot: self.boot.to_owned(),
            uptime_us: self.up_us,
            at: self.now_ms,
            version: 1,
            edge: Some(edge),
            replica: None,
        }
    }

    /// Lets seconds go by in which the device works and reports.
    fn work(&mut self, seconds: i64) -> Vec<Ruling> {
        let mut rulings = Vec::new();
        for _ in 0..seconds {
            self.now_ms += 1_000;
            self.up_us += 1_000_000;
            self.events += 1_000;
            self.fleet.handle_telemetry(KEY, self.telemetry(), self.now_ms);
            rulings.extend(self.fleet.poll(self.now_ms));
        }
        rulings
    }

    /// Lets seconds go by without a word of the device.
    fn wait(&mut self, seconds: i64) -> Vec<Ruling> {
        let turns = (0..seconds).flat_map(|_| {
            self.now_ms += 1_000;
            self.fleet.poll(self.now_ms)
        });
        turns.collect()
    }

    /// The command stands in the topic; the device follows it or not.
    fn place(&mut self, follows: bool, cut: i32) {
        self.epoch += 1;
        self.fleet.handle_placed(&key(), Some(Epoch(self.epoch)), self.now_ms);
        if follows {
            self.say_plan(Shares::binary(Cut(cut)), PlanMode::Auto);
        }
    }
}

fn verdicts(rulings: &[Ruling]) -> Vec<Verdict> {
    rulings.iter().map(|ruling| ruling.decision.verdict).collect()
}

#[test]
fn what_the_policy_wants_is_commanded_on_condition() {
    let mut world = World::new(Wants(2));
    world.fleet.handle_broker_time(1_000_000, 0);
    let rulings = world.work(11);
    assert_eq!(verdicts(&rulings), [Verdict::Commanded]);
    let command = rulings[0].command.clone().unwrap();
    assert_eq!((command.cut, command.mode), (Some(Cut(2)), Mode::Auto));
    assert_eq!(command.if_epoch, Some(Epoch(1)));
    assert!(command.expires_at > Some(1_000_000 + world.now_ms), "by the broker's clock");
    assert_eq!(rulings[0].decision.inputs.arrivals_per_s, Some(1_000.0));
    assert_eq!(rulings[0].decision.cuts.len(), 3);
    world.place(true, 2);
    assert_eq!(verdicts(&world.work(20)), [Verdict::Kept; 2]);
}

#[test]
fn a_manual_device_is_left_alone_until_the_release() {
    let mut world = World::new(Wants(2));
    world.epoch = 5;
    world.say_plan(Shares::binary(Cut(1)), PlanMode::Manual);
    let rulings = world.work(45);
    assert_eq!(verdicts(&rulings), [Verdict::Manual], "kept once");
    assert!(rulings[0].command.is_none());
    world.say_plan(Shares::binary(Cut(1)), PlanMode::Auto);
    assert_eq!(verdicts(&world.work(10)), [Verdict::Commanded]);
}

#[test]
fn silence_holds_the_plan() {
    let mut world = World::new(Wants(2));
    assert_eq!(verdicts(&world.wait(35)), [Verdict::Held], "nothing was ever heard");
    world.work(3);
    let rulings = world.wait(40);
    assert_eq!(verdicts(&rulings).last(), Some(&Verdict::Held), "{rulings:?}");
    assert!(rulings.iter().filter(|r| r.command.is_some()).count() <= 1);
    assert!(rulings.last().unwrap().decision.reasons[0].contains("no telemetry for 10 s"));
}

#[test]
fn repeated_and_late_telemetry_changes_nothing() {
    let mut world = World::new(Wants(0));
    world.work(3);
    let late = world.telemetry();
    world.work(6);
    let before = world.fleet.device(&key()).unwrap().estimates().clone();
    for _ in 0..10 {
        world.fleet.handle_telemetry(KEY, late.clone(), world.now_ms + 10_000);
        let same = world.telemetry();
        world.fleet.handle_telemetry(KEY, same, world.now_ms + 20_000);
    }
    assert_eq!(*world.fleet.device(&key()).unwrap().estimates(), before);
}

#[test]
fn a_restarted_agent_begins_its_counters_anew() {
    let mut world = World::new(Wants(0));
    world.work(10);
    (world.boot, world.up_us, world.events) = ("b", 0, 0);
    world.work(10);
    let recent = world.fleet.device(&key()).unwrap().estimates().recent;
    assert!((recent.arrived_per_second - 1_000.0).abs() < 1.0, "{recent:?}");
}

#[test]
fn an_unanswered_command_is_not_sent_again_before_its_time() {
    let mut world = World::new(Wants(2));
    assert_eq!(verdicts(&world.work(11)), [Verdict::Commanded]);
    world.place(false, 2);
    assert_eq!(verdicts(&world.work(29)), [Verdict::Held]);
    assert_eq!(verdicts(&world.work(10)), [Verdict::Commanded]);
}

#[test]
fn a_refused_command_rests() {
    let mut world = World::new(Wants(2));
    world.work(11);
    world.place(false, 2);
    let mut status = world.fleet.device(&key()).unwrap().status.clone().unwrap();
    let (code, text) = ("not_ready".to_owned(), "no host".to_owned());
    status.refusal = Some(Refusal { epoch: Epoch(world.epoch), code, text });
    world.fleet.handle_status(&key(), status, world.now_ms);
    let rulings = world.work(25);
    assert!(rulings.iter().all(|ruling| ruling.decision.verdict == Verdict::Held));
    assert!(rulings[0].decision.reasons[0].contains("no host"), "{rulings:?}");
    assert_eq!(verdicts(&world.work(25)), [Verdict::Commanded, Verdict::Held]);
}

#[test]
fn a_takeover_changes_no_plan_by_itself() {
    let mut world = World::new(Hull::new(HullSettings::default()));
    world.fleet.handle_leading(false, 0);
    let shares = [(0, 300), (2, 700)].map(|(cut, per_mille)| Share { cut: Cut(cut), per_mille });
    let shares = Shares::new(shares.to_vec()).unwrap();
    world.say_plan(shares.clone(), PlanMode::Auto);
    assert_eq!(world.work(30), [], "who does not lead decides nothing");
    world.fleet.handle_leading(true, world.now_ms);
    assert_eq!(world.work(9), [], "a whole interval is watched first");
    let rulings = world.work(1);
    assert_eq!(rulings[0].decision.previous, shares, "it begins from the plan in force");
}

#[test]
fn another_version_begins_its_estimates_anew() {
    let mut world = World::new(Wants(2));
    world.work(9);
    let mut record = world.telemetry();
    (record.version, record.boot) = (2, "b".to_owned());
    world.now_ms += 1_000;
    world.fleet.handle_telemetry(KEY, record, world.now_ms);
    let rulings = world.fleet.poll(world.now_ms);
    assert_eq!(verdicts(&rulings), [Verdict::Held]);
    assert!(rulings[0].decision.reasons[0].contains("version 1"), "{rulings:?}");
}

#[test]
fn replicas_are_seen_while_they_are_heard() {
    let mut world = World::new(Wants(0));
    let replica = ReplicaCounters { from: 1, to: 2, events_in: 5, ..ReplicaCounters::default() };
    let record = Telemetry { edge: None, replica: Some(replica), ..world.telemetry() };
    world.fleet.handle_telemetry("q1/readings/v1", record, 0);
    assert_eq!(world.fleet.view(0).replicas[0].events_in, 5);
    world.wait(61);
    assert!(world.fleet.view(world.now_ms).replicas.is_empty());
}

#[test]
fn another_world_is_asked_without_touching_this_one() {
    let mut world = World::new(Hull::new(HullSettings::default()));
    world.work(30);
    let ask = |world: &World, what_if: &WhatIf| {
        world.fleet.explain(&key(), what_if, world.now_ms).unwrap()
    };
    let now = ask(&world, &WhatIf::default());
    assert_eq!(now.plan, Shares::binary(Cut(0)));
    // 1,000 events a second of 100 bytes do not fit into 20 kB/s, but of 10 bytes they do.
    let poor = ask(&world, &WhatIf { bandwidth: Some(20_000.0), ..WhatIf::default() });
    assert_eq!(poor.best, Shares::binary(Cut(2)), "{poor:?}");
    assert_eq!(ask(&world, &WhatIf::default()), now);
    assert_eq!(WhatIf { cpu: Some(0.0), ..WhatIf::default() }.check(), Err("cpu"));
}
