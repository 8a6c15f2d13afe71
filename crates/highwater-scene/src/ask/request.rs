//! A message on its way, one that waits at a broker whose process is paused, or a request that waits for its answer.

use std::rc::Rc;

use highwater_core::ids::{BrokerId, MessageId, NodeId};
use highwater_core::net::message::{Body, Message};
use highwater_core::world::cluster_view::BrokerView;
use highwater_core::world::event::EventKind;

use super::{Answer, Here, fields, holdup};
use crate::thing::Thing;
use crate::words::ask::says;
use crate::words::ask::{self as words, clients, labels};
use crate::words::moment;

pub(super) fn answer(here: &Here<'_>, id: MessageId) -> Option<Answer> {
    let Some((message, held)) = find(here, id) else { return waiting(here, id) };
    let body = &message.body;
    let mut answer = Answer::new(words::request_title(body.api_name(), id, kind(body)));
    answer.fact(labels::API, body.api_name());
    answer.fact(labels::KIND, kind(body).name());
    node(&mut answer, labels::FROM, message.from);
    node(&mut answer, labels::TO, message.to);
    answer.fact(labels::SENT, moment(message.sent));
    let due = holdup::until(here, message.due);
    answer.fact(
        labels::DUE,
        if held.is_some() { labels::ARRIVED.to_owned() } else { says::in_time(due) },
    );
    if !matches!(body, Body::Request(_)) {
        answer.number(labels::ANSWERS, message.correlation.0);
    }
    for (name, value) in fields::of(body) {
        answer.fact(name, value);
    }
    match held {
        Some(broker) => answer.say_of(clients::held_at(broker), Thing::Broker(broker.0)),
        None => answer.say(clients::on_its_way(message.to, due)),
    }
    if let Body::Disconnect { refused } = body {
        answer.say(clients::disconnected(*refused).to_owned());
    }
    let sent = here.events.iter().rev().take_while(|event| event.at >= message.sent).find(
        |event| matches!(&event.kind, EventKind::MessageSent { message, .. } if *message == id),
    );
    answer.because = sent.map(|event| event.id).or(message.cause);
    Some(answer)
}

/// A request that a broker has taken and not answered yet.
fn waiting(here: &Here<'_>, id: MessageId) -> Option<Answer> {
    let (broker, from, why) = here.cluster.brokers.iter().find_map(|broker| {
        let found = broker.waiting.iter().find(|(_, waiting, _)| *waiting == id)?;
        Some((broker.id, found.0, found.2))
    })?;
    let sent = here
        .newest(|event| matches!(event, EventKind::MessageSent { message, .. } if *message == id));
    // What is not played one by one has no such event.
    let api = match sent.map(|event| &event.kind) {
        Some(EventKind::MessageSent { api, .. }) => Some(*api),
        _ => words::api_that_waits(why),
    };
    let request = words::MessageKind::Request;
    let mut answer = Answer::new(words::request_title(api.unwrap_or_default(), id, request));
    if let Some(api) = api {
        answer.fact(labels::API, api);
    }
    answer.fact(labels::KIND, request.name());
    node(&mut answer, labels::FROM, from);
    node(&mut answer, labels::TO, NodeId::Broker(broker));
    if let Some(sent) = sent {
        answer.fact(labels::SENT, moment(sent.at));
    }
    answer.fact(labels::DUE, labels::ARRIVED);
    answer.say_of(clients::waits_at(broker), Thing::Broker(broker.0));
    answer.say(clients::waits_for(why).to_owned());
    answer.because = sent.map(|event| event.id);
    Some(answer)
}

/// The message, with the broker where it waits.
fn find<'a>(here: &Here<'a>, id: MessageId) -> Option<(&'a Rc<Message>, Option<BrokerId>)> {
    let is_it = |message: &&Rc<Message>| message.id == id;
    if let Some(message) = here.cluster.in_flight.iter().find(is_it) {
        return Some((message, None));
    }
    let held = |broker: &'a BrokerView| Some((broker.held.iter().find(is_it)?, Some(broker.id)));
    here.cluster.brokers.iter().find_map(held)
}

fn kind(body: &Body) -> words::MessageKind {
    match body {
        Body::Request(_) => words::MessageKind::Request,
        Body::Response(_) => words::MessageKind::Response,
        Body::Disconnect { .. } => words::MessageKind::Disconnect,
    }
}

fn node(answer: &mut Answer, name: &'static str, node: NodeId) {
    let value = words::node(node);
    match node {
        NodeId::Controller => answer.about(name, value, Thing::Controller),
        NodeId::Broker(id) => answer.about(name, value, Thing::Broker(id.0)),
        NodeId::Client(_) => answer.fact(name, value),
    }
}
