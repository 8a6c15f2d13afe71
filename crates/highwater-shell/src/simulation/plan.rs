//! What a random run does: which topics, workloads, faults and settings, drawn from a seed. Everything is a
//! line that a person can type.

use std::fmt::Write as _;
use std::rc::Rc;

use highwater_core::draw::{Purpose, draw_below};
use highwater_core::ids::BrokerId;
use highwater_core::mutation::Mutation;
use highwater_core::world::options::{ClusterOptions, OwnSetting};

/// A run to be played: what is typed at which cluster.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What every draw of the run is made from.
    pub seed: u64,
    /// How many brokers there are.
    pub brokers: u32,
    /// Which rule is broken on purpose.
    pub mutation: Mutation,
    /// Lines of every broker's configuration file.
    pub settings: &'static [(&'static str, &'static str)],
    /// The racks of brokers 1, 2, ..., if any has one; some may be in none.
    pub racks: Vec<Option<&'static str>>,
    /// How many groups read topic `a` (`g0`, `g1`, ...) and must have got all of it in the end.
    pub groups: u32,
    /// Whether each record must have been got once.
    pub is_calm: bool,
    /// What is typed, one after the other.
    pub lines: Vec<String>,
}

/// Draws of one plan, one after the other.
#[derive(Debug)]
pub struct Dice {
    seed: u64,
    /// Keeps the draws of one kind of plan apart from those of others.
    who: u64,
    count: u64,
}

impl Dice {
    /// The draws of that seed for one kind of plan.
    #[must_use]
    pub fn new(seed: u64, who: u64) -> Self {
        Self { seed, who, count: 0 }
    }

    /// A number from 0 on, below that.
    pub fn below(&mut self, bound: u32) -> u32 {
        self.count += 1;
        draw_below(self.seed, Purpose::Placement, self.who, self.count, bound)
    }

    /// Whether something happens that happens so often in a hundred times.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    /// One of a list; `None`: it is empty.
    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        let count = u32::try_from(list.len()).unwrap_or(u32::MAX);
        if count == 0 { None } else { list.get(self.below(count) as usize) }
    }
}

/// Which kinds of faults a run has: each run leaves some out, so that rare meetings of the others come
/// up (swarm testing).
struct Swarm {
    crash: bool,
    power: bool,
    stop: bool,
    pause: bool,
    cut: bool,
    slow: bool,
    grow: bool,
    disk: bool,
    /// Settings of producers, of which each command draws one.
    producers: Vec<&'static str>,
    reassign: bool,
}

/// How producers may be set: what they wait for, whether they are idempotent, how much is in flight.
const PRODUCERS: &[&str] = &[
    "",
    "enable.idempotence=false",
    "acks=1",
    "acks=0",
    "enable.idempotence=false max.in.flight.requests.per.connection=1",
    "delivery.timeout.ms=2600",
    "delivery.timeout.ms=2600 enable.idempotence=false",
];

/// What the plan thinks of a broker.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Up,
    Down,
    Paused,
}

/// The brokers that commands ask.
pub const SERVERS: &str = "--bootstrap-server localhost:9092,localhost:9093,localhost:9094";

impl Plan {
    /// A plan with these lines.
    #[must_use]
    pub fn of(seed: u64, brokers: u32, lines: &[&str]) -> Self {
        let lines = lines.iter().map(|line| (*line).to_owned()).collect();
        Self {
            seed,
            brokers,
            mutation: Mutation::None,
            settings: &[],
            racks: Vec::new(),
            groups: 0,
            is_calm: false,
            lines,
        }
    }

    /// The plan that is drawn from this seed.
    #[must_use]
    pub fn random(seed: u64, mutation: Mutation) -> Self {
        let mut dice = Dice::new(seed, 0xc1a5);
        let brokers = 3 + dice.below(3);
        let racks = racks(seed, brokers, 0xc1a6);
        let mut plan = Self { mutation, racks, ..Self::of(seed, brokers, &[]) };
        let swarm = Swarm {
            crash: dice.chance(70),
            power: dice.chance(30),
            stop: dice.chance(60),
            pause: dice.chance(50),
            cut: dice.chance(50),
            slow: dice.chance(30),
            grow: dice.chance(20),
            disk: dice.chance(30),
            producers: PRODUCERS.iter().copied().filter(|_| dice.chance(60)).collect(),
            reassign: dice.chance(60),
        };
        plan.create_topic(&mut dice);
        let mut states = vec![State::Up; brokers as usize];
        for n in 0..16 + dice.below(14) {
            plan.act(n, &swarm, &mut states, &mut dice);
        }
        plan
    }

    fn create_topic(&mut self, dice: &mut Dice) {
        let (partitions, factor) = (1 + dice.below(3), 1 + dice.below(self.brokers.min(3)));
        let min_isr = 1 + dice.below(factor);
        let unclean =
            if dice.chance(15) { " --config unclean.leader.election.enable=true" } else { "" };
        self.lines.push(format!(
            "kafka-topics.sh {SERVERS} --create --topic a --partitions {partitions} \
             --replication-factor {factor} --config min.insync.replicas={min_isr}{unclean}"
        ));
    }

    fn act(&mut self, n: u32, swarm: &Swarm, states: &mut [State], dice: &mut Dice) {
        let broker = dice.below(self.brokers) as usize;
        let id = broker + 1;
        let line = match (dice.below(24), states[broker]) {
            (0..=5, _) => self.produce(n, swarm, dice),
            (6 | 7, _) => format!("sleep {}.{}", dice.below(12), dice.below(10)),
            (8 | 9, State::Up) if swarm.crash => {
                states[broker] = State::Down;
                format!("hw crash {id}")
            }
            (10, State::Up) if swarm.power => {
                states[broker] = State::Down;
                format!("hw crash {id} --power-loss")
            }
            (11, State::Up) if swarm.stop => {
                states[broker] = State::Down;
                format!("hw stop {id}")
            }
            (12, State::Up) if swarm.pause => {
                states[broker] = State::Paused;
                format!("hw pause {id}")
            }
            (12..=14, State::Paused) => {
                states[broker] = State::Up;
                format!("hw resume {id}")
            }
            (8..=14, State::Down) => {
                states[broker] = State::Up;
                format!("hw start {id}")
            }
            (15 | 16, _) if swarm.cut => self.cut(id, dice),
            (17, _) if swarm.slow => self.slow(id, dice),
            (16, _) if swarm.disk => format!("hw slow --disk {id} {}", 1 + dice.below(2_000)),
            (18, _) if swarm.cut || swarm.slow || swarm.disk => "hw heal".to_owned(),
            (19, _) if swarm.grow => {
                let count = 2 + dice.below(4);
                format!("kafka-topics.sh {SERVERS} --alter --topic a --partitions {count}")
            }
            (20..=22, _) if swarm.reassign => self.reassign(dice),
            (23, _) if swarm.reassign => {
                "kafka-reassign-partitions.sh ".to_owned()
                    + SERVERS
                    + " --cancel --preserve-throttles \
                 --reassignment-json-file r.json >/dev/null 2>&1 &"
            }
            _ => format!("sleep 0.{}", dice.below(10)),
        };
        self.lines.push(line);
    }

    /// Moves a partition to brokers drawn anew, whatever else is going on.
    fn reassign(&self, dice: &mut Dice) -> String {
        let mut brokers: Vec<u32> = (1..=self.brokers).collect();
        let mut replicas = Vec::new();
        for _ in 0..1 + dice.below(3) {
            let place = dice.below(u32::try_from(brokers.len()).unwrap_or(u32::MAX));
            replicas.push(brokers.remove(place as usize).to_string());
        }
        reassign(dice.below(3), &replicas.join(","))
    }

    fn cut(&self, id: usize, dice: &mut Dice) -> String {
        let one_way = if dice.chance(30) { " --one-way" } else { "" };
        let other = match dice.below(6) {
            0 => "controller".to_owned(),
            1 => "clients".to_owned(),
            _ => self.other(id, dice),
        };
        format!("hw cut {id} {other}{one_way}")
    }

    /// Some delays are longer than a restart: what was sent before it comes after it.
    fn slow(&self, id: usize, dice: &mut Dice) -> String {
        let other = self.other(id, dice);
        match dice.below(4) {
            0 => format!("hw slow {id} {other} {} --one-way", 4_000 + dice.below(16_000)),
            _ => format!("hw slow {id} {other} {}", 1 + dice.below(3_000)),
        }
    }

    fn other(&self, id: usize, dice: &mut Dice) -> String {
        let other = 1 + dice.below(self.brokers) as usize;
        if other == id { "controller".to_owned() } else { other.to_string() }
    }

    fn produce(&self, n: u32, swarm: &Swarm, dice: &mut Dice) -> String {
        let key = dice.below(5);
        let settings = dice.pick(&swarm.producers).copied().unwrap_or("");
        if dice.chance(15) {
            // Many batches, some of them larger than one fetch of a follower.
            let (count, size) = if dice.chance(30) { (4, 600_000) } else { (12, 100) };
            return format!(
                "kafka-producer-perf-test.sh --topic a --num-records {count} --record-size {size} \
                 --throughput {} --command-property bootstrap.servers=localhost:9092,localhost:9093 \
                 batch.size=0 request.timeout.ms=1500 linger.ms=0 {settings} >/dev/null 2>&1 &",
                dice.pick(&["-1", "20", "3"]).copied().unwrap_or("-1")
            );
        }
        match dice.below(4) {
            0 | 1 => {
                let client = dice.pick(&["java", "java", "librdkafka", "kafka-go"]);
                let client = client.copied().unwrap_or("java");
                format!("hw produce --client {client} --topic a --key k{key} --value v{n}")
            }
            _ => {
                let pause = dice.pick(&["0", "0.3", "2"]).copied().unwrap_or("0");
                let linger = dice.pick(&["0", "1000"]).copied().unwrap_or("0");
                let retries = dice.pick(&["3", "3", "50"]).copied().unwrap_or("3");
                let settings: String = settings
                    .split_whitespace()
                    .map(|setting| format!("--command-property {setting} "))
                    .collect();
                format!(
                    "(for i in 1 2 3 4; do echo k{key}:v{n}-$i; sleep {pause}; done) | \
                     kafka-console-producer.sh {SERVERS} --topic a --reader-property parse.key=true \
                     --reader-property key.separator=: --timeout {linger} --message-send-max-retries \
                     {retries} {settings}2>/dev/null &"
                )
            }
        }
    }

    /// The cluster that it is played on.
    #[must_use]
    pub fn options(&self) -> ClusterOptions {
        let Self { seed, brokers, mutation, .. } = *self;
        let line = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        let broker_settings = Rc::new(self.settings.iter().map(line).collect());
        ClusterOptions { seed, brokers, mutation, broker_settings, ..ClusterOptions::default() }
            .with_own_settings(self.own_settings().collect())
    }

    /// Where each broker stands.
    fn own_settings(&self) -> impl Iterator<Item = OwnSetting> {
        let racks = (1..).map(BrokerId).zip(&self.racks);
        racks.filter_map(|(broker, rack)| {
            let (key, value) = ("broker.rack".to_owned(), (*rack)?.to_owned());
            Some(OwnSetting { broker, key, value })
        })
    }

    /// As a transcript without outputs.
    #[must_use]
    pub fn transcript(&self) -> String {
        let mut text = format!("#! brokers {}\n", self.brokers);
        for (key, value) in self.settings {
            let _ = writeln!(text, "#! broker {key}={value}");
        }
        for OwnSetting { broker, key, value } in self.own_settings() {
            let _ = writeln!(text, "#! broker {broker} {key}={value}");
        }
        for line in &self.lines {
            let _ = writeln!(text, "$ {line}");
        }
        text
    }
}

/// In a third of all runs brokers have racks, of which there are up to three; sometimes one is in none. The draws
/// are apart from all others.
pub(super) fn racks(seed: u64, brokers: u32, who: u64) -> Vec<Option<&'static str>> {
    let mut dice = Dice::new(seed, who);
    if !dice.chance(33) {
        return Vec::new();
    }
    let names = ["a", "b", "c"];
    let racks = names.get(..1 + dice.below(3) as usize).unwrap_or(&names);
    let some_have_none = dice.chance(20);
    let mut rack = || match some_have_none && dice.chance(30) {
        true => None,
        false => dice.pick(racks).copied(),
    };
    (0..brokers).map(|_| rack()).collect()
}

/// Moves a partition to these brokers.
#[must_use]
pub fn reassign(partition: u32, replicas: &str) -> String {
    format!(
        "echo '{{\"partitions\":[{{\"topic\":\"a\",\"partition\":{partition},\"replicas\":\
         [{replicas}]}}]}}' > r.json; kafka-reassign-partitions.sh {SERVERS} --execute --additional \
         --reassignment-json-file r.json >/dev/null 2>&1 &"
    )
}
