//! Playing: events flow, routes change, a line per second says how it goes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::device::{Moment, header};
use super::kills::Kills;
use super::lag::Lag;
use super::query::Query;
use super::switching::Switching;
use super::takeover::Takeover;
use super::{LINKS, Options};
use crate::stack::Stack;

/// Half of the second over which a device reports its longest hold, so that none is missed.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// How long before a look a hold may have been that it shows.
const HOLD_AGE: Duration = Duration::from_secs(2);
/// After the last event: what the poorest link may need for what its spool still holds.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(120);
const LINES_PER_HEADER: u32 = 20;
const MOST_REVIVALS: u32 = 10;

/// What was seen while playing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Played {
    /// The longest time that a source was held while nothing was switched, milliseconds.
    pub(super) quiet_gap_ms: f64,
    /// The same while routes were switched.
    pub(super) switching_gap_ms: f64,
    /// Most memory that an agent had resident.
    pub(super) resident_bytes: u64,
    /// Processes that were killed; none where nothing was to be killed.
    pub(super) kills: Option<u32>,
    /// Whether one of them had sent frames that it may not have known to be acknowledged.
    pub(super) sender_killed: bool,
    /// Plans that the controller changed; none where it had no part.
    pub(super) controller_commands: Option<u64>,
}

/// Plays until every device has sent everything, switching all the while but at the beginning.
pub(super) fn play(
    stack: &mut Stack,
    query: &Query<'_>,
    options: &Options,
    mut switching: Switching,
    say: &mut dyn FnMut(&str),
) -> Result<Played> {
    let started = Instant::now();
    let quiet_until = started + options.quiet();
    let (is_over, is_handed_over) = (AtomicBool::new(false), AtomicBool::new(false));
    let played = thread::scope(|scope| {
        let switcher =
            scope.spawn(|| switching.run(quiet_until, options.switch_every, &is_handed_over));
        let played = Watch::new(stack, query, options, started)
            .and_then(|mut watch| watch.until_done(quiet_until, (&is_over, &is_handed_over), say));
        is_over.store(true, Ordering::Relaxed);
        is_handed_over.store(true, Ordering::Relaxed);
        switcher.join().unwrap_or_else(|_| Ok(())).and(played)
    });
    switching.end()?;
    played
}

/// The devices under observation.
struct Watch<'a> {
    stack: &'a mut Stack,
    query: &'a Query<'a>,
    kills: Option<Kills>,
    /// How often a residual job that found no broker is still started again.
    revivals: u32,
    wan: sluice_wan::control::Client,
    lag: Lag,
    takeover: Option<Takeover>,
    started: Instant,
    deadline: Instant,
}

impl<'a> Watch<'a> {
    fn new(
        stack: &'a mut Stack,
        query: &'a Query<'a>,
        options: &Options,
        started: Instant,
    ) -> Result<Watch<'a>> {
        let kills = options.kills.clone();
        Ok(Watch {
            wan: stack.wan()?,
            stack,
            query,
            kills: kills.map(|kills| Kills::new(kills, query.case, options.seed, started)),
            revivals: MOST_REVIVALS,
            lag: Lag::new(options),
            takeover: options.controlled().map(|(from, to)| {
                Takeover::new(started + options.quiet(), started + from, started + to)
            }),
            started,
            deadline: started + Duration::from_secs(options.seconds.into()) + DRAIN_TIMEOUT,
        })
    }

    /// Looks until all sources are done (then both flags come true) and all that they gave has left the devices. The second flag
    /// ends random switching, and the controller takes over.
    fn until_done(
        &mut self,
        quiet_until: Instant,
        (is_over, is_handed_over): (&AtomicBool, &AtomicBool),
        say: &mut dyn FnMut(&str),
    ) -> Result<Played> {
        let mut played = Played { kills: self.kills.as_ref().map(|_| 0), ..Played::default() };
        let mut last = self.look(&vec![Moment::default(); LINKS.len()])?;
        let mut shown = last.clone();
        let mut shown_at = Instant::now();
        let mut lines = 0;
        loop {
            thread::sleep(LOOK_EVERY);
            let now = Instant::now();
            let moments = self.look(&last)?;
            self.lag.accepted(now, moments.iter().map(Moment::accepted));
            let gap_ms = moments.iter().map(|moment| moment.held_max_ms).fold(0.0, f64::max);
            let resident_bytes = moments.iter().map(|moment| moment.resident_bytes).max();
            played.resident_bytes = played.resident_bytes.max(resident_bytes.unwrap_or_default());
            if now < quiet_until {
                played.quiet_gap_ms = played.quiet_gap_ms.max(gap_ms);
            } else if now > quiet_until + HOLD_AGE && !is_handed_over.load(Ordering::Relaxed) {
                played.switching_gap_ms = played.switching_gap_ms.max(gap_ms);
            }
            let is_done = moments.iter().all(|moment| moment.is_done);
            is_over.fetch_or(is_done, Ordering::Relaxed);
            is_handed_over.fetch_or(is_done, Ordering::Relaxed);
            self.control(now, &mut played, is_handed_over, say)?;
            let is_drained = moments.iter().zip(&last).all(|(now, last)| now.is_drained(last));
            if is_drained || now >= shown_at + Duration::from_secs(1) {
                if lines % LINES_PER_HEADER == 0 {
                    say(&header());
                }
                lines += 1;
                let seconds = (now - shown_at).as_secs_f64();
                let lag = self.lag(now)?;
                let columns = moments.iter().zip(&shown).zip(&LINKS);
                let columns: Vec<String> = columns
                    .map(|((now, before), link)| now.columns(before, seconds, link))
                    .collect();
                let commands: u64 = moments.iter().map(Moment::commands).sum();
                say(&format!(
                    "{:>4}  | {} | {lag}, {gap_ms:.0} ms, {commands}",
                    self.second(now),
                    columns.join(" | "),
                ));
                (shown_at, shown) = (now, moments.clone());
                self.look_after_ended()?;
            }
            if is_drained {
                return Ok(played);
            }
            last = moments;
            if !is_over.load(Ordering::Relaxed) {
                for name in self.kill(now, say)? {
                    played.kills = played.kills.map(|kills| kills + 1);
                    played.sender_killed |= name.starts_with("edge") || name.starts_with("replica");
                }
            }
            let patience = DRAIN_TIMEOUT.as_secs();
            ensure!(
                now < self.deadline,
                "the devices still hold events {patience} s after the last one"
            );
        }
    }

    /// Lets the controller take over when it is time, and shows what it does.
    fn control(
        &mut self,
        now: Instant,
        played: &mut Played,
        is_handed_over: &AtomicBool,
        say: &mut dyn FnMut(&str),
    ) -> Result<()> {
        let second = self.second(now);
        let Some(takeover) = &mut self.takeover else { return Ok(()) };
        is_handed_over.fetch_or(takeover.has_begun(now), Ordering::Relaxed);
        let lines = takeover.look(now, self.stack, self.query, &mut self.wan)?;
        played.controller_commands = Some(takeover.commands);
        lines.iter().for_each(|line| say(&format!("{second:>4}  | {line}")));
        Ok(())
    }

    /// Kills what is to be killed now, and starts it again at once.
    fn kill(&mut self, now: Instant, say: &mut dyn FnMut(&str)) -> Result<Vec<String>> {
        let names = self.kills.as_mut().map(|kills| kills.due(now)).unwrap_or_default();
        names.iter().try_for_each(|name| self.stack.kill(name))?;
        // The broker first: the others ask for it.
        names.iter().rev().try_for_each(|name| self.stack.restart(name).map(|_| ()))?;
        if !names.is_empty() {
            say(&format!("{:>4}  | kill -9 of {}", self.second(now), names.join(", ")));
        }
        Ok(names)
    }

    /// Nothing ends by itself, but for a residual job that finds no broker: it says so and leaves it to whoever runs it to
    /// start it again. The broker takes its time after it was killed.
    fn look_after_ended(&mut self) -> Result<()> {
        let Some(name) = self.stack.ended() else { return Ok(()) };
        if name == "residual" && self.kills.is_some() && self.revivals > 0 {
            self.revivals -= 1;
            return self.stack.restart("residual").map(|_| ());
        }
        bail!("{name} has ended by itself:\n{}", self.stack.log_tail(name))
    }

    fn second(&self, now: Instant) -> u64 {
        (now - self.started).as_secs()
    }

    fn look(&mut self, last: &[Moment]) -> Result<Vec<Moment>> {
        let devices = LINKS.iter().zip(&self.query.device_http).zip(last);
        let mut moments = Vec::new();
        for ((link, &http), last) in devices {
            let agent = self.stack.state().service(&format!("edge-{}", link.device));
            let process = agent.context("a device has not been started")?.process;
            let moment = last.read(link, http, process, self.query.case.operators, &mut self.wan);
            // One that was killed answers again when it is up.
            moments.push(if self.kills.is_some() {
                moment.unwrap_or_else(|_| last.unheard())
            } else {
                moment?
            });
        }
        Ok(moments)
    }

    fn lag(&mut self, now: Instant) -> Result<String> {
        let watermark_ms = self.query.residual.emitted_watermark_ms();
        let watermark_ms = match self.kills {
            Some(_) => watermark_ms.unwrap_or_default(),
            None => watermark_ms?,
        };
        let lag_s = watermark_ms
            .filter(|_| !self.query.plays_files())
            .and_then(|watermark_ms| self.lag.seconds(now, watermark_ms));
        Ok(lag_s.map_or("none yet".to_owned(), |lag_s| format!("{lag_s:.1} s behind")))
    }
}
