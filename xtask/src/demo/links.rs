//! The links of the demo's devices.

use std::fmt;

use anyhow::Result;
use sluice_wan::control::Client;

/// One device and its way to the cloud.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// The device.
    pub device: &'static str,
    /// What it stands for.
    pub name: &'static str,
    /// From device to cloud, bytes per second.
    pub up_bytes_per_s: u64,
    /// From cloud to device, bytes per second.
    pub down_bytes_per_s: u64,
    /// One way, milliseconds.
    pub delay_ms: u64,
}

/// Three devices: a good link, a fair one and a poor one.
pub const LINKS: [Link; 3] = [
    Link {
        device: "pi-1",
        name: "fibre",
        up_bytes_per_s: 12_500_000,
        down_bytes_per_s: 12_500_000,
        delay_ms: 5,
    },
    Link {
        device: "pi-2",
        name: "mobile",
        up_bytes_per_s: 625_000,
        down_bytes_per_s: 1_250_000,
        delay_ms: 30,
    },
    Link {
        device: "pi-3",
        name: "rural",
        up_bytes_per_s: 200_000,
        down_bytes_per_s: 400_000,
        delay_ms: 60,
    },
];

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Link { device, name, delay_ms, .. } = self;
        write!(f, "{device}: {name}, {} kB/s up, {delay_ms} ms", self.up_bytes_per_s / 1000)
    }
}

/// Gives every relay its link's rates and delay.
pub(super) fn shape(wan: &mut Client) -> Result<()> {
    for Link { device, up_bytes_per_s, down_bytes_per_s, delay_ms, .. } in LINKS {
        wan.ask(&format!("rate {device} {up_bytes_per_s} {down_bytes_per_s}"))?;
        wan.ask(&format!("delay {device} {delay_ms}"))?;
    }
    Ok(())
}
