//! The Lab's state and what it hears. What it does then is in `acts`, what is to be seen in `view`.

use highwater_core::ids::{EventId, TerminalId};
use highwater_core::world::options::ClusterOptions;
use highwater_scene::thing::Thing;

use crate::deeds::OpenForm;
use crate::figure::Figure;
use crate::gate::Gate;
use crate::heard::Heard;
use crate::run::Run;
use crate::start::{self, Kind, Scene};
use crate::terminal::Terminals;
use crate::transport::Speed;
use crate::wish::Wish;

/// How much room there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// The width of the figure's drawing in px (`.lab-draw`).
    pub width: i32,
    /// The root font size in px.
    pub font: i32,
    /// Whether things may move.
    pub motion: bool,
}

/// What the page knows when it opens the Lab.
#[derive(Clone, Debug, Default)]
pub struct Opening {
    /// What stands behind the `#` of the address.
    pub fragment: String,
    /// What the last visit has kept, by name (see [`Wish::Keep`]).
    pub kept: Vec<(String, String)>,
}

/// The name under which the run is kept.
pub const KEPT_RUN: &str = "highwater:lab";
/// The name under which a kept run is set aside that could not be read.
pub const KEPT_DAMAGED: &str = "highwater:lab-damaged";
/// The name under which another future is kept.
pub const KEPT_OTHER: &str = "highwater:lab-other";
/// The names under which something may have been kept.
pub const KEPT: &[&str] = &[KEPT_RUN, KEPT_OTHER, KEPT_DAMAGED];

/// The Lab.
#[derive(Debug)]
pub struct Lab {
    pub(crate) room: Room,
    pub(crate) wishes: Vec<Wish>,
    pub(crate) run: Run,
    /// Another future of the same past.
    pub(crate) other: Option<Box<Run>>,
    pub(crate) comparing: bool,
    /// What was replaced by a restart or another beginning.
    pub(crate) before: Option<Box<Before>>,
    /// Where the run began.
    pub(crate) scene: Scene,
    pub(crate) figure: Figure,
    pub(crate) terminals: Terminals,
    /// What was asked about.
    pub(crate) asked: Option<Thing>,
    pub(crate) form: Option<OpenForm>,
    pub(crate) forms_opened: u32,
    /// A link stands in the page's address.
    pub(crate) is_addressed: bool,
    /// The menu that is open.
    pub(crate) menu: Option<String>,
    /// What a run can begin with: kind, id and title.
    pub(crate) beginnings: Vec<(Kind, &'static str, String)>,
    /// The beginning that is chosen in the list, and not begun yet.
    pub(crate) chosen: Option<String>,
    /// The event by which the last command's record got its partition, while nothing else was done.
    pub(crate) placed: Option<EventId>,
    pub(crate) playing: bool,
    pub(crate) hidden: bool,
    pub(crate) detail: bool,
    pub(crate) speed: Speed,
    /// Something to say instead of what happened: an error, a note.
    pub(crate) note: Option<String>,
    /// What is said to a reader by ear.
    pub(crate) announce: String,
    /// What the guarantees' check found at this moment.
    pub(crate) checked: Option<Vec<String>>,
    /// The steps of the task that are done.
    pub(crate) task: crate::task::Task,
    /// Whether the challenge was met when something was heard last.
    pub(crate) is_met: bool,
    /// How many stops had happened when it began to play.
    pub(crate) played_from: usize,
    /// Where a figure's story ends, in steps of the world; the Lab's own goes on.
    pub(crate) story_ends: Option<u64>,
    /// Whether what a change of the past replaces is kept as the other future.
    pub(crate) keeps_futures: bool,
    /// Which commands a task has a use for.
    pub(crate) gate: Gate,
    /// Something has changed since [`Lab::take_kept`] was asked last.
    pub(crate) unkept: bool,
    /// So many inputs the reader has given.
    pub(crate) inputs_given: u32,
    /// Those that what was heard last has brought about, and that are still to be told.
    pub(crate) ticked: Vec<usize>,
}

/// What a restart has replaced.
#[derive(Debug)]
pub struct Before {
    run: Run,
    other: Option<Box<Run>>,
    scene: Scene,
    figure: Figure,
    terminals: Terminals,
    task: crate::task::Task,
}

impl Lab {
    /// Opens it: what a link asks for, else what the last visit has kept, else the task for beginners.
    ///
    /// # Panics
    /// Never: the default options make a cluster.
    #[must_use]
    pub fn new(opening: &Opening, room: Room) -> Self {
        let run = Run::new(ClusterOptions::default()).expect("the default options make a cluster");
        let mut lab = Self::of(run, Scene::task(), room);
        lab.beginnings = start::titles();
        let kept = |key: &str| {
            let found = opening.kept.iter().find(|(name, _)| name == key);
            found.map(|(_, text)| text.as_str())
        };
        if !opening.fragment.is_empty() {
            lab.open_fragment(&opening.fragment);
        } else if let Some(text) = kept(KEPT_RUN) {
            lab.open_kept(text, kept(KEPT_OTHER));
        }
        lab.is_met = lab.verdict().is_some();
        lab
    }

    /// A Lab in which a run stands, without what a link or the last visit would bring.
    pub(crate) fn of(run: Run, scene: Scene, room: Room) -> Self {
        let mut figure = Figure::default();
        figure.view = scene.view;
        figure.topic.clone_from(&scene.topic);
        Self {
            room,
            wishes: Vec::new(),
            run,
            other: None,
            comparing: false,
            before: None,
            scene,
            figure,
            terminals: Terminals::default(),
            asked: None,
            form: None,
            forms_opened: 0,
            is_addressed: false,
            menu: None,
            beginnings: Vec::new(),
            chosen: None,
            placed: None,
            playing: false,
            hidden: false,
            detail: false,
            speed: Speed::default(),
            note: None,
            announce: String::new(),
            checked: None,
            task: crate::task::Task::default(),
            ticked: Vec::new(),
            is_met: false,
            played_from: 0,
            story_ends: None,
            keeps_futures: true,
            gate: Gate::default(),
            unkept: false,
            inputs_given: 0,
        }
    }

    /// Hears something. Whether the browser must not do what it would do by itself (keys, forms).
    pub fn hear(&mut self, heard: Heard) -> bool {
        self.ticked.clear();
        let mut prevents = false;
        let before = std::mem::take(&mut self.announce);
        let is_quiet = match heard {
            Heard::Room(_) | Heard::Hidden(_) | Heard::Key(_) => true,
            Heard::Tick => !self.playing,
            _ => false,
        };
        match heard {
            Heard::Room(room) => self.room = room,
            Heard::Hidden(hidden) => self.hidden = hidden,
            Heard::Tick => self.tick(),
            Heard::Key(key) => prevents = self.key(&key),
            heard => {
                self.note = None;
                self.act(heard);
            }
        }
        self.tell_ticked();
        if self.announce.is_empty() && is_quiet {
            self.announce = before;
        } else if !self.announce.is_empty() && self.announce == before {
            // The same words once more are heard only if they look like others.
            self.announce.push('\u{a0}');
        }
        prevents
    }

    /// In how many ms it wants to hear [`Heard::Tick`]; `None`: nothing moves by itself.
    #[must_use]
    pub fn delay(&self) -> Option<u32> {
        (self.playing && !self.hidden).then(|| self.speed.delay(self.detail))
    }

    /// What the page is to do now, in this order, after it has drawn.
    pub fn take_wishes(&mut self) -> Vec<Wish> {
        std::mem::take(&mut self.wishes)
    }

    /// The run that is shown.
    #[must_use]
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// What was asked about.
    #[must_use]
    pub fn asked(&self) -> Option<&Thing> {
        self.asked.as_ref()
    }

    /// What is said above the figure instead of what happened.
    #[must_use]
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// What is said to a reader by ear.
    #[must_use]
    pub fn announced(&self) -> &str {
        self.announce.trim_end()
    }

    /// The terminal in front.
    #[must_use]
    pub fn terminal(&self) -> TerminalId {
        self.terminals.active
    }

    /// Something that can not be done, or that the reader has to know.
    pub(crate) fn tell(&mut self, words: impl Into<String>) {
        let words = words.into();
        self.announce.clone_from(&words);
        self.note = Some(words);
    }

    /// Begins with another run. What was there can be had back.
    pub(crate) fn begin(&mut self, run: Run, scene: Scene) {
        // What is kept of the run that goes must not be what comes: that may be only looked at.
        let kept = self.take_kept().items;
        self.wishes.extend(kept.into_iter().map(|(key, text)| Wish::Keep { key, text }));
        let (figure, terminals, task) = Default::default();
        let before = self.exchange(Before { run, other: None, scene, figure, terminals, task });
        self.before = (!before.run.stops().is_empty()).then(|| Box::new(before));
        self.figure.view = self.scene.view;
        self.figure.topic.clone_from(&self.scene.topic);
    }

    /// Has back what the last restart has replaced.
    pub(crate) fn undo(&mut self) {
        let Some(before) = self.before.take() else { return };
        let now = self.exchange(*before);
        self.before = Some(Box::new(now));
    }

    /// Puts another run with all that belongs to it in place; returns what was there.
    fn exchange(&mut self, with: Before) -> Before {
        self.forget_moment();
        Before {
            run: std::mem::replace(&mut self.run, with.run),
            other: std::mem::replace(&mut self.other, with.other),
            scene: std::mem::replace(&mut self.scene, with.scene),
            figure: std::mem::replace(&mut self.figure, with.figure),
            terminals: std::mem::replace(&mut self.terminals, with.terminals),
            task: std::mem::replace(&mut self.task, with.task),
        }
    }

    fn forget_moment(&mut self) {
        self.chosen = None;
        self.asked = None;
        self.form = None;
        self.comparing = false;
        self.playing = false;
        self.checked = None;
    }
}
