//! What a question or a card is known by: a hash of what was asked and of what is right.
//!
//! FNV-1a with 64 bits, over the author's words with every run of blanks as one. Feedback, hints, the explanation
//! and the order of options do not count: whoever mends those asks nobody again.

/// A hash under way.
#[derive(Clone, Copy, Debug)]
pub struct Hash(u64);

impl Default for Hash {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hash {
    fn byte(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }

    /// Takes in a text, and its end, so that `ab`, `c` is not `a`, `bc`.
    pub fn text(&mut self, text: &str) {
        let mut first = true;
        for word in text.split_whitespace() {
            if !first {
                self.byte(b' ');
            }
            first = false;
            word.bytes().for_each(|byte| self.byte(byte));
        }
        self.byte(0xff);
    }

    /// Takes in a number.
    pub fn number(&mut self, number: u64) {
        number.to_le_bytes().into_iter().for_each(|byte| self.byte(byte));
    }

    /// The hash.
    #[must_use]
    pub fn end(self) -> u64 {
        self.0
    }
}

/// As sixteen digits, in which form it is kept.
#[must_use]
pub fn hex(hash: u64) -> String {
    let digit = |place: u32| b"0123456789abcdef"[(hash >> (place * 4)) as usize & 15];
    (0..16).rev().map(|place| char::from(digit(place))).collect()
}

/// The hash that sixteen digits say.
#[must_use]
pub fn from_hex(text: &str) -> Option<u64> {
    let fits = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if fits { u64::from_str_radix(text, 16).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_fnv_1a_and_goes_through_text() {
        let mut hash = Hash::default();
        b"foobar".iter().for_each(|byte| hash.byte(*byte));
        assert_eq!(hash.end(), 0x8594_4171_f739_67e8, "the published vector");
        for value in [0, 1, u64::MAX, 0x0123_4567_89ab_cdef] {
            assert_eq!(from_hex(&hex(value)), Some(value));
        }
        for bad in ["", "1", "zzzzzzzzzzzzzzzz", "+123456789abcdef", "00000000000000000"] {
            assert_eq!(from_hex(bad), None, "{bad}");
        }
    }

    #[test]
    fn blanks_do_not_count_and_borders_do() {
        let of = |texts: &[&str]| {
            let mut hash = Hash::default();
            texts.iter().for_each(|text| hash.text(text));
            hash.end()
        };
        assert_eq!(of(&["a  b\n"]), of(&["a b"]));
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
    }
}
