//! The artifact store, as commands use it.

use std::collections::BTreeMap;
use std::future::Future;
use std::path::Path;

use anyhow::{Context as _, Result};
use clap::Args;
use sluice_artifacts::{Client, ClientError, Digest, Stored};
use sluice_model::Artifact;
use sluice_runtime::exit::Failure;

/// Where the artifact store is.
#[derive(Debug, Clone, Args)]
pub struct ArtifactStore {
    /// The artifact store (`sluice artifacts serve`).
    #[arg(
        long = "artifacts",
        env = "SLUICE_ARTIFACTS",
        value_name = "URL",
        default_value = "http://127.0.0.1:8090"
    )]
    pub url: String,
    /// The token that the store asks for.
    #[arg(
        long = "artifacts-token",
        env = "SLUICE_ARTIFACTS_TOKEN",
        value_name = "TOKEN",
        hide_env_values = true
    )]
    pub token: Option<String>,
}

impl ArtifactStore {
    /// Checks that the store answers.
    ///
    /// # Errors
    /// It does not (exit code 69).
    pub fn probe(&self) -> Result<()> {
        let nothing = Digest::of(b"");
        block_on(async { self.client()?.has(&nothing).await }).map_err(failure).map(|_| ())
    }

    /// Which of the artifacts the store has.
    ///
    /// # Errors
    /// A store that does not answer (exit code 69).
    pub fn has<'a>(
        &self,
        artifacts: impl IntoIterator<Item = &'a Artifact>,
    ) -> Result<BTreeMap<String, bool>> {
        self.each(artifacts, async |client, digest| client.has(&digest).await)
    }

    /// Puts a file into the store. Returns whether it is new there.
    ///
    /// # Errors
    /// A store that does not answer (exit code 69) or refuses it (64).
    pub fn put(&self, artifact: &Artifact, file: &Path) -> Result<bool> {
        let digest = artifact.digest.parse()?;
        block_on(async { self.client()?.put(&digest, file).await }).map_err(failure)
    }

    /// Removes artifacts. Returns for each whether it was there.
    ///
    /// # Errors
    /// A store that does not answer (exit code 69) or refuses it (64).
    pub fn delete<'a>(
        &self,
        artifacts: impl IntoIterator<Item = &'a Artifact>,
    ) -> Result<BTreeMap<String, bool>> {
        self.each(artifacts, async |client, digest| client.delete(&digest).await)
    }

    /// All that the store has.
    ///
    /// # Errors
    /// A store that does not answer (exit code 69).
    pub fn list(&self) -> Result<Vec<Stored>> {
        block_on(async { self.client()?.list().await }).map_err(failure)
    }

    /// Removes an artifact. Returns whether it was there.
    ///
    /// # Errors
    /// A store that does not answer (exit code 69) or refuses it (64).
    pub fn remove(&self, digest: &Digest) -> Result<bool> {
        block_on(async { self.client()?.delete(digest).await }).map_err(failure)
    }

    fn each<'a>(
        &self,
        artifacts: impl IntoIterator<Item = &'a Artifact>,
        ask: impl AsyncFn(&Client, Digest) -> Result<bool, ClientError>,
    ) -> Result<BTreeMap<String, bool>> {
        let mut answers = BTreeMap::new();
        let all = async {
            let client = self.client()?;
            for artifact in artifacts {
                let answer = ask(&client, artifact.digest.parse()?).await?;
                answers.insert(artifact.digest.clone(), answer);
            }
            Ok(())
        };
        block_on(all).map_err(failure)?;
        Ok(answers)
    }

    fn client(&self) -> Result<Client, ClientError> {
        Client::new(&self.url, self.token.clone())
    }
}

/// A file as an artifact under a name.
pub fn of_file(path: &Path, name: &str) -> Result<Artifact> {
    let (digest, bytes) =
        Digest::of_file(path).with_context(|| format!("can't read {}", path.display()))?;
    let bytes = i64::try_from(bytes).context("a file larger than the whole world")?;
    Ok(Artifact { name: name.to_owned(), digest: digest.to_string(), bytes })
}

/// Waits for something that only async code can do.
///
/// # Panics
/// Never in practice: a runtime of one thread needs nothing that could be missing.
pub fn block_on<F: Future>(future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime of one thread").block_on(future)
}

fn failure(error: ClientError) -> anyhow::Error {
    match error {
        ClientError::Unreachable { .. } => Failure::unavailable(format!(
            "{error} (set it with --artifacts or SLUICE_ARTIFACTS; `sluice artifacts serve` starts one)"
        )),
        ClientError::Refused { status: 401, .. } => {
            Failure::usage(format!("{error} (set it with --artifacts-token)"))
        }
        _ => Failure::usage(error),
    }
}
