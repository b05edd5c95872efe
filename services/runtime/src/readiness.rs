//! Readiness as the absence of open latches.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// What a process still waits for. Clones share their state.
#[derive(Debug, Clone, Default)]
pub struct Readiness {
    waiting: Arc<Mutex<BTreeMap<String, String>>>,
}

impl Readiness {
    /// A process that waits for nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Says that `part` is not ready, and why.
    pub fn wait_for(&self, part: &str, why: &str) {
        self.lock().insert(part.to_owned(), why.to_owned());
    }

    /// Says that `part` is ready.
    pub fn ready(&self, part: &str) {
        self.lock().remove(part);
    }

    /// The parts that are not ready, with the reasons.
    #[must_use]
    pub fn waiting(&self) -> Vec<(String, String)> {
        self.lock().iter().map(|(part, why)| (part.clone(), why.clone())).collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, String>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
