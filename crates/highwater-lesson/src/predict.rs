//! A `predict` block: a prompt, two or more options `- value: words`, and perhaps `hint: words`. Where the figure is
//! one of a whole cluster, each option has a line `claim: EXPRESSION` below it.

use crate::block::{PredictBlock, PredictOption};
use crate::fence::Fence;
use crate::html::is_name;
use crate::markdown::{Names, inline};
use crate::{LessonError, Source};

/// Reads one `predict` block.
pub(crate) fn read_predict(
    fence: &Fence<'_>,
    names: &mut Names,
) -> Result<PredictBlock, LessonError> {
    let attributes = fence.attributes(&["id", "figure", "until", "action"])?;
    let source = fence.source;
    let (id, figure) = (attributes.name("id")?, attributes.name("figure")?);
    names.add_quiz(&source, attributes.at("id"), id)?;
    names.need_figure(&source, attributes.at("figure"), figure)?;
    // A figure of a whole cluster has moments with names, a small one counts steps.
    let is_exhibit = names.transcript(figure).is_some();
    if is_exhibit && !attributes.has("until") {
        let remedy = "add `until=MOMENT`: the moment of the figure that decides";
        return Err(source.error(fence.offset, "nothing answers this question", remedy));
    }
    let prompt_end = fence.body.find("\n- ").map_or(fence.body.len(), |at| at + 1);
    let (prompt, rest) = fence.body.split_at(prompt_end);
    if prompt.trim().is_empty() || prompt.starts_with("- ") {
        let remedy = "write the question before the first option";
        return Err(source.error(fence.body_offset, "this question asks nothing", remedy));
    }
    let mut block = PredictBlock {
        id: id.to_owned(),
        figure: figure.to_owned(),
        until: if is_exhibit { None } else { attributes.number("until")? },
        moment: attributes.optional("until").filter(|_| is_exhibit).map(str::to_owned),
        action: attributes.optional_name("action")?.map(str::to_owned),
        prompt: inline(source, prompt, fence.body_offset, names)?,
        options: Vec::new(),
        hint: None,
        line: source.position(fence.offset).0,
    };
    let mut offset = fence.body_offset + prompt_end;
    for line in rest.split_inclusive('\n') {
        read_line(&source, &mut block, line, offset, names)?;
        offset += line.len();
    }
    if block.options.len() < 2 {
        let remedy = "add options, one a line: `- value: words`";
        return Err(source.error(fence.offset, "a question needs two options or more", remedy));
    }
    if let Some(option) = block.options.iter().find(|option| option.claim.is_some() != is_exhibit) {
        let problem = format!("the option `{}` cannot be decided", option.value);
        let remedy = if is_exhibit {
            "add a line `claim: EXPRESSION` below it: what is true at that moment if it is right"
        } else {
            "take its `claim` out: the figure decides by the option's name"
        };
        return Err(source.error(fence.offset, problem, remedy));
    }
    Ok(block)
}

fn read_line(
    source: &Source<'_>,
    block: &mut PredictBlock,
    line: &str,
    offset: usize,
    names: &mut Names,
) -> Result<(), LessonError> {
    if line.trim().is_empty() {
        return Ok(());
    }
    if let Some(claim) = line.trim_start().strip_prefix("claim: ") {
        let Some(option) = block.options.last_mut().filter(|option| option.claim.is_none()) else {
            let remedy = "write one `claim: ` line below each option";
            return Err(source.error(offset, "this claim belongs to no option", remedy));
        };
        option.claim = Some(claim.trim().to_owned());
        return Ok(());
    }
    if let Some(hint) = line.strip_prefix("hint: ") {
        let words = inline(*source, hint, offset + line.len() - hint.len(), names)?;
        if block.hint.replace(words).is_some() {
            return Err(source.error(offset, "there are two hints", "keep one"));
        }
        return Ok(());
    }
    let parts = line.strip_prefix("- ").and_then(|option| option.split_once(": "));
    let Some((value, words)) = parts.filter(|(value, _)| is_name(value)) else {
        let remedy = "write an option as `- value: words`, or a hint as `hint: words`";
        return Err(source.error(offset, "this is neither an option nor a hint", remedy));
    };
    if block.options.iter().any(|option| option.value == value) {
        let remedy = "give every option a value of its own";
        return Err(source.error(offset + 2, format!("`{value}` is there twice"), remedy));
    }
    let text = inline(*source, words, offset + line.len() - words.len(), names)?;
    block.options.push(PredictOption { value: value.to_owned(), text, claim: None });
    Ok(())
}
