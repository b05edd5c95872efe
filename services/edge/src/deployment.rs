//! What is deployed to this device, and its copy on the disk: a device starts and accepts events with the link down.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use serde::{Deserialize, Serialize};
use sluice_model::{DeployedQuery, DeviceEntry, DeviceKey, Input, PlanInForce};

const FILE: &str = "deployment.json";

/// An input that is deployed to this device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deployment {
    /// The device's place in the input.
    pub entry: DeviceEntry,
    /// The query.
    pub query: DeployedQuery,
    /// The plan that was last in force here.
    pub plan: Option<PlanInForce>,
}

impl Deployment {
    /// The deployed input.
    ///
    /// # Errors
    /// When the query has no such input, or a service of another version could not have deployed it.
    pub fn input(&self, key: &DeviceKey) -> anyhow::Result<&Input> {
        let input = self.query.input(&key.input);
        let input =
            input.with_context(|| format!("query {} has no input {}", key.query, key.input))?;
        if let Some(problem) = self.query.problems().first() {
            bail!("the deployed plan is broken: {problem}");
        }
        if !(0..input.partitions).contains(&self.entry.partition) {
            let (p, n) = (self.entry.partition, input.partitions);
            bail!("{key}: partition {p} is not within 0..{n}, the input's partitions");
        }
        Ok(input)
    }
}

/// The folder of an input: `<data_dir>/<query>/<input>`.
#[must_use]
pub fn folder(data_dir: &Path, key: &DeviceKey) -> PathBuf {
    data_dir.join(key.query.as_str()).join(key.input.as_str())
}

/// The copy of a deployment, if there is one.
///
/// # Errors
/// When the file can't be read or does not hold a deployment.
pub fn load(folder: &Path) -> anyhow::Result<Option<Deployment>> {
    let path = folder.join(FILE);
    match fs::read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        bytes => {
            let parse = |bytes: Vec<u8>| Ok(serde_json::from_slice(&bytes)?);
            let deployment = bytes.map_err(anyhow::Error::from).and_then(parse);
            Ok(Some(deployment.with_context(|| format!("{}: no deployment", path.display()))?))
        }
    }
}

/// Puts a deployment in the place of the copy; whole or not at all.
///
/// # Errors
/// When the disk refuses.
pub fn store(folder: &Path, deployment: &Deployment) -> anyhow::Result<()> {
    let (path, new) = (folder.join(FILE), folder.join("deployment.new"));
    let write = || -> io::Result<()> {
        fs::create_dir_all(folder)?;
        let mut file = File::create(&new)?;
        file.write_all(&serde_json::to_vec_pretty(deployment)?)?;
        file.sync_all()?;
        fs::rename(&new, &path)?;
        File::open(folder)?.sync_all()
    };
    write().with_context(|| format!("{}: can't be written", path.display()))
}

/// Whether there is a copy of a deployment.
#[must_use]
pub fn exists(folder: &Path) -> bool {
    folder.join(FILE).exists()
}

/// Removes the copy: the device has left the input.
///
/// # Errors
/// When the disk refuses.
pub fn remove(folder: &Path) -> anyhow::Result<()> {
    let path = folder.join(FILE);
    fs::remove_file(&path).with_context(|| format!("{}: can't be removed", path.display()))
}

/// The keys of all copies under `data_dir`, for this device.
#[must_use]
pub fn stored(data_dir: &Path, device: &sluice_model::DeviceId) -> Vec<DeviceKey> {
    let names = |dir: &Path| -> Vec<String> {
        let entries = fs::read_dir(dir).into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
    };
    let mut keys = Vec::new();
    for query in names(data_dir) {
        for input in names(&data_dir.join(&query)) {
            if let Ok(key) = format!("{query}/{input}/{device}").parse::<DeviceKey>()
                && exists(&folder(data_dir, &key))
            {
                keys.push(key);
            }
        }
    }
    keys.sort();
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_deployment_is_found_again() {
        let dir = tempfile::tempdir().unwrap();
        let key: DeviceKey = "q1/readings/pi-1".parse().unwrap();
        let folder = folder(dir.path(), &key);
        assert_eq!(load(&folder).unwrap(), None);
        let query = r#"{"query":"q1","version":1,"inputs":[]}"#;
        let entry = r#"{"partition":0,"source":"replay","state":"joined"}"#;
        let deployment = Deployment {
            entry: serde_json::from_str(entry).unwrap(),
            query: serde_json::from_str(query).unwrap(),
            plan: None,
        };
        store(&folder, &deployment).unwrap();
        assert_eq!(load(&folder).unwrap(), Some(deployment));
        assert_eq!(stored(dir.path(), &key.device), [key]);
        fs::write(folder.join(FILE), "{").unwrap();
        assert!(load(&folder).unwrap_err().to_string().contains("no deployment"));
    }
}
