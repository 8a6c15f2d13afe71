//! What a question is, and which answers to it are right. No page and no reader of files in here.

use super::hash::Hash;

/// The questions of one `quiz` block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Quiz {
    /// Names the block on its page.
    pub id: String,
    /// The questions, each with its variants.
    pub items: Vec<Item>,
}

/// One question, in one or more variants: "try another" shows the next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Item {
    /// At least one, all of one kind.
    pub variants: Vec<Question>,
}

impl Item {
    /// What progress knows it by: the hash of the question, or of all variants.
    #[must_use]
    pub fn hash(&self) -> u64 {
        if let [only] = &self.variants[..] {
            return only.hash;
        }
        let mut hash = Hash::default();
        self.variants.iter().for_each(|variant| hash.number(variant.hash));
        hash.end()
    }

    /// What the author calls it; empty if nothing.
    #[must_use]
    pub fn id(&self) -> &str {
        self.variants.first().map_or("", |first| &first.id)
    }

    /// Hashes that it had before an edit that asks nobody again.
    #[must_use]
    pub fn was(&self) -> &[u64] {
        self.variants.first().map_or(&[], |first| &first.was)
    }
}

/// A question. What is called HTML here comes from the page builder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// What the author calls it; empty if nothing.
    pub id: String,
    /// What it is known by, see `hash`.
    pub hash: u64,
    /// Hashes that it had before.
    pub was: Vec<u64>,
    /// What several questions have in common, as HTML; empty if nothing.
    pub shared: String,
    /// What is asked, as HTML.
    pub prompt: String,
    /// How it is answered, and what is right.
    pub kind: Kind,
    /// The explanation, as HTML; empty if there is none.
    pub context: String,
    /// Hints, the first first, as HTML.
    pub hints: Vec<String>,
    /// Whether the reader is asked to write down why. Nobody checks or keeps that.
    pub ask_why: bool,
}

/// How a question is answered, and what is right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Some of these.
    Choice {
        /// Several may be right: checkboxes, not radios.
        several: bool,
        /// Whether they are shown in an order drawn from the question's hash; else as they stand here.
        shuffle: bool,
        /// Two or more.
        options: Vec<Choice>,
    },
    /// A text that is typed.
    Short {
        /// What kind of text.
        response: Response,
        /// Whether case counts.
        case: bool,
        /// The answer, and others that count too.
        answers: Vec<String>,
    },
    /// What a program or a transcript does.
    Tracing {
        /// Its lines.
        program: String,
        /// What is right.
        end: End,
    },
    /// Things to be put into an order.
    Order {
        /// The things as HTML, in one right order.
        items: Vec<String>,
        /// Which must stand before which, as places in `items`. Each order that keeps to it is right.
        before: Vec<(usize, usize)>,
    },
    /// Things that belong together.
    Match {
        /// What a partner is looked for, as HTML, and the place of the partner in `partners`.
        rows: Vec<(String, usize)>,
        /// What can be chosen, as text, in the order shown. Some may fit nowhere.
        partners: Vec<String>,
    },
}

impl Default for Kind {
    fn default() -> Self {
        Self::Choice { several: false, shuffle: false, options: Vec::new() }
    }
}

/// What may be chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The words, as HTML.
    pub text: String,
    /// Whether it is right.
    pub right: bool,
    /// What is said about it afterwards, as HTML; empty if nothing.
    pub feedback: String,
    /// What stands behind it.
    pub badge: Badge,
    /// For the checker; the page does not carry it.
    pub proof: Option<Proof>,
}

/// What stands behind an answer, in one word for the reader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Badge {
    /// Words.
    #[default]
    Explained,
    /// The simulator has computed it.
    Computed,
    /// The simulator has found a case in which it does not hold.
    Counterexample,
}

impl Badge {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Explained, Self::Computed, Self::Counterexample];

    /// What a reader sees.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Explained => "explained",
            Self::Computed => "computed",
            Self::Counterexample => "counterexample found",
        }
    }
}

/// What the checker has to show for an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// Whether it is about one moment, or about every run.
    pub kind: ProofKind,
    /// The expression, or the law's name.
    pub text: String,
    /// Where it stands in the lesson file, in bytes.
    pub offset: usize,
    /// At which moment of the transcript; empty for the end.
    pub at: String,
    /// The figure whose transcript it is; empty for the one before the question.
    pub figure: String,
}

/// About what an option says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofKind {
    /// A moment of a transcript: `claim`.
    Claim,
    /// Every run: `law`.
    Law,
}

/// What kind of text is typed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Response {
    /// A word or two. Blanks at the ends do not count, a row of blanks is one, case does not count.
    #[default]
    Short,
    /// A sentence or more; compared as `Short`.
    Long,
    /// Code: line by line without the blanks at their ends; case counts.
    Code,
    /// A number: `1000` is `1,000` is `1 000` is `01000.0`.
    Numeric,
}

impl Response {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Short, Self::Long, Self::Code, Self::Numeric];

    /// As an author writes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Short => "short",
            Self::Long => "long",
            Self::Code => "code",
            Self::Numeric => "numeric",
        }
    }

    /// Whether two texts say the same.
    #[must_use]
    pub fn is_same(self, case: bool, one: &str, other: &str) -> bool {
        match self {
            Self::Numeric => {
                number(one).is_some_and(|one| number(other).is_some_and(|other| one == other))
            }
            Self::Code => lines(one) == lines(other),
            Self::Short | Self::Long if case => one.split_whitespace().eq(other.split_whitespace()),
            Self::Short | Self::Long => {
                let (one, other) = (one.to_lowercase(), other.to_lowercase());
                one.split_whitespace().eq(other.split_whitespace())
            }
        }
    }
}

/// Lines without blanks at their ends, and without empty lines at both ends.
fn lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> =
        text.trim_start_matches(['\n', '\r']).lines().map(str::trim_end).collect();
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    lines
}

/// A decimal number in one form: sign, digits without zeros before, digits after the point without zeros behind.
#[must_use]
pub fn number(text: &str) -> Option<(bool, String, String)> {
    let text = text.trim();
    let (minus, digits) = match text.strip_prefix(['-', '\u{2212}']) {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let keep = |c: &char| !matches!(c, ',' | '_' | ' ' | '\u{a0}' | '\u{202f}' | '\'');
    let whole: String = whole.chars().filter(keep).collect();
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if (whole.is_empty() && part.is_empty()) || !are_digits(&whole) || !are_digits(part) {
        return None;
    }
    let whole = whole.trim_start_matches('0').to_owned();
    let part = part.trim_end_matches('0').to_owned();
    Some((minus && !(whole.is_empty() && part.is_empty()), whole, part))
}

/// How a traced program ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// It succeeds and prints this; `None`: what it prints is not asked.
    Succeeds(Option<String>),
    /// It fails at this line, counted from 1; `None`: the line is not asked.
    Fails(Option<u32>),
}

/// What a reader has answered. Places are those of the model, not of the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Which options are chosen.
    Chosen(Vec<bool>),
    /// What was typed.
    Typed(String),
    /// What a program does: whether it succeeds, what it prints, at which line it fails.
    Traced {
        /// Nothing yet, or whether it succeeds.
        succeeds: Option<bool>,
        /// What it prints.
        prints: String,
        /// Where it fails.
        line: String,
    },
    /// An order.
    Ordered(Vec<usize>),
    /// The partner of each row.
    Matched(Vec<Option<usize>>),
}

impl Question {
    /// The answer of somebody who has not answered. An order begins with one that is wrong, drawn from the hash.
    #[must_use]
    pub fn unanswered(&self) -> Answer {
        match &self.kind {
            Kind::Choice { options, .. } => Answer::Chosen(vec![false; options.len()]),
            Kind::Short { .. } => Answer::Typed(String::new()),
            Kind::Tracing { .. } => {
                Answer::Traced { succeeds: None, prints: String::new(), line: String::new() }
            }
            Kind::Order { items, before } => {
                let mut order = shuffled(items.len(), self.hash);
                if keeps_to(&order, before) {
                    // The other way round breaks each of the rules.
                    order.reverse();
                }
                Answer::Ordered(order)
            }
            Kind::Match { rows, .. } => Answer::Matched(vec![None; rows.len()]),
        }
    }

    /// The order in which options are shown.
    #[must_use]
    pub fn shown(&self) -> Vec<usize> {
        match &self.kind {
            Kind::Choice { options, shuffle: true, .. } => shuffled(options.len(), self.hash),
            Kind::Choice { options, .. } => (0..options.len()).collect(),
            _ => Vec::new(),
        }
    }

    /// Whether there is enough of an answer to be judged.
    #[must_use]
    pub fn is_complete(&self, answer: &Answer) -> bool {
        match (answer, &self.kind) {
            (Answer::Chosen(chosen), _) => chosen.contains(&true),
            (Answer::Typed(text), _) => !text.trim().is_empty(),
            (Answer::Traced { succeeds, line, .. }, Kind::Tracing { .. }) => match succeeds {
                Some(true) => true,
                Some(false) => !line.trim().is_empty() || !self.asks_line(),
                None => false,
            },
            (Answer::Ordered(_), _) => true,
            (Answer::Matched(partners), _) => partners.iter().all(Option::is_some),
            (Answer::Traced { .. }, _) => false,
        }
    }

    /// Whether a traced program's output is asked for. Where the other end is right, it is asked for too: a
    /// missing field would tell.
    #[must_use]
    pub fn asks_output(&self) -> bool {
        !matches!(&self.kind, Kind::Tracing { end: End::Succeeds(None), .. })
    }

    /// Whether the line of a fault is asked for.
    #[must_use]
    pub fn asks_line(&self) -> bool {
        !matches!(&self.kind, Kind::Tracing { end: End::Fails(None), .. })
    }

    /// Whether an answer is right.
    #[must_use]
    pub fn is_right(&self, answer: &Answer) -> bool {
        match (&self.kind, answer) {
            (Kind::Choice { options, .. }, Answer::Chosen(chosen)) => {
                options.len() == chosen.len()
                    && options.iter().zip(chosen).all(|(option, chosen)| option.right == *chosen)
            }
            (Kind::Short { response, case, answers }, Answer::Typed(text)) => {
                answers.iter().any(|answer| response.is_same(*case, answer, text))
            }
            (Kind::Tracing { end, .. }, Answer::Traced { succeeds, prints, line }) => match end {
                End::Succeeds(expected) => {
                    let same = |text: &String| Response::Code.is_same(true, text, prints);
                    *succeeds == Some(true) && expected.as_ref().is_none_or(same)
                }
                End::Fails(expected) => {
                    let typed = highwater_core::number::unsigned(line.trim());
                    *succeeds == Some(false)
                        && expected.is_none_or(|line| typed == Some(u64::from(line)))
                }
            },
            (Kind::Order { items, before }, Answer::Ordered(order)) => {
                is_permutation(order, items.len()) && keeps_to(order, before)
            }
            (Kind::Match { .. }, Answer::Matched(partners)) => {
                let right = self.right_rows(partners);
                !right.is_empty() && right.iter().all(|right| *right)
            }
            _ => false,
        }
    }

    /// Which rows have found their partner.
    #[must_use]
    pub fn right_rows(&self, partners: &[Option<usize>]) -> Vec<bool> {
        let Kind::Match { rows, partners: words } = &self.kind else { return Vec::new() };
        let word = |place: usize| words.get(place);
        let mut right = Vec::with_capacity(rows.len());
        for (row, (_, partner)) in rows.iter().enumerate() {
            let chosen = partners.get(row).copied().flatten();
            right.push(chosen.is_some_and(|chosen| word(chosen) == word(*partner)));
        }
        right
    }

    /// An answer that is right.
    #[must_use]
    pub fn right_answer(&self) -> Answer {
        match &self.kind {
            Kind::Choice { options, .. } => {
                Answer::Chosen(options.iter().map(|option| option.right).collect())
            }
            Kind::Short { answers, .. } => {
                Answer::Typed(answers.first().cloned().unwrap_or_default())
            }
            Kind::Tracing { end: End::Succeeds(prints), .. } => Answer::Traced {
                succeeds: Some(true),
                prints: prints.clone().unwrap_or_default(),
                line: String::new(),
            },
            Kind::Tracing { end: End::Fails(line), .. } => Answer::Traced {
                succeeds: Some(false),
                prints: String::new(),
                line: line.map(|line| line.to_string()).unwrap_or_default(),
            },
            Kind::Order { items, .. } => Answer::Ordered((0..items.len()).collect()),
            Kind::Match { rows, .. } => {
                Answer::Matched(rows.iter().map(|(_, partner)| Some(*partner)).collect())
            }
        }
    }
}

/// Whether an order keeps to all rules.
#[must_use]
pub fn keeps_to(order: &[usize], before: &[(usize, usize)]) -> bool {
    let place = |item: usize| order.iter().position(|other| *other == item);
    before.iter().all(|(first, then)| place(*first) < place(*then))
}

fn is_permutation(order: &[usize], count: usize) -> bool {
    order.len() == count && (0..count).all(|item| order.contains(&item))
}

/// The numbers below `count` in an order that the seed alone decides.
#[must_use]
pub fn shuffled(count: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let mut state = seed;
    for place in (1..count).rev() {
        // SplitMix64, by Sebastiano Vigna (public domain).
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut drawn = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        drawn = (drawn ^ (drawn >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        drawn ^= drawn >> 31;
        let other = usize::try_from(drawn % (place as u64 + 1)).unwrap_or_default();
        order.swap(place, other);
    }
    order
}

impl Question {
    /// Whether several options may be chosen.
    #[must_use]
    pub fn takes_several(&self) -> bool {
        matches!(self.kind, Kind::Choice { several: true, .. })
    }

    /// Whether an option is right.
    #[must_use]
    pub fn is_right_option(&self, place: usize) -> bool {
        let Kind::Choice { options, .. } = &self.kind else { return false };
        options.get(place).is_some_and(|option| option.right)
    }
}
