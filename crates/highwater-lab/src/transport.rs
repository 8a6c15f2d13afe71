//! Time: step back, play, step, the timeline spaced by steps with its gaps, jumps, speed, and another future.

use highwater_core::time::SimDuration;
use highwater_scene::frame::{self, StepMark, icon_button};
use highwater_scene::icon::Icon;
use highwater_scene::node::Node;
use highwater_scene::template::tree;
use highwater_scene::words::{chrome, lab as words};

use crate::lab::Room;
use crate::menu::menu;
use crate::run::Run;
use crate::story::{Stop, StopKind};

/// Places of the timeline where a mark can be: more than that would lie on top of each other.
const PLACES: usize = 160;
/// A silence that is worth a word.
const GAP: SimDuration = SimDuration::from_millis(2_000);
/// The most words for silences, and how far their places are apart, in sixteenths of the font: as far as one is long,
/// and half as far again for those that stand inwards from an end.
const GAPS: usize = 4;
const GAP_ROOM: usize = 120;

/// How fast it plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Speed {
    /// One stop in 1.4 s.
    Slow,
    /// One stop in 0.6 s.
    #[default]
    Normal,
    /// Six stops a second.
    Fast,
}

impl Speed {
    /// All, the slowest first.
    pub const ALL: [Self; 3] = [Self::Slow, Self::Normal, Self::Fast];

    /// Its name as a value of the control.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Slow => "slow",
            Self::Normal => "normal",
            Self::Fast => "fast",
        }
    }

    /// The speed of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|speed| speed.name() == name)
    }

    /// Milliseconds from one step to the next; when every message is a step, it goes on faster.
    #[must_use]
    pub const fn delay(self, detail: bool) -> u32 {
        let delay = match self {
            Self::Slow => 1_400,
            Self::Normal => 600,
            Self::Fast => 160,
        };
        if detail { delay / 3 } else { delay }
    }
}

/// What the transport shows.
#[derive(Clone, Copy, Debug)]
pub struct Transport<'a> {
    /// The run.
    pub run: &'a Run,
    /// Another future, if there is one.
    pub other: Option<&'a Run>,
    /// Whether the two are compared.
    pub comparing: bool,
    /// Whether it plays.
    pub playing: bool,
    /// Whether every message is a step.
    pub detail: bool,
    /// How fast it plays.
    pub speed: Speed,
    /// Whether a restart can be undone.
    pub can_undo: bool,
    /// The menu that is open.
    pub menu: Option<&'a str>,
    /// The room of the figure above.
    pub room: Room,
}

impl Transport<'_> {
    /// Draws it.
    #[must_use]
    pub fn view(&self) -> Node {
        tree(
            "<div class='lab-time' role='group' aria-label='{}' data-keys='time'>{}\
             <div class='lab-bar'>{}{}{}{}</div></div>",
            vec![
                words::TIME.into(),
                self.bar(true).into(),
                self.jump().into(),
                self.choices().into(),
                self.futures().into(),
                self.anew().into(),
            ],
        )
    }

    /// The way back and forth alone. Without a story that goes on, there is no step after the last.
    #[must_use]
    pub fn bar(&self, goes_on: bool) -> Node {
        let (at, count) = (self.run.position(), self.run.stops().len());
        let (icon, name) =
            if self.playing { (Icon::Pause, chrome::PAUSE) } else { (Icon::Play, chrome::PLAY) };
        let moment = words::moment(self.run.now());
        let (is_first, has_next) = (at == 0 && !self.detail, goes_on || at < count);
        tree(
            "<div class='bar'>{}{}{}{}<span class='bar-time num'>{}</span></div>",
            vec![
                icon_button(Icon::StepBack, chrome::STEP_BACK, "back", false, is_first).into(),
                icon_button(icon, name, "play", false, false).into(),
                icon_button(Icon::Step, chrome::STEP, "forward", false, !has_next).into(),
                self.track(at, count).into(),
                words::step_of(at, count, &moment).into(),
            ],
        )
    }

    /// How far words on the timeline stand apart at least, in hundredths of it.
    fn apart(&self) -> usize {
        let Room { width, font, .. } = self.room;
        // In a narrow room the timeline has a row of its own; else buttons and words stand beside it.
        let beside = if width < 30 * font { 2 * font } else { 19 * font };
        let track = usize::try_from((width - beside).max(font)).unwrap_or(1);
        let font = usize::try_from(font).unwrap_or(16);
        (GAP_ROOM * font / 16 * 100 / track).min(100)
    }

    fn track(&self, at: usize, count: usize) -> Node {
        let mut parts = marks(self.run.stops());
        parts.extend(gaps(self.run.stops(), self.apart()));
        let text = words::step_of(at, count, &words::moment(self.run.now()));
        let other = self.other.map(|other| self.second(other));
        tree(
            "<div class='track lab-track'><svg class='track-marks' aria-hidden='true'>\
             <line class='track-line' x1='0' x2='100%' y1='28' y2='28'/>\
             <line class='track-done' x1='0' x2='{}' y1='28' y2='28'/>{}{}</svg>\
             <input type='range' class='track-input' aria-label='{}' aria-valuetext='{}' min='0' \
             max='{}' value='{}' data-do='seek'/></div>",
            vec![
                percent(at, count).into(),
                parts.into(),
                other.into(),
                words::TIMELINE.into(),
                text.into(),
                whole(count).into(),
                whole(at).into(),
            ],
        )
    }

    /// The other future: a thinner line above the other, from where the two part; words stand below.
    fn second(&self, other: &Run) -> Node {
        let (mine, theirs) = (self.run.stops(), other.stops());
        let same = mine.iter().zip(theirs).take_while(|(one, other)| one == other).count();
        let count = mine.len().max(theirs.len());
        tree(
            "<g><line class='lab-other' x1='{}' x2='{}' y1='20' y2='20'/></g>",
            vec![percent(same, count).into(), percent(theirs.len(), count).into()],
        )
    }

    /// Jumps to the next stop of a kind.
    fn jump(&self) -> Node {
        let kinds = StopKind::ALL.map(|kind| {
            tree(
                "<button type='button' class='btn btn-small' data-do='{}'>\
                 <svg class='lab-kind' width='16' height='16' viewBox='-8 -8 16 16' aria-hidden='true'>\
                 <path class='{}' d='{}'/></svg>{}</button>",
                vec![
                    format!("jump:{}", kind.name()).into(),
                    class(kind).into(),
                    shape(kind).into(),
                    words::stop_kind(kind.name()).into(),
                ],
            )
        });
        menu("jump", words::JUMP, self.menu, kinds.to_vec())
    }

    /// How fast, and how finely.
    fn choices(&self) -> Node {
        let speeds = Speed::ALL.map(|speed| {
            tree(
                "<option value='{}' selected='{}'>{}</option>",
                vec![
                    speed.name().into(),
                    (speed == self.speed).into(),
                    words::speed(speed.name()).into(),
                ],
            )
        });
        tree(
            "<span class='lab-choices'><label class='lab-check'><input type='checkbox' data-do='detail' \
             checked='{}'/>{}</label><label class='lab-speed'>{} <select data-do='speed'>{}</select></label></span>",
            vec![
                self.detail.into(),
                words::DETAIL.into(),
                words::SPEED.into(),
                speeds.to_vec().into(),
            ],
        )
    }

    fn futures(&self) -> Node {
        let mut buttons = Vec::new();
        if self.other.is_some() {
            buttons.push(toggle(words::COMPARE, "compare", self.comparing));
            buttons.push(button(words::SWITCH, "switch"));
            buttons.push(button(words::END_FORK, "end-fork"));
        } else {
            buttons.push(button(words::FORK, "fork"));
        }
        tree("<span class='lab-futures'>{}</span>", vec![buttons.into()])
    }

    fn anew(&self) -> Node {
        let mut buttons = vec![button(words::RESTART, "restart")];
        if self.can_undo {
            buttons.push(button(words::UNDO_RESTART, "undo-restart"));
        }
        tree("<span class='lab-anew'>{}</span>", vec![buttons.into()])
    }
}

/// The marks of stops: a shape each, as far as there is room.
fn marks(stops: &[Stop]) -> Vec<Node> {
    let count = stops.len();
    let places = PLACES.min(count.max(1));
    let mut kinds: Vec<Option<(StopKind, usize)>> = vec![None; places + 1];
    for (index, stop) in stops.iter().enumerate() {
        let place = (index + 1) * places / count.max(1);
        if let Some(known) = kinds.get_mut(place)
            && known.is_none_or(|(kind, _)| kind < stop.kind)
        {
            *known = Some((stop.kind, index + 1));
        }
    }
    let shown = kinds.into_iter().flatten();
    shown
        .map(|(kind, at)| {
            tree(
                "<svg x='{}' y='9' class='track-at'><path class='{}' d='{}'/></svg>",
                vec![percent(at, count).into(), class(kind).into(), shape(kind).into()],
            )
        })
        .collect()
}

/// Words for the longest silences.
fn gaps(stops: &[Stop], apart: usize) -> Vec<Node> {
    let count = stops.len();
    let mut gaps = Vec::new();
    for (index, pair) in stops.windows(2).enumerate() {
        let [before, after] = pair else { continue };
        let span = SimDuration(after.at.0.saturating_sub(before.at.0));
        if span >= GAP {
            gaps.push((span, index + 1));
        }
    }
    gaps.sort_by_key(|(span, _)| std::cmp::Reverse(*span));
    let mut chosen: Vec<(SimDuration, usize)> = Vec::new();
    for (span, at) in gaps {
        let far = |other: usize| at.abs_diff(other) * 100 >= apart * count;
        if chosen.len() < GAPS && chosen.iter().all(|(_, other)| far(*other)) {
            chosen.push((span, at));
        }
    }
    chosen
        .into_iter()
        .map(|(span, at)| {
            // In the middle between two stops; at the ends inwards.
            let x = percent(2 * at + 1, 2 * count);
            let (place, half) = (100 * at / count, (apart / 3).max(7));
            let anchor = if place < half {
                "start"
            } else if place + half > 100 {
                "end"
            } else {
                "middle"
            };
            tree(
                "<svg x='{}' y='33' class='track-at'><text class='lab-gap' y='0.92em' text-anchor='{}'>{}</text></svg>",
                vec![x.into(), anchor.into(), words::gap(span).into()],
            )
        })
        .collect()
}

fn class(kind: StopKind) -> &'static str {
    match kind {
        StopKind::Failure => "track-mark lab-failure",
        StopKind::Election => "track-mark lab-election",
        StopKind::Command => "track-mark",
        StopKind::Append | StopKind::Change => "track-mark lab-small",
    }
}

fn shape(kind: StopKind) -> &'static str {
    match kind {
        StopKind::Command => StepMark::Command.path(),
        StopKind::Failure => StepMark::Failure.path(),
        StopKind::Election => StepMark::Election.path(),
        StopKind::Append => "M-1.5-5h3v10h-3z",
        StopKind::Change => "M-1-2.5h2v5h-2z",
    }
}

/// A small button with words.
#[must_use]
pub fn button(words: &'static str, does: &'static str) -> Node {
    tree(
        "<button type='button' class='btn btn-small' data-do='{}' key='{}'>{}</button>",
        vec![does.into(), does.into(), words.into()],
    )
}

/// A small button that stays pressed.
#[must_use]
pub fn toggle(words: &'static str, does: &'static str, pressed: bool) -> Node {
    tree(
        "<button type='button' class='btn btn-small' data-do='{}' aria-pressed='{}' key='{}'>{}</button>",
        vec![does.into(), if pressed { "true" } else { "false" }.into(), does.into(), words.into()],
    )
}

fn whole(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// `part` of `all` as a percentage for SVG.
fn percent(part: usize, all: usize) -> String {
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    frame::percent(number(part), number(all))
}
