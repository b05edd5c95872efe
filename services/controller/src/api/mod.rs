//! HTTP for people and programs: the page, the API (`openapi.yaml`), metrics, and the store of jobs' files.
//!
//! What is on it, and what may be done with it, is for whoever has the token, where one is set; `/ping`, `/ready`, `/metrics`, the
//! page without its data, and reading the store are for everybody.

mod answer;
mod requests;
mod routes;

use std::net::SocketAddr;

use anyhow::Context as _;
use sluice_artifacts::Store;
use sluice_model::{RoutingCommand, Target};
use sluice_runtime::exit::Failure;
use sluice_runtime::metrics::Metrics;
use sluice_runtime::readiness::Readiness;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use warp::Filter as _;

use crate::config::Settings;
use crate::outbox::Answer;
use crate::service::Shared;

/// Orders of people that wait for the task.
const QUEUED_ORDERS: usize = 64;

/// A person's command, on its way to the task.
pub struct Order {
    /// Whom it addresses.
    pub target: Target,
    /// The command.
    pub command: RoutingCommand,
    /// For the partition and the epoch that it got.
    pub answer: Answer,
}

/// The way of orders from the server to the task.
#[must_use]
pub fn channel() -> (mpsc::Sender<Order>, mpsc::Receiver<Order>) {
    mpsc::channel(QUEUED_ORDERS)
}

/// What requests are answered from.
#[derive(Clone)]
pub struct Api {
    shared: Shared,
    orders: mpsc::Sender<Order>,
    metrics: Metrics,
    readiness: Readiness,
    token: Option<String>,
    metrics_devices: usize,
    store: Option<Store>,
}

impl Api {
    /// Takes the settings, and opens the store.
    ///
    /// # Errors
    /// When the store can't be opened (exit code 64).
    pub fn new(
        settings: &Settings,
        shared: Shared,
        orders: mpsc::Sender<Order>,
        metrics: Metrics,
        readiness: Readiness,
    ) -> anyhow::Result<Self> {
        let open = |artifacts: &crate::config::ArtifactSettings| {
            Store::open(&artifacts.dir, artifacts.limits).map_err(Failure::usage)
        };
        Ok(Self {
            shared,
            orders,
            metrics,
            readiness,
            token: settings.token.clone(),
            metrics_devices: settings.metrics_devices,
            store: settings.artifacts.as_ref().map(open).transpose()?,
        })
    }

    /// Binds the server and serves until the process ends. Returns the bound address.
    ///
    /// # Errors
    /// When the address can't be bound (exit code 64).
    pub async fn serve(self, listen: SocketAddr) -> anyhow::Result<SocketAddr> {
        let listener = TcpListener::bind(listen).await.map_err(|error| {
            let hint = "free the port or set another one";
            Failure::usage(format!("http.listen = {listen}: {error}; {hint}"))
        })?;
        let bound = listener.local_addr().context("no local address")?;
        if self.token.is_none() && !bound.ip().is_loopback() {
            tracing::warn!("whoever reaches {bound} can route devices: set http.token");
        }
        tokio::spawn(self.answer(listener));
        Ok(bound)
    }

    async fn answer(self, listener: TcpListener) {
        let token = self.token.clone();
        let store = self.store.clone();
        let routes = routes::all(self);
        match store {
            Some(store) => {
                let store = sluice_artifacts::serve::routes(store, token);
                let routes = routes.or(store).recover(routes::refused);
                warp::serve(routes).incoming(listener).run().await;
            }
            None => {
                let routes = routes.recover(routes::refused);
                warp::serve(routes).incoming(listener).run().await;
            }
        }
    }
}
