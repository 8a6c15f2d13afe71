//! Names, keys and values that look like something else: each is data and stays what it is, in the terminal, in every
//! figure, in what is asked, in links and in transcripts.

use highwater_lab::{Heard, Opening, Wish};

use crate::Reader;
use crate::monkey::sound;

const TOPIC: &str =
    "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic t --partitions 1";
const PRINT: &str = "kafka-console-consumer.sh --bootstrap-server localhost:9092 --topic t --from-beginning \
                     --formatter-property print.key=true --formatter-property key.separator=' is ' --timeout-ms 9000";

/// Texts that mean something to a page, to a shell, to a terminal, to a link, or to nobody.
fn texts() -> Vec<String> {
    let mut texts: Vec<String> = [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "'\" onclick=\"alert(1)",
        "</style></svg>",
        "&lt;b&gt;&amp;",
        "it's",
        "$(reboot) `x` $HOME \\ | > f; & # !",
        "--help",
        "-1",
        "a/b:c@d-0%2F",
        "play=1.x&scene=task",
        "{\"a\": [1, {}]}",
        "مفتاح",
        "\u{202e}drawkcab\u{202c}",
        "👩\u{200d}🚀🇦🇹",
        "e\u{301}\u{320}\u{489}",
        "\u{200b}",
        "\u{1b}[31mred\u{7}\u{8}",
        "tab\there",
        "null",
        "{0} {1}",
    ]
    .map(str::to_owned)
    .to_vec();
    texts.push("long ".repeat(400).trim().to_owned());
    texts.push("W".repeat(900));
    texts
}

fn screen(reader: &Reader) -> String {
    let chunks = reader.lab.run().timeline().world().output(reader.lab.terminal());
    chunks.iter().map(|chunk| String::from_utf8_lossy(&chunk.bytes).into_owned()).collect()
}

/// Everything that can be seen of it, in each figure, and what follows from asking about each mark.
fn look_everywhere(reader: &mut Reader, when: &str) {
    for view in ["records", "replicas", "flight", "groups"] {
        reader.hears(Heard::Press(format!("view:{view}")));
        sound(&reader.lab.view(), &format!("{when}, in {view}"));
        for does in reader.seen() {
            if does.starts_with("ask:") {
                reader.hears(Heard::Press(does.clone()));
                assert!(reader.lab.asked().is_some(), "{does} asks about nothing, {when}");
                sound(&reader.lab.view(), &format!("{when}, at {does}"));
            }
        }
        reader.hears(Heard::Press("let-go".to_owned()));
    }
}

/// A record with this key and value is stored with this key and value, by touch, and printed so.
#[test]
fn keys_and_values() {
    let mut reader = Reader::new();
    reader.types(TOPIC);
    for text in &texts() {
        reader.does("send", &[("topic", "t"), ("key", text), ("value", text)]);
        assert!(!reader.lab.note().unwrap_or_default().contains("quote"), "{text}");
    }
    reader.hears(Heard::Press("new-tab".to_owned()));
    reader.types(PRINT);
    let printed = screen(&reader);
    for text in &texts() {
        assert!(printed.contains(&format!("{text} is {text}\n")), "{text:?} in {printed}");
    }
    look_everywhere(&mut reader, "hostile keys");
}

/// A group may be called anything: it and its members can be seen, asked about and sent elsewhere.
#[test]
fn groups() {
    for text in &texts() {
        let mut reader = Reader::new();
        reader.types(TOPIC);
        reader.types("hw produce --topic t --count 2");
        reader.does("work", &[("topic", "t"), ("group", text)]);
        let members = reader.lab.run().snapshot().cluster.get().expect("a cluster").members.clone();
        assert_eq!(
            members.first().map(|member| &*member.group.0),
            Some(&**text),
            "{}",
            screen(&reader)
        );
        reader.press("view:groups");
        assert!(reader.text().contains(&**text), "{text:?}");
        reader.press(&format!("ask:group:{text}"));
        let member = reader.seen().into_iter().find(|does| does.starts_with("ask:member:"));
        reader.press(&member.expect("a member"));
        look_everywhere(&mut reader, text);
        comes_back(&mut reader, text);
    }
}

/// A topic with a name that Kafka does not allow is refused in Kafka's words, and nothing else happens.
#[test]
fn topics() {
    for text in &texts() {
        let mut reader = Reader::new();
        reader.does("topic", &[("topic", text), ("factor", "1"), ("min", "1")]);
        let is_plain =
            text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
        let made =
            reader.lab.run().snapshot().topics.iter().any(|topic| topic.name.as_str() == &**text);
        assert_eq!(
            made,
            is_plain && text.len() <= 249 && !text.starts_with("--"),
            "{text:?}: {}",
            screen(&reader)
        );
        look_everywhere(&mut reader, text);
        comes_back(&mut reader, text);
    }
}

/// Through a link and through a transcript it is the same run again.
fn comes_back(reader: &mut Reader, text: &str) {
    let hash = |reader: &Reader| reader.lab.run().timeline().world().trace_hash();
    for (share, is_link) in [("copy:link", true), ("save:transcript", false)] {
        reader.wishes.clear();
        reader.hears(Heard::Press(share.to_owned()));
        let found = reader.wishes.iter().find_map(|wish| match wish {
            Wish::Fragment(fragment) if is_link => Some(fragment.clone()),
            Wish::Download { text, .. } if !is_link => Some(text.clone()),
            _ => None,
        });
        let found = found.unwrap_or_else(|| panic!("{share} gives nothing for {text:?}"));
        let again = if is_link {
            Reader::with(Opening { fragment: found, ..Opening::default() })
        } else {
            let mut again = Reader::new();
            again.hears(Heard::File { name: "a.console".to_owned(), text: found });
            again
        };
        assert_eq!(commands(&again), commands(reader), "{share}, {text:?}");
        if is_link {
            assert_eq!(hash(&again), hash(reader), "{share}, {text:?}");
        }
    }
}

/// What was typed, without the waits of a transcript, which runs in the background what has not ended.
fn commands(reader: &Reader) -> Vec<String> {
    let all = reader.lab.commands();
    let typed = all.lines().filter(|line| !line.starts_with("sleep "));
    typed.map(|line| line.trim_end_matches(" &").to_owned()).collect()
}
