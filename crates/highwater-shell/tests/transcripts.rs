//! Transcripts recorded from real Kafka, and six that show what producers and groups risk (`hazards`): the
//! simulator prints the same, at three tool start-ups and ten seeds.

use highwater_core::time::SimDuration;
use highwater_core::world::options::ClusterOptions;
use highwater_shell::session::play;
use highwater_shell::transcript::Transcript;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Plays the first `commands` commands of a transcript and compares each with the recording.
fn check(name: &str, text: &str, commands: usize) {
    let mut transcript = Transcript::parse(text).expect("the transcript can be read");
    assert!(transcript.blocks.len() >= commands, "{name} has fewer commands");
    transcript.blocks.truncate(commands);
    check_blocks(name, &transcript);
}

/// Plays a transcript and compares each of its commands with the recording.
fn check_blocks(name: &str, transcript: &Transcript) {
    for tool_start in [600, 1_000, 2_000] {
        for seed in 1..=10 {
            let options = ClusterOptions {
                seed,
                tool_start: SimDuration::from_millis(tool_start),
                ..ClusterOptions::default()
            };
            let outcomes = play(transcript, &options).expect("the cluster can be made");
            for (block, outcome) in transcript.blocks.iter().zip(outcomes) {
                if let Err(diff) = block.compare(&outcome.output, outcome.exit) {
                    panic!(
                        "{name}:{}, seed {seed}, tools start in {tool_start} ms\n$ {}\n{diff}",
                        block.line, block.command
                    );
                }
            }
        }
    }
}

/// All of a transcript.
fn check_all(name: &str, text: &str) {
    let commands = Transcript::parse(text).expect("the transcript can be read").blocks.len();
    assert!(commands > 40);
    check(name, text, commands);
}

/// The Java producer's partitioners: `RoundRobinPartitioner`, keys that are ignored, a burst without keys, bad
/// settings, partitions without a leader.
#[test]
fn partitioners() {
    let text = include_str!("../../../tests/transcripts/recorded/partitioners.console");
    check_all("partitioners.console", text);
}

/// Bad options and bad input of the three tools.
#[test]
fn option_errors() {
    let text = include_str!("../../../tests/transcripts/recorded/option-errors.console");
    check_all("option-errors.console", text);
}

/// Many topics: order, patterns, names, settings of every kind.
#[test]
fn topics() {
    let text = include_str!("../../../tests/transcripts/recorded/topics.console");
    check_all("topics.console", text);
}

/// Lines of every shape, and where their records went.
#[test]
fn lines() {
    let text = include_str!("../../../tests/transcripts/recorded/lines.console");
    check_all("lines.console", text);
}

/// All of a transcript, however short.
fn check_whole(name: &str, text: &str) {
    let commands = Transcript::parse(text).expect("the transcript can be read").blocks.len();
    check(name, text, commands);
}

macro_rules! whole {
    ($($(#[$about:meta])* $test:ident: $name:literal,)+) => {
        $($(#[$about])*
        #[test]
        fn $test() {
            check_whole($name, include_str!(concat!("../../../tests/transcripts/", $name)));
        })+
    };
}

whole! {
    /// Topics are made, listed, described, altered, deleted.
    topics_of_the_oracle: "kafka/01-topics.console",
    /// What `kafka-topics.sh` says when something is wrong.
    topic_errors: "kafka/02-topic-errors.console",
    /// Where partitions end, begin and reach a time.
    get_offsets: "kafka/05-get-offsets.console",
    /// The leader's broker dies, comes back, and others stop in order.
    failover: "kafka/11-failover.console",
    /// The only in-sync replica dies: waiting or losing data is a choice.
    unclean: "kafka/13-unclean.console",
    /// The start of a log is moved; offsets never start over.
    delete_records_of_the_oracle: "kafka/15-delete-records.console",
    /// Whole old segments go, by time and by size.
    retention: "kafka/16-retention.console",
    /// Settings of topics and brokers.
    configs: "kafka/18-configs.console",
    /// Too few in-sync replicas: what is refused, what is taken, what can be read.
    min_isr: "kafka/12-min-isr.console",
    /// Eligible leader replicas; a consumer reads what they kept.
    elr: "kafka/14-elr.console",
    /// Compaction, as a consumer sees it.
    compaction: "kafka/17-compaction.console",
    /// A broker that hung and woke up: nothing is lost.
    zombie: "kafka/25-zombie.console",
    /// The console producer, and what a consumer without a named group reads.
    producer: "kafka/04-producer.console",
    /// Settings of consumers in groups that make no sense.
    consumer_settings: "recorded/consumer-settings.console",
    /// Keys decide partitions, also after there are more of them.
    keys_of_the_oracle: "kafka/03-keys.console",
    /// Two groups read one log at their own pace.
    two_readers: "kafka/06-two-readers.console",
    /// Three static members; one is closed, and its session ends.
    group_range: "kafka/07-group-range.console",
    /// Dynamic members come, go in good order, and are killed.
    group_dynamic: "kafka/08-group-dynamic.console",
    /// All four assignors of the client, and a third member.
    assignors: "kafka/09-assignors.console",
    /// One broker: a laptop.
    single_broker: "kafka/26-single-broker.console",
    /// Work that was read and not committed is read again.
    regroup_committed: "kafka/27-regroup-committed.console",
    /// Two members with one `group.instance.id`: the older one ends.
    fenced_member: "recorded/fenced-member.console",
    /// Deserializers that fit and one that does not.
    serialization: "kafka/28-serialization.console",
    /// Partitions move to other brokers.
    reassignments: "kafka/20-reassign.console",
    /// What the metadata quorum says of itself, and options that make no sense.
    quorum: "recorded/quorum.console",
    /// A broker that is gone for good is forgotten.
    quorum_forgets: "recorded/quorum-forgets.console",
    /// The metadata quorum, folders, ids, features, versions of requests.
    quorum_and_logs: "kafka/21-quorum-and-logs.console",
    /// What is on disk.
    dump_log_of_the_oracle: "kafka/22-dump-log.console",
    /// Moves that are under way: second ones, cancelled ones, throttled ones, those that go back.
    reassign: "recorded/reassign.console",
    /// Options and files that make no sense for moves.
    reassign_options: "recorded/reassign-options.console",
    /// A replica that was taken away and is still eligible.
    reassign_stranger: "recorded/reassign-stranger.console",
    /// A member hangs for longer than its session: another one takes over, and both have read the same.
    hanging_member: "recorded/hanging-member.console",
    /// Jobs in a list: how bash prints their commands.
    jobs: "recorded/jobs.console",
    /// Jobs that are stopped and go on.
    stopped_jobs: "recorded/stopped-jobs.console",
    /// Brokers that are stopped, or crash, before they have begun to serve.
    stop_early: "recorded/stop-early.console",
    /// Moves while brokers crash and topics go.
    reassign_faults: "recorded/reassign-faults.console",
    /// Lines of server.properties: partitions, replicas, sessions, balancing.
    server_properties: "recorded/server-properties.console",
    /// Lines of server.properties: lag, topics that do not come or go, sessions of brokers that have ended.
    lagging: "recorded/lagging.console",
    /// Folders that take no new replicas, in placement, by hand and in moves.
    cordoned: "recorded/cordoned.console",
    /// Racks of brokers: placement, proposals, members and producers in racks.
    racks: "recorded/racks.console",
    /// Lines of server.properties for one broker; racks that not all brokers have.
    racks_some: "recorded/racks-some.console",
    /// Elections of leaders: options, files of partitions, outcomes.
    leader_election: "recorded/leader-election.console",
    /// How large a record of a compressed batch may be.
    decompressed: "recorded/decompressed.console",
    /// Topics without any policy, batches of exactly the largest size, records of no bytes.
    edges: "recorded/edges.console",
    /// Kafka's own topics: who may write to them and cut them.
    internal_topics: "recorded/internal-topics.console",
    /// Records that are deleted: options, files of offsets, outcomes.
    delete_records: "recorded/delete-records.console",
    /// Settings of topics: options and errors.
    topic_configs: "recorded/topic-configs.console",
    /// The console consumer's options: formats, bounds, resets, settings, errors, signals.
    console_consumer: "recorded/console-consumer.console",
    /// Every deserializer and formatter, with bytes that fit and that do not.
    deserializers: "recorded/deserializers.console",
    /// Producers that try again, with idempotence and without; settings that fit together.
    idempotence: "recorded/idempotence.console",
    /// Numbers at their limits, texts that are no numbers, records that are too large.
    limits: "recorded/limits.console",
    /// Offsets of a group are moved in every way.
    reset_offsets_of_the_oracle: "kafka/10-reset-offsets.console",
    /// Groups with members: tables with long names, and what is refused while somebody is there.
    group_members: "recorded/group-members.console",
    /// Options of the tools of groups, and regular expressions that RE2 takes or does not.
    group_options: "recorded/group-options.console",
    /// Offsets of groups are moved, shown, exported, forgotten.
    reset_offsets: "recorded/reset-offsets.console",
    /// Coordinators that die, hang, and are not there.
    group_faults: "recorded/group-faults.console",
    /// What one request may add; which task removes old segments.
    old_segments: "recorded/old-segments.console",
    /// What a leader refuses of a producer that waits for no answer.
    acks_none: "recorded/acks-none.console",
    /// The console producer's options and its producer's settings, with what they do and what is wrong.
    producer_options: "recorded/producer-options.console",
    /// Batches that are compressed, too large, sent in parts; a memory that is too small.
    producer_batches: "recorded/producer-batches.console",
    /// Records that wait for memory, for a leader that hangs, for one that is dead.
    producer_waits: "recorded/producer-waits.console",
    /// A producer that was given the address of a broker that is gone, for good or for a while.
    producer_bootstrap: "recorded/producer-bootstrap.console",
    /// What clients log again and again while no broker is there.
    brokers_gone: "recorded/brokers-gone.console",
    /// A log that has lost what consumers had read of it.
    cut_logs: "recorded/cut-logs.console",
    /// Topics that grow, go and come back while a producer writes.
    producer_topics: "recorded/producer-topics.console",
    /// A leader that changes while producers write to it, and names the new one.
    producer_leaders: "recorded/producer-leaders.console",
    /// Topics that are not there, and records that come nowhere.
    producer_missing: "recorded/producer-missing.console",
    /// The performance tool and several producers while a leader ends and comes back.
    producer_load: "recorded/producer-load.console",
    /// Followers that go and come back while producers write; records that may not wait for them.
    producer_insync: "recorded/producer-insync.console",
    /// A leader that hangs with records on their way: how many copies it finds when it wakes.
    producer_hanging: "recorded/producer-hanging.console",
    /// Producers while nobody leads, and after an unclean election.
    producer_unclean: "recorded/producer-unclean.console",
    /// Keys of several producers, turns, a topic that grows twice, partitions without a leader.
    producer_keys: "recorded/producer-keys.console",
    /// Files of brokers' folders, and what the dump prints of them.
    dump_log: "recorded/dump-log.console",
    /// Formatters of Kafka's own topics, with bytes that fit and that do not.
    formatters: "recorded/formatters.console",
    /// Features and their levels, versions of requests, where brokers listen, folders.
    features: "recorded/features.console",
    /// The verifiable producer.
    verifiable_producer: "recorded/verifiable-producer.console",
    /// The producer's performance tool: its lines without their numbers, and its complaints.
    producer_perf_test: "recorded/producer-perf-test.console",
    /// Whose clock a record carries, and where a moment leads to.
    clock: "recorded/clock.console",
    /// When compaction may and must come, and compaction with deletion.
    compaction_rules: "recorded/compaction-rules.console",
    /// Who compresses: the producer or the topic.
    compressed_topics: "recorded/compressed-topics.console",
    /// The start of a log is moved under groups that had not read that far.
    cut_start: "recorded/cut-start.console",
    /// What groups keep of a topic that is deleted, and what they find when it is made again.
    deleted_topic_groups: "recorded/deleted-topic-groups.console",
    /// The least number of in-sync replicas is changed while brokers are down.
    live_min_isr: "recorded/live-min-isr.console",
    /// Retention is changed on topics in use.
    live_retention: "recorded/live-retention.console",
    /// How large a record may be is changed on a live topic.
    live_sizes: "recorded/live-sizes.console",
    /// Several groups take their parts of one topic.
    many_groups: "recorded/many-groups.console",
    /// Kafka's tools in pipes, with their exit statuses.
    pipelines: "recorded/pipelines.console",
    /// Unclean elections are allowed while partitions have no leader.
    unclean_live: "recorded/unclean-live.console",
    /// The verifiable producer while replicas are missing.
    verifiable_acks: "recorded/verifiable-acks.console",
}

/// Settings of brokers.
#[test]
fn broker_configs() {
    let text = include_str!("../../../tests/transcripts/recorded/broker-configs.console");
    check_all("broker-configs.console", text);
}

/// Every recording is played here, but the one of a tool that does not exist yet.
#[cfg(not(target_arch = "wasm32"))]
#[test]
fn no_recording_is_left_out() {
    let played = include_str!("transcripts.rs");
    for folder in ["kafka", "recorded"] {
        let path = format!("{}/../../tests/transcripts/{folder}", env!("CARGO_MANIFEST_DIR"));
        let mut count = 0;
        for entry in std::fs::read_dir(path).expect("the folder is there") {
            let name = entry.expect("it can be read").file_name().into_string().expect("a name");
            if name.ends_with(".console") && name != "22-dump-log.console" {
                assert!(played.contains(&format!("{folder}/{name}")), "{folder}/{name}");
                count += 1;
            }
        }
        assert!(count > 20, "{folder} holds {count}");
    }
}

whole! {
    /// Settings of a producer at their limits.
    settings_at_bounds: "recorded/settings-at-bounds.console",
    /// A member notices partitions and topics that are added; a group begins by a duration.
    group_watch: "recorded/group-watch.console",
    /// What a group worked on and had not committed comes again after a crash.
    crash_before_commit: "hazards/crash-before-commit.console",
    /// What was committed before the work is skipped after a crash.
    auto_commit_before_work: "hazards/auto-commit-before-work.console",
    /// A group without offsets begins at the end.
    latest_on_an_empty_group: "hazards/latest-on-an-empty-group.console",
    /// A member that hung works on records of another one.
    zombie_member: "hazards/zombie-member.console",
    /// A record that was sent again stands in the log twice, unless the producer is idempotent.
    duplicate_after_retry: "hazards/duplicate-after-retry.console",
    /// Two requests that were sent again change places, unless the producer is idempotent.
    reordered_in_flight: "hazards/reordered-in-flight.console",
}
