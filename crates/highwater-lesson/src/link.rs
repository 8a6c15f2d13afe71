//! Highwater's own links: `term:`, `action:` and `key:`.

use crate::html::{escape, is_name, key_svg};
use crate::markdown::Names;
use crate::{KeyMark, LessonError, Source};

/// What a link becomes.
pub(crate) enum Link {
    /// A link like any other.
    Plain,
    /// Markup before and after its words.
    Own { open: String, close: String },
}

/// Decides what the link at `offset` becomes.
pub(crate) fn read(
    source: &Source<'_>,
    offset: usize,
    target: &str,
    title: &str,
    names: &mut Names,
) -> Result<Link, LessonError> {
    let Some((scheme, rest)) = target.split_once(':') else {
        return plain(source, offset, target);
    };
    match scheme {
        "term" => term(source, offset, rest, title, names),
        "action" => action(source, offset, rest),
        "key" => key(source, offset, rest),
        "show" => show(source, offset, rest, names),
        "lesson" => lesson(source, offset, rest),
        "lab" => Ok(Link::address(format!(
            "./lab/#start={}",
            checked(source, offset, "a beginning", rest)?
        ))),
        "https" | "http" => Ok(Link::Plain),
        _ => {
            let problem = format!("`{scheme}:` is no kind of link");
            Err(source.error(
                offset,
                problem,
                "use https:, term:, key:, show:, lesson:, lab: or action:",
            ))
        }
    }
}

impl Link {
    /// A link to another page of the site.
    fn address(address: String) -> Self {
        let open = format!("<a href=\"{}\">", escape(&address));
        Self::Own { open, close: "</a>".to_owned() }
    }
}

/// `show:FIGURE/MOMENT`: a button that takes a figure of a whole cluster to a moment.
fn show(
    source: &Source<'_>,
    offset: usize,
    target: &str,
    names: &Names,
) -> Result<Link, LessonError> {
    let Some((figure, moment)) = target.split_once('/') else {
        let remedy = "write `show:FIGURE/MOMENT`";
        return Err(source.error(offset, "this names no moment of a figure", remedy));
    };
    names.need_transcript(source, offset, figure)?;
    let open = format!(
        "<button type=\"button\" class=\"show\" data-figure=\"{figure}\" data-action=\"show:{}\" disabled>",
        escape(moment)
    );
    Ok(Link::Own { open, close: "</button>".to_owned() })
}

/// `lesson:ID` or `lesson:ID#HEADING`.
fn lesson(source: &Source<'_>, offset: usize, target: &str) -> Result<Link, LessonError> {
    let (id, heading) = target.split_once('#').unwrap_or((target, ""));
    checked(source, offset, "a lesson", id)?;
    let hash = if heading.is_empty() { "" } else { "#" };
    Ok(Link::address(format!("./{id}/{hash}{heading}")))
}

fn plain(source: &Source<'_>, offset: usize, target: &str) -> Result<Link, LessonError> {
    if target.is_empty() || target.starts_with('/') {
        let remedy = "link to a heading (`#name`), a page beside this one or an https address";
        return Err(source.error(offset, "this link works on one server only", remedy));
    }
    Ok(Link::Plain)
}

fn checked<'a>(
    source: &Source<'_>,
    offset: usize,
    kind: &str,
    name: &'a str,
) -> Result<&'a str, LessonError> {
    if is_name(name) {
        return Ok(name);
    }
    let remedy = "use lower-case letters, digits and dashes";
    Err(source.error(offset, format!("`{name}` cannot name {kind}"), remedy))
}

fn term(
    source: &Source<'_>,
    offset: usize,
    name: &str,
    sentence: &str,
    names: &mut Names,
) -> Result<Link, LessonError> {
    let name = checked(source, offset, "a term", name)?;
    let known = names.known_term(name).map(str::to_owned);
    let button = format!("<button type=\"button\" class=\"term\" popovertarget=\"term-{name}\">");
    if sentence.is_empty() {
        if let Some(known) = known.filter(|_| !names.has_term(name)) {
            // A lesson before has defined it: its card comes with the first use here.
            names.add_term(source, offset, name, &known)?;
            return Ok(Link::Own { open: button, close: card(name, &known) });
        }
        if !names.has_term(name) {
            let problem = format!("the term `{name}` is used before its definition");
            let remedy =
                format!("write `[...](term:{name} \"One sentence.\")` where it first stands");
            return Err(source.error(offset, problem, remedy));
        }
        return Ok(Link::Own { open: button, close: "</button>".to_owned() });
    }
    names.add_term(source, offset, name, sentence)?;
    if !sentence.ends_with('.') {
        let remedy = "end the definition with a full stop";
        return Err(source.error(offset, "a term is defined by one whole sentence", remedy));
    }
    let close = card(name, sentence).replacen("</button>", "</button></dfn>", 1);
    Ok(Link::Own { open: format!("<dfn>{button}"), close })
}

/// The end of a term's button, and the card that it opens.
fn card(name: &str, sentence: &str) -> String {
    let (words, sentence) = (name.replace('-', " "), escape(sentence));
    format!(
        "</button><span class=\"term-card\" popover id=\"term-{name}\"><b>{words} </b>{sentence}</span>"
    )
}

fn action(source: &Source<'_>, offset: usize, name: &str) -> Result<Link, LessonError> {
    let name = checked(source, offset, "an action", name)?;
    let open = format!("<button type=\"button\" class=\"show\" data-action=\"{name}\" disabled>");
    Ok(Link::Own { open, close: "</button>".to_owned() })
}

fn key(source: &Source<'_>, offset: usize, name: &str) -> Result<Link, LessonError> {
    let Some(mark) = KeyMark::from_name(name) else {
        let problem = format!("`{name}` is no key mark");
        return Err(source.error(offset, problem, "use key:a, key:b, key:c or key:d"));
    };
    let (class, svg) = (mark.class(), key_svg(mark));
    let open = format!("<span class=\"key {class}\" translate=\"no\">{svg}");
    Ok(Link::Own { open, close: "</span>".to_owned() })
}
