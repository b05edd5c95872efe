//! What is to be deployed: a plan made from a job's jar, or one from a file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use sluice_model::{Artifact, DeployedQuery, Input, QueryId};
use sluice_planner::Explanation;
use sluice_runtime::exit::Failure;

use crate::artifacts::ArtifactStore;
use crate::context::Context;
use crate::job::{Job, JobOptions, SplitOptions};
use crate::native::EngineOptions;
use crate::{artifacts, deployment, plan as plans, publish};

/// A plan that may be deployed.
pub struct Candidate {
    /// The plan.
    pub plan: DeployedQuery,
    /// Why it is so; none for a plan from a file.
    pub explanation: Option<Explanation>,
    /// The job that it was made from; none for a plan from a file.
    job: Option<Job>,
    /// Where the artifacts of such a job are, by digest.
    places: BTreeMap<String, PathBuf>,
}

/// Constants of a function that a plan holds itself; larger ones are an artifact.
const MAX_CONSTANTS: usize = 16 << 10;

impl Candidate {
    /// A plan from a file.
    pub fn of_file(file: &Path) -> Result<Self> {
        Ok(Self { plan: plans::load(file)?, explanation: None, job: None, places: BTreeMap::new() })
    }

    /// Captures and plans a job. The version is settled later.
    pub fn of_job(
        query: &QueryId,
        options: &JobOptions,
        split: &SplitOptions,
        engines: &EngineOptions,
    ) -> Result<Self> {
        let job = Job::load(options)?;
        let (files, places) = job.files()?;
        let java = &options.java.java;
        let planned = engines.plan(&job, java, &split.of(query, 1), (files, &places))?;
        let (mut plan, explanation) = (planned.query, Some(planned.explanation));
        let mut by_digest = constants_to_files(&mut plan, job.scratch())?;
        let named = plan.job.iter().flat_map(|job| [&job.jar, &job.capture]);
        by_digest.extend(named.map(|artifact| artifact.digest.clone()).zip(places));
        Ok(Self { plan, explanation, job: Some(job), places: by_digest })
    }

    /// Gives a plan made from a job its version: the one that is asked for, else the deployed one if nothing differs, else the
    /// next; after an undeployment the first whose topics hold no frames.
    pub fn settle_version(
        &mut self,
        context: &Context,
        asked: Option<i32>,
        deployed: Option<&DeployedQuery>,
    ) -> Result<()> {
        if let Some(asked) = asked {
            self.plan.version = asked;
        } else if self.job.is_some() {
            self.plan.version = deployment::next_version(&self.plan, deployed);
            while deployed.is_none() && publish::has_frames(context, &self.plan)? {
                self.plan.version += 1;
            }
        }
        deployment::check_version(&self.plan, deployed).map_err(Failure::usage)
    }

    /// The files that services fetch.
    pub fn artifacts(&self) -> Vec<&Artifact> {
        self.plan.artifacts().collect()
    }

    /// The user's jar, where it is at hand.
    pub fn jar(&self) -> Option<&Path> {
        let jar = &self.plan.job.as_ref()?.jar;
        self.places.get(&jar.digest).map(PathBuf::as_path)
    }

    /// Checks that the store answers, and that it has what can't be put there from here.
    pub fn check_artifacts(&self, store: &ArtifactStore) -> Result<()> {
        let artifacts = self.artifacts();
        if artifacts.is_empty() {
            return Ok(());
        }
        let known = store.has(artifacts.iter().copied())?;
        let missing = artifacts.iter().find(|artifact| !known[&artifact.digest]);
        match missing {
            Some(missing) if self.job.is_none() => Err(Failure::usage(format!(
                "the artifact store {} has no {} ({}); deploy from the jar",
                store.url, missing.name, missing.digest
            ))),
            _ => Ok(()),
        }
    }

    /// Puts the files into the store. Returns those that are new there.
    pub fn put_artifacts(&self, store: &ArtifactStore) -> Result<Vec<String>> {
        let mut new = Vec::new();
        for artifact in self.artifacts() {
            let Some(place) = self.places.get(&artifact.digest) else { continue };
            if store.put(artifact, place)? {
                new.push(artifact.name.clone());
            }
        }
        Ok(new)
    }

    /// How the job calls the source of an input.
    pub fn source_names(&self, input: &Input) -> Vec<String> {
        let names = || {
            let node = input.prefix.as_ref()?.source;
            let graph = self.job.as_ref()?.capture.graph();
            let node = graph.nodes.iter().find(|found| found.id == node)?;
            Some(node.uid.iter().chain([&node.name]).cloned().collect())
        };
        names().unwrap_or_default()
    }

    /// The plan as JSON, which a later deployment can take from a file.
    pub fn json(&self) -> Result<serde_json::Value> {
        serde_json::to_value(&self.plan).context("a plan that is no JSON")
    }
}

/// Moves constants that are too large for a plan into files of a folder; gives where each is, by digest.
fn constants_to_files(
    plan: &mut DeployedQuery,
    folder: &Path,
) -> Result<BTreeMap<String, PathBuf>> {
    let mut places = BTreeMap::new();
    for input in &mut plan.inputs {
        for (name, constants, file) in input.constants_mut() {
            if constants.len() <= MAX_CONSTANTS {
                continue;
            }
            let place = folder.join(format!("constants-{}.json", places.len()));
            std::fs::write(&place, std::mem::take(constants))
                .with_context(|| format!("can't write {}", place.display()))?;
            let artifact = artifacts::of_file(&place, &format!("{name}.constants.json"))?;
            places.insert(artifact.digest.clone(), place);
            *file = Some(artifact);
        }
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_that_are_too_large_become_files() {
        let mut plan: DeployedQuery = serde_json::from_str(
            r#"{"query":"q1","version":1,"inputs":[{"name":"readings","partitions":1,"types":[],
            "operators":[{"name":"a","engine":"native"},{"name":"b","engine":"native"}],"assigner":null}]}"#,
        )
        .unwrap();
        let large = "x".repeat(MAX_CONSTANTS + 1);
        let [first, second] = &mut plan.inputs[0].operators[..] else { panic!("two operators") };
        first.constants = "{}".to_owned();
        second.constants.clone_from(&large);
        let folder = tempfile::tempdir().unwrap();
        let places = constants_to_files(&mut plan, folder.path()).unwrap();
        let [first, second] = &plan.inputs[0].operators[..] else { panic!("two operators") };
        assert_eq!((first.constants.as_str(), &first.constants_file), ("{}", &None));
        assert_eq!(second.constants, "");
        let file = second.constants_file.as_ref().unwrap();
        assert_eq!(file.name, "b.constants.json");
        assert_eq!(std::fs::read_to_string(&places[&file.digest]).unwrap(), large);
    }
}
