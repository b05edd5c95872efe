//! The forms of answers: JSON, and errors as JSON too.

use serde::Serialize;
use serde_json::json;
use warp::Reply;
use warp::http::StatusCode;
use warp::reply::{Response, json as as_json, with_status};

/// Why a request is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    pub status: StatusCode,
    pub why: String,
}

impl Refused {
    pub fn new(status: StatusCode, why: impl Into<String>) -> Self {
        Self { status, why: why.into() }
    }

    pub fn unknown(key: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, format!("no device {key} has joined"))
    }

    pub fn usage(why: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, why)
    }
}

/// The answer to a request.
pub fn answer<T: Serialize>(result: Result<T, Refused>) -> Response {
    match result {
        Ok(value) => as_json(&value).into_response(),
        Err(Refused { status, why }) => {
            with_status(as_json(&json!({ "error": why })), status).into_response()
        }
    }
}
