//! java.util.Deque: the two ends of a list.
use super::LibTy::{Bool, Ref};
use super::lists::{add, add_at, list, list_mut, no_such_element};
use super::{Method, changing, throwing};
use crate::heap::NULL;
use crate::memory::Memory;
use crate::reason::Reason;

type Answer = Result<u64, Reason>;

pub(super) static METHODS: &[Method] = &[
    changing("java/util/Deque.addFirst(Ljava/lang/Object;)V", &[Ref, Ref], None, add_first),
    changing("java/util/Deque.push(Ljava/lang/Object;)V", &[Ref, Ref], None, add_first),
    changing("java/util/Deque.addLast(Ljava/lang/Object;)V", &[Ref, Ref], None, add),
    changing("java/util/Deque.offer(Ljava/lang/Object;)Z", &[Ref, Ref], Some(Bool), add),
    throwing("java/util/Deque.getFirst()Ljava/lang/Object;", &[Ref], Ref, |memory, args| {
        end(memory, args[0], false, false, true)
    }),
    throwing("java/util/Deque.getLast()Ljava/lang/Object;", &[Ref], Ref, |memory, args| {
        end(memory, args[0], true, false, true)
    }),
    throwing("java/util/Deque.peek()Ljava/lang/Object;", &[Ref], Ref, |memory, args| {
        end(memory, args[0], false, false, false)
    }),
    throwing("java/util/Deque.peekFirst()Ljava/lang/Object;", &[Ref], Ref, |memory, args| {
        end(memory, args[0], false, false, false)
    }),
    throwing("java/util/Deque.peekLast()Ljava/lang/Object;", &[Ref], Ref, |memory, args| {
        end(memory, args[0], true, false, false)
    }),
    changing("java/util/Deque.poll()Ljava/lang/Object;", &[Ref], Some(Ref), |memory, args| {
        end(memory, args[0], false, true, false)
    }),
    changing("java/util/Deque.pollFirst()Ljava/lang/Object;", &[Ref], Some(Ref), |memory, args| {
        end(memory, args[0], false, true, false)
    }),
    changing("java/util/Deque.pollLast()Ljava/lang/Object;", &[Ref], Some(Ref), |memory, args| {
        end(memory, args[0], true, true, false)
    }),
    changing("java/util/Deque.pop()Ljava/lang/Object;", &[Ref], Some(Ref), |memory, args| {
        end(memory, args[0], false, true, true)
    }),
    changing(
        "java/util/Deque.removeFirst()Ljava/lang/Object;",
        &[Ref],
        Some(Ref),
        |memory, args| end(memory, args[0], false, true, true),
    ),
    changing(
        "java/util/Deque.removeLast()Ljava/lang/Object;",
        &[Ref],
        Some(Ref),
        |memory, args| end(memory, args[0], true, true, true),
    ),
];

/// The first or last of a deque; null, or an exception, where there is none.
fn end(memory: &mut Memory<'_>, slot: u64, last: bool, remove: bool, strict: bool) -> Answer {
    if !remove {
        let items = list(memory, slot)?.1;
        return match if last { items.last() } else { items.first() } {
            Some(item) => Ok(*item),
            None if strict => Err(no_such_element()),
            None => Ok(NULL),
        };
    }
    let items = list_mut(memory, slot, true)?;
    items.changes += u64::from(!items.is_empty());
    match (items.is_empty(), last) {
        (true, _) if strict => Err(no_such_element()),
        (true, _) => Ok(NULL),
        (false, true) => Ok(items.pop().unwrap_or(NULL)),
        (false, false) => Ok(items.remove(0)),
    }
}

fn add_first(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    add_at(memory, &[args[0], 0, args[1]])?;
    Ok(1)
}
