//! `sluice artifacts`: the store of the files that deployed jobs need.

use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Subcommand;
use serde_json::json;
use sluice_artifacts::{Limits, Store, serve};
use sluice_runtime::exit::Failure;
use sluice_runtime::{logs, shutdown};
use tokio::net::TcpListener;

use crate::artifacts::block_on;
use crate::context::Context;

/// Subcommands of `artifacts`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve a folder as the artifact store until SIGTERM.
    Serve {
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
    },
}

/// Runs the command.
pub fn run(context: &Context, command: &Command) -> Result<()> {
    let Command::Serve { dir, listen, token, max_artifact, max_total } = command;
    logs::init();
    let limits = Limits { file_bytes: *max_artifact, total_bytes: *max_total };
    let store = Store::open(dir, limits).map_err(Failure::usage)?;
    if token.is_none() && !listen.ip().is_loopback() {
        eprintln!("sluice: whoever reaches {listen} can change the store: set --token");
    }
    block_on(async {
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
        serve::serve(listener, store, token.clone(), end).await;
        Ok(())
    })
}
