//! The islands of a static page: a figure at its first frame and a question that was not answered.
//! The app shows the same trees, so nothing moves when it takes over.

use highwater_scene::node::to_string;

use highwater_lab::Room;
use highwater_lab::exhibit::{Exhibit, Plan};

use crate::block::{ExhibitBlock, FigureBlock, PredictBlock, PredictOption, TaskBlock};
use crate::html::escape;
use crate::{Figure, FigureSource, Model, Question, Script, Walk};

/// Widths in px of the two drawings of a static page: that of the figure beside the text in a window
/// of 1280, for rooms of 35rem and more, and that in a window of 320.
const WIDTHS: [i32; 2] = [564, 286];
/// The root font size of a reader who has changed nothing.
const FONT: i32 = 16;
/// What a figure of a static page is drawn for.
pub(crate) const ROOM: Room = Room { width: WIDTHS[0], font: FONT, motion: false };

/// A transcript of a scene, as its file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneFile {
    /// The name of the file, without its ending.
    pub name: String,
    /// What is in it.
    pub text: String,
}

/// A figure's island with its first frame and the transcripts that it plays. The error is in words.
pub(crate) fn figure(block: &FigureBlock, files: &[SceneFile]) -> Result<String, String> {
    let FigureBlock { id, scene, at, .. } = block;
    let (frame, templates) = figure_of(block, files)?;
    let frame = to_string(&frame.view(&WIDTHS, FONT));
    Ok(format!(
        "<div class=\"island\" id=\"fig-{id}\" data-island=\"figure\" data-figure=\"{id}\" data-scene=\"{scene}\" \
         data-at=\"{at}\">\n{frame}\n{templates}</div>\n"
    ))
}

/// The figure at its first frame, and what it plays as templates.
pub(crate) fn figure_of(
    block: &FigureBlock,
    files: &[SceneFile],
) -> Result<(Figure, String), String> {
    let FigureBlock { id, at, label, say, .. } = block;
    let scripts: Result<Vec<Script>, String> = files
        .iter()
        .map(|file| {
            let script = Script::parse(&file.name, &file.text);
            script.map_err(|error| format!("{}.console: {error}", file.name))
        })
        .collect();
    let scripts = scripts?;
    let templates: String = scripts.iter().map(template).collect();
    let source =
        FigureSource { id: id.clone(), label: label.clone(), say: say.clone(), at: *at, scripts };
    let frame = Figure::new(source, false)?;
    if frame.story().position() != *at {
        let steps = frame.story().steps();
        return Err(format!("`at={at}` is beyond the {steps} steps of this scene"));
    }
    Ok((frame, templates))
}

/// The island of a figure of a whole cluster: its first frame, and what it plays. The error is in words.
pub(crate) fn exhibit(block: &ExhibitBlock) -> Result<String, String> {
    exhibit_of(&block.plan)
}

/// The same, of a plan.
pub(crate) fn exhibit_of(plan: &Plan) -> Result<String, String> {
    let Plan { id, text, at, setup, view, topic, partition, mark, is_terminal_open, .. } = plan;
    let frame = to_string(&Exhibit::new(plan.clone(), ROOM, false)?.view_at(&WIDTHS));
    let mut attributes = String::new();
    let mut add = |name: &str, value: &str| {
        if !value.is_empty() {
            attributes.push_str(&format!(" data-{name}=\"{}\"", escape(value)));
        }
    };
    add("at", at);
    add("setup", setup);
    add("view", view.name());
    add("topic", topic);
    add("partition", &partition.map(|number| number.to_string()).unwrap_or_default());
    add("mark", mark);
    add("terminal", if *is_terminal_open { "open" } else { "" });
    let text = escape(text);
    Ok(format!(
        "<div class=\"island\" id=\"fig-{id}\" data-island=\"exhibit\" data-program=\"lab\" data-figure=\"{id}\"{attributes}>\n\
         {frame}\n<template><pre>\n{text}</pre></template></div>\n"
    ))
}

/// The island of a listing that walks with a figure.
pub(crate) fn walk(figure: &str, walk: &Walk) -> String {
    let view = to_string(&walk.view(&[]));
    format!(
        "<div class=\"island\" data-island=\"walk\" data-program=\"lab\" data-figure=\"{figure}\">{view}</div>\n"
    )
}

/// The island of a task: its goals are for the figure's engine.
pub(crate) fn task(block: &TaskBlock) -> String {
    let TaskBlock { task, figure, .. } = block;
    let goals = task.steps.iter().map(|step| format!("<pre>{}</pre>", escape(&step.goal)));
    let goals: String = goals.collect();
    let (id, from, allow) = (&task.id, escape(&task.from), escape(&task.allow.join(" ")));
    let view = to_string(&task.view(false));
    format!(
        "<div class=\"island\" data-island=\"task\" data-program=\"lab\" data-task=\"{id}\" data-figure=\"{figure}\" \
         data-from=\"{from}\" data-allow=\"{allow}\">\n{view}\n<template>{goals}</template></div>\n"
    )
}

/// The island of a model: it needs no engine.
pub(crate) fn model(name: &str) -> String {
    let model = Model::new(name);
    let program = if matches!(model, Some(Model::Bytes(_))) { "lab" } else { "quiz" };
    let view = model.map(|model| to_string(&model.view(false))).unwrap_or_default();
    format!(
        "<div class=\"island\" data-island=\"model\" data-program=\"{program}\" data-model=\"{name}\">{view}</div>\n"
    )
}

/// What a script does, command by command, so that the page need not read transcripts.
fn template(script: &Script) -> String {
    let Script { name, continues, brokers, commands } = script;
    let continues =
        continues.iter().map(|before| format!(" data-continues=\"{}\"", escape(before)));
    let continues: String = continues.collect();
    let commands = commands.iter().map(|command| format!("<pre>{}</pre>\n", escape(command)));
    let commands: String = commands.collect();
    format!(
        "<template data-script=\"{name}\"{continues} data-brokers=\"{brokers}\">\n\
         {commands}</template>\n"
    )
}

/// A question's island: native radios, asleep buttons, a hint that needs no script.
pub(crate) fn quiz(block: &PredictBlock) -> String {
    let PredictBlock { id, figure, until, moment, action, prompt, options, hint, .. } = block;
    let mut attributes = format!("data-quiz=\"{id}\" data-figure=\"{figure}\"");
    if let Some(step) = until {
        attributes.push_str(&format!(" data-until=\"{step}\""));
    }
    if let Some(action) = action {
        attributes.push_str(&format!(" data-action=\"{action}\""));
    }
    let mut claims = String::new();
    if let Some(moment) = moment {
        attributes.push_str(&format!(" data-program=\"lab\" data-moment=\"{}\"", escape(moment)));
        for PredictOption { value, claim, .. } in options {
            let claim = escape(claim.as_deref().unwrap_or_default());
            claims.push_str(&format!("<pre data-value=\"{value}\">{claim}</pre>"));
        }
        claims = format!("<template>{claims}</template>");
    }
    let options =
        options.iter().map(|PredictOption { value, text, .. }| (value.clone(), text.clone()));
    let question = Question {
        id: id.clone(),
        prompt: prompt.clone(),
        options: options.collect(),
        hint: hint.clone(),
        until: *until,
        action: action.clone(),
        chosen: None,
        outcome: None,
    };
    let view = to_string(&question.view(false));
    format!("<div class=\"island\" data-island=\"quiz\" {attributes}>\n{view}\n{claims}</div>\n")
}
