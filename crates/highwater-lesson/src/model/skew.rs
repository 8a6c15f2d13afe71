//! How keys fill partitions: a few keys, or one that sends most, against the Java client's partitioner.

use highwater_core::client::partitioner::java;
use highwater_scene::node::Node;
use highwater_scene::template::tree;

/// How many partitions the topic has, and how many records are sent.
const PARTITIONS: u32 = 6;
const RECORDS: u32 = 1_000;
/// The most keys, and the greatest share of the busiest in percent.
const MOST_KEYS: u32 = 200;
const MOST_SHARE: u32 = 95;
/// The length of the longest bar in px.
const BAR: u32 = 200;

/// How many keys there are, and how much one of them sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skew {
    /// How many different keys there are.
    keys: u32,
    /// The share of the busiest key, in percent. With less than an equal share it sends as much as any other.
    share: u32,
}

impl Default for Skew {
    fn default() -> Self {
        Self { keys: 100, share: 0 }
    }
}

impl Skew {
    /// A control has another value: `keys` or `share`.
    pub fn set(&mut self, does: &str, value: &str) {
        let Ok(value) = value.parse::<u32>() else { return };
        match does {
            "keys" => self.keys = value.clamp(1, MOST_KEYS),
            "share" => self.share = value.min(MOST_SHARE),
            _ => {}
        }
    }

    /// How many of 1,000 records each partition gets.
    #[must_use]
    pub fn counts(&self) -> Vec<u32> {
        let mut counts = vec![0; PARTITIONS as usize];
        for number in 0..self.keys {
            let key = format!("tenant-{}", number + 1);
            let place = java::choose_by_key(key.as_bytes(), PARTITIONS).partition;
            let place = usize::try_from(place.0).unwrap_or_default();
            if let Some(count) = counts.get_mut(place) {
                *count += self.records_of(number);
            }
        }
        counts
    }

    /// How many records a key sends; the first is the busiest.
    fn records_of(&self, number: u32) -> u32 {
        let equal = RECORDS / self.keys;
        let busiest =
            if self.keys == 1 { RECORDS } else { (RECORDS * self.share / 100).max(equal) };
        if number == 0 {
            return busiest;
        }
        let (rest, others) = (RECORDS - busiest, self.keys - 1);
        rest / others + u32::from(number <= rest % others)
    }

    /// What follows from it, in one sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        let counts = self.counts();
        let most = counts.iter().copied().max().unwrap_or_default();
        let fullest = counts.iter().position(|count| *count == most).unwrap_or_default();
        let empty = counts.iter().filter(|count| **count == 0).count();
        let share = (most * 100 + RECORDS / 2) / RECORDS;
        let idle = match empty {
            0 => String::new(),
            1 => " One partition is empty.".to_owned(),
            n => format!(" {n} partitions are empty."),
        };
        format!(
            "Partition {fullest} gets {share} % of the records, and one consumer must handle them alone.{idle}"
        )
    }

    /// What is to be seen.
    #[must_use]
    pub fn view(&self, live: bool) -> Node {
        let counts = self.counts();
        let most = counts.iter().copied().max().unwrap_or(1).max(1);
        let rows: Vec<Node> = counts
            .iter()
            .enumerate()
            .map(|(number, count)| {
                tree(
                    "<tr><th scope='row'>partition {}</th><td><svg class='model-bar' width='{}' height='16' \
                     aria-hidden='true'><rect class='model-fill' width='{}' height='16'/></svg></td>\
                     <td class='num'>{}</td></tr>",
                    vec![
                        number.to_string().into(),
                        BAR.to_string().into(),
                        (BAR * count / most).to_string().into(),
                        count.to_string().into(),
                    ],
                )
            })
            .collect();
        tree(
            "<figure class='fig model' aria-label='How keys fill six partitions' translate='no'>\
             <div class='model-sliders'>{}{}</div><table class='model-table'>\
             <caption class='visually-hidden'>Records in each partition</caption><tbody>{}</tbody></table>\
             <p class='model-happened' role='status'>{}</p></figure>",
            vec![
                slider("Different keys", "keys", (1, MOST_KEYS), self.keys, live),
                slider(
                    "Share of the busiest key, in percent",
                    "share",
                    (0, MOST_SHARE),
                    self.share,
                    live,
                ),
                rows.into(),
                self.sentence().into(),
            ],
        )
    }
}

fn slider(
    label: &'static str,
    does: &'static str,
    (least, most): (u32, u32),
    value: u32,
    live: bool,
) -> highwater_scene::template::Hole {
    tree(
        "<label class='model-slider'><span>{}: <output>{}</output></span>\
         <input type='range' min='{}' max='{}' value='{}' data-do='{}' disabled='{}'/></label>",
        vec![
            label.into(),
            value.to_string().into(),
            least.to_string().into(),
            most.to_string().into(),
            value.to_string().into(),
            does.into(),
            (!live).into(),
        ],
    )
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(keys: u32, share: u32) -> Skew {
        Skew { keys, share }
    }

    #[test]
    fn no_record_is_lost() {
        for keys in [1, 2, 3, 7, 100, 200] {
            for share in [0, 1, 33, 95] {
                assert_eq!(
                    with(keys, share).counts().iter().sum::<u32>(),
                    RECORDS,
                    "{keys} {share}"
                );
            }
        }
    }

    #[test]
    fn one_key_fills_one_partition() {
        let counts = with(1, 0).counts();
        assert_eq!(counts.iter().filter(|count| **count > 0).count(), 1);
        assert!(with(1, 0).sentence().contains("100 %"));
        assert!(with(1, 0).sentence().contains("5 partitions are empty"));
    }

    #[test]
    fn a_busy_key_makes_its_partition_hot() {
        let (even, hot) = (with(100, 0).counts(), with(100, 60).counts());
        let place = java::choose_by_key(b"tenant-1", PARTITIONS).partition.0 as usize;
        assert!(hot[place] >= 600 && even[place] < 300, "{even:?} {hot:?}");
    }

    #[test]
    fn values_out_of_range_are_bounded() {
        let mut skew = Skew::default();
        skew.set("keys", "100000");
        skew.set("share", "-4");
        skew.set("share", "100");
        assert_eq!(skew, with(200, 95));
    }
}
