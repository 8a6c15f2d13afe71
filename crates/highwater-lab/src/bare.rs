//! Transcripts that are part of the program, without what nobody reads there: their output, which is made anew when
//! they are played, and the comments between commands. They are cut when the program is built.

/// Calls `keep` of a transcript's bytes that stay: its head up to the first command, and the lines of commands, which
/// are one line each in these files (a test looks).
macro_rules! cut {
    ($text:expr, |$byte:ident| $keep:expr) => {{
        let text = $text.as_bytes();
        let (mut at, mut is_head, mut keeps) = (0, true, true);
        while at < text.len() {
            if at == 0 || text[at - 1] == b'\n' {
                let is_command = text[at] == b'$' && at + 1 < text.len() && text[at + 1] == b' ';
                is_head = is_head && !is_command;
                keeps = is_head || is_command;
            }
            if keeps {
                let $byte = text[at];
                $keep;
            }
            at += 1;
        }
    }};
}

/// How many bytes stay.
pub(crate) const fn length(text: &str) -> usize {
    let mut length = 0;
    cut!(text, |_byte| length += 1);
    length
}

/// The bytes that stay.
pub(crate) const fn bytes<const LENGTH: usize>(text: &str) -> [u8; LENGTH] {
    let mut bytes = [0; LENGTH];
    let mut to = 0;
    cut!(text, |byte| {
        bytes[to] = byte;
        to += 1;
    });
    bytes
}

/// A transcript of `web/lab`, cut.
macro_rules! bare {
    ($path:expr) => {{
        const TEXT: &str = include_str!($path);
        const BYTES: [u8; $crate::bare::length(TEXT)] = $crate::bare::bytes(TEXT);
        const BARE: &str = match core::str::from_utf8(&BYTES) {
            Ok(text) => text,
            Err(_) => panic!("whole lines of text are text"),
        };
        BARE
    }};
}
pub(crate) use bare;
