//! The hash of everything that happened, equal natively, in Node and in a browser.
//!
//! Values are hashed by `std::hash::Hash`, which is derived; this hasher makes it portable: every
//! integer goes in as little-endian, and `usize` always as 64 bits (lengths and enum
//! discriminants are `usize` or `isize`, which are narrower on wasm32).

use std::hash::{Hash, Hasher};

use crate::scope;

/// FNV-1a over 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceHash(u64);

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

    /// The hash so far.
    #[must_use]
    pub fn value(self) -> u64 {
        self.0
    }
}

impl Hasher for TraceHash {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn write_u16(&mut self, x: u16) {
        self.write(&x.to_le_bytes());
    }

    fn write_u32(&mut self, x: u32) {
        self.write(&x.to_le_bytes());
    }

    fn write_u64(&mut self, x: u64) {
        self.write(&x.to_le_bytes());
    }

    fn write_u128(&mut self, x: u128) {
        self.write(&x.to_le_bytes());
    }

    fn write_usize(&mut self, x: usize) {
        self.write_u64(x as u64);
    }

    fn write_i32(&mut self, x: i32) {
        self.write(&x.to_le_bytes());
    }

    fn write_i64(&mut self, x: i64) {
        self.write(&x.to_le_bytes());
    }

    fn write_isize(&mut self, x: isize) {
        self.write_i64(x as i64);
    }
}
