//! Whole panels, as they were looked at, and their markup.

use std::path::Path;

use highwater_scene::ask::panel::answer_panel;
use highwater_scene::ask::text;
use highwater_scene::node::{Node, to_string};
use highwater_scene::thing::Thing;

use crate::{Asked, fact, is_append};

/// Compares a text with a file; with `UPDATE_EXPECT` it writes the file.
fn is_golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/ask").join(name);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, text).expect("it can be written");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, expected, "{name}; UPDATE_EXPECT=1 writes it");
}

/// A cluster with a slow follower, a broker that has crashed, a group that lags, and a record that waits.
fn cluster() -> Asked {
    let mut asked = Asked::after(&[
        "kafka-topics.sh S --create --topic parcel-events --replica-assignment 3:1:2 \
         --config min.insync.replicas=2",
        "echo locker-7:DROPPED | kafka-console-producer.sh S --topic parcel-events --property parse.key=true \
         --property key.separator=:",
        "kafka-console-consumer.sh S --topic parcel-events --group billing --from-beginning > seen &",
        "sleep 12",
        "hw crash 2",
        "sleep 12",
        "hw slow --disk 1 3000",
    ]);
    asked.until("hw produce --topic parcel-events --key locker-9 --value CODE_SENT", &is_append);
    asked
}

/// Each kind of thing, as text.
#[test]
fn panels_as_they_were_looked_at() {
    let asked = cluster();
    let member = asked
        .answer("group:billing")
        .facts
        .into_iter()
        .find_map(|fact| fact.thing.filter(|thing| thing.text().starts_with("member:")));
    let snapshot = asked.snapshot();
    let message = &snapshot.cluster.get().expect("a cluster").in_flight[0];
    for (name, thing) in [
        ("record.txt", "record:parcel-events-0:1".to_owned()),
        ("tide.txt", "tide:parcel-events-0".to_owned()),
        ("partition.txt", "partition:parcel-events-0".to_owned()),
        ("replica.txt", "replica:parcel-events-0@2".to_owned()),
        ("broker.txt", "broker:2".to_owned()),
        ("group.txt", "group:billing".to_owned()),
        ("member.txt", member.expect("a member").text()),
        ("request.txt", format!("request:{}", message.id)),
        ("topic.txt", "topic:parcel-events".to_owned()),
        ("controller.txt", "controller".to_owned()),
        ("reader.txt", "reader:console-consumer".to_owned()),
    ] {
        let answer = asked.answer(&thing);
        is_golden(name, &text::render(&answer, &asked.chain(&answer)));
    }
}

/// All elements of a tree.
fn elements<'a>(node: &'a Node, out: &mut Vec<&'a highwater_scene::node::Element>) {
    out.extend(node.as_element());
    node.children().iter().for_each(|child| elements(child, out));
}

/// The markup of one panel is looked at, and in all of them everything has a name and a place to go.
#[test]
fn markup() {
    let asked = cluster();
    for (name, thing) in [
        ("record.html", "record:parcel-events-0:1"),
        ("broker.html", "broker:2"),
        ("controller.html", "controller"),
    ] {
        let answer = asked.answer(thing);
        let panel = answer_panel(&answer, &asked.chain(&answer), true);
        let html = to_string(&panel);
        is_golden(name, &(html.replace("><", ">\n<") + "\n"));
        assert!(!html.contains("style="), "{html}");
        let mut all = Vec::new();
        elements(&panel, &mut all);
        for element in &all {
            let named = element.get("aria-label").is_some() || !element.children.is_empty();
            assert!(element.tag != "button" || named, "{element:?}");
            let kind = element.get("type").unwrap_or_default();
            assert!(element.tag != "button" || !kind.is_empty(), "{element:?}");
        }
        let count = |tag: &str| all.iter().filter(|element| element.tag == tag).count();
        let editable = answer.settings.iter().filter(|setting| setting.editable.is_some()).count();
        assert_eq!((count("h2"), count("dl"), count("form")), (1, 1, editable));
        assert_eq!(count("dt"), answer.facts.len());
        assert_eq!(count("tbody") + answer.settings.len(), count("tr"));
        // What is not live has nothing to press.
        let still = answer_panel(&answer, &asked.chain(&answer), false);
        let mut quiet = Vec::new();
        elements(&still, &mut quiet);
        assert!(quiet.iter().all(|element| !["button", "form", "input"].contains(&element.tag)));
    }
}

/// Steps of detail are folded between those of the story, and all steps are there.
#[test]
fn reasons_are_folded() {
    let asked = cluster();
    let answer = asked.answer("record:parcel-events-0:1");
    let chain = asked.chain(&answer);
    assert!(chain.iter().any(|reason| !reason.is_story) && chain.len() > 4, "{chain:?}");
    let html = to_string(&answer_panel(&answer, &chain, true));
    for reason in &chain {
        assert!(html.contains(&format!("data-do=\"event:{}\"", reason.event)), "{reason:?}");
    }
    let (folded, seen): (String, String) = {
        let mut parts = html.split("<details>");
        let before = parts.next().unwrap_or_default().to_owned();
        let pairs: Vec<(&str, &str)> =
            parts.filter_map(|part| part.split_once("</details>")).collect();
        let inside = pairs.iter().map(|(inside, _)| *inside).collect();
        (inside, before + &pairs.iter().map(|(_, after)| *after).collect::<String>())
    };
    for reason in &chain {
        let place = format!("event:{}\"", reason.event);
        assert!(if reason.is_story { &seen } else { &folded }.contains(&place), "{reason:?}");
    }
    assert!(html.contains("more steps in between"), "{html}");
    // Without any reason there is a sentence.
    let none = to_string(&answer_panel(&answer, &[], true));
    assert!(none.contains("It has been so since the cluster began"), "{none}");
}

/// Names that people typed stay text, and lead to what they name.
#[test]
fn hostile_text() {
    let asked = Asked::after(&[
        "kafka-topics.sh S --create --topic t --partitions 1",
        "kafka-console-consumer.sh S --topic t --group 'a/b:%2F<\"@1-0' --from-beginning > seen &",
        "sleep 9",
        "hw produce --topic t --key '<b>&\"k' --value '\"><script>x</script>'",
    ]);
    let answer = asked.answer("record:t-0:0");
    let html = to_string(&answer_panel(&answer, &asked.chain(&answer), true));
    assert!(!html.contains("<script") && !html.contains("<b>"), "{html}");
    assert!(html.contains("&lt;b&gt;&amp;&quot;k"), "{html}");
    let name = "a/b:%2F<\"@1-0";
    let group = Thing::Group(name.to_owned()).text();
    let answer = asked.answer(&group);
    assert_eq!(answer.title, format!("group {name}: Stable"));
    let html = to_string(&answer_panel(&answer, &asked.chain(&answer), true));
    let member = answer.facts.iter().find_map(|fact| {
        fact.thing.as_ref().map(Thing::text).filter(|thing| thing.starts_with("member:"))
    });
    let member = member.expect("a member");
    assert!(member.starts_with("member:a%2Fb:%252F<\"@1-0/"), "{member}");
    assert!(html.contains(&member.replace('<', "&lt;").replace('"', "&quot;")), "{html}");
    assert_eq!(fact(&asked.answer(&member), "group"), name);
}
