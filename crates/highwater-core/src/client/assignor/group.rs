//! A group in numbers: members, topics and partitions by their places, so that assignors need not compare
//! names. Members stand in the order in which the leader's `HashMap` of subscriptions hands them out.

use crate::client::assignor::racks::Racks;
use crate::client::assignor::{Assignment, MemberSubscription, PartitionRacks};
use crate::ids::{PartitionId, TopicName, TopicPartition};
use crate::java::hash_map::{Made, in_set_order, iteration_order, string_hash};
use crate::sorted_map::{SortedMap, sort_by_key};

/// A member's place in the group.
pub(super) type Member = u32;
/// A topic's place among those that are assigned, by name.
pub(super) type Topic = u32;
/// A partition's place among all that are assigned: by topic, then by number.
pub(super) type Partition = u32;

/// For each member its partitions.
pub(super) type Held = Vec<Vec<Partition>>;

/// A topic that is there, and wanted by someone.
#[derive(Debug)]
struct Wanted {
    name: TopicName,
    /// Its first partition.
    first: Partition,
    partitions: u32,
}

/// The members and what is to be assigned to them.
#[derive(Debug)]
pub(super) struct Group<'a> {
    /// In the order of the leader's map.
    pub(super) members: Vec<&'a MemberSubscription>,
    /// For each of those, its place among the members as they were given.
    given: Vec<u32>,
    topics: Vec<Wanted>,
    /// The topic of each partition.
    topic_of: Vec<Topic>,
    /// The assigned topics of each member, as often as it names them.
    subscribed: Vec<Vec<Topic>>,
    /// The members of each topic, as often as they name it.
    subscribers: Vec<Vec<Member>>,
    /// Where everybody stands.
    pub(super) racks: Racks,
}

impl<'a> Group<'a> {
    /// Numbers everything.
    pub(super) fn new(
        partitions_per_topic: &SortedMap<TopicName, u32>,
        racks: &PartitionRacks,
        members: &'a [MemberSubscription],
    ) -> Self {
        let hashes: Vec<i32> =
            members.iter().map(|member| string_hash(&member.member_id)).collect();
        let given = iteration_order(&hashes, Made::Empty);
        let members: Vec<_> = given.iter().map(|&place| &members[place as usize]).collect();
        let mut is_wanted: SortedMap<&TopicName, ()> = SortedMap::new();
        for topic in members.iter().flat_map(|member| &member.topics) {
            is_wanted.insert(topic, ());
        }
        let (mut topics, mut topic_of) = (Vec::new(), Vec::new());
        for (name, &partitions) in partitions_per_topic.iter() {
            if partitions > 0 && is_wanted.contains_key(&name) {
                let first = number(topic_of.len());
                let topic = number(topics.len());
                topics.push(Wanted { name: name.clone(), first, partitions });
                topic_of.extend((0..partitions).map(|_| topic));
            }
        }
        let sizes = topics.iter().map(|topic| (&topic.name, topic.partitions));
        let mut group = Self {
            racks: Racks::new(racks, &members, sizes),
            subscribers: vec![Vec::new(); topics.len()],
            subscribed: Vec::new(),
            members,
            given,
            topics,
            topic_of,
        };
        group.subscribe();
        group
    }

    fn subscribe(&mut self) {
        for (member, subscription) in (0..).zip(&self.members) {
            let mut subscribed = Vec::with_capacity(subscription.topics.len());
            for name in &subscription.topics {
                if let Some(topic) = self.topic(name) {
                    subscribed.push(topic);
                    self.subscribers[topic as usize].push(member);
                }
            }
            self.subscribed.push(subscribed);
        }
    }

    fn topic(&self, name: &TopicName) -> Option<Topic> {
        self.topics.binary_search_by(|topic| topic.name.cmp(name)).ok().map(number)
    }

    /// How many members there are.
    pub(super) fn size(&self) -> u32 {
        number(self.members.len())
    }

    /// The topics, by name.
    pub(super) fn topics(&self) -> impl ExactSizeIterator<Item = Topic> + use<> {
        0..number(self.topics.len())
    }

    /// All partitions, by topic and number.
    pub(super) fn partitions(&self) -> std::ops::Range<Partition> {
        0..number(self.topic_of.len())
    }

    /// The partitions of a topic.
    pub(super) fn partitions_of(&self, topic: Topic) -> std::ops::Range<Partition> {
        let topic = &self.topics[topic as usize];
        topic.first..topic.first + topic.partitions
    }

    /// The topic that a partition is of.
    pub(super) fn topic_of(&self, partition: Partition) -> Topic {
        self.topic_of[partition as usize]
    }

    /// The number of a partition in its topic.
    pub(super) fn number_in_topic(&self, partition: Partition) -> u32 {
        partition - self.topics[self.topic_of(partition) as usize].first
    }

    /// The assigned topics of a member, as often as it names them.
    pub(super) fn subscribed(&self, member: Member) -> &[Topic] {
        &self.subscribed[member as usize]
    }

    /// The members that want a topic, each as often as it names it.
    pub(super) fn subscribers(&self, topic: Topic) -> &[Member] {
        &self.subscribers[topic as usize]
    }

    /// No partition for anybody.
    pub(super) fn nothing_held(&self) -> Held {
        vec![Vec::new(); self.members.len()]
    }

    /// The members as `range` and `roundrobin` go through them (`AbstractPartitionAssignor.MemberInfo`):
    /// first the static ones by their instance ids, then the others by their member ids.
    pub(super) fn static_members_first(&self) -> Vec<Member> {
        self.sorted(|member| match &member.group_instance_id {
            Some(instance) => (false, utf16(instance)),
            None => (true, utf16(&member.member_id)),
        })
    }

    /// For each member its place by member id.
    pub(super) fn ranks(&self) -> Vec<u32> {
        let mut ranks = vec![0; self.members.len()];
        for (rank, member) in (0..).zip(self.sorted(|member| utf16(&member.member_id))) {
            ranks[member as usize] = rank;
        }
        ranks
    }

    fn sorted<K: Ord>(&self, key: impl Fn(&MemberSubscription) -> K) -> Vec<Member> {
        let keys: Vec<K> = self.members.iter().map(|member| key(member)).collect();
        let mut members: Vec<Member> = (0..self.size()).collect();
        sort_by_key(&mut members, |&member| &keys[member as usize]);
        members
    }

    /// The topics in the order of the map that `AbstractPartitionAssignor` makes of the set of all topics
    /// that a member names. Topics that are not there are in the set, and decide on its size.
    pub(super) fn topics_as_mapped(&self) -> Vec<Topic> {
        let mut seen: SortedMap<&TopicName, ()> = SortedMap::new();
        let mut named = Vec::new();
        for name in self.members.iter().flat_map(|member| &member.topics) {
            if !seen.contains_key(&name) {
                seen.insert(name, ());
                named.push(name);
            }
        }
        let set = in_set_order(&named, |name| string_hash(name.as_str()));
        let topics: Vec<Topic> = set.into_iter().filter_map(|name| self.topic(name)).collect();
        in_set_order(&topics, |&topic| string_hash(self.topics[topic as usize].name.as_str()))
    }

    /// The place of a partition that someone owned; `None`: it is not there any more, or nobody wants it.
    pub(super) fn find(&self, which: &TopicPartition) -> Option<Partition> {
        let topic = &self.topics[self.topic(&which.topic)? as usize];
        let number = u32::try_from(which.partition.0).ok()?;
        (number < topic.partitions).then(|| topic.first + number)
    }

    /// The name of a partition.
    pub(super) fn name(&self, partition: Partition) -> TopicPartition {
        let topic = &self.topics[self.topic_of(partition) as usize];
        let number = i32::try_from(partition - topic.first).unwrap_or(i32::MAX);
        TopicPartition::new(&topic.name, PartitionId(number))
    }

    /// Names again, and members in the order in which they were given.
    pub(super) fn named(&self, held: &Held) -> Assignment {
        let mut places = vec![0; self.given.len()];
        for (place, &given) in (0..).zip(&self.given) {
            places[given as usize] = place;
        }
        let of_member = |place: usize| {
            let partitions = held[place].iter().map(|&partition| self.name(partition)).collect();
            (self.members[place].member_id.clone(), partitions)
        };
        places.into_iter().map(of_member).collect()
    }
}

/// A length as a place. There are never as many members or partitions as that.
pub(super) fn number(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// Java compares strings by UTF-16 units.
fn utf16(text: &str) -> Vec<u16> {
    text.encode_utf16().collect()
}
