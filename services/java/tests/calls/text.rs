//! String and Character.
use crate::call;
use crate::harness::{Arguments, Call, Random, check, check_vectors};
use sluice_java::{Result, case, character as ch, hash, text, utf16};

fn ours(name: &str, a: Arguments<'_>) -> Result<String> {
    let s = |i| a.s(i);
    let part = |range: std::ops::Range<usize>| s(0)[range].to_owned();
    Ok(match name {
        "length" => utf16::length(&s(0)).to_string(),
        "charAt" => utf16::char_at(&s(0), a.i(1))?.to_string(),
        "codePointAt" => utf16::code_point_at(&s(0), a.i(1))?.to_string(),
        "codePointBefore" => utf16::code_point_before(&s(0), a.i(1))?.to_string(),
        "codePointCount" => utf16::code_point_count(&s(0), a.i(1), a.i(2))?.to_string(),
        "substring" => part(utf16::substring(&s(0), a.i(1), a.i(2))?),
        "substringFrom" => part(utf16::substring_from(&s(0), a.i(1))?),
        "trim" => part(text::trim(&s(0))),
        "strip" => part(text::strip(&s(0))),
        "stripLeading" => part(text::strip_leading(&s(0))),
        "stripTrailing" => part(text::strip_trailing(&s(0))),
        "isBlank" => text::is_blank(&s(0)).to_string(),
        "compareTo" => text::compare(&s(0), &s(1)).to_string(),
        "compareToIgnoreCase" => text::compare_ignore_case(&s(0), &s(1)).to_string(),
        "equalsIgnoreCase" => text::equals_ignore_case(&s(0), &s(1)).to_string(),
        "regionMatches" => {
            text::region_matches(&s(0), a.i(1) != 0, a.i(2), &s(3), a.i(4), a.i(5)).to_string()
        }
        "indexOfChar" => text::index_of_char(&s(0), a.i(1), a.i(2)).to_string(),
        "lastIndexOfChar" => text::last_index_of_char(&s(0), a.i(1), a.i(2)).to_string(),
        "indexOf" => text::index_of(&s(0), &s(1), a.i(2)).to_string(),
        "lastIndexOf" => text::last_index_of(&s(0), &s(1), a.i(2)).to_string(),
        "startsWith" => text::starts_with(&s(0), &s(1), a.i(2)).to_string(),
        "replace" => text::replace(&s(0), &s(1), &s(2))?,
        "replaceChar" => text::replace_char(&s(0), a.i(1) as u16, a.i(2) as u16)?,
        "repeat" => text::repeat(&s(0), a.i(1), 1 << 20)?,
        "lines" => {
            let lines: Vec<String> = text::lines(&s(0)).map(|line| format!("|{line}")).collect();
            format!("{}{}", lines.len(), lines.concat())
        }
        "hashCode" => hash::string(&s(0)).to_string(),
        "toLowerCase" => case::to_lower_case(&s(0))?,
        "toUpperCase" => case::to_upper_case(&s(0)),
        "digit" => ch::digit(a.i(0), a.i(1)).to_string(),
        "character" => character(a.i(0)),
        _ => panic!("{name}"),
    })
}

fn character(c: i32) -> String {
    let flags: [fn(i32) -> bool; 18] = [
        ch::is_letter,
        ch::is_digit,
        ch::is_letter_or_digit,
        ch::is_whitespace,
        ch::is_space_char,
        ch::is_upper_case,
        ch::is_lower_case,
        ch::is_title_case,
        ch::is_alphabetic,
        ch::is_ideographic,
        ch::is_mirrored,
        ch::is_defined,
        ch::is_iso_control,
        ch::is_identifier_ignorable,
        ch::is_unicode_identifier_start,
        ch::is_unicode_identifier_part,
        ch::is_java_identifier_start,
        ch::is_java_identifier_part,
    ];
    let flags: String = flags.iter().map(|flag| if flag(c) { '1' } else { '0' }).collect();
    let values = [
        i32::from(ch::category_of(c)),
        ch::to_lower_case(c),
        ch::to_upper_case(c),
        ch::to_title_case(c),
        ch::digit(c, 10),
        ch::digit(c, 36),
        ch::numeric_value(c),
    ];
    values.iter().fold(flags, |text, value| format!("{text} {value}"))
}

const PIECES: &[&str] = &[
    "a", "b", "A", "B", "z", "ab", " ", "\t", "\n", "\r\n", "\u{1}", "\u{a0}", "é", "É", "ß", "ÿ",
    "µ", "€", "İ", "ı", "Σ", "σ", "ς", "ﬁ", "ŉ", "ǅ", "K", "Å", "\u{2028}", "\u{3000}", "中", "😀",
    "𐐀", "𐐨", "\u{e000}", "٣", "𝟎", "\u{301}", ".", "'", "Ω", "α", "x", "0",
];

fn random_calls(count: usize, seed: u64) -> Vec<Call> {
    let mut random = Random(seed);
    (0..count)
        .map(|_| {
            let random = &mut random;
            let text = random.text(PIECES, 7);
            let length = utf16::length(&text) as i32;
            let name = random.one(NAMES);
            let most = if random.below(4) == 0 { 7 } else { 2 };
            let other = random.text(PIECES, most);
            match name {
                "charAt" | "codePointAt" | "codePointBefore" | "substringFrom" => {
                    call!(name, text, random.index(length))
                }
                "repeat" => call!(name, text, random.index(5)),
                "substring" | "codePointCount" => {
                    call!(name, text, random.index(length), random.index(length))
                }
                "compareTo" | "compareToIgnoreCase" | "equalsIgnoreCase" => {
                    let other = match random.below(3) {
                        0 => other,
                        1 => case::to_upper_case(&text),
                        _ => text.to_lowercase(),
                    };
                    call!(name, text, other)
                }
                "regionMatches" => call!(
                    name,
                    text,
                    random.below(2) as i32,
                    random.index(length),
                    case::to_upper_case(&text),
                    random.index(length),
                    random.index(length)
                ),
                "indexOfChar" | "lastIndexOfChar" => {
                    let code = match random.below(6) {
                        0 => 0xD83D,
                        1 => 0xDE00,
                        _ => random.one(PIECES).chars().next().map_or(0, |c| u32::from(c) as i32),
                    };
                    call!(name, text, code, random.index(length))
                }
                "indexOf" | "lastIndexOf" | "startsWith" => {
                    call!(name, text, other, random.index(length))
                }
                "replace" => call!(name, text, other, random.text(PIECES, 2)),
                "replaceChar" => {
                    let [from, to] = [(); 2]
                        .map(|()| random.text(PIECES, 1).encode_utf16().next().unwrap_or(97));
                    call!(name, text, from, to)
                }
                _ => call!(name, text),
            }
        })
        .collect()
}

const NAMES: &[&str] = &[
    "length",
    "charAt",
    "codePointAt",
    "codePointBefore",
    "codePointCount",
    "substring",
    "substringFrom",
    "trim",
    "strip",
    "stripLeading",
    "stripTrailing",
    "isBlank",
    "compareTo",
    "compareToIgnoreCase",
    "equalsIgnoreCase",
    "regionMatches",
    "indexOfChar",
    "lastIndexOfChar",
    "indexOf",
    "lastIndexOf",
    "startsWith",
    "replace",
    "replaceChar",
    "repeat",
    "lines",
    "hashCode",
    "toLowerCase",
    "toUpperCase",
];

#[test]
fn vectors() {
    check_vectors("text", &random_calls(2_000, 1), ours);
}

#[test]
fn random_texts() {
    let calls = random_calls(60_000, 7);
    assert!(check(&calls, ours) > calls.len() * 9 / 10);
}

#[test]
fn every_code_point() {
    let codes = (-1..=0x11_0000)
        .filter(|c| *c < 0x3_3000 || *c > 0x0D_FFFF && *c < 0x0F_0100 || c % 97 == 0);
    let calls: Vec<_> = codes.map(|c| call!("character", c)).collect();
    check(&calls, ours);
    let single = (0..=0x2_FFFF).filter_map(char::from_u32);
    let cases =
        single.flat_map(|c| ["toLowerCase", "toUpperCase"].map(|name| call!(name, c.to_string())));
    check(&cases.collect::<Vec<_>>(), ours);
}
