//! `sluice undeploy`: a query goes, and what of it stays is said.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result};
use clap::Args;
use serde_json::json;
use sluice_kafka::{delete_topics, topic_names};
use sluice_model::{
    Artifact, DeployedQuery, DeviceEntry, DeviceKey, DeviceState, DeviceStatus, QueryId, topics,
};
use sluice_wire::record;

use crate::artifacts::ArtifactStore;
use crate::cluster::{Cluster, FlinkRest};
use crate::context::{Context, failure};
use crate::rows::{self, Catalog};
use crate::{deployment, problems::Problems};

/// Options of `undeploy`.
#[derive(Debug, Args)]
pub struct Options {
    /// The query.
    query: QueryId,
    /// Say what would be removed and kept, and do nothing.
    #[arg(long)]
    dry_run: bool,
    /// Let joined devices leave, and lose what they and others still hold.
    #[arg(long)]
    force: bool,
    /// Delete the query's topics with all that is in them.
    #[arg(long)]
    delete_topics: bool,
    /// Delete from the artifact store what no other query needs.
    #[arg(long)]
    delete_artifacts: bool,
    #[command(flatten)]
    store: ArtifactStore,
    #[command(flatten)]
    cluster: FlinkRest,
}

/// Runs the command.
pub fn run(context: &Context, options: &Options) -> Result<()> {
    let mut problems = Problems::default();
    let cluster = problems.take(Cluster::new(&options.cluster)).flatten();
    let running =
        cluster.as_ref().and_then(|cluster| problems.take(cluster.running(&options.query)));
    let found = context.probe().and_then(|()| {
        let catalog = Catalog::read(context)?;
        catalog.query(&options.query)?;
        Ok((catalog, rows::statuses(context)?))
    });
    let found = problems.take(found);
    if let Some((catalog, statuses)) = &found
        && !options.force
    {
        for (key, entry) in of_query(catalog, &options.query) {
            if let Some(why) = in_use(key, entry, statuses.get(key)) {
                problems.usage(why);
            }
        }
    }
    let Some((catalog, _)) = found.filter(|_| problems.is_empty()) else {
        return Err(problems.into_error(&format!("{} was not undeployed", options.query)));
    };
    let query = catalog.query(&options.query)?;
    let mut removal = Removal::of(context, query, &catalog, options)?;
    let jobs = running.unwrap_or_default();
    removal.removed.extend(
        jobs.iter().map(|(id, job)| format!("residual job {job} of version {}", id.version)),
    );
    if !options.dry_run {
        if let Some(cluster) = &cluster {
            cluster.cancel(&query.query)?;
        }
        removal.apply(context, query, &catalog, options)?;
    }
    let word = if options.dry_run { "would be removed" } else { "removed" };
    let lines = |word: &str, list: &[String]| -> String {
        list.iter().map(|what| format!("{word}: {what}\n")).collect()
    };
    let text = lines(word, &removal.removed) + &lines("kept", &removal.kept);
    let json = json!({
        "query": query.query, "dry_run": options.dry_run, "removed": removal.removed, "kept": removal.kept,
    });
    context.print(text, &json)
}

fn of_query<'a>(
    catalog: &'a Catalog,
    query: &'a QueryId,
) -> impl Iterator<Item = (&'a DeviceKey, &'a DeviceEntry)> {
    catalog.devices.iter().filter(move |(key, _)| key.query == *query)
}

/// Why a device still needs the query.
fn in_use(key: &DeviceKey, entry: &DeviceEntry, status: Option<&DeviceStatus>) -> Option<String> {
    if entry.state == DeviceState::Joined {
        return Some(format!("{key} takes part: `sluice device leave {key}`, or --force"));
    }
    let held = status.map_or(0, |status| status.next_seq - 1 - status.acked_seq);
    (held > 0).then(|| format!("{key} left, but still drains {held} events: wait, or --force"))
}

/// What goes and what stays.
struct Removal {
    removed: Vec<String>,
    kept: Vec<String>,
    leaving: Vec<DeviceKey>,
    topics: Vec<String>,
    artifacts: Vec<Artifact>,
}

impl Removal {
    fn of(
        context: &Context,
        query: &DeployedQuery,
        catalog: &Catalog,
        options: &Options,
    ) -> Result<Self> {
        let id = &query.query;
        let joined = of_query(catalog, id).filter(|(_, entry)| entry.state == DeviceState::Joined);
        let leaving: Vec<DeviceKey> = joined.map(|(key, _)| key.clone()).collect();
        let mut removed: Vec<String> =
            leaving.iter().map(|key| format!("device {key} (it leaves)")).collect();
        removed.push(format!("{id} version {} from {}", query.version, topics::QUERIES));
        let mut kept = Vec::new();
        let mut topics = topic_names(&context.kafka).map_err(failure)?;
        topics.retain(|topic| deployment::is_of(id, topic));
        for topic in &topics {
            let list = if options.delete_topics { &mut removed } else { &mut kept };
            list.push(format!("topic {topic}"));
        }
        let (own, shared) = artifacts(query, catalog);
        for artifact in &own {
            let list = if options.delete_artifacts { &mut removed } else { &mut kept };
            list.push(format!("artifact {} ({})", artifact.name, artifact.digest));
        }
        kept.extend(
            shared
                .iter()
                .map(|a| format!("artifact {} ({}): another query needs it", a.name, a.digest)),
        );
        kept.push(
            "schemas in the registry, and the devices' rows in Sluice's own topics".to_owned(),
        );
        Ok(Self { removed, kept, leaving, topics, artifacts: own })
    }

    /// In an order in which a second try can go on where the first one failed: the query's row goes last.
    fn apply(
        &self,
        context: &Context,
        query: &DeployedQuery,
        catalog: &Catalog,
        options: &Options,
    ) -> Result<()> {
        let mut writer = context.writer()?;
        let id =
            query.schema_id("DeviceEntry").context("the deployed query lists no DeviceEntry")?;
        for key in &self.leaving {
            let entry = DeviceEntry { state: DeviceState::Left, ..catalog.devices[key].clone() };
            let value = record::encode(id, &entry)?;
            writer
                .write(topics::DEVICES, Some(0), &key.to_string(), Some(&value))
                .map_err(failure)?;
        }
        if options.delete_artifacts {
            options.store.delete(&self.artifacts)?;
        }
        if options.delete_topics {
            delete_topics(&context.kafka, &self.topics).map_err(failure)?;
        }
        let key = query.query.as_str();
        writer.write(topics::QUERIES, Some(0), key, None).map_err(failure)?;
        Ok(())
    }
}

/// The artifacts of a query: those that only it needs, and those that others need too.
fn artifacts(query: &DeployedQuery, catalog: &Catalog) -> (Vec<Artifact>, Vec<Artifact>) {
    let others = catalog.queries.values().filter(|other| other.query != query.query);
    let needed: BTreeSet<String> =
        others.flat_map(of_versions).map(|artifact| artifact.digest.clone()).collect();
    let mut seen = BTreeSet::new();
    let own = of_versions(query).filter(|artifact| seen.insert(artifact.digest.clone()));
    own.cloned().partition(|artifact| !needed.contains(&artifact.digest))
}

/// The artifacts of a query, of all its versions.
pub(super) fn of_versions(query: &DeployedQuery) -> impl Iterator<Item = &Artifact> {
    let versions = std::iter::once(query).chain(&query.older);
    versions.flat_map(DeployedQuery::artifacts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::tests::{catalog, key};
    use serde_json::{Value, from_value};

    fn query(id: &str, jar: &str, older: Option<&DeployedQuery>) -> DeployedQuery {
        let artifact = |name: &str| json!({ "name": name, "digest": name, "bytes": 1 });
        let older: Vec<Value> = older.iter().map(|older| json!(older).to_string().into()).collect();
        from_value(json!({ "query": id, "version": 1, "inputs": [], "older": older, "job": {
            "main_class": "a.B", "args": [], "flink": "2.2.1", "graph_digest": "",
            "jar": artifact(jar), "capture": artifact(&format!("{id}-{jar}.capture"))
        }}))
        .unwrap()
    }

    #[test]
    fn a_device_that_takes_part_or_drains_is_in_use() {
        let catalog = catalog();
        let entry = |device| &catalog.devices[&key(device)];
        let status =
            |acked_seq, next_seq| DeviceStatus { acked_seq, next_seq, ..DeviceStatus::empty(0) };
        assert!(in_use(&key("pi-1"), entry("pi-1"), None).unwrap().contains("takes part"));
        let left =
            |status: Option<DeviceStatus>| in_use(&key("pi-2"), entry("pi-2"), status.as_ref());
        assert_eq!(left(None), None);
        assert_eq!(left(Some(status(9, 10))), None);
        assert!(left(Some(status(7, 10))).unwrap().contains("drains 2 events"));
    }

    #[test]
    fn artifacts_that_another_query_needs_are_shared() {
        let first = query("q1", "old.jar", None);
        let second = query("q1", "new.jar", Some(&first));
        let other = query("q2", "old.jar", None);
        let queries = [second.clone(), other].map(|query| (query.query.clone(), query));
        let catalog = Catalog { queries: queries.into(), ..Catalog::default() };
        let (own, shared) = artifacts(&second, &catalog);
        let names = |list: Vec<Artifact>| list.into_iter().map(|a| a.name).collect::<Vec<_>>();
        assert_eq!(names(own), ["new.jar", "q1-new.jar.capture", "q1-old.jar.capture"]);
        assert_eq!(names(shared), ["old.jar"]);
    }
}
