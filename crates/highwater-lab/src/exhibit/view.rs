//! What is to be seen of a lesson's figure. A static page has its first frame, at two widths.

use highwater_core::world::input::InputKind;
use highwater_core::world::snapshot::Snapshot;
use highwater_scene::frame;
use highwater_scene::node::{Node, Text};
use highwater_scene::picture::card::{Body, Card};
use highwater_scene::picture::{self, Picture};
use highwater_scene::template::{Hole, tree};
use highwater_scene::words::{chrome, lab as words};

use super::{Exhibit, scope};
use crate::figure::{Drawn, View, own_topics};
use crate::lab::Room;
use crate::transport::{Transport, button};
use crate::view::chips;

impl Exhibit {
    /// Everything to be seen.
    pub fn view(&mut self) -> Node {
        let room = self.lab.room;
        self.view_at(&[room.width])
    }

    /// The same, laid out for drawings of these widths in px: one when live, else one for wide rooms and one
    /// for narrow ones.
    pub fn view_at(&mut self, widths: &[i32]) -> Node {
        let snapshot = self.lab.run.snapshot();
        let drawn = frame::at_widths(widths, |width| {
            let Drawn { drawing, legend, table } = self.draw(&snapshot, width);
            (drawing, (legend, table))
        });
        let Some((drawings, (legend, table))) = drawn else { return Node::Text("".into()) };
        let did = self.did();
        let label = self.plan.label.clone();
        let terminal = self.is_terminal_open.then(|| self.terminal(&snapshot));
        let figure = tree(
            "<figure class='fig exhibit' translate='no' aria-label='{}'>{}\
             <div class='fig-draw lab-draw' data-keys='figure' key='draw'>{}</div>{}{}{}{}{}{}{}{}\
             <details class='twin' key='twin'><summary>{}</summary>\
             <div class='twin-scroll' tabindex='0' role='group' aria-label='{}'>{}</div></details>\
             <p class='visually-hidden' role='status' key='announce'>{}</p></figure>",
            vec![
                label.clone().into(),
                self.say(&snapshot).into(),
                drawings.into(),
                self.lab.sum().into(),
                tree("<div class='exhibit-legend' key='legend'>{}</div>", vec![legend.into()])
                    .into(),
                self.time().into(),
                did.into(),
                terminal.into(),
                self.watch().into(),
                self.prepared().into(),
                self.asked(&snapshot),
                chrome::SHOW_AS_TABLE.into(),
                chrome::as_table(&label).into(),
                table.into(),
                self.lab.announce.clone().into(),
            ],
        );
        let figure = scope::tree(figure, &self.plan.id, &label);
        if self.is_live { figure } else { scope::asleep(figure) }
    }

    /// Its present moment on a card. What is no drawing, as members of groups, is shown by their records.
    #[must_use]
    pub fn card(&self, kicker: &str, title: &str) -> Node {
        let snapshot = self.run().snapshot();
        let drawn: Vec<&str> = self.lab.figure.topic_of(&snapshot).into_iter().collect();
        let (view, topics) = match (self.plan.view, self.plan.partition) {
            (View::Replicas, Some(number)) => (picture::View::Partition(number), drawn),
            (View::Replicas, None) => (picture::View::Cluster, own_topics(&snapshot)),
            (View::Records | View::Groups | View::Flight, _) => (picture::View::Log, drawn),
        };
        let keys = self.lab.figure.keys.clone();
        let (snapshot, topics, font) = (&snapshot, &topics[..], 16);
        let picture = Picture { snapshot, view, topics, width: 0, font, keys };
        Card { kicker, title, body: Body::Figure(picture) }.svg()
    }

    fn draw(&mut self, snapshot: &Snapshot, width: i32) -> Drawn {
        let lab = &mut self.lab;
        let events = lab.run.last_stop().map(|stop| lab.run.events_of(stop)).unwrap_or_default();
        // The first frame shows a state, not what has just come.
        let events = if self.is_opening { &[] } else { &events[..] };
        let chosen = lab.asked.as_ref().or(self.marked.as_ref());
        lab.figure.draw(snapshot, events, chosen, Room { width, ..lab.room })
    }

    /// The sentence above the drawing: the lesson's, the author's caption, or what has happened.
    fn say(&self, snapshot: &Snapshot) -> Node {
        if self.is_opening && !self.plan.say.is_empty() {
            let html = Node::Html(Text::Owned(self.plan.say.clone()));
            return tree("<p class='fig-say' key='say'>{}</p>", vec![html.into()]);
        }
        let happened = match &self.lab.note {
            Some(note) => note.clone(),
            None => self.lab.sentence_at(snapshot),
        };
        let caption = self.caption().filter(|_| self.lab.note.is_none());
        let Some(caption) = caption else {
            return tree("<p class='fig-say' key='say'>{}</p>", vec![happened.into()]);
        };
        tree(
            "<p class='fig-say' key='say'>{} <span class='exhibit-happened'>{}</span></p>",
            vec![caption.into(), happened.into()],
        )
    }

    fn time(&self) -> Node {
        let lab = &self.lab;
        let time = Transport {
            run: &lab.run,
            other: None,
            comparing: false,
            playing: lab.playing,
            detail: false,
            speed: lab.speed,
            can_undo: false,
            menu: None,
            room: lab.room,
        };
        let swap = match (self.is_own, &self.own) {
            (true, _) => Some(words::LESSON_RUN),
            (false, Some(_)) => Some(words::OWN_RUN),
            (false, None) => None,
        };
        tree(
            "<div class='lab-time' role='group' aria-label='{}' data-keys='time' key='time'>{}{}</div>",
            vec![
                words::TIME.into(),
                time.bar(self.is_own).into(),
                swap.map(|words| button(words, "own-run")).into(),
            ],
        )
    }

    /// What was done last, and the ways to the Lab and to the terminal.
    fn did(&self) -> Node {
        let lab = tree(
            "<button type='button' class='btn btn-small' data-do='open-lab' disabled='{}'>{}</button>",
            vec![(!self.is_live).into(), words::OPEN_IN_LAB.into()],
        );
        frame::did(self.last_command(), Some(lab), self.is_terminal_open, self.is_live)
    }

    /// The last command up to the present.
    fn last_command(&self) -> Option<&str> {
        if self.run().steps() <= self.run().begins_at() {
            return None;
        }
        self.run().timeline().past_inputs().rev().find_map(|input| match &input.kind {
            InputKind::Line(line) => Some(line.as_str()),
            _ => None,
        })
    }

    fn terminal(&mut self, snapshot: &Snapshot) -> Node {
        let lab = &mut self.lab;
        let mut offered = self.moments.tries().to_vec();
        if offered.is_empty() {
            offered = chips(snapshot, lab.figure.topic_of(snapshot));
        }
        lab.terminals.view(&lab.run, snapshot, &offered, lab.gate.verdict())
    }

    fn watch(&self) -> Option<Node> {
        let html = Some(&self.plan.watch).filter(|html| !html.is_empty())?;
        Some(tree(
            "<p class='exhibit-watch' key='watch'><strong>{}</strong> <span class='exhibit-watch-words'>{}</span></p>",
            vec![words::WATCH_FOR.into(), Node::Html(Text::Owned(html.clone())).into()],
        ))
    }

    /// What was done before the figure began, for those who have answered.
    fn prepared(&self) -> Option<Node> {
        let commands: Vec<String> =
            self.setup.as_ref()?.iter().map(|line| ["$ ", line, "\n"].concat()).collect();
        Some(tree(
            "<details class='twin exhibit-setup' key='setup'><summary>{}</summary>\
             <pre class='listing' tabindex='0'><code>{}</code></pre></details>",
            vec![words::WHAT_WAS_DONE.into(), commands.concat().into()],
        ))
    }

    fn asked(&self, snapshot: &Snapshot) -> Hole {
        let asked = self.lab.asked.as_ref().map(|thing| self.lab.asked_about(thing, snapshot));
        asked
            .map(|panel| {
                let refused = self.lab.gate.verdict();
                let refused =
                    refused.map(|said| tree("<p class='lab-hint'>{}</p>", vec![said.into()]));
                tree(
                    "<div class='lab-side exhibit-asked' data-keys='side' key='side'>{}{}</div>",
                    vec![refused.into(), panel.into()],
                )
            })
            .into()
    }
}
