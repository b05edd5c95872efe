//! Changing routes while data flows, in every way there is: the CLI, shares, and raw JSON through a console producer.

use std::io::Write;
use std::process::ChildStdin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::LINKS;
use super::query::{INPUT, OPERATORS, Query};
use crate::stack::Stack;

const CLI: &str = "route";
const PRODUCER: &str = "console-producer";
/// How soon the end is noticed.
const LONGEST_SLEEP: Duration = Duration::from_millis(100);

/// Sends random commands through two running processes.
pub(super) struct Switching {
    random: Dice,
    cli: ChildStdin,
    producer: ChildStdin,
    sent: Arc<AtomicU32>,
}

/// A command and the way it goes.
#[derive(Debug, PartialEq, Eq)]
enum Order {
    Cli(String),
    Json(String),
}

impl Switching {
    /// Starts the two processes that commands go through.
    pub(super) fn start(stack: &mut Stack, query: &Query<'_>, seed: u64) -> Result<Switching> {
        let mut route = query.sluice(&["route", "--stdin", "--issuer", "demo"]);
        let cli = stack.spawn_listening(CLI, &mut route)?;
        let producer = stack.spawn_listening(PRODUCER, &mut query.console_producer())?;
        Ok(Switching { random: Dice(seed), cli, producer, sent: Arc::default() })
    }

    /// How many commands were sent so far.
    pub(super) fn counter(&self) -> Arc<AtomicU32> {
        self.sent.clone()
    }

    /// Sends a command to each device once per period, until it is over.
    pub(super) fn run(
        &mut self,
        from: Instant,
        every: Duration,
        is_over: &AtomicBool,
    ) -> Result<()> {
        let mut next = from;
        while !is_over.load(Ordering::Relaxed) {
            let wait = next.saturating_duration_since(Instant::now());
            if !wait.is_zero() {
                thread::sleep(wait.min(LONGEST_SLEEP));
                continue;
            }
            for link in &LINKS {
                let order = order(&mut self.random, link.device);
                let sent = self.send(&order);
                sent.with_context(|| {
                    format!("a command can't be sent: see the logs {CLI} and {PRODUCER}")
                })?;
            }
            next += every;
        }
        Ok(())
    }

    /// Ends the two processes.
    pub(super) fn end(self, stack: &mut Stack) -> Result<()> {
        drop((self.cli, self.producer));
        for name in [CLI, PRODUCER] {
            stack.stop(name)?;
        }
        Ok(())
    }

    fn send(&mut self, order: &Order) -> std::io::Result<()> {
        let (to, line) = match order {
            Order::Cli(line) => (&mut self.cli, line),
            Order::Json(line) => (&mut self.producer, line),
        };
        self.sent.fetch_add(1, Ordering::Relaxed);
        to.write_all(line.as_bytes())
    }
}

/// A cut drawn evenly; every sixth order is a pair of cuts with shares.
fn order(random: &mut Dice, device: &str) -> Order {
    let cut = random.below(OPERATORS + 1);
    match random.below(6) {
        0 => {
            let other = (cut + 1 + random.below(OPERATORS)) % (OPERATORS + 1);
            let share = 100 * (1 + random.below(9));
            Order::Cli(format!("{INPUT}/{device} {cut}:{share},{other}:{}\n", 1000 - share))
        }
        1 | 2 => Order::Cli(format!("{INPUT}/{device} {cut}\n")),
        _ => Order::Json(format!("{INPUT}/{device}/manual|{{\"cut\":{cut}}}\n")),
    }
}

/// The 64-bit generator MMIX; its high bits are good enough for drawing routes.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (((self.0 >> 32) * u64::from(bound)) >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_go_every_way_and_to_every_cut() {
        let mut random = Dice(1);
        let orders: Vec<Order> = (0..2_000).map(|_| order(&mut random, "pi-1")).collect();
        for cut in 0..=OPERATORS {
            assert!(orders.contains(&Order::Cli(format!("q1/readings/pi-1 {cut}\n"))));
            let json = format!("q1/readings/pi-1/manual|{{\"cut\":{cut}}}\n");
            assert!(orders.contains(&Order::Json(json)));
        }
        let plans = orders.iter().filter_map(|order| match order {
            Order::Cli(line) => line.trim().split_once(' ').map(|(_, plan)| plan),
            Order::Json(_) => None,
        });
        let shares: Vec<&str> = plans.filter(|plan| plan.contains(',')).collect();
        assert!(shares.len() > 200);
        for shares in shares {
            let parts = shares.split(',').map(|part| part.split_once(':').unwrap());
            let parts: Vec<(u32, u32)> =
                parts.map(|(cut, share)| (cut.parse().unwrap(), share.parse().unwrap())).collect();
            assert_ne!(parts[0].0, parts[1].0);
            assert_eq!(parts[0].1 + parts[1].1, 1000);
            assert!(parts.iter().all(|(cut, share)| *cut <= OPERATORS && *share > 0), "{shares}");
        }
    }
}
