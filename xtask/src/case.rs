//! The example queries, as the demo and tests know them.

use sluice_generators::Query;

use crate::java::{Project, Q1, Q2, Q3, Q4};

/// A query of `examples/`: an ordinary Flink program, and what splitting it gives.
#[derive(Debug)]
pub struct Case {
    /// Its generator.
    pub query: Query,
    /// Where its jar is built.
    pub project: Project,
    /// The class that builds the job.
    pub main_class: &'static str,
    /// The name of its source in the program.
    pub source: &'static str,
    /// The name of its input, here.
    pub input: &'static str,
    /// Operators that move: cuts go from 0 to this.
    pub operators: u32,
    /// How far its watermarks are behind the highest event time, milliseconds.
    pub bound_ms: i64,
    /// Results without which a pass proves nothing.
    pub least_results: u64,
}

const MINUTE_MS: i64 = 60_000;

static CASES: [Case; 4] = [
    Case {
        query: Query::Q1,
        project: Q1,
        main_class: "dev.sluice.examples.q1.AirQualityJob",
        source: "lines",
        input: "readings",
        operators: 3,
        bound_ms: 2 * 24 * 60 * MINUTE_MS + 1,
        least_results: 500,
    },
    Case {
        query: Query::Q2,
        project: Q2,
        main_class: "dev.sluice.examples.q2.TaxiRoutesJob",
        source: "lines",
        input: "trips",
        operators: 3,
        bound_ms: 10 * MINUTE_MS + 1,
        least_results: 100,
    },
    Case {
        query: Query::Q3,
        project: Q3,
        main_class: "dev.sluice.examples.q3.MeterSpikesJob",
        source: "meters",
        input: "meters",
        operators: 3,
        bound_ms: 120 * MINUTE_MS + 1,
        least_results: 20,
    },
    Case {
        query: Query::Q4,
        project: Q4,
        main_class: "dev.sluice.examples.q4.SentimentJob",
        source: "posts",
        input: "posts",
        operators: 4,
        bound_ms: 10 * MINUTE_MS + 1,
        least_results: 100,
    },
];

impl Case {
    /// That of a query.
    #[must_use]
    pub fn of(query: Query) -> &'static Case {
        &CASES[query as usize]
    }

    /// The query's id.
    #[must_use]
    pub fn id(&self) -> &'static str {
        self.query.name()
    }

    /// The input as in keys and labels.
    #[must_use]
    pub fn key(&self) -> String {
        format!("{}/{}", self.id(), self.input)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_query_has_its_case() {
        for query in Query::ALL {
            assert_eq!(Case::of(query).query, query);
        }
    }
}
