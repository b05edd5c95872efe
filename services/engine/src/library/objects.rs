//! java.lang.Object, Objects, Throwable, Enum, Class, Optional.
use super::LibTy::{Bool, Int, Ref, String as Text};
use super::strings::int;
use super::{Method, changing, pure, throwing};
use crate::heap::{NULL, Object};
use crate::memory::Memory;
use crate::reason::Reason;

type Answer = Result<u64, Reason>;

const NO_VALUE: &str = "No value present";

fn no_such_element(message: Option<&str>) -> Reason {
    Reason::exception("java/util/NoSuchElementException", message.map(str::to_owned))
}

fn same(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    memory.object(args[0])?;
    Ok(u64::from(memory.equals(args[0], args[1])?))
}

fn hash(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    memory.object(args[0])?;
    match memory.hash(args[0])? {
        (hash, true) => Ok(int(hash)),
        (_, false) => Err(Reason::Uncertain("a hash code that differs from JVM to JVM")),
    }
}

fn text(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    memory.object(args[0])?;
    super::text_of(memory, args[0])
}

/// The class and message of an exception, whose message is certain.
fn exception<'a>(memory: &'a Memory<'_>, slot: u64) -> Result<(&'a str, u64), Reason> {
    match memory.object(slot)? {
        Some(Object::Exception { class, message, .. }) => {
            let told = matches!(
                &**class,
                "java/lang/NullPointerException" | "java/lang/ClassCastException"
            );
            match told && *message == NULL {
                true => Err(Reason::Uncertain("the message of an exception of the JVM's own")),
                // Its words are those of a version.
                false if class.contains("com/fasterxml/") || class.starts_with("com/google/") => {
                    Err(Reason::Uncertain("the message of an exception of a reader of JSON"))
                }
                false => Ok((class, *message)),
            }
        }
        _ => Err(Reason::Uncertain("the message of an exception of the user's")),
    }
}

fn message(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    Ok(exception(memory, args[0])?.1)
}

fn require(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    if args[0] != NULL {
        return Ok(args[0]);
    }
    let message = match args.get(1) {
        Some(&message) if message != NULL => Some(memory.text(message).to_owned()),
        _ => None,
    };
    Err(Reason::exception("java/lang/NullPointerException", message))
}

/// The value of an `Optional`.
fn optional(memory: &Memory<'_>, slot: u64) -> Result<u64, Reason> {
    match memory.object(slot)? {
        Some(Object::Optional(value)) => Ok(*value),
        _ => Err(Reason::exception("java/lang/ClassCastException", None)),
    }
}

fn optional_get(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    match optional(memory, args[0])? {
        NULL => Err(no_such_element(Some(NO_VALUE))),
        value => Ok(value),
    }
}

fn enum_parts(memory: &Memory<'_>, slot: u64) -> Result<(u64, i32), Reason> {
    match memory.object(slot)? {
        Some(Object::Enum { name, ordinal, .. }) => Ok((*name, *ordinal)),
        _ => Err(Reason::exception("java/lang/ClassCastException", None)),
    }
}

fn class_name(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    match memory.object(args[0])? {
        Some(Object::Opaque(_)) => Err(Reason::Constant),
        _ => Err(Reason::Uncertain("the name of a class")),
    }
}

pub(super) static METHODS: &[Method] = &[
    throwing("java/lang/Object.equals(Ljava/lang/Object;)Z", &[Ref, Ref], Bool, same),
    throwing("java/lang/Object.hashCode()I", &[Ref], Int, hash),
    throwing("java/lang/Object.toString()Ljava/lang/String;", &[Ref], Text, text),
    pure("java/lang/Object.<init>()V", &[], Ref, |memory, _| {
        memory.add(Object::Opaque("java/lang/Object".into()))
    }),
    throwing("java/lang/Class.getName()Ljava/lang/String;", &[Ref], Text, class_name),
    pure(
        "java/util/Objects.equals(Ljava/lang/Object;Ljava/lang/Object;)Z",
        &[Ref, Ref],
        Bool,
        |memory, args| {
            let equal = args[0] == args[1] || args[0] != NULL && memory.equals(args[0], args[1])?;
            Ok(u64::from(equal))
        },
    ),
    pure("java/util/Objects.isNull(Ljava/lang/Object;)Z", &[Ref], Bool, |_, args| {
        Ok(u64::from(args[0] == NULL))
    }),
    pure("java/util/Objects.nonNull(Ljava/lang/Object;)Z", &[Ref], Bool, |_, args| {
        Ok(u64::from(args[0] != NULL))
    }),
    pure("java/util/Objects.hashCode(Ljava/lang/Object;)I", &[Ref], Int, |memory, args| match args
        [0]
    {
        NULL => Ok(0),
        _ => hash(memory, args),
    }),
    pure("java/util/Objects.hash([Ljava/lang/Object;)I", &[Ref], Int, |memory, args| {
        let mut sum = 1i32;
        for item in memory.items(args[0])? {
            let one = if item == NULL { 0 } else { hash(memory, &[item])? as i32 };
            sum = sum.wrapping_mul(31).wrapping_add(one);
        }
        Ok(int(sum))
    }),
    pure(
        "java/util/Objects.toString(Ljava/lang/Object;)Ljava/lang/String;",
        &[Ref],
        Text,
        |memory, args| super::text_of(memory, args[0]),
    ),
    pure(
        "java/util/Objects.toString(Ljava/lang/Object;Ljava/lang/String;)Ljava/lang/String;",
        &[Ref, Ref],
        Ref,
        |memory, args| match args[0] {
            NULL => Ok(args[1]),
            value => super::text_of(memory, value),
        },
    ),
    throwing(
        "java/util/Objects.requireNonNull(Ljava/lang/Object;)Ljava/lang/Object;",
        &[Ref],
        Ref,
        require,
    ),
    throwing(
        "java/util/Objects.requireNonNull(Ljava/lang/Object;Ljava/lang/String;)Ljava/lang/Object;",
        &[Ref, Ref],
        Ref,
        require,
    ),
    throwing(
        "java/util/Objects.requireNonNullElse(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;",
        &[Ref, Ref],
        Ref,
        |memory, args| if args[0] != NULL { Ok(args[0]) } else { require(memory, &args[1..]) },
    ),
    throwing("java/lang/Throwable.getMessage()Ljava/lang/String;", &[Ref], Ref, message),
    throwing("java/lang/Throwable.getLocalizedMessage()Ljava/lang/String;", &[Ref], Ref, message),
    throwing("java/lang/Throwable.getCause()Ljava/lang/Throwable;", &[Ref], Ref, |memory, args| {
        match memory.object(args[0])? {
            Some(Object::Exception { cause, .. }) => Ok(*cause),
            _ => Err(Reason::Uncertain("the cause of an exception of the user's")),
        }
    }),
    changing(
        "java/lang/Throwable.initCause(Ljava/lang/Throwable;)Ljava/lang/Throwable;",
        &[Ref, Ref],
        Some(Ref),
        |memory, args| match memory.object_mut(args[0])? {
            Some(Object::Exception { cause, .. }) if *cause == NULL => {
                *cause = args[1];
                Ok(args[0])
            }
            _ => Err(Reason::exception("java/lang/IllegalStateException", None)),
        },
    ),
    throwing("java/lang/Throwable.toString()Ljava/lang/String;", &[Ref], Text, |memory, args| {
        exception(memory, args[0])?;
        text(memory, args)
    }),
    // What is written to the error stream is no event.
    changing("java/lang/Throwable.printStackTrace()V", &[Ref], None, |memory, args| {
        memory.object(args[0]).map(|_| 0)
    }),
    throwing("java/lang/Enum.name()Ljava/lang/String;", &[Ref], Text, |memory, args| {
        Ok(enum_parts(memory, args[0])?.0)
    }),
    throwing("java/lang/Enum.toString()Ljava/lang/String;", &[Ref], Text, |memory, args| {
        Ok(enum_parts(memory, args[0])?.0)
    }),
    throwing("java/lang/Enum.ordinal()I", &[Ref], Int, |memory, args| {
        Ok(int(enum_parts(memory, args[0])?.1))
    }),
    throwing("java/lang/Enum.compareTo(Ljava/lang/Enum;)I", &[Ref, Ref], Int, |memory, args| {
        let (a, b) = (enum_parts(memory, args[0])?.1, enum_parts(memory, args[1])?.1);
        Ok(int(a - b))
    }),
    throwing("java/lang/Enum.equals(Ljava/lang/Object;)Z", &[Ref, Ref], Bool, same),
    pure("java/util/Optional.empty()Ljava/util/Optional;", &[], Ref, |memory, _| {
        memory.add(Object::Optional(NULL))
    }),
    throwing(
        "java/util/Optional.of(Ljava/lang/Object;)Ljava/util/Optional;",
        &[Ref],
        Ref,
        |memory, args| match args[0] {
            NULL => Err(Reason::Null),
            value => memory.add(Object::Optional(value)),
        },
    ),
    pure(
        "java/util/Optional.ofNullable(Ljava/lang/Object;)Ljava/util/Optional;",
        &[Ref],
        Ref,
        |memory, args| memory.add(Object::Optional(args[0])),
    ),
    throwing("java/util/Optional.get()Ljava/lang/Object;", &[Ref], Ref, optional_get),
    throwing("java/util/Optional.orElseThrow()Ljava/lang/Object;", &[Ref], Ref, optional_get),
    throwing("java/util/Optional.isPresent()Z", &[Ref], Bool, |memory, args| {
        Ok(u64::from(optional(memory, args[0])? != NULL))
    }),
    throwing("java/util/Optional.isEmpty()Z", &[Ref], Bool, |memory, args| {
        Ok(u64::from(optional(memory, args[0])? == NULL))
    }),
    throwing(
        "java/util/Optional.orElse(Ljava/lang/Object;)Ljava/lang/Object;",
        &[Ref, Ref],
        Ref,
        |memory, args| {
            Ok(match optional(memory, args[0])? {
                NULL => args[1],
                value => value,
            })
        },
    ),
];
