//! A device's place in an input, as it stands in `sluice.devices`.

use serde::{Deserialize, Serialize};

/// Whether a device takes part in an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeviceState {
    /// It does.
    Joined,
    /// It did; its `leave` frame says up to where.
    Left,
}

/// The value of a record of `sluice.devices` (schemas/DeviceEntry.avsc).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceEntry {
    /// The partition of the device's frames, in every topic of the input.
    pub partition: i32,
    /// The name of a source in the device's configuration.
    pub source: String,
    /// Whether it takes part.
    pub state: DeviceState,
}
