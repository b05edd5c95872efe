//! Calls: methods of the user are followed, methods of Java's library are calls of the engine's.

use std::rc::Rc;

use sluice_planner::effects::{Targets, method_descriptor};

use crate::classes::tuple_arity;
use crate::library::{class_of_exception, is_silent};
use crate::pass::{After, Flow, Pass, dotted};
use crate::refusal::{RefusalKind, Run, refuse};
use crate::value::{Facts, ObjectId, Operand, Value};

/// A call of a method of an object, as an instruction or an interface makes it.
pub(crate) struct Call<'c> {
    /// The class by which the method is called.
    pub(crate) class: &'c str,
    pub(crate) name: &'c str,
    pub(crate) descriptor: &'c str,
    pub(crate) receiver: Value,
    pub(crate) args: Vec<Value>,
    pub(crate) after: After,
}

impl Call<'_> {
    /// The receiver and the arguments.
    pub(crate) fn values(self) -> Vec<Value> {
        [vec![self.receiver], self.args].concat()
    }
}

impl Pass<'_, '_> {
    pub(crate) fn pop_arguments(&mut self, descriptor: &str) -> Run<Vec<Value>> {
        let (parameters, _) = method_descriptor(descriptor);
        let mut args = Vec::with_capacity(parameters.len());
        for _ in &parameters {
            args.push(self.pop()?);
        }
        args.reverse();
        Ok(args)
    }

    /// The result of a method as the caller takes it.
    pub(crate) fn converted(&mut self, result: Option<Value>, after: After) -> Run<Option<Value>> {
        Ok(match (after, result) {
            (After::Drop, _) | (_, None) => None,
            (After::Push | After::Replace(_), Some(value)) => Some(value),
            (After::Box(boxed), Some(value)) => {
                Some(Value::Boxed(boxed, self.scalar(&value, boxed.prim())?))
            }
            (After::Unbox(boxed), Some(value)) => {
                let operand = self.unbox(&value, boxed)?;
                Some(Value::Scalar(boxed.prim(), operand))
            }
        })
    }

    /// What a call without a frame of its own gives.
    pub(crate) fn give(&mut self, result: Option<Value>, after: After) -> Run<Flow> {
        let result = self.converted(result, after)?;
        match self.state.frames.last_mut() {
            Some(frame) => {
                frame.stack.extend(result);
                Ok(Flow::Next)
            }
            None => {
                self.return_result(&result.unwrap_or(Value::Null))?;
                Ok(Flow::End)
            }
        }
    }

    pub(crate) fn invoke_static(&mut self, class: &str, name: &str, descriptor: &str) -> Run<Flow> {
        if Self::makes_text(class, name, descriptor)
            && let Some(flow) = self.texts_first(&["Ljava/lang/Object;"])?
        {
            return Ok(flow);
        }
        let args = self.pop_arguments(descriptor)?;
        self.call_static(class, name, descriptor, args, After::Push)
    }

    pub(crate) fn call_static(
        &mut self,
        class: &str,
        name: &str,
        descriptor: &str,
        args: Vec<Value>,
        after: After,
    ) -> Run<Flow> {
        if self.subject.pool.is_users(class) && tuple_arity(class).is_none() {
            return match self.subject.pool.exact(class, name, descriptor) {
                Targets::Methods(methods) if methods.len() == 1 => {
                    self.enter(&methods[0], args, after)
                }
                _ => {
                    refuse(RefusalKind::Code, format!("{}.{name} is not in the jar", dotted(class)))
                }
            };
        }
        match self.known_static(class, name, descriptor, &args)? {
            Some(value) => self.give(Some(value), after),
            None => {
                let result = self.library_call(class, name, descriptor, None, &args)?;
                self.give(result, after)
            }
        }
    }

    pub(crate) fn invoke_special(
        &mut self,
        class: &str,
        name: &str,
        descriptor: &str,
    ) -> Run<Flow> {
        let args = self.pop_arguments(descriptor)?;
        let receiver = self.pop()?;
        if name == "<init>" {
            return self.construct(class, descriptor, receiver, args);
        }
        if self.subject.pool.is_users(class) {
            return match self.subject.pool.exact(class, name, descriptor) {
                Targets::Methods(methods) if methods.len() == 1 => {
                    self.need(&receiver)?;
                    self.enter(&methods[0], [vec![receiver], args].concat(), After::Push)
                }
                Targets::Library(above) => self.call_above(&above, name, descriptor),
                _ => {
                    refuse(RefusalKind::Code, format!("{}.{name} is not in the jar", dotted(class)))
                }
            };
        }
        self.call_above(class, name, descriptor)
    }

    /// `super.name()` of a library's class.
    fn call_above(&mut self, class: &str, name: &str, descriptor: &str) -> Run<Flow> {
        if class.starts_with("org/apache/flink/") && matches!(name, "open" | "close") {
            return self.give(None, After::Drop);
        }
        refuse(
            RefusalKind::Library,
            format!("{class}.{name}{descriptor} is not known to the native engine"),
        )
    }

    /// A constructor: of a new object, or of what stands above its class.
    pub(crate) fn construct(
        &mut self,
        class: &str,
        descriptor: &str,
        receiver: Value,
        args: Vec<Value>,
    ) -> Run<Flow> {
        let users = self.subject.pool.is_users(class) && tuple_arity(class).is_none();
        if let Value::Raw(context, at, made) = &receiver {
            let site = (*context, *at);
            if is_silent(class) {
                self.replace_raw(site, &Value::Silent);
                return Ok(Flow::Next);
            }
            if users && self.is_exception(class) {
                return self.enter_constructor(class, descriptor, receiver.clone(), args);
            }
            if let Some(arity) = tuple_arity(class) {
                let value = self.new_object(site, made)?;
                self.replace_raw(site, &value);
                if args.len() == arity {
                    self.fill_tuple(&value, &args)?;
                }
                return Ok(Flow::Next);
            }
            if users {
                let value = self.new_object(site, made)?;
                self.replace_raw(site, &value);
                return self.enter_constructor(class, descriptor, value, args);
            }
            let value = match class_of_exception(class) {
                Some(_) => self.new_exception(made, descriptor, &args)?,
                None => match self.library_call(class, "<init>", descriptor, None, &args)? {
                    Some(Value::Ref(reg, _)) => Value::Ref(reg, Facts::exact(class)),
                    other => other.unwrap_or(Value::Null),
                },
            };
            self.replace_raw(site, &value);
            return Ok(Flow::Next);
        }
        if users {
            return self.enter_constructor(class, descriptor, receiver, args);
        }
        if tuple_arity(class).is_some_and(|arity| arity == args.len()) {
            self.fill_tuple(&receiver, &args)?;
            return Ok(Flow::Next);
        }
        if self.constructs_nothing(class) {
            return Ok(Flow::Next);
        }
        refuse(RefusalKind::LibraryClass, format!("{class} is not known to the native engine"))
    }

    fn enter_constructor(
        &mut self,
        class: &str,
        descriptor: &str,
        receiver: Value,
        args: Vec<Value>,
    ) -> Run<Flow> {
        match self.subject.pool.own(class, "<init>", descriptor) {
            Some(method) => self.enter(&method, [vec![receiver], args].concat(), After::Drop),
            None => refuse(RefusalKind::Code, format!("{} has no such constructor", dotted(class))),
        }
    }

    /// A new object of a class of the user, or a tuple, with its fields at their defaults.
    pub(crate) fn new_object(&mut self, site: (u32, u32), class: &str) -> Run<Value> {
        if self.learnt.heap.contains(&site) {
            self.declare_class(class)?;
            self.learnt.lives(class);
            let reg = self.text.step(&format!("object \"{class}\""), None);
            return Ok(Value::Ref(reg, Facts::exact(class)));
        }
        let id = ObjectId::Site(site.0, site.1);
        // The one that was made here the last time must be gone.
        if self.state.references(&id) > 0 {
            return self.escape(&id);
        }
        let mut object = self.null_object(class)?;
        object.null = Operand::Bool(false);
        self.state.objects.insert(id.clone(), object);
        Ok(Value::Object(id))
    }

    fn replace_raw(&mut self, site: (u32, u32), value: &Value) {
        for place in self.state.values_mut() {
            if matches!(place, Value::Raw(context, at, _) if (*context, *at) == site) {
                *place = value.clone();
            }
        }
    }

    /// Sets `f0`, `f1`, .. of a tuple.
    pub(crate) fn fill_tuple(&mut self, tuple: &Value, values: &[Value]) -> Run<()> {
        for (at, value) in values.iter().enumerate() {
            self.set_tuple_field(tuple, at, value)?;
        }
        Ok(())
    }

    pub(crate) fn set_tuple_field(&mut self, tuple: &Value, at: usize, value: &Value) -> Run<()> {
        let name: Rc<str> = format!("f{at}").into();
        match tuple {
            Value::Object(id) => {
                if let Some(object) = self.state.objects.get_mut(id) {
                    object.fields.insert(name, value.clone());
                }
                Ok(())
            }
            Value::Ref(reg, facts) => {
                let class = facts.class.clone().unwrap_or_default();
                let fields = self.fields_of(&class)?;
                match fields.iter().find(|field| field.name == name) {
                    Some(field) => self.store_into(*reg, field, value),
                    None => refuse(RefusalKind::Code, "a tuple has no such field"),
                }
            }
            _ => refuse(RefusalKind::Unsupported, "a tuple of unknown origin is filled"),
        }
    }

    /// An exception with what its constructor takes for its message.
    fn new_exception(&mut self, class: &str, descriptor: &str, args: &[Value]) -> Run<Value> {
        let (parameters, _) = method_descriptor(descriptor);
        let message = match (parameters.first(), args.first()) {
            (None, _) | (_, None) => self.reference(&Value::Null)?,
            (Some(&"Ljava/lang/String;"), Some(message)) => self.reference(message)?,
            (Some(&"Ljava/lang/Throwable;"), Some(cause)) => {
                let text = self.library_call(
                    "java/lang/Throwable",
                    "toString",
                    "()Ljava/lang/String;",
                    Some(cause),
                    &[],
                )?;
                self.reference(&text.unwrap_or(Value::Null))?
            }
            _ => {
                return refuse(
                    RefusalKind::Library,
                    format!("{class}.<init>{descriptor} is not known to the native engine"),
                );
            }
        };
        self.declare_exception(class);
        let reg = self.text.step(&format!("exception \"{class}\", %{message}"), None);
        Ok(Value::Ref(reg, Facts::exact(class)))
    }

    pub(crate) fn invoke_virtual(
        &mut self,
        class: &str,
        name: &str,
        descriptor: &str,
    ) -> Run<Flow> {
        let (parameters, _) = method_descriptor(descriptor);
        if Self::makes_text(class, name, descriptor)
            && let Some(flow) = self.texts_first(&parameters)?
        {
            return Ok(flow);
        }
        let stack = &self.state.top().stack;
        let receiver = stack.len().checked_sub(parameters.len() + 1).map(|at| stack[at].clone());
        if let Some(receiver) = receiver
            && let Some(flow) = self.choose_class(class, name, descriptor, &receiver)?
        {
            return Ok(flow);
        }
        let args = self.pop_arguments(descriptor)?;
        let receiver = self.pop()?;
        self.call_virtual(Call { class, name, descriptor, receiver, args, after: After::Push })
    }

    pub(crate) fn call_virtual(&mut self, mut call: Call<'_>) -> Run<Flow> {
        call.receiver = self.forced(call.receiver)?;
        let Call { class, name, descriptor, after, .. } = call;
        let receiver = call.receiver.clone();
        match &receiver {
            Value::Dead(why) => refuse(RefusalKind::Unsupported, *why),
            Value::Null => {
                self.raise("java/lang/NullPointerException")?;
                Ok(Flow::End)
            }
            Value::Collector => match (name, call.args.first()) {
                ("collect", Some(value)) => {
                    let value = value.clone();
                    self.emit(&value)?;
                    self.give(None, After::Drop)
                }
                ("close", _) => self.give(None, After::Drop),
                _ => refuse(RefusalKind::Context, format!("it calls Collector.{name}")),
            },
            Value::Context => refuse(RefusalKind::Context, format!("it calls Context.{name}")),
            Value::Silent => self.call_silent(class, name, descriptor, after),
            Value::Class(of) => match name {
                "getName" => self.give(Some(Value::text(&of.replace('/', "."))), after),
                "getSimpleName" => {
                    let simple = of.rsplit(['/', '$']).next().unwrap_or(of);
                    self.give(Some(Value::text(simple)), after)
                }
                _ => refuse(RefusalKind::Unsupported, format!("it calls Class.{name}")),
            },
            Value::Constant(_) if name == "clone" && class.starts_with('[') => {
                // Nobody can write into either.
                self.give(Some(receiver), after)
            }
            Value::Ref(..) if matches!(name, "printStackTrace" | "addSuppressed") => {
                self.need(&receiver)?;
                self.give(None, After::Drop)
            }
            Value::Lambda(lambda) => {
                let lambda = Rc::clone(lambda);
                self.call_lambda(&lambda, call)
            }
            Value::Object(id) => {
                self.need(&receiver)?;
                let of = self.state.objects.get(id).map(|object| Rc::clone(&object.class));
                let of = of.unwrap_or_else(|| class.into());
                self.call_exact(&of, call)
            }
            Value::Constant(at) => {
                let of = self.subject.constants.class(*at).unwrap_or_else(|| class.to_owned());
                if let Some(value) = self.known_enum(*at, name, descriptor) {
                    return self.give(Some(value), after);
                }
                self.call_exact(&of, call)
            }
            Value::Ref(_, facts) if self.subject.pool.is_users(class) => {
                let facts = facts.clone();
                self.call_any(&facts, call)
            }
            Value::Ref(_, facts) if facts.exact && self.is_users_class(facts) => {
                let of = facts.class.clone().unwrap_or_default();
                self.call_exact(&of, call)
            }
            _ => {
                let args = &call.args;
                if let Some(value) = self.known_virtual(class, name, descriptor, &receiver, args)? {
                    return self.give(Some(value), after);
                }
                let result = self.library_call(class, name, descriptor, Some(&receiver), args)?;
                self.give(result, after)
            }
        }
    }

    fn is_users_class(&self, facts: &Facts) -> bool {
        facts.class.as_deref().is_some_and(|class| self.subject.pool.is_users(class))
    }

    /// A call whose receiver is of exactly that class.
    pub(crate) fn call_exact(&mut self, of: &str, call: Call<'_>) -> Run<Flow> {
        let Call { class, name, descriptor, after, .. } = call;
        let (receiver, args) = (&call.receiver, &call.args);
        if tuple_arity(of).is_some() {
            return self.call_tuple(&call);
        }
        if !self.subject.pool.is_users(of) {
            let result = self.library_call(class, name, descriptor, Some(receiver), args)?;
            return self.give(result, after);
        }
        match self.subject.pool.exact(of, name, descriptor) {
            Targets::Methods(methods) if methods.len() == 1 => {
                self.need(receiver)?;
                self.enter(&methods[0], call.values(), after)
            }
            Targets::Library(_) if name == "getRuntimeContext" => {
                self.give(Some(Value::Silent), after)
            }
            Targets::Library(_) if name == "getClass" => {
                self.give(Some(Value::Class(of.into())), after)
            }
            Targets::Library(above) if tuple_arity(&above).is_some() => self.call_tuple(&call),
            Targets::Library(above) => match above.as_str() {
                "java/lang/Object" | "java/lang/Record" => refuse(
                    RefusalKind::Identity,
                    format!("it calls {}.{name}, which is Java's own", dotted(of)),
                ),
                _ => {
                    let result =
                        self.library_call(&above, name, descriptor, Some(receiver), args)?;
                    self.give(result, after)
                }
            },
            _ => refuse(RefusalKind::Dispatch, format!("it is not known whom {name} reaches")),
        }
    }
}
