//! What every subcommand needs: where the services are, and how their errors end the process.

use std::time::Duration;

use anyhow::Result;
use serde::Serialize;
use sluice_kafka::{KafkaError, Properties, Registry, Writer};
use sluice_runtime::exit::Failure;
use sluice_wire::schemas;

use crate::args::Services;
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
    /// Takes the options of the command line.
    pub fn new(services: Services, json: bool) -> Self {
        let mut kafka: Properties = services.kafka.into_iter().collect();
        kafka.insert("bootstrap.servers".to_owned(), services.brokers);
        Self { kafka, registry: services.registry, json }
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
