//! The yardstick: CRC-32C, byte by byte through one table, over 64 MB. It is plain integer work
//! that stays the same when the project changes, so a figure divided by it can be compared between
//! machines.

use std::hint::black_box;

use crate::{Done, Work};

const BYTES: usize = 64_000_000;

/// Castagnoli's polynomial, its bits reversed.
const POLYNOMIAL: u32 = 0x82f6_3b78;

const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        let mut value = i as u32;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 { (value >> 1) ^ POLYNOMIAL } else { value >> 1 };
            bit += 1;
        }
        table[i] = value;
        i += 1;
    }
    table
};

/// Does it once and says how many bytes that was.
pub(crate) fn prepare() -> Work {
    // The check value that every CRC-32C has.
    assert_eq!(crc32c(!0, b"123456789") ^ !0, 0xe306_9283);
    let block: Vec<u8> = (0..=255).cycle().take(64_000).collect();
    Box::new(move || {
        let mut crc = !0;
        for _ in 0..BYTES / block.len() {
            crc = crc32c(crc, black_box(&block));
        }
        black_box(crc);
        Done::new(BYTES as u64, || {})
    })
}

#[inline(never)]
fn crc32c(start: u32, bytes: &[u8]) -> u32 {
    bytes.iter().fold(start, |crc, byte| TABLE[usize::from(crc as u8 ^ byte)] ^ (crc >> 8))
}
