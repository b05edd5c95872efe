//! Changing routes while data flows, in every way there is: the CLI, shares, and raw JSON through a console producer.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::dice::Dice;
use super::query::Query;
use super::{LINKS, Options};
use crate::case::Case;
use crate::stack::Stack;

/// How soon the end is noticed.
const LONGEST_SLEEP: Duration = Duration::from_millis(100);

/// Sends random commands through two running processes.
pub(super) struct Switching {
    random: Dice,
    case: &'static Case,
    cli: Channel,
    producer: Channel,
}

/// A process that passes on what it reads. It ends with its input.
struct Channel {
    command: Command,
    log: PathBuf,
    child: Child,
    input: ChildStdin,
    /// Whether another takes its place when it has ended: so it does without the broker.
    is_renewed: bool,
}

impl Channel {
    fn open(mut command: Command, log: PathBuf, is_renewed: bool) -> Result<Channel> {
        let (child, input) = Channel::start(&mut command, &log)?;
        Ok(Channel { command, log, child, input, is_renewed })
    }

    fn start(command: &mut Command, log: &PathBuf) -> Result<(Child, ChildStdin)> {
        let file = File::options().create(true).append(true).open(log)?;
        command.stdin(Stdio::piped()).stdout(file.try_clone()?).stderr(file);
        let mut child = command.spawn()?;
        let input = child.stdin.take().context("it has no input")?;
        Ok((child, input))
    }

    /// A line that meets an ended process is lost, as commands are without the broker.
    fn send(&mut self, line: &str) -> Result<()> {
        let sent = self.input.write_all(line.as_bytes());
        if sent.is_err() && self.is_renewed {
            self.child.wait()?;
            (self.child, self.input) = Channel::start(&mut self.command, &self.log)?;
            return Ok(());
        }
        sent.with_context(|| format!("a command can't be sent: see {}", self.log.display()))
    }

    fn end(self) -> Result<()> {
        let Channel { mut child, input, .. } = self;
        drop(input);
        child.wait()?;
        Ok(())
    }
}

/// A command and the way it goes.
#[derive(Debug, PartialEq, Eq)]
enum Order {
    Cli(String),
    Json(String),
}

impl Switching {
    /// Starts the two processes that commands go through.
    pub(super) fn start(stack: &Stack, query: &Query<'_>, options: &Options) -> Result<Switching> {
        let open = |name: &str, command| {
            Channel::open(command, stack.log(name), options.kills.is_some())
                .with_context(|| format!("can't start {name}"))
        };
        Ok(Switching {
            random: Dice::new(options.seed),
            case: query.case,
            cli: open("route", query.sluice(&["route", "--stdin", "--issuer", "demo"]))?,
            producer: open("console-producer", query.console_producer())?,
        })
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
                match order(&mut self.random, self.case, link.device) {
                    Order::Cli(line) => self.cli.send(&line)?,
                    Order::Json(line) => self.producer.send(&line)?,
                }
            }
            next += every;
        }
        Ok(())
    }

    /// Ends the two processes.
    pub(super) fn end(self) -> Result<()> {
        self.cli.end().and(self.producer.end())
    }
}

/// A cut drawn evenly; every sixth order is a pair of cuts with shares.
fn order(random: &mut Dice, case: &Case, device: &str) -> Order {
    let (input, operators) = (case.key(), case.operators);
    let cut = random.below(operators + 1);
    match random.below(6) {
        0 => {
            let other = (cut + 1 + random.below(operators)) % (operators + 1);
            let share = 100 * (1 + random.below(9));
            Order::Cli(format!("{input}/{device} {cut}:{share},{other}:{}\n", 1000 - share))
        }
        1 | 2 => Order::Cli(format!("{input}/{device} {cut}\n")),
        _ => Order::Json(format!("{input}/{device}/manual|{{\"cut\":{cut}}}\n")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sluice_generators::Query;

    #[test]
    fn orders_go_every_way_and_to_every_cut() {
        let (mut random, case) = (Dice::new(1), Case::of(Query::Q1));
        let orders: Vec<Order> = (0..2_000).map(|_| order(&mut random, case, "pi-1")).collect();
        for cut in 0..=case.operators {
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
            assert!(
                parts.iter().all(|(cut, share)| *cut <= case.operators && *share > 0),
                "{shares}"
            );
        }
    }
}
