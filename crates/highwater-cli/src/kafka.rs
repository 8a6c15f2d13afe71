//! `highwater kafka`: a transcript played against a real cluster. Our own shell reads it, and of the host it starts
//! Kafka's tools alone, each with its arguments as they are: never a shell of the host, nothing else in the file.

mod host_tool;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use highwater_core::time::SimDuration;
use highwater_core::world::input::InputKind;
use highwater_core::world::options::{ClusterOptions, OwnSetting};
use highwater_core::world::stream::TerminalState;
use highwater_shell::process::ShellProcess;
use highwater_shell::session::{Outcome, Session};
use highwater_shell::transcript::{Continued, Transcript};

use crate::files::read;
use crate::play::difference;

/// What the host is looked at for, while commands run.
const TICK: Duration = Duration::from_millis(5);
/// How long a command may take to end after Ctrl-C; then it is killed.
const GRACE: Duration = Duration::from_secs(10);
/// Exit status of a command that took too long.
const STATUS_TIMED_OUT: u8 = 124;

/// What `highwater kafka` is asked for.
#[derive(Debug, clap::Args)]
pub(crate) struct KafkaArgs {
    /// The transcript
    file: PathBuf,
    /// The cluster, in place of each `localhost:9092`, `localhost:9093` and so on in the transcript
    #[arg(long, value_name = "HOST:PORT,...")]
    bootstrap_server: String,
    /// Where Kafka is installed; its tools are in `bin/` there [default: $KAFKA_HOME, else the tools on the PATH]
    #[arg(long, value_name = "DIR")]
    kafka_home: Option<PathBuf>,
    /// Print a diff for each command that answers otherwise than the transcript says, instead of the transcript
    #[arg(long)]
    check: bool,
    /// Seconds that one command may take before it gets Ctrl-C
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    limit: u64,
}

/// What the tools are started with.
#[derive(Debug)]
struct Host {
    bootstrap: String,
    /// Where `kafka-topics.sh` and the others are; `None`: on the PATH.
    tools: Option<PathBuf>,
    /// The files of the transcript, for tools that read them.
    files: PathBuf,
}

/// One run plays one transcript: a shell's starter can carry nothing with it.
static HOST: OnceLock<Host> = OnceLock::new();

/// Removes the folder in the end.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed lies in the folder for such things.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Plays a transcript; what is to be printed, and whether all is well.
pub(crate) fn kafka(args: KafkaArgs) -> Result<(String, bool), String> {
    are_addresses(&args.bootstrap_server)?;
    let Continued { whole: mut transcript, before } = read(&args.file)?.continued;
    let scratch = Scratch(env::temp_dir().join(format!("highwater-kafka-{}", std::process::id())));
    fs::create_dir_all(&scratch.0)
        .map_err(|e| format!("cannot create {}: {e}", scratch.0.display()))?;
    let tools = tools_folder(args.kafka_home)?;
    let host = Host { bootstrap: args.bootstrap_server, tools, files: scratch.0.clone() };
    HOST.set(host).map_err(|_| "one run plays one transcript".to_owned())?;
    for note in not_applied(&transcript) {
        eprintln!("{note}");
    }
    let shell = || ShellProcess::shell_with_programs(host_tool::start);
    let mut session =
        Session::with_shell(ClusterOptions { brokers: 1, ..ClusterOptions::default() }, shell)
            .map_err(|error| error.to_string())?;
    let limit = Duration::from_secs(args.limit);
    let mut report = String::new();
    for (number, block) in transcript.blocks.iter_mut().enumerate() {
        eprintln!("$ {}", block.command.lines().next().unwrap_or_default());
        let outcome = run(&mut session, &block.command, limit)
            .map_err(|error| format!("{}:{}: {error}", args.file.display(), block.line))?;
        if args.check && number < before {
            // What it continues has a check of its own.
        } else if args.check {
            report.push_str(&difference(&args.file, block, &outcome, ""));
        } else {
            block.set_outcome(outcome.output, outcome.exit);
        }
    }
    let good = report.is_empty();
    if args.check {
        report.push_str(if good { "1 passed, 0 failed\n" } else { "0 passed, 1 failed\n" });
    } else {
        report = transcript.write();
    }
    Ok((report, good))
}

/// Whether these are addresses, as Kafka's clients take them.
fn are_addresses(servers: &str) -> Result<(), String> {
    for server in servers.split(',') {
        let parts = server.rsplit_once(':');
        let is_one = parts.is_some_and(|(host, port)| {
            !host.is_empty() && port.parse::<u16>().is_ok_and(|port| port > 0)
        });
        if !is_one {
            return Err(format!(
                "--bootstrap-server {servers}: `{server}` is no address; write HOST:PORT"
            ));
        }
    }
    Ok(())
}

/// Where the tools are, if that was said and is true.
fn tools_folder(given: Option<PathBuf>) -> Result<Option<PathBuf>, String> {
    let home = given.or_else(|| env::var_os("KAFKA_HOME").map(PathBuf::from));
    let Some(home) = home else { return Ok(None) };
    let bin = home.join("bin");
    if bin.join("kafka-topics.sh").is_file() {
        // The tools are started in a folder of the transcript's own.
        return std::path::absolute(&bin).map(Some).map_err(|e| format!("{}: {e}", bin.display()));
    }
    Err(format!(
        "there is no bin/kafka-topics.sh in {}; give the folder of an unpacked Kafka with --kafka-home or KAFKA_HOME",
        home.display()
    ))
}

/// What a transcript asks of its cluster, which is there already.
fn not_applied(transcript: &Transcript) -> Vec<String> {
    let all = transcript.broker_properties.iter().map(|(key, value)| format!("{key}={value}"));
    let own = transcript.own_properties.iter();
    let own = own.map(|OwnSetting { broker, key, value }| format!("{broker} {key}={value}"));
    let note =
        |line| format!("not applied to the cluster, which is taken as it is: #! broker {line}");
    let mut notes: Vec<String> = all.chain(own).map(note).collect();
    notes.push(format!("the transcript was written for {} brokers", transcript.brokers));
    notes
}

/// Runs one command in step with the clock.
fn run(session: &mut Session, command: &str, limit: Duration) -> Result<Outcome, String> {
    let terminal = session.terminal();
    let before = session.output_length();
    let give = |session: &mut Session, kind: InputKind| {
        let given = session.timeline_mut().input(terminal, kind, SimDuration(0));
        given.map_err(|error| error.to_string())
    };
    give(session, InputKind::Line(command.to_owned()))?;
    let (start, mut last) = (Instant::now(), Instant::now());
    let (mut exit, mut interrupts) = (None, 0);
    loop {
        match session.state() {
            TerminalState::Ready if session.missing().is_none() => break,
            // A transcript has nobody at the terminal.
            TerminalState::Ready | TerminalState::ToolReads => {
                give(session, InputKind::EndOfInput)?;
            }
            TerminalState::Busy if start.elapsed() > limit + GRACE * interrupts => {
                give(session, InputKind::Interrupt)?;
                interrupts += 1;
                exit = Some(STATUS_TIMED_OUT);
            }
            TerminalState::Busy => {}
        }
        thread::sleep(TICK);
        let passed = last.elapsed();
        last += passed;
        let micros = u64::try_from(passed.as_micros()).unwrap_or(u64::MAX);
        session.timeline_mut().run_for(SimDuration(micros));
    }
    Ok(Outcome { output: session.output_since(before), exit: exit.unwrap_or(session.status()) })
}

/// Where a folder of the world lies for the tools.
fn in_folder(folder: &Path, directory: &[u8]) -> PathBuf {
    folder.join(String::from_utf8_lossy(directory).trim_start_matches('/'))
}
