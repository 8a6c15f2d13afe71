//! Starts the chromedriver of a test run, and browsers by it (fantoccini speaks WebDriver).
//!
//! It knows nothing of pages.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Map, Value};
use tokio::runtime::{Builder, Runtime};

/// How long one command may take; the longest starts a browser or runs axe-core.
pub(crate) const PATIENCE: Duration = Duration::from_secs(90);

/// The running chromedriver.
pub(crate) struct Driver {
    address: String,
    /// Its keeper; see `start`.
    _keeper: Mutex<Child>,
}

/// The chromedriver of this test run, started with the first test.
pub(crate) fn driver() -> &'static Driver {
    static DRIVER: OnceLock<Driver> = OnceLock::new();
    DRIVER.get_or_init(start)
}

/// What a variable of the environment says; `cargo xtask test --only e2e` sets those of the tests.
pub(crate) fn from_env(name: &str) -> String {
    std::env::var(name)
        .unwrap_or_else(|_| panic!("{name} is not set; run `cargo xtask test --only e2e`"))
}

/// Starts chromedriver on a free port. A test program cannot do anything at its end, so a small
/// shell keeps it: it ends chromedriver as soon as this program's end of the pipe is gone, however
/// this program went.
fn start() -> Driver {
    let keep = r#""$0" --port=0 & pid=$!; read -r _; kill "$pid""#;
    let mut keeper = Command::new("sh")
        .args(["-c", keep, &from_env("CHROMEDRIVER")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("sh can be started");
    let mut lines = BufReader::new(keeper.stdout.take().expect("its output is a pipe")).lines();
    let said = "was started successfully on port ";
    let port: u16 = lines
        .by_ref()
        .map_while(Result::ok)
        .find_map(|line| line.split_once(said)?.1.trim_end_matches('.').parse().ok())
        .expect("chromedriver says which port it listens on");
    // Whatever it says later is read, so that it never waits for a reader.
    std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
    Driver { address: format!("http://127.0.0.1:{port}"), _keeper: Mutex::new(keeper) }
}

impl Driver {
    /// A new browser. `wanted` are its capabilities.
    pub(crate) fn browse(&self, wanted: Map<String, Value>) -> Client {
        let mut builder = ClientBuilder::new(HttpConnector::new());
        answered(builder.capabilities(wanted).connect(&self.address))
            .unwrap_or_else(|| panic!("no browser started in {PATIENCE:?}"))
            .unwrap_or_else(|trouble| panic!("no browser can be started: {trouble}"))
    }
}

/// Waits for an answer of the browser; `None` when there is none. The tests are plain functions, one after the
/// other: they have nothing else to do meanwhile.
pub(crate) fn answered<T>(answer: impl Future<Output = T>) -> Option<T> {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    let runtime = RUNTIME.get_or_init(|| {
        Builder::new_current_thread().enable_all().build().expect("a runtime can be made")
    });
    runtime.block_on(async { tokio::time::timeout(PATIENCE, answer).await.ok() })
}
