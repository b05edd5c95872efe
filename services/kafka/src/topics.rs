//! The topics that are there, and topics that go.

use rdkafka::admin::{AdminClient, AdminOptions};
use rdkafka::config::FromClientConfigAndContext;
use rdkafka::consumer::Consumer as _;
use rdkafka::error::RDKafkaErrorCode as Code;

use crate::admin::block_on;
use crate::client::{self, ASK_TIMEOUT, Context};
use crate::error::plain;
use crate::{KafkaError, Properties};

/// The names of all topics, sorted.
///
/// # Errors
/// Brokers that do not answer.
pub fn topic_names(properties: &Properties) -> Result<Vec<String>, KafkaError> {
    let asker = client::asker(properties)?;
    let place = client::place(properties);
    let metadata = asker
        .fetch_metadata(None, ASK_TIMEOUT)
        .map_err(|error| KafkaError::of(place, "the list of topics", &error, None))?;
    let mut names: Vec<String> =
        metadata.topics().iter().map(|topic| topic.name().to_owned()).collect();
    names.sort();
    Ok(names)
}

/// Deletes topics with all that is in them. One that is not there is as well.
///
/// # Errors
/// The topics that could not be deleted, each named; or brokers that do not answer.
pub fn delete_topics(properties: &Properties, names: &[String]) -> Result<(), KafkaError> {
    let place = client::place(properties);
    let config = client::config(properties, "sluice-admin", &[], &[])?;
    let admin = AdminClient::from_config_and_context(&config, Context::default())
        .map_err(|error| KafkaError::of_config(&error))?;
    let options =
        AdminOptions::new().request_timeout(Some(ASK_TIMEOUT)).operation_timeout(Some(ASK_TIMEOUT));
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    if names.is_empty() {
        return Ok(());
    }
    let results = block_on(admin.delete_topics(&names, &options))
        .map_err(|error| KafkaError::of(place, "deletion of topics", &error, None))?;
    let problems = results.into_iter().filter_map(|result| match result {
        Ok(_) | Err((_, Code::UnknownTopicOrPartition)) => None,
        Err((name, code)) => Some(format!("topic `{name}`: {}", plain(code))),
    });
    let problems: Vec<String> = problems.collect();
    if problems.is_empty() { Ok(()) } else { Err(KafkaError::Other(problems.join("; "))) }
}
