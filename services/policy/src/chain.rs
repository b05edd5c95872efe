//! A chain's cuts as points of CPU time and bytes per event, and the best mixes of them.
//!
//! A mix sends a share of the events out at each of some cuts; its cost is the mean of their costs, so that the mixes fill the convex hull of
//! the points. Only its lower left border matters: on it every optimum under a CPU and a byte limit is a mix of at most two cuts.

use std::fmt;

use serde::{Deserialize, Serialize};
use sluice_model::{Cut, Share, Shares, WHOLE_PER_MILLE};

/// What limits a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// The device's CPU.
    Cpu,
    /// The uplink.
    Network,
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cpu => "CPU",
            Self::Network => "network",
        })
    }
}

/// What a source event costs that leaves at a cut.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// The cut.
    pub cut: Cut,
    /// CPU time at the edge.
    pub cpu_seconds: f64,
    /// Bytes on the uplink.
    pub wire_bytes: f64,
}

/// One or two cuts; the first has the share `1 - second_share`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mix {
    /// The first.
    pub first: Point,
    /// The second; the same as the first where there is one cut only.
    pub second: Point,
    /// The second's share, 0..=1.
    pub second_share: f64,
}

/// Cuts of known costs, and the limits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chain {
    /// In order of cut.
    pub points: Vec<Point>,
    /// CPU seconds a second; infinite where not known.
    pub cpu_cores: f64,
    /// Bytes a second; infinite where not known.
    pub bytes_per_second: f64,
}

impl Mix {
    fn one(point: Point) -> Self {
        Self { first: point, second: point, second_share: 0.0 }
    }

    /// CPU time and bytes of the mean event.
    #[must_use]
    pub fn cost(&self) -> (f64, f64) {
        let between = |first: f64, second: f64| first + self.second_share * (second - first);
        (
            between(self.first.cpu_seconds, self.second.cpu_seconds),
            between(self.first.wire_bytes, self.second.wire_bytes),
        )
    }

    /// The mix as shares per mille, rounded to either side.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "within 0..=1000")]
    pub fn rounded(&self) -> [Shares; 2] {
        let exact = self.second_share.clamp(0.0, 1.0) * f64::from(WHOLE_PER_MILLE);
        [exact.floor() as i32, exact.ceil() as i32].map(|second| {
            if self.first.cut == self.second.cut || second == 0 {
                return Shares::binary(self.first.cut);
            }
            let part = |cut, per_mille| Share { cut, per_mille };
            Shares::new(vec![
                part(self.first.cut, WHOLE_PER_MILLE - second),
                part(self.second.cut, second),
            ])
            .unwrap_or_else(|_| Shares::binary(self.second.cut))
        })
    }
}

impl Chain {
    /// Source events a second that a mean cost of CPU and bytes sustains, and what limits it.
    #[must_use]
    pub fn sustained(&self, cpu_seconds: f64, wire_bytes: f64) -> (f64, Option<Bound>) {
        let rate = |limit: f64, cost: f64| if cost > 0.0 { limit / cost } else { f64::INFINITY };
        let cpu = rate(self.cpu_cores, cpu_seconds);
        let network = rate(self.bytes_per_second, wire_bytes);
        match (cpu.min(network), cpu <= network) {
            (f64::INFINITY, _) => (f64::INFINITY, None),
            (rate, true) => (rate, Some(Bound::Cpu)),
            (rate, false) => (rate, Some(Bound::Network)),
        }
    }

    /// CPU time and bytes of a plan's mean event; `None` if the costs of one of its cuts are not known.
    #[must_use]
    pub fn cost(&self, shares: &Shares) -> Option<(f64, f64)> {
        shares.as_slice().iter().try_fold((0.0, 0.0), |(cpu, bytes), share| {
            let point = self.points.iter().find(|point| point.cut == share.cut)?;
            let part = f64::from(share.per_mille) / f64::from(WHOLE_PER_MILLE);
            Some((cpu + part * point.cpu_seconds, bytes + part * point.wire_bytes))
        })
    }

    /// The lower left border of the convex hull: from the least CPU to the fewest bytes.
    #[must_use]
    pub fn border(&self) -> Vec<Point> {
        let mut points = self.points.clone();
        points.sort_by(|a, b| {
            a.cpu_seconds.total_cmp(&b.cpu_seconds).then(a.wire_bytes.total_cmp(&b.wire_bytes))
        });
        let mut border: Vec<Point> = Vec::with_capacity(points.len());
        for point in points {
            if border.last().is_some_and(|last| last.wire_bytes <= point.wire_bytes) {
                continue;
            }
            while let [.., a, b] = border[..] {
                let turn = (b.cpu_seconds - a.cpu_seconds) * (point.wire_bytes - a.wire_bytes)
                    - (b.wire_bytes - a.wire_bytes) * (point.cpu_seconds - a.cpu_seconds);
                if turn > 0.0 {
                    break;
                }
                border.pop();
            }
            border.push(point);
        }
        border
    }

    /// The mix that sustains the most: the border's point on the ray of the two limits. `None` without a point.
    #[must_use]
    pub fn most_sustained(&self) -> Option<Mix> {
        let border = self.border();
        // How much more of the link than of the CPU a point uses: it falls along the border.
        let excess =
            |p: &Point| p.wire_bytes / self.bytes_per_second - p.cpu_seconds / self.cpu_cores;
        let right = border.iter().position(|point| excess(point) <= 0.0);
        match right {
            None => border.last().copied().map(Mix::one),
            Some(0) => border.first().copied().map(Mix::one),
            Some(right) => {
                let (first, second) = (border[right - 1], border[right]);
                let second_share = excess(&first) / (excess(&first) - excess(&second));
                Some(Mix { first, second, second_share })
            }
        }
    }

    /// The mix of least `cpu_price * CPU + byte_price * bytes` that sustains `rate`; `None` if none does.
    #[must_use]
    pub fn least_cost(&self, rate: f64, cpu_price: f64, byte_price: f64) -> Option<Mix> {
        let price = |mix: &Mix| {
            let (cpu, bytes) = mix.cost();
            cpu_price * cpu + byte_price * bytes
        };
        self.corners(rate).into_iter().min_by(|a, b| price(a).total_cmp(&price(b)))
    }

    /// Of the mixes that sustain `rate` under these limits the one that sustains the most under others; `None` if none does.
    #[must_use]
    pub fn most_under(&self, other: &Self, rate: f64) -> Option<Mix> {
        let sustained = |mix: &Mix| {
            let (cpu, bytes) = mix.cost();
            other.sustained(cpu, bytes).0
        };
        let mut corners = self.corners(rate);
        corners.extend(other.most_sustained().filter(|mix| self.fits(mix, rate)));
        corners.into_iter().max_by(|a, b| sustained(a).total_cmp(&sustained(b)))
    }

    /// The border's vertices that sustain `rate`, and its ends within the limits: one of them is best by any linear measure.
    fn corners(&self, rate: f64) -> Vec<Mix> {
        let border = self.border();
        let crossings = border.windows(2).flat_map(|pair| {
            let (first, second) = (pair[0], pair[1]);
            let at = |from: f64, to: f64, limit: f64| (limit / rate - from) / (to - from);
            [
                at(first.cpu_seconds, second.cpu_seconds, self.cpu_cores),
                at(first.wire_bytes, second.wire_bytes, self.bytes_per_second),
            ]
            .into_iter()
            .filter(|share| (0.0..=1.0).contains(share))
            .map(move |second_share| Mix { first, second, second_share })
        });
        let vertices = border.iter().copied().map(Mix::one);
        vertices.chain(crossings).filter(|mix| self.fits(mix, rate)).collect()
    }

    fn fits(&self, mix: &Mix, rate: f64) -> bool {
        let (cpu, bytes) = mix.cost();
        let within = |cost: f64, limit: f64| cost * rate <= limit * (1.0 + TOLERANCE);
        within(cpu, self.cpu_cores) && within(bytes, self.bytes_per_second)
    }
}

/// What rounding may break of a limit.
const TOLERANCE: f64 = 1e-9;
