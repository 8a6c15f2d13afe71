//! The golden transcripts, built into the tests so that they run in wasm as well.

macro_rules! golden {
    ($($name:literal),+ $(,)?) => {
        /// Name and text of every transcript recorded from a real cluster.
        pub(crate) const GOLDEN: &[(&str, &str)] = &[
            $(($name, include_str!(concat!("../../../../tests/transcripts/kafka/", $name)))),+
        ];
    };
}

golden![
    "01-topics.console",
    "02-topic-errors.console",
    "03-keys.console",
    "04-producer.console",
    "05-get-offsets.console",
    "06-two-readers.console",
    "07-group-range.console",
    "08-group-dynamic.console",
    "09-assignors.console",
    "10-reset-offsets.console",
    "11-failover.console",
    "12-min-isr.console",
    "13-unclean.console",
    "14-elr.console",
    "15-delete-records.console",
    "16-retention.console",
    "17-compaction.console",
    "18-configs.console",
    "20-reassign.console",
    "21-quorum-and-logs.console",
    "22-dump-log.console",
    "25-zombie.console",
    "26-single-broker.console",
    "27-regroup-committed.console",
    "28-serialization.console",
];
