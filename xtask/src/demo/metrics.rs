//! Reading the metrics of our services, in the text form of Prometheus.

use std::net::SocketAddr;

use anyhow::{Result, ensure};

use crate::http;

/// The samples of one service at one moment.
#[derive(Debug, Default)]
pub(crate) struct Samples(Vec<(String, f64)>);

impl Samples {
    pub(crate) fn read(address: SocketAddr) -> Result<Samples> {
        let answer = http::get(address, "/metrics")?;
        ensure!(answer.status == 200, "{address}/metrics answers {}", answer.status);
        Ok(Samples::parse(&answer.body))
    }

    fn parse(text: &str) -> Samples {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let samples = lines.filter_map(|line| {
            let (series, value) = line.rsplit_once(' ')?;
            Some((series.to_owned(), value.parse().ok()?))
        });
        Samples(samples.collect())
    }

    /// The sum of the series of this name.
    pub(crate) fn sum(&self, name: &str) -> f64 {
        self.series(name, "").sum()
    }

    /// The sum of the series of this name that have this label.
    pub(crate) fn labelled(&self, name: &str, label: &str, value: &str) -> f64 {
        self.series(name, &format!("{label}=\"{value}\"")).sum()
    }

    fn series<'a>(&'a self, name: &'a str, label: &'a str) -> impl Iterator<Item = f64> + 'a {
        let of_name = move |series: &&(String, f64)| {
            let labels = series.0.strip_prefix(name);
            labels.is_some_and(|labels| {
                (labels.is_empty() || labels.starts_with('{')) && labels.contains(label)
            })
        };
        self.0.iter().filter(of_name).map(|(_, value)| *value)
    }
}

/// How far a device is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Progress {
    /// Events accepted from the source.
    pub(crate) accepted: f64,
    /// Those of them that the broker acknowledged.
    pub(crate) acked: f64,
    /// Those of them that it did not.
    pub(crate) backlog: f64,
    /// Commands that changed the plan.
    pub(crate) switches: f64,
    /// Whether the source has come to its end.
    pub(crate) is_done: bool,
}

impl Progress {
    /// Of one device.
    pub(crate) fn read(address: SocketAddr) -> Result<Progress> {
        let samples = Samples::read(address)?;
        let accepted = samples.sum("sluice_edge_accepted_events_total");
        let backlog = samples.sum("sluice_edge_backlog_events");
        Ok(Progress {
            accepted,
            acked: accepted - backlog,
            backlog,
            switches: samples.labelled("sluice_edge_commands_total", "outcome", "accepted"),
            is_done: samples.sum("sluice_edge_source_done") > 0.0,
        })
    }

    /// Of each device.
    pub(crate) fn read_all(devices: &[SocketAddr]) -> Result<Vec<Progress>> {
        devices.iter().map(|address| Progress::read(*address)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_found_by_name_and_label() {
        let text = "# TYPE a counter\na{cut=\"0\",input=\"q1/readings\"} 3\na{cut=\"1\"} 4\nab 5\nb 1.5e3\n";
        let samples = Samples::parse(text);
        assert_eq!(samples.sum("a"), 7.0);
        assert_eq!(samples.sum("ab"), 5.0);
        assert_eq!(samples.sum("b"), 1500.0);
        assert_eq!(samples.labelled("a", "cut", "1"), 4.0);
        assert_eq!(samples.sum("none"), 0.0);
    }
}
