//! Processes that are stopped in the middle of what they do (SIGSTOP), with the clients that belong to
//! them: what happens to them waits until they go on (SIGCONT). For the cluster such a consumer is silent,
//! and does not know it.

use crate::ids::{EventId, NodeId, ProcessId};
use crate::sorted_map::SortedMap;
use crate::world::process::Process;
use crate::world::step::Step;
use crate::world::world::World;

/// Each stopped process with what waits for it, in that order.
pub(super) type Suspended = SortedMap<ProcessId, Vec<(Option<EventId>, Step)>>;

impl<P: Process> World<P> {
    /// Whether a process is stopped.
    #[must_use]
    pub fn is_suspended(&self, process: ProcessId) -> bool {
        self.faults.suspended.contains_key(&process)
    }

    /// A process stops. One that is stopped already stays so.
    pub(super) fn suspend(&mut self, process: ProcessId) {
        if self.processes.contains_key(&process) && !self.is_suspended(process) {
            self.faults.suspended.insert(process, Vec::new());
        }
    }

    /// A process goes on with all that has waited for it.
    pub(super) fn go_on(&mut self, process: ProcessId) {
        let held = self.faults.suspended.remove(&process);
        for (cause, step) in held.into_iter().flatten() {
            self.schedule(self.now(), cause, step);
        }
    }

    /// Keeps a step for later if it is for a stopped process, or for a client of one.
    pub(super) fn hold_if_suspended(&mut self, step: &Step, cause: Option<EventId>) -> bool {
        if self.faults.suspended.is_empty() {
            return false;
        }
        let client = match step {
            Step::Deliver(message) => message.to,
            Step::FireTimer(node, ..) => *node,
            Step::Command(client, _) => NodeId::Client(*client),
            Step::Notify(recipient, _) => {
                let process = self.process_of(*recipient);
                return self.hold_for(process, step, cause);
            }
        };
        let NodeId::Client(client) = client else { return false };
        let owner = self.clients.get(&client).and_then(|slot| slot.owner);
        self.hold_for(owner, step, cause)
    }

    fn hold_for(
        &mut self,
        process: Option<ProcessId>,
        step: &Step,
        cause: Option<EventId>,
    ) -> bool {
        let held = process.and_then(|process| self.faults.suspended.get_mut(&process));
        let is_held = held.is_some();
        if let Some(held) = held {
            held.push((cause, step.clone()));
        }
        is_held
    }
}
