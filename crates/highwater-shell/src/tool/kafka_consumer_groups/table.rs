//! Rows of the tables of groups: cells that Java's `printf` fills up with blanks, each to its width.

/// How long Java takes a text to be: in units of UTF-16.
pub(crate) fn width(text: &str) -> usize {
    text.encode_utf16().count()
}

/// The widest of some texts, and at least so wide.
pub(crate) fn widest<'a>(least: usize, texts: impl Iterator<Item = &'a str>) -> usize {
    texts.map(width).fold(least, usize::max)
}

/// Cells, each filled up to its width, with a blank between.
pub(crate) fn row(cells: &[(&str, usize)]) -> String {
    let mut text = String::new();
    for (place, (cell, wide)) in cells.iter().enumerate() {
        if place > 0 {
            text.push(' ');
        }
        text.push_str(cell);
        text.extend((width(cell)..*wide).map(|_| ' '));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// Cells count as Java counts them: a sign beyond the first plane is two.
    #[test]
    fn cells() {
        assert_eq!(row(&[("a", 3), ("grüße", 6), ("long", 2), ("", 0)]), "a   grüße  long ");
        assert_eq!(row(&[("\u{1f600}", 3), ("x", 0)]), "\u{1f600}  x");
        assert_eq!(widest(3, ["a", "日本語日"].into_iter()), 4);
        assert_eq!(widest(3, ["a"].into_iter()), 3);
    }
}
