//! Files of settings, as Java's `Properties` reads them.

use crate::process::Out;
use crate::tool::options::Problem;

/// Reads one (`Utils.loadProps`).
///
/// # Errors
/// There is no such file.
pub(crate) fn load(path: &str, out: &Out<'_>) -> Result<Vec<(String, String)>, Problem> {
    let bytes = out
        .read_file(path.as_bytes())
        .map_err(|_| Problem::new("java.nio.file.NoSuchFileException", path))?;
    Ok(settings(&String::from_utf8_lossy(&bytes)))
}

/// A file of settings as Java reads it: comments, continued lines, `=`, `:` or a blank between key and
/// value, escapes.
pub(crate) fn settings(text: &str) -> Vec<(String, String)> {
    let mut settings = Vec::new();
    let mut lines = text.split(['\n', '\r']);
    while let Some(line) = lines.next() {
        let line = line.trim_start_matches([' ', '\t', '\u{c}']);
        if line.is_empty() || line.starts_with(['#', '!']) {
            continue;
        }
        let mut whole = line.to_owned();
        while whole.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1 {
            whole.pop();
            let Some(next) = lines.next() else { break };
            whole.push_str(next.trim_start_matches([' ', '\t', '\u{c}']));
        }
        settings.push(setting(&whole));
    }
    settings
}

fn setting(line: &str) -> (String, String) {
    let is_blank = |character: char| matches!(character, ' ' | '\t' | '\u{c}');
    let mut escaped = false;
    let end = line.find(|character: char| {
        let ends = !escaped && (is_blank(character) || matches!(character, '=' | ':'));
        escaped = !escaped && character == '\\';
        ends
    });
    let (key, rest) = line.split_at(end.unwrap_or(line.len()));
    let rest = rest.trim_start_matches(is_blank);
    let rest = rest.strip_prefix(['=', ':']).unwrap_or(rest);
    (unescaped(key), unescaped(rest.trim_start_matches(is_blank)))
}

fn unescaped(text: &str) -> String {
    let mut plain = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            plain.push(character);
            continue;
        }
        match characters.next() {
            Some('n') => plain.push('\n'),
            Some('r') => plain.push('\r'),
            Some('t') => plain.push('\t'),
            Some('f') => plain.push('\u{c}'),
            Some('u') => {
                let digits: String = characters.by_ref().take(4).collect();
                let unit = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                plain.push(unit.unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            Some(other) => plain.push(other),
            None => {}
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// Files as Java reads them.
    #[test]
    fn settings_of_a_file() {
        let text =
            "# c\n! c\n\n a=1\nb : 2\nc 3\nd\\ e=4\nf=1,\\\n   2\ng\nh=\\u0041\\t\\q\\\\\ni=\\";
        let shown: Vec<String> =
            settings(text).iter().map(|(key, value)| format!("{key}|{value}")).collect();
        assert_eq!(shown, ["a|1", "b|2", "c|3", "d e|4", "f|1,2", "g|", "h|A\tq\\", "i|"]);
    }
}
