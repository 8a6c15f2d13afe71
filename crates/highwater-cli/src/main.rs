//! The `highwater` command.

mod files;
mod fuzz;
mod kafka;
mod link;
mod pages;
mod play;
mod png;
mod render;
mod shell;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Apache Kafka, simulated: run and check console transcripts, share them as links, draw them, play random
/// clusters, build lesson pages
#[derive(Debug, Parser)]
#[command(name = "highwater", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Play a transcript and print it with what the simulator answers
    Run(play::RunArgs),
    /// Play transcripts and print a diff for each command that answers otherwise
    Check(play::CheckArgs),
    /// Play random clusters with random faults under all invariants
    Fuzz(fuzz::FuzzArgs),
    /// A prompt over a new cluster, with history (arrows), completion (Tab), Ctrl-C and Ctrl-D
    Shell(shell::ShellArgs),
    /// Print the link that plays a transcript, or the transcript behind a link
    Link(link::LinkArgs),
    /// Play a transcript against a real cluster
    Kafka(kafka::KafkaArgs),
    /// Draw a moment of a transcript, as SVG, PNG or text
    Render(render::RenderArgs),
    /// Build the static page of every lesson, situation and challenge
    Pages(pages::PagesArgs),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Run(args) => play::run(&args).map(|text| (text, true)),
        Command::Check(args) => play::check(&args),
        Command::Fuzz(args) => Ok(fuzz::fuzz(&args)),
        Command::Shell(args) => shell::shell(&args).map(|text| (text, true)),
        Command::Link(args) => link::link(&args).map(|text| (text, true)),
        Command::Kafka(args) => kafka::kafka(args),
        Command::Render(args) => render::render(&args).map(|()| (String::new(), true)),
        Command::Pages(args) => pages::build_pages(&args).map(|text| (text, true)),
    };
    match result {
        Ok((report, good)) => {
            print!("{report}");
            if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(faults) => {
            eprintln!("{}", faults.trim_end());
            ExitCode::FAILURE
        }
    }
}
