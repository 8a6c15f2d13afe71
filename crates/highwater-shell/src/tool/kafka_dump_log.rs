//! `kafka-dump-log.sh`: what stands in the files of a broker's folder (Kafka's `DumpLogSegments`).
//!
//! `batches` prints logs, `contents` keys and values, `indexes` the files beside the log.

mod batches;
mod contents;
mod indexes;

use highwater_core::broker::data_dir::{METADATA_FOLDER, OnDisk};
use highwater_core::ids::Offset;
use highwater_core::number;
use highwater_core::world::files::FileError;
use highwater_core::world::process::Fd;

use self::contents::Parser;
use self::indexes::IndexErrors;
use crate::process::Out;
use crate::tool::Ended;
use crate::tool::options::{Manual, NUMBER_FORMAT_EXCEPTION, Options, Problem, split};
use crate::tool::small::Program;

const ABOUT: &str = "This tool helps to parse a log file and dump its contents to the console, useful for \
    debugging a seemingly corrupt log segment.";

const SPECS: &str = "\
    cluster-metadata-decoder\n\
    deep-iteration\tShows each record of a batch.\n\
    files <file,...>\tThe files.\n\
    help\tPrint this.\n\
    index-sanity-check\tOnly checks whether an index makes sense.\n\
    key-decoder-class [class]\tWhat keys are.\n\
    max-bytes <bytes>\tStops reading a log there.\n\
    max-message-size <bytes>\tOf the largest batch that an index leads to.\n\
    offsets-decoder\tThe log is one of __consumer_offsets.\n\
    print-data-log\tShows keys and values.\n\
    remote-log-metadata-decoder\n\
    share-group-state-decoder\n\
    skip-record-metadata\tOf records only keys and values.\n\
    transaction-log-decoder\tThe log is one of __transaction_state.\n\
    value-decoder-class [class]\tWhat values are.\n\
    verify-index-only\tOnly says where an index and its log do not agree.\n\
    version\tThe version of Kafka.";

pub(super) const MANUAL: Manual =
    Manual { usage: ABOUT, help: ABOUT, specs: SPECS, columns: (37, 43), complain: uncaught };

/// What is thrown and not caught ends a Java program so.
fn uncaught(problem: &Problem, out: &mut Out<'_>) -> Ended {
    if problem.class.is_empty() {
        return problem.throw(out);
    }
    out.print(Fd::Stderr, format_args!("Exception in thread \"main\" {}\n", problem.stack()));
    Ended(1)
}

/// What is printed: how much of it, and as what keys and values are read.
struct Settings {
    is_deep: bool,
    prints_contents: bool,
    skips_metadata: bool,
    /// Bytes of a log that are read.
    max_bytes: i32,
    parser: Parser,
}

/// What goes to standard output, until it is written.
#[derive(Default)]
struct Printed(String);

impl Printed {
    fn line(&mut self, text: &str) {
        self.0.push_str(text);
        self.0.push('\n');
    }
}

/// Dumps the files. All is done in its first moment.
pub(crate) fn start(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Result<Box<dyn Program>, Ended> {
    let options = MANUAL.read(arguments, out)?;
    if !options.has("files") {
        return Err(MANUAL.refuse(format_args!("Missing required argument \"[files]\""), out));
    }
    let mut errors = Errors::default();
    let files = options.one("files").map_err(|problem| uncaught(&problem, out))?;
    for file in split(files.unwrap_or_default(), ',') {
        let file = &as_java_file(file);
        let mut printed = Printed::default();
        printed.line(&format!("Dumping {file}"));
        let dumped = dump(file, &options, &mut printed, &mut errors, out);
        out.write(Fd::Stdout, printed.0);
        dumped.map_err(|problem| uncaught(&problem, out))?;
    }
    out.write(Fd::Stderr, errors.text());
    Err(Ended(0))
}

/// What is told at the end: of each file what does not fit, the files in the order in which they came up.
#[derive(Default)]
struct Errors {
    indexes: IndexErrors,
    /// Offsets that do not follow each other.
    gaps: Vec<(String, Vec<(Offset, Offset)>)>,
}

impl Errors {
    fn text(&self) -> String {
        let mut text = Printed(self.indexes.text());
        for (file, pairs) in &self.gaps {
            text.line(&format!("Non-consecutive offsets in {file}"));
            for (first, second) in pairs {
                text.line(&format!("  {first} is followed by {second}"));
            }
        }
        text.0
    }
}

/// A path as `java.io.File` keeps it: no slash twice, none at the end.
fn as_java_file(path: &str) -> String {
    let mut kept = String::new();
    for sign in path.chars() {
        if sign != '/' || !kept.ends_with('/') {
            kept.push(sign);
        }
    }
    if kept.len() > 1 && kept.ends_with('/') {
        kept.pop();
    }
    kept
}

/// The name of a file without its folder, and the part before the first point.
fn name_of(file: &str) -> (&str, &str) {
    let name = file.rsplit('/').next().unwrap_or(file);
    (name, name.split('.').next().unwrap_or(name))
}

/// The offset in a file's name.
fn offset_in(file: &str) -> Result<Offset, Problem> {
    let (_, stem) = name_of(file);
    let offset = number::signed(stem).map(Offset);
    offset.ok_or_else(|| {
        Problem::new(NUMBER_FORMAT_EXCEPTION, format!("For input string: \"{stem}\""))
    })
}

fn dump(
    file: &str,
    options: &Options,
    printed: &mut Printed,
    errors: &mut Errors,
    out: &mut Out<'_>,
) -> Result<(), Problem> {
    let kind = name_of(file).0.rsplit_once('.').map(|(_, kind)| kind);
    match kind {
        Some("log") => {
            let settings = settings(options)?;
            printed.line(&format!("Log starting offset: {}", offset_in(file)?));
            let OnDisk::Log(segment, unstamped) = found(file, out)? else {
                return Err(no_file(file));
            };
            let gaps = batches::dump(segment, unstamped, &settings, printed)?;
            if !gaps.is_empty() {
                errors.gaps.push((file.to_owned(), gaps));
            }
            Ok(())
        }
        Some("index" | "timeindex") => {
            offset_in(file)?;
            let mode = indexes::Mode {
                is_sanity_check: options.has("index-sanity-check"),
                is_verification: options.has("verify-index-only"),
            };
            // The log is opened first.
            let log = file.rsplit_once('.').map_or(file, |(stem, _)| stem).to_owned() + ".log";
            found(&log, out)?;
            let index = found(file, out)?;
            indexes::dump(file, &index, mode, printed, &mut errors.indexes)
        }
        Some("snapshot") => {
            let OnDisk::Snapshot(known) = found(file, out)? else { return Err(no_file(file)) };
            indexes::dump_snapshot(known, printed);
            Ok(())
        }
        Some(kind @ ("checkpoint" | "txnindex")) => {
            let text = format!(
                "Files of the kind .{kind} exist in Kafka, but Highwater does not have them yet."
            );
            Err(Problem::new("", text))
        }
        _ => {
            out.write(Fd::Stdout, std::mem::take(&mut printed.0));
            out.print(Fd::Stderr, format_args!("Ignoring unknown file {file}\n"));
            Ok(())
        }
    }
}

fn settings(options: &Options) -> Result<Settings, Problem> {
    let parser = Parser::of(options)?;
    let decodes = parser.is_decoder() || options.has("print-data-log");
    Ok(Settings {
        is_deep: decodes || options.has("deep-iteration"),
        prints_contents: decodes,
        skips_metadata: options.has("skip-record-metadata"),
        max_bytes: options.number("max-bytes")?.unwrap_or(i32::MAX),
        parser,
    })
}

/// What a broker keeps under that path.
fn found<'o>(file: &str, out: &'o Out<'_>) -> Result<OnDisk<'o>, Problem> {
    match out.on_disk(file.as_bytes()) {
        Some(Ok(found)) => Ok(found),
        _ if file.contains(METADATA_FOLDER) => {
            let text = format!(
                "The files of {METADATA_FOLDER} exist in Kafka, but Highwater does not have them yet."
            );
            Err(Problem::new("", text))
        }
        None if out.file_kind(file.as_bytes()) != Err(FileError::NotFound) => {
            let text = format!("{file}: Highwater reads only files of brokers' folders.");
            Err(Problem::new("", text))
        }
        _ => Err(no_file(file)),
    }
}

fn no_file(file: &str) -> Problem {
    Problem::new("java.nio.file.NoSuchFileException", file)
}
