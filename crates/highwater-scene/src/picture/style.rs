//! Styles of a picture: the rules of the page's sheets with every variable replaced by its value, since programs
//! that draw SVG know neither `var()` nor `light-dark()` nor nested rules.

use std::collections::BTreeMap;

use crate::digits::int;

/// A colour scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// Ink on paper.
    Light,
    /// The other way round.
    Dark,
    /// As the reader's system has it; light where a program cannot tell.
    Auto,
}

/// The sheets that a picture's styles are made of.
#[derive(Clone, Copy, Debug)]
pub struct Sheet<'a> {
    /// Variables: the first rule for `:root`.
    pub tokens: &'a str,
    /// Rules of the marks in a drawing.
    pub marks: &'a str,
}

/// The page's own.
pub const PAGE: Sheet<'static> = Sheet {
    tokens: include_str!("../../../../web/style/tokens.css"),
    marks: concat!(
        include_str!("../../../../web/style/marks.css"),
        include_str!("../../../../web/style/lab/cluster.css")
    ),
};

/// A rule: its selectors and its declarations.
type Rule = (Vec<String>, Vec<(String, String)>);
type Variables = BTreeMap<String, String>;

/// Rules for what stands around the marks.
const AROUND: &str = ".hw-paper { fill: var(--paper); }";
/// The words below a drawing, which are in no picture.
const BELOW: &str = ".hw-sum";
/// What a drawing that nobody can press does not need.
const IDLE: [&str; 4] = ["cursor", "pointer-events", "animation", "transition"];

impl Sheet<'_> {
    /// The text of a `style` element. All sizes follow `font`, in px.
    #[must_use]
    pub fn style(&self, theme: Theme, font: i32) -> String {
        let mut out = [".hw-picture{font-size:", &int(font.into()), "px}"].concat();
        let dark = matches!(theme, Theme::Dark);
        self.write(dark, &mut out);
        if theme == Theme::Auto {
            let mut night = String::new();
            self.write(true, &mut night);
            out.push_str(&["@media (prefers-color-scheme:dark){", &night, "}"].concat());
        }
        out
    }

    /// Rules of somebody else with each variable replaced by its value in the light colours.
    #[must_use]
    pub fn resolved(&self, rules: &str) -> String {
        resolve(rules, &self.variables(false), &Variables::new())
    }

    fn variables(&self, dark: bool) -> Variables {
        let root = rules(self.tokens).into_iter().find(|(of, _)| of == &[":root"]);
        let values = root.map(|(_, values)| values).unwrap_or_default();
        values.into_iter().map(|(name, value)| (name, scheme(&value, dark))).collect()
    }

    fn write(&self, dark: bool, out: &mut String) {
        let tokens = self.variables(dark);
        let all = rules(&[AROUND, self.marks].concat());
        // A class that sets variables of its own, such as a key's colours, holds for what is inside it.
        let mut local: Vec<(&[String], Variables)> = vec![(&[], Variables::new())];
        for (of, values) in &all {
            let own = values.iter().filter(|(name, _)| name.starts_with("--"));
            let own: Variables = own
                .map(|(name, value)| (name.clone(), resolve(value, &tokens, &Variables::new())))
                .collect();
            if !own.is_empty() {
                local.push((of, own));
            }
        }
        let in_drawing = |(of, _): &&Rule| !of.iter().any(|one| one.contains(BELOW));
        for (of, values) in all.iter().filter(in_drawing) {
            for (inside, own) in &local {
                let plain = inside.is_empty();
                let needs = |value: &str| own.keys().any(|name| mentions(value, name));
                let wanted = values
                    .iter()
                    .filter(|(name, value)| worth_it(name) && (plain || needs(value)))
                    .map(|(name, value)| (name, resolve(value, &tokens, own)));
                write_rule(of, inside, &wanted.collect::<Vec<_>>(), out);
            }
        }
    }
}

fn worth_it(name: &str) -> bool {
    !name.starts_with("--") && !IDLE.contains(&name)
}

fn mentions(value: &str, name: &str) -> bool {
    value.match_indices(name).any(|(at, _)| value[at + name.len()..].starts_with([',', ')']))
}

fn write_rule(of: &[String], inside: &[String], values: &[(&String, String)], out: &mut String) {
    if values.is_empty() {
        return;
    }
    let outer = inside.first().map_or(String::new(), |class| [class, " "].concat());
    let selectors: Vec<String> =
        of.iter().map(|one| [".hw-picture ", &outer, one].concat()).collect();
    let values: Vec<String> =
        values.iter().map(|(name, value)| [name, ":", value].concat()).collect();
    out.push_str(&[&selectors.join(","), "{", &values.join(";"), "}"].concat());
}

/// Rules of a sheet, in order; those inside `@media` and their like are left out.
fn rules(sheet: &str) -> Vec<Rule> {
    let sheet = without_comments(sheet);
    let mut rest = sheet.as_str();
    let mut found = Vec::new();
    while let Some((before, after)) = rest.split_once('{') {
        let end = end_of_block(after);
        let (body, next) = after.split_at(end);
        rest = next.strip_prefix('}').unwrap_or_default();
        let of = before.trim();
        if of.starts_with('@') {
            continue;
        }
        let values = body.split(';').filter_map(|one| one.split_once(':'));
        let values = values.map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()));
        found.push((selectors(of), values.collect()));
    }
    found
}

/// Where the block ends whose `{` has been read.
fn end_of_block(text: &str) -> usize {
    let mut depth = 0u32;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 0 => return at,
            b'}' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

fn without_comments(sheet: &str) -> String {
    let mut pieces = sheet.split("/*");
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |out, piece| out + piece.split_once("*/").map_or("", |(_, after)| after))
}

/// `a :is(.b, .c)` is `a .b` and `a .c`.
fn selectors(of: &str) -> Vec<String> {
    let spread = of.split_once(":is(").and_then(|(before, rest)| {
        let (names, after) = rest.split_once(')')?;
        Some(names.split(',').map(move |name| [before, name.trim(), after].concat()).collect())
    });
    spread.unwrap_or_else(|| of.split(',').map(|one| one.trim().to_owned()).collect())
}

/// The half of `light-dark(LIGHT, DARK)` that holds.
fn scheme(value: &str, dark: bool) -> String {
    let pair = value.strip_prefix("light-dark(").and_then(|rest| rest.strip_suffix(')'));
    let half = pair
        .and_then(|pair| pair.split_once(','))
        .map(|(day, night)| if dark { night } else { day });
    half.unwrap_or(value).trim().to_owned()
}

/// A value without variables, from the innermost one outwards; sizes follow the picture's font.
fn resolve(value: &str, tokens: &Variables, own: &Variables) -> String {
    let mut value = value.to_owned();
    // Two tokens that name each other would never end.
    for _ in 0..20 {
        let Some(at) = value.rfind("var(") else { break };
        let Some(length) = value[at..].find(')') else { break };
        let (name, fallback) = match value[at + 4..at + length].split_once(',') {
            Some((name, fallback)) => (name.trim(), fallback.trim()),
            None => (value[at + 4..at + length].trim(), "inherit"),
        };
        let known = own.get(name).or_else(|| tokens.get(name));
        let put = known.map_or(fallback, String::as_str).to_owned();
        value.replace_range(at..=at + length, &put);
    }
    value.replace("rem", "em")
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    const TOKENS: &str = ":root { /* a; b */ --ink: light-dark(#111, #eee); --key-a: light-dark(#a00, #faa);\n\
                          --small: 0.75rem; --line: 2px; }\n@media print { :root { --ink: Canvas; } }";
    const MARKS: &str = ".draw text { fill: var(--ink); font-size: var(--small); cursor: pointer; }\n\
                         .draw :is(.x, .y) { fill: var(--ink) }\n\
                         .a { --key: var(--key-a); }\n\
                         .mark { fill: var(--key, var(--ink)); stroke-width: var(--line); }\n\
                         @media (forced-colors: active) { .mark { fill: red; } }";

    fn style(theme: Theme) -> String {
        Sheet { tokens: TOKENS, marks: MARKS }.style(theme, 16)
    }

    /// Variables become values, in either theme; a class's own colour wins over the fallback inside it.
    #[test]
    fn values() {
        let light = style(Theme::Light);
        for rule in [
            ".hw-picture{font-size:16px}",
            ".hw-picture .draw text{fill:#111;font-size:0.75em}",
            ".hw-picture .draw .x,.hw-picture .draw .y{fill:#111}",
            ".hw-picture .mark{fill:#111;stroke-width:2px}.hw-picture .a .mark{fill:#a00}",
        ] {
            assert!(light.contains(rule), "{rule} in {light}");
        }
        assert!(style(Theme::Dark).contains(".hw-picture .mark{fill:#eee"));
        for word in ["var(", "light-dark", "@", "--", "red", "cursor"] {
            assert!(!light.contains(word), "{word} in {light}");
        }
    }

    /// As the reader's system has it: both, the dark one where it is dark.
    #[test]
    fn both_themes() {
        let both = style(Theme::Auto);
        let (day, night) = both.split_once("@media (prefers-color-scheme:dark){").expect("two");
        assert!(day.contains("#a00") && !day.contains("#faa"), "{day}");
        assert!(night.contains("#faa") && night.ends_with("}}"), "{night}");
    }

    /// What is no sheet at all does no harm.
    #[test]
    fn broken_sheets() {
        for marks in
            ["", "{", "}", "a{", "a{b", "a{fill:var(--x", "/*", "a:is({}", "a{fill:var(--a)}"]
        {
            let _ =
                Sheet { tokens: ":root{--a:var(--b);--b:var(--a)}", marks }.style(Theme::Auto, 16);
        }
    }
}
