//! The opening puzzle: six records, step by step, by the golden places of Kafka's Java client.

use crate::browser::Visit;
use crate::page::{Page, key};

/// The six records in the order of sending, each at its place.
pub(crate) const JAVA: [&str; 6] = [
    "0/0 A PARCEL_DROPPED",
    "1/0 B PARCEL_DROPPED",
    "0/1 A CODE_SENT",
    "2/0 C PARCEL_DROPPED",
    "0/2 A PARCEL_COLLECTED",
    "1/1 B DOOR_JAMMED",
];

/// How Kafka's Java client comes to partition 0 for locker-7. The numbers are those of the vectors in
/// tests/vectors.
const SUM_OF_LOCKER_7: &str = "\"locker-7\" → 8 bytes → murmur2 = −713338313 → \
                               & 0x7fffffff = 1434145335 → mod 3 = 0 → partition 0";

/// Records as the drawing holds them: lane by lane.
pub(crate) fn by_lane(records: &[&str]) -> Vec<String> {
    let mut sorted: Vec<String> = records.iter().map(|record| (*record).to_owned()).collect();
    sorted.sort();
    sorted
}

/// The page opens before the decision: four records are in, the question is asked, nothing is given
/// away.
#[test]
fn opens_after_four_records() {
    Visit::new().live(|page| {
        assert_eq!(page.time(), "step 4 of 6");
        assert_eq!(page.cells(), by_lane(&JAVA[..4]));
        assert_eq!(page.say(), "Next: A is collected. Where will this record go?");
        assert_eq!((page.sum(), page.announced()), (String::new(), String::new()));
        assert!(page.fresh().is_empty(), "nothing is new before the reader has done anything");
        let legend = page.texts_of(
            "return [...document.querySelectorAll('[data-island=figure] .fig-legend-item')].map(i => i.textContent)",
        );
        assert_eq!(legend, ["A = locker-7", "B = locker-2", "C = locker-9"]);
    });
}

/// Stepping from the empty log puts each record at its golden place and says so.
#[test]
fn stepping_gives_the_golden_places() {
    Visit::new().live(|page| {
        page.seek(0);
        assert!(page.cells().is_empty());
        assert_eq!(page.say(), "The log is empty. Press step, and the first record goes in.");
        assert!(page.exists(".bar [data-do=back]:disabled"), "nothing lies before the start");
        for (step, record) in (1..).zip(JAVA) {
            page.transport("step");
            page.wait("the next step", || page.time() == format!("step {step} of 6"));
            assert_eq!(page.fresh(), [record]);
            assert_eq!(page.cells(), by_lane(&JAVA[..step]));
            let (partition, offset) = record.split(' ').next().unwrap().split_once('/').unwrap();
            let says =
                format!("hashes to partition {partition}; its record is now offset {offset}");
            assert!(page.say().contains(&says), "{:?}", page.say());
        }
        assert!(page.exists(".bar [data-do=step]:disabled"), "nothing comes after the end");
    });
}

/// The arithmetic of locker-7 is shown when its record lands, and again when the cell is pressed.
#[test]
fn shows_the_arithmetic() {
    Visit::new().live(|page| {
        page.transport("step");
        page.wait("the sum", || page.sum() == SUM_OF_LOCKER_7);
        page.transport("step");
        page.wait("the sum of locker-2", || page.sum().starts_with("\"locker-2\" → 8 bytes"));
        assert!(page.sum().ends_with("mod 3 = 1 → partition 1"), "{}", page.sum());
        page.click(".fig-draw [data-cell='0:1']");
        page.wait("the sum of the pressed cell", || page.sum() == SUM_OF_LOCKER_7);
        assert_eq!(page.announced(), format!("parcel-events-0, offset 1: {SUM_OF_LOCKER_7}"));
        assert!(page.exists(".hw-chosen[data-cell='0:1']"), "it is marked");
        page.click(".fig-draw [data-cell='0:1']");
        page.wait("it to be let go", || !page.exists(".hw-chosen"));
    });
}

/// Step back, a press on the timeline, its keys and dragging all lead to the same moments.
#[test]
fn goes_back_in_time() {
    Visit::new().live(|page| {
        page.transport("back");
        page.wait("step 3", || page.time() == "step 3 of 6");
        assert_eq!(page.cells(), by_lane(&JAVA[..3]));
        assert_eq!(page.fresh(), [JAVA[2]]);
        let pressed = [(2, 0), (50, 3), (98, 6), (34, 2)];
        for (percent, step) in pressed {
            page.press_at(".track-input", percent);
            page.wait("the press to count", || page.time() == format!("step {step} of 6"));
            assert_eq!(page.cells(), by_lane(&JAVA[..step]));
        }
        page.press(key::RIGHT);
        page.wait("an arrow key to count", || page.time() == "step 3 of 6");
        page.press(key::END);
        page.wait("End to count", || page.time() == "step 6 of 6");
        assert_eq!(page.attribute(".track-input", "aria-valuetext"), "step 6 of 6");
        assert_eq!(page.cells(), by_lane(&JAVA));
    });
}

/// Play goes to the end by itself and stops there; then it begins anew.
#[test]
fn plays_to_the_end() {
    Visit::new().live(|page| {
        page.transport("play");
        page.wait_for_the_end();
        assert_eq!(page.time(), "step 6 of 6");
        assert_eq!(page.cells(), by_lane(&JAVA));
        page.transport("play");
        page.wait("playing to begin anew", || {
            page.attribute("[data-do=play]", "aria-label") == "Pause"
        });
        assert_ne!(page.time(), "step 6 of 6");
        page.wait_for_the_end();
    });
}

/// Pause holds the moment, and so does any other control.
#[test]
fn pause_holds() {
    Visit::new().live(|page| {
        let holds = |page: &Page| {
            let time = page.time();
            page.stays("the moment", 1_500, || page.time() == time);
            assert!(page.exists("[data-do=play][aria-label=Play]"));
        };
        page.seek(0);
        page.transport("play");
        page.wait("two steps", || page.time() == "step 2 of 6");
        page.transport("play");
        holds(page);
        page.transport("play");
        page.transport("back");
        holds(page);
    });
}

/// Nothing plays until the reader presses something, and scrolling never plays.
#[test]
fn plays_nothing_by_itself() {
    Visit::new().live(|page| {
        page.js("window.scrollTo(0, document.documentElement.scrollHeight)");
        page.stays("the first moment", 1_500, || page.time() == "step 4 of 6");
        assert_eq!(page.cells(), by_lane(&JAVA[..4]));
    });
}
