//! The controller: watches every device, decides by policy where its events leave the edge, commands, and shows why.
//!
//! | module | what |
//! |---|---|
//! | [`core`] | pure: the fleet as a state machine |
//! | [`collect`] | the topics that it reads |
//! | [`lag`] | how far the residual jobs are |
//! | [`leader`] | which of several controllers leads |
//! | [`outbox`] | what it writes |
//! | [`service`] | the shell around them: one task |
//! | [`api`] | HTTP for people and programs |
//! | [`config`], [`meters`] | settings, metrics |

pub mod api;
pub mod collect;
pub mod config;
pub mod core;
pub mod lag;
pub mod leader;
pub mod meters;
pub mod outbox;
pub mod service;
