//! A lesson into its page: the template's slots, and the order of head, figure and body.

use highwater_scene::node;

use crate::chrome::{self, SceneFile};
use crate::course::Lesson;
use crate::front_matter::{self, FrontMatter};
use crate::html::{escape, slug};
use crate::key_page::KeyPage;
use crate::markdown::{self, Piece};
use crate::preview::{self, Head};
use crate::{LessonError, Source, prose, quiz};

/// The finished page of a lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// What the lesson says about itself.
    pub matter: FrontMatter,
    /// The page: each lesson has a folder of its own.
    pub built: Built,
}

/// A finished page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// The file to write, from the site's root.
    pub file_name: String,
    /// The whole file, with addresses as seen from the site's root; see [`Built::in_place`].
    pub html: String,
    /// The picture that others show beside a link to it, as SVG, where the site has such pictures.
    pub card: Option<String>,
}

impl Built {
    /// The page for the folder that its file is in.
    #[must_use]
    pub fn in_place(&self) -> String {
        from_below(&self.html, self.file_name.matches('/').count())
    }

    /// The same as the page that the site begins with.
    #[must_use]
    pub fn as_first(&self) -> Self {
        Self { file_name: "index.html".to_owned(), html: self.html.clone(), card: None }
    }
}

const SLOT_OPEN: &str = "<!-- highwater:";
const SLOT_CLOSE: &str = " -->";

/// A program of the site beside that of the template.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// The name that islands have for it: `lab`, `quiz`.
    pub name: String,
    /// The address of its glue from the site's root, such as `./lab-1.js`.
    pub js: String,
    /// That of its wasm.
    pub wasm: String,
    /// That of the style sheet that its islands need.
    pub style: String,
}

/// What a page can use of the site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Site {
    /// Its programs beside that of the template.
    pub programs: Vec<Program>,
    /// Whether pages have pictures for those who link to them.
    pub has_pictures: bool,
}

/// Finds the transcripts of a scene by its name; the error is in words.
pub type Scenes<'a> = dyn Fn(&str) -> Result<Vec<SceneFile>, String> + 'a;

/// Builds the page of one lesson from the template that trunk has built.
///
/// `scenes` finds the transcripts of a scene by its name. Errors name the file by [`Source::file`].
pub fn build_page(
    template: &Source<'_>,
    lesson: &Source<'_>,
    scenes: &Scenes<'_>,
    site: &Site,
) -> Result<Page, LessonError> {
    let (matter, start) = front_matter::read(lesson)?;
    let lesson = Lesson::new(*lesson, matter, start);
    write_page(template, &lesson, "", scenes, site)
}

/// Writes the page of a lesson; `ways` lead to the other lessons.
pub(crate) fn write_page(
    template: &Source<'_>,
    lesson: &Lesson<'_>,
    ways: &str,
    scenes: &Scenes<'_>,
    site: &Site,
) -> Result<Page, LessonError> {
    let matter = lesson.matter.clone();
    let pieces = markdown::read(lesson.source, lesson.start, &lesson.known)?.pieces;
    let FrontMatter { id, number, title, summary, .. } = &matter;
    let card = || preview::of_lesson(&format!("Lesson {number}"), title, summary, &pieces, scenes);
    let card = site.has_pictures.then(card).transpose();
    let card = card.map_err(|problem| {
        lesson.source.error(0, problem, "mend the transcript of the first figure")
    })?;
    let head = Head {
        title,
        summary,
        folder: &format!("{id}/"),
        // The first lesson is what the site begins with, too.
        is_canonical: *number == 1,
        has_picture: card.is_some(),
    };
    let main = write_main(&lesson.source, &matter, pieces, ways, scenes)?;
    let html = finish(template, &head, main, site)?;
    let built = Built { file_name: format!("{id}/index.html"), html, card };
    Ok(Page { matter, built })
}

/// The template with its slots filled.
pub(crate) fn finish(
    template: &Source<'_>,
    head: &Head<'_>,
    main: String,
    site: &Site,
) -> Result<String, LessonError> {
    let title = format!("{} · Highwater", escape(head.title));
    let slots = [("title", title), ("summary", escape(head.summary)), ("main", main)];
    let html = head.put_into(&without_comments(&fill(template, &slots)?));
    Ok(with_programs(html, site))
}

/// A page, or a part of one, for a folder so many levels below the site's root.
pub(crate) fn from_below(html: &str, depth: usize) -> String {
    let up = "../".repeat(depth);
    if depth == 0 { html.to_owned() } else { html.replace("=\"./", &format!("=\"{up}")) }
}

/// The page with the programs that its islands need, each with its style.
///
/// A page that begins with a figure of the template's own program loads that first: the styles of the others, which
/// stand further below, follow when it is there (boot.js), or at once where no script runs. A page without such a
/// figure has the program of the whole cluster for its own.
pub(crate) fn with_programs(mut html: String, site: &Site) -> String {
    let has_own = html.contains(" data-island=\"figure\"");
    let mut is_taken = has_own;
    for Program { name, js, wasm, style } in &site.programs {
        if !html.contains(&format!(" data-program=\"{name}\"")) {
            continue;
        }
        let (js, wasm, style) = (escape(js), escape(wasm), escape(style));
        let link = format!("<link rel=\"stylesheet\" href=\"{style}\">");
        let (link, later) = if has_own {
            (format!("<noscript>{link}</noscript>"), format!(" data-{name}-style=\"{style}\""))
        } else {
            (link, String::new())
        };
        html = html.replacen("</head>", &format!("{link}\n</head>"), 1);
        if std::mem::replace(&mut is_taken, true) {
            let program =
                format!(" data-{name}-js=\"{js}\" data-{name}-wasm=\"{wasm}\"{later} data-js=");
            html = html.replacen(" data-js=", &program, 1);
        } else {
            html = with_value(&with_value(&html, "data-js", &js), "data-wasm", &wasm);
        }
    }
    html
}

/// The page with another value of the first attribute of this name.
fn with_value(html: &str, name: &str, value: &str) -> String {
    let opening = format!(" {name}=\"");
    let Some((before, rest)) = html.split_once(&opening) else { return html.to_owned() };
    let after = rest.split_once('"').map_or("", |(_, after)| after);
    format!("{before}{opening}{value}\"{after}")
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
pub(crate) fn without_comments(html: &str) -> String {
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
pub(crate) fn fill(template: &Source<'_>, slots: &[(&str, String)]) -> Result<String, LessonError> {
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
    mut pieces: Vec<Piece>,
    ways: &str,
    scenes: &Scenes<'_>,
) -> Result<String, LessonError> {
    // What a reader can do now stands where the part ends that everybody reads.
    let deeper = format!("<h2 id=\"{}", slug(prose::DEEPER));
    let goes_deeper =
        |piece: &Piece| matches!(piece, Piece::Html(html) if html.starts_with(&deeper));
    let end = pieces.iter().position(goes_deeper).unwrap_or(pieces.len());
    pieces.insert(end, Piece::Html(goals(matter)));
    let FrontMatter { number, minutes, title, .. } = matter;
    let unit = if *minutes == 1 { "minute" } else { "minutes" };
    let title = escape(title);
    let mut out = String::new();
    let mut title = Some(format!(
        "<p class=\"kicker\">Lesson {number} · {minutes} {unit}</p>\n<h1>{title}</h1>\n"
    ));
    let rows = rows(&pieces);
    let last = rows.len().saturating_sub(1);
    for (number, part) in rows.into_iter().enumerate() {
        let written = |pieces| write_pieces(lesson, matter, pieces, scenes);
        let head = title.take().unwrap_or_default() + &written(part.head)?;
        let ways = if number == last { ways } else { "" };
        out.push_str(&row(&head, &written(part.side)?, &(written(part.body)? + ways)));
    }
    Ok(out)
}

/// A row of a page: what stands above, what beside the words if anything does, and the words.
pub(crate) fn row(head: &str, side: &str, body: &str) -> String {
    let beside = format!("<div class=\"lesson-side\">\n{side}</div>\n");
    let beside = if side.is_empty() { "" } else { &beside };
    format!(
        "<div class=\"lesson-row\">\n<div class=\"lesson-head\">\n{head}</div>\n{beside}\
         <div class=\"lesson-body\">\n{body}</div>\n</div>\n"
    )
}

fn goals(matter: &FrontMatter) -> String {
    let mut out = String::new();
    out.push_str("<section class=\"goals\">\n<h2 id=\"you-can-now\">You can now</h2>\n<ul>\n");
    for goal in &matter.goals {
        out.push_str(&format!("<li>{}</li>\n", escape(goal)));
    }
    out.push_str("</ul>\n</section>\n");
    out
}

/// A part of the page with one figure beside its words.
struct Row<'a> {
    /// The words before the figure.
    head: &'a [Piece],
    /// The figure.
    side: &'a [Piece],
    /// The words after it.
    body: &'a [Piece],
}

/// The rows of a lesson. A row begins with the section of its figure, or with the figure where the section has
/// one already; there is one row at least.
fn rows(pieces: &[Piece]) -> Vec<Row<'_>> {
    let is_figure = |piece: &Piece| matches!(piece, Piece::Figure(_) | Piece::Exhibit(_));
    let figures: Vec<usize> = (0..pieces.len()).filter(|at| is_figure(&pieces[*at])).collect();
    let mut begins = vec![0];
    for pair in figures.windows(2) {
        let (before, figure) = (pair[0] + 1, pair[1]);
        let begins_section =
            |at: &usize| matches!(&pieces[*at], Piece::Html(html) if html.starts_with("<h2"));
        begins.push((before..figure).rev().find(begins_section).unwrap_or(figure));
    }
    begins.push(pieces.len());
    let mut rows = Vec::new();
    for (number, pair) in begins.windows(2).enumerate() {
        let row = &pieces[pair[0]..pair[1]];
        let figure = figures.get(number).map_or(0, |figure| figure - pair[0]);
        let (head, rest) = row.split_at(figure);
        let (side, body) = rest.split_at(usize::from(!figures.is_empty()));
        rows.push(Row { head, side, body });
    }
    rows
}

fn write_pieces(
    lesson: &Source<'_>,
    matter: &FrontMatter,
    pieces: &[Piece],
    scenes: &Scenes<'_>,
) -> Result<String, LessonError> {
    let mut out = String::new();
    for piece in pieces {
        match piece {
            Piece::Html(html) => out.push_str(html),
            Piece::Figure(block) => {
                let island = scenes(&block.scene).and_then(|files| chrome::figure(block, &files));
                let island = island.map_err(|problem| {
                    let remedy = "mend the transcripts of the scene, or the block's attributes";
                    lesson.error_at_line(block.line, problem, remedy)
                })?;
                out.push_str(&island);
            }
            Piece::Exhibit(block) => {
                let island = chrome::exhibit(block).map_err(|problem| {
                    let remedy = "mend its transcript, or the block's attributes";
                    lesson.error_at_line(block.line, problem, remedy)
                })?;
                out.push_str(&island);
            }
            Piece::Walk { figure, walk } => out.push_str(&chrome::walk(figure, walk)),
            Piece::Task(block) => out.push_str(&chrome::task(block)),
            Piece::Model(name) => out.push_str(&chrome::model(name)),
            Piece::Predict(block) => out.push_str(&chrome::quiz(block)),
            Piece::Quiz(quiz) => out.push_str(&quiz::page::questions(quiz)),
            Piece::Recall(cards) => out.push_str(&quiz::page::cards(&matter.id, cards)),
        }
    }
    Ok(out)
}
