//! Where the descriptors of a command lead.

use highwater_core::scope;
use highwater_core::world::process::{FdTarget, Stdio};

use crate::lang::{Redirect, RedirectTarget, Word, expand_joined, expand_word, print_word};
use crate::process::Out;
use crate::process::environment::View;
use crate::process::shell::Shell;

/// The exit status of a command that cannot run, and what is said about it.
pub(super) type Failure = (u8, String);

impl Shell {
    /// Applies one redirection.
    pub(super) fn redirect(
        &self,
        redirect: &Redirect,
        stdio: &mut Stdio,
        out: &mut Out<'_>,
    ) -> Result<(), Failure> {
        let joined = |word, out: &Out<'_>| {
            expand_joined(word, &self.view(out))
                .map_err(|_| (1, "highwater: a redirection is too long\n".to_owned()))
        };
        let target = match &redirect.target {
            RedirectTarget::HereDocument(word) => {
                let bytes = joined(word, out)?;
                FdTarget::Stream(out.prepared(bytes))
            }
            RedirectTarget::DuplicateOf(0) => stdio.stdin,
            RedirectTarget::DuplicateOf(1) => stdio.stdout,
            RedirectTarget::DuplicateOf(2) => stdio.stderr,
            RedirectTarget::DuplicateOf(n) => return Err(bad_descriptor(*n)),
            RedirectTarget::Read(word)
            | RedirectTarget::Write(word)
            | RedirectTarget::Append(word) => {
                if scope::CLUSTER {
                    let path = path(word, &self.view(out))?;
                    open(&path, &redirect.target, *stdio, out)?
                } else if let path = joined(word, out)?
                    && path != b"/dev/null"
                {
                    let path = String::from_utf8_lossy(&path);
                    let column = redirect.at.column;
                    let message = format!(
                        "highwater: column {column}: files are not built yet, so {path} cannot be \
                         opened; use a pipe, a heredoc or /dev/null\n"
                    );
                    return Err((1, message));
                } else {
                    FdTarget::Null
                }
            }
        };
        match redirect.fd {
            0 => stdio.stdin = target,
            1 => stdio.stdout = target,
            2 => stdio.stderr = target,
            n => return Err(bad_descriptor(n)),
        }
        Ok(())
    }
}

/// The one path that a word means.
fn path(word: &Word, view: &View<'_, '_>) -> Result<Vec<u8>, Failure> {
    let mut fields = expand_word(word, view).map_err(|error| (1, format!("bash: {error}\n")))?;
    match (fields.pop(), fields.is_empty()) {
        (Some(path), true) => Ok(path),
        _ => {
            let typed = print_word(word);
            let typed = String::from_utf8_lossy(&typed);
            Err((1, format!("bash: {typed}: ambiguous redirect\n")))
        }
    }
}

/// Opens a file, or finds what a name in /dev stands for.
fn open(
    path: &[u8],
    how: &RedirectTarget,
    stdio: Stdio,
    out: &mut Out<'_>,
) -> Result<FdTarget, Failure> {
    match path {
        b"/dev/null" => return Ok(FdTarget::Null),
        b"/dev/stdin" => return Ok(stdio.stdin),
        b"/dev/stdout" => return Ok(stdio.stdout),
        b"/dev/stderr" => return Ok(stdio.stderr),
        _ => {}
    }
    let opened = match how {
        RedirectTarget::Read(_) => {
            // A folder can be opened to read; it is the reading that fails.
            let bytes = out.read_file(path);
            bytes.map(|bytes| FdTarget::Stream(out.prepared(bytes.to_vec())))
        }
        RedirectTarget::Append(_) => out.open_file(path, false),
        _ => out.open_file(path, true),
    };
    opened.map_err(|error| (1, format!("bash: {}: {error}\n", String::from_utf8_lossy(path))))
}

fn bad_descriptor(n: u8) -> Failure {
    (1, format!("highwater: {n}: Bad file descriptor; there are 0, 1 and 2\n"))
}
