//! `sluice route`: where a device's events leave the edge. Needs no registry.

use std::io::BufRead as _;
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::{ArgGroup, Args};
use serde_json::json;
use sluice_kafka::{Writer, partitions};
use sluice_model::{Cut, Epoch, Target, topics};
use sluice_runtime::clock;
use sluice_runtime::exit::Failure;
use sluice_wire::record;

use crate::args;
use crate::context::{Context, failure};
use crate::order::{self, Conditions, Order, Wish};
use crate::rows::{self, Catalog};

/// Options of `route`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("wish").args(["cut", "shares", "release", "stdin"]).required(true))]
pub struct Options {
    /// QUERY/INPUT/DEVICE, or QUERY/INPUT/* for all devices.
    #[arg(required_unless_present = "stdin", conflicts_with = "stdin")]
    target: Option<Target>,
    /// Operators 1..K run at the edge.
    #[arg(long, value_name = "K", value_parser = cut, allow_negative_numbers = true)]
    cut: Option<Wish>,
    /// A share per cut in thousandths, as 0:500,2:500.
    #[arg(long, value_parser = shares)]
    shares: Option<Wish>,
    /// Hand the device back to the controller; the plan stays as it is.
    #[arg(long)]
    release: bool,
    /// Read orders from standard input, one a line: TARGET and a cut, shares or `release`.
    #[arg(long)]
    stdin: bool,
    /// Speak as the controller does: outranked by people.
    #[arg(long, conflicts_with = "release")]
    auto: bool,
    /// The order is refused when it is read later than this: 500ms, 30s, 5m, 2h.
    #[arg(long, value_name = "TIME", value_parser = args::duration)]
    expires_in: Option<Duration>,
    /// The order is refused when a newer epoch is in force.
    #[arg(long, value_name = "EPOCH")]
    if_epoch: Option<i64>,
    /// Who asks, for people.
    #[arg(long, default_value = "sluice route")]
    issuer: String,
    /// Why, for people.
    #[arg(long, default_value = "")]
    reason: String,
    /// Check and print the command, but do not send it.
    #[arg(long)]
    dry_run: bool,
}

fn cut(text: &str) -> Result<Wish, String> {
    text.parse().map(|cut| Wish::Cut(Cut(cut))).map_err(|_| "must be a number".to_owned())
}

fn shares(text: &str) -> Result<Wish, String> {
    args::shares(text).map(Wish::Shares)
}

/// Runs the command.
pub fn run(context: &Context, options: Options) -> Result<()> {
    let catalog = Catalog::read(context)?;
    let mut desk = if options.dry_run { None } else { Some(Desk::open(context)?) };
    let mut handle = |target: &Target, wish: Wish| {
        let order = order::order(&catalog, target, wish, &options.conditions())?;
        match &mut desk {
            Some(desk) => desk.send(context, &order),
            None => context.print(&order, &shown(&order)),
        }
    };
    if options.stdin {
        return each_line(handle);
    }
    let wish = options.cut.clone().or(options.shares.clone()).unwrap_or(Wish::Release);
    let target = options.target.as_ref().context("the grammar requires a target")?;
    handle(target, wish)
}

impl Options {
    fn conditions(&self) -> Conditions {
        let expires_in_ms = |time: Duration| i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        Conditions {
            auto: self.auto,
            // Broker time is meant; this clock stands in for it.
            expires_at: self.expires_in.map(|t| clock::now_ms().saturating_add(expires_in_ms(t))),
            if_epoch: self.if_epoch.map(Epoch),
            issuer: self.issuer.clone(),
            reason: self.reason.clone(),
        }
    }
}

/// Handles every line; a line that is refused is named, and does not keep the others from being handled.
fn each_line(mut handle: impl FnMut(&Target, Wish) -> Result<()>) -> Result<()> {
    let mut refused = 0;
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        if let Err(error) = parse_line(&line).and_then(|(target, wish)| handle(&target, wish)) {
            if sluice_runtime::exit::code_of(&error) != sluice_runtime::exit::USAGE {
                return Err(error);
            }
            eprintln!("sluice: `{line}`: {error}");
            refused += 1;
        }
    }
    if refused > 0 {
        return Err(Failure::usage(format!("{refused} lines were refused")));
    }
    Ok(())
}

fn parse_line(line: &str) -> Result<(Target, Wish)> {
    let (target, wish) = line
        .trim()
        .split_once(char::is_whitespace)
        .ok_or_else(|| Failure::usage("must be TARGET and a cut, shares or `release`"))?;
    Ok((target.parse().map_err(Failure::usage)?, wish.trim().parse().map_err(Failure::usage)?))
}

/// Sends orders and tells the epochs they get.
struct Desk {
    writer: Writer,
    generations: std::collections::BTreeMap<i32, i64>,
    partitions: i32,
}

impl Desk {
    fn open(context: &Context) -> Result<Self> {
        Ok(Self {
            partitions: partitions(&context.kafka, topics::CONTROL).map_err(failure)?,
            generations: rows::generations(context, topics::CONTROL)?,
            writer: context.writer()?,
        })
    }

    fn send(&mut self, context: &Context, order: &Order) -> Result<()> {
        let value = record::encode(order.schema_id, &order.command)?;
        let key = order.key.to_string();
        for partition in order.partitions(self.partitions) {
            let generation = self.generations.get(&partition).ok_or_else(|| {
                let topic = topics::CONTROL;
                Failure::usage(format!(
                    "{topic} has no generation in partition {partition}; run `sluice init`"
                ))
            })?;
            let placed = self
                .writer
                .write(topics::CONTROL, Some(partition), &key, Some(&value))
                .map_err(failure)?;
            let epoch = Epoch::of_command(*generation, placed.offset);
            let mut shown = shown(order);
            shown["epoch"] = json!(epoch);
            context.print(
                format!(
                    "{order}, epoch {epoch} (generation {generation}, offset {})",
                    placed.offset
                ),
                &shown,
            )?;
        }
        Ok(())
    }
}

fn shown(order: &Order) -> serde_json::Value {
    json!({ "key": order.key.to_string(), "command": order.command })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_hold_a_target_and_a_wish() {
        let (target, wish) = parse_line(" q1/readings/*  0:500,2:500 ").unwrap();
        assert_eq!(target.to_string(), "q1/readings/*");
        assert!(matches!(wish, Wish::Shares(shares) if shares.len() == 2));
        for bad in ["", "q1/readings/*", "q1/readings 1", "q1/readings/pi-1 x"] {
            assert!(parse_line(bad).is_err(), "{bad}");
        }
    }
}
