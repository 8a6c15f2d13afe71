//! Settings of clients as Kafka's own classes take them: 1,100 producers, consumers and admin clients that
//! were made with Kafka 4.4.0's client, each with one to five settings.

use highwater_core::client::partitioner::ClientFamily;
use highwater_core::client::producer::{Delivery, ProducerConfig};
use highwater_core::net::message::Acks;
use highwater_core::scope::Lab;

use super::*;
use crate::tool::kafka_console_consumer::properties::Properties;
use crate::tool::{command_config, producer_settings};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// One to a line: producer, consumer or admin client; its settings; what was thrown, with the causes; what
/// was warned of.
const ANSWERS: &str = include_str!("../../../tests/data/client-settings.tsv");

/// What was warned of, or what was thrown.
type Answer = Result<Vec<String>, Problem>;

fn producer(settings: &[Property]) -> Answer {
    let mut config = ProducerConfig {
        family: ClientFamily::Java,
        client_id: "console-producer".to_owned(),
        acks: Acks::All,
        linger_ms: 5,
        batch_size: 16_384,
        retries: 2_147_483_647,
        delivery: Lab::new(Delivery::of(ClientFamily::Java)),
    };
    producer_settings::apply(&mut config, settings)
}

fn consumer(settings: &[Property]) -> Answer {
    let mut properties = Properties::default();
    properties.set("group.id", "g");
    for (name, value) in settings {
        properties.set(name, value);
    }
    properties.construct().map(|(_, warnings)| warnings)
}

fn admin(settings: &[Property]) -> Answer {
    command_config::client(&settings.to_vec()).map(|made| made.warnings)
}

/// The number of an admin client counts those of the process.
fn without_number(text: &str) -> String {
    match text.split_once("clientId=adminclient-") {
        Some((before, after)) => {
            [before, "adminclient", after.trim_start_matches(|digit: char| digit.is_ascii_digit())]
                .concat()
        }
        None => text.to_owned(),
    }
}

/// Each is refused in Kafka's words, or taken with Kafka's warnings.
#[test]
fn as_kafka() {
    let mut count = 0;
    let mut wrong = Vec::new();
    for line in ANSWERS.lines() {
        let mut parts = line.split('\t');
        let (client, typed) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let settings: Vec<Property> = typed
            .split(';')
            .filter_map(|one| one.split_once('='))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let said = match client {
            "P" => producer(&settings),
            "C" => consumer(&settings),
            _ => admin(&settings),
        };
        let ours = match said {
            Ok(warnings) => [vec!["OK".to_owned()], warnings].concat(),
            Err(Problem { class, text, causes }) => {
                let mut thrown = vec![[class, ": ", &text].concat()];
                thrown.extend(causes);
                vec![thrown.join(" | ")]
            }
        };
        let kafkas: Vec<String> = parts.map(without_number).collect();
        let ours: Vec<String> = ours.iter().map(|text| without_number(text)).collect();
        if ours != kafkas {
            wrong.push(format!("{client} {typed}\n  Kafka: {kafkas:?}\n  ours:  {ours:?}"));
        }
        count += 1;
    }
    assert!(count > 1_100, "there are {count}");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}
