//! The same six records as other clients place them, and a fourth key.

use crate::browser::Visit;
use crate::page::Page;
use crate::puzzle::{JAVA, by_lane};

const LIBRDKAFKA: [&str; 6] = [
    "0/0 A PARCEL_DROPPED",
    "0/1 B PARCEL_DROPPED",
    "0/2 A CODE_SENT",
    "1/0 C PARCEL_DROPPED",
    "0/3 A PARCEL_COLLECTED",
    "0/4 B DOOR_JAMMED",
];

const KAFKA_GO: [&str; 6] = [
    "0/0 A PARCEL_DROPPED",
    "1/0 B PARCEL_DROPPED",
    "0/1 A CODE_SENT",
    "1/1 C PARCEL_DROPPED",
    "0/2 A PARCEL_COLLECTED",
    "1/2 B DOOR_JAMMED",
];

/// Plays a run by its button, then steps through it again and sees each record come to its place.
fn replay(page: &Page, button: &str, golden: [&str; 6], hash: &str) {
    page.click_button(button);
    page.wait("the replay to begin", || page.attribute("[data-do=play]", "aria-label") == "Pause");
    page.wait_for_the_end();
    assert_eq!(page.cells(), by_lane(&golden), "{button}");
    page.seek(0);
    for (step, record) in (1..).zip(golden) {
        page.transport("step");
        page.wait("the next step", || page.time() == format!("step {step} of 6"));
        assert_eq!(page.fresh(), [record], "{button}");
        assert!(page.sum().contains(&format!("→ {hash} = ")), "{button}: {}", page.sum());
    }
    let legend = page.text(".fig-legend");
    assert_eq!(legend, "A = locker-7B = locker-2C = locker-9", "letters keep their keys");
}

/// Each client places the records by its own rule; the letters of the keys stay the same; the Java
/// run comes back.
#[test]
fn other_clients_place_the_records_elsewhere() {
    Visit::new().live(|page| {
        replay(page, "Replay the six with librdkafka", LIBRDKAFKA, "CRC-32");
        replay(page, "Replay the six with kafka-go", KAFKA_GO, "FNV-1a");
        replay(page, "Back to the Java client", JAVA, "murmur2");
    });
}

/// A replay plays in the figure, one step after the other, and says something only at its end.
#[test]
fn a_replay_plays() {
    Visit::new().live(|page| {
        watch_announcements(page);
        page.click_button("Replay the six with librdkafka");
        page.wait("the middle of the replay", || page.time() == "step 3 of 6");
        assert_eq!(page.cells(), by_lane(&LIBRDKAFKA[..3]));
        page.wait_for_the_end();
        let said = page.texts_of("return window.said");
        let last = "locker-2 hashes to partition 0; its record is now offset 4 there.";
        assert_eq!(said.last().map(String::as_str), Some(last));
        assert!(said.len() <= 2, "a flood: {said:?}");
    });
}

/// Keeps every sentence that the live region says from now on in `window.said`.
pub(crate) fn watch_announcements(page: &Page) {
    page.js("const region = document.querySelector('.fig > [role=status]'); window.said = [];\
         new MutationObserver(() => { const says = region.textContent;\
           if (says) window.said.push(says); })\
         .observe(region, { childList: true, characterData: true, subtree: true })");
}

/// A fourth key shares partition 0: the record of locker-4 comes to 0/3, under a letter of its own.
#[test]
fn a_fourth_key_shares_a_partition() {
    Visit::new().live(|page| {
        page.click_button("Send one record from locker-4");
        page.wait("the seventh step", || page.time() == "step 7 of 7");
        assert_eq!(page.fresh(), ["0/3 D PARCEL_DROPPED"]);
        assert!(page.sum().starts_with("\"locker-4\" → 8 bytes → murmur2 = "), "{}", page.sum());
        assert!(page.sum().ends_with("→ mod 3 = 0 → partition 0"), "{}", page.sum());
        assert!(page.text(".fig-legend").contains("D = locker-4"));
        let expected = by_lane(&[&JAVA[..], &["0/3 D PARCEL_DROPPED"]].concat());
        assert_eq!(page.cells(), expected);
    });
}

/// After another client's run, the record of locker-4 goes on from the Java run, as its text says.
#[test]
fn the_fourth_key_follows_the_java_run() {
    Visit::new().live(|page| {
        page.click_button("Replay the six with librdkafka");
        page.click_button("Send one record from locker-4");
        page.wait("the seventh step", || page.time() == "step 7 of 7");
        assert_eq!(page.fresh(), ["0/3 D PARCEL_DROPPED"]);
        assert!(page.exists("[data-do=play][aria-label=Play]"), "and nothing plays any more");
    });
}
