//! Logs on standard error: text, or one JSON object a line.

use tracing_subscriber::EnvFilter;

/// The variable with the levels, such as `info` or `sluice_edge=debug`.
pub const LEVEL_VARIABLE: &str = "SLUICE_LOG";
/// The variable with the form: `text` (default) or `json`.
pub const FORMAT_VARIABLE: &str = "SLUICE_LOG_FORMAT";

/// Starts logging; later calls change nothing.
pub fn init() {
    let filter = EnvFilter::try_from_env(LEVEL_VARIABLE).unwrap_or_else(|_| EnvFilter::new("info"));
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let json = std::env::var(FORMAT_VARIABLE).is_ok_and(|form| form == "json");
    // A second call, as tests make it, keeps the first subscriber.
    let _ = if json { builder.json().try_init() } else { builder.with_ansi(false).try_init() };
}
