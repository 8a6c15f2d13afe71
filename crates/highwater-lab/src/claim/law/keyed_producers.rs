//! `keyed-producers`: several client libraries send records with the same keys to one topic.

use highwater_shell::simulation::Dice;

use super::{SERVER, Script, TOPIC};

/// Libraries that heed keys.
const CLIENTS: [&str; 7] =
    ["java", "librdkafka", "kafka-go", "sarama", "franz-go", "kafkajs", "kafka-python"];

pub(super) fn write(dice: &mut Dice) -> Script {
    let partitions = 2 + dice.below(5);
    let create =
        format!("kafka-topics.sh {SERVER} --create --topic {TOPIC} --partitions {partitions}");
    let mut lines = Vec::new();
    let clients: Vec<&str> =
        (0..2 + dice.below(3)).filter_map(|_| dice.pick(&CLIENTS).copied()).collect();
    let keys = 2 + dice.below(5);
    let mut number = 0;
    for _ in 0..8 + dice.below(10) {
        let client = dice.pick(&clients).copied().unwrap_or("java");
        if client == "java" && dice.chance(50) {
            lines.push(together(&mut number, keys, dice));
            continue;
        }
        number += 1;
        let key = 1 + dice.below(keys);
        lines.push(format!(
            "hw produce --client {client} --topic {TOPIC} --key locker-{key} --value '{number:02} locker-{key} {client}'"
        ));
    }
    let read = format!(
        "kafka-console-consumer.sh {SERVER} --topic {TOPIC} --from-beginning --timeout-ms 4000 2>/dev/null"
    );
    Script { brokers: 1, create, acts: lines, end: vec![read] }
}

/// Several records of one producer, which may share batches.
fn together(number: &mut u32, keys: u32, dice: &mut Dice) -> String {
    let mut records = String::new();
    for _ in 0..2 + dice.below(4) {
        *number += 1;
        let key = 1 + dice.below(keys);
        records.push_str(&format!("locker-{key}:{number:02} locker-{key} java\\n"));
    }
    format!(
        "printf '{records}' | kafka-console-producer.sh {SERVER} --topic {TOPIC} --reader-property parse.key=true \
         --reader-property key.separator=:"
    )
}
