//! Questions with options: ours with feedback, and those of mdbook-quiz with an answer and distractors.

use super::fields_of;
use crate::LessonError;
use crate::quiz::fields::{Block, Fields, Value, Words, list, number, table, text};
use crate::quiz::hash::Hash;
use crate::quiz::model::{Badge, Choice, Kind, Proof, ProofKind};

pub(super) fn multiple_choice(
    block: &mut Block<'_, '_>,
    fields: Fields<'_>,
    asks: Fields<'_>,
    hash: &mut Hash,
) -> Result<Kind, LessonError> {
    let (mut found, several) = match fields.get("options") {
        Some(options) => {
            if let Some(name) =
                ["distractors", "answerIndex"].into_iter().find(|it| asks.get(it).is_some())
            {
                let remedy = "keep the `options`";
                let problem = format!("`options` and `{name}` exclude each other");
                return Err(block.error(asks.place(name), problem, remedy));
            }
            if fields.get("answer").is_some() {
                let remedy = "write `right = true` in the option, and take `answer` out";
                let problem = "`options` and `answer` exclude each other";
                return Err(block.error(fields.place("answer"), problem, remedy));
            }
            let options = list(block, options, "options")?;
            let all: Result<Vec<_>, _> =
                options.iter().map(|one| read_option(block, one)).collect();
            (all?, false)
        }
        None => answer_and_distractors(block, fields, asks)?,
    };
    let several = fields.flag(block, "several")?.unwrap_or(several)
        || found.iter().filter(|(_, option)| option.right).count() > 1;
    check_options(block, fields, &found)?;
    let (sorted, kept) =
        (asks.flag(block, "sortAnswers")?.unwrap_or_default(), asks.flag(block, "keepOrder")?);
    if sorted {
        found.sort_by(|(one, _), (other, _)| one.text.trim().cmp(other.text.trim()));
    } else if let Some(index) = asks.number(block, "answerIndex")? {
        place_answer(block, asks, &mut found, index)?;
    }
    let mut texts: Vec<(&str, bool)> =
        found.iter().map(|(words, option)| (words.text.trim(), option.right)).collect();
    texts.sort_unstable();
    hash.number(several.into());
    for (text, right) in texts {
        hash.text(text);
        hash.number(right.into());
    }
    let shuffle = !sorted && kept != Some(true) && asks.get("answerIndex").is_none();
    let options = found.into_iter().map(|(_, option)| option).collect();
    Ok(Kind::Choice { several, shuffle, options })
}

type Found = (Words, Choice);

/// The way of mdbook-quiz: what is right is in `answer`, the others are distractors.
fn answer_and_distractors(
    block: &mut Block<'_, '_>,
    fields: Fields<'_>,
    asks: Fields<'_>,
) -> Result<(Vec<Found>, bool), LessonError> {
    let Some(answer) = fields.table(block, "answer", "`answer`")? else {
        let remedy =
            "add `[[questions.options]]` tables, or `answer.answer` and `prompt.distractors`";
        return Err(block.error(fields.at, "this question has no options", remedy));
    };
    answer.know(block, fields_of("MultipleChoice.answer"))?;
    let value = answer.need(block, "answer")?;
    let several = value.get_ref().is_array();
    let right =
        if several { answer.texts(block, "answer")? } else { vec![text(block, value, "answer")?] };
    let wrong = asks.texts(block, "distractors")?;
    let mut found = Vec::new();
    for (words, right) in
        right.into_iter().map(|it| (it, true)).chain(wrong.into_iter().map(|it| (it, false)))
    {
        let text = block.inline(&words)?;
        found.push((words, Choice { text, right, ..Choice::default() }));
    }
    Ok((found, several))
}

fn read_option(block: &mut Block<'_, '_>, value: Value<'_>) -> Result<Found, LessonError> {
    let option = table(block, value, "an option")?;
    option.know(block, fields_of("option"))?;
    let words = text(block, option.need(block, "text")?, "text")?;
    let feedback = option.text(block, "feedback")?;
    let right = option.flag(block, "right")?.unwrap_or_default();
    let proof = proof(block, option)?;
    let badge = match &proof {
        Some(Proof { kind: ProofKind::Claim, .. }) => Badge::Computed,
        // That a law held in all runs that were tried is no proof of it.
        Some(Proof { kind: ProofKind::Law, .. }) if !right => Badge::Counterexample,
        _ => Badge::Explained,
    };
    let choice = Choice {
        text: block.inline(&words)?,
        right,
        feedback: feedback.map(|words| block.inline(&words)).transpose()?.unwrap_or_default(),
        badge,
        proof,
    };
    Ok((words, choice))
}

fn proof(block: &Block<'_, '_>, option: Fields<'_>) -> Result<Option<Proof>, LessonError> {
    let (claim, law) = (option.text(block, "claim")?, option.text(block, "law")?);
    let (kind, words) = match (claim, law) {
        (Some(_), Some(law)) => {
            let remedy = "keep the one that says what the option says";
            return Err(block.error(
                law.span.start,
                "`claim` and `law` exclude each other",
                remedy,
            ));
        }
        (Some(claim), None) => (ProofKind::Claim, claim),
        (None, Some(law)) => (ProofKind::Law, law),
        (None, None) => {
            if let Some(name) = ["at", "figure"].into_iter().find(|name| option.get(name).is_some())
            {
                let problem = format!("`{name}` says where a `claim` holds, and there is none");
                return Err(block.error(option.place(name), problem, "add the `claim`"));
            }
            return Ok(None);
        }
    };
    let at = match option.get("at") {
        Some(value) if value.get_ref().is_integer() => number(block, value, "at")?.to_string(),
        Some(value) => text(block, value, "at")?.text,
        None => String::new(),
    };
    let figure = option.text(block, "figure")?;
    if let Some(figure) = &figure {
        let at = block.base + figure.span.start;
        block.names.need_figure(&block.source, at, &figure.text)?;
    }
    Ok(Some(Proof {
        kind,
        text: words.text.trim().to_owned(),
        offset: block.base + words.span.start,
        at,
        figure: figure.map(|words| words.text).unwrap_or_default(),
    }))
}

fn check_options(
    block: &Block<'_, '_>,
    fields: Fields<'_>,
    found: &[Found],
) -> Result<(), LessonError> {
    let at = fields.at;
    if found.len() < 2 {
        let remedy = "add options, or `prompt.distractors`";
        return Err(block.error(at, "a choice needs two options or more", remedy));
    }
    if !found.iter().any(|(_, option)| option.right) {
        return Err(block.error(at, "no option is right", "write `right = true` in one of them"));
    }
    for (place, (words, _)) in found.iter().enumerate() {
        if found[..place].iter().any(|(other, _)| other.text.trim() == words.text.trim()) {
            let remedy = "change one, or take it out";
            return Err(block.error(words.span.start, "this option is there twice", remedy));
        }
    }
    Ok(())
}

/// mdbook-quiz's `answerIndex`: the right option goes to that place, the others keep their order.
fn place_answer(
    block: &Block<'_, '_>,
    asks: Fields<'_>,
    found: &mut Vec<Found>,
    index: usize,
) -> Result<(), LessonError> {
    let right: Vec<usize> = (0..found.len()).filter(|place| found[*place].1.right).collect();
    let [from] = right[..] else {
        let remedy = "use `keepOrder = true` with `options`";
        let problem = "`answerIndex` is for one right answer";
        return Err(block.error(asks.place("answerIndex"), problem, remedy));
    };
    if index >= found.len() {
        let problem = format!("there are {} options, counted from 0", found.len());
        let remedy = format!("use a number up to {}", found.len() - 1);
        return Err(block.error(asks.place("answerIndex"), problem, remedy));
    }
    let answer = found.remove(from);
    found.insert(index, answer);
    Ok(())
}
