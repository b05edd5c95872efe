//! Which of several controllers leads: the one to whom the group assigns the only partition of `sluice.leader`.
//!
//! An assignment is no lock: one that was cut off may believe that it leads for some seconds more. Its commands carry
//! `if_epoch` and an expiry, so that a device follows one of two at most.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use sluice_kafka::{KafkaError, Polled, Properties, StageConsumer};
use sluice_model::topics;
use tokio::sync::watch;

/// The group of all controllers of a cluster.
const GROUP: &str = "sluice.controller";
/// After so long without a sign of the leader another one leads. The least that brokers allow by default.
const SESSION_MS: (&str, &str) = ("session.timeout.ms", "6000");
const LOOK: Duration = Duration::from_millis(100);

/// A candidate, as long as it is kept. Dropping it leaves the group, so that another may lead at once.
pub struct Leadership {
    leads: watch::Receiver<bool>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Leadership {
    /// Joins the group.
    ///
    /// # Errors
    /// [`KafkaError::Config`] for a property that does not fit.
    pub fn run_for(properties: &Properties) -> Result<Self, KafkaError> {
        let mut properties = properties.clone();
        let (name, value) = SESSION_MS;
        properties.entry(name.to_owned()).or_insert_with(|| value.to_owned());
        let mut consumer =
            StageConsumer::new(&properties, topics::LEADER, GROUP, "sluice-controller")?;
        let (sender, leads) = watch::channel(false);
        let stop = Arc::new(AtomicBool::new(false));
        let told = stop.clone();
        let look = move || {
            while !told.load(Ordering::Relaxed) {
                match consumer.poll(LOOK) {
                    Some(Polled::Assigned(partitions)) if partitions.contains(&0) => {
                        sender.send_replace(true);
                    }
                    Some(Polled::Revoked(partitions)) if partitions.contains(&0) => {
                        sender.send_replace(false);
                    }
                    Some(Polled::Trouble(text)) => tracing::warn!("leadership: {text}"),
                    _ => {}
                }
            }
        };
        let thread = thread::Builder::new()
            .name("leadership".to_owned())
            .spawn(look)
            .map_err(|error| KafkaError::Other(format!("no thread for the leadership: {error}")))?;
        Ok(Self { leads, stop, thread: Some(thread) })
    }

    /// Waits for the next change, and says whether this one leads.
    pub async fn changed(&mut self) -> bool {
        if self.leads.changed().await.is_err() {
            // Its thread only ends with this, or after a panic, which it has printed.
            std::future::pending::<()>().await;
        }
        *self.leads.borrow_and_update()
    }
}

impl Drop for Leadership {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
