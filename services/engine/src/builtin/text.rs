//! java.lang.String.
use crate::memory::{Memory, Span};
use crate::reason::Reason;
use sluice_java::{text, utf16};

type Answer = Result<u64, Reason>;

fn int(value: usize) -> u64 {
    // Texts are shorter than 2^31.
    value as u64
}

pub(super) fn equals(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let equal = memory.bytes(args[0]) == memory.bytes(args[1]);
    memory.work(if equal { Span(args[0]).len() } else { 0 });
    Ok(u64::from(equal))
}

/// The difference of the first units that differ, else of the lengths.
pub(super) fn compare(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    memory.work(Span(args[0]).len().min(Span(args[1]).len()));
    let order = text::compare(memory.text(args[0]), memory.text(args[1]));
    Ok(order as u32 as u64)
}

pub(super) fn is_empty(_: &mut Memory<'_>, args: &[u64]) -> Answer {
    Ok(u64::from(Span(args[0]).len() == 0))
}

pub(super) fn length(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    memory.work(Span(args[0]).len());
    Ok(int(utf16::length(memory.text(args[0]))))
}

pub(super) fn trim(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    memory.work(Span(args[0]).len());
    let range = text::trim(memory.text(args[0]));
    Ok(Span(args[0]).part(range.start, range.end).0)
}

pub(super) fn starts_with(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    Ok(u64::from(memory.bytes(args[0]).starts_with(memory.bytes(args[1]))))
}

pub(super) fn ends_with(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    Ok(u64::from(memory.bytes(args[0]).ends_with(memory.bytes(args[1]))))
}

fn find(memory: &mut Memory<'_>, args: &[u64]) -> Option<usize> {
    memory.work(Span(args[0]).len());
    memchr::memmem::find(memory.bytes(args[0]), memory.bytes(args[1]))
}

pub(super) fn contains(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    Ok(u64::from(find(memory, args).is_some()))
}

/// The UTF-16 index of the first occurrence; -1 if there is none.
pub(super) fn index_of(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    Ok(match find(memory, args) {
        Some(byte) => int(utf16::index(memory.text(args[0]), byte)),
        None => -1i32 as u32 as u64,
    })
}

/// The text without the second one at its start, if it is there.
pub(super) fn strip_prefix(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let (text, prefix) = (memory.bytes(args[0]), memory.bytes(args[1]));
    Ok(match text.starts_with(prefix) {
        true => Span(args[0]).part(prefix.len(), text.len()).0,
        false => args[0],
    })
}

/// The text without the second one at its end, if it is there.
pub(super) fn strip_suffix(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let (text, suffix) = (memory.bytes(args[0]), memory.bytes(args[1]));
    Ok(match text.ends_with(suffix) {
        true => Span(args[0]).part(0, text.len() - suffix.len()).0,
        false => args[0],
    })
}

/// The UTF-16 unit at an index.
pub(super) fn char_at(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    memory.work(Span(args[0]).len());
    let unit = utf16::char_at(memory.text(args[0]), args[1] as i32);
    unit.map(u64::from).map_err(|_| Reason::Index)
}

/// The text from one UTF-16 index up to another. One within a character of two units is refused: half of it has no UTF-8.
pub(super) fn substring(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    memory.work(Span(args[0]).len());
    let range = utf16::substring(memory.text(args[0]), args[1] as i32, args[2] as i32);
    let range = range.map_err(|_| Reason::Index)?;
    Ok(Span(args[0]).part(range.start, range.end).0)
}

pub(super) fn repeat(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let count = usize::try_from(args[1] as i32).map_err(|_| Reason::Argument)?;
    let len = Span(args[0]).len();
    if count <= 1 || len == 0 {
        return Ok(if count == 1 { args[0] } else { Span(args[0]).part(0, 0).0 });
    }
    memory.reserve(len.saturating_mul(count))?;
    let start = memory.made.len();
    for _ in 0..count {
        memory.append(args[0]);
    }
    Ok(memory.made_since(start))
}

pub(crate) fn concat(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    memory.reserve(args.iter().map(|slot| Span(*slot).len()).sum())?;
    let start = memory.made.len();
    for &slot in args {
        memory.append(slot);
    }
    let ascii = args.iter().all(|slot| Span(*slot).is_ascii());
    Ok(Span(memory.made_since(start)).known_ascii(ascii).0)
}

#[cfg(test)]
mod tests {
    use crate::builtin::testing::call;
    use crate::reason::Reason;

    fn text(name: &str, texts: &[&str], numbers: &[i32]) -> Result<String, Reason> {
        let numbers: Vec<u64> = numbers.iter().map(|number| *number as u32 as u64).collect();
        call(name, texts, &numbers).map(|(_, text)| text)
    }

    fn number(name: &str, texts: &[&str]) -> i32 {
        call(name, texts, &[]).unwrap().0 as i32
    }

    #[test]
    fn lengths_count_utf_16_units() {
        assert_eq!(number("string.length", &[""]), 0);
        assert_eq!(number("string.length", &["abc"]), 3);
        assert_eq!(number("string.length", &["aé€😀"]), 5);
    }

    #[test]
    fn parts_by_utf_16_index() {
        assert_eq!(text("string.substring", &["aé€😀z"], &[1, 3]).unwrap(), "é€");
        assert_eq!(text("string.substring", &["aé€😀z"], &[3, 5]).unwrap(), "😀");
        assert_eq!(text("string.substring", &["aé€😀z"], &[4, 5]), Err(Reason::Index));
        assert_eq!(text("string.substring", &["abc"], &[0, 3]).unwrap(), "abc");
        assert_eq!(text("string.substring", &["abc"], &[3, 3]).unwrap(), "");
        for (from, to) in [(-1, 2), (2, 1), (0, 4), (4, 4)] {
            assert_eq!(text("string.substring", &["abc"], &[from, to]), Err(Reason::Index));
        }
    }

    #[test]
    fn characters() {
        let at = |index: i32| {
            call("string.char_at", &["aé😀"], &[index as u32 as u64]).map(|(unit, _)| unit)
        };
        assert_eq!(at(0), Ok(97));
        assert_eq!(at(1), Ok(0xE9));
        assert_eq!(at(2), Ok(0xD83D));
        assert_eq!(at(3), Ok(0xDE00));
        assert_eq!(at(4), Err(Reason::Index));
        assert_eq!(at(-1), Err(Reason::Index));
    }

    #[test]
    fn trim_takes_what_is_not_above_the_space() {
        assert_eq!(text("string.trim", &["\u{1}\t a b \r\n"], &[]).unwrap(), "a b");
        assert_eq!(text("string.trim", &["\u{a0}a\u{a0}"], &[]).unwrap(), "\u{a0}a\u{a0}");
        assert_eq!(text("string.trim", &[" \t "], &[]).unwrap(), "");
    }

    #[test]
    fn ends() {
        assert_eq!(text("string.strip_prefix", &["\u{FEFF}a", "\u{FEFF}"], &[]).unwrap(), "a");
        assert_eq!(
            text("string.strip_prefix", &["a\u{FEFF}", "\u{FEFF}"], &[]).unwrap(),
            "a\u{FEFF}"
        );
        assert_eq!(text("string.strip_suffix", &["a\r\r", "\r"], &[]).unwrap(), "a\r");
        assert_eq!(number("string.starts_with", &["abc", "ab"]), 1);
        assert_eq!(number("string.starts_with", &["abc", "abcd"]), 0);
        assert_eq!(number("string.ends_with", &["abc", ""]), 1);
    }

    #[test]
    fn search() {
        assert_eq!(number("string.index_of", &["é😀b", "b"]), 3);
        assert_eq!(number("string.index_of", &["abc", "x"]), -1);
        assert_eq!(number("string.index_of", &["abc", ""]), 0);
        assert_eq!(number("string.contains", &["abc", "bc"]), 1);
    }

    #[test]
    fn order_is_that_of_utf_16() {
        assert!(number("string.compare", &["a", "b"]) < 0);
        assert_eq!(number("string.compare", &["abc", "a"]), 2);
        assert_eq!(number("string.compare", &["é", "é"]), 0);
        // A character of two units is below one of the private use area, unlike in UTF-8.
        assert!(number("string.compare", &["😀", "\u{E000}"]) < 0);
        assert_eq!(number("string.equals", &["é", "e"]), 0);
    }

    #[test]
    fn making_text() {
        assert_eq!(text("string.repeat", &["ab"], &[3]).unwrap(), "ababab");
        assert_eq!(text("string.repeat", &["ab"], &[0]).unwrap(), "");
        assert_eq!(text("string.repeat", &["ab"], &[1]).unwrap(), "ab");
        assert_eq!(text("string.repeat", &["ab"], &[-1]), Err(Reason::Argument));
        assert_eq!(text("string.repeat", &["ab"], &[i32::MAX]), Err(Reason::Memory));
        assert_eq!(text("string.concat", &["a", "-", "é"], &[]).unwrap(), "a-é");
        assert_eq!(text("string.concat", &[], &[]).unwrap(), "");
    }
}
