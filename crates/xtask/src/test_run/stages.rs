//! The stages of a test run: what each one says, needs and starts.

use std::path::Path;
use std::time::Duration;

use clap::ValueEnum;

use super::counts::Counts;
use crate::places;
use crate::process::Job;
use crate::site::{self, Mode};
use crate::tools::{browser, cargo_tool, npm, rust};
use crate::trouble::{Outcome, Trouble};
use crate::{size, tidy};

/// The crates whose native tests run as wasm in Node too.
const IN_NODE: [&str; 4] = ["highwater-core", "highwater-shell", "highwater-scene", "highwater-js"];

/// How long one stage may take. The longest, from nothing, compiles the whole workspace on two
/// cores.
const BOUND: Duration = Duration::from_secs(25 * 60);

/// One stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Stage {
    /// Formatting
    Fmt,
    /// The rules of the house
    Tidy,
    /// Clippy with warnings denied
    Clippy,
    /// Native tests
    Native,
    /// The same tests as wasm in Node
    Node,
    /// Tests of the page's parts in headless Chromium
    Browser,
    /// The built site
    Build,
    /// The budgets of each page's first load
    Size,
    /// The built site in Chromium
    E2e,
}

impl Stage {
    /// All of them: the cheap ones first, so that a small slip is told early.
    pub(crate) const ALL: [Self; 9] = [
        Self::Fmt,
        Self::Tidy,
        Self::Clippy,
        Self::Native,
        Self::Node,
        Self::Browser,
        Self::Build,
        Self::Size,
        Self::E2e,
    ];

    /// The name that `--only` takes.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Fmt => "fmt",
            Self::Tidy => "tidy",
            Self::Clippy => "clippy",
            Self::Native => "native",
            Self::Node => "node",
            Self::Browser => "browser",
            Self::Build => "build",
            Self::Size => "size",
            Self::E2e => "e2e",
        }
    }

    /// What it does, in words.
    pub(crate) fn says(self) -> &'static str {
        match self {
            Self::Fmt => "is every file formatted?",
            Self::Tidy => "do sources, map, licences and dependencies keep the rules of the house?",
            Self::Clippy => "clippy over the workspace, and over the page as wasm, warnings denied",
            Self::Native => "native tests of all crates, the core optimised",
            Self::Node => "the tests of core, shell and scene again, as wasm in Node",
            Self::Browser => "the page's parts, and the trace hash of a run, in headless Chromium",
            Self::Build => "the site, as it would be published",
            Self::Size => "does each page's first load keep its budget?",
            Self::E2e => "the built site in headless Chromium, as a reader uses it",
        }
    }

    /// Whether it looks at the built site.
    pub(crate) fn needs_site(self) -> bool {
        matches!(self, Self::Size | Self::E2e)
    }

    /// Runs it. Trouble is what kept it from running at all. A stage without a single test is a
    /// failure: tests that have vanished would otherwise pass.
    pub(crate) fn run(self, cache: &Path) -> Outcome<Counts> {
        let counts = self.count(cache)?;
        if counts == Counts::default() {
            return Err(Trouble::new(format!("the stage {} found no test to run.", self.name())));
        }
        Ok(counts)
    }

    fn count(self, cache: &Path) -> Outcome<Counts> {
        match self {
            Self::Fmt => fmt(),
            Self::Tidy => tidy::run(cache).map(Counts::of_one),
            Self::Clippy => clippy(),
            Self::Native => native(),
            Self::Node => node(cache),
            Self::Browser => in_browser(cache),
            Self::Build => site::build(cache, Mode::Release).map(|()| Counts::of_one(true)),
            Self::Size => size::run(&places::dist()).map(Counts::of_one),
            Self::E2e => end_to_end(cache),
        }
    }
}

fn cargo(label: &str, args: &[&str]) -> Job {
    println!("  cargo {}", args.join(" "));
    Job::new(label, "cargo").args(args).dir(places::root()).bound(BOUND)
}

fn fmt() -> Outcome<Counts> {
    rust::ensure_components()?;
    let ended = cargo("formatting", &["fmt", "--all", "--check"]).run()?;
    if !ended.is_ok() {
        println!("`cargo fmt --all` puts it right");
    }
    Ok(Counts::of_one(ended.is_ok()))
}

fn clippy() -> Outcome<Counts> {
    rust::ensure_components()?;
    rust::ensure_target()?;
    let native = [
        "clippy",
        "--workspace",
        "--all-targets",
        "--all-features",
        "--locked",
        "--",
        "-D",
        "warnings",
    ];
    let wasm = [
        "clippy",
        "--target",
        rust::WASM,
        "--package",
        "highwater-web",
        "--package",
        "highwater-js",
        "--all-targets",
        "--locked",
        "--",
        "-D",
        "warnings",
    ];
    // Once more with the Lab and the questions, which the lesson page is built without.
    let lab =
        [&["clippy", "--features", "highwater-web/lab,highwater-web/quiz"], &wasm[1..]].concat();
    let mut counts = Counts::default();
    for (what, args) in
        [("clippy", &native[..]), ("clippy for wasm", &wasm), ("clippy for the Lab", &lab)]
    {
        counts = counts.plus(Counts::of_one(cargo(what, args).run()?.is_ok()));
    }
    Ok(counts)
}

fn native() -> Outcome<Counts> {
    let args = ["test", "--workspace", "--exclude", "highwater-web", "--no-fail-fast", "--locked"];
    // Once more as a page about one broker has it.
    let small = [
        "test",
        "--package",
        "highwater-shell",
        "--no-default-features",
        "--test",
        "puzzle",
        "--test",
        "robust",
        "--test",
        "lang_properties",
        "--no-fail-fast",
        "--locked",
    ];
    let whole = Counts::of_tests(&cargo("native tests", &args).run()?);
    let small = Counts::of_tests(&cargo("native tests of the smaller engine", &small).run()?);
    Ok(whole.plus(small))
}

/// `cargo test` for wasm, run by wasm-bindgen's own runner.
fn wasm_tests(cache: &Path, label: &str, args: &[&str]) -> Outcome<Job> {
    rust::ensure_target()?;
    let bindgen = cargo_tool::ensure(&cargo_tool::wasm_bindgen()?, cache)?;
    let all: Vec<&str> = ["test", "--target", rust::WASM, "--no-fail-fast", "--locked"]
        .into_iter()
        .chain(args.iter().copied())
        .collect();
    let runner = bindgen.join("wasm-bindgen-test-runner");
    Ok(cargo(label, &all)
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", runner)
        .env("WASM_BINDGEN_TEST_TIMEOUT", "120"))
}

fn node(cache: &Path) -> Outcome<Counts> {
    // Not the examples in the documentation: those are native.
    let mut args = vec!["--tests"];
    args.extend(IN_NODE.iter().flat_map(|name| ["--package", name]));
    Ok(Counts::of_tests(&wasm_tests(cache, "tests in Node", &args)?.run()?))
}

fn in_browser(cache: &Path) -> Outcome<Counts> {
    let browser = browser::ensure()?;
    let runs: [&[&str]; 2] = [
        &["--tests", "--package", "highwater-web", "--features", "lab,quiz"],
        &["--package", "highwater-shell", "--test", "trace_hash"],
    ];
    let mut counts = Counts::default();
    for args in runs {
        let ended = wasm_tests(cache, "tests in Chromium", args)?
            .env("WASM_BINDGEN_USE_BROWSER", "1")
            .env(
                "WASM_BINDGEN_TEST_WEBDRIVER_JSON",
                places::root().join("crates/xtask/webdriver.json"),
            )
            .env("CHROMEDRIVER", &browser.chromedriver)
            .run()?;
        let of_run = Counts::of_tests(&ended);
        if of_run == Counts::default() {
            println!("no test was found in {}", args.join(" "));
            counts.failed += 1;
        }
        counts = counts.plus(of_run);
    }
    Ok(counts)
}

fn end_to_end(cache: &Path) -> Outcome<Counts> {
    let ended = on_the_site(cache, "end-to-end tests", &[])?.run()?;
    Ok(Counts::of_tests(&ended))
}

/// Those tests of the built site in Chromium that these words choose.
pub(crate) fn on_the_site(cache: &Path, what: &str, chosen: &[&str]) -> Outcome<Job> {
    let browser = browser::ensure()?;
    let fixed = ["test", "--package", "highwater-tests", "--features", "e2e", "--test", "e2e"];
    let args = [&fixed[..], &["--locked", "--", "--test-threads=1"], chosen].concat();
    Ok(cargo(what, &args)
        .env("HIGHWATER_DIST", places::dist())
        .env("HIGHWATER_AXE", npm::axe(cache)?)
        .env("CHROMEDRIVER", &browser.chromedriver)
        .env("CHROMIUM", &browser.chromium))
}
