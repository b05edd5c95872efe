//! java.util.Iterator.
use super::LibTy::{Bool, Ref};
use super::lists::{class_cast, elements, list_mut, no_such_element, unsupported};
use super::{Method, changing, throwing};
use crate::heap::{Iterator, Object, View};
use crate::memory::Memory;
use crate::reason::Reason;

type Answer = Result<u64, Reason>;

pub(super) static METHODS: &[Method] = &[
    throwing("java/lang/Iterable.iterator()Ljava/util/Iterator;", &[Ref], Ref, iterator),
    throwing("java/util/Iterator.hasNext()Z", &[Ref], Bool, has_next),
    changing("java/util/Iterator.next()Ljava/lang/Object;", &[Ref], Some(Ref), next),
    changing("java/util/Iterator.remove()V", &[Ref], None, remove_last),
];

/// How often a collection was changed; of a list how long it is.
fn changes(memory: &Memory<'_>, slot: u64) -> u64 {
    match memory.object(slot) {
        Ok(Some(Object::List(_, items))) => items.len() as u64,
        Ok(Some(Object::Set(map) | Object::Map(map))) => map.changes,
        Ok(Some(Object::View(_, map))) => match memory.object(*map) {
            Ok(Some(Object::Map(map))) => map.changes,
            _ => 0,
        },
        _ => 0,
    }
}

fn iterator(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let items = elements(memory, args[0])?;
    memory.charge(items.len())?;
    let changes = changes(memory, args[0]);
    memory.add(Object::Iterator(Iterator {
        of: args[0],
        items,
        next: 0,
        changes,
        removable: false,
    }))
}

fn has_next(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    match memory.object(args[0])? {
        Some(Object::Iterator(iterator)) => Ok(u64::from(iterator.next < iterator.items.len())),
        _ => Err(class_cast()),
    }
}

fn next(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let (of, seen) = match memory.object(args[0])? {
        Some(Object::Iterator(iterator)) => (iterator.of, iterator.changes),
        _ => return Err(class_cast()),
    };
    let changed = changes(memory, of) != seen;
    let Some(Object::Iterator(iterator)) = memory.object_mut(args[0])? else {
        return Err(class_cast());
    };
    if changed {
        return Err(Reason::exception("java/util/ConcurrentModificationException", None));
    }
    match iterator.items.get(iterator.next) {
        Some(item) => {
            iterator.next += 1;
            iterator.removable = true;
            Ok(*item)
        }
        None => Err(no_such_element()),
    }
}

fn remove_last(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let Some(Object::Iterator(iterator)) = memory.object_mut(args[0])? else {
        return Err(class_cast());
    };
    if !std::mem::replace(&mut iterator.removable, false) {
        return Err(Reason::exception("java/lang/IllegalStateException", None));
    }
    iterator.next -= 1;
    let (at, of) = (iterator.next, iterator.of);
    let item = iterator.items.remove(at);
    match memory.object(of)? {
        Some(Object::List(..)) => {
            list_mut(memory, of, true)?.remove(at);
        }
        Some(Object::Set(_)) => {
            super::maps::remove_key(memory, of, item)?;
        }
        Some(Object::View(view, map)) => {
            let (view, map) = (*view, *map);
            let key = match (view, memory.object(item)) {
                (View::Keys, _) => item,
                (View::Entries, Ok(Some(Object::Entry { key, .. }))) => *key,
                _ => return Err(Reason::Uncertain("removing a value of a map by its iterator")),
            };
            super::maps::remove_key(memory, map, key)?;
        }
        _ => return Err(unsupported()),
    }
    let changes = changes(memory, of);
    if let Some(Object::Iterator(iterator)) = memory.object_mut(args[0])? {
        iterator.changes = changes;
    }
    Ok(0)
}
