//! A question that is asked before its figure runs on: what was answered, and what the engine says.
//!
//! Which answer is right is never written down: it is decided by the facts of the figure's moment.

use highwater_scene::node::Node;
use highwater_scene::template::{Hole, tree};

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
        let mut options = Vec::new();
        for (value, words) in &self.options {
            options.push(self.option(value, words, live));
        }
        let buttons = if self.outcome.is_none() {
            let skip = "Show me without guessing";
            vec![
                button("Run it", "btn btn-primary", "run", live && self.can_run()),
                button(skip, "btn btn-quiet", "skip", live),
            ]
        } else {
            vec![button("Ask me again", "btn", "again", live)]
        };
        let hint = self.hint.as_ref().map(|hint| {
            tree(
                "<details class='quiz-hint'><summary>Hint</summary><p>{}</p></details>",
                vec![html(hint)],
            )
        });
        tree(
            "<fieldset class='quiz'><legend class='quiz-legend'>Predict, then run</legend>\
             <p class='quiz-prompt'>{}</p>{}<div class='quiz-actions'>{}</div>{}\
             <p class='quiz-verdict' role='status'>{}</p></fieldset>",
            vec![
                html(&self.prompt),
                options.into(),
                buttons.into(),
                hint.into(),
                self.verdict().into(),
            ],
        )
    }

    fn option(&self, value: &str, words: &str, live: bool) -> Node {
        let chosen = self.chosen.as_deref() == Some(value);
        let (mut class, mut feedback) = ("quiz-option", None);
        if let Some(outcome) = &self.outcome {
            let right = outcome.facts.iter().any(|fact| fact == value);
            if right {
                class = "quiz-option quiz-right";
                feedback = Some("This is what happened.");
            } else if chosen {
                class = "quiz-option quiz-wrong";
                feedback = Some("This did not happen.");
            }
        }
        let feedback =
            feedback.map(|words| tree("<span class='quiz-feedback'>{}</span>", vec![words.into()]));
        tree(
            "<label class='{}'><input type='radio' name='{}' value='{}' checked='{}' \
             disabled='{}'/><span>{}{}</span></label>",
            vec![
                class.into(),
                self.id.clone().into(),
                value.to_owned().into(),
                chosen.into(),
                (live && self.outcome.is_some()).into(),
                html(words),
                feedback.into(),
            ],
        )
    }
}

/// HTML that the page builder has made.
fn html(html: &str) -> Hole {
    Node::Html(html.to_owned().into()).into()
}

fn button(words: &'static str, class: &'static str, does: &str, awake: bool) -> Node {
    let does = |name: &str| does == name;
    tree(
        // The button that runs and the one that asks again are one element: the focus stays on it.
        "<button type='button' class='{}' data-quiz-run='{}' data-quiz-skip='{}' \
         data-quiz-again='{}' disabled='{}' key='{}'>{}</button>",
        vec![
            class.into(),
            does("run").into(),
            does("skip").into(),
            does("again").into(),
            (!awake).into(),
            if does("skip") { "skip" } else { "run" }.into(),
            words.into(),
        ],
    )
}
