//! Where a function begins: its object, what it captured, and the method that Flink calls for each event.

use std::rc::Rc;

use serde_json::Value as Json;
use sluice_model::FunctionKind;
use sluice_planner::effects::method_descriptor;
use sluice_planner::graph::{Captured, Form, Implementation, UserFunction};
use sluice_wire::Type;

use crate::library::is_silent;
use crate::pass::{After, Context, Flow, Key, Pass, Role};
use crate::refusal::{RefusalKind, Run, Stop, refuse};
use crate::state::{Object, State};
use crate::value::{Boxed, LambdaKind, ObjectId, Operand, Prim, Value};

const NO_TIME: &str = "the record's earlier time is not carried to the native engine";
const NO_FIELD: &str = "a captured value is not known";

impl<'a> Pass<'_, 'a> {
    /// The first steps of the function.
    pub(crate) fn begin(&mut self) -> Run<Flow> {
        self.input = self.text.register();
        let function = self.subject.function;
        if self.subject.kind == Some(FunctionKind::Project) {
            return self.project(function);
        }
        if function.form != Form::Class {
            return self.begin_event();
        }
        let class = class_of(function);
        if !self.subject.pool.is_users(&class) {
            return refuse(
                RefusalKind::LibraryClass,
                format!("{} is not known to the native engine", function.class),
            );
        }
        let this = self.this_object(&class)?;
        self.state.objects.insert(ObjectId::This, this);
        let open = self.subject.pool.named(&class, "open");
        let open = open.into_iter().find(|method| {
            let descriptor = method.info().descriptor.to_string();
            descriptor.starts_with("(Lorg/apache/flink/") && descriptor.ends_with(")V")
        });
        match open.filter(|_| function.rich) {
            // Without state from event to event it is all the same whether it runs once or for each event.
            Some(method) => {
                let args = vec![Value::Object(ObjectId::This), Value::Silent];
                self.enter(&method, args, After::Drop)
            }
            None => self.begin_event(),
        }
    }

    /// Calls the method for the event.
    pub(crate) fn begin_event(&mut self) -> Run<Flow> {
        let function = self.subject.function;
        let fields = self.state.objects.values().flat_map(|object| object.fields.values());
        self.kept = fields
            .filter_map(|value| match value {
                Value::Ref(reg, _) => Some(*reg),
                _ => None,
            })
            .collect();
        let event = self.event()?;
        let given = match self.subject.kind {
            Some(FunctionKind::FlatMap) => vec![event, Value::Collector],
            Some(FunctionKind::Process) => vec![event, Value::Context, Value::Collector],
            None => vec![event, Value::Dead(NO_TIME)],
            _ => vec![event],
        };
        if function.form != Form::Class {
            let Some(implementation) = &function.implementation else {
                return refuse(RefusalKind::Code, "the method behind it is not known");
            };
            return self.begin_lambda(function, implementation, given);
        }
        let class = class_of(function);
        let ascending =
            function.interfaces.iter().any(|i| i.ends_with("AscendingTimestampExtractor"));
        let bounded = function
            .interfaces
            .iter()
            .any(|i| i.ends_with("BoundedOutOfOrdernessTimestampExtractor"));
        let object = "(Ljava/lang/Object;";
        let (name, descriptor) = match self.subject.kind {
            Some(FunctionKind::Map) => ("map", format!("{object})Ljava/lang/Object;")),
            Some(FunctionKind::FlatMap) => {
                ("flatMap", format!("{object}Lorg/apache/flink/util/Collector;)V"))
            }
            Some(FunctionKind::Filter) => ("filter", format!("{object})Z")),
            Some(FunctionKind::Process) => (
                "processElement",
                format!(
                    "{object}Lorg/apache/flink/streaming/api/functions/ProcessFunction$Context;Lorg/apache/flink/util/Collector;)V"
                ),
            ),
            None if ascending => ("extractAscendingTimestamp", format!("{object})J")),
            None if bounded => ("extractTimestamp", format!("{object})J")),
            None => ("extractTimestamp", format!("{object}J)J")),
            Some(_) => {
                return refuse(
                    RefusalKind::Unsupported,
                    "deserialization schemas are not translated",
                );
            }
        };
        let given = if ascending || bounded { given[..1].to_vec() } else { given };
        let after = if self.subject.role == Role::FlatMap { After::Drop } else { After::Push };
        match self.subject.pool.exact(&class, name, &descriptor) {
            sluice_planner::effects::Targets::Methods(methods) if methods.len() == 1 => {
                let args = [vec![Value::Object(ObjectId::This)], given].concat();
                self.enter(&methods[0], args, after)
            }
            _ => refuse(RefusalKind::Code, format!("its method {name} is not in the jar")),
        }
    }

    fn begin_lambda(
        &mut self,
        function: &UserFunction,
        implementation: &Implementation,
        given: Vec<Value>,
    ) -> Run<Flow> {
        let mut args = Vec::new();
        for captured in &function.captured {
            args.push(self.captured(captured));
        }
        args.extend(given);
        let kind = match implementation.kind.as_str() {
            "static" => LambdaKind::Static,
            "special" => LambdaKind::Special,
            "new" => LambdaKind::New,
            _ => LambdaKind::Virtual,
        };
        let result = match self.subject.role {
            Role::Map => "Ljava/lang/Object;",
            Role::FlatMap => "V",
            Role::Filter => "Z",
            Role::Timestamp => "J",
        };
        let Implementation { owner, name, descriptor, .. } = implementation;
        self.call_implementation(owner, name, descriptor, kind, args, result)
    }

    /// What a lambda captured.
    fn captured(&mut self, captured: &Captured) -> Value {
        match self.subject.constants.root(&captured.name) {
            Some(value) => self.typed_constant(value, &captured.descriptor),
            None => known(captured).unwrap_or(Value::Dead(NO_FIELD)),
        }
    }

    /// A constant as a field of that type holds it.
    pub(crate) fn typed_constant(&self, value: Value, descriptor: &str) -> Value {
        if crate::classes::class_named(descriptor).is_some_and(is_silent) {
            return Value::Silent;
        }
        value
    }

    /// The function's object.
    fn this_object(&mut self, class: &str) -> Run<Object> {
        let root = match self.subject.constants.root("this") {
            Some(Value::Constant(at)) => Some(at),
            _ => None,
        };
        let mut object = crate::convert::empty_object(class, Operand::Bool(false));
        for field in self.fields_of(class)? {
            let name = format!("{}.{}", field.class, field.name);
            let constant = root.and_then(|at| self.subject.constants.field(at, &name));
            let captured =
                || self.subject.function.captured.iter().find(|c| *c.name == *field.name);
            let value = match constant {
                Some(value) => value,
                None => captured().and_then(known).unwrap_or(Value::Dead(NO_FIELD)),
            };
            let value = self.typed_constant(value, &field.descriptor);
            object.fields.insert(field.name, value);
        }
        Ok(object)
    }

    /// The fields of a tuple that a projection keeps.
    fn project(&mut self, function: &UserFunction) -> Run<Flow> {
        let (Type::Record(from), Type::Record(to), Some(fields)) =
            (self.subject.input, self.subject.output, &function.fields)
        else {
            return refuse(RefusalKind::Type, "it projects no tuple");
        };
        let record = self.text.step(&format!("unwrap %{}", self.input), None);
        let mut parts = Vec::new();
        for (at, target) in fields.iter().zip(&to.fields) {
            let source = usize::try_from(*at).ok().and_then(|at| from.fields.get(at));
            let Some(source) = source.filter(|source| source.ty == target.ty) else {
                return refuse(RefusalKind::Type, "it projects a field that is not there");
            };
            let reg = self.text.pure(format!("get %{record}, {}", source.name));
            parts.push(format!("{}: %{reg}", target.name));
        }
        let made = self.text.step(&format!("new {} {{ {} }}", to.name, parts.join(", ")), None);
        let made = self.text.pure(format!("some %{made}"));
        self.text.end(format!("return %{made}"));
        Ok(Flow::End)
    }

    /// A method returned: its frame is gone, its result is given.
    pub(crate) fn returned(&mut self, result: Option<Value>) -> Run<Flow> {
        let context = self.here();
        let Context { after, parent, .. } = &self.contexts[context as usize];
        let (after, parent) = (*after, *parent);
        let place = self.contexts[context as usize].body.place(self.at);
        let returned = self.returned_from(context, after, parent, result);
        returned.map_err(|stop| match stop {
            Stop::Refused(mut refused) if refused.place.is_empty() => {
                refused.place = format!("{place}: ");
                Stop::Refused(refused)
            }
            other => other,
        })
    }

    fn returned_from(
        &mut self,
        context: u32,
        after: After,
        parent: Option<(u32, usize)>,
        result: Option<Value>,
    ) -> Run<Flow> {
        self.state.frames.pop();
        // What this throws is thrown at the call.
        self.at = parent.map_or(0, |(_, at)| at);
        let result = self.converted(result, after)?;
        let returns = self.contexts[context as usize].body.returns;
        let Some(frame) = self.state.frames.last_mut() else {
            if self.is_open(context) {
                let state = State { frames: Vec::new(), objects: self.state.objects.clone() };
                let target = self.edge(state, Key::Return(context))?;
                self.text.end(format!("jump {target}"));
                return Ok(Flow::End);
            }
            self.return_result(&result.unwrap_or(Value::Null))?;
            return Ok(Flow::End);
        };
        match (after, result) {
            (After::Replace(at), Some(value)) if at < frame.stack.len() => frame.stack[at] = value,
            (_, result) => frame.stack.extend(result),
        }
        if returns == 1 {
            return Ok(self.behind(context));
        }
        let state = self.state.clone();
        let target = self.edge(state, Key::Return(context))?;
        self.text.end(format!("jump {target}"));
        Ok(Flow::End)
    }

    /// Whether a context is that of the function's `open`.
    pub(crate) fn is_open(&self, context: u32) -> bool {
        let context = &self.contexts[context as usize];
        context.parent.is_none() && self.subject.function.rich && &*context.body.name == "open"
    }

    /// The value of a parameter of an implementation, boxed or not as the method wants it.
    pub(crate) fn adapted(&mut self, value: Value, descriptor: &str) -> Run<Value> {
        let is_primitive = crate::value::prim_of(descriptor).is_some();
        match (&value, crate::output::boxed_of_descriptor(descriptor)) {
            (Value::Scalar(prim, operand), _) if !is_primitive && *prim != Prim::Text => {
                let boxed = match prim {
                    Prim::Bool => Boxed::Boolean,
                    Prim::Long => Boxed::Long,
                    Prim::Float => Boxed::Float,
                    Prim::Double => Boxed::Double,
                    _ => Boxed::Integer,
                };
                Ok(Value::Boxed(boxed, operand.clone()))
            }
            (Value::Scalar(..) | Value::Dead(_) | Value::Compare(..), _) => Ok(value),
            (_, Some(boxed)) => {
                let operand = self.unbox(&value, boxed)?;
                Ok(Value::Scalar(boxed.prim(), operand))
            }
            _ => Ok(value),
        }
    }
}

/// The internal name of a function's class.
fn class_of(function: &UserFunction) -> String {
    function.class.replace('.', "/")
}

/// A captured value where the graph itself says it.
fn known(captured: &Captured) -> Option<Value> {
    if captured.transient {
        return Some(Value::default_of(&captured.descriptor));
    }
    if !captured.known {
        return None;
    }
    let json = captured.value.as_ref().unwrap_or(&Json::Null);
    let operand = || {
        Some(match captured.descriptor.as_str() {
            "Z" | "Ljava/lang/Boolean;" => Operand::Bool(json.as_bool()?),
            "B" | "S" | "I" | "Ljava/lang/Integer;" => {
                Operand::Int(i32::try_from(json.as_i64()?).ok()?)
            }
            "J" | "Ljava/lang/Long;" => Operand::Long(json.as_i64()?),
            "D" | "Ljava/lang/Double;" => Operand::Double(json.as_f64()?.to_bits()),
            _ => return None,
        })
    };
    match (json, captured.descriptor.as_str()) {
        (Json::Null, descriptor) if crate::value::prim_of(descriptor).is_none() => {
            Some(Value::Null)
        }
        (Json::String(text), "Ljava/lang/String;") => Some(Value::text(text)),
        (_, descriptor) => match crate::value::prim_of(descriptor) {
            Some(prim) => Some(Value::Scalar(prim, operand()?)),
            None => {
                let class = crate::classes::class_named(descriptor)?;
                Some(Value::Boxed(Boxed::of_class(class)?, operand()?))
            }
        },
    }
}

/// The parameters of a method with its receiver.
pub(crate) fn parameters(owner: &str, descriptor: &str, is_static: bool) -> Vec<Rc<str>> {
    let receiver = (!is_static).then(|| Rc::from(format!("L{owner};")));
    let (parameters, _) = method_descriptor(descriptor);
    receiver.into_iter().chain(parameters.into_iter().map(Rc::from)).collect()
}
