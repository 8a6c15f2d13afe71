//! What `--add-config`, `--add-config-file` and `--delete-config` ask for
//! (`ConfigCommand.parseConfigsToBeAdded`).

use crate::process::Out;
use crate::tool::kafka_configs::illegal;
use crate::tool::options::{Options, Problem, split};
use crate::tool::property_file;

/// Keys with their new values; `None`: the default counts again.
pub(super) type Changes = Vec<(String, Option<String>)>;

/// Reads the options.
pub(super) fn changes(options: &Options, out: &Out<'_>) -> Result<Changes, Problem> {
    let mut changes = Changes::new();
    if let Some(path) = options.one("add-config-file")? {
        let bytes = out
            .read_file(path.as_bytes())
            .map_err(|_| Problem::new("java.nio.file.NoSuchFileException", path))?;
        for (key, value) in property_file::settings(&String::from_utf8_lossy(&bytes)) {
            set(&mut changes, key, value);
        }
    }
    if let Some(text) = options.one("add-config")? {
        for (key, value) in pairs(text)? {
            set(&mut changes, key, value);
        }
    }
    check_keys(changes.iter().map(|(key, _)| key.as_str()))?;
    for list in options.all("delete-config") {
        changes.extend(split(list, ',').map(|key| (key.trim().to_owned(), None)));
    }
    Ok(changes)
}

fn set(changes: &mut Changes, key: String, value: String) {
    changes.retain(|(known, _)| *known != key);
    changes.push((key, Some(value)));
}

fn check_keys<'a>(keys: impl Iterator<Item = &'a str>) -> Result<(), Problem> {
    for key in keys {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        if !key.bytes().all(fits) {
            return Err(illegal(format!("Invalid character found for config key: {key}")));
        }
    }
    Ok(())
}

/// `k1=v1,k2=[v2,v3]`: commas and equals signs in brackets belong to the value.
fn pairs(text: &str) -> Result<Vec<(String, String)>, Problem> {
    let mut pairs = Vec::new();
    let mut parts = split_outside(text, ',');
    // Java's split drops what is empty at the end.
    while parts.len() > 1 && parts.last().is_some_and(|last| last.is_empty()) {
        parts.pop();
    }
    for part in parts {
        match split_outside(part, '=').as_slice() {
            [key, value] => {
                let value = value.replace(['[', ']'], "");
                pairs.push((key.trim().to_owned(), value.trim().to_owned()));
            }
            _ => {
                let text = "Invalid entity config: all configs to be added must be in the format \
                            \"key=val\" or  \"key=[val1,val2]\" to group values which contain \
                            commas.";
                return Err(illegal(text.to_owned()));
            }
        }
    }
    Ok(pairs)
}

/// Cuts at each separator behind which a bracket opens before one closes, or none follows.
fn split_outside(text: &str, separator: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut begin = 0;
    for (at, _) in text.match_indices(separator) {
        let after = text.get(at + separator.len_utf8()..).unwrap_or_default();
        let inside = after.find([']', '[']).is_some_and(|next| after.as_bytes()[next] == b']');
        if !inside {
            parts.push(&text[begin..at]);
            begin = at + separator.len_utf8();
        }
    }
    parts.push(&text[begin..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn read(text: &str) -> Option<String> {
        let pairs = pairs(text).ok()?;
        let shown = pairs.iter().map(|(key, value)| format!("{key}|{value}"));
        Some(shown.collect::<Vec<_>>().join(" "))
    }

    /// Lists in brackets, blanks, what is empty at the end, and what is no pair.
    #[test]
    fn pairs_of_an_option() {
        for (text, pairs) in [
            ("a=1,b=2", Some("a|1 b|2")),
            (" a = 1 , b = 2 ", Some("a|1 b|2")),
            ("a=[1,2],b=3", Some("a|1,2 b|3")),
            ("a=[x=1,y=2]", Some("a|x=1,y=2")),
            ("a=[]", Some("a|")),
            ("a=", Some("a|")),
            ("a=1,,", Some("a|1")),
            ("a", None),
            ("a=1=2", None),
            (",a=1", None),
            ("", None),
            ("[", None),
            ("=é]", None),
        ] {
            assert_eq!(read(text).as_deref(), pairs, "{text}");
        }
    }
}
