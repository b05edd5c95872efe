//! JSON by Jackson and by Gson, with default settings.
mod classes;
mod gson;
mod jackson;
mod node;

pub(super) use classes::METHODS as CLASSES;
pub(super) use gson::{METHODS as GSON, OF_EACH as GSON_OF_EACH};
pub(super) use jackson::{OWN as JACKSON, SHADED as SHADED_JACKSON};

use crate::heap::Thing;
use crate::reason::Reason;
use sluice_java::Failure;

/// A mapper or parser that is a constant, if the capture says that nothing was set in it.
pub(super) fn constant(class: &str, text: &str) -> Option<Box<dyn Thing>> {
    const READERS: [&str; 4] = [
        "com/fasterxml/jackson/databind/ObjectMapper",
        "org/apache/flink/shaded/jackson2/com/fasterxml/jackson/databind/ObjectMapper",
        "com/google/gson/Gson",
        "com/google/gson/JsonParser",
    ];
    let class = READERS.into_iter().find(|reader| *reader == class)?;
    (text == "default").then(|| Box::new(node::Reader(class)) as Box<dyn Thing>)
}

/// The class of Flink's own copy for one of Jackson's.
fn shaded(class: &'static str) -> &'static str {
    match class {
        "com/fasterxml/jackson/core/JsonParseException" => {
            "org/apache/flink/shaded/jackson2/com/fasterxml/jackson/core/JsonParseException"
        }
        "com/fasterxml/jackson/core/io/JsonEOFException" => {
            "org/apache/flink/shaded/jackson2/com/fasterxml/jackson/core/io/JsonEOFException"
        }
        class => class,
    }
}

/// What went wrong in Jackson, or in Flink's own copy of it.
fn reason(failure: Failure, shade: bool) -> Reason {
    match failure {
        Failure::Throws(exception) if shade => {
            Reason::exception(shaded(exception.class), exception.message)
        }
        failure => failure.into(),
    }
}
