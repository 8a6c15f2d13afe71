//! `group-members-come-and-go`: members of a group join, leave and are killed while records come.

use highwater_shell::simulation::Dice;

use super::{SERVER, Script, TOPIC};

/// Names of members, which also decide their order.
const NAMES: [&str; 6] = ["anna", "ben", "carl", "dora", "emil", "fred"];

/// A group in the making.
struct Making {
    lines: Vec<String>,
    /// Who has never been there.
    absent: Vec<&'static str>,
    present: Vec<&'static str>,
    number: u32,
}

pub(super) fn write(dice: &mut Dice) -> Script {
    let partitions = 2 + dice.below(5);
    let mut absent = NAMES.to_vec();
    absent.reverse();
    let mut making = Making { lines: Vec::new(), absent, present: Vec::new(), number: 0 };
    let create =
        format!("kafka-topics.sh {SERVER} --create --topic {TOPIC} --partitions {partitions}");
    making.produce(dice);
    making.join(dice);
    for _ in 0..8 + dice.below(8) {
        match dice.below(10) {
            0..=2 => making.produce(dice),
            3 | 4 => making.join(dice),
            5 => making.go("", dice),
            6 => making.go("-9 ", dice),
            _ => {
                let seconds = 2 + dice.below(20);
                making.lines.push(format!("sleep {seconds}"));
            }
        }
    }
    let last = work("zoe", dice);
    // Whoever is busy joins again when it polls next, after all that it has got.
    let end = vec![last, "sleep 300".to_owned()];
    Script { brokers: 1, create, acts: making.lines, end }
}

impl Making {
    fn produce(&mut self, dice: &mut Dice) {
        let mut records = String::new();
        for _ in 0..1 + dice.below(6) {
            self.number += 1;
            let key = 1 + dice.below(8);
            records.push_str(&format!("locker-{key}:{:02} locker-{key}\\n", self.number));
        }
        self.lines.push(format!(
            "printf '{records}' | kafka-console-producer.sh {SERVER} --topic {TOPIC} --reader-property \
             parse.key=true --reader-property key.separator=:"
        ));
    }

    fn join(&mut self, dice: &mut Dice) {
        if let Some(name) = self.absent.pop() {
            self.present.push(name);
            self.lines.push(work(name, dice));
        }
    }

    /// One goes: asked to, or killed.
    fn go(&mut self, signal: &str, dice: &mut Dice) {
        let count = u32::try_from(self.present.len()).unwrap_or(0);
        if count > 0 {
            let name = self.present.remove(dice.below(count) as usize);
            self.lines.push(format!("kill {signal}${name}"));
        }
    }
}

/// A member that needs some time for each record.
fn work(name: &str, dice: &mut Dice) -> String {
    let commit = dice.pick(&["after", "auto"]).copied().unwrap_or("auto");
    let time = dice.pick(&["100", "1000", "4000"]).copied().unwrap_or("100");
    format!(
        "hw work --group billing --as {name} --topic {TOPIC} --from-beginning --commit {commit} --time {time} \
         > {name}.txt 2>/dev/null & {name}=$!"
    )
}
