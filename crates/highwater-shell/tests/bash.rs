//! The shell and its small tools against real bash: what data/bash.console recorded comes out again.

use highwater_core::time::SimDuration;
use highwater_core::world::options::ClusterOptions;
use highwater_shell::session::Session;
use highwater_shell::transcript::Transcript;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Lines that only Highwater adds: which commands there are, after one that there is not.
fn is_ours(line: &str) -> bool {
    line.starts_with("Highwater has: ")
}

#[test]
fn bash_printed_the_same() {
    let transcript = Transcript::parse(include_str!("data/bash.console")).expect("it can be read");
    let fresh = Session::new(ClusterOptions::default()).expect("a cluster");
    let mut failed = 0;
    for block in &transcript.blocks {
        let mut session = fresh.clone();
        let mut outcome = session.run(&block.command).expect("it is taken");
        // A job in the background prints on after the shell of the recording has ended.
        session.timeline_mut().run_for(SimDuration::from_millis(1));
        outcome.output.retain(|line| !is_ours(line));
        while outcome.output.last().is_some_and(String::is_empty) {
            outcome.output.pop();
        }
        let expected = (&block.output, block.exit);
        if (&outcome.output, outcome.exit) != expected {
            failed += 1;
            println!(
                "bash.console:{}\n$ {}\nbash:      {:?} [{}]\nHighwater: {:?} [{}]\n",
                block.line, block.command, block.output, block.exit, outcome.output, outcome.exit
            );
        }
    }
    assert!(failed == 0, "{failed} of {} commands", transcript.blocks.len());
}
