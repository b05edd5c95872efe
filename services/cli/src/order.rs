//! What a person asks a device to do, checked against what is deployed before anything is sent. Pure.

use std::fmt;

use anyhow::Result;
use sluice_model::{
    CommandKey, DeviceKey, Epoch, Input, Mode, RoutingCommand, Share, Shares, Target,
};
use sluice_runtime::exit::Failure;

use crate::args;
use crate::rows::Catalog;

/// Where events shall leave the edge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// At one cut.
    Cut(sluice_model::Cut),
    /// At several, per mille by cut.
    Shares(Vec<Share>),
    /// As before, but the controller may change it.
    Release,
}

/// What goes with a wish.
#[derive(Debug, Clone, Default)]
pub struct Conditions {
    /// Speak as the controller, not as a person.
    pub auto: bool,
    /// Not accepted after this time, epoch milliseconds.
    pub expires_at: Option<i64>,
    /// Not accepted when the epoch in force is newer.
    pub if_epoch: Option<Epoch>,
    /// Who asks.
    pub issuer: String,
    /// Why.
    pub reason: String,
}

/// A command that every device it addresses would accept as far as can be told from here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// Its key.
    pub key: CommandKey,
    /// Its value.
    pub command: RoutingCommand,
    /// The registry id of commands.
    pub schema_id: i32,
    /// The partition of the device it addresses; none when it addresses all.
    pub device_partition: Option<i32>,
}

impl std::str::FromStr for Wish {
    type Err = String;
    /// A cut, shares as `0:500,2:500`, or `release`.
    fn from_str(text: &str) -> Result<Self, String> {
        if text == "release" {
            Ok(Self::Release)
        } else if text.contains(':') {
            args::shares(text).map(Self::Shares)
        } else {
            let cut = text.parse().map(|cut| Self::Cut(sluice_model::Cut(cut)));
            cut.map_err(|_| format!("`{text}` is neither a cut, nor shares, nor `release`"))
        }
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.key)?;
        match (&self.command.cut, &self.command.shares) {
            (Some(cut), _) => write!(f, "cut {cut}"),
            (None, Some(shares)) => {
                let shares = shares.iter().map(|s| format!("{}:{}", s.cut, s.per_mille));
                write!(f, "shares {}", shares.collect::<Vec<_>>().join(","))
            }
            (None, None) => write!(f, "release"),
        }
    }
}

/// Makes the order of a wish.
///
/// # Errors
/// When the query, the input or the device is not there, or the input has no such plan (exit code 64).
pub fn order(catalog: &Catalog, target: &Target, wish: Wish, with: &Conditions) -> Result<Order> {
    let (query, input) = catalog.input(&target.query, &target.input)?;
    let device = target.device.clone().map(|device| DeviceKey {
        query: target.query.clone(),
        input: target.input.clone(),
        device,
    });
    if let Some(device) = &device {
        catalog.check_joined(device)?;
    }
    let schema_id = query.schema_id("RoutingCommand").ok_or_else(|| {
        Failure::usage(format!("query `{}` lists no RoutingCommand; deploy it again", query.query))
    })?;
    let manual = !with.auto || wish == Wish::Release;
    let command = command(wish, with, input)
        .map_err(|problem| Failure::usage(format!("{target}: {problem}")))?;
    let entry = device.and_then(|device| catalog.devices.get(&device));
    Ok(Order {
        key: CommandKey { target: target.clone(), manual },
        command,
        schema_id,
        device_partition: entry.map(|entry| entry.partition),
    })
}

fn command(wish: Wish, with: &Conditions, input: &Input) -> Result<RoutingCommand, String> {
    let (issuer, reason) = (with.issuer.as_str(), with.reason.as_str());
    let mode = if with.auto { Mode::Auto } else { Mode::Manual };
    let mut command = match wish {
        Wish::Release => RoutingCommand::release(issuer, reason),
        Wish::Cut(cut) => RoutingCommand::route(Shares::binary(cut), mode, issuer, reason),
        Wish::Shares(shares) => {
            let shares = Shares::new(shares).map_err(|error| error.to_string())?;
            RoutingCommand::route(shares, mode, issuer, reason)
        }
    };
    command.expires_at = with.expires_at;
    command.if_epoch = with.if_epoch;
    command.order(input.operator_count()).map_err(|error| error.to_string())?;
    Ok(command)
}

impl Order {
    /// The partitions of `sluice.control` it goes to, of `partitions` there are (DESIGN section 2).
    pub fn partitions(&self, partitions: i32) -> Vec<i32> {
        match self.device_partition {
            Some(partition) => vec![partition % partitions],
            None => (0..partitions).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::tests::catalog;
    use sluice_model::Cut;

    fn made(target: &str, wish: &str, with: &Conditions) -> Result<Order, String> {
        let wish = wish.parse()?;
        let target = target.parse().map_err(|e: sluice_model::KeyError| e.to_string())?;
        order(&catalog(), &target, wish, with).map_err(|error| error.to_string())
    }

    fn person(target: &str, wish: &str) -> Result<Order, String> {
        made(target, wish, &Conditions::default())
    }

    #[test]
    fn a_person_s_order_has_the_manual_key() {
        let order = person("q1/readings/pi-1", "1").unwrap();
        assert_eq!(order.to_string(), "q1/readings/pi-1/manual: cut 1");
        assert_eq!((order.command.mode, order.command.cut), (Mode::Manual, Some(Cut(1))));
        assert_eq!(order.schema_id, 17);
        let release = person("q1/readings/*", "release").unwrap();
        assert_eq!(release.to_string(), "q1/readings/*/manual: release");
    }

    #[test]
    fn an_automatic_order_has_the_plain_key() {
        let with = Conditions { auto: true, if_epoch: Some(Epoch(5)), ..Conditions::default() };
        let order = made("q1/readings/pi-1", "0:500,1:500", &with).unwrap();
        assert_eq!(order.to_string(), "q1/readings/pi-1: shares 0:500,1:500");
        assert_eq!((order.command.mode, order.command.if_epoch), (Mode::Auto, Some(Epoch(5))));
    }

    #[test]
    fn what_no_device_would_accept_is_not_sent() {
        for (target, wish, part) in [
            ("q2/readings/pi-1", "1", "not deployed"),
            ("q1/other/pi-1", "1", "no input"),
            ("q1/readings/pi-9", "1", "takes no part"),
            ("q1/readings/pi-1", "3", "cut 3 is not within 0..2"),
            ("q1/readings/pi-1", "-1", "not within"),
            ("q1/readings/*", "0:500,1:400", "sum to 900"),
            ("q1/readings/*", "0:500,0:500", "two shares"),
            ("q1/readings/*", "edge", "neither a cut"),
            ("q1/readings", "1", "form"),
        ] {
            let refusal = person(target, wish).unwrap_err();
            assert!(refusal.contains(part), "{target} {wish}: {refusal}");
        }
    }

    #[test]
    fn an_order_goes_to_the_device_s_partition_or_to_all() {
        let one = person("q1/readings/pi-1", "1").unwrap();
        assert_eq!((one.partitions(1), one.partitions(2)), (vec![0], vec![1]));
        let all = person("q1/readings/*", "1").unwrap();
        assert_eq!(all.partitions(2), [0, 1]);
    }
}
