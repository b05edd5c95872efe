//! What every service has around its work: configuration, logs, metrics, the admin HTTP server, the clock, and a clean end.
//!
//! The only crate that reads the environment and the wall clock.

pub mod admin;
pub mod args;
pub mod clock;
pub mod config;
pub mod cpu;
pub mod exit;
pub mod files;
mod health;
pub mod logs;
pub mod metrics;
pub mod readiness;
pub mod shutdown;
