//! Questions that draw: a template becomes several plain questions, which are read as if they had been written.
//!
//! `draw` says what a name in braces may stand for, `compute` what follows of it, as an expression of the simulator.
//! So the right answer is never written: it is computed, or it is the one option whose claim holds.

mod dice;
mod named;

use highwater_core::world::options::ClusterOptions;
use highwater_lab::claim::{Claim, Expression, State, Value as Found};
use highwater_lab::run::Run;
use highwater_lab::start::play;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use self::dice::{Drawn, Source};
use self::named::{Named, Unknown, is_name, names_in};
use crate::LessonError;
use crate::quiz::fields::{Block, Fields, Value, Words, table, text};

/// The fields of a question that draws.
pub(super) const FIELDS: [&str; 5] = ["draw", "compute", "where", "run", "seeds"];

/// How many variants there are if the question does not say it.
const VARIANTS: usize = 4;
/// The most.
const VARIANTS_MAX: usize = 20;
/// For each variant so many seeds are tried.
const TRIES: usize = 50;

/// A plain question that was drawn.
pub(super) struct Variant<'t> {
    pub(super) table: DeTable<'t>,
    /// Of which seed, and what it gave, in words.
    said: String,
}

impl Variant<'_> {
    /// A fault of this variant says with which draw it was found.
    pub(super) fn explain(&self, mut fault: LessonError) -> LessonError {
        fault.problem.push_str(&self.said);
        fault.remedy.push_str("; `where` refuses draws, as in `where = '{one} != {other}'`");
        fault
    }
}

/// Whether a question draws.
pub(super) fn draws(fields: Fields<'_>) -> bool {
    FIELDS.iter().any(|field| fields.get(field).is_some())
}

/// Draws the variants of a question.
pub(super) fn variants<'t>(
    block: &Block<'_, '_>,
    fields: Fields<'t>,
) -> Result<Vec<Variant<'t>>, LessonError> {
    let template = Template::read(block, fields)?;
    let wanted = template.seeds;
    let empty = Run::new(ClusterOptions::default()).map_err(|error| {
        block.error(fields.at, error.to_string(), "this is a mistake of Highwater's")
    })?;
    let mut before: Vec<Named> = Vec::new();
    let mut found = Vec::with_capacity(wanted);
    for number in 1..=wanted * TRIES {
        let drawn = template.draw(&format!("{} {number}", template.id));
        if before.iter().any(|other| other.0 == drawn.0) {
            continue;
        }
        before.push(drawn.clone());
        let played = template.play(block, &drawn)?;
        // Without a transcript expressions are about a run in which nothing has happened.
        let run = played.as_ref().unwrap_or(&empty);
        let Some(named) = template.compute(block, run, drawn)? else { continue };
        let said = format!(", with the draw `{} {number}`: {}", template.id, named.words());
        let table = template.plain(block, run, &named).map_err(|mut fault| {
            fault.problem.push_str(&said);
            fault
        })?;
        found.push(Variant { table, said });
        if found.len() == wanted {
            return Ok(found);
        }
    }
    let count = found.len();
    let problem = format!("{} seeds give {count} different draws, not {wanted}", wanted * TRIES);
    let remedy = "let more be drawn, let `where` refuse less, or write a smaller `seeds`";
    Err(block.error(fields.place("draw"), problem, remedy))
}

/// A question that draws, as it is written.
struct Template<'t> {
    fields: Fields<'t>,
    id: String,
    sources: Vec<(String, Source)>,
    /// Names with their expressions.
    computed: Vec<(String, Words)>,
    /// What must hold of a draw.
    condition: Option<Words>,
    /// The transcript that is played for each draw.
    transcript: Option<Words>,
    seeds: usize,
}

impl<'t> Template<'t> {
    fn read(block: &Block<'_, '_>, fields: Fields<'t>) -> Result<Self, LessonError> {
        if fields.get("variants").is_some() {
            let problem = "`draw` and `variants` exclude each other";
            let remedy = "let the variants be drawn, or write each of them";
            return Err(block.error(fields.place("variants"), problem, remedy));
        }
        let Some(id) = fields.text(block, "id")? else {
            let remedy = "add `id = \"...\"`: its seeds have their names from it";
            return Err(block.error(fields.at, "a question that draws needs `id`", remedy));
        };
        let draw = table(block, need_draw(block, fields)?, "`draw`")?;
        let mut sources = Vec::new();
        for (name, value) in draw.all() {
            check_name(block, name, value)?;
            sources.push((name.to_owned(), Source::read(block, name, value)?));
        }
        let mut computed = Vec::new();
        if let Some(compute) = fields.table(block, "compute", "`compute`")? {
            for (name, value) in compute.all() {
                check_name(block, name, value)?;
                if draw.get(name).is_some() {
                    let problem = format!("`{name}` is drawn, and cannot be computed, too");
                    return Err(block.error(value.span().start, problem, "choose another name"));
                }
                computed.push((name.to_owned(), text(block, value, name)?));
            }
        }
        let seeds = fields.number(block, "seeds")?.unwrap_or(VARIANTS);
        if !(2..=VARIANTS_MAX).contains(&seeds) {
            let problem = format!("`seeds` is the number of variants, 2 to {VARIANTS_MAX}");
            return Err(block.error(fields.place("seeds"), problem, "write such a number"));
        }
        let (condition, transcript) = (fields.text(block, "where")?, fields.text(block, "run")?);
        let id = id.text;
        let template = Self { fields, id, sources, computed, condition, transcript, seeds };
        template.check_uses(block)?;
        template.check_answer(block)?;
        Ok(template)
    }

    /// Everything that is drawn or computed stands somewhere.
    fn check_uses(&self, block: &Block<'_, '_>) -> Result<(), LessonError> {
        let mut used = Vec::new();
        for (_, value) in self.fields.all() {
            texts_in(value, &mut |words| {
                used.extend(names_in(&words.text).into_iter().map(|(_, name)| name.to_owned()));
            });
        }
        let drawn = self.sources.iter().map(|(name, _)| ("draw", name));
        for (field, name) in drawn.chain(self.computed.iter().map(|(name, _)| ("compute", name))) {
            if !used.contains(name) {
                let problem = format!("`{name}` stands nowhere in this question");
                let remedy = format!("write `{{{name}}}` where it belongs, or take it out");
                return Err(block.error(self.fields.place(field), problem, remedy));
            }
        }
        Ok(())
    }

    /// What is right is computed, not written.
    fn check_answer(&self, block: &Block<'_, '_>) -> Result<(), LessonError> {
        let mut answers: Vec<Words> = Vec::new();
        let mut add = |words: &Words| answers.push(words.clone());
        if let Some(answer) = self.fields.table(block, "answer", "`answer`")? {
            for (name, value) in answer.all() {
                if matches!(name, "doesCompile" | "lineNumber") && answer.get("stdout").is_none() {
                    let problem = format!("`{name}` is written, not computed");
                    let remedy = "ask for `answer.stdout`, with what is computed in it";
                    return Err(block.error(value.span().start, problem, remedy));
                }
                texts_in(value, &mut add);
            }
        }
        // What fits is the second of a pair.
        for pair in
            self.fields.get("pairs").and_then(|it| it.get_ref().as_array()).into_iter().flatten()
        {
            if let Some(fits) = pair.get_ref().as_array().and_then(|pair| pair.get(1)) {
                texts_in(fits, &mut add);
            }
        }
        let is_computed = |name: &str| self.computed.iter().any(|(known, _)| known == name);
        for words in answers {
            if !names_in(&words.text).iter().any(|(_, name)| is_computed(name)) {
                let problem = "this answer is written, not computed";
                let remedy = "add what it is to `compute`, as in `compute = { lands = \
                              'partition_of({key}, 3, \"java\")' }`, and write `{lands}` here";
                return Err(block.error(words.span.start, problem, remedy));
            }
        }
        Ok(())
    }

    fn draw(&self, seed: &str) -> Named {
        let one = |(name, source): &(String, Source)| (name.clone(), source.draw(seed, name));
        Named(self.sources.iter().map(one).collect())
    }

    /// Plays the transcript, if there is one.
    fn play(&self, block: &Block<'_, '_>, drawn: &Named) -> Result<Option<Run>, LessonError> {
        let Some(words) = &self.transcript else { return Ok(None) };
        let at = words.span.start;
        let text = drawn.fill(&words.text).map_err(|unknown| fault(block, at, unknown))?;
        let run = play(&text).map_err(|problem| {
            let problem = format!("this cannot be played: {problem}");
            block.error(at, problem, "write commands as in a `console` block, each behind `$ `")
        })?;
        Ok(Some(run))
    }

    /// Adds what is computed. `None`: this draw is refused.
    fn compute(
        &self,
        block: &Block<'_, '_>,
        run: &Run,
        mut named: Named,
    ) -> Result<Option<Named>, LessonError> {
        let mut left: Vec<&(String, Words)> = self.computed.iter().collect();
        while let Some(first) = left.first() {
            // An expression may use what another one has computed.
            let is_ready = |(_, words): &&(String, Words)| {
                let waits = |name: &str| left.iter().any(|(other, _)| other == name);
                !names_in(&words.text).iter().any(|(_, name)| waits(name))
            };
            let Some(place) = left.iter().position(is_ready) else {
                let problem = format!("`{}` is computed from itself", first.0);
                return Err(block.error(first.1.span.start, problem, "break the ring"));
            };
            let (name, words) = left.remove(place);
            let value = evaluate(block, run, &named, words)?;
            named.0.push((name.clone(), value));
        }
        let Some(words) = &self.condition else { return Ok(Some(named)) };
        Ok(holds(block, run, &named, words)?.0.then_some(named))
    }

    /// The question of one draw.
    fn plain(
        &self,
        block: &Block<'_, '_>,
        run: &Run,
        named: &Named,
    ) -> Result<DeTable<'t>, LessonError> {
        let mut table = self.fields.own().clone();
        for field in FIELDS {
            table.remove(field);
        }
        if let Some(options) = table.get_mut("options") {
            self.decide(block, run, named, options)?;
        }
        for (_, value) in table.iter_mut() {
            fill(block, named, value)?;
        }
        Ok(table)
    }

    /// An option is right if its claim holds: so much is written into it. Of one question one option is right, unless
    /// it takes several.
    fn decide(
        &self,
        block: &Block<'_, '_>,
        run: &Run,
        named: &Named,
        options: &mut Spanned<DeValue<'t>>,
    ) -> Result<(), LessonError> {
        let at = options.span().start;
        let DeValue::Array(all) = options.get_mut() else { return Ok(()) };
        let (mut right, mut because) = (0, Vec::new());
        for option in all.iter_mut() {
            let place = option.span();
            let DeValue::Table(option) = option.get_mut() else { continue };
            for stray in ["right", "law", "at", "figure"] {
                if let Some(value) = option.get(stray) {
                    let problem = format!("an option of a question that draws has no `{stray}`");
                    let remedy = "write `claim`: what is true of the draw if the option is right";
                    return Err(block.error(value.span().start, problem, remedy));
                }
            }
            let Some(claim) = option.remove("claim") else {
                let remedy = "add `claim`: what is true of the draw if the option is right";
                return Err(block.error(place.start, "nothing decides this option", remedy));
            };
            let words = text(block, &claim, "claim")?;
            let (is_right, why) = holds(block, run, named, &words)?;
            because.push(format!("\n    {}: {why}", words.text.trim()));
            right += usize::from(is_right);
            let key = Spanned::new(claim.span(), "right".into());
            option.insert(key, Spanned::new(claim.span(), DeValue::Boolean(is_right)));
        }
        let takes_several = self.fields.flag(block, "several")?.unwrap_or_default();
        if right == 1 || (right > 1 && takes_several) {
            return Ok(());
        }
        let problem = format!("{right} of its options come true, not one{}", because.concat());
        let remedy = "change a claim, refuse such draws with `where`, or write `several = true`";
        Err(block.error(at, problem, remedy))
    }
}

fn need_draw<'t>(block: &Block<'_, '_>, fields: Fields<'t>) -> Result<Value<'t>, LessonError> {
    fields.get("draw").ok_or_else(|| {
        let stray = FIELDS.into_iter().find(|field| fields.get(field).is_some()).unwrap_or("draw");
        let problem = format!("`{stray}` is for a question that draws");
        let remedy = "add `draw = { key = \"locker-{1..99}\" }`, for example";
        block.error(fields.place(stray), problem, remedy)
    })
}

fn check_name(block: &Block<'_, '_>, name: &str, value: Value<'_>) -> Result<(), LessonError> {
    if is_name(name) {
        return Ok(());
    }
    let remedy = "use small letters, digits and `_`, beginning with a letter";
    Err(block.error(value.span().start, format!("nothing can be called `{name}`"), remedy))
}

fn fault(block: &Block<'_, '_>, at: usize, unknown: Unknown) -> LessonError {
    block.error(at, unknown.problem, unknown.remedy)
}

/// Does something for each text in a value.
fn texts_in(value: Value<'_>, each: &mut impl FnMut(&Words)) {
    match value.get_ref() {
        DeValue::String(text) => each(&Words { text: text.to_string(), span: value.span() }),
        DeValue::Array(all) => all.iter().for_each(|one| texts_in(one, each)),
        DeValue::Table(table) => table.values().for_each(|one| texts_in(one, each)),
        _ => {}
    }
}

/// Puts the values of a draw into every text.
fn fill(
    block: &Block<'_, '_>,
    named: &Named,
    value: &mut Spanned<DeValue<'_>>,
) -> Result<(), LessonError> {
    let at = value.span().start;
    match value.get_mut() {
        DeValue::String(text) => {
            let filled = named.fill(text).map_err(|unknown| fault(block, at, unknown))?;
            *text = filled.into();
        }
        DeValue::Array(all) => all.iter_mut().try_for_each(|one| fill(block, named, one))?,
        DeValue::Table(table) => {
            for (_, one) in table.iter_mut() {
                fill(block, named, one)?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// What an expression is in a run: a number or a text.
fn evaluate(
    block: &Block<'_, '_>,
    run: &Run,
    named: &Named,
    words: &Words,
) -> Result<Drawn, LessonError> {
    let at = words.span.start;
    let written = named.fill_expression(&words.text).map_err(|it| fault(block, at, it))?;
    let wrong = |problem: &str| {
        let problem = format!("`{written}` cannot be computed: {problem}");
        block.error(at, problem, "the claims of docs/AUTHORS.md tell what can be asked")
    };
    let expression = Expression::parse(&written).map_err(|error| wrong(&error.to_string()))?;
    let snapshot = run.snapshot();
    let state = State::new(run.session(), &snapshot);
    match expression.value(&state).map_err(|error| wrong(&error.to_string()))? {
        Found::Number(number) => Ok(Drawn::Number(number)),
        Found::Text(text) => Ok(Drawn::Text(text.into_owned())),
        other => Err(wrong(&format!("it is {other}, neither a number nor a text"))),
    }
}

/// Whether a claim holds in a run, and why.
fn holds(
    block: &Block<'_, '_>,
    run: &Run,
    named: &Named,
    words: &Words,
) -> Result<(bool, String), LessonError> {
    let at = words.span.start;
    let written = named.fill_expression(&words.text).map_err(|it| fault(block, at, it))?;
    let wrong = |problem: String| {
        let problem = format!("`{written}` cannot be decided: {problem}");
        block.error(at, problem, "the claims of docs/AUTHORS.md tell what can be asked")
    };
    let claim = Claim::parse(&written).map_err(|error| wrong(error.to_string()))?;
    let found = claim.explain(run).map_err(|error| wrong(error.to_string()))?;
    if let Some(missing) = found.missing.first() {
        return Err(wrong(format!("there is no {missing}")));
    }
    Ok((found.holds, found.because.join("; ")))
}
