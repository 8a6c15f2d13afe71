//! The Lab, where it stands in the page, and when its clock ticks.

use std::cell::RefCell;

use highwater_lab::{Heard, Keeping, Opening, Wish};
use js_sys::Function;
use web_sys::{Element, HtmlOptionElement};
use yew::html::Scope;

use super::desk::Desk;
use super::places;
use super::view::View;
use crate::island::{all, find, keep_commands, value, wants_motion};
use crate::room::Room;
use wasm_bindgen::JsCast;

/// Shared by the component and the listeners. It stays as long as the page.
pub(super) type Shared = &'static RefCell<App>;

/// The Lab in its island.
pub(super) struct App {
    /// Where it is mounted.
    pub island: Element,
    /// Other places of the page in which it draws: questions.
    pub parts: Vec<Element>,
    pub lab: Box<dyn Desk>,
    room: Room,
    motion: bool,
    /// How to have it drawn.
    pub link: Option<Scope<View>>,
    /// What to call when the time of a tick has come.
    pub on_tick: Option<Function>,
    /// The tick that is waited for, and how long it was to take.
    timer: Option<(i32, u32)>,
    /// What to call when it is time to keep something.
    pub on_keep: Option<Function>,
    /// It will be.
    is_keeping: bool,
    /// The commands that were kept last.
    commands: String,
    /// The reader has been told that nothing can be kept.
    pub told_full: bool,
    /// Whether the browser shows another page.
    pub is_page_hidden: bool,
    /// Whether the reader has scrolled away.
    pub is_away: bool,
}

/// How long something may wait to be kept.
const KEEP_MS: i32 = 1_000;
/// The element whose width is the room.
pub(super) const DRAW: &str = ".lab-draw";

impl App {
    /// Opens the Lab with what the address says and what the last visit has kept.
    pub(super) fn new(
        island: Element,
        parts: Vec<Element>,
        open: impl FnOnce(Opening, highwater_lab::Room) -> Box<dyn Desk>,
    ) -> Self {
        let room = Room::of(find(&island, DRAW), island.client_width());
        let motion = wants_motion();
        let opening = Opening { fragment: fragment(), kept: places::kept() };
        let lab = open(opening, told(&room, motion));
        Self {
            island,
            parts,
            lab,
            room,
            motion,
            link: None,
            on_tick: None,
            timer: None,
            on_keep: None,
            is_keeping: false,
            commands: String::new(),
            told_full: false,
            is_page_hidden: false,
            is_away: false,
        }
    }

    /// Whether it is seen may have changed: what nobody sees does not play.
    pub(super) fn look_seen(&mut self) {
        self.tell(Heard::Hidden(self.is_page_hidden || self.is_away));
    }

    /// Tells the Lab something and lets it be drawn. Returns whether the browser must not do what it
    /// would do by itself.
    pub(super) fn tell(&mut self, heard: Heard) -> bool {
        let may_run = !matches!(heard, Heard::Tick | Heard::Room(_) | Heard::Hidden(_));
        let prevents = self.lab.hear(heard);
        if may_run {
            let commands = self.lab.commands();
            if commands != self.commands {
                keep(&self.island, &commands);
                self.commands = commands;
            }
        }
        self.wait();
        self.keep_soon();
        if let Some(link) = &self.link {
            link.send_message(());
        }
        prevents
    }

    /// Sees to it that what is done is kept, a second later at most: whoever is quick makes many steps in one.
    fn keep_soon(&mut self) {
        if self.is_keeping || !self.lab.is_unkept() {
            return;
        }
        if let (Some(window), Some(keep)) = (web_sys::window(), &self.on_keep) {
            let timer = window.set_timeout_with_callback_and_timeout_and_arguments_0(keep, KEEP_MS);
            self.is_keeping = timer.is_ok();
        }
    }

    /// What is to be kept now.
    pub(super) fn take_kept(&mut self) -> Keeping {
        self.is_keeping = false;
        self.lab.take_kept()
    }

    /// The time for the next step has come.
    pub(super) fn tick(&mut self) {
        self.timer = None;
        self.tell(Heard::Tick);
    }

    /// The room may have changed, or what the reader wants to see moving.
    pub(super) fn look_around(&mut self) {
        let motion = wants_motion();
        let draw = find(&self.island, DRAW);
        if self.room.follow(draw) || self.motion != motion {
            self.motion = motion;
            self.tell(Heard::Room(told(&self.room, motion)));
        }
    }

    /// What is left to do when it has been drawn: lists of choices show what the tree says, and the rest
    /// is returned.
    pub(super) fn drawn(&mut self) -> Vec<Wish> {
        for option in all(&self.island, "option[selected]") {
            // What the reader has chosen is a property, which the attribute no longer moves.
            option.unchecked_ref::<HtmlOptionElement>().set_selected(true);
        }
        // What it says when it opens may want a tick too.
        self.wait();
        self.lab.take_wishes()
    }

    /// Waits for the next tick, or no longer. One that is on its way comes at its time whatever happens
    /// meanwhile, so that a busy reader does not keep the cluster from moving.
    fn wait(&mut self) {
        let wanted = self.lab.delay();
        if self.timer.map(|(_, ms)| ms) == wanted {
            return;
        }
        let Some(window) = web_sys::window() else { return };
        if let Some((timer, _)) = self.timer.take() {
            window.clear_timeout_with_handle(timer);
        }
        if let (Some(ms), Some(tick)) = (wanted, &self.on_tick) {
            let delay = i32::try_from(ms).unwrap_or(i32::MAX);
            let timer = window.set_timeout_with_callback_and_timeout_and_arguments_0(tick, delay);
            self.timer = timer.ok().map(|timer| (timer, ms));
        }
    }
}

thread_local! {
    /// What the reader wrote in each figure of the page, in the order in which the reader came to them.
    static WRITTEN: RefCell<Vec<(String, String)>> = const { RefCell::new(Vec::new()) };
}

/// Keeps the commands of one island beside those of the others.
fn keep(island: &Element, commands: &str) {
    let name = value(island, "data-figure").unwrap_or_default();
    WRITTEN.with_borrow_mut(|written| {
        match written.iter_mut().find(|(known, _)| *known == name) {
            Some((_, text)) => commands.clone_into(text),
            None => written.push((name, commands.to_owned())),
        }
        let all: String = written.iter().map(|(_, text)| text.as_str()).collect();
        keep_commands(&all);
    });
}

fn told(room: &Room, motion: bool) -> highwater_lab::Room {
    highwater_lab::Room { width: room.width, font: room.font, motion }
}

/// What stands behind the `#` of the address.
pub(super) fn fragment() -> String {
    let hash = web_sys::window().and_then(|window| window.location().hash().ok());
    hash.unwrap_or_default().trim_start_matches('#').to_owned()
}
