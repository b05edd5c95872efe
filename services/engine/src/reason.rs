//! Why a function did not finish with an event.
use sluice_wire::DecodeError;
use std::borrow::Cow;
use std::sync::Arc;

/// Why a function did not finish with an event. The exceptions are Java's; a function may catch them, and nothing else.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// A null was read.
    #[error("java.lang.NullPointerException")]
    Null,
    /// An integer was divided by zero.
    #[error("java.lang.ArithmeticException: / by zero")]
    DivisionByZero,
    /// A text is no number of the form asked for.
    #[error("java.lang.NumberFormatException")]
    NumberFormat,
    /// A text is no date of the form asked for.
    #[error("java.time.format.DateTimeParseException")]
    DateFormat,
    /// An index lies outside of a text or list.
    #[error("java.lang.IndexOutOfBoundsException")]
    Index,
    /// An argument that a built-in refuses.
    #[error("java.lang.IllegalArgumentException")]
    Argument,
    /// A line of comma-separated values with broken quotes.
    #[error("broken quotes")]
    Quotes,
    /// The function threw.
    #[error("{0}")]
    Thrown(Arc<str>),
    /// An exception of Java.
    #[error("{0}")]
    Exception(Box<Exception>),
    /// A constant would be changed, or one that could not be exported was used.
    #[error("a constant that is changed, or not known")]
    Constant,
    /// What Java does is not certain, as the text says.
    #[error("not certain: {0}")]
    Uncertain(&'static str),
    /// Half of a character of two UTF-16 units, which has no UTF-8.
    #[error("half of a character of two units")]
    Surrogate,
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

/// An exception of Java.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exception {
    /// Its class, as class files name it.
    pub class: Cow<'static, str>,
    /// Its message.
    pub message: Option<String>,
}

impl std::fmt::Display for Exception {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.class.replace('/', "."))?;
        match &self.message {
            Some(message) => write!(f, ": {message}"),
            None => Ok(()),
        }
    }
}

impl Reason {
    /// An exception of a class.
    pub(crate) fn exception(class: &'static str, message: Option<String>) -> Reason {
        Reason::Exception(Box::new(Exception { class: Cow::Borrowed(class), message }))
    }

    /// Whether a function may catch it.
    pub(crate) fn is_exception(&self) -> bool {
        use Reason::{Constant, Killed, Memory, Steps, Surrogate, Uncertain, Undecodable};
        !matches!(
            self,
            Steps | Memory | Undecodable(_) | Killed(_) | Constant | Uncertain(_) | Surrogate
        )
    }

    /// The class of the exception, as class files name it, and its message.
    pub(crate) fn as_exception(&self) -> (Cow<'static, str>, Option<String>) {
        let class = match self {
            Reason::Exception(exception) => {
                return (exception.class.clone(), exception.message.clone());
            }
            Reason::DivisionByZero => {
                return ("java/lang/ArithmeticException".into(), Some("/ by zero".to_owned()));
            }
            Reason::Thrown(text) => {
                return ("java/lang/RuntimeException".into(), Some(text.to_string()));
            }
            Reason::Null => "java/lang/NullPointerException",
            Reason::NumberFormat => "java/lang/NumberFormatException",
            Reason::DateFormat => "java/time/format/DateTimeParseException",
            Reason::Index => "java/lang/IndexOutOfBoundsException",
            Reason::Argument => "java/lang/IllegalArgumentException",
            _ => "java/lang/Throwable",
        };
        (class.into(), None)
    }
}

impl From<sluice_java::Failure> for Reason {
    fn from(failure: sluice_java::Failure) -> Reason {
        match failure {
            sluice_java::Failure::Throws(exception) => {
                Reason::exception(exception.class, exception.message)
            }
            sluice_java::Failure::Surrogate => Reason::Surrogate,
            sluice_java::Failure::Uncertain(why) => Reason::Uncertain(why),
        }
    }
}
