//! What a question is answered with, for each kind, and what is said there once it is answered.

use highwater_scene::node::Node;
use highwater_scene::template::tree;

use super::{One, end_in_words, html, right_text};
use crate::quiz::model::{Answer, Badge, Choice, End, Kind, Response};
use crate::quiz::progress::Ending;

impl One<'_> {
    pub(super) fn controls(&self) -> Vec<Node> {
        match (&self.question.kind, &self.asked.answer) {
            (Kind::Choice { options, several, .. }, Answer::Chosen(chosen)) => {
                let mut nodes = Vec::new();
                nodes.extend(several.then(|| how("Mark all that hold.")));
                for place in &self.asked.shown {
                    if let (Some(option), Some(chosen)) = (options.get(*place), chosen.get(*place))
                    {
                        nodes.push(self.option(*place, option, *chosen, *several));
                    }
                }
                nodes
            }
            (Kind::Short { response, answers, .. }, Answer::Typed(text)) => {
                self.short(*response, answers, text)
            }
            (Kind::Tracing { program, end }, Answer::Traced { succeeds, prints, line }) => {
                self.tracing(program, end, *succeeds, (prints, line))
            }
            (Kind::Order { items, .. }, Answer::Ordered(order)) => self.order(items, order),
            (Kind::Match { rows, partners }, Answer::Matched(chosen)) => {
                self.rows(rows, partners, chosen)
            }
            _ => Vec::new(),
        }
    }

    fn option(&self, place: usize, option: &Choice, chosen: bool, several: bool) -> Node {
        let ending = self.asked.ending;
        let mark = match (ending, option.right, chosen) {
            (None, ..) | (_, false, false) => None,
            (Some(Ending::Shown), true, _) => Some("Right answer."),
            (_, true, true) => Some("Your answer, right."),
            (_, true, false) => Some("Right answer."),
            (Some(Ending::Shown), false, true) => None,
            (_, false, true) => Some("Your answer, not right."),
        };
        let class = match mark {
            None => "quiz-option",
            Some(_) if option.right => "quiz-option quiz-right",
            Some(_) => "quiz-option quiz-wrong",
        };
        let said = mark.map(|mark| {
            let feedback = (!option.feedback.is_empty()).then(|| html(&option.feedback));
            let space = feedback.is_some().then_some(" ");
            tree(
                "<span class='quiz-feedback'><b>{}</b>{}{} {}</span>",
                vec![mark.into(), space.into(), feedback.into(), badge(option.badge).into()],
            )
        });
        tree(
            "<label class='{}' key='{}'><input type='{}' name='{}' value='{}' \
             data-ask-field='option' checked='{}' disabled='{}'/><span>{}{}</span></label>",
            vec![
                class.into(),
                place.to_string().into(),
                if several { "checkbox" } else { "radio" }.into(),
                self.id("").into(),
                place.to_string().into(),
                chosen.into(),
                (self.live && !self.is_open()).into(),
                html(&option.text),
                said.into(),
            ],
        )
    }

    fn short(&self, response: Response, answers: &[String], text: &str) -> Vec<Node> {
        let (label, area) = match response {
            Response::Short => ("Your answer", false),
            Response::Numeric => ("Your answer, a number", false),
            Response::Long => ("Your answer, in a sentence", true),
            Response::Code => ("Your answer, as you would type it", true),
        };
        let mut nodes = vec![self.field(Field { label, area, name: "text", text, response })];
        if self.asked.ending.is_some_and(|ending| ending != Ending::Right) {
            nodes.extend(answers.first().map(|answer| right_text(answer)));
        }
        nodes
    }

    fn field(&self, field: Field<'_>) -> Node {
        let Field { label, area, name, text, response } = field;
        let code = matches!(response, Response::Code);
        let class = if code { "quiz-field quiz-code" } else { "quiz-field" };
        let closed = self.live && !self.is_open();
        if area {
            return tree(
                "<label class='{}' key='{}'><span>{}</span><textarea rows='3' spellcheck='false' \
                 autocapitalize='off' data-ask-field='{}' readonly='{}'></textarea></label>",
                vec![class.into(), name.into(), label.into(), name.into(), closed.into()],
            );
        }
        let mode = matches!(response, Response::Numeric).then_some("decimal");
        tree(
            "<label class='{}' key='{}'><span>{}</span><input type='text' autocomplete='off' \
             autocapitalize='off' spellcheck='false' inputmode='{}' value='{}' data-ask-field='{}' \
             readonly='{}'/></label>",
            vec![
                class.into(),
                name.into(),
                label.into(),
                mode.into(),
                text.to_owned().into(),
                name.into(),
                closed.into(),
            ],
        )
    }

    fn tracing(
        &self,
        program: &str,
        end: &End,
        succeeds: Option<bool>,
        (prints, line): (&str, &str),
    ) -> Vec<Node> {
        let mut lines = Vec::new();
        for line in program.trim_end().lines() {
            lines.push(tree("<li><code>{}</code></li>", vec![line.to_owned().into()]));
        }
        let listing = tree(
            "<ol class='quiz-program' tabindex='0' aria-label='The lines' translate='no'>{}</ol>",
            vec![lines.into()],
        );
        let right = matches!(end, End::Succeeds(_));
        let mut nodes = vec![
            listing,
            self.end("0", "It succeeds", succeeds == Some(true), right),
            self.end("1", "It fails", succeeds == Some(false), !right),
        ];
        if succeeds == Some(true) && self.question.asks_output() {
            let (label, response) = ("What does it print?", Response::Code);
            nodes.push(self.field(Field {
                label,
                area: true,
                name: "text",
                text: prints,
                response,
            }));
        }
        if succeeds == Some(false) && self.question.asks_line() {
            let (label, response) = ("At which line?", Response::Numeric);
            nodes.push(self.field(Field {
                label,
                area: false,
                name: "line",
                text: line,
                response,
            }));
        }
        if self.asked.ending.is_some_and(|ending| ending != Ending::Right) {
            nodes.push(right_text(&end_in_words(end)));
        }
        nodes
    }

    /// One of the two ends of a program.
    fn end(&self, value: &'static str, words: &'static str, chosen: bool, right: bool) -> Node {
        let class = match (self.asked.ending, chosen, right) {
            (Some(_), _, true) => "quiz-option quiz-right",
            (Some(_), true, false) => "quiz-option quiz-wrong",
            _ => "quiz-option",
        };
        tree(
            "<label class='{}' key='{}'><input type='radio' name='{}' value='{}' \
             data-ask-field='option' checked='{}' disabled='{}'/><span>{}</span></label>",
            vec![
                class.into(),
                value.into(),
                self.id("").into(),
                value.into(),
                chosen.into(),
                (self.live && !self.is_open()).into(),
                words.into(),
            ],
        )
    }

    fn order(&self, items: &[String], order: &[usize]) -> Vec<Node> {
        let mut rows = Vec::new();
        for (place, item) in order.iter().enumerate() {
            let words = items.get(*item).map_or("", String::as_str);
            let move_to = |up: bool| {
                let (sign, does) = if up { ("\u{2191}", "up") } else { ("\u{2193}", "down") };
                // At an edge it stays and keeps the focus, but does nothing.
                let edge = if up { place == 0 } else { place + 1 == order.len() };
                let (number, all) = ((place + 1).to_string(), order.len().to_string());
                let name = if up { "Move up, now " } else { "Move down, now " };
                tree(
                    "<button type='button' class='btn btn-icon' data-ask-do='{}' data-ask-at='{}' \
                     aria-label='{}' aria-describedby='{}' aria-disabled='{}' disabled='{}' key='{}'>{}</button>",
                    vec![
                        does.into(),
                        place.to_string().into(),
                        [name, &number, " of ", &all].concat().into(),
                        self.id(&["item-", &item.to_string()].concat()).into(),
                        edge.then_some("true").into(),
                        (!self.live || !self.is_open()).into(),
                        does.into(),
                        sign.into(),
                    ],
                )
            };
            rows.push(tree(
                "<li class='quiz-item' key='{}'><span class='quiz-item-text' id='{}'>{}</span>{}{}</li>",
                vec![
                    item.to_string().into(),
                    self.id(&["item-", &item.to_string()].concat()).into(),
                    html(words),
                    move_to(true).into(),
                    move_to(false).into(),
                ],
            ));
        }
        let mut nodes = vec![
            how("Put the first at the top."),
            tree("<ol class='quiz-order' key='order'>{}</ol>", vec![rows.into()]),
        ];
        if self.asked.ending.is_some_and(|ending| ending != Ending::Right) {
            let mut right = Vec::new();
            for item in items {
                right.push(tree("<li>{}</li>", vec![html(item)]));
            }
            nodes.push(tree(
                "<div class='quiz-answer' key='answer'><p>A right order:</p><ol>{}</ol></div>",
                vec![right.into()],
            ));
        }
        nodes
    }

    fn rows(
        &self,
        rows: &[(String, usize)],
        partners: &[String],
        chosen: &[Option<usize>],
    ) -> Vec<Node> {
        let right = self.question.right_rows(chosen);
        let mut nodes = vec![how("Choose what fits each.")];
        for (row, (words, fits)) in rows.iter().enumerate() {
            let mine = chosen.get(row).copied().flatten();
            let mut options = vec![choice("", "Choose\u{2026}", mine.is_none())];
            for (place, partner) in partners.iter().enumerate() {
                options.push(choice(&place.to_string(), partner, mine == Some(place)));
            }
            let is_right = right.get(row) == Some(&true);
            let held = self.asked.held.get(row) == Some(&true);
            let fit = partners.get(*fits).map_or("", String::as_str);
            let (class, said) = match self.asked.ending {
                None if held => ("quiz-row quiz-right", Some("Right.".to_owned())),
                None => ("quiz-row", None),
                Some(Ending::Shown) => ("quiz-row quiz-right", Some(["Fits: ", fit].concat())),
                Some(_) if is_right => ("quiz-row quiz-right", Some("Right.".to_owned())),
                Some(_) => ("quiz-row quiz-wrong", Some(["Not right. Fits: ", fit].concat())),
            };
            let said = said.map(|said| {
                tree("<span class='quiz-feedback'><b>{}</b></span>", vec![said.into()])
            });
            nodes.push(tree(
                "<label class='{}' key='{}'><span class='quiz-row-text'>{}</span>\
                 <select data-ask-field='partner' data-ask-at='{}' disabled='{}'>{}</select>{}</label>",
                vec![
                    class.into(),
                    row.to_string().into(),
                    html(words),
                    row.to_string().into(),
                    (self.live && (held || !self.is_open())).into(),
                    options.into(),
                    said.into(),
                ],
            ));
        }
        nodes
    }
}

/// A field of text.
struct Field<'a> {
    label: &'static str,
    area: bool,
    name: &'static str,
    text: &'a str,
    response: Response,
}

fn badge(badge: Badge) -> Node {
    tree("<span class='quiz-badge'>{}</span>", vec![badge.words().into()])
}

fn how(words: &'static str) -> Node {
    tree("<p class='quiz-how'>{}</p>", vec![words.into()])
}

fn choice(value: &str, words: &str, chosen: bool) -> Node {
    tree(
        "<option value='{}' selected='{}'>{}</option>",
        vec![value.to_owned().into(), chosen.into(), words.to_owned().into()],
    )
}
