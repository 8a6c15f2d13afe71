//! How a block of questions is to be seen: one tree for the static page and for the live one.
//!
//! Controls are the browser's own. What may be heard from them is said by data attributes: `data-ask` on the
//! fieldset is the question, `data-ask-do` on a button what it does, and `data-ask-field` on a field what it is.

mod controls;

use highwater_scene::node::Node;
use highwater_scene::template::{Hole, tree};

use super::model::{Answer, End, Kind, Question};
use super::progress::Ending;
use super::state::{Asked, Before, State};

/// The block. `live`: the page's program runs, so that something can be pressed.
#[must_use]
pub fn view(state: &State, live: bool) -> Node {
    let mut parts = Vec::new();
    for item in 0..state.asked.len() {
        if let (Some(question), Some(asked)) = (state.question(item), state.asked.get(item)) {
            parts.push(One { state, item, question, asked, live }.fieldset());
        }
    }
    tree(
        "<div class='quiz-set'>{}{}</div>",
        vec![parts.into(), (state.asked.len() > 1).then(|| score(state, live)).into()],
    )
}

/// How many are right, and what to do about the rest.
fn score(state: &State, live: bool) -> Node {
    let count = |ending| state.count(ending);
    let right = count(Ending::Right);
    let mut words = [&right.to_string(), " of ", &state.asked.len().to_string(), " right"].concat();
    for (ending, what) in [(Ending::Wrong, " wrong"), (Ending::Shown, " shown")] {
        if count(ending) > 0 {
            words.push_str(&[", ", &count(ending).to_string(), what].concat());
        }
    }
    words.push('.');
    let again = (count(Ending::Wrong) > 0)
        .then(|| button("Ask again what was wrong", "btn", "all-wrong", live));
    tree("<div class='quiz-score' key='score'><p>{}</p>{}</div>", vec![words.into(), again.into()])
}

/// One question under view.
struct One<'a> {
    state: &'a State,
    item: usize,
    question: &'a Question,
    asked: &'a Asked,
    live: bool,
}

impl One<'_> {
    fn fieldset(&self) -> Node {
        let One { question, asked, live, .. } = self;
        let class = if question.takes_several() { "quiz quiz-several" } else { "quiz" };
        let key = [&self.id(""), "-", &asked.round.to_string()].concat();
        let shared = block("quiz-shared", &question.shared);
        let prompt = tree(
            "<div class='quiz-prompt' id='{}' key='prompt'>{}</div>",
            vec![self.id("prompt").into(), html(&question.prompt)],
        );
        let why = (asked.ending.is_some()).then(|| block("quiz-why", &question.context)).flatten();
        tree(
            "<fieldset class='{}' data-ask='{}' aria-describedby='{}' key='{}'>\
             <legend class='quiz-legend'>{}{}</legend>{}{}{}{}{}{}\
             <p class='quiz-verdict' role='status' key='verdict'>{}</p>{}{}</fieldset>",
            vec![
                class.into(),
                self.item.to_string().into(),
                self.id("prompt").into(),
                key.into(),
                self.legend().into(),
                self.before().into(),
                shared.into(),
                prompt.into(),
                self.controls().into(),
                self.reason().into(),
                hints(&question.hints).into(),
                self.actions().into(),
                self.verdict().into(),
                why.into(),
                (!live).then(|| self.told()).into(),
            ],
        )
    }

    /// An id of the page.
    fn id(&self, part: &str) -> String {
        let number = (self.item + 1).to_string();
        let id = [&self.state.quiz.id, "-", &number].concat();
        if part.is_empty() { id } else { [&id, "-", part].concat() }
    }

    fn legend(&self) -> String {
        match self.state.asked.len() {
            1 => "Question".to_owned(),
            all => {
                let number = (self.item + 1).to_string();
                ["Question ", &number, " of ", &all.to_string()].concat()
            }
        }
    }

    fn before(&self) -> Option<Node> {
        let words = match self.asked.before {
            _ if self.asked.ending.is_some() => return None,
            Before::Nothing => return None,
            Before::Ended(Ending::Right) => " · right last time",
            Before::Ended(Ending::Wrong) => " · not right last time",
            Before::Ended(Ending::Shown) => " · shown last time",
            Before::Changed => " · changed since you answered",
        };
        Some(tree("<span class='quiz-before'>{}</span>", vec![words.into()]))
    }

    /// Whether the reader can still change the answer.
    fn is_open(&self) -> bool {
        self.asked.ending.is_none()
    }

    /// A place for the reader's own reason.
    fn reason(&self) -> Option<Node> {
        self.question.ask_why.then(|| {
            tree(
                "<label class='quiz-field' key='why'><span>In your own words: why? For you alone; it is \
                 neither checked nor kept.</span><textarea rows='2'></textarea></label>",
                Vec::new(),
            )
        })
    }

    fn actions(&self) -> Node {
        let live = self.live;
        let mut buttons = match self.asked.ending {
            None => vec![
                button("Check", "btn btn-primary", "check", live),
                button("Show me", "btn btn-quiet", "show", live),
            ],
            Some(_) => vec![button("Try again", "btn", "again", live)],
        };
        let variants = self.state.quiz.items.get(self.item).map_or(0, |item| item.variants.len());
        if variants > 1 {
            buttons.push(button("Try another", "btn btn-quiet", "another", live));
        }
        tree("<div class='quiz-actions' key='actions'>{}</div>", vec![buttons.into()])
    }

    fn verdict(&self) -> String {
        match self.asked.ending {
            Some(Ending::Right) => "Right.".to_owned(),
            Some(Ending::Wrong) => ["Not this time.", &self.shortfall()].concat(),
            Some(Ending::Shown) => {
                "Here is the answer. It does not count as an attempt.".to_owned()
            }
            None if self.asked.lacks => self.what_lacks().to_owned(),
            None => String::new(),
        }
    }

    fn what_lacks(&self) -> &'static str {
        match self.asked.answer {
            Answer::Chosen(_) | Answer::Traced { succeeds: None, .. } => "Choose an answer first.",
            Answer::Typed(_) => "Type an answer first.",
            Answer::Traced { .. } => "Say at which line first.",
            Answer::Ordered(_) | Answer::Matched(_) => "Choose something for each first.",
        }
    }

    /// How much of an answer was right, where it has parts.
    fn shortfall(&self) -> String {
        match (&self.asked.answer, &self.question.kind) {
            (Answer::Matched(chosen), _) => {
                let right = self.question.right_rows(chosen);
                let count = right.iter().filter(|right| **right).count();
                [" ", &count.to_string(), " of ", &right.len().to_string(), " fit."].concat()
            }
            (Answer::Chosen(chosen), Kind::Choice { several: true, options, .. }) => {
                let count = |right: bool| {
                    let differs = options.iter().zip(chosen).filter(|(option, chosen)| {
                        option.right == right && option.right != **chosen
                    });
                    differs.count()
                };
                match (count(true), count(false)) {
                    (0, many) => [" ", &many.to_string(), " too many."].concat(),
                    (missing, 0) => [" ", &missing.to_string(), " missing."].concat(),
                    (missing, many) => {
                        let (missing, many) = (missing.to_string(), many.to_string());
                        [" ", &missing, " missing, ", &many, " too many."].concat()
                    }
                }
            }
            _ => String::new(),
        }
    }

    /// The answer for a reader without the page's program: see `web/style/quiz.css` for when it is shown.
    fn told(&self) -> Node {
        let mut parts: Vec<Node> = Vec::new();
        match &self.question.kind {
            Kind::Choice { options, .. } => {
                let mut right = Vec::new();
                for option in options.iter().filter(|option| option.right) {
                    right.push(tree("<li>{}</li>", vec![html(&option.text)]));
                }
                parts.push(tree("<ul>{}</ul>", vec![right.into()]));
            }
            Kind::Short { answers, .. } => {
                parts.extend(answers.first().map(|text| right_text(text)));
            }
            Kind::Tracing { end, .. } => parts.push(right_text(&end_in_words(end))),
            Kind::Order { items, .. } => {
                let mut right = Vec::new();
                for item in items {
                    right.push(tree("<li>{}</li>", vec![html(item)]));
                }
                parts.push(tree("<ol>{}</ol>", vec![right.into()]));
            }
            Kind::Match { rows, partners } => {
                let mut right = Vec::new();
                for (words, fits) in rows {
                    let fit = partners.get(*fits).cloned().unwrap_or_default();
                    right.push(tree("<li>{}: {}</li>", vec![html(words), fit.into()]));
                }
                parts.push(tree("<ul>{}</ul>", vec![right.into()]));
            }
        }
        parts.extend(block("quiz-why", &self.question.context));
        tree(
            "<details class='quiz-told' key='told'><summary>Answer</summary>{}</details>",
            vec![parts.into()],
        )
    }
}

fn end_in_words(end: &End) -> String {
    match end {
        End::Succeeds(None) => "It succeeds.".to_owned(),
        End::Succeeds(Some(prints)) => ["It succeeds and prints:\n", prints.trim_end()].concat(),
        End::Fails(None) => "It fails.".to_owned(),
        End::Fails(Some(line)) => ["It fails at line ", &line.to_string(), "."].concat(),
    }
}

fn right_text(answer: &str) -> Node {
    tree(
        "<div class='quiz-answer' key='answer'><p>The answer:</p><pre tabindex='0'>{}</pre></div>",
        vec![answer.trim_end().to_owned().into()],
    )
}

/// Hints, each inside the one before: they open one by one, without a program too.
fn hints(hints: &[String]) -> Option<Node> {
    let mut inner: Option<Node> = None;
    for (place, hint) in hints.iter().enumerate().rev() {
        let words = match (hints.len(), place) {
            (1, _) => "Hint".to_owned(),
            (all, 0) => ["Hint, 1 of ", &all.to_string()].concat(),
            (all, place) => {
                let number = (place + 1).to_string();
                ["Another hint, ", &number, " of ", &all.to_string()].concat()
            }
        };
        inner = Some(tree(
            "<details class='quiz-hint'><summary>{}</summary><div>{}</div>{}</details>",
            vec![words.into(), html(hint), inner.into()],
        ));
    }
    inner
}

fn block(class: &'static str, words: &str) -> Option<Node> {
    (!words.is_empty()).then(|| {
        tree("<div class='{}' key='{}'>{}</div>", vec![class.into(), class.into(), html(words)])
    })
}

/// HTML that the page builder has made.
pub(super) fn html(html: &str) -> Hole {
    Node::Html(html.to_owned().into()).into()
}

/// A button; the one that checks and the one that asks again are one element, so that the focus stays.
pub(super) fn button(
    words: &'static str,
    class: &'static str,
    does: &'static str,
    live: bool,
) -> Node {
    let key = if does == "again" { "check" } else { does };
    tree(
        "<button type='button' class='{}' data-ask-do='{}' disabled='{}' key='{}'>{}</button>",
        vec![class.into(), does.into(), (!live).into(), key.into(), words.into()],
    )
}
