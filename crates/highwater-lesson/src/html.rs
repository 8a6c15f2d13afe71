//! Text into HTML: escaping, and the few pieces that several writers share.

use highwater_scene::node;

use crate::KeyMark;

/// Escapes text for an element's content or a double-quoted attribute.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    node::escape(text, &mut out);
    out
}

/// Whether a name can stand in an attribute, an id and a URL as it is.
pub(crate) fn is_name(text: &str) -> bool {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    text.starts_with(|c: char| c.is_ascii_lowercase()) && text.chars().all(allowed)
}

/// An id for a heading, from its words.
pub(crate) fn slug(words: &str) -> String {
    let mut out = String::new();
    for c in words.chars() {
        if c.is_ascii_alphanumeric() {
            out.push(c.to_ascii_lowercase());
        } else if !out.is_empty() && !out.ends_with('-') && c != '\'' && c != '’' {
            out.push('-');
        }
    }
    out.trim_end_matches('-').to_owned()
}

/// A key's mark, to stand before its letter.
pub(crate) fn key_svg(mark: KeyMark) -> String {
    let path = mark.path();
    format!(
        "<svg class=\"key-mark\" viewBox=\"0 0 14 14\" aria-hidden=\"true\">\
         <path class=\"hw-mark\" d=\"{path}\"/></svg>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_becomes_a_readable_id() {
        assert_eq!(slug("Two readers, one log"), "two-readers-one-log");
        assert_eq!(slug("What’s a key?"), "whats-a-key");
    }

    #[test]
    fn names_are_lower_case_words_with_dashes() {
        assert!(is_name("replay-kafka-go"));
        assert!(!is_name("Replay") && !is_name("") && !is_name("a b") && !is_name("-a"));
    }

    #[test]
    fn text_cannot_open_a_tag_or_leave_an_attribute() {
        assert_eq!(escape("<b a=\"1\">&"), "&lt;b a=&quot;1&quot;&gt;&amp;");
    }
}
