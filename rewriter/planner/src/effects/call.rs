//! Calls: code of the user is followed, code of libraries is looked up.

use cafebabe::constant_pool::{InvokeDynamic, MemberRef, ReferenceKind};

use super::descriptor;
use super::finding::{FindingKind, NoteKind, dotted};
use super::frame::{Frame, Malformed};
use super::known::{self, Act};
use super::pool::{Method, Targets};
use super::step::{Call, is_plain, plain};
use super::value::{Origin, Value, join};
use super::walk::{Analysis, At, Lambda, Phase};

/// The field that stands for all that a container of a library holds.
const HELD: &str = "<held>";

/// A method as a call names it.
#[derive(Clone, Copy)]
pub struct Callee<'c> {
    pub class: &'c str,
    pub name: &'c str,
    pub descriptor: &'c str,
}

impl<'a> Analysis<'a> {
    pub fn invoke(
        &mut self,
        at: &At<'_, 'a>,
        member: &MemberRef<'a>,
        how: Call,
        frame: &mut Frame,
    ) -> Result<(), Malformed> {
        let callee = Callee {
            class: &member.class_name,
            name: &member.name_and_type.name,
            descriptor: &member.name_and_type.descriptor,
        };
        let (parameters, result) = descriptor::method(callee.descriptor);
        let mut arguments = Vec::with_capacity(parameters.len());
        for _ in &parameters {
            arguments.push(frame.pop()?);
        }
        arguments.reverse();
        let receiver = if how == Call::Static { None } else { Some(frame.pop()?) };
        if callee.name == "<init>" {
            let receiver = receiver.ok_or(Malformed)?;
            let origin = self.construct(at, callee, &receiver, &arguments);
            if let Some(site) = receiver.site {
                frame.raise(site, &origin);
            }
            return Ok(());
        }
        let value = self.call(at, callee, how, receiver, arguments);
        if result != "V" {
            frame.push(value.wide(descriptor::is_wide(result)));
        }
        Ok(())
    }

    /// Runs a constructor; what the arguments say of who can see the object.
    pub fn construct(
        &mut self,
        at: &At<'_, 'a>,
        callee: Callee<'_>,
        object: &Value,
        arguments: &[Value],
    ) -> Origin {
        let from = arguments.iter().fold(Origin::Own, |o, argument| join(&o, &argument.origin));
        if !self.pool.is_users(callee.class) {
            if callee.class == "java/util/Date" && callee.descriptor == "()V" {
                self.note(NoteKind::Clock, "new Date()".to_owned(), at);
            }
            self.library(at, callee, None, arguments);
            if !known::hands_out(callee.class) {
                return from;
            }
            for (place, argument) in arguments.iter().enumerate() {
                if let Some(root) = argument.shared() {
                    self.taint(HELD, root.clone());
                    self.taint(&format!("f{place}"), root.clone());
                }
            }
            return unshared(from);
        }
        if let Some(method) = self.pool.own(callee.class, callee.name, callee.descriptor) {
            let all: Vec<_> = std::iter::once(object.clone()).chain(arguments.to_vec()).collect();
            self.run(&method, &all);
        }
        // What the constructor keeps of shared arguments is known by the fields that it writes.
        unshared(from)
    }

    /// Calls a method; what it returns.
    pub fn call(
        &mut self,
        at: &At<'_, 'a>,
        callee: Callee<'_>,
        how: Call,
        receiver: Option<Value>,
        arguments: Vec<Value>,
    ) -> Value {
        let Callee { class, name, descriptor } = callee;
        let lambdas = receiver.as_ref().map(|r| r.lambdas.clone()).unwrap_or_default();
        let concrete = |m: &Method<'a>| !m.is_abstract();
        if !lambdas.is_empty()
            && !self.pool.own(class, name, descriptor).is_some_and(|m| concrete(&m))
        {
            return self.apply_all(at, &lambdas, &arguments);
        }
        if how == Call::Static {
            self.initialise(class, at);
        }
        let exact = receiver.as_ref().and_then(|receiver| receiver.class.clone());
        let mut joined: Option<Value> = None;
        let targets = match (how, &exact) {
            (Call::Virtual, Some(exact)) => self.pool.exact(exact, name, descriptor),
            (Call::Virtual, None) => {
                let lambdas = self.lambdas_behind(class, name, descriptor);
                if !lambdas.is_empty() {
                    joined = Some(self.apply_all(at, &lambdas, &arguments));
                }
                self.pool.any(class, name, descriptor, !lambdas.is_empty())
            }
            (Call::Special | Call::Static, _) => self.pool.exact(class, name, descriptor),
        };
        match targets {
            Targets::Methods(methods) => {
                let all: Vec<_> = receiver.into_iter().chain(arguments).collect();
                for method in methods {
                    let value = self.run(&method, &all);
                    joined = Some(joined.map_or(value.clone(), |joined| joined.join(&value)));
                }
                let mut value = joined.unwrap_or_else(Value::own);
                if is_plain(descriptor::method(descriptor).1) {
                    value.origin = plain(value.origin);
                }
                value
            }
            Targets::Library(library) => {
                let callee = Callee { class: &library, ..callee };
                self.library(at, callee, receiver.as_ref(), &arguments)
            }
            Targets::Unknown(what) => {
                self.find(FindingKind::Unknown, what, at);
                Value::of(Origin::Event)
            }
        }
    }

    /// A method of a library.
    fn library(
        &mut self,
        at: &At<'_, 'a>,
        callee: Callee<'_>,
        receiver: Option<&Value>,
        arguments: &[Value],
    ) -> Value {
        let Callee { class, name, descriptor } = callee;
        let called = || format!("{}.{name}", dotted(class));
        if !self.pool.is_there(class) {
            self.find(FindingKind::Missing, dotted(class), at);
        }
        match known::act(class, name) {
            Some(Act::Finding(kind)) => self.find(kind, called(), at),
            Some(Act::Note(kind)) => self.note(kind, called(), at),
            Some(Act::EventTime) => self.reads_time(at),
            None => {}
        }
        let root = receiver.and_then(Value::shared).filter(|_| self.phase == Phase::Each);
        if let Some(root) = root {
            if known::changes_receiver(class, name) {
                self.find(FindingKind::HiddenObject, root.to_string(), at);
            } else if known::is_functional(class) && !known::is_object_method(name) {
                self.find(FindingKind::Unknown, format!("it calls {root}"), at);
            }
        }
        let changed = known::changes_argument(class, name).and_then(|n| arguments.get(n));
        match changed.and_then(Value::shared).filter(|_| self.phase == Phase::Each) {
            Some(root) => self.find(FindingKind::HiddenObject, root.to_string(), at),
            None => self.keep_in_container(callee, receiver, arguments),
        }
        let result = self.library_result(callee, receiver, arguments);
        let filler = Value { lambdas: Default::default(), class: None, ..result.clone() };
        let filler = self.handed_out(class, receiver, arguments, filler);
        for value in arguments {
            self.hand_over(at, value, &filler);
        }
        let plain_result = is_plain(descriptor::method(descriptor).1);
        if plain_result { Value { origin: plain(result.origin), ..result } } else { result }
    }

    /// A container that is changed may hold shared objects from now on.
    fn keep_in_container(
        &mut self,
        callee: Callee<'_>,
        receiver: Option<&Value>,
        arguments: &[Value],
    ) {
        let into = known::changes_receiver(callee.class, callee.name) && receiver.is_some()
            || known::changes_argument(callee.class, callee.name).is_some();
        if into && let Some(root) = arguments.iter().find_map(Value::shared) {
            self.taint(HELD, root.clone());
        }
    }

    fn library_result(
        &self,
        Callee { class, name, .. }: Callee<'_>,
        receiver: Option<&Value>,
        arguments: &[Value],
    ) -> Value {
        let all = receiver.into_iter().chain(arguments);
        let origin = all.fold(Origin::Own, |origin, value| join(&origin, &value.origin));
        let copies = matches!(name, "clone" | "copy" | "toArray" | "copyOf" | "copyOfRange");
        let shared_tool = receiver.is_some_and(|receiver| receiver.shared().is_some());
        if known::is_helper(class) || copies {
            return Value::of(if shared_tool { unshared(origin) } else { plain(origin) });
        }
        match self.tainted(HELD).filter(|_| known::hands_out(class)) {
            Some(root) => Value::of(join(&origin, &Origin::Shared(root))),
            None => Value::of(origin),
        }
    }

    /// What a library may hand to code that it is given: what it got itself.
    fn handed_out(
        &self,
        class: &str,
        receiver: Option<&Value>,
        arguments: &[Value],
        filler: Value,
    ) -> Value {
        let all = receiver.into_iter().chain(arguments);
        let origin = all.fold(filler.origin.clone(), |origin, value| join(&origin, &value.origin));
        let origin = if known::is_helper(class) { unshared(origin) } else { origin };
        Value { origin: join(&origin, &Origin::Event), ..filler }
    }

    /// Code that is given to a library may be called by it.
    fn hand_over(&mut self, at: &At<'_, 'a>, value: &Value, filler: &Value) {
        for lambda in value.lambdas.clone() {
            self.apply(at, lambda, &[], filler);
        }
        let Some(class) = value.class.as_deref().filter(|class| self.pool.is_users(class)) else {
            return;
        };
        let Some(parsed) = self.pool.class(class) else { return };
        let callback = |interface: &str| {
            interface.starts_with("java/util/") || known::is_functional(interface)
        };
        if !parsed.file.interfaces.iter().any(|interface| callback(interface)) {
            return;
        }
        for info in &parsed.file.methods {
            let descriptor = info.descriptor.to_string();
            let Some(method) = self.pool.own(class, &info.name, &descriptor) else { continue };
            if method.is_static() || method.is_abstract() || info.name == "<init>" {
                continue;
            }
            let (parameters, _) = descriptor::method(&descriptor);
            let fill = parameters.iter().map(|ty| filler.clone().wide(descriptor::is_wide(ty)));
            let all: Vec<_> = std::iter::once(value.clone()).chain(fill).collect();
            self.run(&method, &all);
        }
    }

    pub fn invoke_dynamic(
        &mut self,
        at: &At<'_, 'a>,
        call: &InvokeDynamic<'a>,
        frame: &mut Frame,
    ) -> Result<(), Malformed> {
        let (parameters, result) = descriptor::method(&call.name_and_type.descriptor);
        let mut captured = Vec::with_capacity(parameters.len());
        for _ in &parameters {
            captured.push(frame.pop()?);
        }
        captured.reverse();
        let class = std::rc::Rc::clone(&at.method.ok_or(Malformed)?.0.class);
        let (bootstrap, handle) = class.bootstrap(call.attr_index).ok_or(Malformed)?;
        let origin = captured.iter().fold(Origin::Own, |o, value| join(&o, &value.origin));
        let value = match (&*bootstrap.class_name, handle) {
            ("java/lang/invoke/LambdaMetafactory", Some(handle)) => {
                let lambda = self.lambda(Lambda {
                    owner: handle.class_name.to_string(),
                    name: handle.member_ref.name.to_string(),
                    descriptor: handle.member_ref.descriptor.to_string(),
                    kind: handle.kind,
                    captured: captured.into_iter().map(|v| Value { site: None, ..v }).collect(),
                });
                Value { lambdas: [lambda].into(), ..Value::own() }
            }
            (
                "java/lang/invoke/StringConcatFactory"
                | "java/lang/runtime/ObjectMethods"
                | "java/lang/runtime/SwitchBootstraps"
                | "java/lang/invoke/ConstantBootstraps",
                _,
            ) => Value::of(plain(origin)),
            (other, _) => {
                let what = format!("it is linked by {}", dotted(other));
                self.find(FindingKind::Unknown, what, at);
                Value::of(origin)
            }
        };
        if result != "V" {
            frame.push(value.wide(descriptor::is_wide(result)));
        }
        Ok(())
    }

    /// The lambdas of the jar by which an object whose class nobody knows may implement a method.
    fn lambdas_behind(
        &mut self,
        class: &str,
        name: &str,
        descriptor: &str,
    ) -> std::collections::BTreeSet<u32> {
        let is_abstract = self.pool.own(class, name, descriptor).is_some_and(|m| m.is_abstract());
        if !is_abstract || !self.pool.is_users(class) {
            return Default::default();
        }
        let found = self.pool.lambdas_of(class);
        found.iter().map(|lambda| self.lambda(lambda.clone())).collect()
    }

    fn apply_all(
        &mut self,
        at: &At<'_, 'a>,
        lambdas: &std::collections::BTreeSet<u32>,
        arguments: &[Value],
    ) -> Value {
        let filler = Value::of(Origin::Event);
        let mut joined: Option<Value> = None;
        for &lambda in lambdas {
            let value = self.apply(at, lambda, arguments, &filler);
            joined = Some(joined.map_or(value.clone(), |joined| joined.join(&value)));
        }
        joined.unwrap_or(filler)
    }

    /// Runs a lambda with the arguments, or with `filler` where there are none.
    fn apply(
        &mut self,
        at: &At<'_, 'a>,
        lambda: u32,
        arguments: &[Value],
        filler: &Value,
    ) -> Value {
        let Some(lambda) = self.lambdas.get(lambda as usize).cloned() else {
            return filler.clone();
        };
        let (parameters, _) = descriptor::method(&lambda.descriptor);
        let instance =
            !matches!(lambda.kind, ReferenceKind::InvokeStatic | ReferenceKind::NewInvokeSpecial);
        let types = instance.then_some("L;").into_iter().chain(parameters);
        let mut given = lambda.captured.iter().chain(arguments).cloned();
        let mut all: Vec<Value> = types
            .map(|ty| given.next().unwrap_or_else(|| filler.clone()).wide(descriptor::is_wide(ty)))
            .collect();
        let callee =
            Callee { class: &lambda.owner, name: &lambda.name, descriptor: &lambda.descriptor };
        match lambda.kind {
            ReferenceKind::InvokeStatic => self.call(at, callee, Call::Static, None, all),
            ReferenceKind::NewInvokeSpecial => {
                let object = Value { class: Some(lambda.owner.as_str().into()), ..Value::own() };
                let origin = self.construct(at, callee, &object, &all);
                Value { origin, ..object }
            }
            ReferenceKind::InvokeSpecial => {
                let receiver = all.remove(0);
                self.call(at, callee, Call::Special, Some(receiver), all)
            }
            _ => {
                let receiver = all.remove(0);
                self.call(at, callee, Call::Virtual, Some(receiver), all)
            }
        }
    }
}

/// Not shared, but perhaps made from the event.
fn unshared(origin: Origin) -> Origin {
    match origin {
        Origin::Shared(_) => Origin::Event,
        other => other,
    }
}
