//! The whole way of somebody who has a goal and a keyboard, and nothing else: a topic, records with keys, two groups, the
//! leader crashed, the ISR shorter, a step back, and why a record is not readable yet. Once by what can be pressed, once
//! by commands alone. Scripts only look here; whatever is done is a key.

use crate::browser::Visit;
use crate::keyboard::must_show_focus;
use crate::lab_desk::{Desk, visit};
use crate::page::key;

/// So many presses of Tab lead anywhere.
const FAR: usize = 70;

/// Somebody with a keyboard, in windows of a desk and of a phone's width.
fn by_keyboard(test: impl Fn(&Desk<'_>)) {
    for width in [1280, 320] {
        visit(Visit::new().at(width, 800), false, |desk| {
            desk.keys(&[key::TAB, key::ENTER].concat());
            test(desk);
        });
    }
}

impl Desk<'_> {
    /// Tab, forward or back, to the nearest place that is called so.
    #[track_caller]
    fn tab_to(&self, name: &str, forward: bool) {
        let mut stops = Vec::new();
        while stops.len() < FAR {
            if forward {
                self.press_keys(key::TAB);
            } else {
                self.press_with(key::SHIFT, key::TAB);
            }
            let stop = self.focused();
            if stop.contains(name) {
                self.next_frame();
                must_show_focus(self);
                return;
            }
            stops.push(stop);
        }
        panic!("no way to {name} by Tab: {stops:#?}");
    }

    #[track_caller]
    fn press_keys(&self, keys: &str) {
        crate::page::Page::press(self, keys);
    }

    /// Writes over what is in the field, and sends the form.
    #[track_caller]
    fn send_with(&self, text: &str) {
        self.press_with(key::CTRL, "a");
        self.keys(&[text, key::ENTER].concat());
    }

    /// Arrow keys inside the figure, to a mark whose name holds this.
    #[track_caller]
    fn arrow_to(&self, arrow: &str, name: &str) {
        let mut stops = Vec::new();
        while !self.marked().contains(name) {
            stops.push(self.marked());
            assert!(stops.len() < 40, "no way to {name} by arrow keys: {stops:#?}");
            self.keys(arrow);
        }
    }

    fn marked(&self) -> String {
        let mark = self.js("return document.activeElement.getAttribute('aria-label')");
        mark.as_str().unwrap_or_default().to_owned()
    }

    /// Steps back until the sentence holds these words.
    #[track_caller]
    fn back_to(&self, words: &str) {
        for _ in 0..12 {
            self.keys(key::ENTER);
            if self.say().contains(words) {
                return;
            }
        }
        panic!("no step says {words}: {}", self.say());
    }

    /// Text of the side panel.
    fn panel(&self) -> String {
        let text = self.js("return document.querySelector('.lab-side').innerText");
        text.as_str().unwrap_or_default().to_owned()
    }
}

/// Why the newest record is not readable yet, from the Step back button on.
#[track_caller]
fn why_not_readable(desk: &Desk<'_>) {
    desk.back_to("1 record came in");
    desk.tab_to("Records", false);
    desk.keys(key::ENTER);
    desk.tab_to("cell ", true);
    desk.keys(key::END);
    desk.arrow_to(key::LEFT, "not readable yet");
    desk.keys(key::ENTER);
    let panel = desk.panel();
    assert!(panel.contains("Readers may not see it yet"), "{panel}");
    assert!(panel.contains("the smallest log end in the ISR"), "{panel}");
    assert!(desk.focused().contains("not readable yet"), "{}", desk.focused());
    // The reason is a jump away, and Esc leads back to the record.
    desk.keys(key::ESCAPE);
    assert!(desk.marked().contains("not readable yet"), "{}", desk.marked());
}

/// By what can be pressed.
#[test]
fn by_what_can_be_pressed() {
    by_keyboard(|desk| {
        desk.tab_to("Skip to what you can do", true);
        desk.keys(key::ENTER);
        assert_eq!(desk.focused(), "New topic");
        desk.keys(&key::ENTER.repeat(2));
        assert!(desk.status().starts_with("Topic parcel-events now exists"), "{}", desk.status());
        desk.keys(key::ESCAPE);
        desk.tab_to("Send a record", false);
        desk.keys(key::ENTER);
        for name in ["locker-7", "locker-12", "locker-7"] {
            desk.send_with(name);
        }
        assert!(desk.status().contains("Step 2 of 5 is done"), "{}", desk.status());
        desk.keys(key::ESCAPE);
        desk.tab_to("Start a group member", true);
        desk.keys(key::ENTER);
        for group in ["billing", "shipping"] {
            desk.send_with(group);
            assert!(desk.status().contains(&format!("{group} / worker")), "{}", desk.status());
        }
        desk.keys(key::ESCAPE);
        desk.tab_to("Replicas", false);
        desk.keys(key::ENTER);
        desk.tab_to("parcel-events", true);
        desk.arrow_to(key::DOWN, "parcel-events-1");
        desk.arrow_to(key::RIGHT, "leader");
        desk.keys(key::ENTER);
        desk.tab_to("Crash", true);
        desk.keys(key::ENTER);
        assert!(desk.status().contains("crashed"), "{}", desk.status());
        assert!(desk.focused().contains("down"), "{}", desk.focused());
        // What is asked about stands behind the controls in a wide window, and below them in a narrow one.
        desk.tab_to("Play", false);
        desk.keys(key::ENTER);
        desk.wait("it to play to its end", || desk.say().contains("Nothing more happens"));
        let said = desk.say();
        assert!(said.contains("leads parcel-events-1") && said.contains("in sync"), "{said}");
        desk.tab_to("Send a record", true);
        desk.keys(&key::ENTER.repeat(2));
        desk.keys(key::ESCAPE);
        desk.tab_to("Step back", false);
        why_not_readable(desk);
        desk.shot(&format!("walk-{}", desk.js("return innerWidth")));
    });
}

/// By commands alone, as one who knows Kafka's tools.
#[test]
fn by_commands() {
    by_keyboard(|desk| {
        desk.tab_to("Skip to the prompt", true);
        desk.keys(key::ENTER);
        let types = |line: &str| desk.keys(&[line, key::ENTER].concat());
        types(
            "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic orders --partitions 1 --replication-factor 3",
        );
        types(
            "kafka-console-producer.sh --bootstrap-server localhost:9092 --topic orders --reader-property parse.key=true --reader-property key.separator=:",
        );
        for record in ["a:1", "b:2", "a:3"] {
            types(record);
        }
        desk.press_with(key::CTRL, "d");
        desk.next_frame();
        for group in ["one", "two"] {
            types(&format!(
                "kafka-console-consumer.sh --bootstrap-server localhost:9092 --topic orders --group {group} --from-beginning"
            ));
            assert!(desk.screen().ends_with("1\n2\n3"), "{}", desk.screen());
        }
        types("kafka-topics.sh --bootstrap-server localhost:9092 --describe --topic orders");
        let leader = desk.screen();
        let leader = leader.rsplit("Leader: ").next().and_then(|rest| rest.chars().next());
        let leader = leader.unwrap_or('?');
        types(&format!("hw crash {leader}"));
        types("sleep 12");
        assert!(
            desk.say().contains("leads orders-0") || desk.status().contains("leads orders-0"),
            "{}",
            desk.status()
        );
        // Whoever asks the broker that is down is told who answers.
        if leader == '1' {
            desk.keys("kafka-topics.sh --bootstrap-server localhost:9092");
            assert!(desk.status().contains("answers at localhost:9093"), "{}", desk.status());
            desk.press_with(key::CTRL, "a");
            desk.keys("\u{e017}");
        }
        let address = if leader == '1' { 9093 } else { 9092 };
        types(&format!(
            "kafka-topics.sh --bootstrap-server localhost:{address} --describe --topic orders"
        ));
        let isr = desk.screen();
        let isr =
            isr.rsplit("Isr: ").next().and_then(|rest| rest.split('\t').next()).unwrap_or_default();
        assert_eq!(isr.split(',').count(), 2, "the ISR has shrunk: {isr}");
        types("hw produce --topic orders --key c --value 4");
        desk.tab_to("Step back", false);
        why_not_readable(desk);
    });
}
