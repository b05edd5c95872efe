//! Why a function did not finish with an event.
use sluice_wire::DecodeError;
use std::sync::Arc;

/// Why a function did not finish with an event. The exceptions are Java's; a function may catch them, and nothing else.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// A null was read.
    #[error("NullPointerException")]
    Null,
    /// An integer was divided by zero.
    #[error("ArithmeticException: / by zero")]
    DivisionByZero,
    /// A text is no number of the form asked for.
    #[error("NumberFormatException")]
    NumberFormat,
    /// A text is no date of the form asked for.
    #[error("DateTimeParseException")]
    DateFormat,
    /// An index lies outside of a text or list.
    #[error("IndexOutOfBoundsException")]
    Index,
    /// An argument that a built-in refuses.
    #[error("IllegalArgumentException")]
    Argument,
    /// A line of comma-separated values with broken quotes.
    #[error("broken quotes")]
    Quotes,
    /// The function threw.
    #[error("{0}")]
    Thrown(Arc<str>),
    /// The process that ran the function came to its end each time, as the text says.
    #[error("{0}")]
    Killed(Arc<str>),
    /// The function ran for too long ([`Budget`](crate::Budget)).
    #[error("step budget")]
    Steps,
    /// The function made too much text, too many list elements, or too many bytes of output ([`Budget`](crate::Budget)).
    #[error("memory budget")]
    Memory,
    /// The value is not of its type.
    #[error("undecodable: {0}")]
    Undecodable(#[from] DecodeError),
}

impl Reason {
    /// Whether a function may catch it.
    pub(crate) fn is_exception(&self) -> bool {
        !matches!(self, Reason::Steps | Reason::Memory | Reason::Undecodable(_) | Reason::Killed(_))
    }
}
