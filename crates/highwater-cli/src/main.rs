//! The `highwater` command.

mod pages;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Apache Kafka, simulated: run and check console transcripts, build lesson pages
#[derive(Debug, Parser)]
#[command(name = "highwater", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Build the static page of every lesson
    Pages(pages::PagesArgs),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Pages(args) => pages::build_pages(&args),
    };
    match result {
        Ok(report) => {
            print!("{report}");
            ExitCode::SUCCESS
        }
        Err(faults) => {
            eprintln!("{}", faults.trim_end());
            ExitCode::FAILURE
        }
    }
}
