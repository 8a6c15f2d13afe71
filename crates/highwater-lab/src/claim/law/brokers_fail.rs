//! `brokers-fail`: brokers crash, are cut off and come back while records are sent.

use highwater_shell::simulation::Dice;

use super::{SERVER, Script, TOPIC};

/// Where the replicas are: each broker leads one partition.
const REPLICAS: [&str; 3] = ["1:2:3", "2:3:1", "3:1:2"];
/// The brokers.
const BROKERS: [u32; 3] = [1, 2, 3];

pub(super) fn write(dice: &mut Dice) -> Script {
    let partitions = 1 + dice.below(3) as usize;
    let assignment = REPLICAS.get(..partitions).unwrap_or(&REPLICAS).join(",");
    let min_isr = 1 + dice.below(2);
    let create = format!(
        "kafka-topics.sh {SERVER} --create --topic {TOPIC} --replica-assignment {assignment} --config \
         min.insync.replicas={min_isr}"
    );
    let mut lines = Vec::new();
    let (mut down, mut number) = (Vec::new(), 0);
    for _ in 0..8 + dice.below(8) {
        match dice.below(10) {
            0..=3 => produce(&mut number, dice, &mut lines),
            4 | 5 => crash(&mut down, dice, &mut lines),
            6 => back(&mut down, &mut lines),
            7 => cut_off(&mut down, &mut number, dice, &mut lines),
            _ => lines.push(format!("sleep {}", 2 + dice.below(15))),
        }
    }
    let mut end = vec!["hw heal".to_owned()];
    back(&mut down, &mut end);
    end.push("sleep 60".to_owned());
    Script { brokers: 3, create, acts: lines, end }
}

/// Some records. Their producers wait in the background for whoever leads.
fn produce(number: &mut u32, dice: &mut Dice, lines: &mut Vec<String>) {
    let acks = if dice.chance(50) { "all" } else { "1" };
    for _ in 0..1 + dice.below(3) {
        *number += 1;
        let key = 1 + dice.below(6);
        lines.push(format!(
            "hw produce --acks {acks} --topic {TOPIC} --key locker-{key} --value '{number:02} locker-{key} acks={acks}' \
             > /dev/null 2>&1 &"
        ));
    }
    lines.push("sleep 1".to_owned());
}

/// One at most is down, so that there is somebody who can lead.
fn crash(down: &mut Vec<u32>, dice: &mut Dice, lines: &mut Vec<String>) {
    if down.is_empty()
        && let Some(broker) = dice.pick(&BROKERS)
    {
        down.push(*broker);
        lines.push(format!("hw crash {broker}"));
    }
}

fn back(down: &mut Vec<u32>, lines: &mut Vec<String>) {
    if let Some(broker) = down.pop() {
        lines.push(format!("hw start {broker}"));
    }
}

/// A broker does not reach the others any more, gets records and may die before they do.
fn cut_off(down: &mut Vec<u32>, number: &mut u32, dice: &mut Dice, lines: &mut Vec<String>) {
    let Some(broker) = dice.pick(&BROKERS).copied().filter(|_| down.is_empty()) else { return };
    for other in BROKERS.iter().filter(|other| **other != broker) {
        lines.push(format!("hw cut {broker} {other}"));
    }
    produce(number, dice, lines);
    if dice.chance(60) {
        down.push(broker);
        lines.push(format!("hw crash {broker}"));
    }
    lines.push("hw heal".to_owned());
}
