//! A store behind HTTP, from the side of those who use it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use reqwest::header::RANGE;
use reqwest::{Response, StatusCode};
use thiserror::Error;

use crate::digest::{Digest, DigestError};
use crate::store::{Store, StoreError, Stored};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a store may stay silent while it answers.
const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// Why an artifact was not put or fetched.
#[derive(Debug, Error)]
pub enum ClientError {
    /// The store does not answer, or breaks off.
    #[error("artifact store {url}: {what}")]
    Unreachable {
        /// The store.
        url: String,
        /// What happened.
        what: String,
    },
    /// The store refuses.
    #[error("artifact store {url}: {status}: {what}")]
    Refused {
        /// The store.
        url: String,
        /// HTTP status.
        status: u16,
        /// What it says.
        what: String,
    },
    /// The store does not have the artifact.
    #[error("artifact store {url}: has no artifact {digest}")]
    Missing {
        /// The store.
        url: String,
        /// The artifact.
        digest: Digest,
    },
    /// No digest.
    #[error(transparent)]
    Digest(#[from] DigestError),
    /// A file to put that can't be read.
    #[error("{}: {error}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// What came does not go into the own store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A client of a store.
#[derive(Debug, Clone)]
pub struct Client {
    http: reqwest::Client,
    url: String,
    token: Option<String>,
}

impl Client {
    /// A client of the store at `url`, such as `http://127.0.0.1:8090`. The token is needed to put and delete, where the
    /// store has one.
    ///
    /// # Errors
    /// An URL that is none, or HTTP that can't be set up.
    pub fn new(url: &str, token: Option<String>) -> Result<Self, ClientError> {
        let url = url.trim_end_matches('/').to_owned();
        let unreachable =
            |error: String| ClientError::Unreachable { url: url.clone(), what: error };
        let parsed = reqwest::Url::parse(&url).map_err(|error| unreachable(error.to_string()))?;
        if parsed.scheme() != "http" {
            return Err(unreachable("only http:// is supported".to_owned()));
        }
        let http = reqwest::Client::builder().no_proxy().connect_timeout(CONNECT_TIMEOUT);
        let http = http.read_timeout(READ_TIMEOUT).build();
        let http = http.map_err(|error| unreachable(error.to_string()))?;
        Ok(Self { http, url, token })
    }

    /// The store's URL.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Whether the store has an artifact.
    ///
    /// # Errors
    /// A store that does not answer.
    pub async fn has(&self, digest: &Digest) -> Result<bool, ClientError> {
        let response = self.http.head(self.address(digest)).send().await;
        match self.checked(digest, response).await {
            Ok(_) => Ok(true),
            Err(ClientError::Missing { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// What the store has.
    ///
    /// # Errors
    /// A store that does not answer.
    pub async fn list(&self) -> Result<Vec<Stored>, ClientError> {
        let response = self.http.get(format!("{}/artifacts", self.url)).send().await;
        let response = response.and_then(Response::error_for_status);
        let stored = match response {
            Ok(response) => response.json().await,
            Err(error) => Err(error),
        };
        stored.map_err(|error| self.unreachable(&error))
    }

    /// Puts a file into the store, unless it is there already. Returns whether it is new.
    ///
    /// # Errors
    /// A file that can't be read, a store that does not answer or refuses.
    pub async fn put(&self, digest: &Digest, path: &Path) -> Result<bool, ClientError> {
        if self.has(digest).await? {
            return Ok(false);
        }
        let unreadable = |error| ClientError::File { path: path.to_owned(), error };
        let file = tokio::fs::File::open(path).await.map_err(unreadable)?;
        let length = file.metadata().await.map_err(unreadable)?.len();
        let put = self.http.put(self.address(digest)).header("content-length", length).body(file);
        let response = self.checked(digest, self.authorized(put).send().await).await?;
        Ok(response.status() == StatusCode::CREATED)
    }

    /// Removes an artifact from the store. Returns whether it was there.
    ///
    /// # Errors
    /// A store that does not answer or refuses.
    pub async fn delete(&self, digest: &Digest) -> Result<bool, ClientError> {
        let delete = self.authorized(self.http.delete(self.address(digest)));
        match self.checked(digest, delete.send().await).await {
            Ok(_) => Ok(true),
            Err(ClientError::Missing { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Fetches an artifact into `store`, unless it is there already; goes on where an earlier try broke off. Returns its
    /// path.
    ///
    /// # Errors
    /// A store that does not answer, has it not, or gives other bytes; an own store without room.
    pub async fn fetch(&self, digest: &Digest, store: &Store) -> Result<PathBuf, ClientError> {
        if let Some(path) = store.path(digest) {
            return Ok(path);
        }
        let mut incoming = store.download(*digest)?;
        let mut get = self.http.get(self.address(digest));
        if incoming.bytes() > 0 {
            get = get.header(RANGE, format!("bytes={}-", incoming.bytes()));
        }
        let mut response = match get.send().await {
            // What came before is at least as long as the artifact: it is whole, or not a part of it.
            Ok(response) if response.status() == StatusCode::RANGE_NOT_SATISFIABLE => {
                return Ok(incoming.finish()?);
            }
            response => self.checked(digest, response).await?,
        };
        if response.status() != StatusCode::PARTIAL_CONTENT {
            incoming.restart()?;
        }
        incoming.expect(incoming.bytes() + response.content_length().unwrap_or(0))?;
        while let Some(bytes) = response.chunk().await.map_err(|error| self.unreachable(&error))? {
            incoming.write(&bytes)?;
        }
        Ok(incoming.finish()?)
    }

    fn address(&self, digest: &Digest) -> String {
        format!("{}/artifacts/{digest}", self.url)
    }

    fn authorized(&self, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    async fn checked(
        &self,
        digest: &Digest,
        response: reqwest::Result<Response>,
    ) -> Result<Response, ClientError> {
        let response = response.map_err(|error| self.unreachable(&error))?;
        let (url, status) = (self.url.clone(), response.status());
        if status == StatusCode::NOT_FOUND {
            return Err(ClientError::Missing { url, digest: *digest });
        }
        if !status.is_success() {
            let text = response.text().await.unwrap_or_default();
            let what = text.lines().next().unwrap_or_default().to_owned();
            return Err(ClientError::Refused { url, status: status.as_u16(), what });
        }
        Ok(response)
    }

    /// The innermost cause says what happened; the outer ones only where.
    fn unreachable(&self, error: &reqwest::Error) -> ClientError {
        let mut cause: &dyn std::error::Error = error;
        while let Some(inner) = cause.source() {
            cause = inner;
        }
        ClientError::Unreachable { url: self.url.clone(), what: cause.to_string() }
    }
}
