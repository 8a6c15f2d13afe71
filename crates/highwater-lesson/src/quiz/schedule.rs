//! When a recall card comes back: SM-2.
//!
//! P. A. Wozniak, "Optimization of learning", master's thesis, Poznan 1990, chapter 3.2, "Application of a computer
//! to improve the results obtained in working with the SuperMemo method":
//! <https://super-memory.com/english/ol/sm2.htm>. The easiness factor is kept in thousandths, so that all is whole
//! numbers; intervals are rounded up, as the source says. Days are days of the reader's calendar, given in.

/// How well a card was known, of the six grades of SM-2 those that a person tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// Not known: 1 of SM-2. The repetitions begin again.
    Forgot,
    /// Known with difficulty: 3.
    Hard,
    /// Known after a moment: 4.
    Good,
    /// Known at once: 5.
    Easy,
}

impl Grade {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Forgot, Self::Hard, Self::Good, Self::Easy];

    /// What stands on its button.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Forgot => "Forgot",
            Self::Hard => "Hard",
            Self::Good => "Good",
            Self::Easy => "Easy",
        }
    }

    /// The quality of the response, 0 to 5, as SM-2 has it.
    fn quality(self) -> i32 {
        match self {
            Self::Forgot => 1,
            Self::Hard => 3,
            Self::Good => 4,
            Self::Easy => 5,
        }
    }
}

/// Where a card stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// The day on which it is due.
    pub due: u32,
    /// Days from the last repetition to that one.
    pub interval: u32,
    /// The easiness factor in thousandths, at least 1300.
    pub ease: u32,
    /// Repetitions in a row in which it was known.
    pub repetitions: u32,
}

/// The least easiness.
pub const LEAST_EASE: u32 = 1300;
/// The easiness of a card that nobody has seen.
pub const FIRST_EASE: u32 = 2500;
/// No card waits longer than a hundred years.
pub const LONGEST: u32 = 36_500;

impl Schedule {
    /// A card that nobody has seen: due at once.
    pub const NEW: Self = Self { due: 0, interval: 0, ease: FIRST_EASE, repetitions: 0 };

    /// The schedule after the card was seen on a day.
    #[must_use]
    pub fn after(self, grade: Grade, today: u32) -> Self {
        let quality = grade.quality();
        let (repetitions, interval) = match (quality >= 3, self.repetitions) {
            (false, _) => (0, 1),
            (true, 0) => (1, 1),
            (true, 1) => (2, 6),
            (true, before) => {
                // By the easiness before this response.
                let days = (u64::from(self.interval) * u64::from(self.ease)).div_ceil(1000);
                let days = u32::try_from(days).unwrap_or(LONGEST);
                (before.saturating_add(1), days.clamp(1, LONGEST))
            }
        };
        Self {
            due: today.saturating_add(interval),
            interval,
            ease: if quality >= 3 { eased(self.ease, quality) } else { self.ease },
            repetitions,
        }
    }

    /// Whether it is due.
    #[must_use]
    pub fn is_due(&self, today: u32) -> bool {
        self.due <= today
    }
}

/// EF' = EF + (0.1 - (5 - q) * (0.08 + (5 - q) * 0.02)), in thousandths.
fn eased(ease: u32, quality: i32) -> u32 {
    let missed = 5 - quality;
    let change = 100 - missed * (80 + missed * 20);
    ease.saturating_add_signed(change).max(LEAST_EASE)
}
