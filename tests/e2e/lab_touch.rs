//! Everything in the Lab can be touched, by mouse at a desk and by finger on a phone, and each deed stands in the
//! terminal as the command that does it.

use crate::lab_desk::{Desk, at};

/// A topic with a replica of each partition on each broker.
const TOPIC: &str = "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic t --replica-assignment 1:2:3,2:3:1";

/// What was pressed stands in the terminal as this.
#[track_caller]
fn did(desk: &Desk<'_>, command: &str) {
    assert_eq!(desk.last_command(), command);
    assert!(desk.exists(".lab-terminal .tty-touched"), "it was pressed, not typed");
    let output = desk.screen();
    assert!(!output.contains("command not found"), "{output}");
    desk.fits();
}

/// Both ways of pressing.
#[track_caller]
fn everywhere(test: impl Fn(&Desk<'_>)) {
    at(1280, |desk| test(desk));
    at(320, |desk| test(desk));
}

/// A topic is made, records are sent, readers and members start, and partitions are added.
#[test]
fn records_and_readers() {
    everywhere(|desk| {
        desk.form("topic", &[("topic", "t"), ("partitions", "2"), ("factor", "3"), ("min", "1")]);
        did(
            desk,
            "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic t --partitions 2 --replication-factor 3",
        );
        let send =
            [("key", "locker-3"), ("value", "PARCEL_DROPPED"), ("client", "sarama"), ("acks", "1")];
        desk.form("send", &send);
        did(
            desk,
            "hw produce --topic t --key locker-3 --value PARCEL_DROPPED --client sarama --acks 1",
        );
        assert_eq!(desk.count(".lab-draw [data-cell]"), 1);
        desk.form("send", &[("key", ""), ("partition", "1"), ("count", "3")]);
        did(desk, "hw produce --topic t --value CODE_SENT --partition 1 --count 3");
        desk.form("read", &[("group", "billing"), ("beginning", "yes")]);
        let read = desk.last_command();
        assert!(
            read.starts_with("kafka-console-consumer.sh --bootstrap-server localhost:9092 --topic t --group billing"),
            "{read}"
        );
        assert!(desk.exists(".lab-busy"), "it reads on");
        desk.form("work", &[("group", "work"), ("time", "100")]);
        did(desk, "hw work --group work --topic t --time 100 --from-beginning");
        desk.form("work", &[("group", "work"), ("time", "100")]);
        assert_eq!(desk.count(".lab-tabs [data-do^='tab:']"), 3, "a terminal each");
        desk.press("view:groups");
        let members = desk.texts_of(
            "return [...document.querySelectorAll('.lab-group')].map(group => group.getAttribute('aria-label')\
             + ' ' + new Set([...group.querySelectorAll('[data-do^=\"ask:member\"]')].map(it => it.dataset.do)).size)",
        );
        assert_eq!(members.len(), 2, "{members:?}");
        assert!(
            members.iter().any(|group| group.ends_with(" 2")),
            "two members share one group: {members:?}"
        );
        desk.form("partitions", &[("partitions", "3")]);
        did(
            desk,
            "kafka-topics.sh --bootstrap-server localhost:9092 --alter --topic t --partitions 3",
        );
    });
}

/// A broker crashes, starts, stops, loses its power, freezes and thaws, each by its own button.
#[test]
fn brokers() {
    everywhere(|desk| {
        desk.line(TOPIC);
        desk.press("view:replicas");
        desk.press("ask:broker:2");
        for (deed, state) in [
            ("hw crash 2", "down"),
            ("hw start 2", ""),
            ("hw stop 2", "down"),
            ("hw start 2", ""),
            ("hw crash 2 --power-loss", "down"),
            ("hw start 2", ""),
            ("hw pause 2", "paused"),
            ("hw resume 2", ""),
        ] {
            desk.press(&format!("type:{deed}"));
            did(desk, deed);
            let shown = desk.text(".lab-draw [data-broker='2']");
            assert!(shown.contains(state), "after {deed} the figure says {shown:?}");
        }
        desk.press("ask:replica:t-0@3");
        desk.press("type:hw crash 3");
        did(desk, "hw crash 3");
    });
}

/// The network and a disk: cut, slow, mended, each link by its ends.
#[test]
fn links_and_disks() {
    everywhere(|desk| {
        desk.line(TOPIC);
        desk.form("link", &[("what", "cut"), ("from", "1"), ("to", "2")]);
        did(desk, "hw cut 1 2");
        desk.form(
            "link",
            &[("what", "slow"), ("from", "clients"), ("to", "3"), ("ms", "40"), ("oneway", "yes")],
        );
        did(desk, "hw slow clients 3 40 --one-way");
        desk.press("view:flight");
        assert_eq!(desk.count(".lab-rule"), 3, "both ways of the cut, and the slow one");
        desk.press("type:hw heal 1 2 --one-way");
        did(desk, "hw heal 1 2 --one-way");
        assert_eq!(desk.count(".lab-rule"), 2);
        desk.form("link", &[("what", "heal-all")]);
        did(desk, "hw heal");
        assert_eq!(desk.count(".lab-rule"), 0);
        desk.form("disk", &[("broker", "3"), ("ms", "250")]);
        did(desk, "hw slow --disk 3 250");
        desk.form("disk", &[("broker", "3"), ("ms", "0")]);
        did(desk, "hw heal --disk 3");
    });
}

/// A message that is on its way is lost, and its sender goes on without an answer.
#[test]
fn a_message_is_dropped() {
    everywhere(|desk| {
        desk.line(TOPIC);
        desk.form("send", &[]);
        desk.press("view:flight");
        desk.press("back");
        desk.press("back");
        desk.fill("[data-do=detail]", "yes");
        for _ in 0..20 {
            if desk.exists(".lab-message") {
                break;
            }
            desk.press("back");
        }
        let what = desk.text(".lab-message .lab-thing");
        let does = desk.attribute(".lab-message .btn", "data-do");
        let dropped = does.strip_prefix("type:").unwrap_or_else(|| panic!("{does:?} for {what:?}"));
        assert!(dropped.starts_with("hw drop "), "{dropped}");
        desk.press(&does);
        did(desk, dropped);
        assert!(!desk.offers(&does), "it is still on its way: {what}");
        assert!(desk.exists(".track-marks .lab-other"), "what would have come is another future");
    });
}

/// Topics, settings, records and leaders are changed where they are explained.
#[test]
fn topics_and_settings() {
    everywhere(|desk| {
        desk.line(TOPIC);
        desk.line(
            "seq 1 6 | kafka-console-producer.sh --bootstrap-server localhost:9092 --topic t",
        );
        desk.press("ask:topic:t");
        desk.press(".ask-settings > summary");
        let setting = "tr:has(input[name=key][value='retention.ms'])";
        desk.fill(&format!("{setting} input[name=value]"), "60000");
        desk.press(&format!(".ask-settings {setting} [value=set]"));
        did(
            desk,
            "kafka-configs.sh --bootstrap-server localhost:9092 --alter --entity-type topics --entity-name t --add-config retention.ms=60000",
        );
        assert!(
            desk.screen().contains("Completed updating config for topic t."),
            "{}",
            desk.screen()
        );
        desk.form("delete", &[("partition", "0"), ("before", "2")]);
        let deleted = desk.last_command();
        assert!(
            deleted.contains("kafka-delete-records.sh --bootstrap-server localhost:9092"),
            "{deleted}"
        );
        desk.form("elect", &[("partition", "1"), ("kind", "preferred")]);
        did(
            desk,
            "kafka-leader-election.sh --bootstrap-server localhost:9092 --election-type preferred --topic t --partition 1",
        );
        desk.press("view:records");
        desk.form("wait", &[("seconds", "7")]);
        did(desk, "sleep 7");
    });
}

/// A consumer is asked to end, frozen and killed; the group goes on elsewhere.
#[test]
fn consumers() {
    everywhere(|desk| {
        desk.line(TOPIC);
        desk.form("work", &[("group", "work"), ("time", "100")]);
        desk.form("work", &[("group", "work"), ("time", "100")]);
        desk.press("view:groups");
        let asks = desk.attribute(".lab-group [data-do^='ask:member:']", "data-do");
        desk.press(&asks);
        for signal in ["kill -STOP ", "kill -CONT ", "kill -9 "] {
            let does = desk
                .all_deeds()
                .into_iter()
                .find(|does| does.starts_with(&format!("type:{signal}")));
            let does = does.unwrap_or_else(|| panic!("no {signal} in {:?}", desk.all_deeds()));
            desk.press(&does);
            did(desk, does.trim_start_matches("type:"));
        }
        let end = desk.texts_of(
            "return [...document.querySelectorAll('.lab-tabs [data-do^=\"tab:\"]')].map(tab => tab.textContent)",
        );
        assert_eq!(
            end.iter().filter(|tab| tab.contains("work")).count(),
            1,
            "one is left: {end:?}"
        );
    });
}
