//! Values of the JVM as the events that a function passes on.

use sluice_wire::Type;
use sluice_wire::types::RecordType;

use crate::convert::boxed_of;
use crate::pass::{Pass, Role, dotted};
use crate::refusal::{RefusalKind, Run, refuse};
use crate::text::Text;
use crate::value::{Boxed, ObjectId, Operand, Prim, Reg, Value};

impl Pass<'_, '_> {
    /// `map name(%in: T?) -> U?`.
    pub(crate) fn signature(&self, name: &str) -> String {
        let (kind, result) = match self.subject.role {
            Role::Map => ("map", format!("{}?", type_name(self.subject.output))),
            Role::FlatMap => ("flatmap", format!("{}?", type_name(self.subject.output))),
            Role::Filter => ("filter", "bool".to_owned()),
            Role::Timestamp => ("timestamp", "long".to_owned()),
        };
        let name: String =
            name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        format!("{kind} {name}(%{}: {}?) -> {result}", self.input, type_name(self.subject.input))
    }

    /// Ends the function with what its method returned.
    pub(crate) fn return_result(&mut self, value: &Value) -> Run<()> {
        let end = match self.subject.role {
            Role::Map => format!("return {}", self.output(value)?),
            Role::FlatMap => "return".to_owned(),
            Role::Filter => format!("return {}", self.scalar(value, Prim::Bool)?),
            Role::Timestamp => format!("return {}", self.scalar(value, Prim::Long)?),
        };
        self.text.end(end);
        Ok(())
    }

    /// Passes a value to what follows.
    pub(crate) fn emit(&mut self, value: &Value) -> Run<()> {
        let output = self.output(value)?;
        self.text.act(&format!("emit {output}"), None);
        Ok(())
    }

    /// A value as an output, which may be null.
    fn output(&mut self, value: &Value) -> Run<Operand> {
        let ty = match self.subject.output {
            Type::Nullable(nullable) => nullable.inner.clone(),
            other => other.clone(),
        };
        if self.subject.input == self.subject.output && self.is_the_event(value) {
            return Ok(Operand::Reg(self.input));
        }
        self.nullable_output(value, &ty)
    }

    /// Whether a value is the event as it came.
    fn is_the_event(&self, value: &Value) -> bool {
        match value {
            Value::Nullable(_, reg) => *reg == self.input,
            Value::Lazy(path) => path.is_empty(),
            Value::Object(id @ ObjectId::Input(path)) if path.is_empty() => {
                let Some(object) = self.state.objects.get(id) else { return false };
                let mut fields = object.fields.values();
                fields.all(|value| matches!(value, Value::Lazy(_) | Value::Dead(_)))
            }
            _ => false,
        }
    }

    fn nullable_output(&mut self, value: &Value, ty: &Type) -> Run<Operand> {
        let null = |pass: &mut Self| pass.text.pure(format!("null {}", type_name(ty)));
        match value {
            Value::Null => return Ok(Operand::Reg(null(self))),
            Value::Dead(why) => return refuse(RefusalKind::Unsupported, *why),
            _ => {}
        }
        if let Some(boxed) = boxed_of(ty) {
            return match value {
                // A record's int may be a char, a short or a byte.
                Value::Scalar(_, _) => {
                    let operand = self.scalar(value, boxed.prim())?;
                    Ok(Operand::Reg(self.text.pure(format!("some {operand}"))))
                }
                Value::Nullable(known, _) | Value::Boxed(known, _)
                    if known.prim() != boxed.prim() =>
                {
                    refuse(RefusalKind::Type, "a box of another type is passed on")
                }
                _ => self.nullable(value, boxed),
            };
        }
        let Type::Record(record) = ty else { return self.other_output(value, ty, true) };
        let value = self.forced(value.clone())?;
        match &value {
            Value::Object(id) => {
                let flag = self.state.objects.get(id).map(|object| object.null.clone());
                match flag {
                    Some(Operand::Bool(false)) => {
                        let made = self.record(&value, record)?;
                        Ok(Operand::Reg(self.text.pure(format!("some %{made}"))))
                    }
                    Some(Operand::Bool(true)) | None => Ok(Operand::Reg(null(self))),
                    Some(flag) => self.either(&flag, &value, record, ty),
                }
            }
            other => {
                let reg = self.reference(other)?;
                let flag = Operand::Reg(self.text.pure(format!("is_null %{reg}")));
                self.either(&flag, other, record, ty)
            }
        }
    }

    /// Null where the flag is true, else the record.
    fn either(
        &mut self,
        flag: &Operand,
        value: &Value,
        record: &RecordType,
        ty: &Type,
    ) -> Run<Operand> {
        let (none, some, both) = (self.text.block(), self.text.block(), self.text.block());
        let result = self.text.param(both, format!("{}?", type_name(ty)));
        self.text.end(format!("branch {flag}, {}, {}", Text::label(none), Text::label(some)));
        self.text.go_on_in(none);
        let null = self.text.pure(format!("null {}", type_name(ty)));
        self.text.end(format!("jump {}(%{null})", Text::label(both)));
        self.text.go_on_in(some);
        let made = self.record(value, record)?;
        let made = self.text.pure(format!("some %{made}"));
        self.text.end(format!("jump {}(%{made})", Text::label(both)));
        self.text.go_on_in(both);
        Ok(Operand::Reg(result))
    }

    /// The record of an object that is not null.
    fn record(&mut self, value: &Value, record: &RecordType) -> Run<Reg> {
        let class = match value {
            Value::Object(id) => self.state.objects.get(id).map(|object| object.class.clone()),
            Value::Ref(_, facts) => facts.class.clone().or(self.class_of_record(&record.name)),
            Value::Constant(at) => self.subject.constants.class(*at).map(Into::into),
            _ => None,
        };
        let wanted = self.class_of_record(&record.name);
        let Some(class) = class.filter(|class| Some(class) == wanted.as_ref()) else {
            let text = format!("what is passed on may be no {}", record.name);
            return refuse(RefusalKind::Type, text);
        };
        let fields = self.fields_of(&class)?;
        let source = match value {
            Value::Ref(reg, facts) if !facts.exact => {
                let catch = self.catch()?;
                let what = format!("cast %{reg}, \"{class}\"");
                Value::Ref(self.text.step(&what, catch.as_deref()), facts.clone())
            }
            other => other.clone(),
        };
        let mut parts = Vec::with_capacity(record.fields.len());
        for field in &record.fields {
            let Some(known) = fields.iter().find(|known| *known.name == *field.name) else {
                let text = format!("{} has no field {}", dotted(&class), field.name);
                return refuse(RefusalKind::Type, text);
            };
            let value = match &source {
                Value::Object(id) => {
                    let object = self.state.objects.get(id);
                    object.and_then(|object| object.fields.get(&known.name)).cloned()
                }
                Value::Ref(reg, _) => Some(self.load_from(*reg, known)?),
                Value::Constant(at) => {
                    let name = format!("{}.{}", known.class, known.name);
                    self.subject.constants.field(*at, &name)
                }
                _ => None,
            };
            let Some(value) = value else {
                return refuse(RefusalKind::Constant, "a field of a constant is not known");
            };
            let operand = self.typed(&value, &field.ty)?;
            parts.push(format!("{}: {operand}", field.name));
        }
        Ok(self.text.step(&format!("new {} {{ {} }}", record.name, parts.join(", ")), None))
    }

    /// A value as a field of that type.
    fn typed(&mut self, value: &Value, ty: &Type) -> Run<Operand> {
        match (value, ty) {
            (Value::Lazy(path), _) if self.input_type(path).as_ref() == Some(ty) => {
                Ok(Operand::Reg(self.raw_input(path)?))
            }
            (Value::Lazy(_), _) => match self.forced(value.clone())? {
                Value::Lazy(_) => self.other_output(value, ty, false),
                forced => self.typed(&forced, ty),
            },
            (_, Type::Nullable(nullable)) => self.nullable_output(value, &nullable.inner),
            (_, Type::String) => self.text_of(value),
            (Value::Scalar(..), ty) => match boxed_of(ty) {
                Some(boxed) => self.scalar(value, boxed.prim()),
                None => self.other_output(value, ty, false),
            },
            (_, Type::Record(record)) => Ok(Operand::Reg(self.record(value, record)?)),
            (_, ty) => match boxed_of(ty) {
                Some(boxed) => self.unbox(value, boxed),
                None => self.other_output(value, ty, false),
            },
        }
    }

    /// A list, map, enum, or bytes.
    fn other_output(&mut self, value: &Value, ty: &Type, nullable: bool) -> Run<Operand> {
        if let Value::Lazy(path) = value
            && let Some(Type::Nullable(known)) = self.input_type(path)
            && known.inner == *ty
            && nullable
        {
            return Ok(Operand::Reg(self.raw_input(path)?));
        }
        let _ = self.reference(value)?;
        refuse(RefusalKind::Type, "lists, maps, arrays and enums are not passed on natively yet")
    }
}

/// A type as the function's text names it.
pub(crate) fn type_name(ty: &Type) -> String {
    match ty {
        Type::Record(record) => record.name.clone(),
        Type::Nullable(nullable) => format!("{}?", type_name(&nullable.inner)),
        other => match boxed_of(other) {
            Some(boxed) => boxed.prim().word().to_owned(),
            None => match other {
                Type::Bytes => "bytes".to_owned(),
                Type::Fixed(fixed) => fixed.name.clone(),
                Type::Enum(symbols) => symbols.name.clone(),
                _ => "list".to_owned(),
            },
        },
    }
}

/// The box that stands for a type where Java boxes it.
pub(crate) fn boxed_of_descriptor(descriptor: &str) -> Option<Boxed> {
    Some(match descriptor {
        "Z" => Boxed::Boolean,
        "B" => Boxed::Byte,
        "S" => Boxed::Short,
        "C" => Boxed::Character,
        "I" => Boxed::Integer,
        "J" => Boxed::Long,
        "F" => Boxed::Float,
        "D" => Boxed::Double,
        _ => return None,
    })
}
