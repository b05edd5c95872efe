//! Frames of an agent: events run through the operators before the cut, and encoded.

use sluice_edge::machine::{Content, Dispatched, Order, SignOfLife};
use sluice_model::{Cut, Epoch, Incarnation, Seq};
use sluice_spool::{Index, Run};
use sluice_wire::{EventsBuffer, FrameHeader, FrameKind, encode_frame};

use super::{Copy, Crashed, Sent};
use crate::broker::{Topic, Value};
use crate::context::{Context, SIGN_OF_LIFE};
use crate::events;
use crate::mutation::Mutation;
use crate::plot::CrashPoint;
use crate::scenario::SCHEMA_IDS;

impl Copy {
    /// Builds what was ordered and sends it.
    pub(super) fn dispatch(&mut self, context: &mut Context, order: &Order) -> Result<(), Crashed> {
        match &order.content {
            Content::Events { max_bytes, cut } => {
                self.send_events(context, order, *max_bytes, *cut)
            }
            Content::Gap { reason } => self.send_gap(context, order, reason),
        }
        self.at(CrashPoint::Dispatched)
    }

    fn send_events(&mut self, context: &mut Context, order: &Order, max_bytes: usize, cut: Cut) {
        let (Some(agent), Some(disk)) = (self.agent.as_mut(), self.disk.as_ref()) else { return };
        let chain = &mut agent.chains[usize::try_from(cut.0).unwrap_or(0)];
        let mut buffer = EventsBuffer::new();
        let (mut dead, mut bytes, mut end) = (Vec::new(), 0, order.first);
        chain.begin_frame();
        for (delta, id) in (0i32..).zip(disk.read(order.first, order.end)) {
            let event = context.truth.event(*id);
            let value = events::encode(events::value(*id, event.time_ms, event.fate));
            bytes += value.len();
            if delta > 0 && bytes > max_bytes {
                break;
            }
            if chain.run_event(delta, None, Some(&value), &mut buffer).is_err() {
                dead.push(*id);
            }
            end = end.plus(1);
            context.truth.number(
                self.device,
                order.incarnation.0,
                order.first_seq + i64::from(delta),
                *id,
            );
        }
        let forgets = context.breaks(Mutation::ForgetsPrevious)
            || context.breaks(Mutation::NamesEmpty)
                && follows_empty(&disk.runs(), order.incarnation);
        let last = order.first_seq + i64::try_from(end.since(order.first)).unwrap_or(1) - 1;
        let header = FrameHeader {
            kind: FrameKind::Data,
            device: context.scenario.devices[self.device].id.clone(),
            incarnation: order.incarnation,
            previous: order.previous.filter(|_| !forgets),
            epoch: order.epoch,
            left_at: cut,
            applied: cut.0,
            first: Seq(order.first_seq),
            last: Seq(last),
            watermark: chain.watermark(),
            dead: i32::try_from(dead.len()).unwrap_or(i32::MAX),
            reason: None,
            dispatched_at: context.now_ms + self.clock_shift_ms,
        };
        let message = encode(&header, &buffer);
        let awaited = !context.breaks(Mutation::CopiesNotAwaited);
        let done = Dispatched {
            end,
            bytes: message.len(),
            watermark: header.watermark,
            messages: if awaited { 1 + u32::try_from(dead.len()).unwrap_or(0) } else { 1 },
        };
        agent.dispatched_watermark = agent.dispatched_watermark.max(header.watermark);
        let token = agent.machine.handle_dispatched(order, done, context.now_ms);
        context.tell(|| {
            format!(
                "copy {}: {} {}..={last} at cut {}",
                self.number,
                order.incarnation.0 % (1 << 40),
                order.first_seq,
                cut
            )
        });
        for id in dead {
            let sent = if awaited { Sent::Frame(token) } else { Sent::Copy };
            self.send(context, Topic::Dead, Value::Dead(id), sent);
        }
        let topic = self.topic(context, cut);
        self.send(context, topic, Value::Frame(message), Sent::Frame(token));
    }

    /// Declares what the spool has lost.
    fn send_gap(&mut self, context: &mut Context, order: &Order, reason: &str) {
        let all = context.scenario.operators;
        let last = order.first_seq + i64::try_from(order.end.since(order.first)).unwrap_or(1) - 1;
        let header = FrameHeader {
            kind: FrameKind::Gap,
            incarnation: order.incarnation,
            previous: order.previous,
            epoch: order.epoch,
            first: Seq(order.first_seq),
            last: Seq(last),
            reason: Some(reason.to_owned()),
            ..self.out_header(context)
        };
        let message = encode(&header, &EventsBuffer::new());
        let (Some(agent), Some(disk)) = (self.agent.as_mut(), self.disk.as_ref()) else { return };
        for (seq, index) in (order.first_seq..).zip(order.first.0..order.end.0) {
            let id = disk.history()[usize::try_from(index).unwrap_or(usize::MAX)];
            context.truth.number(self.device, order.incarnation.0, seq, id);
        }
        let done =
            Dispatched { end: order.end, bytes: message.len(), watermark: None, messages: 1 };
        let token = agent.machine.handle_dispatched(order, done, context.now_ms);
        context.tell(|| format!("copy {}: gap {}..={last}", self.number, order.first_seq));
        let topic = self.topic(context, Cut(all));
        self.send(context, topic, Value::Frame(message), Sent::Frame(token));
    }

    /// The header of an empty frame for `out`.
    fn out_header(&self, context: &Context) -> FrameHeader {
        let all = context.scenario.operators;
        FrameHeader {
            kind: FrameKind::Heartbeat,
            device: context.scenario.devices[self.device].id.clone(),
            incarnation: Incarnation(0),
            previous: None,
            epoch: Epoch::LOWEST,
            left_at: Cut(all),
            applied: all,
            first: Seq(0),
            last: Seq(-1),
            watermark: None,
            dead: 0,
            reason: None,
            dispatched_at: context.now_ms + self.clock_shift_ms,
        }
    }

    /// Sends a heartbeat or a leave.
    pub(super) fn send_sign_of_life(&mut self, context: &mut Context, sign: &SignOfLife) {
        let (Some(agent), Some(disk)) = (self.agent.as_ref(), self.disk.as_ref()) else { return };
        let forgets = context.breaks(Mutation::ForgetsPrevious)
            || context.breaks(Mutation::NamesEmpty)
                && follows_empty(&disk.runs(), sign.incarnation);
        let dispatched = context.breaks(Mutation::HeartbeatOfDispatched);
        let header = FrameHeader {
            kind: if sign.is_leave { FrameKind::Leave } else { FrameKind::Heartbeat },
            incarnation: sign.incarnation,
            previous: sign.previous.filter(|_| !forgets),
            epoch: sign.epoch,
            first: Seq(sign.last + 1),
            last: Seq(sign.last),
            watermark: if dispatched { agent.dispatched_watermark } else { sign.watermark },
            ..self.out_header(context)
        };
        let message = encode(&header, &EventsBuffer::new());
        let topic = self.topic(context, header.left_at);
        let sent = if sign.is_leave { Sent::Leave } else { Sent::SignOfLife };
        self.send(context, topic, Value::Frame(message), sent);
    }

    /// The topic of frames that leave at `cut`.
    fn topic(&self, context: &Context, cut: Cut) -> Topic {
        let partition = context.scenario.devices[self.device].partition;
        Topic::Stage { stage: cut.0 + 1, partition }
    }

    pub(super) fn send(&mut self, context: &mut Context, topic: Topic, value: Value, sent: Sent) {
        let leaves_ms = self.cut_until_ms;
        let Some(mut sender) = self.sender(sent) else { return };
        if sent == Sent::SignOfLife {
            sender = self.sign_of_life(sender);
        }
        context.send(topic, value, sender, leaves_ms);
    }

    /// Signs of life are acknowledged too, but do not count as frames under way.
    fn sign_of_life(&mut self, mut sender: crate::broker::Sender) -> crate::broker::Sender {
        if let Some(agent) = self.agent.as_mut() {
            agent.outstanding.remove(&sender.token);
            agent.outstanding.insert(SIGN_OF_LIFE, Sent::SignOfLife);
        }
        sender.token = SIGN_OF_LIFE;
        sender
    }

    /// Marks every event of the frames below the cursor as acknowledged.
    pub(super) fn note_cursor(&self, context: &mut Context, from: Index, to: Index) {
        let Some(disk) = &self.disk else { return };
        for index in (from.0..to.0).filter(|index| !disk.is_gap(*index)) {
            let id = disk.history()[usize::try_from(index).unwrap_or(usize::MAX)];
            context.truth.event_mut(id).acknowledged = true;
        }
    }
}

/// Whether the run before this one is empty: to name it is to wait for nothing.
fn follows_empty(runs: &[Run], incarnation: Incarnation) -> bool {
    let at = runs.iter().position(|run| run.incarnation == Some(incarnation.0));
    at.and_then(|at| runs[..at].last()).is_some_and(Run::is_empty)
}

fn encode(header: &FrameHeader, buffer: &EventsBuffer) -> std::rc::Rc<[u8]> {
    let mut message = Vec::new();
    encode_frame(SCHEMA_IDS + header.applied, header, buffer, &mut message)
        .expect("an agent's frame agrees with itself");
    message.into()
}
