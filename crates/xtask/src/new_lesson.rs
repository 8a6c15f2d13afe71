//! `cargo xtask new-lesson NAME`: a lesson that passes its check, to be changed into the one that is meant.

use std::fs;
use std::path::Path;

use crate::places;
use crate::trouble::{OrSay, Outcome, Trouble};

const TEMPLATE: &str = include_str!("new_lesson.md");
const FOLDER: &str = "web/lessons";

/// Writes the file and says what comes next.
pub(crate) fn run(name: &str) -> Outcome {
    let folder = places::root().join(FOLDER);
    let file = write(&folder, name)?;
    println!("{FOLDER}/{file} is there. It passes its check already; change it step by step:");
    println!("  cargo run -p highwater-cli -- check {FOLDER}/{file}        says what is wrong");
    println!(
        "  cargo run -p highwater-cli -- run --write {FOLDER}/{file}  puts in what commands print"
    );
    println!(
        "  cargo xtask serve --dev                                    shows the page, also after each change"
    );
    println!("docs/AUTHORS.md tells of every block.");
    Ok(())
}

/// Writes the template under its name, as the last lesson of the folder; returns the file's name.
fn write(folder: &Path, name: &str) -> Outcome<String> {
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) || !name.chars().all(is_part) {
        return Err(Trouble::new(format!(
            "`{name}` cannot name a lesson: use lower-case letters, digits and dashes, as in `hot-partitions`."
        )));
    }
    let file = format!("{name}.md");
    let path = folder.join(&file);
    if path.exists() {
        return Err(Trouble::new(format!(
            "{} is there already; choose another name.",
            path.display()
        )));
    }
    let text = TEMPLATE.replace("NAME", name).replace("NUMBER", &next_number(folder)?.to_string());
    fs::write(&path, text).or_say(|| format!("write {}", path.display()))?;
    Ok(file)
}

/// One more than the greatest number of a lesson.
fn next_number(folder: &Path) -> Outcome<u32> {
    let entries = fs::read_dir(folder).or_say(|| format!("list {}", folder.display()))?;
    let mut last = 0;
    for entry in entries {
        let path = entry.or_say(|| format!("list {}", folder.display()))?.path();
        if path.extension().is_some_and(|ending| ending == "md") {
            let text = fs::read_to_string(&path).or_say(|| format!("read {}", path.display()))?;
            let number = text.lines().find_map(|line| line.strip_prefix("number: "));
            last = last.max(number.and_then(|number| number.trim().parse().ok()).unwrap_or(0));
        }
    }
    Ok(last + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn a_new_lesson_comes_last_and_overwrites_nothing() {
        let folder = Scratch::new("new-lesson");
        fs::write(folder.path().join("a.md"), "---\nid: a\nnumber: 7\n---\n").unwrap();
        assert_eq!(write(folder.path(), "hot-keys").unwrap(), "hot-keys.md");
        let text = fs::read_to_string(folder.path().join("hot-keys.md")).unwrap();
        assert!(text.contains("id: hot-keys\nnumber: 8\n"), "{text}");
        assert!(write(folder.path(), "hot-keys").is_err());
        for bad in ["", "Hot", "1st", "a b", "../x"] {
            assert!(write(folder.path(), bad).is_err(), "{bad}");
        }
    }
}
