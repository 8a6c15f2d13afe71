//! The settings of an answer are those that Kafka's tool prints.

use std::rc::Rc;

use highwater_core::ids::BrokerId;
use highwater_core::world::options::{ClusterOptions, OwnSetting};
use highwater_scene::ask::Entity;
use highwater_shell::session::Session;

use crate::{Asked, with_servers};

/// A cluster whose brokers have files of their own, and in which settings were changed at every level.
fn cluster() -> Asked {
    let line = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    let lines = vec![
        line("log.retention.hours", "24"),
        line("min.insync.replicas", "2"),
        line("broker.session.timeout.ms", "6000"),
        line("group.initial.rebalance.delay.ms", "500"),
    ];
    let own = OwnSetting {
        broker: BrokerId(2),
        key: "replica.lag.time.max.ms".to_owned(),
        value: "12000".to_owned(),
    };
    let options = ClusterOptions { broker_settings: Rc::new(lines), ..ClusterOptions::default() };
    let options = options.with_own_settings(vec![own]);
    let mut asked = Asked { session: Session::new(options).expect("a cluster") };
    asked.run(&[
        "kafka-topics.sh S --create --topic t --replica-assignment 2:1:3 --config retention.ms=1000000",
        "kafka-configs.sh S --alter --entity-type brokers --entity-name 2 --add-config log.segment.bytes=2000000",
        "kafka-configs.sh S --alter --entity-type brokers --entity-default --add-config message.max.bytes=500000",
        "kafka-configs.sh S --alter --entity-type topics --entity-name t --add-config cleanup.policy=compact",
        "kafka-console-consumer.sh S --topic t --group g --timeout-ms 3000",
    ]);
    asked
}

/// Value and source of each are those of `kafka-configs.sh --describe --all`; Kafka's default is the last synonym.
#[test]
fn settings_are_those_of_kafka_configs() {
    let mut asked = cluster();
    let mut seen = 0;
    for thing in [
        "topic:t",
        "partition:t-0",
        "tide:t-0",
        "replica:t-0@1",
        "replica:t-0@2",
        "broker:1",
        "broker:2",
        "group:g",
    ] {
        for setting in asked.answer(thing).settings {
            let Some(kind) = setting.target.kind() else { continue };
            let name = setting.target.name();
            // A topic is described by whom the tool asks, here by its leader.
            let line = with_servers(&format!(
                "kafka-configs.sh S --describe --all --entity-type {kind} --entity-name {name}"
            ));
            let line = line.replace(
                "9092",
                if kind == "topics" && thing != "topic:t" { "9093" } else { "9092" },
            );
            let outcome = asked.session.run(&line).expect("it is taken");
            let prefix = format!("  {}={} ", setting.key, setting.value);
            let found = outcome.output.iter().find(|line| line.starts_with(&prefix));
            let found =
                found.unwrap_or_else(|| panic!("{thing}: {setting:?} in {:?}", outcome.output));
            let synonyms = found.split_once("synonyms={").map_or("", |(_, rest)| rest);
            let source = synonyms.split(':').next().unwrap_or_default();
            assert_eq!(
                if synonyms == "}" { "DEFAULT_CONFIG" } else { source },
                setting.source,
                "{thing}: {found}"
            );
            if let Some((_, last)) = synonyms.rsplit_once("DEFAULT_CONFIG:") {
                let default =
                    last.trim_end_matches('}').split_once('=').map_or("", |(_, value)| value);
                let hours = last.contains(".hours=");
                assert!(hours || default == setting.default, "{thing}: {found} {setting:?}");
            }
            seen += 1;
        }
    }
    assert!(seen > 50, "{seen}");
}

/// What may be edited is taken by Kafka, and what may not is refused.
#[test]
fn what_can_be_changed() {
    let mut asked = cluster();
    let mut changed = 0;
    for thing in ["topic:t", "replica:t-0@1", "broker:2", "controller", "group:g"] {
        for setting in asked.answer(thing).settings {
            let Some(kind) = setting.target.kind() else {
                assert_eq!(setting.editable, None);
                continue;
            };
            let name = setting.target.name();
            let entity = match setting.target {
                Entity::AllBrokers => "--entity-default".to_owned(),
                _ => format!("--entity-name {name}"),
            };
            let line = format!(
                "kafka-configs.sh S --alter --entity-type {kind} {entity} --add-config '{}={}'",
                setting.key, setting.value
            );
            let exit = asked.session.run(&with_servers(&line)).expect("it is taken").exit;
            assert_eq!(exit == 0, setting.editable.is_some(), "{line}");
            changed += u32::from(exit == 0);
        }
    }
    assert!(changed > 15, "{changed}");
}
