//! `highwater link`: a transcript as a link, a link as a transcript.

use std::fmt::Write as _;
use std::path::Path;

use highwater_shell::link::{SessionLog, decode, encode, replay, transcript};
use highwater_shell::session::{options_of, session_of};
use highwater_shell::transcript::Transcript;

use crate::files::read;
use crate::play::ClusterArgs;

/// What `highwater link` is asked for.
#[derive(Debug, clap::Args)]
pub(crate) struct LinkArgs {
    /// A transcript, of which a link is made, without its comments; or a link (its URL, or what follows `#`), of which
    /// the transcript is printed
    #[arg(value_name = "FILE|URL")]
    what: String,
    /// The page that opens the link
    #[arg(long, default_value = "lab/", value_name = "URL")]
    page: String,
    #[command(flatten)]
    cluster: ClusterArgs,
}

/// Makes a link, or reads one; what is to be printed.
pub(crate) fn link(args: &LinkArgs) -> Result<String, String> {
    let path = Path::new(&args.what);
    if !args.what.contains('#') && path.exists() {
        let transcript = read(path)?.continued.whole;
        return make(&transcript, args).map_err(|error| format!("{}: {error}", path.display()));
    }
    if !args.what.contains(['#', '=']) {
        return Err(format!("there is no file {}, and it is no link", path.display()));
    }
    open(&args.what)
}

fn make(transcript: &Transcript, args: &LinkArgs) -> Result<String, String> {
    let options = options_of(transcript, &args.cluster.first());
    let (session, _) = session_of(transcript, options).map_err(|error| error.to_string())?;
    let fragment =
        encode(&SessionLog::of(session.timeline())).map_err(|error| error.to_string())?;
    Ok(format!("{}#{fragment}\n", args.page))
}

/// The transcript of a link, with what the simulator answers.
fn open(link: &str) -> Result<String, String> {
    let opened = decode(link).map_err(|error| error.to_string())?;
    let played = replay(&opened.log).map_err(|error| error.to_string())?;
    let transcript = transcript(&opened.log)?;
    let mut out = String::new();
    for note in opened.notes.iter().chain(&played.notes) {
        let _ = writeln!(out, "# {note}");
    }
    out.push_str(&transcript.write());
    Ok(out)
}
