//! The engine jvm with the real host.

mod functions;
mod harm;
mod host;
