//! The loop of an input: deliveries, dispatch, signs of life, reports.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use sluice_kafka::Delivery;
use sluice_model::{Control, Cut, DeviceKey, DeviceState};
use sluice_runtime::clock::now_ms;
use sluice_runtime::readiness::Readiness;
use sluice_spool::{Batch, Index, Mode, Options, Spool, SpoolError};

use super::broker_clock::BrokerClock;
use super::outbox::{Outbox, Sent};
use super::report::Report;
use super::versions::Versions;
use super::{Mail, Shared};
use crate::config::Settings;
use crate::deployment::{self, Deployment};
use crate::machine::{Content, Dispatched, Identity, Limits, Machine, Order, Token};
use crate::meters::Meters;
use crate::source::{self, SourceContext};
use crate::telemetry::Telemeter;
use crate::usage::Meter;

/// The longest pause of the loop: events wait that long at most before their linger begins.
const PAUSE: Duration = Duration::from_millis(5);

/// How long dispatch waits when no frame can leave for lack of an engine.
const HOLD: Duration = Duration::from_secs(1);

/// The owner of all that one input has.
pub struct Input {
    pub(super) key: DeviceKey,
    pub(super) folder: PathBuf,
    pub(super) deployment: Deployment,
    pub(super) inbox: Receiver<Mail>,
    pub(super) spool: Spool,
    pub(super) machine: Machine,
    pub(super) identity: Identity,
    pub(super) versions: Versions,
    pub(super) outbox: Outbox,
    pub(super) report: Report,
    pub(super) telemeter: Telemeter,
    pub(super) shared: Shared,
    pub(super) usage: Meter,
    /// The next index and the cursor when this start began.
    pub(super) began_at: (Index, Index),
    pub(super) meters: Meters,
    pub(super) readiness: Readiness,
    pub(super) source: Option<JoinHandle<anyhow::Result<()>>>,
    pub(super) stop_source: Arc<AtomicBool>,
    pub(super) stop_grace: Duration,
    pub(super) began: Instant,
    pub(super) batch: Batch,
    pub(super) deliveries: Vec<Delivery>,
    /// Set by [`Mail::Stop`]: when the input ends, drained or not.
    pub(super) stop_at: Option<Instant>,
    /// The device leaves the input.
    pub(super) leaving: bool,
    /// The leave is acknowledged.
    left: bool,
    /// Another version takes over as soon as the source has ended.
    pub(super) yielding: bool,
    /// The spool keeps nothing for the next start.
    is_volatile: bool,
    pub(super) cursor_persisted_at: i64,
    /// No frame can leave before.
    held_until: Option<Instant>,
    pub(super) broker_clock: BrokerClock,
    /// Commands that came before the number.
    pub(super) early: Vec<Mail>,
}

impl Input {
    pub fn open(
        settings: &Settings,
        shared: &Shared,
        key: &DeviceKey,
        mut deployment: Deployment,
        inbox: Receiver<Mail>,
        mail: Sender<Mail>,
        readiness: Readiness,
    ) -> anyhow::Result<Self> {
        let folder = deployment::folder(&settings.data_dir, key);
        let spool = Spool::open(&Options { dir: spool_folder(&folder), ..settings.spool.clone() })?;
        let nonce = nonce(key);
        spool.begin_start(&nonce, now_ms())?;
        // With the events of starts that never got a number: nothing of them was dispatched.
        let first = spool.runs().last().map_or(Index(0), |run| run.first);
        deployment.begin(first, spool.cursor());
        deployment::store(&folder, &deployment)?;
        let input = deployment.input(key)?;

        let mut control = Control::new(input.operator_count());
        if let Some(plan) = deployment.plan.clone() {
            control.resume(plan);
        }
        let limits = Limits { heartbeat_ms: input.heartbeat_ms, ..settings.limits };
        let meters = Meters::new(key);
        let outbox = Outbox::new(&settings.kafka, key, &deployment)?;
        let versions = Versions::compile(key, &deployment, &shared.engines)?;
        let report = Report::new(versions.ready(&deployment));
        let telemeter =
            Telemeter::new(nonce.clone(), input.operator_count(), settings.telemetry_every);
        let began_at = (spool.next_index(), spool.cursor());

        let source_settings =
            settings.sources.get(&deployment.entry.source).with_context(|| {
                format!(
                    "sources: none is named `{}`, which {key} was joined with",
                    deployment.entry.source
                )
            })?;
        let stop_source = Arc::new(AtomicBool::new(false));
        let context = SourceContext {
            key: key.clone(),
            spool: spool.clone(),
            folder: folder.clone(),
            meters: meters.clone(),
            oversize: Box::new(move |value| {
                let _ = mail.send(Mail::Oversize(value));
            }),
            stop: stop_source.clone(),
        };
        let leaving = deployment.entry.state == DeviceState::Left;
        let source =
            if leaving { None } else { Some(source::start(source_settings, input, context)?) };
        readiness.wait_for(&key.to_string(), "no incarnation yet: the broker has not been heard");
        let mut machine = Machine::new(limits, control, spool.cursor());
        machine.handle_holes(spool.holes());
        machine.handle_versions(versions.firsts());
        Ok(Self {
            key: key.clone(),
            machine,
            identity: Identity::new(nonce),
            folder,
            deployment,
            inbox,
            spool,
            versions,
            outbox,
            report,
            telemeter,
            shared: shared.clone(),
            usage: shared.usage.open(),
            began_at,
            meters,
            readiness,
            source,
            stop_source,
            stop_grace: Duration::from_millis(settings.stop_grace_ms),
            began: Instant::now(),
            batch: Batch::new(),
            deliveries: Vec::new(),
            stop_at: None,
            leaving,
            left: false,
            yielding: false,
            is_volatile: settings.spool.mode == Mode::Memory,
            cursor_persisted_at: 0,
            held_until: None,
            broker_clock: BrokerClock::default(),
            early: Vec::new(),
        })
    }

    /// The steady clock of the machine, milliseconds.
    fn now(&self) -> i64 {
        i64::try_from(self.began.elapsed().as_millis()).unwrap_or(i64::MAX)
    }

    pub fn run(mut self) -> anyhow::Result<()> {
        let result = self.turn_until_stopped();
        self.stop_source.store(true, Ordering::Relaxed);
        let source = self.source.take().map(JoinHandle::join);
        if !self.yielding {
            self.outbox.flush(Duration::from_secs(1));
        }
        self.spool.close()?;
        result?;
        source
            .unwrap_or(Ok(Ok(())))
            .unwrap_or_else(|_| anyhow::bail!("the source's thread panicked"))?;
        if self.left { self.forget() } else { Ok(()) }
    }

    /// The device has left: another start begins anew, maybe in another partition, where nothing names this one. The
    /// spool goes first: without it a start that is to leave just leaves again.
    fn forget(&self) -> anyhow::Result<()> {
        let spool = spool_folder(&self.folder);
        fs::remove_dir_all(&spool)
            .with_context(|| format!("{}: can't be removed", spool.display()))?;
        deployment::remove(&self.folder)?;
        tracing::info!(input = %self.key, "left; its spool was drained and is removed");
        Ok(())
    }

    fn turn_until_stopped(&mut self) -> anyhow::Result<()> {
        loop {
            while let Ok(mail) = self.inbox.try_recv() {
                self.handle_mail(mail)?;
            }
            self.handle_deliveries()?;
            self.check_source()?;
            self.spool.set_uplink(self.outbox.trouble().is_none());
            self.make_room()?;
            self.dispatch()?;
            if self.leaving && self.is_at_rest() {
                self.machine.handle_leaving();
            }
            self.send_signs_of_life()?;
            self.report_progress()?;
            if self.left {
                return self.send_status();
            }
            if self.yielding && self.may_yield() {
                tracing::info!(input = %self.key, "gives way to another version");
                return Ok(());
            }
            if self.stop_at.is_some_and(|at| self.is_at_rest() || Instant::now() >= at) {
                return self.send_status();
            }
        }
    }

    /// Whether the source has ended and everything it gave is acknowledged.
    fn is_at_rest(&self) -> bool {
        // What an ended source still appended must be seen durable before the drain counts.
        let safe = self.spool.durable() == self.spool.next_index();
        self.source.is_none() && safe && self.machine.is_drained()
    }

    /// Whether the next start finds all that was accepted.
    fn may_yield(&self) -> bool {
        self.source.is_none() && (!self.is_volatile || self.is_at_rest())
    }

    /// Lets go of older versions that are drained.
    fn retire_versions(&mut self) -> anyhow::Result<()> {
        if !self.deployment.older.is_empty() && self.deployment.forget_below(self.spool.cursor()) {
            self.versions.keep(1 + self.deployment.older.len());
            self.report.set_ready(self.versions.ready(&self.deployment));
            tracing::info!(input = %self.key, "an older version is drained");
            // Another start must not find events of a version that it does not know any more.
            self.spool.persist_cursor()?;
            deployment::store(&self.folder, &self.deployment)?;
        }
        Ok(())
    }

    fn handle_deliveries(&mut self) -> anyhow::Result<()> {
        let mut deliveries = std::mem::take(&mut self.deliveries);
        self.outbox.poll(PAUSE, &mut deliveries);
        let now = self.now();
        let mut failure = self.outbox.take_refusal();
        for delivery in deliveries.drain(..) {
            match (self.outbox.settle(delivery.token), delivery.result) {
                (Some(Sent::Frame(token)), Ok(_)) => {
                    self.machine.handle_acknowledged(token, now);
                    self.outbox.note_reached();
                }
                (Some(sent), Ok(_)) => {
                    self.outbox.note_reached();
                    self.left |= sent == Sent::Leave;
                }
                (Some(Sent::Telemetry), Err(_)) => {}
                (Some(_), Err(error)) => failure = Some(error.kind.to_string()),
                (None, _) => {}
            }
        }
        self.deliveries = deliveries;
        self.spool.advance_cursor(self.machine.cursor())?;
        self.retire_versions()?;
        if now - self.cursor_persisted_at > 1_000 {
            self.cursor_persisted_at = now;
            self.spool.persist_cursor()?;
        }
        if let Some(why) = failure {
            self.meters.delivery_errors.increment(1);
            self.discard(&why)?;
        } else if let Some(cut) = self.machine.poll_hanging_path(now) {
            self.discard(&format!(
                "frames that left at cut {cut} get no acknowledgement, others do"
            ))?;
        }
        Ok(())
    }

    /// Throws the producer away with all it has in flight; dispatch resumes at the cursor.
    fn discard(&mut self, why: &str) -> anyhow::Result<()> {
        self.meters.discards.increment(1);
        self.outbox.discard(why)?;
        let now = self.now();
        self.machine.handle_discarded(now);
        Ok(())
    }

    fn dispatch(&mut self) -> anyhow::Result<()> {
        let now = self.now();
        let was_held = self.machine.is_held_by_budget();
        self.telemeter.turn(Instant::now(), was_held, self.machine.acked_bytes());
        self.machine.handle_durable(self.spool.durable(), now);
        if self.outbox.is_backing_off() {
            return Ok(());
        }
        while self.held_until.is_none_or(|until| Instant::now() >= until)
            && let Some(order) = self.machine.poll_dispatch(now)
        {
            self.send(&order, now)?;
        }
        if self.machine.is_held_by_budget() {
            self.meters.held_by_budget_ms.increment(u64::try_from(PAUSE.as_millis())?);
        }
        Ok(())
    }

    fn send(&mut self, order: &Order, now: i64) -> anyhow::Result<()> {
        match &order.content {
            Content::Events { max_bytes, cut } => self.send_events(order, *max_bytes, *cut, now),
            Content::Gap { reason } => self.send_gap(order, reason, now),
        }
    }

    fn send_events(
        &mut self,
        order: &Order,
        max_bytes: usize,
        cut: Cut,
        now: i64,
    ) -> anyhow::Result<()> {
        let events = usize::try_from(order.end.since(order.first))?;
        let read = match self.spool.read(order.first, events, max_bytes, &mut self.batch) {
            Ok(0) | Err(SpoolError::Hole { .. }) => return self.learn_holes(order.first),
            read => read?,
        };
        let builder = self.versions.of(order.first);
        let Some(cut) = builder.clamp(cut) else {
            self.held_until = Some(Instant::now() + HOLD);
            return Ok(());
        };
        let Some(frame) = builder.build(order, cut, &self.batch, now_ms())? else { return Ok(()) };
        let done = Dispatched {
            end: order.first.plus(u64::try_from(read)?),
            bytes: builder.message().len(),
            watermark: frame.header.watermark,
            messages: 1 + u32::try_from(frame.dead.len())?,
        };
        let token: Token = self.machine.handle_dispatched(order, done, now);
        self.meters.dispatched(cut.0, u64::try_from(read)?);
        self.telemeter.dead(frame.dead.len());
        for dead in &frame.dead {
            self.meters.dead(&dead.operator);
            self.outbox.send_dead(dead, Sent::Frame(token))?;
        }
        let (topic, message) = (builder.topic(cut), builder.message());
        self.outbox.send_frame(topic, &frame.header, message, Sent::Frame(token))?;
        self.sample(order);
        self.note_left(order, cut, read, done.bytes);
        Ok(())
    }

    /// Damage was found where the machine expected events.
    fn learn_holes(&mut self, at: Index) -> anyhow::Result<()> {
        let holes = self.spool.holes();
        let found = holes.iter().any(|hole| (hole.first..hole.end).contains(&at));
        anyhow::ensure!(found, "the spool lacks event {at}, which it said is durable");
        self.machine.handle_holes(holes);
        Ok(())
    }

    /// Under the full-policy `drop-oldest`: what the broker has not acknowledged by now is declared lost.
    fn make_room(&mut self) -> anyhow::Result<()> {
        let Some(to) = self.spool.wants_drop() else { return Ok(()) };
        let acknowledged = self.machine.acknowledged_ahead();
        self.discard("the spool is full and drops its oldest events")?;
        self.spool.drop_oldest(to, &acknowledged)?;
        self.machine.handle_holes(self.spool.holes());
        Ok(())
    }

    fn send_gap(&mut self, order: &Order, reason: &str, now: i64) -> anyhow::Result<()> {
        let builder = self.versions.of(order.first);
        let header = builder.build_gap(order, reason, now_ms())?;
        let bytes = builder.message().len();
        let done = Dispatched { end: order.end, bytes, watermark: None, messages: 1 };
        let token = self.machine.handle_dispatched(order, done, now);
        let events = order.end.since(order.first);
        self.meters.gap_events.increment(events);
        tracing::warn!(input = %self.key, first = %header.first, last = %header.last, "{events} events declared lost: {reason}");
        let (topic, message) = (builder.topic(header.left_at), builder.message());
        self.outbox.send_frame(topic, &header, message, Sent::Frame(token))
    }

    fn send_signs_of_life(&mut self) -> anyhow::Result<()> {
        let now = self.now();
        if self.outbox.is_free(Sent::Hello) && self.identity.poll_hello(now) {
            let hello = self.report.hello(self.identity.nonce(), now_ms());
            self.outbox.send_status(&self.key.hello(), &hello, Sent::Hello)?;
        }
        if self.outbox.is_free(Sent::Heartbeat)
            && self.outbox.is_free(Sent::Leave)
            && let Some(sign) = self.machine.poll_sign_of_life(now)
        {
            let builder = self.versions.newest();
            let header = builder.build_sign_of_life(&sign, now_ms())?;
            let (topic, message) = (builder.topic(header.left_at), builder.message());
            let sent = if sign.is_leave { Sent::Leave } else { Sent::Heartbeat };
            self.outbox.send_frame(topic, &header, message, sent)?;
        }
        Ok(())
    }

    fn check_source(&mut self) -> anyhow::Result<()> {
        if self.source.as_ref().is_some_and(JoinHandle::is_finished)
            && let Some(ended) = self.source.take()
        {
            ended.join().unwrap_or_else(|_| anyhow::bail!("the source's thread panicked"))?;
        }
        Ok(())
    }

    fn report_progress(&mut self) -> anyhow::Result<()> {
        let now = self.now();
        let drained = self.is_at_rest();
        if self.report.is_due(now, drained)
            && self.outbox.is_free(Sent::Status)
            && !self.outbox.is_backing_off()
        {
            self.send_status()?;
        }
        if self.report.is_metering_due(now) {
            self.outbox.check_connection();
            self.report.set_ready(self.versions.ready(&self.deployment));
            self.meter()?;
        }
        self.report_telemetry()
    }

    fn send_status(&mut self) -> anyhow::Result<()> {
        if self.machine.live().is_none() || self.report.is_superseded() {
            return Ok(());
        }
        let mut status = self.report.status(&self.machine, &self.spool, now_ms())?;
        if self.left {
            // Epochs compare within one partition of the control topic, and the device may come back in another.
            status.plan = None;
            status.note = "drained, and has left".to_owned();
        } else {
            let lack = self.versions.newest().trouble().map(str::to_owned);
            let notes = [self.outbox.trouble(), self.report.unfit.clone(), lack];
            status.note = notes.into_iter().flatten().collect::<Vec<_>>().join("; ");
        }
        self.report.sent(self.now());
        self.outbox.send_status(&self.key.to_string(), &status, Sent::Status)
    }

    fn meter(&self) -> anyhow::Result<()> {
        let next = self.spool.next_index();
        let next_seq = self.spool.runs().last().map_or(0, |run| run.seq(next));
        self.meters.next_seq.set(next_seq as f64);
        self.meters.acked_seq.set(self.machine.acked_seq() as f64);
        self.meters.plan_epoch.set(self.machine.plan().epoch.0 as f64);
        self.meters.spool_bytes.set(self.spool.bytes() as f64);
        self.meters.spool_written_bytes.set(self.spool.bytes_written() as f64);
        self.meters.backlog_events.set(next.since(self.machine.cursor()) as f64);
        self.meters.in_flight_bytes.set(self.machine.in_flight_bytes() as f64);
        self.meters.sent_bytes.set(self.outbox.sent_bytes() as f64);
        Ok(())
    }
}

fn spool_folder(folder: &Path) -> PathBuf {
    folder.join("spool")
}

/// A name for this start that no other start has: host-wide unique time and process, and the device.
fn nonce(key: &DeviceKey) -> String {
    let random = std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), key);
    format!("{random:016x}-{}-{}", std::process::id(), now_ms())
}
