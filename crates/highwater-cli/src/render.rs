//! `highwater render`: the figure of a moment in a transcript, as SVG, PNG or text.

use std::io::{self, Write as _};
use std::path::PathBuf;

use clap::ValueEnum;
use highwater_core::time::{SimDuration, SimTime};
use highwater_core::world::snapshot::Snapshot;
use highwater_scene::keys::Keys;
use highwater_scene::node::to_string;
use highwater_scene::picture::style::{PAGE, Theme};
use highwater_scene::picture::{Picture, View};
use highwater_scene::words;
use highwater_shell::session::{Session, options_of, session_of};

use crate::files::read;
use crate::play::ClusterArgs;
use crate::png;

/// What `highwater render` is asked for.
#[derive(Debug, clap::Args)]
pub(crate) struct RenderArgs {
    /// The transcript
    file: PathBuf,
    /// The moment, in virtual time since the cluster's start: `12.5`, `90s`, `2m` [default: the end]
    #[arg(long, value_name = "TIME")]
    at: Option<String>,
    /// Which figure: each topic's partitions with their records, or partitions and brokers with their replicas
    #[arg(long, value_enum, default_value_t = Figure::Log)]
    view: Figure,
    /// The replicas of this partition of each topic, record by record, instead
    #[arg(long, value_name = "N", conflicts_with = "view")]
    partition: Option<i32>,
    /// A topic to draw; several times for several [default: all but Kafka's own]
    #[arg(long, value_name = "NAME")]
    topic: Vec<String>,
    /// As a drawing, as its pixels in the light colours unless told otherwise, or as its text twin
    #[arg(long, value_enum, default_value_t = Format::Svg)]
    format: Format,
    /// The width of the drawing in px
    #[arg(long, value_name = "PX", default_value_t = 720, value_parser = clap::value_parser!(i32).range(280..=4000))]
    width: i32,
    /// Its colours; `auto`: as the reader's system has it
    #[arg(long, value_enum, default_value_t = Colours::Auto)]
    theme: Colours,
    #[command(flatten)]
    cluster: ClusterArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Figure {
    Log,
    Cluster,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Svg,
    Png,
    Text,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Colours {
    Auto,
    Light,
    Dark,
}

/// Plays a transcript, goes to the moment, draws and prints.
pub(crate) fn render(args: &RenderArgs) -> Result<(), String> {
    let drawn = draw(args)?;
    let mut out = io::stdout().lock();
    out.write_all(&drawn)
        .and_then(|()| out.flush())
        .map_err(|error| format!("cannot print: {error}"))
}

fn draw(args: &RenderArgs) -> Result<Vec<u8>, String> {
    let transcript = read(&args.file)?.continued.whole;
    let named = |error: String| format!("{}: {error}", args.file.display());
    let options = options_of(&transcript, &args.cluster.first());
    let (mut session, _) =
        session_of(&transcript, options).map_err(|error| named(error.to_string()))?;
    if let Some(at) = &args.at {
        go_to(&mut session, at).map_err(named)?;
    }
    let snapshot = session.timeline().world().snapshot();
    let topics = topics(&snapshot, &args.topic).map_err(named)?;
    if let Some(number) = args.partition {
        let has = |topic: &&str| {
            let partitions = snapshot.topic(topic).map_or(0, |topic| topic.partitions.len());
            usize::try_from(number).is_ok_and(|number| number < partitions)
        };
        if !topics.is_empty() && !topics.iter().any(has) {
            let topics = topics.join(", ");
            return Err(named(format!(
                "--partition {number}: there is none of this number in {topics}"
            )));
        }
    }
    let picture = Picture {
        snapshot: &snapshot,
        view: match (args.partition, args.view) {
            (Some(number), _) => View::Partition(number),
            (None, Figure::Log) => View::Log,
            (None, Figure::Cluster) => View::Cluster,
        },
        topics: &topics,
        width: args.width,
        font: 16,
        keys: Keys::default(),
    };
    let theme = match args.theme {
        // Pixels cannot follow a reader's system.
        Colours::Auto if args.format == Format::Png => Theme::Light,
        Colours::Auto => Theme::Auto,
        Colours::Light => Theme::Light,
        Colours::Dark => Theme::Dark,
    };
    let svg = || to_string(&picture.svg(&PAGE.style(theme, picture.font)));
    Ok(match args.format {
        Format::Svg => (svg() + "\n").into_bytes(),
        Format::Png => png::of_svg(&svg()).map_err(named)?,
        Format::Text => picture.text().into_bytes(),
    })
}

fn go_to(session: &mut Session, at: &str) -> Result<(), String> {
    let span = SimDuration::parse(at)
        .ok_or_else(|| format!("--at {at}: this is no time; write 12.5, 90s, 2m or 1h"))?;
    let (at, end) = (SimTime(span.0), session.timeline().world().now());
    if at > end {
        let (at, end) = (words::moment(at), words::moment(end));
        return Err(format!("--at {at} is after the end, which is at {end}"));
    }
    session.timeline_mut().seek_time(at);
    Ok(())
}

/// The topics to draw: those that were named, or all that are not Kafka's own.
fn topics<'a>(snapshot: &'a Snapshot, named: &'a [String]) -> Result<Vec<&'a str>, String> {
    let all: Vec<&str> = snapshot.topics.iter().map(|topic| topic.name.as_str()).collect();
    if let Some(missing) = named.iter().find(|name| !all.contains(&name.as_str())) {
        let there = if all.is_empty() { "none".to_owned() } else { all.join(", ") };
        let at = words::moment(snapshot.now);
        return Err(format!("--topic {missing}: no such topic at {at}; there is: {there}"));
    }
    if named.is_empty() {
        return Ok(all.into_iter().filter(|name| !name.starts_with("__")).collect());
    }
    let mut topics: Vec<&str> = Vec::new();
    for name in named {
        if !topics.contains(&name.as_str()) {
            topics.push(name);
        }
    }
    Ok(topics)
}
