//! Where the code of a function begins.

use sluice_model::FunctionKind;

use super::descriptor;
use super::known;
use super::value::{Origin, Root, Value};
use crate::graph::{Captured, Form, Implementation, UserFunction};

/// The base class of assigners that Flink's code calls for each event, and which calls this.
const ASCENDING: &str = "AscendingTimestampExtractor";

/// The methods of a function's class that are called for each event.
pub fn methods(kind: FunctionKind, function: &UserFunction) -> &'static [&'static str] {
    let is_ascending = || function.interfaces.iter().any(|name| name.ends_with(ASCENDING));
    match kind {
        FunctionKind::Assigner if is_ascending() => &["extractAscendingTimestamp"],
        FunctionKind::Map => &["map"],
        FunctionKind::FlatMap => &["flatMap"],
        FunctionKind::Filter => &["filter"],
        FunctionKind::Process => &["processElement"],
        FunctionKind::Schema => &["deserialize"],
        FunctionKind::Assigner => &["extractTimestamp"],
        FunctionKind::Project => &[],
    }
}

/// The methods that Flink calls once, before and behind all events.
pub const ONCE: [&str; 2] = ["open", "close"];

/// What a method gets for its parameters: the event, or what Flink hands it.
pub fn arguments(descriptor: &str) -> Vec<Value> {
    let (parameters, _) = descriptor::method(descriptor);
    parameters.into_iter().map(argument).collect()
}

fn argument(descriptor: &str) -> Value {
    let flinks = descriptor.starts_with("Lorg/apache/flink/")
        && !descriptor.starts_with("Lorg/apache/flink/api/java/tuple/")
        && !descriptor.starts_with("Lorg/apache/flink/types/");
    let origin = if flinks { Origin::Own } else { Origin::Event };
    Value::of(origin).wide(descriptor::is_wide(descriptor))
}

/// What a lambda's method gets: first what it captured, then the event.
pub fn implementation_arguments(function: &UserFunction, method: &Implementation) -> Vec<Value> {
    let instance = matches!(method.kind.as_str(), "virtual" | "interface" | "special");
    let receiver = format!("L{};", method.owner);
    let (parameters, _) = descriptor::method(&method.descriptor);
    let all = instance.then_some(receiver.as_str()).into_iter().chain(parameters);
    let values = all.enumerate().map(|(at, descriptor)| match function.captured.get(at) {
        Some(captured) => captured_value(function.form, captured, descriptor),
        None => argument(descriptor),
    });
    values.collect()
}

fn captured_value(form: Form, captured: &Captured, descriptor: &str) -> Value {
    let plain = descriptor::is_primitive(descriptor)
        || descriptor::class(descriptor).is_some_and(known::is_immutable);
    let root = || match (form, captured.name.as_str()) {
        (Form::MethodReference, _) => Root::Bound,
        (_, "this") => Root::This,
        (_, name) => Root::Captured(name.into()),
    };
    let origin = if plain { Origin::Own } else { Origin::Shared(root()) };
    Value::of(origin).wide(descriptor::is_wide(descriptor))
}

/// The internal name of a function's class.
pub fn class(function: &UserFunction) -> String {
    function.class.replace('.', "/")
}

/// The method behind a lambda or a method reference.
pub fn implementation(function: &UserFunction) -> Option<&Implementation> {
    match function.form {
        Form::Class => None,
        Form::Lambda | Form::MethodReference => function.implementation.as_ref(),
    }
}
