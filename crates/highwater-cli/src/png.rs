//! A drawing as pixels. Its letters are DejaVu Sans's, which this program brings with it: every machine makes the same
//! picture, also one without fonts. The drawings measure their words by this font, too.

/// A drawing as a PNG of its own size. The error is in words.
#[cfg(feature = "png")]
pub(crate) fn of_svg(svg: &str) -> Result<Vec<u8>, String> {
    use resvg::{tiny_skia, usvg};

    const FONT: &str = "DejaVu Sans";
    // A space at the edge of an element is a space in a browser.
    let svg = svg.replacen("<svg ", "<svg xml:space=\"preserve\" ", 1);
    let mut options = usvg::Options { font_family: FONT.to_owned(), ..usvg::Options::default() };
    let fonts = options.fontdb_mut();
    for font in [dejavu::sans::regular(), dejavu::sans::bold()] {
        fonts.load_font_data(font.to_vec());
    }
    fonts.set_sans_serif_family(FONT);
    let trouble = |what: &dyn std::fmt::Display| format!("cannot make a PNG: {what}");
    let drawing = usvg::Tree::from_str(&svg, &options).map_err(|error| trouble(&error))?;
    let size = drawing.size().to_int_size();
    let mut pixels = tiny_skia::Pixmap::new(size.width(), size.height())
        .ok_or_else(|| trouble(&"the drawing is too large"))?;
    resvg::render(&drawing, tiny_skia::Transform::identity(), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| trouble(&error))
}

/// A drawing as a PNG: this build cannot.
#[cfg(not(feature = "png"))]
pub(crate) fn of_svg(_: &str) -> Result<Vec<u8>, String> {
    Err("this program was built without its feature `png`".to_owned())
}
