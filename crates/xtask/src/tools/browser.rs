//! The browser that tests run in: Chromium and its driver from PATH, or Debian's packages where we
//! may install them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::process::{Job, on_path};
use crate::trouble::{Outcome, Trouble};

const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// A browser and the driver that fits it.
pub(crate) struct Browser {
    /// The browser itself.
    pub chromium: PathBuf,
    /// Speaks WebDriver for it.
    pub chromedriver: PathBuf,
}

/// Finds both, or installs both on a Debian machine where we are root.
pub(crate) fn ensure() -> Outcome<Browser> {
    let browser = match find() {
        Some(found) => found,
        None => {
            install()?;
            find().ok_or_else(missing)?
        }
    };
    let (of_browser, of_driver) = (major(&browser.chromium), major(&browser.chromedriver));
    if of_browser.is_none() || of_browser != of_driver {
        return Err(Trouble::new(format!(
            "{} and {} are of different versions; install a pair of the same version.",
            browser.chromium.display(),
            browser.chromedriver.display()
        )));
    }
    Ok(browser)
}

fn find() -> Option<Browser> {
    let chromium = NAMES.iter().find_map(|name| on_path(name))?;
    Some(Browser { chromium, chromedriver: on_path("chromedriver")? })
}

fn missing() -> Trouble {
    Trouble::new(
        "Chromium and chromedriver are not on PATH; install both \
         (Debian: `apt-get install chromium chromium-driver`) and try again.",
    )
}

/// The first number of what `--version` prints.
fn major(program: &Path) -> Option<u32> {
    let asked = Job::new("asking for a version", program).args(["--version"]).quiet();
    let text = asked.bound(Duration::from_secs(30)).run().ok()?.text;
    text.split_whitespace().find_map(|word| word.split_once('.')?.0.parse().ok())
}

fn install() -> Outcome {
    let asked = Job::new("asking who we are", "id").args(["-u"]).quiet().run()?;
    let may = asked.text.trim() == "0"
        && Path::new("/etc/debian_version").is_file()
        && on_path("apt-get").is_some();
    if !may {
        return Err(missing());
    }
    println!(
        "  Chromium or chromedriver is missing. This changes the machine: installing the Debian"
    );
    println!("  packages chromium and chromium-driver with apt-get (about 30 s)");
    apt(&["update", "-qq"], 120)?;
    apt(&["install", "-y", "-qq", "--no-install-recommends", "chromium", "chromium-driver"], 300)
}

fn apt(args: &[&str], seconds: u64) -> Outcome {
    Job::new(format!("`apt-get {}`", args[0]), "apt-get")
        .args(args)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .quiet()
        .bound(Duration::from_secs(seconds))
        .must("install chromium and chromium-driver yourself and try again.")
        .map(drop)
}
