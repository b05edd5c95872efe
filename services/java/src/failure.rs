//! What a call does instead of giving a value.
use std::fmt;

/// What a call does instead of giving a value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// It throws.
    #[error("{0}")]
    Throws(Exception),
    /// The result would have half of a character of two UTF-16 units, which has no UTF-8.
    #[error("half of a character of two units")]
    Surrogate,
    /// What Java gives is not certain, as the text says.
    #[error("not certain: {0}")]
    Uncertain(&'static str),
}

/// An exception of Java.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exception {
    /// Its class, as class files name it.
    pub class: &'static str,
    /// Its message.
    pub message: Option<String>,
    /// Whether the message says less than Java's, whose words are those of a version of a library or of one run. Only people may read it.
    pub vague: bool,
}

impl fmt::Display for Exception {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.class.replace('/', "."))?;
        match &self.message {
            Some(message) => write!(f, ": {message}"),
            None => Ok(()),
        }
    }
}

/// `java.lang.NumberFormatException`.
pub const NUMBER_FORMAT: &str = "java/lang/NumberFormatException";
/// `java.lang.IllegalArgumentException`.
pub const ILLEGAL_ARGUMENT: &str = "java/lang/IllegalArgumentException";
/// `java.lang.IndexOutOfBoundsException`.
pub const INDEX: &str = "java/lang/IndexOutOfBoundsException";
/// `java.lang.StringIndexOutOfBoundsException`.
pub const STRING_INDEX: &str = "java/lang/StringIndexOutOfBoundsException";
/// `java.lang.ArithmeticException`.
pub const ARITHMETIC: &str = "java/lang/ArithmeticException";
/// `java.lang.IllegalStateException`.
pub const ILLEGAL_STATE: &str = "java/lang/IllegalStateException";

/// Throws a new exception with a message.
pub fn throw<T>(class: &'static str, message: impl Into<String>) -> crate::Result<T> {
    Err(Failure::Throws(Exception { class, message: Some(message.into()), vague: false }))
}

/// Throws a new exception whose message in Java is another.
pub fn throw_vague<T>(class: &'static str, message: impl Into<String>) -> crate::Result<T> {
    Err(Failure::Throws(Exception { class, message: Some(message.into()), vague: true }))
}
