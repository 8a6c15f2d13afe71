//! One of Kafka's tools, started on the host: bytes go to it and come from it as they do with the tools of the world.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::sync::{Arc, atomic::AtomicBool, atomic::Ordering};
use std::{fs, io, thread};

use highwater_core::time::SimDuration;
use highwater_core::world::files::FileKind;
use highwater_core::world::process::{Fd, FdTarget, NotWritten, ProcessInput};
use highwater_shell::process::Out;
use highwater_shell::process::outside::Outside;

use super::{HOST, Host, in_folder};

/// How often a tool is looked at.
const LOOK: SimDuration = SimDuration::from_millis(5);
/// As bash has it: there is no such command, it cannot be started.
const STATUS_NOT_FOUND: u8 = 127;

/// Starts one of Kafka's tools; `None`: the name is another one's.
pub(super) fn start(name: &str, arguments: &[Vec<u8>]) -> Option<Box<dyn Outside>> {
    let bare = name.strip_prefix("./").unwrap_or(name);
    let bare = bare.strip_prefix("bin/").unwrap_or(bare);
    if bare == "hw" {
        return Some(Box::new(NotHere));
    }
    let stem = bare.strip_suffix(".sh").unwrap_or(bare);
    let is_tool = stem.strip_prefix("kafka-").is_some_and(|rest| {
        !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
    });
    let host = HOST.get().filter(|_| is_tool)?;
    let file = format!("{stem}.sh");
    let program = host.tools.as_ref().map_or_else(|| PathBuf::from(&file), |bin| bin.join(&file));
    let arguments = arguments.iter().map(|one| readdress(one, &host.bootstrap)).collect();
    Some(Box::new(HostTool { program, arguments, running: None }))
}

/// `hw` acts on the simulated cluster.
#[derive(Debug)]
struct NotHere;

impl Outside for NotHere {
    fn handle(&mut self, _: &ProcessInput, out: &mut Out<'_>) -> Option<u8> {
        let says = "highwater: hw acts on the simulated cluster; what it does cannot be done to a real one from here\n";
        out.write(Fd::Stderr, says);
        Some(STATUS_NOT_FOUND)
    }
}

/// A tool on the host.
#[derive(Debug)]
struct HostTool {
    program: PathBuf,
    arguments: Vec<String>,
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    child: Child,
    /// What it reads; `None`: there will be no more.
    stdin: Option<Sender<Vec<u8>>>,
    output: Receiver<(Fd, Vec<u8>)>,
    /// Nobody reads its standard output or its standard error any more.
    unread: [Arc<AtomicBool>; 2],
    status: Option<ExitStatus>,
    was_interrupted: bool,
}

impl Outside for HostTool {
    fn handle(&mut self, input: &ProcessInput, out: &mut Out<'_>) -> Option<u8> {
        match input {
            ProcessInput::Started { stdio } => {
                let reads = stdio.stdin != FdTarget::Null;
                match self.begin(reads, out) {
                    Ok(running) => self.running = Some(running),
                    Err(error) => return Some(self.cannot_start(&error, out)),
                }
                if reads {
                    out.read(Fd::Stdin);
                }
                out.wait(LOOK, 0);
                None
            }
            ProcessInput::Read(_, bytes) => {
                let stdin = &mut self.running.as_mut()?.stdin;
                match stdin {
                    Some(to) if !bytes.is_empty() && to.send(bytes.clone()).is_ok() => {
                        out.read(Fd::Stdin);
                    }
                    _ => *stdin = None,
                }
                None
            }
            ProcessInput::Timer(_) => {
                let status = self.running.as_mut()?.look(out);
                if status.is_none() {
                    out.wait(LOOK, 0);
                }
                status
            }
            ProcessInput::Interrupt => self.running.as_mut()?.signal(Signal::Interrupt),
            ProcessInput::Terminate => self.running.as_mut()?.signal(Signal::Terminate),
            ProcessInput::NotWritten(fd, NotWritten::NoReader) => {
                let place = usize::from(*fd == Fd::Stderr);
                self.running.as_ref()?.unread[place].store(true, Ordering::Relaxed);
                None
            }
            _ => None,
        }
    }
}

impl HostTool {
    fn begin(&self, reads: bool, out: &Out<'_>) -> io::Result<Running> {
        let host = HOST.get().ok_or(io::ErrorKind::NotFound)?;
        export(host, b"/", out)?;
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            .current_dir(in_folder(&host.files, out.directory()))
            .stdin(if reads { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let stdin = child.stdin.take().map(feed);
        let (to, output) = mpsc::channel();
        let unread = [Arc::<AtomicBool>::default(), Arc::default()];
        if let Some(stdout) = child.stdout.take() {
            drain(stdout, Fd::Stdout, to.clone(), Arc::clone(&unread[0]));
        }
        if let Some(stderr) = child.stderr.take() {
            drain(stderr, Fd::Stderr, to, Arc::clone(&unread[1]));
        }
        Ok(Running { child, stdin, output, unread, status: None, was_interrupted: false })
    }

    fn cannot_start(&self, error: &io::Error, out: &mut Out<'_>) -> u8 {
        let program = self.program.display();
        let remedy = match error.kind() {
            io::ErrorKind::NotFound => "; say where Kafka is with --kafka-home or KAFKA_HOME",
            _ => "",
        };
        let says = format!("highwater: cannot start {program}: {error}{remedy}\n");
        out.write(Fd::Stderr, says);
        STATUS_NOT_FOUND
    }
}

#[derive(Clone, Copy)]
enum Signal {
    Interrupt,
    Terminate,
}

impl Running {
    /// Hands on what it has printed; its status, when it has ended and nothing more will come.
    fn look(&mut self, out: &mut Out<'_>) -> Option<u8> {
        let closed = loop {
            match self.output.try_recv() {
                Ok((fd, bytes)) => out.write(fd, bytes),
                Err(TryRecvError::Empty) => break false,
                Err(TryRecvError::Disconnected) => break true,
            }
        };
        if self.status.is_none() {
            self.status = self.child.try_wait().ok().flatten();
        }
        self.status.filter(|_| closed).map(status_of)
    }

    fn signal(&mut self, signal: Signal) -> Option<u8> {
        if self.status.is_none() {
            // One that does not hear Ctrl-C, since it was told to ignore it, would never end.
            let again = matches!(signal, Signal::Interrupt)
                && std::mem::replace(&mut self.was_interrupted, true);
            if again {
                let _ = self.child.kill();
            } else {
                send(&mut self.child, signal);
            }
        }
        None
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // SIGKILL in the world, and the end of the run.
        if self.status.is_none() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

#[cfg(unix)]
fn send(child: &mut Child, signal: Signal) {
    use nix::sys::signal::{Signal as Unix, kill};
    use nix::unistd::Pid;
    let signal = match signal {
        Signal::Interrupt => Unix::SIGINT,
        Signal::Terminate => Unix::SIGTERM,
    };
    if let Ok(pid) = i32::try_from(child.id()) {
        // One that has just ended needs none.
        let _ = kill(Pid::from_raw(pid), signal);
    }
}

/// Elsewhere there is one way to end a program.
#[cfg(not(unix))]
fn send(child: &mut Child, _: Signal) {
    let _ = child.kill();
}

/// As a shell says it: 128 and the number of the signal that has ended it.
fn status_of(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        if let Some(signal) = status.signal() {
            return u8::try_from(128 + signal).unwrap_or(u8::MAX);
        }
    }
    u8::try_from(status.code().unwrap_or(1)).unwrap_or(1)
}

/// Writes what is sent; closes when there is no sender, or the tool reads no more.
fn feed(mut stdin: impl Write + Send + 'static) -> Sender<Vec<u8>> {
    let (to, from) = mpsc::channel::<Vec<u8>>();
    thread::spawn(move || {
        for bytes in from {
            if stdin.write_all(&bytes).and_then(|()| stdin.flush()).is_err() {
                break;
            }
        }
    });
    to
}

/// Sends on what a tool prints, until it has ended or nobody reads it.
fn drain(
    mut from: impl Read + Send + 'static,
    fd: Fd,
    to: Sender<(Fd, Vec<u8>)>,
    unread: Arc<AtomicBool>,
) {
    thread::spawn(move || {
        let mut buffer = vec![0; 64 << 10];
        while let Ok(count @ 1..) = from.read(&mut buffer) {
            let gone =
                unread.load(Ordering::Relaxed) || to.send((fd, buffer[..count].to_vec())).is_err();
            if gone {
                break;
            }
        }
    });
}

/// An argument with the cluster's address in place of those of transcripts.
fn readdress(argument: &[u8], bootstrap: &str) -> String {
    const LOCAL: &str = "localhost:90";
    let text = String::from_utf8_lossy(argument);
    let mut out = String::new();
    let mut rest: &str = &text;
    while let Some(at) = rest.find(LOCAL) {
        let digits = &rest[at + LOCAL.len()..];
        let length = digits.bytes().take_while(u8::is_ascii_digit).count();
        out.push_str(&rest[..at]);
        let is_whole = !out.ends_with(|c: char| c.is_alphanumeric() || "-._".contains(c));
        // 9092 to 9099: what transcripts call brokers. All of them are where the cluster is.
        if length == 2 && digits.as_bytes()[0] == b'9' && is_whole {
            if !out.ends_with(&format!("{bootstrap},")) {
                out.push_str(bootstrap);
            } else {
                out.pop();
            }
        } else {
            out.push_str(&rest[at..at + LOCAL.len() + length]);
        }
        rest = &digits[length..];
    }
    out + rest
}

/// Writes the files of the world where the host's tools can read them. Those of brokers' folders are not among them.
fn export(host: &Host, directory: &[u8], out: &Out<'_>) -> io::Result<()> {
    let here = in_folder(&host.files, directory);
    fs::create_dir_all(&here)?;
    for name in out.list_files(directory).unwrap_or_default() {
        let path = [directory, if directory.ends_with(b"/") { b"" } else { b"/" }, &name].concat();
        if out.on_disk(&path).is_some() {
            continue;
        }
        match out.file_kind(&path) {
            Ok(FileKind::Directory) => export(host, &path, out)?,
            Ok(_) => {
                let bytes = out.read_file(&path).map(|bytes| bytes.to_vec()).unwrap_or_default();
                write_if_other(&in_folder(&host.files, &path), &bytes)?;
            }
            Err(_) => {}
        }
    }
    Ok(())
}

fn write_if_other(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if fs::read(path).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    fs::write(path, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The addresses of transcripts, alone, in lists, in settings; nothing else.
    #[test]
    fn addresses() {
        for (argument, expected) in [
            ("localhost:9092", "h:1"),
            ("localhost:9092,localhost:9093", "h:1"),
            ("bootstrap.servers=localhost:9094", "bootstrap.servers=h:1"),
            ("localhost:9192", "localhost:9192"),
            ("localhost:90", "localhost:90"),
            ("localhost:90920", "localhost:90920"),
            ("localhost:9042", "localhost:9042"),
            ("other:9092", "other:9092"),
            ("notlocalhost:9092", "notlocalhost:9092"),
            ("not.localhost:9092,localhost:9092", "not.localhost:9092,h:1"),
        ] {
            assert_eq!(readdress(argument.as_bytes(), "h:1"), expected);
        }
    }
}
