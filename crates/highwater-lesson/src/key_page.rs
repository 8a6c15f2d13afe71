//! The page about one key: which partition it goes to with each family of clients, and by which arithmetic.
//!
//! The numbers come from the same partitioners as everywhere (`highwater_core::client::partitioner`). It needs the build
//! with the cluster: a page about one broker knows three families only.

use highwater_core::client::partitioner::{Choice, ClientFamily};
use highwater_core::ids::PartitionId;
use highwater_scene::arithmetic::{self, StepKind};
use highwater_scene::digits::number;
use highwater_scene::node::Node;
use highwater_scene::template::tree;

use crate::quiz::deck::{from_percent, percent};

/// The most partitions that are offered.
pub const MOST: u32 = 10_000;

/// What the page shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyPage {
    /// The key that was typed.
    pub key: String,
    /// Into how many partitions the topic is split; `None`: what was typed is no such number.
    pub partitions: Option<u32>,
    /// Where the page is that its link leads to; empty: this is it.
    pub page: &'static str,
    /// How often it was filled from a link: its fields are new ones then.
    pub round: u32,
}

impl Default for KeyPage {
    fn default() -> Self {
        Self { key: "EmailID-1001".to_owned(), partitions: Some(3), page: "", round: 0 }
    }
}

/// Where a key goes with one family; `None`: no key decides there.
type Row = (ClientFamily, Option<Choice>);

impl KeyPage {
    /// Reads what stands behind the `#` of a link. What is missing or damaged is as at the beginning.
    #[must_use]
    pub fn from_fragment(fragment: &str) -> Self {
        let mut page = Self::default();
        for part in fragment.split('&') {
            match part.split_once('=') {
                Some(("key", value)) => page.key = from_percent(value).unwrap_or(page.key),
                Some(("partitions", value)) => page.partitions = count(value).or(page.partitions),
                _ => {}
            }
        }
        page
    }

    /// What stands behind the `#` of its link.
    #[must_use]
    pub fn fragment(&self) -> String {
        let mut out = String::from("key=");
        percent(&self.key, &mut out);
        if let Some(partitions) = self.partitions {
            out.push_str(&["&partitions=", &partitions.to_string()].concat());
        }
        out
    }

    /// The number of partitions was typed.
    pub fn type_partitions(&mut self, text: &str) {
        self.partitions = count(text.trim());
    }

    fn rows(&self, partitions: u32) -> Vec<Row> {
        let mut rows = Vec::new();
        for family in ClientFamily::ALL {
            let hashed = family.rule().hashed(Some(self.key.as_bytes()));
            let choice = hashed.map(|(hashing, bytes)| hashing.choose(bytes, partitions));
            rows.push((*family, choice));
        }
        rows
    }

    /// The page. `live`: its program runs.
    #[must_use]
    pub fn view(&self, live: bool) -> Node {
        let round = self.round.to_string();
        let fields = tree(
            "<div class='key-fields' key='{}'><label class='quiz-field'><span>Key</span>\
             <input type='text' autocomplete='off' autocapitalize='off' spellcheck='false' value='{}' \
             data-ask-field='key' readonly='{}' translate='no'/></label>\
             <label class='quiz-field key-count'><span>Partitions</span><input type='number' min='1' \
             max='{}' value='{}' data-ask-field='partitions' readonly='{}'/></label></div>",
            vec![
                round.into(),
                self.key.clone().into(),
                (!live).into(),
                i64::from(MOST).into(),
                self.partitions.map(i64::from).into(),
                (!live).into(),
            ],
        );
        let rows = self.partitions.map(|partitions| self.rows(partitions));
        let says = match &rows {
            Some(rows) => self.says(rows),
            None => ["Type a number of partitions, from 1 to ", &MOST.to_string(), "."].concat(),
        };
        tree(
            "<div class='key-page'>{}<p class='key-says' role='status'>{}</p>{}{}</div>",
            vec![
                fields.into(),
                says.into(),
                rows.as_deref().map(table).into(),
                rows.is_some().then(|| self.link()).into(),
            ],
        )
    }

    /// The answer in a sentence: with whom the key goes where.
    fn says(&self, rows: &[Row]) -> String {
        let mut places: Vec<(PartitionId, Vec<String>)> = Vec::new();
        for (family, choice) in rows {
            let Some(choice) = choice else { continue };
            let name = family.name().to_owned();
            match places.iter_mut().find(|(partition, _)| *partition == choice.partition) {
                Some((_, names)) => names.push(name),
                None => places.push((choice.partition, vec![name])),
            }
        }
        match &places[..] {
            [(PartitionId(only), _)] => {
                ["All of them choose partition ", &only.to_string(), "."].concat()
            }
            _ => {
                let said = places.iter().map(|(PartitionId(partition), names)| {
                    let names = highwater_scene::words::list(names);
                    ["partition ", &partition.to_string(), " with ", &names].concat()
                });
                let said: Vec<String> = said.collect();
                ["This key goes to ", &highwater_core::number::join(&said, ", to "), "."].concat()
            }
        }
    }

    fn link(&self) -> Node {
        tree(
            "<p class='key-link'><a href='{}'>Link to this key</a>. The link contains the text that you \
             typed; nothing is sent anywhere.</p>",
            vec![[self.page, "#", &self.fragment()].concat().into()],
        )
    }
}

fn count(text: &str) -> Option<u32> {
    number(text).filter(|count| (1..=MOST).contains(count))
}

fn table(rows: &[Row]) -> Node {
    let mut out = Vec::new();
    for (family, choice) in rows {
        let spelled = family.partitioners().first().map_or("", |first| first.spelled);
        let (place, steps) = match choice {
            Some(choice) => {
                let PartitionId(partition) = choice.partition;
                (partition.to_string(), sum(choice))
            }
            None => ("any".to_owned(), "It chooses as if there were no key.".to_owned()),
        };
        out.push(tree(
            "<tr><th scope='row'>{} <code>{}</code></th><td class='key-place'>{}</td><td class='key-sum'>{}</td></tr>",
            vec![family.name().into(), spelled.into(), place.into(), steps.into()],
        ));
    }
    tree(
        "<div class='table-scroll' tabindex='0' role='group' aria-label='The partition with each client'>\
         <table class='key-table' translate='no'><thead><tr><th scope='col'>Client</th>\
         <th scope='col'>Partition</th><th scope='col'>How</th></tr></thead><tbody>{}</tbody></table></div>",
        vec![out.into()],
    )
}

/// The arithmetic between key and partition, which stand beside it.
fn sum(choice: &Choice) -> String {
    let steps = arithmetic::steps(Some(&[]), choice);
    let wanted =
        |kind: StepKind| !matches!(kind, StepKind::Key | StepKind::Bytes | StepKind::Partition);
    let inner: Vec<&str> =
        steps.iter().filter(|step| wanted(step.kind)).map(|step| step.text.as_str()).collect();
    highwater_core::number::join(&inner, " \u{2192} ")
}

#[cfg(all(test, feature = "build"))]
mod tests {
    use super::*;

    fn places(key: &str, partitions: u32) -> Vec<(&'static str, Option<i32>)> {
        let page =
            KeyPage { key: key.to_owned(), partitions: Some(partitions), page: "", round: 0 };
        let rows = page.rows(partitions);
        rows.into_iter()
            .map(|(family, choice)| (family.name(), choice.map(|it| it.partition.0)))
            .collect()
    }

    /// Numbers that are known from elsewhere: the course's puzzle, and its email.
    #[test]
    fn keys_go_where_they_go() {
        for (key, java, librdkafka, kafka_go) in
            [("locker-7", 0, 0, 0), ("locker-2", 1, 0, 1), ("locker-9", 2, 1, 1)]
        {
            let places = places(key, 3);
            assert_eq!(
                places[..3],
                [
                    ("java", Some(java)),
                    ("librdkafka", Some(librdkafka)),
                    ("kafka-go", Some(kafka_go))
                ]
            );
        }
        let page = KeyPage::default();
        let text = page.view(true).text_content();
        assert!(text.contains("murmur2 = 704557963") && text.contains("mod 3 = 1"), "{text}");
        assert_eq!(places("", 3)[1], ("librdkafka", None), "an empty key does not count there");
    }

    /// A link carries the same state, whatever was typed; a damaged one harms nothing.
    #[test]
    fn links_go_round() {
        for key in ["locker-7", "", "a&partitions=9#x%y", "ключ 🗝 ", "\"<b>"] {
            let page = KeyPage { key: key.to_owned(), partitions: Some(12), page: "", round: 0 };
            let fragment = page.fragment();
            assert!(fragment.is_ascii() && !fragment.contains(['"', '<', '#', ' ']), "{fragment}");
            assert_eq!(KeyPage::from_fragment(&fragment), page);
        }
        for broken in
            ["", "key", "key=%", "partitions=0", "partitions=99999", "partitions=-1", "a=b"]
        {
            assert_eq!(KeyPage::from_fragment(broken), KeyPage::default(), "{broken}");
        }
    }

    #[test]
    fn no_number_is_told() {
        let mut page = KeyPage::default();
        for text in ["", "0", "10001", "three", "-1", "1.5"] {
            page.type_partitions(text);
            assert!(
                page.view(true).text_content().contains("Type a number of partitions"),
                "{text}"
            );
        }
        page.type_partitions(" 1 ");
        assert!(page.view(true).text_content().contains("All of them choose partition 0."));
    }
}
