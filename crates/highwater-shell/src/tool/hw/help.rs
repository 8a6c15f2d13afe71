//! `hw help`: a short table of all that can be done, by groups; `hw help NAME`: everything about one.

use highwater_core::world::process::Fd;

use super::{FAULT_FORMS, FORMS, GROUP_FORMS, HAZARD_FORMS, PARTITION_FORMS, forms};
use crate::process::Out;
use crate::tool::{Ended, catalogue, refuse};

/// Forms with a heading.
type Group = (&'static str, &'static [(&'static str, &'static str)]);

const GROUPS: [Group; 5] = [
    ("Records:", FORMS),
    ("Where records go:", PARTITION_FORMS),
    ("Groups:", GROUP_FORMS),
    ("What can break, and be mended:", FAULT_FORMS),
    ("What went wrong:", HAZARD_FORMS),
];

/// Prints the table, or what there is about these names.
pub(super) fn print(names: &[Vec<u8>], out: &mut Out<'_>) -> Ended {
    if names.is_empty() {
        out.write(Fd::Stdout, table());
        return Ended(0);
    }
    for name in names {
        let name = String::from_utf8_lossy(name);
        let text = about(&name);
        if text.is_empty() {
            return refuse(format_args!("hw: there is no `{name}`; `hw help` lists all"), 2, out);
        }
        out.write(Fd::Stdout, text);
    }
    Ended(0)
}

/// One line for each form and tool.
fn table() -> String {
    let mut text = String::from(
        "What no tool of Kafka can do; `hw help NAME` tells all about one, such as `hw help crash`.\n",
    );
    for (heading, forms) in GROUPS {
        push(&mut text, &[heading]);
        for (usage, about) in forms {
            push(&mut text, &["  ", &short(usage, " [", " ..."), " - ", first_clause(about)]);
        }
    }
    push(&mut text, &["Kafka's tools:"]);
    let is_tool = |name: &str| name.ends_with(".sh");
    let all = catalogue::commands();
    for tool in all.iter().filter(|known| is_tool(known.name)) {
        push(&mut text, &["  ", tool.name, " - ", first_clause(tool.about)]);
    }
    push(&mut text, &["Of the shell:"]);
    let mut line = String::new();
    for command in all.iter().filter(|known| !is_tool(known.name) && known.name != "hw") {
        line.push_str(if line.is_empty() { "  " } else { ", " });
        line.push_str(command.name);
    }
    push(&mut text, &[&line]);
    text
}

fn push(text: &mut String, parts: &[&str]) {
    for part in parts {
        text.push_str(part);
    }
    text.push('\n');
}

/// What stands before a mark, with a sign that there is more.
fn short(text: &str, mark: &str, more: &str) -> String {
    match text.split_once(mark) {
        Some((head, _)) => [head, more].concat(),
        None => text.to_owned(),
    }
}

fn first_clause(about: &str) -> &str {
    about.split([',', ';', ':', '(']).next().unwrap_or_default().trim_end()
}

/// Everything about the forms of `hw`, or the commands, of a name.
fn about(name: &str) -> String {
    let mut text = String::new();
    for (usage, about) in forms().filter(|(usage, _)| usage.split(' ').nth(1) == Some(name)) {
        push(&mut text, &[usage]);
        push(&mut text, &["    ", about]);
    }
    for command in catalogue::commands().iter().filter(|known| known.name == name) {
        push(&mut text, &[command.name, " ", command.usage]);
        push(&mut text, &["    ", command.about]);
    }
    text
}
