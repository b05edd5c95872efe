//! java.lang.StringBuilder and StringBuffer.
//!
//! A builder that was given one text keeps it as it is; the second makes a copy. A first half of a character waits for its other half.
use super::LibTy::{self, Bool, Double, Float, Int, Long, Ref, String as Text};
use super::Method;
use super::strings::int;
use crate::heap::{Builder, NULL, Object, Reference};
use crate::memory::{Memory, Span};
use crate::reason::Reason;
use sluice_java::{floating, text, utf16};

type Answer = Result<u64, Reason>;

const STRING_INDEX: &str = "java/lang/StringIndexOutOfBoundsException";

/// A method of both classes; `$result` is the end of its descriptor.
macro_rules! both {
    ($name:literal, $result:literal, $params:expr, $gives:expr, $pure:expr, $run:expr) => {
        [
            Method {
                name: concat!("java/lang/StringBuilder.", $name, $result),
                params: $params,
                result: $gives,
                throws: true,
                pure: $pure,
                run: $run,
            },
            Method {
                name: concat!("java/lang/StringBuffer.", $name, $result),
                params: $params,
                result: $gives,
                throws: true,
                pure: $pure,
                run: $run,
            },
        ]
    };
}

/// A method that gives the builder back.
macro_rules! chained {
    ($name:literal, $params:expr, $run:expr) => {
        [
            Method {
                name: concat!("java/lang/StringBuilder.", $name, "Ljava/lang/StringBuilder;"),
                params: $params,
                result: Some(Ref),
                throws: true,
                pure: false,
                run: $run,
            },
            Method {
                name: concat!("java/lang/StringBuffer.", $name, "Ljava/lang/StringBuffer;"),
                params: $params,
                result: Some(Ref),
                throws: true,
                pure: false,
                run: $run,
            },
        ]
    };
}

const NONE: Option<LibTy> = None;

static PAIRS: &[[Method; 2]] = &[
    both!("<init>", "()V", &[], Some(Ref), true, |memory, _| new(memory, EMPTY)),
    both!("<init>", "(I)V", &[Int], Some(Ref), true, |memory, args| match (args[0] as i32) < 0 {
        true => Err(Reason::exception(
            "java/lang/NegativeArraySizeException",
            Some((args[0] as i32).to_string())
        )),
        false => new(memory, EMPTY),
    }),
    both!("<init>", "(Ljava/lang/String;)V", &[Text], Some(Ref), true, |memory, args| new(
        memory, args[0]
    )),
    both!("<init>", "(Ljava/lang/CharSequence;)V", &[Ref], Some(Ref), true, |memory, args| {
        let text = memory.sequence(args[0])?.to_owned();
        let text = memory.new_text(&text)?;
        new(memory, text)
    }),
    chained!("append(Ljava/lang/String;)", &[Ref, Ref], append_ref),
    chained!("append(Ljava/lang/Object;)", &[Ref, Ref], append_ref),
    chained!("append(Ljava/lang/CharSequence;)", &[Ref, Ref], append_ref),
    chained!("append(Ljava/lang/StringBuffer;)", &[Ref, Ref], append_ref),
    chained!("append(Ljava/lang/CharSequence;II)", &[Ref, Ref, Int, Int], append_range),
    chained!("append(C)", &[Ref, Int], |memory, args| append_unit(memory, args[0], args[1] as u16)),
    chained!("appendCodePoint(I)", &[Ref, Int], |memory, args| {
        let c = utf16::from_code_point(args[1] as i32)?;
        append(memory, args[0], c.encode_utf8(&mut [0; 4]))
    }),
    chained!("append(I)", &[Ref, Int], |memory, args| append(
        memory,
        args[0],
        &(args[1] as i32).to_string()
    )),
    chained!("append(J)", &[Ref, Long], |memory, args| append(
        memory,
        args[0],
        &(args[1] as i64).to_string()
    )),
    chained!("append(Z)", &[Ref, Bool], |memory, args| {
        append(memory, args[0], if args[1] != 0 { "true" } else { "false" })
    }),
    chained!("append(D)", &[Ref, Double], |memory, args| {
        append(memory, args[0], &floating::double_to_string(f64::from_bits(args[1])))
    }),
    chained!("append(F)", &[Ref, Float], |memory, args| {
        append(memory, args[0], &floating::float_to_string(f32::from_bits(args[1] as u32)))
    }),
    chained!("append([C)", &[Ref, Ref], |memory, args| {
        for unit in memory.chars(args[1])? {
            append_unit(memory, args[0], unit)?;
        }
        Ok(args[0])
    }),
    chained!("insert(ILjava/lang/String;)", &[Ref, Int, Ref], insert_ref),
    chained!("insert(ILjava/lang/Object;)", &[Ref, Int, Ref], insert_ref),
    chained!("insert(IC)", &[Ref, Int, Int], |memory, args| {
        let c = char::from_u32(u32::from(args[2] as u16)).ok_or(Reason::Surrogate)?;
        insert(memory, args[0], args[1] as i32, c.encode_utf8(&mut [0; 4]))
    }),
    chained!("insert(II)", &[Ref, Int, Int], |memory, args| {
        insert(memory, args[0], args[1] as i32, &(args[2] as i32).to_string())
    }),
    chained!("insert(IJ)", &[Ref, Int, Long], |memory, args| {
        insert(memory, args[0], args[1] as i32, &(args[2] as i64).to_string())
    }),
    chained!("reverse()", &[Ref], |memory, args| {
        let reversed: String = whole(memory, args[0])?.chars().rev().collect();
        set(memory, args[0], &reversed)
    }),
    chained!("delete(II)", &[Ref, Int, Int], |memory, args| replace(memory, args, "")),
    chained!("deleteCharAt(I)", &[Ref, Int], |memory, args| {
        let (index, length) = (args[1] as i32, length_of(memory, args[0])?);
        if index < 0 || index >= length {
            return Err(Reason::exception(
                STRING_INDEX,
                Some(format!("index {index}, length {length}")),
            ));
        }
        replace(memory, &[args[0], args[1], int(index + 1)], "")
    }),
    chained!("replace(IILjava/lang/String;)", &[Ref, Int, Int, Text], |memory, args| {
        let with = memory.text(args[3]).to_owned();
        replace(memory, &args[..3], &with)
    }),
    both!("toString()", "Ljava/lang/String;", &[Ref], Some(Text), true, to_text),
    both!("length()", "I", &[Ref], Some(Int), true, |memory, args| Ok(int(length_of(
        memory, args[0]
    )?))),
    both!("isEmpty()", "Z", &[Ref], Some(Bool), true, |memory, args| {
        Ok(u64::from(length_of(memory, args[0])? == 0))
    }),
    both!("charAt(I)", "C", &[Ref, Int], Some(Int), true, |memory, args| {
        let (index, text) = (args[1] as i32, memory.sequence(args[0])?);
        match utf16::char_at(text, index) {
            Ok(unit) => Ok(u64::from(unit)),
            Err(_) => {
                let message = format!("index {index}, length {}", utf16::length(text));
                Err(Reason::exception(STRING_INDEX, Some(message)))
            }
        }
    }),
    both!("setCharAt(IC)", "V", &[Ref, Int, Int], NONE, false, |memory, args| {
        let (index, length) = (args[1] as i32, length_of(memory, args[0])?);
        if index < 0 || index >= length {
            return Err(Reason::exception(
                STRING_INDEX,
                Some(format!("index {index}, length {length}")),
            ));
        }
        let c = char::from_u32(u32::from(args[2] as u16)).ok_or(Reason::Surrogate)?;
        replace(memory, &[args[0], args[1], int(index + 1)], c.encode_utf8(&mut [0; 4]))
    }),
    both!("setLength(I)", "V", &[Ref, Int], NONE, false, |memory, args| {
        let (wanted, length) = (args[1] as i32, length_of(memory, args[0])?);
        if wanted < 0 {
            return Err(Reason::exception(
                STRING_INDEX,
                Some(format!("String index out of range: {wanted}")),
            ));
        }
        if wanted <= length {
            return replace(memory, &[args[0], args[1], int(length)], "");
        }
        memory.reserve((wanted - length) as usize)?;
        append(memory, args[0], &"\0".repeat((wanted - length) as usize))
    }),
    both!("indexOf(Ljava/lang/String;)", "I", &[Ref, Text], Some(Int), true, |memory, args| {
        Ok(int(text::index_of(memory.sequence(args[0])?, memory.text(args[1]), 0)))
    }),
    both!(
        "indexOf(Ljava/lang/String;I)",
        "I",
        &[Ref, Text, Int],
        Some(Int),
        true,
        |memory, args| {
            Ok(int(text::index_of(memory.sequence(args[0])?, memory.text(args[1]), args[2] as i32)))
        }
    ),
    both!("lastIndexOf(Ljava/lang/String;)", "I", &[Ref, Text], Some(Int), true, |memory, args| {
        Ok(int(text::last_index_of(memory.sequence(args[0])?, memory.text(args[1]), i32::MAX)))
    }),
    both!("substring(I)", "Ljava/lang/String;", &[Ref, Int], Some(Text), true, |memory, args| {
        let end = length_of(memory, args[0])?;
        part(memory, args[0], args[1] as i32, end)
    }),
    both!(
        "substring(II)",
        "Ljava/lang/String;",
        &[Ref, Int, Int],
        Some(Text),
        true,
        |memory, args| { part(memory, args[0], args[1] as i32, args[2] as i32) }
    ),
];

pub(super) static METHODS: &[Method] = PAIRS.as_flattened();

/// The empty text.
const EMPTY: u64 = 1 << 31;

fn new(memory: &mut Memory<'_>, text: u64) -> Answer {
    memory.add(Object::Builder(Builder::One(text)))
}

fn class_cast<T>() -> Result<T, Reason> {
    Err(Reason::exception("java/lang/ClassCastException", None))
}

/// Appends a text to a builder.
fn append(memory: &mut Memory<'_>, slot: u64, from: &str) -> Answer {
    memory.work(from.len());
    match own(memory, slot)? {
        (bytes, None) => bytes.extend_from_slice(from.as_bytes()),
        (_, Some(_)) if from.is_empty() => {}
        _ => return Err(Reason::Surrogate),
    }
    memory.bounded(slot)?;
    Ok(slot)
}

/// The bytes of a builder, copied from the one text that it had, and the half of a character that waits.
fn own<'a>(
    memory: &'a mut Memory<'_>,
    slot: u64,
) -> Result<(&'a mut Vec<u8>, &'a mut Option<u16>), Reason> {
    if let Some(Object::Builder(Builder::One(text))) = memory.object(slot)? {
        let text = *text;
        let mut bytes = memory.heap.bytes();
        bytes.extend_from_slice(memory.bytes(text));
        memory.work(bytes.len());
        if let Some(Object::Builder(builder)) = memory.object_mut(slot)? {
            *builder = Builder::Own { bytes, half: None };
        }
    }
    match memory.object_mut(slot)? {
        Some(Object::Builder(Builder::Own { bytes, half })) => Ok((bytes, half)),
        _ => class_cast(),
    }
}

/// Appends a text of the event.
fn append_text(memory: &mut Memory<'_>, slot: u64, text: u64) -> Answer {
    if Span(text).len() == 0 {
        memory.object(slot)?;
        return Ok(slot);
    }
    match memory.object_mut(slot)? {
        Some(Object::Builder(Builder::One(one))) if Span(*one).len() == 0 => {
            *one = text;
            return Ok(slot);
        }
        Some(Object::Builder(_)) => {}
        _ => return class_cast(),
    }
    // Taken out, since the text may lie anywhere in the memory.
    let mut bytes = match own(memory, slot)? {
        (bytes, None) => std::mem::take(bytes),
        _ => return Err(Reason::Surrogate),
    };
    bytes.extend_from_slice(memory.bytes(text));
    memory.work(Span(text).len());
    *own(memory, slot)?.0 = bytes;
    memory.bounded(slot)?;
    Ok(slot)
}

fn append_ref(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let text = if args[1] == NULL { None } else { Some(super::text_of(memory, args[1])?) };
    match text {
        Some(text) => append_text(memory, args[0], text),
        None => append(memory, args[0], "null"),
    }
}

fn append_range(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let (from, to) = (args[2] as i32, args[3] as i32);
    if memory.is_text(args[1]) {
        let span = Span(args[1]);
        if 0 <= from && from <= to && to as usize <= memory.units(args[1]) {
            let (from, to) = (from as usize, to as usize);
            let part = match span.is_ascii() {
                true => Some(span.part(from, to).0),
                false => memory.part(args[1], from, to),
            };
            return append_text(memory, args[0], part.ok_or(Reason::Surrogate)?);
        }
    }
    let text = if args[1] == NULL { "null" } else { memory.sequence(args[1])? };
    let length = utf16::length(text) as i32;
    if from < 0 || from > to || to > length {
        let message = format!("start {from}, end {to}, length {length}");
        return Err(Reason::exception("java/lang/IndexOutOfBoundsException", Some(message)));
    }
    let part = text[utf16::substring(text, from, to)?].to_owned();
    append(memory, args[0], &part)
}

fn append_unit(memory: &mut Memory<'_>, slot: u64, unit: u16) -> Answer {
    memory.work(8);
    let (bytes, half) = own(memory, slot)?;
    match (half.take(), unit) {
        (None, 0xD800..=0xDBFF) => *half = Some(unit),
        (Some(first), 0xDC00..=0xDFFF) => {
            let c =
                char::decode_utf16([first, unit]).next().and_then(Result::ok).unwrap_or_default();
            bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
        (None, unit) => match char::from_u32(u32::from(unit)) {
            Some(c) => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            None => return Err(Reason::Surrogate),
        },
        _ => return Err(Reason::Surrogate),
    }
    memory.bounded(slot)?;
    Ok(slot)
}

impl Memory<'_> {
    /// Refuses a builder that has grown beyond the budget.
    fn bounded(&mut self, slot: u64) -> Result<(), Reason> {
        match self.object(slot)? {
            Some(Object::Builder(Builder::Own { bytes, .. }))
                if bytes.len() > self.budget.bytes =>
            {
                Err(Reason::Memory)
            }
            _ => Ok(()),
        }
    }
}

/// The text of a builder, copied.
fn whole(memory: &mut Memory<'_>, slot: u64) -> Result<String, Reason> {
    match memory.object(slot)? {
        Some(Object::Builder(builder)) => {
            let text = memory.built(builder)?.to_owned();
            memory.work(text.len());
            Ok(text)
        }
        _ => class_cast(),
    }
}

fn set(memory: &mut Memory<'_>, slot: u64, text: &str) -> Answer {
    let (bytes, half) = own(memory, slot)?;
    bytes.clear();
    *half = None;
    append(memory, slot, text)
}

fn length_of(memory: &mut Memory<'_>, slot: u64) -> Result<i32, Reason> {
    match memory.object(slot)? {
        Some(Object::Builder(Builder::One(text))) if Span(*text).is_ascii() => {
            Ok(Span(*text).len() as i32)
        }
        Some(Object::Builder(Builder::One(text))) => Ok(utf16::length(memory.text(*text)) as i32),
        Some(Object::Builder(Builder::Own { bytes, half })) => {
            let units = utf16::length(std::str::from_utf8(bytes).unwrap_or_default());
            Ok(units as i32 + i32::from(half.is_some()))
        }
        _ => class_cast(),
    }
}

fn to_text(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    match memory.object(args[0])? {
        Some(Object::Builder(Builder::One(text))) => Ok(*text),
        Some(Object::Builder(Builder::Own { half: Some(_), .. })) => Err(Reason::Surrogate),
        Some(Object::Builder(Builder::Own { bytes, .. })) => {
            let len = bytes.len();
            memory.reserve(len)?;
            let start = memory.made.len();
            // Looked up again, since the reserve needs the whole memory.
            let Reference::Heap(number) = Reference::of(args[0]) else { return class_cast() };
            if let Object::Builder(Builder::Own { bytes, .. }) = memory.heap.object(number) {
                memory.made.extend_from_slice(bytes);
            }
            let ascii = memory.made[start..].is_ascii();
            Ok(Span(memory.made_since(start)).known_ascii(ascii).0)
        }
        _ => class_cast(),
    }
}

fn part(memory: &mut Memory<'_>, slot: u64, from: i32, to: i32) -> Answer {
    let text = whole(memory, slot)?;
    match utf16::substring(&text, from, to) {
        Ok(range) => memory.new_text(&text[range]),
        Err(sluice_java::Failure::Throws(_)) => {
            let message = format!("start {from}, end {to}, length {}", utf16::length(&text));
            Err(Reason::exception(STRING_INDEX, Some(message)))
        }
        Err(other) => Err(other.into()),
    }
}

/// Puts a text in the place of a part: `[builder, from, to]`, the end being cut to the length.
fn replace(memory: &mut Memory<'_>, args: &[u64], with: &str) -> Answer {
    let (from, to) = (args[1] as i32, args[2] as i32);
    let mut text = whole(memory, args[0])?;
    let length = utf16::length(&text) as i32;
    let to = to.min(length);
    if from < 0 || from > length || from > to {
        let message = format!("start {from}, end {to}, length {length}");
        return Err(Reason::exception(STRING_INDEX, Some(message)));
    }
    let range = utf16::substring(&text, from, to)?;
    let range = if from == to {
        utf16::substring(&text, 0, from)?.end..utf16::substring(&text, 0, from)?.end
    } else {
        range
    };
    text.replace_range(range, with);
    set(memory, args[0], &text)
}

fn insert(memory: &mut Memory<'_>, slot: u64, at: i32, what: &str) -> Answer {
    let text = whole(memory, slot)?;
    let length = utf16::length(&text) as i32;
    if at < 0 || at > length {
        return Err(Reason::exception(STRING_INDEX, Some(format!("offset {at}, length {length}"))));
    }
    let byte = utf16::substring(&text, 0, at)?.end;
    let made = [&text[..byte], what, &text[byte..]].concat();
    set(memory, slot, &made)
}

fn insert_ref(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let mut what = String::new();
    memory.render(args[2], &mut what)?;
    insert(memory, args[0], args[1] as i32, &what)
}
