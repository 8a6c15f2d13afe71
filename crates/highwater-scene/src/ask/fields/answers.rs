//! The main fields of answers.

use highwater_core::error::KafkaError;
use highwater_core::ids::{Offset, TopicPartition};
use highwater_core::net::group::GroupResponse;
use highwater_core::net::internal::InternalResponse;
use highwater_core::net::message::{FetchAnswers, Response};

use super::{Field, list};
use crate::ask::count;
use crate::words::ask as words;

pub(super) fn of(response: &Response) -> Vec<Field> {
    match response {
        Response::Produce(outcomes, _) => {
            let line = |(which, outcome): &(TopicPartition, Result<Offset, _>)| match outcome {
                Ok(base) => words::at(&which.to_string(), base.0),
                Err(error) => words::failed(&which.to_string(), error),
            };
            vec![("responses", list(outcomes, line))]
        }
        Response::Fetch(answers, ..) => vec![("responses", fetched(answers))],
        Response::ListOffsets(answers) => vec![("partitions", count(answers).to_string())],
        Response::Internal(response) => of_internal_response(response),
        Response::Group(response) => response.get().map_or_else(Vec::new, of_group_response),
        _ => Vec::new(),
    }
}

fn fetched(answers: &FetchAnswers) -> String {
    list(answers, |(which, answer)| match answer {
        Ok(fetched) => {
            let records = fetched.batches.iter().map(|batch| i64::from(batch.count())).sum();
            words::brings(&which.to_string(), records, fetched.high_watermark.0)
        }
        Err(error) => words::failed(&which.to_string(), error),
    })
}

fn of_internal_response(response: &InternalResponse) -> Vec<Field> {
    match response {
        InternalResponse::MetadataLog { from, records } => {
            vec![("from", from.to_string()), ("records", count(records).to_string())]
        }
        InternalResponse::Fetch(news) => match news.get() {
            Some(Ok(news)) => vec![(
                "responses",
                list(news, |(which, news)| match news {
                    Ok(news) => {
                        let records = news.batches.iter().map(|batch| i64::from(batch.count()));
                        words::brings(&which.to_string(), records.sum(), news.high_watermark.0)
                    }
                    Err(error) => words::failed(&which.to_string(), error),
                }),
            )],
            Some(Err(error)) => vec![("error", error.code.name().to_owned())],
            None => Vec::new(),
        },
        InternalResponse::BrokerHeartbeat(state) => match state.get() {
            Some(Ok(state)) => vec![
                ("is_fenced", state.is_fenced.to_string()),
                ("should_shut_down", state.should_shut_down.to_string()),
            ],
            Some(Err(error)) => vec![("error", error.code.name().to_owned())],
            None => Vec::new(),
        },
        InternalResponse::BrokerRegistration(answer) => match answer.get() {
            Some(Ok(epoch)) => vec![("broker_epoch", epoch.to_string())],
            Some(Err(error)) => vec![("error", error.code.name().to_owned())],
            None => Vec::new(),
        },
        InternalResponse::AlterPartition(_) | InternalResponse::AllocateProducerIds(_) => {
            Vec::new()
        }
    }
}

fn of_group_response(response: &GroupResponse) -> Vec<Field> {
    let error = |error: &KafkaError| vec![("error", error.code.name().to_owned())];
    match response {
        GroupResponse::FindCoordinator(found) => match found {
            Ok(broker) => vec![("node_id", broker.to_string())],
            Err(why) => error(why),
        },
        GroupResponse::JoinGroup(answer) => match &answer.result {
            Ok(joined) => vec![
                ("generation_id", joined.generation.to_string()),
                ("protocol_name", joined.protocol.to_string()),
                ("leader", joined.leader.to_string()),
                ("member_id", answer.member.to_string()),
            ],
            Err(why) => error(why),
        },
        GroupResponse::SyncGroup(synced) => match synced {
            Ok(synced) => vec![("assignment", list(&synced.partitions, ToString::to_string))],
            Err(why) => error(why),
        },
        GroupResponse::Heartbeat(Err(why)) => error(why),
        GroupResponse::OffsetCommit(outcomes) => {
            let line = |(which, outcome): &(TopicPartition, Result<(), _>)| match outcome {
                Ok(()) => which.to_string(),
                Err(why) => words::failed(&which.to_string(), why),
            };
            vec![("partitions", list(outcomes, line))]
        }
        _ => Vec::new(),
    }
}
