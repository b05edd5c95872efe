//! String.format.
use crate::call;
use crate::harness::{Arguments, Call, Random, check, check_vectors};
use sluice_java::Result;
use sluice_java::format::{Argument, format};

fn argument(text: &str) -> Argument {
    let value = &text[1..];
    match text.as_bytes()[0] {
        b'n' => Argument::Null,
        b's' => Argument::Text(value.to_owned()),
        b'z' => Argument::Bool(value == "true"),
        b'c' => Argument::Char(value.parse().unwrap()),
        b'b' => Argument::Byte(value.parse().unwrap()),
        b'h' => Argument::Short(value.parse().unwrap()),
        b'i' => Argument::Int(value.parse().unwrap()),
        b'l' => Argument::Long(value.parse().unwrap()),
        b'f' => Argument::Float(f32::from_bits(u32::from_str_radix(value, 16).unwrap())),
        _ => Argument::Double(f64::from_bits(u64::from_str_radix(value, 16).unwrap())),
    }
}

fn ours(_: &str, a: Arguments<'_>) -> Result<String> {
    let arguments: Vec<_> = (1..a.0.len() - 1).map(|at| argument(&a.s(at))).collect();
    format(&a.s(0), &arguments, 1 << 20)
}

fn random_argument(random: &mut Random) -> String {
    let bits = random.next() >> random.below(64);
    match random.below(13) {
        0 => "n".to_owned(),
        1 => format!("s{}", random.text(&["a", "é", "😀", "B c", "%", "ß", "1"], 4)),
        2 => format!("z{}", bits.is_multiple_of(2)),
        3 => format!("c{}", [65, 0x20AC, 97][random.below(3)]),
        4 => format!("b{}", bits as i8),
        5 => format!("h{}", bits as i16),
        6 | 7 => format!("i{}", bits as i32),
        8 => format!("l{}", bits as i64),
        9 => format!("f{:x}", ((bits as i32) as f32 / 100.0).to_bits()),
        10 => format!("d{:x}", f64::from_bits(random.next()).to_bits()),
        _ => {
            let value =
                (random.below(2_000_000_000) as f64 - 1e9) / 10f64.powi(random.below(14) as i32);
            format!("d{:x}", value.to_bits())
        }
    }
}

fn calls(count: usize, seed: u64) -> Vec<Call> {
    let mut random = Random(seed);
    let one = |_| {
        let random = &mut random;
        let mut format = String::new();
        for _ in 0..1 + random.below(3) {
            format.push_str(random.one(&["", " ", "x", "é=", "-", "%%", "%n"]));
            format.push('%');
            if random.below(10) == 0 {
                format.push_str(random.one(&["1$", "2$", "<"]));
            }
            if random.below(3) == 0 {
                format.push_str(
                    random.one(&["-", "0", "+", " ", ",", "(", "#", "0,", "-,", "+0", "(,"]),
                );
            }
            if random.below(2) == 0 {
                format.push_str(&(1 + random.below(14)).to_string());
            }
            if random.below(2) == 0 {
                format.push_str(&format!(".{}", random.below(9)));
            }
            format.push_str(random.one(&[
                "s", "d", "f", "f", "e", "g", "x", "X", "c", "b", "S", "o", "E", "h", "B", "G",
            ]));
        }
        let mut call = call!("format", format);
        for _ in 0..3 {
            let argument = random_argument(random);
            call.push(crate::harness::escape(&argument));
        }
        call
    };
    (0..count).map(one).collect()
}

#[test]
fn vectors() {
    check_vectors("format", &calls(600, 1), ours);
}

#[test]
fn random_formats() {
    let calls = calls(60_000, 23);
    let certain = check(&calls, ours);
    println!("{certain} of {} certain", calls.len());
}
