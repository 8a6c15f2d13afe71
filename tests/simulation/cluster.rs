//! Random clusters with random faults, workloads and settings. Everything is typed: a failing seed is
//! shrunk and printed as a transcript.

use std::fmt::Write as _;
use std::rc::Rc;

use highwater_core::draw::{Purpose, draw_below};
use highwater_core::ids::{Offset, TerminalId};
use highwater_core::invariant::{Hazards, Watch};
use highwater_core::log::unified_log::UnifiedLog;
use highwater_core::mutation::Mutation;
use highwater_core::world::event::Event;
use highwater_core::world::input::{Input, InputKind};
use highwater_core::world::options::ClusterOptions;
use highwater_core::world::power::Power;
use highwater_core::world::stream::TerminalState;
use highwater_core::world::world::World;
use highwater_shell::process::ShellProcess;

/// Seeds of the normal test run.
const SEEDS: u64 = 2_000;
/// The longest that one command may take, in virtual microseconds.
const LONGEST: u64 = 600_000_000;
/// Steps after which a command counts as one that never ends.
const MOST_STEPS: u32 = 2_000_000;

/// A run to be played: what is typed at which cluster.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    seed: u64,
    brokers: u32,
    mutation: Mutation,
    pub(crate) lines: Vec<String>,
}

/// What was wrong.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    rule: String,
    found: String,
}

/// Draws of one plan, one after the other.
struct Dice {
    seed: u64,
    count: u64,
}

impl Dice {
    fn below(&mut self, bound: u32) -> u32 {
        self.count += 1;
        draw_below(self.seed, Purpose::Placement, 0xc1a5, self.count, bound)
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    fn pick<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        let count = u32::try_from(list.len()).expect("short lists");
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
}

/// What the plan thinks of a broker.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Up,
    Down,
    Paused,
}

const SERVERS: &str = "--bootstrap-server localhost:9092,localhost:9093,localhost:9094";

impl Plan {
    pub(crate) fn random(seed: u64, mutation: Mutation) -> Self {
        let mut dice = Dice { seed, count: 0 };
        let brokers = 3 + dice.below(3);
        let mut plan = Self { seed, brokers, mutation, lines: Vec::new() };
        let swarm = Swarm {
            crash: dice.chance(70),
            power: dice.chance(30),
            stop: dice.chance(60),
            pause: dice.chance(50),
            cut: dice.chance(50),
            slow: dice.chance(30),
            grow: dice.chance(20),
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
        let line = match (dice.below(20), states[broker]) {
            (0..=5, _) => self.produce(n, dice),
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
            (17, _) if swarm.slow => {
                format!("hw slow {id} {} {}", self.other(id, dice), 1 + dice.below(3_000))
            }
            (18, _) if swarm.cut || swarm.slow => "hw heal".to_owned(),
            (19, _) if swarm.grow => {
                let count = 2 + dice.below(4);
                format!("kafka-topics.sh {SERVERS} --alter --topic a --partitions {count}")
            }
            _ => format!("sleep 0.{}", dice.below(10)),
        };
        self.lines.push(line);
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

    fn other(&self, id: usize, dice: &mut Dice) -> String {
        let other = 1 + dice.below(self.brokers) as usize;
        if other == id { "controller".to_owned() } else { other.to_string() }
    }

    fn produce(&self, n: u32, dice: &mut Dice) -> String {
        let key = dice.below(5);
        if dice.chance(4) {
            // More than fits into one fetch of a follower.
            return "kafka-producer-perf-test.sh --topic a --num-records 4 --record-size 600000 \
                    --throughput -1 --producer-props bootstrap.servers=localhost:9092,localhost:9093 \
                    batch.size=0 >/dev/null 2>&1 &"
                .to_owned();
        }
        match dice.below(4) {
            0 | 1 => format!("hw produce --topic a --key k{key} --value v{n}"),
            _ => {
                let acks = dice.pick(&["-1", "-1", "1", "0"]).copied().unwrap_or("-1");
                let pause = dice.pick(&["0", "0.3", "2"]).copied().unwrap_or("0");
                format!(
                    "(for i in 1 2 3 4; do echo k{key}:v{n}-$i; sleep {pause}; done) | \
                     kafka-console-producer.sh {SERVERS} --topic a --reader-property parse.key=true \
                     --reader-property key.separator=: --request-required-acks {acks} 2>/dev/null &"
                )
            }
        }
    }

    pub(crate) fn options(&self) -> ClusterOptions {
        let Self { seed, brokers, mutation, .. } = *self;
        ClusterOptions { seed, brokers, mutation, ..ClusterOptions::default() }
    }

    pub(crate) fn transcript(&self) -> String {
        let mut text = format!("#! brokers {}\n", self.brokers);
        for line in &self.lines {
            let _ = writeln!(text, "$ {line}");
        }
        text
    }
}

/// A plan being played.
pub(crate) struct Run {
    world: World<ShellProcess>,
    terminal: TerminalId,
    watch: Watch,
    /// Records that `hw produce` was told are committed: the place and the value.
    acknowledged: Vec<(i32, i64, String)>,
    /// What has happened, if it is to be remembered.
    pub(crate) story: Option<Vec<Rc<Event>>>,
}

impl Run {
    pub(crate) fn with(options: ClusterOptions) -> Self {
        let mut world = World::new(options).expect("the options are valid");
        let terminal = world.open_terminal(ShellProcess::shell());
        Self { world, terminal, watch: Watch::default(), acknowledged: Vec::new(), story: None }
    }

    pub(crate) fn world(&self) -> &World<ShellProcess> {
        &self.world
    }

    pub(crate) fn terminal(&self) -> TerminalId {
        self.terminal
    }

    /// Types a line and takes steps until it is done; looks at all invariants after each step.
    pub(crate) fn line(&mut self, line: &str) -> Result<(), Failure> {
        let before = self.world.output(self.terminal).len();
        while self.world.next_due().is_some_and(|due| due <= self.world.now()) {
            self.step()?;
        }
        let (at, terminal) = (self.world.now(), self.terminal);
        let input = Input { at, terminal, kind: InputKind::Line(line.to_owned()) };
        self.world.apply(&input).map_err(|error| failed("InputTaken", &error.to_string()))?;
        for _ in 0..MOST_STEPS {
            let ready = self.world.terminal_state(terminal) == Some(TerminalState::Ready);
            let late = self.world.now().0 - at.0 > LONGEST;
            if ready && self.world.next_due().is_none_or(|due| due > self.world.now()) {
                self.note_acknowledged(line, before);
                return Ok(());
            }
            if late || self.world.next_due().is_none() {
                return Err(failed("CommandsEnd", line));
            }
            self.step()?;
        }
        Err(failed("TheWorldComesToRest", line))
    }

    fn step(&mut self) -> Result<(), Failure> {
        self.world.step();
        let events = self.world.take_events();
        if let Some(story) = self.story.as_mut() {
            story.extend(events.into_iter().filter(|event| event.kind.is_story()));
        }
        match self.watch.observe(&self.world).into_iter().next() {
            Some(violation) => Err(failed(violation.rule, &violation.found)),
            None => Ok(()),
        }
    }

    /// `hw produce` prints where its record is.
    fn note_acknowledged(&mut self, line: &str, before: usize) {
        let Some((_, value)) = line.split_once("--value ") else { return };
        for chunk in self.world.output(self.terminal).iter().skip(before) {
            let text = String::from_utf8_lossy(&chunk.bytes);
            let place =
                text.trim().strip_prefix("a-").and_then(|rest| rest.split_once(", offset "));
            if let Some((partition, offset)) = place
                && let (Ok(partition), Ok(offset)) = (partition.parse(), offset.parse())
            {
                self.acknowledged.push((partition, offset, value.to_owned()));
            }
        }
    }

    /// Everything is put right; then there is time to come to rest.
    pub(crate) fn heal(&mut self) -> Result<(), Failure> {
        self.line("hw heal 2>/dev/null")?;
        let ids: Vec<_> = self.world.brokers().keys().copied().collect();
        for id in ids {
            match self.world.power(id) {
                Some(Power::Paused(_)) => self.line(&format!("hw resume {id}"))?,
                Some(Power::Off) => self.line(&format!("hw start {id}"))?,
                _ => {}
            }
        }
        self.line("sleep 200")
    }

    /// After healing: every partition has a leader, all replicas are in sync and alike, and what was
    /// acknowledged by all is there, unless an unclean election was allowed to lose it.
    fn at_rest(&self) -> Result<Hazards, Failure> {
        let image = self.world.controller().image();
        let hazards = self.watch.hazards().clone();
        for (name, topic) in image.topics.iter() {
            for (number, partition) in topic.numbered() {
                let place = format!("{name}-{number}: {partition:?}");
                let Some(leader) = partition.leader else { return Err(failed("Progress", &place)) };
                if partition.isr.len() != partition.replicas.len() {
                    return Err(failed("AllInSyncAgain", &place));
                }
                let which = highwater_core::ids::TopicPartition::new(name, number);
                let log_of = |id| {
                    let broker = self.world.brokers().get(id)?;
                    broker.partitions().get(&which).map(|held| held.log())
                };
                let Some(log) = log_of(&leader) else {
                    return Err(failed("LeaderHoldsIt", &place));
                };
                for replica in &partition.replicas {
                    let end = log_of(replica).map(UnifiedLog::log_end_offset);
                    if end != Some(log.log_end_offset()) {
                        return Err(failed("LogsEndAlike", &place));
                    }
                }
                if hazards.unclean_elections == 0 {
                    for (_, offset, value) in
                        self.acknowledged.iter().filter(|(partition, ..)| *partition == number.0)
                    {
                        let offset = Offset(*offset);
                        let mut batches = log.read(offset, log.log_end_offset(), 1);
                        let found = batches.next().and_then(|batch| {
                            batch
                                .iter()
                                .find(|(at, _)| *at == offset)
                                .map(|(_, record)| record.value.clone())
                        });
                        if found.flatten().as_deref() != Some(value.as_bytes()) {
                            let found = format!("{value} at offset {offset} of {place}");
                            return Err(failed("AcknowledgedRecordsAreKept", &found));
                        }
                    }
                }
            }
        }
        Ok(hazards)
    }
}

fn failed(rule: &str, found: &str) -> Failure {
    Failure { rule: rule.to_owned(), found: found.to_owned() }
}

fn play(plan: &Plan) -> Result<Hazards, Failure> {
    let mut run = Run::with(plan.options());
    for line in &plan.lines {
        run.line(line)?;
    }
    run.heal()?;
    run.at_rest()
}

/// Leaves lines out for as long as the same rule is broken.
fn shrink(plan: &Plan, rule: &str) -> Plan {
    let mut smallest = plan.clone();
    let mut again = true;
    while again {
        again = false;
        for n in (0..smallest.lines.len()).rev() {
            let mut shorter = smallest.clone();
            shorter.lines.remove(n);
            if play(&shorter).is_err_and(|failure| failure.rule == rule) {
                smallest = shorter;
                again = true;
            }
        }
    }
    smallest
}

/// Random clusters keep every guarantee, and come to rest when all is put right.
#[test]
fn clusters_keep_their_guarantees() {
    let (first, last) = range();
    let (mut unclean, mut lost) = (0, 0);
    for seed in first..=last {
        let plan = Plan::random(seed, Mutation::None);
        match play(&plan) {
            Ok(hazards) => {
                unclean += hazards.unclean_elections;
                lost += hazards.committed_records_lost;
            }
            Err(failure) => {
                let smallest = shrink(&plan, &failure.rule);
                panic!(
                    "seed {seed} breaks {}: {}\nplay it with `highwater run --seed {seed}`:\n{}",
                    failure.rule,
                    failure.found,
                    smallest.transcript()
                );
            }
        }
    }
    println!("{unclean} unclean elections lost {lost} committed records");
    assert!(last - first < SEEDS / 2 || (unclean > 0 && lost > 0), "the faults are too mild");
}

/// `HIGHWATER_SEEDS=A..B` plays others than the normal ones.
fn range() -> (u64, u64) {
    let Ok(given) = std::env::var("HIGHWATER_SEEDS") else { return (1, SEEDS) };
    let (first, last) = given.split_once("..").expect("HIGHWATER_SEEDS is like 1..500");
    (first.parse().expect("a number"), last.parse().expect("a number"))
}

/// A rule that is broken on purpose is noticed, each of them.
#[test]
fn broken_rules_are_noticed() {
    let mut unnoticed = Vec::new();
    for mutation in Mutation::ALL {
        let found = (1..=400).find_map(|seed| play(&Plan::random(seed, mutation)).err());
        match found {
            Some(failure) => println!("{mutation:?}: {}", failure.rule),
            None => unnoticed.push(mutation),
        }
    }
    assert!(unnoticed.is_empty(), "nobody noticed {unnoticed:?}");
}
