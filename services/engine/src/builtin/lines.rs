//! Lists of texts, and the lines of comma-separated values that they are cut from.
use crate::memory::{Memory, Span};
use crate::reason::Reason;

type Answer = Result<u64, Reason>;

pub(super) fn size(_: &mut Memory<'_>, args: &[u64]) -> Answer {
    Ok(Span(args[0]).len() as u64)
}

pub(super) fn get(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let index = usize::try_from(args[1] as i32).map_err(|_| Reason::Index)?;
    memory.list(args[0]).get(index).copied().ok_or(Reason::Index)
}

/// The values of a line.
///
/// A value that begins with a quote runs to the next quote that is not doubled, and must be followed by a comma or the end; a doubled
/// quote in it stands for one. Any other value runs to the next comma and is taken as it is.
pub(super) fn split_csv(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let line = Span(args[0]);
    let len = line.len();
    memory.work(len);
    let first = memory.elements.len();
    let mut at = 0;
    loop {
        let text = memory.bytes(args[0]);
        let end = if text.get(at) == Some(&b'"') {
            let end = at + 1 + find(b'"', &text[at + 1..]).ok_or(Reason::Quotes)?;
            if text.get(end + 1) == Some(&b'"') {
                quoted(memory, line, at)?
            } else {
                memory.push_element(line.part(at + 1, end).0)?;
                end + 1
            }
        } else {
            let end = find(b',', &text[at..]).map_or(len, |comma| at + comma);
            memory.push_element(line.part(at, end).0)?;
            end
        };
        match memory.bytes(args[0]).get(end) {
            None => return Ok(memory.list_since(first)),
            Some(b',') => at = end + 1,
            Some(_) => return Err(Reason::Quotes),
        }
    }
}

/// A value with doubled quotes, which begins at `at`: made anew. Gives the end of its text.
#[cold]
fn quoted(memory: &mut Memory<'_>, line: Span, mut at: usize) -> Result<usize, Reason> {
    let len = line.len();
    memory.reserve(len - at)?;
    let start = memory.made.len();
    loop {
        // Behind a quote: the first of the value, or the second of a doubled one, which is kept.
        let text = memory.bytes(line.0);
        let quote = at + 1 + find(b'"', &text[at + 1..]).ok_or(Reason::Quotes)?;
        let doubled = text.get(quote + 1) == Some(&b'"');
        memory.append(line.part(at + 1, quote + usize::from(doubled)).0);
        if !doubled {
            let value = memory.made_since(start);
            memory.push_element(value)?;
            return Ok(quote + 1);
        }
        at = quote + 1;
    }
}

/// The place of a byte. Values are short, so eight bytes at a time without a call beat wide registers with one.
#[inline]
fn find(byte: u8, text: &[u8]) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = 0x8080_8080_8080_8080;
    let pattern = ONES * u64::from(byte);
    let (words, rest) = text.as_chunks::<8>();
    for (i, word) in words.iter().enumerate() {
        let differ = u64::from_le_bytes(*word) ^ pattern;
        // The lowest byte whose top bit is set here is the first that is zero in `differ`.
        let zeros = differ.wrapping_sub(ONES) & !differ & TOPS;
        if zeros != 0 {
            return Some(i * 8 + (zeros.trailing_zeros() / 8) as usize);
        }
    }
    let start = text.len() - rest.len();
    rest.iter().position(|c| *c == byte).map(|i| start + i)
}

#[cfg(test)]
mod tests {
    use super::find;
    use crate::builtin::testing::call;
    use crate::reason::Reason;
    use proptest::prelude::*;

    fn split(line: &str) -> Result<String, Reason> {
        call("csv.split", &[line], &[]).map(|(_, text)| text)
    }

    #[test]
    fn values() {
        for (line, values) in [
            ("", ""),
            ("a", "a"),
            (",,", "||"),
            ("a, b ,c\"d", "a| b |c\"d"),
            ("\"\",", "|"),
            ("\"a,b\",\"say \"\"x\"\"\",\"\"\"\"", "a,b|say \"x\"|\""),
            ("\"\"\"\",x", "\"|x"),
            ("\"a\"\"\"\"b\"", "a\"\"b"),
            ("é,\"ü,\"", "é|ü,"),
        ] {
            assert_eq!(split(line).as_deref(), Ok(values), "{line}");
        }
    }

    #[test]
    fn broken_quotes() {
        for line in ["\"", "\"a", "a,\"b\"c", "\"a\"\"", "\"a\"\"b", "\"a\" ,b", "\"\"\""] {
            assert_eq!(split(line), Err(Reason::Quotes), "{line}");
        }
    }

    #[test]
    fn too_many_values() {
        assert_eq!(split(&",".repeat(1 << 21)), Err(Reason::Memory));
    }

    proptest! {
        #[test]
        fn values_come_back(values in prop::collection::vec("[a-c\",é ]{0,12}", 1..8)) {
            let quoted: Vec<String> = values.iter().map(|v| format!("\"{}\"", v.replace('"', "\"\""))).collect();
            prop_assert_eq!(split(&quoted.join(",")), Ok(values.join("|")));
        }

        #[test]
        fn find_is_position(text in prop::collection::vec(prop::sample::select(vec![0u8, 1, 43, 44, 45, 128, 172, 255]), 0..40)) {
            prop_assert_eq!(find(44, &text), text.iter().position(|c| *c == 44));
        }
    }
}
