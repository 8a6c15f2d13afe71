//! What the first load of a page fetches: the page, what its tags name, and what those scripts and
//! styles name in turn. Addresses outside the site, and pictures that are loaded only when seen, do
//! not count.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::places;
use crate::trouble::{OrSay, Outcome};

/// Files of the site, relative to its folder.
#[derive(Debug, Default)]
pub(crate) struct FirstLoad {
    /// The page itself and all that it fetches.
    pub files: BTreeSet<PathBuf>,
    /// The program that it starts; none for a page without an engine.
    pub program: Option<String>,
}

/// Where trunk puts a site together; a build that failed leaves it behind, and nobody's browser
/// gets it.
const STAGING: &str = ".stage";

/// Every page of the site.
pub(crate) fn pages(dist: &Path) -> Outcome<Vec<PathBuf>> {
    let files = places::files_below(dist)?;
    let pages = files.iter().filter_map(|file| file.strip_prefix(dist).ok());
    let is_page =
        |file: &&Path| file.extension().is_some_and(|e| e == "html") && !file.starts_with(STAGING);
    Ok(pages.filter(is_page).map(Path::to_path_buf).collect())
}

/// What one page fetches.
pub(crate) fn of(dist: &Path, page: &Path) -> Outcome<FirstLoad> {
    let mut load = FirstLoad::default();
    let mut waiting = vec![page.to_path_buf()];
    while let Some(file) = waiting.pop() {
        if !load.files.insert(file.clone()) {
            continue;
        }
        let named = match file.extension().and_then(|e| e.to_str()) {
            Some("html") => {
                let html = without_noscript(&read(dist, &file)?);
                load.program = load.program.or_else(|| program_of(&html));
                named_by_html(&html)
            }
            Some("js" | "mjs") => named_by_script(&read(dist, &file)?),
            Some("css") => named_by_style(&read(dist, &file)?),
            _ => Vec::new(),
        };
        waiting.extend(named.iter().filter_map(|address| resolve(&file, address)));
    }
    Ok(load)
}

fn read(dist: &Path, file: &Path) -> Outcome<String> {
    fs::read_to_string(dist.join(file))
        .or_say(|| format!("read dist/{}, which a page needs", file.display()))
}

/// The file of the site that an address means, seen from the file that names it.
fn resolve(from: &Path, address: &str) -> Option<PathBuf> {
    let address = address.split(['?', '#']).next().unwrap_or_default();
    let outside = address.is_empty()
        || address.starts_with("//")
        || address.split('/').next().is_some_and(|first| first.contains(':'));
    if outside {
        return None;
    }
    let base = if address.starts_with('/') { Path::new("") } else { from.parent()? };
    let mut path = PathBuf::new();
    for part in base.join(address.trim_start_matches('/')).components() {
        match part {
            Component::Normal(name) => path.push(name),
            Component::ParentDir => drop(path.pop()),
            _ => {}
        }
    }
    Some(if address.ends_with('/') { path.join("index.html") } else { path })
}

/// A tag's name and attributes.
type Tag<'a> = (&'a str, Vec<(&'a str, &'a str)>);

/// Every opening tag, without those in remarks.
fn tags(html: &str) -> Vec<Tag<'_>> {
    let mut found = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        if rest.starts_with("!--") {
            rest = rest.find("-->").map_or("", |end| &rest[end..]);
        } else if rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
            let name_end = rest.find([' ', '\n', '\t', '>', '/']).unwrap_or(rest.len());
            let (name, after) = rest.split_at(name_end);
            let (attributes, after) = attributes(after);
            found.push((name, attributes));
            rest = after;
        }
    }
    found
}

/// The attributes up to the tag's end, and what follows it.
fn attributes(mut rest: &str) -> (Vec<(&str, &str)>, &str) {
    let mut found = Vec::new();
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '/');
        if rest.is_empty() || rest.starts_with('>') {
            return (found, rest);
        }
        let end = rest.find(|c: char| c.is_whitespace() || "=>/".contains(c)).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end.max(1));
        rest = after.trim_start();
        let Some(value) = rest.strip_prefix('=').map(str::trim_start) else {
            found.push((name, ""));
            continue;
        };
        let quote = value.chars().next().filter(|c| *c == '"' || *c == '\'');
        let (value, after) = match quote {
            Some(quote) => value[1..].split_once(quote).unwrap_or((&value[1..], "")),
            None => {
                let end =
                    value.find(|c: char| c.is_whitespace() || c == '>').unwrap_or(value.len());
                value.split_at(end)
            }
        };
        found.push((name, value));
        rest = after;
    }
}

/// The page as a browser with scripts sees it.
fn without_noscript(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some((before, inside)) = rest.split_once("<noscript>") {
        out.push_str(before);
        rest = inside.split_once("</noscript>").map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    out
}

fn named_by_html(html: &str) -> Vec<String> {
    const LOADED_LINKS: [&str; 6] =
        ["stylesheet", "icon", "manifest", "preload", "modulepreload", "apple-touch-icon"];
    let mut named = Vec::new();
    for (name, attributes) in tags(html) {
        let value = |key: &str| attributes.iter().find(|(k, _)| *k == key).map(|(_, v)| *v);
        let lazy = value("loading") == Some("lazy");
        named.extend(value("data-js"));
        named.extend(value("data-wasm"));
        match name {
            "script" => named.extend(value("src")),
            "img" | "iframe" if !lazy => named.extend(value("src")),
            "link" => {
                let rel = value("rel").unwrap_or_default();
                if rel.split_whitespace().any(|word| LOADED_LINKS.contains(&word)) {
                    named.extend(value("href"));
                }
            }
            _ => {}
        }
    }
    named.into_iter().map(str::to_owned).collect()
}

/// The program that a page starts: trunk names its glue `PROGRAM-HASH.js`.
fn program_of(html: &str) -> Option<String> {
    let tags = tags(html);
    let glue = tags.iter().flat_map(|(_, a)| a).find(|(key, _)| *key == "data-js")?.1;
    let file = glue.rsplit('/').next()?.trim_end_matches(".js");
    Some(file.rsplit_once('-').map_or(file, |(program, _)| program).to_owned())
}

/// Relative modules that a script imports, such as wasm-bindgen's snippets.
fn named_by_script(script: &str) -> Vec<String> {
    let mut named = Vec::new();
    for before in ["from", "import", "import("] {
        for (at, _) in script.match_indices(before) {
            let rest = script[at + before.len()..].trim_start();
            let Some(quote) = rest.chars().next().filter(|c| "\"'`".contains(*c)) else { continue };
            let Some((address, _)) = rest[1..].split_once(quote) else { continue };
            if address.starts_with("./") || address.starts_with("../") {
                named.push(address.to_owned());
            }
        }
    }
    named
}

/// What a style sheet imports, and the files in its `url(...)`: fonts and pictures.
fn named_by_style(style: &str) -> Vec<String> {
    let trimmed = |s: &str| s.trim().trim_matches(['"', '\'']).to_owned();
    let urls = style.match_indices("url(").filter_map(|(at, _)| {
        let rest = &style[at + 4..];
        Some(trimmed(&rest[..rest.find(')')?]))
    });
    let imports = style.match_indices("@import").filter_map(|(at, _)| {
        let rest = &style[at + 7..];
        Some(trimmed(&rest[..rest.find(';')?]))
    });
    urls.chain(imports.filter(|address| !address.starts_with("url("))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    fn site(files: &[(&str, &str)]) -> Scratch {
        let dist = Scratch::new("first-load");
        for (name, text) in files {
            let path = dist.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        dist
    }

    #[test]
    fn follows_tags_glue_snippets_and_styles() {
        let dist = site(&[
            (
                "learn/keys.html",
                "<!-- <script src='gone.js'></script> --><link rel=stylesheet href=../a.css>\
                 <script src=\"../boot.js\" defer data-js=\"../reader-0f.js\" \
                 data-wasm=\"../reader-0f_bg.wasm\"></script><a href='other.html'>x</a>\
                 <img src=\"late.png\" loading=\"lazy\"><img src='https://example.org/x.png'>",
            ),
            ("a.css", "@import \"b.css\"; p { background: url(\"p.svg\") } q { x: url(data:abc) }"),
            ("b.css", ""),
            ("boot.js", "import(document.currentScript.dataset.js)"),
            ("reader-0f.js", "import{a}from\"./snippets/s.js\";export default 1"),
            ("snippets/s.js", "export const a = 1"),
        ]);
        let load = of(dist.path(), Path::new("learn/keys.html")).unwrap();
        let files: Vec<String> = load.files.iter().map(|f| f.display().to_string()).collect();
        assert_eq!(
            files,
            [
                "a.css",
                "b.css",
                "boot.js",
                "learn/keys.html",
                "p.svg",
                "reader-0f.js",
                "reader-0f_bg.wasm",
                "snippets/s.js"
            ]
        );
        assert_eq!(load.program.as_deref(), Some("reader"));
        assert_eq!(pages(dist.path()).unwrap(), [Path::new("learn/keys.html")]);
    }

    #[test]
    fn what_a_failed_build_left_behind_is_no_page() {
        let dist = site(&[
            ("index.html", "<p>built"),
            (".stage/index.html", "<script src=gone.js></script>"),
            (".stage/learn/keys.html", "<p>half built"),
        ]);
        assert_eq!(pages(dist.path()).unwrap(), [Path::new("index.html")]);
    }

    #[test]
    fn a_page_without_an_engine_starts_no_program_and_a_missing_script_is_told() {
        let dist = site(&[("index.html", "<script src=gone.js></script>")]);
        let said = of(dist.path(), Path::new("index.html")).unwrap_err().to_string();
        assert!(said.contains("dist/gone.js"), "{said}");
        let dist = site(&[("index.html", "<p>words only")]);
        assert_eq!(of(dist.path(), Path::new("index.html")).unwrap().program, None);
    }
}
