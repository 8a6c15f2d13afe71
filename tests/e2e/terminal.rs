//! The terminal: commands typed by a person, and output as Kafka prints it.

use crate::browser::Visit;
use crate::page::{Page, key};
use crate::puzzle::JAVA;

const BOOTSTRAP: &str = "--bootstrap-server localhost:9092";

/// The page with its terminal unfolded, at the end of the six records.
#[track_caller]
fn at_the_prompt(visit: Visit, test: impl FnOnce(&Page)) {
    visit.live(|page| {
        page.seek(6);
        page.open_terminal();
        test(page);
    });
}

/// The prompt: `$`, or `>` while more is wanted.
fn prompt(page: &Page) -> String {
    page.text(".tty-form .tty-prompt").trim().to_owned()
}

/// Types a line that only begins something: no output can be waited for.
fn begin(page: &Page, line: &str) {
    page.press(line);
    page.press(key::ENTER);
    page.wait("the prompt to ask for more", || {
        prompt(page) == ">" && page.prompt_text().is_empty()
    });
}

/// It starts folded to one line, the last command; unfolded, it shows every command so far.
#[test]
fn starts_folded() {
    Visit::new().live(|page| {
        assert!(!page.exists("[data-island=figure] .tty"));
        assert_eq!(
            page.attribute("[data-island=figure] [data-do=terminal]", "aria-expanded"),
            "false"
        );
        assert!(
            page.text("[data-island=figure] .did-command")
                .starts_with("$ echo locker-9:PARCEL_DROPPED | kafka-")
        );
        page.open_terminal();
        assert_eq!(
            page.attribute("[data-island=figure] [data-do=terminal]", "aria-expanded"),
            "true"
        );
        let lines = page.lines();
        assert_eq!(lines[1], "Created topic parcel-events.");
        assert!(
            lines[0].starts_with("$ kafka-topics.sh --bootstrap-server localhost:9092 --create")
        );
        assert_eq!(lines.len(), 6, "the future is not in it: {lines:#?}");
        page.click("[data-island=figure] [data-do=terminal]");
        page.wait("the terminal to fold", || !page.exists("[data-island=figure] .tty"));
    });
}

/// Kafka's tools print what Kafka prints.
#[test]
fn kafka_tools_print_as_kafka_does() {
    at_the_prompt(Visit::new(), |page| {
        let described = page.run(&format!("kafka-topics.sh {BOOTSTRAP} --describe"));
        let head = described[0].split('\t').collect::<Vec<_>>();
        assert_eq!(head[0], "Topic: parcel-events");
        let id = head[1].strip_prefix("TopicId: ").expect("a topic has an id");
        assert_eq!(id.len(), 22, "{id}");
        let rest = ["PartitionCount: 3", "ReplicationFactor: 1", "Configs: min.insync.replicas=1"];
        assert_eq!(head[2..], rest);
        let row = |n: usize| {
            format!(
                "\tTopic: parcel-events\tPartition: {n}\tLeader: 1\tReplicas: 1\tIsr: 1\tElr: \t\
                 LastKnownElr: "
            )
        };
        assert_eq!(described[1..], [row(0), row(1), row(2)]);
        assert_eq!(page.run(&format!("kafka-topics.sh {BOOTSTRAP} --list")), ["parcel-events"]);
        let offsets = page.run(&format!("kafka-get-offsets.sh {BOOTSTRAP} --topic parcel-events"));
        assert_eq!(offsets, ["parcel-events:0:3", "parcel-events:1:2", "parcel-events:2:1"]);
        let again =
            page.run(&format!("kafka-topics.sh {BOOTSTRAP} --create --topic parcel-events"));
        let refused = "Error while executing topic command : Topic 'parcel-events' already exists.";
        assert_eq!(again[0], refused);
        assert!(page.exists(".tty-err"), "errors are marked as such");
        assert!(page.exists(".tty-prompt"), "the prompt comes back");
    });
}

/// `hw produce` sends a record as other clients do; the figure shows it.
#[test]
fn produces_a_record() {
    at_the_prompt(Visit::new(), |page| {
        let produce =
            "hw produce --client librdkafka --topic parcel-events --key locker-9 --value X";
        assert_eq!(page.run(produce), ["parcel-events-1, offset 2"]);
        assert_eq!(page.fresh(), ["1/2 C X"]);
        assert_eq!(page.time(), "step 7 of 7");
        assert!(page.sum().contains("CRC-32 = 3686270161 → mod 3 = 1"), "{}", page.sum());
        assert_eq!(page.focused(), "Command", "the next command can be typed at once");
        let given = "hw produce --topic parcel-events --key locker-9 --value Y --partition 0";
        assert_eq!(page.run(given), ["parcel-events-0, offset 3"]);
        assert!(page.sum().contains("the sender named the partition"), "{}", page.sum());
    });
}

/// A typo is answered as a shell answers, with what there is.
#[test]
fn a_typo() {
    at_the_prompt(Visit::new(), |page| {
        let lines = page.run("kafka-topic.sh --list");
        assert_eq!(lines[0], "bash: kafka-topic.sh: command not found");
        assert!(lines[1].starts_with("Highwater has: kafka-topics.sh, "), "{lines:?}");
        let unknown = page.run(&format!("kafka-topics.sh {BOOTSTRAP} --lst"));
        assert!(
            unknown.iter().any(|line| line.contains("lst is not a recognized option")),
            "{unknown:?}"
        );
    });
}

/// A line that cannot be read says at which column, and it is not lost: it can be corrected.
#[test]
fn a_line_that_cannot_be_read() {
    at_the_prompt(Visit::new(), |page| {
        let lines = page.run("echo a | | cat");
        let trouble = "column 10: `|` has no command before it; write one, or take it away";
        assert_eq!(lines, [format!("highwater: {trouble}")]);
        assert!(page.exists(".tty-err"), "it is marked as an error");
        page.press(key::UP);
        page.wait("the line to come back", || page.prompt_text() == "echo a | | cat");
    });
}

/// Output is announced as one sentence, so that whoever cannot see it knows that it is there.
#[test]
fn output_is_announced() {
    at_the_prompt(Visit::new(), |page| {
        page.run(&format!("kafka-topics.sh {BOOTSTRAP} --describe"));
        let announced = page.announced();
        assert!(announced.contains("4 lines"), "four lines came, and this is said: {announced:?}");
        page.run("echo a | | cat");
        let announced = page.announced();
        assert!(announced.contains("column 10"), "an error came, and this is said: {announced:?}");
    });
}

/// An unfinished heredoc asks for more until its end stands alone on a line.
#[test]
fn a_heredoc() {
    at_the_prompt(Visit::new(), |page| {
        begin(page, "cat <<X");
        begin(page, "first");
        begin(page, "second");
        page.press("X");
        page.press(key::ENTER);
        page.wait("the output", || page.lines().ends_with(&["first".into(), "second".into()]));
        assert_eq!(prompt(page), "$");
        let lines = page.lines();
        let typed = ["$ cat <<X", "> first", "> second", "> X", "first", "second"];
        assert_eq!(lines[lines.len() - 6..], typed);
    });
}

/// What is typed so far of an unfinished command is seen while it is unfinished.
#[test]
fn an_unfinished_command_is_seen() {
    at_the_prompt(Visit::new(), |page| {
        begin(page, "cat <<X");
        begin(page, "first");
        let lines = page.lines();
        assert_eq!(lines[lines.len() - 2..], ["$ cat <<X", "> first"]);
    });
}

/// Ctrl-C drops an unfinished command.
#[test]
fn ctrl_c_drops_what_is_unfinished() {
    at_the_prompt(Visit::new(), |page| {
        begin(page, "cat <<X");
        page.press_with(key::CTRL, "c");
        page.wait("the prompt to come back", || prompt(page) == "$");
        assert_eq!(page.run("echo still here"), ["still here"]);
        begin(page, "echo 'open");
        page.click(".tty-input");
        page.press_with(key::CTRL, "c");
        page.wait("the prompt to come back", || prompt(page) == "$");
    });
}

/// A tool that reads gets what is typed; Ctrl-D ends its input, Ctrl-C ends the tool.
#[test]
fn ctrl_d_and_ctrl_c_for_a_tool_that_reads() {
    at_the_prompt(Visit::new(), |page| {
        let producer = format!("kafka-console-producer.sh {BOOTSTRAP} --topic parcel-events");
        begin(page, &producer);
        begin(page, "without a key");
        page.press_with(key::CTRL, "d");
        page.wait("the producer to end", || prompt(page) == "$");
        assert!(
            page.cells().iter().any(|cell| cell.ends_with("- without a key")),
            "{:?}",
            page.cells()
        );
        begin(page, "cat");
        page.press("echoed");
        page.press(key::ENTER);
        page.wait("cat to answer", || page.lines().last().is_some_and(|line| line == "echoed"));
        page.press_with(key::CTRL, "c");
        page.wait("cat to end", || prompt(page) == "$");
        assert_eq!(page.run("echo again"), ["again"]);
    });
}

/// Ctrl-C with a selection copies and interrupts nothing; Ctrl with other keys is the browser's.
#[test]
fn ctrl_c_with_a_selection_is_the_browsers() {
    at_the_prompt(Visit::new(), |page| {
        begin(page, "cat <<X");
        page.press("some words");
        page.press_with(key::CTRL, "a");
        page.press_with(key::CTRL, "c");
        page.stays("the unfinished command", 400, || prompt(page) == ">");
        assert_eq!(page.prompt_text(), "some words");
    });
}

/// Up and down walk the history; below the newest the prompt is empty again.
#[test]
fn history() {
    at_the_prompt(Visit::new(), |page| {
        page.run("echo one");
        page.run("echo two");
        page.run("echo two");
        let walk = [
            (key::UP, "echo two"),
            (key::UP, "echo one"),
            (key::UP, "echo one"),
            (key::DOWN, "echo two"),
            (key::DOWN, ""),
            (key::DOWN, ""),
        ];
        for (press, expected) in walk {
            page.press(press);
            page.wait("the history", || page.prompt_text() == expected);
        }
        page.press(key::UP);
        page.press(key::ENTER);
        page.wait("the old line to run", || page.lines().last().is_some_and(|line| line == "two"));
    });
}

/// A chip fills the prompt, and only Enter or Run executes it.
#[test]
fn chips_fill_the_prompt() {
    at_the_prompt(Visit::new(), |page| {
        let before = page.lines();
        page.click(".tty-chips button:nth-of-type(3)");
        let command = "hw produce --topic parcel-events --key locker-5 --value CODE_SENT";
        page.wait("the prompt to be filled", || page.prompt_text() == command);
        assert_eq!(page.lines(), before, "nothing has run");
        assert_eq!(page.focused(), "Command");
        page.click(".tty-form [type=submit]");
        page.wait("it to run", || page.lines().len() == before.len() + 2);
        assert!(page.lines().last().unwrap().starts_with("parcel-events-"));
    });
}

/// What looks like markup is text, in the terminal, in the figure, in the table and in words.
#[test]
fn markup_stays_text() {
    at_the_prompt(Visit::new(), |page| {
        let script = "<script>window.broken = 1</script>";
        assert_eq!(page.run(&format!("echo '{script}'")), [script]);
        let image = "<img src=x onerror=window.broken=1>";
        page.run(&format!("hw produce --topic parcel-events --key '{script}' --value '{image}'"));
        page.wait("the record", || page.fresh().len() == 1);
        page.click(".fig-draw .hw-new");
        page.wait("its arithmetic", || page.sum().contains(script));
        assert!(page.text(".fig-legend").contains(script));
        assert!(page.text(".twin table").contains(image));
        assert!(!page.exists(".island script, .island img"));
        assert_eq!(page.js("return window.broken ?? null"), serde_json::Value::Null);
    });
}

/// A very long line, and a very long output, break nothing: the page does not scroll sideways and the
/// prompt comes back.
#[test]
fn very_long_input() {
    at_the_prompt(Visit::new().at(320, 800), |page| {
        let long = "x".repeat(20_000);
        let fill = "const prompt = document.querySelector('.tty-input');\
             prompt.value = arguments[0]; prompt.focus()";
        for line in [
            format!("echo {long}"),
            format!("hw produce --topic parcel-events --key {long} --value {long}"),
        ] {
            let before = page.lines().len();
            page.js_with(fill, &[line.into()]);
            page.press(key::ENTER);
            page.wait("the long line", || page.lines().len() >= before + 2);
        }
        page.js_with(fill, &[format!("echo {}", "y".repeat(2_000_000)).into()]);
        page.press(key::ENTER);
        page.wait("the prompt", || page.prompt_text().is_empty());
        assert_eq!(page.run("echo fine"), ["fine"]);
        let wider = page.js("return document.documentElement.scrollWidth - innerWidth");
        assert!(wider.as_i64().unwrap() <= 0, "the page is {wider} px too wide");
    });
}

/// A command in the past begins another run; "Other run" brings the old one back, and the new one.
#[test]
fn a_command_in_the_past_forks() {
    Visit::new().live(|page| {
        page.open_terminal();
        page.run("hw produce --topic parcel-events --key locker-4 --value PARCEL_DROPPED");
        page.wait("the fork", || page.time() == "step 5 of 5");
        assert_eq!(page.fresh(), ["0/2 D PARCEL_DROPPED"]);
        page.click_button("Other run");
        page.wait("the old run", || page.time().ends_with("of 6"));
        page.seek(6);
        assert_eq!(page.cells(), crate::puzzle::by_lane(&JAVA));
        page.click_button("Other run");
        page.wait("the new run again", || page.time().ends_with("of 5"));
    });
}

/// Where the terminal is folded, the line under the figure shows the command of the moment.
#[test]
fn the_folded_line_follows() {
    Visit::new().live(|page| {
        page.transport("step");
        page.wait("the command", || {
            page.text(".did-command").contains("locker-7:PARCEL_COLLECTED")
        });
        page.click_button("Let billing read one record");
        let read = "$ hw consume --as billing --topic parcel-events --partition 0 --max 1";
        page.wait("the reader's command", || page.text(".did-command") == read);
    });
}

/// What the reader has typed is kept in the session's storage, one command a line.
#[test]
fn commands_are_kept() {
    at_the_prompt(Visit::new(), |page| {
        page.run("echo one");
        page.run("echo two");
        let kept = page.js("return sessionStorage.getItem('highwater:commands')");
        let kept = kept.as_str().unwrap();
        let last: Vec<&str> = kept.lines().rev().take(2).collect();
        assert_eq!(last, ["echo two", "echo one"], "{kept}");
    });
}

/// A phone has no Ctrl key: the row of keys under the prompt does what the keyboard does.
#[test]
fn keys_for_touch() {
    Visit::new().at(320, 800).live(|page| {
        let touch = serde_json::json!({ "enabled": true, "maxTouchPoints": 1 });
        page.browser.cdp("Emulation.setTouchEmulationEnabled", &touch);
        page.open_terminal();
        page.wait("the row of keys", || {
            page.js("return document.querySelector('.tty-keys').checkVisibility()") == true
        });
        begin(page, "cat");
        page.click("[data-do=interrupt]");
        page.wait("cat to end", || prompt(page) == "$");
        page.click(".tty-input");
        begin(page, "cat");
        page.click("[data-do=end-of-input]");
        page.wait("cat to end", || prompt(page) == "$");
        let keys = page.texts_of(
            "return [...document.querySelectorAll('[data-island=figure] .tty-keys button')].map(key => key.textContent)",
        );
        // Tab comes with completion.
        assert_eq!(keys, ["↑", "↓", "Ctrl-C", "Ctrl-D"]);
    });
}
