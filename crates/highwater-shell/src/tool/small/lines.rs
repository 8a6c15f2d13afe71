//! Bytes that come in pieces, handed out as lines. The last one may have no line end.

/// What is left of the last piece.
#[derive(Clone, Debug, Default)]
pub(super) struct Pieces {
    open: Vec<u8>,
}

impl Pieces {
    /// Gives each line that is complete now, without its line end, to `each`, until that says no.
    pub(super) fn take(&mut self, bytes: &[u8], mut each: impl FnMut(&[u8]) -> bool) -> bool {
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let goes_on = if self.open.is_empty() {
                each(&rest[..end])
            } else {
                self.open.extend_from_slice(&rest[..end]);
                each(&std::mem::take(&mut self.open))
            };
            rest = &rest[end + 1..];
            if !goes_on {
                return false;
            }
        }
        self.open.extend_from_slice(rest);
        true
    }

    /// The line without a line end that the input ended with.
    pub(super) fn last(&mut self) -> Option<Vec<u8>> {
        Some(std::mem::take(&mut self.open)).filter(|line| !line.is_empty())
    }
}

/// Adds a line and its line end.
pub(super) fn put(line: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(line);
    out.push(b'\n');
}
