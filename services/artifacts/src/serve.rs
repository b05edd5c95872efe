//! A store over HTTP.
//!
//! - `GET /artifacts`: what is there, as JSON.
//! - `GET` and `HEAD /artifacts/<digest>`: the artifact, ranges of it too.
//! - `PUT /artifacts/<digest>`: 201 where it is new, 200 where it was there. 413 too large, 422 other bytes than the
//!   digest says, 507 no room.
//! - `DELETE /artifacts/<digest>`: 204, or 404.
//!
//! Where the store has a token, `PUT` and `DELETE` need it (`Authorization: Bearer ..`), else 401.

use std::future::Future;
use std::io::ErrorKind;

use futures_util::{Stream, TryStreamExt as _};
use thiserror::Error;
use tokio::net::TcpListener;
use warp::http::StatusCode;
use warp::reply::with_status;
use warp::{Buf, Filter, Rejection, Reply};

use crate::digest::Digest;
use crate::store::{Store, StoreError};

/// The routes of a store, for any server.
pub fn routes(
    store: Store,
    token: Option<String>,
) -> impl Filter<Extract = (impl Reply,), Error = Rejection> + Clone {
    let objects = warp::fs::dir(store.objects().to_owned()).recover(missing);
    let get = warp::path("artifacts").and(objects);
    let listed = store.clone();
    let list = warp::path!("artifacts").and(warp::get()).map(move || match listed.list() {
        Ok(stored) => warp::reply::json(&stored).into_response(),
        Err(error) => {
            with_status(format!("{error}\n"), StatusCode::INTERNAL_SERVER_ERROR).into_response()
        }
    });
    let allowed = warp::header::optional::<String>("authorization")
        .map(move |header: Option<String>| is_allowed(token.as_deref(), header.as_deref()));
    let store = warp::any().map(move || store.clone());
    let change = warp::path!("artifacts" / Digest).and(allowed).and(store);
    let put = change
        .clone()
        .and(warp::put())
        .and(warp::header::optional("content-length"))
        .and(warp::body::stream())
        .then(async |digest, allowed, store, length, body| match allowed {
            true => answer(digest, put(&store, digest, length, body).await),
            false => answer(digest, Err(Refused::Token)),
        });
    let delete = change.and(warp::delete()).map(|digest, allowed, store| match allowed {
        true => answer(digest, delete(&store, digest)),
        false => answer(digest, Err(Refused::Token)),
    });
    list.or(get).or(put).or(delete)
}

/// Else a missing artifact would be a method that is not allowed, since the other routes refuse it for that.
async fn missing(rejection: Rejection) -> Result<StatusCode, Rejection> {
    if rejection.is_not_found() { Ok(StatusCode::NOT_FOUND) } else { Err(rejection) }
}

/// Serves a store until `end` is done.
pub async fn serve(
    listener: TcpListener,
    store: Store,
    token: Option<String>,
    end: impl Future<Output = ()> + Send + 'static,
) {
    warp::serve(routes(store, token)).incoming(listener).graceful(end).run().await;
}

/// The digests of both are compared, so that the time taken says nothing of the token.
fn is_allowed(token: Option<&str>, header: Option<&str>) -> bool {
    let Some(token) = token else { return true };
    let given = header.and_then(|header| header.strip_prefix("Bearer ")).unwrap_or_default();
    Digest::of(given.as_bytes()) == Digest::of(token.as_bytes())
}

/// Why a request was refused.
#[derive(Debug, Error)]
enum Refused {
    #[error("this store needs a token: Authorization: Bearer ..")]
    Token,
    #[error("the body broke off: {0}")]
    Body(#[from] warp::Error),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Refused {
    fn status(&self) -> StatusCode {
        match self {
            Self::Token => StatusCode::UNAUTHORIZED,
            Self::Body(_) => StatusCode::BAD_REQUEST,
            Self::Store(StoreError::TooLarge(_)) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Store(StoreError::WrongDigest { .. }) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Store(StoreError::Full(_)) => StatusCode::INSUFFICIENT_STORAGE,
            Self::Store(StoreError::Io { error, .. }) if error.kind() == ErrorKind::StorageFull => {
                StatusCode::INSUFFICIENT_STORAGE
            }
            Self::Store(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

fn answer(digest: Digest, done: Result<StatusCode, Refused>) -> impl Reply {
    match done {
        Ok(status) => {
            tracing::info!(%digest, "{status}");
            with_status(String::new(), status)
        }
        Err(refused) => {
            tracing::warn!(%digest, "refused: {refused}");
            with_status(format!("{refused}\n"), refused.status())
        }
    }
}

fn delete(store: &Store, digest: Digest) -> Result<StatusCode, Refused> {
    let was_there = store.remove(&digest)?;
    Ok(if was_there { StatusCode::NO_CONTENT } else { StatusCode::NOT_FOUND })
}

async fn put(
    store: &Store,
    digest: Digest,
    length: Option<u64>,
    body: impl Stream<Item = Result<impl Buf, warp::Error>>,
) -> Result<StatusCode, Refused> {
    let known = store.path(&digest).is_some();
    let mut incoming = store.upload(digest)?;
    incoming.expect(length.unwrap_or(0))?;
    let mut body = std::pin::pin!(body);
    while let Some(mut chunk) = body.try_next().await? {
        while chunk.has_remaining() {
            let bytes = chunk.chunk();
            incoming.write(bytes)?;
            let taken = bytes.len();
            chunk.advance(taken);
        }
    }
    incoming.finish()?;
    Ok(if known { StatusCode::OK } else { StatusCode::CREATED })
}
