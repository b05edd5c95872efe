//! java.util.Arrays, System.arraycopy, and StringTokenizer.
use super::LibTy::{Int, Ref, String as Text};
use super::lists::{class_cast, sorted};
use super::strings::int;
use super::{Method, changing, throwing};
use crate::heap::{Element, NULL, Object, compare_doubles};
use crate::memory::Memory;
use crate::reason::Reason;

type Answer = Result<u64, Reason>;

/// Class, elements, first slot and length of an array.
fn array(memory: &Memory<'_>, slot: u64) -> Result<(u32, Element, usize, usize), Reason> {
    match memory.object(slot)? {
        Some(Object::Array { class, element, start, len }) => Ok((*class, *element, *start, *len)),
        Some(Object::Opaque(_)) => Err(Reason::Constant),
        _ => Err(class_cast()),
    }
}

/// The slots of an array of the event, to be changed.
fn slots<'a>(memory: &'a mut Memory<'_>, slot: u64) -> Result<&'a mut [u64], Reason> {
    let (_, _, start, len) = array(memory, slot)?;
    memory.object_mut(slot)?;
    Ok(&mut memory.heap.slots[start..start + len])
}

/// `Arrays.toString`.
fn text(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    if args[0] == NULL {
        return memory.new_text("null");
    }
    let (_, element, start, len) = array(memory, args[0])?;
    let mut made = String::from("[");
    for at in start..start + len {
        if at > start {
            made.push_str(", ");
        }
        memory.render_element(element, memory.slots_of(args[0])[at], &mut made)?;
    }
    made.push(']');
    memory.new_text(&made)
}

fn sort(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let (_, element, _, len) = array(memory, args[0])?;
    memory.work(len * 64);
    if element == Element::Ref {
        let items = memory.items(args[0])?;
        let items = sorted(memory, items)?;
        slots(memory, args[0])?.copy_from_slice(&items);
        return Ok(0);
    }
    let items = slots(memory, args[0])?;
    match element {
        Element::Long => items.sort_unstable_by_key(|bits| *bits as i64),
        Element::Double => {
            items.sort_unstable_by(|a, b| compare_doubles(f64::from_bits(*a), f64::from_bits(*b)));
        }
        Element::Float => {
            let value = |bits: u64| f64::from(f32::from_bits(bits as u32));
            items.sort_unstable_by(|a, b| compare_doubles(value(*a), value(*b)));
        }
        _ => items.sort_unstable_by_key(|bits| *bits as i32),
    }
    Ok(0)
}

fn fill(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let (_, element, _, len) = array(memory, args[0])?;
    memory.work(len * 8);
    slots(memory, args[0])?.fill(element.truncated(args[1]));
    Ok(0)
}

/// A copy of a part, filled up behind the end.
fn copy(memory: &mut Memory<'_>, slot: u64, from: i32, to: i32) -> Answer {
    let (class, element, start, len) = array(memory, slot)?;
    if from < 0 || from as usize > len {
        return Err(Reason::exception("java/lang/ArrayIndexOutOfBoundsException", None));
    }
    let kept = memory.slots_of(slot)[start + from as usize..start + len.min(to.max(from) as usize)]
        .to_vec();
    let count = (to - from) as usize;
    let first = memory.new_slots(count, element.zero())?;
    memory.heap.slots[first..first + kept.len()].copy_from_slice(&kept);
    memory.add(Object::Array { class, element, start: first, len: count })
}

fn copy_of(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    match args[1] as i32 {
        length if length < 0 => {
            Err(Reason::exception("java/lang/NegativeArraySizeException", Some(length.to_string())))
        }
        length => copy(memory, args[0], 0, length),
    }
}

fn copy_of_range(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let (from, to) = (args[1] as i32, args[2] as i32);
    if from > to {
        let message = format!("{from} > {to}");
        return Err(Reason::exception("java/lang/IllegalArgumentException", Some(message)));
    }
    copy(memory, args[0], from, to)
}

fn array_copy(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let (_, from_element, from, from_len) = array(memory, args[0])?;
    let (_, to_element, to, to_len) = array(memory, args[2])?;
    let (at, into, count) = (args[1] as i32, args[3] as i32, args[4] as i32);
    if from_element != to_element {
        return Err(Reason::exception("java/lang/ArrayStoreException", None));
    }
    let fits = |at: i32, len: usize| at >= 0 && i64::from(at) + i64::from(count) <= len as i64;
    if count < 0 || !fits(at, from_len) || !fits(into, to_len) {
        return Err(Reason::exception("java/lang/ArrayIndexOutOfBoundsException", None));
    }
    memory.object_mut(args[2])?;
    memory.work(count as usize * 8);
    let kept = memory.slots_of(args[0])[from + at as usize..from + (at + count) as usize].to_vec();
    let start = to + into as usize;
    memory.heap.slots[start..start + kept.len()].copy_from_slice(&kept);
    Ok(0)
}

fn hash(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    if args[0] == NULL {
        return Ok(0);
    }
    let mut sum = 1i32;
    for item in memory.items(args[0])? {
        let (hash, certain) = memory.hash(item)?;
        if !certain {
            return Err(Reason::Uncertain("a hash code that differs from JVM to JVM"));
        }
        sum = sum.wrapping_mul(31).wrapping_add(hash);
    }
    Ok(int(sum))
}

macro_rules! of {
    ($descriptor:literal, $value:expr) => {
        [
            throwing(
                concat!("java/util/Arrays.toString([", $descriptor, ")Ljava/lang/String;"),
                &[Ref],
                Text,
                text,
            ),
            changing(concat!("java/util/Arrays.sort([", $descriptor, ")V"), &[Ref], None, sort),
            changing(
                concat!("java/util/Arrays.fill([", $descriptor, $descriptor, ")V"),
                &[Ref, $value],
                None,
                fill,
            ),
            throwing(
                concat!("java/util/Arrays.copyOf([", $descriptor, "I)[", $descriptor),
                &[Ref, Int],
                Ref,
                copy_of,
            ),
            throwing(
                concat!("java/util/Arrays.copyOfRange([", $descriptor, "II)[", $descriptor),
                &[Ref, Int, Int],
                Ref,
                copy_of_range,
            ),
        ]
    };
}

static TYPES: &[[Method; 5]] = &[
    of!("I", Int),
    of!("J", super::LibTy::Long),
    of!("D", super::LibTy::Double),
    of!("F", super::LibTy::Float),
    of!("C", Int),
    of!("B", Int),
    of!("S", Int),
    of!("Ljava/lang/Object;", Ref),
];

pub(super) static OF_TYPES: &[Method] = TYPES.as_flattened();

pub(super) static METHODS: &[Method] = &[
    throwing("java/util/Arrays.hashCode([Ljava/lang/Object;)I", &[Ref], Int, hash),
    changing(
        "java/lang/System.arraycopy(Ljava/lang/Object;ILjava/lang/Object;II)V",
        &[Ref, Int, Ref, Int, Int],
        None,
        array_copy,
    ),
];
