//! What a practitioner watches in the Lab: groups and lag, messages on their way, hazards, guarantees, totals.

use serde_json::json;

use crate::lab_desk::{Desk, at};

const TOPIC: &str = "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic t --replica-assignment 1:2:3,2:3:1";
const RECORDS: &str =
    "seq 1 8 | kafka-console-producer.sh --bootstrap-server localhost:9092 --topic t";

/// The rows of a table, their cells by `|`.
fn rows(desk: &Desk<'_>, table: &str) -> Vec<String> {
    let script = format!(
        "return [...document.querySelectorAll(\"{table} tbody tr\")]\
         .map(row => [...row.cells].map(cell => cell.textContent.trim()).join('|'))"
    );
    desk.texts_of(&script)
}

/// Groups with their members, and for each partition position, committed, end and lag.
#[test]
fn groups_and_lag() {
    for width in [1280, 320] {
        at(width, |desk| {
            desk.line(TOPIC);
            desk.press("view:groups");
            assert!(desk.exists(".lab-empty"), "no group, and it says so");
            desk.line(
                "kafka-console-consumer.sh --bootstrap-server localhost:9092 --topic t --group billing --from-beginning --timeout-ms 9000",
            );
            // It ends before the records come.
            desk.line("sleep 12");
            desk.line(RECORDS);
            let behind = rows(desk, ".lab-group[aria-label*='billing'] .lab-table");
            assert_eq!(behind.len(), 2, "{behind:?}");
            let lags: Vec<u64> = desk
                .texts_of("return [...document.querySelectorAll('.lab-group .lab-lag-cell')].map(it => it.textContent)")
                .iter()
                .filter_map(|lag| lag.split(' ').next()?.parse().ok())
                .collect();
            assert_eq!(lags.iter().sum::<u64>(), 8, "{behind:?}");
            desk.line("hw work --group billing --topic t --time 10");
            let table = rows(desk, ".lab-group[aria-label*='billing'] .lab-table");
            assert!(desk.exists("[data-do^='ask:member:']"), "the member has its name: {table:?}");
            assert!(
                desk.text(".lab-group-about").contains('1'),
                "{}",
                desk.text(".lab-group-about")
            );
            desk.shot(&format!("groups-{width}"));
        });
    }
}

/// A consumer that gets no partition is seen, with what it waits for, and can be asked about; one partition more, and it
/// has its part.
#[test]
fn a_fourth_consumer_of_three_partitions() {
    for width in [1280, 320] {
        at(width, |desk| {
            desk.line("kafka-topics.sh --bootstrap-server localhost:9092 --create --topic t --partitions 3 --replication-factor 3");
            for _ in 0..4 {
                desk.line("hw work --group billing --topic t --from-beginning");
            }
            desk.press("view:groups");
            let table = ".lab-group[aria-label*='billing'] .lab-table";
            let found = rows(desk, table);
            assert_eq!(found.len(), 4, "{found:?}");
            let idle = found.iter().find(|row| row.starts_with("none|")).expect("it is seen");
            assert!(idle.contains("other members have all 3"), "{idle}");
            desk.fits();
            desk.js("document.querySelector('.lab-groups').scrollIntoView({ block: 'center' })");
            desk.shot(&format!("groups-idle-{width}"));
            let name = idle.split('|').nth(1).unwrap_or_default().to_owned();
            let script = "return [...document.querySelectorAll('.lab-group .lab-thing')]\
                          .find(it => it.textContent === arguments[0]).dataset.do";
            let does = desk.js_with(script, &[json!(name)]);
            desk.press(does.as_str().unwrap_or_default());
            let said = desk.text(".lab-asked");
            assert!(
                said.contains(&name) && said.contains("It waits until one of them leaves"),
                "{said}"
            );
            desk.line("kafka-topics.sh --bootstrap-server localhost:9092 --alter --topic t --partitions 4");
            for _ in 0..3 {
                desk.line("sleep 110");
            }
            let found = rows(desk, table);
            assert!(
                found.len() == 4 && !found.iter().any(|row| row.starts_with("none|")),
                "{found:?}"
            );
        });
    }
}

/// Messages on their way: a mark and a line of the list each, with when it is due.
#[test]
fn messages() {
    at(1280, |desk| {
        desk.line(TOPIC);
        desk.press("view:flight");
        desk.fill("[data-do=detail]", "yes");
        let mut most = 0;
        for _ in 0..16 {
            desk.press("back");
            let (marks, list) = (desk.count(".lab-net circle"), desk.count(".lab-message"));
            assert_eq!(marks, list, "a mark for each");
            most = most.max(list);
        }
        assert!(most > 0, "nothing was ever on its way");
        assert_eq!(desk.count(".lab-net [data-do^='ask:broker:']"), 3);
        desk.shot("flight-1280");
    });
}

/// What an unclean election has lost is counted, told, and leads to the moment and to the record.
#[test]
fn hazards() {
    for width in [1280, 320] {
        at(width, |desk| {
            desk.open("start=unclean-loss");
            assert!(!desk.exists(".lab-hazards"), "nothing is lost yet");
            let (mut here, count) = desk.step();
            while here < count {
                desk.press("forward");
                here += 1;
                assert_eq!(desk.step(), (here, count));
            }
            assert!(desk.text(".lab-hazards").starts_with("2 "), "{}", desk.text(".lab-hazards"));
            desk.press(".lab-last > summary");
            let moment = desk.attribute(".lab-last [data-do^='event:']", "data-do");
            desk.press(&moment);
            assert!(desk.step().0 < count);
            assert!(desk.exists(".lab-hazards"), "it is lost by then");
            desk.press(".lab-last [data-do^='ask:record:']");
            let title = desk.text(".ask-title");
            assert!(title.starts_with("parcel-events-0, offset 2"), "{title}");
            desk.press("let-go");
            desk.press("check");
            assert!(desk.exists(".lab-checked"));
            assert_eq!(
                desk.count(".lab-checked li"),
                0,
                "a loss that Kafka allows breaks no guarantee"
            );
            assert_ne!(desk.status(), "");
            desk.shot(&format!("hazards-{width}"));
            desk.press("forward");
            assert!(!desk.exists(".lab-checked"), "what was checked was another moment");
        });
    }
}

/// The totals over time: four lines, with the numbers of the moment.
#[test]
fn totals() {
    at(1280, |desk| {
        let values = || {
            desk.texts_of("return [...document.querySelectorAll('.lab-chart .lab-value')].map(it => it.textContent)")
        };
        assert_eq!(values(), ["0", "0", "0", "0"]);
        desk.line(TOPIC);
        desk.line(RECORDS);
        assert_eq!(values(), ["8", "0", "0", "0"]);
        let path = desk.attribute(".lab-chart .lab-path", "d");
        desk.line(
            "kafka-console-consumer.sh --bootstrap-server localhost:9092 --topic t --group g --from-beginning --timeout-ms 9000",
        );
        assert_eq!(values(), ["8", "8", "0", "0"]);
        // The reader has its nine seconds first.
        desk.line("sleep 10");
        desk.to_the_end();
        desk.line("hw crash 3; sleep 20");
        while desk.step().1 < 40 && values()[3] == "0" {
            desk.press("forward");
            if desk.say().contains("Nothing more") {
                break;
            }
        }
        assert_eq!(values()[3], "2", "both partitions lack a replica");
        assert_ne!(desk.attribute(".lab-chart .lab-path", "d"), path);
        assert_eq!(desk.count(".lab-chart tbody tr"), 4);
        desk.focus(".track-input");
        desk.keys(crate::page::key::HOME);
        assert_eq!(values(), ["0", "0", "0", "0"], "the numbers are those of the moment");
    });
}

/// A topic, a partition and a replica tell what an operator asks for: leader, ISR, high watermark, log end, epoch.
#[test]
fn partitions_tell_their_state() {
    at(1280, |desk| {
        desk.line(TOPIC);
        desk.line(RECORDS);
        desk.press("view:replicas");
        desk.press("ask:replica:t-0@2");
        let facts = desk.texts_of(
            "return [...document.querySelectorAll('.ask-fact')].map(fact => fact.textContent)",
        );
        for fact in ["high watermark", "log end"] {
            assert!(
                facts.iter().any(|known| known.to_lowercase().contains(fact)),
                "{fact}: {facts:#?}"
            );
        }
        let link = desk.all_deeds().into_iter().find(|does| does == "ask:partition:t-0");
        desk.press(&link.expect("a replica leads to its partition"));
        let text = desk.text(".ask").to_lowercase();
        for fact in ["leader", "isr", "epoch"] {
            assert!(text.contains(fact), "{fact}: {text}");
        }
    });
}
