//! Two readers of one log: each has a position of its own, and reading removes nothing.

use crate::browser::Visit;
use crate::page::Page;
use crate::puzzle::{JAVA, by_lane};

const ANALYTICS: &str = "analytics in partition 0: next offset 3, 0 behind the end";
const BILLING: &str = "billing in partition 0: next offset 1, 2 behind the end";

fn read(page: &Page, button: &str, expected: &[&str]) {
    page.click_button(button);
    page.wait(button, || page.readers() == expected);
    assert_eq!(page.cells(), by_lane(&JAVA), "the log is as it was");
}

/// Analytics reads three records and is at 3; billing reads one and is at 1; both marks stand on one
/// log, which still holds everything.
#[test]
fn two_readers_keep_their_own_positions() {
    Visit::new().live(|page| {
        read(page, "Let analytics read everything", &[ANALYTICS]);
        let said = "analytics has read offsets 0 to 2 of partition 0; its next is 3. \
                    Nothing was removed.";
        assert_eq!((page.say(), page.announced()), (said.to_owned(), said.to_owned()));
        read(page, "Let billing read one record", &[ANALYTICS, BILLING]);
        let said = "billing has read offset 0 of partition 0; its next is 1. Nothing was removed.";
        assert_eq!(page.say(), said);
        let label = page.attribute(".fig-draw [data-cell='0:1'] [role=button]", "aria-label");
        assert!(label.ends_with("next for billing"), "{label}");
    });
}

/// A reader's mark stands under its next record: billing under offset 1, analytics under the next
/// slot.
#[test]
fn marks_stand_under_the_next_record() {
    Visit::new().live(|page| {
        page.click_button("Let analytics read everything");
        read(page, "Let billing read one record", &[ANALYTICS, BILLING]);
        let apart = page.js(
            "const middle = element => { const box = element.getBoundingClientRect();\
               return box.x + box.width / 2 };\
             const lane = document.querySelector('.hw-log > g');\
             const mark = name => middle(lane.querySelector(`[data-reader=${name}] .hw-position`));\
             return [Math.abs(mark('billing') - middle(lane.querySelector('[data-cell=\"0:1\"] .hw-box'))),\
                     Math.abs(mark('analytics') - middle(lane.querySelector('.hw-next')))]",
        );
        for distance in apart.as_array().unwrap() {
            assert!(distance.as_f64().unwrap() <= 1.5, "a mark is {distance} px off its cell");
        }
    });
}

/// Reading goes on where it stopped: billing's second read brings it to 2.
#[test]
fn a_reader_goes_on_where_it_stopped() {
    Visit::new().live(|page| {
        read(page, "Let billing read one record", &[BILLING]);
        page.click_button("Let billing read one record");
        let next = "billing in partition 0: next offset 2, 1 behind the end";
        page.wait("the second read", || page.readers() == [next]);
    });
}

/// After the librdkafka replay the readers' buttons bring the Java run back, which their text speaks
/// of.
#[test]
fn readers_bring_the_java_run_back() {
    Visit::new().live(|page| {
        page.click_button("Replay the six with librdkafka");
        page.wait_for_the_end();
        read(page, "Let analytics read everything", &[ANALYTICS]);
        read(page, "Let billing read one record", &[ANALYTICS, BILLING]);
    });
}
