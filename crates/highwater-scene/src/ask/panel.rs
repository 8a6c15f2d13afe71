//! The side panel: an answer with its chain of reasons, as a node tree.

use super::{Answer, Entity, Fact, Sentence, Setting};
use crate::names::short_id;
use crate::node::Node;
use crate::template::{Hole, tree};
use crate::thing::Thing;
use crate::why::Reason;
use crate::words::ask::panel as words;

/// The panel. `chain`: the reasons of [`Answer::because`], oldest first. `live`: whether anything can be pressed.
#[must_use]
pub fn answer_panel(answer: &Answer, chain: &[Reason], live: bool) -> Node {
    let facts: Vec<Node> = answer.facts.iter().map(|one| fact(one, live)).collect();
    let says: Vec<Node> = answer.says.iter().map(|one| sentence(one, live)).collect();
    tree(
        "<section class='ask' aria-labelledby='ask-title'><h2 class='ask-title' id='ask-title' tabindex='-1'>{}</h2>\
         {}<dl class='ask-facts'>{}</dl><h3 class='ask-head'>{}</h3>{}{}{}</section>",
        vec![
            answer.title.clone().into(),
            says.into(),
            facts.into(),
            words::WHY.into(),
            reasons(chain, live).into(),
            settings(answer, live).into(),
            links(answer, live).into(),
        ],
    )
}

/// A button that asks about a thing, or its name while the page is not live. `spoken`: its name by ear, if that says
/// more.
fn ask(label: &str, spoken: Option<String>, thing: &Thing, live: bool) -> Node {
    if !live {
        return Node::Text(label.to_owned().into());
    }
    tree(
        "<button type='button' class='ask-link' data-do='{}' aria-label='{}'>{}</button>",
        vec![format!("ask:{}", thing.text()).into(), spoken.into(), label.to_owned().into()],
    )
}

/// Whether a value is a number alone, to stand below others.
fn is_number(value: &str) -> bool {
    let digits = value.strip_prefix('-').unwrap_or(value);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn fact(fact: &Fact, live: bool) -> Node {
    let value = match &fact.thing {
        Some(thing) => ask(&fact.value, Some(words::spoken(&fact.name, &fact.value)), thing, live),
        None => Node::Text(fact.value.clone().into()),
    };
    let class = if is_number(&fact.value) { "ask-value ask-number" } else { "ask-value" };
    tree(
        "<div class='ask-fact'><dt>{}</dt><dd class='{}'>{}</dd></div>",
        vec![fact.name.clone().into(), class.into(), value.into()],
    )
}

/// A sentence, and a button to what it is about.
fn sentence(sentence: &Sentence, live: bool) -> Node {
    let button = sentence.thing.as_ref().filter(|_| live).map(|thing| {
        let name = name_of(thing);
        tree(
            "<button type='button' class='ask-more' data-do='{}' aria-label='{}'>{}</button>",
            vec![
                format!("ask:{}", thing.text()).into(),
                words::ask_about(&name).into(),
                name.into(),
            ],
        )
    });
    tree(
        "<p class='ask-says'>{}{}{}</p>",
        vec![
            sentence.text.clone().into(),
            if button.is_some() { " " } else { "" }.into(),
            button.into(),
        ],
    )
}

/// What a thing is called on a button.
#[must_use]
pub fn name_of(thing: &Thing) -> String {
    let text = thing.text();
    match thing {
        Thing::Controller => crate::words::ask::labels::CONTROLLER.to_owned(),
        Thing::Broker(id) => crate::words::replicas::broker(*id),
        Thing::Replica(replica) => crate::words::replicas::broker(replica.broker),
        Thing::Member { member, .. } => short_id(member),
        _ => text.split_once(':').map_or(text.clone(), |(_, name)| name.to_owned()),
    }
}

/// The reasons: those of the story in sight, the others folded between them.
fn reasons(chain: &[Reason], live: bool) -> Vec<Node> {
    if chain.is_empty() {
        return vec![tree("<p class='ask-none'>{}</p>", vec![words::NO_REASON.into()])];
    }
    let mut items = Vec::new();
    let mut rest = chain;
    while let Some(first) = rest.first() {
        if first.is_story {
            items.push(reason(first, live));
            rest = &rest[1..];
            continue;
        }
        let folded = rest.iter().position(|reason| reason.is_story).unwrap_or(rest.len());
        let (detail, after) = rest.split_at(folded);
        let is_between = !items.is_empty() && !after.is_empty();
        let inner: Vec<Node> = detail.iter().map(|one| reason(one, live)).collect();
        items.push(tree(
            "<li class='ask-detail'><details><summary>{}</summary><ol class='ask-why'>{}</ol></details></li>",
            vec![words::more_steps(detail.len(), is_between).into(), inner.into()],
        ));
        rest = after;
    }
    vec![tree("<ol class='ask-why'>{}</ol>", vec![items.into()])]
}

fn reason(reason: &Reason, live: bool) -> Node {
    let id = reason.event.to_string();
    // The button says the time, too.
    let time = if live {
        tree(
            "<button type='button' class='ask-go' data-do='{}' aria-label='{}'>{}</button>",
            vec![
                format!("event:{id}").into(),
                words::go_to_label(&reason.at, &reason.sentence).into(),
                words::go_to(&reason.at).into(),
            ],
        )
    } else {
        tree("<span class='ask-time'>{}</span>", vec![reason.at.clone().into()])
    };
    tree(
        "<li class='ask-reason' key='{}'><span class='ask-reason-says'>{}</span> {}</li>",
        vec![id.into(), reason.sentence.clone().into(), time.into()],
    )
}

fn settings(answer: &Answer, live: bool) -> Vec<Node> {
    if answer.settings.is_empty() {
        return Vec::new();
    }
    let columns = words::columns().into_iter().take(if live { 5 } else { 4 });
    let head: Vec<Node> =
        columns.map(|name| tree("<th scope='col'>{}</th>", vec![name.into()])).collect();
    let rows: Vec<Node> = answer.settings.iter().map(|one| setting(one, live)).collect();
    let label = words::settings_of(&answer.title);
    vec![tree(
        "<details class='ask-settings'><summary>{}</summary><div class='ask-scroll' tabindex='0' role='group' \
         aria-label='{}'><table><caption class='visually-hidden'>{}</caption><thead><tr>{}</tr></thead>\
         <tbody>{}</tbody></table></div></details>",
        vec![
            words::settings(answer.settings.len()).into(),
            label.clone().into(),
            label.into(),
            head.into(),
            rows.into(),
        ],
    )]
}

fn setting(setting: &Setting, live: bool) -> Node {
    let number = |value: &str| if is_number(value) { "ask-number" } else { "" };
    // Where the table is too narrow for columns, each cell says what it is.
    let [_, value, default, source, _] = words::columns();
    let change = live.then(|| {
        let form = setting.editable.as_ref().and_then(|entity| form(setting, entity));
        let cell = form.map_or_else(|| Hole::from(words::FIXED), Hole::from);
        tree("<td class='ask-change'>{}</td>", vec![cell])
    });
    tree(
        "<tr key='{}'><th scope='row'><code>{}</code><span class='ask-about'>{}</span></th>\
         <td class='{}'><span class='ask-label' aria-hidden='true'>{}</span>{}</td>\
         <td class='{}'><span class='ask-label' aria-hidden='true'>{}</span>{}</td>\
         <td><span class='ask-label' aria-hidden='true'>{}</span><code>{}</code></td>{}</tr>",
        vec![
            setting.key.into(),
            setting.key.into(),
            setting.about.into(),
            number(&setting.value).into(),
            value.into(),
            setting.value.clone().into(),
            number(&setting.default).into(),
            default.into(),
            setting.default.clone().into(),
            source.into(),
            setting.source.into(),
            change.into(),
        ],
    )
}

/// The form that changes a setting; `None`: Kafka's tool does not reach it.
fn form(setting: &Setting, entity: &Entity) -> Option<Node> {
    Some(tree(
        "<form class='ask-config' data-do='config'><input type='hidden' name='entity-type' value='{}'/>\
         <input type='hidden' name='entity-name' value='{}'/><input type='hidden' name='key' value='{}'/>\
         <label><span class='visually-hidden'>{}</span><input type='text' name='value' value='{}' \
         autocomplete='off' spellcheck='false'/></label>\
         <button type='submit' class='btn btn-small' name='do' value='set' aria-label='{}'>{}</button>\
         <button type='submit' class='btn btn-small' name='do' value='default' aria-label='{}'>{}</button></form>",
        vec![
            entity.kind()?.into(),
            entity.name().into(),
            setting.key.into(),
            setting.key.into(),
            setting.value.clone().into(),
            words::set_label(setting.key).into(),
            words::SET.into(),
            words::default_label(setting.key).into(),
            words::DEFAULT.into(),
        ],
    ))
}

fn links(answer: &Answer, live: bool) -> Vec<Node> {
    if answer.links.is_empty() || !live {
        return Vec::new();
    }
    let item = |link: &super::Link| {
        tree("<li>{}</li>", vec![ask(&link.label, None, &link.thing, live).into()])
    };
    let items: Vec<Node> = answer.links.iter().map(item).collect();
    vec![tree(
        "<h3 class='ask-head'>{}</h3><ul class='ask-links'>{}</ul>",
        vec![words::SEE_ALSO.into(), items.into()],
    )]
}
