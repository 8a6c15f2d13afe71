//! A question of a quiz that a figure answers: the same as a block `predict`, in the fields of a quiz.

use super::fields_of;
use crate::LessonError;
use crate::block::{PredictBlock, PredictOption};
use crate::html::is_name;
use crate::predict::{Way, check, place};
use crate::quiz::fields::{Block, Fields, Value, Words, list, number, table, text};

const WAY: Way = Way {
    until: "add `until = \"MOMENT\"`: the moment of the figure that decides",
    option: "add `[[questions.options]]` tables with `text` and `claim`",
    claim: "add `claim`: what is true at that moment if it is right",
};

pub(super) fn read(
    block: &mut Block<'_, '_>,
    fields: Fields<'_>,
) -> Result<PredictBlock, LessonError> {
    fields.know(block, fields_of("Predict"))?;
    let id = named(block, fields, "id")?;
    let figure = text(block, fields.need(block, "figure")?, "figure")?;
    let (source, base) = (block.source, block.base);
    let at = |words: &Words| base + words.span.start;
    let is_exhibit = place(&source, block.names, (at(&id), &id.text), (at(&figure), &figure.text))?;
    let asks = table(block, fields.need(block, "prompt")?, "`prompt`")?;
    asks.know(block, fields_of("Predict.prompt"))?;
    let prompt = text(block, asks.need(block, "prompt")?, "prompt")?;
    let action = fields.get("action").map(|_| named(block, fields, "action")).transpose()?;
    let mut read = PredictBlock {
        id: id.text,
        figure: figure.text,
        until: None,
        moment: None,
        action: action.map(|words| words.text),
        prompt: block.inline(&prompt)?,
        options: Vec::new(),
        hint: hint(block, fields)?,
        line: source.position(base + fields.at).0,
    };
    if let Some(value) = fields.get("until") {
        if is_exhibit {
            read.moment = Some(moment(block, value)?);
        } else {
            read.until = u32::try_from(number(block, value, "until")?).ok();
        }
    }
    let options = match fields.get("options") {
        Some(value) => list(block, value, "options")?,
        None => &[],
    };
    for value in options {
        let option = read_option(block, value, &read)?;
        read.options.push(option);
    }
    check(&source, base + fields.at, &read, is_exhibit, &WAY)?;
    Ok(read)
}

/// A moment by its name, or by the number of commands that have finished.
fn moment(block: &Block<'_, '_>, value: Value<'_>) -> Result<String, LessonError> {
    if value.get_ref().is_integer() {
        return number(block, value, "until").map(|number| number.to_string());
    }
    text(block, value, "until").map(|words| words.text)
}

fn hint(block: &mut Block<'_, '_>, fields: Fields<'_>) -> Result<Option<String>, LessonError> {
    let hints = fields.texts(block, "hints")?;
    if let Some(second) = hints.get(1) {
        let remedy = "keep one: the figure shows the rest";
        return Err(block.error(second.span.start, "there are two hints", remedy));
    }
    hints.first().map(|hint| block.inline(hint)).transpose()
}

fn read_option(
    block: &mut Block<'_, '_>,
    value: Value<'_>,
    before: &PredictBlock,
) -> Result<PredictOption, LessonError> {
    let option = table(block, value, "an option")?;
    option.know(block, fields_of("prediction"))?;
    let words = text(block, option.need(block, "text")?, "text")?;
    let name = option.get("value").map(|_| named(block, option, "value")).transpose()?;
    let at = name.as_ref().map_or(option.at, |name| name.span.start);
    // The page names an option that has no name by its place.
    let name = name.map_or_else(|| format!("option-{}", before.options.len() + 1), |it| it.text);
    let text = block.inline(&words)?;
    for other in &before.options {
        if other.value == name {
            let remedy = "give every option a value of its own";
            return Err(block.error(at, format!("`{name}` is there twice"), remedy));
        }
        if other.text == text {
            let remedy = "change one, or take it out";
            return Err(block.error(words.span.start, "this option is there twice", remedy));
        }
    }
    let claim = option.text(block, "claim")?.map(|words| words.text.trim().to_owned());
    Ok(PredictOption { value: name, text, claim })
}

/// A name that the page uses: small letters, digits and dashes.
fn named(block: &Block<'_, '_>, fields: Fields<'_>, field: &str) -> Result<Words, LessonError> {
    let words = text(block, fields.need(block, field)?, field)?;
    if is_name(&words.text) {
        return Ok(words);
    }
    let problem = format!("`{}` cannot be a name", words.text);
    Err(block.error(words.span.start, problem, "use lower-case letters, digits and dashes"))
}
