//! Moments of transcripts: before, after and between commands.

use highwater_lab::claim::Claim;
use highwater_lab::moment::Moments;
use highwater_lab::start::{Kind, all, play};
use highwater_shell::transcript::Transcript;

const NAMED: &str = "\
# title: Three records
# about: What is in the log, bit by bit.

#! brokers 1
# A topic is made.
# It has one partition.
$ kafka-topics.sh --bootstrap-server localhost:9092 --create --topic orders
Created topic orders.
# moment: empty-topic
# The first record comes.
$ hw produce --topic orders --value one
orders-0 @ 0
$ cat
# moment: one-record
$ hw produce --topic orders --value two
# That was all.
";

fn moments(text: &str) -> Result<Moments, String> {
    let transcript = Transcript::parse(text).expect("it can be read");
    Moments::of(&transcript).map_err(|error| error.to_string())
}

#[test]
fn a_run_goes_to_its_named_moments() {
    let moments = moments(NAMED).expect("its moments");
    assert_eq!(moments.names(), ["start", "empty-topic", "one-record", "end"]);
    assert_eq!(moments.commands(), 4);
    let mut run = play(NAMED).expect("it plays");
    let ends =
        [("end", 2), ("empty-topic", 0), ("one-record", 1), ("start", -1), ("one-record", 1)];
    for (name, records) in ends {
        run.seek_to_moment(&moments, name).expect("the moment");
        let text = if records < 0 {
            "not topic(\"orders\").exists".to_owned()
        } else {
            format!("length(topic(\"orders\").records) = {records} and exit = 0")
        };
        let claim = Claim::parse(&text).expect("a claim");
        let told = claim.explain(&run).expect("it has an answer");
        assert!(told.holds, "{name}: {:?}", told.because);
        let passed = moments.passed(name).expect("it is there");
        let place = moments.place_after(&run, passed).expect("it was played");
        assert_eq!((run.steps(), run.position()), (place.step, place.stop), "{name}");
    }
    let [before, after] = moments.places_of(&run, 1).expect("the second command");
    assert_eq!(Some(before), moments.place_after(&run, moments.passed("empty-topic").expect("it")));
    assert!(before.step < after.step && before.stop < after.stop);
    // The third one, `cat`, has got the end of its input when it has finished.
    assert_eq!(moments.passed("one-record"), Ok(3));
    assert_eq!((moments.passed("0"), moments.passed("4")), (Ok(0), Ok(4)));
    assert!(moments.passed("5").is_err() && moments.passed("-1").is_err());
    assert_eq!(moments.places_of(&run, 4), None);
}

/// Comments that are neither heads nor moments belong to the command below them.
#[test]
fn captions() {
    let moments = moments(NAMED).expect("its moments");
    assert_eq!(moments.captions(0), ["A topic is made.", "It has one partition."]);
    assert_eq!(moments.captions(1), ["The first record comes."]);
    assert_eq!(moments.captions(2), [""; 0]);
    assert_eq!(moments.captions(3), [""; 0]);
    assert_eq!(moments.captions(4), ["That was all."]);
    assert_eq!(moments.captions(9), [""; 0]);
}

/// Names of moments change nothing of what is played and printed.
#[test]
fn a_comment_changes_nothing() {
    let bare: String = NAMED
        .lines()
        .filter(|line| !line.starts_with("# moment"))
        .map(|line| format!("{line}\n"))
        .collect();
    let (named, bare) = (play(NAMED).expect("it plays"), play(&bare).expect("it plays"));
    assert_eq!(named.steps(), bare.steps());
    assert_eq!(named.timeline().world().trace_hash(), bare.timeline().world().trace_hash());
    assert_eq!(Transcript::parse(NAMED).expect("it can be read").write(), NAMED);
}

#[test]
fn wrong_moments_say_what_to_do() {
    let wrong =
        |name: &str| moments(&format!("$ true\n# moment: {name}\n$ true\n")).expect_err(name);
    assert!(wrong("Here").contains("this is no name; take small letters"), "{}", wrong("Here"));
    assert!(wrong("").contains("this is no name"));
    assert!(wrong("end").contains("this one is always there; take another name"));
    let twice = moments("$ true\n# moment: a\n# moment: a\n").expect_err("it is there twice");
    assert!(
        twice.contains("`# moment: a`: this name is there twice; rename one of them"),
        "{twice}"
    );
    let moments = moments(NAMED).expect("its moments");
    let mut run = play("$ true\n").expect("it plays");
    let error = run.seek_to_moment(&moments, "one-recor").expect_err("there is none").to_string();
    assert_eq!(error, "there is no moment `one-recor`; did you mean `one-record`?");
    let error = run.seek_to_moment(&moments, "end").expect_err("it was not played").to_string();
    assert_eq!(
        error,
        "this run did not come to the end of command 4; play the whole transcript, and nothing else before it"
    );
}

/// In every start point of the Lab each command has its place, and at each place is what it printed.
#[test]
fn every_command_has_its_place() {
    for scene in all(Kind::Situation).chain(all(Kind::Scene)) {
        let transcript = Transcript::parse(&scene.text).expect("it can be read");
        let moments = Moments::of(&transcript).expect("its moments");
        let mut run = play(&scene.text).expect("it plays");
        let end = run.steps();
        let mut before = 0;
        for (index, block) in transcript.blocks.iter().enumerate() {
            let place = moments.place_after(&run, index + 1).expect("it was played");
            assert!(place.step >= before, "{}: command {index}", scene.id);
            before = place.step;
            run.seek(0);
            while run.steps() < place.step && run.detail_forward() {}
            let claim = Claim::parse(&format!("exit = {}", block.exit)).expect("a claim");
            let told = claim.explain(&run).expect("it has an answer");
            assert!(told.holds, "{}: {}: {:?}", scene.id, block.command, told.because);
            assert_eq!(run.position(), place.stop, "{}: command {index}", scene.id);
        }
        assert_eq!(before, end, "{}", scene.id);
        run.seek_to_moment(&moments, "end").expect("the end");
        assert_eq!(run.steps(), end, "{}", scene.id);
    }
}
