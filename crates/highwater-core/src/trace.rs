//! The hash of everything that happened, equal natively, in Node and in a browser.
//!
//! Values are hashed by `std::hash::Hash`, which is derived; this hasher makes it portable: every
//! integer goes in as little-endian, and `usize` always as 64 bits (lengths and enum
//! discriminants are `usize` or `isize`, which are narrower on wasm32).

use std::hash::{Hash, Hasher};

use crate::scope;

/// Each word is mixed in by one multiplication: a hash that is compared, not one that keeps secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceHash(u64);

/// Odd, so that a multiplication loses nothing; 2^64 divided by the golden ratio.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

impl Default for TraceHash {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl TraceHash {
    /// Takes one more thing in, if this build compares runs.
    pub fn add(&mut self, what: &impl Hash) {
        if scope::TRACE {
            what.hash(self);
        }
    }

    /// The hash so far: its low bits depend on all bits that went in.
    #[must_use]
    pub fn value(self) -> u64 {
        let folded = (self.0 ^ (self.0 >> 32)).wrapping_mul(FACTOR);
        folded ^ (folded >> 29)
    }

    /// For every word before it this is one to one, and for every word after it, too: one difference
    /// alone is never lost. The turn brings high bits down to where the next multiplication spreads
    /// them.
    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(26) ^ word).wrapping_mul(FACTOR);
    }
}

impl Hasher for TraceHash {
    fn finish(&self) -> u64 {
        self.value()
    }

    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.mix(u64::from_le_bytes(*word));
        }
        if !rest.is_empty() {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            self.mix(u64::from_le_bytes(last));
        }
    }

    fn write_u8(&mut self, x: u8) {
        self.mix(u64::from(x));
    }

    fn write_u16(&mut self, x: u16) {
        self.mix(u64::from(x));
    }

    fn write_u32(&mut self, x: u32) {
        self.mix(u64::from(x));
    }

    fn write_u64(&mut self, x: u64) {
        self.mix(x);
    }

    fn write_u128(&mut self, x: u128) {
        self.write(&x.to_le_bytes());
    }

    fn write_usize(&mut self, x: usize) {
        self.mix(x as u64);
    }

    fn write_i32(&mut self, x: i32) {
        self.mix(i64::from(x).cast_unsigned());
    }

    fn write_i64(&mut self, x: i64) {
        self.mix(x.cast_unsigned());
    }

    fn write_isize(&mut self, x: isize) {
        self.mix((x as i64).cast_unsigned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn hash(what: impl Hash) -> u64 {
        let mut hash = TraceHash::default();
        hash.add(&what);
        hash.value()
    }

    /// One bit more or less, another order, another length: another hash; also in its low bits, which
    /// the cleaner's map looks at.
    #[test]
    fn differences_are_seen() {
        let text = b"parcel-events-7 locker-12 DOOR_JAMMED".to_vec();
        let mut seen = BTreeSet::from([hash(&text)]);
        let mut low = BTreeSet::new();
        for bit in 0..8 * text.len() {
            let mut other = text.clone();
            other[bit / 8] ^= 1 << (bit % 8);
            seen.insert(hash(&other));
            low.insert(hash(&other) & 0xffff);
        }
        for length in 0..text.len() {
            seen.insert(hash(&text[..length]));
        }
        assert_eq!(seen.len(), 1 + 9 * text.len());
        assert!(low.len() > 290, "only {} of 296", low.len());
        assert_ne!(hash((1u64, 2u64)), hash((2u64, 1u64)));
        assert_ne!(hash(-1i32), hash(1i32));
        assert_ne!(hash(["ab", "c"]), hash(["a", "bc"]));
    }

    /// The widths of the machine do not matter: these are the numbers on every machine.
    #[test]
    fn it_is_the_same_everywhere() {
        assert_eq!(hash((7usize, -7isize, Some(3u8))), hash((7u64, -7i64, Some(3u8))));
        assert_eq!(hash("locker-7"), EXPECTED, "it is {:#018x}", hash("locker-7"));
    }

    const EXPECTED: u64 = 0;
}
