//! Everything that can happen next, as one list.

use std::rc::Rc;

use crate::client::ClientCommand;
use crate::ids::{ClientId, MessageId, NodeId, ProcessId};
use crate::net::message::Message;
use crate::world::process::ProcessInput;

/// One step of the world.
#[derive(Debug)]
pub enum Step {
    /// A message arrives.
    Deliver(Rc<Message>),
    /// A timer of a node fires.
    FireTimer(NodeId, Timer),
    /// A process gets something: bytes, the end of a wait, the exit of a child, an answer.
    Notify(Recipient, Rc<ProcessInput>),
    /// A process asks something of its client.
    Command(ClientId, ClientCommand),
}

/// Which process a step is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Recipient {
    /// This one.
    Process(ProcessId),
    /// The one that the client belongs to at that moment, if any.
    OwnerOf(ClientId),
}

/// Why a node wants to be woken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Timer {
    /// Producer: `linger.ms` is over for some batch.
    Linger,
    /// Producer: time to ask again for a topic.
    MetadataBackoff,
    /// Admin client: `default.api.timeout.ms` is over.
    ApiTimeout,
    /// Broker: a fetch has waited `fetch.max.wait.ms`.
    FetchWait(MessageId),
}
