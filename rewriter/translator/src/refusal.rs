//! Why a function is not translated.

/// What kind of reason it is: the rungs of the ladder in docs, and the label of the metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RefusalKind {
    /// A method of a library that the engine does not know.
    Library,
    /// A class of a library that the engine does not know.
    LibraryClass,
    /// What the function keeps from event to event.
    State,
    /// A constant that can't be carried to the engine.
    Constant,
    /// A call of which it is not known whom it reaches.
    Dispatch,
    /// Recursion.
    Recursion,
    /// It became too large.
    Size,
    /// Native code, monitors, reflection and the like.
    Unsupported,
    /// The identity of objects that have none here.
    Identity,
    /// What a process function asks its context for.
    Context,
    /// Types of events that have no form here.
    Type,
    /// The class file is missing or broken.
    Code,
}

impl RefusalKind {
    /// Every kind with its word.
    pub const WORDS: [(RefusalKind, &'static str); 12] = [
        (RefusalKind::Library, "library"),
        (RefusalKind::LibraryClass, "library_class"),
        (RefusalKind::State, "state"),
        (RefusalKind::Constant, "constant"),
        (RefusalKind::Dispatch, "dispatch"),
        (RefusalKind::Recursion, "recursion"),
        (RefusalKind::Size, "size"),
        (RefusalKind::Unsupported, "unsupported"),
        (RefusalKind::Identity, "identity"),
        (RefusalKind::Context, "context"),
        (RefusalKind::Type, "type"),
        (RefusalKind::Code, "code"),
    ];

    /// As metrics name it.
    #[must_use]
    pub fn word(self) -> &'static str {
        RefusalKind::WORDS.iter().find(|(kind, _)| *kind == self).map_or("", |(_, word)| word)
    }
}

/// Why a function is not translated, and where that stands.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}{text}")]
pub struct Refused {
    /// What kind of reason.
    pub kind: RefusalKind,
    /// `Class.method (File.java:12): `, or nothing.
    pub place: String,
    /// What.
    pub text: String,
}

/// Why a pass ended early.
#[derive(Debug)]
pub(crate) enum Stop {
    /// More is known now: begin again.
    Again,
    /// For good.
    Refused(Refused),
}

/// The result of a part of a pass.
pub(crate) type Run<T> = Result<T, Stop>;

/// A refusal whose place is added where it is known.
pub(crate) fn refuse<T>(kind: RefusalKind, text: impl Into<String>) -> Run<T> {
    Err(Stop::Refused(Refused { kind, place: String::new(), text: text.into() }))
}
