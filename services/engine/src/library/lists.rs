//! java.util.List and what is common to collections.
use super::LibTy::{Bool, Int, Ref};
use super::strings::int;
use super::{Method, changing, pure, throwing};
use crate::heap::{self, Items, ListKind, Map, MapKind, NULL, OBJECTS, Object, View};
use crate::memory::Memory;
use crate::reason::Reason;

type Answer = Result<u64, Reason>;

const INDEX: &str = "java/lang/IndexOutOfBoundsException";

pub(super) fn unsupported() -> Reason {
    Reason::exception("java/lang/UnsupportedOperationException", None)
}

pub(super) fn class_cast() -> Reason {
    Reason::exception("java/lang/ClassCastException", None)
}

pub(super) fn no_such_element() -> Reason {
    Reason::exception("java/util/NoSuchElementException", None)
}

pub(super) fn list<'a>(
    memory: &'a Memory<'_>,
    slot: u64,
) -> Result<(ListKind, &'a Vec<u64>), Reason> {
    match memory.object(slot)? {
        Some(Object::List(kind, items)) => Ok((*kind, items)),
        Some(Object::Opaque(_)) => Err(Reason::Constant),
        _ => Err(class_cast()),
    }
}

/// The items of a list, to be changed; `sized` where that changes how many they are.
pub(super) fn list_mut<'a>(
    memory: &'a mut Memory<'_>,
    slot: u64,
    sized: bool,
) -> Result<&'a mut Items, Reason> {
    if let (kind, _) = list(memory, slot)?
        && (matches!(kind, ListKind::Immutable | ListKind::Unmodifiable)
            || sized && kind == ListKind::Fixed)
    {
        return Err(unsupported());
    }
    match memory.object_mut(slot)? {
        Some(Object::List(_, items)) => Ok(items),
        _ => Err(class_cast()),
    }
}

/// The items of a list of which there will be more or fewer, or which a sort will have moved.
pub(super) fn resized<'a>(memory: &'a mut Memory<'_>, slot: u64) -> Result<&'a mut Items, Reason> {
    let items = list_mut(memory, slot, true)?;
    items.changes += 1;
    Ok(items)
}

/// What the class says of an index that is none.
fn no_index(kind: ListKind, index: i32, len: usize) -> Reason {
    let class = match kind {
        ListKind::Fixed => "java/lang/ArrayIndexOutOfBoundsException",
        ListKind::Immutable if len > 2 => "java/lang/ArrayIndexOutOfBoundsException",
        _ => INDEX,
    };
    let message = match kind {
        ListKind::Linked => format!("Index: {index}, Size: {len}"),
        ListKind::Immutable if len <= 2 => format!("Index: {index} Size: {len}"),
        ListKind::Unmodifiable => {
            return Reason::Uncertain("which list is behind an unmodifiable one");
        }
        _ => format!("Index {index} out of bounds for length {len}"),
    };
    Reason::exception(class, Some(message))
}

pub(crate) fn get(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let (kind, items) = list(memory, args[0])?;
    match items.get(args[1] as u32 as usize) {
        Some(item) => Ok(*item),
        None => Err(no_index(kind, args[1] as i32, items.len())),
    }
}

fn set(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let (kind, items) = list(memory, args[0])?;
    let len = items.len();
    let items = list_mut(memory, args[0], false)?;
    match items.get_mut(args[1] as u32 as usize) {
        Some(item) => Ok(std::mem::replace(item, args[2])),
        None => Err(no_index(kind, args[1] as i32, len)),
    }
}

/// `add` of any collection.
pub(crate) fn add(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    memory.charge(1)?;
    match memory.object(args[0])? {
        Some(Object::Set(_)) => return super::maps::put_key(memory, args[0], args[1]),
        Some(Object::View(..)) => return Err(unsupported()),
        _ => {}
    }
    if args[1] == NULL && matches!(memory.object(args[0])?, Some(Object::List(ListKind::Deque, _)))
    {
        return Err(Reason::Null);
    }
    resized(memory, args[0])?.push(args[1]);
    Ok(1)
}

pub(super) fn add_at(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    memory.charge(1)?;
    let (at, items) = (args[1] as i32, list_mut(memory, args[0], true)?);
    match usize::try_from(at).ok().filter(|at| *at <= items.len()) {
        Some(place) => {
            items.changes += 1;
            items.insert(place, args[2]);
            let moved = items.len() - place;
            memory.work(moved * 8);
            Ok(0)
        }
        None => {
            let message = format!("Index: {at}, Size: {}", items.len());
            Err(Reason::exception(INDEX, Some(message)))
        }
    }
}

fn remove_at(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let (kind, _) = list(memory, args[0])?;
    let (at, items) = (args[1] as i32, list_mut(memory, args[0], true)?);
    match (args[1] as u32 as usize) < items.len() {
        true => {
            items.changes += 1;
            let removed = items.remove(at as usize);
            let moved = items.len();
            memory.work(moved * 8);
            Ok(removed)
        }
        false => Err(no_index(kind, at, items.len())),
    }
}

/// The place of an equal item.
fn find(
    memory: &mut Memory<'_>,
    items: &[u64],
    wanted: u64,
    backwards: bool,
) -> Result<Option<usize>, Reason> {
    memory.work(items.len() * 8);
    let equal = |at: usize| match wanted {
        NULL => Ok(items[at] == NULL),
        wanted => memory.equals(wanted, items[at]),
    };
    let places: Box<dyn std::iter::Iterator<Item = usize>> =
        if backwards { Box::new((0..items.len()).rev()) } else { Box::new(0..items.len()) };
    for at in places {
        if equal(at)? {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

fn index_of(memory: &mut Memory<'_>, args: &[u64], backwards: bool) -> Answer {
    let (kind, items) = list(memory, args[0])?;
    if kind == ListKind::Immutable && args[1] == NULL {
        return Err(Reason::Null);
    }
    let items = items.to_vec();
    Ok(int(find(memory, &items, args[1], backwards)?.map_or(-1, |at| at as i32)))
}

/// `contains` of any collection.
fn contains(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    match memory.object(args[0])? {
        Some(Object::Set(map)) => {
            if args[1] == NULL && map.kind == MapKind::Immutable {
                return Err(Reason::Null);
            }
            Ok(u64::from(memory.find(map, args[1])?.is_some()))
        }
        Some(Object::View(View::Keys, map)) => super::maps::contains_key(memory, &[*map, args[1]]),
        Some(Object::View(..)) => {
            let items = elements(memory, args[0])?;
            Ok(u64::from(find(memory, &items, args[1], false)?.is_some()))
        }
        _ => Ok(u64::from(index_of(memory, args, false)? as i32 >= 0)),
    }
}

/// `remove(Object)` of any collection.
fn remove(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    if matches!(memory.object(args[0])?, Some(Object::Set(_))) {
        return super::maps::remove_key(memory, args[0], args[1])
            .map(|removed| u64::from(removed.is_some()));
    }
    let items = list_mut(memory, args[0], true)?.to_vec();
    match find(memory, &items, args[1], false)? {
        Some(at) => {
            resized(memory, args[0])?.remove(at);
            Ok(1)
        }
        None => Ok(0),
    }
}

fn size(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    Ok(int(match memory.object(args[0])? {
        Some(Object::List(_, items)) => items.len(),
        Some(Object::Set(map) | Object::Map(map)) => map.len(),
        Some(Object::View(_, map)) => match memory.object(*map)? {
            Some(Object::Map(map)) => map.len(),
            _ => return Err(class_cast()),
        },
        Some(Object::Opaque(_)) => return Err(Reason::Constant),
        _ => return Err(class_cast()),
    } as i32))
}

fn is_empty(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    Ok(u64::from(size(memory, args)? == 0))
}

/// The elements of a collection in the order of iteration; new entries where it shows those of a map.
pub(super) fn elements(memory: &mut Memory<'_>, slot: u64) -> Result<Vec<u64>, Reason> {
    let (view, map) = match memory.object(slot)? {
        Some(Object::View(view, map)) => (*view, *map),
        Some(Object::Opaque(_)) => return Err(Reason::Constant),
        _ => return memory.items(slot),
    };
    let Some(Object::Map(map)) = memory.object(map)? else { return Err(class_cast()) };
    let entries = memory.entries(map)?;
    memory.charge(entries.len())?;
    Ok(match view {
        View::Keys => entries.into_iter().map(|(key, _)| key).collect(),
        View::Values => entries.into_iter().map(|(_, value)| value).collect(),
        View::Entries => {
            let mut items = Vec::with_capacity(entries.len());
            for (key, value) in entries {
                items.push(memory.add(Object::Entry { key, value })?);
            }
            items
        }
    })
}

/// Adds all elements of another collection; whether that changed this one.
fn add_all(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let mut changed = 0;
    let added = elements(memory, args[1])?;
    if added.is_empty() && matches!(memory.object(args[0])?, Some(Object::List(ListKind::Array, _)))
    {
        // Even that is a change to an `ArrayList`.
        resized(memory, args[0])?;
    }
    for item in added {
        changed |= add(memory, &[args[0], item])?;
    }
    Ok(changed)
}

fn clear(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    match memory.object(args[0])? {
        Some(Object::Set(_)) => super::maps::clear(memory, args),
        Some(Object::List(ListKind::Fixed, items)) if items.is_empty() => Ok(0),
        _ => {
            resized(memory, args[0])?.clear();
            Ok(0)
        }
    }
}

fn new_list(memory: &mut Memory<'_>, _: &[u64]) -> Answer {
    memory.new_list(ListKind::Array, &[])
}

fn with_capacity(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    match args[0] as i32 {
        capacity if capacity < 0 => {
            let message = format!("Illegal Capacity: {capacity}");
            Err(Reason::exception("java/lang/IllegalArgumentException", Some(message)))
        }
        _ => memory.new_list(ListKind::Array, &[]),
    }
}

fn copy(memory: &mut Memory<'_>, slot: u64, kind: ListKind) -> Answer {
    let items = elements(memory, slot)?;
    memory.new_list(kind, &items)
}

/// `List.of`: no nulls.
fn immutable(memory: &mut Memory<'_>, items: &[u64]) -> Answer {
    match items.contains(&NULL) {
        true => Err(Reason::Null),
        false => memory.new_list(ListKind::Immutable, items),
    }
}

fn to_array(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let items = elements(memory, args[0])?;
    let start = memory.new_slots(items.len(), NULL)?;
    memory.heap.slots[start..].copy_from_slice(&items);
    // The class of the given array, whose size does not matter here: one that is too large gets a null behind the last.
    let class = match args.get(1).map(|array| memory.object(*array)).transpose()?.flatten() {
        Some(Object::Array { len, .. }) if *len > items.len() => {
            return Err(Reason::Uncertain("an array that is larger than what is put in"));
        }
        Some(Object::Array { class, .. }) => *class,
        _ => OBJECTS,
    };
    memory.add(Object::Array { class, element: heap::Element::Ref, start, len: items.len() })
}

fn sub_list(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let (from, to) = (args[1] as i32, args[2] as i32);
    let (_, items) = list(memory, args[0])?;
    let wrong = if from < 0 {
        Some((INDEX, format!("fromIndex = {from}")))
    } else if to as i64 > items.len() as i64 {
        Some((INDEX, format!("toIndex = {to}")))
    } else if from > to {
        Some(("java/lang/IllegalArgumentException", format!("fromIndex({from}) > toIndex({to})")))
    } else {
        None
    };
    if let Some((class, message)) = wrong {
        return Err(Reason::exception(class, Some(message)));
    }
    // A copy: what is read from it is the same as long as neither changes, so it may not change.
    let items = items[from as usize..to as usize].to_vec();
    memory.new_list(ListKind::Unmodifiable, &items)
}

/// Sorts by `compareTo`.
pub(super) fn sorted(memory: &mut Memory<'_>, mut items: Vec<u64>) -> Result<Vec<u64>, Reason> {
    memory.work(items.len() * 64);
    let mut failed = None;
    items.sort_by(|a, b| {
        memory.compare(*a, *b).unwrap_or_else(|reason| {
            failed.get_or_insert(reason);
            std::cmp::Ordering::Equal
        })
    });
    failed.map_or(Ok(items), Err)
}

pub(super) fn sort(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    if args.get(1).is_some_and(|order| *order != NULL) {
        return Err(Reason::Uncertain("an order of the user's"));
    }
    let kind = list(memory, args[0])?.0;
    let items = list_mut(memory, args[0], false)?.to_vec();
    let sorted = sorted(memory, items)?;
    let items = list_mut(memory, args[0], false)?;
    items.copy_from_slice(&sorted);
    items.changes += u64::from(kind == ListKind::Array);
    Ok(0)
}

macro_rules! list_of {
    ($params:expr, $descriptor:literal) => {
        throwing(
            concat!("java/util/List.of(", $descriptor, ")Ljava/util/List;"),
            $params,
            Ref,
            immutable,
        )
    };
}

pub(super) static METHODS: &[Method] = &[
    pure("java/util/ArrayList.<init>()V", &[], Ref, new_list),
    throwing("java/util/ArrayList.<init>(I)V", &[Int], Ref, with_capacity),
    throwing("java/util/ArrayList.<init>(Ljava/util/Collection;)V", &[Ref], Ref, |memory, args| {
        copy(memory, args[0], ListKind::Array)
    }),
    pure("java/util/LinkedList.<init>()V", &[], Ref, |memory, _| {
        memory.new_list(ListKind::Linked, &[])
    }),
    throwing(
        "java/util/LinkedList.<init>(Ljava/util/Collection;)V",
        &[Ref],
        Ref,
        |memory, args| copy(memory, args[0], ListKind::Linked),
    ),
    pure("java/util/ArrayDeque.<init>()V", &[], Ref, |memory, _| {
        memory.new_list(ListKind::Deque, &[])
    }),
    throwing("java/util/List.get(I)Ljava/lang/Object;", &[Ref, Int], Ref, get),
    changing(
        "java/util/List.set(ILjava/lang/Object;)Ljava/lang/Object;",
        &[Ref, Int, Ref],
        Some(Ref),
        set,
    ),
    changing("java/util/List.add(ILjava/lang/Object;)V", &[Ref, Int, Ref], None, add_at),
    changing("java/util/List.remove(I)Ljava/lang/Object;", &[Ref, Int], Some(Ref), remove_at),
    throwing("java/util/List.indexOf(Ljava/lang/Object;)I", &[Ref, Ref], Int, |memory, args| {
        index_of(memory, args, false)
    }),
    throwing(
        "java/util/List.lastIndexOf(Ljava/lang/Object;)I",
        &[Ref, Ref],
        Int,
        |memory, args| index_of(memory, args, true),
    ),
    throwing("java/util/List.subList(II)Ljava/util/List;", &[Ref, Int, Int], Ref, sub_list),
    changing("java/util/List.sort(Ljava/util/Comparator;)V", &[Ref, Ref], None, sort),
    throwing(
        "java/util/List.copyOf(Ljava/util/Collection;)Ljava/util/List;",
        &[Ref],
        Ref,
        |memory, args| {
            let items = elements(memory, args[0])?;
            immutable(memory, &items)
        },
    ),
    list_of!(&[], ""),
    list_of!(&[Ref], "Ljava/lang/Object;"),
    list_of!(&[Ref, Ref], "Ljava/lang/Object;Ljava/lang/Object;"),
    list_of!(&[Ref, Ref, Ref], "Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;"),
    list_of!(
        &[Ref, Ref, Ref, Ref],
        "Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;"
    ),
    list_of!(
        &[Ref, Ref, Ref, Ref, Ref],
        "Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;"
    ),
    throwing(
        "java/util/List.of([Ljava/lang/Object;)Ljava/util/List;",
        &[Ref],
        Ref,
        |memory, args| {
            let items = memory.items(args[0])?;
            immutable(memory, &items)
        },
    ),
    throwing(
        "java/util/Arrays.asList([Ljava/lang/Object;)Ljava/util/List;",
        &[Ref],
        Ref,
        |memory, args| {
            // A list over the array itself; neither is changed through the other where only the list is kept.
            let items = memory.items(args[0])?;
            memory.new_list(ListKind::Fixed, &items)
        },
    ),
    changing("java/util/Collection.add(Ljava/lang/Object;)Z", &[Ref, Ref], Some(Bool), add),
    changing("java/util/Collection.remove(Ljava/lang/Object;)Z", &[Ref, Ref], Some(Bool), remove),
    changing(
        "java/util/Collection.addAll(Ljava/util/Collection;)Z",
        &[Ref, Ref],
        Some(Bool),
        add_all,
    ),
    changing("java/util/Collection.clear()V", &[Ref], None, clear),
    throwing("java/util/Collection.size()I", &[Ref], Int, size),
    throwing("java/util/Collection.isEmpty()Z", &[Ref], Bool, is_empty),
    throwing("java/util/Collection.contains(Ljava/lang/Object;)Z", &[Ref, Ref], Bool, contains),
    throwing(
        "java/util/Collection.containsAll(Ljava/util/Collection;)Z",
        &[Ref, Ref],
        Bool,
        |memory, args| {
            for item in elements(memory, args[1])? {
                if contains(memory, &[args[0], item])? == 0 {
                    return Ok(0);
                }
            }
            Ok(1)
        },
    ),
    throwing("java/util/Collection.toArray()[Ljava/lang/Object;", &[Ref], Ref, to_array),
    throwing(
        "java/util/Collection.toArray([Ljava/lang/Object;)[Ljava/lang/Object;",
        &[Ref, Ref],
        Ref,
        to_array,
    ),
];

/// A new empty set or map.
pub(super) fn table(memory: &mut Memory<'_>, map: Map, is_set: bool) -> Answer {
    memory.add(if is_set { Object::Set(map) } else { Object::Map(map) })
}
