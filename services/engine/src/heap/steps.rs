//! What instructions on references do, as functions from slots to a slot.
use super::{Element, NULL, Object, Reference};
use crate::memory::Memory;
use crate::reason::{Exception, Reason};
use std::borrow::Cow;

type Answer = Result<u64, Reason>;

const CLASS_CAST: &str = "java/lang/ClassCastException";
const ARRAY_INDEX: &str = "java/lang/ArrayIndexOutOfBoundsException";

fn class_cast() -> Reason {
    Reason::exception(CLASS_CAST, None)
}

impl Memory<'_> {
    fn class_name(&self, class: u64) -> &str {
        self.classes.name(class as u32)
    }
}

/// A value for a reference that is null where the flag says so.
pub(crate) fn nullable_to_ref(_: &mut Memory<'_>, args: &[u64]) -> Answer {
    Ok(if args[0] != 0 { NULL } else { args[1] })
}

pub(crate) fn box_int(_: &mut Memory<'_>, args: &[u64]) -> Answer {
    Ok(super::int(args[0] as i32))
}

pub(crate) fn box_bool(_: &mut Memory<'_>, args: &[u64]) -> Answer {
    Ok(super::boolean(args[0] != 0))
}

pub(crate) fn box_float(_: &mut Memory<'_>, args: &[u64]) -> Answer {
    Ok(super::float(args[0] as u32))
}

pub(crate) fn box_long(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    memory.add(Object::Long(args[0] as i64))
}

pub(crate) fn box_double(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    memory.add(Object::Double(args[0]))
}

pub(crate) fn as_string(_: &mut Memory<'_>, args: &[u64]) -> Answer {
    match Reference::of(args[0]) {
        Reference::Text => Ok(args[0]),
        Reference::Null => Err(Reason::Null),
        _ => Err(class_cast()),
    }
}

/// The text of a reference that may be null, whatever then.
pub(crate) fn nullable_string(_: &mut Memory<'_>, args: &[u64]) -> Answer {
    match Reference::of(args[0]) {
        Reference::Text => Ok(args[0]),
        Reference::Null => Ok(0),
        _ => Err(class_cast()),
    }
}

pub(crate) fn unbox_int(_: &mut Memory<'_>, args: &[u64]) -> Answer {
    match Reference::of(args[0]) {
        Reference::Int(value) => Ok(u64::from(value as u32)),
        Reference::Null => Err(Reason::Null),
        _ => Err(class_cast()),
    }
}

pub(crate) fn unbox_bool(_: &mut Memory<'_>, args: &[u64]) -> Answer {
    match Reference::of(args[0]) {
        Reference::Bool(value) => Ok(u64::from(value)),
        Reference::Null => Err(Reason::Null),
        _ => Err(class_cast()),
    }
}

pub(crate) fn unbox_float(_: &mut Memory<'_>, args: &[u64]) -> Answer {
    match Reference::of(args[0]) {
        Reference::Float(bits) => Ok(u64::from(bits)),
        Reference::Null => Err(Reason::Null),
        _ => Err(class_cast()),
    }
}

pub(crate) fn unbox_long(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    match memory.object(args[0])? {
        Some(Object::Long(value)) => Ok(*value as u64),
        _ => Err(class_cast()),
    }
}

pub(crate) fn unbox_double(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    match memory.object(args[0])? {
        Some(Object::Double(bits)) => Ok(*bits),
        _ => Err(class_cast()),
    }
}

/// Whether a reference is of a class.
pub(crate) fn is(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    Ok(u64::from(memory.is(args[0], memory.class_name(args[1]))))
}

pub(crate) fn cast(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    match args[0] == NULL || memory.is(args[0], memory.class_name(args[1])) {
        true => Ok(args[0]),
        false => Err(class_cast()),
    }
}

pub(crate) fn object(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let class = args[0] as u32;
    let classes = memory.classes;
    let fields = classes.fields(class).unwrap_or_default();
    let start = memory.new_slots(fields.len(), 0)?;
    for (slot, field) in memory.heap.slots[start..].iter_mut().zip(fields) {
        if field.ty == crate::ty::Ty::Ref {
            *slot = NULL;
        }
    }
    memory.add(Object::User { class, start })
}

/// Where the fields of an object of a class begin.
fn fields(memory: &Memory<'_>, slot: u64, class: u64) -> Result<usize, Reason> {
    match memory.object(slot)? {
        Some(Object::User { class: own, start } | Object::Enum { class: own, start, .. })
            if *own == class as u32 || memory.classes.is_below(*own, class as u32) =>
        {
            Ok(*start)
        }
        Some(Object::Opaque(_)) => Err(Reason::Constant),
        _ => Err(class_cast()),
    }
}

/// The field at a place of an object of a class.
pub(crate) fn load(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let start = fields(memory, args[0], args[1])?;
    memory.slots_of(args[0]).get(start + args[2] as usize).copied().ok_or(Reason::Constant)
}

pub(crate) fn store(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let start = fields(memory, args[0], args[1])?;
    memory.object_mut(args[0])?;
    memory.heap.slots[start + args[2] as usize] = args[3];
    Ok(0)
}

/// The number of a kind of element, as steps take it.
pub(crate) fn code_of(element: Element) -> u64 {
    element as u64
}

fn element_of(code: u64) -> Element {
    const ALL: [Element; 9] = [
        Element::Bool,
        Element::Byte,
        Element::Short,
        Element::Char,
        Element::Int,
        Element::Long,
        Element::Float,
        Element::Double,
        Element::Ref,
    ];
    ALL[code as usize]
}

pub(crate) fn new_array(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let (class, element, length) = (args[0] as u32, element_of(args[1]), args[2] as i32);
    let Ok(len) = usize::try_from(length) else {
        return Err(Reason::exception(
            "java/lang/NegativeArraySizeException",
            Some(length.to_string()),
        ));
    };
    let start = memory.new_slots(len, element.zero())?;
    memory.add(Object::Array { class, element, start, len })
}

pub(crate) fn array_length(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    match memory.object(args[0])? {
        Some(Object::Array { len, .. }) => Ok(*len as u64),
        Some(Object::Opaque(_)) => Err(Reason::Constant),
        _ => Err(class_cast()),
    }
}

/// The place of an element among the slots.
fn place(memory: &Memory<'_>, array: u64, wanted: Element, index: u64) -> Result<usize, Reason> {
    match memory.object(array)? {
        Some(Object::Array { element, start, len, .. }) if *element == wanted => {
            match (index as u32 as usize) < *len {
                true => Ok(start + index as u32 as usize),
                false => {
                    let message = format!("Index {} out of bounds for length {len}", index as i32);
                    Err(Reason::exception(ARRAY_INDEX, Some(message)))
                }
            }
        }
        Some(Object::Opaque(_)) => Err(Reason::Constant),
        _ => Err(class_cast()),
    }
}

/// Of an array of a kind of element, the one at an index.
pub(crate) fn array_get(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let place = place(memory, args[1], element_of(args[0]), args[2])?;
    Ok(memory.slots_of(args[1])[place])
}

pub(crate) fn array_set(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let element = element_of(args[0]);
    let place = place(memory, args[1], element, args[2])?;
    memory.object_mut(args[1])?;
    memory.heap.slots[place] = element.truncated(args[3]);
    Ok(0)
}

/// Throws what reading a null throws.
pub(crate) fn throw_null(_: &mut Memory<'_>, _: &[u64]) -> Answer {
    Err(Reason::Null)
}

/// The exception that was caught last, as an object.
pub(crate) fn caught(memory: &mut Memory<'_>, _: &[u64]) -> Answer {
    let Some(reason) = memory.caught.take() else {
        return Err(Reason::Null);
    };
    let (class, message) = reason.as_exception();
    let message = match message {
        Some(message) => memory.new_text(&message)?,
        None => NULL,
    };
    memory.add(Object::Exception { class, message, cause: NULL })
}

/// A new exception of a class with a message.
pub(crate) fn exception(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let class = Cow::Owned(memory.class_name(args[0]).to_owned());
    memory.add(Object::Exception { class, message: args[1], cause: NULL })
}

/// Throws an exception object.
pub(crate) fn throw_ref(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let class = memory.class_of(args[0]).ok_or(Reason::Null)?.to_owned();
    let message = match memory.object(args[0])? {
        Some(Object::Exception { message, .. }) if *message != NULL => {
            let mut text = String::new();
            memory.render(*message, &mut text)?;
            Some(text)
        }
        _ => None,
    };
    Err(Reason::Exception(Box::new(Exception { class: Cow::Owned(class), message })))
}

/// `String.valueOf` of a reference.
pub(crate) fn text_of(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    crate::library::text_of(memory, args[0])
}

/// A text, or the word for null where the flag says so; the third is that word.
pub(crate) fn nullable_text(_: &mut Memory<'_>, args: &[u64]) -> Answer {
    Ok(if args[0] != 0 { args[2] } else { args[1] })
}

pub(crate) fn text_of_long(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    number_text(memory, args[0] as i64)
}

pub(crate) fn text_of_int(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    number_text(memory, i64::from(args[0] as i32))
}

fn number_text(memory: &mut Memory<'_>, value: i64) -> Answer {
    let mut digits = [0; 20];
    let mut at = digits.len();
    let mut rest = value.unsigned_abs();
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if value < 0 {
        at -= 1;
        digits[at] = b'-';
    }
    memory.new_text(std::str::from_utf8(&digits[at..]).unwrap_or_default())
}

pub(crate) fn text_of_double(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    memory.new_text(&sluice_java::floating::double_to_string(f64::from_bits(args[0])))
}

pub(crate) fn text_of_float(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    memory.new_text(&sluice_java::floating::float_to_string(f32::from_bits(args[0] as u32)))
}

pub(crate) fn text_of_bool(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    memory.new_text(if args[0] != 0 { "true" } else { "false" })
}

pub(crate) fn text_of_char(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    crate::library::char_text(memory, args[0])
}
