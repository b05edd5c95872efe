//! `kind = "mqtt"`: events are the messages of topics of an MQTT broker (3.1.1 or 5), at QoS 1 in a persistent session.
//!
//! A message is acknowledged once it is as safe as the spool's mode promises. The broker sends again what was not acknowledged; what it sends again
//! after this process has died may have been accepted before, and is counted as repeated.

mod link;
mod session;
mod settings;
mod v3;
mod v5;

use std::time::Duration;

use anyhow::Result;
use tokio::sync::mpsc;

use crate::intake::Intake;
use link::{Acknowledge, Happening, Link, Message};
use session::Session;
pub use settings::{Protocol, Settings, Tls};

/// How often the spool is asked what is safe, while messages wait for that.
const GLANCE: Duration = Duration::from_millis(2);
/// The first pause after a connection was lost, and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(10));
/// Messages that are read ahead. Beyond that the broker is not listened to.
const READ_AHEAD: usize = 4_096;
/// Messages that are put into the spool together.
const BATCH: usize = 512;
/// How long the last acknowledgements may take.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A source that is ready to connect.
pub struct Mqtt {
    settings: Settings,
    intake: Intake,
    session: Session,
}

impl Mqtt {
    /// A source with these settings.
    #[must_use]
    pub fn new(settings: Settings, intake: Intake) -> Self {
        Self { settings, intake, session: Session::default() }
    }

    /// Connects, and connects again, until the source is to end.
    ///
    /// # Errors
    /// When the spool has failed, or a file of the TLS settings can't be read.
    pub fn run(self) -> Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(self.go())
    }

    async fn go(mut self) -> Result<()> {
        let mut pause = PAUSES.0;
        while !self.intake.is_stopped() {
            let link: Box<dyn Link> = match self.settings.protocol {
                Protocol::V3 => Box::new(v3::open(&self.settings)?),
                Protocol::V5 => Box::new(v5::open(&self.settings)?),
            };
            let mut was_connected = false;
            if let Some(trouble) = self.follow(link, &mut was_connected).await? {
                self.intake.observer().connected(Some(&trouble));
                tracing::warn!("MQTT broker {}: {trouble}", self.settings.broker());
            }
            pause = if was_connected { PAUSES.0 } else { (pause * 2).min(PAUSES.1) };
            self.rest(pause).await;
        }
        Ok(())
    }

    /// Follows one connection to its end, and says why it ended; nothing when the source is to end.
    async fn follow(
        &mut self,
        mut link: Box<dyn Link>,
        was_connected: &mut bool,
    ) -> Result<Option<String>> {
        let acknowledger = link.acknowledger();
        let (sender, mut happenings) = mpsc::channel(READ_AHEAD);
        // Reading a packet must not be broken off, so it has a task of its own.
        let reading = Task(tokio::spawn(async move {
            loop {
                let happened = link.next().await;
                let is_end = happened.is_err();
                if sender.send(happened).await.is_err() || is_end {
                    return;
                }
            }
        }));
        let mut batch = Vec::new();
        while !self.intake.is_stopped() {
            let glance = if self.session.is_empty() { GLANCE * 50 } else { GLANCE };
            let received =
                tokio::time::timeout(glance, happenings.recv_many(&mut batch, BATCH)).await;
            if received == Ok(0) {
                return Ok(Some("the connection ended".to_owned()));
            }
            let mut messages = Vec::new();
            for happened in batch.drain(..) {
                match happened {
                    Ok(Happening::Message(message)) => messages.push(message),
                    Ok(Happening::Connected { session_present }) => {
                        *was_connected = true;
                        self.session.connected(session_present);
                        self.intake.observer().connected(None);
                        tracing::info!(
                            session_present,
                            "MQTT broker {}: connected",
                            self.settings.broker()
                        );
                    }
                    Ok(Happening::Acknowledged(packet_id)) => self.session.sent(packet_id),
                    Ok(Happening::Other) => {}
                    Err(trouble) => {
                        self.take(messages).await?;
                        return Ok(Some(trouble));
                    }
                }
            }
            self.take(messages).await?;
            for packet_id in self.session.due(self.intake.durable()) {
                acknowledger.acknowledge(packet_id).await;
            }
        }
        self.say_last_words(&*acknowledger, &mut happenings).await;
        drop(reading);
        Ok(None)
    }

    /// Acknowledges what was accepted, as soon as it is safe. What else comes is not taken: the broker sends it again next time.
    async fn say_last_words(
        &mut self,
        acknowledger: &dyn Acknowledge,
        happenings: &mut mpsc::Receiver<Result<Happening, String>>,
    ) {
        let until = tokio::time::Instant::now() + LAST_WORDS;
        while !self.session.is_settled() && tokio::time::Instant::now() < until {
            for packet_id in self.session.due(self.intake.durable()) {
                acknowledger.acknowledge(packet_id).await;
            }
            match tokio::time::timeout(GLANCE, happenings.recv()).await {
                Ok(Some(Ok(Happening::Acknowledged(packet_id)))) => self.session.sent(packet_id),
                Ok(None | Some(Err(_))) => return,
                _ => {}
            }
        }
    }

    /// Puts messages into the spool, in order; waits while it is full.
    async fn take(&mut self, messages: Vec<Message>) -> Result<()> {
        let mut values = Vec::new();
        let first = self.intake.position();
        for message in messages {
            if self.session.recognise(&message) {
                continue;
            }
            if message.is_repeated {
                self.intake.observer().repeated(1);
            }
            let value = self.intake.encoded(&message.payload);
            if self.intake.takes(value.len()) {
                values.push(value);
            } else {
                self.intake.observer().oversize(value);
            }
            self.session.accepted(&message, first.plus(values.len() as u64));
        }
        if values.is_empty() {
            return Ok(());
        }
        let intake = self.intake.clone();
        let accepted = tokio::task::spawn_blocking(move || intake.accept(&values)).await?;
        if accepted?.is_none() {
            // The source is to end and not all of them were taken: none of these may be acknowledged.
            self.session.forget_from(first);
        }
        Ok(())
    }

    async fn rest(&self, pause: Duration) {
        let until = tokio::time::Instant::now() + pause;
        while !self.intake.is_stopped() && tokio::time::Instant::now() < until {
            tokio::time::sleep(GLANCE * 50).await;
        }
    }
}

/// A task that ends with its owner.
struct Task(tokio::task::JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}
