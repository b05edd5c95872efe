//! How far the residual jobs are: frames of `out` that they have not committed. A slow cloud shows here, and is not blamed on
//! devices.

use std::thread;
use std::time::Duration;

use sluice_kafka::{KafkaError, Properties, lag};

use crate::service::Shared;

/// The time between two looks.
const EVERY: Duration = Duration::from_secs(10);

/// Looks for ever, on a thread of its own.
///
/// # Errors
/// When there is no thread.
pub fn watch(properties: &Properties, shared: Shared) -> Result<(), KafkaError> {
    let properties = properties.clone();
    let look = move || {
        loop {
            thread::park_timeout(EVERY);
            let outs = shared.fleet().outs();
            for (query, input, topic) in outs {
                // The frame source commits under this name, with each of its job's checkpoints.
                let group = format!("sluice.{query}.{input}.residual");
                match lag(&properties, &group, &topic) {
                    Ok(frames) => shared.fleet().handle_residual_lag(&query, &input, frames),
                    Err(error) => tracing::debug!(%query, %input, "residual lag: {error}"),
                }
            }
        }
    };
    thread::Builder::new()
        .name("residual-lag".to_owned())
        .spawn(look)
        .map(drop)
        .map_err(|error| KafkaError::Other(format!("no thread for the residual lag: {error}")))
}
