//! The native functions of a plan beside the user's own.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::Result;
use sluice_check::events::Event;
use sluice_check::random::Random;
use sluice_engine::deployed::{self, Jvm};
use sluice_model::{DeployedQuery, Engine, Input, InputName};
use sluice_planner::{Planned, Refusal};
use sluice_wire::{Reader, Type};

use crate::ran::{Fate, Place, Runner};
use crate::values::{self, Maker};
use crate::words::Words;

/// Events of a frame.
const FRAME: usize = 64;
/// The longest that is shown of a value, characters.
const SHOWN: usize = 300;

/// How the native engine says that a text would hold half a character, which UTF-8 can't.
const HALF: &str = "half of a character";
/// How it says that it does not know.
const NOT_CERTAIN: &str = "not certain";

/// How long and how much.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// For each function.
    pub time: Duration,
    /// Events of the sample that a function is given.
    pub sampled: usize,
    /// Events that are made up for it.
    pub generated: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: Duration::from_secs(10), sampled: 2_000, generated: 2_000 }
    }
}

/// What was found of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Both engines gave the same for as many events.
    Equal {
        /// How many.
        events: usize,
    },
    /// It must run in a JVM: something else came out.
    Unequal {
        /// Why, with the event.
        why: String,
    },
    /// It must run in a JVM: the native engine gave up on an event, knowing that it does not know what Java does.
    Uncertain {
        /// Why, with the event.
        why: String,
    },
}

/// A verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// The input.
    pub input: InputName,
    /// Which of its functions.
    pub place: Place,
    /// The verdict.
    pub verdict: Verdict,
}

/// Runs each native function of the plan beside the user's own. `samples` are the events of sources by input; what there is
/// none of is made up.
///
/// # Errors
/// When a type is no event type.
pub fn judge(
    query: &DeployedQuery,
    jvm: &Jvm,
    samples: &BTreeMap<String, Vec<Event>>,
    limits: &Limits,
    seed: u64,
) -> Result<Vec<Judged>> {
    let mut judged = Vec::new();
    // The process of the JVM ends with its last function.
    let mut open = Vec::new();
    for input in query.inputs.iter().filter(|input| has_native(input)) {
        let sample = samples.get(input.name.as_str()).map_or(&[][..], Vec::as_slice);
        let mut court = Court {
            input,
            types: deployed::types(input)?,
            jvm,
            limits,
            words: Words::default(),
            random: Random::new(seed),
            events: sample.iter().take(limits.sampled).cloned().collect(),
            open: &mut open,
        };
        court.learn();
        for place in places(input) {
            if let Some(verdict) = court.next(place) {
                judged.push(Judged { input: input.name.clone(), place, verdict });
            }
        }
    }
    Ok(judged)
}

/// Tells a plan what was found: a function that is not equal goes to the JVM.
pub fn apply(planned: &mut Planned, judged: &[Judged]) {
    for Judged { input, place, verdict } in judged {
        let operator = match place {
            Place::Operator(at) => Some(*at),
            Place::Assigner => None,
        };
        match verdict {
            Verdict::Equal { events } => {
                planned.confirm(input, operator, &format!("equal to the JVM on {events} events"));
            }
            Verdict::Unequal { why } => {
                planned.refuse(input, operator, &Refusal::new("unequal", why.clone()));
            }
            Verdict::Uncertain { why } => {
                planned.refuse(input, operator, &Refusal::new("uncertain", why.clone()));
            }
        }
    }
}

fn has_native(input: &Input) -> bool {
    input.operators.iter().any(|operator| operator.engine == Engine::Native)
        || input.assigner.as_ref().is_some_and(|assigner| !assigner.ir.is_empty())
}

/// The functions of an input in the order in which an event meets them.
fn places(input: &Input) -> Vec<Place> {
    let mut places: Vec<Place> = (0..input.operators.len()).map(Place::Operator).collect();
    let after = input.assigner.as_ref().and_then(|assigner| usize::try_from(assigner.after).ok());
    if let Some(after) = after.filter(|after| *after <= places.len()) {
        places.insert(after, Place::Assigner);
    }
    places
}

struct Court<'a> {
    input: &'a Input,
    types: Vec<Type>,
    jvm: &'a Jvm,
    limits: &'a Limits,
    words: Words,
    random: Random,
    /// What came out of the functions so far, in the JVM.
    events: Vec<Event>,
    open: &'a mut Vec<Runner>,
}

impl Court<'_> {
    fn learn(&mut self) {
        let operators = self.input.operators.iter().map(|operator| &operator.ir);
        let assigner = self.input.assigner.iter().map(|assigner| &assigner.ir);
        operators.chain(assigner).for_each(|ir| self.words.add_function(ir));
        let values = self.events.iter().take(100).filter_map(|event| event.value.as_deref());
        self.words.learn(&self.types[0], values);
    }

    /// The verdict on the next function, if it is native; its outputs are the next one's events.
    fn next(&mut self, place: Place) -> Option<Verdict> {
        let (is_native, ty) = match place {
            Place::Operator(at) => {
                (self.input.operators[at].engine == Engine::Native, self.types[at].clone())
            }
            Place::Assigner => {
                let assigner = self.input.assigner.as_ref()?;
                let after = usize::try_from(assigner.after).ok()?;
                (!assigner.ir.is_empty(), self.types[after].clone())
            }
        };
        let mut own = match Runner::open(self.input, place, Engine::Jvm, self.jvm) {
            Ok(own) => own,
            Err(error) => {
                self.events.clear();
                let why = format!("the JVM can't run it: {error}");
                return is_native.then_some(Verdict::Unequal { why });
            }
        };
        let native =
            is_native.then(|| Runner::open(self.input, place, Engine::Native, self.jvm)).map(
                |native| native.map_err(|error| format!("the native engine can't run it: {error}")),
            );
        let mut trial = Trial::new(&ty, native);
        let began = Instant::now();
        let sample = std::mem::take(&mut self.events);
        for frame in sample.chunks(FRAME) {
            if began.elapsed() > self.limits.time / 2 {
                break;
            }
            trial.frame(&mut own, frame, false);
        }
        let mut made = 0;
        while made < self.limits.generated && trial.goes_on() && began.elapsed() < self.limits.time
        {
            let frame = self.make(&ty, &sample);
            trial.frame(&mut own, &frame, true);
            made += frame.len();
        }
        self.open.push(own);
        self.events = std::mem::take(&mut trial.outputs);
        self.events.truncate(self.limits.sampled);
        is_native.then(|| trial.verdict())
    }

    /// A frame of events that are made up, or like those of the sample.
    fn make(&mut self, ty: &Type, sample: &[Event]) -> Vec<Event> {
        let mut maker = Maker { words: &self.words, random: self.random.clone() };
        let mut frame = Vec::new();
        for _ in 0..FRAME {
            let like = match sample.len() {
                0 => None,
                some if maker.random.below(3) > 0 => Some(&sample[maker.random.below(some)]),
                _ => None,
            };
            let like = like.and_then(|event| event.value.as_deref());
            let like = like.and_then(|bytes| values::read(ty, &mut Reader::new(bytes)).ok());
            let value = match like {
                Some(value) => maker.changed(ty, &value),
                None => maker.any(ty),
            };
            let mut bytes = Vec::new();
            values::write(ty, &value, &mut bytes);
            let has_time = maker.random.below(4) > 0;
            let time_ms = has_time.then(|| maker.words.whole(&mut maker.random));
            let value = (maker.random.below(100) > 0).then_some(bytes);
            frame.push(Event { time_ms: time_ms.filter(|ms| *ms != i64::MIN), value });
        }
        self.random = maker.random;
        frame
    }
}

/// One function in both engines.
struct Trial<'a> {
    ty: &'a Type,
    /// Not there where only the outputs are wanted.
    native: Option<Runner>,
    /// Why they are not equal.
    why: Option<String>,
    /// Where the native engine gave up.
    unsure: Option<String>,
    equal: usize,
    outputs: Vec<Event>,
}

impl<'a> Trial<'a> {
    fn new(ty: &'a Type, native: Option<Result<Runner, String>>) -> Self {
        let (native, why) = match native {
            None => (None, None),
            Some(Ok(native)) => (Some(native), None),
            Some(Err(why)) => (None, Some(why)),
        };
        Self { ty, native, why, unsure: None, equal: 0, outputs: Vec::new() }
    }

    /// Whether made up events could tell more.
    fn goes_on(&self) -> bool {
        self.native.is_some() && self.why.is_none()
    }

    fn frame(&mut self, own: &mut Runner, frame: &[Event], made_up: bool) {
        let (fates, watermark) = match own.run(frame) {
            Ok(ran) => ran,
            Err(error) => return self.differs(format!("the JVM failed: {error}")),
        };
        // What no Java object could be is no event.
        let possible: Vec<usize> =
            (0..frame.len()).filter(|at| !(made_up && is_impossible(&fates[*at]))).collect();
        if self.goes_on()
            && let Some(native) = &mut self.native
        {
            let events: Vec<Event> = possible.iter().map(|at| frame[*at].clone()).collect();
            match native.run(&events) {
                Err(error) => self.differs(format!("the native engine failed: {error}")),
                Ok((ours, our_watermark)) => {
                    for (at, ours) in possible.iter().zip(&ours) {
                        if same(&fates[*at], ours) {
                            self.equal += 1;
                            continue;
                        }
                        let why = self.shown(&frame[*at], &fates[*at], ours);
                        if is_unsure(ours) {
                            self.unsure.get_or_insert(why);
                        } else {
                            self.differs(why);
                            break;
                        }
                    }
                    if possible.len() == frame.len() && watermark != our_watermark {
                        self.differs(format!(
                            "not equal to the JVM: its watermark is {watermark:?}, the native one {our_watermark:?}"
                        ));
                    }
                }
            }
        }
        for fate in fates {
            if let Fate::Outputs(outputs) = fate {
                self.outputs.extend(outputs);
            }
        }
    }

    fn differs(&mut self, why: String) {
        self.why.get_or_insert(why);
    }

    fn shown(&self, event: &Event, own: &Fate, ours: &Fate) -> String {
        let input = event.value.as_deref().map_or("null".to_owned(), |bytes| {
            self.ty.to_json(bytes).map_or_else(|_| hex(bytes), |json| json.to_string())
        });
        let time = event.time_ms.map(|ms| format!(" (time {ms})")).unwrap_or_default();
        format!(
            "not equal to the JVM for {}{time}: {}, the JVM {}",
            cut(&input),
            cut(&told(ours)),
            cut(&told(own))
        )
    }

    fn verdict(&self) -> Verdict {
        match &self.why {
            Some(why) => Verdict::Unequal { why: why.clone() },
            None if self.unsure.is_some() => {
                Verdict::Uncertain { why: self.unsure.clone().unwrap_or_default() }
            }
            None if self.equal == 0 => {
                Verdict::Unequal { why: "no event could be compared with the JVM".to_owned() }
            }
            None => Verdict::Equal { events: self.equal },
        }
    }
}

fn told(fate: &Fate) -> String {
    match fate {
        Fate::Dead(reason) => format!("died of {reason}"),
        Fate::Outputs(outputs) if outputs.is_empty() => "gave nothing".to_owned(),
        Fate::Outputs(outputs) => {
            let value = |event: &Event| event.value.as_deref().map_or("null".to_owned(), hex);
            let told = |event: &Event| match event.time_ms {
                Some(ms) => format!("{} at {ms}", value(event)),
                None => value(event),
            };
            format!("gave {}", outputs.iter().map(told).collect::<Vec<_>>().join(", "))
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}..", &text[..at]),
        None => text.to_owned(),
    }
}

/// Whether an event was refused before the function saw it: the reason is no exception, or one of the serializer of values that only Flink can
/// read.
fn is_impossible(fate: &Fate) -> bool {
    let Fate::Dead(reason) = fate else { return false };
    !exception(reason).contains('.') || reason.starts_with("com.esotericsoftware.kryo.")
}

/// Whether the native engine gave up on purpose: what Java does has no form here, or is not certain.
fn is_unsure(fate: &Fate) -> bool {
    let Fate::Dead(reason) = fate else { return false };
    reason.starts_with(HALF) || reason.starts_with(NOT_CERTAIN)
}

/// The class of the exception that a reason begins with.
fn exception(reason: &str) -> &str {
    reason.split([':', ' ']).next().unwrap_or(reason)
}

/// The same bytes and times, or a death of the same class; a name without its package is that of any.
fn same(own: &Fate, ours: &Fate) -> bool {
    match (own, ours) {
        (Fate::Outputs(own), Fate::Outputs(ours)) => own == ours,
        (Fate::Dead(own), Fate::Dead(ours)) => {
            let (own, ours) = (exception(own), exception(ours));
            own == ours || !ours.contains('.') && own.ends_with(ours)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dead(reason: &str) -> Fate {
        Fate::Dead(reason.to_owned())
    }

    #[test]
    fn deaths_are_equal_by_class() {
        let own =
            dead("java.lang.NumberFormatException: For input string: \"x\" at a.B.c(B.java:3)");
        assert!(same(&own, &dead("java.lang.NumberFormatException: other")));
        assert!(same(&own, &dead("NumberFormatException")));
        assert!(!same(&own, &dead("java.lang.NullPointerException")));
        assert!(!same(&own, &dead("step budget")));
        assert!(!same(&own, &Fate::Outputs(Vec::new())));
        assert!(
            !is_impossible(&own)
                && is_impossible(&dead("event: null, which its schema does not have"))
        );
    }

    #[test]
    fn functions_come_in_the_order_of_the_event() {
        let input: Input = serde_json::from_value(serde_json::json!({
            "name": "i", "partitions": 1, "types": [], "assigner": {"after": 1, "bound_ms": 5, "ir": ""},
            "operators": [{"name": "a", "engine": "jvm"}, {"name": "b", "engine": "jvm"}]}))
        .unwrap();
        assert_eq!(places(&input), [Place::Operator(0), Place::Assigner, Place::Operator(1)]);
        assert!(!has_native(&input));
    }
}
