//! Identifiers: small newtypes for things that look alike.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A name that is not usable in topics, keys and paths.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "`{name}` is no {what}: use 1 to 64 of a-z, 0-9, - and _, beginning with a letter or digit"
)]
pub struct NameError {
    /// What the name was meant for.
    pub what: &'static str,
    /// The text as given.
    pub name: String,
}

fn check(what: &'static str, name: &str) -> Result<(), NameError> {
    let legal = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    let ok = (1..=64).contains(&name.len())
        && name.chars().all(legal)
        && name.starts_with(|c: char| c.is_ascii_alphanumeric());
    if ok { Ok(()) } else { Err(NameError { what, name: name.to_owned() }) }
}

macro_rules! name_type {
    ($(#[$doc:meta])* $type:ident, $what:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $type(String);

        impl $type {
            /// Takes a name after checking it.
            ///
            /// # Errors
            /// A [`NameError`] that says what is allowed.
            pub fn new(name: impl Into<String>) -> Result<Self, NameError> {
                let name = name.into();
                check($what, &name)?;
                Ok(Self(name))
            }

            /// The name as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $type {
            type Error = NameError;
            fn try_from(name: String) -> Result<Self, NameError> {
                Self::new(name)
            }
        }

        impl std::str::FromStr for $type {
            type Err = NameError;
            fn from_str(name: &str) -> Result<Self, NameError> {
                Self::new(name)
            }
        }

        impl From<$type> for String {
            fn from(name: $type) -> String {
                name.0
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

name_type!(
    /// The id of a query, such as `q1`.
    QueryId,
    "query id"
);
name_type!(
    /// The name of an input of a query, such as `readings`.
    InputName,
    "input name"
);
name_type!(
    /// The id of an edge device, such as `pi-1`.
    DeviceId,
    "device id"
);

macro_rules! number_type {
    ($(#[$doc:meta])* $type:ident) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $type(pub i64);

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

number_type!(
    /// The number that an incarnation gave an event: dense, from 0, growing.
    Seq
);
number_type!(
    /// One numbered run of an input on a device (DESIGN section 3, Identity).
    Incarnation
);
number_type!(
    /// The age of a plan (DESIGN section 1): comparable within one partition of the control topic.
    Epoch
);

/// Offsets below this bound fit beside a generation in one number.
const OFFSETS: i64 = 1 << 40;

/// `generation x 2^40 + offset`: broker-given and growing, also when the topic is re-created.
const fn broker_number(generation: i64, offset: i64) -> i64 {
    generation * OFFSETS + offset
}

impl Incarnation {
    /// The incarnation of the hello at `offset` of `sluice.status`.
    #[must_use]
    pub const fn of_hello(generation: i64, offset: i64) -> Self {
        Self(broker_number(generation, offset))
    }
}

impl Epoch {
    /// The epoch of the plan that stands before any command: cut 0.
    pub const LOWEST: Self = Self(0);

    /// The epoch of the command at `offset` of `sluice.control`.
    #[must_use]
    pub const fn of_command(generation: i64, offset: i64) -> Self {
        Self(broker_number(generation, offset))
    }

    /// The generation and the offset, as people read it.
    #[must_use]
    pub const fn parts(self) -> (i64, i64) {
        (self.0 / OFFSETS, self.0 % OFFSETS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked() {
        assert!(DeviceId::new("pi-1").is_ok());
        for bad in ["", "-x", "A", "a/b", "a.b", &"x".repeat(65)] {
            assert!(DeviceId::new(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_later_generation_outranks_every_offset() {
        assert!(Epoch::of_command(2, 0) > Epoch::of_command(1, OFFSETS - 1));
        assert_eq!(Epoch::of_command(7, 9).parts(), (7, 9));
    }
}
