//! java.util.Iterator.
use super::LibTy::{Bool, Ref};
use super::lists::{class_cast, elements, no_such_element, resized, unsupported};
use super::{Method, changing, throwing};
use crate::heap::{Iterator, ListKind, NULL, Object, View};
use crate::memory::Memory;
use crate::reason::Reason;

type Answer = Result<u64, Reason>;

pub(super) static METHODS: &[Method] = &[
    throwing("java/lang/Iterable.iterator()Ljava/util/Iterator;", &[Ref], Ref, iterator),
    throwing("java/util/Iterator.hasNext()Z", &[Ref], Bool, has_next),
    changing("java/util/Iterator.next()Ljava/lang/Object;", &[Ref], Some(Ref), next),
    changing("java/util/Iterator.remove()V", &[Ref], None, remove_last),
];

/// How often a collection was changed.
fn changes(memory: &Memory<'_>, slot: u64) -> u64 {
    match memory.object(slot) {
        Ok(Some(Object::List(_, items))) => items.changes,
        Ok(Some(Object::Set(map) | Object::Map(map))) => map.changes,
        Ok(Some(Object::View(_, map))) => match memory.object(*map) {
            Ok(Some(Object::Map(map))) => map.changes,
            _ => 0,
        },
        _ => 0,
    }
}

fn iterator(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let items = match memory.object(args[0])? {
        Some(Object::List(..)) => Vec::new(),
        _ => elements(memory, args[0])?,
    };
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
        Some(Object::Iterator(iterator)) => {
            Ok(u64::from(match memory.object(iterator.of)? {
                Some(Object::List(ListKind::Deque, items)) => {
                    check(memory, iterator.of, iterator.changes)?;
                    iterator.next < items.len()
                }
                // These end when they have shown as many as there are.
                Some(Object::List(ListKind::Linked, items)) => iterator.next < items.len(),
                Some(Object::List(_, items)) => iterator.next != items.len(),
                _ => iterator.next < iterator.items.len(),
            }))
        }
        _ => Err(class_cast()),
    }
}

fn next(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let (of, at, seen) = match memory.object(args[0])? {
        Some(Object::Iterator(iterator)) => (iterator.of, iterator.next, iterator.changes),
        _ => return Err(class_cast()),
    };
    check(memory, of, seen)?;
    // A list shows what it holds by now.
    let listed = match memory.object(of)? {
        Some(Object::List(_, items)) => Some(items.get(at).copied()),
        _ => None,
    };
    let Some(Object::Iterator(iterator)) = memory.object_mut(args[0])? else {
        return Err(class_cast());
    };
    match listed.unwrap_or_else(|| iterator.items.get(at).copied()) {
        Some(item) => {
            iterator.next += 1;
            iterator.removable = true;
            Ok(item)
        }
        None => Err(no_such_element()),
    }
}

/// What an iterator does that sees a change that is not its own.
fn check(memory: &Memory<'_>, of: u64, seen: u64) -> Result<(), Reason> {
    if changes(memory, of) == seen {
        return Ok(());
    }
    Err(match memory.object(of)? {
        Some(Object::List(ListKind::Deque, _)) => {
            Reason::Uncertain("a deque that changed while it was iterated over")
        }
        _ => Reason::exception("java/util/ConcurrentModificationException", None),
    })
}

fn remove_last(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let Some(Object::Iterator(iterator)) = memory.object_mut(args[0])? else {
        return Err(class_cast());
    };
    if !std::mem::replace(&mut iterator.removable, false) {
        return Err(Reason::exception("java/lang/IllegalStateException", None));
    }
    let (of, seen) = (iterator.of, iterator.changes);
    let at = iterator.next - 1;
    let item = iterator.items.get(at).copied();
    check(memory, of, seen)?;
    if let Some(Object::Iterator(iterator)) = memory.object_mut(args[0])? {
        iterator.next = at;
        if item.is_some() {
            iterator.items.remove(at);
        }
    }
    let item = item.unwrap_or(NULL);
    match memory.object(of)? {
        Some(Object::List(..)) => {
            resized(memory, of)?.remove(at);
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
