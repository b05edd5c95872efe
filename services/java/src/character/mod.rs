//! `java.lang.Character`: what Unicode 13 says of code points, from a table that JDK 17 printed (`tests/java/Tables.java`).
mod table;

use table::{Record, record};

/// General categories, as `Character.getType` numbers them.
pub mod category {
    #![allow(missing_docs)]
    pub const UNASSIGNED: u8 = 0;
    pub const UPPERCASE_LETTER: u8 = 1;
    pub const LOWERCASE_LETTER: u8 = 2;
    pub const TITLECASE_LETTER: u8 = 3;
    pub const MODIFIER_LETTER: u8 = 4;
    pub const OTHER_LETTER: u8 = 5;
    pub const NON_SPACING_MARK: u8 = 6;
    pub const ENCLOSING_MARK: u8 = 7;
    pub const COMBINING_SPACING_MARK: u8 = 8;
    pub const DECIMAL_DIGIT_NUMBER: u8 = 9;
    pub const LETTER_NUMBER: u8 = 10;
    pub const OTHER_NUMBER: u8 = 11;
    pub const SPACE_SEPARATOR: u8 = 12;
    pub const LINE_SEPARATOR: u8 = 13;
    pub const PARAGRAPH_SEPARATOR: u8 = 14;
    pub const CONTROL: u8 = 15;
    pub const FORMAT: u8 = 16;
    pub const PRIVATE_USE: u8 = 18;
    pub const SURROGATE: u8 = 19;
    pub const DASH_PUNCTUATION: u8 = 20;
    pub const START_PUNCTUATION: u8 = 21;
    pub const END_PUNCTUATION: u8 = 22;
    pub const CONNECTOR_PUNCTUATION: u8 = 23;
    pub const OTHER_PUNCTUATION: u8 = 24;
    pub const MATH_SYMBOL: u8 = 25;
    pub const CURRENCY_SYMBOL: u8 = 26;
    pub const MODIFIER_SYMBOL: u8 = 27;
    pub const OTHER_SYMBOL: u8 = 28;
    pub const INITIAL_QUOTE_PUNCTUATION: u8 = 29;
    pub const FINAL_QUOTE_PUNCTUATION: u8 = 30;
}
use category as is;

/// `Character.getType`.
pub fn category_of(code: i32) -> u8 {
    record(code).category
}

fn any(code: i32, categories: &[u8]) -> bool {
    categories.contains(&category_of(code))
}

/// `Character.isLetter`.
pub fn is_letter(code: i32) -> bool {
    match u8::try_from(code) {
        Ok(ascii) if ascii < 0x80 => ascii.is_ascii_alphabetic(),
        _ => (is::UPPERCASE_LETTER..=is::OTHER_LETTER).contains(&category_of(code)),
    }
}

/// `Character.isDigit`.
pub fn is_digit(code: i32) -> bool {
    match u8::try_from(code) {
        Ok(ascii) if ascii < 0x80 => ascii.is_ascii_digit(),
        _ => category_of(code) == is::DECIMAL_DIGIT_NUMBER,
    }
}

/// `Character.isLetterOrDigit`.
pub fn is_letter_or_digit(code: i32) -> bool {
    is_letter(code) || is_digit(code)
}

/// `Character.isWhitespace`.
pub fn is_whitespace(code: i32) -> bool {
    match u8::try_from(code) {
        Ok(ascii) if ascii < 0x80 => matches!(ascii, 9..=13 | 28..=32),
        _ => record(code).has(Record::WHITESPACE),
    }
}

/// `Character.isSpaceChar`.
pub fn is_space_char(code: i32) -> bool {
    match u8::try_from(code) {
        Ok(ascii) if ascii < 0x80 => ascii == b' ',
        _ => any(code, &[is::SPACE_SEPARATOR, is::LINE_SEPARATOR, is::PARAGRAPH_SEPARATOR]),
    }
}

/// `Character.isUpperCase`.
pub fn is_upper_case(code: i32) -> bool {
    match u8::try_from(code) {
        Ok(ascii) if ascii < 0x80 => ascii.is_ascii_uppercase(),
        _ => record(code).has(Record::UPPER),
    }
}

/// `Character.isLowerCase`.
pub fn is_lower_case(code: i32) -> bool {
    match u8::try_from(code) {
        Ok(ascii) if ascii < 0x80 => ascii.is_ascii_lowercase(),
        _ => record(code).has(Record::LOWER),
    }
}

/// `Character.isTitleCase`.
pub fn is_title_case(code: i32) -> bool {
    category_of(code) == is::TITLECASE_LETTER
}

/// `Character.isAlphabetic`.
pub fn is_alphabetic(code: i32) -> bool {
    record(code).has(Record::ALPHABETIC)
}

/// `Character.isIdeographic`.
pub fn is_ideographic(code: i32) -> bool {
    record(code).has(Record::IDEOGRAPHIC)
}

/// `Character.isMirrored`.
pub fn is_mirrored(code: i32) -> bool {
    record(code).has(Record::MIRRORED)
}

/// `Character.isDefined`.
pub fn is_defined(code: i32) -> bool {
    category_of(code) != is::UNASSIGNED
}

/// `Character.isISOControl`.
pub fn is_iso_control(code: i32) -> bool {
    matches!(code, 0..=0x1F | 0x7F..=0x9F)
}

/// `Character.isIdentifierIgnorable`.
pub fn is_identifier_ignorable(code: i32) -> bool {
    matches!(code, 0..=8 | 0xE..=0x1B | 0x7F..=0x9F) || category_of(code) == is::FORMAT
}

/// `Character.isUnicodeIdentifierStart`.
pub fn is_unicode_identifier_start(code: i32) -> bool {
    record(code).has(Record::IDENTIFIER_START)
}

/// `Character.isUnicodeIdentifierPart`.
pub fn is_unicode_identifier_part(code: i32) -> bool {
    record(code).has(Record::IDENTIFIER_PART)
}

/// `Character.isJavaIdentifierStart`.
pub fn is_java_identifier_start(code: i32) -> bool {
    is_letter(code)
        || any(code, &[is::LETTER_NUMBER, is::CURRENCY_SYMBOL, is::CONNECTOR_PUNCTUATION])
}

/// `Character.isJavaIdentifierPart`.
pub fn is_java_identifier_part(code: i32) -> bool {
    is_java_identifier_start(code)
        || any(code, &[is::DECIMAL_DIGIT_NUMBER, is::COMBINING_SPACING_MARK, is::NON_SPACING_MARK])
        || is_identifier_ignorable(code)
}

/// `Character.toLowerCase`.
pub fn to_lower_case(code: i32) -> i32 {
    match u8::try_from(code) {
        Ok(ascii) if ascii < 0x80 => i32::from(ascii.to_ascii_lowercase()),
        _ => code + record(code).to_lower,
    }
}

/// `Character.toUpperCase`.
pub fn to_upper_case(code: i32) -> i32 {
    match u8::try_from(code) {
        Ok(ascii) if ascii < 0x80 => i32::from(ascii.to_ascii_uppercase()),
        _ => code + record(code).to_upper,
    }
}

/// `Character.toTitleCase`.
pub fn to_title_case(code: i32) -> i32 {
    code + record(code).to_title
}

/// `Character.digit`: -1 for no digit in the radix.
pub fn digit(code: i32, radix: i32) -> i32 {
    if !(2..=36).contains(&radix) {
        return -1;
    }
    let value = match u8::try_from(code) {
        Ok(ascii) if ascii < 0x80 => {
            char::from(ascii).to_digit(36).map_or(-1, |value| value as i32)
        }
        _ => i32::from(record(code).digit),
    };
    if value < radix { value } else { -1 }
}

/// `Character.forDigit`.
pub fn for_digit(digit: i32, radix: i32) -> u16 {
    if !(2..=36).contains(&radix) || digit < 0 || digit >= radix {
        return 0;
    }
    char::from_digit(digit as u32, radix as u32).map_or(0, |c| c as u16)
}

/// `Character.getNumericValue`.
pub fn numeric_value(code: i32) -> i32 {
    record(code).numeric
}

/// The text that `String.toUpperCase` puts in the place of a character that becomes more than one.
pub(crate) fn long_upper_case(c: char) -> Option<&'static str> {
    table::long_upper_case(c)
}
