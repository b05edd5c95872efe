//! A controller on a stack.

use std::fs;
use std::net::SocketAddr;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::stack::{Stack, free_ports};
use crate::{cargo, http};

/// A running controller.
#[derive(Clone, Debug)]
pub struct Controller {
    /// The name of its process.
    pub name: String,
    /// Where it listens.
    pub http: SocketAddr,
}

impl Controller {
    /// Starts one as the process `name` and waits until it is ready; `settings` is the text of its section `[controller]`, and
    /// further ones.
    ///
    /// # Errors
    /// When it does not become ready.
    pub fn start(stack: &mut Stack, name: &str, settings: &str) -> Result<Controller> {
        let controller = Controller::spawn(stack, name, settings)?;
        stack.await_answer(name, || Ok(http::get(controller.http, "/ready")?.status == 200))?;
        Ok(controller)
    }

    /// The same without waiting.
    ///
    /// # Errors
    /// When there is no such program.
    pub fn spawn(stack: &mut Stack, name: &str, settings: &str) -> Result<Controller> {
        let http = SocketAddr::from(([127, 0, 0, 1], free_ports(1)?[0]));
        let state = stack.state();
        let config = state.dir.join(format!("{name}.toml"));
        let text = format!(
            "[controller]\nname = \"{name}\"\n{settings}\n[http]\nlisten = \"{http}\"\n\
             [kafka]\n\"bootstrap.servers\" = \"{}\"\n",
            state.brokers
        );
        fs::write(&config, text)?;
        let mut command = Command::new(cargo::program("sluice-controller"));
        stack.spawn(name, command.arg("--config").arg(config))?;
        Ok(Controller { name: name.to_owned(), http })
    }

    /// Whether it has read what it must know.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        http::get(self.http, "/ready").is_ok_and(|answer| answer.status == 200)
    }

    /// What its API answers under a path.
    ///
    /// # Errors
    /// When it does not answer, or refuses.
    pub fn get(&self, path: &str) -> Result<Value> {
        let answer = http::get(self.http, &format!("/api/v1/{path}"))?;
        ensure!(answer.status == 200, "{path}: {} {}", answer.status, answer.body);
        serde_json::from_str(&answer.body).with_context(|| format!("{path}: {}", answer.body))
    }

    /// Its address for `sluice top` and others.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.http)
    }
}
