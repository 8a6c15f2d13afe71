//! Figures of lessons: a transcript with moments and captions, changed by a reader and had back.

use highwater_lab::exhibit::{Exhibit, Plan};
use highwater_lab::figure::View;
use highwater_lab::{Heard, Lab, Opening, Room, Wish};
use highwater_scene::node::to_string;

const TEXT: &str = "#! brokers 4
# Broker 1 leads, 2 and 3 copy.
$ kafka-topics.sh --bootstrap-server localhost:9092 --create --topic orders --replica-assignment 1:2:3
Created topic orders.
# moment: empty
# Two records arrive.
$ hw produce --topic orders --key a --value one
$ hw produce --topic orders --key b --value two
# moment: written
# The leader dies.
$ hw crash 1
$ sleep 15
# moment: elected
# try: who leads? | kafka-topics.sh --bootstrap-server localhost:9092 --describe
";

const ROOM: Room = Room { width: 560, font: 16, motion: false };

fn plan() -> Plan {
    Plan {
        id: "fig".to_owned(),
        label: "Orders".to_owned(),
        say: "<b>Two records</b> are in.".to_owned(),
        text: TEXT.to_owned(),
        at: "written".to_owned(),
        view: View::Replicas,
        partition: Some(0),
        ..Plan::default()
    }
}

fn exhibit() -> Exhibit {
    Exhibit::new(plan(), ROOM, true).expect("the figure")
}

fn press(exhibit: &mut Exhibit, does: &str) {
    exhibit.hear(Heard::Press(does.to_owned()));
}

fn text(exhibit: &mut Exhibit) -> String {
    to_string(&exhibit.view())
}

fn leader(exhibit: &Exhibit) -> Option<i32> {
    let snapshot = exhibit.run().snapshot();
    let topic = snapshot.topic("orders").expect("the topic");
    topic.partitions.first().expect("a partition").leader.map(|leader| leader.0)
}

#[test]
fn the_first_frame_is_the_moment_that_the_lesson_names() {
    let mut exhibit = exhibit();
    assert_eq!(leader(&exhibit), Some(1));
    let seen = text(&mut exhibit);
    assert!(seen.contains("<b>Two records</b> are in."), "{seen}");
    assert_eq!(exhibit.moments(), ["start", "empty", "written", "elected", "end"]);
}

#[test]
fn a_moment_shows_its_state_and_says_the_authors_words() {
    let mut exhibit = exhibit();
    exhibit.show("elected").unwrap();
    assert_ne!(leader(&exhibit), Some(1));
    exhibit.show("written").unwrap();
    assert_eq!(leader(&exhibit), Some(1));
    press(&mut exhibit, "forward");
    assert!(text(&mut exhibit).contains("The leader dies."));
}

#[test]
fn the_command_is_the_last_one_of_the_moment() {
    let mut exhibit = exhibit();
    let command = |exhibit: &mut Exhibit| {
        let seen = text(exhibit);
        let (_, rest) = seen.split_once("did-command\">").unwrap_or(("", "<none"));
        rest.split('<').next().unwrap().to_owned()
    };
    assert_eq!(command(&mut exhibit), "$ hw produce --topic orders --key b --value two");
    exhibit.show("start").unwrap();
    assert_eq!(command(&mut exhibit), "");
    exhibit.show("end").unwrap();
    assert_eq!(command(&mut exhibit), "$ sleep 15");
}

#[test]
fn a_moment_that_is_not_there_is_told_with_those_that_are() {
    let Err(trouble) = Exhibit::new(Plan { at: "nowhere".to_owned(), ..plan() }, ROOM, true) else {
        panic!("there is no such moment");
    };
    assert_eq!(
        trouble,
        "there is no moment `nowhere`; there is start, empty, written, elected, end; a comment `# moment: nowhere` \
         makes it"
    );
    let mut exhibit = exhibit();
    press(&mut exhibit, "show:nowhere");
    assert!(text(&mut exhibit).contains("there is no moment `nowhere`"));
}

#[test]
fn the_story_ends_with_the_transcript_and_begins_anew_when_played_again() {
    let mut exhibit = exhibit();
    exhibit.show("end").unwrap();
    let end = exhibit.run().steps();
    press(&mut exhibit, "forward");
    assert_eq!(exhibit.run().steps(), end);
    press(&mut exhibit, "play");
    assert!(exhibit.run().steps() < end, "it plays from its first frame on");
    assert!(exhibit.delay().is_some());
    for _ in 0..200 {
        exhibit.hear(Heard::Tick);
    }
    assert_eq!(exhibit.run().steps(), end);
    assert!(exhibit.delay().is_none(), "it stops at its end");
}

#[test]
fn the_readers_own_run_goes_on_and_waits_behind_a_button() {
    let mut exhibit = exhibit();
    exhibit.hear(Heard::Sent {
        does: "prompt".to_owned(),
        fields: vec![("line".to_owned(), "hw crash 2".to_owned())],
    });
    assert!(exhibit.is_own());
    let own = exhibit.run().steps();
    assert!(text(&mut exhibit).contains("The lesson's run"), "there is a way back");
    exhibit.show("written").unwrap();
    assert!(!exhibit.is_own());
    assert!(text(&mut exhibit).contains("Back to my run"));
    press(&mut exhibit, "own-run");
    assert!(exhibit.is_own());
    assert_eq!(exhibit.run().steps(), own);
    press(&mut exhibit, "own-run");
    assert!(!exhibit.is_own());
    assert_eq!(leader(&exhibit), Some(1));
}

#[test]
fn two_figures_of_a_page_share_no_id() {
    let mut one = exhibit();
    let mut two = Exhibit::new(Plan { id: "other".to_owned(), ..plan() }, ROOM, true).unwrap();
    for exhibit in [&mut one, &mut two] {
        press(exhibit, "terminal");
        press(exhibit, "ask:broker:1");
    }
    let ids = |text: &str| -> Vec<String> {
        text.split(" id=\"")
            .skip(1)
            .map(|rest| rest.split('"').next().unwrap().to_owned())
            .collect()
    };
    let (one, two) = (ids(&text(&mut one)), ids(&text(&mut two)));
    assert!(one.len() >= 2, "{one:?}");
    assert!(one.iter().all(|id| id.starts_with("fig-") && !two.contains(id)), "{one:?}");
}

#[test]
fn wishes_find_the_figures_own_elements_and_keep_nothing() {
    let mut exhibit = exhibit();
    press(&mut exhibit, "terminal");
    let wishes = exhibit.take_wishes();
    assert!(wishes.contains(&Wish::Focus("#fig-lab-prompt".to_owned())), "{wishes:?}");
    exhibit.hear(Heard::Sent {
        does: "prompt".to_owned(),
        fields: vec![("line".to_owned(), "hw crash 2".to_owned())],
    });
    let kept = |wish: &Wish| matches!(wish, Wish::Keep { .. } | Wish::Fragment(_));
    assert!(!exhibit.take_wishes().iter().any(kept));
    press(&mut exhibit, "open-lab");
    let visits = |wish: &Wish| matches!(wish, Wish::Visit { page: "lab/", fragment } if fragment.contains("play="));
    assert!(exhibit.take_wishes().iter().any(visits));
}

/// A moment at which a wait has ended lies between two stops of the story.
const WAITS: &str = "#! brokers 4
$ kafka-topics.sh --bootstrap-server localhost:9092 --create --topic orders --replica-assignment 1:2:3
Created topic orders.
# One record arrives.
$ hw produce --topic orders --key a --value one
$ sleep 2
# moment: copied
$ hw crash 1
# moment: crashed
";

#[test]
fn a_wait_goes_on_with_the_words_for_what_came_before_it() {
    let plan = Plan { text: WAITS.to_owned(), at: String::new(), ..plan() };
    let mut exhibit = Exhibit::new(plan, ROOM, true).unwrap();
    exhibit.show("copied").unwrap();
    assert_eq!(exhibit.sentence(), "One record arrives.");
    exhibit.show("crashed").unwrap();
    assert_ne!(exhibit.sentence(), "One record arrives.");
}

fn enter(exhibit: &mut Exhibit, line: &str) {
    let fields = vec![("line".to_owned(), line.to_owned())];
    exhibit.hear(Heard::Sent { does: "prompt".to_owned(), fields });
}

#[test]
fn a_command_in_the_middle_of_another_is_the_last_one() {
    let plan = Plan { text: WAITS.to_owned(), at: "copied".to_owned(), ..plan() };
    let mut exhibit = Exhibit::new(plan, ROOM, true).unwrap();
    for _ in 0..2 {
        press(&mut exhibit, "back");
    }
    press(&mut exhibit, "forward");
    enter(&mut exhibit, "hw stop 4");
    let seen = text(&mut exhibit);
    assert!(seen.contains("<span class=\"did-command\">$ hw stop 4</span>"), "{seen}");
    assert!(seen.contains("this is a run of your own"), "{seen}");
    assert!(!seen.contains("compare the two"), "there is no way to compare here");
}

#[test]
fn the_lessons_run_waits_where_it_was_left() {
    let mut exhibit = exhibit();
    enter(&mut exhibit, "hw stop 4");
    exhibit.show("empty").unwrap();
    press(&mut exhibit, "forward");
    let left = exhibit.run().steps();
    press(&mut exhibit, "own-run");
    assert!(exhibit.is_own());
    assert!(exhibit.commands().contains("hw stop 4"));
    press(&mut exhibit, "own-run");
    assert_eq!(exhibit.run().steps(), left);
    assert!(exhibit.commands().contains("hw stop 4"), "also while it waits");
}

#[test]
fn the_lab_opens_at_the_very_same_moment() {
    let plan = Plan { text: WAITS.to_owned(), at: String::new(), ..plan() };
    let mut exhibit = Exhibit::new(plan, ROOM, true).unwrap();
    for moment in ["start", "copied", "crashed", "end"] {
        exhibit.show(moment).unwrap();
        exhibit.take_wishes();
        press(&mut exhibit, "open-lab");
        let fragment = exhibit.take_wishes().into_iter().find_map(|wish| match wish {
            Wish::Visit { fragment, .. } => Some(fragment),
            _ => None,
        });
        let opening = Opening { fragment: fragment.unwrap(), ..Opening::default() };
        let lab = Lab::new(&opening, ROOM);
        let (there, here) = (lab.run(), exhibit.run());
        assert_eq!(there.now(), here.now(), "{moment}");
        let hash = |run: &highwater_lab::run::Run| run.timeline().world().trace_hash();
        assert_eq!(hash(there), hash(here), "{moment}");
    }
}

#[test]
fn a_static_page_has_the_first_frame_at_two_widths_asleep() {
    let mut exhibit = Exhibit::new(plan(), ROOM, false).unwrap();
    let seen = to_string(&exhibit.view_at(&[564, 286]));
    assert!(seen.contains("fig-wide") && seen.contains("fig-narrow"));
    let controls = seen.matches("<button").count() + seen.matches("<input").count();
    assert_eq!(seen.matches(" disabled").count(), controls);
    assert!(seen.contains("data-engine-status"));
}

/// What prepares a figure is played and kept from the reader: no way leads back to it, neither terminal nor history of
/// commands shows it, until it is told.
#[test]
fn a_setup_is_kept_until_it_is_told() {
    let plan = Plan {
        at: "elected".to_owned(),
        setup: "written".to_owned(),
        is_terminal_open: true,
        ..plan()
    };
    let mut exhibit = Exhibit::new(plan, ROOM, true).expect("the figure");
    let secrets = ["Created topic", "hw produce", "--replica-assignment"];
    for moment in ["elected", "written", "start"] {
        exhibit.show(moment).unwrap();
        let seen = text(&mut exhibit);
        // The partition and its two records are there all the same.
        assert!(seen.contains("orders-0"), "{moment}: {seen}");
        assert!(secrets.iter().all(|secret| !seen.contains(secret)), "{moment}: {seen}");
        assert_eq!(seen.contains("hw crash 1"), moment == "elected", "{moment}: {seen}");
    }
    assert_eq!(exhibit.run().position(), 0);
    assert!(text(&mut exhibit).contains("step 0 of "));
    press(&mut exhibit, "back");
    assert_eq!(leader(&exhibit), Some(1), "the topic is still there");
    press(&mut exhibit, "forward");
    assert_eq!(exhibit.run().position(), 1);
    assert!(text(&mut exhibit).contains("The leader dies."));
    exhibit.tell_setup();
    let seen = text(&mut exhibit);
    assert!(seen.contains("What was done to the cluster"), "{seen}");
    assert!(seen.contains("hw produce --topic orders --key b --value two"), "{seen}");
    assert!(!seen.contains("<code>$ hw crash"), "{seen}");
}

/// The reader's own run goes on from there, and what was not hidden cannot be asked for.
#[test]
fn an_own_run_behind_a_setup() {
    let setup = || Plan { setup: "written".to_owned(), ..plan() };
    let mut exhibit = Exhibit::new(setup(), ROOM, true).expect("the figure");
    press(&mut exhibit, "terminal");
    let fields =
        vec![("line".to_owned(), "hw produce --topic orders --key c --value own".to_owned())];
    exhibit.hear(Heard::Sent { does: "prompt".to_owned(), fields });
    let seen = text(&mut exhibit);
    assert!(exhibit.is_own() && seen.contains("orders-0, offset 2"), "{seen}");
    assert!(!seen.contains("--value two"), "{seen}");
    let early = Exhibit::new(Plan { at: "empty".to_owned(), ..setup() }, ROOM, true);
    assert!(early.unwrap_err().contains("lies before `setup=written`"));
    let nowhere = Exhibit::new(Plan { setup: "nope".to_owned(), ..plan() }, ROOM, true);
    assert!(nowhere.unwrap_err().contains("there is no moment `nope`"));
    exhibit.tell_setup();
    let mut without = self::exhibit();
    without.tell_setup();
    assert!(!text(&mut without).contains("What was done"));
}

/// What a task has no use for is refused where it was tried: at the prompt, where the line stays, and at a button of a
/// panel. What a tool reads is no command.
#[test]
fn a_task_allows_some_commands_only() {
    let said = "`hw` is not for this task. It can be solved with kafka-console-producer.sh, echo.";
    let mut exhibit = exhibit();
    exhibit.allow(&["kafka-console-producer.sh".to_owned(), "echo".to_owned()]);
    press(&mut exhibit, "terminal");
    exhibit.take_wishes();
    enter(&mut exhibit, "hw crash 1");
    assert!(!exhibit.is_own() && text(&mut exhibit).contains(said));
    let wishes = exhibit.take_wishes();
    assert!(!wishes.iter().any(|wish| matches!(wish, Wish::Fill { .. })), "{wishes:?}");
    // Something else was typed: it is no longer said.
    enter(&mut exhibit, "echo fine");
    assert!(exhibit.is_own() && !text(&mut exhibit).contains("not for this task"));
    enter(
        &mut exhibit,
        "kafka-console-producer.sh --bootstrap-server localhost:9092 --topic orders",
    );
    enter(&mut exhibit, "ann:20");
    assert_eq!(exhibit.gate().refused, None);
    exhibit.hear(Heard::Press("end-of-input".to_owned()));
    // The buttons of a panel, with the terminal shut.
    press(&mut exhibit, "terminal");
    press(&mut exhibit, "ask:broker:2");
    let seen = text(&mut exhibit);
    let (_, rest) = seen.split_once("data-do=\"type:hw stop 2\"").expect("a button");
    assert!(!rest.is_empty());
    press(&mut exhibit, "type:hw stop 2");
    let seen = text(&mut exhibit);
    assert!(seen.contains(said), "{seen}");
    assert!(exhibit.holds("broker(2).up").unwrap());
    exhibit.allow(&[]);
    press(&mut exhibit, "type:hw stop 2");
    assert!(!exhibit.holds("broker(2).up").unwrap());
}
