//! Interrupts in every state, forks at every step, seeks past both ends: the terminal always comes
//! back, and the same inputs always give the same world.

use highwater_core::time::SimDuration;
use highwater_core::world::input::InputKind;
use highwater_core::world::options::ClusterOptions;
use highwater_core::world::stream::TerminalState;
use highwater_shell::session::Session;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const COMMANDS: &[&str] = &[
    "cat | cat | head -1",
    "sleep 3 | cat",
    "cat <<E\nnever\n",
    "echo 'open",
    "kafka-console-producer.sh --bootstrap-server localhost:9092 --topic t --sync",
    "printf 'a\\nb\\nc\\n' | kafka-console-producer.sh --bootstrap-server localhost:9092 --topic t --timeout 9",
    "echo a | kafka-console-producer.sh --bootstrap-server localhost:9999 --topic t",
    "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic new --partitions 3 | head -1",
    "kafka-topics.sh --bootstrap-server localhost:9092 --describe | cat",
    "kafka-get-offsets.sh --bootstrap-server localhost:9092; hw consume --as r --topic t --partition 0",
    "hw produce --topic t --value v && hw produce --topic u --value w",
];

fn session() -> Session {
    let mut session = Session::new(ClusterOptions::default()).expect("a cluster");
    for line in ["hw produce --topic t --value first", "hw consume --as r --topic t --partition 0"]
    {
        session.run(line).expect("it runs");
    }
    session
}

fn give(session: &mut Session, kind: InputKind) {
    let terminal = session.terminal();
    let limit = SimDuration::from_millis(100_000);
    session.timeline_mut().input(terminal, kind, limit).expect("it is taken");
}

/// After Ctrl-C, whatever was going on, the next command runs as if nothing had been.
fn is_usable(session: &mut Session, when: &str) {
    give(session, InputKind::Interrupt);
    assert_eq!(session.state(), TerminalState::Ready, "{when}");
    assert_eq!(session.missing(), None, "{when}");
    assert_eq!(session.run("echo ok").expect("it runs").output, ["ok"], "{when}");
}

#[test]
fn interrupt_and_fork_anywhere() {
    for command in COMMANDS {
        let mut first = session();
        let start = first.timeline().world().steps();
        let _ = first.type_line(command, SimDuration::from_millis(100_000));
        let end = first.timeline().world().steps();
        let hash = first.timeline().world().trace_hash();
        let mut returned = 0;
        for step in start..=end + 1 {
            let mut session = first.clone();
            session.timeline_mut().seek(step);
            is_usable(&mut session, &format!("{command}: fork at step {step}"));
            let left = session.timeline().left_branch().is_some();
            session.timeline_mut().return_to_left_branch();
            if left {
                assert_eq!(session.timeline().world().trace_hash(), hash, "{command}: {step}");
                returned += 1;
            }
            session.timeline_mut().return_to_left_branch();
            is_usable(&mut session, &format!("{command}: left again at {step}"));
        }
        assert!(returned > 0, "{command}");
        for step in [0, u64::MAX, end, u64::MAX] {
            first.timeline_mut().seek(step);
        }
        for stop in [0, u32::MAX, 1, u32::MAX] {
            first.timeline_mut().seek_stop(stop);
        }
        assert_eq!(first.timeline().world().trace_hash(), hash, "{command}");
    }
}

/// A pipe holds 64 KiB; a reader that takes nothing, or ends, stops the writer, and all ends.
#[test]
fn full_pipes() {
    let line = "0123456789abcdef".repeat(8_000);
    for (reader, output) in [("sleep 1", ""), ("head -n 0", ""), ("cat | cat", line.as_str())] {
        let mut session = session();
        let outcome = session.run(&format!("echo {line} | {reader}")).expect("it runs");
        assert_eq!(outcome.output.concat().len(), output.len(), "{reader}");
        is_usable(&mut session, reader);
    }
}

/// Escapes and flags as bash takes them; what is not built is refused, never printed wrongly.
#[test]
fn echo_and_printf() {
    let mut session = session();
    for (command, output) in [
        (r"echo -x - --", "-x - --"),
        (r"printf -- '-\101\060\1234\8\q\n'", r"-A0S4\8\q"),
        (r#"printf '\"%d%%\"\n' -5"#, r#""-5%""#),
    ] {
        let output: Vec<&str> = output.split('\n').collect();
        let outcome = session.run(command).expect("it runs");
        assert_eq!(
            (outcome.output, outcome.exit),
            (output.iter().map(|line| (*line).to_owned()).collect(), 0),
            "{command}"
        );
    }
    for command in ["printf %f 1", "printf %d abc", "printf"] {
        assert_ne!(session.run(command).expect("it runs").exit, 0, "{command}");
    }
}

/// What is not known before a shell has been elsewhere, and what cannot be read as a setting.
#[cfg(feature = "cluster")]
#[test]
fn said_of_wrong_words() {
    let mut session = session();
    for (command, said) in [
        ("cd -", "bash: cd: OLDPWD not set"),
        ("hw work --group g --topic t --property bad", "hw work: --property bad: write KEY=VALUE"),
        ("ls -la", "ls: -l exists in GNU ls, but Highwater does not have it; see ls --help"),
        (
            "grep -A1 a /dev/null",
            "grep: -A exists in GNU grep, but Highwater does not have it; see grep --help",
        ),
        (
            "sort --random-sort",
            "sort: --random-sort exists in GNU sort, but Highwater does not have it; see sort --help",
        ),
        ("sleep infinity", "sleep: 'infinity' is more than a year; Highwater sleeps less"),
    ] {
        let outcome = session.run(command).expect("it runs");
        assert_eq!(outcome.output, [said], "{command}");
        assert_ne!(outcome.exit, 0, "{command}");
    }
    for tool in [
        "cat", "cut", "grep", "head", "ls", "mkdir", "rm", "sort", "tail", "touch", "tr", "uniq",
        "wc",
    ] {
        let outcome = session.run(&format!("{tool} --help")).expect("it runs");
        assert!(outcome.output[0].starts_with(&format!("Usage: {tool} ")), "{:?}", outcome.output);
        assert_eq!((outcome.output.len(), outcome.exit), (2, 0), "{tool}");
    }
}

/// GNU's other options, by letter: each is named as such, none of them is one that works here.
#[cfg(feature = "cluster")]
#[test]
fn options_that_only_gnu_has() {
    let mut session = session();
    for (tool, letters) in [
        ("cat", "AbeEstTv"),
        ("cut", "nz"),
        ("grep", "ABCDTUZabdryz"),
        ("ls", "BCDFGHILNQRSTUXZbcfghiklmnoqstuvwx"),
        ("sort", "CMRSTVcdghimoz"),
        ("tail", "Fsz"),
        ("touch", "adhmrt"),
        ("uniq", "Dfswz"),
        ("wc", "L"),
    ] {
        for letter in letters.chars() {
            let outcome = session.run(&format!("{tool} -{letter} 1 < /dev/null")).expect("it runs");
            let said = format!(
                "{tool}: -{letter} exists in GNU {tool}, but Highwater does not have it; see {tool} --help"
            );
            assert_eq!(outcome.output, [said], "{tool} -{letter}");
            assert_ne!(outcome.exit, 0);
        }
    }
}
