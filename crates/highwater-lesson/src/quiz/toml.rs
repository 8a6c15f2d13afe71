//! The `quiz` block: TOML with the field names of mdbook-quiz where they fit, and ours.
//!
//! Every field is named in [`FIELDS`], in `docs/AUTHORS.md` and in `docs/quiz.schema.json`; a test compares them.

mod choice;
mod drawn;
mod kinds;
mod predict;

use toml::de::DeTable;

use super::fields::{Block, Fields, Words, list, suggestion, table, text};
use super::hash::{Hash, from_hex};
use super::model::{Badge, Item, Kind, Question, Quiz};
use crate::fence::Fence;
use crate::markdown::{Names, Piece};
use crate::{LessonError, Source};

/// The fields of each table. A table of the schema has the same name.
pub const FIELDS: [(&str, &[&str]); 19] = [
    ("quiz", &["questions", "multipart"]),
    (
        "MultipleChoice",
        &["answer", "options", "several", "draw", "compute", "where", "run", "seeds"],
    ),
    (
        "MultipleChoice.prompt",
        &["prompt", "distractors", "answerIndex", "sortAnswers", "keepOrder"],
    ),
    ("MultipleChoice.answer", &["answer"]),
    ("option", &["text", "right", "feedback", "claim", "law", "at", "figure"]),
    ("ShortAnswer", &["answer", "draw", "compute", "where", "run", "seeds"]),
    ("ShortAnswer.prompt", &["prompt", "response"]),
    ("ShortAnswer.answer", &["answer", "alternatives", "caseSensitive"]),
    ("Tracing", &["answer", "draw", "compute", "where", "run", "seeds"]),
    ("Tracing.prompt", &["prompt", "program"]),
    ("Tracing.answer", &["doesCompile", "stdout", "lineNumber"]),
    ("Order", &["items", "before"]),
    ("Order.prompt", &["prompt"]),
    ("Match", &["pairs", "others", "draw", "compute", "where", "run", "seeds"]),
    ("Match.prompt", &["prompt"]),
    // A question that a figure answers has these alone.
    ("Predict", &["type", "id", "figure", "until", "action", "prompt", "options", "hints"]),
    ("Predict.prompt", &["prompt"]),
    ("prediction", &["text", "claim", "value"]),
    // Of every other question, beside those of its type. A variant has them all but `type` and `variants`.
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

/// The fields of a question that draws its variants, of those types that can.
pub const DRAWING: [&str; 5] = drawn::FIELDS;

/// The types of question.
pub const TYPES: [&str; 6] =
    ["MultipleChoice", "ShortAnswer", "Tracing", "Order", "Match", PREDICT];

/// The type that a figure answers.
const PREDICT: &str = "Predict";

/// The fields of a table of [`FIELDS`].
fn fields_of(table: &str) -> &'static [&'static str] {
    FIELDS.iter().find(|(name, _)| *name == table).map_or(&[], |(_, fields)| fields)
}

/// Reads one `quiz` block. Questions that a figure answers divide it: they belong to the figure, the others stand
/// alone. What stands behind one is named `ID-2`.
pub(crate) fn read_quiz(fence: &Fence<'_>, names: &mut Names) -> Result<Vec<Piece>, LessonError> {
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
    let pieces = read_body(Block { source: *source, base: 0, names: &mut names }, source.text, id)?;
    let quiz = pieces.into_iter().find_map(|piece| match piece {
        Piece::Quiz(quiz) => Some(quiz),
        _ => None,
    });
    Ok(quiz.unwrap_or_default())
}

fn read_body(mut block: Block<'_, '_>, body: &str, id: &str) -> Result<Vec<Piece>, LessonError> {
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
    let mut all: Vec<Item> = Vec::new();
    let mut parts = Parts { id, pieces: Vec::new(), count: 0 };
    for value in questions {
        let fields = table(&block, value, "a question")?;
        let name = type_of(&block, fields)?;
        if name == PREDICT {
            parts.pieces.push(Piece::Predict(predict::read(&mut block, fields)?));
            continue;
        }
        let item = read_item(&mut block, fields, name, shared)?;
        if all.iter().any(|other| other.hash() == item.hash()) {
            let remedy = "take one out, or ask something else in it";
            return Err(block.error(value.span().start, "this question is there twice", remedy));
        }
        if !item.id().is_empty() && all.iter().any(|other| other.id() == item.id()) {
            let problem = format!("a question with the id `{}` is there already", item.id());
            return Err(block.error(value.span().start, problem, "give each its own `id`"));
        }
        all.push(item.clone());
        parts.add(&mut block, value.span().start, item)?;
    }
    Ok(parts.pieces)
}

/// The parts of a block, which questions of figures divide.
struct Parts<'a> {
    id: &'a str,
    pieces: Vec<Piece>,
    /// How many of them stand alone.
    count: usize,
}

impl Parts<'_> {
    fn add(&mut self, block: &mut Block<'_, '_>, at: usize, item: Item) -> Result<(), LessonError> {
        if let Some(Piece::Quiz(quiz)) = self.pieces.last_mut() {
            quiz.items.push(item);
            return Ok(());
        }
        self.count += 1;
        let id = match self.count {
            1 => self.id.to_owned(),
            count => {
                let id = format!("{}-{count}", self.id);
                block.names.add_quiz(&block.source, block.base + at, &id)?;
                id
            }
        };
        self.pieces.push(Piece::Quiz(Quiz { id, items: vec![item] }));
        Ok(())
    }
}

/// The type of a question.
fn type_of(block: &Block<'_, '_>, fields: Fields<'_>) -> Result<&'static str, LessonError> {
    let kind = fields.need(block, "type")?;
    let name = text(block, kind, "type")?.text;
    TYPES.into_iter().find(|known| *known == name).ok_or_else(|| {
        let problem = format!("`{name}` is no type of question");
        block.error(kind.span().start, problem, suggestion(&name, &TYPES))
    })
}

fn read_item<'t>(
    block: &mut Block<'_, '_>,
    fields: Fields<'t>,
    name: &'static str,
    shared: Option<Fields<'t>>,
) -> Result<Item, LessonError> {
    let own = [fields_of("question"), fields_of(name)].concat();
    fields.know(block, &own)?;
    if drawn::draws(fields) {
        return read_drawn(block, fields, name, shared);
    }
    let mut variants = vec![Draft::read(block, fields, name, shared)?];
    if let Some(more) = fields.get("variants") {
        let allowed: Vec<&str> = own
            .iter()
            .copied()
            .filter(|field| !["type", "variants", "id", "was"].contains(field))
            .filter(|field| !DRAWING.contains(field))
            .collect();
        for value in list(block, more, "variants")? {
            let variant = table(block, value, "a variant")?;
            variant.know(block, &allowed)?;
            variants.push(Draft::read(block, variant.over(fields), name, shared)?);
        }
    }
    all_differ(block, fields, variants, "take one of them out")
}

/// A question whose variants are drawn.
fn read_drawn(
    block: &mut Block<'_, '_>,
    fields: Fields<'_>,
    name: &'static str,
    shared: Option<Fields<'_>>,
) -> Result<Item, LessonError> {
    let mut variants = Vec::new();
    for drawn in drawn::variants(block, fields)? {
        let plain = Fields::new(&drawn.table, fields.at, fields.what);
        let read = Draft::read(block, plain, name, shared);
        let mut question = read.map_err(|fault| drawn.explain(fault))?;
        if let Kind::Choice { options, .. } = &mut question.kind {
            options.iter_mut().for_each(|option| option.badge = Badge::Computed);
        }
        variants.push(question);
    }
    all_differ(block, fields, variants, "let the prompt say what is drawn")
}

fn all_differ(
    block: &Block<'_, '_>,
    fields: Fields<'_>,
    variants: Vec<Question>,
    remedy: &str,
) -> Result<Item, LessonError> {
    for (place, variant) in variants.iter().enumerate() {
        if variants[..place].iter().any(|other| other.hash == variant.hash) {
            return Err(block.error(fields.at, "two variants ask the same", remedy));
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
