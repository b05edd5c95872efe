//! `kind = "http"`: devices in the neighbourhood post their events.
//!
//! A request is answered with 200 when all of its events are as safe as the spool's mode promises. Any other answer means that none of them was
//! accepted. A request that got no answer may have been accepted: who sends it again may double its events.

mod body;
mod server;

use std::future::poll_fn;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use sluice_runtime::config::Section;
use tokio::net::TcpListener;
use tokio::sync::Mutex;
use warp::http::StatusCode;
use warp::reply::Response;
use warp::{Buf, Filter as _, Reply as _, Stream};

use crate::intake::{Intake, Refused};
use server::Server;

/// Settings of the source.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where it listens.
    pub listen: SocketAddr,
    /// The path that takes events.
    pub path: String,
    /// The largest body, bytes.
    pub max_body_bytes: u64,
    /// The most connections at a time; others wait to be accepted.
    pub max_connections: usize,
    /// How long a client may take for a request's head or body.
    pub timeout: Duration,
    /// What `Retry-After` says when the spool is full.
    pub retry_after: Duration,
}

impl Settings {
    /// Reads the settings of a section; nothing only when a problem was noted.
    #[must_use]
    pub fn read(section: &Section) -> Option<Self> {
        let path: String = section.or("path", "/events".to_owned());
        if !path.starts_with('/') || path.len() < 2 || path[1..].contains('/') {
            section.problem("path", format!("`{path}` is not of the form /name"));
        }
        Some(Self {
            listen: section.or("listen", SocketAddr::from(([127, 0, 0, 1], 8088))),
            path,
            max_body_bytes: section.or("max_body_bytes", 1 << 20),
            max_connections: section.or("max_connections", 64).max(1),
            timeout: Duration::from_millis(section.or("timeout_ms", 10_000)),
            retry_after: Duration::from_secs(section.or("retry_after_s", 5)),
        })
    }
}

/// A source that is bound to its address.
pub struct Http {
    settings: Settings,
    intake: Intake,
    listener: std::net::TcpListener,
}

impl Http {
    /// Binds the address.
    ///
    /// # Errors
    /// When it can't be bound.
    pub fn bind(settings: Settings, intake: Intake) -> Result<Self> {
        let listener = std::net::TcpListener::bind(settings.listen).with_context(|| {
            format!("sources.listen = {}: free the port or set another one", settings.listen)
        })?;
        listener.set_nonblocking(true)?;
        Ok(Self { settings, intake, listener })
    }

    /// The bound address.
    ///
    /// # Errors
    /// When the system does not say.
    pub fn address(&self) -> Result<SocketAddr> {
        Ok(self.listener.local_addr()?)
    }

    /// Serves until the source is to end.
    ///
    /// # Errors
    /// When the spool has failed.
    pub fn run(self) -> Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(self.serve())
    }

    async fn serve(self) -> Result<()> {
        let listener = TcpListener::from_std(self.listener)?;
        tracing::info!("events by HTTP on {}{}", listener.local_addr()?, self.settings.path);
        self.intake.observer().connected(None);
        let counter = Arc::new(Counter {
            intake: self.intake.clone(),
            turn: Mutex::new(()),
            retry_after_s: self.settings.retry_after.as_secs(),
        });
        let failed = counter.clone();
        let timeout = self.settings.timeout;
        let routes = warp::path(self.settings.path[1..].to_owned())
            .and(warp::path::end())
            .and(warp::post())
            .and(warp::header::optional::<String>("content-type"))
            .and(warp::body::content_length_limit(self.settings.max_body_bytes))
            .and(warp::body::stream())
            .then(move |kind: Option<String>, body| {
                let counter = counter.clone();
                async move {
                    match tokio::time::timeout(timeout, read(body)).await {
                        Ok(Some(body)) => counter.take(kind.as_deref(), &body).await,
                        Ok(None) => counter.refused(
                            "malformed",
                            StatusCode::BAD_REQUEST,
                            "the body ended early",
                        ),
                        Err(_) => counter.refused(
                            "slow",
                            StatusCode::REQUEST_TIMEOUT,
                            "the body took too long",
                        ),
                    }
                }
            })
            .recover(move |rejection: warp::Rejection| {
                let answer = failed.refuse(&rejection);
                async move { Ok::<_, std::convert::Infallible>(answer) }
            });
        let server = Server {
            max_connections: self.settings.max_connections,
            timeout: self.settings.timeout,
        };
        server.run(listener, routes, || self.intake.is_stopped()).await;
        Ok(())
    }
}

/// Takes the bodies of requests, one at a time.
struct Counter {
    intake: Intake,
    /// Bodies are offered one behind the other, so that each is taken whole; they wait for the disk together.
    turn: Mutex<()>,
    retry_after_s: u64,
}

impl Counter {
    async fn take(&self, kind: Option<&str>, body: &[u8]) -> Response {
        let events = match body::events(kind, body) {
            Ok(events) => events,
            Err(problem) => {
                return self.refused("malformed", StatusCode::BAD_REQUEST, &problem.to_string());
            }
        };
        let count = events.len();
        let values = events.iter().map(|event| self.intake.encoded(event)).collect();
        match self.keep(values).await {
            Ok(()) => answer(StatusCode::OK, &serde_json::json!({ "accepted": count })),
            Err(problem) => {
                let text = problem.to_string();
                match problem {
                    Refused::Full => {
                        let text = format!("{text}; send it again in {} s", self.retry_after_s);
                        let mut full = self.refused("full", StatusCode::SERVICE_UNAVAILABLE, &text);
                        full.headers_mut().insert("retry-after", self.retry_after_s.into());
                        full
                    }
                    Refused::TooLarge { .. } => {
                        self.refused("too_large", StatusCode::PAYLOAD_TOO_LARGE, &text)
                    }
                    Refused::Stopping => {
                        self.refused("stopping", StatusCode::SERVICE_UNAVAILABLE, &text)
                    }
                    Refused::Failed(_) => {
                        self.refused("spool", StatusCode::INTERNAL_SERVER_ERROR, &text)
                    }
                }
            }
        }
    }

    /// Puts the events into the spool and waits until they are safe.
    async fn keep(&self, values: Vec<Vec<u8>>) -> Result<(), Refused> {
        let turn = self.turn.lock().await;
        let intake = self.intake.clone();
        let end = blocking(move || intake.offer(&values)).await?;
        drop(turn);
        let intake = self.intake.clone();
        match blocking(move || Ok(intake.wait_durable(end)?)).await? {
            true => Ok(()),
            false => Err(Refused::Stopping),
        }
    }

    fn refused(&self, reason: &'static str, status: StatusCode, text: &str) -> Response {
        self.intake.observer().refused(reason);
        answer(status, &serde_json::json!({ "error": text }))
    }

    /// What is answered to a request that no route took.
    fn refuse(&self, rejection: &warp::Rejection) -> Response {
        if rejection.find::<warp::reject::PayloadTooLarge>().is_some() {
            self.refused("too_large", StatusCode::PAYLOAD_TOO_LARGE, "the body is too large")
        } else if rejection.find::<warp::reject::LengthRequired>().is_some() {
            self.refused(
                "length",
                StatusCode::LENGTH_REQUIRED,
                "a content-length is needed; chunked bodies are not taken",
            )
        } else if rejection.find::<warp::reject::MethodNotAllowed>().is_some() {
            self.refused("method", StatusCode::METHOD_NOT_ALLOWED, "events are posted")
        } else if rejection.is_not_found() {
            self.refused("path", StatusCode::NOT_FOUND, "no such path")
        } else {
            self.refused("malformed", StatusCode::BAD_REQUEST, "the request can't be read")
        }
    }
}

/// The whole body; nothing when its sender goes away.
async fn read(body: impl Stream<Item = Result<impl Buf, warp::Error>>) -> Option<Vec<u8>> {
    let mut body = pin!(body);
    let mut whole = Vec::new();
    while let Some(part) = poll_fn(|context| body.as_mut().poll_next(context)).await {
        let mut part = part.ok()?;
        while part.has_remaining() {
            let chunk = part.chunk();
            whole.extend_from_slice(chunk);
            let read = chunk.len();
            part.advance(read);
        }
    }
    Some(whole)
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refused> + Send + 'static,
) -> Result<T, Refused> {
    tokio::task::spawn_blocking(work).await.unwrap_or(Err(Refused::Stopping))
}

fn answer(status: StatusCode, body: &serde_json::Value) -> Response {
    warp::reply::with_status(warp::reply::json(body), status).into_response()
}
