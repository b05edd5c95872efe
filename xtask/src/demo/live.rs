//! Playing: events flow, routes change, a line per second says how it goes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::device::{Moment, header};
use super::lag::{self, Lag};
use super::query::Query;
use super::switching::Switching;
use super::{LINKS, Options};
use crate::process::Identity;
use crate::stack::Stack;

/// Half of the second over which a device reports its longest hold, so that none is missed.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// How long before a look a hold may have been that it shows.
const HOLD_AGE: Duration = Duration::from_secs(2);
/// After the last event: what the poorest link may need for what its spool still holds.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(120);
const LINES_PER_HEADER: u32 = 20;

/// What was seen while playing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Played {
    /// The longest time that a source was held while nothing was switched, milliseconds.
    pub(super) quiet_gap_ms: f64,
    /// The same while routes were switched.
    pub(super) switching_gap_ms: f64,
    /// Most memory that an agent had resident.
    pub(super) resident_bytes: u64,
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
    let is_over = AtomicBool::new(false);
    let commands = switching.counter();
    let played = thread::scope(|scope| {
        let switcher = scope.spawn(|| switching.run(quiet_until, options.switch_every, &is_over));
        let mut watch = Watch::new(stack, query, options, started)?;
        let played =
            watch.until_done(quiet_until, &is_over, &|| commands.load(Ordering::Relaxed), say);
        is_over.store(true, Ordering::Relaxed);
        switcher.join().unwrap_or_else(|_| Ok(())).and(played)
    });
    switching.end(stack)?;
    played
}

/// The devices under observation.
struct Watch<'a> {
    query: &'a Query<'a>,
    agents: Vec<Identity>,
    wan: sluice_wan::control::Client,
    lag: Lag,
    started: Instant,
    deadline: Instant,
}

impl<'a> Watch<'a> {
    fn new(
        stack: &Stack,
        query: &'a Query<'a>,
        options: &Options,
        started: Instant,
    ) -> Result<Watch<'a>> {
        let agent = |link: &super::links::Link| {
            let service = stack.state().service(&format!("edge-{}", link.device));
            service.map(|service| service.process).context("a device has not been started")
        };
        Ok(Watch {
            query,
            agents: LINKS.iter().map(agent).collect::<Result<_>>()?,
            wan: stack.wan()?,
            lag: Lag::new(options),
            started,
            deadline: started + Duration::from_secs(options.seconds.into()) + DRAIN_TIMEOUT,
        })
    }

    /// Looks until all sources are done (then `is_over` comes true) and all that they gave has left the devices.
    fn until_done(
        &mut self,
        quiet_until: Instant,
        is_over: &AtomicBool,
        commands: &dyn Fn() -> u32,
        say: &mut dyn FnMut(&str),
    ) -> Result<Played> {
        let mut played = Played::default();
        let mut shown = self.look()?;
        let mut shown_at = Instant::now();
        let mut lines = 0;
        loop {
            thread::sleep(LOOK_EVERY);
            let now = Instant::now();
            let moments = self.look()?;
            self.lag.accepted(now, moments.iter().map(|moment| moment.accepted));
            let gap_ms = moments.iter().map(|moment| moment.held_max_ms).fold(0.0, f64::max);
            let resident_bytes = moments.iter().map(|moment| moment.resident_bytes).max();
            played.resident_bytes = played.resident_bytes.max(resident_bytes.unwrap_or_default());
            if now < quiet_until {
                played.quiet_gap_ms = played.quiet_gap_ms.max(gap_ms);
            } else if now > quiet_until + HOLD_AGE {
                played.switching_gap_ms = played.switching_gap_ms.max(gap_ms);
            }
            let is_done = moments.iter().all(|moment| moment.is_done);
            is_over.fetch_or(is_done, Ordering::Relaxed);
            let is_drained = is_done && moments.iter().all(|moment| moment.backlog == 0.0);
            if is_drained || now >= shown_at + Duration::from_secs(1) {
                if lines % LINES_PER_HEADER == 0 {
                    say(&header());
                }
                lines += 1;
                let seconds = (now - shown_at).as_secs_f64();
                let lag = self.lag(now)?;
                let at_s = (now - self.started).as_secs();
                let columns = moments.iter().zip(&shown).zip(&LINKS);
                let columns: Vec<String> = columns
                    .map(|((now, before), link)| now.columns(before, seconds, link))
                    .collect();
                say(&format!(
                    "{at_s:>4}  | {} | {lag}, {gap_ms:.0} ms, {}",
                    columns.join(" | "),
                    commands()
                ));
                (shown_at, shown) = (now, moments);
            }
            if is_drained {
                return Ok(played);
            }
            let patience = DRAIN_TIMEOUT.as_secs();
            ensure!(
                now < self.deadline,
                "the devices still hold events {patience} s after the last one"
            );
        }
    }

    fn look(&mut self) -> Result<Vec<Moment>> {
        let devices = LINKS.iter().zip(&self.query.device_http).zip(&self.agents);
        devices
            .map(|((link, &http), &agent)| Moment::read(link, http, agent, &mut self.wan))
            .collect()
    }

    fn lag(&mut self, now: Instant) -> Result<String> {
        let watermark_ms = lag::emitted_watermark_ms(self.query.flink_http)?;
        let lag_s = watermark_ms.and_then(|watermark_ms| self.lag.seconds(now, watermark_ms));
        Ok(lag_s.map_or("none yet".to_owned(), |lag_s| format!("{lag_s:.1} s behind")))
    }
}
