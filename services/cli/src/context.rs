//! What every subcommand needs: where the services are, and how their errors end the process.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use serde::Serialize;
use sluice_kafka::{KafkaError, Properties, Registry, Writer};
use sluice_runtime::exit::Failure;
use sluice_wire::schemas;

use crate::args::{Services, property};
use crate::deployment;

/// How long each step of a probe may take.
const PROBE_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a written record may wait for its acknowledgement.
const WRITE_TIMEOUT: Duration = Duration::from_secs(15);

/// The services, and the form of the output.
#[derive(Debug)]
pub struct Context {
    /// Properties of librdkafka.
    pub kafka: Properties,
    registry: String,
    json: bool,
}

impl Context {
    /// Takes the options of the command line; those outrank the file that they name.
    pub fn new(services: Services, json: bool) -> Result<Self> {
        let mut kafka = services.kafka_file.as_deref().map(properties).transpose()?;
        let kafka = kafka.get_or_insert_default();
        kafka.extend(services.kafka);
        kafka.insert("bootstrap.servers".to_owned(), services.brokers);
        Ok(Self { kafka: std::mem::take(kafka), registry: services.registry, json })
    }

    /// The registry; it is asked when it is needed.
    pub fn registry(&self) -> Registry {
        Registry::new(&self.registry)
    }

    /// Registers the schema of a topic's records and returns its id; the same schema keeps its id.
    pub fn register(&self, topic: &str, schema: &str) -> Result<i32> {
        self.registry().register(&deployment::subject(topic), schema).map_err(failure)
    }

    /// Registers a control record for its topic.
    pub fn register_control(&self, topic: &str, record: &str) -> Result<i32> {
        let schema = schemas::control_schema(record)
            .ok_or_else(|| anyhow::anyhow!("there is no control record {record}"))?;
        self.register(topic, &schema)
    }

    /// Checks that the brokers and the addresses they advertise can be reached.
    pub fn probe(&self) -> Result<()> {
        sluice_kafka::probe(&self.kafka, PROBE_TIMEOUT).map_err(failure)
    }

    /// Checks that the registry answers.
    pub fn probe_registry(&self) -> Result<()> {
        match self.registry().schema(1) {
            // Whether it has one is of no interest.
            Err(error @ KafkaError::Unreachable { .. }) => Err(failure(error)),
            _ => Ok(()),
        }
    }

    /// A writer of single records.
    pub fn writer(&self) -> Result<Writer> {
        Writer::new(&self.kafka, "sluice-cli", WRITE_TIMEOUT).map_err(failure)
    }

    /// Prints `value` as a line of JSON if that is asked for, else `text`.
    pub fn print(&self, text: impl std::fmt::Display, value: &impl Serialize) -> Result<()> {
        if self.json {
            println!("{}", serde_json::to_string(value)?);
        } else {
            println!("{}", text.to_string().trim_end());
        }
        Ok(())
    }
}

/// Properties from a file: `KEY=VALUE` a line; empty lines and those that begin with `#` say nothing.
fn properties(file: &Path) -> Result<Properties> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| Failure::usage(format!("{}: {error}", file.display())))?;
    let lines = text.lines().enumerate();
    let said = lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    // The line itself is not shown: it may be a password.
    let property = |(index, line)| {
        property(line)
            .map_err(|what| Failure::usage(format!("{}:{}: {what}", file.display(), index + 1)))
    };
    said.map(property).collect()
}

/// The end of the process for a reason that Kafka or the registry gave.
pub fn failure(error: KafkaError) -> anyhow::Error {
    let hint = match &error {
        KafkaError::Unreachable { setting: "registry.url", .. } => {
            " (set it with --registry or SLUICE_REGISTRY)"
        }
        KafkaError::Unreachable { .. } => " (set it with --brokers or SLUICE_BROKERS)",
        _ => "",
    };
    let message = format!("{error}{hint}");
    Failure::coded(error.exit_code(), message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sluice_runtime::exit;

    #[test]
    fn properties_come_from_a_file_and_from_options_which_outrank_it() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "# ours\n\nsasl.password = a=b\nclient.id=x\n").unwrap();
        let services = |kafka| Services {
            brokers: "h:1".to_owned(),
            registry: String::new(),
            kafka,
            kafka_file: Some(file.path().to_owned()),
        };
        let context =
            Context::new(services(vec![("client.id".to_owned(), "y".to_owned())]), false).unwrap();
        let found: Vec<_> = context.kafka.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        let expected = [("bootstrap.servers", "h:1"), ("client.id", "y"), ("sasl.password", "a=b")];
        assert_eq!(found, expected);
        std::fs::write(file.path(), "client.id=x\nsecret").unwrap();
        let error = Context::new(services(Vec::new()), false).unwrap_err().to_string();
        assert!(error.contains(":2: ") && !error.contains("secret"), "{error}");
    }

    #[test]
    fn an_unreachable_service_names_its_option() {
        let error = |setting| {
            let (place, what) = ("h:1".to_owned(), "refused".to_owned());
            failure(KafkaError::Unreachable { setting, place, what })
        };
        let error = [error("kafka.bootstrap.servers"), error("registry.url")];
        assert!(error[0].to_string().contains("--brokers"), "{}", error[0]);
        assert!(error[1].to_string().contains("--registry"), "{}", error[1]);
        assert_eq!(error.each_ref().map(exit::code_of), [exit::UNAVAILABLE; 2]);
    }
}
