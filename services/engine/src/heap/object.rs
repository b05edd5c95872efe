//! The objects of the heap.
use super::{ClassId, Map};
use std::any::Any;
use std::borrow::Cow;
use std::fmt::Debug;

/// The elements of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Element {
    Bool,
    Byte,
    Short,
    Char,
    Int,
    Long,
    Float,
    Double,
    Ref,
}

impl Element {
    /// The elements of an array's descriptor, as `[I`.
    pub(crate) fn of_descriptor(descriptor: &str) -> Option<Element> {
        Some(match descriptor.strip_prefix('[')? {
            "Z" => Element::Bool,
            "B" => Element::Byte,
            "S" => Element::Short,
            "C" => Element::Char,
            "I" => Element::Int,
            "J" => Element::Long,
            "F" => Element::Float,
            "D" => Element::Double,
            other if other.starts_with(['L', '[']) => Element::Ref,
            _ => return None,
        })
    }

    /// What an element is before it is set.
    pub(crate) fn zero(self) -> u64 {
        if self == Element::Ref { super::NULL } else { 0 }
    }

    /// An int as an element holds it.
    pub(crate) fn truncated(self, bits: u64) -> u64 {
        let int = bits as i32;
        let kept = match self {
            Element::Bool => int & 1,
            Element::Byte => i32::from(int as i8),
            Element::Short => i32::from(int as i16),
            Element::Char => i32::from(int as u16),
            _ => return bits,
        };
        u64::from(kept as u32)
    }
}

/// The classes of lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListKind {
    Array,
    Linked,
    Deque,
    /// What `Arrays.asList` gives: of a fixed size.
    Fixed,
    /// What `List.of` gives: no nulls, no changes.
    Immutable,
    /// What `Collections.unmodifiableList` gives, as a copy.
    Unmodifiable,
}

impl ListKind {
    pub(crate) fn class(self) -> &'static str {
        match self {
            ListKind::Array => "java/util/ArrayList",
            ListKind::Linked => "java/util/LinkedList",
            ListKind::Deque => "java/util/ArrayDeque",
            ListKind::Fixed => "java/util/Arrays$ArrayList",
            ListKind::Immutable => "java/util/ImmutableCollections$ListN",
            ListKind::Unmodifiable => "java/util/Collections$UnmodifiableRandomAccessList",
        }
    }
}

/// What a set or collection shows of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum View {
    Keys,
    Values,
    Entries,
}

/// A `StringBuilder` or a `StringBuffer`.
#[derive(Debug)]
pub(crate) enum Builder {
    /// One text, or the empty one, that needs no copy.
    One(u64),
    /// A text of its own. A first half of a character may wait for its other half.
    Own { bytes: Vec<u8>, half: Option<u16> },
}

impl Builder {
    /// The memory to use again.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        match self {
            Builder::One(_) => Vec::new(),
            Builder::Own { bytes, .. } => bytes,
        }
    }
}

/// The items of a list.
#[derive(Debug, Default)]
pub(crate) struct Items {
    values: Vec<u64>,
    /// How often their number changed, as Java's own lists count it.
    pub(crate) changes: u64,
}

impl From<Vec<u64>> for Items {
    fn from(values: Vec<u64>) -> Self {
        Items { values, changes: 0 }
    }
}

impl From<Items> for Vec<u64> {
    fn from(items: Items) -> Self {
        items.values
    }
}

impl std::ops::Deref for Items {
    type Target = Vec<u64>;

    fn deref(&self) -> &Vec<u64> {
        &self.values
    }
}

impl std::ops::DerefMut for Items {
    fn deref_mut(&mut self) -> &mut Vec<u64> {
        &mut self.values
    }
}

/// What is still to come of an iteration.
#[derive(Debug)]
pub(crate) struct Iterator {
    /// What is iterated over.
    pub(crate) of: u64,
    /// The elements, as they were at the beginning; none of a list, which is asked for each.
    pub(crate) items: Vec<u64>,
    pub(crate) next: usize,
    /// How often the collection had been changed.
    pub(crate) changes: u64,
    /// Whether the last element may be removed.
    pub(crate) removable: bool,
}

/// An object of a library's class that only its family knows: a date, a pattern, a node of JSON.
pub(crate) trait Thing: Any + Debug + Send + Sync {
    /// Its class, as class files name it.
    fn class(&self) -> &'static str;
    /// The classes and interfaces above it, `java/lang/Object` aside.
    fn above(&self) -> &'static [&'static str] {
        &[]
    }
    /// `equals` with another thing; none where it is not certain.
    fn equals(&self, _other: &dyn Thing) -> Option<bool> {
        None
    }
    /// `hashCode`; none where it is not certain.
    fn hash_code(&self) -> Option<i32> {
        None
    }
    /// `compareTo`; none where there is no certain order.
    fn compare(&self, _other: &dyn Thing) -> Option<i32> {
        None
    }
    /// `toString`; none where it is not certain.
    fn text(&self) -> Option<String> {
        None
    }
}

impl dyn Thing {
    /// What its family knows it as; none if it is of another one.
    pub(crate) fn of<T: Thing>(&self) -> Option<&T> {
        (self as &dyn Any).downcast_ref()
    }

    /// The same, to be changed.
    pub(crate) fn of_mut<T: Thing>(&mut self) -> Option<&mut T> {
        (self as &mut dyn Any).downcast_mut()
    }
}

/// An object.
#[derive(Debug)]
pub(crate) enum Object {
    Long(i64),
    Double(u64),
    /// Of a class that a function declares; its fields are slots of the heap.
    User {
        class: ClassId,
        start: usize,
    },
    /// The class is the array's descriptor; its elements are slots of the heap.
    Array {
        class: ClassId,
        element: Element,
        start: usize,
        len: usize,
    },
    Builder(Builder),
    List(ListKind, Items),
    Map(Map),
    /// A set: the keys of its map.
    Set(Map),
    /// A view of a map.
    View(View, u64),
    Entry {
        key: u64,
        value: u64,
    },
    Iterator(Iterator),
    /// Null where it is empty.
    Optional(u64),
    Exception {
        class: Cow<'static, str>,
        message: u64,
        cause: u64,
    },
    Enum {
        class: ClassId,
        name: u64,
        ordinal: i32,
        start: usize,
    },
    Thing(Box<dyn Thing>),
    /// What could not be exported; using it is refused.
    Opaque(Box<str>),
}
