//! Figures of lessons that show a whole cluster, and their questions: read from the static page.

use highwater_lab::Room;
use highwater_lab::exhibit::{Exhibit, Plan};
use highwater_lab::figure::View;
use highwater_lesson::{Asked, Guided, Task, TaskStep, Walk, WalkLine};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlTemplateElement};

use crate::island::{all, find, html, of_figure, read_questions, value};

/// The figure of an island with its questions, and where each of them stands.
///
/// # Errors
/// It cannot be played, and why.
pub(super) fn open(island: &Element, room: Room) -> Result<(Guided, Vec<Element>), String> {
    let figure = Exhibit::new(read_plan(island), room, true)?;
    let (mut asked, mut hosts) = (Vec::new(), Vec::new());
    for quiz in read_questions(figure.id()) {
        let claims = inside(&quiz.host, "pre[data-value]").into_iter().map(|claim| {
            (
                value(&claim, "data-value").unwrap_or_default(),
                claim.text_content().unwrap_or_default(),
            )
        });
        asked.push(Asked {
            claims: claims.collect(),
            moment: value(&quiz.host, "data-moment").unwrap_or_default(),
            question: quiz.question,
        });
        hosts.push(quiz.host);
    }
    let mut walks = Vec::new();
    for host in of_figure("walk", figure.id()) {
        walks.push(read_walk(&host));
        hosts.push(host);
    }
    let mut tasks = Vec::new();
    for host in of_figure("task", figure.id()) {
        tasks.push(read_task(&host));
        hosts.push(host);
    }
    Ok((Guided::new(figure, asked, walks, tasks), hosts))
}

fn read_task(host: &Element) -> Task {
    let goals = inside(host, "pre").into_iter().map(|goal| goal.text_content().unwrap_or_default());
    let steps = all(host, ".task-words").into_iter().zip(goals);
    let allow = value(host, "data-allow").unwrap_or_default();
    Task {
        id: value(host, "data-task").unwrap_or_default(),
        prompt: html(host, ".quiz-prompt").unwrap_or_default(),
        steps: steps
            .map(|(words, goal)| TaskStep { words: words.inner_html(), goal, is_done: false })
            .collect(),
        from: value(host, "data-from").unwrap_or_default(),
        allow: allow.split_whitespace().map(str::to_owned).collect(),
        hints: all(host, ".quiz-hint p").into_iter().map(|hint| hint.inner_html()).collect(),
        has_begun: false,
        refused: None,
    }
}

fn read_walk(host: &Element) -> Walk {
    let lines = all(host, ".walk-line").into_iter().map(|line| WalkLine {
        code: line.text_content().unwrap_or_default().trim_end_matches('\n').to_owned(),
        does: value(&line, "data-does").unwrap_or_default().split(' ').map(str::to_owned).collect(),
    });
    let label = find(host, ".walk").and_then(|walk| value(&walk, "aria-label"));
    Walk { label: label.unwrap_or_default(), lines: lines.collect() }
}

fn read_plan(island: &Element) -> Plan {
    let text = |name: &str| value(island, name).unwrap_or_default();
    Plan {
        id: text("data-figure"),
        label: find(island, "figure").and_then(|it| value(&it, "aria-label")).unwrap_or_default(),
        say: html(island, ".fig-say").unwrap_or_default(),
        watch: html(island, ".exhibit-watch-words").unwrap_or_default(),
        text: inside(island, "pre")
            .first()
            .and_then(|text| text.text_content())
            .unwrap_or_default(),
        at: text("data-at"),
        setup: text("data-setup"),
        view: View::from_name(&text("data-view")).unwrap_or_default(),
        topic: text("data-topic"),
        partition: text("data-partition").parse().ok(),
        mark: text("data-mark"),
        is_terminal_open: text("data-terminal") == "open",
    }
}

/// The elements that fit a selector in the template below an element: what only a program reads.
fn inside(place: &Element, selector: &str) -> Vec<Element> {
    let Some(template) = find(place, "template") else { return Vec::new() };
    // A template's content is no element, but is asked in the same way.
    let content = template.unchecked_ref::<HtmlTemplateElement>().content();
    all(content.unchecked_ref(), selector)
}
