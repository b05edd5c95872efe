//! Sources of a device: where its events come from. Each is a thread that puts events into the spool, in the Avro form of T(0), and acknowledges them
//! to the other side once they are safe there (DESIGN.md section 3, "Delivery").

pub mod file;
pub mod http;
mod intake;
pub mod mqtt;
pub mod replay;

use std::path::PathBuf;
use std::thread::JoinHandle;

pub use intake::{Content, Intake, Observer, Refused};
use sluice_runtime::config::Section;

/// Settings of a source.
#[derive(Debug, Clone)]
pub enum Settings {
    /// Lines played at a rate.
    Replay(replay::Settings),
    /// Messages of an MQTT broker.
    Mqtt(mqtt::Settings),
    /// Requests to a server of ours.
    Http(http::Settings),
    /// Files that grow.
    File(file::Settings),
}

impl Settings {
    /// Reads the settings of a section; nothing only when a problem was noted.
    #[must_use]
    pub fn read(section: &Section) -> Option<Self> {
        match section.one_of("kind", &["replay", "mqtt", "http", "file"], "replay") {
            "mqtt" => mqtt::Settings::read(section).map(Self::Mqtt),
            "http" => http::Settings::read(section).map(Self::Http),
            "file" => file::Settings::read(section).map(Self::File),
            _ => replay::Settings::read(section).map(Self::Replay),
        }
    }
}

/// Starts a source's thread, which keeps its place in `folder` where it has one. It ends when it is told to, when the spool fails, or when a bounded
/// source is done.
///
/// # Errors
/// When its lines can't be opened, its path can't be read, or its address can't be bound.
pub fn start(
    settings: &Settings,
    intake: Intake,
    folder: PathBuf,
) -> anyhow::Result<JoinHandle<anyhow::Result<()>>> {
    type Run = Box<dyn FnOnce() -> anyhow::Result<()> + Send>;
    let run: Run = match settings.clone() {
        Settings::Replay(settings) => {
            let replay = replay::Replay::open(&settings, intake)?;
            Box::new(|| replay.run())
        }
        Settings::Mqtt(settings) => {
            let mqtt = mqtt::Mqtt::new(settings, intake);
            Box::new(|| mqtt.run())
        }
        Settings::Http(settings) => {
            let http = http::Http::bind(settings, intake)?;
            Box::new(|| http.run())
        }
        Settings::File(settings) => {
            let follow = file::Follow::open(settings, intake, folder)?;
            Box::new(|| follow.run())
        }
    };
    Ok(std::thread::Builder::new().name("source".into()).spawn(run)?)
}
