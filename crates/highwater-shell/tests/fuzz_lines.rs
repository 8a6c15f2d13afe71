//! Lines that nobody meant: those of all transcripts, with words and characters changed, put together at random.
//! Whatever is typed, nothing panics, the terminal comes back, virtual time and memory are bounded, the invariants
//! hold, and a failing case is printed as lines that can be typed again.

#![cfg(not(target_arch = "wasm32"))]

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use highwater_core::invariant::check;
use highwater_core::time::SimDuration;
use highwater_core::world::input::InputKind;
use highwater_core::world::options::ClusterOptions;
use highwater_core::world::stream::TerminalState;
use highwater_shell::link::{SessionLog, decode, encode, replay};
use highwater_shell::session::Session;
use highwater_shell::transcript::Transcript;
use proptest::prelude::{
    ProptestConfig, Strategy, any, prop, prop_assert, prop_assert_eq, prop_oneof, proptest,
};
use proptest::sample::{Index, select};

/// How long a line may run before it is interrupted, in virtual time.
const LIMIT: SimDuration = SimDuration::from_millis(60_000);

/// Words that tools do not expect.
const ODD: &[&str] = &[
    "''",
    "0",
    "-1",
    "-0",
    "1e9",
    "0x10",
    "2147483648",
    "4294967296",
    "-9223372036854775808",
    "9223372036854775807",
    "9223372036854775808",
    "99999999999999999999",
    "NaN",
    "true",
    "null",
    "localhost:0",
    "localhost:99999",
    "localhost",
    ":9092",
    "a:b:c",
    "=",
    "a=",
    "=b",
    "a=b=c",
    ",",
    ",,",
    "a,b",
    "[",
    "[a]",
    "{",
    "{}",
    "'{\"partitions\":[]}'",
    "*",
    "'.*'",
    "'('",
    "'a{1001}'",
    "--",
    "-",
    "--help",
    "--version",
    "--topic",
    "__consumer_offsets",
    "..",
    ".",
    "é",
    "'\u{1f6b2}'",
    "$'\\xff'",
    "\"$(seq 3)\"",
    "$(seq 3)",
    "$x",
    "${x}",
    "$!",
    "%1",
    "~",
    "/tmp/kafka-logs-1",
    "/dev/null",
    "P1D",
    "PT1S",
    "2026-01-01T00:00:00.000",
    "all",
    "latest",
    "1",
];
/// What can stand between two commands.
const BETWEEN: &[&str] =
    &[" | ", " & ", "; ", " && ", " || ", " > out ", " >> out 2>&1 ", " < out ", "\n"];

/// All commands of all transcripts.
fn known() -> &'static [String] {
    static KNOWN: OnceLock<Vec<String>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let mut commands = Vec::new();
        for folder in ["kafka", "recorded"] {
            let folder =
                Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/transcripts").join(folder);
            for entry in fs::read_dir(folder).expect("the transcripts are there") {
                let path = entry.expect("a file").path();
                if path.extension().is_none_or(|ending| ending != "console") {
                    continue;
                }
                let text = fs::read_to_string(path).expect("text");
                let transcript = Transcript::parse(&text).expect("a transcript");
                commands.extend(transcript.blocks.into_iter().map(|block| block.command));
            }
        }
        commands.sort();
        commands.dedup();
        commands
    })
}

/// All words of these commands.
fn words() -> &'static [String] {
    static WORDS: OnceLock<Vec<String>> = OnceLock::new();
    WORDS.get_or_init(|| {
        let mut words: Vec<String> = known()
            .iter()
            .flat_map(|command| command.split_whitespace())
            .map(str::to_owned)
            .collect();
        words.sort();
        words.dedup();
        words
    })
}

/// One change of a command.
#[derive(Clone, Debug)]
enum Change {
    Drop(Index),
    Repeat(Index),
    Swap(Index, Index),
    Put(Index, String),
    Replace(Index, String),
    Cut(Index),
    Insert(Index, char),
    Join(&'static str, String),
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof![select(ODD).prop_map(str::to_owned), select(words())]
}

fn change() -> impl Strategy<Value = Change> {
    let at = any::<Index>;
    prop_oneof![
        2 => at().prop_map(Change::Drop),
        1 => at().prop_map(Change::Repeat),
        1 => (at(), at()).prop_map(|(a, b)| Change::Swap(a, b)),
        4 => (at(), word()).prop_map(|(at, word)| Change::Put(at, word)),
        6 => (at(), word()).prop_map(|(at, word)| Change::Replace(at, word)),
        1 => at().prop_map(Change::Cut),
        1 => (at(), prop_oneof![select(&b"'\"\\$`(){}|&;<>*?#\n\0"[..]).prop_map(char::from), any::<char>()])
            .prop_map(|(at, c)| Change::Insert(at, c)),
        1 => (select(BETWEEN), select(known())).prop_map(|(between, more)| Change::Join(between, more)),
    ]
}

/// A command with a change.
fn changed(command: &str, change: &Change) -> String {
    let mut words: Vec<&str> = command.split(' ').collect();
    let chars: Vec<char> = command.chars().collect();
    match change {
        Change::Drop(at) => drop(words.remove(at.index(words.len()))),
        Change::Repeat(at) => words.push(words[at.index(words.len())]),
        Change::Swap(a, b) => {
            let (a, b) = (a.index(words.len()), b.index(words.len()));
            words.swap(a, b);
        }
        Change::Put(at, word) => words.insert(at.index(words.len() + 1), word),
        Change::Replace(at, word) => {
            let at = at.index(words.len());
            words[at] = word;
        }
        Change::Cut(at) => return chars[..at.index(chars.len() + 1)].iter().collect(),
        Change::Insert(at, c) => {
            let mut chars = chars.clone();
            chars.insert(at.index(chars.len() + 1), *c);
            return chars.into_iter().collect();
        }
        Change::Join(between, more) => return [command, between, more].concat(),
    }
    words.join(" ")
}

/// A command of a transcript, changed a few times, or words in any order.
fn line() -> impl Strategy<Value = String> {
    let of_words = prop::collection::vec(word(), 1..8).prop_map(|words| words.join(" "));
    let of_command =
        (select(known()), prop::collection::vec(change(), 0..4)).prop_map(|(command, changes)| {
            changes.iter().fold(command, |command, change| changed(&command, change))
        });
    prop_oneof![1 => of_words, 9 => of_command]
}

/// A cluster with topics, records, a group and a file, in which most commands find something.
fn furnished() -> &'static Session {
    thread_local! {
        static SESSION: &'static Session = {
            let mut session = Session::new(ClusterOptions::default()).expect("a cluster");
            for line in [
                "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic t --partitions 3 --replication-factor 3",
                "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic parcel-events --replication-factor 2",
                "for i in 1 2 3 4; do hw produce --topic t --key k$i --value v$i; done",
                "kafka-console-consumer.sh --bootstrap-server localhost:9092 --topic t --group g --from-beginning --max-messages 3 > out",
                "x='a b'",
            ] {
                session.run(line).expect("it runs");
            }
            Box::leak(Box::new(session))
        };
    }
    SESSION.with(|session| *session)
}

/// Types a line, whatever it is, and has the terminal back in the end.
fn survive(session: &mut Session, line: &str) -> Result<(), String> {
    let start = session.timeline().world().now();
    let terminal = session.terminal();
    let mut rounds = 0u64;
    if let Err(refused) = session.type_line(line, LIMIT) {
        // What is refused says why and changes nothing.
        return if refused.to_string().is_empty() {
            Err("refused without a word".into())
        } else {
            Ok(())
        };
    }
    while session.state() != TerminalState::Ready || session.missing().is_some() {
        let kind = if rounds == 0 { InputKind::EndOfInput } else { InputKind::Interrupt };
        session.timeline_mut().input(terminal, kind, LIMIT).map_err(|error| error.to_string())?;
        rounds += 1;
        if rounds > 4 {
            return Err(format!("the terminal does not come back: {:?}", session.state()));
        }
    }
    let took = session.timeline().world().now().0 - start.0;
    if took > LIMIT.0 * (rounds + 1) {
        return Err(format!("it took {took} µs"));
    }
    Ok(())
}

proptest! {
    // The files that remember failing cases are not kept: those belong into tests of their own.
    #![proptest_config(ProptestConfig { failure_persistence: None,  max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn nothing_panics_and_the_terminal_comes_back(lines in prop::collection::vec(line(), 1..4)) {
        let mut session = furnished().clone();
        for line in &lines {
            prop_assert_eq!(survive(&mut session, line), Ok(()), "{}", line);
        }
        let chunks = session.timeline().world().output(session.terminal());
        let output: usize = chunks.iter().map(|chunk| chunk.bytes.len()).sum();
        assert!(output < 64 << 20, "{output} bytes of output");
        prop_assert_eq!(check(session.timeline().world()), Vec::new());
        // What was typed may have closed its output, or ended the shell.
        let is_plain = !lines.iter().any(|line| line.contains("ex") || line.contains("echo"));
        if is_plain && session.state() == TerminalState::Ready {
            let said = session.run("echo ok").expect("it runs").output;
            prop_assert_eq!(said.last().map(String::as_str), Some("ok"), "{:?}", lines);
        }
    }

    /// A link of what was typed, damaged: it is refused with a reason, or what was kept plays.
    #[test]
    fn links_that_were_damaged(
        lines in prop::collection::vec(line(), 1..3),
        damage in prop::collection::vec((any::<Index>(), any::<Index>(), prop::option::of(any::<char>())), 0..3),
    ) {
        let mut session = Session::new(ClusterOptions::default()).expect("a cluster");
        for line in &lines {
            prop_assert_eq!(survive(&mut session, line), Ok(()), "{}", line);
        }
        let log = SessionLog::of(session.timeline());
        let mut link: Vec<char> = encode(&log).expect("it fits").chars().collect();
        for (from, to, put) in &damage {
            let (from, to) = (from.index(link.len() + 1), to.index(link.len() + 1));
            link.splice(from.min(to)..from.max(to).min(from.min(to) + 3), *put);
        }
        let link: String = link.into_iter().collect();
        match decode(&link) {
            Ok(opened) => {
                let played = replay(&opened.log);
                prop_assert!(played.is_ok_and(|played| !damage.is_empty() || played.notes.is_empty()), "{}", link);
            }
            Err(error) => prop_assert!(!damage.is_empty() && !error.to_string().is_empty(), "{}", link),
        }
    }
}

/// What would take all memory or time is refused, or bounded and said.
#[test]
fn too_much() {
    for (line, said) in [
        ("seq 1 1000000000 | tail -n 1", "seq: Highwater prints a million numbers at most"),
        ("sleep 1e9", "sleep: invalid time interval"),
        ("sleep 999999999", "sleep: '999999999' is more than a year; Highwater sleeps less"),
        ("printf '%999999999d' 5", "printf: wider than 10000 characters; Highwater prints less"),
        ("printf '%.99999d' 5", "printf: wider than 10000 characters; Highwater prints less"),
        ("printf '%9999s' $(seq 5000)", "printf: more than 16 MiB; Highwater prints less"),
        (
            "for i in $(seq 1 10000000); do echo; done",
            "seq: Highwater prints a million numbers at most",
        ),
    ] {
        let mut session = furnished().clone();
        let outcome = session.run(line).expect("it runs");
        assert!(
            outcome.output.iter().any(|text| text.contains(said)),
            "{line}: {:?}",
            outcome.output.first()
        );
    }
    // A heredoc with a line of 100 MB.
    let mut session = furnished().clone();
    let before = session.timeline().world().trace_hash();
    let heredoc = ["cat <<E\n", &"x".repeat(100 << 20), "\nE"].concat();
    let refused = session.run(&heredoc).expect_err("it is too long").to_string();
    assert!(refused.contains("a terminal takes 1048576"), "{refused}");
    assert_eq!(session.timeline().world().trace_hash(), before);
    // Records that are all refused take time too.
    let perf = "kafka-producer-perf-test.sh --topic t --num-records 9223372036854775807 --record-size 9000000 \
                --throughput -1 --command-property bootstrap.servers=localhost:9092";
    assert_eq!(survive(&mut session, perf), Ok(()));
}
