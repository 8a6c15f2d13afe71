//! What a reader whose first language is another one needs: short sentences, terms that are defined before they are
//! used, and sections that end.

use std::collections::BTreeMap;
use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::{LessonError, Source};

/// The most words of a sentence, and of all on average.
const WORDS_MAX: usize = 30;
const MEAN_MAX: usize = 18;
/// Words that are read in a minute, and how many seconds a figure or a question takes.
const WORDS_A_MINUTE: usize = 180;
const SECONDS_A_BLOCK: usize = 30;
/// The most minutes of what everybody reads, and of a section that goes deeper; its most new terms.
const CORE_MINUTES: usize = 12;
const DEEPER_MINUTES: usize = 5;
const DEEPER_TERMS: usize = 3;
/// How the heading of a section begins that goes deeper.
pub(crate) const DEEPER: &str = "Go deeper: ";

/// Kafka's terms, each with the words that stand for it.
const VOCABULARY: [(&str, &[&str]); 44] = [
    ("record", &["record", "records"]),
    ("topic", &["topic", "topics"]),
    ("partition", &["partition", "partitions"]),
    ("offset", &["offset", "offsets"]),
    ("key", &["key", "keys"]),
    ("broker", &["broker", "brokers"]),
    ("client", &["client", "clients"]),
    ("producer", &["producer", "producers"]),
    ("consumer", &["consumer", "consumers"]),
    ("partitioner", &["partitioner", "partitioners"]),
    ("batch", &["batch", "batches"]),
    ("position", &["position", "positions"]),
    ("consumer-group", &["consumer group", "consumer groups"]),
    ("committed-offset", &["committed offset", "committed offsets"]),
    ("lag", &["lag"]),
    ("high-watermark", &["high watermark", "high watermarks"]),
    ("log-end-offset", &["log end offset"]),
    ("log-start-offset", &["log start offset"]),
    ("segment", &["segment", "segments"]),
    ("retention", &["retention"]),
    ("compaction", &["compaction", "compacted"]),
    ("tombstone", &["tombstone", "tombstones"]),
    ("replica", &["replica", "replicas"]),
    ("replication-factor", &["replication factor"]),
    ("follower", &["follower", "followers"]),
    ("in-sync-replica", &["in-sync replica", "in-sync replicas", "ISR"]),
    ("acks", &["acks"]),
    ("min-insync-replicas", &["min.insync.replicas"]),
    ("leader-epoch", &["leader epoch", "leader epochs"]),
    ("unclean-election", &["unclean election", "unclean leader election"]),
    ("controller", &["controller", "controllers"]),
    ("quorum", &["quorum"]),
    ("coordinator", &["coordinator", "group coordinator"]),
    ("rebalance", &["rebalance", "rebalances", "rebalancing"]),
    ("assignor", &["assignor", "assignors"]),
    ("generation", &["generation", "generations"]),
    ("heartbeat", &["heartbeat", "heartbeats"]),
    ("static-member", &["static member", "static members", "static membership"]),
    ("at-least-once", &["at least once", "at-least-once"]),
    ("at-most-once", &["at most once", "at-most-once"]),
    ("idempotence", &["idempotence", "idempotent"]),
    ("transaction", &["transaction", "transactions"]),
    ("serializer", &["serializer", "serializers"]),
    ("deserializer", &["deserializer", "deserializers"]),
];

/// A part of a lesson: what everybody reads, or a section that goes deeper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its heading; empty: the core.
    pub title: String,
    /// Words of its prose.
    pub words: usize,
    /// Figures and questions.
    pub blocks: usize,
    /// Terms that are defined in it.
    pub terms: usize,
    /// Where it begins.
    pub(crate) offset: usize,
}

impl Part {
    /// How long it takes, rounded up.
    #[must_use]
    pub fn minutes(&self) -> usize {
        ((self.words * 60).div_ceil(WORDS_A_MINUTE) + self.blocks * SECONDS_A_BLOCK).div_ceil(60)
    }
}

/// A run of words: a paragraph, an item of a list.
#[derive(Default)]
struct Passage {
    text: String,
    /// Where pieces of the text begin, in it and in the source.
    places: Vec<(usize, usize)>,
}

impl Passage {
    fn push(&mut self, text: &str, offset: usize) {
        self.places.push((self.text.len(), offset));
        self.text.push_str(text);
    }

    fn offset(&self, at: usize) -> usize {
        let after = self.places.partition_point(|(start, _)| *start <= at);
        let (start, offset) = after.checked_sub(1).map_or((0, 0), |place| self.places[place]);
        offset + at - start
    }
}

/// What is wrong with the prose of a lesson that begins at `start`. `known` are the terms of the lessons before.
pub(crate) fn faults(
    source: &Source<'_>,
    start: usize,
    known: &BTreeMap<String, String>,
) -> Vec<LessonError> {
    let passages = passages(&source.text[start..], start);
    let mut faults = long_sentences(source, &passages);
    faults.extend(early_terms(source, &passages, known));
    for part in parts(source, start) {
        faults.extend(too_long(source, &part));
    }
    faults
}

fn too_long(source: &Source<'_>, part: &Part) -> Option<LessonError> {
    let (minutes, is_core) = (part.minutes(), part.title.is_empty());
    let most = if is_core { CORE_MINUTES } else { DEEPER_MINUTES };
    if minutes > most {
        let what = if is_core { "the core of this lesson" } else { "this section" };
        let problem = format!("{what} takes {minutes} minutes, {most} are the most");
        let remedy = format!("shorten it, or move something into a section `## {DEEPER}...`");
        return Some(source.error(part.offset, problem, remedy));
    }
    if !is_core && part.terms > DEEPER_TERMS {
        let problem =
            format!("this section defines {} terms, {DEEPER_TERMS} are the most", part.terms);
        return Some(source.error(part.offset, problem, "divide it into two"));
    }
    None
}

/// The core and the sections that go deeper.
pub(crate) fn parts(source: &Source<'_>, start: usize) -> Vec<Part> {
    let text = &source.text[start..];
    let part = |title: &str, offset| Part {
        title: title.to_owned(),
        words: 0,
        blocks: 0,
        terms: 0,
        offset,
    };
    let mut parts = vec![part("", start)];
    for (at, _) in text.match_indices("\n## ") {
        let title = text[at + 4..].lines().next().unwrap_or_default();
        if let Some(title) = title.strip_prefix(DEEPER) {
            parts.push(part(title, start + at + 1));
        }
    }
    let starts: Vec<usize> = parts.iter().map(|part| part.offset).collect();
    let place = |offset: usize| starts.partition_point(|start| *start <= offset).saturating_sub(1);
    for passage in passages(text, start) {
        let place = place(passage.offset(0));
        parts[place].words += passage.text.split_whitespace().count();
    }
    for (at, _) in text.match_indices("\n```") {
        let info = text[at + 4..].lines().next().unwrap_or_default();
        let kind = info.split_whitespace().next().unwrap_or_default();
        let is_figure = kind == "console" && info.contains(" id=");
        if is_figure || matches!(kind, "figure" | "predict" | "quiz" | "task" | "recall") {
            parts[place(start + at)].blocks += 1;
        }
    }
    for (_, offset) in definitions(source.text) {
        parts[place(offset)].terms += 1;
    }
    parts
}

/// The runs of words of a lesson, without code, tables and headings.
fn passages(text: &str, start: usize) -> Vec<Passage> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_SMART_PUNCTUATION;
    let mut all = vec![Passage::default()];
    let mut closed = 0;
    for (event, Range { start: at, .. }) in Parser::new_ext(text, options).into_offset_iter() {
        let Some(passage) = all.last_mut() else { break };
        match event {
            Event::Start(Tag::CodeBlock(_) | Tag::Table(_) | Tag::Heading { .. }) => closed += 1,
            Event::End(TagEnd::CodeBlock | TagEnd::Table | TagEnd::Heading(_)) => closed -= 1,
            Event::Text(text) if closed == 0 => passage.push(&text, start + at),
            // A name that is typed is a word, and none of the vocabulary.
            Event::Code(text) if closed == 0 => {
                let hidden: String =
                    text.chars().map(|c| if c == ' ' { " " } else { "_" }).collect();
                passage.push(&hidden, start + at);
            }
            Event::SoftBreak | Event::HardBreak => passage.push(" ", start + at),
            Event::End(TagEnd::Paragraph | TagEnd::Item) if !passage.text.is_empty() => {
                all.push(Passage::default());
            }
            _ => {}
        }
    }
    all.retain(|passage| !passage.text.trim().is_empty());
    all
}

fn long_sentences(source: &Source<'_>, passages: &[Passage]) -> Vec<LessonError> {
    let (mut faults, mut words, mut sentences) = (Vec::new(), 0, 0);
    for passage in passages {
        for sentence in sentences_of(&passage.text) {
            let count = passage.text[sentence.clone()].split_whitespace().count();
            words += count;
            sentences += 1;
            if count > WORDS_MAX {
                let problem = format!("this sentence has {count} words, {WORDS_MAX} are the most");
                let at = passage.offset(sentence.start);
                faults.push(source.error(at, problem, "make two of it"));
            }
        }
    }
    if words > MEAN_MAX * sentences {
        let mean = words / sentences.max(1);
        let problem = format!("sentences have {mean} words on average, {MEAN_MAX} are the most");
        faults.push(source.error(0, problem, "divide the longest"));
    }
    faults
}

/// Where the sentences of a passage are.
fn sentences_of(text: &str) -> Vec<Range<usize>> {
    let (mut all, mut start) = (Vec::new(), 0);
    for (at, c) in text.char_indices() {
        let after = &text[at + c.len_utf8()..];
        let ends = matches!(c, '.' | '?' | '!' | ':')
            && after.trim_start_matches(['”', '’', ')', '"']).starts_with([' ', '\n'])
            || after.is_empty();
        if ends && !text[start..at].trim().is_empty() {
            all.push(start..at + c.len_utf8());
            start = at + c.len_utf8();
        }
    }
    all
}

/// The terms that a text defines, each with where.
fn definitions(text: &str) -> Vec<(&str, usize)> {
    let opening = "](term:";
    let found = text.match_indices(opening).filter_map(|(at, _)| {
        let rest = &text[at + opening.len()..];
        let (name, after) = rest.split_at(rest.find([' ', ')'])?);
        after.starts_with(" \"").then_some((name, at))
    });
    found.collect()
}

/// The terms that a text defines, each with its sentence.
pub(crate) fn defined_terms(text: &str) -> Vec<(&str, &str)> {
    let found = definitions(text).into_iter().filter_map(|(name, at)| {
        let (_, quoted) = text[at..].split_once('"')?;
        let (sentence, _) = quoted.split_once("\")")?;
        Some((name, sentence))
    });
    found.collect()
}

fn early_terms(
    source: &Source<'_>,
    passages: &[Passage],
    known: &BTreeMap<String, String>,
) -> Vec<LessonError> {
    let defined: BTreeMap<&str, usize> = definitions(source.text).into_iter().rev().collect();
    let mut faults = Vec::new();
    for (term, words) in VOCABULARY {
        if known.contains_key(term) {
            continue;
        }
        let uses = passages.iter().filter_map(|passage| {
            let first = words.iter().filter_map(|word| find_word(&passage.text, word)).min()?;
            Some(passage.offset(first))
        });
        let Some(first) = uses.min() else { continue };
        // The words of the definition stand before its address.
        let opens = |at: usize| source.text[..at].rfind('[').unwrap_or(at);
        if defined.get(term).is_none_or(|at| first < opens(*at)) {
            let name = term.replace('-', " ");
            let remedy = format!(
                "define it where it first stands: `[{name}](term:{term} \"One sentence.\")`"
            );
            faults.push(source.error(
                first,
                format!("the term `{name}` is used before it is defined"),
                remedy,
            ));
        }
    }
    faults
}

/// Where a word, or several, first stand as a whole.
fn find_word(text: &str, word: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .map(|(at, _)| at)
        .find(|at| !text[..*at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(text: &str) -> Vec<String> {
        let source = Source { file: "x.md", text };
        faults(&source, 0, &BTreeMap::new()).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_long_sentence_is_found_where_it_begins() {
        let long = "word ".repeat(31);
        let found = problems(&format!("Short one. {long}ends.\n"));
        assert!(found[0].starts_with("x.md:1:11: this sentence has 32 words"), "{found:?}");
    }

    #[test]
    fn a_term_is_defined_where_it_first_stands() {
        let late = "The topics are here.\n\nA [topic](term:topic \"It is.\") comes.\n";
        assert!(problems(late)[0].contains("x.md:1:5: the term `topic` is used before"));
        let fine = "A [topic](term:topic \"It is.\") comes. Two topics.\n";
        assert_eq!(problems(fine), Vec::<String>::new());
        assert_eq!(problems("Topical is no such word.\n"), Vec::<String>::new());
        assert_eq!(problems("```text\nthe topic\n```\n"), Vec::<String>::new());
    }

    #[test]
    fn sections_that_go_deeper_end_soon() {
        let words = "Word by word. ".repeat(400);
        let text = format!("Core.\n\n## Go deeper: More\n\n{words}\n");
        assert!(problems(&text)[0].contains("this section takes 7 minutes, 5 are the most"));
        let source = Source { file: "x.md", text: &text };
        let parts = parts(&source, 0);
        assert_eq!((parts.len(), parts[0].minutes(), parts[1].title.as_str()), (2, 1, "More"));
    }
}
