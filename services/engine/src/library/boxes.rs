//! The boxes of primitives: parsing, printing, comparing.
use super::LibTy::{Bool, Double, Float, Int, Long, Ref, String as Text};
use super::strings::int;
use super::{Method, pure, throwing};
use crate::builtin::maths;
use crate::heap::{self, NULL, Object, Reference, compare_doubles, compare_floats, steps};
use crate::memory::Memory;
use crate::reason::Reason;
use sluice_java::failure::NUMBER_FORMAT;
use sluice_java::{floating, hash, integer};
use std::cmp::Ordering;

type Answer = Result<u64, Reason>;

fn long(slot: u64) -> i64 {
    slot as i64
}

fn double(slot: u64) -> f64 {
    f64::from_bits(slot)
}

fn float(slot: u64) -> f32 {
    f32::from_bits(slot as u32)
}

fn of_order(order: Ordering) -> Answer {
    Ok(int(order as i32))
}

/// The text to be parsed as a whole number; null is no number.
fn digits<'a>(memory: &'a Memory<'_>, slot: u64) -> Result<&'a str, Reason> {
    match slot {
        NULL => Err(Reason::exception(NUMBER_FORMAT, Some("Cannot parse null string".to_owned()))),
        slot => Ok(memory.text(slot)),
    }
}

fn parse_int(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    Ok(int(integer::parse_int(digits(memory, args[0])?, 10)?))
}

fn parse_long(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    Ok(integer::parse_long(digits(memory, args[0])?, 10)? as u64)
}

fn parse_double(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    match args[0] {
        NULL => Err(Reason::Null),
        slot => Ok(floating::parse_double(memory.text(slot))?.to_bits()),
    }
}

fn parse_float(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    match args[0] {
        NULL => Err(Reason::Null),
        slot => Ok(u64::from(floating::parse_float(memory.text(slot))?.to_bits())),
    }
}

fn parse_bool(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    Ok(u64::from(args[0] != NULL && integer::parse_boolean(memory.text(args[0]))))
}

/// A number of any of Java's boxes, as a long and as a double; null is an exception.
fn number(memory: &Memory<'_>, slot: u64) -> Result<(i64, f64), Reason> {
    let whole = |value: i64| Ok((value, value as f64));
    match Reference::of(slot) {
        Reference::Int(value) => whole(i64::from(value)),
        Reference::Short(value) => whole(i64::from(value)),
        Reference::Byte(value) => whole(i64::from(value)),
        Reference::Float(bits) => {
            Ok((f32::from_bits(bits) as i64, f64::from(f32::from_bits(bits))))
        }
        _ => match memory.object(slot)? {
            Some(Object::Long(value)) => whole(*value),
            Some(Object::Double(bits)) => Ok((double(*bits) as i64, double(*bits))),
            _ => Err(Reason::exception("java/lang/ClassCastException", None)),
        },
    }
}

/// Whether a box holds a floating point number, whose cast to int saturates.
fn int_value(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let (whole, floating) = number(memory, args[0])?;
    let is_floating = matches!(Reference::of(args[0]), Reference::Float(_))
        || matches!(memory.object(args[0])?, Some(Object::Double(_)));
    Ok(int(if is_floating { floating as i32 } else { whole as i32 }))
}

fn long_value(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    Ok(number(memory, args[0])?.0 as u64)
}

fn double_value(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    Ok(number(memory, args[0])?.1.to_bits())
}

fn float_value(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let (whole, floating) = number(memory, args[0])?;
    let is_long = matches!(memory.object(args[0])?, Some(Object::Long(_)));
    let value = if is_long { whole as f32 } else { floating as f32 };
    Ok(u64::from(value.to_bits()))
}

fn text_in(memory: &mut Memory<'_>, value: i64, radix: i32) -> Answer {
    memory.new_text(&integer::to_string(value, radix))
}

fn unsigned_text(memory: &mut Memory<'_>, value: u64, radix: i32) -> Answer {
    memory.new_text(&integer::to_unsigned_string(value, radix))
}

/// What `Integer`, `Long`, .. have of `Object` and `Comparable`.
macro_rules! object {
    ($class:literal) => {
        [
            throwing(
                concat!("java/lang/", $class, ".toString()Ljava/lang/String;"),
                &[Ref],
                Text,
                |memory, args| {
                    memory.object(args[0])?;
                    super::text_of(memory, args[0])
                },
            ),
            throwing(concat!("java/lang/", $class, ".hashCode()I"), &[Ref], Int, |memory, args| {
                memory.object(args[0])?;
                Ok(int(memory.hash(args[0])?.0))
            }),
            throwing(
                concat!("java/lang/", $class, ".equals(Ljava/lang/Object;)Z"),
                &[Ref, Ref],
                Bool,
                |memory, args| {
                    memory.object(args[0])?;
                    Ok(u64::from(memory.equals(args[0], args[1])?))
                },
            ),
            throwing(
                concat!("java/lang/", $class, ".compareTo(Ljava/lang/", $class, ";)I"),
                &[Ref, Ref],
                Int,
                |memory, args| compared(memory, args),
            ),
        ]
    };
}

/// `compareTo` of two boxes: small ones by their difference, as Java has it.
fn compared(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    match (Reference::of(args[0]), Reference::of(args[1])) {
        (Reference::Short(a), Reference::Short(b)) => Ok(int(i32::from(a) - i32::from(b))),
        (Reference::Byte(a), Reference::Byte(b)) => Ok(int(i32::from(a) - i32::from(b))),
        (Reference::Char(a), Reference::Char(b)) => Ok(int(i32::from(a) - i32::from(b))),
        _ => of_order(memory.compare(args[0], args[1])?),
    }
}

static OBJECTS: &[[Method; 4]] = &[
    object!("Integer"),
    object!("Long"),
    object!("Double"),
    object!("Float"),
    object!("Boolean"),
    object!("Short"),
    object!("Byte"),
    object!("Character"),
];

pub(super) static OF_OBJECT: &[Method] = OBJECTS.as_flattened();

pub(super) static METHODS: &[Method] = &[
    throwing("java/lang/Integer.parseInt(Ljava/lang/String;)I", &[Ref], Int, parse_int),
    throwing(
        "java/lang/Integer.parseInt(Ljava/lang/String;I)I",
        &[Ref, Int],
        Int,
        |memory, args| Ok(int(integer::parse_int(digits(memory, args[0])?, args[1] as i32)?)),
    ),
    throwing(
        "java/lang/Integer.valueOf(Ljava/lang/String;)Ljava/lang/Integer;",
        &[Ref],
        Ref,
        |memory, args| Ok(heap::int(parse_int(memory, args)? as i32)),
    ),
    throwing(
        "java/lang/Integer.valueOf(Ljava/lang/String;I)Ljava/lang/Integer;",
        &[Ref, Int],
        Ref,
        |memory, args| Ok(heap::int(integer::parse_int(digits(memory, args[0])?, args[1] as i32)?)),
    ),
    throwing(
        "java/lang/Integer.decode(Ljava/lang/String;)Ljava/lang/Integer;",
        &[Text],
        Ref,
        |memory, args| {
            let value =
                integer::decode(memory.text(args[0]), i64::from(i32::MIN), i64::from(i32::MAX))?;
            Ok(heap::int(value as i32))
        },
    ),
    throwing(
        "java/lang/Integer.parseUnsignedInt(Ljava/lang/String;)I",
        &[Text],
        Int,
        |memory, args| Ok(int(integer::parse_unsigned_int(memory.text(args[0]), 10)?)),
    ),
    pure("java/lang/Integer.valueOf(I)Ljava/lang/Integer;", &[Int], Ref, steps::box_int),
    pure("java/lang/Integer.toString(I)Ljava/lang/String;", &[Int], Text, steps::text_of_int),
    pure("java/lang/Integer.toString(II)Ljava/lang/String;", &[Int, Int], Text, |memory, args| {
        text_in(memory, i64::from(args[0] as i32), args[1] as i32)
    }),
    pure("java/lang/Integer.toHexString(I)Ljava/lang/String;", &[Int], Text, |memory, args| {
        unsigned_text(memory, u64::from(args[0] as u32), 16)
    }),
    pure("java/lang/Integer.toBinaryString(I)Ljava/lang/String;", &[Int], Text, |memory, args| {
        unsigned_text(memory, u64::from(args[0] as u32), 2)
    }),
    pure("java/lang/Integer.toOctalString(I)Ljava/lang/String;", &[Int], Text, |memory, args| {
        unsigned_text(memory, u64::from(args[0] as u32), 8)
    }),
    pure("java/lang/Integer.compare(II)I", &[Int, Int], Int, |_, args| {
        of_order((args[0] as i32).cmp(&(args[1] as i32)))
    }),
    pure("java/lang/Integer.signum(I)I", &[Int], Int, |_, args| Ok(int((args[0] as i32).signum()))),
    pure("java/lang/Integer.sum(II)I", &[Int, Int], Int, |_, args| {
        Ok(int((args[0] as i32).wrapping_add(args[1] as i32)))
    }),
    pure("java/lang/Integer.max(II)I", &[Int, Int], Int, |_, args| {
        Ok(int((args[0] as i32).max(args[1] as i32)))
    }),
    pure("java/lang/Integer.min(II)I", &[Int, Int], Int, |_, args| {
        Ok(int((args[0] as i32).min(args[1] as i32)))
    }),
    pure("java/lang/Integer.hashCode(I)I", &[Int], Int, |_, args| Ok(args[0])),
    pure("java/lang/Integer.bitCount(I)I", &[Int], Int, |_, args| {
        Ok(u64::from((args[0] as u32).count_ones()))
    }),
    pure("java/lang/Integer.reverse(I)I", &[Int], Int, |_, args| {
        Ok(u64::from((args[0] as u32).reverse_bits()))
    }),
    pure("java/lang/Integer.numberOfLeadingZeros(I)I", &[Int], Int, |_, args| {
        Ok(u64::from((args[0] as u32).leading_zeros()))
    }),
    pure("java/lang/Integer.numberOfTrailingZeros(I)I", &[Int], Int, |_, args| {
        Ok(u64::from((args[0] as u32).trailing_zeros()))
    }),
    pure("java/lang/Integer.rotateLeft(II)I", &[Int, Int], Int, |_, args| {
        Ok(u64::from((args[0] as u32).rotate_left(args[1] as u32 & 31)))
    }),
    pure("java/lang/Integer.rotateRight(II)I", &[Int, Int], Int, |_, args| {
        Ok(u64::from((args[0] as u32).rotate_right(args[1] as u32 & 31)))
    }),
    throwing("java/lang/Long.parseLong(Ljava/lang/String;)J", &[Ref], Long, parse_long),
    throwing(
        "java/lang/Long.parseLong(Ljava/lang/String;I)J",
        &[Ref, Int],
        Long,
        |memory, args| Ok(integer::parse_long(digits(memory, args[0])?, args[1] as i32)? as u64),
    ),
    throwing(
        "java/lang/Long.valueOf(Ljava/lang/String;)Ljava/lang/Long;",
        &[Ref],
        Ref,
        |memory, args| {
            let value = parse_long(memory, args)?;
            steps::box_long(memory, &[value])
        },
    ),
    pure("java/lang/Long.valueOf(J)Ljava/lang/Long;", &[Long], Ref, steps::box_long),
    pure("java/lang/Long.toString(J)Ljava/lang/String;", &[Long], Text, steps::text_of_long),
    pure("java/lang/Long.toString(JI)Ljava/lang/String;", &[Long, Int], Text, |memory, args| {
        text_in(memory, long(args[0]), args[1] as i32)
    }),
    pure("java/lang/Long.toHexString(J)Ljava/lang/String;", &[Long], Text, |memory, args| {
        unsigned_text(memory, args[0], 16)
    }),
    pure("java/lang/Long.toBinaryString(J)Ljava/lang/String;", &[Long], Text, |memory, args| {
        unsigned_text(memory, args[0], 2)
    }),
    pure("java/lang/Long.compare(JJ)I", &[Long, Long], Int, |_, args| {
        of_order(long(args[0]).cmp(&long(args[1])))
    }),
    pure("java/lang/Long.signum(J)I", &[Long], Int, |_, args| {
        Ok(int(long(args[0]).signum() as i32))
    }),
    pure("java/lang/Long.sum(JJ)J", &[Long, Long], Long, |_, args| {
        Ok(args[0].wrapping_add(args[1]))
    }),
    pure("java/lang/Long.max(JJ)J", &[Long, Long], Long, |_, args| {
        Ok(long(args[0]).max(long(args[1])) as u64)
    }),
    pure("java/lang/Long.min(JJ)J", &[Long, Long], Long, |_, args| {
        Ok(long(args[0]).min(long(args[1])) as u64)
    }),
    pure("java/lang/Long.hashCode(J)I", &[Long], Int, |_, args| Ok(int(hash::long(long(args[0]))))),
    pure("java/lang/Long.bitCount(J)I", &[Long], Int, |_, args| {
        Ok(u64::from(args[0].count_ones()))
    }),
    throwing("java/lang/Double.parseDouble(Ljava/lang/String;)D", &[Ref], Double, parse_double),
    throwing(
        "java/lang/Double.valueOf(Ljava/lang/String;)Ljava/lang/Double;",
        &[Ref],
        Ref,
        |memory, args| {
            let bits = parse_double(memory, args)?;
            steps::box_double(memory, &[bits])
        },
    ),
    pure("java/lang/Double.valueOf(D)Ljava/lang/Double;", &[Double], Ref, steps::box_double),
    pure("java/lang/Double.toString(D)Ljava/lang/String;", &[Double], Text, steps::text_of_double),
    pure("java/lang/Double.compare(DD)I", &[Double, Double], Int, |_, args| {
        of_order(compare_doubles(double(args[0]), double(args[1])))
    }),
    pure("java/lang/Double.isNaN(D)Z", &[Double], Bool, |_, args| {
        Ok(u64::from(double(args[0]).is_nan()))
    }),
    pure("java/lang/Double.isInfinite(D)Z", &[Double], Bool, |_, args| {
        Ok(u64::from(double(args[0]).is_infinite()))
    }),
    pure("java/lang/Double.isFinite(D)Z", &[Double], Bool, |_, args| {
        Ok(u64::from(double(args[0]).is_finite()))
    }),
    throwing("java/lang/Double.isNaN()Z", &[Ref], Bool, |memory, args| {
        Ok(u64::from(number(memory, args[0])?.1.is_nan()))
    }),
    throwing("java/lang/Double.isInfinite()Z", &[Ref], Bool, |memory, args| {
        Ok(u64::from(number(memory, args[0])?.1.is_infinite()))
    }),
    pure("java/lang/Double.hashCode(D)I", &[Double], Int, |_, args| {
        Ok(int(hash::double(double(args[0]))))
    }),
    pure("java/lang/Double.doubleToLongBits(D)J", &[Double], Long, |_, args| {
        Ok(hash::double_bits(double(args[0])))
    }),
    pure("java/lang/Double.longBitsToDouble(J)D", &[Long], Double, |_, args| Ok(args[0])),
    pure("java/lang/Double.max(DD)D", &[Double, Double], Double, maths::max_double),
    pure("java/lang/Double.min(DD)D", &[Double, Double], Double, maths::min_double),
    pure("java/lang/Double.sum(DD)D", &[Double, Double], Double, |_, args| {
        Ok((double(args[0]) + double(args[1])).to_bits())
    }),
    throwing("java/lang/Float.parseFloat(Ljava/lang/String;)F", &[Ref], Float, parse_float),
    throwing(
        "java/lang/Float.valueOf(Ljava/lang/String;)Ljava/lang/Float;",
        &[Ref],
        Ref,
        |memory, args| Ok(heap::float(parse_float(memory, args)? as u32)),
    ),
    pure("java/lang/Float.valueOf(F)Ljava/lang/Float;", &[Float], Ref, steps::box_float),
    pure("java/lang/Float.toString(F)Ljava/lang/String;", &[Float], Text, steps::text_of_float),
    pure("java/lang/Float.compare(FF)I", &[Float, Float], Int, |_, args| {
        of_order(compare_floats(float(args[0]), float(args[1])))
    }),
    pure("java/lang/Float.isNaN(F)Z", &[Float], Bool, |_, args| {
        Ok(u64::from(float(args[0]).is_nan()))
    }),
    pure("java/lang/Float.isInfinite(F)Z", &[Float], Bool, |_, args| {
        Ok(u64::from(float(args[0]).is_infinite()))
    }),
    pure("java/lang/Float.floatToIntBits(F)I", &[Float], Int, |_, args| {
        Ok(u64::from(hash::float_bits(float(args[0]))))
    }),
    pure("java/lang/Float.intBitsToFloat(I)F", &[Int], Float, |_, args| Ok(args[0])),
    pure("java/lang/Float.hashCode(F)I", &[Float], Int, |_, args| {
        Ok(int(hash::float(float(args[0]))))
    }),
    pure("java/lang/Boolean.parseBoolean(Ljava/lang/String;)Z", &[Ref], Bool, parse_bool),
    pure(
        "java/lang/Boolean.valueOf(Ljava/lang/String;)Ljava/lang/Boolean;",
        &[Ref],
        Ref,
        |memory, args| Ok(heap::boolean(parse_bool(memory, args)? != 0)),
    ),
    pure("java/lang/Boolean.valueOf(Z)Ljava/lang/Boolean;", &[Bool], Ref, steps::box_bool),
    pure("java/lang/Boolean.toString(Z)Ljava/lang/String;", &[Bool], Text, steps::text_of_bool),
    pure("java/lang/Boolean.compare(ZZ)I", &[Bool, Bool], Int, |_, args| {
        of_order(args[0].cmp(&args[1]))
    }),
    pure("java/lang/Boolean.hashCode(Z)I", &[Bool], Int, |_, args| {
        Ok(int(hash::boolean(args[0] != 0)))
    }),
    pure("java/lang/Boolean.logicalAnd(ZZ)Z", &[Bool, Bool], Bool, |_, args| Ok(args[0] & args[1])),
    pure("java/lang/Boolean.logicalOr(ZZ)Z", &[Bool, Bool], Bool, |_, args| Ok(args[0] | args[1])),
    pure("java/lang/Boolean.logicalXor(ZZ)Z", &[Bool, Bool], Bool, |_, args| Ok(args[0] ^ args[1])),
    throwing("java/lang/Boolean.booleanValue()Z", &[Ref], Bool, steps::unbox_bool),
    throwing("java/lang/Short.parseShort(Ljava/lang/String;)S", &[Ref], Int, |memory, args| {
        Ok(int(i32::from(integer::parse_short(digits(memory, args[0])?, 10)?)))
    }),
    throwing("java/lang/Byte.parseByte(Ljava/lang/String;)B", &[Ref], Int, |memory, args| {
        Ok(int(i32::from(integer::parse_byte(digits(memory, args[0])?, 10)?)))
    }),
    pure("java/lang/Short.valueOf(S)Ljava/lang/Short;", &[Int], Ref, |_, args| {
        Ok(heap::short(args[0] as i16))
    }),
    pure("java/lang/Byte.valueOf(B)Ljava/lang/Byte;", &[Int], Ref, |_, args| {
        Ok(heap::byte(args[0] as i8))
    }),
    pure("java/lang/Character.valueOf(C)Ljava/lang/Character;", &[Int], Ref, |_, args| {
        Ok(heap::character(args[0] as u16))
    }),
    throwing("java/lang/Character.charValue()C", &[Ref], Int, |memory, args| {
        match Reference::of(args[0]) {
            Reference::Char(unit) => Ok(u64::from(unit)),
            _ => memory
                .object(args[0])
                .and_then(|_| Err(Reason::exception("java/lang/ClassCastException", None))),
        }
    }),
    throwing("java/lang/Number.intValue()I", &[Ref], Int, int_value),
    throwing("java/lang/Number.longValue()J", &[Ref], Long, long_value),
    throwing("java/lang/Number.doubleValue()D", &[Ref], Double, double_value),
    throwing("java/lang/Number.floatValue()F", &[Ref], Float, float_value),
    throwing("java/lang/Number.shortValue()S", &[Ref], Int, |memory, args| {
        Ok(int(i32::from(int_value(memory, args)? as i16)))
    }),
    throwing("java/lang/Number.byteValue()B", &[Ref], Int, |memory, args| {
        Ok(int(i32::from(int_value(memory, args)? as i8)))
    }),
    throwing("java/lang/Short.shortValue()S", &[Ref], Int, |memory, args| {
        match Reference::of(args[0]) {
            Reference::Short(value) => Ok(int(i32::from(value))),
            _ => int_value(memory, args),
        }
    }),
    throwing("java/lang/Byte.byteValue()B", &[Ref], Int, |memory, args| {
        match Reference::of(args[0]) {
            Reference::Byte(value) => Ok(int(i32::from(value))),
            _ => int_value(memory, args),
        }
    }),
    throwing(
        "java/lang/Comparable.compareTo(Ljava/lang/Object;)I",
        &[Ref, Ref],
        Int,
        |memory, args| match memory.is_text(args[0]) && memory.is_text(args[1]) {
            true => Ok(int(sluice_java::text::compare(memory.text(args[0]), memory.text(args[1])))),
            false => compared(memory, args),
        },
    ),
];
