//! `java.lang.Double` and `Float`: texts of floating-point numbers.
mod decimal;
pub(crate) mod digits;
mod hexadecimal;
mod parse;
mod print;

pub use decimal::{Decimal, scan};
pub use parse::{parse_double, parse_float};
pub use print::{double_to_string, float_to_string};
