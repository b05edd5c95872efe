//! The replicas of one stage: a consumer group of the real state machines, with owners and zombies.

use std::collections::{BTreeMap, VecDeque};

use sluice_kafka::Message;
use sluice_replica::core::{Core, Handled, Limits, Send};
use sluice_replica::plan::StagePlan;
use sluice_wire::{Event, EventsBuffer, FrameHeader, Type, decode_frame, encode_frame};

use crate::broker::{Client, Sender, Topic, Value};
use crate::context::{Context, Happening};
use crate::dice::Dice;
use crate::events::{self, EventId, Program};
use crate::mutation::Mutation;
use crate::scenario::{Class, SCHEMA_IDS};

/// The group of one stage.
pub struct Stage {
    /// 1..=N.
    pub stage: i32,
    /// The replicas.
    pub members: Vec<Member>,
    /// Who owns each partition.
    owners: Vec<Option<usize>>,
    /// What each partition's group has committed.
    pub committed: Vec<i64>,
}

/// A replica.
pub struct Member {
    core: Core,
    to: i32,
    /// Where it reads on, by partition that it thinks it has.
    fetch: BTreeMap<i32, i64>,
    producer: u64,
    unsent: VecDeque<Send>,
    inbox: Vec<u64>,
    alive: bool,
    failing: bool,
    commit_due_ms: i64,
    dice: Dice,
}

/// Everything a replica needs of its stage.
fn plan(stage: i32, to: i32) -> StagePlan {
    StagePlan {
        version: 1,
        telemetry_schema_id: None,
        query: "q".parse().expect("a name"),
        input: "in".parse().expect("a name"),
        stage,
        to,
        topic: format!("stage.{stage}").into(),
        next_topic: format!("stage.{}", to + 1).into(),
        dead_topic: "dead".into(),
        schema_id: SCHEMA_IDS + stage - 1,
        next_schema_id: SCHEMA_IDS + to,
        dead_schema_id: 1,
        value_type: Type::Long,
    }
}

fn core(context: &Context, program: &Program, stage: i32, to: i32) -> Core {
    let limits = Limits { in_flight_bytes: 3_000, message_bytes: context.scenario.message_bytes };
    Core::new(plan(stage, to), Box::new(program.chain(stage - 1, to)), limits)
}

impl Stage {
    /// The group of a stage; its first turns are scheduled.
    #[must_use]
    pub fn new(context: &mut Context, program: &Program, stage: i32) -> Self {
        let scenario = context.scenario.clone();
        let mut members = Vec::new();
        for (member, to) in
            scenario.replicas[usize::try_from(stage - 1).unwrap_or(0)].iter().enumerate()
        {
            context.schedule(context.now_ms, Happening::ReplicaTurn(stage, member));
            members.push(Member {
                core: core(context, program, stage, *to),
                to: *to,
                fetch: BTreeMap::new(),
                producer: context.broker.producer(),
                unsent: VecDeque::new(),
                inbox: Vec::new(),
                alive: true,
                failing: false,
                commit_due_ms: 0,
                dice: Dice::new(
                    scenario.seed,
                    1_000 + u64::from(stage.unsigned_abs()) * 10 + member as u64,
                ),
            });
        }
        let partitions = usize::try_from(scenario.partitions).unwrap_or(1);
        let mut group =
            Self { stage, members, owners: vec![None; partitions], committed: vec![0; partitions] };
        for partition in 0..scenario.partitions {
            group.assign(partition, 0);
        }
        group
    }

    /// Gives a partition to a member that lives, this one or the next.
    fn assign(&mut self, partition: i32, wanted: usize) {
        let count = self.members.len();
        let living =
            (0..count).map(|step| (wanted + step) % count).find(|at| self.members[*at].alive);
        let place = index(partition);
        self.owners[place] = living;
        if let Some(owner) = living {
            let member = &mut self.members[owner];
            // A former owner that never learned of it begins anew too.
            member.core.handle_revoked(&[partition]);
            member.unsent.retain(|send| send.partition != partition);
            member.core.handle_assigned(&[partition]);
            member.fetch.insert(partition, self.committed[place]);
        }
    }

    /// A partition goes to the next replica. Returns the former owner, if it goes on as a zombie.
    pub fn rebalance(&mut self, partition: i32) -> Option<usize> {
        let former = self.owners[index(partition)]?;
        self.assign(partition, former + 1);
        (self.owners[index(partition)] != Some(former)).then_some(former)
    }

    /// A former owner learns that a partition went.
    pub fn revoke(&mut self, member: usize, partition: i32) {
        if self.owners[index(partition)] != Some(member)
            && let Some(former) = self.members.get_mut(member)
        {
            former.core.handle_revoked(&[partition]);
            former.unsent.retain(|send| send.partition != partition);
            former.fetch.remove(&partition);
        }
    }

    /// A replica dies.
    pub fn crash(&mut self, context: &mut Context, program: &Program, member: usize) -> bool {
        let stage = self.stage;
        let Some(dead) = self.members.get_mut(member).filter(|member| member.alive) else {
            return false;
        };
        dead.alive = false;
        dead.core = core(context, program, stage, dead.to);
        dead.producer = context.broker.producer();
        (dead.fetch, dead.unsent, dead.inbox) = (BTreeMap::new(), VecDeque::new(), Vec::new());
        for partition in 0..context.scenario.partitions {
            if self.owners[index(partition)] == Some(member) {
                self.assign(partition, member + 1);
            }
        }
        true
    }

    /// A replica is back. It takes what nobody has.
    pub fn revive(&mut self, member: usize) {
        if let Some(back) = self.members.get_mut(member) {
            back.alive = true;
        }
        for partition in 0..self.owners.len() {
            if self.owners[partition].is_none() {
                self.assign(i32::try_from(partition).unwrap_or(0), member);
            }
        }
    }

    /// All replicas end for good.
    pub fn retire(&mut self) {
        for member in &mut self.members {
            member.alive = false;
            member.fetch.clear();
        }
        self.owners.fill(None);
    }

    /// The next delivery of a replica fails.
    pub fn fail(&mut self, member: usize) {
        if let Some(member) = self.members.get_mut(member) {
            member.failing = true;
        }
    }

    /// A message of a replica was acknowledged.
    pub fn acknowledge(&mut self, member: usize, sender: Sender) {
        if let Some(member) = self.members.get_mut(member)
            && member.producer == sender.producer
        {
            member.inbox.push(sender.token);
        }
    }

    /// The producer of a replica.
    #[must_use]
    pub fn producer(&self, member: usize) -> Option<u64> {
        self.members.get(member).filter(|member| member.alive).map(|member| member.producer)
    }

    /// Whether every frame of the stage is done and committed.
    #[must_use]
    pub fn is_drained(&self, context: &Context) -> bool {
        (0..context.scenario.partitions).all(|partition| {
            let log = context.broker.log(Topic::Stage { stage: self.stage, partition });
            log.at(self.committed[index(partition)]).is_none()
        })
    }

    /// One turn of a replica: deliveries, messages, commits.
    pub fn turn(&mut self, context: &mut Context, member: usize) {
        let now = context.now_ms;
        let Some(worker) = self.members.get_mut(member) else { return };
        let next_ms = now + worker.dice.within(3, 25);
        context.schedule(next_ms, Happening::ReplicaTurn(self.stage, member));
        if !worker.alive {
            return;
        }
        for token in std::mem::take(&mut worker.inbox) {
            worker.core.handle_acknowledged(token);
        }
        if std::mem::take(&mut worker.failing) {
            worker.rewind(context);
        }
        let left_out = worker.take(context, self.stage);
        worker.send(context, self.stage, member);
        if now >= worker.commit_due_ms {
            worker.commit_due_ms = now + worker.dice.within(100, 900);
            for (partition, offset) in worker.core.take_commits() {
                // The group knows who owns what: a zombie commits nothing.
                if self.owners[index(partition)] == Some(member) {
                    self.committed[index(partition)] = offset;
                }
            }
        }
        // As another member of the group, at the committed offsets.
        for partition in left_out {
            match self.owners[index(partition)] == Some(member) {
                true => self.assign(partition, member),
                false => self.revoke(member, partition),
            }
        }
    }
}

impl Member {
    fn rewind(&mut self, context: &mut Context) {
        context.tally.rewinds += 1;
        self.producer = context.broker.producer();
        self.unsent.clear();
        for (partition, offset) in self.core.rewind() {
            self.fetch.insert(partition, offset);
        }
    }

    /// Takes messages. Returns partitions of which one was left out, because the broker lost it.
    fn take(&mut self, context: &mut Context, stage: i32) -> Vec<i32> {
        let mut left_out = Vec::new();
        let partitions: Vec<i32> = self.fetch.keys().copied().collect();
        for partition in partitions {
            let topic = Topic::Stage { stage, partition };
            if context.broker.up_at_ms(topic) > context.now_ms {
                continue;
            }
            for _ in 0..self.dice.within(1, 12) {
                let from = self.fetch.get(&partition).copied().unwrap_or(0);
                let Some(record) = context.broker.log(topic).at(from) else { break };
                let Value::Frame(payload) = &record.value else { break };
                if !self.core.may_take() {
                    break;
                }
                let message = Message {
                    partition,
                    offset: record.offset,
                    timestamp_ms: record.append_ms,
                    key: None,
                    headers: Vec::new(),
                    payload: Some(payload.to_vec()),
                };
                self.fetch.insert(partition, record.offset + 1);
                let mut sends = Vec::new();
                match self.core.handle_message(&message, &mut sends) {
                    Ok(Handled::LeftOut) => {
                        if context.scenario.class != Class::Tight {
                            context
                                .fail("replica", format!("stage {stage}: a message was left out"));
                        }
                        left_out.push(partition);
                        break;
                    }
                    Ok(Handled::Taken { garbage: true, .. }) => {
                        context
                            .fail("replica", format!("stage {stage}: a frame is called garbage"));
                    }
                    Ok(_) => {}
                    Err(stop) => context.fail("replica", format!("stage {stage}: {stop}")),
                }
                if context.breaks(Mutation::PartsKeepWatermark) {
                    keep_watermark(&mut sends, self.to);
                }
                self.unsent.extend(sends);
            }
        }
        left_out
    }

    fn send(&mut self, context: &mut Context, stage: i32, member: usize) {
        for send in self.unsent.drain(..) {
            let sender = Sender {
                client: Client::Replica(stage, member),
                producer: self.producer,
                token: send.token,
            };
            if &*send.topic == "dead" {
                if let Some(id) = dead_id(&send.payload, context) {
                    context.send(Topic::Dead, Value::Dead(id), sender, context.now_ms);
                }
                continue;
            }
            let topic = Topic::Stage { stage: self.to + 1, partition: send.partition };
            context.send(topic, Value::Frame(send.payload.into()), sender, context.now_ms);
        }
    }
}

/// Which event a dead copy is of: its head is the value that the operator died of.
fn dead_id(payload: &[u8], context: &mut Context) -> Option<EventId> {
    let copy: Result<sluice_model::DeadEvent, _> = sluice_wire::record::decode(payload);
    match copy.map(|copy| events::decode(&copy.head)) {
        Ok(Some(value)) => Some(events::parts(value).0),
        other => {
            context.fail("dead", format!("a copy that names no event: {other:?}"));
            None
        }
    }
}

/// Breaks rule 10: the parts of a frame all get the watermark of the last one.
fn keep_watermark(sends: &mut [Send], to: i32) {
    let decoded = |send: &Send| {
        let frame = decode_frame(&send.payload, SCHEMA_IDS + to, &Type::Long).ok()?;
        Some(frame.header)
    };
    let Some(last) = sends.iter().rev().find_map(decoded) else { return };
    for send in sends.iter_mut() {
        let Ok(frame) = decode_frame(&send.payload, SCHEMA_IDS + to, &Type::Long) else { continue };
        let header =
            FrameHeader { watermark: frame.header.watermark.or(last.watermark), ..frame.header };
        send.payload = encoded(&header, &frame.events, to);
    }
}

fn encoded(header: &FrameHeader, events: &[Event<'_>], to: i32) -> Vec<u8> {
    let mut buffer = EventsBuffer::new();
    events.iter().for_each(|event| buffer.push(event.delta, event.time, event.value));
    let mut message = Vec::new();
    encode_frame(SCHEMA_IDS + to, header, &buffer, &mut message).expect("it was a frame before");
    message
}

fn index(partition: i32) -> usize {
    usize::try_from(partition).unwrap_or(0)
}
