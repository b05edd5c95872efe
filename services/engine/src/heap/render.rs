//! What every object has: a class, `equals`, `hashCode`, `compareTo`, `toString`.
use super::map::HashedKey;
use super::{Element, ListKind, Map, MapKind, Object, Reference, View};
use crate::memory::Memory;
use crate::reason::Reason;
use sluice_java::{floating, hash, text};
use std::cmp::Ordering;
use std::fmt::Write as _;

/// The deepest nesting of collections that is looked through.
const DEPTH: usize = 32;

impl Memory<'_> {
    /// The class of what a reference refers to, as class files name it; none for null.
    pub(crate) fn class_of(&self, slot: u64) -> Option<&str> {
        Some(match Reference::of(slot) {
            Reference::Null => return None,
            Reference::Text => "java/lang/String",
            Reference::Int(_) => "java/lang/Integer",
            Reference::Short(_) => "java/lang/Short",
            Reference::Byte(_) => "java/lang/Byte",
            Reference::Char(_) => "java/lang/Character",
            Reference::Bool(_) => "java/lang/Boolean",
            Reference::Float(_) => "java/lang/Float",
            Reference::Heap(number) => self.class_of_object(self.heap.object(number)),
            Reference::Frozen(number) => self.class_of_object(self.frozen.object(number)),
        })
    }

    fn class_of_object<'a>(&'a self, object: &'a Object) -> &'a str {
        match object {
            Object::Long(_) => "java/lang/Long",
            Object::Double(_) => "java/lang/Double",
            Object::User { class, .. }
            | Object::Array { class, .. }
            | Object::Enum { class, .. } => self.classes.name(*class),
            Object::Builder(_) => "java/lang/StringBuilder",
            Object::List(kind, _) => kind.class(),
            Object::Map(map) => match map.kind {
                MapKind::Hash | MapKind::Frozen => "java/util/HashMap",
                MapKind::Linked => "java/util/LinkedHashMap",
                MapKind::Tree => "java/util/TreeMap",
                MapKind::Immutable => "java/util/ImmutableCollections$MapN",
                MapKind::Unmodifiable => "java/util/Collections$UnmodifiableMap",
            },
            Object::Set(map) => match map.kind {
                MapKind::Hash | MapKind::Frozen => "java/util/HashSet",
                MapKind::Linked => "java/util/LinkedHashSet",
                MapKind::Tree => "java/util/TreeSet",
                MapKind::Immutable => "java/util/ImmutableCollections$SetN",
                MapKind::Unmodifiable => "java/util/Collections$UnmodifiableSet",
            },
            Object::View(View::Values, _) => "java/util/Collection",
            Object::View(..) => "java/util/Set",
            Object::Entry { .. } => "java/util/Map$Entry",
            Object::Iterator(_) => "java/util/Iterator",
            Object::Optional(_) => "java/util/Optional",
            Object::Exception { class, .. } => class,
            Object::Thing(thing) => thing.class(),
            Object::Opaque(class) => class,
        }
    }

    /// `instanceof`; false for null.
    pub(crate) fn is(&self, slot: u64, class: &str) -> bool {
        match self.object(slot) {
            Ok(Some(Object::Thing(thing))) => {
                thing.class() == class
                    || class == "java/lang/Object"
                    || thing.above().contains(&class)
            }
            Ok(Some(Object::User { class: own, .. } | Object::Enum { class: own, .. })) => {
                class == "java/lang/Object"
                    || self
                        .classes
                        .find(class)
                        .is_some_and(|class| self.classes.is_below(*own, class))
                    || self.classes.is_named_below(self.classes.name(*own), class)
            }
            Ok(Some(Object::Array { class: own, .. })) => {
                let own = self.classes.name(*own);
                own == class
                    || matches!(
                        class,
                        "java/lang/Object" | "java/lang/Cloneable" | "java/io/Serializable"
                    )
                    || class == "[Ljava/lang/Object;" && own.starts_with("[L")
            }
            Ok(Some(Object::View(..) | Object::Entry { .. } | Object::Iterator(_))) => {
                let own = self.class_of(slot).unwrap_or_default();
                own == class
                    || class == "java/lang/Object"
                    || own == "java/util/Set"
                        && matches!(class, "java/util/Collection" | "java/lang/Iterable")
                    || own == "java/util/Collection" && class == "java/lang/Iterable"
            }
            _ => self.class_of(slot).is_some_and(|own| self.classes.is_named_below(own, class)),
        }
    }

    /// `equals`, the first not being null.
    pub(crate) fn equals(&self, a: u64, b: u64) -> Result<bool, Reason> {
        self.equals_within(a, b, DEPTH)
    }

    fn equals_within(&self, a: u64, b: u64, depth: usize) -> Result<bool, Reason> {
        let (left, right) = (Reference::of(a), Reference::of(b));
        if depth == 0 {
            return Err(Reason::Memory);
        }
        match (left, right) {
            (Reference::Text, Reference::Text) => return Ok(self.bytes(a) == self.bytes(b)),
            (Reference::Float(a), Reference::Float(b)) => {
                return Ok(
                    hash::float_bits(f32::from_bits(a)) == hash::float_bits(f32::from_bits(b))
                );
            }
            (
                Reference::Heap(_) | Reference::Frozen(_),
                Reference::Heap(_) | Reference::Frozen(_),
            ) => {}
            _ => return Ok(left == right && left != Reference::Text),
        }
        let (Some(left), Some(right)) = (self.object(a)?, self.object(b)?) else {
            return Ok(false);
        };
        Ok(match (left, right) {
            (Object::Long(a), Object::Long(b)) => a == b,
            (Object::Double(a), Object::Double(b)) => {
                hash::double_bits(f64::from_bits(*a)) == hash::double_bits(f64::from_bits(*b))
            }
            (Object::List(kind, _), Object::List(other, _))
                if *kind == ListKind::Deque || *other == ListKind::Deque =>
            {
                a == b
            }
            (Object::List(_, left), Object::List(_, right)) => {
                if left.len() != right.len() {
                    return Ok(false);
                }
                for (a, b) in left.iter().zip(right.iter()) {
                    if !self.equals_within(*a, *b, depth - 1)? {
                        return Ok(false);
                    }
                }
                true
            }
            (Object::Map(left), Object::Map(right)) => {
                let mut same = left.len() == right.len();
                for (key, value) in if same { left.entries_in_any_order() } else { Vec::new() } {
                    let found = self.find(right, key)?;
                    same &= match found {
                        Some(node) => self.equals_within(value, right.value(node), depth - 1)?,
                        None => false,
                    };
                }
                same
            }
            (Object::Set(left), Object::Set(right)) => {
                let mut same = left.len() == right.len();
                for (key, _) in if same { left.entries_in_any_order() } else { Vec::new() } {
                    same &= self.find(right, key)?.is_some();
                }
                same
            }
            (Object::Optional(a), Object::Optional(b)) => self.equals_within(*a, *b, depth - 1)?,
            (Object::Entry { key: a, value: b }, Object::Entry { key: c, value: d }) => {
                self.equals_within(*a, *c, depth - 1)? && self.equals_within(*b, *d, depth - 1)?
            }
            (
                Object::Enum { class, ordinal, .. },
                Object::Enum { class: other, ordinal: at, .. },
            ) => class == other && ordinal == at,
            (Object::Thing(left), Object::Thing(right)) => match left.equals(&**right) {
                Some(equal) => equal,
                None if a == b => true,
                None => return Err(Reason::Uncertain("equals of an object of a library's class")),
            },
            // Arrays, builders, iterators and exceptions are equal to themselves only.
            (Object::User { .. }, _) => {
                return Err(Reason::Uncertain("equals of a user's class, called by the library"));
            }
            (Object::View(..), _) | (_, Object::View(..)) => {
                return Err(Reason::Uncertain("equals of a view of a map"));
            }
            (Object::Opaque(_), _) => return Err(Reason::Constant),
            _ => a == b,
        })
    }

    /// `hashCode`, and whether it is the same in every JVM.
    pub(crate) fn hash(&self, slot: u64) -> Result<(i32, bool), Reason> {
        self.hash_within(slot, DEPTH)
    }

    fn hash_within(&self, slot: u64, depth: usize) -> Result<(i32, bool), Reason> {
        let sure = |hash| Ok((hash, true));
        if depth == 0 {
            return Err(Reason::Memory);
        }
        match Reference::of(slot) {
            Reference::Null => return sure(0),
            Reference::Text => return sure(hash::string(self.text(slot))),
            Reference::Int(value) => return sure(value),
            Reference::Short(value) => return sure(i32::from(value)),
            Reference::Byte(value) => return sure(i32::from(value)),
            Reference::Char(value) => return sure(i32::from(value)),
            Reference::Bool(value) => return sure(hash::boolean(value)),
            Reference::Float(bits) => return sure(hash::float(f32::from_bits(bits))),
            Reference::Heap(_) | Reference::Frozen(_) => {}
        }
        let Some(object) = self.object(slot)? else { return sure(0) };
        match object {
            Object::Long(value) => sure(hash::long(*value)),
            Object::Double(bits) => sure(hash::double(f64::from_bits(*bits))),
            Object::List(kind, items) if *kind != ListKind::Deque => {
                let (mut sum, mut certain) = (1i32, true);
                for item in items.iter() {
                    let (hash, sure) = self.hash_within(*item, depth - 1)?;
                    certain &= sure;
                    sum = sum.wrapping_mul(31).wrapping_add(hash);
                }
                Ok((sum, certain))
            }
            Object::Map(map) | Object::Set(map) => {
                let (mut sum, mut certain) = (0i32, true);
                let is_set = matches!(object, Object::Set(_));
                for (key, value) in map.entries_in_any_order() {
                    let (mut hash, mut sure) = self.hash_within(key, depth - 1)?;
                    if !is_set {
                        let (other, also) = self.hash_within(value, depth - 1)?;
                        hash ^= other;
                        sure &= also;
                    }
                    certain &= sure;
                    sum = sum.wrapping_add(hash);
                }
                Ok((sum, certain))
            }
            Object::Entry { key, value } => {
                let ((a, sure), (b, also)) =
                    (self.hash_within(*key, depth - 1)?, self.hash_within(*value, depth - 1)?);
                Ok((a ^ b, sure && also))
            }
            Object::Optional(value) => self.hash_within(*value, depth - 1),
            // The code differs from JVM to JVM; equal constants must have equal ones here.
            Object::Enum { ordinal, .. } => Ok((*ordinal, false)),
            Object::Thing(thing) => match thing.hash_code() {
                Some(hash) => sure(hash),
                None => Err(Reason::Uncertain("hashCode of an object of a library's class")),
            },
            Object::User { .. } => {
                Err(Reason::Uncertain("hashCode of a user's class, called by the library"))
            }
            Object::Opaque(_) => Err(Reason::Constant),
            _ => Err(Reason::Uncertain("a hash code that differs from JVM to JVM")),
        }
    }

    /// A key as maps take it.
    pub(crate) fn hashed(&self, key: u64) -> Result<HashedKey, Reason> {
        let (hash, certain) = self.hash(key)?;
        Ok(HashedKey { key, hash, certain })
    }

    /// The node of a key in a map.
    pub(crate) fn find(&self, map: &Map, key: u64) -> Result<Option<usize>, Reason> {
        map.find(&self.hashed(key)?, |other| self.equals(key, other))
    }

    /// `compareTo` of two objects of one class.
    pub(crate) fn compare(&self, a: u64, b: u64) -> Result<Ordering, Reason> {
        let order = match (Reference::of(a), Reference::of(b)) {
            (Reference::Null, _) | (_, Reference::Null) => return Err(Reason::Null),
            (Reference::Text, Reference::Text) => {
                return Ok(text::order(self.text(a), self.text(b)));
            }
            (Reference::Int(a), Reference::Int(b)) => a.cmp(&b),
            (Reference::Short(a), Reference::Short(b)) => a.cmp(&b),
            (Reference::Byte(a), Reference::Byte(b)) => a.cmp(&b),
            (Reference::Char(a), Reference::Char(b)) => a.cmp(&b),
            (Reference::Bool(a), Reference::Bool(b)) => a.cmp(&b),
            (Reference::Float(a), Reference::Float(b)) => {
                compare_floats(f32::from_bits(a), f32::from_bits(b))
            }
            _ => match (self.object(a)?, self.object(b)?) {
                (Some(Object::Long(a)), Some(Object::Long(b))) => a.cmp(b),
                (Some(Object::Double(a)), Some(Object::Double(b))) => {
                    compare_doubles(f64::from_bits(*a), f64::from_bits(*b))
                }
                (Some(Object::Enum { ordinal, .. }), Some(Object::Enum { ordinal: other, .. })) => {
                    ordinal.cmp(other)
                }
                (Some(Object::Thing(a)), Some(Object::Thing(b))) => match a.compare(&**b) {
                    Some(order) => order.cmp(&0),
                    None => {
                        return Err(Reason::Uncertain(
                            "compareTo of an object of a library's class",
                        ));
                    }
                },
                (Some(Object::User { .. }), _) => {
                    return Err(Reason::Uncertain(
                        "compareTo of a user's class, called by the library",
                    ));
                }
                _ => return Err(Reason::exception("java/lang/ClassCastException", None)),
            },
        };
        Ok(order)
    }

    /// Appends `String.valueOf` of a reference.
    pub(crate) fn render(&self, slot: u64, out: &mut String) -> Result<(), Reason> {
        self.render_within(slot, out, DEPTH)
    }

    fn render_within(&self, slot: u64, out: &mut String, depth: usize) -> Result<(), Reason> {
        if depth == 0 || out.len() > self.budget.bytes {
            return Err(Reason::Memory);
        }
        match Reference::of(slot) {
            Reference::Null => out.push_str("null"),
            Reference::Text => out.push_str(self.text(slot)),
            Reference::Int(value) => push(out, value),
            Reference::Short(value) => push(out, value),
            Reference::Byte(value) => push(out, value),
            Reference::Bool(value) => push(out, value),
            Reference::Char(unit) => match char::from_u32(u32::from(unit)) {
                Some(c) => out.push(c),
                None => return Err(Reason::Surrogate),
            },
            Reference::Float(bits) => {
                out.push_str(&floating::float_to_string(f32::from_bits(bits)))
            }
            Reference::Heap(_) | Reference::Frozen(_) => {
                if let Some(object) = self.object(slot)? {
                    self.render_object(object, slot, out, depth - 1)?;
                }
            }
        }
        Ok(())
    }

    fn render_object(
        &self,
        object: &Object,
        slot: u64,
        out: &mut String,
        depth: usize,
    ) -> Result<(), Reason> {
        match object {
            Object::Long(value) => push(out, value),
            Object::Double(bits) => {
                out.push_str(&floating::double_to_string(f64::from_bits(*bits)))
            }
            Object::Builder(builder) => out.push_str(self.built(builder)?),
            Object::List(_, items) => {
                self.render_list(
                    items.iter().map(|item| (*item, None)),
                    slot,
                    out,
                    depth,
                    ('[', ']'),
                )?;
            }
            Object::Set(map) => {
                let keys = self.entries(map)?.into_iter().map(|(key, _)| (key, None));
                self.render_list(keys, slot, out, depth, ('[', ']'))?;
            }
            Object::Map(map) => {
                let entries = self.entries(map)?.into_iter().map(|(key, value)| (key, Some(value)));
                self.render_list(entries, slot, out, depth, ('{', '}'))?;
            }
            Object::View(view, map) => {
                let Some(Object::Map(map)) = self.object(*map)? else { return Ok(()) };
                let items = self.entries(map)?.into_iter().map(|(key, value)| match view {
                    View::Keys => (key, None),
                    View::Values => (value, None),
                    View::Entries => (key, Some(value)),
                });
                self.render_list(items, slot, out, depth, ('[', ']'))?;
            }
            Object::Entry { key, value } => {
                self.render_within(*key, out, depth)?;
                out.push('=');
                self.render_within(*value, out, depth)?;
            }
            Object::Optional(super::NULL) => out.push_str("Optional.empty"),
            Object::Optional(value) => {
                out.push_str("Optional[");
                self.render_within(*value, out, depth)?;
                out.push(']');
            }
            Object::Exception { class, message, .. } => {
                out.push_str(&class.replace('/', "."));
                if *message != super::NULL {
                    out.push_str(": ");
                    self.render_within(*message, out, depth)?;
                }
            }
            Object::Enum { name, .. } => out.push_str(self.text(*name)),
            Object::Thing(thing) => match thing.text() {
                Some(text) => out.push_str(&text),
                None => {
                    return Err(Reason::Uncertain("toString of an object of a library's class"));
                }
            },
            Object::User { .. } => {
                return Err(Reason::Uncertain("toString of a user's class, called by the library"));
            }
            Object::Opaque(_) => return Err(Reason::Constant),
            Object::Array { .. } | Object::Iterator(_) => {
                return Err(Reason::Uncertain("a hash code that differs from JVM to JVM"));
            }
        }
        Ok(())
    }

    fn render_list(
        &self,
        items: impl std::iter::Iterator<Item = (u64, Option<u64>)>,
        whole: u64,
        out: &mut String,
        depth: usize,
        (open, close): (char, char),
    ) -> Result<(), Reason> {
        out.push(open);
        for (at, (item, value)) in items.enumerate() {
            if at > 0 {
                out.push_str(", ");
            }
            for (part, slot) in [Some(item), value].into_iter().flatten().enumerate() {
                if part > 0 {
                    out.push('=');
                }
                match slot == whole {
                    true if open == '[' => out.push_str("(this Collection)"),
                    true => out.push_str("(this Map)"),
                    false => self.render_within(slot, out, depth)?,
                }
            }
        }
        out.push(close);
        Ok(())
    }

    /// The text of a builder.
    pub(crate) fn built<'a>(&'a self, builder: &'a super::Builder) -> Result<&'a str, Reason> {
        match builder {
            super::Builder::One(slot) => Ok(self.text(*slot)),
            super::Builder::Own { half: Some(_), .. } => Err(Reason::Surrogate),
            super::Builder::Own { bytes, .. } => Ok(std::str::from_utf8(bytes).unwrap_or_default()),
        }
    }

    /// `Arrays.toString` of an element.
    pub(crate) fn render_element(
        &self,
        element: Element,
        bits: u64,
        out: &mut String,
    ) -> Result<(), Reason> {
        match element {
            Element::Bool => push(out, bits != 0),
            Element::Byte | Element::Short | Element::Int => push(out, bits as i32),
            Element::Long => push(out, bits as i64),
            Element::Char => return self.render(super::character(bits as u16), out),
            Element::Float => return self.render(super::float(bits as u32), out),
            Element::Double => out.push_str(&floating::double_to_string(f64::from_bits(bits))),
            Element::Ref => return self.render(bits, out),
        }
        Ok(())
    }
}

fn push(out: &mut String, value: impl std::fmt::Display) {
    // Writing to a string does not fail.
    let _ = write!(out, "{value}");
}

/// `Double.compare`: -0.0 is below 0.0, and NaN above all.
pub(crate) fn compare_doubles(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b)
        .filter(|order| *order != Ordering::Equal)
        .unwrap_or_else(|| (hash::double_bits(a) as i64).cmp(&(hash::double_bits(b) as i64)))
}

/// `Float.compare`.
pub(crate) fn compare_floats(a: f32, b: f32) -> Ordering {
    compare_doubles(f64::from(a), f64::from(b))
}
