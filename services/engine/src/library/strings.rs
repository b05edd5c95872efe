//! java.lang.String.
use super::LibTy::{Bool, Int, Ref, String as Text};
use super::{Method, pure, throwing};
use crate::heap::{Element, NULL, Object};
use crate::memory::{Memory, Span};
use crate::reason::Reason;
use sluice_java::{case, hash, text, utf16};

type Answer = Result<u64, Reason>;

pub(super) static METHODS: &[Method] = &[
    pure("java/lang/String.length()I", &[Text], Int, length),
    pure("java/lang/String.isEmpty()Z", &[Text], Bool, |_, args| {
        Ok(u64::from(Span(args[0]).len() == 0))
    }),
    throwing("java/lang/String.charAt(I)C", &[Text, Int], Int, char_at),
    throwing("java/lang/String.codePointAt(I)I", &[Text, Int], Int, |memory, args| {
        Ok(int(utf16::code_point_at(memory.text(args[0]), args[1] as i32)?))
    }),
    throwing("java/lang/String.codePointCount(II)I", &[Text, Int, Int], Int, |memory, args| {
        Ok(int(utf16::code_point_count(memory.text(args[0]), args[1] as i32, args[2] as i32)?))
    }),
    throwing(
        "java/lang/String.substring(II)Ljava/lang/String;",
        &[Text, Int, Int],
        Text,
        substring,
    ),
    throwing(
        "java/lang/String.subSequence(II)Ljava/lang/CharSequence;",
        &[Text, Int, Int],
        Text,
        substring,
    ),
    throwing(
        "java/lang/String.substring(I)Ljava/lang/String;",
        &[Text, Int],
        Text,
        |memory, args| {
            let from = args[1] as i32;
            let span = Span(args[0]);
            if span.is_ascii() && from >= 0 && from as usize <= span.len() {
                return Ok(span.part(from as usize, span.len()).0);
            }
            let range = utf16::substring_from(memory.text(args[0]), from)?;
            let part = span.part(range.start, range.end);
            Ok(part.known_ascii(span.is_ascii() || memory.bytes(part.0).is_ascii()).0)
        },
    ),
    pure("java/lang/String.indexOf(I)I", &[Text, Int], Int, |memory, args| {
        index_of_char(memory, args[0], args[1] as i32, 0)
    }),
    pure("java/lang/String.indexOf(II)I", &[Text, Int, Int], Int, |memory, args| {
        index_of_char(memory, args[0], args[1] as i32, args[2] as i32)
    }),
    pure("java/lang/String.indexOf(Ljava/lang/String;)I", &[Text, Text], Int, |memory, args| {
        memory.work(Span(args[0]).len());
        Ok(int(text::index_of(memory.text(args[0]), memory.text(args[1]), 0)))
    }),
    pure(
        "java/lang/String.indexOf(Ljava/lang/String;I)I",
        &[Text, Text, Int],
        Int,
        |memory, args| {
            memory.work(Span(args[0]).len());
            Ok(int(text::index_of(memory.text(args[0]), memory.text(args[1]), args[2] as i32)))
        },
    ),
    pure("java/lang/String.lastIndexOf(I)I", &[Text, Int], Int, |memory, args| {
        memory.work(Span(args[0]).len());
        Ok(int(text::last_index_of_char(memory.text(args[0]), args[1] as i32, i32::MAX)))
    }),
    pure("java/lang/String.lastIndexOf(II)I", &[Text, Int, Int], Int, |memory, args| {
        memory.work(Span(args[0]).len());
        Ok(int(text::last_index_of_char(memory.text(args[0]), args[1] as i32, args[2] as i32)))
    }),
    pure(
        "java/lang/String.lastIndexOf(Ljava/lang/String;)I",
        &[Text, Text],
        Int,
        |memory, args| {
            memory.work(Span(args[0]).len());
            Ok(int(text::last_index_of(memory.text(args[0]), memory.text(args[1]), i32::MAX)))
        },
    ),
    pure(
        "java/lang/String.lastIndexOf(Ljava/lang/String;I)I",
        &[Text, Text, Int],
        Int,
        |memory, args| {
            memory.work(Span(args[0]).len());
            Ok(int(text::last_index_of(memory.text(args[0]), memory.text(args[1]), args[2] as i32)))
        },
    ),
    throwing(
        "java/lang/String.contains(Ljava/lang/CharSequence;)Z",
        &[Text, Ref],
        Bool,
        |memory, args| {
            memory.work(Span(args[0]).len());
            let wanted = memory.sequence(args[1])?;
            Ok(u64::from(memchr::memmem::find(memory.bytes(args[0]), wanted.as_bytes()).is_some()))
        },
    ),
    pure(
        "java/lang/String.startsWith(Ljava/lang/String;)Z",
        &[Text, Text],
        Bool,
        |memory, args| Ok(u64::from(memory.bytes(args[0]).starts_with(memory.bytes(args[1])))),
    ),
    pure(
        "java/lang/String.startsWith(Ljava/lang/String;I)Z",
        &[Text, Text, Int],
        Bool,
        |memory, args| {
            Ok(u64::from(text::starts_with(
                memory.text(args[0]),
                memory.text(args[1]),
                args[2] as i32,
            )))
        },
    ),
    pure("java/lang/String.endsWith(Ljava/lang/String;)Z", &[Text, Text], Bool, |memory, args| {
        Ok(u64::from(memory.bytes(args[0]).ends_with(memory.bytes(args[1]))))
    }),
    pure("java/lang/String.equals(Ljava/lang/Object;)Z", &[Text, Ref], Bool, |memory, args| {
        Ok(u64::from(memory.is_text(args[1]) && memory.bytes(args[0]) == memory.bytes(args[1])))
    }),
    pure(
        "java/lang/String.equalsIgnoreCase(Ljava/lang/String;)Z",
        &[Text, Ref],
        Bool,
        |memory, args| {
            let same = memory.is_text(args[1])
                && text::equals_ignore_case(memory.text(args[0]), memory.text(args[1]));
            Ok(u64::from(same))
        },
    ),
    throwing(
        "java/lang/String.contentEquals(Ljava/lang/CharSequence;)Z",
        &[Text, Ref],
        Bool,
        |memory, args| Ok(u64::from(memory.text(args[0]) == memory.sequence(args[1])?)),
    ),
    pure("java/lang/String.compareTo(Ljava/lang/String;)I", &[Text, Text], Int, |memory, args| {
        Ok(int(text::compare(memory.text(args[0]), memory.text(args[1]))))
    }),
    pure(
        "java/lang/String.compareToIgnoreCase(Ljava/lang/String;)I",
        &[Text, Text],
        Int,
        |memory, args| {
            Ok(int(text::compare_ignore_case(memory.text(args[0]), memory.text(args[1]))))
        },
    ),
    pure(
        "java/lang/String.regionMatches(ILjava/lang/String;II)Z",
        &[Text, Int, Text, Int, Int],
        Bool,
        |memory, args| {
            let [at, other, count] = [args[1], args[3], args[4]].map(|slot| slot as i32);
            Ok(u64::from(text::region_matches(
                memory.text(args[0]),
                false,
                at,
                memory.text(args[2]),
                other,
                count,
            )))
        },
    ),
    pure(
        "java/lang/String.regionMatches(ZILjava/lang/String;II)Z",
        &[Text, Bool, Int, Text, Int, Int],
        Bool,
        |memory, args| {
            let [at, other, count] = [args[2], args[4], args[5]].map(|slot| slot as i32);
            Ok(u64::from(text::region_matches(
                memory.text(args[0]),
                args[1] != 0,
                at,
                memory.text(args[3]),
                other,
                count,
            )))
        },
    ),
    pure("java/lang/String.hashCode()I", &[Text], Int, |memory, args| {
        Ok(int(hash::string(memory.text(args[0]))))
    }),
    pure("java/lang/String.trim()Ljava/lang/String;", &[Text], Text, |memory, args| {
        part(memory, args[0], text::trim)
    }),
    pure("java/lang/String.strip()Ljava/lang/String;", &[Text], Text, |memory, args| {
        part(memory, args[0], text::strip)
    }),
    pure("java/lang/String.stripLeading()Ljava/lang/String;", &[Text], Text, |memory, args| {
        part(memory, args[0], text::strip_leading)
    }),
    pure("java/lang/String.stripTrailing()Ljava/lang/String;", &[Text], Text, |memory, args| {
        part(memory, args[0], text::strip_trailing)
    }),
    pure("java/lang/String.isBlank()Z", &[Text], Bool, |memory, args| {
        Ok(u64::from(text::is_blank(memory.text(args[0]))))
    }),
    pure("java/lang/String.toLowerCase()Ljava/lang/String;", &[Text], Text, lower),
    pure("java/lang/String.toUpperCase()Ljava/lang/String;", &[Text], Text, upper),
    throwing("java/lang/String.repeat(I)Ljava/lang/String;", &[Text, Int], Text, |memory, args| {
        match Span(args[0]).len().checked_mul((args[1] as i32).max(0) as usize) {
            Some(bytes) if args[1] as i32 >= 0 => memory.reserve(bytes)?,
            None => return Err(Reason::Memory),
            _ => {}
        }
        if args[1] as i32 == 1 {
            return Ok(args[0]);
        }
        let repeated = text::repeat(memory.text(args[0]), args[1] as i32, memory.budget.bytes)?;
        memory.new_text(&repeated)
    }),
    pure(
        "java/lang/String.concat(Ljava/lang/String;)Ljava/lang/String;",
        &[Text, Text],
        Text,
        crate::builtin::concat,
    ),
    pure(
        "java/lang/String.replace(CC)Ljava/lang/String;",
        &[Text, Int, Int],
        Text,
        |memory, args| {
            memory.work(Span(args[0]).len());
            let made = text::replace_char(memory.text(args[0]), args[1] as u16, args[2] as u16)?;
            memory.new_text(&made)
        },
    ),
    throwing(
        "java/lang/String.replace(Ljava/lang/CharSequence;Ljava/lang/CharSequence;)Ljava/lang/String;",
        &[Text, Ref, Ref],
        Text,
        |memory, args| {
            let (target, with) = (memory.sequence(args[1])?, memory.sequence(args[2])?);
            let grown = (Span(args[0]).len() + 1).saturating_mul(with.len() + 1);
            let most = memory.budget.bytes;
            if grown > most
                && memory.text(args[0]).matches(target).count().saturating_mul(with.len()) > most
            {
                return Err(Reason::Memory);
            }
            let made = text::replace(memory.text(args[0]), target, with)?;
            memory.work(made.len());
            memory.new_text(&made)
        },
    ),
    pure("java/lang/String.toString()Ljava/lang/String;", &[Text], Text, |_, args| Ok(args[0])),
    pure("java/lang/String.intern()Ljava/lang/String;", &[Text], Text, |_, args| Ok(args[0])),
    pure(
        "java/lang/String.valueOf(Ljava/lang/Object;)Ljava/lang/String;",
        &[Ref],
        Text,
        |memory, args| text_of(memory, args[0]),
    ),
    pure("java/lang/String.valueOf(I)Ljava/lang/String;", &[Int], Text, |memory, args| {
        memory.new_text(&(args[0] as i32).to_string())
    }),
    pure(
        "java/lang/String.valueOf(J)Ljava/lang/String;",
        &[super::LibTy::Long],
        Text,
        |memory, args| memory.new_text(&(args[0] as i64).to_string()),
    ),
    pure("java/lang/String.valueOf(Z)Ljava/lang/String;", &[Bool], Text, |memory, args| {
        memory.new_text(if args[0] != 0 { "true" } else { "false" })
    }),
    pure("java/lang/String.valueOf(C)Ljava/lang/String;", &[Int], Text, |memory, args| {
        char_text(memory, args[0])
    }),
    pure(
        "java/lang/String.valueOf(D)Ljava/lang/String;",
        &[super::LibTy::Double],
        Text,
        |memory, args| {
            memory.new_text(&sluice_java::floating::double_to_string(f64::from_bits(args[0])))
        },
    ),
    pure(
        "java/lang/String.valueOf(F)Ljava/lang/String;",
        &[super::LibTy::Float],
        Text,
        |memory, args| {
            memory.new_text(&sluice_java::floating::float_to_string(f32::from_bits(args[0] as u32)))
        },
    ),
    throwing("java/lang/String.valueOf([C)Ljava/lang/String;", &[Ref], Text, of_chars),
    throwing("java/lang/String.<init>([C)V", &[Ref], Ref, of_chars),
    pure("java/lang/String.<init>(Ljava/lang/String;)V", &[Text], Ref, |_, args| Ok(args[0])),
    pure("java/lang/String.<init>()V", &[], Ref, |memory, _| memory.new_text("")),
    pure("java/lang/String.toCharArray()[C", &[Text], Ref, to_chars),
    throwing(
        "java/lang/String.join(Ljava/lang/CharSequence;[Ljava/lang/CharSequence;)Ljava/lang/String;",
        &[Ref, Ref],
        Text,
        join,
    ),
    throwing(
        "java/lang/String.join(Ljava/lang/CharSequence;Ljava/lang/Iterable;)Ljava/lang/String;",
        &[Ref, Ref],
        Text,
        join,
    ),
    throwing("java/lang/CharSequence.length()I", &[Ref], Int, |memory, args| {
        Ok(int(utf16::length(memory.sequence(args[0])?) as i32))
    }),
    throwing("java/lang/CharSequence.charAt(I)C", &[Ref, Int], Int, |memory, args| {
        Ok(u64::from(utf16::char_at(memory.sequence(args[0])?, args[1] as i32)?))
    }),
    throwing(
        "java/lang/CharSequence.toString()Ljava/lang/String;",
        &[Ref],
        Text,
        |memory, args| {
            let made = memory.sequence(args[0])?.to_owned();
            memory.new_text(&made)
        },
    ),
];

pub(super) fn int(value: i32) -> u64 {
    u64::from(value as u32)
}

impl Memory<'_> {
    /// The units of a `char[]`.
    pub(crate) fn chars(&self, slot: u64) -> Result<Vec<u16>, Reason> {
        match self.object(slot)? {
            Some(Object::Array { element: Element::Char, start, len, .. }) => {
                let slots = &self.slots_of(slot)[*start..*start + *len];
                Ok(slots.iter().map(|unit| *unit as u16).collect())
            }
            _ => Err(Reason::exception("java/lang/ClassCastException", None)),
        }
    }

    /// Whether a reference is a text.
    pub(crate) fn is_text(&self, slot: u64) -> bool {
        crate::heap::Reference::of(slot) == crate::heap::Reference::Text
    }

    /// A `CharSequence`: a text or what a builder holds.
    pub(crate) fn sequence(&self, slot: u64) -> Result<&str, Reason> {
        match self.object(slot)? {
            None if self.is_text(slot) => Ok(self.text(slot)),
            Some(Object::Builder(builder)) => self.built(builder),
            _ => Err(Reason::exception("java/lang/ClassCastException", None)),
        }
    }

    /// The elements of an array of references, or of a collection.
    pub(crate) fn items(&self, slot: u64) -> Result<Vec<u64>, Reason> {
        match self.object(slot)? {
            Some(Object::Array { element: Element::Ref, start, len, .. }) => {
                Ok(self.slots_of(slot)[*start..*start + *len].to_vec())
            }
            Some(Object::List(_, items)) => Ok(items.to_vec()),
            Some(Object::Set(map)) => {
                Ok(self.entries(map)?.into_iter().map(|(key, _)| key).collect())
            }
            _ => Err(Reason::exception("java/lang/ClassCastException", None)),
        }
    }
}

pub(super) fn length(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    Ok(memory.units(args[0]) as u64)
}

pub(crate) fn char_at(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    if Span(args[0]).is_ascii()
        && let Some(c) = memory.bytes(args[0]).get(args[1] as u32 as usize)
    {
        return Ok(u64::from(*c));
    }
    let unit =
        usize::try_from(args[1] as i32).ok().and_then(|index| memory.unit_at(args[0], index));
    match unit {
        Some(unit) => Ok(u64::from(unit)),
        // For the message.
        None => Ok(u64::from(utf16::char_at(memory.text(args[0]), args[1] as i32)?)),
    }
}

pub(super) fn substring(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let (from, to) = (args[1] as i32, args[2] as i32);
    let span = Span(args[0]);
    if span.is_ascii() && 0 <= from && from <= to && to as usize <= span.len() {
        return Ok(span.part(from as usize, to as usize).0);
    }
    if 0 <= from
        && from <= to
        && !span.is_ascii()
        && let Some(part) = memory.part(args[0], from as usize, to as usize)
    {
        return Ok(part);
    }
    let range = utf16::substring(memory.text(args[0]), from, to)?;
    Ok(span.part(range.start, range.end).0)
}

fn index_of_char(memory: &mut Memory<'_>, slot: u64, code: i32, from: i32) -> Answer {
    let span = Span(slot);
    let start = from.max(0) as usize;
    match u8::try_from(code) {
        Ok(byte) if span.is_ascii() => {
            let found = memory.bytes(slot).get(start..).and_then(|rest| memchr::memchr(byte, rest));
            memory.work(found.unwrap_or(span.len()));
            return Ok(int(found.map_or(-1, |at| (start + at) as i32)));
        }
        Ok(byte @ 0..=0x7F) => {
            return Ok(int(memory.index_of(slot, byte, start).map_or(-1, |at| at as i32)));
        }
        _ => memory.work(span.len()),
    }
    Ok(int(text::index_of_char(memory.text(slot), code, from)))
}

fn part(memory: &mut Memory<'_>, slot: u64, range: fn(&str) -> std::ops::Range<usize>) -> Answer {
    memory.work(Span(slot).len());
    let range = range(memory.text(slot));
    Ok(Span(slot).part(range.start, range.end).0)
}

pub(super) fn lower(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    if Span(args[0]).is_ascii() && !memory.bytes(args[0]).iter().any(u8::is_ascii_uppercase) {
        return Ok(args[0]);
    }
    let made = case::to_lower_case(memory.text(args[0]))?;
    memory.new_text(&made)
}

pub(super) fn upper(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    if Span(args[0]).is_ascii() && !memory.bytes(args[0]).iter().any(u8::is_ascii_lowercase) {
        return Ok(args[0]);
    }
    let made = case::to_upper_case(memory.text(args[0]));
    memory.new_text(&made)
}

/// `String.valueOf`.
pub(crate) fn text_of(memory: &mut Memory<'_>, slot: u64) -> Answer {
    if memory.is_text(slot) {
        return Ok(slot);
    }
    if let Ok(Some(Object::Builder(crate::heap::Builder::One(text)))) = memory.object(slot) {
        return Ok(*text);
    }
    let mut made = String::new();
    memory.render(slot, &mut made)?;
    memory.new_text(&made)
}

/// A text of one UTF-16 unit.
pub(crate) fn char_text(memory: &mut Memory<'_>, unit: u64) -> Answer {
    let c = char::from_u32(u32::from(unit as u16)).ok_or(Reason::Surrogate)?;
    memory.new_text(c.encode_utf8(&mut [0; 4]))
}

fn of_chars(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let units = memory.chars(args[0])?;
    let made = utf16::from_units(&units)?;
    memory.new_text(&made)
}

fn to_chars(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let units: Vec<u16> = memory.text(args[0]).encode_utf16().collect();
    let start = memory.new_slots(units.len(), 0)?;
    for (slot, unit) in memory.heap.slots[start..].iter_mut().zip(&units) {
        *slot = u64::from(*unit);
    }
    let class = crate::heap::CHARS;
    memory.add(Object::Array { class, element: Element::Char, start, len: units.len() })
}

fn join(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let between = memory.sequence(args[0])?.to_owned();
    let mut made = String::new();
    for (at, item) in memory.items(args[1])?.into_iter().enumerate() {
        if at > 0 {
            made.push_str(&between);
        }
        match item {
            NULL => made.push_str("null"),
            item => made.push_str(memory.sequence(item)?),
        }
        if made.len() > memory.budget.bytes {
            return Err(Reason::Memory);
        }
    }
    memory.new_text(&made)
}
