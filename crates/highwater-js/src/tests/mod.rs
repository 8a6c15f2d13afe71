//! What each call does, natively.

mod answers;
mod moments;
mod partitions;

use crate::engine::Engine;
use crate::failure::Failure;
use crate::value::Value;

const CREATE: &str = "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic t --partitions 2 \
                      --replication-factor 3";
const PRODUCE: &str = "hw produce --topic t --key locker-9 --value PARCEL_DROPPED";
const CONSUME: &str = "kafka-console-consumer.sh --bootstrap-server localhost:9092 --topic t --group billing \
                       --from-beginning --timeout-ms 8000";

fn object(given: &[(&str, Value)]) -> Value {
    Value::Object(given.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect())
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn number(number: u32) -> Value {
    Value::Number(number.into())
}

/// A new cluster of three in which these lines were run.
fn after(lines: &[&str]) -> Engine {
    let mut engine = Engine::new(Value::Missing).expect("a cluster");
    for line in lines {
        let outcome = engine.run(line).expect("it is taken");
        assert_eq!(outcome.exit, 0, "{line}: {:?}", outcome.output);
    }
    engine
}

/// A failure has this name, says this, and this is the remedy.
fn assert_failure<T: std::fmt::Debug>(
    result: Result<T, Failure>,
    name: &str,
    message: &str,
    remedy: &str,
) {
    let failure = result.expect_err(message);
    assert_eq!(failure.name, name, "{failure:?}");
    assert!(failure.message.contains(message), "{failure:?}");
    assert!(failure.remedy.contains(remedy), "{failure:?}");
}
