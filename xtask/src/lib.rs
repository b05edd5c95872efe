//! What `cargo xtask` does, each task a function: install, stack, test, bench, demo.
//!
//! The crate is a library too, so that end-to-end tests start the same stack and the same demo. It compiles in seconds:
//! no Kafka client and no runtime; brokers and registry are asked in a few bytes of their own protocols.

pub mod bench;
pub mod cargo;
pub mod case;
pub mod controller;
pub mod cpu;
pub mod demo;
pub mod docker;
pub mod http;
pub mod install;
pub mod java;
pub mod job;
pub mod paths;
pub mod process;
pub mod residual;
pub mod results;
pub mod stack;
pub mod suite;
