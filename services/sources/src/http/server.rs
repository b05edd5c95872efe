//! A server with bounds: connections, and the time that a client may take.

use std::sync::Arc;
use std::time::Duration;

use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use warp::hyper::server::conn::http1;

/// How often the server looks whether it is to end.
const GLANCE: Duration = Duration::from_millis(100);
/// How long requests in work may take when the server ends.
const GRACE: Duration = Duration::from_secs(2);

/// Bounds of a server.
pub struct Server {
    /// The most connections at a time.
    pub max_connections: usize,
    /// How long a client may take to send a request.
    pub timeout: Duration,
}

impl Server {
    /// Serves `routes` until `is_stopped`, then lets the requests in work end.
    pub async fn run<F>(&self, listener: TcpListener, routes: F, is_stopped: impl Fn() -> bool)
    where
        F: warp::Filter<Error = std::convert::Infallible> + Clone + Send + Sync + 'static,
        F::Extract: warp::Reply,
    {
        let permits = Arc::new(Semaphore::new(self.max_connections));
        let mut connections = JoinSet::new();
        while !is_stopped() {
            while connections.try_join_next().is_some() {}
            let Ok(Ok(permit)) =
                tokio::time::timeout(GLANCE, permits.clone().acquire_owned()).await
            else {
                continue;
            };
            // What went wrong with one connection is no reason to end; the glance keeps it from spinning.
            let Ok(Ok((stream, _))) = tokio::time::timeout(GLANCE, listener.accept()).await else {
                continue;
            };
            let service = TowerToHyperService::new(warp::service(routes.clone()));
            let serving = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(self.timeout)
                .serve_connection(TokioIo::new(stream), service);
            connections.spawn(async move {
                // A client that goes away in the middle is its own affair.
                let _ = serving.await;
                drop(permit);
            });
        }
        let rest = async { while connections.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(GRACE, rest).await;
        connections.abort_all();
    }
}
