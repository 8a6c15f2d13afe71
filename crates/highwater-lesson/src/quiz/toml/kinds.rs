//! Questions whose answer is typed, traced, put into order or matched.

use super::fields_of;
use crate::LessonError;
use crate::quiz::fields::{Block, Fields, Value, Words, list, number, suggestion, table, text};
use crate::quiz::hash::Hash;
use crate::quiz::model::{self, End, Kind, Response};

fn need_answer<'t>(
    block: &Block<'_, '_>,
    fields: Fields<'t>,
    known: &str,
) -> Result<Fields<'t>, LessonError> {
    let answer = fields.table(block, "answer", "`answer`")?;
    let answer = match answer {
        Some(answer) => answer,
        None => table(block, fields.need(block, "answer")?, "`answer`")?,
    };
    answer.know(block, fields_of(known))?;
    Ok(answer)
}

pub(super) fn short_answer(
    block: &Block<'_, '_>,
    fields: Fields<'_>,
    asks: Fields<'_>,
    hash: &mut Hash,
) -> Result<Kind, LessonError> {
    let response = match asks.text(block, "response")? {
        None => Response::Short,
        Some(words) => {
            let found = Response::ALL.into_iter().find(|known| known.name() == words.text);
            found.ok_or_else(|| {
                let problem = format!("`{}` is no kind of response", words.text);
                let known = Response::ALL.map(Response::name);
                block.error(words.span.start, problem, suggestion(&words.text, &known))
            })?
        }
    };
    let answer = need_answer(block, fields, "ShortAnswer.answer")?;
    let mut answers = vec![text(block, answer.need(block, "answer")?, "answer")?];
    answers.extend(answer.texts(block, "alternatives")?);
    let case = answer.flag(block, "caseSensitive")?;
    if case == Some(false) && response == Response::Code {
        let remedy = "take it out, or use `prompt.response = \"short\"`";
        let problem = "in code, case always counts";
        return Err(block.error(answer.place("caseSensitive"), problem, remedy));
    }
    let case = case.unwrap_or_default();
    for (place, words) in answers.iter().enumerate() {
        if response == Response::Numeric && model::number(&words.text).is_none() {
            let problem = format!("`{}` is no number", words.text);
            return Err(block.error(words.span.start, problem, "write digits, as in \"3544.5\""));
        }
        let same = |other: &Words| response.is_same(case, &other.text, &words.text);
        if answers[..place].iter().any(same) {
            let remedy = "take it out";
            return Err(block.error(words.span.start, "this answer counts already", remedy));
        }
    }
    hash.text(response.name());
    hash.number(case.into());
    answers.iter().for_each(|words| hash.text(&words.text));
    let answers = answers.into_iter().map(|words| words.text.trim_end().to_owned()).collect();
    Ok(Kind::Short { response, case, answers })
}

pub(super) fn tracing(
    block: &Block<'_, '_>,
    fields: Fields<'_>,
    asks: Fields<'_>,
    hash: &mut Hash,
) -> Result<Kind, LessonError> {
    let program = text(block, asks.need(block, "program")?, "program")?;
    let program = program.text.trim_end().to_owned();
    let answer = need_answer(block, fields, "Tracing.answer")?;
    answer.need(block, "doesCompile")?;
    let succeeds = answer.flag(block, "doesCompile")?.unwrap_or_default();
    let (stray, remedy) = if succeeds {
        ("lineNumber", "take it out, or write `answer.doesCompile = false`")
    } else {
        ("stdout", "take it out, or write `answer.doesCompile = true`")
    };
    if answer.get(stray).is_some() {
        let ends = if succeeds { "succeeds" } else { "fails" };
        let problem = format!("a program that {ends} has no `{stray}`");
        return Err(block.error(answer.place(stray), problem, remedy));
    }
    let end = if succeeds {
        let printed = answer.get("stdout").map(|value| match value.get_ref().as_str() {
            // A program may print nothing.
            Some(printed) => Ok(printed.to_owned()),
            None => text(block, value, "stdout").map(|words| words.text),
        });
        End::Succeeds(printed.transpose()?)
    } else {
        let line = answer.number(block, "lineNumber")?;
        let lines = program.lines().count();
        if let Some(line) = line.filter(|line| !(1..=lines).contains(line)) {
            let problem = format!("the program has {lines} lines, and no line {line}");
            let remedy = "count its lines from 1";
            return Err(block.error(answer.place("lineNumber"), problem, remedy));
        }
        End::Fails(line.and_then(|line| u32::try_from(line).ok()))
    };
    hash.text(&program);
    match &end {
        End::Succeeds(prints) => hash.text(prints.as_deref().unwrap_or("it succeeds")),
        End::Fails(line) => hash.number(line.map_or(0, u64::from)),
    }
    Ok(Kind::Tracing { program, end })
}

pub(super) fn order(
    block: &mut Block<'_, '_>,
    fields: Fields<'_>,
    hash: &mut Hash,
) -> Result<Kind, LessonError> {
    fields.need(block, "items")?;
    let items = fields.texts(block, "items")?;
    unique(block, &items, "this item is there twice")?;
    if items.len() < 2 {
        let remedy = "list them in a right order";
        return Err(block.error(fields.place("items"), "an order needs two items or more", remedy));
    }
    let mut before: Vec<(usize, usize)> = Vec::new();
    match fields.get("before") {
        None => before.extend((1..items.len()).map(|then| (then - 1, then))),
        Some(value) => {
            for rule in list(block, value, "before")? {
                before.push(read_rule(block, rule, items.len())?);
            }
        }
    }
    if before.is_empty() {
        let remedy =
            "add rules as in `before = [[1, 2]]`, or take it out: the list is the order then";
        return Err(block.error(fields.place("before"), "every order is right", remedy));
    }
    items.iter().for_each(|words| hash.text(&words.text));
    for (first, then) in &before {
        hash.number(*first as u64);
        hash.number(*then as u64);
    }
    let items = items.iter().map(|words| block.inline(words)).collect::<Result<_, _>>()?;
    Ok(Kind::Order { items, before })
}

/// `[1, 3]`: the first item stands before the third.
fn read_rule(
    block: &Block<'_, '_>,
    rule: Value<'_>,
    count: usize,
) -> Result<(usize, usize), LessonError> {
    let at = rule.span().start;
    let remedy = "write two numbers of items, counted from 1, as in `[1, 3]`";
    let [first, then] = list(block, rule, "before")? else {
        return Err(block.error(at, "a rule names two items", remedy));
    };
    let (first, then) = (number(block, first, "before")?, number(block, then, "before")?);
    if first == 0 || then == 0 || first.max(then) > count {
        return Err(block.error(at, format!("there are {count} items"), remedy));
    }
    if first >= then {
        let problem = format!("`items` has {then} before {first}, or they are one");
        let remedy = "list the items in an order that keeps to the rules";
        return Err(block.error(at, problem, remedy));
    }
    Ok((first - 1, then - 1))
}

pub(super) fn matching(
    block: &mut Block<'_, '_>,
    fields: Fields<'_>,
    hash: &mut Hash,
) -> Result<Kind, LessonError> {
    let pairs = list(block, fields.need(block, "pairs")?, "pairs")?;
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for pair in pairs {
        let [one, other] = list(block, pair, "pairs")? else {
            let remedy = "write `[\"one\", \"what fits it\"]`";
            return Err(block.error(pair.span().start, "a pair has two texts", remedy));
        };
        left.push(text(block, one, "pairs")?);
        right.push(text(block, other, "pairs")?);
    }
    unique(block, &left, "what is matched is there twice")?;
    if left.len() < 2 {
        let remedy = "add pairs";
        return Err(block.error(fields.place("pairs"), "a match needs two pairs or more", remedy));
    }
    let others = fields.texts(block, "others")?;
    unique(block, &others, "this is there twice")?;
    let mut partners: Vec<String> =
        right.iter().chain(&others).map(|words| words.text.trim().to_owned()).collect();
    // By their words, so that their order tells nothing.
    partners.sort();
    partners.dedup();
    if partners.len() < 2 {
        let remedy = "let them fit different things, or add `others`";
        return Err(block.error(fields.place("pairs"), "there is one thing to choose", remedy));
    }
    for words in &others {
        if right.iter().any(|fits| fits.text.trim() == words.text.trim()) {
            let remedy = "take it out of `others`";
            return Err(block.error(words.span.start, "this fits one of the pairs", remedy));
        }
    }
    let mut rows = Vec::with_capacity(left.len());
    for (words, fits) in left.iter().zip(&right) {
        let place = partners.iter().position(|partner| *partner == fits.text.trim());
        rows.push((block.inline(words)?, place.unwrap_or_default()));
        hash.text(&words.text);
        hash.text(&fits.text);
    }
    partners.iter().for_each(|partner| hash.text(partner));
    Ok(Kind::Match { rows, partners })
}

fn unique(block: &Block<'_, '_>, all: &[Words], problem: &str) -> Result<(), LessonError> {
    for (place, words) in all.iter().enumerate() {
        if all[..place].iter().any(|other| other.text.trim() == words.text.trim()) {
            return Err(block.error(words.span.start, problem, "change one, or take it out"));
        }
    }
    Ok(())
}
