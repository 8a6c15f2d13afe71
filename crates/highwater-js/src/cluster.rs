//! The class `Cluster`, and the functions beside it: each hands over to a part that needs no JavaScript.

use std::cell::Cell;

use tsify::Ts;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::engine::Engine;
use crate::failure::Failure;
use crate::guard::{MADE_ANEW, guarded};
use crate::js::{error, give, text, value};
use crate::wire::{
    Answer, CheckReport, ClientInfo, Moment, Outcome, PartitionChoice, Snapshot, SnapshotOptions,
};
use crate::{partition, picture, snapshot, why};

/// What a call gives.
type Given<T> = Result<T, js_sys::Error>;

/// A simulated Kafka cluster with one terminal. Everything happens in virtual time, at once, and in the same way for the
/// same seed and lines.
///
/// Call `free()` when you are done with it, or declare it with `using`.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Cluster {
    engine: Engine,
    /// It has panicked.
    is_broken: Cell<bool>,
}

#[wasm_bindgen]
impl Cluster {
    /// A new cluster: three brokers, unless the options say otherwise.
    ///
    /// # Errors
    /// An option is not known, or out of range. The error lists what is possible.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_optional_param_type = "ClusterOptions")] options: JsValue,
    ) -> Given<Cluster> {
        Self::begin(|| Engine::new(value(&options)))
    }

    /// The cluster in which the commands of a console transcript have been run. What the transcript says that they print
    /// does not count; `check` compares that.
    ///
    /// # Errors
    /// The transcript cannot be read, or an option is wrong: `brokers` and settings stand in the transcript.
    #[wasm_bindgen(js_name = fromTranscript)]
    pub fn from_transcript(
        #[wasm_bindgen(unchecked_param_type = "string")] transcript: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "ClusterOptions")] options: JsValue,
    ) -> Given<Cluster> {
        Self::begin(|| Engine::from_transcript(&text("transcript", transcript)?, value(&options)))
    }

    /// The cluster of a link, at the moment to which it leads: a whole URL, or what stands behind `#`. Of a damaged link
    /// the first part is played; `notes` says so.
    ///
    /// # Errors
    /// Nothing of the link can be read.
    #[wasm_bindgen(js_name = fromLink)]
    pub fn from_link(
        #[wasm_bindgen(unchecked_param_type = "string")] link: &JsValue,
    ) -> Given<Cluster> {
        Self::begin(|| Engine::from_link(&text("link", link)?))
    }

    /// Runs one command line to its end: Kafka's tools, the shell, and `hw` for faults (`hw help`). A line may hold line
    /// ends, as a heredoc does. After a step back into the past it begins another future.
    ///
    /// A command that fails is no error: it has said so in its output, with an exit status.
    ///
    /// # Errors
    /// The line is longer than a terminal takes; nothing has changed.
    pub fn run(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "string")] line: &JsValue,
    ) -> Given<Ts<Outcome>> {
        self.change(|engine| give(&engine.run(&text("line", line)?)?))
    }

    /// Takes one step of the world: a message arrives, a timer fires, a process goes on.
    ///
    /// # Errors
    /// The Cluster must be made anew.
    pub fn step(&mut self) -> Given<Ts<Moment>> {
        self.change(|engine| give(&engine.step()))
    }

    /// Takes one step back.
    ///
    /// # Errors
    /// The Cluster must be made anew.
    pub fn back(&mut self) -> Given<Ts<Moment>> {
        self.change(|engine| give(&engine.back()))
    }

    /// Goes to any moment that was played: `{ command: 2 }` after the second line, `{ time: 1500000 }` in microseconds,
    /// `{ step: 40 }`.
    ///
    /// # Errors
    /// There is no such moment. The error says how far it goes.
    pub fn seek(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "SeekTarget")] target: &JsValue,
    ) -> Given<Ts<Moment>> {
        self.change(|engine| give(&engine.seek(value(target))?))
    }

    /// Where it is, without going anywhere.
    ///
    /// # Errors
    /// The Cluster must be made anew.
    pub fn moment(&self) -> Given<Ts<Moment>> {
        self.look(|engine| give(&engine.moment()))
    }

    /// Another cluster with the same past, at the same moment. What happens to one does not happen to the other.
    ///
    /// # Errors
    /// The Cluster must be made anew.
    pub fn fork(&self) -> Given<Cluster> {
        let engine = self.look(|engine| Ok(engine.clone()))?;
        Ok(Self { engine, is_broken: Cell::new(false) })
    }

    /// The whole cluster now, as plain objects that never change.
    ///
    /// # Errors
    /// An option is wrong.
    pub fn snapshot(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "SnapshotOptions")] options: JsValue,
    ) -> Given<Ts<Snapshot>> {
        self.look(|engine| {
            let options = SnapshotOptions::read(value(&options))?;
            give(&snapshot::of(&engine.snapshot(), &options))
        })
    }

    /// Why is it so? `why("partition:parcels-0")`, `why("record:parcels-0:5")`, `why("group:billing")`, `why("broker:2")`:
    /// what it is, its numbers, the settings that govern it, and what led to it.
    ///
    /// # Errors
    /// It is not there at this moment, by Kafka's name, or cannot be asked about. The error lists what can.
    pub fn why(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string")] thing: &JsValue,
    ) -> Given<Ts<Answer>> {
        self.look(|engine| give(&why::answer(engine, &text("thing", thing)?)?))
    }

    /// This moment as an SVG that needs no page: its styles are in it.
    ///
    /// # Errors
    /// An option is wrong, or there is no such topic or partition.
    pub fn svg(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "PictureOptions")] options: JsValue,
    ) -> Given<String> {
        self.look(|engine| picture::svg(&engine.snapshot(), value(&options)))
    }

    /// The same as text, for terminals and tests.
    ///
    /// # Errors
    /// As `svg`.
    pub fn text(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "PictureOptions")] options: JsValue,
    ) -> Given<String> {
        self.look(|engine| picture::text(&engine.snapshot(), value(&options)))
    }

    /// The fragment of a link that leads to this moment, without `#`. The Lab opens it, and `fromLink`.
    ///
    /// # Errors
    /// The session is too long for a link.
    pub fn link(&self) -> Given<String> {
        self.look(Engine::link)
    }

    /// All lines so far as a console transcript, with what they print.
    ///
    /// # Errors
    /// A line cannot stand in a transcript.
    pub fn transcript(&self) -> Given<String> {
        self.look(Engine::transcript)
    }

    /// What a link has to say for itself: that it was damaged, or made with another version.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        self.engine.notes().to_vec()
    }
}

impl Cluster {
    fn begin(make: impl FnOnce() -> Result<Engine, Failure>) -> Given<Self> {
        let engine = guarded(make).and_then(|made| made).map_err(error)?;
        Ok(Self { engine, is_broken: Cell::new(false) })
    }

    fn is_sound(&self) -> Given<()> {
        if !self.is_broken.get() {
            return Ok(());
        }
        let message = "this Cluster has failed before and must be made anew";
        Err(error(Failure::own(message, MADE_ANEW)))
    }

    fn look<T>(&self, act: impl FnOnce(&Engine) -> Result<T, Failure>) -> Given<T> {
        self.is_sound()?;
        let done = guarded(|| act(&self.engine));
        self.is_broken.set(done.is_err());
        done.and_then(|done| done).map_err(error)
    }

    fn change<T>(&mut self, act: impl FnOnce(&mut Engine) -> Result<T, Failure>) -> Given<T> {
        self.is_sound()?;
        let engine = &mut self.engine;
        let done = guarded(|| act(engine));
        self.is_broken.set(done.is_err());
        done.and_then(|done| done).map_err(error)
    }
}

/// Plays a console transcript in a new cluster and compares what its commands print with what it says.
///
/// # Errors
/// The transcript cannot be read, or an option is wrong. A command that answers otherwise is none.
#[wasm_bindgen]
pub fn check(
    #[wasm_bindgen(unchecked_param_type = "string")] transcript: &JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "ClusterOptions")] options: JsValue,
) -> Given<Ts<CheckReport>> {
    plain(|| give(&crate::check::check(&text("transcript", transcript)?, value(&options))?))
}

/// Which partition a key goes to by a client library: `partition("locker-7", 3, "librdkafka")`. A key is a text, bytes, or
/// `null` for a record without one.
///
/// # Errors
/// There is no such client or number of partitions.
#[wasm_bindgen(js_name = partition)]
pub fn partition_of(
    #[wasm_bindgen(unchecked_param_type = "string | Uint8Array | null")] key: &JsValue,
    #[wasm_bindgen(unchecked_param_type = "number")] partitions: &JsValue,
    #[wasm_bindgen(unchecked_param_type = "string")] client: &JsValue,
) -> Given<Ts<PartitionChoice>> {
    plain(|| {
        let client = text("client", client)?;
        give(&partition::partition(&value(key), &value(partitions), &client)?)
    })
}

/// All client libraries with all their partitioners.
///
/// # Errors
/// None that can be provoked.
#[wasm_bindgen]
pub fn clients() -> Given<Vec<Ts<ClientInfo>>> {
    plain(|| partition::clients().iter().map(give).collect())
}

fn plain<T>(act: impl FnOnce() -> Result<T, Failure>) -> Given<T> {
    guarded(act).and_then(|done| done).map_err(error)
}

#[cfg(all(test, target_arch = "wasm32"))]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    /// After a panic a cluster says that it must be made anew, can be freed, and others go on.
    #[wasm_bindgen_test]
    fn a_cluster_that_panicked_must_be_made_anew() {
        let other = Cluster::new(JsValue::UNDEFINED).expect("a cluster");
        for _ in 0..3 {
            let mut cluster = Cluster::new(JsValue::UNDEFINED).expect("a cluster");
            let panicked: Given<()> = cluster.change(|_| panic!("on purpose"));
            let panicked = panicked.expect_err("it panics");
            assert_eq!(String::from(panicked.name()), "HighwaterError");
            assert!(String::from(panicked.message()).contains("on purpose"));
            for later in [cluster.step().err(), cluster.moment().err(), cluster.fork().err()] {
                let later = later.expect("it is broken");
                assert!(String::from(later.message()).contains("made anew"));
            }
            drop(cluster);
        }
        other.moment().expect("the other one is sound");
    }
}
