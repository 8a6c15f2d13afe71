//! The terminals: which one is in front, what is typed, what could stand there, and what each shows.
//!
//! What a terminal shows is drawn in pages that stay as they are, so that another line costs the same however many
//! there are.

use std::collections::BTreeMap;
use std::rc::Rc;

use highwater_core::ids::TerminalId;
use highwater_core::world::snapshot::Snapshot;
use highwater_core::world::stream::{OutputChunk, OutputKind, TerminalState};
use highwater_scene::frame::{Line, LineKind};
use highwater_scene::node::Node;
use highwater_scene::template::{Hole, tree};
use highwater_scene::terminal::Shown;
use highwater_scene::words::{chrome, lab as words};
use highwater_shell::complete::complete;
use highwater_shell::tool::catalogue::commands;

use crate::deed;
use crate::links::Links;
use crate::run::Run;

/// So many of the newest lines are drawn, and those that share a page with them; older ones are counted.
const MOST_LINES: usize = 10_000;
/// Lines of a page.
const PAGE: usize = 100;
/// The most lines of the history.
const HISTORY: usize = 1_000;

/// The terminals.
#[derive(Clone, Debug)]
pub struct Terminals {
    /// The one in front; it may not be open yet.
    pub active: TerminalId,
    history: Vec<String>,
    /// Where in the history the prompt is.
    at: usize,
    /// Several words that could stand at the end of the line.
    candidates: Vec<String>,
    /// What stands before the word that they could be.
    head: String,
    /// What stands at the prompt, as far as it was told.
    pub typed: String,
    /// Tab leaves the prompt, after Esc.
    leaves: bool,
    pages: BTreeMap<TerminalId, Vec<Page>>,
}

/// A part of what a terminal shows that changes no more.
#[derive(Clone, Debug)]
struct Page {
    /// It ends before this chunk,
    end: usize,
    /// and with this one.
    last: Rc<OutputChunk>,
    /// How many lines it has, those that are not drawn included.
    lines: usize,
    node: Rc<Node>,
}

impl Default for Terminals {
    fn default() -> Self {
        Self {
            active: TerminalId(1),
            history: Vec::new(),
            at: 0,
            candidates: Vec::new(),
            head: String::new(),
            typed: String::new(),
            leaves: false,
            pages: BTreeMap::new(),
        }
    }
}

/// What a key at the prompt comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AtPrompt {
    /// The browser does what it does.
    Nothing,
    /// The prompt holds another line.
    Fill(String),
    /// Something changed beside it.
    Changed,
}

impl Terminals {
    /// The terminals that are open at this moment, and the one in front.
    #[must_use]
    pub fn open(&self, run: &Run) -> Vec<TerminalId> {
        let mut open = Vec::new();
        let mut id = TerminalId(1);
        while run.state(id).is_some() || id <= self.active {
            open.push(id);
            id = TerminalId(id.0 + 1);
        }
        open
    }

    /// A terminal at whose prompt a command can be typed: the one in front, another one, else the next.
    #[must_use]
    pub fn free(&self, run: &Run) -> TerminalId {
        let is_free = |id: &TerminalId| match run.state(*id) {
            Some(state) => state == TerminalState::Ready && !run.is_unfinished(*id),
            None => true,
        };
        if is_free(&self.active) {
            return self.active;
        }
        let mut ids = (1..).map(TerminalId);
        ids.find(is_free).unwrap_or(self.active)
    }

    /// The one that a new tab opens.
    #[must_use]
    pub fn next(run: &Run) -> TerminalId {
        let mut ids = (1..).map(TerminalId);
        ids.find(|id| run.state(*id).is_none()).unwrap_or(TerminalId(1))
    }

    /// Keeps a line in the history.
    pub fn remember(&mut self, line: &str) {
        if !line.trim().is_empty() && self.history.last().is_none_or(|last| last != line) {
            self.history.push(line.to_owned());
        }
        if self.history.len() > HISTORY {
            self.history.remove(0);
        }
        self.at = self.history.len();
        self.candidates.clear();
    }

    /// An older line of the history, or a newer one.
    pub fn walk(&mut self, older: bool) -> AtPrompt {
        let at = if older { self.at.checked_sub(1) } else { Some(self.at + 1) };
        let Some(at) = at.filter(|at| *at <= self.history.len()) else { return AtPrompt::Changed };
        self.at = at;
        AtPrompt::Fill(self.history.get(at).cloned().unwrap_or_default())
    }

    /// Esc: the next Tab leaves the prompt.
    pub fn leave(&mut self) {
        self.leaves = true;
        self.candidates.clear();
    }

    /// Another key than Tab.
    pub fn stay(&mut self) {
        self.leaves = false;
    }

    /// Tab: completes what is typed, if there is something to complete; else the focus moves on.
    pub fn tab(&mut self, before: &str, behind: &str, snapshot: &Snapshot) -> AtPrompt {
        if self.leaves || before.trim().is_empty() {
            self.candidates.clear();
            return AtPrompt::Nothing;
        }
        let completion = complete(before, snapshot);
        let words: Vec<String> =
            completion.candidates.into_iter().map(|candidate| candidate.text).collect();
        let (head, typed) = before.split_at_checked(completion.start).unwrap_or((before, ""));
        let Some(common) = common(&words) else {
            self.candidates.clear();
            return AtPrompt::Nothing;
        };
        let is_whole = words.len() == 1;
        if is_whole && common == typed && !behind.is_empty() {
            return AtPrompt::Nothing;
        }
        self.candidates = if is_whole { Vec::new() } else { words };
        self.head = head.to_owned();
        // A value with `=` behind its name goes on.
        let space = if is_whole && !common.ends_with('=') { " " } else { "" };
        if common.len() > typed.len() || is_whole {
            return AtPrompt::Fill(format!("{head}{common}{space}{behind}"));
        }
        AtPrompt::Changed
    }

    /// What could stand at the end of the line, by ear; `None`: nothing, or one thing.
    #[must_use]
    pub fn choices(&self) -> Option<String> {
        let named: Vec<&str> = self.candidates.iter().take(12).map(String::as_str).collect();
        (!named.is_empty()).then(|| words::choices(self.candidates.len(), &named.join(", ")))
    }

    /// What becomes of the line at the prompt: if it begins like a command while a tool reads lines, or if nobody
    /// answers at the address in it.
    #[must_use]
    pub fn hint(&self, run: &Run) -> Option<String> {
        if run.state(self.active) != Some(TerminalState::ToolReads) {
            return deed::unanswered(&self.typed, || run.snapshot());
        }
        if !is_command(&self.typed) {
            return None;
        }
        let tool = run.foreground(self.active)?;
        Some(if tool.contains("producer") {
            words::goes_as_record(&tool)
        } else {
            words::goes_as_input(&tool)
        })
    }

    /// The line with one of the candidates in it.
    pub fn with_candidate(&mut self, text: &str) -> String {
        self.candidates.clear();
        let space = if text.ends_with('=') { "" } else { " " };
        [&self.head, text, space].concat()
    }

    /// Everything of the terminals that is to be seen.
    ///
    /// `told`: what is said beside the prompt, if that is not about the line that is typed.
    pub fn view(
        &mut self,
        run: &Run,
        snapshot: &Snapshot,
        chips: &[(String, String)],
        told: Option<String>,
    ) -> Node {
        let links = Links::new(snapshot);
        let (pages, prompt) = self.log(run, &links);
        let state = run.state(self.active);
        let busy = state == Some(TerminalState::Busy);
        let candidates: Vec<Node> = self.candidates.iter().take(60).map(candidate).collect();
        let hint = told
            .or_else(|| self.hint(run))
            .map(|hint| tree("<p class='lab-hint'>{}</p>", vec![hint.into()]));
        let candidates = (!candidates.is_empty()).then(|| {
            tree(
                "<div class='lab-candidates' role='group' aria-label='{}'>{}</div>",
                vec![words::CANDIDATES.into(), candidates.into()],
            )
        });
        tree(
            "<section class='lab-terminal tty' aria-label='{}' data-keys='terminal'>\
             <div class='lab-tabs'>{}<span class='lab-tabs-end'>{}{}</span></div>\
             <div class='tty-log' role='log' aria-live='off' tabindex='0' aria-label='{}' key='{}'>{}</div>\
             {}<form class='tty-form' data-do='prompt'><span class='tty-prompt' aria-hidden='true'>{}</span>\
             <textarea class='tty-input' id='lab-prompt' rows='1' aria-label='{}' autocapitalize='off' \
             autocomplete='off' spellcheck='false' data-keys='prompt' data-do='typed' name='line'></textarea>\
             <button type='submit' class='btn btn-small'>{}</button>{}</form>{}{}\
             <div class='tty-chips'>{}</div><div class='tty-keys'>{}</div></section>",
            vec![
                words::TERMINALS.into(),
                self.tabs(run).into(),
                small(words::COPY_COMMANDS, "copy:commands").into(),
                small(words::COPY_TRANSCRIPT, "copy:transcript").into(),
                chrome::TERMINAL_OUTPUT.into(),
                format!("log-{}", self.active.0).into(),
                pages.into(),
                busy.then(|| tree("<p class='lab-busy'>{}</p>", vec![words::BUSY.into()])).into(),
                prompt.into(),
                chrome::COMMAND.into(),
                chrome::RUN.into(),
                vec![small(chrome::CTRL_C, "interrupt"), small(chrome::CTRL_D, "end-of-input")]
                    .into(),
                hint.into(),
                candidates.into(),
                chips.iter().map(chip).collect::<Vec<_>>().into(),
                vec![
                    small(words::TAB, "complete"),
                    small("\u{2191}", "history:older"),
                    small("\u{2193}", "history:newer"),
                ]
                .into(),
            ],
        )
    }

    fn tabs(&self, run: &Run) -> Vec<Node> {
        let mut tabs = Vec::new();
        for id in self.open(run) {
            let busy = run.state(id).is_some_and(|state| state != TerminalState::Ready);
            let name = busy.then(|| foreground(run, id)).flatten();
            let here = if id == self.active { "true" } else { "false" };
            tabs.push(tree(
                "<button type='button' class='lab-tab' data-do='{}' aria-pressed='{}' key='{}'>{}</button>",
                vec![
                    format!("tab:{}", id.0).into(),
                    here.into(),
                    id.0.to_string().into(),
                    words::terminal(id.0, name.as_deref()).into(),
                ],
            ));
        }
        tabs.push(tree(
            "<button type='button' class='lab-tab lab-tab-new' data-do='new-tab' aria-label='{}' key='new'>+</button>",
            vec![words::NEW_TAB.into()],
        ));
        tabs
    }

    /// What the terminal in front shows, page by page, and what stands before the cursor.
    fn log(&mut self, run: &Run, links: &Links) -> (Vec<Node>, &'static str) {
        let chunks = run.timeline().world().output(self.active);
        let pages = self.pages.entry(self.active).or_default();
        let is_same = |page: &Page| {
            let last = page.end.checked_sub(1).and_then(|index| chunks.get(index));
            last.is_some_and(|last| Rc::ptr_eq(last, &page.last))
        };
        let same = pages.iter().position(|page| !is_same(page)).unwrap_or(pages.len());
        pages.truncate(same);
        let start = pages.last().map_or(run.hidden_output(self.active), |page| page.end);
        let mut shown = Shown::default();
        let mut lines = Vec::new();
        // Lines that are neither drawn nor on a page.
        let mut cut = 0;
        for (index, chunk) in chunks.iter().enumerate().skip(start) {
            shown.push(chunk);
            let surplus = shown.lines.len().saturating_sub(MOST_LINES);
            if surplus > 0 {
                shown.lines.drain(..surplus);
                lines.clear();
                cut += surplus;
            }
            let touched = chunk.kind == OutputKind::Command
                && chunk.cause.is_some_and(|cause| run.is_touched(cause));
            lines.resize(shown.lines.len(), touched);
            if shown.lines.len() >= PAGE && !shown.is_open {
                let node = page(&shown.lines, &lines, links, index);
                let last = Rc::clone(chunk);
                let count = std::mem::take(&mut cut) + shown.lines.len();
                pages.push(Page { end: index + 1, last, lines: count, node: Rc::new(node) });
                shown = Shown::default();
                lines.clear();
            }
        }
        let state = run.state(self.active);
        let waits = run.is_unfinished(self.active) || state == Some(TerminalState::ToolReads);
        if waits && shown.is_open {
            // The prompt stands before the cursor, below.
            shown.lines.pop();
            lines.truncate(shown.lines.len());
        }
        let (hidden, left_out) = hidden(pages);
        let left_out = left_out + cut;
        let mut nodes = Vec::new();
        if left_out > 0 {
            let text = chrome::lines_left_out(left_out);
            nodes
                .push(tree("<div class='tty-line tty-out' key='left'>{}</div>", vec![text.into()]));
        }
        nodes.extend(pages.iter().skip(hidden).map(|page| Node::Kept(Rc::clone(&page.node))));
        nodes.push(page(&shown.lines, &lines, links, usize::MAX));
        let prompt = match state {
            _ if waits => ">",
            Some(TerminalState::Busy) => "\u{2026}",
            _ => "$",
        };
        (nodes, prompt)
    }
}

/// How many of the oldest pages are not drawn, and how many lines that leaves out altogether.
fn hidden(pages: &[Page]) -> (usize, usize) {
    let (mut drawn, mut first) = (0, pages.len());
    while let Some(page) = first.checked_sub(1).and_then(|index| pages.get(index))
        && drawn < MOST_LINES
    {
        drawn += page.lines.min(MOST_LINES);
        first -= 1;
    }
    let whole: usize = pages.iter().take(first).map(|page| page.lines).sum();
    let parts: usize =
        pages.iter().skip(first).map(|page| page.lines.saturating_sub(MOST_LINES)).sum();
    (first, whole + parts)
}

fn page(lines: &[Line], touched: &[bool], links: &Links, key: usize) -> Node {
    let mut nodes = Vec::with_capacity(lines.len());
    for (line, touched) in lines.iter().zip(touched.iter().chain(std::iter::repeat(&false))) {
        nodes.push(line_node(line, *touched, links));
    }
    let key = if key == usize::MAX { "tail".to_owned() } else { key.to_string() };
    tree("<div class='tty-page' key='{}'>{}</div>", vec![key.into(), nodes.into()])
}

fn line_node(line: &Line, touched: bool, links: &Links) -> Node {
    let (class, prompt) = match line.kind {
        LineKind::Command if touched => ("tty-line tty-touched", "$ "),
        LineKind::Command => ("tty-line", "$ "),
        LineKind::Typed => ("tty-line", "> "),
        LineKind::Out => ("tty-line tty-out", ""),
        LineKind::Err if is_trouble(&line.text) => ("tty-line tty-err", ""),
        LineKind::Err => ("tty-line tty-note", ""),
    };
    let prompt: Hole = if prompt.is_empty() {
        Hole::No
    } else {
        tree("<span class='tty-prompt'>{}</span>", vec![prompt.into()]).into()
    };
    let is_output = matches!(line.kind, LineKind::Out | LineKind::Err);
    let text: Hole =
        if is_output { links.link(&line.text).into() } else { line.text.clone().into() };
    tree("<div class='{}'>{}{}</div>", vec![class.into(), prompt, text])
}

/// Whether a line of standard error tells of something that went wrong. Tools also say there what they do.
fn is_trouble(line: &str) -> bool {
    const SIGNS: [&str; 8] =
        ["rror", "ERROR", "WARN", "xception", "not found", "nvalid", "issing", "annot"];
    SIGNS.iter().any(|sign| line.contains(sign))
        || line.starts_with("hw:")
        || line.starts_with("\tat ")
}

/// Whether a line begins with the name of one of Kafka's tools, or ours. Other commands are words that records begin
/// with, too.
fn is_command(line: &str) -> bool {
    let name = line.split_whitespace().next().unwrap_or_default();
    (name == "hw" || name.ends_with(".sh")) && commands().iter().any(|known| known.name == name)
}

/// The name of the tool that runs there, short.
fn foreground(run: &Run, id: TerminalId) -> Option<String> {
    let name = run.foreground(id)?;
    Some(name.trim_end_matches(".sh").trim_start_matches("kafka-").to_owned())
}

/// The longest beginning that all have; `None`: there are none.
fn common(words: &[String]) -> Option<String> {
    let (first, rest) = words.split_first()?;
    let mut length = first.len();
    for word in rest {
        let same = first.bytes().zip(word.bytes()).take_while(|(one, other)| one == other).count();
        length = length.min(same);
    }
    while !first.is_char_boundary(length) {
        length -= 1;
    }
    first.get(..length).map(str::to_owned)
}

fn candidate(text: &String) -> Node {
    tree(
        "<button type='button' class='btn btn-small' data-do='{}'>{}</button>",
        vec![format!("candidate:{text}").into(), text.clone().into()],
    )
}

fn chip((name, command): &(String, String)) -> Node {
    tree(
        "<button type='button' class='btn btn-small' data-do='{}'>{}</button>",
        vec![format!("fill:{command}").into(), name.clone().into()],
    )
}

fn small(words: &'static str, does: &'static str) -> Node {
    tree(
        "<button type='button' class='btn btn-small' data-do='{}'>{}</button>",
        vec![does.into(), words.into()],
    )
}
