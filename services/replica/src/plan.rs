//! What a worker must know of its stage.

use std::sync::Arc;

use sluice_engine::Engine;
use sluice_engine::deployed::{self, Site};
use sluice_jvm::{Engines, Range};
use sluice_model::{DeployedQuery, Input, InputName, QueryId, topics};
use sluice_wire::Type;

/// A stage and the operators that its frames are run through.
#[derive(Debug, Clone, PartialEq)]
pub struct StagePlan {
    /// The query.
    pub query: QueryId,
    /// Its version.
    pub version: i32,
    /// Its input.
    pub input: InputName,
    /// The stage: the first operator, 1..N.
    pub stage: i32,
    /// The last operator, stage..N.
    pub to: i32,
    /// The stage's topic.
    pub topic: Arc<str>,
    /// Where frames go: the stage behind the last operator, or `out`.
    pub next_topic: Arc<str>,
    /// Where events go that an operator can't pass on.
    pub dead_topic: Arc<str>,
    /// The registry id of the frames in the stage.
    pub schema_id: i32,
    /// The registry id of the frames that go on.
    pub next_schema_id: i32,
    /// The registry id of dead events.
    pub dead_schema_id: i32,
    /// The registry id of telemetry; none in a query that was deployed before there was any.
    pub telemetry_schema_id: Option<i32>,
    /// The type of the events in the stage.
    pub value_type: Type,
}

impl StagePlan {
    /// Plans stage `stage` of an input through the operators `stage..to` and makes an engine for these.
    ///
    /// # Errors
    /// Why this build can't run them, or what was not deployed whole; for people.
    pub fn compile(
        query: &DeployedQuery,
        input: &Input,
        stage: i32,
        to: i32,
        engines: &Engines,
    ) -> anyhow::Result<(Self, Box<dyn Engine + Send>)> {
        if let Some(problem) = query.problems().first() {
            anyhow::bail!("the deployed plan is broken: {problem}");
        }
        let types = deployed::types(input)?;
        let range = Range { query, input, from: stage - 1, to, site: Site::Cloud };
        let engine = engines.engine(range, &types)?;
        let schema_id = |applied| {
            input.frame_schema_id(applied).ok_or_else(|| {
                anyhow::anyhow!("query {} was deployed without schema ids", query.query)
            })
        };
        let dead_schema_id = query.schema_id("DeadEvent").ok_or_else(|| {
            anyhow::anyhow!("query {} was deployed without the schema id of DeadEvent", query.query)
        })?;
        let plan = Self {
            query: query.query.clone(),
            version: query.version,
            input: input.name.clone(),
            stage,
            to,
            topic: query.topic(input, stage - 1).into(),
            next_topic: query.topic(input, to).into(),
            dead_topic: topics::dead(&query.query).into(),
            schema_id: schema_id(stage - 1)?,
            next_schema_id: schema_id(to)?,
            dead_schema_id,
            telemetry_schema_id: query.schema_id("Telemetry"),
            value_type: types[usize::try_from(stage - 1)?].clone(),
        };
        Ok((plan, engine))
    }
}
