//! A question in the static page: a list of entries, which the page's program reads back. So nothing that reads
//! TOML or Markdown is in the program, and the page says what it asks in HTML that the builder has escaped.
//!
//! In the page an entry is an element: `<i data-k="NAME" data-v="VALUE"></i>` for plain text, and
//! `<div data-k="NAME">VALUE</div>` for HTML. Entries that follow an `option` are about it. `variant` begins
//! another variant of the same question.

use highwater_core::number::unsigned;
use highwater_scene::node::escape;

use super::card::Card;
use super::hash::{from_hex, hex};
use super::model::{Badge, Choice, End, Item, Kind, Question, Response};

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What it is.
    pub name: String,
    /// Its value: text or HTML, as the name says.
    pub value: String,
    /// Whether the value is HTML.
    pub is_html: bool,
}

#[derive(Default)]
struct Writer(Vec<Entry>);

impl Writer {
    fn put(&mut self, name: &'static str, value: &str, is_html: bool) {
        let (name, value) = (name.to_owned(), value.to_owned());
        self.0.push(Entry { name, value, is_html });
    }

    fn text(&mut self, name: &'static str, value: &str) {
        self.put(name, value, false);
    }

    fn html(&mut self, name: &'static str, value: &str) {
        if !value.is_empty() {
            self.put(name, value, true);
        }
    }

    fn flag(&mut self, name: &'static str, holds: bool) {
        if holds {
            self.text(name, "");
        }
    }

    fn question(&mut self, question: &Question) {
        self.text("variant", &hex(question.hash));
        if !question.id.is_empty() {
            self.text("id", &question.id);
        }
        for was in &question.was {
            self.text("was", &hex(*was));
        }
        self.html("shared", &question.shared);
        self.html("prompt", &question.prompt);
        self.kind(&question.kind);
        question.hints.iter().for_each(|hint| self.html("hint", hint));
        self.html("context", &question.context);
        self.flag("ask-why", question.ask_why);
    }

    fn kind(&mut self, kind: &Kind) {
        match kind {
            Kind::Choice { several, shuffle, options } => {
                self.text("kind", if *several { "several" } else { "one" });
                self.flag("shuffle", *shuffle);
                for option in options {
                    // Also where there are no words, else the next ones would be about another option.
                    self.put("option", &option.text, true);
                    self.flag("right", option.right);
                    self.html("feedback", &option.feedback);
                    match option.badge {
                        Badge::Explained => {}
                        Badge::Computed => self.text("badge", "computed"),
                        Badge::Counterexample => self.text("badge", "counterexample"),
                    }
                }
            }
            Kind::Short { response, case, answers } => {
                self.text("kind", response.name());
                self.flag("case", *case);
                answers.iter().for_each(|answer| self.text("answer", answer));
            }
            Kind::Tracing { program, end } => {
                self.text("kind", "tracing");
                self.text("program", program);
                match end {
                    End::Succeeds(prints) => {
                        self.text("succeeds", "");
                        prints.iter().for_each(|prints| self.text("prints", prints));
                    }
                    End::Fails(line) => {
                        line.iter().for_each(|line| self.text("line", &line.to_string()));
                    }
                }
            }
            Kind::Order { items, before } => {
                self.text("kind", "order");
                items.iter().for_each(|item| self.put("item", item, true));
                for (first, then) in before {
                    self.text("before", &pair(*first, *then));
                }
            }
            Kind::Match { rows, partners } => {
                self.text("kind", "match");
                for (row, partner) in rows {
                    self.put("row", row, true);
                    self.text("fits", &partner.to_string());
                }
                partners.iter().for_each(|partner| self.text("partner", partner));
            }
        }
    }
}

fn pair(first: usize, then: usize) -> String {
    [&first.to_string(), " ", &then.to_string()].concat()
}

/// The entries of a question with all its variants.
#[must_use]
pub fn entries(item: &Item) -> Vec<Entry> {
    let mut writer = Writer::default();
    item.variants.iter().for_each(|variant| writer.question(variant));
    writer.0
}

/// The entries of a card.
#[must_use]
pub fn card_entries(card: &Card) -> Vec<Entry> {
    let mut writer = Writer::default();
    writer.text("card", &hex(card.hash));
    writer.put("front", &card.front, true);
    writer.put("back", &card.back, true);
    writer.0
}

/// The entries as the page has them.
#[must_use]
pub fn to_html(entries: &[Entry]) -> String {
    let mut out = String::new();
    for Entry { name, value, is_html } in entries {
        if *is_html {
            out.push_str(&["<div data-k=\"", name, "\">", value, "</div>\n"].concat());
            continue;
        }
        out.push_str(&["<i data-k=\"", name, "\""].concat());
        if !value.is_empty() {
            out.push_str(" data-v=\"");
            escape(value, &mut out);
            out.push('"');
        }
        out.push_str("></i>\n");
    }
    out
}

/// Reads a question back; `None`: this is none.
#[must_use]
pub fn read(entries: Vec<Entry>) -> Option<Item> {
    let mut item = Item::default();
    for Entry { name, value, .. } in entries {
        if name == "variant" {
            let hash = from_hex(&value)?;
            item.variants.push(Question { hash, ..Question::default() });
        } else {
            take(item.variants.last_mut()?, &name, value)?;
        }
    }
    (!item.variants.is_empty()).then_some(item)
}

/// Reads a card back.
#[must_use]
pub fn read_card(entries: Vec<Entry>) -> Option<Card> {
    let mut card = Card::default();
    for Entry { name, value, .. } in entries {
        match &*name {
            "card" => card.hash = from_hex(&value)?,
            "front" => card.front = value,
            "back" => card.back = value,
            _ => return None,
        }
    }
    Some(card)
}

fn take(question: &mut Question, name: &str, value: String) -> Option<()> {
    match name {
        "id" => question.id = value,
        "was" => question.was.push(from_hex(&value)?),
        "shared" => question.shared = value,
        "prompt" => question.prompt = value,
        "kind" => question.kind = kind(&value)?,
        "hint" => question.hints.push(value),
        "context" => question.context = value,
        "ask-why" => question.ask_why = true,
        _ => return take_part(&mut question.kind, name, value),
    }
    Some(())
}

fn kind(name: &str) -> Option<Kind> {
    Some(match name {
        "one" | "several" => {
            Kind::Choice { several: name == "several", shuffle: false, options: Vec::new() }
        }
        "tracing" => Kind::Tracing { program: String::new(), end: End::Fails(None) },
        "order" => Kind::Order { items: Vec::new(), before: Vec::new() },
        "match" => Kind::Match { rows: Vec::new(), partners: Vec::new() },
        _ => {
            let response = Response::ALL.into_iter().find(|it| it.name() == name)?;
            Kind::Short { response, case: false, answers: Vec::new() }
        }
    })
}

fn take_part(kind: &mut Kind, name: &str, value: String) -> Option<()> {
    match (kind, name) {
        (Kind::Choice { shuffle, .. }, "shuffle") => *shuffle = true,
        (Kind::Choice { options, .. }, "option") => {
            options.push(Choice { text: value, ..Choice::default() });
        }
        (Kind::Choice { options, .. }, _) => {
            let option = options.last_mut()?;
            match name {
                "right" => option.right = true,
                "feedback" => option.feedback = value,
                "badge" if value == "computed" => option.badge = Badge::Computed,
                "badge" => option.badge = Badge::Counterexample,
                _ => return None,
            }
        }
        (Kind::Short { case, .. }, "case") => *case = true,
        (Kind::Short { answers, .. }, "answer") => answers.push(value),
        (Kind::Tracing { program, .. }, "program") => *program = value,
        (Kind::Tracing { end, .. }, "succeeds") => *end = End::Succeeds(None),
        (Kind::Tracing { end, .. }, "prints") => *end = End::Succeeds(Some(value)),
        (Kind::Tracing { end, .. }, "line") => {
            *end = End::Fails(Some(u32::try_from(unsigned(&value)?).ok()?));
        }
        (Kind::Order { items, .. }, "item") => items.push(value),
        (Kind::Order { before, .. }, "before") => {
            let (first, then) = value.split_once(' ')?;
            before.push((place(first)?, place(then)?));
        }
        (Kind::Match { rows, .. }, "row") => rows.push((value, 0)),
        (Kind::Match { rows, .. }, "fits") => rows.last_mut()?.1 = place(&value)?,
        (Kind::Match { partners, .. }, "partner") => partners.push(value),
        _ => return None,
    }
    Some(())
}

fn place(text: &str) -> Option<usize> {
    usize::try_from(unsigned(text)?).ok()
}
