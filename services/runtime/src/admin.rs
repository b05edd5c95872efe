//! The admin HTTP server.
//!
//! - `GET /ping`: 200 while the process lives.
//! - `GET /ready`: 200, or 503 with a line for each part that is not ready.
//! - `GET /metrics`: Prometheus text.

use std::net::SocketAddr;

use tokio::net::TcpListener;
use warp::http::StatusCode;
use warp::{Filter as _, Reply};

use crate::exit::Failure;
use crate::metrics::Metrics;
use crate::readiness::Readiness;

/// Binds the server and serves it on the current runtime until that ends. Returns the bound address.
///
/// # Errors
/// When the address can't be bound.
pub async fn serve(
    listen: SocketAddr,
    readiness: Readiness,
    metrics: Metrics,
) -> anyhow::Result<SocketAddr> {
    let listener = TcpListener::bind(listen).await.map_err(|error| {
        Failure::usage(format!("http.listen = {listen}: {error}; free the port or set another one"))
    })?;
    let bound = listener.local_addr()?;
    tokio::spawn(warp::serve(routes(readiness, metrics)).incoming(listener).run());
    Ok(bound)
}

fn routes(
    readiness: Readiness,
    metrics: Metrics,
) -> impl warp::Filter<Extract = (impl Reply,), Error = warp::Rejection> + Clone {
    let ping = warp::path!("ping").map(|| "pong\n".to_owned());
    let metrics = warp::path!("metrics").map(move || metrics.render());
    let ready = warp::path!("ready").map(move || {
        let lines: String =
            readiness.waiting().iter().map(|(part, why)| format!("{part}: {why}\n")).collect();
        if lines.is_empty() {
            warp::reply::with_status("ready\n".to_owned(), StatusCode::OK)
        } else {
            warp::reply::with_status(lines, StatusCode::SERVICE_UNAVAILABLE)
        }
    });
    warp::get().and(ping.or(ready).or(metrics))
}
