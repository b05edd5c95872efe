//! The constants of a function: an object graph in JSON, as the capture exports it, to frozen objects.
use super::{ClassId, Classes, Element, Heap, ListKind, Map, MapKind, NULL, Object};
use crate::memory::{Budget, Memory, Span};
use crate::reason::Reason;
use crate::ty::Ty;
use crate::units::Cursor;
use serde_json::Value as Json;
use std::collections::HashMap;

/// Freezes the objects of a text of constants; the references to them, in order. Their texts are appended to `texts`.
pub(crate) fn freeze(
    json: &str,
    heap: &mut Heap,
    classes: &mut Classes,
    texts: &mut Vec<u8>,
) -> Result<Vec<u64>, String> {
    if json.is_empty() {
        return Ok(Vec::new());
    }
    let json: Json =
        serde_json::from_str(json).map_err(|error| format!("the constants: {error}"))?;
    let objects = json.get("objects").and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
    let first = heap.objects.len();
    for object in objects {
        heap.add(Object::Opaque(class_name(object).into()));
    }
    let mut freezing =
        Freezing { heap, classes, texts, known: HashMap::new(), first, count: objects.len() };
    for (at, object) in objects.iter().enumerate() {
        if let Some(frozen) = freezing.object(object)? {
            freezing.heap.replace(first + at, frozen);
        }
    }
    // Keys must be whole before they have hash codes.
    for (at, object) in objects.iter().enumerate() {
        if let Some(frozen) = freezing.table(object)? {
            freezing.heap.replace(first + at, frozen);
        }
    }
    Ok((first..first + objects.len()).map(super::frozen).collect())
}

fn class_name(object: &Json) -> String {
    let name =
        ["class", "array", "enum"].iter().find_map(|key| object.get(key).and_then(Json::as_str));
    name.unwrap_or_default().replace('.', "/")
}

fn list_kind(class: &str) -> Option<ListKind> {
    Some(match class {
        "java/util/ArrayList" => ListKind::Array,
        "java/util/LinkedList" => ListKind::Linked,
        "java/util/ArrayDeque" => ListKind::Deque,
        "java/util/Arrays$ArrayList" => ListKind::Fixed,
        _ if class.starts_with("java/util/ImmutableCollections$List") => ListKind::Immutable,
        "java/util/Collections$EmptyList" | "java/util/Collections$SingletonList" => {
            ListKind::Unmodifiable
        }
        _ if class.starts_with("java/util/Collections$Unmodifiable") && class.ends_with("List") => {
            ListKind::Unmodifiable
        }
        _ => return None,
    })
}

fn map_kind(class: &str) -> Option<MapKind> {
    Some(match class {
        "java/util/HashMap" | "java/util/HashSet" => MapKind::Frozen,
        "java/util/LinkedHashMap" | "java/util/LinkedHashSet" => MapKind::Linked,
        "java/util/TreeMap" | "java/util/TreeSet" => MapKind::Tree,
        "java/util/Collections$EmptyMap"
        | "java/util/Collections$EmptySet"
        | "java/util/Collections$SingletonMap"
        | "java/util/Collections$SingletonSet"
        | "java/util/Collections$UnmodifiableMap"
        | "java/util/Collections$UnmodifiableSet"
        | "java/util/ImmutableCollections$Map1"
        | "java/util/ImmutableCollections$Set12" => MapKind::Unmodifiable,
        "java/util/ImmutableCollections$MapN" | "java/util/ImmutableCollections$SetN" => {
            MapKind::Immutable
        }
        _ => return None,
    })
}

struct Freezing<'a> {
    heap: &'a mut Heap,
    classes: &'a mut Classes,
    texts: &'a mut Vec<u8>,
    known: HashMap<String, u64>,
    first: usize,
    count: usize,
}

impl Freezing<'_> {
    /// What is no hash table; none for that, and for what is not known.
    fn object(&mut self, json: &Json) -> Result<Option<Object>, String> {
        if json.get("opaque").is_some() {
            return Ok(None);
        }
        let class = class_name(json);
        if let Some(element) = json.get("array").and(Element::of_descriptor(&class)) {
            let values = self.values(json, "values")?;
            let start = self.heap.slots.len();
            let len = values.len();
            self.heap.slots.extend(values);
            let class = self.classes.id(&class);
            return Ok(Some(Object::Array { class, element, start, len }));
        }
        if json.get("enum").is_some() {
            let name = self.text(json.get("name").and_then(Json::as_str).unwrap_or_default());
            let ordinal = json.get("ordinal").and_then(Json::as_i64).unwrap_or_default() as i32;
            let class = self.classes.id(&class);
            let start = self.fields(class, json)?.unwrap_or_default();
            return Ok(Some(Object::Enum { class, name, ordinal, start }));
        }
        if let Some(kind) = list_kind(&class) {
            return Ok(Some(Object::List(kind, self.values(json, "items")?.into())));
        }
        if json.get("fields").is_some() {
            let id = self.classes.id(&class);
            return Ok(self.fields(id, json)?.map(|start| Object::User { class: id, start }));
        }
        Ok(crate::library::thing(&class, json).map(Object::Thing))
    }

    /// The fields of an object of a declared class.
    fn fields(&mut self, class: ClassId, json: &Json) -> Result<Option<usize>, String> {
        let Some(fields) = self.classes.fields(class).map(<[_]>::to_vec) else { return Ok(None) };
        let values = json.get("fields").and_then(Json::as_object);
        let mut slots = Vec::with_capacity(fields.len());
        for field in &fields {
            // A class and the one above it have no fields of one name.
            let suffix = format!(".{}", field.name);
            let found =
                values.and_then(|values| values.iter().find(|(name, _)| name.ends_with(&suffix)));
            slots.push(match found {
                Some((_, value)) => self.value(value)?,
                None if field.ty == Ty::Ref => NULL,
                None => 0,
            });
        }
        let start = self.heap.slots.len();
        self.heap.slots.extend(slots);
        Ok(Some(start))
    }

    fn table(&mut self, json: &Json) -> Result<Option<Object>, String> {
        let class = class_name(json);
        let Some(kind) = map_kind(&class).filter(|_| json.get("opaque").is_none()) else {
            return Ok(None);
        };
        let is_set = json.get("items").is_some();
        let pairs: Vec<(u64, u64)> = if is_set {
            self.values(json, "items")?.into_iter().map(|key| (key, NULL)).collect()
        } else {
            let mut pairs = Vec::new();
            for entry in json.get("entries").and_then(Json::as_array).into_iter().flatten() {
                let (Some(key), Some(value)) = (entry.get(0), entry.get(1)) else {
                    return Err("the constants: an entry of a map is no pair".to_owned());
                };
                pairs.push((self.value(key)?, self.value(value)?));
            }
            pairs
        };
        let mut map = Map::with_capacity(kind, pairs.len() * 2);
        let (mut made, mut elements, mut heap) = (Vec::new(), Vec::new(), Heap::default());
        let memory = Memory {
            input: &[],
            constants: self.texts,
            made: &mut made,
            elements: &mut elements,
            heap: &mut heap,
            frozen: self.heap,
            classes: self.classes,
            cursor: Cursor::default(),
            caught: None,
            steps: 0,
            charged: 0,
            budget: Budget::default(),
        };
        for (key, value) in pairs {
            let put = memory.hashed(key).and_then(|key| map.insert(&key, value));
            match put {
                Ok(()) => {}
                // A key without a certain hash code: the table is of no use.
                Err(Reason::Memory) => {
                    return Err("the constants: a key is nested too deeply".to_owned());
                }
                Err(_) => return Ok(None),
            }
        }
        Ok(Some(if is_set { Object::Set(map) } else { Object::Map(map) }))
    }

    fn values(&mut self, json: &Json, key: &str) -> Result<Vec<u64>, String> {
        let values = json.get(key).and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
        values.iter().map(|value| self.value(value)).collect()
    }

    fn text(&mut self, text: &str) -> u64 {
        if let Some(slot) = self.known.get(text) {
            return *slot;
        }
        let start = self.texts.len();
        self.texts.extend_from_slice(text.as_bytes());
        let slot = Span::constant(start, text.len()).known_ascii(text.is_ascii()).0;
        self.known.insert(text.to_owned(), slot);
        slot
    }

    fn value(&mut self, json: &Json) -> Result<u64, String> {
        let wrong = || Err(format!("the constants: {json} is no value"));
        match json {
            Json::Null => return Ok(NULL),
            Json::Bool(value) => return Ok(u64::from(*value)),
            _ => {}
        }
        let Some((kind, value)) = json.as_object().and_then(|object| object.iter().next()) else {
            return wrong();
        };
        match (kind.as_str(), value) {
            ("s", Json::String(text)) => Ok(self.text(text)),
            ("ref", value) => match value.as_u64() {
                Some(number) if (number as usize) < self.count => {
                    Ok(super::frozen(self.first + number as usize))
                }
                _ => wrong(),
            },
            ("box", Json::Bool(value)) => Ok(super::boolean(*value)),
            ("box", inner) => self.boxed(inner),
            _ => primitive(json).map_or_else(wrong, |(_, bits)| Ok(bits)),
        }
    }

    fn boxed(&mut self, json: &Json) -> Result<u64, String> {
        let Some((kind, bits)) = primitive(json) else {
            return Err(format!("the constants: {json} is no primitive"));
        };
        Ok(match kind {
            'i' => super::int(bits as i32),
            'h' => super::short(bits as i16),
            'b' => super::byte(bits as i8),
            'c' => super::character(bits as u16),
            'f' => super::float(bits as u32),
            'l' => super::frozen(self.heap.add(Object::Long(bits as i64))),
            _ => super::frozen(self.heap.add(Object::Double(bits))),
        })
    }
}

/// The letter and bits of a primitive.
fn primitive(json: &Json) -> Option<(char, u64)> {
    let (kind, value) = json.as_object()?.iter().next()?;
    let text = value.as_str();
    let int = |value: i64| u64::from(value as i32 as u32);
    Some(match kind.as_str() {
        "i" => ('i', int(value.as_i64()?)),
        "h" => ('h', int(value.as_i64()?)),
        "b" => ('b', int(value.as_i64()?)),
        "c" => ('c', int(value.as_i64()?)),
        "l" => ('l', text?.parse::<i64>().ok()? as u64),
        "f" => ('f', u64::from(floating(text?, sluice_java::floating::parse_float)?.to_bits())),
        "d" => ('d', floating(text?, sluice_java::floating::parse_double)?.to_bits()),
        _ => return None,
    })
}

fn floating<T>(text: &str, parse: fn(&str) -> sluice_java::Result<T>) -> Option<T> {
    parse(text).ok()
}
