//! A question that is asked before its figure runs on: what was answered, and what the engine says.
//!
//! Which answer is right is never written down: it is decided by the facts of the figure's moment.

use highwater_scene::node::{Node, Text, element};

/// A question, as the page has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Names it on its page.
    pub id: String,
    /// What is asked, as HTML.
    pub prompt: String,
    /// What may be chosen: the value and the words, as HTML.
    pub options: Vec<(String, String)>,
    /// A nudge, as HTML.
    pub hint: Option<String>,
    /// The step of the figure that decides.
    pub until: Option<u32>,
    /// What the figure must do to decide, as a button in the text would.
    pub action: Option<String>,
    /// What the reader has chosen.
    pub chosen: Option<String>,
    /// How it ended; nothing yet before the run.
    pub outcome: Option<Outcome>,
}

/// How a question ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The values of the right answers.
    pub facts: Vec<String>,
    /// Whether the reader only wanted to see.
    pub skipped: bool,
    /// What happened, in a sentence.
    pub because: String,
}

impl Question {
    /// Whether the reader may run now.
    #[must_use]
    pub fn can_run(&self) -> bool {
        self.chosen.is_some() && self.outcome.is_none()
    }

    /// Whether what the reader has chosen was right; nothing before the run or without an answer.
    #[must_use]
    pub fn is_right(&self) -> Option<bool> {
        let outcome = self.outcome.as_ref().filter(|outcome| !outcome.skipped)?;
        self.chosen.as_ref().map(|chosen| outcome.facts.contains(chosen))
    }

    fn verdict(&self) -> String {
        let Some(outcome) = &self.outcome else { return String::new() };
        let first = match self.is_right() {
            Some(true) => "Right. ",
            Some(false) => "Not this time. ",
            None => "Here is what happens. ",
        };
        [first, &outcome.because].concat()
    }

    /// The question as it is to be seen. `live`: the engine has loaded.
    #[must_use]
    pub fn view(&self, live: bool) -> Node {
        let options = self.options.iter().map(|(value, words)| self.option(value, words, live));
        let run = if self.outcome.is_none() {
            button("Run it", "btn btn-primary", "data-quiz-run", live && self.can_run())
        } else {
            button("Ask me again", "btn", "data-quiz-again", live)
        };
        let mut actions = element("div").class("quiz-actions").child(run);
        if self.outcome.is_none() {
            let skip = "Show me without guessing";
            actions = actions.child(button(skip, "btn btn-quiet", "data-quiz-skip", live));
        }
        let html = |html: &str| Node::Html(Text::Owned(html.to_owned()));
        let mut all = element("fieldset")
            .class("quiz")
            .child(element("legend").class("quiz-legend").text("Predict, then run"))
            .child(element("p").class("quiz-prompt").child(html(&self.prompt)))
            .children(options.collect())
            .child(actions);
        if let Some(hint) = &self.hint {
            let summary = element("summary").text("Hint");
            let words = element("p").child(html(hint));
            all = all.child(element("details").class("quiz-hint").child(summary).child(words));
        }
        let verdict = element("p").class("quiz-verdict").attr("role", "status");
        all.child(verdict.text(self.verdict())).into()
    }

    fn option(&self, value: &str, words: &str, live: bool) -> Node {
        let chosen = self.chosen.as_deref() == Some(value);
        let mut radio = element("input")
            .attr("type", "radio")
            .attr("name", self.id.clone())
            .attr("value", value.to_owned());
        if chosen {
            radio = radio.attr("checked", "");
        }
        if live && self.outcome.is_some() {
            radio = radio.attr("disabled", "");
        }
        let mut class = String::from("quiz-option");
        let mut words = element("span").child(Node::Html(Text::Owned(words.to_owned())));
        if let Some(outcome) = &self.outcome {
            let right = outcome.facts.iter().any(|fact| fact == value);
            if right || chosen {
                class.push_str(if right { " quiz-right" } else { " quiz-wrong" });
                let mark = if right { "This is what happened." } else { "This did not happen." };
                words = words.child(element("span").class("quiz-feedback").text(mark));
            }
        }
        element("label").class(class).child(radio).child(words).into()
    }
}

fn button(words: &'static str, class: &'static str, does: &'static str, awake: bool) -> Node {
    let button = element("button").attr("type", "button").class(class).attr(does, "");
    let button = if awake { button } else { button.attr("disabled", "") };
    button.text(words).into()
}
