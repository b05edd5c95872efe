//! The event as a value of the JVM.

use std::rc::Rc;

use sluice_wire::Type;

use crate::classes::tuple_arity;
use crate::convert::{boxed_of, empty_object, field_at};
use crate::pass::Pass;
use crate::refusal::{RefusalKind, Run, refuse};
use crate::state::Object;
use crate::text::Text;
use crate::value::{Facts, ObjectId, Operand, Path, Value};

/// The namespace of records that are no classes (docs/graph.md).
const NAMESPACE: &str = "dev.sluice.value.";

impl Pass<'_, '_> {
    /// The type of a field of the event.
    pub(crate) fn input_type(&self, path: &Path) -> Option<Type> {
        let mut ty = self.subject.input.clone();
        if path.is_empty() && !matches!(ty, Type::Nullable(_)) {
            let inner = sluice_wire::types::NullableType { inner: ty, null_first: true };
            return Some(Type::Nullable(std::sync::Arc::new(inner)));
        }
        for at in path.iter() {
            ty = field_at(&ty, *at)?.1;
        }
        Some(ty)
    }

    /// The class behind the name of a record.
    pub(crate) fn class_of_record(&self, name: &str) -> Option<Rc<str>> {
        if let Some(tuple) = name.strip_prefix(NAMESPACE).and_then(|n| n.strip_prefix("Tuple")) {
            let class =
                format!("org/apache/flink/api/java/tuple/Tuple{}", tuple.split('_').next()?);
            return tuple_arity(&class).map(|_| class.into());
        }
        let known = |wanted: &str| {
            let found = self.subject.names.iter().find(|class| record_name(class) == wanted);
            found.map(|class| Rc::from(*class))
        };
        let stem = || {
            let (stem, number) = name.rsplit_once('_')?;
            number.parse::<u32>().ok().and_then(|_| known(stem))
        };
        known(name).or_else(stem)
    }

    pub(crate) fn class_of_input(&self, id: &ObjectId) -> Option<Rc<str>> {
        let ObjectId::Input(path) = id else { return None };
        match self.input_type(path)? {
            Type::Record(record) => self.class_of_record(&record.name),
            Type::Nullable(nullable) => match &nullable.inner {
                Type::Record(record) => self.class_of_record(&record.name),
                _ => None,
            },
            _ => None,
        }
    }

    /// The event, or a record in it, as an object whose fields are read when they are needed.
    pub(crate) fn input_object(&self, path: &Path, null: Operand) -> Run<Object> {
        let id = ObjectId::Input(Rc::clone(path));
        let Some(class) = self.class_of_input(&id) else {
            return refuse(RefusalKind::Type, "the class of the event is not known");
        };
        let mut object = empty_object(&class, null);
        let Some(ty) = self.input_type(path) else { return Ok(object) };
        for field in self.fields_of(&class)? {
            let inner = match &ty {
                Type::Nullable(nullable) => &nullable.inner,
                other => other,
            };
            let at = match inner {
                Type::Record(record) => record.index_of(&field.name),
                _ => None,
            };
            let value = match at.and_then(|at| u16::try_from(at).ok()) {
                Some(at) => {
                    let path: Vec<u16> = path.iter().copied().chain([at]).collect();
                    Value::Lazy(path.into())
                }
                None => Value::Dead("a field that the event does not carry"),
            };
            object.fields.insert(field.name, value);
        }
        Ok(object)
    }

    /// What a null of a class is among objects: one with a null reference.
    pub(crate) fn null_object(&self, class: &str) -> Run<Object> {
        let mut object = empty_object(class, Operand::Bool(true));
        for field in self.fields_of(class)? {
            object.fields.insert(field.name, Value::default_of(&field.descriptor));
        }
        Ok(object)
    }

    /// The event.
    pub(crate) fn event(&mut self) -> Run<Value> {
        let root: Path = Rc::from([]);
        let ty = match self.subject.input {
            Type::Nullable(nullable) => &nullable.inner,
            other => other,
        };
        if let Some(boxed) = boxed_of(ty) {
            return Ok(Value::Nullable(boxed, self.input));
        }
        if !matches!(ty, Type::Record(_)) {
            return Ok(Value::Lazy(root));
        }
        let null = Operand::Reg(self.text.pure(format!("is_null %{}", self.input)));
        let object = self.input_object(&root, null)?;
        let class = Rc::clone(&object.class);
        let id = ObjectId::Input(root);
        self.state.objects.insert(id.clone(), object);
        if self.learnt.heap_input {
            return self.event_in_heap(&id, &class);
        }
        Ok(Value::Object(id))
    }

    /// A copy of the event in the heap.
    fn event_in_heap(&mut self, id: &ObjectId, class: &str) -> Run<Value> {
        self.declare_class(class)?;
        self.learnt.lives(class);
        let null = self.text.pure(format!("is_null %{}", self.input));
        let (none, some, both) = (self.text.block(), self.text.block(), self.text.block());
        let result = self.text.param(both, "ref");
        self.text.end(format!("branch %{null}, {}, {}", Text::label(none), Text::label(some)));
        self.text.go_on_in(none);
        let nothing = self.text.pure("null ref".to_owned());
        self.text.end(format!("jump {}(%{nothing})", Text::label(both)));
        self.text.go_on_in(some);
        let object = self.text.step(&format!("object \"{class}\""), None);
        let fields = self.fields_of(class)?;
        for field in fields {
            let value = self.state.objects.get(id).and_then(|o| o.fields.get(&field.name)).cloned();
            let Some(value @ Value::Lazy(_)) = value else { continue };
            self.store_into(object, &field, &value)?;
        }
        self.text.end(format!("jump {}(%{object})", Text::label(both)));
        self.text.go_on_in(both);
        self.state.objects.remove(id);
        Ok(Value::Ref(result, Facts::exact(class)))
    }
}

/// The name of the record of a class (docs/graph.md).
pub(crate) fn record_name(class: &str) -> String {
    let name = class.replace('/', ".").replace('$', "_");
    if name.contains('.') { name } else { format!("{NAMESPACE}{name}") }
}
