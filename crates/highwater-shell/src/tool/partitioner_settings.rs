//! Settings of a producer that have to do with partitions, as people write them.

use highwater_core::client::assignor::AssignorKind;
use highwater_core::client::partitioner::ClientFamily;
use highwater_core::client::partitioner::catalogue::Partitioner;
use highwater_core::client::partitioner::rule::{BuiltIn, Rule};
use highwater_core::number;
use highwater_core::time::SimDuration;

use crate::tool::bootstrap::CONFIG_EXCEPTION;
use crate::tool::line_reader::KAFKA_EXCEPTION;
use crate::tool::options::Problem;
use crate::tool::producer_settings::not_constructed;
use crate::tool::setting::OTHER_CLASSES;

/// The partitioner that is a class; the others of Java are settings.
fn round_robin() -> Option<&'static Partitioner> {
    let mut partitioners = ClientFamily::Java.partitioners().iter();
    partitioners.find(|partitioner| partitioner.name == "round-robin")
}

/// Whether the class is there, but partitions nothing.
fn is_other(class: &str) -> bool {
    OTHER_CLASSES.contains(&class) || AssignorKind::from_class(class).is_some()
}

/// What Kafka says of a class that is not there.
pub(super) fn not_a_class(name: &str) -> Option<String> {
    let is_known =
        is_other(name) || round_robin().is_some_and(|partitioner| partitioner.spelled == name);
    (!is_known).then(|| format!("Class {name} could not be found."))
}

/// Whether the class is one that partitions.
pub(super) fn check_class<'a>(get: impl Fn(&str) -> Option<&'a str>) -> Result<(), Problem> {
    match get("partitioner.class").filter(|class| is_other(class)) {
        None => Ok(()),
        Some(other) => {
            let wanted = "org.apache.kafka.clients.producer.Partitioner";
            let text = format!("class {other} is not an instance of {wanted}");
            Err(not_constructed(KAFKA_EXCEPTION, &text))
        }
    }
}

/// How the settings let it give partitions to records; `None`: as it is. Those of the built-in partitioner
/// have no effect beside a class, but they are checked.
pub(super) fn partitioner<'a>(
    get: impl Fn(&str) -> Option<&'a str>,
) -> Result<Option<Rule>, Problem> {
    let flag = |name: &str, otherwise: bool| {
        get(name).map_or(otherwise, |value| value.eq_ignore_ascii_case("true"))
    };
    let rack_aware = flag("partitioner.rack.aware", false);
    if rack_aware && get("client.rack").is_none_or(str::is_empty) {
        let text = "client.rack must be provided if partitioner.rack.aware is enabled";
        return Err(not_constructed(CONFIG_EXCEPTION, text));
    }
    if get("partitioner.class").is_some() {
        return Ok(round_robin().map(|partitioner| partitioner.rule));
    }
    let millis = get("partitioner.availability.timeout.ms").and_then(number::unsigned).unwrap_or(0);
    let built_in = BuiltIn {
        adaptive: flag("partitioner.adaptive.partitioning.enable", true),
        availability_timeout: SimDuration::from_millis(millis),
        rack_aware,
    };
    Ok(Some(Rule::java(flag("partitioner.ignore.keys", false), built_in)))
}
