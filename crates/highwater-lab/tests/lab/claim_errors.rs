//! What authors are told about wrong claims: where, what, and what to do.

use highwater_lab::claim::{Claim, Expression, State, TEXT_MAX};
use highwater_lab::run::Run;
use highwater_lab::start::play;

/// Claims, each with how what is said of it begins; nothing: it is right.
const WRONG: &[(&str, &str)] = &[
    ("", "at 0: the end comes where it cannot be; here comes a value"),
    ("1 +", "at 3: the end comes where it cannot be; here comes a value"),
    ("(1", "at 2: the end comes where it cannot be; here comes `)` to close a parenthesis"),
    ("1 1", "at 2: `1` comes where it cannot be; here comes an operator, or the end"),
    ("\"abc", "at 0: this text does not end; close it with \""),
    ("\"a\\x\"", "at 2: an unknown escape; there are \\\", \\\\, \\n and \\t; a backslash is \\\\"),
    ("1 == 1", "at 2: `==` means nothing here; write `=`"),
    ("true && true", "at 5: `&&` means nothing here; write `and`"),
    ("1 / 2 = 1", "at 2: `/` means nothing here; there is no division; multiply the other side"),
    ("1 = #", "at 4: `#` means nothing here; take it out"),
    ("output = 'x'", "at 9: `'` means nothing here; put texts in \"straight double quotes\""),
    (
        "99999999999999999999 = 1",
        "at 0: `99999999999999999999` is no number; write whole numbers in digits, below 2 to the power of 63",
    ),
    ("topik(\"a\").exists", "at 0: there is no `topik`; did you mean `topic`? There is "),
    ("hw = 3", "at 0: there is no `hw`; it is asked of a partition, behind a dot"),
    (
        "partition(\"t-0\").leadr = 1",
        "at 17: a partition has no `leadr`; did you mean `leader`? There is exists, name, id, leader, replicas, isr, \
             epoch, start, hw, end, records, replica, record",
    ),
    ("broker(1).port = 1", "at 10: a broker has no `port`; there is exists, id, up, state"),
    (
        "topic(\"t\").partitions.hw = 1",
        "at 22: `topic(\"t\").partitions` is a list of partitions, which has no `hw`; ask each of its items: \
             `all x in topic(\"t\").partitions: x.hw ...`",
    ),
    (
        "output.hw = 1",
        "at 7: `output` is a text, of which nothing can be asked; `hw` is asked of a partition",
    ),
    (
        "partition(\"t-0\").hw",
        "at 0: `partition(\"t-0\").hw` is a number, and a claim takes a yes or no; compare it",
    ),
    (
        "not time",
        "at 4: `time` is a number, and `not` takes a yes or no; compare it with something",
    ),
    (
        "topics and true",
        "at 0: `topics` is a list of topics, and `and` takes a yes or no; ask something of its items",
    ),
    (
        "exit = \"0\"",
        "at 7: `exit` is a number, `\"0\"` is a text: `=` says nothing about the two; write numbers without quotes",
    ),
    (
        "topic(\"t\").records = 3",
        "at 21: `topic(\"t\").records` is a list of records, `3` is a number: `=` says nothing about the two; for how \
             many there are, write `length(topic(\"t\").records)`",
    ),
    (
        "time < \"1\"",
        "at 7: `time` is a number, `\"1\"` is a text: `<` says nothing about the two; write numbers without quotes",
    ),
    (
        "topics < 3",
        "at 0: `topics` is a list of topics, and `<` takes a number; for how many there are, write `length(topics)`",
    ),
    (
        "broker(\"1\").up",
        "at 7: `\"1\"` is a text, and `broker` takes a number; write numbers without quotes",
    ),
    ("topic(1).exists", "at 6: `1` is a number, and `topic` takes a text; put it in quotes: \"1\""),
    ("topic.exists", "at 5: `topic` takes 1, not 0; write `topic(a text)`"),
    ("topics() = []", "at 6: `topics` takes nothing; write it without parentheses"),
    (
        "\"2\" in partition(\"t-0\").isr",
        "at 0: `partition(\"t-0\").isr` is a list of numbers, which never holds a text; write numbers without quotes",
    ),
    (
        "1 in 2",
        "at 5: `2` is a number, and `in` looks into a list or a text; write `=`, or put a list there",
    ),
    (
        "[1, \"a\"] = []",
        "at 4: `\"a\"` is a text, in a list of others: a number; a list holds values of one kind",
    ),
    (
        "1 = 1 = 1",
        "at 6: a comparison of a comparison; one of both goes in parentheses, or write `and` between them",
    ),
    ("1 = not true", "at 4: `not` behind an operator; put `not ...` in parentheses"),
    (
        "all in topics: true",
        "at 4: `in` means something else already; take another name, such as one letter",
    ),
    (
        "all 3 in topics: true",
        "at 4: `3` comes where it cannot be; here comes a name for each item: `all p in LIST: ...`",
    ),
    (
        "all t of topics: true",
        "at 6: `of` comes where it cannot be; here comes `in` and a list: `all t in LIST: ...`",
    ),
    (
        "all t in topics, true",
        "at 15: `,` comes where it cannot be; here comes `:` and what is asked of each: `all t in LIST: ...`",
    ),
    ("all t in time: true", "at 9: `time` is a number; `all` goes through a list"),
    (
        "all topic in topics: true",
        "at 4: `topic` means something else already; take another name, such as one letter",
    ),
    (
        "count t in topics: t.name",
        "at 19: `t.name` is a text, and `count` behind its `:` takes a yes or no; compare it",
    ),
    ("any t in topics: thing.exists", "at 17: there is no `thing`; there is t, topic, topics, "),
    (
        "record(\"t-0\", 1) = none",
        "at 0: `record(\"t-0\", 1)` is a record, which is nothing to compare; ask one of its fields: exists, key,",
    ),
    ("in_order(topics)", ""),
    (
        "in_order(topic(\"t\").records)",
        "at 9: `topic(\"t\").records` is a list of records, which have no order; put numbers or texts here",
    ),
    (
        "length(time) = 1",
        "at 7: `time` is a number, which has no length; put a list or a text here",
    ),
    ("-\"a\" = 1", "at 1: `\"a\"` is a text, and `-` takes a number; write numbers without quotes"),
    (
        "partition(\"t-0\").3 = 1",
        "at 17: `3` comes where it cannot be; here comes the name of a field",
    ),
    ("none", "at 0: `none` is `none`, and a claim takes a yes or no"),
    (
        "none.hw = 1",
        "at 5: `none` is `none`, of which nothing can be asked; `hw` is asked of a partition",
    ),
];

#[test]
fn wrong_claims_say_where_and_what_to_do() {
    for (text, expected) in WRONG {
        match Claim::parse(text) {
            Ok(_) => assert_eq!(*expected, "", "{text} is read"),
            Err(error) => {
                let told = error.to_string();
                assert!(
                    !expected.is_empty() && told.starts_with(expected),
                    "{text}\n{told}\n{expected}"
                );
            }
        }
    }
}

#[test]
fn what_is_too_long_or_too_deep_is_refused() {
    let refused = |text: String, what: &str| {
        let error = Claim::parse(&text).expect_err("it is refused").to_string();
        assert!(error.contains(what), "{error}");
    };
    refused(format!("{}true", " ".repeat(TEXT_MAX)), "an expression of 4004 bytes");
    refused("(".repeat(3_000), "too many parts inside of parts");
    refused("not ".repeat(900), "too many parts inside of parts");
    refused("-".repeat(3_000), "too many parts inside of parts");
    refused("[".repeat(3_000), "too many parts inside of parts");
    refused(format!("1{} = 1", " + 1".repeat(900)), "too many parts inside of parts");
    refused(format!("true{}", " and true".repeat(300)), "too many parts inside of parts");
    assert!(Claim::parse(&format!("true{}", " and true".repeat(40))).is_ok());
}

fn run() -> Run {
    let create =
        "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic orders --partitions 2";
    play(&format!("$ {create}\n$ hw produce --topic orders --value 1 --count 500 --partition 0\n"))
        .expect("it plays")
}

#[test]
fn what_has_no_answer_at_a_moment_says_so() {
    let run = run();
    let snapshot = run.snapshot();
    let state = State::new(run.session(), &snapshot);
    for (text, expected) in [
        (
            "partition(\"order-0\").hw < 3",
            "at 0: `partition(\"order-0\").hw` is none here: `<` cannot compare it; ask `partition(\"order-0\").exists` or \
             `partition(\"order-0\").hw != none` first, with `and` behind it",
        ),
        ("3 > group(\"g\").lag", "at 4: `group(\"g\").lag` is none here: `>` cannot compare it; "),
        (
            "group(\"g\").lag + 1 = 2",
            "at 0: `group(\"g\").lag` is none here: nothing can be reckoned with it; ",
        ),
        (
            "1 in partition(\"x-0\").isr",
            "at 5: `partition(\"x-0\").isr` is none here: nothing is in it; ",
        ),
        (
            "any m in group(\"g\").members: m.name = \"a\"",
            "at 9: `group(\"g\").members` is none here: it has no items; ",
        ),
        ("broker(9).up", "at 0: `broker(9).up` is none here: it is neither true nor false; "),
        (
            "partition(\"orders\").hw = 1",
            "at 10: \"orders\" names no partition; write topic and number, as Kafka does: \"orders-0\"",
        ),
        ("group(\"g\").committed(\"orders\") = 1", "at 21: \"orders\" names no partition; "),
        (
            "number(\"9223372036854775807\") + 1 = 0",
            "at 0: `number(\"9223372036854775807\") + 1` is too large a number; ",
        ),
        ("1 % 0 = 0", "at 0: a remainder of a division by 0; divide by something else"),
        (
            "partition_of(\"a\", 0, \"java\") = 1",
            "at 18: there are no 0 partitions; write a number from 1 on",
        ),
        (
            "partition_of(\"a\", 3, \"jave\") = 1",
            "at 21: there is no client `jave`; there are java, librdkafka, kafka-go, sarama, franz-go, kafkajs, kafka-python, crc32; did you mean \"java\"?",
        ),
        ("hash_of(\"a\", \"jave\") = 1", "at 13: there is no client `jave`; "),
        (
            "setting(\"topics\", \"orders\", \"retention.mss\") = \"1\"",
            "at 28: topics have no setting \"retention.mss\"; did you mean \"retention.ms\"?",
        ),
        (
            "setting(\"topic\", \"orders\", \"retention.ms\") = \"1\"",
            "at 8: there are no settings of \"topic\"; did you mean `topics`? There is topics, brokers",
        ),
        (
            "all a in topic(\"orders\").records: all b in topic(\"orders\").records: all c in topic(\"orders\").records: a.offset + b.offset + c.offset >= 0",
            ": this takes too long; ask for fewer records, or in one loop instead of two",
        ),
    ] {
        let claim = Claim::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let error = claim.holds_at(&state).expect_err(text);
        let told = error.to_string();
        assert!(told.contains(expected), "{text}\n{told}\n{expected}");
        assert_eq!(claim.explain_at(&state).map(|told| told.holds), Err(error), "{text}");
    }
    let whole = Expression::parse("length(topic(\"orders\").records)").expect("a number");
    assert_eq!(whole.value(&state).map(|value| value.to_string()).as_deref(), Ok("500"));
}
