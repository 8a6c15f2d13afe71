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
    let (at_id, at_figure) = (attributes.at("id"), attributes.at("figure"));
    let is_exhibit = place(&source, names, (at_id, id), (at_figure, figure))?;
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
    let way = Way {
        until: "add `until=MOMENT`: the moment of the figure that decides",
        option: "add options, one a line: `- value: words`",
        claim: "add a line `claim: EXPRESSION` below it: what is true at that moment if it is right",
    };
    check(&source, fence.offset, &block, is_exhibit, &way)?;
    Ok(block)
}

/// What to do about a question that lacks something, in the words of the place where it is written.
pub(crate) struct Way {
    pub(crate) until: &'static str,
    pub(crate) option: &'static str,
    pub(crate) claim: &'static str,
}

/// Gives a question its name and finds its figure, each with where it stands. Whether the figure is one of a whole
/// cluster: that has moments with names, a small one counts steps.
pub(crate) fn place(
    source: &Source<'_>,
    names: &mut Names,
    (at_id, id): (usize, &str),
    (at_figure, figure): (usize, &str),
) -> Result<bool, LessonError> {
    names.add_quiz(source, at_id, id)?;
    names.need_figure(source, at_figure, figure)?;
    Ok(names.transcript(figure).is_some())
}

/// Whether a question that was read can be decided.
pub(crate) fn check(
    source: &Source<'_>,
    at: usize,
    block: &PredictBlock,
    is_exhibit: bool,
    way: &Way,
) -> Result<(), LessonError> {
    if is_exhibit && block.moment.is_none() {
        return Err(source.error(at, "nothing answers this question", way.until));
    }
    if block.options.len() < 2 {
        let problem = "a question needs two options or more";
        return Err(source.error(at, problem, way.option));
    }
    let undecided = |option: &&PredictOption| option.claim.is_some() != is_exhibit;
    if let Some(option) = block.options.iter().find(undecided) {
        let problem = format!("the option `{}` cannot be decided", option.value);
        let without = "take its `claim` out: the figure decides by the option's name";
        let remedy = if is_exhibit { way.claim } else { without };
        return Err(source.error(at, problem, remedy));
    }
    Ok(())
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
