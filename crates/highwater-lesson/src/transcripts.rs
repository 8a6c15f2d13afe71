//! The transcripts in a lesson: each is played, and must print what the lesson shows.

use std::ops::Range;

use highwater_core::world::options::ClusterOptions;
use highwater_shell::session::{Outcome, play};
use highwater_shell::transcript::Transcript;

use crate::course::Lesson;
use crate::{LessonError, Source, markdown};

/// A `console` block of a lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsoleBlock {
    /// The figure that it is; `None`: a listing.
    pub id: Option<String>,
    /// The transcripts that it goes on from.
    pub before: String,
    /// Where its own lines stand in the lesson.
    pub body: Range<usize>,
}

impl ConsoleBlock {
    /// The whole transcript.
    #[must_use]
    pub fn text(&self, lesson: &str) -> String {
        [&self.before, lesson.get(self.body.clone()).unwrap_or_default()].concat()
    }

    /// Plays it; the outcomes of its own commands, with what they were to be.
    fn play(
        &self,
        source: &Source<'_>,
        options: &ClusterOptions,
    ) -> Result<(Transcript, Vec<Outcome>), LessonError> {
        let text = self.text(source.text);
        let wrong = |problem: String| {
            source.error(self.body.start, problem, "mend the transcript in this block")
        };
        let whole = Transcript::parse(&text).map_err(|error| wrong(error.to_string()))?;
        let mut outcomes = play(&whole, options).map_err(|error| wrong(error.to_string()))?;
        let own = Transcript::parse(&source.text[self.body.clone()])
            .map_err(|error| wrong(error.to_string()))?;
        let before = outcomes.len().saturating_sub(own.blocks.len());
        Ok((own, outcomes.split_off(before)))
    }
}

impl Lesson<'_> {
    /// Its transcripts, in order.
    ///
    /// # Errors
    /// The lesson cannot be read.
    pub fn console_blocks(&self) -> Result<Vec<ConsoleBlock>, LessonError> {
        Ok(markdown::read(self.source, self.start, &self.known)?.console)
    }

    /// The lesson with what its transcripts print put in place.
    ///
    /// # Errors
    /// The lesson cannot be read, or a transcript not played.
    pub fn with_outputs(&self, options: &ClusterOptions) -> Result<String, LessonError> {
        let mut text = self.source.text.to_owned();
        for console in self.console_blocks()?.into_iter().rev() {
            let (mut own, outcomes) = console.play(&self.source, options)?;
            for (block, outcome) in own.blocks.iter_mut().zip(outcomes) {
                block.set_outcome(outcome.output, outcome.exit);
            }
            text.replace_range(console.body, &own.write());
        }
        Ok(text)
    }
}

/// What transcripts of a lesson print otherwise than it shows.
pub(crate) fn faults(
    lesson: &Source<'_>,
    blocks: &[ConsoleBlock],
    options: &ClusterOptions,
) -> Vec<LessonError> {
    let mut faults = Vec::new();
    for console in blocks {
        let (own, outcomes) = match console.play(lesson, options) {
            Ok(played) => played,
            Err(fault) => {
                faults.push(fault);
                continue;
            }
        };
        let first = lesson.position(console.body.start).0;
        for (block, outcome) in own.blocks.iter().zip(&outcomes) {
            if let Err(diff) = block.compare(&outcome.output, outcome.exit) {
                let problem = format!("`{}` prints something else:\n{diff}", block.command);
                let remedy = "`highwater run --write` puts in what it prints; read it then";
                let line = first + u32::try_from(block.line - 1).unwrap_or(0);
                faults.push(lesson.error_at_line(line, problem, remedy));
            }
        }
    }
    faults
}
