//! What is deployed to this device, and its copy on the disk: a device starts and accepts events with the link down.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use serde::{Deserialize, Serialize};
use sluice_jvm::Engines;
use sluice_model::{DeployedQuery, DeviceEntry, DeviceKey, Input, PlanInForce};
use sluice_runtime::files;
use sluice_spool::Index;

use crate::frames::FrameBuilder;
use crate::source;

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
    /// From which event on this version counts, as the spool counts; none where it begins with the next start.
    #[serde(default)]
    pub from: Option<u64>,
    /// Versions before this one whose events are not all acknowledged, oldest first.
    #[serde(default)]
    pub older: Vec<Older>,
}

/// A version that was replaced while the spool held events of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Older {
    /// The query as it was.
    pub query: DeployedQuery,
    /// From which event on it counts, as the spool counts.
    pub from: u64,
}

impl Deployment {
    /// A deployment to a device that has no copy yet.
    #[must_use]
    pub fn new(entry: DeviceEntry, query: DeployedQuery) -> Self {
        Self { entry, query, plan: None, from: None, older: Vec::new() }
    }

    /// The deployment in the place of the copy `stored`: another version begins with the next start.
    #[must_use]
    pub fn succeeding(self, stored: Deployment) -> Self {
        let Deployment { query, plan, from, mut older, .. } = stored;
        if query.version == self.query.version {
            return Self { plan, from, older, ..self };
        }
        older.extend(from.map(|from| Older { query, from }));
        Self { plan, from: None, older, ..self }
    }

    /// Fixes where this version begins: at `first`, what the start may number, unless it has begun before. Versions of
    /// which nothing is left behind `cursor` are forgotten.
    pub fn begin(&mut self, first: Index, cursor: Index) {
        self.from.get_or_insert(first.0);
        self.forget_below(cursor);
    }

    /// Forgets the older versions whose events are all below `cursor`. Returns whether there were any.
    pub fn forget_below(&mut self, cursor: Index) -> bool {
        let before = self.older.len();
        let nexts = self.older.iter().skip(1).map(|next| next.from).chain(self.from);
        let ends: Vec<u64> = nexts.collect();
        let mut ends = ends.into_iter();
        self.older.retain(|older| {
            let end = ends.next().unwrap_or(u64::MAX);
            older.from < end && cursor.0 < end
        });
        self.older.len() < before
    }

    /// Whether this build can run it, before anything that runs gives way to it.
    ///
    /// # Errors
    /// Why not, for people.
    pub fn check(&self, key: &DeviceKey, engines: &Engines) -> anyhow::Result<()> {
        let input = self.input(key)?;
        FrameBuilder::new(key, &self.query, input, engines)?;
        source::check(key, input)
    }

    /// The deployed input.
    ///
    /// # Errors
    /// When the query has no such input, or a service of another version could not have deployed it.
    pub fn input(&self, key: &DeviceKey) -> anyhow::Result<&Input> {
        self.input_of(key, &self.query)
    }

    /// The input in this or an older version of the query.
    ///
    /// # Errors
    /// As [`Deployment::input`].
    pub fn input_of<'q>(
        &self,
        key: &DeviceKey,
        query: &'q DeployedQuery,
    ) -> anyhow::Result<&'q Input> {
        let input = query.input(&key.input);
        let input =
            input.with_context(|| format!("query {} has no input {}", key.query, key.input))?;
        if let Some(problem) = query.problems().first() {
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
    files::replace(folder, FILE, &serde_json::to_vec_pretty(deployment)?)
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
        let deployment = Deployment::new(
            serde_json::from_str(entry).unwrap(),
            serde_json::from_str(query).unwrap(),
        );
        store(&folder, &deployment).unwrap();
        assert_eq!(load(&folder).unwrap(), Some(deployment));
        assert_eq!(stored(dir.path(), &key.device), [key]);
        fs::write(folder.join(FILE), "{").unwrap();
        assert!(load(&folder).unwrap_err().to_string().contains("no deployment"));
    }

    fn version(version: i32) -> Deployment {
        let query = format!(r#"{{"query":"q1","version":{version},"inputs":[]}}"#);
        let entry = r#"{"partition":0,"source":"replay","state":"joined"}"#;
        Deployment::new(serde_json::from_str(entry).unwrap(), serde_json::from_str(&query).unwrap())
    }

    fn ranges(deployment: &Deployment) -> Vec<(i32, u64)> {
        let older = deployment.older.iter().map(|older| (older.query.version, older.from));
        older.chain([(deployment.query.version, deployment.from.unwrap())]).collect()
    }

    #[test]
    fn a_version_begins_with_a_start_and_the_older_ones_are_kept_until_they_are_drained() {
        let mut first = version(1);
        first.begin(Index(0), Index(0));
        let mut again = version(1).succeeding(first.clone());
        again.begin(Index(5), Index(0));
        assert_eq!(ranges(&again), [(1, 0)], "a restart is no other version");
        let mut second = version(2).succeeding(again);
        second.begin(Index(10), Index(3));
        assert_eq!(ranges(&second), [(1, 0), (2, 10)]);
        // The second version never got a number: what it accepted goes to the third.
        let mut third = version(3).succeeding(second.clone());
        third.begin(Index(10), Index(3));
        assert_eq!(ranges(&third), [(1, 0), (3, 10)]);
        let mut third = version(3).succeeding(second);
        third.begin(Index(20), Index(3));
        assert_eq!(ranges(&third), [(1, 0), (2, 10), (3, 20)]);
        assert!(!third.forget_below(Index(9)));
        assert!(third.forget_below(Index(10)));
        assert_eq!(ranges(&third), [(2, 10), (3, 20)]);
        assert!(third.forget_below(Index(20)));
        assert_eq!(ranges(&third), [(3, 20)]);
    }
}
