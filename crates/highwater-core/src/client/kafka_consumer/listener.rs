//! The rebalance listener of an application (`ConsumerRebalanceListenerInvoker`): it is called in the thread
//! that polls, closes or unsubscribes, and that thread goes on when the listener has returned. Until then
//! nothing is handed out and no `JoinGroup` is sent; heartbeats go on, and so does `max.poll.interval.ms`.

use super::KafkaConsumer;
use super::command::ConsumerReply;
use crate::client::ClientReply;
use crate::ids::TopicPartition;
use crate::scope::Lab;
use crate::world::cluster_event::AssignmentChange;
use crate::world::outbox::Outbox;

/// What follows when the listener has returned.
#[derive(Clone, Debug)]
pub(super) enum Then {
    /// The member joins, and keeps these partitions (`onJoinPrepare`).
    Join(Vec<TopicPartition>),
    /// It has given away what the new assignment lacks, which is this one (`onJoinComplete`).
    Take(Vec<TopicPartition>),
    /// The poll goes on.
    Poll,
    /// It says goodbye and ends (`onLeavePrepare`).
    Close,
    /// It says goodbye.
    Unsubscribe,
}

impl KafkaConsumer {
    /// Calls the listener, if there is one, and then goes on.
    pub(super) fn call_listener(
        &mut self,
        change: AssignmentChange,
        partitions: Vec<TopicPartition>,
        then: Then,
        out: &mut Outbox,
    ) {
        out.reply(ClientReply::Consumer(Lab::new(match change {
            AssignmentChange::Assigned => ConsumerReply::Assigned(partitions),
            AssignmentChange::Revoked => ConsumerReply::Revoked(partitions),
            AssignmentChange::Lost => ConsumerReply::Lost(partitions),
        })));
        if self.config.has_listener {
            self.listener = Some(then);
        } else {
            self.go_on_after(then, out);
        }
    }

    /// Whether its thread is in the listener.
    pub(super) fn is_in_listener(&self) -> bool {
        self.listener.is_some()
    }

    /// The listener has returned.
    pub(super) fn leave_listener(&mut self, out: &mut Outbox) {
        let Some(then) = self.listener.take() else { return };
        self.go_on_after(then, out);
        self.drive(out);
        // A poll whose time was over meanwhile.
        if std::mem::take(&mut self.is_poll_over) && self.poll.is_some() {
            self.expire_poll(out);
        }
    }

    pub(super) fn go_on_after(&mut self, then: Then, out: &mut Outbox) {
        match then {
            Then::Join(kept) => self.finish_prepare(&kept, out),
            Then::Take(assigned) => {
                self.coordinator.request_rejoin("need to revoke partitions and re-join");
                self.take_assignment(&assigned, out);
            }
            Then::Poll => {}
            Then::Close => self.say_goodbye(out),
            Then::Unsubscribe => self.finish_unsubscribe(out),
        }
    }
}
