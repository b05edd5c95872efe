//! String.format.
use super::LibTy::{Ref, String as Text};
use super::{Method, throwing};
use crate::heap::{Object, Reference};
use crate::memory::Memory;
use crate::reason::Reason;
use sluice_java::format::{self, Argument};

type Answer = Result<u64, Reason>;

pub(super) static METHODS: &[Method] = &[
    throwing(
        "java/lang/String.format(Ljava/lang/String;[Ljava/lang/Object;)Ljava/lang/String;",
        &[Text, Ref],
        Text,
        |memory, args| print(memory, args[0], args[1]),
    ),
    throwing(
        "java/lang/String.format(Ljava/util/Locale;Ljava/lang/String;[Ljava/lang/Object;)Ljava/lang/String;",
        &[Ref, Text, Ref],
        Text,
        |memory, args| {
            super::locale::plain(memory, args[0])?;
            print(memory, args[1], args[2])
        },
    ),
    throwing(
        "java/lang/String.formatted([Ljava/lang/Object;)Ljava/lang/String;",
        &[Text, Ref],
        Text,
        |memory, args| print(memory, args[0], args[1]),
    ),
];

fn print(memory: &mut Memory<'_>, format: u64, arguments: u64) -> Answer {
    memory.work(64 + memory.bytes(format).len());
    let mut read = Vec::new();
    for slot in memory.items(arguments)? {
        read.push(argument(memory, slot)?);
    }
    let made = format::format(memory.text(format), &read, memory.budget.bytes)?;
    memory.new_text(&made)
}

fn argument(memory: &Memory<'_>, slot: u64) -> Result<Argument, Reason> {
    Ok(match Reference::of(slot) {
        Reference::Null => Argument::Null,
        Reference::Text => Argument::Text(memory.text(slot).to_owned()),
        Reference::Int(value) => Argument::Int(value),
        Reference::Short(value) => Argument::Short(value),
        Reference::Byte(value) => Argument::Byte(value),
        Reference::Char(unit) => Argument::Char(unit),
        Reference::Bool(value) => Argument::Bool(value),
        Reference::Float(bits) => Argument::Float(f32::from_bits(bits)),
        Reference::Heap(_) | Reference::Frozen(_) => match memory.object(slot)? {
            Some(Object::Long(value)) => Argument::Long(*value),
            Some(Object::Double(bits)) => Argument::Double(f64::from_bits(*bits)),
            _ => {
                let mut text = String::new();
                memory.render(slot, &mut text)?;
                let class = match memory.object(slot)? {
                    Some(Object::Thing(thing)) => thing.class().replace('/', "."),
                    // Only the message of an exception names it.
                    _ => "java.lang.Object".to_owned(),
                };
                Argument::Other(class, Some(text))
            }
        },
    })
}
