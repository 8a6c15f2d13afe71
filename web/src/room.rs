//! How much room a drawing has, and whether it has changed for good.

use js_sys::Date;
use web_sys::Element;

use crate::island::root_font;

/// No more room than this, come back within so many milliseconds, was lost to a scrollbar and not to
/// the reader.
const SCROLLBAR: i32 = 20;
const REST_MS: f64 = 200.0;

/// The room of one drawing.
#[derive(Debug)]
pub struct Room {
    /// The width of the drawing in px.
    pub width: i32,
    /// The root font size in px.
    pub font: i32,
    /// The width that the drawing had before it became narrower, and until when it stays so if only
    /// a scrollbar goes.
    wider: (i32, f64),
}

impl Room {
    /// The room of this element, or a width to begin with if there is none.
    #[must_use]
    pub fn of(draw: Option<Element>, or: i32) -> Self {
        let width = draw.map_or(or, |draw| draw.client_width());
        Self { width, font: root_font(), wider: (0, 0.0) }
    }

    /// The element's room may have changed. Returns whether it has.
    pub fn follow(&mut self, draw: Option<Element>) -> bool {
        let width = draw.map_or(0, |draw| draw.client_width());
        let font = root_font();
        // A drawing that is not shown has no width; it keeps the one it had.
        if width == 0 || self.width == width && self.font == font {
            return false;
        }
        // A narrower drawing may be lower, and so take away the very scrollbar that made it narrower.
        // It stays as it is then; else the two would take turns for ever.
        let now = Date::now();
        let (wider, until) = self.wider;
        if width == wider && width < self.width + SCROLLBAR && now < until {
            return false;
        }
        if width < self.width {
            self.wider = (self.width, now + REST_MS);
        }
        (self.width, self.font) = (width, font);
        true
    }
}
