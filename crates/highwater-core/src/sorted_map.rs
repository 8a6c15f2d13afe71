//! A map as a sorted vector, and a sort: small code on the page, where each further type of a
//! `BTreeMap` or of a stable sort costs kilobytes. Maps here hold tens to thousands of keys.

use std::cell::Cell;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use crate::scope::Always;

/// A map in the order of its keys.
#[derive(Clone, Debug)]
pub struct SortedMap<K, V> {
    entries: Vec<(K, V)>,
    /// Where a key was found last: most often the same one is asked for next. The maps of a page about
    /// one broker are so small that they do without.
    found: Always<Cell<u32>>,
}

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        Self { entries: Vec::new(), found: Always::of(Cell::default) }
    }
}

impl<K: PartialEq, V: PartialEq> PartialEq for SortedMap<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

impl<K: Eq, V: Eq> Eq for SortedMap<K, V> {}

impl<K: Hash, V: Hash> Hash for SortedMap<K, V> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.entries.hash(state);
    }
}

impl<K: Ord, V> SortedMap<K, V> {
    /// An empty map.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn place(&self, key: &K) -> Result<usize, usize> {
        let Some(found) = self.found.get() else { return self.search(key) };
        let last = found.get() as usize;
        if self.entries.get(last).is_some_and(|(known, _)| known == key) {
            return Ok(last);
        }
        let place = self.search(key);
        if let Ok(place) = place {
            found.set(u32::try_from(place).unwrap_or(u32::MAX));
        }
        place
    }

    fn search(&self, key: &K) -> Result<usize, usize> {
        search(self.entries.len(), &|index| self.entries[index].0.cmp(key))
    }

    /// The value of a key.
    #[must_use]
    pub fn get(&self, key: &K) -> Option<&V> {
        let place = self.place(key).ok()?;
        self.entries.get(place).map(|(_, value)| value)
    }

    /// The value of a key, to be changed.
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        let place = self.place(key).ok()?;
        self.entries.get_mut(place).map(|(_, value)| value)
    }

    /// Whether the key is there.
    #[must_use]
    pub fn contains_key(&self, key: &K) -> bool {
        self.place(key).is_ok()
    }

    /// Puts a value in place, also of one that was there.
    pub fn insert(&mut self, key: K, value: V) {
        match self.place(&key) {
            Ok(place) => self.entries[place].1 = value,
            Err(place) => self.entries.insert(place, (key, value)),
        }
    }

    /// The value of a key, which is put in place first if there is none.
    pub fn get_or_insert_with(&mut self, key: K, value: impl FnOnce() -> V) -> &mut V {
        let place = match self.place(&key) {
            Ok(place) => place,
            Err(place) => {
                self.entries.insert(place, (key, value()));
                place
            }
        };
        &mut self.entries[place].1
    }

    /// Takes a key out.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        let place = self.place(key).ok()?;
        Some(self.entries.remove(place).1)
    }

    /// Keys and values, in the order of the keys.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&K, &V)> + ExactSizeIterator {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    /// The keys, in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + ExactSizeIterator {
        self.entries.iter().map(|(key, _)| key)
    }

    /// The values, in the order of their keys.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> {
        self.entries.iter().map(|(_, value)| value)
    }

    /// The values, to be changed.
    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut V> {
        self.entries.iter_mut().map(|(_, value)| value)
    }

    /// Keys and values, the values to be changed, in the order of the keys.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (&K, &mut V)> {
        self.entries.iter_mut().map(|(key, value)| (&*key, value))
    }

    /// Keeps what fits.
    pub fn retain(&mut self, mut fits: impl FnMut(&K, &mut V) -> bool) {
        self.entries.retain_mut(|(key, value)| fits(key, value));
    }

    /// How many keys there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no key.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// A binary search that is on a page once, not once for every type: `compare` says how the item with
/// that number compares with what is wanted.
fn search(len: usize, compare: &dyn Fn(usize) -> Ordering) -> Result<usize, usize> {
    let (mut low, mut high) = (0, len);
    while low < high {
        let middle = low.midpoint(high);
        match compare(middle) {
            Ordering::Less => low = middle + 1,
            Ordering::Greater => high = middle,
            Ordering::Equal => return Ok(middle),
        }
    }
    Err(low)
}

impl<K, V> IntoIterator for SortedMap<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for SortedMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::new();
        for (key, value) in entries {
            map.insert(key, value);
        }
        map
    }
}

/// Sorts by a key; equal keys keep their order. Each item is put into its place among those before
/// it, so this is for hundreds of items, not for millions.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    for end in 1..items.len() {
        let wanted = key(&items[end]);
        let place = items[..end].partition_point(|item| key(item) <= wanted);
        items[place..=end].rotate_right(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// Whatever is done to it, it holds what a `BTreeMap` holds.
    #[test]
    fn it_is_a_map() {
        let mut map = SortedMap::new();
        let mut model = BTreeMap::new();
        for n in 0..2_000u64 {
            let key = crate::draw::draw(1, crate::draw::Purpose::Placement, 1, n) % 50;
            match n % 4 {
                0 => assert_eq!(map.remove(&key), model.remove(&key)),
                1 => {
                    *map.get_or_insert_with(key, || n) += 1;
                    *model.entry(key).or_insert(n) += 1;
                }
                _ => {
                    map.insert(key, n);
                    model.insert(key, n);
                }
            }
            assert!(map.iter().eq(model.iter()));
            assert_eq!(map.get(&key), model.get(&key));
        }
    }

    /// The sort is stable.
    #[test]
    fn equal_keys_keep_their_order() {
        let mut items: Vec<(u64, u64)> = (0..500)
            .map(|n| (crate::draw::draw(1, crate::draw::Purpose::Placement, 2, n) % 9, n))
            .collect();
        let mut model = items.clone();
        model.sort_by_key(|item| item.0);
        sort_by_key(&mut items, |item| item.0);
        assert_eq!(items, model);
    }
}
