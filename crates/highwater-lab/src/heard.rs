//! What the page has heard: events of the DOM without the DOM. What a control does is named by its attribute
//! `data-do`, which the Lab has written and reads again.

/// Something that the reader, the browser or the clock did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// A press on something: its `data-do`.
    Press(String),
    /// A control has another value: its `data-do`, and the value. While it is dragged or typed into.
    Value {
        /// The control's `data-do`.
        does: String,
        /// What it holds now.
        value: String,
    },
    /// A form has another content: its `data-do`, and its fields.
    Edited {
        /// The form's `data-do`.
        does: String,
        /// Names and values of its fields, in their order; a box that is not checked is left out.
        fields: Vec<(String, String)>,
    },
    /// A form was sent.
    Sent {
        /// The form's `data-do`.
        does: String,
        /// Names and values of its fields, in their order; a box that is not checked is left out.
        fields: Vec<(String, String)>,
    },
    /// A key went down inside something with a `data-do` or `data-keys`.
    Key(Key),
    /// The room for the figure, in px, and the root font size.
    Room(crate::lab::Room),
    /// The time for the next step has come; asked for by [`crate::Lab::delay`].
    Tick,
    /// A file was opened or dropped.
    File {
        /// Its name.
        name: String,
        /// Its content, as text.
        text: String,
    },
    /// The fragment of the address has changed: a link was opened in this tab.
    Fragment(String),
    /// The page is hidden, or seen again. Time must not run away meanwhile.
    Hidden(bool),
    /// A wish could not be granted: what it was about, in words.
    Failed(String),
}

/// A key, and where it went down.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Key {
    /// The `data-keys` of the innermost element that has one.
    pub place: String,
    /// The `data-do` of the element itself, if it has one.
    pub does: String,
    /// The key, as `KeyboardEvent.key` names it.
    pub key: String,
    /// Whether Ctrl is down. Keys with Alt or Meta are the browser's and are not told.
    pub ctrl: bool,
    /// Whether Shift is down.
    pub shift: bool,
    /// Whether text is selected in the field.
    pub selects: bool,
    /// What the field holds, up to the cursor.
    pub before: String,
    /// What the field holds, behind the cursor.
    pub behind: String,
}
