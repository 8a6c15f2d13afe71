//! The work that clusters are given here: programs that make topics, write to them and read them, and
//! a check that every record is where it should be when they are done.

use std::rc::Rc;

use highwater_core::client::kafka_consumer::config::{ConsumerConfig, OffsetReset, Subscription};
use highwater_core::client::partitioner::ClientFamily;
use highwater_core::client::producer::{Delivery, ProducerConfig};
use highwater_core::client::{ClientCommand, ClientReply, StartAt};
use highwater_core::ids::{
    Bytes, ClientId, Offset, PartitionId, TerminalId, TopicName, TopicPartition,
};
use highwater_core::net::admin::{AdminAnswer, AdminRequest, CreatableTopic};
use highwater_core::net::message::{Acks, ProducerRecord};
use highwater_core::replication::partition::Partition;
use highwater_core::scope::Lab;
use highwater_core::time::SimDuration;
use highwater_core::world::options::ClusterOptions;
use highwater_core::world::process::{
    ClientSpec, FdTarget, Process, ProcessInput, ProcessOutbox, Stdio,
};
use highwater_core::world::step::Step;
use highwater_core::world::world::World;

use crate::groups;

pub(crate) const BOOTSTRAP: &str = "localhost:9092";

/// The bytes of each record's value, as in `kafka-producer-perf-test.sh --record-size 100`.
const VALUE_SIZE: usize = 100;

/// How the names of the topics begin that are written to.
const TOPICS: &str = "parcel-events-";

/// What is to be done.
#[derive(Debug)]
pub struct Plan {
    /// Brokers of the cluster.
    pub brokers: u32,
    /// Topics that are written to, all with replication factor 3.
    pub topics: u32,
    /// Partitions of each of them.
    pub partitions: i32,
    /// Partitions of one further topic that nobody writes to.
    pub idle_partitions: i32,
    /// Lines of every broker's configuration file.
    pub settings: &'static [(&'static str, &'static str)],
    /// Configuration of all topics.
    pub configs: &'static [(&'static str, &'static str)],
    /// Programs that write, each to one topic.
    pub producers: u32,
    /// How many records a producer hands over at once; it waits for all of their answers.
    pub burst: u32,
    /// How long it rests before the next burst.
    pub rest: SimDuration,
    /// How many bursts there are of each producer.
    pub bursts: u32,
    /// Whether there is a consumer that reads all of it.
    pub is_read: bool,
    /// Members of a group that begins to read all of it when it is written.
    pub members: u32,
}

impl Plan {
    /// Three brokers, one partition, nothing to write.
    pub const IDLE: Self = Self {
        brokers: 3,
        topics: 1,
        partitions: 1,
        idle_partitions: 0,
        settings: &[],
        configs: &[],
        producers: 0,
        burst: 0,
        rest: SimDuration(0),
        bursts: 0,
        is_read: false,
        members: 0,
    };

    /// The cluster that it is for.
    #[must_use]
    pub fn options(&self) -> ClusterOptions {
        ClusterOptions {
            brokers: self.brokers,
            broker_settings: Rc::new(owned(self.settings)),
            ..ClusterOptions::default()
        }
    }

    /// All records that its producers write.
    #[must_use]
    pub fn records(&self) -> u64 {
        u64::from(self.producers) * u64::from(self.burst) * u64::from(self.bursts)
    }

    pub(crate) fn topic(&self, number: u32) -> TopicName {
        TopicName::new(&format!("{TOPICS}{}", number % self.topics))
    }
}

/// A producer that never rests for long, and logs that keep 2 MB: old segments go every ten seconds.
pub const WITH_RETENTION: Plan = Plan {
    settings: &[("log.retention.check.interval.ms", "10000")],
    configs: &[("retention.bytes", "2000000"), ("segment.bytes", "1048576")],
    producers: 1,
    burst: 50,
    rest: SimDuration::from_millis(100),
    bursts: u32::MAX,
    is_read: true,
    ..Plan::IDLE
};

/// A program.
#[derive(Clone, Debug)]
pub enum Load {
    /// Makes the topics, then starts the others and waits for them.
    Director(Director),
    /// Writes.
    Producer(Producer),
    /// Reads all topics.
    Reader(Reader),
    /// Reads what its group gives it, and never ends.
    Member(&'static Plan),
}

/// Makes the topics and starts the others.
#[derive(Clone, Debug)]
pub struct Director {
    plan: &'static Plan,
    missing: u32,
    running: u32,
    has_begun: bool,
}

/// Writes bursts of records.
#[derive(Clone, Debug)]
pub struct Producer {
    plan: &'static Plan,
    number: u32,
    client: Option<ClientId>,
    topic: TopicName,
    keys: Rc<Vec<Bytes>>,
    values: Rc<Vec<Bytes>>,
    sent: u64,
    waits_for: u32,
    bursts: u32,
}

/// Reads until it has all.
#[derive(Clone, Debug)]
pub struct Reader {
    plan: &'static Plan,
    client: Option<ClientId>,
    read: u64,
}

pub(crate) type Out<'a> = ProcessOutbox<'a, Load>;

impl Load {
    /// The program that starts all others.
    #[must_use]
    pub fn begin(plan: &'static Plan) -> Self {
        Self::Director(Director { plan, missing: 0, running: 0, has_begun: false })
    }

    fn is_done(&self) -> bool {
        matches!(self, Self::Director(it) if it.missing == 0 && it.running == 0)
    }
}

impl Process for Load {
    fn name(&self) -> &'static str {
        "load"
    }

    fn handle(&mut self, input: &ProcessInput, out: &mut Out<'_>) {
        match self {
            Self::Director(it) => it.handle(input, out),
            Self::Producer(it) => it.handle(input, out),
            Self::Reader(it) => it.handle(input, out),
            Self::Member(plan) => groups::handle_member(plan, input, out),
        }
    }
}

impl Director {
    fn handle(&mut self, input: &ProcessInput, out: &mut Out<'_>) {
        match input {
            ProcessInput::Started { .. } => self.make_topics(out),
            ProcessInput::Reply(_, ClientReply::Answer(answer)) => {
                assert!(matches!(&**answer, AdminAnswer::TopicCreated(Ok(_))), "{answer:?}");
                self.missing -= 1;
                if self.missing == 0 {
                    // Followers must have heard of their leaders: metadata takes two round trips.
                    out.wait(SimDuration::from_millis(100), 0);
                    self.running = 1;
                }
            }
            ProcessInput::Timer(_) => self.start_others(out),
            ProcessInput::ChildExited(..) => {
                self.running -= 1;
                if self.running == 0 {
                    self.start_members(out);
                }
            }
            _ => {}
        }
    }

    fn make_topics(&mut self, out: &mut Out<'_>) {
        let mut topics: Vec<(TopicName, i32)> = Vec::new();
        for number in 0..self.plan.topics {
            topics.push((self.plan.topic(number), self.plan.partitions));
        }
        if self.plan.idle_partitions > 0 {
            topics.push((TopicName::new("nobody-writes"), self.plan.idle_partitions));
        }
        let configs = owned(self.plan.configs);
        for (name, partitions) in topics {
            // An admin client asks for one thing at a time.
            let (bootstrap, client_id) = (BOOTSTRAP.to_owned(), "admin".to_owned());
            let admin = out.open(ClientSpec::Admin { bootstrap, client_id });
            let topic = CreatableTopic {
                name,
                partitions: Some(partitions),
                replication_factor: Some(3),
                assignment: Vec::new(),
                configs: configs.clone(),
            };
            out.command(admin, ClientCommand::Ask(Rc::new(AdminRequest::CreateTopic(topic))));
            self.missing += 1;
        }
    }

    fn start_others(&mut self, out: &mut Out<'_>) {
        let plan = self.plan;
        self.has_begun = true;
        let nowhere = FdTarget::Null;
        let stdio = Stdio { stdin: nowhere, stdout: nowhere, stderr: nowhere };
        self.running = plan.producers + u32::from(plan.is_read);
        if self.running == 0 {
            self.start_members(out);
        }
        if plan.is_read {
            out.spawn(Load::Reader(Reader { plan, client: None, read: 0 }), stdio);
        }
        let keys: Vec<Bytes> =
            (0..1_000).map(|n| Bytes::from(format!("locker-{n}").as_bytes())).collect();
        let value = |n: u8| Bytes::from([n; VALUE_SIZE]);
        let (keys, values) = (Rc::new(keys), Rc::new((b'a'..=b'z').map(value).collect()));
        for number in 0..plan.producers {
            let producer = Producer {
                plan,
                number,
                client: None,
                topic: plan.topic(number),
                keys: Rc::clone(&keys),
                values: Rc::clone(&values),
                sent: 0,
                waits_for: 0,
                bursts: 0,
            };
            out.spawn(Load::Producer(producer), stdio);
        }
    }
}

impl Director {
    fn start_members(&self, out: &mut Out<'_>) {
        let nowhere = FdTarget::Null;
        let stdio = Stdio { stdin: nowhere, stdout: nowhere, stderr: nowhere };
        for _ in 0..self.plan.members {
            out.spawn(Load::Member(self.plan), stdio);
        }
    }
}

impl Producer {
    fn handle(&mut self, input: &ProcessInput, out: &mut Out<'_>) {
        match input {
            ProcessInput::Started { .. } => {
                let config = ProducerConfig {
                    family: ClientFamily::Java,
                    client_id: "producer".to_owned(),
                    acks: Acks::All,
                    linger_ms: 0,
                    // A burst goes into one batch, however large.
                    batch_size: 1 << 20,
                    retries: i32::MAX.unsigned_abs(),
                    delivery: Lab::new(Delivery::of(ClientFamily::Java)),
                };
                let bootstrap = BOOTSTRAP.to_owned();
                self.client = Some(out.open(ClientSpec::Producer { bootstrap, config }));
                self.burst(out);
            }
            ProcessInput::Timer(_) => self.burst(out),
            ProcessInput::Reply(client, ClientReply::Sent(sent)) => {
                assert!(sent.result.is_ok(), "{sent:?}");
                self.waits_for -= 1;
                if self.waits_for == 0 {
                    self.go_on(*client, out);
                }
            }
            ProcessInput::Reply(_, ClientReply::Closed) => out.exit(0),
            _ => {}
        }
    }

    fn go_on(&mut self, client: ClientId, out: &mut Out<'_>) {
        if self.bursts == self.plan.bursts {
            out.command(client, ClientCommand::Close);
        } else if self.plan.rest.0 > 0 {
            out.wait(self.plan.rest, 0);
        } else {
            self.burst(out);
        }
    }

    fn burst(&mut self, out: &mut Out<'_>) {
        let Some(client) = self.client else { return };
        for _ in 0..self.plan.burst {
            let number = self.sent + u64::from(self.number) * 7;
            let pick = |from: &Rc<Vec<Bytes>>| {
                let place = number.wrapping_mul(31) % from.len() as u64;
                from.get(place as usize).cloned()
            };
            let record = ProducerRecord {
                topic: self.topic.clone(),
                partition: None,
                key: pick(&self.keys),
                value: pick(&self.values),
                headers: Vec::new(),
            };
            out.command(client, ClientCommand::Send(Rc::new(record)));
            self.sent += 1;
        }
        self.waits_for = self.plan.burst;
        self.bursts += 1;
    }
}

impl Reader {
    fn handle(&mut self, input: &ProcessInput, out: &mut Out<'_>) {
        match input {
            ProcessInput::Started { .. } => {
                let config = Rc::new(ConsumerConfig {
                    client_id: "reader".to_owned(),
                    auto_offset_reset: OffsetReset::Earliest,
                    ..ConsumerConfig::default()
                });
                let consumer = ClientSpec::Consumer(Lab::new((BOOTSTRAP.to_owned(), config)));
                let client = out.open(consumer);
                let mut partitions = Vec::new();
                for topic in (0..self.plan.topics).map(|number| self.plan.topic(number)) {
                    for number in 0..self.plan.partitions {
                        let which = TopicPartition::new(&topic, PartitionId(number));
                        partitions.push((which, Some(StartAt::Earliest)));
                    }
                }
                let all = Subscription::Assigned(partitions);
                out.command(client, ClientCommand::Subscribe(Lab::new(all)));
                out.command(client, ClientCommand::PollFor(None));
                self.client = Some(client);
            }
            ProcessInput::Reply(client, ClientReply::Polled(records)) => {
                self.read += records.known().len() as u64;
                if self.read < self.plan.records() {
                    out.command(*client, ClientCommand::PollFor(None));
                } else {
                    out.exit(0);
                }
            }
            ProcessInput::Reply(_, ClientReply::PollFailed(error)) => panic!("{error:?}"),
            _ => {}
        }
    }
}

fn owned(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

/// A cluster that is about to do what the plan says.
///
/// # Panics
/// There is no such cluster.
#[must_use]
pub fn cluster(plan: &'static Plan) -> World<Load> {
    let mut world = World::new(plan.options()).expect("valid options");
    world.open_terminal(Load::begin(plan));
    world
}

/// Whether all programs have ended.
#[must_use]
pub fn is_done(world: &World<Load>) -> bool {
    world.shell(TerminalId(1)).is_some_and(Load::is_done)
}

/// Lets its programs run to their end, and no longer: the next thing after it may be days away. `look`
/// sees each step before it is taken.
///
/// # Panics
/// They do not come to their end.
pub fn run_looking(world: &mut World<Load>, mut look: impl FnMut(&Step)) {
    let mut end = world.now();
    let last = end + SimDuration::from_millis(24 * 60 * 60 * 1_000);
    while !is_done(world) {
        assert!(end < last, "the programs hang");
        end = end + SimDuration::from_millis(1);
        while let Some((due, step)) = world.next()
            && due <= end
        {
            look(step);
            world.step();
        }
        world.drain_events().for_each(drop);
    }
}

/// Lets its topics come into being, until the programs begin that write and read.
///
/// # Panics
/// They never begin.
pub fn prepare(world: &mut World<Load>) {
    let has_begun =
        |shell: Option<&Load>| matches!(shell, Some(Load::Director(it)) if it.has_begun);
    while !has_begun(world.shell(TerminalId(1))) {
        assert!(world.step(), "nothing happens any more");
    }
    world.take_events();
}

/// Lets its programs run to their end.
pub fn run(world: &mut World<Load>) {
    run_looking(world, |_| {});
}

/// The replicas of what the programs write to. A group of readers writes too, to `__consumer_offsets`:
/// its records are nobody's here.
fn replicas(world: &World<Load>) -> impl Iterator<Item = &Rc<Partition>> {
    let all = world.brokers().values().flat_map(|broker| broker.partitions().iter());
    let ours = |which: &TopicPartition| which.topic.as_str().starts_with(TOPICS);
    all.filter(move |(which, _)| ours(which)).map(|(_, partition)| partition)
}

/// How many records the leaders' logs have taken.
#[must_use]
pub fn written(world: &World<Load>) -> u64 {
    let leaders = replicas(world).filter(|partition| partition.is_leader());
    leaders.map(|leader| u64::try_from(leader.log().log_end_offset().0).unwrap_or(0)).sum()
}

/// Every record is in the logs of all three replicas of its partition, and committed.
///
/// # Panics
/// It is not so.
pub fn check(world: &World<Load>, records: u64) {
    let wanted = i64::try_from(records).expect("few records");
    let (mut ends, mut committed, mut count) = (0, 0, 0);
    for partition in replicas(world) {
        let Offset(end) = partition.log().log_end_offset();
        ends += end;
        count += 1;
        if partition.is_leader() {
            committed += partition.high_watermark().0;
        }
        let batches = partition.log().segments().flat_map(|segment| segment.batches());
        let held: i64 = batches.map(|batch| i64::from(batch.count())).sum();
        assert_eq!(held, end - partition.log().log_start_offset().0, "records are missing");
    }
    assert!(count > 0, "no partition at all");
    assert_eq!((ends, committed), (3 * wanted, wanted), "in the logs, and committed");
}
