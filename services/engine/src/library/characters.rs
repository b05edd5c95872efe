//! java.lang.Character's tests and mappings of characters and code points.
use super::LibTy::{Bool, Int, Ref, String as Text};
use super::strings::{char_text, int};
use super::{Method, pure, throwing};
use crate::heap::{Element, Object};
use crate::memory::Memory;
use crate::reason::Reason;
use sluice_java::{character as ch, utf16};

type Answer = Result<u64, Reason>;

/// A test of a `char` and of a code point.
macro_rules! test {
    ($name:literal, $of:expr) => {
        [
            pure(concat!("java/lang/Character.", $name, "(C)Z"), &[Int], Bool, |_, args| {
                Ok(u64::from($of(args[0] as i32)))
            }),
            pure(concat!("java/lang/Character.", $name, "(I)Z"), &[Int], Bool, |_, args| {
                Ok(u64::from($of(args[0] as i32)))
            }),
        ]
    };
}

/// A mapping of a `char` and of a code point.
macro_rules! map {
    ($name:literal, $of:expr) => {
        [
            pure(concat!("java/lang/Character.", $name, "(C)C"), &[Int], Int, |_, args| {
                Ok(u64::from($of(args[0] as i32) as u16))
            }),
            pure(concat!("java/lang/Character.", $name, "(I)I"), &[Int], Int, |_, args| {
                Ok(int($of(args[0] as i32)))
            }),
        ]
    };
}

pub(super) static TESTS: &[[Method; 2]] = &[
    test!("isLetter", ch::is_letter),
    test!("isDigit", ch::is_digit),
    test!("isLetterOrDigit", ch::is_letter_or_digit),
    test!("isWhitespace", ch::is_whitespace),
    test!("isSpaceChar", ch::is_space_char),
    test!("isUpperCase", ch::is_upper_case),
    test!("isLowerCase", ch::is_lower_case),
    test!("isTitleCase", ch::is_title_case),
    test!("isDefined", ch::is_defined),
    test!("isISOControl", ch::is_iso_control),
    test!("isMirrored", ch::is_mirrored),
    test!("isIdentifierIgnorable", ch::is_identifier_ignorable),
    test!("isJavaIdentifierStart", ch::is_java_identifier_start),
    test!("isJavaIdentifierPart", ch::is_java_identifier_part),
    test!("isUnicodeIdentifierStart", ch::is_unicode_identifier_start),
    test!("isUnicodeIdentifierPart", ch::is_unicode_identifier_part),
    map!("toLowerCase", ch::to_lower_case),
    map!("toUpperCase", ch::to_upper_case),
    map!("toTitleCase", ch::to_title_case),
];

pub(super) static METHODS: &[Method] = &[
    pure("java/lang/Character.isAlphabetic(I)Z", &[Int], Bool, |_, args| {
        Ok(u64::from(ch::is_alphabetic(args[0] as i32)))
    }),
    pure("java/lang/Character.isIdeographic(I)Z", &[Int], Bool, |_, args| {
        Ok(u64::from(ch::is_ideographic(args[0] as i32)))
    }),
    pure("java/lang/Character.getType(C)I", &[Int], Int, category),
    pure("java/lang/Character.getType(I)I", &[Int], Int, category),
    pure("java/lang/Character.getNumericValue(C)I", &[Int], Int, numeric_value),
    pure("java/lang/Character.getNumericValue(I)I", &[Int], Int, numeric_value),
    pure("java/lang/Character.digit(CI)I", &[Int, Int], Int, digit),
    pure("java/lang/Character.digit(II)I", &[Int, Int], Int, digit),
    pure("java/lang/Character.forDigit(II)C", &[Int, Int], Int, |_, args| {
        Ok(u64::from(ch::for_digit(args[0] as i32, args[1] as i32)))
    }),
    pure("java/lang/Character.charCount(I)I", &[Int], Int, |_, args| {
        Ok(if args[0] as i32 >= 0x1_0000 { 2 } else { 1 })
    }),
    pure("java/lang/Character.isSurrogate(C)Z", &[Int], Bool, |_, args| {
        Ok(u64::from(matches!(args[0] as i32, 0xD800..=0xDFFF)))
    }),
    pure("java/lang/Character.isHighSurrogate(C)Z", &[Int], Bool, |_, args| {
        Ok(u64::from(matches!(args[0] as i32, 0xD800..=0xDBFF)))
    }),
    pure("java/lang/Character.isLowSurrogate(C)Z", &[Int], Bool, |_, args| {
        Ok(u64::from(matches!(args[0] as i32, 0xDC00..=0xDFFF)))
    }),
    pure("java/lang/Character.isBmpCodePoint(I)Z", &[Int], Bool, |_, args| {
        Ok(u64::from(args[0] as u32 <= 0xFFFF))
    }),
    pure("java/lang/Character.isValidCodePoint(I)Z", &[Int], Bool, |_, args| {
        Ok(u64::from(args[0] as u32 <= 0x10_FFFF))
    }),
    pure("java/lang/Character.isSupplementaryCodePoint(I)Z", &[Int], Bool, |_, args| {
        Ok(u64::from(matches!(args[0] as u32, 0x1_0000..=0x10_FFFF)))
    }),
    pure("java/lang/Character.toCodePoint(CC)I", &[Int, Int], Int, |_, args| {
        let [high, low] = [args[0], args[1]].map(|unit| unit as u16 as i32);
        Ok(int((high << 10) + low + (0x1_0000 - (0xD800 << 10) - 0xDC00)))
    }),
    pure("java/lang/Character.compare(CC)I", &[Int, Int], Int, |_, args| {
        Ok(int(args[0] as u16 as i32 - args[1] as u16 as i32))
    }),
    pure("java/lang/Character.hashCode(C)I", &[Int], Int, |_, args| Ok(args[0])),
    pure("java/lang/Character.toString(C)Ljava/lang/String;", &[Int], Text, |memory, args| {
        char_text(memory, args[0])
    }),
    throwing("java/lang/Character.toString(I)Ljava/lang/String;", &[Int], Text, |memory, args| {
        let c = utf16::from_code_point(args[0] as i32)?;
        memory.new_text(c.encode_utf8(&mut [0; 4]))
    }),
    throwing("java/lang/Character.toChars(I)[C", &[Int], Ref, |memory, args| {
        let code = args[0] as u32;
        let mut units = [code as u16, 0];
        let count = match char::from_u32(code) {
            Some(c) => c.encode_utf16(&mut units).len(),
            None if code <= 0x10_FFFF => 1,
            None => {
                return utf16::from_code_point(code as i32).map(u64::from).map_err(Reason::from);
            }
        };
        let start = memory.new_slots(count, 0)?;
        for (slot, unit) in memory.heap.slots[start..].iter_mut().zip(units) {
            *slot = u64::from(unit);
        }
        let class = crate::heap::CHARS;
        memory.add(Object::Array { class, element: Element::Char, start, len: count })
    }),
];

fn category(_: &mut Memory<'_>, args: &[u64]) -> Answer {
    Ok(u64::from(ch::category_of(args[0] as i32)))
}

fn numeric_value(_: &mut Memory<'_>, args: &[u64]) -> Answer {
    Ok(int(ch::numeric_value(args[0] as i32)))
}

fn digit(_: &mut Memory<'_>, args: &[u64]) -> Answer {
    Ok(int(ch::digit(args[0] as i32, args[1] as i32)))
}
