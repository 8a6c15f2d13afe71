//! What stands around a drawing: the sentence above it, the legend, the transport, the terminal and
//! the table. One tree for the static page and for the live one (classes: web/style/figure.css and
//! its neighbours). What a button does is named in `data-do`; the page listens for that.

use crate::digits::int;
use crate::icon::Icon;
use crate::node::{Node, Text};
use crate::template::{Hole, tree};
use crate::words::chrome as words;

/// A figure around its drawing.
#[derive(Clone, Debug)]
pub struct Frame<'a> {
    /// Names the figure on its page; ids inside begin with it.
    pub id: &'a str,
    /// The figure's name for a reader by ear.
    pub label: &'a str,
    /// The sentence above the drawing.
    pub say: Say<'a>,
    /// The arithmetic of a record, if one is shown.
    pub sum: Option<Node>,
    /// The drawing; a static page has one for wide rooms and one for narrow ones.
    pub drawings: Vec<Node>,
    /// The legend.
    pub legend: Node,
    /// Where in time the figure is.
    pub time: Time,
    /// The last command.
    pub command: Option<&'a str>,
    /// The unfolded terminal.
    pub terminal: Option<Terminal<'a>>,
    /// The text twin.
    pub table: Node,
    /// What is said to a reader by ear, after something that the reader did.
    pub announce: &'a str,
    /// Whether the engine has loaded.
    pub live: bool,
}

/// The sentence above a drawing.
#[derive(Clone, Debug)]
pub enum Say<'a> {
    /// As the lesson has it: HTML that the page builder has made.
    Html(&'a str),
    /// Words about what happened.
    Words(&'a str),
}

/// Where in time a figure is.
#[derive(Clone, Debug, Default)]
pub struct Time {
    /// Steps that have happened.
    pub at: u32,
    /// The kind of each step of the run, the future ones too.
    pub steps: Vec<StepMark>,
    /// Whether it is playing.
    pub playing: bool,
    /// Whether there is another run to go back to.
    pub left_run: bool,
}

/// The kind of one step on the timeline; each has a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepMark {
    /// A command of the reader: a diamond.
    Command,
    /// A failure: a triangle.
    Failure,
    /// An election or a rebalance: a square.
    Election,
}

/// An unfolded terminal.
#[derive(Clone, Debug)]
pub struct Terminal<'a> {
    /// What it shows.
    pub lines: Vec<Line>,
    /// What stands before the cursor: `$`, or `>` when a tool reads.
    pub prompt: &'static str,
    /// Commands that fill the prompt when pressed, each with what it is called.
    pub chips: &'a [(&'static str, &'static str)],
}

/// A line on a terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Whose line.
    pub kind: LineKind,
    /// Its text, without a line end.
    pub text: String,
}

/// Whose line it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// A command.
    Command,
    /// A line typed to a tool, or the rest of a command.
    Typed,
    /// Output.
    Out,
    /// Errors.
    Err,
}

impl StepMark {
    /// SVG path data around the point 0, 0.
    #[must_use]
    pub const fn path(self) -> &'static str {
        match self {
            Self::Command => "M0-5l5 5-5 5-5-5z",
            Self::Failure => "M0-5l5.5 9.5h-11z",
            Self::Election => "M-4.2-4.2h8.4v8.4h-8.4z",
        }
    }
}

/// The whole figure.
#[must_use]
pub fn figure(frame: Frame<'_>) -> Node {
    let say = match frame.say {
        Say::Html(html) => Node::Html(Text::Owned(html.to_owned())),
        Say::Words(words) => Node::Text(Text::Owned(words.to_owned())),
    };
    let transport = transport(&frame.time, frame.live);
    let did = did(frame.command, None, frame.terminal.is_some(), frame.live);
    // Keys keep each part the same element when another one comes or goes.
    tree(
        "<figure class='fig' translate='no' aria-label='{}'><p class='fig-say' key='say'>{}</p>\
         <div class='fig-draw' key='draw'>{}</div>{}{}{}{}{}\
         <details class='twin' key='twin'><summary>{}</summary>\
         <div class='twin-scroll' tabindex='0' role='group' aria-label='{}'>{}</div></details>\
         <p class='visually-hidden' role='status' key='announce'>{}</p></figure>",
        vec![
            frame.label.to_owned().into(),
            say.into(),
            frame.drawings.into(),
            // Without arithmetic its room stays, so that nothing moves when there is some.
            frame.sum.unwrap_or_else(|| tree("<p class='hw-sum' key='sum'></p>", vec![])).into(),
            frame.legend.into(),
            transport.into(),
            did.into(),
            frame.terminal.map(|terminal| tty(frame.id, terminal)).into(),
            words::SHOW_AS_TABLE.into(),
            words::as_table(frame.label).into(),
            frame.table.into(),
            frame.announce.to_owned().into(),
        ],
    )
}

fn transport(time: &Time, live: bool) -> Node {
    let count = u32::try_from(time.steps.len()).unwrap_or(u32::MAX);
    let (icon, name) =
        if time.playing { (Icon::Pause, words::PAUSE) } else { (Icon::Play, words::PLAY) };
    tree(
        "<div class='bar' role='group' aria-label='{}' key='time'>{}{}{}{}\
         <span class='bar-time'>{}</span>{}</div>",
        vec![
            words::TIME.into(),
            icon_button(Icon::StepBack, words::STEP_BACK, "back", !live || time.at == 0, false)
                .into(),
            icon_button(icon, name, "play", !live, false).into(),
            icon_button(Icon::Step, words::STEP, "step", !live || time.at >= count, false).into(),
            track(time, count, live).into(),
            words::step_of(time.at, count).into(),
            time.left_run.then(|| text_button(words::BACK_TO_MY_RUN, "return")).into(),
        ],
    )
}

fn track(time: &Time, count: u32, live: bool) -> Node {
    let mut marks = Vec::new();
    for (n, mark) in (1..).zip(&time.steps) {
        marks.push(tree(
            "<svg x='{}' y='9' class='track-at'><path class='track-mark' d='{}'/></svg>",
            vec![percent(n, count).into(), mark.path().into()],
        ));
    }
    tree(
        "<div class='track'><svg class='track-marks' aria-hidden='true'>\
         <line class='track-line' x1='0' x2='100%' y1='28' y2='28'/>\
         <line class='track-done' x1='0' x2='{}' y1='28' y2='28'/>{}</svg>\
         <input type='range' class='track-input' aria-label='{}' aria-valuetext='{}' min='0' \
         max='{}' value='{}' disabled='{}'/></div>",
        vec![
            percent(time.at, count).into(),
            marks.into(),
            words::TIMELINE.into(),
            words::step_of(time.at, count).into(),
            i64::from(count).into(),
            i64::from(time.at).into(),
            (!live).into(),
        ],
    )
}

/// The line below a drawing: what was done last, as a command, then `more` and the way to the terminal. `is_live`: the
/// engine has loaded.
#[must_use]
pub fn did(command: Option<&str>, more: Option<Node>, is_open: bool, is_live: bool) -> Node {
    let line = match (is_live, command) {
        (false, _) => tree(
            "<p class='did-line' data-engine-status='' role='status'>{}<noscript>{}</noscript></p>",
            vec![words::WAKING_UP.into(), words::NO_SCRIPT.into()],
        ),
        (true, Some(command)) => {
            let first = command.lines().next().unwrap_or_default();
            tree(
                "<p class='did-line'><span class='did-command'>{}</span></p>",
                vec![["$ ", first].concat().into()],
            )
        }
        (true, None) => tree("<p class='did-line'>{}</p>", vec![words::NOTHING_TYPED.into()]),
    };
    let open = if is_open { "true" } else { "false" };
    tree(
        "<div class='did' key='did'>{}{}<button type='button' class='btn btn-small' data-do='terminal' \
         aria-expanded='{}' disabled='{}'>{}</button></div>",
        vec![line.into(), more.into(), open.into(), (!is_live).into(), words::TERMINAL.into()],
    )
}

/// Drawings of these widths in px: one of a live figure, else one for wide rooms and one for narrow ones. With them
/// comes what else `draw` gives, of the first; `None`: there is no width.
pub fn at_widths<T>(
    widths: &[i32],
    mut draw: impl FnMut(i32) -> (Node, T),
) -> Option<(Vec<Node>, T)> {
    let (mut drawings, mut first) = (Vec::new(), None);
    for (width, class) in widths.iter().zip(["fig-wide", "fig-narrow"]) {
        let (drawing, rest) = draw(*width);
        drawings.push(if widths.len() > 1 {
            tree("<div class='{}'>{}</div>", vec![class.into(), drawing.into()])
        } else {
            drawing
        });
        first.get_or_insert(rest);
    }
    Some((drawings, first?))
}

fn tty(id: &str, terminal: Terminal<'_>) -> Node {
    let mut lines = Vec::new();
    for line in terminal.lines {
        let (class, prompt) = match line.kind {
            LineKind::Command => ("tty-line", "$ "),
            LineKind::Typed => ("tty-line", "> "),
            LineKind::Out => ("tty-line tty-out", ""),
            LineKind::Err => ("tty-line tty-err", ""),
        };
        let template = if prompt.is_empty() {
            "<div class='{}'>{}{}</div>"
        } else {
            "<div class='{}'><span class='tty-prompt'>{}</span>{}</div>"
        };
        let prompt = if prompt.is_empty() { Hole::No } else { prompt.into() };
        lines.push(tree(template, vec![class.into(), prompt, line.text.into()]));
    }
    let mut chips = Vec::new();
    for (name, command) in terminal.chips {
        chips.push(tree(
            "<button type='button' class='btn btn-small' data-fill='{}'>{}</button>",
            vec![(*command).into(), (*name).into()],
        ));
    }
    tree(
        "<div class='tty' key='terminal'>\
         <div class='tty-log' role='log' aria-live='off' tabindex='0' aria-label='{}'>{}</div>\
         <form class='tty-form' data-do='run'>\
         <span class='tty-prompt' aria-hidden='true'>{}</span>\
         <input type='text' class='tty-input' id='{}' aria-label='{}' autocapitalize='off' \
         autocomplete='off' spellcheck='false'/>\
         <button type='submit' class='btn btn-small'>{}</button></form>\
         <div class='tty-chips'>{}</div><div class='tty-keys'>{}{}{}{}</div></div>",
        vec![
            words::TERMINAL_OUTPUT.into(),
            lines.into(),
            terminal.prompt.into(),
            [id, "-command"].concat().into(),
            words::COMMAND.into(),
            words::RUN.into(),
            chips.into(),
            text_button("\u{2191}", "older").into(),
            text_button("\u{2193}", "newer").into(),
            text_button(words::CTRL_C, "interrupt").into(),
            text_button(words::CTRL_D, "end-of-input").into(),
        ],
    )
}

/// A button of the transport. One that cannot be used yet, or not now, is `disabled`, or only says so and keeps the
/// focus of whoever has pressed it (`dulled`).
#[must_use]
pub fn icon_button(
    icon: Icon,
    name: &'static str,
    does: &'static str,
    disabled: bool,
    dulled: bool,
) -> Node {
    let class = if does == "play" { "btn btn-icon btn-primary" } else { "btn btn-icon" };
    tree(
        "<button type='button' class='{}' aria-label='{}' data-do='{}' disabled='{}' aria-disabled='{}'>\
         <svg class='icon' viewBox='0 0 16 16' aria-hidden='true'><path d='{}'/></svg></button>",
        vec![
            class.into(),
            name.into(),
            does.into(),
            disabled.into(),
            dulled.then_some("true").into(),
            icon.path().into(),
        ],
    )
}

fn text_button(words: &'static str, does: &'static str) -> Node {
    tree(
        "<button type='button' class='btn' data-do='{}'>{}</button>",
        vec![does.into(), words.into()],
    )
}

/// `part` of `whole` as a percentage for SVG, with two digits after the point.
#[must_use]
pub fn percent(part: u32, whole: u32) -> String {
    let hundredths = i64::from(part.min(whole)) * 10_000 / i64::from(whole.max(1));
    let digits = int(hundredths % 100);
    let zero = if digits.len() == 1 { "0" } else { "" };
    [&int(hundredths / 100), ".", zero, &digits, "%"].concat()
}
