//! What a client makes of news about leaders (Kafka's `Metadata`): a newer leader epoch takes the place of an
//! older one, never the other way round, wherever the news comes from.

use std::rc::Rc;

use crate::controller::records::{PartitionImage, TopicImage};
use crate::ids::TopicName;
use crate::net::message::CurrentLeaders;

/// What is known of a topic after an answer about it: of each partition what is newer. A topic that was made
/// anew has nothing in common with the old one.
pub(super) fn newer_of(known: &Rc<TopicImage>, told: &Rc<TopicImage>) -> Rc<TopicImage> {
    let is_older = |(known, told): (&Rc<_>, &Rc<_>)| is_before(told, known);
    let mut both = known.partitions.iter().zip(&told.partitions);
    if known.id != told.id || !both.any(is_older) {
        return Rc::clone(told);
    }
    let mut merged = TopicImage::clone(told);
    for (partition, known) in merged.partitions.iter_mut().zip(&known.partitions) {
        if is_before(partition, known) {
            *partition = Rc::clone(known);
        }
    }
    Rc::new(merged)
}

fn is_before(one: &PartitionImage, other: &PartitionImage) -> bool {
    one.leader_epoch < other.leader_epoch
}

/// Takes the leaders that a broker has named instead of doing what it was asked (KIP-951,
/// `updatePartitionLeadership`). Whether one of them is news.
pub(super) fn update(
    image: &mut Rc<TopicImage>,
    name: &TopicName,
    leaders: &CurrentLeaders,
) -> bool {
    let mut is_news = false;
    for (which, leader, epoch) in leaders.iter().filter(|(which, ..)| which.topic == *name) {
        let place = usize::try_from(which.partition.0).unwrap_or(usize::MAX);
        if image.partitions.get(place).is_some_and(|known| known.leader_epoch < *epoch)
            && let Some(partition) = Rc::make_mut(image).partitions.get_mut(place)
        {
            let partition = Rc::make_mut(partition);
            (partition.leader, partition.leader_epoch) = (Some(*leader), *epoch);
            is_news = true;
        }
    }
    is_news
}
