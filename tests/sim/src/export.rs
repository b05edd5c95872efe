//! Scenarios as vectors: what the reader of a partition was given, for the scripts of `tests/vectors`.

use std::fs;
use std::path::Path;

use anyhow::Context as _;
use serde_json::{Map, Value, json};
use sluice_model::{DeviceId, Order};
use sluice_progress::{Frame, FrameKind, Limits, OnLostHole};

use crate::scenario::Scenario;
use crate::world::World;

#[allow(dead_code)] // what was expected is not compared here
#[path = "../../../services/progress/tests/script/mod.rs"]
mod script;

/// Vectors are read by people too: longer ones are not written.
const MAX_STEPS: usize = 250;
/// The state is shown behind so many steps.
const SHOWN_EVERY: usize = 10;

/// The script of one partition.
#[derive(Debug)]
pub struct Recorder {
    limits: Map<String, Value>,
    start: Option<Value>,
    steps: Vec<Value>,
}

impl Recorder {
    /// An empty script under these limits.
    #[must_use]
    pub fn new(limits: &Limits) -> Self {
        let (shown, default) = (shown(limits), shown(&Limits::default()));
        let limits = shown.into_iter().filter(|(name, value)| default[name] != *value).collect();
        Self { limits, start: None, steps: Vec::new() }
    }

    /// Reading starts here.
    pub fn starts(&mut self, offset: i64, trimmed: bool) {
        self.start = Some(json!({"offset": offset, "trimmed": trimmed}));
    }

    /// A device is listed.
    pub fn joined(&mut self, device: &DeviceId) {
        self.steps.push(json!({"do": {"joined": device.as_str()}}));
    }

    /// A device is listed no more.
    pub fn left(&mut self, device: &DeviceId) {
        self.steps.push(json!({"do": {"left": device.as_str()}}));
    }

    /// Time goes on; ticks that follow each other are one.
    pub fn tick(&mut self, now_ms: i64, end: bool) {
        if self.steps.last().is_some_and(|step| step["do"]["tick"]["end"] == end) {
            self.steps.pop();
        }
        self.steps.push(json!({"do": {"tick": {"now": now_ms, "end": end}}}));
    }

    /// A frame is read.
    pub fn frame(&mut self, frame: &Frame) {
        let kind = match frame.kind {
            FrameKind::Data => "data",
            FrameKind::Heartbeat => "heartbeat",
            FrameKind::Gap => "gap",
            FrameKind::Leave => "leave",
            FrameKind::Unreadable => "unreadable",
        };
        let previous = frame.previous.map(|previous| (previous.incarnation.0, previous.end));
        self.steps.push(json!({"do": {"frame": {
            "kind": kind, "device": frame.device.as_str(), "incarnation": frame.incarnation.0,
            "previous": previous, "first": frame.first, "last": frame.last,
            "watermark": frame.watermark_ms, "bytes": frame.bytes,
            "append": frame.append_time_ms, "offset": frame.offset, "next": frame.next_offset,
        }}}));
    }

    /// The reader begins again at its checkpoint.
    pub fn restore(&mut self) {
        self.steps.push(json!({"do": {"restore": {}}}));
    }

    /// The vector, with what happens at each step.
    ///
    /// # Errors
    /// When the script is none: an error of ours.
    pub fn vector(mut self, rule: &str) -> anyhow::Result<String> {
        self.steps.truncate(MAX_STEPS);
        let mut vector = json!({"rule": rule, "limits": self.limits, "steps": self.steps});
        if let Some(start) = self.start {
            vector["start"] = start;
        }
        let script: script::Script = serde_json::from_value(vector.clone())?;
        let mut run = script::Run::new(&script);
        let mut lines = Vec::new();
        for (number, step) in script.steps.iter().enumerate() {
            let line = &mut vector["steps"][number];
            line["then"] = run.step(step).into();
            let mut state = Value::from(run.state());
            if number % SHOWN_EVERY == 0 || number + 1 == script.steps.len() {
                state["devices"]
                    .as_object_mut()
                    .into_iter()
                    .flat_map(Map::values_mut)
                    .for_each(brief);
                line["state"] = state;
            }
            lines.push(format!("    {line}"));
        }
        let mut text =
            format!("{{\n  \"rule\": {},\n  \"limits\": {},\n", vector["rule"], vector["limits"]);
        if let Some(start) = vector.get("start") {
            text += &format!("  \"start\": {start},\n");
        }
        Ok(text + &format!("  \"steps\": [\n{}\n  ]\n}}\n", lines.join(",\n")))
    }
}

/// Limits by their names in scripts.
fn shown(limits: &Limits) -> Map<String, Value> {
    let shown = json!({
        "event_time_order": limits.order == Order::EventTime,
        "declare_lost_holes": limits.on_lost_hole == OnLostHole::DeclareGap,
        "idle_after_ms": limits.idle_after_ms,
        "start_grace_ms": limits.start_grace_ms,
        "hole_limit_ms": limits.hole_limit_ms,
        "silent_hole_limit_ms": limits.silent_hole_limit_ms,
        "settle_ms": limits.settle_ms,
        "max_ahead_ms": limits.max_ahead_ms,
        "held_bytes": limits.held_bytes,
        "max_intervals": limits.max_intervals,
        "max_closed": limits.max_closed,
    });
    shown.as_object().cloned().unwrap_or_default()
}

/// Leaves out what is 0 or false of a device, where that is the rule.
fn brief(device: &mut Value) {
    const QUIET: [&str; 7] =
        ["held", "fallback", "duplicates", "late", "gaps", "forgotten", "fallbacks"];
    if let Value::Object(device) = device {
        device.retain(|name, value| {
            !QUIET.contains(&name.as_str()) || (*value != 0 && *value != false)
        });
    }
}

/// Writes the vectors of a scenario into a folder, one for each partition.
///
/// # Errors
/// When the folder can't be written.
pub fn write(folder: &Path, seed: u64) -> anyhow::Result<()> {
    let scenario = Scenario::of(seed);
    let mut world = World::new(&scenario, None, false, true);
    world.run();
    fs::create_dir_all(folder)?;
    for reader in world.readers {
        let Some(recorder) = reader.recorder else { continue };
        let (class, partition) = (scenario.class, reader.partition);
        let rule =
            format!("A scenario of the simulator: seed {seed}, {class:?}, partition {partition}.");
        let path = folder.join(format!("seed-{seed}-{partition}.json"));
        fs::write(&path, recorder.vector(&rule)?).with_context(|| path.display().to_string())?;
    }
    Ok(())
}
