//! The prefix in frames against the prefix in Flink, record by record.

use crate::compare;
use crate::events::{Entry, Event};
use crate::frames::Arrived;
use crate::report::Finding;

/// What Flink alone gave at a boundary.
pub struct Expected {
    events: Vec<Event>,
    /// By how many events came out: the watermarks that were in force until the next one, rising.
    watermarks: Vec<Vec<Option<i64>>>,
}

impl Expected {
    /// From a file of events.
    pub fn new(entries: Vec<Entry>) -> Self {
        let (mut events, mut watermarks) = (Vec::new(), vec![vec![None]]);
        let mut now = None;
        for entry in entries {
            match entry {
                Entry::Event(event) => {
                    events.push(event);
                    watermarks.push(vec![now]);
                }
                Entry::Watermark(ms) => {
                    now = now.max(Some(ms));
                    watermarks.last_mut().into_iter().for_each(|in_force| in_force.push(now));
                }
            }
        }
        Self { events, watermarks }
    }

    /// How many events there are.
    pub fn count(&self) -> usize {
        self.events.len()
    }

    /// The first difference from what came through frames.
    pub fn difference(&self, input: &str, arrived: &[Arrived]) -> Option<Finding> {
        self.events_differ(input, arrived).or_else(|| self.watermarks_differ(input, arrived))
    }

    fn events_differ(&self, input: &str, arrived: &[Arrived]) -> Option<Finding> {
        let outputs: Vec<&(usize, Event)> =
            arrived.iter().flat_map(|frame| &frame.outputs).collect();
        let split: Vec<&Event> = outputs.iter().map(|(_, event)| event).collect();
        let unsplit: Vec<&Event> = self.events.iter().collect();
        let difference = compare::sequences(&unsplit, &split, |event| show(event))?;
        let event = outputs.get(difference.at).map(|(event, _)| *event);
        let way = event.and_then(|event| arrived.iter().find(|frame| frame.last >= event));
        Some(Finding::Prefix {
            input: input.to_owned(),
            event,
            way: way.map(|frame| frame.stops.clone()).unwrap_or_default(),
            difference,
        })
    }

    /// At the end of each frame the highest watermark so far must be one that was in force in Flink at that place.
    fn watermarks_differ(&self, input: &str, arrived: &[Arrived]) -> Option<Finding> {
        let (mut count, mut now) = (0, None);
        for (index, frame) in arrived.iter().enumerate() {
            count += frame.outputs.len();
            now = now.max(frame.watermark);
            let in_force = self.watermarks.get(count)?;
            let fits = match index + 1 == arrived.len() {
                true => in_force.last() == Some(&now),
                false => in_force.contains(&now),
            };
            if !fits {
                return Some(Finding::Watermark {
                    input: input.to_owned(),
                    event: frame.last,
                    way: frame.stops.clone(),
                    unsplit: in_force.clone(),
                    split: now,
                });
            }
        }
        None
    }
}

/// The entries that frames of a single event each give to what stays of the job: after each event the watermark, when it rises.
pub fn entries(arrived: &[Arrived]) -> Vec<Entry> {
    let (mut entries, mut now) = (Vec::new(), None);
    for frame in arrived {
        entries.extend(frame.outputs.iter().map(|(_, event)| Entry::Event(event.clone())));
        if let Some(ms) = frame.watermark.filter(|ms| Some(*ms) > now) {
            entries.push(Entry::Watermark(ms));
            now = Some(ms);
        }
    }
    entries
}

fn show(event: &Event) -> String {
    let hex = |value: &Vec<u8>| value.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let value = event.value.as_ref().map_or("null".to_owned(), hex);
    let time = event.time_ms.map_or("none".to_owned(), |ms| ms.to_string());
    format!("{value} (time {time})")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(value: u8) -> Event {
        Event { time_ms: Some(i64::from(value)), value: Some(vec![value]) }
    }

    fn frame(at: usize, values: &[u8], watermark: Option<i64>) -> Arrived {
        let outputs = values.iter().map(|value| (at, event(*value))).collect();
        Arrived { first: at, last: at, stops: vec![0, 1], outputs, watermark, dead: Vec::new() }
    }

    fn expected() -> Expected {
        Expected::new(vec![
            Entry::Event(event(1)),
            Entry::Watermark(0),
            Entry::Watermark(5),
            Entry::Event(event(2)),
            Entry::Event(event(3)),
        ])
    }

    #[test]
    fn equal_prefixes_are_equal() {
        let arrived = [frame(0, &[1], Some(0)), frame(1, &[], Some(5)), frame(2, &[2, 3], Some(1))];
        assert_eq!(expected().difference("i", &arrived), None);
        let entries = entries(&arrived);
        assert_eq!(Expected::new(entries).difference("i", &arrived), None);
    }

    #[test]
    fn another_value_is_found_with_its_event() {
        let arrived = [frame(0, &[1], Some(5)), frame(7, &[2, 4], None)];
        let Some(Finding::Prefix { event, difference, .. }) = expected().difference("i", &arrived)
        else {
            panic!("no difference");
        };
        assert_eq!((event, difference.at), (Some(7), 2));
        assert_eq!(difference.split.as_deref(), Some("04 (time 4)"));
    }

    #[test]
    fn a_watermark_that_flink_did_not_have_is_found() {
        for arrived in [
            [frame(0, &[1], Some(6)), frame(1, &[2, 3], None)],
            [frame(0, &[1], Some(0)), frame(1, &[2, 3], None)],
        ] {
            let found = expected().difference("i", &arrived);
            assert!(matches!(found, Some(Finding::Watermark { .. })), "{found:?}");
        }
    }
}
