//! Serves a folder of static files on localhost, as any plain host would. Used by `cargo xtask
//! serve` and by the end-to-end tests, which can also ask it to lose the wasm files. It never
//! leaves the folder and never lists it.

use std::fs::File;
use std::io;
use std::net::SocketAddr;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use tiny_http::{Header, Method, Request, Response, Server};

/// What to serve, and how badly.
#[derive(Debug, Clone)]
pub struct Options {
    /// The folder that holds the site.
    pub root: PathBuf,
    /// The port on 127.0.0.1; 0 takes any that is free.
    pub port: u16,
    /// Answers 404 for every path that ends in `.wasm`, as a host or a filter does that does not
    /// know it.
    pub without_wasm: bool,
    /// The path that the site stands under, such as `/course/kafka`; empty for the root of the
    /// host.
    pub base: String,
}

impl Options {
    /// The folder at the root of the host, on any free port, with nothing lost.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), port: 0, without_wasm: false, base: String::new() }
    }
}

/// A running server; it stops when dropped.
pub struct SiteServer {
    server: Arc<Server>,
    address: SocketAddr,
    base: String,
    threads: Vec<JoinHandle<()>>,
}

impl SiteServer {
    /// Listens and answers in threads of its own.
    ///
    /// # Errors
    /// When the port is taken (`AddrInUse`) or may not be used.
    pub fn start(options: &Options) -> io::Result<Self> {
        let server = Server::http(("127.0.0.1", options.port)).map_err(|e| {
            e.downcast::<io::Error>().map_or_else(|e| io::Error::other(e.to_string()), |e| *e)
        })?;
        let address = server
            .server_addr()
            .to_ip()
            .ok_or_else(|| io::Error::other("the server has no address"))?;
        let server = Arc::new(server);
        let threads = (0..4)
            .map(|_| {
                let (server, options) = (Arc::clone(&server), options.clone());
                thread::spawn(move || {
                    while let Ok(request) = server.recv() {
                        answer(request, &options);
                    }
                })
            })
            .collect();
        Ok(Self { server, address, base: options.base.clone(), threads })
    }

    /// The port it listens on.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// The address of the site's first page, with a slash at its end.
    pub fn url(&self) -> String {
        format!("http://localhost:{}{}/", self.port(), self.base)
    }

    /// Serves until the process is ended.
    pub fn wait(mut self) {
        for thread in std::mem::take(&mut self.threads) {
            let _ = thread.join();
        }
    }
}

impl Drop for SiteServer {
    fn drop(&mut self) {
        // One wake-up per thread that waits for a request.
        for _ in &self.threads {
            self.server.unblock();
        }
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

fn answer(request: Request, options: &Options) {
    if !matches!(request.method(), Method::Get | Method::Head) {
        let _ =
            request.respond(Response::from_string("Only GET is answered.").with_status_code(405));
        return;
    }
    let path = request.url().split(['?', '#']).next().unwrap_or_default().to_owned();
    let found = path.strip_prefix(options.base.as_str()).and_then(|path| {
        let lost = options.without_wasm && path.ends_with(".wasm");
        if lost { None } else { file_for(&options.root, path) }
    });
    let opened = found.and_then(|file| Some((File::open(&file).ok()?, file)));
    let _ = match opened {
        Some((open, file)) => request.respond(
            Response::from_file(open)
                .with_header(header("Content-Type", media_type(&file)))
                .with_header(header("Cache-Control", "no-cache")),
        ),
        None => request.respond(Response::from_string("Not found.").with_status_code(404)),
    };
}

/// The file that a path of the address names, or nothing when it is not one below the root.
fn file_for(root: &Path, path: &str) -> Option<PathBuf> {
    let decoded = percent_decoded(path)?;
    let relative = Path::new(decoded.trim_start_matches('/'));
    if !relative.components().all(|part| matches!(part, Component::Normal(_))) {
        return None;
    }
    let file = root.join(relative);
    let file = if file.is_dir() { file.join("index.html") } else { file };
    file.is_file().then_some(file)
}

fn percent_decoded(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let pair = [rest.next()?, rest.next()?];
            let digits = std::str::from_utf8(&pair).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

/// What a browser must be told about a file; wasm is compiled while it loads only under its own
/// type.
fn media_type(file: &Path) -> &'static str {
    match file.extension().and_then(|e| e.to_str()).unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "wasm" => "application/wasm",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" | "md" | "console" => "text/plain; charset=utf-8",
        "xml" => "application/xml",
        _ => "application/octet-stream",
    }
}

fn header(name: &str, value: &str) -> Header {
    Header::from_bytes(name, value).unwrap_or_else(|()| unreachable!("{name} is a plain header"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpStream;

    /// A small site of its own for each test, gone when the test ends.
    struct Site(PathBuf);

    impl Site {
        fn new(name: &str) -> Self {
            let name = format!("highwater-{name}-{}", std::process::id());
            let root = std::env::temp_dir().join(name);
            std::fs::create_dir_all(root.join("lesson")).unwrap();
            std::fs::write(root.join("index.html"), "first page").unwrap();
            std::fs::write(root.join("lesson/index.html"), "a lesson").unwrap();
            std::fs::write(root.join("a b.wasm"), "\0asm").unwrap();
            Self(root)
        }

        fn options(&self) -> Options {
            Options::new(&self.0)
        }
    }

    impl Drop for Site {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn get(server: &SiteServer, path: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn serves_pages_and_wasm_with_their_types_and_stays_in_its_folder() {
        let site = Site::new("types");
        let server = SiteServer::start(&site.options()).unwrap();
        assert!(get(&server, "/").contains("first page"));
        assert!(get(&server, "/lesson/?x=1").contains("a lesson"));
        assert!(get(&server, "/a%20b.wasm").contains("application/wasm"));
        for outside in ["/../Cargo.toml", "/%2e%2e/Cargo.toml", "/no-such-file", "/%zz"] {
            assert!(get(&server, outside).starts_with("HTTP/1.1 404"), "{outside}");
        }
    }

    #[test]
    fn loses_wasm_when_asked_and_stands_under_a_path() {
        let site = Site::new("lost");
        let mut options = site.options();
        (options.without_wasm, options.base) = (true, "/course".to_owned());
        let server = SiteServer::start(&options).unwrap();
        assert!(server.url().ends_with("/course/"));
        assert!(get(&server, "/course/").contains("first page"));
        assert!(get(&server, "/").starts_with("HTTP/1.1 404"));
        assert!(get(&server, "/course/a%20b.wasm").starts_with("HTTP/1.1 404"));
    }

    #[test]
    fn a_busy_port_is_named_as_such() {
        let site = Site::new("busy");
        let first = SiteServer::start(&site.options()).unwrap();
        let mut again = site.options();
        again.port = first.port();
        let second = SiteServer::start(&again);
        assert_eq!(second.err().map(|e| e.kind()), Some(io::ErrorKind::AddrInUse));
    }
}
