//! Calls about groups: the coordinator of each group is looked up, then asked; where it has moved or is
//! not there yet, again (Kafka's `CoordinatorStrategy` and the handlers of group calls). Which groups
//! there are, every broker is asked.

mod listing;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use crate::client::admin::groups::listing::Listing;
use crate::client::admin::{call_timed_out, not_sent, watch};
use crate::client::{ClientReply, LogLevel};
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{BrokerId, GroupId, MemberId, MessageId, NodeId, TopicPartition};
use crate::net::group::{
    DescribedGroup, FetchedOffset, GroupRequest, GroupResponse, LeavingMember, ListedGroup,
    Membership, OffsetAndMetadata, OffsetOutcomes,
};
use crate::net::message::{Node, OffsetQuestion, Request};
use crate::scope::Lab;
use crate::sorted_map::SortedMap;
use crate::time::SimDuration;
use crate::world::outbox::Outbox;

/// What is asked about groups, and for how long it may be tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupsCommand {
    /// The question.
    pub question: GroupsQuestion,
    /// After how long the client gives up.
    pub timeout: SimDuration,
}

/// What is asked about groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GroupsQuestion {
    /// Which groups are there?
    List {
        /// Only in these states; empty: in any.
        states: Vec<String>,
        /// Only of these types; empty: of any.
        types: Vec<String>,
    },
    /// Who is in these groups?
    Describe(Vec<GroupId>),
    /// Forget these groups.
    Delete(Vec<GroupId>),
    /// Which offsets are kept for a group?
    Offsets(GroupId),
    /// Keep these offsets for a group that has no members.
    AlterOffsets(GroupId, Vec<(TopicPartition, OffsetAndMetadata)>),
    /// Forget the offsets of these partitions.
    DeleteOffsets(GroupId, Vec<TopicPartition>),
    /// These members go.
    RemoveMembers(GroupId, Vec<LeavingMember>),
    /// Of no group: `ClientCommand::DescribeTopics`, answered by `ClientReply::Topics`.
    Topics,
    /// Of no group: `ClientCommand::ListOffsets`, answered by `ClientReply::Offsets`.
    LogOffsets(Rc<Vec<OffsetQuestion>>),
}

/// What became of a question about groups, in the order of `GroupsQuestion`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GroupsReply {
    /// All groups, broker by broker, or why they are not known.
    Listed(Result<Vec<ListedGroup>, NotListed>),
    /// Of each group its coordinator and what it is like.
    Described(Vec<Described>),
    /// Of each group whether it is forgotten.
    Deleted(Vec<(GroupId, Result<(), KafkaError>)>),
    /// The offsets, or why they are not known.
    Offsets(Result<Vec<FetchedOffset>, KafkaError>),
    /// Of each partition whether its offset was changed or forgotten, or why nothing was done.
    Outcomes(Result<OffsetOutcomes, KafkaError>),
    /// Of each member whether it has gone, or why nobody has.
    Removed(Result<Vec<Result<(), KafkaError>>, KafkaError>),
}

/// A group, and its coordinator with what it is like, or why that is not known.
pub type Described = (GroupId, Result<(BrokerId, DescribedGroup), KafkaError>);

/// Why it is not known which groups there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotListed {
    /// Whether it is known which brokers there are.
    pub has_found_brokers: bool,
    /// What went wrong there, or before.
    pub error: KafkaError,
}

/// What a coordinator said of one group.
#[derive(Clone, Debug)]
enum Found {
    Group(DescribedGroup),
    Done,
    Offsets(Vec<FetchedOffset>),
    Outcomes(OffsetOutcomes),
    Left(Vec<Result<(), KafkaError>>),
}

/// What a request on its way is about.
#[derive(Clone, Debug)]
enum Asked {
    /// Who coordinates that group?
    Coordinator(GroupId),
    /// These groups, of their coordinator.
    Groups(BrokerId, Vec<GroupId>),
}

/// The call, with what is known so far.
#[derive(Clone, Debug)]
pub(super) struct GroupsCall {
    question: GroupsQuestion,
    /// The groups that are asked about, each once.
    groups: Vec<GroupId>,
    coordinators: SortedMap<GroupId, BrokerId>,
    /// Coordinators that did not answer, until they are looked up again.
    lost: SortedMap<GroupId, BrokerId>,
    asked: SortedMap<MessageId, Asked>,
    found: SortedMap<GroupId, Result<(BrokerId, Found), KafkaError>>,
    listing: Listing,
    attempts: u32,
    /// Whether the next attempt is planned.
    is_planned: bool,
}

impl GroupsCall {
    pub(super) fn new(question: GroupsQuestion) -> Self {
        let mut groups: Vec<GroupId> = Vec::new();
        for group in question.groups() {
            if !groups.contains(group) {
                groups.push(group.clone());
            }
        }
        Self {
            question,
            groups,
            coordinators: SortedMap::new(),
            lost: SortedMap::new(),
            asked: SortedMap::new(),
            found: SortedMap::new(),
            listing: Listing::default(),
            attempts: 0,
            is_planned: false,
        }
    }

    fn is_listing(&self) -> bool {
        matches!(self.question, GroupsQuestion::List { .. })
    }

    /// Whether that group must still be asked about.
    fn is_open(&self, group: &GroupId) -> bool {
        let is_asked = |asked: &Asked| match asked {
            Asked::Coordinator(about) => about == group,
            Asked::Groups(_, about) => about.contains(group),
        };
        !self.found.contains_key(group) && !self.asked.values().any(is_asked)
    }

    /// Whether all is known.
    pub(super) fn is_complete(&self) -> bool {
        if self.is_listing() {
            return self.listing.is_complete();
        }
        self.groups.iter().all(|group| self.found.contains_key(group))
    }

    /// Whether something must be asked again, and nobody has planned that yet.
    pub(super) fn must_plan(&mut self) -> bool {
        let is_open = if self.is_listing() {
            self.listing.is_open()
        } else {
            self.groups.iter().any(|group| self.is_open(group))
        };
        is_open && !std::mem::replace(&mut self.is_planned, true)
    }

    /// Asks what is open: brokers for their groups, that node for coordinators.
    pub(super) fn ask(&mut self, there: &[Node], node: BrokerId, out: &mut Outbox) {
        self.attempts += 1;
        self.is_planned = false;
        if let GroupsQuestion::List { states, types } = &self.question {
            return self.listing.ask(there, states, types, out);
        }
        for group in self.groups.clone() {
            if self.is_open(&group) && !self.coordinators.contains_key(&group) {
                let request = GroupRequest::FindCoordinator(group.clone());
                self.send(node, request, Asked::Coordinator(group), out);
            }
        }
        self.ask_coordinators(out);
    }

    fn send(&mut self, to: BrokerId, request: GroupRequest, asked: Asked, out: &mut Outbox) {
        let id = out.request(NodeId::Broker(to), Request::Group(Lab::new(request)));
        watch(id, out);
        self.asked.insert(id, asked);
    }

    /// Asks each coordinator that is known about its groups.
    fn ask_coordinators(&mut self, out: &mut Outbox) {
        let mut by_broker: SortedMap<BrokerId, Vec<GroupId>> = SortedMap::new();
        for group in &self.groups {
            if let Some(broker) = self.coordinators.get(group)
                && self.is_open(group)
            {
                by_broker.get_or_insert_with(*broker, Vec::new).push(group.clone());
            }
        }
        for (broker, groups) in by_broker {
            if let Some(request) = self.question.request(&groups) {
                self.send(broker, request, Asked::Groups(broker, groups), out);
            }
        }
    }

    /// Takes an answer in.
    pub(super) fn handle_answer(
        &mut self,
        correlation: MessageId,
        response: &GroupResponse,
        client_id: &str,
        out: &mut Outbox,
    ) {
        if let GroupResponse::ListGroups(answer) = response {
            return self.listing.take(correlation, answer);
        }
        match self.asked.remove(&correlation) {
            Some(Asked::Coordinator(group)) => {
                let GroupResponse::FindCoordinator(answer) = response else { return };
                match answer {
                    Ok(broker) => {
                        self.lost.remove(&group);
                        self.coordinators.insert(group, *broker);
                    }
                    Err(error) if is_passing(error.code) => {}
                    Err(error) => self.found.insert(group, Err(error.clone())),
                }
                // Coordinators are asked once all of those that were looked up together are known.
                let is_lookup = |asked: &Asked| matches!(asked, Asked::Coordinator(_));
                if !self.asked.values().any(is_lookup) {
                    self.ask_coordinators(out);
                }
            }
            Some(Asked::Groups(broker, groups)) => {
                self.take(broker, &groups, response);
                self.warn_of(&groups, client_id, out);
            }
            None => {}
        }
    }

    /// Logs what the client did not expect to hear.
    fn warn_of(&self, groups: &[GroupId], client_id: &str, out: &mut Outbox) {
        if !matches!(self.question, GroupsQuestion::Describe(_)) {
            return;
        }
        for group in groups {
            let Some(Err(error)) = self.found.get(group) else { continue };
            if error.code != ErrorCode::GroupIdNotFound {
                let text = format!(
                    "[AdminClient clientId={client_id}] `ConsumerGroupDescribe` request for group \
                     id {group} failed due to unexpected error {}. \
                     (org.apache.kafka.clients.admin.internals.DescribeConsumerGroupsHandler)",
                    error.code.name()
                );
                out.reply(ClientReply::Log(LogLevel::Error, text));
            }
        }
    }

    fn take(&mut self, broker: BrokerId, groups: &[GroupId], response: &GroupResponse) {
        match response {
            GroupResponse::DescribeGroups(answers) => {
                for (group, answer) in answers {
                    // Kafka asks `ConsumerGroupDescribe` first, which takes no empty name.
                    let answer = match answer {
                        _ if group.0.is_empty() => {
                            Err(KafkaError::plain(ErrorCode::InvalidGroupId))
                        }
                        answer => answer.clone(),
                    };
                    self.take_one(broker, group, answer.map(Found::Group));
                }
            }
            GroupResponse::DeleteGroups(answers) => {
                for (group, answer) in answers {
                    self.take_one(broker, group, answer.clone().map(|()| Found::Done));
                }
            }
            _ => {
                let Some(group) = groups.first() else { return };
                let found = match response {
                    GroupResponse::OffsetFetch(answer) => answer.clone().map(Found::Offsets),
                    GroupResponse::OffsetCommit(outcomes) => committed(outcomes),
                    GroupResponse::OffsetDelete(answer) => answer.clone().map(Found::Outcomes),
                    GroupResponse::LeaveGroup(answer) => answer.clone().map(Found::Left),
                    _ => return,
                };
                self.take_one(broker, group, found);
            }
        }
    }

    fn take_one(&mut self, broker: BrokerId, group: &GroupId, found: Result<Found, KafkaError>) {
        match found {
            Err(error) if has_moved(error.code) => {
                self.coordinators.remove(group);
            }
            Err(error) if is_passing(error.code) => {}
            found => self.found.insert(group.clone(), found.map(|found| (broker, found))),
        }
    }

    /// There will be no answer to that request: the broker that it went to, if it was a coordinator or
    /// was asked for its groups. `None` inside: it was asked for a coordinator.
    pub(super) fn forget_request(&mut self, request: MessageId) -> Option<Option<BrokerId>> {
        if let Some(broker) = self.listing.forget_request(request) {
            return Some(Some(broker));
        }
        match self.asked.remove(&request)? {
            Asked::Coordinator(_) => Some(None),
            Asked::Groups(broker, groups) => {
                for group in groups {
                    self.coordinators.remove(&group);
                    self.lost.insert(group, broker);
                }
                Some(Some(broker))
            }
        }
    }

    /// Tells the process.
    pub(super) fn reply(&self, out: &mut Outbox) {
        let reply = self.answer();
        out.reply(ClientReply::Groups(Lab::new(reply)));
    }

    fn answer(&self) -> GroupsReply {
        let each = self.groups.iter().filter_map(|group| {
            let found = self.found.get(group).cloned()?;
            Some((group.clone(), found))
        });
        match &self.question {
            GroupsQuestion::List { .. } => GroupsReply::Listed(self.listing.answer()),
            GroupsQuestion::Describe(_) => GroupsReply::Described(
                each.filter_map(|(group, found)| match found {
                    Ok((broker, Found::Group(described))) => Some((group, Ok((broker, described)))),
                    Ok(_) => None,
                    Err(error) => Some((group, Err(error))),
                })
                .collect(),
            ),
            GroupsQuestion::Delete(_) => GroupsReply::Deleted(
                each.map(|(group, found)| (group, found.map(|_| ()))).collect(),
            ),
            _ => self.answer_of_one(),
        }
    }

    /// The same for a question about one group.
    fn answer_of_one(&self) -> GroupsReply {
        let found = self.groups.first().and_then(|group| self.found.get(group)).cloned();
        let found = found.map(|found| found.map(|(_, found)| found));
        match (&self.question, found) {
            (_, Some(Ok(Found::Offsets(offsets)))) => GroupsReply::Offsets(Ok(offsets)),
            (_, Some(Ok(Found::Left(left)))) => GroupsReply::Removed(Ok(left)),
            (_, Some(Ok(Found::Outcomes(outcomes)))) => GroupsReply::Outcomes(Ok(outcomes)),
            (GroupsQuestion::Offsets(_), Some(Err(error))) => GroupsReply::Offsets(Err(error)),
            (GroupsQuestion::RemoveMembers(..), Some(Err(error))) => {
                GroupsReply::Removed(Err(error))
            }
            (_, Some(Err(error))) => GroupsReply::Outcomes(Err(error)),
            _ => GroupsReply::Outcomes(Ok(Vec::new())),
        }
    }

    /// The time is over: what is not known yet fails.
    pub(super) fn give_up(mut self, nobody: &dyn Fn(&str) -> KafkaError, out: &mut Outbox) {
        self.fail(nobody, out);
        self.reply(out);
    }

    fn fail(&mut self, nobody: &dyn Fn(&str) -> KafkaError, out: &Outbox) {
        if self.is_listing() {
            return self.listing.give_up(nobody);
        }
        let (handler, api) = self.question.names();
        let (lookup, question) =
            (format!("{handler}(api=FIND_COORDINATOR)"), format!("{handler}(api={api})"));
        for group in self.groups.clone() {
            if self.found.contains_key(&group) {
                continue;
            }
            let error = if self.lost.contains_key(&group) {
                nobody(&question)
            } else if self.coordinators.contains_key(&group) {
                not_sent(&question)
            } else if self.attempts > 0 {
                call_timed_out(&lookup, self.attempts, out)
            } else {
                nobody(&lookup)
            };
            self.found.insert(group, Err(error));
        }
    }
}

/// A coordinator is there, but not this one, or not any more.
fn has_moved(code: ErrorCode) -> bool {
    matches!(code, ErrorCode::NotCoordinator | ErrorCode::CoordinatorNotAvailable)
}

/// What is worth another try.
fn is_passing(code: ErrorCode) -> bool {
    matches!(code, ErrorCode::CoordinatorNotAvailable | ErrorCode::CoordinatorLoadInProgress)
}

/// What came of a commit: one partition that is to be tried again makes all of them.
fn committed(outcomes: &OffsetOutcomes) -> Result<Found, KafkaError> {
    for (_, outcome) in outcomes {
        if let Err(error) = outcome {
            if has_moved(error.code) || is_passing(error.code) {
                return Err(error.clone());
            }
            if error.code == ErrorCode::RebalanceInProgress {
                return Err(KafkaError::plain(ErrorCode::CoordinatorLoadInProgress));
            }
        }
    }
    Ok(Found::Outcomes(outcomes.clone()))
}

impl GroupsQuestion {
    /// The groups that it is about.
    fn groups(&self) -> &[GroupId] {
        match self {
            Self::Describe(groups) | Self::Delete(groups) => groups,
            Self::Offsets(group)
            | Self::AlterOffsets(group, _)
            | Self::DeleteOffsets(group, _)
            | Self::RemoveMembers(group, _) => std::slice::from_ref(group),
            Self::List { .. } | Self::Topics | Self::LogOffsets(_) => &[],
        }
    }

    /// What a coordinator is asked about these groups.
    fn request(&self, groups: &[GroupId]) -> Option<GroupRequest> {
        Some(match self {
            Self::Describe(_) => GroupRequest::DescribeGroups(groups.to_vec()),
            Self::Delete(_) => GroupRequest::DeleteGroups(groups.to_vec()),
            Self::Offsets(group) => {
                GroupRequest::OffsetFetch { group: group.clone(), partitions: None }
            }
            Self::AlterOffsets(group, offsets) => GroupRequest::OffsetCommit {
                member: Membership {
                    group: group.clone(),
                    generation: -1,
                    member: MemberId(Rc::from("")),
                    instance: None,
                },
                offsets: offsets.clone(),
            },
            Self::DeleteOffsets(group, partitions) => {
                GroupRequest::OffsetDelete { group: group.clone(), partitions: partitions.clone() }
            }
            Self::RemoveMembers(group, members) => {
                GroupRequest::LeaveGroup { group: group.clone(), members: members.clone() }
            }
            Self::List { .. } | Self::Topics | Self::LogOffsets(_) => return None,
        })
    }

    /// What Kafka's admin client calls it, and the request, in its messages.
    fn names(&self) -> (&'static str, &'static str) {
        match self {
            Self::Describe(_) => ("describeConsumerGroups", "CONSUMER_GROUP_DESCRIBE"),
            Self::Delete(_) => ("deleteConsumerGroups", "DELETE_GROUPS"),
            Self::Offsets(_) => ("offsetFetch", "OFFSET_FETCH"),
            Self::AlterOffsets(..) => ("offsetCommit", "OFFSET_COMMIT"),
            Self::DeleteOffsets(..) => ("offsetDelete", "OFFSET_DELETE"),
            Self::RemoveMembers(..) => ("leaveGroup", "LEAVE_GROUP"),
            Self::List { .. } | Self::Topics | Self::LogOffsets(_) => ("", ""),
        }
    }
}
