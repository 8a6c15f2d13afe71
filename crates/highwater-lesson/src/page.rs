//! A lesson into its page: the template's slots, and the order of head, figure and body.

use highwater_scene::node;

use crate::chrome::{self, SceneFile};
use crate::front_matter::{self, FrontMatter};
use crate::html::escape;
use crate::key_page::KeyPage;
use crate::markdown::{self, Piece};
use crate::{LessonError, Source, quiz};

/// One finished page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// What the lesson says about itself.
    pub matter: FrontMatter,
    /// The file to write, beside the template's other files: the first lesson is `index.html`.
    pub file_name: String,
    /// The whole file.
    pub html: String,
}

const SLOT_OPEN: &str = "<!-- highwater:";
const SLOT_CLOSE: &str = " -->";

/// Finds the transcripts of a scene by its name; the error is in words.
pub type Scenes<'a> = dyn Fn(&str) -> Result<Vec<SceneFile>, String> + 'a;

/// Builds the page of one lesson from the template that trunk has built.
///
/// `scenes` finds the transcripts of a scene by its name. Errors name the file by [`Source::file`].
pub fn build_page(
    template: &Source<'_>,
    lesson: &Source<'_>,
    scenes: &Scenes<'_>,
) -> Result<Page, LessonError> {
    let (matter, start) = front_matter::read(lesson)?;
    let pieces = markdown::read(*lesson, start)?;
    let main = write_main(lesson, &matter, &pieces, scenes)?;
    let title = format!("{} · Highwater", escape(&matter.title));
    let slots = [("title", title), ("summary", escape(&matter.summary)), ("main", main)];
    let html = without_comments(&fill(template, &slots)?);
    let file_name = match matter.number {
        1 => "index.html".to_owned(),
        _ => format!("{}.html", matter.id),
    };
    Ok(Page { matter, file_name, html })
}

/// Fills the page about one key, which trunk has built: its first view is that of the example.
///
/// # Errors
/// The slot is not there, or another one is.
pub fn build_key_page(template: &Source<'_>) -> Result<String, LessonError> {
    let view = node::to_string(&KeyPage::default().view(false));
    Ok(without_comments(&fill(template, &[("key", view)])?))
}

/// The page without the comments of the template, which are for its authors.
fn without_comments(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some((before, after)) = rest.split_once("<!--") {
        out.push_str(before.trim_end_matches(' '));
        rest = after.split_once("-->").map_or("", |(_, rest)| rest.trim_start_matches('\n'));
    }
    out.push_str(rest);
    out
}

/// Puts each value into its slot. Each slot must be there, and no other.
fn fill(template: &Source<'_>, slots: &[(&str, String)]) -> Result<String, LessonError> {
    let mut out = String::with_capacity(template.text.len() * 4);
    let mut filled = vec![false; slots.len()];
    let mut rest = template.text;
    while let Some(at) = rest.find(SLOT_OPEN) {
        let offset = template.text.len() - rest.len() + at;
        let name_on = &rest[at + SLOT_OPEN.len()..];
        let (name, after) = name_on.split_once(SLOT_CLOSE).unwrap_or((name_on, ""));
        let Some(slot) = slots.iter().position(|(known, _)| *known == name) else {
            let problem = format!("the template has a slot `{name}` that no lesson fills");
            let known: Vec<&str> = slots.iter().map(|(known, _)| *known).collect();
            return Err(template.error(offset, problem, format!("use {}", known.join(", "))));
        };
        out.push_str(&rest[..at]);
        out.push_str(&slots[slot].1);
        filled[slot] = true;
        rest = after;
    }
    out.push_str(rest);
    match filled.iter().position(|done| !done) {
        None => Ok(out),
        Some(slot) => {
            let name = slots[slot].0;
            let remedy = format!("add `{SLOT_OPEN}{name}{SLOT_CLOSE}` where it belongs");
            Err(template.error(0, format!("the template has no slot `{name}`"), remedy))
        }
    }
}

fn write_main(
    lesson: &Source<'_>,
    matter: &FrontMatter,
    pieces: &[Piece],
    scenes: &Scenes<'_>,
) -> Result<String, LessonError> {
    let first = pieces.iter().position(|piece| matches!(piece, Piece::Figure(_)));
    let (head, rest) = pieces.split_at(first.unwrap_or(0));
    let (side, body) = rest.split_at(usize::from(first.is_some()));
    let FrontMatter { number, minutes, title, .. } = matter;
    let unit = if *minutes == 1 { "minute" } else { "minutes" };
    let title = escape(title);
    let mut out = format!(
        "<div class=\"lesson-head\">
<p class=\"kicker\">Lesson {number} · {minutes} {unit}</p>
<h1>{title}</h1>
"
    );
    write_pieces(lesson, matter, &mut out, head, scenes)?;
    out.push_str("</div>\n");
    if !side.is_empty() {
        out.push_str("<div class=\"lesson-side\">\n");
        write_pieces(lesson, matter, &mut out, side, scenes)?;
        out.push_str("</div>\n");
    }
    out.push_str("<div class=\"lesson-body\">\n");
    write_pieces(lesson, matter, &mut out, body, scenes)?;
    out.push_str("<section class=\"goals\">\n<h2 id=\"you-can-now\">You can now</h2>\n<ul>\n");
    for goal in &matter.goals {
        out.push_str(&format!("<li>{}</li>\n", escape(goal)));
    }
    out.push_str("</ul>\n</section>\n</div>");
    Ok(out)
}

fn write_pieces(
    lesson: &Source<'_>,
    matter: &FrontMatter,
    out: &mut String,
    pieces: &[Piece],
    scenes: &Scenes<'_>,
) -> Result<(), LessonError> {
    for piece in pieces {
        match piece {
            Piece::Html(html) => out.push_str(html),
            Piece::Figure(block) => {
                let island = scenes(&block.scene).and_then(|files| chrome::figure(block, &files));
                let island = island.map_err(|problem| {
                    let remedy = "mend the transcripts of the scene, or the block's attributes";
                    lesson.error(offset_of_line(lesson.text, block.line), problem, remedy)
                })?;
                out.push_str(&island);
            }
            Piece::Predict(block) => out.push_str(&chrome::quiz(block)),
            Piece::Quiz(quiz) => out.push_str(&quiz::page::questions(quiz)),
            Piece::Recall(cards) => out.push_str(&quiz::page::cards(&matter.id, cards)),
        }
    }
    Ok(())
}

/// Where a line begins, counted from 1.
fn offset_of_line(text: &str, line: u32) -> usize {
    text.split_inclusive('\n').take(line.saturating_sub(1) as usize).map(str::len).sum()
}
