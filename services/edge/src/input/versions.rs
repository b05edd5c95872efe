//! The versions of a query whose events are in the spool: each event goes through the operators of its own.

use sluice_jvm::Engines;
use sluice_model::{DeviceKey, ReadyVersion};
use sluice_spool::Index;

use crate::deployment::Deployment;
use crate::frames::FrameBuilder;

/// The frame builders by the first event of their version, oldest first. The last one is that of new events.
pub struct Versions(Vec<(Index, FrameBuilder)>);

impl Versions {
    /// Compiles every version that the deployment names.
    ///
    /// # Errors
    /// When one can't be compiled any more.
    pub fn compile(
        key: &DeviceKey,
        deployment: &Deployment,
        engines: &Engines,
    ) -> anyhow::Result<Self> {
        let older = deployment.older.iter().map(|older| (older.from, &older.query));
        let all = older.chain([(deployment.from.unwrap_or(0), &deployment.query)]);
        let compile = all.map(|(from, query)| {
            let input = deployment.input_of(key, query)?;
            Ok((Index(from), FrameBuilder::new(key, query, input, engines)?))
        });
        Ok(Self(compile.collect::<anyhow::Result<_>>()?))
    }

    /// The first event of each version.
    pub fn firsts(&self) -> Vec<Index> {
        self.0.iter().map(|(first, _)| *first).collect()
    }

    /// The builder of the version that an event belongs to.
    pub fn of(&mut self, index: Index) -> &mut FrameBuilder {
        let at = self.0.partition_point(|(first, _)| *first <= index);
        &mut self.0[at.saturating_sub(1)].1
    }

    /// The builder of the version that new events belong to.
    pub fn newest(&mut self) -> &mut FrameBuilder {
        let last = self.0.len() - 1;
        &mut self.0[last].1
    }

    /// Whether an event belongs to the version that new events belong to.
    pub fn is_newest(&self, index: Index) -> bool {
        self.0.last().is_some_and(|(first, _)| *first <= index)
    }

    /// Lets go of all but the `left` newest versions.
    pub fn keep(&mut self, left: usize) {
        self.0.drain(..self.0.len().saturating_sub(left));
    }

    /// The versions that a device still runs and that lack nothing, oldest first.
    pub fn ready(&self, deployment: &Deployment) -> Vec<ReadyVersion> {
        let older = deployment.older.iter().map(|older| &older.query);
        let all = older.chain([&deployment.query]).zip(&self.0);
        all.filter(|(_, (_, builder))| builder.lack(builder.all()).is_none())
            .map(|(query, _)| ReadyVersion { version: query.version, digest: query.digest.clone() })
            .collect()
    }
}
