//! A moment as a drawing, or as its text twin.

use highwater_core::controller::topic_name::is_internal;
use highwater_core::world::snapshot::Snapshot;
use highwater_scene::keys::Keys;
use highwater_scene::node::to_string;
use highwater_scene::picture::style::{PAGE, Theme};
use highwater_scene::picture::{Picture, View};
use serde::Serialize;
use tsify::Tsify;

use crate::failure::Failure;
use crate::value::{Options, Value, short};
use crate::why::{unknown_partition, unknown_topic};

/// What to draw. What is left out is as in `highwater render`.
#[derive(Clone, Debug, Default, Serialize, Tsify)]
pub struct PictureOptions {
    /// Each topic's partitions with their records; or partitions and brokers with their replicas. [default: "log"]
    #[tsify(optional, type = "\"log\" | \"cluster\"")]
    view: Option<String>,
    /// Instead, the replicas of each topic's partition of this number, record by record.
    #[tsify(optional)]
    partition: Option<i32>,
    /// The topics, one below the other. [default: all but Kafka's own]
    #[tsify(optional)]
    topics: Option<Vec<String>>,
    /// Of a drawing: its width in px, 280 to 4000. [default: 720]
    #[tsify(optional)]
    width: Option<i32>,
    /// Of a drawing: its font size in px, which all sizes follow, 8 to 64. [default: 16]
    #[tsify(optional)]
    font: Option<i32>,
    /// Of a drawing: its colours; "auto": as the reader's system has it. [default: "auto"]
    #[tsify(optional, type = "\"auto\" | \"light\" | \"dark\"")]
    theme: Option<String>,
}

/// The options, as they are called in JavaScript.
const NAMES: [&str; 6] = ["view", "partition", "topics", "width", "font", "theme"];

/// What was asked for.
struct Wanted {
    view: View,
    topics: Vec<String>,
    width: i32,
    font: i32,
    theme: Theme,
}

impl Wanted {
    fn read(options: Value, moment: &Snapshot) -> Result<Self, Failure> {
        let given = Options::read(options, &NAMES)?;
        let view = given.one_of("view", &[("log", View::Log), ("cluster", View::Cluster)])?;
        let number: Option<i32> = given.number("partition", 0, i32::MAX.into())?;
        if let (Some(_), Some(number)) = (view, number) {
            return Err(Failure::own(
                format!("partition: {number} stands beside `view`"),
                "Leave one of them out: `partition` is a view of its own.",
            ));
        }
        let themes = [("auto", Theme::Auto), ("light", Theme::Light), ("dark", Theme::Dark)];
        let topics = topics(given.texts("topics")?, moment)?;
        if let Some(number) = number {
            partition_is_there(number, &topics, moment)?;
        }
        Ok(Self {
            view: number.map(View::Partition).or(view).unwrap_or(View::Log),
            topics,
            width: given.number("width", 280, 4_000)?.unwrap_or(720),
            font: given.number("font", 8, 64)?.unwrap_or(16),
            theme: given.one_of("theme", &themes)?.unwrap_or(Theme::Auto),
        })
    }

    fn picture<'a>(&self, moment: &'a Snapshot, topics: &'a [&'a str]) -> Picture<'a> {
        let (view, width, font) = (self.view, self.width, self.font);
        Picture { snapshot: moment, view, topics, width, font, keys: Keys::default() }
    }
}

/// The drawing, with its styles in it.
pub(crate) fn svg(moment: &Snapshot, options: Value) -> Result<String, Failure> {
    let wanted = Wanted::read(options, moment)?;
    let topics: Vec<&str> = wanted.topics.iter().map(String::as_str).collect();
    let style = PAGE.style(wanted.theme, wanted.font);
    Ok(to_string(&wanted.picture(moment, &topics).svg(&style)))
}

/// The text twin.
pub(crate) fn text(moment: &Snapshot, options: Value) -> Result<String, Failure> {
    let wanted = Wanted::read(options, moment)?;
    let topics: Vec<&str> = wanted.topics.iter().map(String::as_str).collect();
    Ok(wanted.picture(moment, &topics).text())
}

/// The topics to draw, each once.
fn topics(named: Option<Vec<String>>, moment: &Snapshot) -> Result<Vec<String>, Failure> {
    let Some(named) = named else {
        let all = moment.topics.iter().map(|topic| topic.name.as_str());
        return Ok(all.filter(|name| !is_internal(name)).map(str::to_owned).collect());
    };
    let mut topics: Vec<String> = Vec::new();
    for name in named {
        if moment.topic(&name).is_none() {
            let message = format!("topics: there is no topic `{}` at this moment", short(&name));
            return Err(unknown_topic(message, moment));
        }
        if !topics.contains(&name) {
            topics.push(name);
        }
    }
    Ok(topics)
}

fn partition_is_there(number: i32, topics: &[String], moment: &Snapshot) -> Result<(), Failure> {
    let counts = topics.iter().filter_map(|name| moment.topic(name));
    let most = counts.map(|topic| topic.partitions.len()).max();
    match most {
        Some(most) if usize::try_from(number).is_ok_and(|number| number >= most) => {
            let message = format!("partition: no topic that is drawn has a partition {number}");
            Err(unknown_partition(message, most))
        }
        _ => Ok(()),
    }
}
