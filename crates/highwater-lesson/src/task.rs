//! A task: something that a reader brings about in a figure. Its steps tick themselves off when they have come true.

use highwater_scene::node::{Node, Text};
use highwater_scene::template::tree;
use highwater_scene::words::lab::not_for_this_task;

/// A step of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskStep {
    /// What is to be brought about, as HTML.
    pub words: String,
    /// What must be true then, a claim.
    pub goal: String,
    /// Whether it has come true. What was true once stays done.
    pub is_done: bool,
}

/// A task of a figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Names it on its page.
    pub id: String,
    /// What is asked for, as HTML.
    pub prompt: String,
    /// Its steps, one at least.
    pub steps: Vec<TaskStep>,
    /// The moment of the figure at which it begins.
    pub from: String,
    /// Commands that may be used; empty: all.
    pub allow: Vec<String>,
    /// Nudges, as HTML, the gentlest first.
    pub hints: Vec<String>,
    /// Whether the reader has begun.
    pub has_begun: bool,
    /// A command was typed that may not be used.
    pub refused: Option<String>,
}

impl Task {
    /// Begins anew.
    pub fn begin(&mut self) {
        self.has_begun = true;
        self.refused = None;
        for step in &mut self.steps {
            step.is_done = false;
        }
    }

    /// Looks which steps have come true. The number of those that are new.
    ///
    /// # Errors
    /// A goal cannot be decided.
    pub fn follow(
        &mut self,
        holds: impl Fn(&str) -> Result<bool, String>,
    ) -> Result<usize, String> {
        let mut new = 0;
        for step in self.steps.iter_mut().filter(|step| !step.is_done) {
            step.is_done = holds(&step.goal)?;
            new += usize::from(step.is_done);
        }
        Ok(new)
    }

    /// Whether all has come true.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.steps.iter().all(|step| step.is_done)
    }

    fn verdict(&self) -> String {
        if let Some(name) = &self.refused {
            return not_for_this_task(name, &self.allow.join(", "));
        }
        let done = self.steps.iter().filter(|step| step.is_done).count();
        match (done, self.steps.len()) {
            (0, _) => String::new(),
            (done, all) if done == all => "Done. The simulator has seen it happen.".to_owned(),
            (done, all) => format!("{done} of {all} steps are done."),
        }
    }

    /// The task as it is to be seen. In a static page nothing is `live`.
    #[must_use]
    pub fn view(&self, live: bool) -> Node {
        let html = |html: &str| Node::Html(Text::Owned(html.to_owned()));
        let mut steps = Vec::new();
        for step in &self.steps {
            let tick = step.is_done.then(|| {
                tree(
                    "<span class='task-tick'><span aria-hidden='true'>\u{2713}</span>\
                     <span class='visually-hidden'>done: </span></span>",
                    vec![],
                )
            });
            let class = if step.is_done { "task-step task-done" } else { "task-step" };
            steps.push(tree(
                "<li class='{}'>{}<span class='task-words'>{}</span></li>",
                vec![class.into(), tick.into(), html(&step.words).into()],
            ));
        }
        let mut hints = Vec::new();
        for (number, hint) in (1..).zip(&self.hints) {
            let name =
                if self.hints.len() == 1 { "Hint".to_owned() } else { format!("Hint {number}") };
            hints.push(tree(
                "<details class='quiz-hint'><summary>{}</summary><p>{}</p></details>",
                vec![name.into(), html(hint).into()],
            ));
        }
        let begin = if self.has_begun { "Begin again" } else { "Begin" };
        tree(
            "<fieldset class='quiz task'><legend class='quiz-legend'>Bring it about</legend>\
             <p class='quiz-prompt'>{}</p><ol class='task-steps'>{}</ol><div class='quiz-actions'>\
             <button type='button' class='btn btn-primary' data-do='{}' disabled='{}'>{}</button></div>{}\
             <p class='quiz-verdict' role='status'>{}</p></fieldset>",
            vec![
                html(&self.prompt).into(),
                steps.into(),
                format!("task:{}", self.id).into(),
                (!live).into(),
                begin.into(),
                hints.into(),
                self.verdict().into(),
            ],
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task() -> Task {
        let step = |goal: &str| TaskStep {
            words: "Do it.".to_owned(),
            goal: goal.to_owned(),
            is_done: false,
        };
        Task {
            id: "t".to_owned(),
            prompt: "Do.".to_owned(),
            steps: vec![step("a"), step("b")],
            from: "end".to_owned(),
            allow: Vec::new(),
            hints: Vec::new(),
            has_begun: true,
            refused: None,
        }
    }

    #[test]
    fn what_was_true_once_stays_done() {
        let mut task = task();
        assert_eq!(task.follow(|goal| Ok(goal == "a")), Ok(1));
        assert_eq!(task.follow(|goal| Ok(goal == "b")), Ok(1));
        assert!(task.is_done());
        task.begin();
        assert!(!task.is_done());
    }
}
