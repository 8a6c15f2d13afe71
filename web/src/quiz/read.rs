//! What the static page says about its islands.

use highwater_lesson::Model;
use highwater_lesson::key_page::KeyPage;
use highwater_lesson::quiz::answered::Asks;
use highwater_lesson::quiz::card::Card;
use highwater_lesson::quiz::deck::{Deck, Lesson};
use highwater_lesson::quiz::model::Quiz;
use highwater_lesson::quiz::state::State;
use highwater_lesson::quiz::wire::{Entry, read, read_card};
use highwater_scene::digits::number;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlTemplateElement};

use super::app::What;
use super::browser::fragment;
use crate::island::{all, root, value};

/// What an island holds; `None`: this program does not know it, or it is damaged, and its static view stays.
pub(super) fn island(host: &Element) -> Option<What> {
    let named = |element: &Element, name: &str| value(element, name).unwrap_or_default();
    Some(match &*value(host, "data-island")? {
        "questions" => {
            let mut quiz = Quiz { id: named(host, "data-questions"), items: Vec::new() };
            for template in all(host, "template[data-question]") {
                quiz.items.push(read(entries(&template))?);
            }
            What::Questions(State::new(quiz))
        }
        "cards" => {
            let mut cards: Vec<Card> = Vec::new();
            for template in all(host, "template[data-recall]") {
                cards.push(read_card(entries(&template))?);
            }
            What::Cards(Deck::new(named(host, "data-lesson"), cards))
        }
        "progress" => What::Progress,
        "model" => What::Model(Model::new(&named(host, "data-model"))?),
        "due" => {
            // Those of the contents, which stand on the same page.
            let mut lessons = Vec::new();
            for link in all(&root()?, "li[data-lesson] > a") {
                lessons.push(Lesson {
                    id: named(&link.parent_element()?, "data-lesson"),
                    address: named(&link, "href"),
                    title: link.text_content().unwrap_or_default(),
                });
            }
            What::Due(lessons)
        }
        "answered" => {
            let digits = number::<u32>(&named(host, "data-digits"))?;
            What::Answered(Asks::read(&named(host, "data-asks"), digits as usize))
        }
        "key" => What::Key(KeyPage::from_fragment(&fragment())),
        _ => return None,
    })
}

fn entries(template: &Element) -> Vec<Entry> {
    // A template's content is no element, but is asked in the same way.
    let content = template.unchecked_ref::<HtmlTemplateElement>().content();
    let mut entries = Vec::new();
    for element in all(content.unchecked_ref(), "[data-k]") {
        let is_html = element.tag_name() == "DIV";
        let text = if is_html { Some(element.inner_html()) } else { value(&element, "data-v") };
        let name = value(&element, "data-k").unwrap_or_default();
        entries.push(Entry { name, value: text.unwrap_or_default(), is_html });
    }
    entries
}
