//! A job's jar in a stack: the artifact store, `sluice deploy`, and what edges and replicas must know to run its functions.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::case::Case;
use crate::java::{FLINK, HOST};
use crate::stack::{Stack, free_ports};
use crate::{cargo, http, paths};

/// The artifact store of a stack.
#[derive(Clone, Copy, Debug)]
pub struct Store {
    /// Where it listens.
    pub http: SocketAddr,
}

impl Store {
    /// Starts it.
    ///
    /// # Errors
    /// When it does not answer.
    pub fn start(stack: &mut Stack) -> Result<Store> {
        let listen = SocketAddr::from(([127, 0, 0, 1], free_ports(1)?[0]));
        let mut serve = Command::new(cargo::program("sluice"));
        serve.args(["artifacts", "serve", "--dir"]).arg(stack.state().dir.join("artifacts"));
        stack.spawn("artifacts", serve.args(["--listen", &listen.to_string()]))?;
        let answers = || Ok(http::get(listen, "/artifacts/x")?.status == 404);
        stack.await_answer("artifacts", answers)?;
        Ok(Store { http: listen })
    }

    /// A `sluice` that knows a stack, this store, and what captures a job.
    pub fn sluice(&self, stack: &Stack, arguments: &[&str]) -> Command {
        let mut sluice = Command::new(cargo::program("sluice"));
        let state = stack.state();
        sluice.args(arguments);
        sluice.env("SLUICE_BROKERS", &state.brokers).env("SLUICE_REGISTRY", &state.registry_url);
        sluice.env("SLUICE_ARTIFACTS", format!("http://{}", self.http));
        sluice.env("SLUICE_FLINK_LIB", paths::flink_libs()).env("SLUICE_FLINK_JAR", FLINK.jar());
        sluice.env("SLUICE_HOST_JAR", HOST.jar());
        sluice
    }

    /// `sluice deploy` of a query's jar, with results in the topic `output`.
    pub fn deploy(&self, stack: &Stack, case: &Case, output: &str, options: &[&str]) -> Command {
        let mut deploy = self.sluice(stack, &["deploy", "--query", case.id()]);
        deploy.arg("--input").arg(format!("{}={}", case.input, case.source)).args(options);
        deploy.arg(case.project.jar()).arg("--");
        deploy.args(["--brokers", &stack.state().brokers, "--input", "lines", "--output", output]);
        deploy.args(["--group", &format!("{}-residual", case.id()), "--exactly-once", "true"]);
        deploy
    }

    /// The sections of an edge's or a replica's configuration by which it runs a job's own functions; what it needs for that lies in `dir`, its own.
    pub fn settings(&self, dir: &Path) -> String {
        format!(
            "[jvm]\nhost = \"{}\"\ndir = \"{}\"\n[artifacts]\nurl = \"http://{}\"\ndir = \"{}\"\n",
            HOST.jar().display(),
            dir.join("jvm").display(),
            self.http,
            dir.join("artifacts").display()
        )
    }
}
