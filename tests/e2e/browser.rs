//! A browser for one test: its window, theme and font, and what it complained about.
//!
//! `Visit` says how somebody comes; `Visit::run` starts a browser, runs the test, and fails it for
//! everything that the browser's console holds and the test did not expect. A failed test prints
//! what the page showed and leaves a picture in target/e2e/.

use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::path::PathBuf;
use std::sync::OnceLock;

use fantoccini::Client;
use fantoccini::error::CmdError;
use fantoccini::wd::WebDriverCompatibleCommand;
use http::Method;
use serde_json::{Map, Value, json};
use url::{ParseError, Url};
use xtask::site_server::{Options, SiteServer};

use crate::driver::{PATIENCE, answered, driver, from_env};
use crate::page::Page;

/// How somebody comes to the page.
#[derive(Clone, Debug)]
pub(crate) struct Visit {
    width: u32,
    height: u32,
    font: u32,
    /// Media features by name, such as `prefers-color-scheme`.
    media: Vec<(&'static str, &'static str)>,
    script: bool,
    network: bool,
    scrollbars: bool,
    storage: bool,
    expected: Vec<&'static str>,
}

/// A browser.
pub(crate) struct Browser {
    client: Client,
}

/// A command that only chromedriver knows: its path below the session and its body.
#[derive(Debug)]
struct ChromeCommand(&'static str, Value);

impl WebDriverCompatibleCommand for ChromeCommand {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, ParseError> {
        base.join(&format!("session/{}/{}", session.unwrap_or_default(), self.0))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        (Method::POST, Some(self.1.to_string()))
    }
}

/// The built site.
pub(crate) fn dist() -> PathBuf {
    PathBuf::from(from_env("HIGHWATER_DIST"))
}

/// The server that most tests visit.
pub(crate) fn site() -> String {
    static SITE: OnceLock<SiteServer> = OnceLock::new();
    SITE.get_or_init(|| serve(|_| {})).url()
}

/// A server of the built site with some options changed.
pub(crate) fn serve(change: impl FnOnce(&mut Options)) -> SiteServer {
    let mut options = Options::new(dist());
    change(&mut options);
    SiteServer::start(&options).expect("a free port can be listened on")
}

impl Visit {
    /// A desk: 1280 by 800, light, 16 px.
    pub(crate) fn new() -> Self {
        Self {
            width: 1280,
            height: 800,
            font: 16,
            media: vec![("prefers-color-scheme", "light")],
            script: true,
            network: false,
            scrollbars: false,
            storage: true,
            expected: Vec::new(),
        }
    }

    /// A window of this size in CSS pixels.
    pub(crate) fn at(mut self, width: u32, height: u32) -> Self {
        (self.width, self.height) = (width, height);
        self
    }

    /// A media feature, such as `prefers-reduced-motion`.
    pub(crate) fn media(mut self, name: &'static str, value: &'static str) -> Self {
        self.media.retain(|(known, _)| *known != name);
        self.media.push((name, value));
        self
    }

    /// `light` or `dark`.
    pub(crate) fn theme(self, theme: &'static str) -> Self {
        self.media("prefers-color-scheme", theme)
    }

    /// The font size that is set in the browser.
    pub(crate) fn font(mut self, font: u32) -> Self {
        self.font = font;
        self
    }

    /// With JavaScript switched off.
    pub(crate) fn without_script(mut self) -> Self {
        self.script = false;
        self
    }

    /// Every request is recorded.
    pub(crate) fn recording(mut self) -> Self {
        self.network = true;
        self
    }

    /// With scrollbars that take room, as on most desks.
    pub(crate) fn with_scrollbars(mut self) -> Self {
        self.scrollbars = true;
        self
    }

    /// With the storage of every page blocked.
    pub(crate) fn without_storage(mut self) -> Self {
        self.storage = false;
        self
    }

    /// A complaint that holds these words is part of the test.
    pub(crate) fn expecting(mut self, words: &'static str) -> Self {
        self.expected.push(words);
        self
    }

    /// Opens the site, waits until the engine runs, and runs the test.
    #[track_caller]
    pub(crate) fn live(self, test: impl FnOnce(&Page)) {
        self.run(|page| {
            page.open(&site());
            page.wait_until_live();
            test(page);
        });
    }

    /// Runs a test in a browser of its own that has opened nothing yet.
    #[track_caller]
    pub(crate) fn run(self, test: impl FnOnce(&Page)) {
        let at = Location::caller();
        let file = at.file().rsplit('/').next().unwrap_or_default().trim_end_matches(".rs");
        let name = format!("{file}-{}", at.line());
        let page = Page::new(Browser::start(&self));
        let ended = catch_unwind(AssertUnwindSafe(|| {
            test(&page);
            let complaints = page.browser.complaints(&self.expected);
            assert!(complaints.is_empty(), "the browser complained: {complaints:#?}");
        }));
        if let Err(failure) = ended {
            page.tell_failure(&name);
            resume_unwind(failure);
        }
    }
}

impl Browser {
    fn start(visit: &Visit) -> Self {
        let mut args = vec![
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-quic",
            "--no-first-run",
            "--force-device-scale-factor=1",
        ];
        if !visit.scrollbars {
            args.push("--hide-scrollbars");
        }
        let logs = if visit.network {
            json!({ "browser": "ALL", "performance": "ALL" })
        } else {
            json!({ "browser": "ALL" })
        };
        let mut wanted = Map::new();
        wanted.insert("browserName".to_owned(), json!("chrome"));
        wanted.insert("goog:loggingPrefs".to_owned(), logs);
        // Cookies stand for all that a page may keep: 1 allows it, 2 blocks it.
        let prefs = json!({
            "webkit": { "webprefs": { "default_font_size": visit.font } },
            "profile": {
                "default_content_setting_values": { "cookies": if visit.storage { 1 } else { 2 } },
            },
        });
        let options = json!({
            "binary": from_env("CHROMIUM"),
            "args": args,
            "prefs": prefs,
        });
        wanted.insert("goog:chromeOptions".to_owned(), options);
        let browser = Self { client: driver().browse(wanted) };
        browser.resize(visit.width, visit.height);
        browser.media("", &visit.media);
        if !visit.script {
            browser.cdp("Emulation.setScriptExecutionDisabled", &json!({ "value": true }));
        }
        browser
    }

    /// Another size of the window, in CSS pixels. A narrow one is a phone's: its scrollbars take no
    /// room.
    pub(crate) fn resize(&self, width: u32, height: u32) {
        let size = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width <= 480,
        });
        self.cdp("Emulation.setDeviceMetricsOverride", &size);
    }

    /// Another medium (`print`, or empty for the screen) with these features.
    pub(crate) fn media(&self, medium: &str, features: &[(&str, &str)]) {
        let features: Vec<Value> =
            features.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect();
        let media = json!({ "media": medium, "features": features });
        self.cdp("Emulation.setEmulatedMedia", &media);
    }

    /// A command of the DevTools protocol.
    #[track_caller]
    pub(crate) fn cdp(&self, command: &str, params: &Value) -> Value {
        self.chrome("goog/cdp/execute", json!({ "cmd": command, "params": params }))
    }

    #[track_caller]
    fn chrome(&self, path: &'static str, body: Value) -> Value {
        self.done(path, async |client| client.issue_cmd(ChromeCommand(path, body)).await)
    }

    /// Does something that must go well; `what` names it when it does not.
    #[track_caller]
    pub(crate) fn done<T>(
        &self,
        what: &str,
        action: impl AsyncFnOnce(&Client) -> Result<T, CmdError>,
    ) -> T {
        match self.tried(action) {
            Ok(value) => value,
            Err(trouble) => panic!("{what}: {trouble}"),
        }
    }

    /// Does something that may fail; the error is the browser's own words.
    pub(crate) fn tried<T>(
        &self,
        action: impl AsyncFnOnce(&Client) -> Result<T, CmdError>,
    ) -> Result<T, String> {
        let Some(ended) = answered(action(&self.client)) else {
            return Err(format!("the browser gave no answer in {PATIENCE:?}"));
        };
        ended.map_err(|trouble| {
            let words = trouble.to_string();
            words.lines().next().unwrap_or_default().to_owned()
        })
    }

    /// What stands in the console above the level of a remark, since the last time it was asked,
    /// but for what holds one of these words.
    pub(crate) fn complaints(&self, expected: &[&str]) -> Vec<String> {
        let log = self.chrome("se/log", json!({ "type": "browser" }));
        let entries = log.as_array().cloned().unwrap_or_default();
        entries
            .iter()
            .filter(|entry| matches!(entry["level"].as_str(), Some("SEVERE" | "WARNING")))
            .filter_map(|entry| entry["message"].as_str())
            .filter(|message| !expected.iter().any(|words| message.contains(words)))
            .map(str::to_owned)
            .collect()
    }

    /// The messages of the DevTools protocol so far with this method; needs `Visit::recording`.
    pub(crate) fn recorded(&self, method: &str) -> Vec<Value> {
        let log = self.chrome("se/log", json!({ "type": "performance" }));
        let entries = log.as_array().cloned().unwrap_or_default();
        entries
            .iter()
            .filter_map(|entry| serde_json::from_str(entry["message"].as_str()?).ok())
            .map(|mut message: Value| message["message"].take())
            .filter(|message| message["method"] == method)
            .map(|mut message| message["params"].take())
            .collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // A browser that hangs does not close either; the test that is over has said so already.
        let _ = answered(self.client.clone().close());
    }
}
