//! A live figure without a DOM: the reader's place in the story, what is chosen and unfolded, and the
//! tree of what is to be seen. The static page is its first frame; the page's app sends it `Act`s.

use std::rc::Rc;

use highwater_core::ids::Offset;
use highwater_core::world::input::InputKind;
use highwater_core::world::stream::{OutputChunk, TerminalState};
use highwater_scene::arithmetic;
use highwater_scene::frame::{Frame, Line, LineKind, Say, Terminal, Time, at_widths, figure};
use highwater_scene::log_figure::{CellId, Fresh, LogFigure, Scene, What, fresh};
use highwater_scene::narration::narrate;
use highwater_scene::node::Node;
use highwater_scene::terminal::{Shown, heard};
use highwater_scene::words;

use crate::script::Script;
use crate::story::Story;

/// The most lines of the terminal that are drawn; older ones are counted.
const LINES_DRAWN: usize = 400;

/// Cells that a lane has room for from the start, so that nothing moves when they fill up.
const SLOTS: i64 = 6;

/// Commands offered at the prompt, each with what it is called.
const CHIPS: &[(&str, &str)] = &[
    ("describe the topic", "kafka-topics.sh --bootstrap-server localhost:9092 --describe"),
    ("where it ends", "kafka-get-offsets.sh --bootstrap-server localhost:9092"),
    ("send a record", "hw produce --topic parcel-events --key locker-5 --value CODE_SENT"),
    ("all commands", "hw help"),
];

/// Something that the reader does to a figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// One step into the past.
    Back,
    /// One step into the future.
    Step,
    /// Begin or end playing.
    Play,
    /// The next step of a figure that plays.
    Tick,
    /// Go to a step.
    Seek(u32),
    /// Ask about a record; asking again lets go of it.
    Choose(CellId),
    /// Ask about nothing.
    LetGo,
    /// Move the keyboard's place in the drawing, from this record.
    Move(CellId, Direction),
    /// Show older records, or newer ones.
    Scroll {
        /// Older?
        older: bool,
    },
    /// Fold or unfold the terminal.
    ToggleTerminal,
    /// Run a line at the terminal.
    Run(String),
    /// Press Ctrl-C.
    Interrupt,
    /// Press Ctrl-D.
    EndOfInput,
    /// Go back to the run that an own command has replaced.
    Return,
    /// A button in the text.
    Text(String),
}

/// Where the keyboard goes in a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To the offset before.
    Left,
    /// To the next offset.
    Right,
    /// To the lane above.
    Up,
    /// To the lane below.
    Down,
    /// To the first record of the lane that is drawn.
    Home,
    /// To the last one.
    End,
}

/// A figure and what the reader has made of it.
#[derive(Clone, Debug)]
pub struct Figure {
    id: String,
    label: String,
    /// The opening sentence, as HTML, until something has happened.
    opening: Option<String>,
    story: Story,
    playing: bool,
    terminal_open: bool,
    chosen: Option<CellId>,
    focus: Option<CellId>,
    scroll: i64,
    announce: String,
    /// Something that could not be done, in words.
    trouble: Option<String>,
    live: bool,
}

/// Where a figure comes from: its lesson.
#[derive(Clone, Debug, Default)]
pub struct FigureSource {
    /// Names it on its page.
    pub id: String,
    /// Its name by ear.
    pub label: String,
    /// The opening sentence, as HTML.
    pub say: String,
    /// The step that its first frame shows.
    pub at: u32,
    /// What it plays.
    pub scripts: Vec<Script>,
}

impl Figure {
    /// The figure at its first frame. A static page's figure is not `live`.
    ///
    /// # Errors
    /// Its script cannot be played.
    pub fn new(source: FigureSource, live: bool) -> Result<Self, String> {
        Ok(Self {
            id: source.id,
            label: source.label,
            opening: Some(source.say),
            story: Story::new(source.scripts, source.at)?,
            playing: false,
            terminal_open: false,
            chosen: None,
            focus: None,
            scroll: 0,
            announce: String::new(),
            trouble: None,
            live,
        })
    }

    /// The story.
    #[must_use]
    pub fn story(&self) -> &Story {
        &self.story
    }

    /// Whether the next step comes by itself.
    #[must_use]
    pub fn is_playing(&self) -> bool {
        self.playing
    }

    /// The record that the keyboard is at.
    #[must_use]
    pub fn focus(&self) -> Option<CellId> {
        self.focus
    }

    /// Whether the terminal is unfolded.
    #[must_use]
    pub fn is_terminal_open(&self) -> bool {
        self.terminal_open
    }

    /// Does what the reader asks for. `width` and `font` are those of the drawing, as in `view`.
    pub fn act(&mut self, act: Act, width: i32, font: i32) {
        self.trouble = None;
        let by_itself = matches!(act, Act::Tick);
        let typed = matches!(act, Act::Run(_));
        let shown = self.output().len();
        match act {
            Act::Move(cell, direction) => {
                self.focus = Some(cell);
                return self.move_focus(direction, width, font);
            }
            Act::Choose(cell) => {
                self.chosen = if self.chosen == Some(cell) { None } else { Some(cell) };
                self.focus = Some(cell);
                self.announce = self.address_of_chosen();
                return;
            }
            Act::LetGo => {
                self.chosen = None;
                return;
            }
            Act::Scroll { older } => {
                let most = self.scene(width, font).scroll_most;
                let page = if older { 3 } else { -3 };
                self.scroll = self.scroll.saturating_add(page).clamp(0, most);
                return;
            }
            Act::ToggleTerminal => {
                self.terminal_open = !self.terminal_open;
                return;
            }
            Act::Play if self.playing => {
                self.playing = false;
                return;
            }
            other => self.act_in_time(other),
        }
        self.chosen = None;
        self.scroll = 0;
        self.opening = None;
        self.playing &= self.story.position() < self.story.steps();
        // A figure that plays says nothing by itself, except at the end.
        self.announce = if by_itself && self.playing { String::new() } else { self.sentence() };
        if typed {
            self.announce_output(shown);
        }
    }

    fn output(&self) -> &[Rc<OutputChunk>] {
        let session = self.story.session();
        session.timeline().world().output(session.terminal())
    }

    /// What came out since then, for a reader by ear: how many lines, and the first of them.
    fn announce_output(&mut self, since: usize) {
        if let Some(heard) = heard(self.output().get(since..).unwrap_or_default()) {
            self.announce.push(' ');
            self.announce.push_str(&heard);
        }
    }

    /// The sentence about the moment, for somebody else to say.
    pub fn hand_over_sentence(&mut self) -> String {
        self.announce.clear();
        self.sentence()
    }

    fn act_in_time(&mut self, act: Act) {
        let position = self.story.position();
        self.playing = match act {
            Act::Play => true,
            Act::Tick => self.playing,
            _ => false,
        };
        match act {
            Act::Back => self.story.seek(position.saturating_sub(1)),
            Act::Step | Act::Tick => self.story.seek(position + 1),
            Act::Play => {
                // At the end, playing begins anew.
                let start = if position >= self.story.steps() { 0 } else { position + 1 };
                self.story.seek(start);
            }
            Act::Seek(step) => self.story.seek(step),
            Act::Run(line) => {
                let result = self.story.type_line(&line);
                self.complain(result.map_err(|error| error.to_string()));
            }
            Act::Interrupt => self.press(InputKind::Interrupt),
            Act::EndOfInput => self.press(InputKind::EndOfInput),
            Act::Return => self.story.return_to_left_run(),
            Act::Text(action) => match self.story.act(&action) {
                Ok(plays) => self.playing = plays,
                Err(trouble) => self.trouble = Some(trouble),
            },
            _ => {}
        }
    }

    fn press(&mut self, key: InputKind) {
        let result = self.story.press(key);
        self.complain(result.map_err(|error| error.to_string()));
    }

    fn complain(&mut self, result: Result<(), String>) {
        if let Err(trouble) = result {
            self.trouble = Some(trouble);
        }
    }

    /// Plays to the end of a step, as a question does that waits for it.
    pub fn play_to(&mut self, step: u32) {
        self.story.seek(step);
        self.playing = false;
        self.opening = None;
        self.chosen = None;
        self.scroll = 0;
        self.announce = self.sentence();
    }

    /// One sentence about the moment.
    #[must_use]
    pub fn sentence(&self) -> String {
        if let Some(trouble) = &self.trouble {
            return trouble.clone();
        }
        if self.story.position() == 0 {
            return words::chrome::BEFORE_THE_FIRST_STEP.to_owned();
        }
        narrate(&self.story.last_events(), &self.story.snapshot())
    }

    fn scene(&self, width: i32, font: i32) -> Scene {
        let snapshot = self.story.snapshot();
        let events = self.story.last_events();
        let fresh: Vec<Fresh> =
            if self.opening.is_some() { Vec::new() } else { fresh(self.story.topic(), &events) };
        let figure = LogFigure {
            font,
            keys: self.story.keys().clone(),
            selected: self.chosen,
            fresh: &fresh,
            focus: self.focus,
            scroll: self.scroll,
            slots: SLOTS,
            live: self.live,
            ..LogFigure::new(&snapshot, self.story.topic(), width)
        };
        figure.scene()
    }

    /// Everything to be seen, laid out for a drawing of these widths in px: one when live, else one
    /// for wide rooms and one for narrow ones.
    #[must_use]
    pub fn view(&self, widths: &[i32], font: i32) -> Node {
        let drawn = at_widths(widths, |width| {
            let Scene { svg, legend, table, .. } = self.scene(width, font);
            (svg, (legend, table))
        });
        let Some((drawings, (legend, table))) = drawn else { return Node::Text("".into()) };
        let sentence = self.sentence();
        let command = self.story.last_command();
        let frame = Frame {
            id: &self.id,
            label: &self.label,
            say: match &self.opening {
                Some(html) => Say::Html(html),
                None => Say::Words(&sentence),
            },
            sum: self.sum(),
            drawings,
            legend,
            time: Time {
                at: self.story.position(),
                steps: self.story.marks(),
                playing: self.playing,
                left_run: self.story.has_left_run(),
            },
            command: command.as_deref(),
            terminal: self.terminal_open.then(|| self.terminal()),
            table,
            announce: &self.announce,
            live: self.live,
        };
        figure(frame)
    }

    /// The arithmetic of the chosen record, or of the one that has just been sent.
    fn sum(&self) -> Option<Node> {
        let steps = match self.chosen {
            Some(cell) => arithmetic::of_event(&self.partitioned(cell)?.kind)?,
            None if self.opening.is_some() => return None,
            None => {
                let events = self.story.last_events();
                events.iter().rev().find_map(|event| arithmetic::of_event(&event.kind))?
            }
        };
        Some(arithmetic::node(&steps))
    }

    fn partitioned(
        &self,
        cell: CellId,
    ) -> Option<std::rc::Rc<highwater_core::world::event::Event>> {
        let snapshot = self.story.snapshot();
        let topic = snapshot.topic(self.story.topic())?;
        let view = topic.partitions.iter().find(|view| view.id.0 == cell.partition)?;
        let replica = view.replica.as_ref()?;
        let offset = Offset(cell.offset);
        let batch = replica.log().read(offset, offset.plus(1), u64::MAX).next()?;
        let nth = u32::try_from(cell.offset - batch.base_offset.0).ok()?;
        self.story.partitioned_by(batch.appended_by, nth)
    }

    fn address_of_chosen(&self) -> String {
        let Some(cell) = self.chosen else { return String::new() };
        let place = format!("{}-{}", self.story.topic(), cell.partition);
        let mut words = words::address(&place, cell.offset, cell.offset + 1);
        let event = self.partitioned(cell);
        if let Some(steps) = event.and_then(|event| arithmetic::of_event(&event.kind)) {
            words.push_str(": ");
            words.push_str(&arithmetic::line(&steps));
        }
        words
    }

    fn move_focus(&mut self, direction: Direction, width: i32, font: i32) {
        let mut cells = Vec::new();
        for hit in self.scene(width, font).hits {
            if let What::Cell(cell) = hit.what {
                cells.push(cell);
            }
        }
        self.focus = neighbour(&cells, self.focus, direction).or(self.focus);
    }

    fn terminal(&self) -> Terminal<'static> {
        let session = self.story.session();
        let mut shown = Shown::default();
        for chunk in session.timeline().world().output(session.terminal()) {
            shown.push(chunk);
        }
        let Shown { mut lines, is_open } = shown;
        let waits = session.missing().is_some() || session.state() == TerminalState::ToolReads;
        if waits && is_open {
            // The prompt stands before the cursor, below.
            lines.pop();
        }
        let surplus = lines.len().saturating_sub(LINES_DRAWN);
        if surplus > 0 {
            lines.drain(..surplus);
            let text = words::chrome::lines_left_out(surplus);
            lines.insert(0, Line { kind: LineKind::Out, text });
        }
        Terminal { lines, prompt: if waits { ">" } else { "$" }, chips: CHIPS }
    }
}

/// The cell next to `from`; the last cell of the first lane when the keyboard is nowhere. Cells
/// come lane by lane, each from left to right.
fn neighbour(cells: &[CellId], from: Option<CellId>, direction: Direction) -> Option<CellId> {
    let known = from.and_then(|from| cells.iter().position(|cell| *cell == from));
    let here = cells.get(known.unwrap_or(0))?;
    let first = cells.iter().position(|cell| cell.partition == here.partition)?;
    let last = cells.iter().rposition(|cell| cell.partition == here.partition)?;
    let Some(at) = known else { return cells.get(last).copied() };
    let to = match direction {
        Direction::Left => at.checked_sub(1).filter(|to| *to >= first)?,
        Direction::Right => Some(at + 1).filter(|to| *to <= last)?,
        Direction::Home => first,
        Direction::End => last,
        Direction::Up => return nearest(cells, first.checked_sub(1)?, here.offset),
        Direction::Down => return nearest(cells, last + 1, here.offset),
    };
    cells.get(to).copied()
}

/// The cell of another lane, that of the cell at `index`, whose offset is nearest.
fn nearest(cells: &[CellId], index: usize, offset: i64) -> Option<CellId> {
    let mut best = *cells.get(index)?;
    let distance = |cell: CellId| (cell.offset - offset).unsigned_abs();
    for cell in cells {
        let same = cell.partition == best.partition;
        if same && (distance(*cell), cell.offset) < (distance(best), best.offset) {
            best = *cell;
        }
    }
    Some(best)
}
