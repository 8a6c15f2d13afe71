//! Speaks WebDriver: one chromedriver for the whole run, asked over plain HTTP with JSON.
//!
//! It knows nothing of browsers or pages. The protocol is a dozen lines, so it needs no client
//! library: what a test run compiles is what everybody waits for.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use serde_json::Value;

/// How long one command may take; the longest starts a browser or runs axe-core.
const PATIENCE: Duration = Duration::from_secs(90);

/// The running chromedriver.
pub(crate) struct Driver {
    port: u16,
    /// Its keeper; see `start`.
    _keeper: Mutex<Child>,
}

/// The chromedriver of this test run, started with the first test.
pub(crate) fn driver() -> &'static Driver {
    static DRIVER: OnceLock<Driver> = OnceLock::new();
    DRIVER.get_or_init(start)
}

/// What a variable of the environment says; `cargo xtask test --only e2e` sets those of the tests.
pub(crate) fn from_env(name: &str) -> String {
    std::env::var(name)
        .unwrap_or_else(|_| panic!("{name} is not set; run `cargo xtask test --only e2e`"))
}

/// Starts chromedriver on a free port. A test program cannot do anything at its end, so a small
/// shell keeps it: it ends chromedriver as soon as this program's end of the pipe is gone, however
/// this program went.
fn start() -> Driver {
    let keep = r#""$0" --port=0 & pid=$!; read -r _; kill "$pid""#;
    let mut keeper = Command::new("sh")
        .args(["-c", keep, &from_env("CHROMEDRIVER")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("sh can be started");
    let mut lines = BufReader::new(keeper.stdout.take().expect("its output is a pipe")).lines();
    let said = "was started successfully on port ";
    let port = lines
        .by_ref()
        .map_while(Result::ok)
        .find_map(|line| line.split_once(said)?.1.trim_end_matches('.').parse().ok())
        .expect("chromedriver says which port it listens on");
    // Whatever it says later is read, so that it never waits for a reader.
    std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
    Driver { port, _keeper: Mutex::new(keeper) }
}

impl Driver {
    /// Sends a command and returns the value of the answer; the error is chromedriver's own words.
    pub(crate) fn call(&self, method: &str, path: &str, body: &Value) -> Result<Value, String> {
        // One command at a time, also when somebody runs the tests in several threads.
        let _turn = self._keeper.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = self.http(method, path, body).map_err(|e| format!("{path}: {e}"))?;
        let mut answer: Value =
            serde_json::from_str(&answer).map_err(|e| format!("{path}: {e}: {answer}"))?;
        let value = answer["value"].take();
        match value.get("error").and_then(Value::as_str) {
            Some(error) => {
                let message = value["message"].as_str().unwrap_or_default();
                Err(format!("{error}: {}", message.lines().next().unwrap_or_default()))
            }
            None => Ok(value),
        }
    }

    fn http(&self, method: &str, path: &str, body: &Value) -> std::io::Result<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let body = if method == "POST" { body.to_string() } else { String::new() };
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost:{}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n",
            self.port,
            body.len()
        );
        stream.write_all([head.as_bytes(), body.as_bytes()].concat().as_slice())?;
        let mut reader = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            let Some((name, value)) = line.split_once(':') else {
                if line.trim().is_empty() {
                    break;
                }
                continue;
            };
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().unwrap_or(0);
            }
        }
        let mut answer = vec![0; length];
        reader.read_exact(&mut answer)?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }
}
