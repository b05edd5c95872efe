//! What is known of a value on the JVM's stack: who else can see it.

use std::collections::BTreeSet;
use std::fmt;
use std::rc::Rc;

/// Who else can see an object, from nobody to every later event.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// Made in this call from nothing but constants, or one that nobody can change.
    Own,
    /// The event, or made from it.
    Event,
    /// Reachable from the function or from a static field: it outlives the call.
    Shared(Root),
}

/// By what a shared object is reached.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Root {
    /// It is the function itself.
    This,
    /// A field of the function.
    Field(Rc<str>),
    /// A static field.
    Static(Rc<str>),
    /// A value that the function's lambda captured.
    Captured(Rc<str>),
    /// The object that the function's method reference is bound to.
    Bound,
    /// What some other lambda captured.
    Elsewhere,
}

impl fmt::Display for Root {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::This => f.write_str("the function"),
            Self::Field(name) => write!(f, "what field `{name}` holds"),
            Self::Static(name) => write!(f, "what static field `{name}` holds"),
            Self::Captured(name) => write!(f, "the captured value `{name}`"),
            Self::Bound => f.write_str("the object that it is bound to"),
            Self::Elsewhere => f.write_str("what a lambda captured"),
        }
    }
}

/// What is known of a value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value {
    /// Who else can see it.
    pub origin: Origin,
    /// Its exact class, if known.
    pub class: Option<Rc<str>>,
    /// Where in the method it was made, so that its constructor can say more of it.
    pub site: Option<usize>,
    /// The lambdas that it may be.
    pub lambdas: BTreeSet<u32>,
    /// Whether it takes two places on the stack.
    pub wide: bool,
    /// Whether it is `null` for sure.
    pub null: bool,
}

impl Value {
    /// A value of that origin, of which no more is known.
    pub const fn of(origin: Origin) -> Self {
        Self { origin, class: None, site: None, lambdas: BTreeSet::new(), wide: false, null: false }
    }

    /// A constant, or a value made in this call.
    pub const fn own() -> Self {
        Self::of(Origin::Own)
    }

    pub const fn wide(mut self, wide: bool) -> Self {
        self.wide = wide;
        self
    }

    pub fn shared(&self) -> Option<&Root> {
        match &self.origin {
            Origin::Shared(root) => Some(root),
            Origin::Own | Origin::Event => None,
        }
    }

    /// What is known of a value that may be either.
    pub fn join(&self, other: &Self) -> Self {
        Self {
            origin: join(&self.origin, &other.origin),
            class: if self.null {
                other.class.clone()
            } else if other.null || self.class == other.class {
                self.class.clone()
            } else {
                None
            },
            site: if self.site == other.site { self.site } else { None },
            lambdas: self.lambdas.union(&other.lambdas).copied().collect(),
            wide: self.wide,
            null: self.null && other.null,
        }
    }
}

/// The origin that says most about who can see an object.
pub fn join(one: &Origin, other: &Origin) -> Origin {
    match (one, other) {
        // Of two roots always the same one, so that loops come to an end.
        (Origin::Shared(a), Origin::Shared(b)) => Origin::Shared(a.min(b).clone()),
        _ => one.max(other).clone(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_value() -> impl Strategy<Value = Value> {
        let root = prop_oneof![
            Just(Root::This),
            "[a-c]".prop_map(|name| Root::Field(name.into())),
            "[a-c]".prop_map(|name| Root::Static(name.into())),
        ];
        let origin =
            prop_oneof![Just(Origin::Own), Just(Origin::Event), root.prop_map(Origin::Shared)];
        let class = prop::option::of("[A-C]".prop_map(|name: String| Rc::from(name)));
        (origin, class, prop::option::of(0_usize..3), any::<bool>()).prop_map(
            |(origin, class, site, null)| Value {
                class: if null { None } else { class },
                site,
                null,
                ..Value::of(origin)
            },
        )
    }

    proptest! {
        #[test]
        fn joins_are_commutative_and_idempotent(a in any_value(), b in any_value()) {
            prop_assert_eq!(a.join(&b), b.join(&a));
            prop_assert_eq!(a.join(&a), a.clone());
            let joined = a.join(&b);
            prop_assert_eq!(joined.join(&b).origin, joined.origin);
        }
    }
}
