//! The view of groups: every member is seen, also one that reads nothing.

use highwater_lab::Heard;
use highwater_scene::node::{Element, Node};

use crate::Reader;
use crate::reader::walk;

const TOPIC: &str = "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic t \
                     --replica-assignment 1:2:3,2:3:1,3:1:2";
const WORK: &str = "hw work --group orders --topic t --from-beginning";

/// The rows of all groups, cells by `|`.
fn rows(reader: &mut Reader) -> Vec<String> {
    let mut rows = Vec::new();
    let cells = |row: &Element| {
        let cells = row.children.iter().map(Node::text_content);
        cells.collect::<Vec<String>>().join("|")
    };
    walk(&reader.lab.view(), &mut |element| {
        if element.tag == "section" && element.get("class") == Some("lab-group") {
            walk(&Node::Element(element.clone()), &mut |row| {
                if row.tag == "tr" {
                    rows.push(cells(row));
                }
            });
        }
    });
    rows
}

fn idle(reader: &mut Reader) -> Vec<String> {
    rows(reader).into_iter().filter(|row| row.starts_with("none|")).collect()
}

/// Four consumers of three partitions.
fn four() -> Reader {
    let mut reader = Reader::new();
    for line in [TOPIC, "hw produce --topic t --count 6", WORK, WORK, WORK, WORK] {
        reader.types(line);
    }
    reader.press("view:groups");
    reader
}

#[test]
fn a_fourth_consumer_of_three_partitions_idles() {
    let mut reader = four();
    let found = rows(&mut reader);
    assert_eq!(found.len(), 1 + 3 + 1, "a head, three partitions, one member without: {found:?}");
    let waits =
        "other members have all 3. It waits until one of them leaves or partitions are added.";
    let without = idle(&mut reader);
    assert!(without.len() == 1 && without[0].contains(waits), "{without:?}");
    let name = without[0].split('|').nth(1).unwrap_or_default().to_owned();
    assert!(name.starts_with("worker"), "{name}");
    // It can be asked about, and says the same there.
    let member = reader.lab.run().snapshot();
    let members = &member.cluster.get().expect("a cluster").members;
    let id = members.iter().find(|member| member.reader == name).expect("a member").member.clone();
    reader.press(&format!("ask:member:orders/{id}"));
    assert!(reader.text().matches(waits).count() >= 2, "in the panel, too");
    // One partition more, and it has its part.
    reader.types(
        "kafka-topics.sh --bootstrap-server localhost:9092 --alter --topic t --partitions 4",
    );
    assert!(idle(&mut reader)[0].contains("have 3 of 4"), "they have not heard of it yet");
    for _ in 0..4 {
        reader.types("sleep 100");
    }
    assert!(idle(&mut reader).is_empty(), "{:?}", idle(&mut reader));
}

#[test]
fn a_member_that_waits_for_its_generation_is_seen() {
    let mut reader = Reader::new();
    for line in [TOPIC, WORK] {
        reader.types(line);
    }
    reader.press("view:groups");
    let mut seen = Vec::new();
    while reader.lab.run().position() > 0 {
        seen.extend(idle(&mut reader));
        reader.hears(Heard::Press("back".to_owned()));
    }
    reader.hears(Heard::Value { does: "detail".to_owned(), value: "yes".to_owned() });
    for _ in 0..400 {
        reader.hears(Heard::Press("forward".to_owned()));
        seen.extend(idle(&mut reader));
    }
    let joins = "waits until the group's next generation begins";
    assert!(seen.iter().any(|row| row.contains(joins)), "{seen:?}");
}

#[test]
fn a_member_of_a_topic_that_does_not_exist_waits_for_it() {
    let mut reader = Reader::new();
    reader.types(
        "kafka-console-consumer.sh --bootstrap-server localhost:9092 --topic absent --group orders \
         --command-property allow.auto.create.topics=false",
    );
    reader.press("view:groups");
    let without = idle(&mut reader);
    assert!(
        without.iter().any(|row| row.contains("no topic that it reads exists")),
        "{:?}",
        rows(&mut reader)
    );
}

#[test]
fn a_member_that_was_killed_is_seen_until_its_session_ends() {
    let mut reader = four();
    let snapshot = reader.lab.run().snapshot();
    let process = snapshot.cluster.get().expect("a cluster").reader_processes[0].1;
    reader.types(&format!("kill -9 {process}"));
    let without = idle(&mut reader);
    assert_eq!(without.len(), 2, "the idle one and the dead one: {without:?}");
    assert!(without[1].contains("until its session is over"), "{without:?}");
    reader.types("sleep 60");
    let without = idle(&mut reader);
    assert!(without.is_empty(), "the fourth has the partitions now: {:?}", rows(&mut reader));
}

/// A broker that coordinated a group and was cut off still has it: it comes once, where it is coordinated.
#[test]
fn a_group_is_shown_once() {
    let mut reader = four();
    reader.types(
        "kafka-topics.sh --bootstrap-server localhost:9092 --describe --topic __consumer_offsets",
    );
    let leader = coordinator(&mut reader);
    reader.types(&format!("hw cut {leader}"));
    reader.types("sleep 30");
    let text = reader.text();
    assert_eq!(text.matches("coordinator: broker").count(), 1, "{text}");
}

fn coordinator(reader: &mut Reader) -> String {
    let text = reader.text();
    let behind = text.split("coordinator: broker ").nth(1).expect("a coordinator");
    behind.chars().take_while(char::is_ascii_digit).collect()
}
