//! The schema registry, for deployment and tools. No service needs it to run (DESIGN section 2).

use std::error::Error;
use std::future::Future;
use std::time::Duration;

use schema_registry_converter::async_impl::schema_registry::{
    SrSettings, get_schema_by_id, post_schema,
};
use schema_registry_converter::error::SRCError;
use schema_registry_converter::schema_registry_common::{SchemaType, SuppliedSchema};

use crate::KafkaError;

/// How long one call may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The setting that says where the registry is.
const SETTING: &str = "registry.url";

/// A schema registry that speaks Confluent's REST interface.
#[derive(Debug, Clone)]
pub struct Registry {
    url: String,
}

impl Registry {
    /// The registry at `url`, such as `http://127.0.0.1:8081`.
    #[must_use]
    pub fn new(url: &str) -> Self {
        Self { url: url.trim_end_matches('/').to_owned() }
    }

    /// Registers an Avro schema under a subject and returns its id; one that is there already keeps its id.
    ///
    /// # Errors
    /// A registry that does not answer or refuses the schema.
    pub fn register(&self, subject: &str, schema_json: &str) -> Result<i32, KafkaError> {
        let schema = SuppliedSchema::new(None, SchemaType::Avro, schema_json.to_owned());
        let subject_name = subject.to_owned();
        let registered = self.call(subject, |settings| async move {
            post_schema(&settings, subject_name, schema).await
        })?;
        self.id(registered.id)
    }

    /// The schema of an id, as JSON.
    ///
    /// # Errors
    /// A registry that does not answer, or does not know the id.
    pub fn schema(&self, id: i32) -> Result<String, KafkaError> {
        let number = u32::try_from(id)
            .map_err(|_| KafkaError::Other(format!("{id} is no schema id: it is negative")))?;
        let found = self.call(&format!("schema id {id}"), |settings| async move {
            get_schema_by_id(number, &settings).await
        })?;
        Ok(found.schema)
    }

    fn id(&self, id: u32) -> Result<i32, KafkaError> {
        i32::try_from(id).map_err(|_| {
            KafkaError::Other(format!("{SETTING} = {}: schema id {id} is too large", self.url))
        })
    }

    /// Makes a call on a thread and runtime of its own, so that it may be made from anywhere.
    fn call<T, F>(
        &self,
        subject: &str,
        call: impl FnOnce(SrSettings) -> F + Send,
    ) -> Result<T, KafkaError>
    where
        T: Send,
        F: Future<Output = Result<T, SRCError>>,
    {
        let settings = SrSettings::new_builder(self.url.clone())
            .no_proxy()
            .set_timeout(TIMEOUT)
            .build()
            .map_err(|error| self.failed(subject, &error))?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| KafkaError::Other(format!("no runtime: {error}")))?;
        let result = std::thread::scope(|scope| {
            scope.spawn(move || runtime.block_on(call(settings))).join()
        });
        match result {
            Ok(result) => result.map_err(|error| self.failed(subject, &error)),
            Err(_) => Err(KafkaError::Other(format!("{SETTING} = {}: the call failed", self.url))),
        }
    }

    fn failed(&self, subject: &str, error: &SRCError) -> KafkaError {
        // The innermost cause says what happened; the outer ones say where.
        let mut cause: Option<&dyn Error> = error.source();
        while let Some(inner) = cause.and_then(Error::source) {
            cause = Some(inner);
        }
        let cause = cause.map_or_else(|| error.error.clone(), ToString::to_string);
        let what = format!("{subject}: {cause}");
        if error.retriable {
            let place = self.url.clone();
            KafkaError::Unreachable { setting: SETTING, place, what }
        } else {
            KafkaError::Other(format!("{SETTING} = {}: {what}", self.url))
        }
    }
}
