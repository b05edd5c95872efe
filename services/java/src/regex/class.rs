//! Sets of characters.
use crate::character::{self as ch, category};

/// A set of characters.
#[derive(Debug, Clone)]
pub(super) enum Set {
    /// Those from one to another.
    Range(u32, u32),
    /// Those from one to another, and ASCII letters whose other case is among them.
    RangeIgnoreCase(u32, u32),
    /// Those with a property.
    Property(fn(i32) -> bool),
    /// Those of some general categories, a bit for each.
    Categories(u32),
    /// Those of any of them.
    Any(Vec<Set>),
    /// Those of all of them.
    All(Vec<Set>),
    /// All others.
    Not(Box<Set>),
}

impl Set {
    pub(super) fn one(c: char, ignore_case: bool) -> Set {
        Set::range(u32::from(c), u32::from(c), ignore_case)
    }

    pub(super) fn range(from: u32, to: u32, ignore_case: bool) -> Set {
        if ignore_case { Set::RangeIgnoreCase(from, to) } else { Set::Range(from, to) }
    }

    pub(super) fn not(self) -> Set {
        Set::Not(Box::new(self))
    }

    fn of(items: &[(u32, u32)]) -> Set {
        Set::Any(items.iter().map(|(from, to)| Set::Range(*from, *to)).collect())
    }

    pub(super) fn contains(&self, code: u32) -> bool {
        let within = |from: u32, to: u32, code: u32| (from..=to).contains(&code);
        match self {
            Set::Range(from, to) => within(*from, *to, code),
            Set::RangeIgnoreCase(from, to) => {
                within(*from, *to, code)
                    || u8::try_from(code).is_ok_and(|byte| {
                        byte.is_ascii()
                            && (within(*from, *to, byte.to_ascii_lowercase().into())
                                || within(*from, *to, byte.to_ascii_uppercase().into()))
                    })
            }
            Set::Property(has) => has(code as i32),
            Set::Categories(bits) => bits & 1 << ch::category_of(code as i32) != 0,
            Set::Any(sets) => sets.iter().any(|set| set.contains(code)),
            Set::All(sets) => sets.iter().all(|set| set.contains(code)),
            Set::Not(set) => !set.contains(code),
        }
    }
}

/// The set of a letter behind a backslash: `\d` and so on.
pub(super) fn predefined(letter: char) -> Option<Set> {
    let set = match letter.to_ascii_lowercase() {
        'd' => Set::Range(0x30, 0x39),
        'w' => Set::of(&[(0x61, 0x7A), (0x41, 0x5A), (0x30, 0x39), (0x5F, 0x5F)]),
        's' => Set::of(&[(0x20, 0x20), (0x09, 0x0D)]),
        'h' => Set::of(&[
            (0x20, 0x20),
            (0x09, 0x09),
            (0xA0, 0xA0),
            (0x1680, 0x1680),
            (0x180E, 0x180E),
            (0x2000, 0x200A),
            (0x202F, 0x202F),
            (0x205F, 0x205F),
            (0x3000, 0x3000),
        ]),
        'v' => Set::of(&[(0x0A, 0x0D), (0x85, 0x85), (0x2028, 0x2029)]),
        _ => return None,
    };
    Some(if letter.is_ascii_uppercase() { set.not() } else { set })
}

/// The ends of a line.
pub(super) fn line_ends(unix: bool) -> Set {
    match unix {
        true => Set::Range(0x0A, 0x0A),
        false => Set::of(&[(0x0A, 0x0A), (0x0D, 0x0D), (0x85, 0x85), (0x2028, 0x2029)]),
    }
}

/// The set of a name: `\p{Alpha}` and so on. Those that mind the case are not certain where it is ignored.
pub(super) fn named(name: &str, ignore_case: bool) -> Option<Set> {
    let ascii = |set: &[(u32, u32)]| Some(Set::of(set));
    let cased = |set: Option<Set>| if ignore_case { None } else { set };
    let property = |has: fn(i32) -> bool| Some(Set::Property(has));
    match name {
        "Lower" => return cased(ascii(&[(0x61, 0x7A)])),
        "Upper" => return cased(ascii(&[(0x41, 0x5A)])),
        "ASCII" => return ascii(&[(0, 0x7F)]),
        "Alpha" => return ascii(&[(0x41, 0x5A), (0x61, 0x7A)]),
        "Digit" => return ascii(&[(0x30, 0x39)]),
        "Alnum" => return ascii(&[(0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A)]),
        "Punct" => return ascii(&[(0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)]),
        "Graph" => return ascii(&[(0x21, 0x7E)]),
        "Print" => return ascii(&[(0x20, 0x7E)]),
        "Blank" => return ascii(&[(0x20, 0x20), (0x09, 0x09)]),
        "Cntrl" => return ascii(&[(0, 0x1F), (0x7F, 0x7F)]),
        "XDigit" => return ascii(&[(0x30, 0x39), (0x41, 0x46), (0x61, 0x66)]),
        "Space" => return ascii(&[(0x20, 0x20), (0x09, 0x0D)]),
        "javaLowerCase" => return cased(property(ch::is_lower_case)),
        "javaUpperCase" => return cased(property(ch::is_upper_case)),
        "javaWhitespace" => return property(ch::is_whitespace),
        "javaLetter" => return property(ch::is_letter),
        "javaDigit" => return property(ch::is_digit),
        "javaLetterOrDigit" => return property(ch::is_letter_or_digit),
        "javaAlphabetic" | "IsAlphabetic" => return property(ch::is_alphabetic),
        "javaSpaceChar" => return property(ch::is_space_char),
        "IsDigit" => return property(ch::is_digit),
        "IsLetter" => return property(ch::is_letter),
        "IsLowercase" => return cased(property(ch::is_lower_case)),
        "IsUppercase" => return cased(property(ch::is_upper_case)),
        _ => {}
    }
    let categories = categories(name.strip_prefix("Is").unwrap_or(name))?;
    let minds_case = categories & 0b1110 != 0 && categories & 0b1110 != 0b1110;
    if ignore_case && minds_case { None } else { Some(Set::Categories(categories)) }
}

fn categories(name: &str) -> Option<u32> {
    use category as is;
    let bits = |categories: &[u8]| categories.iter().fold(0, |bits, category| bits | 1 << category);
    let letters = [is::UPPERCASE_LETTER, is::LOWERCASE_LETTER, is::TITLECASE_LETTER];
    Some(bits(match name {
        "L" => &[1, 2, 3, 4, 5],
        "LC" => &letters,
        "Lu" => &[is::UPPERCASE_LETTER],
        "Ll" => &[is::LOWERCASE_LETTER],
        "Lt" => &[is::TITLECASE_LETTER],
        "Lm" => &[is::MODIFIER_LETTER],
        "Lo" => &[is::OTHER_LETTER],
        "M" => &[6, 7, 8],
        "Mn" => &[is::NON_SPACING_MARK],
        "N" => &[9, 10, 11],
        "Nd" => &[is::DECIMAL_DIGIT_NUMBER],
        "Nl" => &[is::LETTER_NUMBER],
        "No" => &[is::OTHER_NUMBER],
        "P" => &[20, 21, 22, 23, 24, 29, 30],
        "Pd" => &[is::DASH_PUNCTUATION],
        "Ps" => &[is::START_PUNCTUATION],
        "Pe" => &[is::END_PUNCTUATION],
        "Pc" => &[is::CONNECTOR_PUNCTUATION],
        "Po" => &[is::OTHER_PUNCTUATION],
        "S" => &[25, 26, 27, 28],
        "Sm" => &[is::MATH_SYMBOL],
        "Sc" => &[is::CURRENCY_SYMBOL],
        "Sk" => &[is::MODIFIER_SYMBOL],
        "So" => &[is::OTHER_SYMBOL],
        "Z" => &[12, 13, 14],
        "Zs" => &[is::SPACE_SEPARATOR],
        "C" => &[0, 15, 16, 18, 19],
        "Cc" => &[is::CONTROL],
        "Cf" => &[is::FORMAT],
        _ => return None,
    }))
}
