//! The shell of one input: a thread that owns its spool, operators and producer, and does what the machine says.

mod broker_clock;
mod mail;
mod measure;
mod outbox;
mod report;
mod turn;
mod versions;

use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

use anyhow::Context as _;
use sluice_jvm::Engines;
use sluice_model::{CommandKey, DeviceKey, DeviceStatus, Epoch, Refusal, RoutingCommand};
use sluice_runtime::readiness::Readiness;

use crate::config::Settings;
use crate::deployment::Deployment;
use crate::usage::Usage;
use turn::Input;

/// What the inputs of an agent have in common.
#[derive(Debug, Clone, Default)]
pub struct Shared {
    /// What executes their operators.
    pub engines: Engines,
    /// Whose processor time is whose.
    pub usage: Usage,
}

/// What the shared topics say to an input.
#[derive(Debug)]
pub enum Mail {
    /// A row that addresses this input: a routing command, or the refusal of one that can't be read.
    Command {
        /// Its key.
        key: CommandKey,
        /// Its epoch.
        epoch: Epoch,
        /// Its value.
        command: Result<RoutingCommand, Refusal>,
        /// When the broker appended it, epoch milliseconds.
        broker_ms: i64,
    },
    /// A command that does not concern this input, where it looks as if it did.
    Refused {
        /// Why it does not.
        refusal: Refusal,
        /// When the broker appended it, epoch milliseconds.
        broker_ms: i64,
    },
    /// The generation of `sluice.status`.
    Generation(i64),
    /// A hello of this input.
    Hello {
        /// Names the start.
        nonce: String,
        /// Its offset.
        offset: i64,
        /// When the broker appended it, epoch milliseconds.
        broker_ms: i64,
    },
    /// A status of this input.
    Status(Box<DeviceStatus>),
    /// An event that the source could not put into the spool.
    Oversize(Vec<u8>),
    /// A newer version is deployed that can't run here; why.
    Unfit(String),
    /// A newer version takes over: stop taking events, end, leave the spool to it.
    Yield,
    /// Stop taking events, drain, end.
    Stop,
    /// The device leaves the input: drain without a limit, say up to where its events go, end.
    Leave,
}

/// A running input.
pub struct InputHandle {
    /// The version that new events belong to.
    pub version: i32,
    /// The partition of its frames.
    pub partition: i32,
    mail: Sender<Mail>,
    thread: JoinHandle<anyhow::Result<()>>,
}

impl InputHandle {
    /// Puts mail into the input's box. An input that ended does not read it.
    pub fn send(&self, mail: Mail) {
        let _ = self.mail.send(mail);
    }

    /// Whether the thread has ended.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.thread.is_finished()
    }

    /// Waits for the end of the thread.
    ///
    /// # Errors
    /// What ended it, if not the stop.
    pub fn join(self) -> anyhow::Result<()> {
        self.thread.join().unwrap_or_else(|_| Err(anyhow::anyhow!("an input's thread panicked")))
    }
}

/// Starts an input: from now on events are accepted, whether the broker can be reached or not.
///
/// # Errors
/// When its spool, operators, source or producer can't be made.
pub fn start(
    settings: &Settings,
    shared: &Shared,
    key: &DeviceKey,
    deployment: Deployment,
    readiness: &Readiness,
) -> anyhow::Result<InputHandle> {
    let (mail, inbox) = channel();
    let (version, partition) = (deployment.query.version, deployment.entry.partition);
    let input =
        Input::open(settings, shared, key, deployment, inbox, mail.clone(), readiness.clone())
            .with_context(|| format!("input {key}"))?;
    let thread = std::thread::Builder::new()
        .name(format!("input-{}", key.input))
        .spawn(move || input.run())?;
    Ok(InputHandle { version, partition, mail, thread })
}
