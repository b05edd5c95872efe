//! java.util.Map and Set.
use super::LibTy::{Bool, Int, Ref};
use super::lists::{class_cast, elements, no_such_element, table, unsupported};
use super::strings::int;
use super::{Method, changing, pure, throwing};
use crate::heap::{Map, MapKind, NULL, Object, View};
use crate::memory::Memory;
use crate::reason::Reason;

type Answer = Result<u64, Reason>;

fn map<'a>(memory: &'a Memory<'_>, slot: u64) -> Result<&'a Map, Reason> {
    match memory.object(slot)? {
        Some(Object::Map(map) | Object::Set(map)) => Ok(map),
        Some(Object::Opaque(_)) => Err(Reason::Constant),
        _ => Err(class_cast()),
    }
}

fn map_mut<'a>(memory: &'a mut Memory<'_>, slot: u64) -> Result<&'a mut Map, Reason> {
    if matches!(map(memory, slot)?.kind, MapKind::Immutable | MapKind::Unmodifiable) {
        return Err(unsupported());
    }
    match memory.object_mut(slot)? {
        Some(Object::Map(map) | Object::Set(map)) => Ok(map),
        _ => Err(class_cast()),
    }
}

/// The node of a key. Keys of a sorted map are compared, which null can't be.
fn find(memory: &Memory<'_>, slot: u64, key: u64) -> Result<Option<usize>, Reason> {
    let map = map(memory, slot)?;
    if key == NULL && matches!(map.kind, MapKind::Tree | MapKind::Immutable) {
        return Err(Reason::Null);
    }
    if map.kind == MapKind::Tree && map.len() > 0 {
        // A key of another class is an exception.
        memory.compare(key, map.entries_in_any_order()[0].0)?;
    }
    memory.find(map, key)
}

/// Puts in; the value that was there.
fn put_in(memory: &mut Memory<'_>, slot: u64, key: u64, value: u64) -> Result<Option<u64>, Reason> {
    memory.charge(4)?;
    map_mut(memory, slot)?;
    if key == NULL && map(memory, slot)?.kind == MapKind::Tree {
        return Err(Reason::Null);
    }
    match find(memory, slot, key)? {
        Some(node) => {
            let map = map_mut(memory, slot)?;
            let before = map.value(node);
            map.set_value(node, value);
            Ok(Some(before))
        }
        None => {
            let hashed = memory.hashed(key)?;
            map_mut(memory, slot)?.insert(&hashed, value)?;
            Ok(None)
        }
    }
}

/// `Set.add`.
pub(super) fn put_key(memory: &mut Memory<'_>, set: u64, key: u64) -> Answer {
    Ok(u64::from(put_in(memory, set, key, NULL)?.is_none()))
}

/// Removes a key; its value.
pub(super) fn remove_key(
    memory: &mut Memory<'_>,
    slot: u64,
    key: u64,
) -> Result<Option<u64>, Reason> {
    map_mut(memory, slot)?;
    let Some(node) = find(memory, slot, key)? else { return Ok(None) };
    Ok(Some(map_mut(memory, slot)?.remove(node)))
}

pub(super) fn clear(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    map_mut(memory, args[0])?.clear();
    Ok(0)
}

fn put(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    Ok(put_in(memory, args[0], args[1], args[2])?.unwrap_or(NULL))
}

fn put_if_absent(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    match get(memory, args)? {
        NULL => put(memory, args),
        value => Ok(value),
    }
}

fn get(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let node = find(memory, args[0], args[1])?;
    Ok(node.map_or(NULL, |node| map(memory, args[0]).map_or(NULL, |map| map.value(node))))
}

fn get_or_default(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    match find(memory, args[0], args[1])? {
        Some(node) => Ok(map(memory, args[0])?.value(node)),
        None => Ok(args[2]),
    }
}

pub(super) fn contains_key(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    Ok(u64::from(find(memory, args[0], args[1])?.is_some()))
}

fn contains_value(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let entries = map(memory, args[0])?.entries_in_any_order();
    memory.work(entries.len() * 8);
    for (_, value) in entries {
        let equal = if args[1] == NULL { value == NULL } else { memory.equals(args[1], value)? };
        if equal {
            return Ok(1);
        }
    }
    Ok(0)
}

fn put_all(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let other = map(memory, args[1])?;
    let entries = memory.entries(other)?;
    map_mut(memory, args[0])?.expect(entries.len());
    for (key, value) in entries {
        put_in(memory, args[0], key, value)?;
    }
    Ok(0)
}

fn of_map(memory: &mut Memory<'_>, other: u64, kind: MapKind) -> Answer {
    let made = table(memory, Map::new(kind), false)?;
    put_all(memory, &[made, other])?;
    Ok(made)
}

/// `new HashSet(collection)`.
fn of_items(memory: &mut Memory<'_>, collection: u64, kind: MapKind) -> Answer {
    let items = elements(memory, collection)?;
    // Java's arithmetic is in float.
    let capacity = ((items.len() as f32 / 0.75) as usize + 1).max(16);
    let made = table(memory, Map::with_capacity(kind, capacity), true)?;
    for item in items {
        put_key(memory, made, item)?;
    }
    Ok(made)
}

fn with_capacity(memory: &mut Memory<'_>, capacity: u64, kind: MapKind, is_set: bool) -> Answer {
    match capacity as i32 {
        capacity if capacity < 0 => {
            let message = format!("Illegal initial capacity: {capacity}");
            Err(Reason::exception("java/lang/IllegalArgumentException", Some(message)))
        }
        capacity => {
            memory.charge(capacity as usize)?;
            table(memory, Map::with_capacity(kind, capacity as usize), is_set)
        }
    }
}

/// `Map.of` and `Set.of`: no nulls, no key twice.
fn immutable(memory: &mut Memory<'_>, pairs: &[(u64, u64)], is_set: bool) -> Answer {
    let mut made = Map::with_capacity(MapKind::Immutable, pairs.len() * 2);
    for (key, value) in pairs {
        if *key == NULL || *value == NULL && !is_set {
            return Err(Reason::Null);
        }
        if memory.find(&made, *key)?.is_some() {
            let mut message = format!("duplicate {}: ", if is_set { "element" } else { "key" });
            memory.render(*key, &mut message)?;
            return Err(Reason::exception("java/lang/IllegalArgumentException", Some(message)));
        }
        made.insert(&memory.hashed(*key)?, *value)?;
    }
    memory.charge(pairs.len() * 4)?;
    table(memory, made, is_set)
}

fn map_of(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let pairs: Vec<(u64, u64)> = args.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
    immutable(memory, &pairs, false)
}

fn set_of(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let pairs: Vec<(u64, u64)> = args.iter().map(|key| (*key, NULL)).collect();
    immutable(memory, &pairs, true)
}

fn view(memory: &mut Memory<'_>, slot: u64, view: View) -> Answer {
    map(memory, slot)?;
    memory.add(Object::View(view, slot))
}

fn entry(memory: &Memory<'_>, slot: u64) -> Result<(u64, u64), Reason> {
    match memory.object(slot)? {
        Some(Object::Entry { key, value }) => Ok((*key, *value)),
        _ => Err(class_cast()),
    }
}

/// The first or last entry of a sorted map or set.
fn extreme(memory: &mut Memory<'_>, slot: u64, last: bool) -> Result<(u64, u64), Reason> {
    let entries = memory.entries(map(memory, slot)?)?;
    let found = if last { entries.last() } else { entries.first() };
    found.copied().ok_or_else(no_such_element)
}

macro_rules! kinds {
    ($class:literal, $kind:expr, $is_set:expr) => {
        [
            pure(concat!("java/util/", $class, ".<init>()V"), &[], Ref, |memory, _| {
                table(memory, Map::new($kind), $is_set)
            }),
            throwing(concat!("java/util/", $class, ".<init>(I)V"), &[Int], Ref, |memory, args| {
                with_capacity(memory, args[0], $kind, $is_set)
            }),
        ]
    };
}

static CONSTRUCTORS: &[[Method; 2]] = &[
    kinds!("HashMap", MapKind::Hash, false),
    kinds!("LinkedHashMap", MapKind::Linked, false),
    kinds!("HashSet", MapKind::Hash, true),
    kinds!("LinkedHashSet", MapKind::Linked, true),
];

pub(super) static NEW: &[Method] = CONSTRUCTORS.as_flattened();

pub(super) static METHODS: &[Method] = &[
    pure("java/util/TreeMap.<init>()V", &[], Ref, |memory, _| {
        table(memory, Map::new(MapKind::Tree), false)
    }),
    pure("java/util/TreeSet.<init>()V", &[], Ref, |memory, _| {
        table(memory, Map::new(MapKind::Tree), true)
    }),
    throwing("java/util/HashMap.<init>(Ljava/util/Map;)V", &[Ref], Ref, |memory, args| {
        of_map(memory, args[0], MapKind::Hash)
    }),
    throwing("java/util/LinkedHashMap.<init>(Ljava/util/Map;)V", &[Ref], Ref, |memory, args| {
        of_map(memory, args[0], MapKind::Linked)
    }),
    throwing("java/util/TreeMap.<init>(Ljava/util/Map;)V", &[Ref], Ref, |memory, args| {
        of_map(memory, args[0], MapKind::Tree)
    }),
    throwing("java/util/HashSet.<init>(Ljava/util/Collection;)V", &[Ref], Ref, |memory, args| {
        of_items(memory, args[0], MapKind::Hash)
    }),
    throwing(
        "java/util/LinkedHashSet.<init>(Ljava/util/Collection;)V",
        &[Ref],
        Ref,
        |memory, args| of_items(memory, args[0], MapKind::Linked),
    ),
    throwing("java/util/TreeSet.<init>(Ljava/util/Collection;)V", &[Ref], Ref, |memory, args| {
        of_items(memory, args[0], MapKind::Tree)
    }),
    changing(
        "java/util/Map.put(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;",
        &[Ref, Ref, Ref],
        Some(Ref),
        put,
    ),
    changing(
        "java/util/Map.putIfAbsent(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;",
        &[Ref, Ref, Ref],
        Some(Ref),
        put_if_absent,
    ),
    changing("java/util/Map.putAll(Ljava/util/Map;)V", &[Ref, Ref], None, put_all),
    changing(
        "java/util/Map.remove(Ljava/lang/Object;)Ljava/lang/Object;",
        &[Ref, Ref],
        Some(Ref),
        |memory, args| Ok(remove_key(memory, args[0], args[1])?.unwrap_or(NULL)),
    ),
    changing("java/util/Map.clear()V", &[Ref], None, clear),
    throwing("java/util/Map.get(Ljava/lang/Object;)Ljava/lang/Object;", &[Ref, Ref], Ref, get),
    throwing(
        "java/util/Map.getOrDefault(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;",
        &[Ref, Ref, Ref],
        Ref,
        get_or_default,
    ),
    throwing("java/util/Map.containsKey(Ljava/lang/Object;)Z", &[Ref, Ref], Bool, contains_key),
    throwing("java/util/Map.containsValue(Ljava/lang/Object;)Z", &[Ref, Ref], Bool, contains_value),
    throwing("java/util/Map.size()I", &[Ref], Int, |memory, args| {
        Ok(int(map(memory, args[0])?.len() as i32))
    }),
    throwing("java/util/Map.isEmpty()Z", &[Ref], Bool, |memory, args| {
        Ok(u64::from(map(memory, args[0])?.len() == 0))
    }),
    throwing("java/util/Map.keySet()Ljava/util/Set;", &[Ref], Ref, |memory, args| {
        view(memory, args[0], View::Keys)
    }),
    throwing("java/util/Map.values()Ljava/util/Collection;", &[Ref], Ref, |memory, args| {
        view(memory, args[0], View::Values)
    }),
    throwing("java/util/Map.entrySet()Ljava/util/Set;", &[Ref], Ref, |memory, args| {
        view(memory, args[0], View::Entries)
    }),
    throwing("java/util/Map$Entry.getKey()Ljava/lang/Object;", &[Ref], Ref, |memory, args| {
        Ok(entry(memory, args[0])?.0)
    }),
    throwing("java/util/Map$Entry.getValue()Ljava/lang/Object;", &[Ref], Ref, |memory, args| {
        Ok(entry(memory, args[0])?.1)
    }),
    throwing(
        "java/util/Map.entry(Ljava/lang/Object;Ljava/lang/Object;)Ljava/util/Map$Entry;",
        &[Ref, Ref],
        Ref,
        |memory, args| match args.contains(&NULL) {
            true => Err(Reason::Null),
            false => memory.add(Object::Entry { key: args[0], value: args[1] }),
        },
    ),
    throwing("java/util/SortedMap.firstKey()Ljava/lang/Object;", &[Ref], Ref, |memory, args| {
        Ok(extreme(memory, args[0], false)?.0)
    }),
    throwing("java/util/SortedMap.lastKey()Ljava/lang/Object;", &[Ref], Ref, |memory, args| {
        Ok(extreme(memory, args[0], true)?.0)
    }),
    throwing("java/util/TreeMap.firstKey()Ljava/lang/Object;", &[Ref], Ref, |memory, args| {
        Ok(extreme(memory, args[0], false)?.0)
    }),
    throwing("java/util/TreeMap.lastKey()Ljava/lang/Object;", &[Ref], Ref, |memory, args| {
        Ok(extreme(memory, args[0], true)?.0)
    }),
    throwing("java/util/TreeSet.first()Ljava/lang/Object;", &[Ref], Ref, |memory, args| {
        Ok(extreme(memory, args[0], false)?.0)
    }),
    throwing("java/util/TreeSet.last()Ljava/lang/Object;", &[Ref], Ref, |memory, args| {
        Ok(extreme(memory, args[0], true)?.0)
    }),
    pure("java/util/Collections.emptyMap()Ljava/util/Map;", &[], Ref, |memory, _| {
        table(memory, Map::new(MapKind::Unmodifiable), false)
    }),
    pure("java/util/Collections.emptySet()Ljava/util/Set;", &[], Ref, |memory, _| {
        table(memory, Map::new(MapKind::Unmodifiable), true)
    }),
    throwing("java/util/Map.of()Ljava/util/Map;", &[], Ref, map_of),
    throwing(
        "java/util/Map.of(Ljava/lang/Object;Ljava/lang/Object;)Ljava/util/Map;",
        &[Ref, Ref],
        Ref,
        map_of,
    ),
    throwing(
        "java/util/Map.of(Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;)Ljava/util/Map;",
        &[Ref, Ref, Ref, Ref],
        Ref,
        map_of,
    ),
    throwing(
        "java/util/Map.of(Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;)Ljava/util/Map;",
        &[Ref, Ref, Ref, Ref, Ref, Ref],
        Ref,
        map_of,
    ),
    throwing("java/util/Set.of()Ljava/util/Set;", &[], Ref, set_of),
    throwing("java/util/Set.of(Ljava/lang/Object;)Ljava/util/Set;", &[Ref], Ref, set_of),
    throwing(
        "java/util/Set.of(Ljava/lang/Object;Ljava/lang/Object;)Ljava/util/Set;",
        &[Ref, Ref],
        Ref,
        set_of,
    ),
    throwing(
        "java/util/Set.of(Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;)Ljava/util/Set;",
        &[Ref, Ref, Ref],
        Ref,
        set_of,
    ),
    throwing(
        "java/util/Set.of([Ljava/lang/Object;)Ljava/util/Set;",
        &[Ref],
        Ref,
        |memory, args| {
            let items = memory.items(args[0])?;
            set_of(memory, &items)
        },
    ),
];
