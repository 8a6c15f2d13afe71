//! Signals and jobs in virtual time: what ends, with which status, and what it had still to do.

use highwater_core::time::SimDuration;
use highwater_core::world::input::InputKind;
use highwater_core::world::options::ClusterOptions;
use highwater_core::world::stream::TerminalState;
use highwater_shell::session::Session;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn session() -> Session {
    Session::new(ClusterOptions::default()).expect("a cluster")
}

fn output(session: &mut Session, line: &str) -> String {
    session.run(line).expect("it is taken").output.join("|")
}

const PRODUCER: &str =
    "kafka-console-producer.sh --bootstrap-server localhost:9092 --topic t --timeout 60000";

/// The end of topic t, when records had a minute to wait for others in their batch.
fn end_of_topic(session: &mut Session) -> String {
    output(session, "kafka-get-offsets.sh --bootstrap-server localhost:9092 --topic t")
}

/// SIGTERM: a Java program closes its clients first, so the record that waits is sent.
#[test]
fn terminate_closes_clients() {
    let mut session = session();
    output(&mut session, "hw produce --topic t --value first");
    output(&mut session, &format!("(echo a; sleep 100) | {PRODUCER} &"));
    assert_eq!(output(&mut session, "sleep 5; kill $!; wait $!; echo $?"), "143");
    assert_eq!(end_of_topic(&mut session), "t:0:2");
}

/// SIGKILL: nothing is closed, what waits is lost.
#[test]
fn kill_closes_nothing() {
    let mut session = session();
    output(&mut session, "hw produce --topic t --value first");
    output(&mut session, &format!("(echo a; sleep 100) | {PRODUCER} &"));
    assert_eq!(output(&mut session, "sleep 5; kill -9 $!; wait $!; echo $?"), "137");
    assert_eq!(output(&mut session, "sleep 100"), "");
    assert_eq!(end_of_topic(&mut session), "t:0:1");
}

/// Ctrl-C ends what is in the foreground, wherever it was started, and the rest of the line.
#[test]
fn interrupts_reach_what_is_inside() {
    for line in [
        "for i in 1 2 3; do sleep 1000; done; echo no",
        "(sleep 1000; echo no); echo no",
        "{ sleep 1000; echo no; } > f; echo no",
        "echo $(sleep 1000; echo no); echo no",
        "(sleep 1000) | cat; echo no",
        "sleep 1000 & wait; echo no",
        "(for i in 1 2; do (sleep 1000); done); echo no",
    ] {
        let mut session = session();
        session.type_line(line, SimDuration::from_millis(1_000)).expect("it is taken");
        assert_eq!(session.state(), TerminalState::Busy, "{line}");
        let before = session.timeline().world().now();
        let terminal = session.terminal();
        let limit = SimDuration::from_millis(10_000);
        session.timeline_mut().input(terminal, InputKind::Interrupt, limit).expect("it is taken");
        assert_eq!(session.state(), TerminalState::Ready, "{line}");
        assert_eq!(session.status(), 130, "{line}");
        assert_eq!(session.timeline().world().now(), before, "{line}");
        assert_eq!(output(&mut session, "echo ok"), "ok", "{line}");
    }
}

/// A writer whose reader has gone is ended by what it writes next; Java programs go on.
#[test]
fn writers_without_readers() {
    let mut session = session();
    let line = "for i in 1 2 3; do echo $i; sleep 5; done | head -1";
    assert_eq!(output(&mut session, line), "1");
    // The second `echo` ends the loop, as in bash: five seconds, not fifteen.
    assert_eq!(session.timeline().world().now().0 / 1_000_000, 5);
    assert_eq!(output(&mut session, "seq 1 1000000000 | head -n 1"), "1");
    let refused = output(&mut session, "seq 1 1000000000 > f; wc -l < f");
    assert_eq!(refused, "seq: Highwater prints a million numbers at most|1000000");
}

/// Output of a job comes when it is written, and time goes on while the shell waits.
#[test]
fn jobs_run_on() {
    let mut session = session();
    assert_eq!(output(&mut session, "(sleep 10; echo late; sleep 10; echo later) &"), "");
    assert_eq!(output(&mut session, "sleep 11"), "late");
    assert_eq!(
        output(&mut session, "jobs"),
        "[1]+  Running                 ( sleep 10; echo late; sleep 10; echo later ) &"
    );
    assert_eq!(output(&mut session, "wait %1; echo $?"), "later|0");
    assert_eq!(session.timeline().world().now().0 / 1_000_000, 20);
}

/// Files go back with everything else.
#[test]
fn files_are_part_of_the_world() {
    let mut session = session();
    output(&mut session, "echo one > f");
    output(&mut session, "echo two >> f; mkdir d; cd d");
    let hash = session.timeline().world().trace_hash();
    session.timeline_mut().seek_stop(1);
    assert_eq!(output(&mut session, "cat f; ls; pwd"), "one|f|/learner");
    session.timeline_mut().return_to_left_branch();
    assert_eq!(session.timeline().world().trace_hash(), hash);
    assert_eq!(output(&mut session, "cat ../f; ls ..; pwd"), "one|two|d|f|/learner/d");
}

/// Loops of loops that never wait end too, and so does what starts too many jobs.
#[test]
fn everything_is_bounded() {
    let mut session = session();
    let nested = "for a in $(seq 300); do for b in $(seq 30); do :; done; done; echo $a $b";
    assert_eq!(output(&mut session, nested), "300 30");
    let jobs = "for a in $(seq 2000); do sleep 1000 & done; echo no";
    assert_eq!(output(&mut session, jobs), "bash: fork: Resource temporarily unavailable");
    assert_eq!(output(&mut session, "jobs | wc -l"), "500");
}
