//! Programs of the host in place of Kafka's tools: so a transcript is played against a real cluster by the same
//! shell, with all that it understands of pipes, jobs and files.
//!
//! What the host does is no function of the inputs: such a shell is for playing once, in step with the clock. A copy
//! of its world shares the programs that run.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use highwater_core::world::process::ProcessInput;

use crate::process::Out;
use crate::tool::Next;
use crate::tool::small::Program;

/// A program of the host, as a process of the world sees it.
pub trait Outside: fmt::Debug {
    /// Something happens to it; `Some`: it has ended, with this status. `Terminate` is SIGTERM.
    fn handle(&mut self, input: &ProcessInput, out: &mut Out<'_>) -> Option<u8>;
}

/// Starts the program of a name, as typed, with these arguments; `None`: the shell has its own.
pub type Starter = fn(name: &str, arguments: &[Vec<u8>]) -> Option<Box<dyn Outside>>;

/// Such a program among the shell's own.
#[derive(Clone, Debug)]
pub(crate) struct Shared(Rc<RefCell<Box<dyn Outside>>>);

impl Shared {
    pub(crate) fn new(program: Box<dyn Outside>) -> Self {
        Self(Rc::new(RefCell::new(program)))
    }
}

impl Program for Shared {
    fn handle(&mut self, input: &ProcessInput, out: &mut Out<'_>) -> Next {
        self.0.borrow_mut().handle(input, out).map_or(Next::Wait, Next::Exit)
    }

    fn terminate(&mut self, out: &mut Out<'_>) -> Next {
        self.handle(&ProcessInput::Terminate, out)
    }

    fn copy(&self) -> Box<dyn Program> {
        Box::new(self.clone())
    }
}
