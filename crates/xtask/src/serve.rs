//! Shows the site on localhost: the built one as any host would serve it, or trunk's with live
//! reload.

use std::io;
use std::net::TcpListener;
use std::path::Path;
use std::time::Duration;

use xtask::site_server::{Options, SiteServer};

use crate::places;
use crate::site::{self, Mode};
use crate::trouble::{Outcome, Trouble};

const FIRST_PORT: u16 = 8080;
const TRIES: u16 = 20;

/// Builds, then serves until Ctrl-C.
pub(crate) fn serve(cache: &Path, mode: Mode, port: Option<u16>) -> Outcome {
    match mode {
        // A port that was asked for and is busy is told before the build, not minutes later.
        Mode::Release => {
            free_port(port)?;
            site::build(cache, mode)?;
            let port = free_port(port)?;
            let mut options = Options::new(places::dist());
            options.port = port;
            let server = SiteServer::start(&options).map_err(|e| cannot_listen(port, &e))?;
            println!("\nHighwater is at {} (Ctrl-C stops it)", server.url());
            server.wait();
            Ok(())
        }
        Mode::Dev => {
            let port = free_port(port)?;
            println!(
                "\nHighwater will be at http://localhost:{port}/ once built; it reloads on a change"
            );
            println!("(Ctrl-C stops it)\n");
            site::trunk(cache, "serve", mode)?
                .args(["--address", "127.0.0.1", "--port", &port.to_string()])
                .bound(Duration::MAX)
                .without_signs_of_life()
                .must("the lines above say why.")
                .map(drop)
        }
    }
}

/// The port asked for, or the first free one from 8080 on.
fn free_port(asked: Option<u16>) -> Outcome<u16> {
    let Some(port) = asked else {
        return (FIRST_PORT..FIRST_PORT + TRIES).find(|port| try_port(*port).is_ok()).ok_or_else(
            || {
                Trouble::new(format!(
                    "Ports {FIRST_PORT} to {} are all busy; name a free one with `--port N`.",
                    FIRST_PORT + TRIES - 1
                ))
            },
        );
    };
    try_port(port).map_err(|e| cannot_listen(port, &e))
}

fn try_port(port: u16) -> io::Result<u16> {
    TcpListener::bind(("127.0.0.1", port))?.local_addr().map(|address| address.port())
}

fn cannot_listen(port: u16, e: &io::Error) -> Trouble {
    Trouble::new(if e.kind() == io::ErrorKind::AddrInUse {
        format!("Port {port} is busy; stop what uses it, or name another with `--port N`.")
    } else {
        format!("Cannot listen on port {port}: {e}; name another with `--port N`.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_port_is_stepped_over_unless_it_was_asked_for() {
        let held = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let busy = held.local_addr().unwrap().port();
        let said = free_port(Some(busy)).unwrap_err().to_string();
        assert!(said.contains("is busy") && said.contains("--port"), "{said}");
        assert!(free_port(None).unwrap() >= FIRST_PORT);
        assert!(free_port(Some(0)).unwrap() > 0);
    }
}
