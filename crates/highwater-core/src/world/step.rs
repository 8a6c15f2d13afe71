//! Everything that can happen next, as one list.

use std::rc::Rc;

use crate::client::ClientCommand;
use crate::ids::{BrokerId, ClientId, MessageId, NodeId, PartitionId, ProcessId};
use crate::net::message::Message;
use crate::world::process::ProcessInput;

/// One step of the world. A copy shares what it brings.
#[derive(Clone, Debug)]
pub enum Step {
    /// A message arrives.
    Deliver(Rc<Message>),
    /// A timer of a node fires, if the run of its process that set it goes on.
    FireTimer(NodeId, u32, Timer),
    /// A process gets something: bytes, the end of a wait, the exit of a child, an answer.
    Notify(Recipient, Rc<ProcessInput>),
    /// A process asks something of its client.
    Command(ClientId, Rc<ClientCommand>),
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
    /// Controller: the session of a broker may be over.
    BrokerSession(BrokerId),
    /// Controller: time to give leadership back to preferred replicas.
    LeaderRebalance,
    /// Controller: time to elect leaders that may lack records, where that is allowed.
    UncleanElection,
    /// Broker: its process is ready to register.
    Boot,
    /// Broker: SIGTERM has reached the part of the process that ends it in order.
    ShutdownHook,
    /// Broker: the controller has had long enough to let it go.
    ShutdownDeadline,
    /// Broker, or member of a group: the next heartbeat is due.
    Heartbeat,
    /// Broker: the answer to a heartbeat arrives that was not played, but disturbed since.
    HeartbeatAnswer,
    /// Broker: time to ask for the metadata log again.
    MetadataFetch(MessageId),
    /// Controller: a fetch of the metadata log arrives that was not played, and there is news for it.
    MetadataFetchArrival(NodeId, MessageId),
    /// Broker: a fetch of this follower has waited `replica.fetch.wait.max.ms`.
    ReplicaFetchWait(BrokerId, MessageId),
    /// Broker: a fetch of this follower arrives that was not played, and there is news for it.
    ReplicaFetchArrival(BrokerId, MessageId),
    /// Broker: time to fetch from this leader again.
    ReplicaFetchRetry(BrokerId),
    /// Broker: some producer has waited long enough for the in-sync replicas.
    ProduceExpiry,
    /// Broker: time to remove old segments (`log.retention.check.interval.ms`).
    Retention,
    /// Broker: time to compact logs (`log.cleaner.backoff.ms`).
    Cleaning,
    /// Broker: a write to a slow disk is done.
    DiskWrite,
    /// Broker: time to forget producers that have not written for long
    /// (`producer.id.expiration.check.interval.ms`).
    ProducerExpiration,
    /// Broker: some deletion of records has waited long enough for the followers.
    DeletionExpiry,
    /// Broker: time to look for followers that lag (half of `replica.lag.time.max.ms`).
    IsrCheck,
    /// Broker: time to propose in-sync replicas again.
    AlterPartitionRetry,
    /// Client: a request has waited `request.timeout.ms`.
    RequestTimeout(MessageId),
    /// Producer: some request may have waited `request.timeout.ms`, or some batch `delivery.timeout.ms`.
    InFlightExpiry,
    /// Consumer: this poll has waited long enough.
    PollExpiry(u32),
    /// Client: time to try again (`retry.backoff.ms`).
    RetryBackoff,
    /// Broker: something is due in this group of this partition: a session, a phase of a rebalance.
    GroupDeadline(PartitionId, u32),
    /// Broker: the log of this partition of groups is read.
    GroupsLoaded(PartitionId),
    /// Broker: some write of a group of this partition has waited long enough for the followers.
    GroupWriteExpiry(PartitionId),
    /// Broker: time to look for offsets of this partition's groups that nobody uses.
    OffsetsExpiration(PartitionId),
}
