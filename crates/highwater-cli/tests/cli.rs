//! The `highwater` command as a person runs it.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const TWO_READERS: &str = "../../tests/transcripts/kafka/06-two-readers.console";

fn highwater(arguments: &[&str], typed: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_highwater"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("it reads");
    // One that does not read has ended.
    let _ = stdin.write_all(typed.as_bytes());
    drop(stdin);
    child.wait_with_output().expect("it ends")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A file of this test's own.
fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    fs::create_dir_all(folder).expect("a folder");
    folder.join(name)
}

/// The commands of a transcript, without what they print.
fn commands(transcript: &str) -> Vec<&str> {
    transcript.lines().filter(|line| line.starts_with("$ ")).collect()
}

#[test]
fn a_link_and_back() {
    let link = highwater(&["link", TWO_READERS, "--page", "https://example.org/lab/"], "");
    assert!(link.status.success(), "{}", text(&link.stderr));
    let link = text(&link.stdout);
    assert!(link.starts_with("https://example.org/lab/#play=1."), "{link}");
    let again = highwater(&["link", link.trim()], "");
    assert!(again.status.success(), "{}", text(&again.stderr));
    let again = text(&again.stdout);
    let file = fs::read_to_string(TWO_READERS).expect("it is there");
    assert_eq!(commands(&again), commands(&file));
    // It plays, and what it says passes.
    let path = scratch("link.console");
    fs::write(&path, again).expect("it can be written");
    let checked = highwater(&["check", &path.to_string_lossy()], "");
    assert_eq!(text(&checked.stdout), "1 passed, 0 failed\n");
}

#[test]
fn links_and_files_that_are_none() {
    for (what, said) in [
        ("nope.console", "there is no file nope.console"),
        ("https://example.org/#heading", "there is no session in this link"),
        ("play=2.x", "made by a newer version"),
        ("play=1.x", "damaged"),
    ] {
        let output = highwater(&["link", what], "");
        assert_eq!(output.status.code(), Some(1), "{what}");
        assert!(text(&output.stderr).contains(said), "{what}: {}", text(&output.stderr));
    }
}

/// Lines from a pipe: the shell reads until a tool does, and the tool until the end.
#[test]
fn a_shell_that_reads_from_a_pipe() {
    let path = scratch("saved.console");
    let saved = path.to_string_lossy();
    let typed = "\
kafka-topics.sh --bootstrap-server localhost:9092 --create --topic t
for i in 1 2
do echo n$i | kafka-console-producer.sh --bootstrap-server localhost:9092 --topic t
done
kafka-console-consumer.sh --bootstrap-server localhost:9092 --topic t --from-beginning --max-messages 2 2>/dev/null
exit
echo too late
";
    let output = highwater(&["shell", "--brokers", "1", "--save", &saved], typed);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    let wanted = format!("Created topic t.\nn1\nn2\nwrote {saved}\n");
    assert_eq!(printed, wanted);
    let kept = fs::read_to_string(&path).expect("it was written");
    assert!(kept.starts_with("#! brokers 1\n"), "{kept}");
    let played = highwater(&["run", &saved], "");
    assert!(text(&played.stdout).contains("\nn1\nn2"), "{}", text(&played.stdout));
}

#[test]
fn a_shell_that_cannot_be() {
    let output = highwater(&["shell", "--brokers", "77"], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("1 to 9 brokers"), "{}", text(&output.stderr));
}

/// A moment as text, as a drawing of its own, and what is wrong with moments and names.
#[test]
fn a_picture_of_a_moment() {
    let render = |more: &[&str]| highwater(&[&["render", TWO_READERS], more].concat(), "");
    let early = text(&render(&["--at", "0.5", "--format", "text"]).stdout);
    assert_eq!(early, "After 0.5 s\n\nThere is no topic yet.\n");
    let end = text(&render(&["--format", "text"]).stdout);
    assert!(
        end.contains("\nparcel-events\npartition 0 | ‹ 3 older | 3 no key event-4 | "),
        "{end}"
    );
    let middle = text(&render(&["--format", "text", "--at", "10s"]).stdout);
    assert!(middle.starts_with("After 10 s\n"), "{middle}");
    let drawn = render(&["--width", "320", "--theme", "dark"]);
    let svg = text(&drawn.stdout);
    assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""), "{svg}");
    assert!(svg.contains("width=\"320\"") && svg.ends_with("</svg>\n"), "{svg}");
    assert!(!svg.contains("prefers-color-scheme"), "{svg}");
    for (more, said) in [
        (["--at", "soon"], "--at soon: this is no time; write 12.5, 90s, 2m or 1h"),
        (["--at", "1d"], "--at 86400 s is after the end, which is at "),
        (["--topic", "nope"], "--topic nope: no such topic at "),
        (["--width", "5"], "5 is not in 280..=4000"),
    ] {
        let output = render(&more);
        assert!(!output.status.success(), "{more:?}");
        assert!(text(&output.stderr).contains(said), "{more:?}: {}", text(&output.stderr));
    }
}

/// The cluster figure of a recorded failover, byte for byte: a line for each start of an element, so that a change can
/// be read. `UPDATE_EXPECT=1 cargo test -p highwater-cli` writes the file anew.
#[test]
fn a_picture_of_a_cluster() {
    let failover = "../../tests/transcripts/kafka/11-failover.console";
    let render = |more: &[&str]| {
        let output = highwater(
            &[&["render", failover, "--view", "cluster", "--at", "22"], more].concat(),
            "",
        );
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let mut drawn = render(&["--theme", "light"]).replace('}', "}\n");
    for tag in ["<g", "<rect", "<text", "<path", "</svg"] {
        drawn = drawn.replace(tag, &["\n", tag].concat());
    }
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/failover-720.svg");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&golden, &drawn).expect("it can be written");
    }
    let expected = fs::read_to_string(golden).expect("it is there");
    for (line, wanted) in drawn.lines().zip(expected.lines()) {
        assert_eq!(line, wanted);
    }
    assert_eq!(drawn.lines().count(), expected.lines().count());
    let words = render(&["--format", "text"]);
    assert!(words.starts_with("After 22 s\n\nbroker 2, down\n"), "{words}");
    assert!(words.contains("out of ISR"), "{words}");
}

/// One partition as text, of a number that is there and of one that is not; bytes that XML has no word for; names that
/// are longer than the drawing.
#[test]
fn pictures_of_odd_things() {
    let failover = "../../tests/transcripts/kafka/11-failover.console";
    let one =
        highwater(&["render", failover, "--at", "22", "--partition", "0", "--format", "text"], "");
    let one = text(&one.stdout);
    assert!(
        one.contains("\nparcel-events-0\nbroker 3 leader, high watermark 2, next 2 | 0 "),
        "{one}"
    );
    assert!(one.contains("\nbroker 2 down, out of ISR, next 1 | 0 "), "{one}");
    for more in [&["--partition", "0"][..], &["--view", "cluster"], &[]] {
        let early = highwater(&[&["render", failover, "--at", "0.5"], more].concat(), "");
        assert!(text(&early.stdout).contains(">There is no topic yet.<"), "{more:?}: {early:?}");
    }
    let none = highwater(&["render", failover, "--partition", "9"], "");
    assert!(
        text(&none.stderr).contains("there is none of this number in parcel-events"),
        "{none:?}"
    );
    let name = "W".repeat(100);
    let file = scratch("odd.console");
    fs::write(&file, format!("$ hw produce --topic {name} --key k --value $'x\\uffff\\ufffe'\n"))
        .expect("a file");
    let file = file.to_string_lossy();
    for more in [&[][..], &["--partition", "0"]] {
        let svg =
            text(&highwater(&[&["render", &file, "--width", "400"], more].concat(), "").stdout);
        assert!(
            svg.contains("x\u{fffd}\u{fffd}") && !svg.contains(['\u{ffff}', '\u{fffe}']),
            "{svg}"
        );
        assert!(svg.contains("WWW\u{2026}") && !svg.contains(&format!(">{name}")), "{svg}");
    }
}

/// A folder without transcripts passes no check.
#[test]
fn nothing_to_check() {
    let output = highwater(&["check", "src"], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("there is no .console file in src"), "{output:?}");
}

/// A folder with all that is in it, by itself and by patterns that no shell has replaced. A transcript that goes on from
/// another one is played behind it.
#[test]
fn checking_folders_and_patterns() {
    let folder = scratch("checked");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("deep/er")).expect("folders");
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).expect("written");
    write("a.console", "$ A=1\n");
    write("deep/b.console", "# continues c\n$ echo $A $C\n3\n");
    write("deep/c.console", "$ C=3\n");
    write("deep/er/d.console", "$ echo d\nd\n");
    write("deep/notes.txt", "no transcript");
    let folder = folder.to_string_lossy().into_owned();
    let check = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| format!("{folder}/{name}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let output = highwater(&[&["check"][..], &names].concat(), "");
        text(&output.stdout) + &text(&output.stderr)
    };
    let all = "4 passed, 0 failed\n";
    for names in [&["."][..], &["**"], &["**/*.console"], &["a.console", "deep"], &[".", "deep/*"]]
    {
        assert_eq!(check(names), all, "{names:?}");
    }
    assert_eq!(check(&["*/[bc].console"]), "2 passed, 0 failed\n");
    assert_eq!(check(&["deep/?"]), format!("no file fits {folder}/deep/?\n"));
    // A continuation is checked behind what it continues, which must be there.
    write("deep/c.console", "$ C=4\n");
    let said = check(&["deep/b.console"]);
    assert!(said.contains("b.console:2 (seed 1)") && said.contains("0 passed, 1 failed"), "{said}");
    write("deep/b.console", "# continues nope\n$ echo\n");
    let said = check(&["deep/b.console"]);
    assert!(
        said.contains("it continues nope, and") && said.contains("0 passed, 1 failed"),
        "{said}"
    );
    // What it prints goes into its own file only.
    write("deep/b.console", "# continues c\n$ echo $C\n");
    assert!(check(&["deep/b.console"]).contains("0 passed, 1 failed"));
    let file = format!("{folder}/deep/b.console");
    assert!(highwater(&["run", "--write", &file], "").status.success());
    assert_eq!(fs::read_to_string(&file).expect("it is there"), "# continues c\n$ echo $C\n4\n");
}

/// The transcripts of all scenes of lessons, those that continue others too.
#[test]
fn scenes_of_lessons_pass() {
    let output = highwater(&["check", "../../web/lessons/scenes"], "");
    let said = text(&output.stdout);
    assert!(output.status.success() && said.ends_with(" passed, 0 failed\n"), "{said}");
    assert!(!said.starts_with('0'), "{said}");
}

/// A PNG: its signature, its size, the same bytes each time, and letters in it, which this program brings along.
#[test]
fn a_picture_in_pixels() {
    let render =
        || highwater(&["render", TWO_READERS, "--format", "png", "--width", "640"], "").stdout;
    let png = render();
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    assert_eq!(&png[16..20], &640_u32.to_be_bytes());
    assert!(png == render(), "the same picture has other bytes");
    assert!(png.len() > 5_000, "{} bytes: is there any text in it?", png.len());
}

/// Pages of a folder with a broken lesson: a release build fails and names it, a development build shows it.
#[test]
fn pages_with_a_broken_lesson() {
    let lessons = scratch("lessons");
    fs::create_dir_all(&lessons).expect("a folder");
    let matter = "summary: S\ngoals: g\nminutes: 5\nneeds: nothing\n---\n";
    let good = format!("---\nid: good\nnumber: 1\ntitle: Good\n{matter}Hello.\n");
    let bad = format!("---\nid: bad\nnumber: 2\ntitle: Bad\n{matter}![a](b.png)\n");
    fs::write(lessons.join("good.md"), good).expect("a file");
    fs::write(lessons.join("bad.md"), bad).expect("a file");
    let build = |folder: &str, more: &[&str]| {
        let out = scratch(folder);
        let _ = fs::remove_dir_all(&out);
        let (lessons, out) = (lessons.to_string_lossy(), out.to_string_lossy());
        let args =
            ["pages", "--template", "../../index.html", "--lessons", &lessons, "--out", &out];
        (highwater(&[&args, more].concat(), ""), PathBuf::from(&*out))
    };
    let fault = "bad.md:10:1: a lesson holds no image files";
    let (release, out) = build("release", &["--previews"]);
    assert_eq!(release.status.code(), Some(1));
    assert!(text(&release.stderr).contains(fault), "{}", text(&release.stderr));
    assert!(out.join("good/index.html").is_file() && !out.join("bad/index.html").exists());
    for picture in ["good", "situations", "situations/hot-key", "challenges/read-twice"] {
        let png = fs::read(out.join(picture).join("preview.png")).expect(picture);
        assert_eq!(&png[16..24], [&1200_u32.to_be_bytes()[..], &630_u32.to_be_bytes()].concat());
    }
    let (dev, out) = build("dev", &["--with-broken"]);
    assert!(dev.status.success() && text(&dev.stderr).contains(fault), "{}", text(&dev.stderr));
    let page = |file: &str| fs::read_to_string(out.join(file)).expect(file);
    assert!(page("bad/index.html").contains("a lesson holds no image files"));
    for file in ["index.html", "good/index.html"] {
        assert!(page(file).contains("Hello.") && page(file).contains("is broken"), "{file}");
    }
    assert!(!out.join("good/preview.png").exists());
}
