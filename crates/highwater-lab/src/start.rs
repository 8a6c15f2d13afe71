//! Where a run begins: the task for beginners, an empty cluster, a lesson's scene, a situation, a challenge.
//!
//! A scene is a transcript whose first lines say what it is (`web/lab/README.md`).

use highwater_core::error::CommandError;
use highwater_core::world::options::ClusterOptions;
use highwater_shell::session::{options_of, session_of};
use highwater_shell::transcript::Transcript;

use crate::bare::bare;
use crate::claim::Claim;
use crate::figure::View;
use crate::moment::Moments;
use crate::run::Run;
use crate::story::StopKind;

/// Where a run begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scene {
    /// Its name in links and controls.
    pub id: String,
    /// Its title.
    pub title: String,
    /// What it is, in one sentence.
    pub about: String,
    /// Of a challenge: what is asked, without a word about how.
    pub asked: String,
    /// What to look at.
    pub watch: String,
    /// Which figure shows it best.
    pub view: View,
    /// Which topic.
    pub topic: Option<String>,
    /// What is to be brought about.
    pub goal: Option<String>,
    /// The transcript; empty: an empty cluster.
    pub text: String,
}

/// What kind of beginning it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The task, or an empty cluster.
    Free,
    /// A lesson's scene.
    Scene,
    /// A named situation.
    Situation,
    /// A challenge.
    Challenge,
}

impl Scene {
    /// The task that teaches the touch of the Lab.
    #[must_use]
    pub fn task() -> Self {
        let mut scene = Self::parse("task", include_str!("../../../web/lab/task.console"));
        scene.text.clear();
        scene
    }

    /// An empty cluster.
    #[must_use]
    pub fn empty() -> Self {
        let mut scene = Self::parse("empty", include_str!("../../../web/lab/empty.console"));
        scene.text.clear();
        scene
    }

    /// Reads a transcript with its head.
    #[must_use]
    pub fn parse(id: &str, text: &str) -> Self {
        let mut scene = Self { id: id.to_owned(), text: text.to_owned(), ..Self::default() };
        for line in text.lines().take_while(|line| line.starts_with('#') || line.is_empty()) {
            let Some((name, value)) = line.trim_start_matches(['#', ' ']).split_once(": ") else {
                continue;
            };
            let value = value.trim().to_owned();
            match name {
                "title" => scene.title = value,
                "about" => scene.about = value,
                "asked" => scene.asked = value,
                "watch" => scene.watch = value,
                "view" => scene.view = View::from_name(&value).unwrap_or_default(),
                "topic" => scene.topic = Some(value),
                "goal" => scene.goal = Some(value),
                _ => {}
            }
        }
        scene
    }

    /// The run of its transcript, played to its end.
    ///
    /// # Errors
    /// It cannot be played, and why.
    pub fn play(&self) -> Result<Run, String> {
        if self.text.is_empty() || self.goal.is_some() {
            let options = options_in(&self.text)?;
            return Run::new(options).map_err(|error| error.to_string());
        }
        play(&self.text)
    }

    /// The first moment with something to be seen: how many commands of its transcript have finished when the
    /// first record is in a log, and, where groups are drawn, one has a member.
    #[must_use]
    pub fn first_sight(&self, run: &Run) -> usize {
        let Ok(transcript) = Transcript::parse(&self.text) else { return 0 };
        let Ok(moments) = Moments::of(&transcript) else { return 0 };
        let first = Self::first_stop(run);
        let after = moments.places(run).iter().position(|place| place.stop > first).unwrap_or(0);
        if self.view != View::Groups {
            return after;
        }
        let has_member = Claim::parse("any g in groups: length(g.members) > 0");
        let has_member = |passed: &usize| {
            let mut run = run.clone();
            let is_there = run.seek_after(&moments, *passed).is_ok();
            is_there && has_member.as_ref().is_ok_and(|claim| claim.holds(&run).unwrap_or(false))
        };
        (after..=moments.commands()).find(has_member).unwrap_or(after)
    }

    /// The stop before anything happened that is worth seeing.
    #[must_use]
    pub fn first_stop(run: &Run) -> usize {
        let first = run.stops().iter().position(|stop| stop.kind == StopKind::Append);
        first.unwrap_or(0)
    }
}

fn options_in(text: &str) -> Result<ClusterOptions, String> {
    let transcript = Transcript::parse(text).map_err(|error| error.to_string())?;
    Ok(options_of(&transcript, &ClusterOptions::default()))
}

/// A transcript as a run, played to its end.
///
/// # Errors
/// It cannot be read or played, and why.
pub fn play(text: &str) -> Result<Run, String> {
    let transcript = Transcript::parse(text).map_err(|error| error.to_string())?;
    let options = options_of(&transcript, &ClusterOptions::default());
    let played =
        session_of(&transcript, options).map_err(|error: CommandError| error.to_string())?;
    Ok(Run::of(played.0))
}

macro_rules! scenes {
    ($kind:ident, $folder:literal, $($id:literal),* $(,)?) => {
        &[$((Kind::$kind, $id, bare!(concat!("../../../web/lab/", $folder, "/", $id, ".console")))),*]
    };
}

/// All transcripts that a run can begin with.
const ALL: &[&[(Kind, &str, &str)]] = &[
    scenes!(Scene, "scenes", "the-log", "why-a-topic-is-split", "email-sending", "architecture"),
    scenes!(
        Situation,
        "situations",
        "leader-crash",
        "slow-follower",
        "min-isr-refused",
        "unclean-loss",
        "eager-and-cooperative",
        "hot-key",
        "retention-overtakes-reader",
        "zombie-leader",
        "crash-before-commit",
        "partition-increase-breaks-order",
    ),
    scenes!(Challenge, "challenges", "lose-acknowledged", "read-twice", "refuse-a-write"),
];

/// Kind, id and title of everything that a run can begin with.
#[must_use]
pub fn titles() -> Vec<(Kind, &'static str, String)> {
    let scenes = ALL.iter().flat_map(|list| list.iter());
    let scenes = scenes.map(|(kind, id, text)| (*kind, *id, Scene::parse(id, text).title));
    let free = [("task", Scene::task()), ("empty", Scene::empty())];
    free.map(|(id, scene)| (Kind::Free, id, scene.title)).into_iter().chain(scenes).collect()
}

/// All of a kind.
pub fn all(kind: Kind) -> impl Iterator<Item = Scene> {
    let all = ALL.iter().flat_map(|list| list.iter());
    all.filter(move |(of, ..)| *of == kind).map(|(_, id, text)| Scene::parse(id, text))
}

/// The one of that name.
#[must_use]
pub fn find(id: &str) -> Option<Scene> {
    match id {
        "task" => return Some(Scene::task()),
        "empty" => return Some(Scene::empty()),
        _ => {}
    }
    let found = ALL.iter().flat_map(|list| list.iter()).find(|(_, known, _)| *known == id)?;
    Some(Scene::parse(found.1, found.2))
}
