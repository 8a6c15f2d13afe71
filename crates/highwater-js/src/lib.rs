//! Highwater for other people's JavaScript: a headless cluster that takes command lines.
//!
//! A first part of the API: make a cluster, run lines, look at it, go back in time. Types that cross
//! to JavaScript live here only. 64-bit numbers are `BigInt`s there.

mod wire;

use highwater_core::world::options::ClusterOptions;
use highwater_scene::keys::Keys;
use highwater_scene::text;
use highwater_shell::session::Session;
use serde::Serialize;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::wire::{OutcomeWire, SnapshotWire};

/// A cluster with one terminal.
#[wasm_bindgen]
pub struct Cluster {
    session: Session,
}

#[wasm_bindgen]
impl Cluster {
    /// Starts a cluster of so many brokers (3 without a number). Every random draw is made from the
    /// seed (1 without one).
    ///
    /// # Errors
    /// An `Error` that names the option and what is possible.
    #[wasm_bindgen(constructor)]
    pub fn new(brokers: Option<u32>, seed: Option<u64>) -> Result<Cluster, js_sys::Error> {
        let base = ClusterOptions::default();
        let options = ClusterOptions {
            brokers: brokers.unwrap_or(base.brokers),
            seed: seed.unwrap_or(base.seed),
            ..base
        };
        let session = Session::new(options).map_err(error)?;
        Ok(Self { session })
    }

    /// Runs one command line to its end; returns `{ output: string[], exit: number }`.
    ///
    /// # Errors
    /// The line is too long; nothing changes.
    pub fn run(&mut self, line: &str) -> Result<JsValue, js_sys::Error> {
        let outcome = self.session.run(line).map_err(error)?;
        to_js(&OutcomeWire { output: outcome.output, exit: outcome.exit })
    }

    /// How many command lines have been run, those that lie in the future too.
    #[must_use]
    pub fn commands(&self) -> u32 {
        u32::try_from(self.session.timeline().stops().len()).unwrap_or(u32::MAX)
    }

    /// Goes to the moment after so many command lines. A line run there replaces what came after.
    pub fn seek(&mut self, commands: u32) {
        self.session.timeline_mut().seek_stop(commands);
    }

    /// The cluster as it is now: topics with their partitions and records, and readers.
    ///
    /// # Errors
    /// None that can be provoked; the conversion to JavaScript may fail in principle.
    pub fn snapshot(&self) -> Result<JsValue, js_sys::Error> {
        to_js(&SnapshotWire::of(&self.session.timeline().snapshot()))
    }

    /// A topic's log as plain text, at most so many records a partition.
    #[must_use]
    pub fn text(&self, topic: &str, most: u32) -> String {
        text::render(&self.session.timeline().snapshot(), topic, &Keys::default(), most)
    }
}

fn to_js(value: &impl Serialize) -> Result<JsValue, js_sys::Error> {
    let serializer =
        serde_wasm_bindgen::Serializer::new().serialize_large_number_types_as_bigints(true);
    value.serialize(&serializer).map_err(|failure| js_sys::Error::new(&failure.to_string()))
}

#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` calls")]
fn error(error: highwater_core::error::CommandError) -> js_sys::Error {
    js_sys::Error::new(&error.to_string())
}
