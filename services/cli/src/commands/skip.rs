//! `sluice skip`: declares the holes of a device lost, so that its held events and its time go on.

use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use serde_json::json;
use sluice_kafka::{FrameProducer, Offsets, Record, Start, read_to_end};
use sluice_model::{DeployedQuery, DeviceEntry, DeviceKey, Input};
use sluice_runtime::clock;
use sluice_runtime::exit::Failure;
use sluice_wire::{EventsBuffer, Type, decode_frame, encode_frame, range_headers};

use crate::args;
use crate::context::{Context, failure};
use crate::holes::{Hole, Holes};
use crate::rows::Catalog;

/// How long the broker may take to acknowledge the gaps.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);

/// Options of `skip`.
#[derive(Debug, Args)]
pub struct Options {
    /// QUERY/INPUT/DEVICE.
    device: DeviceKey,
    /// Why the events are given up; stands in the gap frames for ever.
    #[arg(long)]
    reason: String,
    /// Who gives them up.
    #[arg(long, default_value = "sluice skip")]
    issuer: String,
    /// Only holes that are still there after this time: frames under way make holes too.
    #[arg(long, value_name = "TIME", value_parser = args::duration, default_value = "5s")]
    settle: Duration,
    /// Show the holes, but do not end them.
    #[arg(long)]
    dry_run: bool,
}

/// Runs the command.
pub fn run(context: &Context, options: &Options) -> Result<()> {
    let catalog = Catalog::read(context)?;
    let key = &options.device;
    let (query, input) = catalog.input(&key.query, &key.input)?;
    let entry =
        catalog.devices.get(key).ok_or_else(|| Failure::usage(format!("{key} never joined")))?;
    let mut out = Out::new(context, query, input, key, entry)?;
    out.read_on()?;
    let before = out.holes.list();
    if !before.is_empty() {
        std::thread::sleep(options.settle);
        out.read_on()?;
    }
    let lasting: Vec<Hole> =
        out.holes.list().into_iter().filter(|hole| before.contains(hole)).collect();
    if !options.dry_run {
        let reason = format!("skipped by {}: {}", options.issuer, options.reason);
        out.declare(&lasting, &reason)?;
    }
    let word = if options.dry_run { "would be declared lost" } else { "declared lost" };
    let line = |hole: &Hole| {
        let (first, last) = hole.range;
        format!(
            "{key}: incarnation {}, seqs {first}..{last}: {} {word}",
            hole.incarnation,
            last - first + 1
        )
    };
    let lines: Vec<String> = lasting.iter().map(line).collect();
    let text =
        if lines.is_empty() { format!("{key} has no lasting hole") } else { lines.join("\n") };
    let holes: Vec<_> = lasting
        .iter()
        .map(|h| json!({ "incarnation": h.incarnation, "first": h.range.0, "last": h.range.1 }))
        .collect();
    context.print(
        text,
        &json!({ "device": key.to_string(), "declared": !options.dry_run, "holes": holes }),
    )
}

/// The device's frames in `out`, as far as they were read.
struct Out<'a> {
    context: &'a Context,
    key: &'a DeviceKey,
    topic: String,
    partition: i32,
    operators: i32,
    schema_id: i32,
    value_type: Type,
    offsets: Option<Offsets>,
    holes: Holes,
}

impl<'a> Out<'a> {
    fn new(
        context: &'a Context,
        query: &DeployedQuery,
        input: &Input,
        key: &'a DeviceKey,
        entry: &DeviceEntry,
    ) -> Result<Self> {
        let operators = input.operator_count();
        let ty = input.types.last().context("the deployed query lists no types")?;
        Ok(Self {
            context,
            key,
            topic: query.topic(input, operators),
            partition: entry.partition,
            operators,
            schema_id: input
                .frame_schema_id(operators)
                .context("the query lists no schema id of its frames")?,
            value_type: ty.parse()?,
            offsets: None,
            holes: Holes::default(),
        })
    }

    fn read_on(&mut self) -> Result<()> {
        let start = self.offsets.take().map_or(Start::Beginning, Start::At);
        let next = read_to_end(&self.context.kafka, &self.topic, &start, |message| {
            let payload = message.payload.unwrap_or_default();
            if let Ok(frame) = decode_frame(&payload, self.schema_id, &self.value_type)
                && frame.header.device == self.key.device
            {
                self.holes.handle_frame(&frame);
            }
        });
        self.offsets = Some(next.map_err(failure)?);
        Ok(())
    }

    fn declare(&self, holes: &[Hole], reason: &str) -> Result<()> {
        let producer = FrameProducer::new(&self.context.kafka, "sluice-cli").map_err(failure)?;
        for (token, hole) in (0..).zip(holes) {
            let device = &self.key.device;
            let header =
                self.holes.gap(device, hole, self.operators, reason.to_owned(), clock::now_ms());
            let mut payload = Vec::new();
            encode_frame(self.schema_id, &header, &EventsBuffer::new(), &mut payload)?;
            let headers = range_headers(&header);
            let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
            let (topic, partition, key) = (&self.topic, self.partition, device.as_str());
            producer.send(
                Record { topic, partition, key, headers: &headers, payload: &payload },
                token,
            )?;
        }
        ensure!(
            producer.flush(WRITE_TIMEOUT),
            "topic {}: the gaps are not acknowledged in time",
            self.topic
        );
        let mut deliveries = Vec::new();
        producer.poll(Duration::ZERO, &mut deliveries);
        deliveries.into_iter().try_for_each(|delivery| match delivery.result {
            Ok(_) => Ok(()),
            Err(error) => Err(failure(error.kind)),
        })
    }
}
