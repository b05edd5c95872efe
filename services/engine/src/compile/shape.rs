//! Values of any type as sequences of slots.
use super::graph::{Graph, Value};
use crate::ty::Ty;
use sluice_wire::types::RecordType;

/// The most slots that a value may take.
pub(crate) const WIDTH_LIMIT: usize = 4096;

/// The slots that a value of this type takes, counted up to just above the limit.
pub(crate) fn width(ty: &Ty) -> usize {
    fn add(ty: &Ty, sum: usize) -> usize {
        match ty {
            _ if sum > WIDTH_LIMIT => sum,
            Ty::Record(record) => fields(record).fold(sum, |sum, field| add(&field, sum)),
            Ty::Nullable(inner) => add(inner, sum + 1),
            _ => sum + 1,
        }
    }
    add(ty, 0)
}

fn fields(record: &RecordType) -> impl Iterator<Item = Ty> + '_ {
    record.fields.iter().map(|field| Ty::of(&field.ty))
}

/// The slots of a value, in the form of its type.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    One(Value),
    Record(Vec<Shape>),
    /// Whether it is null, and what it is if not.
    Nullable(Value, Box<Shape>),
}

impl Shape {
    /// A value of this type made of slots of the graph, one call for each.
    pub(super) fn of(ty: &Ty, slot: &mut impl FnMut() -> Value) -> Shape {
        match ty {
            Ty::Record(record) => {
                Shape::Record(fields(record).map(|field| Shape::of(&field, slot)).collect())
            }
            Ty::Nullable(inner) => {
                let null = slot();
                Shape::Nullable(null, Box::new(Shape::of(inner, slot)))
            }
            _ => Shape::One(slot()),
        }
    }

    /// A value of this type of new slots.
    pub(super) fn fresh(ty: &Ty, graph: &mut Graph) -> Shape {
        Shape::of(ty, &mut || graph.value())
    }

    /// The slots in order.
    pub(super) fn values(&self) -> Vec<Value> {
        let mut values = Vec::new();
        self.add_to(&mut values);
        values
    }

    /// Appends the slots in order.
    pub(super) fn add_to(&self, values: &mut Vec<Value>) {
        match self {
            Shape::One(value) => values.push(*value),
            Shape::Record(fields) => fields.iter().for_each(|field| field.add_to(values)),
            Shape::Nullable(null, inner) => {
                values.push(*null);
                inner.add_to(values);
            }
        }
    }
}
