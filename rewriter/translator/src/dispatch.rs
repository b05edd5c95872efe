//! Calls of methods by their receivers: objects in the heap, tuples, enums, boxes, loggers.

use std::rc::Rc;

use sluice_planner::effects::{Targets, class_descriptor, method_descriptor};

use crate::call::Call;
use crate::library::{class_of_exception, is_silent};
use crate::pass::{After, Flow, Key, Pass, dotted};
use crate::refusal::{RefusalKind, Run, refuse};
use crate::text::Text;
use crate::value::{Boxed, Facts, Operand, Prim, Value};

/// The most classes between which a call chooses.
const CLASSES_LIMIT: usize = 8;

impl Pass<'_, '_> {
    /// The classes of which an object in the heap can be.
    fn living_below(&mut self, class: &str) -> Vec<usize> {
        for at in 0.. {
            match self.subject.constants.class(at) {
                Some(class) if self.subject.pool.is_users(&class) => self.learnt.lives(&class),
                Some(_) => {}
                None => break,
            }
        }
        let classes = self.learnt.classes.iter().enumerate();
        let below = classes.filter(|(_, known)| self.is_below(known, class) == Some(true));
        below.map(|(at, _)| at).collect()
    }

    /// A call whose receiver may be of several classes with methods of their own: the way to each; none where one call is enough.
    pub(crate) fn choose_class(
        &mut self,
        class: &str,
        name: &str,
        descriptor: &str,
        receiver: &Value,
    ) -> Run<Option<Flow>> {
        let Value::Ref(reg, facts) = receiver else { return Ok(None) };
        if facts.exact || !self.subject.pool.is_users(class) {
            return Ok(None);
        }
        let mut living = self.living_below(class);
        let mut owners: Vec<Rc<str>> = Vec::new();
        for at in &living {
            let class = Rc::clone(&self.learnt.classes[*at]);
            if let Targets::Methods(methods) = self.subject.pool.exact(&class, name, descriptor) {
                owners.extend(methods.iter().map(|method| Rc::from(method.class.name())));
            }
        }
        owners.sort_unstable();
        owners.dedup();
        if owners.len() < 2 {
            return Ok(None);
        }
        if living.len() > CLASSES_LIMIT {
            let text = format!("{}.{name} has {} implementations", dotted(class), owners.len());
            return refuse(RefusalKind::Dispatch, text);
        }
        self.need(receiver)?;
        let pool = self.subject.pool;
        // A class comes before those above it.
        living.sort_by_key(|at| std::cmp::Reverse(pool.line_of(&self.learnt.classes[*at]).len()));
        let (context, call) = (self.here(), self.at);
        for (place, at) in living.iter().enumerate() {
            let target = self.edge(self.state.clone(), Key::Call(context, call, *at))?;
            if place + 1 == living.len() {
                self.text.end(format!("jump {target}"));
                break;
            }
            let class = Rc::clone(&self.learnt.classes[*at]);
            self.declare_class(&class)?;
            let test = self.text.pure(format!("is %{reg}, \"{class}\""));
            let next = self.text.block();
            self.text.end(format!("branch %{test}, {target}, {}", Text::label(next)));
            self.text.go_on_in(next);
        }
        Ok(Some(Flow::End))
    }

    /// The call in work, with a receiver of the class of that number.
    pub(crate) fn call_of_class(&mut self, class: usize) -> Run<Flow> {
        use cafebabe::bytecode::Opcode;
        let context = self.here();
        let body = self.body(context);
        let (Some(Opcode::Invokevirtual(method)) | Some(Opcode::Invokeinterface(method, _))) =
            body.opcode(self.at)
        else {
            return refuse(RefusalKind::Code, "a call was expected");
        };
        let (name, descriptor) = (&*method.name_and_type.name, &*method.name_and_type.descriptor);
        let args = self.pop_arguments(descriptor)?;
        let Value::Ref(reg, _) = self.pop()? else {
            return refuse(RefusalKind::Unsupported, "the receiver differs from way to way");
        };
        let class = Rc::clone(&self.learnt.classes[class]);
        let receiver = Value::Ref(reg, Facts::exact(&class));
        let of = &method.class_name;
        let call = Call { class: of, name, descriptor, receiver, args, after: After::Push };
        self.call_exact(&class, call)
    }

    /// A call whose receiver may be of any class below.
    pub(crate) fn call_any(&mut self, facts: &Facts, call: Call<'_>) -> Run<Flow> {
        let Call { class, name, descriptor, after, .. } = call;
        let of = match &facts.class {
            Some(known) if self.is_below(known, class) == Some(true) => known.to_string(),
            _ => class.to_owned(),
        };
        if facts.exact {
            return self.call_exact(&of, call);
        }
        let living = self.living_below(&of);
        if let Some(first) = living.first() {
            let one = Rc::clone(&self.learnt.classes[*first]);
            // All of them share the method.
            if let Targets::Methods(methods) = self.subject.pool.exact(&one, name, descriptor) {
                self.need(&call.receiver)?;
                return self.enter(&methods[0], call.values(), after);
            }
        }
        match self.subject.pool.any(&of, name, descriptor, false) {
            Targets::Methods(methods) if methods.len() == 1 => {
                self.need(&call.receiver)?;
                self.enter(&methods[0], call.values(), after)
            }
            Targets::Library(above)
                if above == "java/lang/Enum" || class_of_exception(&above).is_some() =>
            {
                let (receiver, args) = (Some(&call.receiver), &call.args);
                let result = self.library_call(&above, name, descriptor, receiver, args)?;
                self.give(result, after)
            }
            _ => refuse(
                RefusalKind::Dispatch,
                format!("it is not known whom {}.{name} reaches", dotted(class)),
            ),
        }
    }

    /// Calls of loggers and metrics do nothing to events.
    pub(crate) fn call_silent(
        &mut self,
        class: &str,
        name: &str,
        descriptor: &str,
        after: After,
    ) -> Run<Flow> {
        let (_, result) = method_descriptor(descriptor);
        let context = class.ends_with("/RuntimeContext") && {
            matches!(
                name,
                "getMetricGroup"
                    | "getTaskInfo"
                    | "getJobInfo"
                    | "addAccumulator"
                    | "getAccumulator"
                    | "getIntCounter"
                    | "getLongCounter"
                    | "getDoubleCounter"
                    | "getHistogram"
            )
        };
        // What it says of the task is not the same everywhere, and of no use.
        let task = matches!(
            class,
            "org/apache/flink/api/common/TaskInfo" | "org/apache/flink/api/common/JobInfo"
        );
        if !is_silent(class) && !context && !task {
            return refuse(RefusalKind::Context, format!("it calls {}.{name}", dotted(class)));
        }
        match result {
            "V" => self.give(None, After::Drop),
            "Z" => self.give(Some(Value::bool(false)), after),
            result
                if class_descriptor(result)
                    .is_some_and(|class| is_silent(class) || class.contains("flink")) =>
            {
                self.give(Some(Value::Silent), after)
            }
            _ => self
                .give(Some(Value::Dead("what a logger, a metric or the runtime returned")), after),
        }
    }

    pub(crate) fn call_tuple(&mut self, call: &Call<'_>) -> Run<Flow> {
        let Call { name, descriptor, receiver, args, after, .. } = call;
        let after = *after;
        let place = |value: Option<&Value>| match value {
            Some(Value::Scalar(_, Operand::Int(at))) => usize::try_from(*at).ok(),
            _ => None,
        };
        match (*name, args.as_slice(), receiver) {
            ("getField", [at], Value::Object(id)) => {
                let name = place(Some(at)).map(|at| format!("f{at}"));
                let object = self.state.objects.get(id);
                let value = name.and_then(|name| object?.fields.get(name.as_str()).cloned());
                match value {
                    Some(value) => {
                        let value = self.forced(value)?;
                        self.give(Some(value), after)
                    }
                    None => refuse(RefusalKind::Library, "Tuple.getField of an unknown field"),
                }
            }
            ("setField", [value, at], _) if place(Some(at)).is_some() => {
                let value = value.clone();
                self.set_tuple_field(receiver, place(Some(at)).unwrap_or_default(), &value)?;
                self.give(None, After::Drop)
            }
            ("setFields", values, _) => {
                let values = values.to_vec();
                self.fill_tuple(receiver, &values)?;
                self.give(None, After::Drop)
            }
            ("toString", [], _) => {
                let text = self.tuple_text(receiver)?;
                self.give(Some(text), after)
            }
            _ => refuse(
                RefusalKind::Library,
                format!("Tuple.{name}{descriptor} is not known to the native engine"),
            ),
        }
    }

    /// What is known of an enum's constant.
    pub(crate) fn known_enum(&self, at: usize, name: &str, descriptor: &str) -> Option<Value> {
        let class = self.subject.constants.class(at)?;
        let overridden =
            || matches!(self.subject.pool.exact(&class, name, descriptor), Targets::Methods(_));
        match (name, descriptor) {
            ("ordinal", "()I") => self.subject.constants.ordinal(at).map(Value::int),
            ("name", "()Ljava/lang/String;") => self.subject.constants.name(at).map(Value::text),
            ("toString", "()Ljava/lang/String;") if !overridden() => {
                self.subject.constants.name(at).map(Value::text)
            }
            _ => None,
        }
    }

    /// Taking a number out of a box, and a text of one char apart.
    pub(crate) fn known_virtual(
        &mut self,
        class: &str,
        name: &str,
        descriptor: &str,
        receiver: &Value,
        args: &[Value],
    ) -> Run<Option<Value>> {
        if let Value::Char(char) = receiver {
            return Ok(match (name, descriptor, args) {
                ("length", ..) => Some(Value::int(1)),
                ("isEmpty", ..) => Some(Value::bool(false)),
                ("charAt", _, [Value::Scalar(_, Operand::Int(0))]) => {
                    Some(Value::Scalar(Prim::Int, char.clone()))
                }
                _ => None,
            });
        }
        let Some(to) = name.strip_suffix("Value").filter(|_| descriptor.starts_with("()")) else {
            return Ok(None);
        };
        let known = match receiver {
            Value::Boxed(boxed, _) | Value::Nullable(boxed, _) => Some(*boxed),
            _ => Boxed::of_class(class),
        };
        let Some(boxed) = known.filter(|boxed| *boxed != Boxed::String) else { return Ok(None) };
        let (_, result) = method_descriptor(descriptor);
        let Some(wanted) = crate::value::prim_of(result) else { return Ok(None) };
        let operand = self.unbox(receiver, boxed)?;
        if boxed.prim() == wanted && !matches!(to, "byte" | "short") {
            return Ok(Some(Value::Scalar(wanted, operand)));
        }
        if boxed.prim() == wanted && boxed.is_small() {
            return Ok(Some(Value::Scalar(wanted, operand)));
        }
        if matches!(to, "byte" | "short") {
            return refuse(
                RefusalKind::Library,
                format!("{class}.{name} is not known to the native engine"),
            );
        }
        let reg = self.text.pure(format!("to_{} {operand}", wanted.word()));
        Ok(Some(Value::reg(wanted, reg)))
    }
}
