//! A connection to a broker, whichever version of the protocol it speaks.

use std::pin::Pin;

/// A message of a topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Its number, to acknowledge it; none at QoS 0, which is not acknowledged.
    pub packet_id: Option<u16>,
    /// The broker says that it may have sent it before.
    pub is_repeated: bool,
    /// What it says.
    pub payload: Vec<u8>,
}

/// What happens on a connection.
#[derive(Debug)]
pub enum Happening {
    /// It is there, and whether the broker still had our session.
    Connected {
        /// Whether it had.
        session_present: bool,
    },
    /// A message came.
    Message(Message),
    /// An acknowledgement was sent.
    Acknowledged(u16),
    /// Something that is of no interest.
    Other,
}

/// A future of a boxed trait's method.
pub type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A connection.
pub trait Link: Send {
    /// What happens next; an error ends the connection.
    fn next(&mut self) -> Later<'_, Result<Happening, String>>;

    /// Who acknowledges its messages.
    fn acknowledger(&self) -> Box<dyn Acknowledge>;
}

/// Acknowledges messages.
pub trait Acknowledge: Send + Sync {
    /// Acknowledges the message of a number; nothing happens when the connection has ended.
    fn acknowledge(&self, packet_id: u16) -> Later<'_, ()>;
}
