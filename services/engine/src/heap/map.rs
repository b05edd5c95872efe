//! Java's maps. A `HashMap` keeps the order of its buckets: by hash, then by arrival, with its table doubled when it is three quarters full.
//!
//! A bucket that Java would turn into a tree is refused: the order in it is not certain.
use crate::memory::Memory;
use crate::reason::Reason;

/// The classes of maps, and of the sets that are made of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MapKind {
    Hash,
    Linked,
    Tree,
    /// What `Map.of` gives: in an order that differs from JVM to JVM, not to be changed.
    Immutable,
    /// Not to be changed, in the order of insertion.
    Unmodifiable,
    /// A frozen `HashMap`, in the order in which it was exported.
    Frozen,
}

const NONE: u32 = u32::MAX;
const FIRST_CAPACITY: usize = 16;
const LARGEST_CAPACITY: usize = 1 << 30;
/// The length of a bucket from which on Java makes a tree of it, or grows a small table.
const TREE_LENGTH: usize = 8;
const LEAST_TREE_CAPACITY: usize = 64;

#[derive(Debug, Clone, Copy)]
struct Node {
    hash: u32,
    key: u64,
    value: u64,
    /// The next of the bucket.
    next: u32,
    live: bool,
}

/// A map. Its keys' hash codes and equality come from outside, since they may be objects.
#[derive(Debug)]
pub(crate) struct Map {
    pub(crate) kind: MapKind,
    nodes: Vec<Node>,
    /// By bucket: its first node. Empty until something is put in.
    table: Vec<u32>,
    /// The capacity that the table gets.
    capacity: usize,
    /// Java's threshold before there is a table: the capacity that a constructor asked for, else 0.
    initial: usize,
    len: usize,
    /// How often keys were added or removed.
    pub(crate) changes: u64,
    /// Whether a hash code in it is not certain, and so the order.
    uncertain: bool,
}

/// A key with its hash code; `certain` where the code is the same in every JVM.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HashedKey {
    pub(crate) key: u64,
    pub(crate) hash: i32,
    pub(crate) certain: bool,
}

/// The capacity of Java's table for so many: a power of two.
fn capacity_for(count: usize) -> usize {
    count.clamp(1, LARGEST_CAPACITY).next_power_of_two()
}

impl Map {
    /// An empty map.
    pub(crate) fn new(kind: MapKind) -> Map {
        Map { initial: 0, ..Map::with_capacity(kind, FIRST_CAPACITY) }
    }

    /// An empty map with the initial capacity that a constructor was given.
    pub(crate) fn with_capacity(kind: MapKind, capacity: usize) -> Map {
        Map {
            kind,
            nodes: Vec::new(),
            table: Vec::new(),
            capacity: capacity_for(capacity),
            initial: capacity_for(capacity),
            len: 0,
            changes: 0,
            uncertain: false,
        }
    }

    /// Makes room as Java does before it copies another map into this.
    pub(crate) fn expect(&mut self, count: usize) {
        // Java's arithmetic is in float, and adds one.
        let room = (count as f32 / 0.75 + 1.0) as usize;
        if self.table.is_empty() {
            if count > 0 && room > self.initial {
                self.capacity = capacity_for(room);
            }
        } else {
            while count > self.threshold() && self.table.len() < LARGEST_CAPACITY {
                self.grow();
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    fn threshold(&self) -> usize {
        self.table.len() * 3 / 4
    }

    fn bucket(&self, hash: u32) -> usize {
        hash as usize & (self.table.len() - 1)
    }

    /// The node of a key; `equal` says whether a key of the same hash code is it.
    pub(crate) fn find(
        &self,
        key: &HashedKey,
        mut equal: impl FnMut(u64) -> Result<bool, Reason>,
    ) -> Result<Option<usize>, Reason> {
        if self.table.is_empty() {
            return Ok(None);
        }
        let hash = sluice_java::hash::spread(key.hash);
        let mut at = self.table[self.bucket(hash)];
        while at != NONE {
            let node = &self.nodes[at as usize];
            if node.hash == hash && equal(node.key)? {
                return Ok(Some(at as usize));
            }
            at = node.next;
        }
        Ok(None)
    }

    pub(crate) fn value(&self, node: usize) -> u64 {
        self.nodes[node].value
    }

    pub(crate) fn set_value(&mut self, node: usize, value: u64) {
        self.nodes[node].value = value;
    }

    /// Puts in a key that is not there.
    pub(crate) fn insert(&mut self, key: &HashedKey, value: u64) -> Result<(), Reason> {
        if self.table.is_empty() {
            self.table = vec![NONE; self.capacity];
        }
        let hash = sluice_java::hash::spread(key.hash);
        self.uncertain |= !key.certain;
        let node = self.nodes.len() as u32;
        self.nodes.push(Node { hash, key: key.key, value, next: NONE, live: true });
        let length = self.append(node);
        self.len += 1;
        self.changes += 1;
        if length > TREE_LENGTH && self.kind == MapKind::Hash {
            if self.table.len() >= LEAST_TREE_CAPACITY {
                return Err(Reason::Uncertain("the order of a bucket of a HashMap that is a tree"));
            }
            self.grow();
        }
        if self.len > self.threshold() && self.table.len() < LARGEST_CAPACITY {
            self.grow();
        }
        Ok(())
    }

    /// Adds a node to the end of its bucket; the length of that.
    fn append(&mut self, node: u32) -> usize {
        let bucket = self.bucket(self.nodes[node as usize].hash);
        let mut at = self.table[bucket];
        if at == NONE {
            self.table[bucket] = node;
            return 1;
        }
        let mut length = 2;
        while self.nodes[at as usize].next != NONE {
            at = self.nodes[at as usize].next;
            length += 1;
        }
        self.nodes[at as usize].next = node;
        length
    }

    fn grow(&mut self) {
        let old = std::mem::take(&mut self.table);
        self.table = vec![NONE; old.len() * 2];
        for first in old {
            let mut at = first;
            while at != NONE {
                let next = std::mem::replace(&mut self.nodes[at as usize].next, NONE);
                self.append(at);
                at = next;
            }
        }
    }

    /// Takes a node out.
    pub(crate) fn remove(&mut self, node: usize) -> u64 {
        let wanted = node as u32;
        let bucket = self.bucket(self.nodes[node].hash);
        let next = self.nodes[node].next;
        if self.table[bucket] == wanted {
            self.table[bucket] = next;
        } else {
            let mut at = self.table[bucket];
            while at != NONE && self.nodes[at as usize].next != wanted {
                at = self.nodes[at as usize].next;
            }
            if at != NONE {
                self.nodes[at as usize].next = next;
            }
        }
        self.nodes[node].live = false;
        self.len -= 1;
        self.changes += 1;
        self.nodes[node].value
    }

    /// Takes everything out.
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.table.fill(NONE);
        self.len = 0;
        self.changes += 1;
    }

    /// The entries, in an order that means nothing.
    pub(crate) fn entries_in_any_order(&self) -> Vec<(u64, u64)> {
        let live = self.nodes.iter().filter(|node| node.live);
        live.map(|node| (node.key, node.value)).collect()
    }

    /// The entries in the order of iteration.
    pub(crate) fn entries(&self) -> Result<Vec<(u64, u64)>, Reason> {
        let mut entries = Vec::with_capacity(self.len);
        let in_order = matches!(
            self.kind,
            MapKind::Linked | MapKind::Unmodifiable | MapKind::Frozen | MapKind::Tree
        );
        if self.len > 1 && !in_order && (self.uncertain || self.kind == MapKind::Immutable) {
            return Err(Reason::Uncertain(
                "the order of a hash table, which differs from JVM to JVM",
            ));
        }
        if self.kind == MapKind::Hash {
            for first in &self.table {
                let mut at = *first;
                while at != NONE {
                    let node = &self.nodes[at as usize];
                    entries.push((node.key, node.value));
                    at = node.next;
                }
            }
        } else {
            let live = self.nodes.iter().filter(|node| node.live);
            entries.extend(live.map(|node| (node.key, node.value)));
        }
        Ok(entries)
    }
}

impl Memory<'_> {
    /// The entries of a map in the order of its iteration; of a `TreeMap` in that of its keys.
    pub(crate) fn entries(&self, map: &Map) -> Result<Vec<(u64, u64)>, Reason> {
        let mut entries = map.entries()?;
        if map.kind == MapKind::Tree {
            let mut failed = None;
            entries.sort_by(|a, b| {
                self.compare(a.0, b.0).unwrap_or_else(|reason| {
                    failed = Some(reason);
                    std::cmp::Ordering::Equal
                })
            });
            if let Some(reason) = failed {
                return Err(reason);
            }
        }
        Ok(entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(map: &mut Map, hash: i32) {
        let key = HashedKey { key: hash as u32 as u64, hash, certain: true };
        let found = map.find(&key, |other| Ok(other == key.key)).unwrap();
        match found {
            Some(node) => map.set_value(node, 1),
            None => map.insert(&key, 0).unwrap(),
        }
    }

    fn keys(map: &Map) -> Vec<i32> {
        map.entries().unwrap().iter().map(|(key, _)| *key as i32).collect()
    }

    #[test]
    fn order_is_by_bucket_and_then_by_arrival() {
        let mut map = Map::new(MapKind::Hash);
        for hash in [33, 17, 1, 2, 16, 1] {
            put(&mut map, hash);
        }
        assert_eq!(keys(&map), [16, 33, 17, 1, 2]);
        for hash in 100..110 {
            put(&mut map, hash);
        }
        // The table has 32 buckets now.
        assert_eq!(&keys(&map)[..4], [33, 1, 2, 100]);
    }

    #[test]
    fn a_tree_is_refused() {
        let mut map = Map::new(MapKind::Hash);
        let mut put = |i: i32| {
            let key = HashedKey { key: i as u64, hash: i << 12, certain: true };
            map.insert(&key, 0)
        };
        let failed = (0..64).find_map(|i| put(i).err());
        assert!(failed.is_none() || matches!(failed, Some(Reason::Uncertain(_))));
        let mut map = Map::new(MapKind::Hash);
        let same = |i: u64| HashedKey { key: i, hash: 5, certain: true };
        let failed = (0..64).find_map(|i| map.insert(&same(i), 0).err());
        assert!(matches!(failed, Some(Reason::Uncertain(_))));
    }

    #[test]
    fn removing_keeps_the_others() {
        for kind in [MapKind::Hash, MapKind::Linked] {
            let mut map = Map::new(kind);
            for hash in [1, 17, 33, 2] {
                put(&mut map, hash);
            }
            let key = HashedKey { key: 17, hash: 17, certain: true };
            let node = map.find(&key, |other| Ok(other == 17)).unwrap().unwrap();
            map.remove(node);
            assert_eq!(keys(&map), [1, 33, 2]);
            assert_eq!(map.len(), 3);
        }
    }
}
