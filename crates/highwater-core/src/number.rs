//! Numbers and lists as text. Each is one function for the whole page, where the standard library
//! would be compiled once for each type.

/// A whole number, as Java's `Long.parseLong` takes it.
#[must_use]
pub fn signed(text: &str) -> Option<i64> {
    text.parse().ok()
}

/// A whole number from 0 on.
#[must_use]
pub fn unsigned(text: &str) -> Option<u64> {
    text.parse().ok()
}

/// A whole number, as Java's `Integer.parseInt` takes it.
#[must_use]
pub fn int(text: &str) -> Option<i32> {
    i32::try_from(signed(text)?).ok()
}

/// Seven bits a byte, the low ones first (Kafka's `ByteUtils.writeUnsignedVarint`).
pub fn put_unsigned_varint(mut value: u64, bytes: &mut Vec<u8>) {
    loop {
        let [low, ..] = value.to_le_bytes();
        value >>= 7;
        if value == 0 {
            bytes.push(low & 0x7f);
            return;
        }
        bytes.push(low | 0x80);
    }
}

/// Texts with a separator between them; a quarter of the code of the standard library's, for each kind of text.
#[must_use]
pub fn join(texts: &[impl AsRef<str>], separator: &str) -> String {
    let mut joined = String::new();
    for (number, text) in texts.iter().enumerate() {
        if number > 0 {
            joined.push_str(separator);
        }
        joined.push_str(text.as_ref());
    }
    joined
}
