//! Whatever is typed comes out of the writer as text, never as markup.
#![cfg(not(target_arch = "wasm32"))]

use highwater_scene::keys::Keys;
use highwater_scene::node::to_string;
use highwater_scene::template::tree;
use proptest::prelude::{ProptestConfig, any, prop_assert, prop_assert_eq, proptest};

/// The opposite of the writer's escaping.
fn unescape(text: &str) -> String {
    text.replace("&#13;", "\r")
        .replace("&quot;", "\"")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Text and attributes come back as they were; nothing ends them early.
    #[test]
    fn escaping_round_trips(text in any::<String>(), value in any::<String>()) {
        let node = tree(
            "<text aria-label='{}'>{}</text>",
            vec![value.clone().into(), text.clone().into()],
        );
        let written = to_string(&node);
        let inner = written.strip_prefix("<text aria-label=\"").unwrap();
        let inner = inner.strip_suffix("</text>").unwrap();
        let (shown_value, shown_text) = inner.split_once("\">").unwrap();
        for part in [shown_value, shown_text] {
            prop_assert!(!part.contains(['<', '>', '"', '\0']));
        }
        let clean = |text: &str| text.replace('\0', "\u{fffd}");
        prop_assert_eq!(unescape(shown_value), clean(&value));
        prop_assert_eq!(unescape(shown_text), clean(&text));
    }

    /// A key of any bytes is only ever text in the legend.
    #[test]
    fn keys_are_text(key in any::<Vec<u8>>()) {
        let mut keys = Keys::default();
        let mark = keys.learn(Some(&std::rc::Rc::from(key)));
        let written = to_string(&keys.legend(&[mark]));
        prop_assert_eq!(written.matches('<').count(), 7);
    }
}

/// Empty shapes close themselves; other elements do not; HTML's void elements have no end.
#[test]
fn endings() {
    let template = "<div><rect x='{}'/><g></g><br/><span class='a'>b</span></div>";
    let node = tree(template, vec![(-3).into()]);
    assert_eq!(
        to_string(&node),
        "<div><rect x=\"-3\"/><g></g><br><span class=\"a\">b</span></div>"
    );
}
