//! What is known of one input on one device, and what is decided for it.

use std::collections::VecDeque;

use sluice_model::{
    CutForecast, Decision, DecisionInputs, DeviceEntry, DeviceKey, DeviceStatus, Epoch, Mode,
    PlanInForce, PlanMode, RoutingCommand, Shares, Telemetry, Verdict,
};
use sluice_policy::{Differ, Estimates, Estimator, Plan, Policy, Prediction, Problem};

use super::{Rules, Ruling, counters};

/// What a decision needs to know beside the device.
pub struct Context<'a> {
    pub rules: &'a Rules,
    pub policy: &'a dyn Policy,
    /// The deployed version of the query.
    pub version: i32,
    pub residual_lag: Option<i64>,
    pub broker_ahead_ms: i64,
}

/// A command on its way to the device.
#[derive(Debug, Clone)]
struct Pending {
    /// None until it stands in the control topic.
    epoch: Option<Epoch>,
    plan: Plan,
    until_ms: i64,
}

/// What is known of one input on one device.
#[derive(Debug, Clone)]
pub struct Device {
    /// Its place in the input.
    pub entry: DeviceEntry,
    /// Its last status.
    pub status: Option<DeviceStatus>,
    /// Its last record of telemetry, with the time when it came.
    pub telemetry: Option<(Telemetry, i64)>,
    /// Decisions, the newest last.
    pub history: VecDeque<Decision>,
    differ: Differ,
    estimator: Estimator,
    /// The version that the estimates are of.
    version: Option<i32>,
    /// The first record after this time is observed.
    observe_at_ms: i64,
    observed_ms: Option<i64>,
    decide_at_ms: i64,
    /// The plan in force as the policy knows it.
    plan: Option<Plan>,
    pending: Option<Pending>,
    /// After a refusal nothing is commanded before.
    rest_until_ms: i64,
    /// The last verdict that was no decision of the policy, so that it is kept once.
    waiting: Option<(Verdict, String)>,
}

impl Device {
    pub(super) fn new(entry: DeviceEntry, rules: &Rules) -> Self {
        Self {
            entry,
            status: None,
            telemetry: None,
            history: VecDeque::new(),
            differ: Differ::default(),
            estimator: Estimator::new(rules.estimator),
            version: None,
            observe_at_ms: i64::MIN,
            observed_ms: None,
            decide_at_ms: 0,
            plan: None,
            pending: None,
            rest_until_ms: i64::MIN,
            waiting: None,
        }
    }

    /// Begins an interval at whose end a decision is due. Devices do not decide all at once.
    pub(super) fn begin_interval(&mut self, rules: &Rules, now_ms: i64, place: usize) {
        let step = rules.decide_every_ms / 16;
        let place = i64::try_from(place % 16).unwrap_or(0);
        self.decide_at_ms = now_ms + rules.decide_every_ms + place * step;
        self.pending = None;
        self.waiting = None;
    }

    /// The plan in force, as the device says.
    #[must_use]
    pub fn in_force(&self) -> Option<&PlanInForce> {
        self.status.as_ref()?.plan.as_ref()
    }

    /// What is believed of it.
    #[must_use]
    pub fn estimates(&self) -> &Estimates {
        self.estimator.estimates()
    }

    /// The plan in force as the policy knows it.
    #[must_use]
    pub fn plan(&self) -> Option<&Plan> {
        self.plan.as_ref()
    }

    /// When telemetry was last observed.
    #[must_use]
    pub fn observed_ms(&self) -> Option<i64> {
        self.observed_ms
    }

    pub(super) fn handle_status(&mut self, status: DeviceStatus, now_ms: i64) {
        if let Some(in_force) = &status.plan {
            if let Some(pending) = &self.pending
                && pending.epoch == Some(in_force.epoch)
                && pending.plan.shares() == in_force.shares
            {
                let confirmed = Plan::new(pending.plan.base().clone(), now_ms);
                self.plan = Some(confirmed.with_probe(pending.plan.probe()));
                self.pending = None;
            }
            let is_known = self.plan.as_ref().is_some_and(|plan| plan.shares() == in_force.shares);
            if !is_known {
                self.plan = Some(Plan::new(in_force.shares.clone(), now_ms));
            }
        }
        self.status = Some(status);
    }

    pub(super) fn handle_telemetry(
        &mut self,
        rules: &Rules,
        telemetry: Telemetry,
        (target, residual_lag): (Option<f64>, Option<i64>),
        now_ms: i64,
    ) {
        if telemetry.edge.is_none() {
            return;
        }
        // A repeated or late record says nothing of now.
        if let Some((last, _)) = &self.telemetry
            && last.boot == telemetry.boot
            && last.uptime_us >= telemetry.uptime_us
        {
            return;
        }
        if self.version.is_some_and(|version| version != telemetry.version) {
            self.estimator = Estimator::new(rules.estimator);
            self.differ = Differ::default();
        }
        self.version = Some(telemetry.version);
        let is_first = self.observed_ms.is_none();
        if now_ms >= self.observe_at_ms
            && let Some(counters) = counters::of(&telemetry, target, residual_lag, now_ms)
        {
            if let Some(seen) = self.differ.take(counters) {
                self.estimator.observe(&seen);
                self.observed_ms = Some(now_ms);
            }
            // Records come every second or so: one that is a little early is as good.
            let early_ms = rules.observe_every_ms / 10;
            self.observe_at_ms =
                now_ms + if is_first { 0 } else { rules.observe_every_ms - early_ms };
        }
        self.telemetry = Some((telemetry, now_ms));
    }

    pub(super) fn handle_placed(&mut self, rules: &Rules, epoch: Option<Epoch>, now_ms: i64) {
        match (epoch, &mut self.pending) {
            (Some(epoch), Some(pending)) => {
                pending.epoch = Some(epoch);
                pending.until_ms = now_ms + rules.confirm_within_ms;
            }
            (None, pending) => *pending = None,
            (Some(_), None) => {}
        }
    }

    pub(super) fn remember(&mut self, decision: Decision, most: usize) {
        self.history.push_back(decision);
        while self.history.len() > most {
            self.history.pop_front();
        }
    }

    pub(super) fn is_due(&self, now_ms: i64) -> bool {
        now_ms >= self.decide_at_ms
    }

    /// Why there can be no decision now.
    fn obstacle(&mut self, context: &Context<'_>, now_ms: i64) -> Option<(Verdict, String)> {
        let rules = context.rules;
        let held = |why: String| Some((Verdict::Held, why));
        let Some(in_force) = self.in_force() else {
            return held("the device has not said which plan is in force".to_owned());
        };
        if in_force.mode == PlanMode::Manual {
            return Some((Verdict::Manual, "a person routes this device".to_owned()));
        }
        let refusal = self.status.as_ref().and_then(|status| status.refusal.clone());
        if let Some(pending) = &self.pending {
            if let Some(refusal) = refusal.filter(|refusal| Some(refusal.epoch) == pending.epoch) {
                self.pending = None;
                self.rest_until_ms = now_ms + rules.confirm_within_ms;
                return held(format!("the device refused: {} ({})", refusal.text, refusal.code));
            }
            if now_ms < pending.until_ms {
                return held("the device has not answered the last command yet".to_owned());
            }
            self.pending = None;
        }
        if now_ms < self.rest_until_ms {
            return held("the last command was refused".to_owned());
        }
        let Some((telemetry, heard_ms)) = &self.telemetry else {
            return held("no telemetry".to_owned());
        };
        if now_ms - heard_ms > rules.stale_after_ms {
            // Not its age: the same obstacle is kept once.
            return held(format!("no telemetry for {} s", rules.stale_after_ms / 1_000));
        }
        if telemetry.version != context.version {
            return held(format!("version {} is not there yet", context.version));
        }
        if self.observed_ms.is_none() {
            return held("too little telemetry".to_owned());
        }
        None
    }

    pub(super) fn decide(
        &mut self,
        key: &DeviceKey,
        context: &Context<'_>,
        now_ms: i64,
    ) -> Option<Ruling> {
        // Late ticks do not add up, and a long sleep is not caught up with.
        let every = context.rules.decide_every_ms;
        self.decide_at_ms += every;
        if self.decide_at_ms <= now_ms {
            self.decide_at_ms = now_ms + every;
        }
        if let Some((verdict, why)) = self.obstacle(context, now_ms) {
            let news = self.waiting.as_ref().is_none_or(|known| *known != (verdict, why.clone()));
            self.waiting = Some((verdict, why.clone()));
            let decision = self.record(context, now_ms, verdict, vec![why])?;
            return news.then(|| Ruling { key: key.clone(), command: None, decision });
        }
        self.waiting = None;
        let (epoch, in_force) = {
            let in_force = self.in_force()?;
            (in_force.epoch, in_force.shares.clone())
        };
        let previous = self.plan.clone().unwrap_or_else(|| Plan::new(in_force.clone(), now_ms));
        let problem = Problem { now_ms, estimates: self.estimates().clone() };
        let answer = context.policy.solve(&problem, &previous);
        let reasons: Vec<String> = answer.reasons.iter().map(ToString::to_string).collect();
        let shares = answer.plan.shares();
        let verdict = if shares == in_force { Verdict::Kept } else { Verdict::Commanded };
        let mut decision = self.record(context, now_ms, verdict, reasons)?;
        decision.plan = shares.clone();
        decision.cuts = forecasts(&problem.estimates, &answer.predictions);
        let command = (verdict == Verdict::Commanded).then(|| {
            let until_ms = now_ms + context.rules.confirm_within_ms;
            self.pending = Some(Pending { epoch: None, plan: answer.plan.clone(), until_ms });
            let why = decision.reasons.join("; ");
            let command = RoutingCommand::route(shares, Mode::Auto, &context.rules.name, &why);
            let expires_at = Some(until_ms + context.broker_ahead_ms);
            RoutingCommand { if_epoch: Some(epoch), expires_at, ..command }
        });
        if command.is_none() {
            self.plan = Some(answer.plan);
        }
        Some(Ruling { key: key.clone(), command, decision })
    }

    /// A decision that keeps the plan, with all that is known.
    fn record(
        &self,
        context: &Context<'_>,
        at: i64,
        verdict: Verdict,
        reasons: Vec<String>,
    ) -> Option<Decision> {
        let unknown = Shares::binary(sluice_model::Cut(0));
        let in_force = self.in_force();
        let shares = in_force.map_or(unknown, |plan| plan.shares.clone());
        Some(Decision {
            at,
            controller: context.rules.name.clone(),
            policy: context.policy.name().to_owned(),
            version: context.version,
            verdict,
            if_epoch: in_force.map_or(Epoch::LOWEST, |plan| plan.epoch),
            epoch: None,
            previous: shares.clone(),
            plan: shares,
            reasons,
            inputs: self.inputs(context.residual_lag),
            cuts: Vec::new(),
        })
    }

    /// What the policy is given.
    pub(super) fn inputs(&self, residual_lag: Option<i64>) -> DecisionInputs {
        let estimates = self.estimates();
        let recent = &estimates.recent;
        let known = self.observed_ms.is_some();
        let edge = self.telemetry.as_ref().and_then(|(telemetry, _)| telemetry.edge.as_ref());
        DecisionInputs {
            target_per_s: known.then_some(estimates.target_per_second),
            arrivals_per_s: known.then_some(recent.arrived_per_second),
            delivered_per_s: known.then_some(recent.acked_per_second),
            backlog_events: edge.map_or(0, |edge| edge.backlog_events),
            uplink_bytes_per_s: estimates.goodput.map(|goodput| goodput.bytes_per_second),
            cpu_cores: estimates.cpu_cores.filter(|cores| cores.is_finite()),
            held_share: recent.held_share,
            rtt_ms: estimates.rtt_seconds.map(|seconds| seconds * 1e3),
            residual_lag,
        }
    }
}

/// What every cut would sustain and cost, those too of which something is unknown.
pub(super) fn forecasts(estimates: &Estimates, predictions: &[Prediction]) -> Vec<CutForecast> {
    let cuts = (0i32..).zip(&estimates.cuts);
    cuts.map(|(cut, costs)| {
        let prediction = predictions.iter().find(|prediction| prediction.cut.0 == cut);
        CutForecast {
            cut,
            rate_per_s: prediction.and_then(|prediction| prediction.sustained_per_second),
            cpu_us_per_event: costs
                .cpu_seconds
                .map(|seconds| (seconds + estimates.overhead_cpu_seconds) * 1e6),
            bytes_per_event: costs.wire_bytes,
        }
    })
    .collect()
}
