//! java.util.regex, and String's methods that take patterns.
use super::LibTy::{Bool, Int, Ref, String as Text};
use super::strings::int;
use super::{Method, changing, pure, throwing};
use crate::heap::{Element, NULL, Object, Thing};
use crate::memory::{Memory, Span};
use crate::reason::Reason;
use sluice_java::regex::{self, Matcher, Pattern};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

type Answer = Result<u64, Reason>;

pub(super) static METHODS: &[Method] = &[
    throwing(
        "java/lang/String.split(Ljava/lang/String;)[Ljava/lang/String;",
        &[Text, Text],
        Ref,
        |memory, args| split_by(memory, args[0], args[1], 0),
    ),
    throwing(
        "java/lang/String.split(Ljava/lang/String;I)[Ljava/lang/String;",
        &[Text, Text, Int],
        Ref,
        |memory, args| split_by(memory, args[0], args[1], args[2] as i32),
    ),
    throwing(
        "java/lang/String.matches(Ljava/lang/String;)Z",
        &[Text, Text],
        Bool,
        |memory, args| {
            let pattern = compiled(memory, args[1], 0)?;
            matches(memory, &pattern, args[0])
        },
    ),
    throwing(
        "java/lang/String.replaceAll(Ljava/lang/String;Ljava/lang/String;)Ljava/lang/String;",
        &[Text, Text, Text],
        Text,
        |memory, args| {
            let pattern = compiled(memory, args[1], 0)?;
            replace(memory, &pattern, args[0], args[2], Pattern::replace_all)
        },
    ),
    throwing(
        "java/lang/String.replaceFirst(Ljava/lang/String;Ljava/lang/String;)Ljava/lang/String;",
        &[Text, Text, Text],
        Text,
        |memory, args| {
            let pattern = compiled(memory, args[1], 0)?;
            replace(memory, &pattern, args[0], args[2], Pattern::replace_first)
        },
    ),
    throwing(
        "java/util/regex/Pattern.compile(Ljava/lang/String;)Ljava/util/regex/Pattern;",
        &[Text],
        Ref,
        |memory, args| {
            let pattern = compiled(memory, args[0], 0)?;
            memory.add(Object::Thing(Box::new(PatternThing { pattern, flags: 0 })))
        },
    ),
    throwing(
        "java/util/regex/Pattern.compile(Ljava/lang/String;I)Ljava/util/regex/Pattern;",
        &[Text, Int],
        Ref,
        |memory, args| {
            let flags = args[1] as i32;
            let pattern = compiled(memory, args[0], flags)?;
            memory.add(Object::Thing(Box::new(PatternThing { pattern, flags })))
        },
    ),
    throwing(
        "java/util/regex/Pattern.matches(Ljava/lang/String;Ljava/lang/CharSequence;)Z",
        &[Text, Ref],
        Bool,
        |memory, args| {
            let pattern = compiled(memory, args[0], 0)?;
            let text = sequence(memory, args[1])?;
            matches(memory, &pattern, text)
        },
    ),
    throwing(
        "java/util/regex/Pattern.quote(Ljava/lang/String;)Ljava/lang/String;",
        &[Text],
        Text,
        |memory, args| {
            let quoted = Pattern::quote(memory.text(args[0]))?;
            memory.new_text(&quoted)
        },
    ),
    throwing("java/util/regex/Pattern.pattern()Ljava/lang/String;", &[Ref], Text, text_of_pattern),
    throwing("java/util/regex/Pattern.toString()Ljava/lang/String;", &[Ref], Text, text_of_pattern),
    throwing("java/util/regex/Pattern.flags()I", &[Ref], Int, |memory, args| {
        Ok(int(memory.thing::<PatternThing>(args[0])?.flags))
    }),
    throwing(
        "java/util/regex/Pattern.split(Ljava/lang/CharSequence;)[Ljava/lang/String;",
        &[Ref, Ref],
        Ref,
        |memory, args| {
            let pattern = memory.thing::<PatternThing>(args[0])?.pattern.clone();
            let text = sequence(memory, args[1])?;
            split(memory, &pattern, text, 0)
        },
    ),
    throwing(
        "java/util/regex/Pattern.split(Ljava/lang/CharSequence;I)[Ljava/lang/String;",
        &[Ref, Ref, Int],
        Ref,
        |memory, args| {
            let pattern = memory.thing::<PatternThing>(args[0])?.pattern.clone();
            let text = sequence(memory, args[1])?;
            split(memory, &pattern, text, args[2] as i32)
        },
    ),
    throwing(
        "java/util/regex/Pattern.matcher(Ljava/lang/CharSequence;)Ljava/util/regex/Matcher;",
        &[Ref, Ref],
        Ref,
        |memory, args| {
            let pattern = memory.thing::<PatternThing>(args[0])?.pattern.clone();
            let text = sequence(memory, args[1])?;
            memory.add(Object::Thing(Box::new(MatcherThing {
                pattern,
                text,
                matcher: Matcher::new(regex::STEPS),
            })))
        },
    ),
    pure(
        "java/util/regex/Matcher.quoteReplacement(Ljava/lang/String;)Ljava/lang/String;",
        &[Text],
        Text,
        |memory, args| {
            let quoted = regex::quote_replacement(memory.text(args[0]));
            memory.new_text(&quoted)
        },
    ),
    changing("java/util/regex/Matcher.matches()Z", &[Ref], Some(Bool), |memory, args| {
        search(memory, args[0], Matcher::matches)
    }),
    changing("java/util/regex/Matcher.lookingAt()Z", &[Ref], Some(Bool), |memory, args| {
        search(memory, args[0], Matcher::looking_at)
    }),
    changing("java/util/regex/Matcher.find()Z", &[Ref], Some(Bool), |memory, args| {
        search(memory, args[0], Matcher::find)
    }),
    changing(
        "java/util/regex/Matcher.reset()Ljava/util/regex/Matcher;",
        &[Ref],
        Some(Ref),
        |memory, args| {
            memory.thing_mut::<MatcherThing>(args[0])?.matcher.reset();
            Ok(args[0])
        },
    ),
    throwing("java/util/regex/Matcher.groupCount()I", &[Ref], Int, |memory, args| {
        Ok(memory.thing::<MatcherThing>(args[0])?.pattern.groups() as u64)
    }),
    throwing("java/util/regex/Matcher.group()Ljava/lang/String;", &[Ref], Ref, |memory, args| {
        group(memory, args[0], 0)
    }),
    throwing(
        "java/util/regex/Matcher.group(I)Ljava/lang/String;",
        &[Ref, Int],
        Ref,
        |memory, args| group(memory, args[0], args[1] as i32),
    ),
    throwing(
        "java/util/regex/Matcher.group(Ljava/lang/String;)Ljava/lang/String;",
        &[Ref, Text],
        Ref,
        |memory, args| {
            let of = memory.thing::<MatcherThing>(args[0])?;
            let range = of.matcher.named_group(&of.pattern, memory.text(args[1]))?;
            Ok(part(of.text, range))
        },
    ),
    throwing("java/util/regex/Matcher.start()I", &[Ref], Int, |memory, args| {
        place(memory, args[0], 0, Matcher::start)
    }),
    throwing("java/util/regex/Matcher.start(I)I", &[Ref, Int], Int, |memory, args| {
        place(memory, args[0], args[1] as i32, Matcher::start)
    }),
    throwing("java/util/regex/Matcher.end()I", &[Ref], Int, |memory, args| {
        place(memory, args[0], 0, Matcher::end)
    }),
    throwing("java/util/regex/Matcher.end(I)I", &[Ref, Int], Int, |memory, args| {
        place(memory, args[0], args[1] as i32, Matcher::end)
    }),
    changing(
        "java/util/regex/Matcher.replaceAll(Ljava/lang/String;)Ljava/lang/String;",
        &[Ref, Text],
        Some(Text),
        |memory, args| replace_in(memory, args, Pattern::replace_all),
    ),
    changing(
        "java/util/regex/Matcher.replaceFirst(Ljava/lang/String;)Ljava/lang/String;",
        &[Ref, Text],
        Some(Text),
        |memory, args| replace_in(memory, args, Pattern::replace_first),
    ),
];

/// A `java.util.regex.Pattern`.
#[derive(Debug)]
struct PatternThing {
    pattern: Arc<Pattern>,
    flags: i32,
}

// Patterns have the identity of objects only.
impl Thing for PatternThing {
    fn class(&self) -> &'static str {
        "java/util/regex/Pattern"
    }

    fn text(&self) -> Option<String> {
        Some(self.pattern.text().to_owned())
    }
}

/// A `java.util.regex.Matcher`.
#[derive(Debug)]
struct MatcherThing {
    pattern: Arc<Pattern>,
    text: u64,
    matcher: Matcher,
}

impl Thing for MatcherThing {
    fn class(&self) -> &'static str {
        "java/util/regex/Matcher"
    }

    fn above(&self) -> &'static [&'static str] {
        &["java/util/regex/MatchResult"]
    }
}

/// The pattern of a constant.
pub(super) fn constant(text: &str, flags: i32) -> Option<Box<dyn Thing>> {
    let pattern = Arc::new(Pattern::compile(text, flags).ok()?);
    Some(Box::new(PatternThing { pattern, flags }))
}

/// The most compiled patterns that a thread keeps.
const KEPT_PATTERNS: usize = 64;

/// The pattern of a text. A function compiles the same few patterns for every event: they are kept.
fn compiled(memory: &mut Memory<'_>, text: u64, flags: i32) -> Result<Arc<Pattern>, Reason> {
    thread_local! {
        static PATTERNS: RefCell<HashMap<(String, i32), Arc<Pattern>>> = RefCell::default();
    }
    let key = (memory.text(text).to_owned(), flags);
    PATTERNS.with_borrow_mut(|patterns| {
        if let Some(pattern) = patterns.get(&key) {
            return Ok(pattern.clone());
        }
        memory.steps += key.0.len() as u64;
        let pattern = Arc::new(Pattern::compile(&key.0, flags)?);
        if patterns.len() == KEPT_PATTERNS {
            patterns.clear();
        }
        patterns.insert(key, pattern.clone());
        Ok(pattern)
    })
}

/// A `CharSequence` as a text of its own.
fn sequence(memory: &mut Memory<'_>, slot: u64) -> Answer {
    if memory.is_text(slot) {
        return Ok(slot);
    }
    let text = memory.sequence(slot)?.to_owned();
    memory.new_text(&text)
}

/// A part of a text; null for none.
fn part(text: u64, range: Option<Range<usize>>) -> u64 {
    range.map_or(NULL, |range| Span(text).part(range.start, range.end).0)
}

/// Runs a search, and counts its steps, of which 16 are one of the machine's.
fn counted<T>(
    memory: &mut Memory<'_>,
    run: impl FnOnce(&Memory<'_>, &mut u64) -> sluice_java::Result<T>,
) -> Result<T, Reason> {
    let mut steps = regex::STEPS;
    let answer = run(memory, &mut steps);
    memory.steps += (regex::STEPS - steps) / 16;
    Ok(answer?)
}

fn matches(memory: &mut Memory<'_>, pattern: &Pattern, text: u64) -> Answer {
    counted(memory, |memory, steps| pattern.matches(memory.text(text), steps)).map(u64::from)
}

type Replace = fn(&Pattern, &str, &str, usize, &mut u64) -> sluice_java::Result<String>;

fn replace(
    memory: &mut Memory<'_>,
    pattern: &Pattern,
    text: u64,
    by: u64,
    replace: Replace,
) -> Answer {
    let made = counted(memory, |memory, steps| {
        replace(pattern, memory.text(text), memory.text(by), memory.budget.bytes, steps)
    })?;
    memory.new_text(&made)
}

fn replace_in(memory: &mut Memory<'_>, args: &[u64], with: Replace) -> Answer {
    let of = memory.thing_mut::<MatcherThing>(args[0])?;
    of.matcher.reset();
    let (pattern, text) = (of.pattern.clone(), of.text);
    replace(memory, &pattern, text, args[1], with)
}

fn split_by(memory: &mut Memory<'_>, text: u64, by: u64, limit: i32) -> Answer {
    memory.work(Span(text).len());
    if let [byte] = *memory.bytes(by)
        && !b".$|()[{^?*+\\".contains(&byte)
    {
        let by = char::from(byte);
        let parts = regex::split_text(memory.text(text), by.encode_utf8(&mut [0; 4]), limit);
        return strings(memory, text, &parts);
    }
    if let Some(by) = regex::plain(memory.text(by)) {
        let parts = regex::split_text(memory.text(text), &by, limit);
        return strings(memory, text, &parts);
    }
    let pattern = compiled(memory, by, 0)?;
    split(memory, &pattern, text, limit)
}

fn split(memory: &mut Memory<'_>, pattern: &Pattern, text: u64, limit: i32) -> Answer {
    let parts =
        counted(memory, |memory, steps| regex::split(pattern, memory.text(text), limit, steps))?;
    strings(memory, text, &parts)
}

/// An array of parts of a text.
fn strings(memory: &mut Memory<'_>, text: u64, parts: &[Range<usize>]) -> Answer {
    let start = memory.new_slots(parts.len(), NULL)?;
    let slots = memory.heap.slots[start..].iter_mut();
    slots.zip(parts).for_each(|(slot, range)| *slot = Span(text).part(range.start, range.end).0);
    let class = crate::heap::STRINGS;
    memory.add(Object::Array { class, element: Element::Ref, start, len: parts.len() })
}

type Search = fn(&mut Matcher, &Pattern, &str) -> sluice_java::Result<bool>;

fn search(memory: &mut Memory<'_>, slot: u64, search: Search) -> Answer {
    let of = memory.thing::<MatcherThing>(slot)?;
    let mut matcher = of.matcher.clone();
    matcher.steps_left = regex::STEPS;
    let found = search(&mut matcher, &of.pattern, memory.text(of.text))?;
    memory.steps += (regex::STEPS - matcher.steps_left) / 16 + 1;
    memory.thing_mut::<MatcherThing>(slot)?.matcher = matcher;
    Ok(u64::from(found))
}

fn group(memory: &mut Memory<'_>, slot: u64, group: i32) -> Answer {
    let of = memory.thing::<MatcherThing>(slot)?;
    let range = of.matcher.group(&of.pattern, group)?;
    Ok(part(of.text, range))
}

fn place(
    memory: &mut Memory<'_>,
    slot: u64,
    group: i32,
    place: fn(&Matcher, &Pattern, &str, i32) -> sluice_java::Result<i32>,
) -> Answer {
    let of = memory.thing::<MatcherThing>(slot)?;
    Ok(int(place(&of.matcher, &of.pattern, memory.text(of.text), group)?))
}

fn text_of_pattern(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let text = memory.thing::<PatternThing>(args[0])?.pattern.text().to_owned();
    memory.new_text(&text)
}
