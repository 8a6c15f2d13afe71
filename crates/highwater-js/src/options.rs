//! What kind of cluster: the options of `new Cluster`, read and checked.

use std::rc::Rc;

use highwater_core::error::ErrorCode;
use highwater_core::ids::BrokerId;
use highwater_core::scope::MOST_BROKERS;
use highwater_core::time::SimDuration;
use highwater_core::world::options::{ClusterOptions as Kind, OwnSetting};
use serde::Serialize;
use tsify::Tsify;

use crate::failure::Failure;
use crate::value::{Options, Value, lines_of, short, wrong};

/// What kind of cluster. What is left out is as in a cluster of three on one machine.
#[derive(Clone, Debug, Default, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ClusterOptions {
    /// How many brokers, numbered from 1: 1 to 9. [default: 3]
    #[tsify(optional)]
    brokers: Option<u32>,
    /// What every random draw is made from: the same seed and the same lines give the same cluster, to the
    /// microsecond. 0 to 2^64 - 1. [default: 1]
    #[tsify(optional, type = "number | bigint")]
    seed: Option<u64>,
    /// Microseconds that a Kafka tool takes from its start to its first request. [default: 1000000]
    #[tsify(optional, type = "number | bigint")]
    tool_start: Option<u64>,
    /// Microseconds of one way over the network. [default: 500]
    #[tsify(optional, type = "number | bigint")]
    network_delay: Option<u64>,
    /// The rack of each broker (`broker.rack`), in the order of their numbers. A broker with `""` has none.
    #[tsify(optional)]
    racks: Option<Vec<String>>,
    /// Lines of every broker's server.properties: `{ "min.insync.replicas": 2 }`.
    #[tsify(optional, type = "Record<string, string | number | bigint | boolean>")]
    broker_settings: Vec<(String, String)>,
    /// Lines of single brokers' files, which count before those: `{ 2: { "broker.rack": "b" } }`.
    #[tsify(optional, type = "Record<number, Record<string, string | number | bigint | boolean>>")]
    own_settings: Vec<(i32, String, String)>,
    /// Whether heartbeats and waiting fetches are steps and events too, while they change nothing. [default: false]
    #[tsify(optional)]
    show_quiet_traffic: Option<bool>,
}

/// The options, as they are called in JavaScript.
pub(crate) const NAMES: [&str; 8] = [
    "brokers",
    "seed",
    "toolStart",
    "networkDelay",
    "racks",
    "brokerSettings",
    "ownSettings",
    "showQuietTraffic",
];
/// What a transcript or a link says itself.
const SAID_BY_TRANSCRIPT: [&str; 4] = ["brokers", "racks", "brokerSettings", "ownSettings"];

impl ClusterOptions {
    /// Reads them.
    pub(crate) fn read(value: Value) -> Result<Self, Failure> {
        let given = Options::read(value, &NAMES)?;
        Ok(Self {
            brokers: given.number("brokers", 1, MOST_BROKERS.into())?,
            seed: given.number("seed", 0, u64::MAX.into())?,
            tool_start: given.number("toolStart", 0, 60_000_000)?,
            network_delay: given.number("networkDelay", 0, 10_000_000)?,
            racks: given.texts("racks")?,
            broker_settings: given.lines("brokerSettings")?,
            own_settings: own_lines(&given)?,
            show_quiet_traffic: given.flag("showQuietTraffic")?,
        })
    }

    /// Reads those that go together with a transcript, which says itself how many brokers there are and what
    /// their files say.
    pub(crate) fn read_beside_transcript(value: Value) -> Result<Self, Failure> {
        let options = Self::read(value)?;
        let given = [
            options.brokers.is_some(),
            options.racks.is_some(),
            !options.broker_settings.is_empty(),
            !options.own_settings.is_empty(),
        ];
        match SAID_BY_TRANSCRIPT.iter().zip(given).find(|(_, is_given)| *is_given) {
            None => Ok(options),
            Some((name, _)) => Err(Failure::own(
                format!("{name}: a transcript says this itself"),
                "Write `#! brokers 5`, `#! broker key=value` or `#! broker 2 broker.rack=a` at its top.",
            )),
        }
    }

    /// The cluster that they ask for.
    pub(crate) fn kind(&self) -> Result<Kind, Failure> {
        let base = Kind::default();
        let brokers = self.brokers.unwrap_or(base.brokers);
        let mut own = self.racks(brokers)?;
        for (broker, key, value) in &self.own_settings {
            let is_there = u32::try_from(*broker).is_ok_and(|id| (1..=brokers).contains(&id));
            if !is_there {
                return Err(Failure::kafka(
                    ErrorCode::InvalidConfig,
                    format!("ownSettings: there is no broker {broker}"),
                    format!("They are 1 to {brokers}; ask for more with `brokers`."),
                ));
            }
            let (key, value) = (key.clone(), value.clone());
            own.push(OwnSetting { broker: BrokerId(*broker), key, value });
        }
        let span = |given: Option<u64>, usual| given.map_or(usual, SimDuration);
        let kind = Kind {
            seed: self.seed.unwrap_or(base.seed),
            brokers,
            tool_start: span(self.tool_start, base.tool_start),
            network_delay: span(self.network_delay, base.network_delay),
            broker_settings: Rc::new(self.broker_settings.clone()),
            show_quiet_traffic: self.show_quiet_traffic.unwrap_or(base.show_quiet_traffic),
            ..base
        };
        let kind = kind.with_own_settings(own);
        kind.validate()?;
        Ok(kind)
    }

    fn racks(&self, brokers: u32) -> Result<Vec<OwnSetting>, Failure> {
        let racks = self.racks.as_deref().unwrap_or_default();
        if u32::try_from(racks.len()).is_ok_and(|count| count > brokers) {
            let count = racks.len();
            return Err(Failure::own(
                format!("racks: there are {count} racks for {brokers} brokers"),
                "Give one for each broker at most, in the order of their numbers.",
            ));
        }
        let own = (1..).zip(racks).filter(|(_, rack)| !rack.is_empty());
        let own = own.map(|(id, rack)| OwnSetting {
            broker: BrokerId(id),
            key: "broker.rack".to_owned(),
            value: rack.clone(),
        });
        Ok(own.collect())
    }
}

/// The lines of single brokers.
fn own_lines(given: &Options<'_>) -> Result<Vec<(i32, String, String)>, Failure> {
    const NAME: &str = "ownSettings";
    let Some(value) = given.get(NAME) else { return Ok(Vec::new()) };
    let Value::Object(brokers) = value else {
        let expected = "an object of brokers: `{ 2: { \"broker.rack\": \"b\" } }`";
        return Err(wrong(NAME, value, expected));
    };
    let mut lines = Vec::new();
    for (id, settings) in brokers {
        let place = format!("{NAME}[\"{}\"]", short(id));
        let Some(number) = highwater_core::number::int(id) else {
            return Err(Failure::own(
                format!("{place}: this is no broker's number"),
                "Give the lines by the numbers of the brokers, from 1.",
            ));
        };
        let own = lines_of(&place, settings)?;
        lines.extend(own.into_iter().map(|(key, value)| (number, key, value)));
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(given: &[(&str, Value)]) -> Value {
        Value::Object(
            given.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
        )
    }

    fn kind(given: &[(&str, Value)]) -> Result<Kind, Failure> {
        ClusterOptions::read(object(given))?.kind()
    }

    fn text(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    /// The declaration for TypeScript has these names and no other.
    #[test]
    fn names_are_those_of_the_declaration() {
        let declared: Vec<&str> = ClusterOptions::DECL
            .lines()
            .filter_map(|line| line.trim().split_once("?:").map(|(name, _)| name))
            .collect();
        assert_eq!(declared, NAMES);
    }

    #[test]
    fn what_is_left_out_is_usual() {
        assert_eq!(ClusterOptions::read(Value::Missing).unwrap().kind().unwrap(), Kind::default());
        assert_eq!(kind(&[("brokers", Value::Missing)]).unwrap(), Kind::default());
    }

    #[test]
    fn what_is_given_counts() {
        let racks = Value::List(vec![text("a"), text(""), text("c")]);
        let kind = kind(&[
            ("seed", Value::Big(u64::MAX.into())),
            ("toolStart", Value::Number(600_000.0)),
            ("networkDelay", Value::Big(0)),
            ("racks", racks),
            ("brokerSettings", object(&[("min.insync.replicas", Value::Number(2.0))])),
            ("ownSettings", object(&[("2", object(&[("broker.rack", text("b"))]))])),
            ("showQuietTraffic", Value::Bool(true)),
        ])
        .unwrap();
        assert_eq!((kind.seed, kind.tool_start.0, kind.network_delay.0), (u64::MAX, 600_000, 0));
        assert!(kind.show_quiet_traffic);
        let line = |id, key: &str| {
            let settings = kind.settings_of(BrokerId(id));
            settings.iter().find(|(name, _)| name == key).map(|(_, value)| value.clone())
        };
        for (id, rack) in [(1, "a"), (2, "b"), (3, "c")] {
            assert_eq!(line(id, "broker.rack").as_deref(), Some(rack));
            assert_eq!(line(id, "min.insync.replicas").as_deref(), Some("2"));
        }
    }

    /// Each wrong option is told by its name, with what is possible.
    #[test]
    fn what_is_wrong_is_said() {
        for (name, value, message, remedy) in [
            (
                "broker",
                Value::Number(1.0),
                "there is no option `broker`",
                "brokers, seed, toolStart",
            ),
            ("brokers", Value::Number(0.0), "brokers: this is the number 0", "from 1 to 9"),
            ("brokers", Value::Number(2.5), "brokers: this is the number 2.5", "from 1 to 9"),
            ("brokers", Value::Number(f64::NAN), "brokers: this is the number NaN", "from 1 to 9"),
            ("brokers", Value::Big(1 << 40), "brokers: this is the number 1099511627776", "1 to 9"),
            ("brokers", text("3"), "brokers: this is the text \"3\"", "from 1 to 9"),
            ("seed", Value::Number(-1.0), "seed: this is the number -1", "18446744073709551615"),
            ("seed", Value::Number(1e300), "seed: this is", "18446744073709551615"),
            ("toolStart", Value::Number(1e9), "toolStart: this is", "60000000"),
            ("racks", text("a"), "racks: this is the text \"a\"", "a list of texts"),
            ("racks", Value::List(vec![text("a"); 4]), "4 racks for 3 brokers", "at most"),
            ("brokerSettings", Value::List(Vec::new()), "brokerSettings: this is a list", "object"),
            ("brokerSettings", object(&[("a", Value::List(Vec::new()))]), "[\"a\"]", "a text"),
            ("ownSettings", object(&[("x", object(&[]))]), "no broker's number", "from 1"),
            ("showQuietTraffic", Value::Number(1.0), "the number 1", "true or false"),
            (
                "seed",
                Value::Other("function".to_owned()),
                "seed: this is a function",
                "whole number",
            ),
        ] {
            let failure = kind(&[(name, value)]).expect_err(name);
            assert!(failure.message.contains(message), "{failure:?}");
            assert!(failure.remedy.contains(remedy), "{failure:?}");
            assert_eq!(failure.name, "HighwaterError");
        }
    }

    /// Kafka's own rules have Kafka's names.
    #[test]
    fn settings_that_cannot_be_have_kafkas_name() {
        let own = object(&[("4", object(&[("broker.rack", text("b"))]))]);
        for (name, value) in [
            ("brokerSettings", object(&[("min.insync.replicas", text("many"))])),
            ("ownSettings", own),
        ] {
            let failure = kind(&[(name, value)]).expect_err(name);
            assert_eq!(failure.name, "InvalidConfiguration");
            assert_eq!(failure.code, Some("INVALID_CONFIG"));
        }
    }

    #[test]
    fn options_are_an_object() {
        for value in [Value::Number(3.0), text("brokers"), Value::List(Vec::new())] {
            let failure = ClusterOptions::read(value).expect_err("no object");
            assert!(failure.message.starts_with("options are an object"), "{failure:?}");
            assert!(failure.remedy.contains("brokers"), "{failure:?}");
        }
    }

    #[test]
    fn a_transcript_says_itself_which_brokers_there_are() {
        let read =
            |name: &str, value| ClusterOptions::read_beside_transcript(object(&[(name, value)]));
        for (name, value) in [
            ("brokers", Value::Number(3.0)),
            ("racks", Value::List(vec![text("a")])),
            ("brokerSettings", object(&[("a", text("b"))])),
            ("ownSettings", object(&[("1", object(&[("a", text("b"))]))])),
        ] {
            let failure = read(name, value).expect_err(name);
            assert!(failure.message.starts_with(name) && failure.remedy.contains("#! broker"));
        }
        assert!(read("seed", Value::Number(7.0)).is_ok());
    }
}
