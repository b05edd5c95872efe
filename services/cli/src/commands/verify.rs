//! `sluice verify`: whether the split job did what the unsplit one does, and whether every event is accounted for.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::Args;
use sluice_kafka::{Message, Offsets, Start, exists, read_to_end};
use sluice_model::{DeadEvent, DeployedQuery, Input, InputName, LateEvent, QueryId, topics};
use sluice_runtime::exit::Failure;
use sluice_wire::{Type, decode_frame, record};

use crate::audit::Audit;
use crate::compare::{Lines, compare};
use crate::context::{Context, failure};
use crate::rows::{self, Catalog};
use crate::verdict::Verdict;

/// The time between two looks while waiting for a pass.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// Options of `verify`.
#[derive(Debug, Args)]
pub struct Options {
    /// The query.
    query: QueryId,
    /// The topic that the residual job writes; without it only the coverage is audited.
    #[arg(long, requires = "expected")]
    actual: Option<String>,
    /// The topic that the unsplit job writes over the same input.
    #[arg(long, requires = "actual")]
    expected: Option<String>,
    /// Leave lines that begin so out of the comparison; may be given several times.
    #[arg(long, value_name = "TEXT")]
    ignore_prefix: Vec<String>,
    /// Look again for this long until it is a pass, seconds.
    #[arg(long, default_value_t = 0, value_name = "SECONDS")]
    wait: u64,
    /// How many late events are no failure.
    #[arg(long, default_value_t = 0, value_name = "EVENTS")]
    allow_late: u64,
}

/// Runs the command. Returns whether it is a pass.
pub fn run(context: &Context, options: &Options) -> Result<bool> {
    if options.actual.is_some() && options.actual == options.expected {
        return Err(Failure::usage("--actual and --expected name the same topic"));
    }
    let queries = rows::queries(context)?;
    let catalog = Catalog { queries, ..Catalog::default() };
    let query = catalog.query(&options.query)?;
    let mut look = Look::new(query, options)?;
    let deadline = Instant::now() + Duration::from_secs(options.wait);
    let verdict = loop {
        look.read_on(context)?;
        let verdict = look.verdict();
        if verdict.is_pass() || Instant::now() >= deadline {
            break verdict;
        }
        std::thread::sleep(LOOK_AGAIN);
    };
    context.print(&verdict, &verdict.json())?;
    Ok(verdict.is_pass())
}

/// What was read so far, of every version; each look reads on from there.
struct Look<'a> {
    query: &'a DeployedQuery,
    options: &'a Options,
    /// Where to read on, by topic.
    offsets: BTreeMap<String, Offsets>,
    audits: BTreeMap<&'a InputName, InputAudit>,
    late: BTreeSet<(String, String, i64, i64)>,
    actual: Lines,
    expected: Lines,
}

/// An input and its topics, one a version: a device has other incarnations in each.
#[derive(Default)]
struct InputAudit {
    outs: Vec<Out>,
    audit: Audit,
}

struct Out {
    topic: String,
    value_type: Type,
    schema_id: i32,
}

impl Out {
    fn of(query: &DeployedQuery, input: &Input) -> Result<Self> {
        let applied = input.operator_count();
        let (Some(ty), Some(schema_id)) = (input.types.last(), input.frame_schema_id(applied))
        else {
            return Err(Failure::usage(format!("query `{}` is not fully deployed", query.query)));
        };
        Ok(Self { topic: query.topic(input, applied), value_type: ty.parse()?, schema_id })
    }
}

impl<'a> Look<'a> {
    fn new(query: &'a DeployedQuery, options: &'a Options) -> Result<Self> {
        let mut audits: BTreeMap<_, InputAudit> = BTreeMap::new();
        for version in query.older.iter().chain([query]) {
            for input in &version.inputs {
                audits.entry(&input.name).or_default().outs.push(Out::of(version, input)?);
            }
        }
        Ok(Self {
            query,
            options,
            offsets: BTreeMap::new(),
            audits,
            late: BTreeSet::new(),
            actual: Lines::default(),
            expected: Lines::default(),
        })
    }

    fn read_on(&mut self, context: &Context) -> Result<()> {
        let (query, options) = (self.query, self.options);
        let statuses = rows::statuses(context)?;
        let offsets = &mut self.offsets;
        let mut each = |topic: &str, handle: &mut dyn FnMut(Message)| -> Result<()> {
            let start = offsets.get(topic).map_or(Start::Beginning, |o| Start::At(o.clone()));
            let next = read_to_end(&context.kafka, topic, &start, handle).map_err(failure)?;
            offsets.insert(topic.to_owned(), next);
            Ok(())
        };
        for (name, InputAudit { outs, audit }) in &mut self.audits {
            for Out { topic, value_type, schema_id } in outs {
                // That of an older version may be deleted by now.
                if !exists(&context.kafka, topic).map_err(failure)? {
                    continue;
                }
                each(topic, &mut |message| {
                    let payload = message.payload.unwrap_or_default();
                    match decode_frame(&payload, *schema_id, value_type) {
                        Ok(frame) => audit.handle_frame(message.partition, &frame),
                        Err(_) => audit.handle_garbage(),
                    }
                })?;
            }
            for (key, status) in &statuses {
                if key.query == query.query && key.input == **name {
                    audit.handle_status(&key.device, status);
                }
            }
        }
        // After the frames: a dead event is copied before its frame is sent on.
        each(&topics::dead(&query.query), &mut |message| {
            let payload = message.payload.unwrap_or_default();
            let Ok(event) = record::decode::<DeadEvent>(&payload) else { return };
            for (name, InputAudit { audit, .. }) in &mut self.audits {
                if event.input == name.as_str() {
                    audit.handle_dead(&event);
                }
            }
        })?;
        each(&topics::late(&query.query), &mut |message| {
            if let Ok(late) = record::decode::<LateEvent>(&message.payload.unwrap_or_default()) {
                self.late.insert((late.input, late.device, late.incarnation, late.seq));
            }
        })?;
        for (topic, lines) in
            [(&options.actual, &mut self.actual), (&options.expected, &mut self.expected)]
        {
            let Some(topic) = topic else { continue };
            each(topic, &mut |message| {
                let line = message.payload.unwrap_or_default();
                if !options.ignore_prefix.iter().any(|p| line.starts_with(p.as_bytes())) {
                    lines.add(&line);
                }
            })?;
        }
        Ok(())
    }

    fn verdict(&self) -> Verdict {
        let results = self.options.actual.is_some().then(|| compare(&self.expected, &self.actual));
        let inputs =
            self.audits.iter().map(|(name, input)| (name.to_string(), input.audit.report()));
        let late = self.late.len() as u64;
        Verdict::new(results, inputs.collect(), late, self.options.allow_late)
    }
}
