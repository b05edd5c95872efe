//! Integer, Long, Double and Float.
use crate::call;
use crate::harness::{Arguments, Call, Random, check, check_vectors};
use sluice_java::{Result, floating, hash, integer};

fn ours(name: &str, a: Arguments<'_>) -> Result<String> {
    let double = |value: f64| format!("{:x}", hash::double_bits(value));
    let float = |value: f32| format!("{:x}", hash::float_bits(value));
    Ok(match name {
        "parseInt" => integer::parse_int(&a.s(0), a.i(1))?.to_string(),
        "parseLong" => integer::parse_long(&a.s(0), a.i(1))?.to_string(),
        "parseShort" => integer::parse_short(&a.s(0), a.i(1))?.to_string(),
        "parseByte" => integer::parse_byte(&a.s(0), a.i(1))?.to_string(),
        "decodeInt" => integer::decode(&a.s(0), i32::MIN.into(), i32::MAX.into())?.to_string(),
        "decodeLong" => integer::decode(&a.s(0), i64::MIN, i64::MAX)?.to_string(),
        "parseUnsignedInt" => integer::parse_unsigned_int(&a.s(0), a.i(1))?.to_string(),
        "longToString" => integer::to_string(a.l(0), a.i(1)),
        "longToUnsignedString" => integer::to_unsigned_string(a.l(0) as u64, a.i(1)),
        "longHash" => hash::long(a.l(0)).to_string(),
        "doubleHash" => hash::double(a.d(0)).to_string(),
        "floatHash" => hash::float(a.f(0)).to_string(),
        "parseDouble" => double(floating::parse_double(&a.s(0))?),
        "parseFloat" => float(floating::parse_float(&a.s(0))?),
        "doubleToString" => floating::double_to_string(a.d(0)),
        "floatToString" => floating::float_to_string(a.f(0)),
        _ => panic!("{name}"),
    })
}

/// Numbers of all sizes, with few or many bits, and near powers of two and ten.
fn number(random: &mut Random) -> f64 {
    let raw = f64::from_bits(random.next());
    match random.below(9) {
        0 => raw,
        1 => f64::from_bits(random.next() & !((1 << random.below(53)) - 1)),
        2 => (random.next() as i64 >> random.below(63)) as f64,
        3 => {
            (random.next() as i64 >> random.below(63)) as f64 / 10f64.powi(random.below(20) as i32)
        }
        4 => 2f64.powi(random.below(2100) as i32 - 1074),
        5 => f64::from_bits(random.next() >> random.below(60)),
        6 => 10f64.powi(random.below(630) as i32 - 320),
        7 => (random.below(2_000_000) as f64 - 1e6) / 100.0,
        _ => f64::from_bits(
            2f64.powi(random.below(2000) as i32 - 1000).to_bits() + random.below(5) as u64 - 2,
        ),
    }
}

fn printed(count: usize, seed: u64) -> Vec<Call> {
    let mut random = Random(seed);
    let one = |_| {
        let value = number(&mut random);
        let float = match random.below(2) {
            0 => f32::from_bits(random.next() as u32),
            _ => value as f32,
        };
        match random.below(8) {
            0..4 => call!("doubleToString", value),
            4..6 => call!("floatToString", float),
            6 => call!("doubleHash", value),
            _ => call!("floatHash", float),
        }
    };
    (0..count).map(one).collect()
}

fn texts(count: usize, seed: u64) -> Vec<Call> {
    const PIECES: &[&str] = &[
        "0",
        "1",
        "7",
        "9",
        "9",
        "12",
        "000",
        "-",
        "+",
        ".",
        "e",
        "E",
        "e1",
        "E-",
        "e+30",
        "x",
        "0x",
        "0X1",
        "p",
        "p-3",
        "P1074",
        "f",
        "d",
        "F",
        "D",
        "NaN",
        "Infinity",
        " ",
        "\t",
        "_",
        "L",
        "٣",
        "９",
        "𝟎",
        "a",
        "z",
        "#",
        "2147483648",
        "9223372036854775808",
        "17976931348623157",
        "99999999999999999999999999",
        "\u{a0}",
        "128",
        "32768",
    ];
    let mut random = Random(seed);
    let one = |_| {
        let mut text = random.text(PIECES, 5);
        if random.below(3) == 0 {
            text = format!("{}", number(&mut random));
        } else if random.below(3) == 0 {
            text = format!("{:e}", number(&mut random));
        } else if random.below(4) == 0 {
            text = format!(
                "0x{:x}.{:x}p{}",
                random.next() >> random.below(64),
                random.next() >> random.below(64),
                random.below(2300) as i32 - 1150
            );
        }
        let radix = if random.below(2) == 0 { 10 } else { random.below(40) as i32 };
        match random.below(12) {
            0 => call!("parseInt", text, radix),
            1 => call!("parseLong", text, radix),
            2 => call!("parseShort", text, radix),
            3 => call!("parseByte", text, radix),
            4 => call!("decodeInt", text),
            5 => call!("decodeLong", text),
            6 => call!("parseUnsignedInt", text, radix),
            7 => call!("longToString", random.next() as i64 >> random.below(64), radix),
            8 => call!("longToUnsignedString", random.next() as i64 >> random.below(64), radix),
            9 => call!("parseFloat", text),
            _ => call!("parseDouble", text),
        }
    };
    (0..count).map(one).collect()
}

#[test]
fn vectors() {
    check_vectors("numbers", &[printed(300, 1), texts(300, 1)].concat(), ours);
}

#[test]
fn random_numbers() {
    check(&printed(200_000, 3), ours);
}

#[test]
fn random_texts_of_numbers() {
    check(&texts(100_000, 5), ours);
}
