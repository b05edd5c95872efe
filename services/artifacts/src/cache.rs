//! What a device or replica holds of the artifact store: fetched in the background, verified, bounded.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sluice_model::Artifact;
use tokio::sync::Notify;

use crate::client::{Client, ClientError};
use crate::digest::Digest;
use crate::store::{Limits, Store, StoreError, Stored};

/// When a fetch that failed is tried again: after `first`, each time twice as long, up to `most`.
#[derive(Debug, Clone, Copy)]
pub struct Retry {
    /// After the first failure.
    pub first: Duration,
    /// At most.
    pub most: Duration,
}

impl Default for Retry {
    /// 1 s, up to 1 min.
    fn default() -> Self {
        Self { first: Duration::from_secs(1), most: Duration::from_secs(60) }
    }
}

/// Artifacts on this machine's disk; clones share them.
#[derive(Debug, Clone)]
pub struct Cache {
    store: Store,
    state: Arc<Mutex<BTreeMap<Digest, Needed>>>,
    changed: Arc<Notify>,
}

/// What deployed versions need.
#[derive(Debug, Clone, Default)]
struct Needed {
    bytes: u64,
    /// Why the last try failed.
    trouble: Option<String>,
}

impl Cache {
    /// Opens the cache in `folder`. Every file is read: one that is damaged is removed, and fetched again once it is
    /// needed.
    ///
    /// # Errors
    /// A folder that can't be used, or that another process has open.
    pub fn open(folder: &Path, limits: Limits) -> Result<Self, StoreError> {
        let store = Store::open(folder, limits)?;
        for digest in store.verify()? {
            tracing::warn!(%digest, "the artifact on the disk is damaged: removed");
        }
        Ok(Self { store, state: Arc::default(), changed: Arc::default() })
    }

    /// The file of an artifact; none while it is not here, or where `digest` is none.
    #[must_use]
    pub fn path(&self, digest: &str) -> Option<PathBuf> {
        self.store.path(&digest.parse().ok()?)
    }

    /// Says what all deployed versions need from now on. What is missing is fetched by [`Cache::run`]; what is needed no
    /// more stays until its room is.
    pub fn need<'a>(&self, artifacts: impl IntoIterator<Item = &'a Artifact>) {
        let mut wanted = BTreeMap::new();
        for artifact in artifacts {
            match artifact.digest.parse::<Digest>() {
                Ok(digest) => {
                    let bytes = u64::try_from(artifact.bytes).unwrap_or(0);
                    wanted.insert(digest, Needed { bytes, trouble: None });
                }
                Err(error) => tracing::warn!(artifact = %artifact.name, "{error}"),
            }
        }
        let mut needed = self.needed();
        if !wanted.keys().eq(needed.keys()) {
            *needed = wanted;
            self.changed.notify_one();
        }
    }

    /// Digests of the needed artifacts that are here.
    #[must_use]
    pub fn ready(&self) -> Vec<String> {
        let needed = self.needed();
        let here = needed.keys().filter(|digest| self.store.path(digest).is_some());
        here.map(ToString::to_string).collect()
    }

    /// Why an artifact is not here; none when it is.
    #[must_use]
    pub fn missing(&self, artifact: &Artifact) -> Option<String> {
        if self.path(&artifact.digest).is_some() {
            return None;
        }
        let digest = artifact.digest.parse::<Digest>().ok()?;
        let trouble = self.needed().get(&digest).and_then(|needed| needed.trouble.clone());
        let why = trouble.unwrap_or_else(|| "it is being fetched".to_owned());
        Some(format!("{} ({}) is not on this machine yet: {why}", artifact.name, short(&digest)))
    }

    /// Fetches what is needed, for ever.
    pub async fn run(self, client: Client, retry: Retry) {
        let mut pause = retry.first;
        loop {
            if self.fetch_missing(&client).await {
                self.changed.notified().await;
                pause = retry.first;
            } else if tokio::time::timeout(pause, self.changed.notified()).await.is_ok() {
                pause = retry.first;
            } else {
                pause = (pause * 2).min(retry.most);
            }
        }
    }

    /// Tries every missing artifact once. Returns whether all are here.
    async fn fetch_missing(&self, client: &Client) -> bool {
        let mut all = true;
        let wanted = self.needed().clone();
        for (digest, needed) in wanted {
            if self.store.path(&digest).is_some() {
                continue;
            }
            match self.fetch(client, &digest, needed.bytes).await {
                Ok(path) => tracing::info!(%digest, "fetched: {}", path.display()),
                Err(error) => {
                    all = false;
                    self.report(&digest, &error);
                }
            }
        }
        all
    }

    async fn fetch(
        &self,
        client: &Client,
        digest: &Digest,
        bytes: u64,
    ) -> Result<PathBuf, ClientError> {
        self.make_room(bytes)?;
        client.fetch(digest, &self.store).await
    }

    /// Removes what no deployed version needs, the oldest first, until so many bytes more fit.
    fn make_room(&self, bytes: u64) -> Result<(), StoreError> {
        self.store.keep_downloads(|digest| self.needed().contains_key(digest))?;
        let held = self.store.list()?;
        let mut used: u64 = held.iter().map(|stored| stored.bytes).sum();
        for Stored { digest, bytes: size, .. } in held {
            let needed = self.needed().contains_key(&digest);
            if used.saturating_add(bytes) > self.store.limits().total_bytes && !needed {
                self.store.remove(&digest)?;
                used -= size;
                tracing::info!(%digest, "removed: no deployed version needs it");
            }
        }
        Ok(())
    }

    fn report(&self, digest: &Digest, error: &ClientError) {
        let text = error.to_string();
        let mut needed = self.needed();
        let Some(needed) = needed.get_mut(digest) else { return };
        if needed.trouble.as_ref() != Some(&text) {
            tracing::warn!(%digest, "not fetched: {text}");
        }
        needed.trouble = Some(text);
    }

    fn needed(&self) -> MutexGuard<'_, BTreeMap<Digest, Needed>> {
        // The map is whole between statements, whoever panicked.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn short(digest: &Digest) -> String {
    digest.to_string()[..12].to_owned()
}
