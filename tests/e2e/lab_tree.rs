//! The Lab as a screen reader has it, at five named moments: roles, names and levels are those of the files in
//! `golden`. `HIGHWATER_BLESS=1` before a run of these tests writes them anew; then read what has changed.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::lab_desk::{Desk, at};

/// Roles that hold others and say nothing themselves, and text that its parent has as its name.
const SILENT: [&str; 6] =
    ["none", "generic", "InlineTextBox", "ListMarker", "LineBreak", "RootWebArea"];

/// The tree below an element of the page, a line for each node.
struct Tree {
    nodes: BTreeMap<String, Value>,
    lines: Vec<String>,
}

impl Tree {
    fn of(desk: &Desk<'_>) -> Self {
        desk.browser.cdp("Accessibility.enable", &json!({}));
        let tree = desk.browser.cdp("Accessibility.getFullAXTree", &json!({}));
        desk.browser.cdp("Accessibility.disable", &json!({}));
        let mut nodes = BTreeMap::new();
        let mut root = None;
        for node in tree["nodes"].as_array().cloned().unwrap_or_default() {
            let id = node["nodeId"].as_str().unwrap_or_default().to_owned();
            if node["parentId"].is_null() && root.is_none() {
                root = Some(id.clone());
            }
            nodes.insert(id, node);
        }
        let mut tree = Self { nodes, lines: Vec::new() };
        tree.walk(&root.unwrap_or_default(), 0, "");
        tree
    }

    fn walk(&mut self, id: &str, depth: usize, around: &str) {
        let Some(node) = self.nodes.get(id).cloned() else { return };
        let role = node["role"]["value"].as_str().unwrap_or_default();
        let name = node["name"]["value"].as_str().unwrap_or_default();
        let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_told = role == "StaticText" && (name.is_empty() || around.contains(&name));
        let silent = node["ignored"] == true || SILENT.contains(&role) || is_told;
        let (mut below, mut heard) = (depth, around.to_owned());
        if !silent {
            self.lines.push(format!("{}{}", "  ".repeat(depth), line(&node, role, &name)));
            below += 1;
            heard = name;
        }
        if role == "StaticText" {
            return;
        }
        for child in node["childIds"].as_array().cloned().unwrap_or_default() {
            self.walk(child.as_str().unwrap_or_default(), below, &heard);
        }
    }
}

/// Role, name, level and state of a node.
fn line(node: &Value, role: &str, name: &str) -> String {
    let mut line = role.to_owned();
    if !name.is_empty() {
        line.push_str(&format!(" {name:?}"));
    }
    for property in node["properties"].as_array().cloned().unwrap_or_default() {
        let value = &property["value"]["value"];
        let told = match property["name"].as_str().unwrap_or_default() {
            "level" => format!("level {value}"),
            "pressed" | "expanded" | "checked" => {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                format!("{} {value}", property["name"].as_str().unwrap_or_default())
            }
            "disabled" if value == true => "disabled".to_owned(),
            _ => continue,
        };
        line.push_str(&format!(" ({told})"));
    }
    line
}

/// Compares the tree with its file, or writes the file.
#[track_caller]
fn as_golden(desk: &Desk<'_>, moment: &str) {
    let text = Tree::of(desk).lines.join("\n") + "\n";
    let path =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("e2e/golden/ax-{moment}.txt"));
    if std::env::var_os("HIGHWATER_BLESS").is_some() {
        fs::create_dir_all(path.parent().expect("a folder")).expect("the folder can be made");
        fs::write(&path, &text).expect("the file can be written");
    }
    let golden = fs::read_to_string(&path).unwrap_or_default();
    let (old, new): (Vec<&str>, Vec<&str>) = (golden.lines().collect(), text.lines().collect());
    let gone: Vec<&&str> = old.iter().filter(|line| !new.contains(line)).collect();
    let come: Vec<&&str> = new.iter().filter(|line| !old.contains(line)).collect();
    assert!(
        golden == text,
        "{moment}: the tree is not that of {} (see the head of lab_tree.rs); gone: {gone:#?} come: {come:#?}",
        path.display()
    );
}

const TOPIC: &str = "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic parcel-events --replica-assignment 1:2:3,2:3:1";
const RECORDS: &str = "printf 'locker-1:PARCEL_DROPPED\\nlocker-7:CODE_SENT\\n' | kafka-console-producer.sh \
    --bootstrap-server localhost:9092 --topic parcel-events --reader-property parse.key=true --reader-property key.separator=:";

/// As it opens.
#[test]
fn opening() {
    at(1280, |desk| as_golden(desk, "opening"));
}

/// Records with a reader, and the form that sends one more.
#[test]
fn sending() {
    at(1280, |desk| {
        desk.line(TOPIC);
        desk.line(RECORDS);
        desk.press("form:send");
        as_golden(desk, "sending");
    });
}

/// Why a record is there.
#[test]
fn asking() {
    at(1280, |desk| {
        desk.line(TOPIC);
        desk.line(RECORDS);
        let cell = desk.attribute(".lab-draw .hw-cell", "data-do");
        desk.press(&cell);
        as_golden(desk, "asking");
    });
}

/// The replicas, with a broker that is down.
#[test]
fn broken() {
    at(1280, |desk| {
        desk.line(TOPIC);
        desk.line(RECORDS);
        desk.press("view:replicas");
        desk.line("hw crash 2; sleep 12");
        as_golden(desk, "broken");
    });
}

/// Groups, while two futures are compared.
#[test]
fn comparing() {
    at(1280, |desk| {
        desk.line(TOPIC);
        desk.line(RECORDS);
        desk.line(
            "hw work --group billing --topic parcel-events --from-beginning --as anna & sleep 5",
        );
        desk.press("view:groups");
        desk.press("fork");
        desk.line("hw crash 1; sleep 12");
        desk.press("compare");
        as_golden(desk, "comparing");
    });
}
