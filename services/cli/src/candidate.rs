//! What is to be deployed: a plan made from a job's jar, or one from a file.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use sluice_model::{Artifact, DeployedQuery, Input, QueryId};
use sluice_planner::{Explanation, plan};
use sluice_runtime::exit::Failure;

use crate::artifacts::ArtifactStore;
use crate::context::Context;
use crate::job::{Job, JobOptions, SplitOptions, not_planned};
use crate::{deployment, plan as plans, publish};

/// A plan that may be deployed.
pub struct Candidate {
    /// The plan.
    pub plan: DeployedQuery,
    /// Why it is so; none for a plan from a file.
    pub explanation: Option<Explanation>,
    /// The job that it was made from, which holds the files; none for a plan from a file.
    job: Option<(Job, [PathBuf; 2])>,
}

impl Candidate {
    /// A plan from a file.
    pub fn of_file(file: &Path) -> Result<Self> {
        Ok(Self { plan: plans::load(file)?, explanation: None, job: None })
    }

    /// Captures and plans a job. The version is settled later.
    pub fn of_job(query: &QueryId, job: &JobOptions, split: &SplitOptions) -> Result<Self> {
        let job = Job::load(job)?;
        let (files, places) = job.files()?;
        let planned = plan(&job.capture, &*job.classes, &split.of(query, 1), files)
            .map_err(|problems| not_planned(&problems))?;
        let explanation = Some(planned.explanation);
        Ok(Self { plan: planned.query, explanation, job: Some((job, places)) })
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
        self.plan.job.iter().flat_map(|job| [&job.jar, &job.capture]).collect()
    }

    /// The user's jar, where it is at hand.
    pub fn jar(&self) -> Option<&Path> {
        self.job.as_ref().map(|(_, [jar, _])| jar.as_path())
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
        let Some((_, places)) = &self.job else { return Ok(Vec::new()) };
        let mut new = Vec::new();
        for (artifact, place) in self.artifacts().into_iter().zip(places) {
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
            let graph = self.job.as_ref()?.0.capture.graph();
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
