//! Files of offsets: `topic,partition,offset`, or with the group in front (`CsvUtils`, which uses
//! Jackson's CSV mapper).

use highwater_core::ids::{GroupId, Offset, PartitionId, TopicName, TopicPartition};
use highwater_core::number;

use super::{Failure, rethrown};
use crate::tool::options::{Problem, split};

/// Offsets of the partitions of one group.
pub(super) type Offsets = Vec<(TopicPartition, Offset)>;

const NO_CONTENT: &str = "com.fasterxml.jackson.databind.exc.MismatchedInputException";
const INVALID_FORMAT: &str = "com.fasterxml.jackson.databind.exc.InvalidFormatException";
const CSV_READ: &str = "com.fasterxml.jackson.dataformat.csv.CsvReadException";

/// From where on Jackson does not look whether a name needs quotes.
const LONGEST_BARE: usize = 24;

/// One line.
struct Line {
    group: Option<String>,
    which: TopicPartition,
    offset: i64,
}

/// What a file says, group by group. Without groups in it, it is about the only one that is named.
///
/// # Errors
/// What Java throws about a line that cannot be read, or makes no sense.
pub(super) fn plan(text: &str, named: &[GroupId]) -> Result<Vec<(GroupId, Offsets)>, Failure> {
    let lines: Vec<&str> = split(text, '\n').collect();
    let lines = if lines.is_empty() { vec![""] } else { lines };
    let is_short = lines.first().is_some_and(|line| read(line, false).is_ok());
    let only = match named {
        [only] if is_short => Some(only),
        _ => None,
    };
    let mut plan: Vec<(GroupId, Offsets)> = Vec::new();
    for line in lines {
        let line = read(line, only.is_none()).map_err(rethrown)?;
        if line.offset < 0 {
            return Err(Failure::Usage("Invalid negative offset".to_owned()));
        }
        let group = match (only, line.group) {
            (None, Some(group)) => GroupId(group.into()),
            (Some(only), _) => only.clone(),
            (None, None) => continue,
        };
        let entry = (line.which, Offset(line.offset));
        match plan.iter_mut().find(|(known, _)| *known == group) {
            Some((_, offsets)) => {
                offsets.retain(|(which, _)| *which != entry.0);
                offsets.push(entry);
            }
            None => plan.push((group, vec![entry])),
        }
    }
    Ok(plan)
}

/// Reads a line; a column that is missing is 0.
fn read(line: &str, has_group: bool) -> Result<Line, Problem> {
    let line = line.trim_end_matches('\r');
    if line.is_empty() {
        return Err(Problem::new(NO_CONTENT, "No content to map due to end-of-input"));
    }
    let fields = fields(line);
    let most = if has_group { 4 } else { 3 };
    if let Some(extra) = fields.get(most) {
        let text = format!(
            "Too many entries: expected at most {most} (value #{most} ({} chars) \"{extra}\")",
            extra.chars().count()
        );
        return Err(Problem::new(CSV_READ, text));
    }
    let mut fields = fields.into_iter();
    let group = if has_group { fields.next() } else { None };
    let topic = TopicName::new(&fields.next().unwrap_or_default());
    let partition =
        whole(&fields.next().unwrap_or_default(), "int", i32::MIN.into(), i32::MAX.into())?;
    let partition = PartitionId(i32::try_from(partition).unwrap_or(0));
    let offset = whole(&fields.next().unwrap_or_default(), "long", i64::MIN, i64::MAX)?;
    Ok(Line { group, which: TopicPartition::new(&topic, partition), offset })
}

/// A whole number as Jackson reads it from a text.
fn whole(text: &str, kind: &str, least: i64, most: i64) -> Result<i64, Problem> {
    let bare = text.trim();
    if bare.is_empty() {
        return Ok(0);
    }
    let refused = |why: String| {
        let text =
            format!("Cannot deserialize value of type `{kind}` from String \"{text}\": {why}");
        Problem::new(INVALID_FORMAT, text)
    };
    match number::signed(bare) {
        Some(value) if (least..=most).contains(&value) => Ok(value),
        Some(_) => Err(refused(format!(
            "Overflow: numeric value ({bare}) out of range of {kind} ({least} - {most})"
        ))),
        None => Err(refused(format!("not a valid `{kind}` value"))),
    }
}

/// The fields of a line. Quotes around one let it hold commas, and quotes, each of them twice.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut characters = line.chars().peekable();
    let mut is_quoted = false;
    while let Some(character) = characters.next() {
        let Some(field) = fields.last_mut() else { break };
        match character {
            '"' if is_quoted && characters.next_if_eq(&'"').is_some() => field.push('"'),
            '"' if is_quoted => is_quoted = false,
            '"' if field.trim().is_empty() => {
                field.clear();
                is_quoted = true;
            }
            ',' if !is_quoted => fields.push(String::new()),
            other => field.push(other),
        }
    }
    fields
}

/// A name as Jackson writes it: in quotes where it might be misread, or is too long to look.
pub(super) fn name(text: &str) -> String {
    let is_safe = |character: char| character >= '-';
    if text.encode_utf16().count() <= LONGEST_BARE && text.chars().all(is_safe) {
        return text.to_owned();
    }
    ["\"", &text.replace('"', "\"\""), "\""].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn named(names: &[&str]) -> Vec<GroupId> {
        names.iter().map(|name| GroupId((*name).into())).collect()
    }

    fn shown(text: &str, names: &[&str]) -> String {
        match plan(text, &named(names)) {
            Ok(plan) => {
                let mut shown = String::new();
                for (group, offsets) in plan {
                    for (which, offset) in offsets {
                        shown.push_str(&format!("{group} {which} {offset};"));
                    }
                }
                shown
            }
            Err(Failure::Usage(text)) => text,
            Err(Failure::Thrown(problem)) => problem.text,
        }
    }

    /// Lines with and without groups, quotes, what is missing, and what comes twice.
    #[test]
    fn plans() {
        assert_eq!(shown("cc,1,4\ncc,0,2\n\n", &["g"]), "g cc-1 4;g cc-0 2;");
        assert_eq!(shown("\"c\"\"c\",1,\"4\"\r\n", &["g"]), "g c\"c-1 4;");
        assert_eq!(shown("cc,0", &["g"]), "g cc-0 0;");
        assert_eq!(shown("cc,0,1\ncc,0,2", &["g"]), "g cc-0 2;");
        assert_eq!(shown("a,cc,0,1\nb,cc,0,2", &["g"]), "a cc-0 1;b cc-0 2;");
        assert_eq!(shown("cc,1,4", &["a", "b"]), "cc 1-4 0;");
        assert_eq!(shown("cc,0,-1", &["g"]), "Invalid negative offset");
        let nothing = "com.fasterxml.jackson.databind.exc.MismatchedInputException: No content to \
                       map due to end-of-input";
        assert_eq!(shown("", &["g"]), nothing);
        assert_eq!(shown("cc,0,1\n\ncc,1,1", &["g"]), nothing);
        assert!(shown("cc,0,1\ncc,y,1", &["g"]).ends_with("not a valid `int` value"));
        assert!(shown("cc,0,1\ncc,3000000000,1", &["g"]).contains("Overflow"));
        assert!(shown("a,cc,0,1,2", &["g"]).contains("Too many entries"));
    }

    /// Which names get quotes, as recorded.
    #[test]
    fn names() {
        assert_eq!(name("my.topic_1"), "my.topic_1");
        assert_eq!(name("grüße-日本"), "grüße-日本");
        assert_eq!(name(" "), "\" \"");
        assert_eq!(name("a,\"b\""), "\"a,\"\"b\"\"\"");
        assert_eq!(name("a-topic-with-twenty-5-char"), "\"a-topic-with-twenty-5-char\"");
    }
}
