//! Which options a command has, for whoever wants to type one.

use crate::tool::argparse::Parser;
use crate::tool::options::Manual;
use crate::tool::{
    hw, kafka_broker_api_versions, kafka_cluster, kafka_configs, kafka_console_consumer,
    kafka_console_producer, kafka_consumer_groups, kafka_delete_records, kafka_dump_log,
    kafka_features, kafka_get_offsets, kafka_groups, kafka_leader_election, kafka_log_dirs,
    kafka_metadata_quorum, kafka_producer_perf_test, kafka_reassign_partitions, kafka_topics,
    kafka_verifiable_producer,
};

/// Where a command says what it takes.
enum Told {
    /// In a table.
    Table(&'static Manual),
    /// In texts, among other words.
    Texts(Vec<&'static str>),
}

/// The options of a command that Highwater has, with their dashes, and what each does where that is told.
pub(crate) fn known_options(command: &str) -> Vec<(String, &'static str)> {
    match told(command) {
        Told::Table(manual) => {
            manual.options().map(|(name, about)| (format!("--{name}"), about)).collect()
        }
        Told::Texts(texts) => {
            texts.into_iter().flat_map(options_in).map(|name| (name.to_owned(), "")).collect()
        }
    }
}

fn told(command: &str) -> Told {
    let table: &'static Manual = match command.strip_suffix(".sh").unwrap_or(command) {
        "kafka-configs" => &kafka_configs::MANUAL,
        "kafka-broker-api-versions" => &kafka_broker_api_versions::MANUAL,
        "kafka-dump-log" => &kafka_dump_log::MANUAL,
        "kafka-console-consumer" => &kafka_console_consumer::MANUAL,
        "kafka-console-producer" => &kafka_console_producer::MANUAL,
        "kafka-consumer-groups" => &kafka_consumer_groups::MANUAL,
        "kafka-delete-records" => &kafka_delete_records::MANUAL,
        "kafka-get-offsets" => &kafka_get_offsets::MANUAL,
        "kafka-groups" => &kafka_groups::MANUAL,
        "kafka-leader-election" => &kafka_leader_election::MANUAL,
        "kafka-log-dirs" => &kafka_log_dirs::MANUAL,
        "kafka-reassign-partitions" => &kafka_reassign_partitions::MANUAL,
        "kafka-topics" => &kafka_topics::MANUAL,
        "kafka-cluster" => return Told::Texts(texts_of(&kafka_cluster::PARSER)),
        "kafka-features" => return Told::Texts(texts_of(&kafka_features::PARSER)),
        "kafka-verifiable-producer" => {
            return Told::Texts(texts_of(&kafka_verifiable_producer::PARSER));
        }
        "kafka-metadata-quorum" => return Told::Texts(texts_of(&kafka_metadata_quorum::PARSER)),
        "kafka-producer-perf-test" => return Told::Texts(vec![kafka_producer_perf_test::USAGE]),
        "hw" => return Told::Texts(hw::forms().map(|(usage, _)| usage).collect()),
        _ => return Told::Texts(Vec::new()),
    };
    Told::Table(table)
}

fn texts_of(parser: &Parser) -> Vec<&'static str> {
    let commands = parser.commands.iter().map(|(_, command)| command.usage);
    [parser.usage].into_iter().chain(commands).collect()
}

/// The words of a text that are options.
fn options_in(text: &'static str) -> impl Iterator<Item = &'static str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
    text.split(move |c| !is_part(c)).filter(|word| word.starts_with("--") && word.len() > 2)
}
