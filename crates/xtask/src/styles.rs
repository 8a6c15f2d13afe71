//! One style sheet for the reader to fetch, where authors keep one file per component.

use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::Path;

use crate::places;
use crate::trouble::{OrSay, Outcome};

/// Joins the style sheets that the page names, in their order, into one file that the page names
/// instead.
pub(crate) fn join(page: &Path) -> Outcome {
    let html = fs::read_to_string(page).or_say(|| format!("read {}", page.display()))?;
    let folder = page.parent().unwrap_or(Path::new("."));
    let (names, before, after) = without_links(&html);
    if names.len() < 2 {
        return Ok(());
    }
    let mut all = String::new();
    for name in &names {
        let file = folder.join(name);
        let css = fs::read_to_string(&file).or_say(|| format!("read {}", file.display()))?;
        all.push_str(&css);
        fs::remove_file(&file).or_say(|| format!("remove {}", file.display()))?;
    }
    let name = write(folder, "style", &all)?;
    let html = format!("{before}<link rel=\"stylesheet\" href=\"./{name}\">{after}");
    fs::write(page, html).or_say(|| format!("write {}", page.display()))
}

/// What islands need in a lesson besides the lesson's own style, in this order: figures of a whole cluster.
const OF_FIGURES: [&str; 8] = [
    "lab/tokens.css",
    "lab/layout.css",
    "lab/cluster.css",
    "lab/transport.css",
    "lab/terminal.css",
    "lab/ask.css",
    "lab/panels.css",
    "lab/exhibit.css",
];

/// Questions, cards and models.
const OF_QUESTIONS: [&str; 5] =
    ["lab/tokens.css", "quiz/fields.css", "quiz/cards.css", "quiz/key.css", "lab/model.css"];

/// Writes the style of a program's islands beside the pages, and returns its address from the site's root.
pub(crate) fn of_islands(site: &Path, program: &str) -> Outcome<String> {
    let names = if program == "lab" { &OF_FIGURES[..] } else { &OF_QUESTIONS[..] };
    let mut all = String::new();
    for name in names {
        let file = places::root().join("web/style").join(name);
        all.push_str(&fs::read_to_string(&file).or_say(|| format!("read {}", file.display()))?);
    }
    Ok(format!("./{}", write(site, program, &all)?))
}

/// Writes a style sheet whose name changes with its content, so that a browser may keep the file for ever.
fn write(folder: &Path, stem: &str, css: &str) -> Outcome<String> {
    let mut hasher = DefaultHasher::new();
    hasher.write(css.as_bytes());
    let name = format!("{stem}-{:016x}.css", hasher.finish());
    let file = folder.join(&name);
    fs::write(&file, css).or_say(|| format!("write {}", file.display()))?;
    Ok(name)
}

/// The files that the page's style links name, and the page before and after the first link, with
/// no link left in it.
fn without_links(html: &str) -> (Vec<String>, String, String) {
    let (mut names, mut before, mut after) = (Vec::new(), String::new(), String::new());
    let mut rest = html;
    while let Some(start) = rest.find("<link") {
        let end = rest[start..].find('>').map_or(rest.len(), |end| start + end + 1);
        let (tag, kept) = (&rest[start..end], &rest[..start]);
        let href = tag.split("href=\"./").nth(1).and_then(|text| text.split('"').next());
        let side = if names.is_empty() { &mut before } else { &mut after };
        side.push_str(kept);
        match href.filter(|name| tag.contains("rel=\"stylesheet\"") && name.ends_with(".css")) {
            Some(name) => names.push(name.to_owned()),
            None => side.push_str(tag),
        }
        rest = &rest[end..];
    }
    let side = if names.is_empty() { &mut before } else { &mut after };
    side.push_str(rest);
    (names, before, after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    /// Links of styles become one, in their order; everything else of the page stays.
    #[test]
    fn style_sheets_become_one() {
        let folder = Scratch::new("styles");
        let page = folder.path().join("index.html");
        let html = "<head><link rel=\"icon\" href=\"./i.svg\">\n\
                    <link rel=\"stylesheet\" href=\"./b-1.css\"/>\n\
                    <link rel=\"stylesheet\" href=\"./a-2.css\"/>\n<title>T</title></head>";
        fs::write(&page, html).unwrap();
        fs::write(folder.path().join("b-1.css"), "b{}").unwrap();
        fs::write(folder.path().join("a-2.css"), "a{}").unwrap();
        join(&page).unwrap();
        let made = fs::read_to_string(&page).unwrap();
        let name = made.split("href=\"./").nth(2).and_then(|text| text.split('"').next()).unwrap();
        assert_eq!(fs::read_to_string(folder.path().join(name)).unwrap(), "b{}a{}");
        assert_eq!(made.matches("<link").count(), 2);
        assert!(made.contains("<link rel=\"icon\" href=\"./i.svg\">"));
        assert!(made.contains("<title>T</title></head>"));
        assert!(!folder.path().join("b-1.css").exists());
    }
}
