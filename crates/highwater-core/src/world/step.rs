//! Everything that can happen next, as one list.

use crate::client::{ClientCommand, ClientReply};
use crate::ids::{ClientId, MessageId, NodeId, ProcessId};
use crate::net::message::Message;
use crate::world::input::Input;
use crate::world::process::ProcessInput;

/// One step of the world.
#[derive(Clone, Debug, Hash)]
pub enum Step {
    /// A message arrives.
    Deliver(Message),
    /// A timer of a node fires.
    FireTimer(NodeId, Timer),
    /// A person's input takes effect.
    Apply(Input),
    /// A process gets something: bytes, the end of a wait, the exit of a child.
    Notify(ProcessId, ProcessInput),
    /// A process asks something of its client.
    Command(ClientId, ClientCommand),
    /// A client answers its process.
    Reply(ClientId, ClientReply),
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
