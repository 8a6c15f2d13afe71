//! Random command lines: topics, records of all clients, readers, mistakes.

use crate::choose;

const TOPICS: [&str; 3] = ["a", "parcel-events", "b_c"];
const CLIENTS: [&str; 10] = [
    "java",
    "librdkafka",
    "kafka-go",
    "java:round-robin",
    "librdkafka:random",
    "kafka-go:least-bytes",
    "sarama",
    "franz-go:sticky --count 3",
    "kafkajs",
    "kafka-python:sticky",
];
const BOOTSTRAP: &str = "--bootstrap-server localhost:9092";

/// The line number `n` of a seed.
pub(crate) fn random_line(seed: u64, n: u64) -> String {
    let draw = |what: u64, bound: u32| choose(seed, 100 * n + what, bound);
    let topic = TOPICS[draw(1, 3) as usize];
    let number = draw(2, 6);
    match draw(0, 12) {
        0 | 1 => {
            format!("kafka-topics.sh {BOOTSTRAP} --create --topic {topic} --partitions {number}")
        }
        2 => format!("kafka-topics.sh {BOOTSTRAP} --describe"),
        3 => {
            format!("kafka-get-offsets.sh {BOOTSTRAP} --topic {topic} --time {}", number as i32 - 4)
        }
        4 | 5 => {
            let lines: String = (0..number * 7).map(|i| format!("key-{}:v{i}\n", i % 5)).collect();
            format!(
                "kafka-console-producer.sh {BOOTSTRAP} --topic {topic} --reader-property \
                 parse.key=true --reader-property key.separator=: <<X\n{lines}X"
            )
        }
        6 => format!("echo keyless | kafka-console-producer.sh {BOOTSTRAP} --topic {topic}"),
        7 | 8 => {
            let client = CLIENTS[draw(3, 10) as usize];
            let key = if draw(4, 3) == 0 { String::new() } else { format!(" --key k{number}") };
            format!("hw produce --client {client} --topic {topic} --value v{number}{key}")
        }
        9 => {
            format!("hw consume --as r{} --topic {topic} --partition {number} --max 3", draw(5, 2))
        }
        10 => {
            format!("hw consume --as r{} --topic {topic} --partition 0 --from latest", draw(5, 2))
        }
        _ => ["kafka-topics.sh --nonsense", "frobnicate | head -1", "echo 'open", "X", "hw help"]
            [draw(6, 5) as usize]
            .to_owned(),
    }
}
