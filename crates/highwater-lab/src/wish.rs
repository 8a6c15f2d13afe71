//! What the page is to do besides drawing.

/// Something that only a page can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    /// Move the focus to the first element that fits this selector.
    Focus(String),
    /// Put this text into the field that fits the selector, with the cursor at its end.
    Fill {
        /// A selector.
        field: String,
        /// Its new value.
        value: String,
    },
    /// Scroll the element that fits this selector to its end.
    ScrollToEnd(String),
    /// Let the first element that fits this selector be seen, without moving the focus.
    Reveal(String),
    /// Put this text into the clipboard.
    Copy(String),
    /// Put the page's own address with this behind its `#` into the clipboard.
    CopyLink(String),
    /// Offer this text as a file.
    Download {
        /// The file's name.
        name: String,
        /// Its media type.
        media: &'static str,
        /// Its content.
        text: String,
    },
    /// Offer this SVG, drawn as PNG, as a file.
    DownloadPng {
        /// The file's name.
        name: String,
        /// The drawing.
        svg: String,
    },
    /// Let the reader choose a file, and tell its content.
    ChooseFile,
    /// Open another page of this site, named from its root, with this behind its `#`.
    Visit {
        /// The page, such as `lab/`.
        page: &'static str,
        /// What stands behind its `#`.
        fragment: String,
    },
    /// Put this behind the `#` of the address, without a new entry in the history.
    Fragment(String),
    /// Keep this text in local storage.
    Keep {
        /// Under this name.
        key: &'static str,
        /// This; `None`: forget it.
        text: Option<String>,
    },
}
