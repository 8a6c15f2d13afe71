//! A figure of a lesson: a transcript that was played, with the way back and forth through it, its captions, and
//! everything of the Lab that a reader needs to change it and to ask why.
//!
//! The reader's own run and the lesson's are two: a button of the text, or a question, leads back to the lesson's,
//! and the own one waits behind "Back to my run".

mod doing;
mod scope;
mod view;

pub use doing::DOINGS;

use highwater_scene::thing::Thing;
use highwater_shell::transcript::Transcript;

use crate::claim::{Claim, Mistake};
use crate::figure::{View, own_topics};
use crate::gate::Gate;
use crate::heard::Heard;
use crate::lab::{Lab, Room};
use crate::moment::{END, Moments, START};
use crate::run::Run;
use crate::start::{Scene, play};
use crate::wish::Wish;

/// What a lesson says of a figure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Names it on its page; ids inside begin with it.
    pub id: String,
    /// Its name for a reader by ear.
    pub label: String,
    /// The sentence above the drawing before anything was done, as HTML.
    pub say: String,
    /// What to look at, as HTML; empty: nothing in particular.
    pub watch: String,
    /// The transcript, with what it goes on from.
    pub text: String,
    /// The moment of the first frame, see [`Moments::names`].
    pub at: String,
    /// The moment at which the figure begins: what was done before is kept from the reader until
    /// [`Exhibit::tell_setup`]. Empty: nothing is.
    pub setup: String,
    /// Which drawing.
    pub view: View,
    /// Of which topic; empty: the first.
    pub topic: String,
    /// The partition whose replicas are drawn record by record.
    pub partition: Option<i32>,
    /// What is marked, as [`Thing::parse`] reads it.
    pub mark: String,
    /// Whether the terminal is unfolded from the start.
    pub is_terminal_open: bool,
}

/// A figure of a lesson, and what the reader has made of it.
#[derive(Debug)]
pub struct Exhibit {
    plan: Plan,
    lab: Lab,
    /// The lesson's run, at its end.
    lesson: Run,
    moments: Moments,
    /// The steps of the world after each command of the lesson.
    after: Vec<u64>,
    /// Where in it the reader was, in steps of the world.
    lesson_at: u64,
    /// The reader's run, while the lesson's is shown.
    own: Option<Box<Run>>,
    /// Whether the reader's run is shown.
    is_own: bool,
    is_terminal_open: bool,
    /// Whether nothing was done yet, so that the lesson's own sentence stands above the drawing.
    is_opening: bool,
    marked: Option<Thing>,
    /// The commands that prepared it, once they are told.
    setup: Option<Vec<String>>,
    /// The engine runs; a static page's figure is not live.
    is_live: bool,
}

impl Exhibit {
    /// The figure at its first frame.
    ///
    /// # Errors
    /// Its transcript cannot be played, it has no such moment, or no such thing can be marked.
    pub fn new(plan: Plan, room: Room, is_live: bool) -> Result<Self, String> {
        let transcript = Transcript::parse(&plan.text).map_err(|error| error.to_string())?;
        let moments = Moments::of(&transcript).map_err(|error| error.to_string())?;
        let lesson = play(&plan.text)?;
        let after = moments.places(&lesson).iter().skip(1).map(|place| place.step).collect();
        let scene = Scene {
            id: plan.id.clone(),
            title: plan.label.clone(),
            view: plan.view,
            topic: Some(plan.topic.clone()).filter(|topic| !topic.is_empty()),
            text: plan.text.clone(),
            ..Scene::default()
        };
        let mut lab = Lab::of(lesson.clone(), scene, room);
        lab.story_ends = Some(lesson.steps());
        lab.keeps_futures = false;
        let marked = match plan.mark.as_str() {
            "" => None,
            mark => Some(Thing::parse(mark).ok_or_else(|| no_such_mark(mark))?),
        };
        let is_terminal_open = plan.is_terminal_open;
        let mut figure = Self {
            plan,
            lab,
            lesson,
            moments,
            after,
            lesson_at: 0,
            own: None,
            is_own: false,
            is_terminal_open,
            is_opening: true,
            marked,
            setup: None,
            is_live,
        };
        figure.open_partition();
        figure.begin()?;
        let at = figure.plan.at.clone();
        figure.seek(&at)?;
        figure.forget_doings();
        Ok(figure)
    }

    /// Begins where the lesson wants it: both runs know what lies before.
    fn begin(&mut self) -> Result<(), String> {
        if self.plan.setup.is_empty() {
            return Ok(());
        }
        let (setup, at) = (self.plan.setup.clone(), self.plan.at.clone());
        let mistake = |mistake: Mistake| mistake.to_string();
        if self.moments.passed(&at).map_err(mistake)?
            < self.moments.passed(&setup).map_err(mistake)?
        {
            return Err(format!("`at={at}` lies before `setup={setup}`, which nobody sees"));
        }
        for run in [&mut self.lab.run, &mut self.lesson] {
            let end = run.steps();
            run.seek_to_moment(&self.moments, &setup).map_err(mistake)?;
            run.begin_here();
            run.seek_step(end);
        }
        Ok(())
    }

    /// Tells from now on what was done before the figure began.
    pub fn tell_setup(&mut self) {
        if !self.plan.setup.is_empty() {
            self.setup =
                self.moments.commands_before(&self.plan.setup).map(<[String]>::to_vec).ok();
        }
    }

    /// The names of the moments that a lesson can speak of.
    #[must_use]
    pub fn moments(&self) -> Vec<&str> {
        self.moments.names()
    }

    /// The run that is shown.
    #[must_use]
    pub fn run(&self) -> &Run {
        self.lab.run()
    }

    /// Names it on its page.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.plan.id
    }

    /// Whether the reader's own run is shown.
    #[must_use]
    pub fn is_own(&self) -> bool {
        self.is_own
    }

    /// Whether a claim holds at the present moment.
    ///
    /// # Errors
    /// It cannot be read or decided, and why.
    pub fn holds(&self, claim: &str) -> Result<bool, String> {
        let claim = Claim::parse(claim).map_err(|error| error.to_string())?;
        claim.holds(self.run()).map_err(|error| error.to_string())
    }

    /// One sentence about the moment.
    #[must_use]
    pub fn sentence(&self) -> String {
        self.caption().unwrap_or_else(|| self.lab.sentence())
    }

    /// Leads to a moment of the lesson; what the reader did stays behind "Back to my run".
    ///
    /// # Errors
    /// There is no such moment.
    pub fn show(&mut self, moment: &str) -> Result<(), String> {
        self.lab.playing = false;
        self.go_to_lesson();
        self.seek(moment)?;
        self.is_opening = false;
        self.arrive();
        Ok(())
    }

    /// Shows the lesson's run; the reader's waits.
    fn go_to_lesson(&mut self) {
        if std::mem::take(&mut self.is_own) {
            let own = std::mem::replace(&mut self.lab.run, self.lesson.clone());
            self.own = Some(Box::new(own));
        }
    }

    /// At another moment nothing is said or asked any more of the one before.
    fn arrive(&mut self) {
        self.lab.note = None;
        self.lab.asked = None;
        self.lab.story_ends = (!self.is_own).then(|| self.lesson.steps());
        self.lab.moved();
    }

    /// Unfolds the terminal, and leads the keyboard there.
    pub fn open_terminal(&mut self) {
        self.is_terminal_open = true;
        self.lab.wishes.push(Wish::Focus(crate::acts::PROMPT.to_owned()));
    }

    /// Lets the reader use these commands only; empty: all.
    pub fn allow(&mut self, names: &[String]) {
        self.lab.gate = Gate { allow: names.to_vec(), refused: None };
    }

    /// Which commands may be used, and which one was refused.
    #[must_use]
    pub fn gate(&self) -> &Gate {
        &self.lab.gate
    }

    /// Says nothing by ear about the moment: somebody else does.
    pub fn hand_over_sentence(&mut self) -> String {
        self.lab.announce.clear();
        self.sentence()
    }

    /// Hears something. Whether the browser must not do what it would do by itself.
    pub fn hear(&mut self, heard: Heard) -> bool {
        let heard = match heard {
            // What stands in the address is not for a figure of a page.
            Heard::Fragment(_) | Heard::File { .. } => return false,
            heard => heard,
        };
        if let Heard::Press(does) = &heard
            && self.press(does)
        {
            return false;
        }
        if !self.is_own {
            self.lesson_at = self.run().steps();
        }
        let by_itself = matches!(heard, Heard::Tick | Heard::Room(_) | Heard::Hidden(_));
        let inputs = self.lab.inputs_given;
        let prevents = self.lab.hear(heard);
        if !by_itself {
            self.is_opening = false;
        }
        if self.lab.inputs_given != inputs {
            // From here on it is the reader's run, which goes on without end.
            self.is_own = true;
            self.own = None;
            self.lab.other = None;
            self.lab.story_ends = None;
        }
        prevents
    }

    /// What only a figure knows. Whether it was that.
    fn press(&mut self, does: &str) -> bool {
        match does.split_once(':').unwrap_or((does, "")) {
            ("terminal", _) => {
                if self.is_terminal_open {
                    self.is_terminal_open = false;
                } else {
                    self.open_terminal();
                }
            }
            ("show", moment) => {
                let moment = moment.to_owned();
                if let Err(trouble) = self.show(&moment) {
                    self.lab.tell(trouble);
                }
                self.lab.wishes.push(Wish::Reveal(".lab-draw".to_owned()));
            }
            ("own-run", _) => self.swap_runs(),
            ("play", _) if !self.is_own && self.is_at_end() && !self.lab.playing => {
                // At the end, playing begins anew.
                let at = self.plan.at.clone();
                let begin = if at == END { START } else { &at };
                // It is a moment of this figure.
                let _ = self.seek(begin);
                self.is_opening = false;
                return false;
            }
            ("open-lab", _) => self.open_in_lab(),
            _ => return false,
        }
        true
    }

    fn is_at_end(&self) -> bool {
        self.lab.story_ends.is_some_and(|end| self.run().steps() >= end)
    }

    /// The lesson's run for the reader's, or the other way round.
    fn swap_runs(&mut self) {
        self.lab.playing = false;
        if self.is_own {
            self.go_to_lesson();
            self.lab.run.seek_step(self.lesson_at);
        } else if let Some(own) = self.own.take() {
            self.lesson_at = self.run().steps();
            self.lab.run = *own;
            self.is_own = true;
        } else {
            return;
        }
        self.lab.figure.scroll = 0;
        self.arrive();
    }

    /// The whole Lab, at this moment of this run.
    fn open_in_lab(&mut self) {
        match self.lab.link() {
            Ok(fragment) => self.lab.wishes.push(Wish::Visit { page: "lab/", fragment }),
            Err(error) => self.lab.tell(error.to_string()),
        }
    }

    fn seek(&mut self, moment: &str) -> Result<(), String> {
        let moment = if moment.is_empty() { END } else { moment };
        let sought = self.lab.run.seek_to_moment(&self.moments, moment);
        sought.map_err(|error| error.to_string())?;
        let begins = self.lab.run.begins_at();
        if self.lab.run.steps() < begins {
            self.lab.run.seek_step(begins);
        }
        self.lab.figure.scroll = 0;
        Ok(())
    }

    /// The replicas that the lesson wants to be seen record by record.
    fn open_partition(&mut self) {
        let Some(partition) = self.plan.partition else { return };
        let snapshot = self.lesson.snapshot();
        let first = own_topics(&snapshot).first().copied().unwrap_or_default();
        let topic = if self.plan.topic.is_empty() { first } else { &self.plan.topic };
        self.lab.figure.opened = Some((topic.to_owned(), partition));
    }

    fn forget_doings(&mut self) {
        self.lab.wishes.clear();
        self.lab.announce.clear();
        self.lab.note = None;
    }

    /// The author's words for the command that was run last, in the lesson's run.
    fn caption(&self) -> Option<String> {
        if self.is_own || self.run().position() == 0 {
            return None;
        }
        let here = self.run().steps();
        // The command under way counts: its caption says what is about to be seen.
        let done = self.after.iter().take_while(|step| **step < here).count();
        let said = self.moments.said(done).join(" ");
        (!said.is_empty() && done < self.after.len()).then_some(said)
    }

    /// In how many ms it wants to hear [`Heard::Tick`].
    #[must_use]
    pub fn delay(&self) -> Option<u32> {
        self.lab.delay()
    }

    /// What the page is to do now, in this order, after it has drawn.
    pub fn take_wishes(&mut self) -> Vec<Wish> {
        let wishes = self.lab.take_wishes().into_iter();
        // A page keeps nothing of its figures, and its address names headings.
        let wishes = wishes.filter(|wish| !matches!(wish, Wish::Keep { .. } | Wish::Fragment(_)));
        wishes.map(|wish| scope::wish(wish, &self.plan.id)).collect()
    }

    /// Every command of the reader's run, one a line, for whoever wants to keep them; also while it waits.
    #[must_use]
    pub fn commands(&self) -> String {
        match &self.own {
            _ if self.is_own => self.lab.commands(),
            Some(own) => own.commands(),
            None => String::new(),
        }
    }
}

fn no_such_mark(mark: &str) -> String {
    format!(
        "`{mark}` is nothing that can be marked; write for example `record:orders-0:3` or `broker:2`"
    )
}
