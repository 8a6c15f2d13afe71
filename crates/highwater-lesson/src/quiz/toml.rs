//! The `quiz` block: TOML with the field names of mdbook-quiz where they fit, and ours.
//!
//! Every field is named in [`FIELDS`], in `docs/AUTHORS.md` and in `docs/quiz.schema.json`; a test compares them.

use toml::de::DeTable;

use super::fields::{Block, Fields, Value, Words, list, number, suggestion, table, text};
use super::hash::{Hash, from_hex};
use super::model::{
    self, Badge, Choice, End, Item, Kind, Proof, ProofKind, Question, Quiz, Response,
};
use crate::fence::Fence;
use crate::markdown::Names;
use crate::{LessonError, Source};

/// The fields of each table. A table of the schema has the same name.
pub const FIELDS: [(&str, &[&str]); 16] = [
    ("quiz", &["questions", "multipart"]),
    ("MultipleChoice", &["answer", "options", "several"]),
    (
        "MultipleChoice.prompt",
        &["prompt", "distractors", "answerIndex", "sortAnswers", "keepOrder"],
    ),
    ("MultipleChoice.answer", &["answer"]),
    ("option", &["text", "right", "feedback", "claim", "law", "at", "figure"]),
    ("ShortAnswer", &["answer"]),
    ("ShortAnswer.prompt", &["prompt", "response"]),
    ("ShortAnswer.answer", &["answer", "alternatives", "caseSensitive"]),
    ("Tracing", &["answer"]),
    ("Tracing.prompt", &["prompt", "program"]),
    ("Tracing.answer", &["doesCompile", "stdout", "lineNumber"]),
    ("Order", &["items", "before"]),
    ("Order.prompt", &["prompt"]),
    ("Match", &["pairs", "others"]),
    ("Match.prompt", &["prompt"]),
    // Of every question, beside those of its type. A variant has them all but `type` and `variants`.
    ("question", &COMMON),
];

const COMMON: [&str; 10] = [
    "type",
    "id",
    "was",
    "multipart",
    "prompt",
    "context",
    "promptExplanation",
    "hints",
    "variants",
    "answer",
];

/// The types of question.
pub const TYPES: [&str; 5] = ["MultipleChoice", "ShortAnswer", "Tracing", "Order", "Match"];

/// The fields of a table of [`FIELDS`].
fn fields_of(table: &str) -> &'static [&'static str] {
    FIELDS.iter().find(|(name, _)| *name == table).map_or(&[], |(_, fields)| fields)
}

/// Reads one `quiz` block.
pub(crate) fn read_quiz(fence: &Fence<'_>, names: &mut Names) -> Result<Quiz, LessonError> {
    let attributes = fence.attributes(&["id"])?;
    let id = attributes.name("id")?;
    names.add_quiz(&fence.source, attributes.at("id"), id)?;
    let block = Block { source: fence.source, base: fence.body_offset, names };
    read_body(block, fence.body, id)
}

/// Reads a whole file of questions, as mdbook-quiz has them.
///
/// # Errors
/// The first fault, with its place and what to do.
pub fn read_file(source: &Source<'_>, id: &str) -> Result<Quiz, LessonError> {
    let mut names = Names::default();
    read_body(Block { source: *source, base: 0, names: &mut names }, source.text, id)
}

fn read_body(mut block: Block<'_, '_>, body: &str, id: &str) -> Result<Quiz, LessonError> {
    let parsed = DeTable::parse(body).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let problem = format!("this is no TOML: {}", error.message().trim_end_matches('.'));
        block.error(at, problem, "mend this place; texts of several lines stand between \"\"\"")
    })?;
    let quiz = Fields::new(parsed.get_ref(), 0, "a quiz");
    quiz.know(&block, fields_of("quiz"))?;
    let questions = match quiz.get("questions") {
        Some(value) => list(&block, value, "questions")?,
        None => &[],
    };
    if questions.is_empty() {
        let remedy = "begin with `[[questions]]` and `type = \"MultipleChoice\"`";
        return Err(block.error(0, "this quiz asks nothing", remedy));
    }
    let shared = quiz.table(&block, "multipart", "`multipart`")?;
    let mut items: Vec<Item> = Vec::new();
    for value in questions {
        let fields = table(&block, value, "a question")?;
        let item = read_item(&mut block, fields, shared)?;
        if items.iter().any(|other| other.hash() == item.hash()) {
            let remedy = "take one out, or ask something else in it";
            return Err(block.error(value.span().start, "this question is there twice", remedy));
        }
        if !item.id().is_empty() && items.iter().any(|other| other.id() == item.id()) {
            let problem = format!("a question with the id `{}` is there already", item.id());
            return Err(block.error(value.span().start, problem, "give each its own `id`"));
        }
        items.push(item);
    }
    Ok(Quiz { id: id.to_owned(), items })
}

fn read_item<'t>(
    block: &mut Block<'_, '_>,
    fields: Fields<'t>,
    shared: Option<Fields<'t>>,
) -> Result<Item, LessonError> {
    let kind = fields.need(block, "type")?;
    let name = text(block, kind, "type")?.text;
    let Some(name) = TYPES.into_iter().find(|known| *known == name) else {
        let problem = format!("`{name}` is no type of question");
        return Err(block.error(kind.span().start, problem, suggestion(&name, &TYPES)));
    };
    let own = [fields_of("question"), fields_of(name)].concat();
    fields.know(block, &own)?;
    let mut variants = vec![Draft::read(block, fields, name, shared)?];
    if let Some(more) = fields.get("variants") {
        let allowed: Vec<&str> = own
            .iter()
            .copied()
            .filter(|field| !["type", "variants", "id", "was"].contains(field))
            .collect();
        for value in list(block, more, "variants")? {
            let variant = table(block, value, "a variant")?;
            variant.know(block, &allowed)?;
            variants.push(Draft::read(block, variant.over(fields), name, shared)?);
        }
    }
    for (place, variant) in variants.iter().enumerate() {
        if variants[..place].iter().any(|other| other.hash == variant.hash) {
            return Err(block.error(
                fields.at,
                "two variants ask the same",
                "take one of them out",
            ));
        }
    }
    Ok(Item { variants })
}

/// A question under construction, with what its hash is made of.
struct Draft;

impl Draft {
    fn read<'t>(
        block: &mut Block<'_, '_>,
        fields: Fields<'t>,
        name: &'static str,
        shared: Option<Fields<'t>>,
    ) -> Result<Question, LessonError> {
        let mut hash = Hash::default();
        hash.text(name);
        let shared = shared_text(block, fields, shared)?;
        let prompt = fields.need(block, "prompt")?;
        let asks = fields.table(block, "prompt", "`prompt`")?;
        let asks = asks.unwrap_or(table(block, prompt, "`prompt`")?);
        asks.know(block, fields_of(&format!("{name}.prompt")))?;
        let words = match asks.text(block, "prompt")? {
            Some(words) => Some(words),
            None if name == "Tracing" => None,
            None => {
                let remedy = "add `prompt.prompt = \"...?\"`";
                return Err(block.error(asks.at, "this question asks nothing", remedy));
            }
        };
        shared.iter().chain(&words).for_each(|words| hash.text(&words.text));
        let kind = match name {
            "MultipleChoice" => multiple_choice(block, fields, asks, &mut hash)?,
            "ShortAnswer" => short_answer(block, fields, asks, &mut hash)?,
            "Tracing" => tracing(block, fields, asks, &mut hash)?,
            "Order" => order(block, fields, &mut hash)?,
            _ => matching(block, fields, &mut hash)?,
        };
        let shared = shared.map(|words| block.blocks(&words)).transpose()?.unwrap_or_default();
        let prompt = match words {
            Some(words) => block.blocks(&words)?,
            None => "<p>What does this do?</p>".to_owned(),
        };
        let context = fields.text(block, "context")?;
        let context = context.map(|words| block.blocks(&words)).transpose()?.unwrap_or_default();
        let hints = fields.texts(block, "hints")?;
        let hints = hints.iter().map(|hint| block.blocks(hint)).collect::<Result<_, _>>()?;
        Ok(Question {
            id: fields.text(block, "id")?.map(|words| words.text).unwrap_or_default(),
            hash: hash.end(),
            was: was(block, fields)?,
            shared,
            prompt,
            kind,
            context,
            hints,
            ask_why: fields.flag(block, "promptExplanation")?.unwrap_or_default(),
        })
    }
}

/// What the question has in common with others.
fn shared_text(
    block: &Block<'_, '_>,
    fields: Fields<'_>,
    shared: Option<Fields<'_>>,
) -> Result<Option<Words>, LessonError> {
    let Some(key) = fields.text(block, "multipart")? else { return Ok(None) };
    let found = shared.and_then(|shared| shared.get(&key.text));
    let Some(value) = found else {
        let problem = format!("nothing is called `{}` in `[multipart]`", key.text);
        let remedy = format!("add a line `{} = \"...\"` below `[multipart]`", key.text);
        return Err(block.error(key.span.start, problem, remedy));
    };
    text(block, value, &key.text).map(Some)
}

/// Hashes of older wordings: one or a list.
fn was(block: &Block<'_, '_>, fields: Fields<'_>) -> Result<Vec<u64>, LessonError> {
    let Some(value) = fields.get("was") else { return Ok(Vec::new()) };
    let words = match value.get_ref().as_str() {
        Some(_) => vec![text(block, value, "was")?],
        None => fields.texts(block, "was")?,
    };
    let hash = |words: &Words| {
        from_hex(&words.text).ok_or_else(|| {
            let problem = format!("`{}` is no hash of a question", words.text);
            let remedy = "copy the sixteen digits from `data-v` of the page as it was";
            block.error(words.span.start, problem, remedy)
        })
    };
    words.iter().map(hash).collect()
}

// ---- MultipleChoice -----------------------------------------------------------------------------

fn multiple_choice(
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
    if let Some(figure) = figure.as_ref().filter(|figure| !block.names.has_figure(&figure.text)) {
        let problem = format!("no figure above this question is named `{}`", figure.text);
        let remedy = "use the `id` of a `figure` block that stands before it";
        return Err(block.error(figure.span.start, problem, remedy));
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

// ---- The others ---------------------------------------------------------------------------------

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

fn short_answer(
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

fn tracing(
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

fn order(
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

fn matching(
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
