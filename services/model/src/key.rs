//! Keys of the shared topics: `query/input/device`, with a suffix for commands of people and for hellos.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::{DeviceId, InputName, NameError, QueryId};

/// The key under which `init` leaves the generation of a topic.
pub const GENERATION_KEY: &str = "generation";

/// An input of a query on a device: `query/input/device`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceKey {
    /// The query.
    pub query: QueryId,
    /// The input of the query.
    pub input: InputName,
    /// The device.
    pub device: DeviceId,
}

/// Whom a command addresses: `query/input/device` or `query/input/*`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target {
    /// The query.
    pub query: QueryId,
    /// The input of the query.
    pub input: InputName,
    /// One device, or all devices of the input.
    pub device: Option<DeviceId>,
}

/// The key of a command: its target, and whether it stands in the row of manual commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandKey {
    /// Whom the command addresses.
    pub target: Target,
    /// True for keys that end in `/manual`.
    pub manual: bool,
}

/// A key that does not have the form it should have.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum KeyError {
    /// The wrong number of parts.
    #[error("`{0}` is not of the form query/input/device")]
    Form(String),
    /// A part that is no name.
    #[error(transparent)]
    Name(#[from] NameError),
}

impl DeviceKey {
    /// The key of this input's hellos in `sluice.status`.
    #[must_use]
    pub fn hello(&self) -> String {
        format!("{self}/hello")
    }

    /// The command target that addresses just this device.
    #[must_use]
    pub fn target(&self) -> Target {
        Target {
            query: self.query.clone(),
            input: self.input.clone(),
            device: Some(self.device.clone()),
        }
    }
}

impl Target {
    /// Whether a command to this target concerns `key`.
    #[must_use]
    pub fn covers(&self, key: &DeviceKey) -> bool {
        self.query == key.query
            && self.input == key.input
            && self.device.as_ref().is_none_or(|device| *device == key.device)
    }
}

impl fmt::Display for DeviceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.query, self.input, self.device)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let device = self.device.as_ref().map_or("*", DeviceId::as_str);
        write!(f, "{}/{}/{device}", self.query, self.input)
    }
}

impl fmt::Display for CommandKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.target, if self.manual { "/manual" } else { "" })
    }
}

impl FromStr for DeviceKey {
    type Err = KeyError;
    fn from_str(text: &str) -> Result<Self, KeyError> {
        let Target { query, input, device } = text.parse()?;
        let device = device.ok_or_else(|| KeyError::Form(text.to_owned()))?;
        Ok(Self { query, input, device })
    }
}

impl FromStr for Target {
    type Err = KeyError;
    fn from_str(text: &str) -> Result<Self, KeyError> {
        let [query, input, device] = text.split('/').collect::<Vec<_>>()[..] else {
            return Err(KeyError::Form(text.to_owned()));
        };
        Ok(Self {
            query: QueryId::new(query)?,
            input: InputName::new(input)?,
            device: if device == "*" { None } else { Some(DeviceId::new(device)?) },
        })
    }
}

impl FromStr for CommandKey {
    type Err = KeyError;
    fn from_str(text: &str) -> Result<Self, KeyError> {
        let (target, manual) = match text.strip_suffix("/manual") {
            Some(target) => (target, true),
            None => (text, false),
        };
        Ok(Self { target: target.parse()?, manual })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_round_trip() {
        for text in ["q1/readings/pi-1", "q1/readings/*", "q1/readings/pi-1/manual"] {
            assert_eq!(text.parse::<CommandKey>().unwrap().to_string(), text);
        }
        let key: DeviceKey = "q1/readings/pi-1".parse().unwrap();
        assert_eq!(key.hello(), "q1/readings/pi-1/hello");
        assert!("q1/readings/*".parse::<Target>().unwrap().covers(&key));
        assert!(!"q2/readings/*".parse::<Target>().unwrap().covers(&key));
    }

    #[test]
    fn malformed_keys_are_refused() {
        for text in ["", "q1", "q1/readings", "q1/readings/pi-1/x", "q1/Readings/pi-1"] {
            assert!(text.parse::<CommandKey>().is_err(), "{text}");
        }
        assert!("q1/readings/*".parse::<DeviceKey>().is_err());
    }
}
