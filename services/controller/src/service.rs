//! The shell: one task that feeds the fleet with what topics say and writes what it decides.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use sluice_kafka::{Followed, Row};
use sluice_model::{
    Decision, DeployedQuery, DeviceKey, DeviceStatus, Epoch, GENERATION_KEY, QueryId,
    RoutingCommand, Target, Telemetry, topics,
};
use sluice_runtime::clock::now_ms;
use sluice_runtime::readiness::Readiness;
use sluice_wire::record;
use tokio::sync::{mpsc, oneshot};

use crate::api::Order;
use crate::collect::{Collector, News, TOPICS};
use crate::core::{Fleet, Ruling};
use crate::leader::Leadership;
use crate::meters;
use crate::outbox::{Outbox, Sent};

/// How often decisions that are due are looked for, and deliveries taken in.
const TICK: Duration = Duration::from_millis(50);

/// The value of the generation row.
#[derive(Deserialize)]
struct Generation {
    generation: i64,
}

/// What the task and the HTTP server share.
#[derive(Clone)]
pub struct Shared(Arc<Mutex<Fleet>>);

impl Shared {
    /// Shares a fleet.
    #[must_use]
    pub fn new(fleet: Fleet) -> Self {
        Self(Arc::new(Mutex::new(fleet)))
    }

    /// The fleet, for a moment.
    pub fn fleet(&self) -> MutexGuard<'_, Fleet> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The task.
pub struct Service {
    shared: Shared,
    collector: Collector,
    leadership: Leadership,
    outbox: Outbox,
    inbox: mpsc::Receiver<Order>,
    readiness: Readiness,
    /// By partition of the control topic.
    generations: BTreeMap<i32, i64>,
    control_partitions: i32,
    /// Rulings whose command is on its way, by number.
    rulings: HashMap<u64, Ruling>,
    next_ruling: u64,
    /// Nothing is decided before the topics were read.
    caught_up: bool,
}

impl Service {
    /// A task that has everything it needs.
    #[must_use]
    pub fn new(
        shared: Shared,
        collector: Collector,
        leadership: Leadership,
        outbox: Outbox,
        inbox: mpsc::Receiver<Order>,
        readiness: Readiness,
    ) -> Self {
        Self {
            shared,
            collector,
            leadership,
            outbox,
            inbox,
            readiness,
            generations: BTreeMap::new(),
            control_partitions: 1,
            rulings: HashMap::new(),
            next_ruling: 0,
            caught_up: false,
        }
    }

    /// Collects, decides and commands for ever.
    pub async fn run(mut self) {
        let mut tick = tokio::time::interval(TICK);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                followed = self.collector.rows.next() => self.handle_followed(followed),
                Some(news) = self.collector.news.recv() => self.handle_news(&news),
                leads = self.leadership.changed() => self.handle_leading(leads),
                Some(order) = self.inbox.recv() => self.handle_order(order),
                _ = tick.tick() => self.turn(),
            }
        }
    }

    fn handle_leading(&mut self, leads: bool) {
        tracing::info!(
            "{}",
            if leads { "this controller leads" } else { "another controller leads" }
        );
        meters::leading(leads);
        self.shared.fleet().handle_leading(leads, now_ms());
    }

    fn handle_followed(&mut self, followed: Followed) {
        match followed {
            Followed::Row(row) => self.handle_row(&row),
            Followed::CaughtUp => {
                self.caught_up = true;
                self.readiness.ready(TOPICS);
            }
            Followed::Trouble(text) => tracing::warn!("shared topics: {text}"),
        }
        let partitions = self.collector.rows.partitions(topics::CONTROL);
        self.control_partitions = partitions.unwrap_or(1).max(1);
    }

    fn handle_row(&mut self, row: &Row) {
        let (Some(key), now_ms) = (&row.key, now_ms()) else { return };
        let value = row.value.as_deref();
        let unreadable = |error: &dyn std::fmt::Display| {
            tracing::warn!("{}: key {key}: {error}", row.topic);
        };
        let mut fleet = self.shared.fleet();
        match &*row.topic {
            topics::QUERIES => {
                let Ok(id) = QueryId::new(key.clone()) else { return };
                match value.map(record::decode::<DeployedQuery>).transpose() {
                    Ok(query) => fleet.handle_query(&id, query),
                    Err(error) => unreadable(&error),
                }
            }
            topics::DEVICES => {
                let Ok(key) = key.parse::<DeviceKey>() else { return };
                match value.map(record::decode_entry).transpose() {
                    Ok(entry) => fleet.handle_entry(&key, entry, now_ms),
                    Err(error) => unreadable(&error),
                }
            }
            topics::STATUS => {
                let (Ok(key), Some(value)) = (key.parse::<DeviceKey>(), value) else { return };
                match record::decode::<DeviceStatus>(value) {
                    Ok(status) => fleet.handle_status(&key, status, now_ms),
                    Err(error) => unreadable(&error),
                }
            }
            topics::CONTROL if key == GENERATION_KEY => {
                let generation = serde_json::from_slice(value.unwrap_or_default());
                match generation {
                    Ok(Generation { generation }) => {
                        self.generations.insert(row.partition, generation);
                    }
                    Err(error) => unreadable(&error),
                }
            }
            _ => {}
        }
    }

    fn handle_news(&mut self, news: &News) {
        let (message, is_decision) = match news {
            News::Telemetry(message) => (message, false),
            News::Decision(message) => (message, true),
        };
        let (Some(key), Some(value)) = (&message.key, &message.payload) else { return };
        let mut fleet = self.shared.fleet();
        if is_decision {
            match (key.parse::<DeviceKey>(), record::decode::<Decision>(value)) {
                (Ok(key), Ok(decision)) => fleet.handle_decision(&key, decision),
                _ => meters::unreadable(),
            }
        } else {
            match record::decode::<Telemetry>(value) {
                Ok(telemetry) => {
                    let now_ms = now_ms();
                    fleet.handle_broker_time(message.timestamp_ms, now_ms);
                    fleet.handle_telemetry(key, telemetry, now_ms);
                }
                Err(_) => meters::unreadable(),
            }
        }
    }

    /// A person's command.
    fn handle_order(&mut self, order: Order) {
        let Order { target, command, answer } = order;
        let (partitions, payload) = match self.message(&target, &command) {
            Ok(message) => message,
            Err(why) => {
                tracing::warn!("command for {target}: {why}");
                let _ = answer.send(Err(why));
                return;
            }
        };
        let key = format!("{target}/manual");
        let mut answer = Some(answer);
        for partition in partitions {
            // One who commands all devices hears of the first partition.
            let answer = answer.take().unwrap_or_else(|| oneshot::channel().0);
            let sent = Sent::Order(answer);
            let result = self.outbox.send(topics::CONTROL, partition, &key, &payload, sent);
            if let Err((Sent::Order(answer), why)) = result {
                let _ = answer.send(Err(why));
            }
        }
    }

    /// The partitions that a command goes to, and its message.
    fn message(
        &self,
        target: &Target,
        command: &RoutingCommand,
    ) -> Result<(Vec<i32>, Vec<u8>), String> {
        let fleet = self.shared.fleet();
        let deployed = fleet.input(&target.query, &target.input);
        let (query, _) = deployed.ok_or("the query is not deployed")?;
        let id = query.schema_id("RoutingCommand").ok_or("the query lists no RoutingCommand")?;
        let payload = record::encode(id, command).map_err(|error| error.to_string())?;
        let all = || (0..self.control_partitions).collect();
        let of_device =
            |device| DeviceKey { query: target.query.clone(), input: target.input.clone(), device };
        let partitions = match target.device.clone().map(of_device) {
            None => all(),
            Some(key) => {
                let device = fleet.device(&key).ok_or("the device never joined")?;
                vec![device.entry.partition % self.control_partitions]
            }
        };
        Ok((partitions, payload))
    }

    fn turn(&mut self) {
        for (sent, result) in self.outbox.poll() {
            self.handle_settled(sent, result);
        }
        if self.caught_up {
            let rulings = self.shared.fleet().poll(now_ms());
            rulings.into_iter().for_each(|ruling| self.carry_out(ruling));
        }
    }

    fn handle_settled(&mut self, sent: Sent, result: Result<(i32, i64), String>) {
        match sent {
            Sent::Order(answer) => {
                let _ = answer.send(result.map(|(partition, offset)| {
                    let generation = self.generations.get(&partition).copied().unwrap_or(0);
                    (partition, Epoch::of_command(generation, offset).0)
                }));
            }
            Sent::Ruling(number) => {
                let Some(mut ruling) = self.rulings.remove(&number) else { return };
                let placed = result.and_then(|(partition, offset)| {
                    let generation = self.generations.get(&partition);
                    let generation = generation.ok_or("the control topic has no generation")?;
                    Ok(Epoch::of_command(*generation, offset))
                });
                if let Err(why) = &placed {
                    tracing::warn!(device = %ruling.key, "the command is lost: {why}");
                }
                ruling.decision.epoch = placed.ok();
                self.shared.fleet().handle_placed(&ruling.key, ruling.decision.epoch, now_ms());
                self.keep(&ruling);
            }
            Sent::Decision(key) => {
                if let Err(why) = result {
                    tracing::warn!(device = %key, "a decision was not kept: {why}");
                }
            }
        }
    }

    /// Sends the command of a ruling, else only keeps the decision.
    fn carry_out(&mut self, mut ruling: Ruling) {
        meters::decided(ruling.decision.verdict);
        let Some(command) = ruling.command.take() else { return self.keep(&ruling) };
        let (key, reasons) = (ruling.key.clone(), ruling.decision.reasons.join("; "));
        let Decision { previous, plan, .. } = &ruling.decision;
        tracing::info!(device = %key, "{previous} -> {plan}: {reasons}");
        let sent = self.message(&key.target(), &command).and_then(|(partitions, payload)| {
            let partition = partitions.first().copied().unwrap_or(0);
            let number = Sent::Ruling(self.next_ruling);
            let key = key.to_string();
            self.outbox
                .send(topics::CONTROL, partition, &key, &payload, number)
                .map_err(|(_, why)| why)
        });
        match sent {
            Ok(()) => {
                self.rulings.insert(self.next_ruling, ruling);
                self.next_ruling += 1;
            }
            Err(why) => {
                tracing::warn!(device = %key, "the command is lost: {why}");
                self.shared.fleet().handle_placed(&key, None, now_ms());
            }
        }
    }

    /// Writes a decision to its topic; who reads it remembers it, this controller too.
    fn keep(&mut self, ruling: &Ruling) {
        let schema_id = {
            let fleet = self.shared.fleet();
            let deployed = fleet.input(&ruling.key.query, &ruling.key.input);
            deployed.and_then(|(query, _)| query.schema_id("Decision"))
        };
        // A query that was deployed before there were decisions has no id for them.
        let Some(schema_id) = schema_id else { return };
        match record::encode(schema_id, &ruling.decision) {
            Ok(payload) => {
                let (key, sent) = (ruling.key.to_string(), Sent::Decision(ruling.key.clone()));
                if let Err((_, why)) = self.outbox.send(topics::DECISIONS, 0, &key, &payload, sent)
                {
                    tracing::warn!(device = %key, "a decision was not kept: {why}");
                }
            }
            Err(error) => tracing::error!(device = %ruling.key, "{error}"),
        }
    }
}
