//! `sluice artifacts`: the store of the files that deployed jobs need.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::{Args, Subcommand};
use serde_json::json;
use sluice_artifacts::{Limits, Store, Stored, serve};
use sluice_runtime::exit::Failure;
use sluice_runtime::{clock, logs, shutdown};
use tokio::net::TcpListener;

use crate::args::duration;
use crate::artifacts::{ArtifactStore, block_on};
use crate::commands::undeploy::of_versions;
use crate::context::Context;
use crate::rows;

/// Subcommands of `artifacts`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve a folder as the artifact store until SIGTERM.
    Serve(ServeOptions),
    /// Remove from the store what no version of a deployed query needs, and say what.
    Prune(PruneOptions),
}

/// Options of `artifacts serve`.
#[derive(Debug, Args)]
pub struct ServeOptions {
    /// The folder; it is made where it is missing.
    #[arg(long)]
    dir: PathBuf,
    /// Where to listen. Whoever reaches it can read; behind loopback, changes should need a token.
    #[arg(long, default_value = "127.0.0.1:8090", value_name = "HOST:PORT")]
    listen: SocketAddr,
    /// What a client must send as `Authorization: Bearer TOKEN` to put or remove.
    #[arg(long, env = "SLUICE_ARTIFACTS_TOKEN", hide_env_values = true)]
    token: Option<String>,
    /// The largest artifact, bytes.
    #[arg(long, default_value_t = Limits::default().file_bytes, value_name = "BYTES")]
    max_artifact: u64,
    /// All artifacts together, bytes.
    #[arg(long, default_value_t = Limits::default().total_bytes, value_name = "BYTES")]
    max_total: u64,
}

/// Options of `artifacts prune`.
#[derive(Debug, Args)]
pub struct PruneOptions {
    #[command(flatten)]
    store: ArtifactStore,
    /// Keep what came within this time: a deployment puts its files first and names them last.
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = duration)]
    keep_new: Duration,
    /// Say what would be removed, and do nothing.
    #[arg(long)]
    dry_run: bool,
}

/// Runs the command.
pub fn run(context: &Context, command: &Command) -> Result<()> {
    match command {
        Command::Serve(options) => serve(context, options),
        Command::Prune(options) => prune(context, options),
    }
}

fn serve(context: &Context, options: &ServeOptions) -> Result<()> {
    let ServeOptions { dir, listen, token, max_artifact, max_total } = options;
    logs::init();
    let limits = Limits { file_bytes: *max_artifact, total_bytes: *max_total };
    let store = Store::open(dir, limits).map_err(Failure::usage)?;
    if token.is_none() && !listen.ip().is_loopback() {
        eprintln!("sluice: whoever reaches {listen} can change the store: set --token");
    }
    block_on(serve_at(context, dir, *listen, store, token.clone()))
}

async fn serve_at(
    context: &Context,
    dir: &Path,
    listen: SocketAddr,
    store: Store,
    token: Option<String>,
) -> Result<()> {
    let listener = TcpListener::bind(listen)
        .await
        .map_err(|error| Failure::usage(format!("--listen {listen}: {error}")))?;
    let bound = listener.local_addr().context("no local address")?;
    let url = format!("http://{bound}");
    context.print(format!("{} at {url}", dir.display()), &json!({ "url": url, "dir": dir }))?;
    let end = async {
        // Without a handler the signal ends the process, which is as well.
        let _ = shutdown::signalled().await;
    };
    serve::serve(listener, store, token, end).await;
    Ok(())
}

fn prune(context: &Context, options: &PruneOptions) -> Result<()> {
    // The store first: what is deployed meanwhile is not in this list, or needed.
    let stored = options.store.list()?;
    let queries = rows::all_queries(context)?;
    let needed: BTreeSet<&str> =
        queries.iter().flat_map(of_versions).map(|artifact| artifact.digest.as_str()).collect();
    let before_ms = clock::now_ms() - i64::try_from(options.keep_new.as_millis())?;
    let (removed, kept) = unneeded(&stored, &needed, before_ms);
    if !options.dry_run {
        for stored in &removed {
            options.store.remove(&stored.digest)?;
        }
    }
    let word = if options.dry_run { "would be removed" } else { "removed" };
    let bytes: u64 = removed.iter().map(|stored| stored.bytes).sum();
    let mut text: String = removed
        .iter()
        .map(|stored| format!("{word}: {} ({} bytes)\n", stored.digest, stored.bytes))
        .collect();
    text += &format!("{word}: {} artifacts, {bytes} bytes; kept: {kept}\n", removed.len());
    let json = json!({
        "dry_run": options.dry_run, "removed": removed, "bytes": bytes, "kept": kept,
    });
    context.print(text, &json)
}

/// What nobody needs and was put there before a time, and how many others there are.
fn unneeded<'a>(
    stored: &'a [Stored],
    needed: &BTreeSet<&str>,
    before_ms: i64,
) -> (Vec<&'a Stored>, usize) {
    let goes = |stored: &&Stored| {
        stored.put_at < before_ms && !needed.contains(stored.digest.to_string().as_str())
    };
    let (removed, kept): (Vec<_>, Vec<_>) = stored.iter().partition(goes);
    (removed, kept.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sluice_artifacts::Digest;

    #[test]
    fn what_is_needed_or_new_stays() {
        let stored =
            |text: &str, put_at| Stored { digest: Digest::of(text.as_bytes()), bytes: 1, put_at };
        let all = [stored("needed", 1), stored("old", 2), stored("new", 9)];
        let needed = all[0].digest.to_string();
        let (removed, kept) = unneeded(&all, &[needed.as_str()].into(), 5);
        assert_eq!((removed, kept), (vec![&all[1]], 2));
    }
}
