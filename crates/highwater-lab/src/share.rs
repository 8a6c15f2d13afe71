//! What leaves the Lab and comes back: links, transcripts, files, pictures, and what is kept between visits.

use highwater_core::ids::TerminalId;
use highwater_core::world::input::InputKind;
use highwater_core::world::stream::OutputKind;
use highwater_scene::node::to_string;
use highwater_scene::picture::style::{PAGE, Theme};
use highwater_scene::picture::{Picture, View as Shown};
use highwater_scene::words::lab as words;
use highwater_shell::link::{LinkError, SessionLog, decode, encode, script};
use highwater_shell::transcript::Transcript;

use crate::challenge::Challenge;
use crate::figure::{View, own_topics};
use crate::lab::{KEPT_DAMAGED, KEPT_OTHER, KEPT_RUN, Lab};
use crate::run::Run;
use crate::start::{self, Scene, play};
use crate::task::Task;
use crate::terminal::Terminals;
use crate::wish::Wish;

/// The media type of a transcript.
const TEXT: &str = "text/plain;charset=utf-8";
/// How wide a picture is.
const PICTURE: i32 = 960;

/// What the page is to keep for the next visit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keeping {
    /// Texts by name; `None`: forget what is there.
    pub items: Vec<(&'static str, Option<String>)>,
    /// Why something is not kept, in words.
    pub trouble: Option<&'static str>,
}

/// Whether pasted text is a transcript rather than commands.
#[must_use]
pub fn is_transcript(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("$ ") || line.starts_with("#!"))
}

/// What stands before a link, and the link.
fn parts(text: &str) -> (&str, &str) {
    let at = text.find("play=").unwrap_or(text.len());
    text.split_at_checked(at).unwrap_or((text, ""))
}

/// The value of a name in what stands before a link.
fn named<'a>(before: &'a str, name: &str) -> Option<&'a str> {
    before.split('&').find_map(|pair| pair.strip_prefix(name))
}

impl Run {
    /// Every command so far, one a line.
    #[must_use]
    pub fn commands(&self) -> String {
        let mut text = String::new();
        for input in self.timeline().inputs() {
            if let InputKind::Line(line) = &input.kind {
                text.push_str(line);
                text.push('\n');
            }
        }
        text
    }
}

/// Where a run is, as [`seek_place`] reads it: so many stops, or so many steps of the world between two of them.
fn place(run: &Run) -> String {
    let stop = run.last_stop().map_or(0, |stop| stop.step);
    if run.steps() <= stop {
        format!("stop={}&", run.position())
    } else {
        format!("step={}&", run.steps())
    }
}

/// Goes to the place that stands before a link; `None`: none does.
fn seek_place(run: &mut Run, before: &str) -> Option<()> {
    if let Some(step) = named(before, "step=") {
        run.seek_step(step.parse().ok()?);
    } else {
        run.seek(named(before, "stop=")?.parse().ok()?);
    }
    Some(())
}

impl Lab {
    /// Every command so far, one a line, for whoever wants to keep them.
    #[must_use]
    pub fn commands(&self) -> String {
        self.run.commands()
    }

    pub(crate) fn share(&mut self, verb: &str, what: &str) {
        match (verb, what) {
            ("copy", "link") => match self.link() {
                Ok(link) => {
                    self.is_addressed = true;
                    self.wishes.push(Wish::Fragment(link.clone()));
                    self.wishes.push(Wish::CopyLink(link));
                    self.tell(words::LINK_COPIED);
                }
                Err(error) => self.tell(error.to_string()),
            },
            ("copy", "commands") => {
                self.wishes.push(Wish::Copy(self.commands()));
                self.announce = words::COPIED.to_owned();
            }
            ("copy", "transcript") => {
                self.wishes.push(Wish::Copy(self.screen()));
                self.announce = words::COPIED.to_owned();
            }
            ("save", "transcript") => match script(&SessionLog::of(self.run.timeline())) {
                Ok(text) => {
                    let name = "highwater.console".to_owned();
                    self.wishes.push(Wish::Download { name, media: TEXT, text });
                }
                Err(error) => self.tell(error.to_string()),
            },
            ("save", "svg") => {
                let (name, text) = ("highwater.svg".to_owned(), self.picture());
                self.wishes.push(Wish::Download { name, media: "image/svg+xml", text });
            }
            ("save", "png") => {
                let (name, svg) = ("highwater.png".to_owned(), self.picture());
                self.wishes.push(Wish::DownloadPng { name, svg });
            }
            ("open-file", _) => self.wishes.push(Wish::ChooseFile),
            _ => {}
        }
    }

    /// The fragment of a link to this moment.
    pub(crate) fn link(&self) -> Result<String, LinkError> {
        let link = encode(&SessionLog::of(self.run.timeline()))?;
        // A link leads to a moment; more may happen in it than has happened here.
        let is_within =
            self.run.stops().get(self.run.position()).is_some_and(|next| next.at <= self.run.now());
        let stop = if is_within { place(&self.run) } else { String::new() };
        let goal = self.scene.goal.as_ref().map(|goal| format!("challenge={goal}&"));
        Ok([goal.unwrap_or_default(), stop, link].concat())
    }

    /// What the terminal in front shows, as a transcript has it.
    fn screen(&self) -> String {
        let mut text = String::new();
        for chunk in self.run.timeline().world().output(self.terminals.active) {
            if chunk.kind == OutputKind::Command {
                text.push_str("$ ");
            }
            text.push_str(&String::from_utf8_lossy(&chunk.bytes));
        }
        text
    }

    /// The figure as a picture that needs no page.
    fn picture(&self) -> String {
        let snapshot = self.run.snapshot();
        let own = own_topics(&snapshot);
        let drawn = self.figure.topic_of(&snapshot);
        let (view, topics) = match (self.figure.view, &self.figure.opened, drawn) {
            (View::Records, _, Some(topic)) => (Shown::Log, vec![topic]),
            (View::Replicas, Some((topic, number)), _) => {
                (Shown::Partition(*number), vec![topic.as_str()])
            }
            _ => (Shown::Cluster, own),
        };
        let picture = Picture {
            snapshot: &snapshot,
            view,
            topics: &topics,
            width: PICTURE,
            font: 16,
            keys: self.figure.keys.clone(),
        };
        to_string(&picture.svg(&PAGE.style(Theme::Auto, 16)))
    }

    /// Both futures are to be kept for the next visit, with where the reader is in them. Writing them down costs too
    /// much for each step: the page asks for it when there is time, and before it is left.
    pub(crate) fn keep(&mut self) {
        self.unkept = true;
    }

    /// Whether something has changed since it was kept.
    #[must_use]
    pub fn is_unkept(&self) -> bool {
        self.unkept
    }

    /// What is to be kept now; nothing, if that was done already.
    pub fn take_kept(&mut self) -> Keeping {
        let mut keeping = Keeping::default();
        if !std::mem::take(&mut self.unkept) {
            return keeping;
        }
        let whole = |run: &Run| {
            let mut whole = run.clone();
            whole.seek(usize::MAX);
            let link = encode(&SessionLog::of(whole.timeline()))?;
            Ok([place(run), link].concat())
        };
        match whole(&self.run) {
            Ok(run) => {
                let (scene, view) = (&self.scene.id, self.figure.view.name());
                let (done, tab) = (self.task.text(), self.terminals.active.0);
                let text = format!("scene={scene}&view={view}&done={done}&tab={tab}&{run}");
                keeping.items.push((KEPT_RUN, Some(text)));
            }
            // What was kept of it before stays.
            Err(LinkError::TooLong { .. }) => keeping.trouble = Some(words::TOO_LONG_TO_KEEP),
            Err(_) => {}
        }
        let other = self.other.as_deref().and_then(|run| whole(run).ok());
        keeping.items.push((KEPT_OTHER, other));
        keeping
    }

    /// What the last visit has kept. What cannot be read is set aside, not lost.
    pub(crate) fn open_kept(&mut self, text: &str, other: Option<&str>) {
        let (before, link) = parts(text);
        match self.open_link(link) {
            Ok(()) => {
                self.before = None;
                if let Some(scene) = named(before, "scene=").and_then(start::find) {
                    self.scene = scene;
                }
                if let Some(view) = named(before, "view=").and_then(View::from_name) {
                    self.figure.view = view;
                }
                self.task = named(before, "done=").map(Task::parse).unwrap_or_default();
                let tab = named(before, "tab=").and_then(|tab| tab.parse().ok()).map(TerminalId);
                self.terminals.active = tab
                    .filter(|tab| (1..=Terminals::next(&self.run).0).contains(&tab.0))
                    .unwrap_or(TerminalId(1));
                self.go_to(before);
                self.other = other.and_then(|text| {
                    let (before, link) = parts(text);
                    let (mut run, _) = Run::replay(&decode(link).ok()?.log).ok()?;
                    seek_place(&mut run, before)?;
                    Some(Box::new(run))
                });
                self.follow_task();
                let note = self.note.take().unwrap_or_default();
                self.tell(format!("{} {note}", words::WELCOME_BACK).trim_end());
            }
            Err(why) => {
                let kept = Some(text.to_owned());
                self.wishes.push(Wish::Keep { key: KEPT_DAMAGED, text: kept });
                self.wishes.push(Wish::Keep { key: KEPT_RUN, text: None });
                self.tell(words::kept_damaged(&why));
            }
        }
    }

    /// Goes back to a place that was written down, if it lies in the past.
    fn go_to(&mut self, before: &str) {
        let end = self.run.steps();
        if seek_place(&mut self.run, before).is_some() && self.run.steps() != end {
            self.moved();
        }
    }

    /// What an address asks for: a run, a beginning, a challenge's result.
    pub(crate) fn open_fragment(&mut self, fragment: &str) {
        let fragment = fragment.trim_start_matches('#');
        if let Some(id) = fragment.strip_prefix("start=") {
            return self.start(id);
        }
        let (before, link) = parts(fragment);
        if link.is_empty() {
            if let Some(id) = named(before, "challenge=") {
                self.start(id);
            }
            return;
        }
        match self.open_link(link) {
            Ok(()) => {
                self.is_addressed = true;
                self.go_to(before);
                if let Some(challenge) = named(before, "challenge=").and_then(Challenge::from_id) {
                    self.scene = start::find(challenge.id()).unwrap_or_default();
                    self.tell(challenge.verdict(&self.run));
                }
            }
            Err(why) => self.tell(why),
        }
    }

    fn open_link(&mut self, link: &str) -> Result<(), String> {
        let opened = decode(link).map_err(|error| error.to_string())?;
        let (run, notes) = Run::replay(&opened.log).map_err(|error| error.to_string())?;
        let mut said: Vec<String> = opened.notes.iter().map(ToString::to_string).collect();
        if said.is_empty() {
            // What is damaged goes another way for that reason.
            said = notes;
        }
        let (id, title) = ("opened".to_owned(), words::OPENED.to_owned());
        self.begin(run, Scene { id, title, ..Scene::default() });
        self.choose_view();
        self.moved();
        if !said.is_empty() {
            self.tell(said.join(" "));
        }
        Ok(())
    }

    /// A figure that shows something of a run that came from elsewhere.
    fn choose_view(&mut self) {
        let snapshot = self.run.snapshot();
        let brokers = snapshot.cluster.get().map_or(1, |cluster| cluster.brokers.len());
        let copies = snapshot.topics.iter().flat_map(|topic| &topic.image.partitions);
        if brokers > 1
            && copies.clone().any(|partition| partition.isr.len() < partition.replicas.len())
        {
            self.figure.view = View::Replicas;
        }
    }

    /// A file that was opened or dropped: a transcript is played from its beginning.
    pub(crate) fn open_file(&mut self, name: &str, text: &str) {
        match play(text) {
            Ok(run) => {
                let mut scene = Scene::parse("file", text);
                if scene.title.is_empty() {
                    scene.title = name.to_owned();
                }
                self.enter_scene(run, scene, usize::MAX);
            }
            Err(why) => self.tell(words::cannot_open(name, &why)),
        }
    }

    /// A transcript at the prompt: its commands go on here, unless it asks for a cluster of its own.
    pub(crate) fn play_pasted(&mut self, text: &str) {
        if text.lines().any(|line| line.starts_with("#!")) {
            return self.open_file(words::PASTED, text);
        }
        match Transcript::parse(text) {
            Ok(transcript) => {
                for block in &transcript.blocks {
                    self.terminals.remember(&block.command);
                    self.touch(&block.command);
                }
            }
            Err(error) => self.tell(words::cannot_open(words::PASTED, &error.to_string())),
        }
    }

    /// Begins with a scene.
    pub(crate) fn start(&mut self, id: &str) {
        let Some(scene) = start::find(id) else {
            return self.tell(words::no_such_start(id));
        };
        match scene.play() {
            Ok(run) => {
                let first = Scene::first_stop(&run);
                self.enter_scene(run, scene, first);
            }
            Err(why) => self.tell(words::cannot_open(&scene.title, &why)),
        }
    }

    fn enter_scene(&mut self, mut run: Run, scene: Scene, stop: usize) {
        run.seek(stop);
        self.begin(run, scene);
        self.moved();
        self.announce = words::begun(&self.scene.title, &self.scene.watch, &self.announce);
        self.wishes.push(Wish::Fragment(String::new()));
        self.keep();
    }

    /// Begins the same once more.
    pub(crate) fn restart(&mut self) {
        let id = self.scene.id.clone();
        if start::find(&id).is_some() {
            self.start(&id);
        } else {
            let text = self.scene.text.clone();
            let title = self.scene.title.clone();
            if text.is_empty() { self.start("empty") } else { self.open_file(&title, &text) }
        }
        self.announce = words::RESTARTED.to_owned();
    }

    pub(crate) fn undo_restart(&mut self) {
        self.undo();
        self.moved();
        self.keep();
    }
}
