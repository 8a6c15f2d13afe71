//! Small tools that scenarios need beside Kafka's: what GNU's coreutils and grep do, as far as
//! people use it to look at the output of other commands.
//!
//! Which of them exist is said by `catalogue`; each has its own file. Names of files are taken as
//! the world's.

use std::fmt;

use highwater_core::scope::{self, Lab};
use highwater_core::world::process::ProcessInput;

use crate::process::Out;
use crate::process::shell::STATUS_TERMINATED;
use crate::tool::small::simple::Simple;
use crate::tool::{Ended, Next};

mod cat;
mod cut;
mod echo;
mod escape;
mod files;
mod getopt;
mod gnu;
mod grep;
mod head;
mod lines;
mod printf;
mod pump;
mod seq;
mod simple;
mod sleep;
mod sort;
mod tail;
mod test;
mod tr;
mod uniq;
mod wc;

/// A running small tool. A box of it makes only those tools part of a page that the page can start.
pub(crate) trait Program: fmt::Debug {
    /// Something happens to it.
    fn handle(&mut self, input: &ProcessInput, out: &mut Out<'_>) -> Next;
    /// SIGTERM.
    fn terminate(&mut self, _out: &mut Out<'_>) -> Next {
        Next::Exit(STATUS_TERMINATED)
    }
    /// The same once more.
    fn copy(&self) -> Box<dyn Program>;
}

impl Clone for Box<dyn Program> {
    fn clone(&self) -> Self {
        self.copy()
    }
}

/// What became of a tool in its first moment.
type Started = Result<Box<dyn Program>, Ended>;

/// A running tool: of every build, or of one with the cluster.
#[derive(Clone, Debug)]
pub(crate) enum Small {
    Simple(Simple),
    Whole(Lab<Box<dyn Program>>),
}

impl Small {
    pub(crate) fn handle(&mut self, input: &ProcessInput, out: &mut Out<'_>) -> Next {
        match self {
            Self::Simple(tool) => tool.handle(input, out),
            Self::Whole(tool) => tool.get_mut().map_or(Next::Wait, |tool| tool.handle(input, out)),
        }
    }

    pub(crate) fn terminate(&mut self, out: &mut Out<'_>) -> Next {
        match self {
            Self::Simple(_) => Next::Exit(STATUS_TERMINATED),
            Self::Whole(tool) => tool.get_mut().map_or(Next::Wait, |tool| tool.terminate(out)),
        }
    }
}

/// Starts the tool of that name.
pub(crate) fn start(
    name: &'static str,
    arguments: &[Vec<u8>],
    out: &mut Out<'_>,
) -> Result<Small, Ended> {
    match name {
        "echo" => Err(echo::run(arguments, out)),
        "printf" => Err(printf::run(arguments, out)),
        "sleep" => sleep::start(arguments, out).map(Small::Simple),
        _ if scope::CLUSTER => {
            start_whole(name, arguments, out).map(|of| Small::Whole(Lab::new(of)))
        }
        "cat" => simple::cat(arguments, out).map(Small::Simple),
        "head" => simple::head(arguments, out).map(Small::Simple),
        _ => Err(Ended(127)),
    }
}

/// Starts a tool that a page about one broker has not, or not all of it.
fn start_whole(name: &'static str, arguments: &[Vec<u8>], out: &mut Out<'_>) -> Started {
    match name {
        "cat" => cat::start(arguments, out),
        "head" => head::start(arguments, out),
        "cut" => cut::start(arguments, out),
        "grep" => grep::start(arguments, out),
        "ls" => Err(files::ls(arguments, out)),
        "mkdir" => Err(files::mkdir(arguments, out)),
        "rm" => Err(files::rm(arguments, out)),
        "seq" => seq::start(arguments, out),
        "sort" => sort::start(arguments, out),
        "tail" => tail::start(arguments, out),
        "test" | "[" => Err(test::run(name, arguments, out)),
        "touch" => Err(files::touch(arguments, out)),
        "tr" => tr::start(arguments, out),
        "uniq" => uniq::start(arguments, out),
        "wc" => wc::start(arguments, out),
        _ => Err(Ended(127)),
    }
}
