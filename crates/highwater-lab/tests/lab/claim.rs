//! What claims say of real transcripts: each field and operator, with the values that the transcript itself prints.

use highwater_lab::claim::{Claim, Expression, State, reference};
use highwater_lab::moment::Moments;
use highwater_lab::run::Run;
use highwater_lab::start::{find, play};
use highwater_shell::transcript::Transcript;

/// A played situation, to go to the moments after its commands.
struct Played {
    run: Run,
    moments: Moments,
}

impl Played {
    fn of(text: &str) -> Self {
        let transcript = Transcript::parse(text).expect("it can be read");
        let moments = Moments::of(&transcript).expect("its moments");
        Self { run: play(text).expect("it plays"), moments }
    }

    fn situation(id: &str) -> Self {
        Self::of(&find(id).expect("a situation").text)
    }

    /// Goes to the moment after that many commands.
    fn after(&mut self, commands: usize) -> &Self {
        self.run.seek_after(&self.moments, commands).expect("it was played");
        self
    }

    fn value(&self, text: &str) -> String {
        let expression = Expression::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let snapshot = self.run.snapshot();
        let state = State::new(self.run.session(), &snapshot);
        let value = expression.value(&state).map(|value| value.to_string());
        value.unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn are(&self, expected: &[(&str, &str)]) {
        for (text, value) in expected {
            assert_eq!(&self.value(text), value, "{text}");
        }
    }
}

/// `hw crash 2`, then 12 s later another leader, then broker 2 comes back.
#[test]
fn a_crash_as_claims_see_it() {
    let mut played = Played::situation("leader-crash");
    played.after(0).are(&[
        ("topics", "[]"),
        ("topic(\"parcel-events\").exists", "false"),
        ("partition(\"parcel-events-0\").leader", "none"),
        ("output", "\"\""),
        ("exit", "none"),
        ("time", "0"),
    ]);
    played.after(3).are(&[
        ("topics", "[topic(\"parcel-events\")]"),
        ("topics = [\"parcel-events\"]", "true"),
        ("topic(\"parcel-events\").name", "\"parcel-events\""),
        ("length(topic(\"parcel-events\").partitions)", "2"),
        (
            "topic(\"parcel-events\").partitions = [\"parcel-events-0\", \"parcel-events-1\"]",
            "true",
        ),
        ("length(topic(\"parcel-events\").records)", "3"),
        (
            "each r in topic(\"parcel-events\").records: r.partition",
            "[\"parcel-events-0\", \"parcel-events-0\", \"parcel-events-1\"]",
        ),
        ("each p in topic(\"parcel-events\").partitions: p.leader", "[2, 3]"),
        ("each p in topic(\"parcel-events\").partitions: p.replicas", "[[2, 3, 4], [3, 4, 1]]"),
        ("each p in topic(\"parcel-events\").partitions: p.id", "[0, 1]"),
        ("partition(\"parcel-events-0\").isr", "[2, 3, 4]"),
        ("partition(\"parcel-events-0\").epoch", "0"),
        ("partition(\"parcel-events-0\").start", "0"),
        ("partition(\"parcel-events-0\").end", "2"),
        ("partition(\"parcel-events-0\").name", "\"parcel-events-0\""),
        ("each r in partition(\"parcel-events-0\").records: r.key", "[\"locker-1\", \"locker-1\"]"),
        (
            "each r in partition(\"parcel-events-0\").records: r.value",
            "[\"PARCEL_DROPPED\", \"CODE_SENT\"]",
        ),
        ("each r in partition(\"parcel-events-0\").records: r.offset", "[0, 1]"),
        ("brokers", "[broker(1), broker(2), broker(3), broker(4)]"),
        ("brokers = [1, 2, 3, 4]", "true"),
        ("each b in brokers: b.state", "[\"up\", \"up\", \"up\", \"up\"]"),
        ("exit", "0"),
    ]);
}

/// The fourth command is the crash.
#[test]
fn another_leader_as_claims_see_it() {
    let mut played = Played::situation("leader-crash");
    played.after(4).are(&[
        ("broker(2).state", "\"down\""),
        ("broker(2).up", "false"),
        ("broker(2).id", "2"),
        ("broker(9).exists", "false"),
        ("partition(\"parcel-events-0\").leader", "2"),
        ("replica(\"parcel-events-0\", 2).hw", "none"),
        ("replica(\"parcel-events-0\", 3).end", "2"),
    ]);
    played.after(6).are(&[
        ("output contains \"Partition: 0\\tLeader: 2\"", "true"),
        ("length(lines)", "3"),
        ("lines contains \"Topic\"", "false"),
        ("any line in lines: line contains \"PartitionCount: 2\"", "true"),
    ]);
    played.after(8).are(&[
        ("partition(\"parcel-events-0\").leader", "3"),
        ("partition(\"parcel-events-0\").isr", "[3, 4]"),
        ("partition(\"parcel-events-0\").epoch", "1"),
        ("partition(\"parcel-events-0\").hw", "3"),
        ("replica(\"parcel-events-0\", 2).end", "2"),
        ("partition(\"parcel-events-0\").replica(2).lag", "1"),
        ("replica(\"parcel-events-0\", 4).lag", "0"),
        ("replica(\"parcel-events-0\", 1).exists", "false"),
        ("replica(\"parcel-events-0\", 1).end", "none"),
        ("record(\"parcel-events-0\", 2).value", "\"PARCEL_COLLECTED\""),
        ("record(\"parcel-events-0\", 2).readable", "true"),
        ("record(\"parcel-events-0\", 3).exists", "false"),
        ("record(\"parcel-events-0\", 3).readable", "false"),
        ("record(\"parcel-events-0\", 3).value", "none"),
        ("partition(\"parcel-events-0\").record(0).timestamp = record(\"parcel-events-0\", 0).timestamp", "true"),
    ]);
    let end = played.moments.commands();
    played.after(end).are(&[
        ("hazards.lost", "0"),
        ("broker(2).up", "true"),
        ("replica(\"parcel-events-0\", 3).epoch = partition(\"parcel-events-0\").epoch", "true"),
        (
            "each r in replica(\"parcel-events-0\", 2).records: r.value",
            "[\"PARCEL_DROPPED\", \"CODE_SENT\", \"PARCEL_COLLECTED\"]",
        ),
        ("replica(\"parcel-events-0\", 2).start", "0"),
        ("length(lines)", "4"),
    ]);
}

/// The member `first` dies before its commit; `second` begins anew.
#[test]
fn a_group_as_claims_see_it() {
    let mut played = Played::situation("crash-before-commit");
    played.after(2).are(&[
        ("group(\"billing\").exists", "false"),
        ("group(\"billing\").state", "none"),
        ("group(\"billing\").members", "none"),
        ("groups", "[]"),
    ]);
    // The dead member is still counted.
    played.after(6).are(&[
        ("group(\"billing\").state", "\"Stable\""),
        ("group(\"billing\").name", "\"billing\""),
        ("group(\"billing\").members = [\"first\"]", "true"),
        ("group(\"billing\").members contains \"first\"", "true"),
        ("group(\"billing\").owner(\"parcel-events-0\")", "\"first\""),
        ("group(\"billing\").owner(\"parcel-events-7\")", "none"),
        ("group(\"billing\").committed(\"parcel-events-0\")", "none"),
        ("group(\"billing\").lag", "none"),
        ("group(\"billing\").lag_of(\"parcel-events-0\")", "none"),
        (
            "each m in group(\"billing\").members: m.assigned",
            "[[partition(\"parcel-events-0\"), partition(\"parcel-events-1\")]]",
        ),
        ("all m in group(\"billing\").members: m.id contains m.name + \"-\"", "true"),
        ("group(\"billing\").coordinator in brokers", "true"),
        ("group(\"billing\").generation", "1"),
    ]);
    let end = played.moments.commands();
    played.after(end).are(&[
        ("groups = [\"billing\"]", "true"),
        ("group(\"billing\").members = [\"second\"]", "true"),
        ("group(\"billing\").committed(\"parcel-events-0\")", "4"),
        ("group(\"billing\").lag", "0"),
        ("hazards.redelivered", "4"),
        ("hazards.skipped", "0"),
        ("sum p in topic(\"parcel-events\").partitions: p.end", "4"),
        (
            "each p in topic(\"parcel-events\").partitions: group(\"billing\").committed(p)",
            "[4, 0]",
        ),
    ]);
}

#[test]
fn lag_and_refusals_and_losses() {
    let mut hot = Played::situation("hot-key");
    hot.after(9).are(&[
        ("group(\"billing\").lag", "5"),
        ("group(\"billing\").lag_of(\"parcel-events-1\")", "5"),
        ("group(\"billing\").lag_of(\"parcel-events-0\")", "0"),
        ("group(\"billing\").members = [\"anna\", \"ben\"]", "true"),
        ("group(\"billing\").owner(\"parcel-events-1\")", "\"ben\""),
    ]);
    let mut refused = Played::situation("min-isr-refused");
    refused.after(9).are(&[
        ("output", "\"parcel-events:0:1\\nparcel-events:1:2\""),
        ("partition(\"parcel-events-0\").hw", "1"),
        ("partition(\"parcel-events-0\").end", "2"),
        ("record(\"parcel-events-0\", 1).exists", "true"),
        ("record(\"parcel-events-0\", 1).readable", "false"),
        ("setting(\"topics\", \"parcel-events\", \"min.insync.replicas\")", "\"2\""),
        ("number(setting(\"topics\", \"parcel-events\", \"min.insync.replicas\")) > length(partition(\"parcel-events-0\").isr)", "true"),
        ("setting(\"topics\", \"parcel-events\", \"cleanup.policy\")", "\"delete\""),
        ("setting(\"topics\", \"nothing\", \"cleanup.policy\")", "none"),
        ("setting(\"brokers\", \"1\", \"num.io.threads\")", "\"8\""),
    ]);
    let mut lost = Played::situation("unclean-loss");
    let end = lost.moments.commands();
    lost.after(end).are(&[
        ("hazards.lost_committed", "2"),
        ("hazards.lost", "2"),
        ("hazards.lost_acknowledged + hazards.lost_overtaken + hazards.lost_unanswered", "0"),
        ("hazards.duplicated + hazards.reordered + hazards.too_late", "0"),
    ]);
    let mut retention = Played::situation("retention-overtakes-reader");
    let end = retention.moments.commands();
    retention.after(end).are(&[
        ("hazards.skipped", "2"),
        ("partition(\"parcel-events-0\").start", "6"),
        ("record(\"parcel-events-0\", 5).exists", "false"),
        ("record(\"parcel-events-0\", 6).value", "\"PARCEL_COLLECTED\""),
    ]);
}

/// Keys and values may be null; a reader keeps its place under its name; a command has an exit status.
#[test]
fn records_readers_and_the_terminal() {
    let played = Played::of(
        "$ kafka-topics.sh --bootstrap-server localhost:9092 --create --topic orders\n\
         $ hw produce --topic orders --value one\n\
         $ hw produce --topic orders --key k\n\
         $ hw consume --as anna --topic orders --partition 0 --max 1\n\
         $ ls nothing\n",
    );
    played.are(&[
        ("record(\"orders-0\", 0).key", "none"),
        ("record(\"orders-0\", 0).value", "\"one\""),
        ("record(\"orders-0\", 1).key", "\"k\""),
        ("record(\"orders-0\", 1).value", "none"),
        ("readers = [\"anna\"]", "true"),
        ("reader(\"anna\").exists", "true"),
        ("reader(\"ben\").exists", "false"),
        ("reader(\"anna\").position(\"orders-0\")", "1"),
        ("reader(\"anna\").position(\"orders-1\")", "none"),
        ("exit", "2"),
        ("output contains \"nothing\"", "true"),
    ]);
    assert_ne!(played.value("time"), "0");
}

/// Which partition a key gets is what `hw partition` says.
#[test]
fn partitions_of_keys() {
    let played = Played::of(
        "$ hw partition --client java --partitions 3 locker-7 locker-1 | grep '  partition'\n",
    );
    let java = |key: &str| played.value(&format!("partition_of(\"{key}\", 3, \"java\")"));
    assert_eq!(
        played.value("output"),
        format!("\"  partition {}\\n  partition {}\"", java("locker-7"), java("locker-1"))
    );
    played.are(&[
        ("partition_of(\"locker-7\", 2, \"java\")", "1"),
        ("partition_of(\"locker-7\", 3, \"java\")", "0"),
        ("partition_of(\"a\", 1, \"sarama\")", "0"),
        ("partition_of(\"a\", 5, \"java:ignore-keys\")", "none"),
        // What is divided, as `hw partition` prints it: without its sign bit, as it is, without its sign.
        ("hash_of(\"EmailID-1001\", \"java\")", "704557963"),
        ("hash_of(\"locker-1\", \"librdkafka\")", "3580071139"),
        ("hash_of(\"locker-1\", \"kafka-go:hash\")", "1080532485"),
        ("hash_of(\"locker-1\", \"java\") % 3 = partition_of(\"locker-1\", 3, \"java\")", "true"),
        ("hash_of(\"a\", \"java:ignore-keys\")", "none"),
    ]);
}

/// Every operator, on values that need no run.
#[test]
fn operators() {
    let played = Played::of("$ echo hello\n");
    played.are(&[
        ("1 + 2 * 3", "7"),
        ("(1 + 2) * 3", "9"),
        ("7 - 2 - 1", "4"),
        ("7 % 3", "1"),
        ("-7 % 3", "2"),
        ("- (2 + 1)", "-3"),
        ("\"a\" + \"b\"", "\"ab\""),
        ("[1] + [2, 3]", "[1, 2, 3]"),
        ("[] + [1]", "[1]"),
        ("1 = 1", "true"),
        ("1 != 1", "false"),
        ("1 < 2 and 2 <= 2 and 3 > 2 and 2 >= 2", "true"),
        ("2 < 2 or 2 > 2 or 3 <= 2 or 2 >= 3", "false"),
        ("\"a\" < \"b\"", "true"),
        ("none = none", "true"),
        ("1 = none", "false"),
        ("[1, 2] = [1, 2]", "true"),
        ("[1, 2] = [2, 1]", "false"),
        ("[1] = []", "false"),
        ("[] = []", "true"),
        ("2 in [1, 2]", "true"),
        ("none in [1, none]", "true"),
        ("[1, 2] contains 3", "false"),
        ("\"ell\" in output", "true"),
        ("output contains \"x\"", "false"),
        ("not 1 = 2", "true"),
        ("not true or true", "true"),
        ("true or true and false", "true"),
        ("all x in [1, 2]: x > 0", "true"),
        ("all x in []: x > 0", "true"),
        ("any x in [1, 2]: x > 1", "true"),
        ("any x in []: x > 1", "false"),
        ("count x in [1, 2, 3]: x > 1", "2"),
        ("(count x in [1, 2, 3]: x > 1) = 2", "true"),
        ("each x in [1, 2]: x * x", "[1, 4]"),
        ("only x in [1, 2, 3]: x % 2 = 1", "[1, 3]"),
        ("sum x in [1, 2, 3]: x", "6"),
        ("each x in [1, 2]: each y in [x, 10]: x * y", "[[1, 10], [4, 20]]"),
        ("each x in [1]: each x in [2]: x", "[[2]]"),
        ("length(\"h\u{e9}llo\")", "5"),
        ("length([1, 2])", "2"),
        ("number(\"12\")", "12"),
        ("number(\"twelve\")", "none"),
        ("in_order([1, 1, 2])", "true"),
        ("in_order([\"b\", \"a\"])", "false"),
        ("in_order([broker(1), broker(2)]) and not in_order([broker(2), broker(1)])", "true"),
        ("unique([1, 2, 1])", "[1, 2]"),
        ("\"say \\\"hi\\\" \\\\ \\t\"", "\"say \\\"hi\\\" \\\\ \\t\""),
        // The right side is not asked when the left one decides.
        ("partition(\"orders-0\").hw != none and partition(\"orders-0\").hw < 3", "false"),
        ("partition(\"orders-0\").hw = none or partition(\"orders-0\").hw < 3", "true"),
    ]);
}

/// What decides is told, with what it is.
#[test]
fn explanations() {
    let mut played = Played::situation("leader-crash");
    let because = |played: &Played, text: &str| {
        let claim = Claim::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let told = claim.explain(&played.run).expect("it has an answer");
        assert_eq!(claim.holds(&played.run), Ok(told.holds), "{text}");
        (told.holds, told.to_string(), told.missing.join("; "))
    };
    played.after(8);
    for (text, holds, expected) in [
        (
            "partition(\"parcel-events-0\").hw = 4",
            false,
            "partition(\"parcel-events-0\").hw is 3, not 4",
        ),
        ("partition(\"parcel-events-0\").hw = 3", true, "partition(\"parcel-events-0\").hw is 3"),
        (
            "not partition(\"parcel-events-0\").hw = 3",
            false,
            "partition(\"parcel-events-0\").hw is 3",
        ),
        (
            "partition(\"parcel-events-0\").epoch > 1",
            false,
            "partition(\"parcel-events-0\").epoch is 1, not more than 1",
        ),
        (
            "partition(\"parcel-events-0\").epoch < 2",
            true,
            "partition(\"parcel-events-0\").epoch is 1, less than 2",
        ),
        (
            "2 in partition(\"parcel-events-0\").isr",
            false,
            "2 is not in partition(\"parcel-events-0\").isr, which is [3, 4]",
        ),
        (
            "partition(\"parcel-events-0\").hw = partition(\"parcel-events-1\").hw",
            false,
            "partition(\"parcel-events-0\").hw is 3, not partition(\"parcel-events-1\").hw, which is 1",
        ),
        ("broker(1).up and broker(2).up and broker(3).up", false, "broker(2).up is false"),
        ("broker(2).up or broker(1).up", true, "broker(1).up is true"),
        ("broker(2).up or 1 = 2", false, "broker(2).up is false; 1 is 1, not 2"),
        ("all b in brokers: b.up", false, "with b = broker(2): b.up is false"),
        ("any b in brokers: b.state = \"down\"", true, "with b = broker(2): b.state is \"down\""),
        ("all b in brokers: b.id > 0", true, "b.id > 0 for each b in brokers: 4 of them"),
        ("any b in brokers: b.id > 4", false, "b.id > 4 for no b in brokers: there are 4"),
        ("all t in groups: t.lag = 0", true, "t.lag = 0 for each t in groups: 1 of them"),
        ("any x in []: x", false, "[] is empty"),
        ("in_order([1, 3, 2])", false, "in_order([1, 3, 2]) is false: 3 comes before 2"),
    ] {
        let found = because(&played, text);
        assert_eq!((found.0, found.1.as_str()), (holds, expected), "{text}");
    }
    let found = because(&played, "partition(\"parcel-event-0\").hw = 3");
    let expected = (
        false,
        "partition(\"parcel-event-0\").hw is none, not 3".to_owned(),
        "partition(\"parcel-event-0\")".to_owned(),
    );
    assert_eq!(found, expected);
    assert_eq!(
        because(&played, "topic(\"x\").exists").2,
        "",
        "asking whether it exists is no mistake"
    );
}

/// The same run gives the same, also when it was gone through backwards.
#[test]
fn nothing_depends_on_how_one_came_there() {
    let texts = [
        "each b in brokers: b.state",
        "each t in topics: each p in t.partitions: p.isr",
        "output",
        "time",
        "each g in groups: g.state",
    ];
    let (mut one, mut other) =
        (Played::situation("zombie-leader"), Played::situation("zombie-leader"));
    let count = one.moments.commands();
    let there: Vec<Vec<String>> =
        (0..=count).map(|n| texts.iter().map(|text| one.after(n).value(text)).collect()).collect();
    for n in (0..=count).rev() {
        let found: Vec<String> = texts.iter().map(|text| other.after(n).value(text)).collect();
        assert_eq!(found, there[n], "after {n} commands");
    }
}

/// A page looks at a task's goal after every deed.
#[test]
fn a_claim_is_looked_at_in_no_time() {
    let mut played = Played::situation("leader-crash");
    let end = played.moments.commands();
    played.after(end);
    let claim = Claim::parse(
        "broker(2).up and partition(\"parcel-events-0\").isr = [3, 4, 2] or group(\"billing\").lag = 0 \
         and all p in topic(\"parcel-events\").partitions: p.hw = p.end and p.leader in p.isr",
    )
    .expect("a claim");
    let snapshot = played.run.snapshot();
    let state = State::new(played.run.session(), &snapshot);
    // The best of some rounds: other work on the machine does not count.
    let round = || {
        let start = std::time::Instant::now();
        for _ in 0..200 {
            assert!(claim.holds_at(&state).is_ok());
        }
        start.elapsed() / 200
    };
    let best = (0..20).map(|_| round()).min().unwrap_or_default();
    println!("a claim: {best:?}");
    assert!(best.as_micros() < 50, "{best:?}");
}

/// The authors' guide tells of everything that can be asked.
#[test]
fn the_guide_has_everything_that_can_be_asked() {
    let guide = include_str!("../../../../docs/AUTHORS.md");
    let (_, claims) = guide.split_once("## Claims").expect("the section");
    for (written, _) in reference() {
        let name = written.rsplit_once(": ").map_or(written.as_str(), |(_, name)| name);
        let name = name.split('(').next().unwrap_or_default();
        let told = [format!("`{name}`"), format!("`{name}(")];
        assert!(told.iter().any(|told| claims.contains(told)), "{written}");
    }
}
