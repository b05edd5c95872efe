//! What one device shows of itself at one moment.

use std::net::SocketAddr;

use anyhow::{Context, Result};
use sluice_wan::control::Client;

use super::links::{LINKS, Link};
use super::metrics::Samples;
use crate::process::Identity;

/// A device at one moment; counts are of all processes that its agent had.
#[derive(Clone, Debug, Default)]
pub(super) struct Moment {
    process: Option<Identity>,
    /// What processes before this one had counted when they were last heard.
    before: Counts,
    counts: Counts,
    spool_bytes: f64,
    /// Accepted events that the broker hasn't acknowledged.
    backlog: f64,
    /// The longest time that its source was held in the last full second.
    pub(super) held_max_ms: f64,
    up_bytes: u64,
    pub(super) resident_bytes: u64,
    /// Whether its source has played everything.
    pub(super) is_done: bool,
}

/// What an agent counts from its start on.
#[derive(Clone, Debug, Default)]
struct Counts {
    accepted: f64,
    /// By cut.
    left_at: Vec<f64>,
    commands: f64,
}

impl Counts {
    fn read(samples: &Samples, operators: u32) -> Counts {
        let left_at = |cut: u32| {
            samples.labelled("sluice_edge_dispatched_events_total", "cut", &cut.to_string())
        };
        Counts {
            accepted: samples.sum("sluice_edge_accepted_events_total"),
            left_at: (0..=operators).map(left_at).collect(),
            commands: samples.labelled("sluice_edge_commands_total", "outcome", "accepted"),
        }
    }

    fn plus(mut self, other: Counts) -> Counts {
        self.accepted += other.accepted;
        self.left_at.resize(self.left_at.len().max(other.left_at.len()), 0.0);
        self.left_at.iter_mut().zip(other.left_at).for_each(|(sum, more)| *sum += more);
        self.commands += other.commands;
        self
    }
}

impl Moment {
    /// Asks the agent at `http`, which is `process` now, and the relay of its link.
    pub(super) fn read(
        &self,
        link: &Link,
        http: SocketAddr,
        process: Identity,
        operators: u32,
        wan: &mut Client,
    ) -> Result<Moment> {
        let samples =
            Samples::read(http).with_context(|| format!("the agent of {}", link.device))?;
        let is_same = self.process.is_none_or(|known| known == process);
        let before = if is_same { self.before.clone() } else { self.counts.clone() };
        Ok(Moment {
            process: Some(process),
            counts: before.clone().plus(Counts::read(&samples, operators)),
            before,
            spool_bytes: samples.sum("sluice_edge_spool_bytes"),
            backlog: samples.sum("sluice_edge_backlog_events"),
            held_max_ms: samples.sum("sluice_edge_source_held_max_ms"),
            up_bytes: wan.delivered_bytes(link.device)?.0,
            resident_bytes: process.resident_bytes().unwrap_or_default(),
            is_done: samples.sum("sluice_edge_source_done") > 0.0,
        })
    }

    /// The same while the agent does not answer: nothing is known to be done.
    pub(super) fn unheard(&self) -> Moment {
        Moment { is_done: false, held_max_ms: 0.0, ..self.clone() }
    }

    /// Events that the device has accepted.
    pub(super) fn accepted(&self) -> u64 {
        self.counts.accepted as u64
    }

    /// Commands that came into force on the device.
    pub(super) fn commands(&self) -> u64 {
        self.counts.commands as u64
    }

    /// Whether all that its source gives has been acknowledged: twice in a row, since an agent that has just started
    /// does not yet know what its spool holds.
    pub(super) fn is_drained(&self, earlier: &Moment) -> bool {
        let is_empty = |moment: &Moment| moment.is_done && moment.backlog == 0.0;
        self.process == earlier.process && is_empty(self) && is_empty(earlier)
    }

    /// What happened since `before`, `seconds` ago, in columns under [`header`].
    pub(super) fn columns(&self, before: &Moment, seconds: f64, link: &Link) -> String {
        let left: Vec<f64> = self
            .counts
            .left_at
            .iter()
            .enumerate()
            .map(|(cut, now)| now - before.counts.left_at.get(cut).copied().unwrap_or_default())
            .collect();
        // Between two events there is no share: not even one below zero.
        let all = left.iter().sum::<f64>().max(1.0);
        let cuts: Vec<String> =
            left.iter().map(|left| format!("{:.0}", left.max(0.0) * 100.0 / all)).collect();
        let up_bytes_per_s = self.up_bytes.saturating_sub(before.up_bytes) as f64 / seconds;
        format!(
            "{:>5.0} {:>14} {:>5.1} {:>4.0} {:>3.0}%",
            (self.counts.accepted - before.counts.accepted).max(0.0) / seconds,
            cuts.join("/"),
            self.spool_bytes / 1e6,
            up_bytes_per_s / 1e3,
            up_bytes_per_s * 100.0 / link.up_bytes_per_s as f64,
        )
    }
}

/// The names above the columns of all devices.
pub(super) fn header() -> String {
    let devices =
        LINKS.iter().map(|link| format!("{:<36}", format!("{} ({})", link.device, link.name)));
    let columns = LINKS.iter().map(|_| {
        format!("{:>5} {:>14} {:>5} {:>4} {:>4}", "ev/s", "% by cut", "spool", "kB/s", "link")
    });
    let (devices, columns): (Vec<_>, Vec<_>) = (devices.collect(), columns.collect());
    format!(
        "      | {} |\n   s  | {} | watermark, longest hold, commands",
        devices.join(" | "),
        columns.join(" | ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_show_what_changed_under_their_names() {
        let counts = |accepted, left_at| Counts { accepted, left_at, commands: 0.0 };
        let before =
            Moment { counts: counts(1000.0, vec![900.0, 0.0, 0.0, 0.0]), ..Moment::default() };
        let now = Moment {
            counts: counts(4000.0, vec![1650.0, 2250.0, 0.0, 0.0]),
            spool_bytes: 12_345_678.0,
            up_bytes: 100_000,
            ..Moment::default()
        };
        let link = Link { up_bytes_per_s: 200_000, ..LINKS[0] };
        assert_eq!(now.columns(&before, 1.0, &link), " 3000      25/75/0/0  12.3  100  50%");
        let header = header();
        let widths: Vec<Vec<usize>> = header
            .lines()
            .map(|line| line.split(" | ").skip(1).take(2).map(str::len).collect())
            .collect();
        assert_eq!(widths[0], widths[1]);
        assert_eq!(widths[1][0], now.columns(&before, 1.0, &link).len());
    }

    #[test]
    fn a_device_is_drained_when_it_said_so_twice() {
        let process = Some(Identity { pid: 1, started_ticks: 1 });
        let done = Moment { process, is_done: true, ..Moment::default() };
        assert!(done.is_drained(&done));
        assert!(!done.is_drained(&done.unheard()));
        assert!(!done.is_drained(&Moment { process: None, ..done.clone() }));
        assert!(!Moment { backlog: 1.0, ..done.clone() }.is_drained(&done));
    }
}
