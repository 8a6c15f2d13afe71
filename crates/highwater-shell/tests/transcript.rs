//! Transcripts: read, written back, and what is wrong with broken ones.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

mod golden;

use golden::GOLDEN;
use highwater_core::ids::BrokerId;
use highwater_core::world::options::OwnSetting;
use highwater_shell::lang::{Parsed, parse};
use highwater_shell::transcript::{Transcript, compare};

fn read(text: &str) -> Transcript {
    match Transcript::parse(text) {
        Ok(transcript) => transcript,
        Err(error) => panic!("{error}"),
    }
}

/// Every golden transcript comes back byte for byte.
#[test]
fn golden_transcripts_come_back() {
    for (name, text) in GOLDEN {
        assert_eq!(read(text).write(), *text, "{name}");
    }
}

/// The shell understands every line that the golden transcripts type.
#[test]
fn golden_commands_are_understood() {
    for (name, text) in GOLDEN {
        for block in &read(text).blocks {
            let parsed = parse(block.command.as_bytes());
            assert!(
                matches!(parsed, Ok(Parsed::Complete(_))),
                "{name}: {}: {parsed:?}",
                block.command
            );
        }
    }
}

/// Blocks as compare.py cuts them: a heredoc ends at its word, a line goes on after a backslash.
fn blocks_of_compare_py(text: &str) -> Vec<(String, Vec<&str>)> {
    let mut blocks: Vec<(String, Vec<&str>)> = Vec::new();
    let mut lines = text.split('\n');
    while let Some(line) = lines.next() {
        if let Some(typed) = line.strip_prefix("$ ") {
            let mut command = typed.to_owned();
            let word = typed.split_once("<<").map(|(_, after)| {
                let after = after.trim_start_matches('-').trim_start().trim_start_matches('\'');
                let end = after.find(|c: char| !c.is_alphanumeric() && c != '_');
                &after[..end.unwrap_or(after.len())]
            });
            while word.is_some() || command.ends_with('\\') {
                let Some(next) = lines.next() else { break };
                command = [&command, "\n", next].concat();
                if word == Some(next.trim()) {
                    break;
                }
            }
            blocks.push((command, Vec::new()));
        } else if line == "#" || line.starts_with("# ") || line.starts_with("#!") {
            continue;
        } else if let Some((_, output)) = blocks.last_mut() {
            output.push(line);
        }
    }
    for (_, output) in &mut blocks {
        while output.last() == Some(&"") {
            output.pop();
        }
    }
    blocks
}

/// On every golden file the shell's lexer and compare.py agree where commands end.
#[test]
fn commands_end_where_compare_py_ends_them() {
    for (name, text) in GOLDEN {
        let ours: Vec<(String, Vec<String>)> = read(text)
            .blocks
            .into_iter()
            .map(|block| {
                let mut output = block.output;
                if block.exit != 0 {
                    output.push(format!("[exit {}]", block.exit));
                }
                (block.command, output)
            })
            .collect();
        let theirs: Vec<(String, Vec<String>)> = blocks_of_compare_py(text)
            .into_iter()
            .map(|(command, output)| (command, output.into_iter().map(str::to_owned).collect()))
            .collect();
        assert_eq!(ours, theirs, "{name}");
    }
}

const SAMPLE: &str = "\
#! brokers 5
#! broker log.retention.ms=a=b

# What it shows.
$ cat <<X | sort \\
  -r
b
$ c
X
b
# In between.
\\$ c
\\\\x
\\# y
\\[exit 3]

[exit 2]

# After it.
$ echo 'a
b'
a
b

$ true";

/// Directives, heredocs, continued lines, escapes, exit lines and notes are told apart.
#[test]
fn sample_is_understood() {
    let transcript = read(SAMPLE);
    assert_eq!(transcript.brokers, 5);
    let property = ("log.retention.ms".to_owned(), "a=b".to_owned());
    assert_eq!(transcript.broker_properties, [property]);
    assert_eq!(transcript.own_properties, []);
    let lines: Vec<_> = transcript.blocks.iter().map(|block| block.line).collect();
    assert_eq!(lines, [5, 20, 25]);
    let first = &transcript.blocks[0];
    assert_eq!(first.command, "cat <<X | sort \\\n  -r\nb\n$ c\nX");
    assert_eq!(first.output, ["b", "$ c", "\\x", "# y", "[exit 3]", ""]);
    assert_eq!(first.exit, 2);
    assert_eq!(transcript.blocks[1].command, "echo 'a\nb'");
    assert_eq!(transcript.blocks[1].output, ["a", "b"]);
    assert_eq!(transcript.blocks[2].output, [""; 0]);
    assert_eq!(transcript.write(), SAMPLE);
    assert_eq!(read("").write(), "");
    assert_eq!(read("\n\n").write(), "\n\n");
    assert_eq!(read("").brokers, 3);
}

/// A line for one broker names it; how many there are may be said below. The same line twice does no harm.
#[test]
fn lines_of_one_broker() {
    let text = "#! broker 4 broker.rack=a b\n#! broker 04\t broker.rack = a b\n#! broker 1 a.b=c\n\
                #! broker 1a=b\n#! brokers 4\n#! broker x=y\n";
    let transcript = read(text);
    let own = |id: i32, key: &str, value: &str| OwnSetting {
        broker: BrokerId(id),
        key: key.to_owned(),
        value: value.to_owned(),
    };
    let rack = own(4, "broker.rack", "a b");
    assert_eq!(transcript.own_properties, [rack.clone(), rack, own(1, "a.b", "c")]);
    let all = [("1a", "b"), ("x", "y")].map(|(key, value)| (key.to_owned(), value.to_owned()));
    assert_eq!(transcript.broker_properties, all);
    assert_eq!(transcript.write(), text);
}

/// New outcomes are escaped and leave the comments where they belong.
#[test]
fn outcomes_can_be_replaced() {
    let mut transcript = read(SAMPLE);
    let output = ["$ x", "#", "[exit 1]", "\\", "#! y", "", "plain"].map(str::to_owned);
    transcript.blocks[0].set_outcome(output.to_vec(), 0);
    transcript.blocks[1].set_outcome(vec!["c".to_owned(), String::new()], 7);
    let written = transcript.write();
    let expected = "X\n\\$ x\n# In between.\n\\#\n\\[exit 1]\n\\\\\n\\#! y\n\nplain\n\n# After it.\n\
                    $ echo 'a\nb'\nc\n\n[exit 7]\n\n$ true";
    assert!(written.ends_with(expected), "{written}");
    let again = read(&written);
    assert_eq!(again.blocks[0].output, output);
    assert_eq!((again.blocks[1].exit, again.blocks[1].output.len()), (7, 2));
    transcript.blocks[0].set_outcome(Vec::new(), 0);
    assert!(transcript.write().contains("X\n# In between.\n\n# After it.\n$ echo"));
}

/// Each mistake names its line and what to do.
#[test]
fn mistakes_are_explained() {
    for (text, line, words) in [
        ("# a\nhello\n", 2, "text before the first command; begin a command with `$ `"),
        ("#! broker\n", 1, "`#! broker` needs key=value"),
        ("#! broker a b=c\n", 1, "`#! broker` needs key=value"),
        (
            "#! broker 1\n",
            1,
            "`#! broker` needs key=value, as in server.properties; for one broker",
        ),
        ("#! broker 0 a=b\n", 1, "`#! broker` needs key=value"),
        ("#! broker 1 =b\n", 1, "`#! broker` needs key=value"),
        ("#! broker 1 a b=c\n", 1, "`#! broker` needs key=value"),
        ("#! broker 99999999999 a=b\n", 1, "`#! broker` needs key=value"),
        (
            "#! broker 3 a=b\n# x\n#! broker 4 a=b\n\n$ a\n",
            3,
            "there is no broker of this number, they are 1 to 3; ask for more with `#! brokers N`",
        ),
        (
            "#! broker 2 a=b\n#! brokers 1\n",
            1,
            "there is no broker of this number, they are 1 to 1",
        ),
        (
            "#! broker 2 a=b\n#! broker 1 a=c\n#! broker 2 a=c\n",
            3,
            "this broker has another value for this key above; keep one",
        ),
        ("#! brokers 0\n", 1, "`#! brokers` needs a number from 1 to 9"),
        ("#! brokers 2\n#! brokers 2\n", 2, "`#! brokers` stands here a second time"),
        ("#! seed 5\n", 1, "unknown directive; there are `#! brokers N`"),
        ("$ a\n#! brokers 2\n", 2, "a directive stands after a command"),
        ("$ a\n[exit 0]\n", 2, "an exit line reads `[exit N]` with N from 1 to 255"),
        ("$ a\n[exit 256]\n", 2, "an exit line reads"),
        ("$ a\n[exit +1]\n", 2, "an exit line reads"),
        ("$ a\n[exit 1]\nb\n", 3, "output after the exit line"),
        ("$ a\n\\b\n", 2, "a `\\` at the beginning of an output line protects"),
        ("$ a\r\n", 1, "the line ends in CR LF"),
        ("#! brokers 2\r\n", 1, "the line ends in CR LF"),
        ("$ b\n$ echo it's\na\n$ echo it's\n", 2, "the closing single quote is missing"),
        ("$ cat <<X\na\n$ b\n", 1, "the line that ends the heredoc is missing"),
        ("$ a |\n", 1, "a command after `|`, `&&` or `||` is missing"),
    ] {
        match Transcript::parse(text) {
            Err(error) => {
                let expected = format!("line {line}: {words}");
                assert!(error.to_string().starts_with(&expected), "{text:?}: {error}");
            }
            Ok(transcript) => panic!("{text:?}: {transcript:?}"),
        }
    }
}

/// Long commands and long files are refused, not read for ever.
#[test]
fn long_input_is_refused() {
    let long = "a".repeat(1 << 20);
    let error = |text: &str| Transcript::parse(text).expect_err("differs").to_string();
    assert!(
        error(&["# x\n$ ", &long, "a\n"].concat()).starts_with("line 2: this command is longer")
    );
    assert!(
        error(&["$ cat <<X\n", &long, "\nX\n"].concat()).starts_with("line 1: this command is")
    );
    assert!(error(&["$ cat <<X\n$ ", &long, "\nX\n"].concat()).starts_with("line 1: this command"));
    assert!(error(&long.repeat(17)).starts_with("line 1: the transcript is longer than 16 MiB"));
    assert_eq!(read(&["$ ", &long, "\n"].concat()).blocks[0].command.len(), 1 << 20);
}

/// A difference shows what was expected, what came, and a little around it.
#[test]
fn differences_are_readable() {
    let expected = ["1", "2", "3", "4", "5", "took 5 ms", "old", "7"];
    let actual = ["1", "2", "3", "4", "5", "took 9 ms", "new", "more", "7"];
    let diff = compare(&expected, &actual, "cat").expect_err("differs");
    assert_eq!(
        diff.to_string(),
        "--- expected\n+++ actual\n...\n 5\n took N ms\n-old\n+new\n+more\n 7\n"
    );
    let diff = compare(&["a", "x", "b"], &["a", "b", "x"], "cat").expect_err("differs");
    assert_eq!(diff.to_string(), "--- expected\n+++ actual\n a\n-x\n b\n+x\n");
    assert_eq!(compare(&["a", ""], &["a"], "cat"), Ok(()));
    let many: Vec<String> = (0..3000).map(|number| number.to_string()).collect();
    let others: Vec<String> = (5000..8000).map(|number| number.to_string()).collect();
    assert_eq!(compare(&many, &others, "cat").expect_err("differs").lines.len(), 6000);
}

/// The exit status is part of the outcome.
#[test]
fn exit_status_is_compared() {
    let block = &read("$ a\nx\n[exit 1]\n").blocks[0];
    assert!(block.compare(&["x".to_owned()], 1).is_ok());
    let diff = block.compare(&["x".to_owned()], 0).expect_err("differs");
    assert_eq!(diff.to_string(), "--- expected\n+++ actual\n x\n-[exit 1]\n");
}
