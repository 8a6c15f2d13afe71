//! Every task of the project, in Rust. `cargo xtask help` lists them.

mod places;
mod process;
#[cfg(test)]
mod scratch;
mod tools;
mod trouble;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use trouble::Outcome;

/// Every task of the project: build it, see it, test it, measure it.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Installs every tool that is missing, and says where each one is
    Setup,
}

fn main() -> ExitCode {
    match run(Arguments::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(trouble) => {
            eprintln!("xtask: {trouble}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: Task) -> Outcome {
    match task {
        Task::Setup => {
            for (name, at) in tools::ensure_all(&places::cache()?)? {
                println!("{name}: {}", at.display());
            }
            Ok(())
        }
    }
}
