//! The markup around a drawing and of a question, before the engine has loaded. The app draws the same
//! elements with the same classes (web/style/figure.css and its neighbours list them).

use crate::Icon;
use crate::block::{FigureBlock, PredictBlock};
use crate::html::{escape, icon_button};

/// The kind of one step on the timeline; each has a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepMark {
    /// A command of the reader: a diamond.
    Command,
    /// A failure: a triangle.
    Failure,
    /// An election or a rebalance: a square.
    Election,
}

impl StepMark {
    /// SVG path data around the point 0, 0.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Command => "M0-5l5 5-5 5-5-5z",
            Self::Failure => "M0-5l5.5 9.5h-11z",
            Self::Election => "M-4.2-4.2h8.4v8.4h-8.4z",
        }
    }
}

/// What a figure's first frame consists of, each part as HTML. Made by `highwater-scene`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FigureMarkup {
    /// The drawing (an `svg`), laid out for 480 px and more.
    pub wide: String,
    /// The drawing, laid out for 286 px: the figure's inner width in a window of 320.
    pub narrow: String,
    /// The items of the legend: `<span class="fig-legend-item">`.
    pub legend: String,
    /// The text twin: a `table`.
    pub table: String,
    /// The steps of the timeline, the first one at index 0.
    pub steps: Vec<StepMark>,
}

/// A figure's island with its first frame.
pub(crate) fn figure(block: &FigureBlock, markup: &FigureMarkup) -> String {
    let FigureBlock { id, scene, at, label, say, .. } = block;
    let FigureMarkup { wide, narrow, legend, table, steps } = markup;
    let label = escape(label);
    let transport = transport(steps, *at);
    format!(
        "<div class=\"island\" data-island=\"figure\" data-figure=\"{id}\" data-scene=\"{scene}\" \
         data-at=\"{at}\">
<figure class=\"fig\" translate=\"no\" aria-label=\"{label}\">
<p class=\"fig-say\">{say}</p>
<div class=\"fig-draw\">
<div class=\"fig-wide\">{wide}</div>
<div class=\"fig-narrow\">{narrow}</div>
</div>
<div class=\"fig-legend\">{legend}</div>
{transport}
<div class=\"did\"><p class=\"did-line\" data-engine-status role=\"status\">The buttons wake up as \
         soon as the simulator has loaded.<noscript> It needs JavaScript, which is off here.</noscript></p>
<button type=\"button\" class=\"btn btn-small\" disabled>Terminal</button></div>
<details class=\"twin\"><summary>Show as table</summary>
<div class=\"twin-scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{label}, as a table\">{table}</div>
</details>
</figure>
</div>
"
    )
}

fn transport(steps: &[StepMark], at: u32) -> String {
    let count = steps.len() as u32;
    let back = icon_button(Icon::StepBack, "Step back", "");
    let play = icon_button(Icon::Play, "Play", " btn-primary");
    let step = icon_button(Icon::Step, "Step", "");
    let done = percent(at, count);
    let marks: String = (1..)
        .zip(steps)
        .map(|(n, mark)| {
            let (x, path) = (percent(n, count), mark.path());
            format!(
                "<svg x=\"{x}\" y=\"9\" class=\"track-at\"><path class=\"track-mark\" d=\"{path}\"/></svg>"
            )
        })
        .collect();
    format!(
        "<div class=\"bar\" role=\"group\" aria-label=\"Time\">{back}{play}{step}
<div class=\"track\"><svg class=\"track-marks\" aria-hidden=\"true\">\
         <line class=\"track-line\" x1=\"0\" x2=\"100%\" y1=\"28\" y2=\"28\"/>\
         <line class=\"track-done\" x1=\"0\" x2=\"{done}\" y1=\"28\" y2=\"28\"/>{marks}</svg>\
         <input type=\"range\" class=\"track-input\" aria-label=\"Timeline\" min=\"0\" max=\"{count}\" \
         value=\"{at}\" disabled></div>
<span class=\"bar-time\">step {at} of {count}</span></div>"
    )
}

/// `part` of `whole` as a percentage for SVG, with two digits after the point.
fn percent(part: u32, whole: u32) -> String {
    let hundredths = u64::from(part.min(whole)) * 10_000 / u64::from(whole.max(1));
    format!("{}.{:02}%", hundredths / 100, hundredths % 100)
}

/// A question's island: native radios, asleep buttons, a hint that needs no script.
pub(crate) fn quiz(block: &PredictBlock) -> String {
    let PredictBlock { id, figure, until, prompt, options, hint } = block;
    let until = until.map_or_else(String::new, |step| format!(" data-until=\"{step}\""));
    let options: String = options
        .iter()
        .map(|option| {
            format!(
                "<label class=\"quiz-option\"><input type=\"radio\" name=\"{id}\" value=\"{}\">\
                 <span>{}</span></label>\n",
                option.value, option.text
            )
        })
        .collect();
    let hint = hint.as_ref().map_or_else(String::new, |hint| {
        format!("<details class=\"quiz-hint\"><summary>Hint</summary><p>{hint}</p></details>\n")
    });
    format!(
        "<div class=\"island\" data-island=\"quiz\" data-quiz=\"{id}\" data-figure=\"{figure}\"{until}>
<fieldset class=\"quiz\">
<legend class=\"quiz-legend\">Predict, then run</legend>
<p class=\"quiz-prompt\">{prompt}</p>
{options}<div class=\"quiz-actions\">\
         <button type=\"button\" class=\"btn btn-primary\" data-quiz-run disabled>Run it</button>
<button type=\"button\" class=\"btn btn-quiet\" data-quiz-skip disabled>Show me without guessing\
         </button></div>
{hint}<p class=\"quiz-verdict\" role=\"status\"></p>
</fieldset>
</div>
"
    )
}
