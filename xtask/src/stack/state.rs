//! What a stack's folder knows about it.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::PATIENCE;
use crate::process::Identity;

const FILE: &str = "stack.json";

/// A stack that runs or ran: where it listens and who it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// The scratch folder.
    pub dir: PathBuf,
    /// The broker's address in the cloud.
    pub brokers: String,
    /// The registry's Confluent API.
    pub registry_url: String,
    /// Where the relays are set and read.
    pub wan_control: SocketAddr,
    /// The devices and what they take for the broker.
    pub devices: Vec<Device>,
    /// The processes, in the order of their start.
    pub services: Vec<Service>,
}

/// A device's view of the stack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    /// The device.
    pub name: String,
    /// The address of its relay, which the broker's listener for it advertises.
    pub brokers: String,
    /// Where the broker listens for it, behind the relay.
    pub listener: String,
}

/// A process of the stack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Service {
    /// What it is; also the name of its log.
    pub name: String,
    /// Who it is.
    pub process: Identity,
}

impl State {
    /// Reads the state of a folder; none where no stack was started.
    pub fn load(dir: &Path) -> Result<Option<State>> {
        let path = dir.join(FILE);
        match fs::read(&path) {
            Ok(text) => {
                let state = serde_json::from_slice(&text);
                state
                    .map(Some)
                    .with_context(|| format!("{} is no state of a stack", path.display()))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(|| format!("can't read {}", path.display())),
        }
    }

    /// Writes the state, all of it or nothing.
    pub(super) fn save(&self) -> Result<()> {
        let path = self.dir.join(FILE);
        let fresh = path.with_extension("new");
        fs::write(&fresh, serde_json::to_vec_pretty(self)?)?;
        fs::rename(&fresh, &path).with_context(|| format!("can't write {}", path.display()))
    }

    /// Ends the processes, last started first, and removes the folder.
    pub(super) fn end(&mut self) -> Result<()> {
        for service in self.services.drain(..).rev() {
            service
                .process
                .terminate(PATIENCE)
                .with_context(|| format!("can't end {}", service.name))?;
        }
        if self.dir.join(FILE).exists() {
            fs::remove_dir_all(&self.dir)
                .with_context(|| format!("can't remove {}", self.dir.display()))?;
        }
        Ok(())
    }

    /// A process by name.
    pub fn service(&self, name: &str) -> Option<&Service> {
        self.services.iter().rfind(|service| service.name == name)
    }

    /// What a device takes for the broker.
    pub fn device_brokers(&self, name: &str) -> Option<&str> {
        Some(&self.devices.iter().find(|device| device.name == name)?.brokers)
    }

    pub(super) fn registry_address(&self) -> Result<SocketAddr> {
        let host =
            self.registry_url.trim_start_matches("http://").split('/').next().unwrap_or_default();
        host.parse().with_context(|| format!("no address in {}", self.registry_url))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn empty(dir: &Path) -> State {
        State {
            dir: dir.to_owned(),
            brokers: "127.0.0.1:1".into(),
            registry_url: "http://127.0.0.1:8081/apis/ccompat/v7".into(),
            wan_control: ([127, 0, 0, 1], 2).into(),
            devices: Vec::new(),
            services: Vec::new(),
        }
    }

    #[test]
    fn a_state_is_read_as_it_was_written_and_ends_with_its_folder() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().join("stack");
        fs::create_dir(&dir).unwrap();
        assert_eq!(State::load(&dir).unwrap(), None);
        let service =
            Service { name: "gone".into(), process: Identity { pid: u32::MAX, started_ticks: 1 } };
        let device = Device {
            name: "pi-1".into(),
            brokers: "127.0.0.1:3".into(),
            listener: "127.0.0.1:4".into(),
        };
        let mut state = State { devices: vec![device], services: vec![service], ..empty(&dir) };
        state.save().unwrap();
        assert_eq!(State::load(&dir).unwrap(), Some(state.clone()));
        assert_eq!(state.device_brokers("pi-1"), Some("127.0.0.1:3"));
        assert_eq!(state.registry_address().unwrap(), ([127, 0, 0, 1], 8081).into());
        state.end().unwrap();
        assert!(!dir.exists());
    }

    #[test]
    fn a_folder_without_a_stack_is_never_removed() {
        let dir = tempfile::tempdir().unwrap();
        empty(dir.path()).end().unwrap();
        assert!(dir.path().exists());
        fs::write(dir.path().join(FILE), "{}").unwrap();
        assert!(State::load(dir.path()).unwrap_err().to_string().contains("stack.json"));
    }
}
