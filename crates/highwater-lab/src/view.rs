//! Everything to be seen, as one tree: what happened, the figure, time, deeds, the terminals, the side.

use highwater_core::world::snapshot::Snapshot;
use highwater_scene::arithmetic;
use highwater_scene::names::event_by_name;
use highwater_scene::narration::narrate;
use highwater_scene::node::Node;
use highwater_scene::template::tree;
use highwater_scene::why;
use highwater_scene::words::{chrome, lab as words};

use crate::deed;
use crate::deeds;
use crate::figure::{Drawn, View, own_topics};
use crate::lab::{Lab, Room};
use crate::menu::{SHARE, menu};
use crate::start::Kind;
use crate::transport::{Transport, button};

impl Lab {
    /// One sentence about the moment.
    pub(crate) fn sentence(&self) -> String {
        self.sentence_at(&self.run.snapshot())
    }

    pub(crate) fn sentence_at(&self, snapshot: &Snapshot) -> String {
        let Some(stop) = self.run.last_stop() else { return words::BEGINNING.to_owned() };
        if self.detail && stop.step != self.run.steps() {
            let events = self.run.events();
            let last = events.iter().rev().find(|event| event.step == self.run.steps());
            return last.map_or_else(
                || words::A_TIMER.to_owned(),
                |event| event_by_name(&event.kind, snapshot),
            );
        }
        let events = self.run.events_of(stop);
        let told = narrate(&events, snapshot);
        let is_command = |event: &&std::rc::Rc<highwater_core::world::event::Event>| {
            matches!(event.kind, highwater_core::world::event::EventKind::InputApplied { .. })
        };
        match events.iter().find(is_command) {
            Some(command) if events.len() == 1 => why::sentence(&command.kind),
            _ if events.is_empty() => words::TOO_LONG_AGO.to_owned(),
            _ => told,
        }
    }

    /// Everything to be seen.
    pub fn view(&mut self) -> Node {
        let snapshot = self.run.snapshot();
        let say = self.note.clone().unwrap_or_else(|| self.sentence_at(&snapshot));
        let events = self.run.last_stop().map(|stop| self.run.events_of(stop)).unwrap_or_default();
        let drawn = self.figure.draw(&snapshot, &events, self.asked.as_ref(), self.room);
        let time = Transport {
            run: &self.run,
            other: self.other.as_deref(),
            comparing: self.comparing,
            playing: self.playing,
            detail: self.detail,
            speed: self.speed,
            can_undo: self.before.is_some(),
            menu: self.menu.as_deref(),
            room: self.room,
        };
        let time = time.view();
        let compared = self.comparing.then(|| self.compared(&snapshot)).flatten();
        let chips = chips(&snapshot, self.figure.topic_of(&snapshot));
        let terminal = self.terminals.view(&self.run, &snapshot, &chips, None);
        tree(
            "<div class='lab-root' translate='no'>{}{}<div class='lab-grid fig'>\
             <section class='lab-main' aria-label='{}' key='main'><p class='{}' key='say'>{}</p>{}{}{}{}{}{}{}</section>\
             <aside class='lab-side' aria-label='{}' data-keys='side' key='side'>{}</aside>{}</div>\
             <p class='visually-hidden' role='status' key='announce'>{}</p></div>",
            vec![
                SKIPS.map(|(words, does)| skip(words, does)).to_vec().into(),
                self.top().into(),
                words::view_label(self.figure.view.name()).into(),
                self.class_of(&say).into(),
                say.clone().into(),
                self.next_step().into(),
                self.views(&snapshot).into(),
                drawing(drawn, self.figure.view).into(),
                self.sum().into(),
                time.into(),
                compared.into(),
                deeds::view(self.form.as_ref(), self.menu.as_deref(), &snapshot, &say).into(),
                words::SIDE.into(),
                self.side(&snapshot).into(),
                terminal.into(),
                self.announce.clone().into(),
            ],
        )
    }

    /// A sentence of a few lines stays in sight while the page scrolls; a longer one would hide what is below it.
    fn class_of(&self, say: &str) -> &'static str {
        let Room { width, font, .. } = self.room;
        // A letter is about half as wide as the font is high.
        let line = usize::try_from(2 * width / font.max(1)).unwrap_or(0);
        if say.chars().count() > STICKY_LINES * line { "fig-say lab-long" } else { "fig-say" }
    }

    /// The next step of the task, for rooms in which its list stands far below.
    fn next_step(&self) -> Option<Node> {
        let place = self.task.next().filter(|_| self.scene.id == "task")?;
        let words = crate::task::Task::steps().get(place).copied()?;
        Some(tree(
            "<p class='lab-next' key='next'>{}</p>",
            vec![words::next_step(place, words).into()],
        ))
    }

    /// How the records of the last command came to their partition: the last of them.
    pub(crate) fn sum(&self) -> Option<Node> {
        let event = self.run.timeline().event(self.placed?)?;
        Some(arithmetic::node(&arithmetic::of_event(&event.kind)?))
    }

    /// The beginning, and what can be taken away.
    fn top(&self) -> Node {
        let mut groups = Vec::new();
        for (kind, label) in [
            (Kind::Free, words::BEGINNINGS),
            (Kind::Situation, words::SITUATIONS),
            (Kind::Scene, words::SCENES),
            (Kind::Challenge, words::CHALLENGES),
        ] {
            let own = self.beginnings.iter().filter(|(of, ..)| *of == kind);
            let choices: Vec<Node> = own.map(|(_, id, title)| self.choice(id, title)).collect();
            groups.push(tree(
                "<optgroup label='{}'>{}</optgroup>",
                vec![label.into(), choices.into()],
            ));
        }
        if !self.beginnings.iter().any(|(_, id, _)| *id == self.scene.id) {
            groups.push(self.choice(&self.scene.id, &self.scene.title));
        }
        let share = SHARE.map(|(words, does)| button(words, does));
        tree(
            "<div class='lab-top'><form class='lab-start' data-do='begin'><label><span>{}</span> \
             <select name='start'>{}</select></label>\
             <button type='submit' class='btn'>{}</button></form>{}</div>",
            vec![
                words::BEGIN_WITH.into(),
                groups.into(),
                words::BEGIN.into(),
                menu("share", words::SHARE, self.menu.as_deref(), share.to_vec()).into(),
            ],
        )
    }

    fn choice(&self, id: &str, title: &str) -> Node {
        let chosen = self.chosen.as_ref().unwrap_or(&self.scene.id);
        tree(
            "<option value='{}' selected='{}'>{}</option>",
            vec![id.to_owned().into(), (id == chosen).into(), title.to_owned().into()],
        )
    }

    /// Which figure, and of which topic.
    fn views(&self, snapshot: &Snapshot) -> Node {
        let views = View::ALL.map(|view| {
            let pressed = if view == self.figure.view { "true" } else { "false" };
            tree(
                "<button type='button' class='lab-view' data-do='{}' aria-pressed='{}' key='{}'>{}</button>",
                vec![
                    format!("view:{}", view.name()).into(),
                    pressed.into(),
                    view.name().into(),
                    words::view(view.name()).into(),
                ],
            )
        });
        let topics = own_topics(snapshot);
        let shown = self.figure.topic_of(snapshot);
        let topic = (self.figure.view == View::Records && topics.len() > 1).then(|| {
            let options = topics.iter().map(|topic| {
                tree(
                    "<option value='{}' selected='{}'>{}</option>",
                    vec![
                        (*topic).to_owned().into(),
                        (Some(*topic) == shown).into(),
                        (*topic).to_owned().into(),
                    ],
                )
            });
            tree(
                "<label class='lab-topic' key='topic'>{} <select data-do='topic'>{}</select></label>",
                vec![words::SHOWN_TOPIC.into(), options.collect::<Vec<_>>().into()],
            )
        });
        let one = (self.figure.view == View::Records && topics.len() == 1).then(|| {
            let name = topics.first().copied().unwrap_or_default().to_owned();
            let does = format!("ask:topic:{name}");
            tree(
                "<button type='button' class='lab-thing lab-topic' data-do='{}' key='topic'>{}</button>",
                vec![does.into(), name.into()],
            )
        });
        tree(
            "<div class='lab-views' role='group' aria-label='{}' key='views'>{}{}{}</div>",
            vec![words::VIEWS.into(), views.to_vec().into(), topic.into(), one.into()],
        )
    }
}

/// So many lines of what happened stay in sight (layout.css, `scroll-padding-block-start`).
const STICKY_LINES: usize = 4;

/// What can be reached at once by whoever has only a keyboard, in the order of the page.
const SKIPS: [(&str, &str); 3] = [
    (words::TO_FIGURE, "to-figure"),
    (words::TO_DEEDS, "to-deeds"),
    (words::TO_PROMPT, "to-prompt"),
];

fn skip(words: &'static str, does: &'static str) -> Node {
    tree(
        "<button type='button' class='skip' data-do='{}' key='{}'>{}</button>",
        vec![does.into(), does.into(), words.into()],
    )
}

/// The drawing, its legend and its text twin.
fn drawing(drawn: Drawn, view: View) -> Node {
    let label = words::view_label(view.name());
    tree(
        "<div class='lab-figure' key='figure'><div class='lab-draw fig-draw' data-keys='figure'>{}</div>{}\
         <details class='twin'><summary>{}</summary><div class='twin-scroll' tabindex='0' role='group' \
         aria-label='{}'>{}</div></details></div>",
        vec![
            drawn.drawing.into(),
            drawn.legend.into(),
            chrome::SHOW_AS_TABLE.into(),
            chrome::as_table(label).into(),
            drawn.table.into(),
        ],
    )
}

/// Useful commands for the prompt, each with what it is called.
pub(crate) fn chips(snapshot: &Snapshot, topic: Option<&str>) -> Vec<(String, String)> {
    let bootstrap = deed::bootstrap(snapshot);
    let tool = |name: &str, rest: &str| format!("{name} --bootstrap-server {bootstrap} {rest}");
    let mut chips = Vec::new();
    match topic {
        Some(topic) => {
            chips.push((words::CHIP_DESCRIBE.to_owned(), deed::describe(snapshot, topic)));
            let word = deed::word(topic);
            chips.push((
                words::CHIP_OFFSETS.to_owned(),
                tool("kafka-get-offsets.sh", &format!("--topic {word}")),
            ));
            chips.push((
                words::CHIP_PRODUCER.to_owned(),
                tool(
                    "kafka-console-producer.sh",
                    &format!("--topic {word} --reader-property parse.key=true --reader-property key.separator=:"),
                ),
            ));
        }
        None => chips.push((
            words::CHIP_CREATE.to_owned(),
            tool(
                "kafka-topics.sh",
                "--create --topic parcel-events --partitions 2 --replication-factor 3",
            ),
        )),
    }
    chips.push((
        words::CHIP_GROUPS.to_owned(),
        tool("kafka-consumer-groups.sh", "--describe --all-groups"),
    ));
    chips.push((words::CHIP_HELP.to_owned(), "hw help".to_owned()));
    chips
}
