//! Calls of Java's library, of lambdas, and of what `invokedynamic` links.

use std::rc::Rc;

use cafebabe::attributes::AttributeData;
use cafebabe::constant_pool::{
    BootstrapArgument, InvokeDynamic, LiteralConstant, MethodHandle, ReferenceKind,
};
use sluice_planner::effects::{Targets, method_descriptor};

use crate::body::Body;
use crate::call::Call;
use crate::classes::{class_named, is_above_all};
use crate::entry::parameters;
use crate::library::{self, LibTy};
use crate::output::boxed_of_descriptor;
use crate::pass::{After, Flow, Pass, dotted};
use crate::refusal::{RefusalKind, Run, refuse};
use crate::value::{Boxed, Facts, Lambda, LambdaKind, Operand, Prim, Value};

impl<'a> Pass<'_, 'a> {
    /// A call of the engine's library; what it gives.
    pub(crate) fn library_call(
        &mut self,
        owner: &str,
        name: &str,
        descriptor: &str,
        receiver: Option<&Value>,
        args: &[Value],
    ) -> Run<Option<Value>> {
        if let (true, [Value::Char(char)]) = (appends(owner, name, descriptor), args) {
            // Half of a pair is no text of its own, but can be appended.
            let char = Value::Scalar(Prim::Int, char.clone());
            let descriptor = format!("(C)L{owner};");
            return self.library_call(owner, name, &descriptor, receiver, &[char]);
        }
        let found = library::find(self.subject.library, owner, name, descriptor);
        let Some((owner, signature)) = found else {
            let text = format!("{owner}.{name}{descriptor} is not known to the native engine");
            return refuse(RefusalKind::Library, text);
        };
        let outlives = match receiver {
            Some(Value::Constant(_)) => true,
            Some(Value::Ref(reg, _)) => self.kept.contains(reg),
            _ => false,
        };
        if outlives && !signature.pure {
            return refuse(
                RefusalKind::State,
                format!("{owner}.{name} changes an object that outlives the event"),
            );
        }
        let values: Vec<&Value> = receiver.into_iter().chain(args).collect();
        if values.len() != signature.params.len() {
            return refuse(RefusalKind::Library, format!("{owner}.{name} has another signature"));
        }
        let mut operands = Vec::with_capacity(values.len());
        for (at, (value, ty)) in values.into_iter().zip(&signature.params).enumerate() {
            let is_receiver = at == 0 && receiver.is_some();
            operands.push(match ty {
                LibTy::String => self.text_of(value)?.to_string(),
                LibTy::Ref => format!("%{}", self.reference(value)?),
                _ if is_receiver && Boxed::of_class(&owner).is_some() => {
                    let boxed = Boxed::of_class(&owner).unwrap_or(Boxed::Integer);
                    self.unbox(value, boxed)?.to_string()
                }
                other => self.scalar(value, prim_of_library(*other))?.to_string(),
            });
        }
        let catch = if signature.throws { self.catch()? } else { None };
        let what = format!("call \"{owner}.{name}{descriptor}\"({})", operands.join(", "));
        let Some(result) = signature.result else {
            self.text.act(&what, catch.as_deref());
            return Ok(None);
        };
        let reg = self.text.step(&what, catch.as_deref());
        let (_, ty) = method_descriptor(descriptor);
        Ok(Some(match result {
            LibTy::Ref => {
                let class = class_named(ty).filter(|class| !is_above_all(class));
                Value::Ref(reg, class.map_or_else(Facts::default, Facts::of))
            }
            other => Value::reg(prim_of_library(other), reg),
        }))
    }

    /// Static methods that need no call: boxes, tests for null, tuples.
    pub(crate) fn known_static(
        &mut self,
        class: &str,
        name: &str,
        descriptor: &str,
        args: &[Value],
    ) -> Run<Option<Value>> {
        let boxed = Boxed::of_class(class).filter(|boxed| *boxed != Boxed::String);
        Ok(match (class, name, args) {
            (_, "valueOf", [value])
                if boxed
                    .is_some_and(|b| descriptor.starts_with(&format!("({})", b.descriptor()))) =>
            {
                let boxed = boxed.unwrap_or(Boxed::Integer);
                Some(Value::Boxed(boxed, self.scalar(value, boxed.prim())?))
            }
            (_, "valueOf", [_])
                if boxed.is_some() && descriptor.starts_with("(Ljava/lang/String;)") =>
            {
                let boxed = boxed.unwrap_or(Boxed::Integer);
                let parse = match boxed {
                    Boxed::Integer => "parseInt",
                    Boxed::Long => "parseLong",
                    Boxed::Double => "parseDouble",
                    Boxed::Float => "parseFloat",
                    Boxed::Short => "parseShort",
                    Boxed::Byte => "parseByte",
                    _ => "parseBoolean",
                };
                let ty = format!("(Ljava/lang/String;){}", boxed.descriptor());
                match self.library_call(class, parse, &ty, None, args)? {
                    Some(Value::Scalar(_, operand)) => Some(Value::Boxed(boxed, operand)),
                    other => other,
                }
            }
            ("java/util/Objects", "requireNonNull", [value, ..]) => {
                let value = self.forced(value.clone())?;
                self.need(&value)?;
                Some(value)
            }
            ("java/util/Objects", "isNull", [value]) => {
                Some(Value::Scalar(Prim::Bool, self.is_null(value)?))
            }
            ("java/util/Objects", "nonNull", [value]) => Some(match self.is_null(value)? {
                Operand::Bool(null) => Value::bool(!null),
                null => Value::reg(Prim::Bool, self.text.pure(format!("not {null}"))),
            }),
            ("java/lang/String", "valueOf", [char])
            | ("java/lang/Character", "toString", [char])
                if descriptor.starts_with("(C)") =>
            {
                Some(Value::Char(self.int(char)?))
            }
            ("java/lang/Enum", "valueOf", [Value::Class(class), name]) => {
                let class = Rc::clone(class);
                Some(self.enum_of(&class, name)?)
            }
            (_, "of", values) if crate::classes::tuple_arity(class) == Some(values.len()) => {
                let site = self.site();
                let tuple = self.new_object(site, class)?;
                self.fill_tuple(&tuple, values)?;
                Some(tuple)
            }
            _ => None,
        })
    }

    /// The place of the instruction in work.
    fn site(&mut self) -> (u32, u32) {
        match self.state.frames.last() {
            Some(frame) => (frame.context, self.at as u32),
            None => (u32::MAX, 0),
        }
    }

    /// Calls a lambda's method through its interface, or a method that the interface itself has.
    pub(crate) fn call_lambda(&mut self, lambda: &Rc<Lambda>, call: Call<'_>) -> Run<Flow> {
        let Call { class, name, descriptor, args, after, .. } = call;
        if *lambda.called != *name {
            if self.subject.pool.is_users(class)
                && let Targets::Methods(methods) = self.subject.pool.exact(class, name, descriptor)
                && methods.len() == 1
            {
                let args = [vec![Value::Lambda(Rc::clone(lambda))], args].concat();
                return self.enter(&methods[0], args, after);
            }
            let text =
                format!("{}.{name} of a lambda is not known to the native engine", dotted(class));
            return refuse(RefusalKind::Library, text);
        }
        let (_, result) = method_descriptor(descriptor);
        let all = [lambda.captured.clone(), args].concat();
        let Lambda { owner, name, descriptor, kind, .. } = &**lambda;
        self.call_implementation(owner, name, descriptor, *kind, all, result)
    }

    /// Calls the method behind a lambda; what it gives is made into what the interface returns.
    pub(crate) fn call_implementation(
        &mut self,
        owner: &str,
        name: &str,
        descriptor: &str,
        kind: LambdaKind,
        args: Vec<Value>,
        result: &str,
    ) -> Run<Flow> {
        let is_static = matches!(kind, LambdaKind::Static | LambdaKind::New);
        let types = parameters(owner, descriptor, is_static);
        if types.len() != args.len() {
            return refuse(RefusalKind::Code, format!("{name} takes another number of arguments"));
        }
        let mut adapted = Vec::with_capacity(args.len());
        for (value, ty) in args.into_iter().zip(&types) {
            adapted.push(self.adapted(value, ty)?);
        }
        let (_, given) = method_descriptor(descriptor);
        let after = match (boxed_of_descriptor(given), boxed_of_descriptor(result)) {
            _ if result == "V" => After::Drop,
            (Some(boxed), None) => After::Box(boxed),
            (None, Some(boxed)) if given != "V" => After::Unbox(boxed),
            _ => After::Push,
        };
        match kind {
            LambdaKind::Static => self.call_static(owner, name, descriptor, adapted, after),
            LambdaKind::Virtual => {
                let receiver = adapted.remove(0);
                let class = owner;
                self.call_virtual(Call { class, name, descriptor, receiver, args: adapted, after })
            }
            LambdaKind::Special => {
                let receiver = adapted.remove(0);
                match self.subject.pool.exact(owner, name, descriptor) {
                    Targets::Methods(methods) if methods.len() == 1 => {
                        self.enter(&methods[0], [vec![receiver], adapted].concat(), after)
                    }
                    _ => refuse(RefusalKind::Code, format!("{name} is not in the jar")),
                }
            }
            LambdaKind::New => self.call_constructor(owner, descriptor, adapted, after),
        }
    }

    fn call_constructor(
        &mut self,
        owner: &str,
        descriptor: &str,
        args: Vec<Value>,
        after: After,
    ) -> Run<Flow> {
        if self.state.frames.is_empty() {
            return refuse(RefusalKind::Unsupported, "the function is a constructor");
        }
        let site = self.site();
        let raw = Value::Raw(site.0, site.1, owner.into());
        if after != After::Drop {
            self.push(raw.clone());
        }
        self.construct(owner, descriptor, raw, args)
    }

    pub(crate) fn invoke_dynamic(
        &mut self,
        body: &Rc<Body<'a>>,
        call: &InvokeDynamic<'a>,
    ) -> Run<Flow> {
        let name = &*call.name_and_type.name;
        let descriptor = &*call.name_and_type.descriptor;
        let class = Rc::clone(&body.method.class);
        let entry = class.file.attributes.iter().find_map(|attribute| match &attribute.data {
            AttributeData::BootstrapMethods(entries) => entries.get(usize::from(call.attr_index)),
            _ => None,
        });
        let Some(entry) = entry else {
            return refuse(RefusalKind::Code, "a call site without bootstrap method");
        };
        let (parameters, _) = method_descriptor(descriptor);
        if &*entry.method.class_name == "java/lang/invoke/StringConcatFactory"
            && let Some(flow) = self.texts_first(&parameters)?
        {
            return Ok(flow);
        }
        let mut args = Vec::with_capacity(parameters.len());
        for _ in &parameters {
            args.push(self.pop()?);
        }
        args.reverse();
        match &*entry.method.class_name {
            "java/lang/invoke/StringConcatFactory" => {
                let value = self.concat(name, &entry.arguments, &parameters, &args)?;
                self.push(value);
                Ok(Flow::Next)
            }
            "java/lang/invoke/LambdaMetafactory" => {
                let handle = entry.arguments.iter().find_map(|argument| match argument {
                    BootstrapArgument::MethodHandle(handle) => Some(handle),
                    _ => None,
                });
                let Some(handle) = handle else {
                    return refuse(RefusalKind::Code, "a lambda without method");
                };
                let lambda = self.lambda(name, handle, args)?;
                self.push(lambda);
                Ok(Flow::Next)
            }
            "java/lang/runtime/ObjectMethods" if name == "toString" && args.len() == 1 => {
                let value = self.record_text(&body.class, &args[0])?;
                self.push(value);
                Ok(Flow::Next)
            }
            other => refuse(RefusalKind::Unsupported, format!("it is linked by {}", dotted(other))),
        }
    }

    fn lambda(
        &mut self,
        name: &str,
        handle: &MethodHandle<'a>,
        captured: Vec<Value>,
    ) -> Run<Value> {
        let kind = match handle.kind {
            ReferenceKind::InvokeStatic => LambdaKind::Static,
            ReferenceKind::InvokeSpecial => LambdaKind::Special,
            ReferenceKind::NewInvokeSpecial => LambdaKind::New,
            ReferenceKind::InvokeVirtual | ReferenceKind::InvokeInterface => LambdaKind::Virtual,
            _ => return refuse(RefusalKind::Unsupported, "a handle of a field"),
        };
        Ok(Value::Lambda(Rc::new(Lambda {
            owner: handle.class_name.as_ref().into(),
            name: handle.member_ref.name.as_ref().into(),
            descriptor: handle.member_ref.descriptor.as_ref().into(),
            kind,
            called: name.into(),
            captured,
        })))
    }

    /// The concatenation of texts that `+` is.
    fn concat(
        &mut self,
        name: &str,
        constants: &[BootstrapArgument<'_>],
        types: &[&str],
        args: &[Value],
    ) -> Run<Value> {
        let recipe = match (name, constants.first()) {
            ("makeConcat", _) => "\u{1}".repeat(args.len()),
            (_, Some(BootstrapArgument::LiteralConstant(LiteralConstant::String(recipe)))) => {
                recipe.to_string()
            }
            _ => return refuse(RefusalKind::Constant, "a text with half of a surrogate pair"),
        };
        if recipe.contains('\u{2}') {
            return refuse(RefusalKind::Unsupported, "a concatenation with dynamic constants");
        }
        self.pieced(&recipe, types, args)
    }
}

/// Whether a method appends a text.
fn appends(owner: &str, name: &str, descriptor: &str) -> bool {
    matches!(owner, "java/lang/StringBuilder" | "java/lang/StringBuffer")
        && name == "append"
        && ["(Ljava/lang/String;)", "(Ljava/lang/Object;)", "(Ljava/lang/CharSequence;)"]
            .iter()
            .any(|start| descriptor.starts_with(start))
}

fn prim_of_library(ty: LibTy) -> Prim {
    match ty {
        LibTy::Bool => Prim::Bool,
        LibTy::Int => Prim::Int,
        LibTy::Long => Prim::Long,
        LibTy::Float => Prim::Float,
        LibTy::Double => Prim::Double,
        LibTy::String | LibTy::Ref => Prim::Text,
    }
}
