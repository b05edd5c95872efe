//! What Java's class library does, as pure functions over Rust's values.
//!
//! The pattern is JDK 17, to the bit: results, exceptions and their messages. Java's texts are sequences of UTF-16 units and ours are
//! UTF-8; every index and length counts UTF-16 units, and a result that would cut a character of two units in half is a
//! [`Failure::Surrogate`]. What Java does not define, or does otherwise in another version, locale, zone or charset, is not here, or is a
//! [`Failure::Uncertain`].
#![forbid(unsafe_code)]

pub mod case;
pub mod character;
pub mod failure;
pub mod floating;
pub mod format;
pub mod hash;
pub mod integer;
pub mod json;
pub mod regex;
pub mod text;
pub mod time;
pub mod utf16;

pub use failure::{Exception, Failure};

/// The version of Java whose library this is.
pub const JAVA: u32 = 17;

/// What a call gives.
pub type Result<T> = std::result::Result<T, Failure>;
