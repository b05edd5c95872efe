//! What one device shows of itself at one moment.

use std::net::SocketAddr;

use anyhow::{Context, Result};
use sluice_wan::control::Client;

use super::links::{LINKS, Link};
use super::metrics::Samples;
use super::query::OPERATORS;
use crate::process::Identity;

/// A device at one moment; counts are since its start.
#[derive(Debug, Default)]
pub(super) struct Moment {
    pub(super) accepted: u64,
    left_at: [f64; OPERATORS as usize + 1],
    spool_bytes: f64,
    /// Accepted events that the broker hasn't acknowledged.
    pub(super) backlog: f64,
    /// The longest time that its source was held in the last full second.
    pub(super) held_max_ms: f64,
    up_bytes: u64,
    pub(super) resident_bytes: u64,
    /// Whether its source has played everything.
    pub(super) is_done: bool,
}

impl Moment {
    /// Asks the agent at `http`, and the relay of its link.
    pub(super) fn read(
        link: &Link,
        http: SocketAddr,
        process: Identity,
        wan: &mut Client,
    ) -> Result<Moment> {
        let samples =
            Samples::read(http).with_context(|| format!("the agent of {}", link.device))?;
        let left_at = |cut: usize| {
            samples.labelled("sluice_edge_dispatched_events_total", "cut", &cut.to_string())
        };
        Ok(Moment {
            accepted: samples.sum("sluice_edge_accepted_events_total") as u64,
            left_at: std::array::from_fn(left_at),
            spool_bytes: samples.sum("sluice_edge_spool_bytes"),
            backlog: samples.sum("sluice_edge_backlog_events"),
            held_max_ms: samples.sum("sluice_edge_source_held_max_ms"),
            up_bytes: wan.delivered_bytes(link.device)?.0,
            resident_bytes: process.resident_bytes().unwrap_or_default(),
            is_done: samples.sum("sluice_edge_source_done") > 0.0,
        })
    }

    /// What happened since `before`, `seconds` ago, in columns under [`header`].
    pub(super) fn columns(&self, before: &Moment, seconds: f64, link: &Link) -> String {
        let left: Vec<f64> =
            self.left_at.iter().zip(before.left_at).map(|(now, before)| now - before).collect();
        // Between two events there is no share: not even one below zero.
        let all = left.iter().sum::<f64>().max(1.0);
        let cuts: Vec<String> =
            left.iter().map(|left| format!("{:.0}", left.max(0.0) * 100.0 / all)).collect();
        let up_bytes_per_s = self.up_bytes.saturating_sub(before.up_bytes) as f64 / seconds;
        format!(
            "{:>5.0} {:>12} {:>5.1} {:>4.0} {:>3.0}%",
            self.accepted.saturating_sub(before.accepted) as f64 / seconds,
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
        LINKS.iter().map(|link| format!("{:<34}", format!("{} ({})", link.device, link.name)));
    let columns = LINKS.iter().map(|_| {
        format!("{:>5} {:>12} {:>5} {:>4} {:>4}", "ev/s", "% by cut", "spool", "kB/s", "link")
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
        let before =
            Moment { accepted: 1000, left_at: [900.0, 0.0, 0.0, 0.0], ..Moment::default() };
        let now = Moment {
            accepted: 4000,
            left_at: [1650.0, 2250.0, 0.0, 0.0],
            spool_bytes: 12_345_678.0,
            up_bytes: 100_000,
            ..Moment::default()
        };
        let link = Link { up_bytes_per_s: 200_000, ..LINKS[0] };
        assert_eq!(now.columns(&before, 1.0, &link), " 3000    25/75/0/0  12.3  100  50%");
        let header = header();
        let widths: Vec<Vec<usize>> = header
            .lines()
            .map(|line| line.split(" | ").skip(1).take(2).map(str::len).collect())
            .collect();
        assert_eq!(widths[0], widths[1]);
        assert_eq!(widths[1][0], now.columns(&before, 1.0, &link).len());
    }
}
