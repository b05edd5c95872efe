//! Settings of the MQTT source.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result};
use rumqttc::Transport;
use sluice_runtime::config::Section;

/// A version of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// MQTT 3.1.1.
    V3,
    /// MQTT 5.
    V5,
}

/// Files of TLS, PEM each.
#[derive(Debug, Clone)]
pub struct Tls {
    /// Certificates of the authority that signed the broker's.
    pub ca_file: PathBuf,
    /// Our own certificate and its key, where the broker asks for one.
    pub client: Option<(PathBuf, PathBuf)>,
}

/// Settings of the source.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The broker's host.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// The version of the protocol.
    pub protocol: Protocol,
    /// The session's name at the broker: one per source.
    pub client_id: String,
    /// Topics, with MQTT's wildcards.
    pub topics: Vec<String>,
    /// User and the file with the password.
    pub user: Option<(String, PathBuf)>,
    /// TLS.
    pub tls: Option<Tls>,
    /// The time between signs of life.
    pub keep_alive: Duration,
    /// How many messages may be on their way without acknowledgement (MQTT 5; before, the broker alone decides).
    pub receive_maximum: u16,
    /// How long the broker keeps the session of a device that is away (MQTT 5; before, the broker alone decides).
    pub session_expiry: Duration,
    /// The largest packet, bytes.
    pub max_packet_bytes: u32,
}

impl Settings {
    /// Reads the settings of a section; nothing only when a problem was noted.
    #[must_use]
    pub fn read(section: &Section) -> Option<Self> {
        let broker: Option<String> = section.required("broker");
        let address = broker.and_then(|broker| {
            let address = broker
                .rsplit_once(':')
                .and_then(|(host, port)| Some((host.to_owned(), port.parse::<u16>().ok()?)));
            if address.is_none() {
                section.problem("broker", format!("`{broker}` is not of the form host:port"));
            }
            address
        });
        let protocol = match section.one_of("protocol", &["3.1.1", "5"], "5") {
            "3.1.1" => Protocol::V3,
            _ => Protocol::V5,
        };
        let client_id = section.required::<String>("client_id");
        let topics = section.list("topics");
        if topics.is_empty() {
            section.problem("topics", "missing; give at least one, such as [\"meters/+\"]");
        }
        for topic in topics.iter().filter(|topic| !is_filter(topic)) {
            section.problem("topics", format!("`{topic}` is no topic filter"));
        }
        let pair = |one: &str, other: &str| {
            let pair = (section.optional(one), section.optional(other));
            if pair.0.is_some() != pair.1.is_some() {
                section.problem(one, format!("goes with {other}: give both or none"));
            }
            pair.0.zip(pair.1)
        };
        let user = pair("username", "password_file")
            .map(|(name, file): (String, String)| (name, PathBuf::from(file)));
        let client = pair("cert_file", "key_file")
            .map(|(cert, key): (String, String)| (PathBuf::from(cert), PathBuf::from(key)));
        let ca_file = section.optional::<PathBuf>("ca_file");
        if client.is_some() && ca_file.is_none() {
            section.problem("ca_file", "missing; TLS needs it");
        }
        let keep_alive_s = section.or("keep_alive_s", 30);
        if !(5..=3_600).contains(&keep_alive_s) {
            section.problem("keep_alive_s", format!("{keep_alive_s} is not within 5..3600"));
        }
        let (host, port) = address?;
        Some(Self {
            host,
            port,
            protocol,
            client_id: client_id?,
            topics,
            user,
            tls: ca_file.map(|ca_file| Tls { ca_file, client }),
            keep_alive: Duration::from_secs(keep_alive_s),
            receive_maximum: section.or("receive_maximum", 1_000).max(1),
            session_expiry: Duration::from_secs(section.or("session_expiry_s", 604_800)),
            max_packet_bytes: section.or("max_packet_bytes", 8 << 20),
        })
    }

    /// The broker, for people.
    #[must_use]
    pub fn broker(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// User and password.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn credentials(&self) -> Result<Option<(String, String)>> {
        let Some((user, file)) = &self.user else { return Ok(None) };
        let password = String::from_utf8(read(file, "password_file")?)?;
        Ok(Some((user.clone(), password.trim_end_matches(['\r', '\n']).to_owned())))
    }

    /// How the broker is reached.
    ///
    /// # Errors
    /// When a file can't be read.
    pub fn transport(&self) -> Result<Transport> {
        let Some(tls) = &self.tls else { return Ok(Transport::Tcp) };
        // The first one to install it decides; all of ours are the same.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = match &tls.client {
            Some((cert, key)) => Some((read(cert, "cert_file")?, read(key, "key_file")?)),
            None => None,
        };
        Ok(Transport::tls(read(&tls.ca_file, "ca_file")?, client, None))
    }
}

fn read(file: &Path, setting: &str) -> Result<Vec<u8>> {
    fs::read(file).with_context(|| format!("sources.{setting} = {}", file.display()))
}

/// Whether a text is a topic filter: `#` only as the last level, `+` only as a whole level.
fn is_filter(text: &str) -> bool {
    let levels: Vec<&str> = text.split('/').collect();
    let last = levels.len() - 1;
    let is_level = |(at, level): (usize, &&str)| match *level {
        "#" => at == last,
        "+" => true,
        level => !level.contains(['#', '+', '\0']),
    };
    !text.is_empty() && text.len() <= 65_535 && levels.iter().enumerate().all(is_level)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sluice_runtime::config::Config;

    fn read(text: &str) -> Result<Settings> {
        let mut config = Config::parse(text, "edge.toml", std::iter::empty())?;
        let settings = Settings::read(&config.section("mqtt"));
        config.finish()?;
        Ok(settings.unwrap())
    }

    #[test]
    fn a_broker_a_name_and_topics_suffice() {
        let settings =
            read("[mqtt]\nbroker = \"a:1883\"\nclient_id = \"pi\"\ntopics = [\"m/+\"]").unwrap();
        assert_eq!((settings.broker().as_str(), settings.protocol), ("a:1883", Protocol::V5));
        assert!(settings.tls.is_none());
    }

    #[test]
    fn every_problem_is_named() {
        let text = "[mqtt]\nbroker = \"a\"\nprotocol = \"4\"\ntopics = [\"a#\"]\nusername = \"u\"\ncert_file = \"c\"\nkey_file = \"k\"\nkeep_alive_s = 1";
        let error = read(text).unwrap_err().to_string();
        for part in [
            "mqtt.broker: `a`",
            "mqtt.protocol: `4`",
            "mqtt.client_id: missing",
            "mqtt.topics: `a#`",
            "mqtt.username: goes with password_file",
            "mqtt.ca_file: missing",
            "mqtt.keep_alive_s: 1",
        ] {
            assert!(error.contains(part), "{part} not in {error}");
        }
    }

    #[test]
    fn topic_filters_follow_the_standard() {
        for good in ["a", "a/b", "+", "#", "a/+/c", "a/#", "/", "$share/g/a"] {
            assert!(is_filter(good), "{good}");
        }
        for bad in ["", "a#", "#/a", "a+/b", "a/b+"] {
            assert!(!is_filter(bad), "{bad}");
        }
    }
}
