//! The signals that ask a service to end.

use tokio::signal::unix::{SignalKind, signal};

/// Waits for SIGTERM or SIGINT and says which it was.
///
/// # Errors
/// When the handlers can't be installed.
pub async fn signalled() -> std::io::Result<&'static str> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(tokio::select! {
        _ = terminate.recv() => "SIGTERM",
        _ = interrupt.recv() => "SIGINT",
    })
}
