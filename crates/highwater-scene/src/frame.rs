//! What stands around a drawing: the sentence above it, the legend, the transport, the terminal and
//! the table. One tree for the static page and for the live one (classes: web/style/figure.css and
//! its neighbours). What a button does is named in `data-do`; the page listens for that.

use crate::digits::int;
use crate::icon::Icon;
use crate::node::{Element, Node, Text, element};
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
    /// Commands that fill the prompt when pressed.
    pub chips: &'a [&'a str],
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
pub fn figure(frame: &Frame<'_>) -> Node {
    let say = element("p").class("fig-say");
    let say = match frame.say {
        Say::Html(html) => say.child(Node::Html(Text::Owned(html.to_owned()))),
        Say::Words(words) => say.text(words.to_owned()),
    };
    // Keys keep each part the same element when another one comes or goes.
    let mut parts = vec![
        ("say", say.into()),
        ("draw", element("div").class("fig-draw").children(frame.drawings.clone()).into()),
    ];
    if let Some(sum) = &frame.sum {
        parts.push(("sum", sum.clone()));
    }
    parts.extend([
        ("legend", frame.legend.clone()),
        ("time", transport(frame)),
        ("did", did(frame)),
    ]);
    if let Some(terminal) = &frame.terminal {
        parts.push(("terminal", tty(frame.id, terminal)));
    }
    let announce = element("p").class("visually-hidden").attr("role", "status");
    parts.push(("twin", twin(frame)));
    parts.push(("announce", announce.text(frame.announce.to_owned()).into()));
    element("figure")
        .class("fig")
        .attr("translate", "no")
        .attr("aria-label", frame.label.to_owned())
        .children(parts.into_iter().map(|(name, part)| keyed(part, name)).collect())
        .into()
}

fn keyed(part: Node, name: &'static str) -> Node {
    match part {
        Node::Element(element) => element.key(name.to_owned()).into(),
        other => other,
    }
}

fn transport(frame: &Frame<'_>) -> Node {
    let Time { at, steps, playing, left_run } = &frame.time;
    let count = u32::try_from(steps.len()).unwrap_or(u32::MAX);
    let (icon, name) =
        if *playing { (Icon::Pause, words::PAUSE) } else { (Icon::Play, words::PLAY) };
    let mut bar = element("div")
        .class("bar")
        .attr("role", "group")
        .attr("aria-label", words::TIME)
        .child(icon_button(Icon::StepBack, words::STEP_BACK, "back", "", frame.live && *at > 0))
        .child(icon_button(icon, name, "play", " btn-primary", frame.live))
        .child(icon_button(Icon::Step, words::STEP, "step", "", frame.live && *at < count))
        .child(track(frame.live, *at, count, steps))
        .child(element("span").class("bar-time").text(words::step_of(*at, count)));
    if *left_run {
        bar = bar.child(text_button(words::BACK_TO_MY_RUN, "return", "btn btn-small"));
    }
    bar.into()
}

fn track(live: bool, at: u32, count: u32, steps: &[StepMark]) -> Node {
    let line = |class: &'static str, end: String| {
        element("line").class(class).int("x1", 0).attr("x2", end).int("y1", 28).int("y2", 28)
    };
    let mut marks = element("svg")
        .class("track-marks")
        .attr("aria-hidden", "true")
        .child(line("track-line", "100%".to_owned()))
        .child(line("track-done", percent(at, count)));
    for (n, mark) in (1..).zip(steps) {
        let path = element("path").class("track-mark").attr("d", mark.path());
        let place = element("svg").attr("x", percent(n, count)).int("y", 9).class("track-at");
        marks = marks.child(place.child(path));
    }
    let range = element("input")
        .attr("type", "range")
        .class("track-input")
        .attr("aria-label", words::TIMELINE)
        .attr("aria-valuetext", words::step_of(at, count))
        .int("min", 0)
        .attr("max", int(i64::from(count)))
        .attr("value", int(i64::from(at)));
    element("div").class("track").child(marks).child(asleep(range, live)).into()
}

fn did(frame: &Frame<'_>) -> Node {
    let line = element("p").class("did-line");
    let line = match (frame.live, frame.command) {
        (false, _) => line
            .attr("data-engine-status", "")
            .attr("role", "status")
            .text(words::WAKING_UP)
            .child(element("noscript").text(words::NO_SCRIPT)),
        (true, Some(command)) => {
            let first = command.lines().next().unwrap_or_default();
            line.child(element("span").class("did-command").text(["$ ", first].concat()))
        }
        (true, None) => line.text(words::NOTHING_TYPED),
    };
    let open = frame.terminal.is_some();
    let button = element("button")
        .attr("type", "button")
        .class("btn btn-small")
        .attr("data-do", "terminal")
        .attr("aria-expanded", if open { "true" } else { "false" })
        .text(words::TERMINAL);
    element("div").class("did").child(line).child(asleep(button, frame.live)).into()
}

fn tty(id: &str, terminal: &Terminal<'_>) -> Node {
    let lines = terminal.lines.iter().map(|line| {
        let (class, prompt) = match line.kind {
            LineKind::Command => ("tty-line", "$ "),
            LineKind::Typed => ("tty-line", "> "),
            LineKind::Out => ("tty-line tty-out", ""),
            LineKind::Err => ("tty-line tty-err", ""),
        };
        let mut row = element("div").class(class);
        if !prompt.is_empty() {
            row = row.child(element("span").class("tty-prompt").text(prompt));
        }
        Node::from(row.text(line.text.clone()))
    });
    let log = element("div")
        .class("tty-log")
        .attr("role", "log")
        .attr("aria-live", "off")
        .attr("tabindex", "0")
        .attr("aria-label", words::TERMINAL_OUTPUT)
        .children(lines.collect());
    let input = element("input")
        .attr("type", "text")
        .class("tty-input")
        .attr("id", [id, "-command"].concat())
        .attr("aria-label", words::COMMAND)
        .attr("autocapitalize", "off")
        .attr("autocomplete", "off")
        .attr("spellcheck", "false");
    let run = element("button").attr("type", "submit").class("btn btn-small").text(words::RUN);
    let form = element("form")
        .class("tty-form")
        .attr("data-do", "run")
        .child(
            element("span").class("tty-prompt").attr("aria-hidden", "true").text(terminal.prompt),
        )
        .child(input)
        .child(run);
    let chips = terminal.chips.iter().map(|command| {
        let chip = element("button").attr("type", "button").class("btn btn-small");
        Node::from(chip.attr("data-fill", (*command).to_owned()).text((*command).to_owned()))
    });
    let keys = element("div")
        .class("tty-keys")
        .child(text_button(words::CTRL_C, "interrupt", "btn btn-small"))
        .child(text_button(words::CTRL_D, "end-of-input", "btn btn-small"));
    element("div")
        .class("tty")
        .child(log)
        .child(form)
        .child(element("div").class("tty-chips").children(chips.collect()))
        .child(keys)
        .into()
}

fn twin(frame: &Frame<'_>) -> Node {
    let scroll = element("div")
        .class("twin-scroll")
        .attr("tabindex", "0")
        .attr("role", "group")
        .attr("aria-label", words::as_table(frame.label))
        .child(frame.table.clone());
    let summary = element("summary").text(words::SHOW_AS_TABLE);
    element("details").class("twin").child(summary).child(scroll).into()
}

fn icon_button(
    icon: Icon,
    name: &'static str,
    does: &'static str,
    class: &str,
    live: bool,
) -> Node {
    let drawing = element("svg")
        .class("icon")
        .attr("viewBox", "0 0 16 16")
        .attr("aria-hidden", "true")
        .child(element("path").attr("d", icon.path()));
    let button = element("button")
        .attr("type", "button")
        .class(["btn btn-icon", class].concat())
        .attr("aria-label", name)
        .attr("data-do", does)
        .child(drawing);
    asleep(button, live)
}

fn text_button(words: &'static str, does: &'static str, class: &'static str) -> Node {
    let button = element("button").attr("type", "button").class(class);
    button.attr("data-do", does).text(words).into()
}

/// A control that cannot be used yet, or not now.
fn asleep(control: Element, live: bool) -> Node {
    if live { control.into() } else { control.attr("disabled", "").into() }
}

/// `part` of `whole` as a percentage for SVG, with two digits after the point.
fn percent(part: u32, whole: u32) -> String {
    let hundredths = i64::from(part.min(whole)) * 10_000 / i64::from(whole.max(1));
    let digits = int(hundredths % 100);
    let zero = if digits.len() == 1 { "0" } else { "" };
    [&int(hundredths / 100), ".", zero, &digits, "%"].concat()
}
