//! Every task of the project, in Rust. `cargo xtask help` lists them.

mod bench;
mod beside;
mod conformance;
mod names;
mod places;
mod post_build;
mod process;
#[cfg(test)]
mod scratch;
mod serve;
mod site;
mod size;
mod styles;
mod test_run;
mod tidy;
mod tools;
mod trouble;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use site::Mode;
use test_run::stages::Stage;
use trouble::Outcome;

/// Every task of the project: build it, see it, test it, measure it.
///
/// Tools that are missing are installed into a cache folder (HIGHWATER_CACHE, else highwater in the
/// user's cache folder), pinned, and kept for the next time.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Builds the site and serves it on localhost
    Serve {
        /// Builds quickly, and again on every change, and reloads the page
        #[arg(long)]
        dev: bool,
        /// The port; without it the first free one from 8080 on
        #[arg(long)]
        port: Option<u16>,
    },
    /// Builds the site into dist/
    Build {
        /// Builds quickly instead of small
        #[arg(long)]
        dev: bool,
    },
    /// Runs every test and check, and counts them
    Test {
        /// Only this stage; may be given several times. What looks at the built site has it built
        /// first
        #[arg(long, value_enum)]
        only: Vec<Stage>,
    },
    /// Shows what each page's first load fetches from dist/, against the budgets
    Size,
    /// Checks the rules of the house
    Tidy,
    /// Measures speeds, natively and in Node, as ratios to a yardstick in the same run
    Bench {
        /// Only figures with this in their name
        only: Option<String>,
    },
    /// Plays transcripts against a real Kafka 4.4.0 (Java, and Maven or KAFKA_HOME) and in the
    /// simulator, and compares both with what is recorded
    Conformance(conformance::Asked),
    /// Installs every tool that is missing, and says where each one is
    Setup,
    /// What trunk calls when it has staged its files
    #[command(hide = true)]
    PostBuild,
}

fn main() -> ExitCode {
    match run(Arguments::parse().task) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(trouble) => {
            eprintln!("xtask: {trouble}");
            ExitCode::FAILURE
        }
    }
}

/// Does one task; `false` is a failure that the task has already told.
fn run(task: Task) -> Outcome<bool> {
    let mode = |dev| if dev { Mode::Dev } else { Mode::Release };
    let cache = places::cache()?;
    match task {
        Task::Serve { dev, port } => serve::serve(&cache, mode(dev), port)?,
        Task::Build { dev } => site::build(&cache, mode(dev))?,
        Task::Test { only } => return Ok(test_run::run(&cache, &only)),
        Task::Size => return size::run(&places::dist()),
        Task::Tidy => return tidy::run(&cache),
        Task::Bench { only } => bench::run(&cache, only.as_deref())?,
        Task::Conformance(asked) => return conformance::run(&cache, &asked),
        Task::PostBuild => post_build::run(&cache)?,
        Task::Setup => {
            for (name, at) in tools::ensure_all(&cache)? {
                println!("{name}: {}", at.display());
            }
        }
    }
    Ok(true)
}
