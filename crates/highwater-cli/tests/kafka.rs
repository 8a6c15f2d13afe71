//! `highwater kafka` with tools that only look like Kafka's: what they are started with, what they read and print,
//! how they end.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Says what it was started with, a line each; then what it reads, with marks around it.
const SHOWS: &str = "#!/bin/sh
for a in \"$@\"; do echo \"<$a>\"; done
sed 's/.*/(&)/'
exit 3
";
/// Runs until it is told to end, and says so.
const WAITS: &str = "#!/bin/sh
trap 'echo bye >&2; exit 143' TERM
trap 'echo stop; exit 130' INT
echo on
while :; do sleep 0.05; done
";
/// Prints a file.
const READS: &str = "#!/bin/sh
cat \"$2\"
";

/// A folder that looks like an unpacked Kafka.
fn kafka_home(name: &str) -> PathBuf {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(home.join("bin")).expect("a folder");
    for (tool, text) in [
        ("kafka-topics.sh", SHOWS),
        ("kafka-console-consumer.sh", WAITS),
        ("kafka-delete-records.sh", READS),
    ] {
        let path = home.join("bin").join(tool);
        fs::write(&path, text).expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it may be run");
    }
    home
}

fn play(home: &Path, transcript: &str, more: &[&str]) -> Output {
    let file = home.join("played.console");
    fs::write(&file, transcript).expect("a file");
    let file = file.to_string_lossy();
    let home = home.to_string_lossy();
    // A test that runs in the background of a shell is to ignore Ctrl-C, and so would be what it starts.
    let reset = ["--default-signal=INT"];
    let can_reset = Command::new("env").args(reset).arg("true").output();
    let can_reset = can_reset.is_ok_and(|output| output.status.success());
    let mut command = Command::new("env");
    command.args(can_reset.then_some(reset).iter().flatten());
    command
        .arg(env!("CARGO_BIN_EXE_highwater"))
        .args(["kafka", &file, "--bootstrap-server", "broker:7000", "--kafka-home", &home])
        .args(more)
        .output()
        .expect("it starts")
}

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

const WORDS: &str = "\
$ x='a  b'; printf 'one\\ntwo\\n' | bin/kafka-topics.sh --bootstrap-server localhost:9092,localhost:9093 \"$x\" '$(id)' '`id`' ';' \"\"
<--bootstrap-server>
<broker:7000>
<a  b>
<$(id)>
<`id`>
<;>
<>
(one)
(two)
[exit 3]
$ kafka-topics --list < /dev/null | grep -c list
1
$ kafka-topics.sh <<END
$x
END
(a  b)
[exit 3]
$ n=$(kafka-topics.sh count < /dev/null); echo \"got $n\"
got <count>
";

/// Words reach a tool as our shell understands them, and nothing in them is run by the host.
#[test]
fn what_tools_are_started_with() {
    let home = kafka_home("starts");
    let output = play(&home, WORDS, &[]);
    assert_eq!(printed(&output), WORDS, "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success());
    // The same as a check: what it says is compared.
    let good = play(&home, WORDS, &["--check"]);
    assert_eq!(printed(&good), "1 passed, 0 failed\n");
    let bad = play(&home, &WORDS.replace("got <count>", "got 5"), &["--check"]);
    assert_eq!(bad.status.code(), Some(1));
    let said = printed(&bad);
    assert!(said.contains("got 5") && said.ends_with("0 passed, 1 failed\n"), "{said}");
}

/// Jobs, signals and what runs too long.
#[test]
fn tools_that_run_on() {
    let home = kafka_home("jobs");
    let transcript = "\
$ kafka-console-consumer.sh > out.txt 2>&1 &
$ sleep 1
$ kill %1
$ wait %1; echo $?
$ cat out.txt
$ kafka-console-consumer.sh
$ kafka-console-consumer.sh & sleep 0.5; kill -9 $!
";
    let output = play(&home, transcript, &["--limit", "2"]);
    let said = printed(&output);
    let expected = "\
$ wait %1; echo $?
143
$ cat out.txt
on
bye
$ kafka-console-consumer.sh
on
stop
[exit 124]
$ kafka-console-consumer.sh & sleep 0.5; kill -9 $!
on
";
    assert!(said.ends_with(expected), "{said}");
}

/// Files of the transcript are there for tools; `hw` and tools that are not there say why.
#[test]
fn files_and_what_is_missing() {
    let home = kafka_home("files");
    let transcript = "\
$ mkdir d; echo '{}' > d/plan.json; cd d
$ kafka-delete-records.sh --offset-json-file plan.json
$ cd ..; kafka-delete-records.sh --offset-json-file d/plan.json
$ hw crash 1
$ kafka-nope.sh
";
    let settings = "#! broker log.retention.ms=5\n#! broker 2 broker.rack=b\n";
    let output = play(&home, &[settings, transcript].concat(), &[]);
    let notes = String::from_utf8_lossy(&output.stderr).into_owned();
    for line in settings.lines() {
        assert!(notes.contains(&format!("taken as it is: {line}\n")), "{notes}");
    }
    let said = printed(&output);
    assert!(said.contains("--offset-json-file plan.json\n{}\n"), "{said}");
    assert!(said.contains("--offset-json-file d/plan.json\n{}\n"), "{said}");
    assert!(said.contains("hw acts on the simulated cluster"), "{said}");
    assert!(said.contains("cannot start") && said.contains("kafka-nope.sh"), "{said}");
    assert!(said.ends_with("[exit 127]\n"), "{said}");
    let file = home.join("played.console");
    for servers in ["", "host", "host:", ":9092", "host:0", "host:99999", "a:1,,b:2"] {
        let output = Command::new(env!("CARGO_BIN_EXE_highwater"))
            .arg("kafka")
            .arg(&file)
            .args(["--bootstrap-server", servers])
            .output()
            .expect("it starts");
        let says = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(says.contains("is no address; write HOST:PORT"), "{servers}: {says}");
    }
    let nowhere = Command::new(env!("CARGO_BIN_EXE_highwater"))
        .arg("kafka")
        .arg(file)
        .args(["--bootstrap-server", "h:1", "--kafka-home", "/nowhere"])
        .output()
        .expect("it starts");
    assert_eq!(nowhere.status.code(), Some(1));
    let says = String::from_utf8_lossy(&nowhere.stderr).into_owned();
    assert!(says.contains("there is no bin/kafka-topics.sh in /nowhere"), "{says}");
}

/// The folder of Kafka may be named from where one is.
#[test]
fn a_folder_that_is_not_absolute() {
    let home = kafka_home("relative");
    fs::write(home.join("played.console"), "$ kafka-topics.sh a < /dev/null\n").expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_highwater"))
        .current_dir(home.parent().expect("a folder"))
        .args([
            "kafka",
            "relative/played.console",
            "--bootstrap-server",
            "h:1",
            "--kafka-home",
            "relative",
        ])
        .output()
        .expect("it starts");
    assert_eq!(printed(&output), "$ kafka-topics.sh a < /dev/null\n<a>\n[exit 3]\n");
}

/// A tool that does not hear Ctrl-C is killed.
#[test]
fn a_tool_that_ignores_interrupts() {
    let home = kafka_home("deaf");
    let deaf = "#!/bin/sh\ntrap '' INT\necho on\nwhile :; do sleep 0.05; done\n";
    fs::write(home.join("bin/kafka-console-consumer.sh"), deaf).expect("a file");
    let output = play(&home, "$ kafka-console-consumer.sh\n$ echo next\n", &["--limit", "1"]);
    assert_eq!(
        printed(&output),
        "$ kafka-console-consumer.sh\non\n[exit 124]\n$ echo next\nnext\n"
    );
}
