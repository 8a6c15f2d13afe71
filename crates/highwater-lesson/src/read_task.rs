//! A `task` block: what is asked for, steps `- words` with a line `goal: EXPRESSION` each, `allow: names`,
//! `hint: words`, and a solution of `$ ` lines for the check.

use crate::block::TaskBlock;
use crate::fence::Fence;
use crate::markdown::{Names, inline};
use crate::task::{Task, TaskStep};
use crate::{LessonError, Source};

/// Reads one `task` block.
pub(crate) fn read_task(fence: &Fence<'_>, names: &mut Names) -> Result<TaskBlock, LessonError> {
    let source = fence.source;
    let attributes = fence.attributes(&["id", "figure", "from"])?;
    let (id, figure) = (attributes.name("id")?, attributes.name("figure")?);
    names.add_quiz(&source, attributes.at("id"), id)?;
    names.need_transcript(&source, attributes.at("figure"), figure)?;
    let end = fence.body.find("\n- ").map_or(fence.body.len(), |at| at + 1);
    let (prompt, rest) = fence.body.split_at(end);
    if prompt.trim().is_empty() {
        let remedy = "write what is to be brought about before the first step";
        return Err(source.error(fence.body_offset, "this task asks for nothing", remedy));
    }
    let task = Task {
        id: id.to_owned(),
        prompt: inline(source, prompt, fence.body_offset, names)?,
        steps: Vec::new(),
        from: attributes.optional("from").unwrap_or("end").to_owned(),
        allow: Vec::new(),
        hints: Vec::new(),
        has_begun: false,
        refused: None,
    };
    let line = source.position(fence.offset).0;
    let mut block = TaskBlock { task, figure: figure.to_owned(), solution: Vec::new(), line };
    let mut offset = fence.body_offset + end;
    for line in rest.split_inclusive('\n') {
        read_line(&source, &mut block, line, offset, names)?;
        offset += line.len();
    }
    let incomplete =
        block.task.steps.is_empty() || block.task.steps.iter().any(|step| step.goal.is_empty());
    if incomplete {
        let remedy = "write steps `- words`, each with a line `goal: EXPRESSION` below it";
        return Err(source.error(fence.offset, "this task cannot tick itself off", remedy));
    }
    if block.solution.is_empty() {
        let remedy = "end the block with a solution: lines that begin with `$ `";
        return Err(source.error(
            fence.offset,
            "nobody has shown that this task can be done",
            remedy,
        ));
    }
    Ok(block)
}

fn read_line(
    source: &Source<'_>,
    block: &mut TaskBlock,
    line: &str,
    offset: usize,
    names: &mut Names,
) -> Result<(), LessonError> {
    let task = &mut block.task;
    let mut words = |text: &str| inline(*source, text, offset + line.len() - text.len(), names);
    if line.trim().is_empty() {
        return Ok(());
    }
    if let Some(text) = line.strip_prefix("- ") {
        let words = words(text)?;
        task.steps.push(TaskStep { words, goal: String::new(), is_done: false });
    } else if let Some(goal) = line.trim_start().strip_prefix("goal: ") {
        let Some(step) = task.steps.last_mut().filter(|step| step.goal.is_empty()) else {
            let remedy = "write one `goal: ` line below each step";
            return Err(source.error(offset, "this goal belongs to no step", remedy));
        };
        goal.trim().clone_into(&mut step.goal);
    } else if let Some(hint) = line.strip_prefix("hint: ") {
        task.hints.push(words(hint)?);
    } else if let Some(allow) = line.strip_prefix("allow: ") {
        task.allow = allow
            .split([',', ' '])
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect();
    } else if let Some(command) = line.strip_prefix("$ ") {
        block.solution.push(command.trim_end().to_owned());
    } else {
        let remedy =
            "write `- step`, `goal: `, `hint: `, `allow: `, or `$ command` of the solution";
        return Err(source.error(offset, "this line is none of a task", remedy));
    }
    Ok(())
}
