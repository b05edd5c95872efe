//! From one form of a value to another.

use std::rc::Rc;

use sluice_wire::Type;

use crate::pass::Pass;
use crate::refusal::{RefusalKind, Run, refuse};
use crate::state::{Object, Slot, State};
use crate::text::Text;
use crate::value::{Boxed, Facts, Form, ObjectId, Operand, Path, Prim, Reg, Value};

impl Pass<'_, '_> {
    /// The form of a value that stands in the state in work.
    pub(crate) fn form(&self, value: &Value) -> Form {
        self.form_in(&self.state, value)
    }

    /// The form of a value that stands in a state.
    pub(crate) fn form_in(&self, state: &State, value: &Value) -> Form {
        match value {
            Value::Null => Form::Null,
            Value::Scalar(Prim::Int, Operand::Int(0 | 1)) => Form::Bit,
            Value::Scalar(prim, _) => Form::Scalar(*prim),
            Value::Char(_) => Form::Scalar(Prim::Text),
            Value::Nullable(boxed, _) | Value::Boxed(boxed, _) => Form::Nullable(*boxed),
            Value::Object(id) => match state.objects.get(id) {
                Some(object) => Form::Object(Rc::clone(&object.class)),
                None => Form::Dead,
            },
            Value::Ref(_, facts) => Form::Ref(facts.clone()),
            Value::Constant(at) => {
                let class = self.subject.constants.class(*at);
                Form::Ref(class.map_or_else(Facts::default, |class| Facts::exact(&class)))
            }
            Value::Lazy(path) => match self.input_type(path) {
                Some(ty) => self.form_of_type(&ty),
                None => Form::Dead,
            },
            _ => Form::Dead,
        }
    }

    fn form_of_type(&self, ty: &Type) -> Form {
        let (inner, nullable) = match ty {
            Type::Nullable(nullable) => (&nullable.inner, true),
            other => (other, false),
        };
        match (inner, boxed_of(inner)) {
            (Type::Record(record), _) => {
                self.class_of_record(&record.name).map_or(Form::Dead, Form::Object)
            }
            (_, Some(boxed)) if nullable => Form::Nullable(boxed),
            (_, Some(boxed)) => Form::Scalar(boxed.prim()),
            _ => Form::Ref(Facts::default()),
        }
    }

    /// A value as a parameter of that form takes it; none if it can't be.
    pub(crate) fn formed(&mut self, value: &Value, form: &Form) -> Run<Option<Operand>> {
        let fits = self.form(value).join(form) == *form;
        if !fits {
            return Ok(None);
        }
        Ok(match form {
            Form::Scalar(prim) => Some(self.scalar(value, *prim)?),
            Form::Bit => Some(self.scalar(value, Prim::Bool)?),
            Form::Nullable(boxed) => Some(self.nullable(value, *boxed)?),
            Form::Ref(_) => Some(Operand::Reg(self.reference(value)?)),
            Form::Dead | Form::Null | Form::Forced | Form::Object(_) => None,
        })
    }

    /// A primitive, or text that is not null.
    pub(crate) fn scalar(&mut self, value: &Value, wanted: Prim) -> Run<Operand> {
        match (value, wanted) {
            (Value::Scalar(prim, operand), _) if *prim == wanted => Ok(operand.clone()),
            (Value::Scalar(Prim::Bool, Operand::Bool(value)), Prim::Int) => {
                Ok(Operand::Int(i32::from(*value)))
            }
            (Value::Scalar(Prim::Bool, operand), Prim::Int) => {
                Ok(Operand::Reg(self.text.pure(format!("to_int {operand}"))))
            }
            (Value::Scalar(Prim::Int, Operand::Int(value)), Prim::Bool) => {
                Ok(Operand::Bool(value & 1 == 1))
            }
            (Value::Scalar(Prim::Int, operand), Prim::Bool) => {
                Ok(Operand::Reg(self.text.pure(format!("ne {operand}, 0"))))
            }
            (Value::Compare(Prim::Long, _, a, b), Prim::Int) => {
                let what = format!("call \"java/lang/Long.compare(JJ)I\"({a}, {b})");
                Ok(Operand::Reg(self.text.step(&what, None)))
            }
            (Value::Lazy(path), _) => {
                let forced = self.force(path)?;
                self.scalar(&forced, wanted)
            }
            (Value::Char(_), Prim::Text) => self.text_of(value),
            (Value::Dead(why), _) => refuse(RefusalKind::Unsupported, *why),
            _ => refuse(RefusalKind::Code, format!("a {} was expected", wanted.word())),
        }
    }

    pub(crate) fn int(&mut self, value: &Value) -> Run<Operand> {
        self.scalar(value, Prim::Int)
    }

    /// A text; null is an exception.
    pub(crate) fn text_of(&mut self, value: &Value) -> Run<Operand> {
        match value {
            Value::Scalar(Prim::Text, operand) => Ok(operand.clone()),
            Value::Char(operand) => {
                let what =
                    format!("call \"java/lang/String.valueOf(C)Ljava/lang/String;\"({operand})");
                Ok(Operand::Reg(self.text.step(&what, None)))
            }
            Value::Nullable(Boxed::String, reg) => {
                let catch = self.catch()?;
                let text = self.text.step(&format!("unwrap %{reg}"), catch.as_deref());
                Ok(self.known_text(*reg, text))
            }
            Value::Lazy(path) => {
                let forced = self.force(path)?;
                self.text_of(&forced)
            }
            other => {
                let reg = self.reference(other)?;
                let catch = self.catch()?;
                let text = self.text.step(&format!("as_string %{reg}"), catch.as_deref());
                Ok(self.known_text(reg, text))
            }
        }
    }

    /// From here on it is known that there is text behind a register.
    fn known_text(&mut self, reg: Reg, text: Reg) -> Operand {
        self.texts.insert(text, reg);
        for value in self.state.values_mut() {
            if matches!(value, Value::Nullable(_, known) | Value::Ref(known, _) if *known == reg) {
                *value = Value::reg(Prim::Text, text);
            }
        }
        Operand::Reg(text)
    }

    /// Whether a register holds the text behind a value.
    pub(crate) fn is_behind(&self, value: &Value, text: Reg) -> bool {
        match value {
            Value::Nullable(_, reg) | Value::Ref(reg, _) => self.texts.get(&text) == Some(reg),
            _ => false,
        }
    }

    /// A reference in one slot.
    pub(crate) fn reference(&mut self, value: &Value) -> Run<Reg> {
        Ok(match value {
            Value::Ref(reg, _) => *reg,
            Value::Null => self.text.pure("null ref".to_owned()),
            Value::Scalar(Prim::Text, operand) => self.text.pure(format!("ref {operand}")),
            Value::Nullable(boxed, _) if boxed.is_small() => {
                return refuse(RefusalKind::Unsupported, "a box is passed on that may be null");
            }
            Value::Nullable(_, reg) => self.text.pure(format!("ref %{reg}")),
            Value::Boxed(boxed, operand) if boxed.is_small() => {
                let (class, ty) = (boxed.class(), boxed.descriptor());
                self.text.step(&format!("call \"{class}.valueOf({ty})L{class};\"({operand})"), None)
            }
            Value::Boxed(_, operand) => {
                let some = self.text.pure(format!("some {operand}"));
                self.text.pure(format!("ref %{some}"))
            }
            Value::Constant(at) => self.constant_register(*at)?,
            Value::Lazy(path) => {
                let ty = self.input_type(path);
                if ty
                    .as_ref()
                    .is_some_and(|ty| self.form_of_type(ty) == Form::Ref(Facts::default()))
                {
                    let reg = self.raw_input(path)?;
                    return Ok(self.text.pure(format!("decode %{reg}")));
                }
                let forced = self.force(path)?;
                return self.reference(&forced);
            }
            Value::Object(id) => {
                if self.state.objects.get(id).is_some_and(|o| o.null == Operand::Bool(true)) {
                    return Ok(self.text.pure("null ref".to_owned()));
                }
                return self.escape(id);
            }
            Value::Lambda(_) => {
                return refuse(RefusalKind::Unsupported, "a lambda is passed on or kept");
            }
            Value::Silent => {
                return refuse(RefusalKind::Unsupported, "a logger or metric is passed on or kept");
            }
            Value::Char(_) => {
                let text = self.text_of(value)?;
                self.text.pure(format!("ref {text}"))
            }
            Value::Class(class) => {
                let class = Operand::Text(Rc::clone(class));
                let what = "call \"sluice/Class.of(Ljava/lang/String;)Ljava/lang/Class;\"";
                self.text.pure(format!("{what}({class})"))
            }
            Value::Collector | Value::Context => {
                return refuse(
                    RefusalKind::Context,
                    "the collector or context is passed on or kept",
                );
            }
            Value::Dead(why) => return refuse(RefusalKind::Unsupported, *why),
            Value::Raw(_, _, class) => {
                return refuse(
                    RefusalKind::Unsupported,
                    format!("a new {class} is used too early"),
                );
            }
            Value::Scalar(..) | Value::Compare(..) => {
                return refuse(RefusalKind::Code, "a reference was expected");
            }
        })
    }

    fn constant_register(&mut self, at: usize) -> Run<Reg> {
        if let Some(reg) = self.constant_registers.get(&at) {
            return Ok(*reg);
        }
        match self.subject.constants.object(at) {
            Some(crate::constants::Constant::Opaque(class)) => {
                return refuse(
                    RefusalKind::Constant,
                    format!(
                        "a {} can't be carried to the native engine",
                        crate::pass::dotted(&class)
                    ),
                );
            }
            None => return refuse(RefusalKind::Constant, "a constant is missing"),
            _ => {}
        }
        let reg = self.text.register();
        self.text.declare(format!("constant %{reg}: ref = {at}"));
        self.constant_registers.insert(at, reg);
        Ok(reg)
    }

    /// A register of the nullable type.
    pub(crate) fn nullable(&mut self, value: &Value, boxed: Boxed) -> Run<Operand> {
        let word = boxed.prim().word();
        Ok(Operand::Reg(match value {
            Value::Null => self.text.pure(format!("null {word}")),
            Value::Nullable(known, reg) if known.prim() == boxed.prim() => *reg,
            Value::Scalar(prim, operand) if *prim == boxed.prim() => {
                self.text.pure(format!("some {operand}"))
            }
            Value::Boxed(known, operand) if known.prim() == boxed.prim() => {
                self.text.pure(format!("some {operand}"))
            }
            Value::Char(_) if boxed == Boxed::String => {
                let text = self.text_of(value)?;
                self.text.pure(format!("some {text}"))
            }
            Value::Lazy(path) => {
                let forced = self.force(path)?;
                return self.nullable(&forced, boxed);
            }
            Value::Dead(why) => return refuse(RefusalKind::Unsupported, *why),
            other => {
                let reg = self.reference(other)?;
                if boxed == Boxed::String {
                    let catch = self.catch()?;
                    self.text.step(&format!("nullable %{reg}"), catch.as_deref())
                } else {
                    self.unbox_nullable(reg, boxed)?
                }
            }
        }))
    }

    /// The box behind a reference as a register of the nullable type.
    fn unbox_nullable(&mut self, reg: Reg, boxed: Boxed) -> Run<Reg> {
        let word = boxed.prim().word();
        let (none, some, both) = (self.text.block(), self.text.block(), self.text.block());
        let result = self.text.param(both, format!("{word}?"));
        let null = self.text.pure(format!("is_null %{reg}"));
        self.text.end(format!("branch %{null}, {}, {}", Text::label(none), Text::label(some)));
        self.text.go_on_in(none);
        let value = self.text.pure(format!("null {word}"));
        self.text.end(format!("jump {}(%{value})", Text::label(both)));
        self.text.go_on_in(some);
        let value = self.unbox_ref(reg, boxed)?;
        let value = self.text.pure(format!("some %{value}"));
        self.text.end(format!("jump {}(%{value})", Text::label(both)));
        self.text.go_on_in(both);
        Ok(result)
    }

    /// What a box holds; null and another class are exceptions.
    pub(crate) fn unbox(&mut self, value: &Value, boxed: Boxed) -> Run<Operand> {
        Ok(match value {
            Value::Boxed(known, operand) if known.prim() == boxed.prim() => operand.clone(),
            Value::Nullable(known, reg) if known.prim() == boxed.prim() => {
                let catch = self.catch()?;
                Operand::Reg(self.text.step(&format!("unwrap %{reg}"), catch.as_deref()))
            }
            Value::Lazy(path) => {
                let forced = self.force(path)?;
                return self.unbox(&forced, boxed);
            }
            other => {
                let reg = self.reference(other)?;
                Operand::Reg(self.unbox_ref(reg, boxed)?)
            }
        })
    }

    fn unbox_ref(&mut self, reg: Reg, boxed: Boxed) -> Run<Reg> {
        let catch = self.catch()?;
        let what = match boxed {
            Boxed::Character => format!("call \"java/lang/Character.charValue()C\"(%{reg})"),
            Boxed::Short => format!("call \"java/lang/Short.shortValue()S\"(%{reg})"),
            Boxed::Byte => format!("call \"java/lang/Byte.byteValue()B\"(%{reg})"),
            Boxed::String => format!("as_string %{reg}"),
            other => format!("unbox_{} %{reg}", other.prim().word()),
        };
        Ok(self.text.step(&what, catch.as_deref()))
    }

    /// Reads a field of the event where that was put off.
    pub(crate) fn forced(&mut self, value: Value) -> Run<Value> {
        match &value {
            Value::Lazy(path) => self.force(path),
            _ => Ok(value),
        }
    }

    /// A field of the event; what only can be passed on stays unread.
    pub(crate) fn force(&mut self, path: &Path) -> Run<Value> {
        let Some(ty) = self.input_type(path) else {
            return refuse(RefusalKind::Type, "the event has no such field");
        };
        let (inner, nullable) = match &ty {
            Type::Nullable(nullable) => (&nullable.inner, true),
            other => (other, false),
        };
        if let Type::Record(_) = inner {
            let id = ObjectId::Input(Rc::clone(path));
            if !self.state.objects.contains_key(&id) {
                let null = match nullable {
                    true => {
                        let reg = self.raw_input(path)?;
                        Operand::Reg(self.text.pure(format!("is_null %{reg}")))
                    }
                    false => Operand::Bool(false),
                };
                let object = self.input_object(path, null)?;
                self.state.objects.insert(id.clone(), object);
            }
            return Ok(Value::Object(id));
        }
        let Some(boxed) = boxed_of(inner) else { return Ok(Value::Lazy(Rc::clone(path))) };
        let reg = self.raw_input(path)?;
        Ok(match nullable {
            true => Value::Nullable(boxed, reg),
            false => Value::reg(boxed.prim(), reg),
        })
    }

    /// Reads the field at a place of the state for good.
    pub(crate) fn force_slot(&mut self, slot: &Slot) -> Run<()> {
        if let Some(Value::Lazy(path)) = self.state.get(slot).cloned() {
            let value = self.force(&path)?;
            self.state.set(slot, value);
        }
        Ok(())
    }

    /// The register of a field of the event, as its record holds it. The records around it are not null.
    pub(crate) fn raw_input(&mut self, path: &Path) -> Run<Reg> {
        let root = ObjectId::Input(Rc::from([]));
        let record = self.state.objects.get(&root).and_then(|object| object.record);
        let mut reg = match record {
            _ if path.is_empty() => return Ok(self.input),
            Some(reg) => reg,
            None => self.text.pure(format!("unwrap %{}", self.input)),
        };
        let mut ty = self.subject.input.clone();
        for (depth, at) in path.iter().enumerate() {
            if depth > 0 && matches!(ty, Type::Nullable(_)) {
                reg = self.text.pure(format!("unwrap %{reg}"));
            }
            let Some(field) = field_at(&ty, *at) else {
                return refuse(RefusalKind::Type, "the event has no such field");
            };
            reg = self.text.pure(format!("get %{reg}, {}", field.0));
            ty = field.1;
        }
        Ok(reg)
    }
}

/// A field of a record.
pub(crate) fn field_at(ty: &Type, at: u16) -> Option<(String, Type)> {
    let inner = match ty {
        Type::Nullable(nullable) => &nullable.inner,
        other => other,
    };
    match inner {
        Type::Record(record) => {
            let field = record.fields.get(usize::from(at))?;
            Some((field.name.clone(), field.ty.clone()))
        }
        _ => None,
    }
}

/// The box of a type that fits into a register.
pub(crate) fn boxed_of(ty: &Type) -> Option<Boxed> {
    Some(match ty {
        Type::Boolean => Boxed::Boolean,
        Type::Int => Boxed::Integer,
        Type::Long => Boxed::Long,
        Type::Float => Boxed::Float,
        Type::Double => Boxed::Double,
        Type::String => Boxed::String,
        _ => return None,
    })
}

/// An object without fields, for what is yet to be filled in.
pub(crate) fn empty_object(class: &str, null: Operand) -> Object {
    Object { class: class.into(), null, record: None, fields: Default::default() }
}
