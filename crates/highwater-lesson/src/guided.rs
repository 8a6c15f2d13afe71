//! A figure of a whole cluster with the questions of its lesson: what is answered, and what the figure says to it.
//!
//! Which answer is right is computed: each carries a claim, and the figure decides at its moment which claims hold.

use highwater_lab::exhibit::Exhibit;
use highwater_lab::{Heard, Wish};
use highwater_scene::node::Node;

use crate::question::{Outcome, Question};
use crate::task::Task;
use crate::walk::Walk;

/// A question of a figure.
#[derive(Clone, Debug)]
pub struct Asked {
    /// What is asked, and what the reader has made of it.
    pub question: Question,
    /// The moment that decides.
    pub moment: String,
    /// The value of each answer with what it claims.
    pub claims: Vec<(String, String)>,
}

/// A figure and its questions.
#[derive(Debug)]
pub struct Guided {
    figure: Exhibit,
    asked: Vec<Asked>,
    walks: Vec<Walk>,
    tasks: Vec<Task>,
    wishes: Vec<Wish>,
}

/// What stands in `data-do` before the question's name.
const QUIZ: &str = "quiz:";

impl Guided {
    /// A figure with the questions, the listings and the tasks that the page has for it.
    #[must_use]
    pub fn new(mut figure: Exhibit, asked: Vec<Asked>, walks: Vec<Walk>, tasks: Vec<Task>) -> Self {
        if asked.is_empty() {
            // Nothing is to be found out.
            figure.tell_setup();
        }
        Self { figure, asked, walks, tasks, wishes: Vec::new() }
    }

    /// The figure.
    #[must_use]
    pub fn figure(&self) -> &Exhibit {
        &self.figure
    }

    /// The questions.
    #[must_use]
    pub fn asked(&self) -> &[Asked] {
        &self.asked
    }

    /// Hears something. Whether the browser must not do what it would do by itself.
    pub fn hear(&mut self, heard: Heard) -> bool {
        match &heard {
            Heard::Press(does) => {
                if let Some((id, verb)) = of_question(does) {
                    self.answer(id, verb);
                    return false;
                }
                if let Some(id) = does.strip_prefix("task:") {
                    self.begin(id);
                    return false;
                }
            }
            Heard::Value { does, value } => {
                if let Some((id, _)) = of_question(does) {
                    if let Some(asked) = self.asked.iter_mut().find(|asked| asked.question.id == id)
                    {
                        asked.question.chosen = Some(value.clone());
                    }
                    return false;
                }
            }
            _ => {}
        }
        let prevents = self.figure.hear(heard);
        self.follow_tasks();
        prevents
    }

    /// Leads the figure to where a task begins, with the terminal open.
    fn begin(&mut self, id: &str) {
        let Some(task) = self.tasks.iter_mut().find(|task| task.id == id) else { return };
        task.begin();
        self.figure.allow(&task.allow);
        // It is a moment of this figure.
        let _ = self.figure.show(&task.from);
        self.figure.open_terminal();
    }

    /// Ticks off what the reader has brought about; what the lesson itself shows does not count.
    fn follow_tasks(&mut self) {
        let refused = &self.figure.gate().refused;
        for task in self.tasks.iter_mut().filter(|task| task.has_begun && !task.is_done()) {
            task.refused.clone_from(refused);
        }
        if !self.figure.is_own() {
            return;
        }
        for task in self.tasks.iter_mut().filter(|task| task.has_begun) {
            // A goal that cannot be decided now may be decided later.
            let _ = task.follow(|goal| self.figure.holds(goal));
        }
        if self.tasks.iter().all(|task| !task.has_begun || task.is_done()) {
            // Who is done may do what they like.
            self.figure.allow(&[]);
        }
    }

    fn answer(&mut self, id: &str, verb: &str) {
        let Some(asked) = self.asked.iter_mut().find(|asked| asked.question.id == id) else {
            return;
        };
        let question = &mut asked.question;
        if verb == "again" {
            question.chosen = None;
            question.outcome = None;
            return;
        }
        if verb == "run" && !question.can_run() {
            return;
        }
        let skipped = verb == "skip";
        if skipped {
            question.chosen = None;
            // The button that was pressed goes; the focus goes to what stands there instead.
            let again = format!("[data-quiz='{id}'] [data-quiz-again]");
            self.wishes.push(Wish::Focus(again));
        }
        let decided = decide(&mut self.figure, &asked.moment, &asked.claims);
        let because = match &decided {
            Ok(_) => self.figure.hand_over_sentence(),
            Err(trouble) => trouble.clone(),
        };
        let facts = decided.unwrap_or_default();
        // Who has answered may know what the answer was kept from.
        self.figure.tell_setup();
        asked.question.outcome = Some(Outcome { facts, skipped, because });
    }

    /// The figure.
    pub fn view(&mut self) -> Node {
        self.figure.view()
    }

    /// The tasks.
    #[must_use]
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// The questions, then the listings and the tasks, each for its own place.
    #[must_use]
    pub fn parts(&self) -> Vec<Node> {
        let questions = self.asked.iter().map(|asked| &asked.question);
        let questions = questions.map(|question| with_deeds(question.view(true), &question.id));
        let doing = self.figure.doing();
        let walks = self.walks.iter().map(|walk| walk.view(&doing));
        questions.chain(walks).chain(self.tasks.iter().map(|task| task.view(true))).collect()
    }

    /// In how many ms it wants to hear [`Heard::Tick`].
    #[must_use]
    pub fn delay(&self) -> Option<u32> {
        self.figure.delay()
    }

    /// What the page is to do now, in this order, after it has drawn.
    pub fn take_wishes(&mut self) -> Vec<Wish> {
        let mut wishes = self.figure.take_wishes();
        wishes.append(&mut self.wishes);
        wishes
    }

    /// The reader's commands so far, one a line.
    #[must_use]
    pub fn commands(&self) -> String {
        self.figure.commands()
    }
}

/// Leads the figure to the moment, and returns the values of the answers whose claims hold there.
///
/// # Errors
/// There is no such moment, or a claim cannot be decided.
pub fn decide(
    figure: &mut Exhibit,
    moment: &str,
    claims: &[(String, String)],
) -> Result<Vec<String>, String> {
    figure.show(moment)?;
    let mut facts = Vec::new();
    for (value, claim) in claims {
        if figure.holds(claim)? {
            facts.push(value.clone());
        }
    }
    Ok(facts)
}

/// The question and what is done with it.
fn of_question(does: &str) -> Option<(&str, &str)> {
    does.strip_prefix(QUIZ)?.rsplit_once(':')
}

/// The question with a `data-do` at each of its controls, as the page of the Lab hears them.
fn with_deeds(node: Node, id: &str) -> Node {
    let Node::Element(mut element) = node else { return node };
    let verb = ["run", "skip", "again"].into_iter().find(|verb| {
        element.attributes.iter().any(|(name, _)| name.strip_prefix("data-quiz-") == Some(verb))
    });
    let verb = if element.tag == "input" { Some("choose") } else { verb };
    if let Some(verb) = verb {
        element.attributes.push(("data-do", format!("{QUIZ}{id}:{verb}").into()));
    }
    let children = std::mem::take(&mut element.children);
    element.children = children.into_iter().map(|child| with_deeds(child, id)).collect();
    Node::Element(element)
}
