//! Which is the newest offset of a key? The cleaner's map (Kafka's `SkimpyOffsetMap`): a hash table
//! with open addressing, whose order nobody sees.

use std::hash::Hasher;

use crate::ids::Offset;
use crate::trace::TraceHash;

const FREE: u32 = u32::MAX;

/// Keys of a log's dirty part, each with the offset of its newest record.
#[derive(Debug)]
pub(super) struct OffsetMap<'a> {
    /// Numbers of entries; at least twice as many as there are entries.
    slots: Vec<u32>,
    entries: Vec<(&'a [u8], Offset)>,
}

impl<'a> OffsetMap<'a> {
    /// A map for at most so many keys.
    pub(super) fn with_room_for(keys: u64) -> Self {
        let keys = usize::try_from(keys).unwrap_or(usize::MAX).min(usize::MAX / 4);
        Self { slots: vec![FREE; (keys * 2 + 2).next_power_of_two()], entries: Vec::new() }
    }

    /// Notes a record; records come in the order of their offsets.
    pub(super) fn put(&mut self, key: &'a [u8], offset: Offset) {
        let slot = self.slot(key);
        if let Some(entry) = self.entries.get_mut(self.slots[slot] as usize) {
            entry.1 = offset;
        } else if self.entries.len() * 2 < self.slots.len() {
            self.slots[slot] = u32::try_from(self.entries.len()).unwrap_or(FREE);
            self.entries.push((key, offset));
        }
    }

    /// The offset of the newest record with this key.
    pub(super) fn get(&self, key: &[u8]) -> Option<Offset> {
        let number = self.slots[self.slot(key)] as usize;
        self.entries.get(number).map(|(_, offset)| *offset)
    }

    /// The slot of a key, or the free one where it belongs. One is always free.
    fn slot(&self, key: &[u8]) -> usize {
        let mut hash = TraceHash::default();
        hash.write(key);
        let mask = self.slots.len() - 1;
        let mut slot = usize::try_from(hash.value() & mask as u64).unwrap_or(0);
        while self.entries.get(self.slots[slot] as usize).is_some_and(|(known, _)| *known != key) {
            slot = (slot + 1) & mask;
        }
        slot
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// It holds what a `BTreeMap` holds, also when it is full.
    #[test]
    fn it_is_a_map() {
        let keys: Vec<Vec<u8>> = (0..300u32).map(|n| n.to_le_bytes()[..2].to_vec()).collect();
        let mut map = OffsetMap::with_room_for(300);
        let mut model = BTreeMap::new();
        for n in 0..2_000u64 {
            let chosen = crate::draw::draw(1, crate::draw::Purpose::Placement, 3, n) % 300;
            let key = &keys[usize::try_from(chosen).unwrap()];
            let offset = Offset(i64::try_from(n).unwrap());
            map.put(key, offset);
            model.insert(key, offset);
        }
        for key in &keys {
            assert_eq!(map.get(key), model.get(key).copied());
        }
        assert_eq!(map.get(b""), None);
        assert_eq!(OffsetMap::with_room_for(0).get(b"x"), None);
    }
}
