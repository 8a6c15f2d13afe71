//! Recall cards as they are to be seen, the list of cards that are due, and what can be done with progress.

use highwater_scene::node::Node;
use highwater_scene::template::tree;

use super::card::{Card, to_anki};
use super::keeper::{Keeper, Store};
use super::progress::Progress;
use super::schedule::{Grade, Schedule};
use super::view::{button, html};

/// The cards of a lesson, as the reader has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deck {
    /// The lesson that they belong to.
    pub lesson: String,
    /// The cards.
    pub cards: Vec<Card>,
    /// What the reader has said of each during this visit, and where it stood before.
    graded: Vec<Option<(Grade, Schedule)>>,
}

impl Deck {
    /// Cards of which nothing has been said.
    #[must_use]
    pub fn new(lesson: String, cards: Vec<Card>) -> Self {
        let graded = vec![None; cards.len()];
        Self { lesson, cards, graded }
    }

    /// The reader says how well a card was known: its hash and its schedule from now on. Whoever says it
    /// again takes back what was said before.
    pub fn grade(
        &mut self,
        card: usize,
        grade: Grade,
        progress: &Progress,
        today: u32,
    ) -> Option<(u64, Schedule)> {
        let hash = self.cards.get(card)?.hash;
        let graded = self.graded.get_mut(card)?;
        let kept = progress.card(hash).map_or(Schedule::NEW, |kept| kept.schedule);
        let before = graded.map_or(kept, |(_, before)| before);
        *graded = Some((grade, before));
        Some((hash, before.after(grade, today)))
    }

    /// The deck. `live`: the page's program runs.
    #[must_use]
    pub fn view(&self, progress: &Progress, today: u32, live: bool) -> Node {
        let mut cards = Vec::new();
        for (place, card) in self.cards.iter().enumerate() {
            cards.push(self.card(place, card, progress, today, live));
        }
        let name = ["highwater-", &self.lesson, ".txt"].concat();
        let anki = if live {
            tree(
                "<a class='btn btn-quiet' download='{}' href='{}'>Export to Anki</a>",
                vec![name.into(), data_url(&to_anki(&self.lesson, &self.cards)).into()],
            )
        } else {
            button("Export to Anki", "btn btn-quiet", "anki", false)
        };
        tree(
            "<div class='cards'><p class='cards-say'>Think of the answer, open the card, and say how well \
             you knew it. It comes back when you are about to forget it.</p>{}\
             <div class='quiz-actions'>{}</div></div>",
            vec![cards.into(), anki.into()],
        )
    }

    fn card(&self, place: usize, card: &Card, progress: &Progress, today: u32, live: bool) -> Node {
        let graded = self.graded.get(place).copied().flatten();
        let mut buttons = Vec::new();
        for grade in Grade::ALL {
            let pressed = graded.is_some_and(|(chosen, _)| chosen == grade);
            buttons.push(tree(
                "<button type='button' class='btn' data-ask-do='grade' data-ask-at='{}' \
                 aria-pressed='{}' disabled='{}'>{}</button>",
                vec![
                    (grade as i32).into(),
                    if pressed { "true" } else { "false" }.into(),
                    (!live).into(),
                    grade.words().into(),
                ],
            ));
        }
        let kept = progress.card(card.hash).map(|kept| kept.schedule);
        let said = graded.and(kept).map(|schedule| {
            ["It comes back ", &in_days(schedule.due.saturating_sub(today)), "."].concat()
        });
        tree(
            "<details class='card' data-card='{}'><summary><span class='card-front'>{}</span> \
             <span class='card-when'>{}</span></summary><div class='card-back'>{}</div>\
             <div class='card-grades' role='group' aria-label='How well did you know it?'>{}</div>\
             <p class='card-said' role='status'>{}</p></details>",
            vec![
                place.to_string().into(),
                html(&card.front),
                when(kept, today).into(),
                html(&card.back),
                buttons.into(),
                said.unwrap_or_default().into(),
            ],
        )
    }
}

fn when(kept: Option<Schedule>, today: u32) -> String {
    match kept {
        None => "new".to_owned(),
        Some(schedule) if schedule.is_due(today) => "due".to_owned(),
        Some(schedule) => in_days(schedule.due.saturating_sub(today)),
    }
}

fn in_days(days: u32) -> String {
    match days {
        0 => "today".to_owned(),
        1 => "tomorrow".to_owned(),
        days => ["in ", &days.to_string(), " days"].concat(),
    }
}

/// A lesson in the list of what is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lesson {
    /// Its id.
    pub id: String,
    /// Where its cards are.
    pub address: String,
    /// Its title, as text.
    pub title: String,
}

/// The cards that are due, by lesson; nothing where none is.
#[must_use]
pub fn due(lessons: &[Lesson], progress: &Progress, today: u32) -> Node {
    let mut rows = Vec::new();
    let mut sum = 0;
    let due = progress.due(today);
    for lesson in lessons {
        let Some((_, count)) = due.iter().find(|(id, _)| *id == lesson.id) else { continue };
        sum += count;
        rows.push(tree(
            "<li><a href='{}'>{}</a>: {}</li>",
            vec![lesson.address.clone().into(), lesson.title.clone().into(), cards(*count).into()],
        ));
    }
    if rows.is_empty() {
        return tree("<div class='due'></div>", Vec::new());
    }
    let verb = if sum == 1 { " is due for review." } else { " are due for review." };
    tree(
        "<div class='due'><p>{}</p><ul>{}</ul></div>",
        vec![[&cards(sum), verb].concat().into(), rows.into()],
    )
}

fn cards(count: u32) -> String {
    if count == 1 { "1 card".to_owned() } else { [&count.to_string(), " cards"].concat() }
}

/// What can be done with progress. Without a program (`None`) it says what there would be.
#[must_use]
pub fn progress_panel<S: Store>(keeper: Option<&Keeper<S>>) -> Node {
    let live = keeper.is_some();
    let says =
        keeper.map_or("Your answers are kept in this browser and nowhere else.", Keeper::says);
    let save = match keeper {
        Some(keeper) => tree(
            "<a class='btn' download='highwater-progress.txt' href='{}' key='save'>Save to a file</a>",
            vec![data_url(&keeper.export()).into()],
        ),
        None => button("Save to a file", "btn", "save", false),
    };
    let load = tree(
        "<label class='btn quiz-load' key='load'>Load from a file\
         <input type='file' accept='.txt,text/plain' class='visually-hidden' data-ask-field='file' \
         disabled='{}'/></label>",
        vec![(!live).into()],
    );
    let clear = if keeper.is_some_and(Keeper::can_undo) {
        clear_button("Undo", "undo", live)
    } else {
        clear_button("Clear", "clear", live)
    };
    tree(
        "<div class='quiz-data'><p>{}</p><div class='quiz-actions'>{}{}{}</div>\
         <p class='quiz-news' role='status'>{}</p></div>",
        vec![
            says.into(),
            save.into(),
            load.into(),
            clear.into(),
            keeper.map(|keeper| keeper.news().to_owned()).unwrap_or_default().into(),
        ],
    )
}

/// Both are one element: the focus stays on it.
fn clear_button(words: &'static str, does: &'static str, live: bool) -> Node {
    tree(
        "<button type='button' class='btn btn-quiet' data-ask-do='{}' disabled='{}' key='clear'>{}</button>",
        vec![does.into(), (!live).into(), words.into()],
    )
}

/// An address that is a text itself: a link with `download` saves it without a server.
#[must_use]
pub fn data_url(text: &str) -> String {
    let mut out = "data:text/plain;charset=utf-8,".to_owned();
    percent(text, &mut out);
    out
}

/// Writes a text so that it can stand in an address.
pub fn percent(text: &str, out: &mut String) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push('%');
            for digit in [byte >> 4, byte & 15] {
                out.push(char::from(b"0123456789ABCDEF"[usize::from(digit)]));
            }
        }
    }
}

/// What [`percent`] has written; `None` where that is no text.
#[must_use]
pub fn from_percent(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16);
        bytes.push(u8::try_from(digit()? * 16 + digit()?).ok()?);
    }
    String::from_utf8(bytes).ok()
}
