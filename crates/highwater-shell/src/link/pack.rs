//! Bytes to the characters of a link and back: deflate with a dictionary of what sessions often say, base64url.
//!
//! Deflate knows no dictionary of its own, only zlib around it does. But what comes after a flush may refer to
//! what came before it: the writer compresses the dictionary, flushes, forgets what came out so far, and goes on;
//! the reader begins with the dictionary in its window.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use miniz_oxide::deflate::core::{
    CompressorOxide, TDEFLFlush, TDEFLStatus, compress, create_comp_flags_from_zip_params,
};
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

/// What sessions often say, the commonest last. A change makes links of another form.
const DICTIONARY: &[u8] = include_bytes!("dictionary.txt");

/// The most bytes that come out of a link, whatever it says of itself.
const MOST_BYTES: usize = 4 << 20;
/// zlib's best level, and deflate without zlib's frame.
const LEVEL: i32 = 9;
const RAW_WINDOW: i32 = -15;

/// What was in a link.
pub(super) struct Unpacked {
    /// The bytes, as far as they could be read.
    pub(super) bytes: Vec<u8>,
    /// What stands behind their end.
    pub(super) behind: String,
}

/// Bytes as characters of a URL.
pub(super) fn pack(bytes: &[u8]) -> String {
    let flags = create_comp_flags_from_zip_params(LEVEL, RAW_WINDOW, 0);
    let mut deflater = Box::new(CompressorOxide::new(flags));
    deflate(&mut deflater, DICTIONARY, TDEFLFlush::Sync);
    URL_SAFE_NO_PAD.encode(deflate(&mut deflater, bytes, TDEFLFlush::Finish))
}

/// Takes all of the input in; returns what comes out.
fn deflate(deflater: &mut CompressorOxide, mut bytes: &[u8], flush: TDEFLFlush) -> Vec<u8> {
    let mut all = Vec::new();
    loop {
        let mut out = [0; 4_096];
        let (status, read, written) = compress(deflater, bytes, &mut out, flush);
        bytes = bytes.get(read..).unwrap_or_default();
        all.extend_from_slice(out.get(..written).unwrap_or_default());
        let is_full = written == out.len();
        if status != TDEFLStatus::Okay || (bytes.is_empty() && !is_full) {
            return all;
        }
    }
}

/// The bytes behind these characters, up to where they are damaged.
pub(super) fn unpack(text: &str) -> Unpacked {
    let is_code = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let (code, behind) = text.split_at(text.find(|c| !is_code(c)).unwrap_or(text.len()));
    let (deflated, rest) = from_base64(code);
    let (bytes, read) = inflate(&deflated);
    // What is behind the end of the deflated bytes, as characters.
    let read = read.saturating_mul(4).div_ceil(3);
    let more = code.get(read..).filter(|_| rest.is_empty()).unwrap_or(rest);
    Unpacked { bytes, behind: [more, behind].concat() }
}

/// Decodes; a last group that is cut is left over.
fn from_base64(code: &str) -> (Vec<u8>, &str) {
    if let Ok(bytes) = URL_SAFE_NO_PAD.decode(code) {
        return (bytes, "");
    }
    let (whole, rest) = code.split_at(code.len() / 4 * 4);
    (URL_SAFE_NO_PAD.decode(whole).unwrap_or_default(), rest)
}

/// What comes out, and how many bytes were read for it.
fn inflate(deflated: &[u8]) -> (Vec<u8>, usize) {
    let mut inflater = Box::new(DecompressorOxide::new());
    let mut out = DICTIONARY.to_vec();
    let (mut read, mut end) = (0, DICTIONARY.len());
    out.resize(end + deflated.len().saturating_mul(8).clamp(1_024, MOST_BYTES), 0);
    loop {
        let input = deflated.get(read..).unwrap_or_default();
        let flags = TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
        let (status, taken, given) = decompress(&mut inflater, input, &mut out, end, flags);
        read += taken;
        end += given;
        if status != TINFLStatus::HasMoreOutput || out.len() >= MOST_BYTES {
            break;
        }
        out.resize(out.len().saturating_mul(2).min(MOST_BYTES), 0);
    }
    out.truncate(end);
    (out.split_off(DICTIONARY.len().min(end)), read)
}

#[cfg(test)]
mod tests {
    use highwater_core::client::partitioner::librdkafka::crc32;

    use super::*;

    #[test]
    fn the_dictionary_of_this_form_never_changes() {
        assert_eq!(
            crc32(DICTIONARY),
            0x9237_d899,
            "links that people have kept cannot be read any more"
        );
    }

    #[test]
    fn what_comes_out_is_bounded() {
        let bomb = pack(&vec![b'a'; 64 << 20]);
        assert!(unpack(&bomb).bytes.len() <= MOST_BYTES);
    }

    #[test]
    fn words_of_the_dictionary_take_next_to_nothing() {
        let line = b"kafka-console-producer.sh --bootstrap-server localhost:9092 --topic ";
        assert!(pack(line).len() < 24);
    }
}
