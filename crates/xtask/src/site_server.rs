//! Serves a folder of static files on localhost, as any plain host would. Used by `cargo xtask
//! serve` and by the end-to-end tests, which can also ask it to lose the wasm files. It never
//! leaves the folder and never lists it.

use std::convert::Infallible;
use std::fs;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;

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
    address: SocketAddr,
    base: String,
    /// Told, or dropped, it ends the thread.
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl SiteServer {
    /// Listens and answers in a thread of its own, each connection by itself: one that is kept open, or that a
    /// browser opened for later, holds up no other.
    ///
    /// # Errors
    /// When the port is taken (`AddrInUse`) or may not be used.
    pub fn start(options: &Options) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", options.port))?;
        let address = listener.local_addr()?;
        listener.set_nonblocking(true)?;
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let options = Arc::new(options.clone());
        let base = options.base.clone();
        let (stop, stopped) = oneshot::channel();
        let (ready, is_ready) = mpsc::channel();
        let thread = thread::spawn(move || serve(&runtime, listener, &options, &ready, stopped));
        // The thread says whether it listens; one that has died said nothing.
        is_ready.recv().map_err(io::Error::other)??;
        Ok(Self { address, base, stop: Some(stop), thread: Some(thread) })
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
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for SiteServer {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Takes connections until it is told to stop, or its owner is gone.
fn serve(
    runtime: &Runtime,
    listener: TcpListener,
    options: &Arc<Options>,
    ready: &mpsc::Sender<io::Result<()>>,
    stopped: oneshot::Receiver<()>,
) {
    let accept = async {
        let listener = match tokio::net::TcpListener::from_std(listener) {
            Ok(listener) => listener,
            Err(trouble) => return drop(ready.send(Err(trouble))),
        };
        let _ = ready.send(Ok(()));
        loop {
            // One that went away before it was taken is no reason to stop.
            let Ok((stream, _)) = listener.accept().await else { continue };
            let options = Arc::clone(options);
            tokio::spawn(async move {
                let service = service_fn(move |request| {
                    let response = answer(&request, &options);
                    async move { Ok::<_, Infallible>(response) }
                });
                // A browser may close a connection at any moment.
                let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
            });
        }
    };
    runtime.block_on(async {
        tokio::select! {
            () = accept => {}
            _ = stopped => {}
        }
    });
}

fn answer(request: &Request<Incoming>, options: &Options) -> Response<Full<Bytes>> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let mut refused = words(StatusCode::METHOD_NOT_ALLOWED, "Only GET is answered.");
        refused.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        return refused;
    }
    let found = request.uri().path().strip_prefix(options.base.as_str()).and_then(|path| {
        let lost = options.without_wasm && path.ends_with(".wasm");
        if lost { None } else { file_for(&options.root, path) }
    });
    match found.and_then(|file| Some((fs::read(&file).ok()?, file))) {
        Some((content, file)) => {
            let mut found = Response::new(Full::new(Bytes::from(content)));
            let headers = found.headers_mut();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type(&file)));
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
            found
        }
        None => words(StatusCode::NOT_FOUND, "Not found."),
    }
}

fn words(status: StatusCode, text: &'static str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())));
    *response.status_mut() = status;
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, plain);
    response
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use std::time::Duration;

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

    /// Browsers open several connections at once and keep them: each is answered while the others stay open.
    #[test]
    fn a_connection_that_stays_open_holds_up_no_other() {
        let site = Site::new("open");
        let server = SiteServer::start(&site.options()).unwrap();
        let connect = || {
            let stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
            stream
        };
        let _silent: Vec<TcpStream> = (0..40).map(|_| connect()).collect();
        let mut kept: Vec<TcpStream> = (0..40).map(|_| connect()).collect();
        for round in 0..3 {
            for stream in &mut kept {
                write!(stream, "GET /lesson/ HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
            }
            for stream in &mut kept {
                let mut answer = String::new();
                while !answer.ends_with("a lesson") {
                    let mut part = [0; 512];
                    let read = stream.read(&mut part).expect("an answer");
                    assert!(read > 0, "closed in round {round} after {answer:?}");
                    answer.push_str(&String::from_utf8_lossy(&part[..read]));
                }
            }
        }
    }

    #[test]
    fn only_reading_is_answered() {
        let site = Site::new("post");
        let server = SiteServer::start(&site.options()).unwrap();
        let mut stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
        write!(
            stream,
            "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        )
        .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        assert!(text.starts_with("HTTP/1.1 405"), "{text}");
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
