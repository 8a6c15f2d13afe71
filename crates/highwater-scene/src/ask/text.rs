//! The panel as plain text, for terminals and tests: the same words in the same order.

use super::Answer;
use crate::why::Reason;
use crate::words::ask::panel as words;

/// The text. `chain`: the reasons of [`Answer::because`], oldest first.
#[must_use]
pub fn render(answer: &Answer, chain: &[Reason]) -> String {
    let mut out = answer.title.clone() + "\n";
    for sentence in &answer.says {
        out += &format!("  {}\n", sentence.text);
    }
    for fact in &answer.facts {
        out += &format!("  {}: {}\n", fact.name, fact.value);
    }
    out += &format!("{}\n", words::WHY);
    if chain.is_empty() {
        out += &format!("  {}\n", words::NO_REASON);
    }
    for reason in chain {
        let mark = if reason.is_story { "*" } else { "." };
        out += &format!("  {mark} {}: {}\n", reason.at, reason.sentence);
    }
    if !answer.settings.is_empty() {
        out += &format!("{}\n", words::settings(answer.settings.len()));
    }
    for setting in &answer.settings {
        let fixed = if setting.editable.is_some() { "" } else { words::FIXED_NOTE };
        out += &format!(
            "  {} = {} ({}, {} {}){fixed}\n",
            setting.key,
            setting.value,
            setting.source,
            words::columns()[2],
            setting.default
        );
    }
    out
}
