//! The front matter of a lesson: `key: value` lines between two `---` lines, strictly.

use crate::html::is_name;
use crate::{LessonError, Source};

/// What a lesson says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrontMatter {
    /// Names the lesson for ever: progress and links depend on it.
    pub id: String,
    /// Its place in the course, counted from 1.
    pub number: u32,
    /// The title, as text.
    pub title: String,
    /// One sentence for search engines and link previews.
    pub summary: String,
    /// What a reader can do afterwards, each after "You can now"; separated by `;` in the file.
    pub goals: Vec<String>,
    /// How long the core takes.
    pub minutes: u32,
    /// What a reader should have read, in words; `nothing` if nothing.
    pub needs: String,
}

const KEYS: [&str; 7] = ["id", "number", "title", "summary", "goals", "minutes", "needs"];
const FENCE: &str = "---";

/// Reads the front matter; returns it with the byte offset at which the Markdown starts.
pub(crate) fn read(source: &Source<'_>) -> Result<(FrontMatter, usize), LessonError> {
    let mut values: [Option<(usize, &str)>; KEYS.len()] = [None; KEYS.len()];
    let mut offset = 0;
    let mut lines = source.text.split_inclusive('\n');
    let first = lines.next().unwrap_or_default();
    if first.trim_end() != FENCE {
        let remedy = "start the file with a line of three dashes, then `id: ...` and the others";
        return Err(source.error(0, "a lesson starts with its front matter", remedy));
    }
    offset += first.len();
    for line in lines {
        if line.trim_end() == FENCE {
            let matter = collect(source, &values, offset)?;
            return Ok((matter, offset + line.len()));
        }
        read_line(source, &mut values, offset, line)?;
        offset += line.len();
    }
    let remedy = "close it with a line of three dashes";
    Err(source.error(0, "the front matter never ends", remedy))
}

fn read_line<'a>(
    source: &Source<'a>,
    values: &mut [Option<(usize, &'a str)>; KEYS.len()],
    offset: usize,
    line: &'a str,
) -> Result<(), LessonError> {
    if line.trim().is_empty() {
        return Ok(());
    }
    let Some((key, value)) = line.split_once(": ") else {
        let remedy = "write `key: value`, with a space after the colon";
        return Err(source.error(offset, "this line has no key and value", remedy));
    };
    let Some(slot) = KEYS.iter().position(|known| *known == key) else {
        let remedy = format!("use one of {}", KEYS.join(", "));
        return Err(source.error(offset, format!("`{key}` is no key of the front matter"), remedy));
    };
    if values[slot].is_some() {
        let remedy = "keep one of the two lines";
        return Err(source.error(offset, format!("`{key}` is there twice"), remedy));
    }
    let value_offset = offset + key.len() + 2;
    if value.trim().is_empty() {
        let remedy = format!("write it after `{key}: `");
        return Err(source.error(value_offset, format!("`{key}` has no value"), remedy));
    }
    values[slot] = Some((value_offset, value.trim()));
    Ok(())
}

fn collect(
    source: &Source<'_>,
    values: &[Option<(usize, &str)>; KEYS.len()],
    end: usize,
) -> Result<FrontMatter, LessonError> {
    let missing = KEYS.iter().zip(values).find(|(_, value)| value.is_none());
    if let Some((key, _)) = missing {
        let remedy = format!("add a line `{key}: ...` to the front matter");
        return Err(source.error(end, format!("`{key}` is missing"), remedy));
    }
    let text = |slot: usize| values[slot].unwrap_or_default().1.to_owned();
    let number = |slot: usize| {
        let (offset, value) = values[slot].unwrap_or_default();
        value.parse::<u32>().ok().filter(|n| (1..1000).contains(n)).ok_or_else(|| {
            let key = KEYS[slot];
            let problem = format!("`{key}` must be a number from 1 to 999, not `{value}`");
            source.error(offset, problem, format!("write for example `{key}: 12`"))
        })
    };
    let (id_offset, id) = values[0].unwrap_or_default();
    if !is_name(id) {
        let remedy = "use lower-case letters, digits and dashes, for example `the-log`";
        return Err(source.error(id_offset, format!("`{id}` cannot be an id"), remedy));
    }
    let goals = text(4).split(';').map(|goal| goal.trim().to_owned()).collect();
    Ok(FrontMatter {
        id: id.to_owned(),
        number: number(1)?,
        title: text(2),
        summary: text(3),
        goals,
        minutes: number(5)?,
        needs: text(6),
    })
}
