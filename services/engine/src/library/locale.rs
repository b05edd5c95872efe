//! java.util.Locale: its constants, of which only whether they are English matters.
use super::LibTy::{Ref, String as Text};
use super::strings::{lower, upper};
use super::{Method, pure, throwing};
use crate::heap::Thing;
use crate::memory::Memory;
use crate::reason::Reason;

/// A locale, by its language tag.
#[derive(Debug, Clone)]
pub(super) struct Locale(String);

impl Locale {
    /// The locale of a constant.
    pub(super) fn of(tag: &str) -> Locale {
        Locale(tag.to_owned())
    }

    /// Whether names of months and days, and numbers, are those of English.
    pub(super) fn is_english(&self) -> bool {
        matches!(&*self.0, "en" | "en-US")
    }

    /// Whether letters change their case and numbers are printed as without a locale.
    pub(super) fn is_plain(&self) -> bool {
        self.is_english() || matches!(&*self.0, "und" | "" | "en-GB" | "en-CA")
    }
}

impl Thing for Locale {
    fn class(&self) -> &'static str {
        "java/util/Locale"
    }

    fn equals(&self, other: &dyn Thing) -> Option<bool> {
        let other = other.of::<Locale>();
        Some(other.is_some_and(|other| other.0 == self.0))
    }

    fn text(&self) -> Option<String> {
        match &*self.0 {
            "und" => Some(String::new()),
            tag => Some(tag.replace('-', "_")),
        }
    }
}

macro_rules! locale {
    ($name:literal, $tag:literal) => {
        pure(concat!("java/util/Locale.", $name, "Ljava/util/Locale;"), &[], Ref, |memory, _| {
            memory.new_thing(Locale::of($tag))
        })
    };
}

pub(super) static METHODS: &[Method] = &[
    locale!("ROOT", "und"),
    locale!("ENGLISH", "en"),
    locale!("US", "en-US"),
    locale!("UK", "en-GB"),
    locale!("CANADA", "en-CA"),
    throwing(
        "java/lang/String.toLowerCase(Ljava/util/Locale;)Ljava/lang/String;",
        &[Text, Ref],
        Text,
        |memory, args| {
            plain(memory, args[1])?;
            lower(memory, args)
        },
    ),
    throwing(
        "java/lang/String.toUpperCase(Ljava/util/Locale;)Ljava/lang/String;",
        &[Text, Ref],
        Text,
        |memory, args| {
            plain(memory, args[1])?;
            upper(memory, args)
        },
    ),
];

/// Refuses a locale with rules of its own.
pub(super) fn plain(memory: &Memory<'_>, locale: u64) -> Result<(), Reason> {
    match memory.thing::<Locale>(locale)?.is_plain() {
        true => Ok(()),
        false => Err(Reason::Uncertain("a locale with rules of its own")),
    }
}
