//! The `quiz` block: TOML with the field names of mdbook-quiz where they fit, and ours.
//!
//! Every field is named in [`FIELDS`], in `docs/AUTHORS.md` and in `docs/quiz.schema.json`; a test compares them.

mod choice;
mod kinds;

use toml::de::DeTable;

use super::fields::{Block, Fields, Words, list, suggestion, table, text};
use super::hash::{Hash, from_hex};
use super::model::{Item, Question, Quiz};
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
            "MultipleChoice" => choice::multiple_choice(block, fields, asks, &mut hash)?,
            "ShortAnswer" => kinds::short_answer(block, fields, asks, &mut hash)?,
            "Tracing" => kinds::tracing(block, fields, asks, &mut hash)?,
            "Order" => kinds::order(block, fields, &mut hash)?,
            _ => kinds::matching(block, fields, &mut hash)?,
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
