//! A page among the others that has a program of its own: its folder holds the page alone, and what it fetches lies
//! where everything lies.

use std::fs;
use std::path::Path;

use crate::trouble::{OrSay, Outcome, Trouble};

/// Moves what was built with the page in `folder` to `site`, the folder above, and has the page look for
/// everything there.
pub(crate) fn settle(folder: &Path, site: &Path) -> Outcome {
    let entries = fs::read_dir(folder).or_say(|| format!("list {}", folder.display()))?;
    for entry in entries {
        let from = entry.or_say(|| format!("list {}", folder.display()))?.path();
        let Some(name) = from.file_name().filter(|name| *name != "index.html") else { continue };
        fs::rename(&from, site.join(name)).or_say(|| format!("move {}", from.display()))?;
    }
    change(&folder.join("index.html"), from_below)
}

/// In a development build trunk lets one page reload itself; the others take that script over.
pub(crate) fn take_live_reload(from: &Path, page: &Path) -> Outcome {
    let html = fs::read_to_string(from).or_say(|| format!("read {}", from.display()))?;
    let script = live_reload(&html).unwrap_or_default().to_owned();
    change(page, |html| html.replace("</body>", &format!("{script}</body>")))
}

/// The program of the Lab's page, which lessons use too: addresses from the site's root.
pub(crate) struct Program {
    /// Its glue.
    pub js: String,
    /// Its wasm.
    pub wasm: String,
}

/// Reads it out of the settled page.
pub(crate) fn program(page: &Path) -> Outcome<Program> {
    let html = fs::read_to_string(page).or_say(|| format!("read {}", page.display()))?;
    let address = |name: &str| {
        let (_, rest) = html.split_once(&format!(" {name}=\"../"))?;
        rest.split('"').next().map(|address| format!("./{address}"))
    };
    let found = address("data-js").zip(address("data-wasm"));
    let (js, wasm) = found.ok_or_else(|| {
        Trouble::new(format!(
            "{} names no program; see pattern_script in Trunk.toml.",
            page.display()
        ))
    })?;
    Ok(Program { js, wasm })
}

fn change(page: &Path, to: impl FnOnce(&str) -> String) -> Outcome {
    let html = fs::read_to_string(page).or_say(|| format!("read {}", page.display()))?;
    fs::write(page, to(&html)).or_say(|| format!("write {}", page.display()))
}

/// The page for a folder below the one that its addresses were written for.
fn from_below(html: &str) -> String {
    html.replace("=\"./", "=\"../")
}

/// The script that trunk has put into a page; ours are files.
fn live_reload(html: &str) -> Option<&str> {
    let start = html.rfind("<script>")?;
    let end = html[start..].find("</script>")? + "</script>".len();
    Some(&html[start..start + end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn the_page_stays_in_its_folder_and_finds_its_files_above() {
        let site = Scratch::new("beside");
        let folder = site.path().join("lab");
        fs::create_dir_all(folder.join("snippets")).unwrap();
        fs::write(folder.join("lab-1.js"), "glue").unwrap();
        fs::write(folder.join("snippets/a.js"), "more").unwrap();
        let html = "<a href=\"./\">Learn</a><a href=\"./lab/\">Lab</a><a href=\"#lab\">x</a>\
                    <script src=\"./boot.js\" data-js=\"./lab-1.js\"></script>";
        fs::write(folder.join("index.html"), html).unwrap();
        settle(&folder, site.path()).unwrap();
        assert_eq!(
            fs::read_to_string(folder.join("index.html")).unwrap(),
            "<a href=\"../\">Learn</a><a href=\"../lab/\">Lab</a><a href=\"#lab\">x</a>\
             <script src=\"../boot.js\" data-js=\"../lab-1.js\"></script>"
        );
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing else stays");
        assert_eq!(fs::read_to_string(site.path().join("lab-1.js")).unwrap(), "glue");
        assert_eq!(fs::read_to_string(site.path().join("snippets/a.js")).unwrap(), "more");
    }

    #[test]
    fn the_program_is_named_as_seen_from_the_root() {
        let site = Scratch::new("lab-program");
        let page = site.path().join("index.html");
        fs::write(&page, "<script data-js=\"../lab-1.js\" data-wasm=\"../lab-1_bg.wasm\">")
            .unwrap();
        let Program { js, wasm } = program(&page).unwrap();
        assert_eq!((js.as_str(), wasm.as_str()), ("./lab-1.js", "./lab-1_bg.wasm"));
        fs::write(&page, "<script>").unwrap();
        assert!(program(&page).is_err());
    }

    #[test]
    fn only_a_page_that_reloads_itself_hands_that_on() {
        let site = Scratch::new("beside-reload");
        let (first, lab) = (site.path().join("index.html"), site.path().join("lab.html"));
        for (ours, expected) in [
            ("<script src=\"./boot.js\"></script>", "<p></p></body>"),
            ("<script>reload()</script>", "<p></p><script>reload()</script></body>"),
        ] {
            fs::write(&first, format!("<body>{ours}</body>")).unwrap();
            fs::write(&lab, "<p></p></body>").unwrap();
            take_live_reload(&first, &lab).unwrap();
            assert_eq!(fs::read_to_string(&lab).unwrap(), expected);
        }
    }
}
