//! The built-ins that functions may call.
//!
//! Text is UTF-8 here and UTF-16 in Java; every index and length that a function sees counts UTF-16 units, as Java does.
mod date;
mod integer;
mod lines;
pub(crate) mod maths;
mod number;
mod text;

use crate::memory::Memory;
use crate::reason::Reason;
use crate::ty::Ty;

pub(crate) use text::concat;

/// The most arguments of a call.
pub(crate) const ARGUMENTS_LIMIT: usize = 16;

/// Slots in, a slot out.
pub(crate) type Run = fn(&mut Memory<'_>, &[u64]) -> Result<u64, Reason>;

/// A built-in.
pub(crate) struct Builtin {
    /// What a call names.
    pub(crate) name: &'static str,
    /// The types of the arguments.
    pub(crate) params: &'static [Ty],
    /// The type of any number of further arguments.
    pub(crate) rest: Option<Ty>,
    /// The type of the result.
    pub(crate) result: Ty,
    /// Whether it may throw an exception; one that does not can be left out where nobody reads its result.
    pub(crate) throws: bool,
    pub(crate) run: Run,
}

impl std::fmt::Debug for Builtin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl Builtin {
    const fn pure(name: &'static str, params: &'static [Ty], result: Ty, run: Run) -> Builtin {
        Builtin { name, params, rest: None, result, throws: false, run }
    }

    const fn throwing(name: &'static str, params: &'static [Ty], result: Ty, run: Run) -> Builtin {
        Builtin { name, params, rest: None, result, throws: true, run }
    }

    /// How many arguments it takes, in words.
    pub(crate) fn arity(&self) -> String {
        match self.rest {
            None => self.params.len().to_string(),
            Some(_) => format!("{} to {ARGUMENTS_LIMIT}", self.params.len()),
        }
    }
}

/// The built-in of a name.
pub(crate) fn find(name: &str) -> Option<&'static Builtin> {
    BUILTINS.iter().find(|builtin| builtin.name == name)
}

use Ty::{Bool, Double, Int, Long, String as Text, Strings};

/// All of them, by family.
static BUILTINS: &[Builtin] = &[
    Builtin::pure("string.equals", &[Text, Text], Bool, text::equals),
    Builtin::pure("string.compare", &[Text, Text], Int, text::compare),
    Builtin::pure("string.is_empty", &[Text], Bool, text::is_empty),
    Builtin::pure("string.length", &[Text], Int, text::length),
    Builtin::pure("string.trim", &[Text], Text, text::trim),
    Builtin::pure("string.starts_with", &[Text, Text], Bool, text::starts_with),
    Builtin::pure("string.ends_with", &[Text, Text], Bool, text::ends_with),
    Builtin::pure("string.contains", &[Text, Text], Bool, text::contains),
    Builtin::pure("string.index_of", &[Text, Text], Int, text::index_of),
    Builtin::pure("string.strip_prefix", &[Text, Text], Text, text::strip_prefix),
    Builtin::pure("string.strip_suffix", &[Text, Text], Text, text::strip_suffix),
    Builtin::throwing("string.char_at", &[Text, Int], Int, text::char_at),
    Builtin::throwing("string.substring", &[Text, Int, Int], Text, text::substring),
    Builtin::throwing("string.repeat", &[Text, Int], Text, text::repeat),
    Builtin {
        name: "string.concat",
        params: &[],
        rest: Some(Text),
        result: Text,
        throws: false,
        run: text::concat,
    },
    Builtin::pure("list.size", &[Strings], Int, lines::size),
    Builtin::throwing("list.get", &[Strings, Int], Text, lines::get),
    Builtin::throwing("csv.split", &[Text], Strings, lines::split_csv),
    Builtin::throwing("int.parse", &[Text], Int, integer::parse_int),
    Builtin::throwing("long.parse", &[Text], Long, integer::parse_long),
    Builtin::throwing("int.parse_plain", &[Text], Int, integer::parse_plain),
    Builtin::throwing("double.parse", &[Text], Double, number::parse_double),
    Builtin::throwing("double.parse_plain", &[Text], Double, number::parse_plain),
    Builtin::pure("int.to_string", &[Int], Text, integer::int_to_string),
    Builtin::pure("long.to_string", &[Long], Text, integer::long_to_string),
    Builtin::throwing("date.parse_ms", &[Text], Long, date::parse_ms),
    Builtin::pure("int.min", &[Int, Int], Int, maths::min_int),
    Builtin::pure("int.max", &[Int, Int], Int, maths::max_int),
    Builtin::pure("long.min", &[Long, Long], Long, maths::min_long),
    Builtin::pure("long.max", &[Long, Long], Long, maths::max_long),
    Builtin::pure("double.min", &[Double, Double], Double, maths::min_double),
    Builtin::pure("double.max", &[Double, Double], Double, maths::max_double),
    Builtin::pure("double.abs", &[Double], Double, maths::abs_double),
    Builtin::pure("double.floor", &[Double], Double, maths::floor),
    Builtin::pure("double.ceil", &[Double], Double, maths::ceil),
    Builtin::pure("double.round", &[Double], Long, maths::round_slot),
];

#[cfg(test)]
pub(crate) mod testing {
    //! Calls built-ins on values.
    use super::*;
    use crate::heap::{Classes, Heap};
    use crate::memory::{Budget, Span};
    use crate::units::Cursor;

    /// Calls a built-in on texts (then on numbers), and gives the slot and the text that it points to.
    pub(crate) fn call(
        name: &str,
        texts: &[&str],
        numbers: &[u64],
    ) -> Result<(u64, String), Reason> {
        let input: String = texts.concat();
        let (mut made, mut elements) = (Vec::new(), Vec::new());
        let mut memory = Memory {
            input: input.as_bytes(),
            constants: &[],
            made: &mut made,
            elements: &mut elements,
            heap: &mut Heap::default(),
            frozen: &Heap::default(),
            classes: &Classes::default(),
            cursor: Cursor::default(),
            caught: None,
            charged: 0,
            steps: 0,
            budget: Budget::default(),
        };
        let mut start = 0;
        let mut args = Vec::new();
        for text in texts {
            args.push(Span::input(start, text.len()).0);
            start += text.len();
        }
        args.extend(numbers);
        let builtin = find(name).expect("a built-in");
        let slot = (builtin.run)(&mut memory, &args)?;
        let text = match builtin.result {
            Text => std::str::from_utf8(memory.bytes(slot)).expect("UTF-8").to_owned(),
            Strings => {
                let list = memory.list(slot).iter().map(|slot| memory.bytes(*slot));
                let list: Vec<_> = list.map(String::from_utf8_lossy).collect();
                list.join("|")
            }
            _ => String::new(),
        };
        Ok((slot, text))
    }
}
