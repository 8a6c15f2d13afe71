//! The hash of everything that happened, equal natively, in Node and in a browser.
//!
//! Values are hashed by `std::hash::Hash`, which is derived; this hasher makes it portable: every
//! integer goes in as little-endian, and `usize` always as 64 bits (lengths and enum
//! discriminants are `usize` or `isize`, which are narrower on wasm32).

use std::hash::{Hash, Hasher};

use crate::scope;

const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;

/// What so many zero bytes do to the hash: nothing is mixed in, and it is multiplied as often.
const ZEROS: [u64; 9] = {
    let mut powers = [1_u64; 9];
    let mut count = 1;
    while count < 9 {
        powers[count] = powers[count - 1].wrapping_mul(FNV_PRIME);
        count += 1;
    }
    powers
};

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

    /// Takes a number in, its bytes little-endian. Most numbers are small: their upper bytes are zero.
    fn number(&mut self, number: u64, mut bytes: usize) {
        let mut rest = number;
        while rest != 0 && bytes > 0 {
            self.0 = (self.0 ^ (rest & 0xff)).wrapping_mul(FNV_PRIME);
            rest >>= 8;
            bytes -= 1;
        }
        self.0 = self.0.wrapping_mul(ZEROS[bytes]);
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
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(FNV_PRIME);
        }
    }

    fn write_u16(&mut self, x: u16) {
        self.number(x.into(), 2);
    }

    fn write_u32(&mut self, x: u32) {
        self.number(x.into(), 4);
    }

    fn write_u64(&mut self, x: u64) {
        self.number(x, 8);
    }

    fn write_u128(&mut self, x: u128) {
        self.write(&x.to_le_bytes());
    }

    fn write_usize(&mut self, x: usize) {
        self.write_u64(x as u64);
    }

    fn write_i32(&mut self, x: i32) {
        self.number(x.cast_unsigned().into(), 4);
    }

    fn write_i64(&mut self, x: i64) {
        self.number(x.cast_unsigned(), 8);
    }

    fn write_isize(&mut self, x: isize) {
        self.write_i64(x as i64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// A number is as good as its bytes, little-endian; the hash of bytes is the published one.
    #[test]
    fn numbers_are_their_bytes() {
        let hash_of = |bytes: &[u8]| {
            let mut hash = TraceHash::default();
            hash.write(bytes);
            hash.value()
        };
        assert_eq!(hash_of(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(hash_of(b"foobar"), 0x8594_4171_f739_67e8);
        for number in [0, 1, 255, 256, 0x00ff_0000, 0x1200_0000_0034, i64::MAX, -1, -256, i64::MIN]
        {
            let mut hash = TraceHash::default();
            hash.write_i64(number);
            hash.write_u64(number.cast_unsigned());
            hash.write_i32(number as i32);
            hash.write_u32(number as u32);
            hash.write_u16(number as u16);
            hash.write_isize(number as isize);
            let mut bytes = Vec::new();
            bytes.extend([number.to_le_bytes(), number.to_le_bytes()].concat());
            bytes.extend([(number as i32).to_le_bytes(), (number as i32).to_le_bytes()].concat());
            bytes.extend((number as u16).to_le_bytes());
            bytes.extend((number as isize as i64).to_le_bytes());
            assert_eq!(hash.value(), hash_of(&bytes), "{number}");
        }
    }
}
