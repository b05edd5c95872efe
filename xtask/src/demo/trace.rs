//! How the conditions of the figures' devices change: the paper's experiments, shortened.

use clap::ValueEnum;

/// An experiment of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Trace {
    /// Rates step, links are redrawn, processors are contended in the second part
    Figure8,
    /// The rate rises in steps, and comes back
    Figure9Gradual,
    /// The rate jumps, and comes back
    Figure9Abrupt,
    /// The links alone change
    Figure10Network,
    /// The processors alone change
    Figure10Contention,
    /// One device of five dies, and comes back
    Figure12,
}

/// A part of an experiment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// The rate, as a part of the greatest.
    pub(super) rate: f64,
    /// The links are drawn between these parts of the greatest.
    pub(super) link: (f64, f64),
    /// Whether others take most of the processors.
    pub(super) is_contended: bool,
    /// Whether the last device is dead.
    pub(super) has_dead: bool,
}

/// The least link of Figure 8, as a part of the greatest.
const LEAST_LINK: f64 = 80.0 / 170.0;

impl Trace {
    /// Its parts, all of the same length.
    pub(super) fn parts(self) -> Vec<Part> {
        let full = (1.0, 1.0);
        let part = |rate, link, is_contended| Part { rate, link, is_contended, has_dead: false };
        let of_rate = |rate: &f64| part(*rate, full, false);
        match self {
            Trace::Figure8 => [(0.6, false), (0.75, true), (1.0, false)]
                .map(|(rate, is_contended)| part(rate, (LEAST_LINK, 1.0), is_contended))
                .to_vec(),
            Trace::Figure9Gradual => [0.4, 0.6, 0.8, 1.0, 0.4].iter().map(of_rate).collect(),
            Trace::Figure9Abrupt => [0.4, 1.0, 0.4].iter().map(of_rate).collect(),
            Trace::Figure10Network => {
                [1.0, LEAST_LINK, 1.0].map(|link| part(0.8, (link, link), false)).to_vec()
            }
            Trace::Figure10Contention => {
                [false, true, false].map(|is_contended| part(0.6, full, is_contended)).to_vec()
            }
            Trace::Figure12 => [false, true, false]
                .map(|has_dead| Part { has_dead, ..part(0.6, full, false) })
                .to_vec(),
        }
    }
}
