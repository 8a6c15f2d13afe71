//! What a random run with groups does: members join, leave, crash and hang, brokers too, partitions are
//! added; in the end each group must have got every record.

use crate::simulation::plan::{Dice, Plan, SERVERS, racks};

/// Groups of a run, numbered from 0.
const MOST_GROUPS: u32 = 2;

/// Internal partitions: few, so that a run is quick and groups meet in one of them.
const SETTINGS: &[(&str, &str)] = &[("offsets.topic.num.partitions", "3")];

/// What the plan thinks of a member.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Runs,
    Hangs,
}

/// A member: its number, and whether it runs.
struct Member {
    number: u32,
    state: State,
}

/// Which kinds of things happen in a run.
struct Swarm {
    /// Members are killed, or hang.
    deaths: bool,
    hangs: bool,
    /// Brokers crash, stop, hang, are cut off.
    brokers: bool,
    cuts: bool,
    grow: bool,
    statics: bool,
}

/// A run in the making.
struct Making<'a> {
    plan: &'a mut Plan,
    swarm: Swarm,
    strategies: Vec<&'static str>,
    members: Vec<Member>,
    next_member: u32,
    /// Brokers that do not run, or hang.
    down: Vec<(u32, &'static str)>,
}

const STRATEGIES: [&str; 4] = ["Range", "RoundRobin", "Sticky", "CooperativeSticky"];

impl Plan {
    /// The plan with groups that is drawn from this seed. In a calm one nobody dies or hangs and no broker
    /// fails, and the assignors are eager: each record is read once.
    #[must_use]
    pub fn with_groups(seed: u64, calm: bool) -> Self {
        let mut dice = Dice::new(seed, if calm { 0xca1 } else { 0x9e0 });
        let mut plan = Self::of(seed, 3, &[]);
        plan.settings = SETTINGS;
        plan.racks = racks(seed, 3, 0x9e1);
        plan.is_calm = calm;
        plan.groups = 1 + dice.below(MOST_GROUPS);
        let mut chance = |percent| !calm && dice.chance(percent);
        let swarm = Swarm {
            deaths: chance(60),
            hangs: chance(50),
            brokers: chance(50),
            cuts: chance(30),
            grow: false,
            statics: chance(50),
        };
        let swarm = Swarm { grow: dice.chance(40), ..swarm };
        let assignors = if calm { 3 } else { STRATEGIES.len() };
        let strategies = (0..plan.groups)
            .map(|_| dice.pick(&STRATEGIES[..assignors]).copied().unwrap_or("Range"))
            .collect();
        let (partitions, factor) = (1 + dice.below(4), 1 + dice.below(3));
        plan.lines.push(format!(
            "kafka-topics.sh {SERVERS} --create --topic a --partitions {partitions} --replication-factor \
             {factor}"
        ));
        let (members, down) = (Vec::new(), Vec::new());
        let mut making =
            Making { plan: &mut plan, swarm, strategies, members, next_member: 1, down };
        for n in 0..10 + dice.below(10) {
            making.act(n, &mut dice);
        }
        making.end();
        plan
    }
}

impl Making<'_> {
    fn act(&mut self, n: u32, dice: &mut Dice) {
        let line = match dice.below(20) {
            0..=4 => produce(n, dice),
            5..=8 => self.join(dice),
            9 | 10 => self.leave(dice),
            11 | 12 => self.hang_or_wake(dice),
            13 if self.swarm.brokers => self.break_or_mend(dice),
            14 if self.swarm.cuts => {
                let broker = 1 + dice.below(3);
                format!("hw cut {broker} clients; sleep {}; hw heal", 1 + dice.below(12))
            }
            15 if self.swarm.grow => {
                let count = 2 + dice.below(6);
                format!(
                    "kafka-topics.sh {SERVERS} --alter --topic a --partitions {count} 2>/dev/null"
                )
            }
            _ => format!("sleep {}", 1 + dice.below(9)),
        };
        self.plan.lines.push(line);
    }

    fn join(&mut self, dice: &mut Dice) -> String {
        if self.members.len() >= 5 {
            return "sleep 2".to_owned();
        }
        let (number, group) = (self.next_member, dice.below(self.plan.groups));
        self.next_member += 1;
        self.members.push(Member { number, state: State::Runs });
        let strategy = self.strategies.get(group as usize).copied().unwrap_or("Range");
        let instance = if self.swarm.statics && dice.chance(40) {
            format!(" --command-property group.instance.id=i{}", dice.below(3))
        } else {
            String::new()
        };
        // Some stand where a broker does, some elsewhere. No draw: those without racks stay as they were.
        let rack = match (self.plan.racks.is_empty(), number % 4) {
            (true, _) | (_, 0) => "",
            (_, 1) => " --command-property client.rack=a",
            (_, 2) => " --command-property client.rack=b",
            _ => " --command-property client.rack=elsewhere",
        };
        let interval = dice.pick(&["5000", "500", "60000"]).copied().unwrap_or("5000");
        format!(
            "kafka-console-consumer.sh {SERVERS} --topic a --group g{group} --from-beginning \
             --command-property \
             partition.assignment.strategy=org.apache.kafka.clients.consumer.{strategy}Assignor \
             --command-property session.timeout.ms=10000 --command-property \
             auto.commit.interval.ms={interval} --command-property metadata.max.age.ms=5000{instance}{rack} \
             >> g{group}.txt 2>/dev/null & m{number}=$!"
        )
    }

    fn leave(&mut self, dice: &mut Dice) -> String {
        let count = u32::try_from(self.members.len()).unwrap_or(0);
        if count == 0 {
            return "sleep 1".to_owned();
        }
        let member = self.members.remove(dice.below(count) as usize);
        let signal = if self.swarm.deaths && dice.chance(60) { "-9" } else { "-TERM" };
        format!("kill {signal} $m{} 2>/dev/null; kill -CONT $m{0} 2>/dev/null", member.number)
    }

    fn hang_or_wake(&mut self, dice: &mut Dice) -> String {
        let count = u32::try_from(self.members.len()).unwrap_or(0);
        if count == 0 || !self.swarm.hangs {
            return format!("sleep 0.{}", dice.below(10));
        }
        let Some(member) = self.members.get_mut(dice.below(count) as usize) else {
            return "sleep 1".to_owned();
        };
        let (signal, state) = match member.state {
            State::Runs => ("STOP", State::Hangs),
            State::Hangs => ("CONT", State::Runs),
        };
        member.state = state;
        format!("kill -{signal} $m{} 2>/dev/null", member.number)
    }

    /// One broker at a time.
    fn break_or_mend(&mut self, dice: &mut Dice) -> String {
        if let Some((broker, mend)) = self.down.pop() {
            return format!("hw {mend} {broker}");
        }
        let broker = 1 + dice.below(3);
        let ways = [("crash", "start"), ("stop", "start"), ("pause", "resume")];
        let (fault, mend) = dice.pick(&ways).copied().unwrap_or(("crash", "start"));
        self.down.push((broker, mend));
        format!("hw {fault} {broker}")
    }

    /// Everybody leaves.
    fn end(self) {
        let lines = &mut self.plan.lines;
        for (broker, mend) in self.down {
            lines.push(format!("hw {mend} {broker}"));
        }
        lines.push("sleep 30".to_owned());
        for Member { number, .. } in self.members {
            lines.push(format!("kill -CONT $m{number} 2>/dev/null; kill $m{number} 2>/dev/null"));
        }
    }
}

fn produce(n: u32, dice: &mut Dice) -> String {
    let count = 1 + dice.below(5);
    let numbers: Vec<String> = (1..=count).map(|number| number.to_string()).collect();
    let pause = dice.pick(&["0", "0", "0.4"]).copied().unwrap_or("0");
    format!(
        "(for i in {}; do echo k$i:v{n}-$i; sleep {pause}; done) | kafka-console-producer.sh {SERVERS} \
         --topic a --reader-property parse.key=true --reader-property key.separator=: 2>/dev/null &",
        numbers.join(" ")
    )
}
