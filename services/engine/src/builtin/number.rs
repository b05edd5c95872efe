//! Doubles from text.
use crate::memory::Memory;
use crate::reason::Reason;
use sluice_java::floating;

/// Double.parseDouble.
pub(super) fn parse_double(memory: &mut Memory<'_>, args: &[u64]) -> Result<u64, Reason> {
    java_double(memory.bytes(args[0])).map(f64::to_bits).ok_or(Reason::NumberFormat)
}

/// `-?digits(.digits)?([eE][+-]?digits)?`, ASCII digits, finite.
pub(super) fn parse_plain(memory: &mut Memory<'_>, args: &[u64]) -> Result<u64, Reason> {
    plain_double(memory.bytes(args[0])).map(f64::to_bits).ok_or(Reason::NumberFormat)
}

fn java_double(text: &[u8]) -> Option<f64> {
    floating::parse_double(std::str::from_utf8(text).ok()?).ok()
}

#[inline]
fn plain_double(text: &[u8]) -> Option<f64> {
    let (negative, number) = match text {
        [b'-', number @ ..] => (true, number),
        number => (false, number),
    };
    let decimal = floating::scan(number);
    let legal = decimal.len == number.len()
        && decimal.whole > 0
        && decimal.point == (decimal.fraction > 0)
        && decimal.exponent != Some(0);
    if !legal {
        return None;
    }
    let value = decimal.value(number);
    value.is_finite().then_some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::{java_double, plain_double};
    use proptest::prelude::*;

    #[test]
    fn doubles_of_java() {
        for (text, value) in [
            ("1", 1.0),
            ("+1", 1.0),
            ("1.", 1.0),
            (".5", 0.5),
            ("-0", -0.0),
            ("  1.5\t\n", 1.5),
            ("\u{0}1\u{1f}", 1.0),
            ("1d", 1.0),
            ("1.5F", 1.5),
            ("1e5f", 1e5),
            ("1E+5D", 1e5),
            ("1.e2", 100.0),
            ("Infinity", f64::INFINITY),
            ("-Infinity", f64::NEG_INFINITY),
            ("+Infinity", f64::INFINITY),
            ("1e999", f64::INFINITY),
            ("-1e-999", -0.0),
            ("1e99999999999999999999", f64::INFINITY),
            ("0e99999999999999999999", 0.0),
            ("4.9E-324", f64::from_bits(1)),
            ("2.4703282292062327e-324", 0.0),
            ("2.4703282292062328e-324", f64::from_bits(1)),
            ("1.7976931348623157E308", f64::MAX),
            ("9007199254740993", 9_007_199_254_740_992.0),
            ("9007199254740993.0000000000000000000000000001", 9_007_199_254_740_994.0),
            ("0.1000000000000000055511151231257827021181583404541015625", 0.1),
            ("0x1.8p1", 3.0),
            ("-0x.8p1f", -1.0),
            ("0xfp0", 15.0),
            ("0xdp0d", 13.0),
            ("00000000000000000000000000000000001.5", 1.5),
        ] {
            let found = java_double(text.as_bytes()).map(f64::to_bits);
            assert_eq!(found, Some(value.to_bits()), "{text}");
        }
        assert_eq!(java_double(b"NaN").map(f64::to_bits), Some(f64::NAN.to_bits()));
        assert_eq!(java_double(b"-NaN").map(f64::to_bits), Some(f64::NAN.to_bits()));
    }

    #[test]
    fn no_doubles_of_java() {
        for text in [
            "",
            " ",
            ".",
            "+",
            "-.",
            "e5",
            ".e5",
            "1e",
            "1e+",
            "1ee5",
            "1.2.3",
            "nan",
            "inf",
            "infinity",
            "Infinityf",
            "NaNd",
            "1ff",
            "1df",
            "1L",
            "1,5",
            "1 5",
            "0x1",
            "0xp1",
            "0x1p1ff",
            "١",
            "1\u{a0}",
            "--1",
            "+-1",
            "f",
            "d",
            "- 1",
            "1_0",
            "InfinityInfinity",
            "N",
            "I",
            "0x",
            "1e5.0",
        ] {
            assert_eq!(java_double(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn plain_doubles() {
        for (text, value) in [
            ("7", 7.0),
            ("6.75", 6.75),
            ("1e1", 10.0),
            ("1.5E-3", 0.0015),
            ("-0.0", -0.0),
            ("1e-999", 0.0),
        ] {
            assert_eq!(
                plain_double(text.as_bytes()).map(f64::to_bits),
                Some(f64::to_bits(value)),
                "{text}"
            );
        }
        for text in [
            "", "-", "+1", "1.", ".5", "1.e2", "1e", "1e+", "0x1p3", "1f", "NaN", "Infinity",
            "1e999", " 1", "1 ", "1.0.0",
        ] {
            assert_eq!(plain_double(text.as_bytes()), None, "{text}");
        }
    }

    proptest! {
        /// Rust's own parser is correctly rounded, as Java's is.
        #[test]
        fn the_nearest_double(mantissa in "[0-9]{1,25}", fraction in "[0-9]{1,25}", exponent in -340i32..340) {
            for text in [
                format!("{mantissa}.{fraction}"),
                format!("{mantissa}.{fraction}e{exponent}"),
                format!("-{mantissa}E{exponent}"),
            ] {
                let expected: f64 = text.parse().unwrap();
                prop_assert_eq!(java_double(text.as_bytes()).map(f64::to_bits), Some(expected.to_bits()));
                let plain = plain_double(text.as_bytes()).map(f64::to_bits);
                prop_assert_eq!(plain, expected.is_finite().then_some(expected.to_bits()));
            }
        }

        #[test]
        fn shortest_forms_come_back(bits: u64) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            prop_assert_eq!(java_double(format!("{value:?}").as_bytes()).map(f64::to_bits), Some(bits));
        }

        #[test]
        fn garbage_does_not_panic(text in "[-+0-9.eExXpPfFdDNaInity ]{0,24}") {
            let plain = plain_double(text.as_bytes());
            prop_assert!(plain.is_none() || plain == java_double(text.as_bytes()));
        }
    }
}
