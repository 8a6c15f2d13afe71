//! The icons of the transport, as SVG path data in a box of 16 by 16. Static pages and the app draw
//! them from here, so that nothing moves when the app takes over.

/// One icon of the transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Icon {
    /// One step into the past.
    StepBack,
    /// Let time run.
    Play,
    /// Hold time.
    Pause,
    /// One step into the future.
    Step,
}

impl Icon {
    /// The `d` of the icon's only path.
    pub const fn path(self) -> &'static str {
        match self {
            Self::StepBack => "M2 2.5h2.2v11H2zM14 2.5v11L5.5 8z",
            Self::Play => "M3.5 1.8v12.4L14 8z",
            Self::Pause => "M3 2h3.6v12H3zM9.4 2H13v12H9.4z",
            Self::Step => "M11.8 2.5H14v11h-2.2zM2 2.5L10.5 8 2 13.5z",
        }
    }
}
