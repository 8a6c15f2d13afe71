//! What the Lab does when it hears something.

use highwater_core::error::CommandError;
use highwater_core::ids::{EventId, TerminalId};
use highwater_core::time::SimTime;
use highwater_scene::thing::Thing;
use highwater_scene::words::lab as words;

use crate::deed::configure;
use crate::deeds::OpenForm;
use crate::figure::{View, focus_of, own_topics};
use crate::form::{FormKind, Values};
use crate::heard::Heard;
use crate::lab::Lab;
use crate::run::Run;
use crate::side::offers;
use crate::story::StopKind;
use crate::transport::Speed;
use crate::wish::Wish;

/// The prompt's element.
pub(crate) const PROMPT: &str = "#lab-prompt";
/// The terminal's log.
pub(crate) const LOG: &str = ".lab-terminal .tty-log";
/// The most stops that a jump looks at.
const JUMP_FAR: usize = 500;
/// The mark that the keyboard reaches.
pub(crate) const MARK: &str = ".lab-draw [data-do] [tabindex='0']";

/// Whatever can be pressed in the figure.
const MARKS: &str = ".lab-draw [data-do] [tabindex='0'], .lab-draw [data-do][tabindex='0'], .lab-draw button[data-do]";

impl Lab {
    pub(crate) fn act(&mut self, heard: Heard) {
        if !matches!(heard, Heard::Press(_)) {
            self.menu = None;
        }
        match heard {
            Heard::Press(does) => self.press(&does),
            Heard::Value { does, value } => self.set(&does, &value),
            Heard::Edited { does, fields } => self.edit(&does, fields),
            Heard::Sent { does, fields } => self.send(&does, fields),
            Heard::File { name, text } => self.open_file(&name, &text),
            Heard::Fragment(fragment) => self.open_fragment(&fragment),
            Heard::Failed(why) => self.tell(why),
            Heard::Room(_) | Heard::Hidden(_) | Heard::Tick | Heard::Key(_) => {}
        }
    }

    /// A button, a mark, a word.
    pub(crate) fn press(&mut self, does: &str) {
        let (verb, rest) = does.split_once(':').unwrap_or((does, ""));
        // Whatever is pressed, an open menu has done what it was for.
        let menu = self.menu.take();
        self.wishes.extend(heir(verb, menu.as_deref()).map(Wish::Focus));
        match verb {
            "menu" => {
                self.menu = Some(rest.to_owned()).filter(|name| menu.as_ref() != Some(name));
                self.wishes.push(Wish::Reveal(format!("#lab-menu-{rest}")));
            }
            "back" | "forward" | "play" | "jump" | "fork" | "switch" | "end-fork" | "compare"
            | "event" => self.travel(verb, rest),
            "ask" => self.ask(rest, does),
            "cell" => self.ask(rest.split_once(':').map_or("", |(_, thing)| thing), does),
            "to-figure" => self.focus_figure(),
            "to-deeds" => {
                let is_empty = own_topics(&self.run.snapshot()).is_empty();
                let first = if is_empty { "form:topic" } else { "form:send" };
                self.wishes.push(Wish::Focus(format!("[data-do='{first}']")));
            }
            "to-prompt" => self.wishes.push(Wish::Focus(PROMPT.to_owned())),
            "let-go" => self.let_go(),
            "view" => self.show(View::from_name(rest).unwrap_or_default()),
            "scroll" => self.figure.scroll(rest == "older"),
            "open-partition" => self.open_partition(rest),
            "close-partition" => self.figure.opened = None,
            "form" => self.toggle_form(rest),
            "close-form" => self.close_form(),
            "type" => {
                self.touch(rest);
                self.hand_focus_on(does);
            }
            "fill" => self.fill(rest),
            "candidate" => self.candidate(rest),
            "tab" | "new-tab" | "interrupt" | "end-of-input" | "history" | "complete" => {
                self.at_terminal(verb, rest);
            }
            "restart" => self.restart(),
            "undo-restart" => self.undo_restart(),
            "start" => self.start(rest),
            "check" => self.check_guarantees(),
            "copy" | "save" | "open-file" => self.share(verb, rest),
            _ => {}
        }
    }

    /// What can be done with a thing changes with it: the focus of a button that is gone goes to what it was about.
    fn hand_focus_on(&mut self, does: &str) {
        let snapshot = self.run.snapshot();
        let to = match &self.asked {
            Some(thing) if !offers(thing, &snapshot, does) => "#ask-title",
            None if self.figure.view == View::Flight => ".lab-flight [data-do]",
            _ => return,
        };
        self.wishes.push(Wish::Focus(to.to_owned()));
    }

    /// A control with a value.
    fn set(&mut self, does: &str, value: &str) {
        match does {
            "seek" => {
                self.playing = false;
                self.run.seek(value.parse().unwrap_or(0));
                self.moved();
                self.keep();
            }
            "typed" => {
                value.clone_into(&mut self.terminals.typed);
                self.announce = self.terminals.hint(&self.run).unwrap_or_default();
            }
            "detail" => self.detail = !value.is_empty(),
            "speed" => self.speed = Speed::from_name(value).unwrap_or_default(),
            "topic" => {
                self.figure.topic = Some(value.to_owned());
                self.figure.scroll = 0;
            }
            _ => {}
        }
    }

    // ---- Time ----

    fn travel(&mut self, verb: &str, rest: &str) {
        let played = self.playing;
        self.playing = false;
        match verb {
            "back" => {
                if self.detail {
                    self.run.detail_back()
                } else {
                    self.run.back()
                };
                self.moved();
            }
            "forward" => self.forward(),
            "play" if !played => {
                self.playing = true;
                self.played_from = self.run.position();
                self.tick();
                if self.playing {
                    self.announce = words::PLAYING.to_owned();
                }
            }
            "jump" => self.jump(StopKind::from_name(rest)),
            "event" => {
                // The list of the other moment may lack that reason, or have it folded away.
                let link = format!("[data-do='event:{rest}']");
                self.wishes.extend(["#ask-title".to_owned(), link].map(Wish::Focus));
                let event = rest.parse().map(EventId);
                if event.is_ok_and(|event| self.run.seek_event(event)) {
                    self.moved();
                } else {
                    self.tell(words::NO_SUCH_MOMENT);
                }
            }
            "fork" => {
                self.other = Some(Box::new(self.run.clone()));
                self.tell(words::FORKED);
            }
            "switch" => {
                if let Some(other) = &mut self.other {
                    std::mem::swap(&mut self.run, other);
                }
                self.moved();
            }
            "end-fork" => {
                self.other = None;
                self.comparing = false;
            }
            "compare" => {
                self.comparing = !self.comparing && self.other.is_some();
                if self.comparing {
                    self.announce = self.differences_in_words();
                }
            }
            _ => {}
        }
        self.keep();
    }

    fn step(&mut self) -> bool {
        if self.story_ends.is_some_and(|end| self.run.steps() >= end) {
            return false;
        }
        if self.detail { self.run.detail_forward() } else { self.run.forward() }
    }

    fn forward(&mut self) {
        if self.step() {
            self.moved();
        } else {
            self.stand_still();
        }
    }

    /// Nothing happens for long. What happened last stays in sight.
    fn stand_still(&mut self) {
        let words = if self.run.stops().is_empty() {
            words::NOTHING_MORE.to_owned()
        } else {
            format!("{} {}", self.sentence(), words::NOTHING_MORE)
        };
        self.tell(words);
    }

    /// The next step of a run that plays. It says nothing by itself, except at the end.
    pub(crate) fn tick(&mut self) {
        if !self.playing {
            return;
        }
        self.note = None;
        self.announce.clear();
        self.keep();
        if self.step() {
            self.wishes.push(Wish::ScrollToEnd(LOG.to_owned()));
            self.follow_task();
        } else {
            self.playing = false;
            let worst = self.worst_since(self.played_from);
            self.stand_still();
            if let (Some(worst), Some(note)) = (worst, &self.note) {
                self.tell(words::on_the_way(note, &worst));
            }
        }
    }

    fn jump(&mut self, kind: Option<StopKind>) {
        let Some(kind) = kind else { return };
        let here = self.run.clone();
        for _ in 0..JUMP_FAR {
            if !self.run.forward() {
                break;
            }
            if self.run.last_stop().is_some_and(|stop| stop.has(kind)) {
                return self.moved();
            }
        }
        self.run = here;
        self.tell(words::no_stop(words::stop_kind(kind.name())));
    }

    /// The moment is another one.
    pub(crate) fn moved(&mut self) {
        self.placed = None;
        self.announce = self.sentence();
        self.checked = None;
        self.wishes.push(Wish::ScrollToEnd(LOG.to_owned()));
        self.follow_task();
    }

    // ---- Asking ----

    fn ask(&mut self, text: &str, mark: &str) {
        let Some(thing) = Thing::parse(text) else { return };
        if let Thing::Replica(replica) = &thing {
            self.figure.opened = Some((replica.topic.clone(), replica.partition));
        }
        self.announce = self.answer_in_words(&thing);
        let is_open = self.asked.replace(thing).is_some();
        // From answer to answer: the way back leads to where the reader was before the first.
        if !is_open || self.figure.draws(mark) {
            self.figure.focus = Some(mark.to_owned());
        }
        if is_open {
            self.wishes.push(Wish::Focus("#ask-title".to_owned()));
        }
        self.task.asked = true;
        self.follow_task();
        self.wishes.push(Wish::Reveal(".lab-side".to_owned()));
    }

    pub(crate) fn let_go(&mut self) {
        self.asked = None;
        self.focus_mark();
    }

    /// The keyboard goes to where it was, else to the figure's first control, else to the choice of the figure.
    pub(crate) fn focus_mark(&mut self) {
        self.focus_figure();
        if let Some(mark) = &self.figure.focus {
            self.wishes.push(Wish::Focus(focus_of(mark)));
        }
    }

    fn focus_figure(&mut self) {
        self.wishes.push(Wish::Focus(".lab-view[aria-pressed='true']".to_owned()));
        self.wishes.push(Wish::Focus(MARKS.to_owned()));
    }

    fn show(&mut self, view: View) {
        self.figure.view = view;
        self.figure.scroll = 0;
        self.announce = words::view_label(view.name()).to_owned();
        self.keep();
    }

    fn open_partition(&mut self, text: &str) {
        if let Some(Thing::Partition { topic, partition }) = Thing::parse(text) {
            self.figure.opened = Some((topic, partition));
            self.figure.view = View::Replicas;
        }
    }

    // ---- Deeds ----

    fn toggle_form(&mut self, name: &str) {
        let Some(kind) = FormKind::from_name(name) else { return };
        if self.form.as_ref().is_some_and(|form| form.kind == kind) {
            return self.close_form();
        }
        let snapshot = self.run.snapshot();
        let topic = self.figure.topic_of(&snapshot).map(str::to_owned);
        let values = kind.start(&snapshot, topic.as_deref());
        self.forms_opened += 1;
        self.form = Some(OpenForm { kind, values, number: self.forms_opened, ran: false });
        self.wishes.push(Wish::Focus(format!("#lab-form [name='{}']", kind.first())));
    }

    pub(crate) fn close_form(&mut self) {
        if let Some(form) = self.form.take() {
            // Its button, or that of the menu in which its button is.
            let button = format!("[data-do='form:{}'], [data-do='menu:more']", form.kind.name());
            self.wishes.push(Wish::Focus(button));
        }
    }

    fn edit(&mut self, does: &str, fields: Values) {
        if does == "begin" {
            self.chosen = fields.into_iter().find_map(|(name, id)| (name == "start").then_some(id));
            return;
        }
        let kind = does.strip_prefix("form:").and_then(FormKind::from_name);
        if let (Some(kind), Some(form)) = (kind, &mut self.form)
            && form.kind == kind
        {
            form.values = fields;
        }
    }

    fn send(&mut self, does: &str, fields: Values) {
        let (verb, rest) = does.split_once(':').unwrap_or((does, ""));
        let field = |name: &str| {
            fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
        };
        match verb {
            "begin" => self.start(&field("start").unwrap_or_default()),
            "prompt" => self.enter(&field("line").unwrap_or_default()),
            "form" => {
                let Some(kind) = FormKind::from_name(rest) else { return };
                match kind.command(&fields, &self.run.snapshot()) {
                    Ok(command) => self.touch(&command),
                    Err(missing) => self.tell(missing),
                }
                self.edit(does, fields);
                if let Some(form) = &mut self.form {
                    form.ran = true;
                }
            }
            "config" => {
                let kind = field("entity-type").unwrap_or_default();
                let name = field("entity-name").unwrap_or_default();
                let key = field("key").unwrap_or_default();
                let is_default = field("do").is_some_and(|what| what == "default");
                let value = field("value").filter(|_| !is_default);
                let snapshot = self.run.snapshot();
                self.touch(&configure(&snapshot, (&kind, &name), &key, value.as_deref()));
            }
            _ => {}
        }
    }

    /// Types a command for the reader, at a terminal that has a prompt.
    pub(crate) fn touch(&mut self, command: &str) {
        let terminal = self.terminals.free(&self.run);
        if self.refuses(terminal, command) {
            return;
        }
        self.terminals.active = terminal;
        self.type_at(terminal, command, true);
    }

    pub(crate) fn type_at(&mut self, terminal: TerminalId, line: &str, touched: bool) {
        self.give(terminal, |run| run.type_line(terminal, line, touched));
    }

    /// Gives an input at a terminal, tells what came of it and keeps it. In the past that makes another future; the
    /// one that was there is the other one then. Whether it was taken.
    pub(crate) fn give(
        &mut self,
        terminal: TerminalId,
        input: impl FnOnce(&mut Run) -> Result<(), CommandError>,
    ) -> bool {
        self.playing = false;
        let future = self.run.has_future().then(|| Box::new(self.run.clone()));
        let shown = self.run.timeline().world().output(terminal).len();
        let before = (shown, self.run.steps());
        match input(&mut self.run) {
            Ok(()) => self.ran(terminal, before, future.as_deref().map(Run::now)),
            Err(error) => {
                self.tell(error.to_string());
                return false;
            }
        }
        self.inputs_given += 1;
        self.other = future.or(self.other.take());
        self.leave_address();
        self.keep();
        true
    }

    /// The address says where a link led; what is done since is kept, not linked.
    fn leave_address(&mut self) {
        if std::mem::take(&mut self.is_addressed) {
            self.wishes.push(Wish::Fragment(String::new()));
        }
    }

    /// A command has done what it does.
    fn ran(&mut self, terminal: TerminalId, (shown, began): (usize, u64), forked: Option<SimTime>) {
        self.figure.scroll = 0;
        self.moved();
        if let Some(story) = self.story_since(began) {
            self.announce = story;
        }
        self.placed = self.run.last_placed(began);
        self.note = Some(self.announce.clone());
        if let Some(output) = self.output_since(terminal, shown) {
            self.announce.push(' ');
            self.announce.push_str(&output);
        }
        if let Some(at) = forked {
            let moment = words::moment(at);
            let words =
                if self.keeps_futures { words::forked(&moment) } else { words::own_from(&moment) };
            self.announce.push(' ');
            self.announce.push_str(&words);
            self.note = Some(words);
        }
    }

    fn check_guarantees(&mut self) {
        let found = highwater_core::invariant::check(self.run.timeline().world());
        let found: Vec<String> =
            found.into_iter().map(|broken| format!("{}: {}", broken.rule, broken.found)).collect();
        self.announce = words::checked(found.len());
        self.checked = Some(found);
    }
}

/// Where the focus goes from a control that is gone when it has been pressed.
fn heir(verb: &str, menu: Option<&str>) -> Option<String> {
    let selector = match (verb, menu) {
        ("jump", Some(menu @ "jump")) | ("copy" | "save" | "open-file", Some(menu @ "share")) => {
            return Some(format!("[data-do='menu:{menu}']"));
        }
        ("fork", _) => "[data-do='compare']",
        ("end-fork", _) => "[data-do='fork']",
        ("undo-restart", _) => "[data-do='restart']",
        ("close-partition", _) => MARK,
        _ => return None,
    };
    Some(selector.to_owned())
}
