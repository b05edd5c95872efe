//! The wall clock.

use std::time::{SystemTime, UNIX_EPOCH};

/// The wall clock, epoch milliseconds; 0 before 1970.
#[must_use]
pub fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
