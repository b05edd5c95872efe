//! Integers from and to text.
use crate::memory::Memory;
use crate::reason::Reason;
use sluice_java::integer;
use std::fmt::Write;

type Answer = Result<u64, Reason>;

/// Integer.parseInt.
pub(super) fn parse_int(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let value = integer::parse_int(memory.text(args[0]), 10);
    value.map(|value| value as u32 as u64).map_err(|_| Reason::NumberFormat)
}

/// Long.parseLong.
pub(super) fn parse_long(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let value = integer::parse_long(memory.text(args[0]), 10);
    value.map(|value| value as u64).map_err(|_| Reason::NumberFormat)
}

/// `-?digits`, optionally followed by `.0`; ASCII digits, within the range of an int.
pub(super) fn parse_plain(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    plain(memory.bytes(args[0])).map(|value| value as u32 as u64).ok_or(Reason::NumberFormat)
}

fn plain(text: &[u8]) -> Option<i32> {
    let text = text.strip_suffix(b".0").unwrap_or(text);
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    let mut value: i64 = 0;
    for digit in digits {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 || value > 1 << 32 {
            return None;
        }
        value = value * 10 + i64::from(digit);
    }
    let value = if negative { -value } else { value };
    (!digits.is_empty()).then(|| i32::try_from(value).ok())?
}

/// Integer.toString.
pub(super) fn int_to_string(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    write(memory, i64::from(args[0] as i32))
}

/// Long.toString.
pub(super) fn long_to_string(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    write(memory, args[0] as i64)
}

fn write(memory: &mut Memory<'_>, value: i64) -> Answer {
    /// The digits of the lowest long.
    const LONGEST: usize = 20;
    struct Made<'a>(&'a mut Vec<u8>);
    impl Write for Made<'_> {
        fn write_str(&mut self, text: &str) -> std::fmt::Result {
            self.0.extend_from_slice(text.as_bytes());
            Ok(())
        }
    }
    memory.reserve(LONGEST)?;
    let start = memory.made.len();
    write!(Made(memory.made), "{value}").map_err(|_| Reason::Memory)?;
    Ok(memory.made_since(start))
}

#[cfg(test)]
mod tests {
    use crate::builtin::testing::call;

    fn int(text: &str) -> Option<i32> {
        call("int.parse", &[text], &[]).ok().map(|(slot, _)| slot as i32)
    }

    #[test]
    fn integers_of_java() {
        for (text, value) in [
            ("0", 0),
            ("-0", 0),
            ("+7", 7),
            ("007", 7),
            ("2147483647", i32::MAX),
            ("-2147483648", i32::MIN),
            ("00000000000000000000000000000000000000000000001", 1),
            ("١٢٣", 123),
            ("１２", 12),
            ("1٢", 12),
        ] {
            assert_eq!(int(text), Some(value), "{text}");
        }
        for text in [
            "",
            "+",
            "-",
            "+-1",
            " 1",
            "1 ",
            "1.0",
            "2147483648",
            "-2147483649",
            "1e3",
            "0x10",
            "1_000",
            "𝟏",
            "é",
            "99999999999999999999999999999999999999999999",
        ] {
            assert_eq!(int(text), None, "{text}");
        }
    }

    #[test]
    fn longs_of_java() {
        let long = |text| call("long.parse", &[text], &[]).ok().map(|(slot, _)| slot as i64);
        assert_eq!(long("9223372036854775807"), Some(i64::MAX));
        assert_eq!(long("-9223372036854775808"), Some(i64::MIN));
        assert_eq!(long("9223372036854775808"), None);
        assert_eq!(long("1L"), None);
    }

    #[test]
    fn plain_integers() {
        let plain = |text| call("int.parse_plain", &[text], &[]).ok().map(|(slot, _)| slot as i32);
        for (text, value) in [
            ("43", 43),
            ("43.0", 43),
            ("-5", -5),
            ("-5.0", -5),
            ("-2147483648", i32::MIN),
            ("0000000000000000001", 1),
        ] {
            assert_eq!(plain(text), Some(value), "{text}");
        }
        for text in [
            "",
            ".0",
            "-",
            "-.0",
            "+1",
            "1.",
            "1.00",
            "1.5",
            "5.0.0",
            "1e2",
            "0x1",
            "１",
            "2147483648",
            " 1",
            "99999999999999999999999999",
        ] {
            assert_eq!(plain(text), None, "{text}");
        }
    }

    #[test]
    fn to_text() {
        assert_eq!(call("int.to_string", &[], &[-7i32 as u32 as u64]).unwrap().1, "-7");
        assert_eq!(
            call("long.to_string", &[], &[i64::MIN as u64]).unwrap().1,
            "-9223372036854775808"
        );
    }
}
