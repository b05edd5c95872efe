//! java.util.Collections.
use super::LibTy::Ref;
use super::lists::{elements, list_mut, no_such_element, sort};
use super::{Method, changing, pure, throwing};
use crate::heap::ListKind;
use crate::memory::Memory;
use crate::reason::Reason;

type Answer = Result<u64, Reason>;

pub(super) static METHODS: &[Method] = &[
    pure("java/util/Collections.emptyList()Ljava/util/List;", &[], Ref, |memory, _| {
        memory.new_list(ListKind::Unmodifiable, &[])
    }),
    pure(
        "java/util/Collections.singletonList(Ljava/lang/Object;)Ljava/util/List;",
        &[Ref],
        Ref,
        |memory, args| memory.new_list(ListKind::Unmodifiable, args),
    ),
    changing("java/util/Collections.reverse(Ljava/util/List;)V", &[Ref], None, reverse),
    changing("java/util/Collections.sort(Ljava/util/List;)V", &[Ref], None, sort),
    throwing(
        "java/util/Collections.max(Ljava/util/Collection;)Ljava/lang/Object;",
        &[Ref],
        Ref,
        |memory, args| extreme(memory, args[0], true),
    ),
    throwing(
        "java/util/Collections.min(Ljava/util/Collection;)Ljava/lang/Object;",
        &[Ref],
        Ref,
        |memory, args| extreme(memory, args[0], false),
    ),
];

fn reverse(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let items = list_mut(memory, args[0], false)?;
    items.reverse();
    let count = items.len();
    memory.work(count * 8);
    Ok(0)
}

/// The least or greatest element.
fn extreme(memory: &mut Memory<'_>, slot: u64, greatest: bool) -> Answer {
    let items = elements(memory, slot)?;
    let mut items = items.into_iter();
    let mut best = items.next().ok_or_else(no_such_element)?;
    for item in items {
        let order = memory.compare(item, best)?;
        if if greatest { order.is_gt() } else { order.is_lt() } {
            best = item;
        }
    }
    Ok(best)
}
