//! Sees to it that nothing of a cluster is left, however this process ends.
//!
//! A script waits at a pipe that only we hold. It ends when we do: in good order, by Ctrl-C, a
//! panic or `kill -9`. Then it kills what was noted in the cluster's folder and removes the folder.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Each process group that is to end stands in a file of its own, with this at the end of its name.
pub(crate) const GROUP: &str = "group";

/// Its cluster ends when it is dropped.
pub(crate) struct Guardian {
    home: PathBuf,
    script: Child,
}

impl Guardian {
    /// Watches over a folder.
    pub(crate) fn of(home: &Path) -> Result<Self, String> {
        // In a process group of its own, so that a Ctrl-C does not reach it. A second look for
        // groups finds what was being started during the first.
        let watch = format!(
            "read -r; cd / || exit\n\
             for try in 1 2; do\n\
             \x20 for group in \"$0\"/*.{GROUP}; do kill -9 -- -\"$(cat \"$group\")\"; done\n\
             \x20 sleep 0.2\n\
             done\n\
             rm -rf \"$0\""
        );
        let script = Command::new("bash")
            .args(["-c", &watch])
            .arg(home)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .map_err(|e| format!("Cannot start bash: {e}; install it."))?;
        Ok(Self { home: home.to_owned(), script })
    }

    /// Notes a process group, which is to end with the cluster.
    pub(crate) fn note(&self, name: &str, id: u32) -> Result<(), String> {
        fs::write(self.home.join(format!("{name}.{GROUP}")), format!("{id}\n"))
            .map_err(|e| format!("Cannot note a process: {e}."))
    }
}

impl Drop for Guardian {
    fn drop(&mut self) {
        // Closing the pipe is the signal.
        drop(self.script.stdin.take());
        let _ = self.script.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;
    use std::time::Duration;

    fn home(name: &str) -> PathBuf {
        let home = std::env::temp_dir().join(format!("highwater-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&home);
        fs::create_dir_all(&home).unwrap();
        home
    }

    /// Whether it has ended: by itself it would take a minute.
    fn ends(child: &mut Child) -> bool {
        (0..50).any(|_| {
            thread::sleep(Duration::from_millis(20));
            matches!(child.try_wait(), Ok(Some(_)))
        })
    }

    /// Noted groups end with all that is in them, stopped or not; the folder goes.
    #[test]
    fn what_was_noted_ends_and_the_folder_goes() {
        let home = home("guardian");
        let guardian = Guardian::of(&home).unwrap();
        let mut shell = Command::new("bash")
            .args(["-c", "sleep 61 & kill -STOP $!; wait"])
            .process_group(0)
            .spawn()
            .unwrap();
        guardian.note("shell", shell.id()).unwrap();
        assert!(matches!(shell.try_wait(), Ok(None)));
        drop(guardian);
        assert!(ends(&mut shell));
        assert!(!home.exists());
        // What has ended and was not waited for yet is listed as Z.
        let listed = Command::new("ps").args(["-A", "-o", "stat=,pgid="]).output().unwrap();
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        let group = shell.id().to_string();
        let runs = |line: &str| !line.starts_with('Z') && line.ends_with(&format!(" {group}"));
        assert!(!listed.lines().any(runs), "{listed}");
    }

    /// Also when the process that started it is killed and can do nothing more.
    #[test]
    fn a_killed_owner_is_noticed() {
        let home = home("guardian-killed");
        // Another process holds the pipe, as the owner would.
        let mut guardian = Guardian::of(&home).unwrap();
        let pipe = guardian.script.stdin.take().unwrap();
        let mut owner = Command::new("sleep").arg("63").stdout(Stdio::from(pipe)).spawn().unwrap();
        thread::sleep(Duration::from_millis(300));
        assert!(home.exists());
        owner.kill().unwrap();
        owner.wait().unwrap();
        guardian.script.wait().unwrap();
        assert!(!home.exists());
    }
}
