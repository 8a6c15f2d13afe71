//! The Lab in rough hands: texts that look like something else, very many presses, much at once, links that are broken.
//! The console stays empty all the while: `Visit::run` sees to that.

use serde_json::json;

use crate::lab_desk::{Desk, at};

const TOPIC: &str = "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic t --replica-assignment 1:2:3,2:3:1";

/// Texts that mean something to a page, to a shell, to who lays out a line, or to nobody.
const TEXTS: [&str; 9] = [
    "<script>window.caught=1</script>",
    "<img src=x onerror=window.caught=1>",
    "'\" onfocus=\"window.caught=1\" autofocus x=\"",
    "\u{202e}drawkcab",
    "\u{5de}\u{5e4}\u{5ea}\u{5d7} 7 (\u{5d0})",
    "\u{1f469}\u{200d}\u{1f680}\u{1f1e6}\u{1f1f9} e\u{301}\u{320}\u{489}",
    "\u{1b}[31mred\u{7}\u{8}",
    "$(reboot) `x` | ; & # !",
    "{0} {1} %s",
];

fn long() -> String {
    "W".repeat(600)
}

/// Nothing was made of a text but text, and the page is as wide as before.
fn is_text(desk: &Desk<'_>, text: &str) {
    let made = desk.js("return [window.caught ?? 0, document.querySelectorAll('.lab-root :is(script, img, iframe)').length]");
    assert_eq!(made, json!([0, 0]), "{text}");
    assert_eq!(desk.engine(), "running", "{text}");
    desk.fits();
}

/// As keys, values and names of groups, in every figure, beside what is asked, and after a reload.
#[test]
fn texts_are_texts() {
    for width in [1280, 320] {
        at(width, |desk| {
            desk.line(TOPIC);
            desk.press("form:send");
            for text in TEXTS.map(str::to_owned).into_iter().chain([long()]) {
                desk.fill("#lab-form [name=key]", &text);
                desk.fill("#lab-form [name=value]", &text);
                desk.press("#lab-form [type=submit]");
                is_text(desk, &text);
            }
            desk.press("close-form");
            let records = desk.js("return document.querySelectorAll('.lab-draw [data-do*=\"ask:record\"], .lab-draw [data-do^=cell]').length");
            assert!(records.as_u64() > Some(0), "{records}");
            for record in desk.all_deeds().iter().filter(|does| does.contains("record:t-")).take(8)
            {
                desk.press(record);
                is_text(desk, record);
            }
            desk.shot(&format!("hostile-records-{width}"));
            desk.press("let-go");
            for text in TEXTS {
                desk.form("work", &[("topic", "t"), ("group", text), ("time", "0")]);
                is_text(desk, text);
            }
            desk.press("view:groups");
            is_text(desk, "groups");
            desk.shot(&format!("hostile-groups-{width}"));
            let groups = desk.all_deeds().into_iter().filter(|does| does.starts_with("ask:group:"));
            let groups: Vec<String> = groups.collect();
            assert_eq!(groups.len(), TEXTS.len(), "{groups:?}");
            for group in &groups {
                let script =
                    "document.querySelector(`[data-do=\"${CSS.escape(arguments[0])}\"]`).click()";
                desk.js_with(script, &[json!(group)]);
                desk.next_frame();
                is_text(desk, group);
            }
            desk.press("view:replicas");
            is_text(desk, "replicas");
            let commands = desk.commands();
            desk.open("");
            assert_eq!(desk.commands(), commands);
            is_text(desk, "after a reload");
        });
    }
}

/// A thousand presses and keys, as fast as the page takes them: it goes on, and what it shows is sound.
#[test]
fn a_thousand_presses() {
    for width in [1280, 320] {
        at(width, |desk| {
            desk.open("start=slow-follower");
            let script = "const done = arguments[arguments.length - 1]; let seed = arguments[0], count = 0;\
                const draw = most => (seed = (seed * 1103515245 + 12345) % 2147483648, seed % most);\
                const leaves = /^(open-file|copy|save|start|fill)/;\
                const keys = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End', 'Escape', 'Enter', 'Tab'];\
                const turn = () => { for (let nth = 0; nth < 20 && count < 1000; nth += 1, count += 1) {\
                  const all = [...document.querySelectorAll('.lab-root [data-do]:not(form, select, input)')]\
                    .filter(it => !leaves.test(it.dataset.do));\
                  const it = all[draw(all.length)];\
                  if (count % 3 === 0) { it.focus?.();\
                    it.dispatchEvent(new KeyboardEvent('keydown', { key: keys[draw(keys.length)], bubbles: true, cancelable: true })) }\
                  else it.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true })) }\
                  if (count < 1000 && document.documentElement.dataset.engine === 'running') setTimeout(turn, 0);\
                  else done(count) }; turn()";
            for seed in [7, 4711] {
                let count = desk.js_async_with(script, &[json!(seed)]);
                assert_eq!(
                    (count, desk.engine().as_str()),
                    (json!(1000), "running"),
                    "seed {seed}"
                );
                desk.next_frame();
                let twice = "const ids = [...document.querySelectorAll('[id]')].map(it => it.id);\
                             return ids.filter((id, nth) => ids.indexOf(id) !== nth)";
                assert_eq!(desk.js(twice), json!([]), "seed {seed}");
                desk.fits();
            }
            desk.begin("empty");
            desk.line("echo still here");
            assert_eq!(desk.lines().last().map(String::as_str), Some("still here"));
        });
    }
}

/// Whoever goes back while it plays stops it, and is one step before where it was; a fork of a fork is a future like
/// any other.
#[test]
fn back_in_the_middle_of_play_and_forks_of_forks() {
    at(1280, |desk| {
        desk.open("start=leader-crash");
        desk.press("play");
        desk.wait("it to play", || desk.step().0 > 4);
        desk.press("back");
        let here = desk.step();
        assert!(desk.exists(".bar [data-do=play][aria-label=Play]"));
        desk.stays("the moment", 900, || desk.step() == here);
        for nth in 0..4 {
            if desk.offers("fork") {
                desk.press("fork");
            }
            desk.press("back");
            desk.line(&format!("hw produce --topic orders --key fork --value {nth}"));
            assert!(desk.offers("compare"), "fork {nth}");
            desk.press("compare");
            desk.press("switch");
            desk.press("switch");
            desk.press("compare");
            assert!(
                desk.last_command().ends_with(&format!("--value {nth}")),
                "{}",
                desk.last_command()
            );
        }
        desk.press("end-fork");
        assert!(desk.offers("fork"));
    });
}

/// A link that is broken says so, and the Lab opens.
#[test]
fn broken_links() {
    at(1280, |desk| {
        desk.line("echo something long enough to be damaged");
        desk.press("copy:link");
        let link = desk.js("return location.hash.slice(1)");
        let link = link.as_str().unwrap_or_default().to_owned();
        assert!(link.contains("play="), "{link}");
        let broken = [
            link[..link.len() - 9].to_owned(),
            link.replace("play=1.", "play=9."),
            link.replace("play=1.", "play=1.%%"),
            "play=".to_owned(),
            "play=1.AAAA".to_owned(),
            format!("stop=99999999999999999999&{link}"),
            "challenge=nothing".to_owned(),
            "start=%E0%A4%A".to_owned(),
            format!("play=1.{}", "A".repeat(100_000)),
        ];
        for link in &broken {
            desk.open(link);
            assert!(!desk.say().is_empty(), "{}", &link[..link.len().min(60)]);
            desk.line("echo alive");
            assert_eq!(desk.lines().last().map(String::as_str), Some("alive"));
        }
    });
}

/// A storage that is full says so once; everything else goes on.
#[test]
fn full_storage() {
    at(1280, |desk| {
        desk.fresh("");
        desk.js("let text = 'x'.repeat(1 << 20), nth = 0;\
             while (text) try { localStorage.setItem(`filler ${nth++}`, text) } catch { text = text.slice(text.length / 2 + 1) }");
        desk.line(&format!("echo {}", "y".repeat(2_000)));
        desk.wait("it to say so", || desk.say().contains("storage is full"));
        desk.line("echo on");
        desk.stays("what is said", 1_500, || !desk.say().contains("storage is full"));
        desk.js("localStorage.clear()");
        desk.line("echo kept again");
        desk.open("");
        assert_eq!(desk.last_command(), "echo kept again");
    });
}

/// A transcript of very many commands is played or refused within some seconds, and the page answers again.
#[test]
fn a_huge_paste() {
    at(1280, |desk| {
        desk.line(TOPIC);
        let mut text = String::new();
        for nth in 0..300 {
            text.push_str(&format!("$ hw produce --topic t --key locker-{nth} --value v\nsent\n"));
        }
        desk.line(&text);
        desk.wait("its commands to be run", || desk.step().1 > 300);
        desk.line("echo afterwards");
        assert_eq!(desk.lines().last().map(String::as_str), Some("afterwards"));
    });
}
