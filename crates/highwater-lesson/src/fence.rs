//! A fenced block, taken apart: its kind, its attributes and its lines, each with its offset.

use crate::attribute::Attributes;
use highwater_lab::exhibit::{DOINGS, Plan};
use highwater_lab::figure::View;

use crate::block::{ExhibitBlock, FigureBlock};
use crate::markdown::{Names, Piece, inline};
use crate::transcripts::ConsoleBlock;
use crate::{LessonError, Model, Source, Walk, WalkLine};

/// One fenced block of the source.
pub(crate) struct Fence<'a> {
    pub(crate) source: Source<'a>,
    pub(crate) kind: &'a str,
    /// Where the block opens.
    pub(crate) offset: usize,
    attributes: &'a str,
    attributes_offset: usize,
    pub(crate) body: &'a str,
    pub(crate) body_offset: usize,
}

impl<'a> Fence<'a> {
    /// Takes the block apart that stands at `offset..end` of the source.
    pub(crate) fn read(source: Source<'a>, offset: usize, end: usize) -> Result<Self, LessonError> {
        let block = &source.text[offset..end];
        let (first, rest) = block.split_once('\n').unwrap_or((block, ""));
        let info = first.trim_start_matches(['`', '~']).trim_start();
        let marks = &first[..first.len() - first.trim_start_matches(['`', '~']).len()];
        let kind = &info[..info.find(char::is_whitespace).unwrap_or(info.len())];
        let attributes = info[kind.len()..].trim_end();
        let closing = rest.trim_end().rfind('\n').map_or(0, |at| at + 1);
        if !rest[closing..].trim_start().starts_with(marks) {
            let remedy = format!("close it with a line `{marks}`");
            return Err(source.error(offset, format!("this `{kind}` block never ends"), remedy));
        }
        let attributes_offset = offset + first.len() - info.len() + kind.len();
        let body_offset = offset + first.len() + 1;
        let body = &rest[..closing];
        Ok(Self { source, kind, offset, attributes, attributes_offset, body, body_offset })
    }

    /// Reads the attributes, of which only `known` are allowed.
    pub(crate) fn attributes(&self, known: &[&str]) -> Result<Attributes<'a>, LessonError> {
        let (text, offset) = (self.attributes, self.attributes_offset);
        Attributes::read(self.source, self.kind, text, offset, known)
    }
}

/// Reads a `figure` block: attributes, and the opening sentence as its body.
pub(crate) fn read_figure(
    fence: &Fence<'_>,
    names: &mut Names,
) -> Result<FigureBlock, LessonError> {
    let attributes = fence.attributes(&["id", "scene", "at", "label"])?;
    let id = attributes.name("id")?;
    names.add_figure(&fence.source, attributes.at("id"), id)?;
    if fence.body.trim().is_empty() {
        let remedy = "write one sentence inside the block: what has happened, or what comes next";
        return Err(fence.source.error(fence.offset, "this figure says nothing", remedy));
    }
    Ok(FigureBlock {
        id: id.to_owned(),
        scene: attributes.name("scene")?.to_owned(),
        at: attributes.number("at")?.unwrap_or(0),
        label: attributes.text("label")?.to_owned(),
        say: inline(fence.source, fence.body, fence.body_offset, names)?,
        line: fence.source.position(fence.offset).0,
    })
}

/// The attributes of a transcript that is a figure.
const OF_EXHIBITS: [&str; 12] = [
    "id",
    "label",
    "say",
    "watch",
    "view",
    "topic",
    "partition",
    "at",
    "mark",
    "terminal",
    "continues",
    "setup",
];

/// Reads a `console` block that has an `id`: a transcript as a figure. `None`: it has none, and is a listing.
pub(crate) fn read_exhibit(
    fence: &Fence<'_>,
    names: &mut Names,
) -> Result<Option<ExhibitBlock>, LessonError> {
    let source = fence.source;
    let attributes = fence.attributes(&OF_EXHIBITS)?;
    let id = attributes.optional_name("id")?;
    let block = ConsoleBlock {
        id: id.map(str::to_owned),
        before: before(&source, &attributes, names)?,
        body: fence.body_offset..fence.body_offset + fence.body.len(),
    };
    let text = block.text(source.text);
    names.add_transcript(block, source.text);
    let Some(id) = id else { return Ok(None) };
    names.add_figure(&source, attributes.at("id"), id)?;
    let mut words = |name: &str| match attributes.optional(name) {
        None => Ok(String::new()),
        Some(text) => inline(source, text, attributes.at(name), names),
    };
    let (say, watch) = (words("say")?, words("watch")?);
    let plan = Plan {
        id: id.to_owned(),
        label: attributes.text("label")?.to_owned(),
        say,
        watch,
        text,
        at: attributes.optional("at").unwrap_or("end").to_owned(),
        setup: attributes.optional("setup").unwrap_or_default().to_owned(),
        view: read_view(fence, &attributes)?,
        topic: attributes.optional("topic").unwrap_or_default().to_owned(),
        partition: attributes.number("partition")?.and_then(|number| i32::try_from(number).ok()),
        mark: attributes.optional("mark").unwrap_or_default().to_owned(),
        is_terminal_open: attributes.optional("terminal") == Some("open"),
    };
    let line = source.position(fence.offset).0;
    Ok(Some(ExhibitBlock { plan, line }))
}

/// The transcript that a block goes on from; empty: it begins with a new cluster.
fn before(
    source: &Source<'_>,
    attributes: &Attributes<'_>,
    names: &Names,
) -> Result<String, LessonError> {
    let Some(figure) = attributes.optional("continues") else { return Ok(String::new()) };
    names.transcript(figure).map(str::to_owned).ok_or_else(|| {
        let problem = format!("no figure above is named `{figure}`");
        let remedy = "name the `id` of a `console` block that stands before this one";
        source.error(attributes.at("continues"), problem, remedy)
    })
}

fn read_view(fence: &Fence<'_>, attributes: &Attributes<'_>) -> Result<View, LessonError> {
    let Some(name) = attributes.optional("view") else { return Ok(View::default()) };
    View::from_name(name).ok_or_else(|| {
        let known: Vec<&str> = View::ALL.iter().map(|view| view.name()).collect();
        let remedy = format!("use {}", known.join(", "));
        fence.source.error(attributes.at("view"), format!("there is no view `{name}`"), remedy)
    })
}

/// Reads a `walk` block: a listing whose lines may end with `#@ append read` or `//@ append`, what they do.
pub(crate) fn read_walk(fence: &Fence<'_>, names: &mut Names) -> Result<Piece, LessonError> {
    let source = fence.source;
    let attributes = fence.attributes(&["figure", "label"])?;
    let figure = attributes.name("figure")?;
    names.need_transcript(&source, attributes.at("figure"), figure)?;
    let (mut lines, mut offset) = (Vec::new(), fence.body_offset);
    for line in fence.body.split_inclusive('\n') {
        let (code, does) =
            line.split_once("#@").or_else(|| line.split_once("//@")).unwrap_or((line, ""));
        let does: Vec<String> = does.split_whitespace().map(str::to_owned).collect();
        if let Some(unknown) = does.iter().find(|does| !DOINGS.contains(&does.as_str())) {
            let problem = format!("a figure never does `{unknown}`");
            return Err(source.error(offset, problem, format!("use {}", DOINGS.join(", "))));
        }
        lines.push(WalkLine { code: code.trim_end().to_owned(), does });
        offset += line.len();
    }
    if lines.iter().all(|line| line.does.is_empty()) {
        let remedy = "end a line with `#@ append`, for example";
        return Err(source.error(fence.offset, "no line of this listing walks", remedy));
    }
    let walk = Walk { label: attributes.text("label")?.to_owned(), lines };
    Ok(Piece::Walk { figure: figure.to_owned(), walk })
}

/// Reads a `model` block: `name=queue`, and nothing in it.
pub(crate) fn read_model(fence: &Fence<'_>) -> Result<Piece, LessonError> {
    let attributes = fence.attributes(&["name"])?;
    let name = attributes.name("name")?;
    if Model::NAMES.contains(&name) {
        return Ok(Piece::Model(name.to_owned()));
    }
    let problem = format!("there is no model `{name}`");
    let remedy = format!("use {}", Model::NAMES.join(", "));
    Err(fence.source.error(attributes.at("name"), problem, remedy))
}
