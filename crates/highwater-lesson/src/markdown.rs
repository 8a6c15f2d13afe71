//! The Markdown of a lesson, read into pieces: plain HTML, figures and questions, in order.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use pulldown_cmark::{Alignment, CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser};
use pulldown_cmark::{Tag, TagEnd, html};

use crate::Walk;
use crate::block::{ExhibitBlock, FigureBlock, PredictBlock, TaskBlock};
use crate::fence::{Fence, read_exhibit, read_figure, read_model, read_walk};
use crate::html::{escape, slug};
use crate::link::{self, Link};
use crate::predict::read_predict;
use crate::quiz::card::Card;
use crate::quiz::model::Quiz;
use crate::quiz::recall::read_recall;
use crate::quiz::toml::read_quiz;
use crate::read_task::read_task;
use crate::transcripts::ConsoleBlock;
use crate::{LessonError, Source};

/// One piece of a lesson.
pub(crate) enum Piece {
    Html(String),
    Figure(FigureBlock),
    Exhibit(ExhibitBlock),
    Predict(PredictBlock),
    /// A listing that walks with a figure.
    Walk {
        figure: String,
        walk: Walk,
    },
    Task(TaskBlock),
    /// A model, by its name.
    Model(String),
    Quiz(Quiz),
    Recall(Vec<Card>),
}

/// The names that a lesson has given so far: each may be given once.
#[derive(Default)]
pub(crate) struct Names {
    /// Terms of the lessons before, with their definitions.
    known: BTreeMap<String, String>,
    terms: BTreeSet<String>,
    figures: BTreeSet<String>,
    quizzes: BTreeSet<String>,
    headings: BTreeSet<String>,
    /// The transcripts of figures of a whole cluster, by figure.
    transcripts: BTreeMap<String, String>,
    /// All transcripts, in order.
    console: Vec<ConsoleBlock>,
}

impl Names {
    pub(crate) fn has_term(&self, name: &str) -> bool {
        self.terms.contains(name)
    }

    /// The definition of a term by a lesson before.
    pub(crate) fn known_term(&self, name: &str) -> Option<&str> {
        self.known.get(name).map(String::as_str)
    }

    /// Sees to it that a figure has that name, of which a question is asked.
    pub(crate) fn need_figure(&self, source: &Source<'_>, at: usize, figure: &str) -> Added {
        if self.figures.contains(figure) {
            return Ok(());
        }
        let problem = format!("no figure above this question is named `{figure}`");
        Err(source.error(at, problem, "use the `id` of a `figure` block that stands before it"))
    }

    /// The transcript of a figure of a whole cluster.
    pub(crate) fn transcript(&self, figure: &str) -> Option<&str> {
        self.transcripts.get(figure).map(String::as_str)
    }

    /// Sees to it that a figure of a whole cluster has that name.
    pub(crate) fn need_transcript(&self, source: &Source<'_>, at: usize, figure: &str) -> Added {
        if self.transcripts.contains_key(figure) {
            return Ok(());
        }
        let problem = format!("no figure above is named `{figure}`");
        let remedy = "name the `id` of a `console` block that stands before it";
        Err(source.error(at, problem, remedy))
    }

    /// Notes a transcript: a figure's, or one that is only shown.
    pub(crate) fn add_transcript(&mut self, block: ConsoleBlock, lesson: &str) {
        if let Some(id) = &block.id {
            self.transcripts.insert(id.clone(), block.text(lesson));
        }
        self.console.push(block);
    }

    pub(crate) fn add_term(
        &mut self,
        source: &Source<'_>,
        at: usize,
        name: &str,
        sentence: &str,
    ) -> Added {
        if self.known_term(name).is_some_and(|known| known != sentence) {
            let remedy = "leave its sentence out: the one of that lesson is shown";
            let problem = format!("a lesson before this one defines `{name}` otherwise");
            return Err(source.error(at, problem, remedy));
        }
        add(&mut self.terms, source, at, name, "a term", "define it once, where it first stands")
    }

    pub(crate) fn add_figure(&mut self, s: &Source<'_>, at: usize, n: &str) -> Added {
        add(&mut self.figures, s, at, n, "a figure", "choose another `id`")
    }

    pub(crate) fn add_quiz(&mut self, s: &Source<'_>, at: usize, n: &str) -> Added {
        add(&mut self.quizzes, s, at, n, "a question", "choose another `id`")
    }
}

type Added = Result<(), LessonError>;

fn add(
    set: &mut BTreeSet<String>,
    source: &Source<'_>,
    at: usize,
    name: &str,
    what: &str,
    remedy: &str,
) -> Added {
    if set.insert(name.to_owned()) {
        return Ok(());
    }
    Err(source.error(at, format!("{what} named `{name}` is there already"), remedy))
}

/// Reads the Markdown that starts at `start`; `known` are the terms of the lessons before.
pub(crate) fn read(
    source: Source<'_>,
    start: usize,
    known: &BTreeMap<String, String>,
) -> Result<Read, LessonError> {
    let mut names = Names { known: known.clone(), ..Names::default() };
    let mut reader = Reader::new(source, start, &mut names);
    reader.run(&source.text[start..])?;
    reader.flush();
    let pieces = reader.pieces;
    Ok(Read { pieces, console: names.console })
}

/// What a lesson holds.
pub(crate) struct Read {
    pub(crate) pieces: Vec<Piece>,
    /// Its transcripts.
    pub(crate) console: Vec<ConsoleBlock>,
}

/// Renders a sentence or two that stand inside a block: no blocks of their own.
pub(crate) fn inline(
    source: Source<'_>,
    text: &str,
    offset: usize,
    names: &mut Names,
) -> Result<String, LessonError> {
    let offset = offset + text.len() - text.trim_start().len();
    let text = text.trim();
    let mut reader = Reader::new(source, offset, names);
    reader.run(&source.text[offset..offset + text.len()])?;
    reader.flush();
    let mut pieces = reader.pieces.into_iter();
    if let (Some(Piece::Html(html)), None) = (pieces.next(), pieces.next()) {
        let inner = html.trim().strip_prefix("<p>").and_then(|rest| rest.strip_suffix("</p>"));
        if let Some(inner) = inner.filter(|inner| !inner.contains("<p>")) {
            return Ok(inner.to_owned());
        }
    }
    Err(source.error(offset, "only one paragraph can stand here", "write one or two sentences"))
}

/// Renders paragraphs, lists and listings that stand inside a block.
pub(crate) fn blocks(
    source: Source<'_>,
    text: &str,
    offset: usize,
    names: &mut Names,
) -> Result<String, LessonError> {
    let mut reader = Reader::new(source, offset, names);
    reader.run(&source.text[offset..offset + text.len()])?;
    reader.flush();
    let mut out = String::new();
    for piece in reader.pieces {
        let Piece::Html(html) = piece else {
            let remedy = "take it out, and let it stand before or after";
            return Err(source.error(offset, "no such block can stand inside another", remedy));
        };
        out.push_str(html.trim());
    }
    Ok(out)
}

const LISTINGS: [&str; 6] = ["console", "text", "go", "python", "java", "json"];

struct Reader<'a, 'n> {
    source: Source<'a>,
    /// Where the text being read starts in the source.
    base: usize,
    names: &'n mut Names,
    /// Events since the last piece.
    events: Vec<Event<'a>>,
    /// What closes each open link and where among the events it opened, the innermost last; `None` for a plain one.
    closers: Vec<Option<(String, usize)>>,
    /// Where a button of ours opened that has just been closed.
    closed: Option<usize>,
    pieces: Vec<Piece>,
}

impl<'a, 'n> Reader<'a, 'n> {
    fn new(source: Source<'a>, base: usize, names: &'n mut Names) -> Self {
        let (events, closers, pieces) = (Vec::new(), Vec::new(), Vec::new());
        Self { source, base, names, events, closers, closed: None, pieces }
    }

    fn run(&mut self, text: &'a str) -> Result<(), LessonError> {
        let options = Options::ENABLE_TABLES | Options::ENABLE_SMART_PUNCTUATION;
        let mut events = Parser::new_ext(text, options).into_offset_iter();
        while let Some((event, range)) = events.next() {
            let at = self.base + range.start;
            if let (Some(opened), Event::Text(text)) = (self.closed.take(), &event)
                && let Some(rest) = self.keep_together(opened, text)
            {
                self.events.push(Event::Text(rest));
                continue;
            }
            match event {
                Event::Start(Tag::CodeBlock(kind)) => {
                    let inside = events.by_ref().map(|(event, _)| event);
                    let inside = inside.take_while(|e| !matches!(e, Event::End(TagEnd::CodeBlock)));
                    let code = inside.filter_map(text_of).fold(String::new(), |all, t| all + &t);
                    self.code_block(&kind, &code, at..self.base + range.end)?;
                }
                Event::Start(tag) => self.start(tag, at, &text[range])?,
                Event::End(tag) => self.end(tag),
                Event::InlineHtml(html) => self.raw_html(&html, at)?,
                Event::Html(_) => {}
                other => self.events.push(other),
            }
        }
        Ok(())
    }

    fn start(&mut self, tag: Tag<'a>, at: usize, text: &str) -> Result<(), LessonError> {
        match tag {
            Tag::Link { ref dest_url, ref title, .. } => {
                match link::read(&self.source, at, dest_url, title, self.names)? {
                    Link::Plain => {
                        self.closers.push(None);
                        self.events.push(Event::Start(tag));
                    }
                    Link::Own { open, close } => {
                        self.closers.push(Some((close, self.events.len())));
                        self.events.push(Event::InlineHtml(open.into()));
                    }
                }
            }
            Tag::Heading { level, .. } => {
                if level == HeadingLevel::H2 {
                    // A section may begin a new row of the page.
                    self.flush();
                }
                let heading = self.heading(level, at, text)?;
                self.events.push(Event::Start(heading));
            }
            Tag::Table(columns) => {
                // Alignment would be written as a style attribute, which the page's policy refuses.
                let columns = vec![Alignment::None; columns.len()];
                let open = "<div class=\"table-scroll\" tabindex=\"0\" role=\"group\" \
                            aria-label=\"Table\">\n";
                self.events.push(Event::Html(open.into()));
                self.events.push(Event::Start(Tag::Table(columns)));
            }
            Tag::Image { .. } => {
                let remedy = "draw it with a `figure` block";
                return Err(self.source.error(at, "a lesson holds no image files", remedy));
            }
            Tag::HtmlBlock => self.raw_html(text, at)?,
            other => self.events.push(Event::Start(other)),
        }
        Ok(())
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Link => match self.closers.pop().flatten() {
                Some((close, opened)) => {
                    self.events.push(Event::InlineHtml(close.into()));
                    self.closed = Some(opened);
                }
                None => self.events.push(Event::End(tag)),
            },
            TagEnd::Table => {
                self.events.push(Event::End(tag));
                self.events.push(Event::Html("</div>\n".into()));
            }
            TagEnd::HtmlBlock => {}
            _ => self.events.push(Event::End(tag)),
        }
    }

    /// A full stop after a button stays on the button's line: a browser would break there, as it does around a
    /// picture. What is left of the text behind it, if it begins with such a sign.
    fn keep_together(&mut self, opened: usize, text: &CowStr<'a>) -> Option<CowStr<'a>> {
        let sign = text.chars().next().filter(|sign| ".,;:?!)”’".contains(*sign))?;
        self.events.insert(opened, Event::InlineHtml("<span class=\"no-break\">".into()));
        self.events.push(Event::Text(sign.to_string().into()));
        self.events.push(Event::InlineHtml("</span>".into()));
        Some(text[sign.len_utf8()..].to_owned().into())
    }

    fn heading(
        &mut self,
        level: HeadingLevel,
        at: usize,
        text: &str,
    ) -> Result<Tag<'a>, LessonError> {
        if level == HeadingLevel::H1 {
            let remedy = "start sections with `##`; the title is in the front matter";
            return Err(self.source.error(at, "a lesson has one title only", remedy));
        }
        let id = slug(&without_targets(text));
        let remedy = "say something else in one of the two headings";
        add(&mut self.names.headings, &self.source, at, &id, "a heading", remedy)?;
        let (classes, attrs) = (Vec::new(), Vec::new());
        Ok(Tag::Heading { level, id: Some(CowStr::from(id)), classes, attrs })
    }

    fn code_block(
        &mut self,
        kind: &CodeBlockKind<'_>,
        code: &str,
        range: Range<usize>,
    ) -> Result<(), LessonError> {
        if matches!(kind, CodeBlockKind::Fenced(_)) {
            let fence = Fence::read(self.source, range.start, range.end)?;
            let pieces = match fence.kind {
                "figure" => vec![Piece::Figure(read_figure(&fence, self.names)?)],
                "walk" => vec![read_walk(&fence, self.names)?],
                "model" => vec![read_model(&fence)?],
                "predict" => vec![Piece::Predict(read_predict(&fence, self.names)?)],
                "quiz" => read_quiz(&fence, self.names)?,
                "recall" => vec![Piece::Recall(read_recall(&fence, self.names)?)],
                "task" => vec![Piece::Task(read_task(&fence, self.names)?)],
                "console" => {
                    read_exhibit(&fence, self.names)?.map(Piece::Exhibit).into_iter().collect()
                }
                kind if LISTINGS.contains(&kind) => Vec::new(),
                kind => {
                    let known = LISTINGS.join(", ");
                    let remedy = format!(
                        "use console, predict, task, walk, model, quiz, recall or figure, or for a listing {known}"
                    );
                    let problem = format!("`{kind}` is no kind of block");
                    return Err(self.source.error(range.start, problem, remedy));
                }
            };
            if !pieces.is_empty() {
                return pieces
                    .into_iter()
                    .try_for_each(|piece| self.push_block(piece, range.start));
            }
        }
        let code = escape(code);
        let html = format!("<pre class=\"listing\" tabindex=\"0\"><code>{code}</code></pre>\n");
        self.events.push(Event::Html(html.into()));
        Ok(())
    }

    fn push_block(&mut self, piece: Piece, at: usize) -> Result<(), LessonError> {
        if self.source.position(at).1 != 1 {
            let remedy = "take it out of the list or quotation around it";
            return Err(self.source.error(at, "this block must start its line", remedy));
        }
        self.flush();
        self.pieces.push(piece);
        Ok(())
    }

    /// Only comments: they are for authors, and leave no trace in the page.
    fn raw_html(&self, html: &str, at: usize) -> Result<(), LessonError> {
        let html = html.trim();
        if html.starts_with("<!--") && html.find("-->") == Some(html.len() - 3) {
            return Ok(());
        }
        let remedy = "write Markdown, or `\\<` for the sign itself";
        Err(self.source.error(at, "a lesson holds no HTML of its own", remedy))
    }

    fn flush(&mut self) {
        if self.events.is_empty() {
            return;
        }
        let mut out = String::new();
        html::push_html(&mut out, self.events.drain(..));
        self.pieces.push(Piece::Html(out));
    }
}

/// Markdown with links reduced to their words.
fn without_targets(text: &str) -> String {
    let mut parts = text.split("](");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(part.split_once(')').map_or("", |(_, after)| after));
    }
    out
}

fn text_of(event: Event<'_>) -> Option<CowStr<'_>> {
    if let Event::Text(text) = event { Some(text) } else { None }
}
