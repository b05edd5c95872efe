//! The types of registers, and how they follow from the Avro types of events.
use crate::ir::TypeName;
use sluice_wire::Type;
use sluice_wire::types::RecordType;
use std::collections::BTreeMap;
use std::fmt::{Display, Formatter};
use std::sync::Arc;

/// The type of a register.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Ty {
    Bool,
    Int,
    Long,
    Float,
    Double,
    String,
    Bytes,
    /// A reference of Java, which may be null.
    Ref,
    /// `list<string>`.
    Strings,
    Record(Arc<RecordType>),
    Nullable(Box<Ty>),
    /// An Avro value that functions can only pass on: fixed, enum, array, map.
    Opaque(Type),
}

impl Ty {
    /// The type of a register that holds an Avro value.
    pub(crate) fn of(avro: &Type) -> Ty {
        match avro {
            Type::Boolean => Ty::Bool,
            Type::Int => Ty::Int,
            Type::Long => Ty::Long,
            Type::Float => Ty::Float,
            Type::Double => Ty::Double,
            Type::Bytes => Ty::Bytes,
            Type::String => Ty::String,
            Type::Record(record) => Ty::Record(record.clone()),
            Type::Nullable(nullable) => Ty::Nullable(Box::new(Ty::of(&nullable.inner))),
            other => Ty::Opaque(other.clone()),
        }
    }

    /// The type without its null.
    pub(crate) fn inner(&self) -> &Ty {
        match self {
            Ty::Nullable(inner) => inner,
            other => other,
        }
    }

    /// Whether arithmetic takes it.
    pub(crate) fn is_number(&self) -> bool {
        matches!(self, Ty::Int | Ty::Long | Ty::Float | Ty::Double)
    }
}

impl Display for Ty {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Ty::Bool => f.write_str("bool"),
            Ty::Int => f.write_str("int"),
            Ty::Long => f.write_str("long"),
            Ty::Float => f.write_str("float"),
            Ty::Double => f.write_str("double"),
            Ty::String => f.write_str("string"),
            Ty::Bytes => f.write_str("bytes"),
            Ty::Ref => f.write_str("ref"),
            Ty::Strings => f.write_str("list<string>"),
            Ty::Record(record) => f.write_str(&record.name),
            Ty::Nullable(inner) => write!(f, "{inner}?"),
            Ty::Opaque(Type::Fixed(fixed)) => f.write_str(&fixed.name),
            Ty::Opaque(Type::Enum(symbols)) => f.write_str(&symbols.name),
            Ty::Opaque(Type::Array(_)) => f.write_str("an array"),
            Ty::Opaque(_) => f.write_str("a map"),
        }
    }
}

/// The records that functions may name.
#[derive(Debug, Default)]
pub(crate) struct Records {
    /// By full name.
    full: BTreeMap<String, Arc<RecordType>>,
}

impl Records {
    /// Every record within the types.
    pub(crate) fn of(types: &[Type]) -> Records {
        let mut records = Records::default();
        types.iter().for_each(|ty| records.add(ty));
        records
    }

    fn add(&mut self, ty: &Type) {
        match ty {
            Type::Record(record) => {
                self.full.insert(record.name.clone(), record.clone());
                record.fields.iter().for_each(|field| self.add(&field.ty));
            }
            Type::Nullable(nullable) => self.add(&nullable.inner),
            _ => {}
        }
    }

    /// What a written type means.
    pub(crate) fn resolve(&self, name: &TypeName) -> Result<Ty, String> {
        match name {
            TypeName::Nullable(inner) => match self.resolve(inner)? {
                Ty::Nullable(_) => Err("a nullable type is nullable once".to_owned()),
                Ty::Ref => Err("a ref is nullable already".to_owned()),
                inner => Ok(Ty::Nullable(Box::new(inner))),
            },
            TypeName::List(element) => match self.resolve(element)? {
                Ty::String => Ok(Ty::Strings),
                other => Err(format!("list<{other}> is no type; list<string> is")),
            },
            TypeName::Named(name) => self.named(name),
        }
    }

    fn named(&self, name: &str) -> Result<Ty, String> {
        const PLAIN: [Ty; 8] =
            [Ty::Bool, Ty::Int, Ty::Long, Ty::Float, Ty::Double, Ty::String, Ty::Bytes, Ty::Ref];
        if let Some(plain) = PLAIN.iter().find(|plain| plain.to_string() == name) {
            return Ok(plain.clone());
        }
        if let Some(record) = self.full.get(name) {
            return Ok(Ty::Record(record.clone()));
        }
        let simple = |full: &str| full.rsplit('.').next() == Some(name);
        let mut found = self.full.iter().filter(|(full, _)| simple(full));
        match (found.next(), found.next()) {
            (Some((_, record)), None) => Ok(Ty::Record(record.clone())),
            (Some(_), Some(_)) => {
                Err(format!("several records are called {name}; name it in full"))
            }
            // The type of a field, for what functions have no other name for.
            _ => match name.rsplit_once('.').map(|(record, field)| (self.named(record), field)) {
                Some((Ok(Ty::Record(record)), field)) if record.index_of(field).is_some() => {
                    let index = record.index_of(field).unwrap_or_default();
                    Ok(Ty::of(&record.fields[index].ty).inner().clone())
                }
                _ => Err(format!("there is no type {name}")),
            },
        }
    }
}
