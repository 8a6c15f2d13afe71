//! All lessons together: their order, the terms that one leaves to the next, the way from one to another.

use std::collections::BTreeMap;

use highwater_core::world::options::ClusterOptions;

use crate::beginnings;
use crate::broken::Broken;
use crate::front_matter::{self, FrontMatter};
use crate::html::escape;
use crate::markdown::Piece;
use crate::page::{Page, Scenes, Site, write_page};
use crate::prose::{self, Part};
use crate::quiz::answered::Asks;
use crate::quiz::model::Item;
use crate::{LessonError, Source, markdown, page, proof, quiz, transcripts};

/// What the contents say of a broken lesson.
const BROKEN: &str = " <strong>is broken</strong>";

/// A course as it was read.
#[derive(Clone, Debug, Default)]
pub struct Course<'a> {
    /// Its lessons, in order.
    pub lessons: Vec<Lesson<'a>>,
    /// What is wrong with those that could not be read.
    pub faults: Vec<LessonError>,
    /// Those that pages tell of, in a development build.
    pub(crate) broken: Vec<Broken>,
}

/// A lesson of a course.
#[derive(Clone, Debug)]
pub struct Lesson<'a> {
    /// Its file.
    pub source: Source<'a>,
    /// What it says about itself.
    pub matter: FrontMatter,
    /// Where its Markdown begins.
    pub(crate) start: usize,
    /// The terms that the lessons before it define.
    pub(crate) known: BTreeMap<String, String>,
    /// Its questions, by which the contents know how many were answered.
    pub(crate) asks: Vec<u64>,
}

impl<'a> Course<'a> {
    /// Reads lessons. One that is broken does not keep the others from being read.
    #[must_use]
    pub fn read(sources: &[Source<'a>]) -> Self {
        let mut course = Self::default();
        for source in sources {
            match front_matter::read(source) {
                Ok((matter, start)) => {
                    course.lessons.push(Lesson::new(*source, matter, start));
                }
                Err(fault) => course.faults.push(fault),
            }
        }
        course.lessons.sort_by_key(|lesson| lesson.matter.number);
        course.find_doubles();
        let mut known = BTreeMap::new();
        for lesson in &mut course.lessons {
            lesson.known.clone_from(&known);
            lesson.asks = lesson.find_asks();
            // What is wrong with a lesson is told when its page is built; its terms are known all the same.
            for (name, sentence) in prose::defined_terms(lesson.source.text) {
                known.entry(name.to_owned()).or_insert_with(|| sentence.to_owned());
            }
        }
        course
    }

    fn find_doubles(&mut self) {
        for pair in self.lessons.windows(2) {
            let [one, other] = pair else { continue };
            if one.matter.number == other.matter.number || one.matter.id == other.matter.id {
                let problem =
                    format!("this lesson has the number or the id of {}", one.source.file);
                self.faults.push(other.source.error(0, problem, "give it one of its own"));
            }
        }
    }

    /// The page of a lesson.
    ///
    /// # Errors
    /// What is wrong with the lesson, or with the template.
    pub fn page(
        &self,
        lesson: &Lesson<'_>,
        template: &Source<'_>,
        scenes: &Scenes<'_>,
        site: &Site,
    ) -> Result<Page, LessonError> {
        write_page(template, lesson, &self.ways(Some(lesson)), scenes, site)
    }

    /// The way to the other lessons, and to what is beside them.
    pub(crate) fn ways(&self, here: Option<&Lesson<'_>>) -> String {
        if self.lessons.len() < 2 && self.broken.is_empty() {
            return String::new();
        }
        let here_is_a_lesson = here.is_some();
        let here = here.map(|lesson| &lesson.matter.id);
        let place = self.lessons.iter().position(|it| Some(&it.matter.id) == here);
        let near = |step: usize, name: &str, words: &str| {
            let index = (place? + 1 + step).checked_sub(2)?;
            let FrontMatter { id, title, .. } = &self.lessons.get(index)?.matter;
            let title = escape(title);
            Some(format!(
                "<a class=\"way way-{name}\" href=\"./{id}/\"><span>{words}:</span> {title}</a>\n"
            ))
        };
        let mut out = String::from("<nav class=\"ways\" aria-label=\"Lessons\">\n");
        out.push_str(&near(0, "before", "Before").unwrap_or_default());
        out.push_str(&near(2, "next", "Next").unwrap_or_default());
        out.push_str("<h2 id=\"contents\">The course</h2>\n<ol class=\"contents\">\n");
        let all: Vec<u64> = self.lessons.iter().flat_map(|it| it.asks.iter().copied()).collect();
        let digits = Asks::digits_for(&all);
        for Lesson { matter: FrontMatter { id, title, minutes, .. }, asks, .. } in &self.lessons {
            let here = if Some(id) == here { " aria-current=\"page\"" } else { "" };
            let title = escape(title);
            let is_broken = self.broken.iter().any(|it| it.is_listed && it.id == *id);
            let mark = if is_broken { BROKEN } else { "" };
            // What was answered is said by the page of the contents: in every lesson it would be in the first load.
            let asks = if here_is_a_lesson { &[][..] } else { asks };
            let answered = quiz::page::answered(&Asks::new(asks, digits));
            out.push_str(&format!(
                "<li data-lesson=\"{id}\"><a href=\"./{id}/\"{here}>{title}</a> \
                 <span class=\"contents-note\"><span class=\"contents-minutes\">{minutes} min</span>{answered}</span>{mark}</li>\n"
            ));
        }
        for Broken { id, title, .. } in self.broken.iter().filter(|it| !it.is_listed) {
            let title = escape(title);
            out.push_str(&format!("<li><a href=\"./{id}/\">{title}</a>{BROKEN}</li>\n"));
        }
        let (list, title) = (beginnings::LIST, beginnings::LIST_TITLE);
        out.push_str(&format!("</ol>\n<p><a href=\"./{list}\">{title}</a></p>\n"));
        out.push_str(
            "<p>What partition does a key go to? <a href=\"./key/\">Type one</a>, and see for each client library.</p>\n",
        );
        out.push_str("</nav>\n");
        if place.is_some_and(|place| self.lessons[place].matter.number == 1) {
            out.push_str(&quiz::page::due());
        }
        out.push_str(&quiz::page::progress());
        out
    }

    /// The page with the contents of the course, which trunk has built: its slot is filled where it stands, and its
    /// program is that of the questions. It has no figure.
    ///
    /// # Errors
    /// The slot is not there, or another one is.
    pub fn contents_page(&self, template: &Source<'_>, site: &Site) -> Result<String, LessonError> {
        let main = [quiz::page::due(), self.ways(None)].concat();
        let html = page::without_comments(&page::fill(template, &[("course", main)])?);
        Ok(page::from_below(&page::with_programs(html, site), 1))
    }
}

impl<'a> Lesson<'a> {
    /// A lesson that stands alone.
    pub(crate) fn new(source: Source<'a>, matter: FrontMatter, start: usize) -> Self {
        Self { source, matter, start, known: BTreeMap::new(), asks: Vec::new() }
    }

    /// Its questions; none if it is broken, which is told when its page is built.
    fn find_asks(&self) -> Vec<u64> {
        let read = markdown::read(self.source, self.start, &self.known);
        let pieces = read.map(|read| read.pieces).unwrap_or_default();
        let quizzes = pieces.iter().filter_map(|piece| match piece {
            Piece::Quiz(quiz) => Some(quiz),
            _ => None,
        });
        quizzes.flat_map(|quiz| &quiz.items).map(Item::hash).collect()
    }

    /// What is wrong with its words, and what its transcripts print otherwise than it shows.
    #[must_use]
    pub fn check(&self, options: &ClusterOptions) -> Vec<LessonError> {
        let mut faults = prose::faults(&self.source, self.start, &self.known);
        faults.extend(self.minutes_fault());
        match markdown::read(self.source, self.start, &self.known) {
            Ok(read) => {
                faults.extend(transcripts::faults(&self.source, &read.console, options));
                faults.extend(proof::faults(&self.source, &read.pieces));
            }
            Err(fault) => faults.push(fault),
        }
        faults
    }

    /// The latter alone, for another cluster: the rest of a check does not depend on it.
    #[must_use]
    pub fn check_transcripts(&self, options: &ClusterOptions) -> Vec<LessonError> {
        match self.console_blocks() {
            Ok(blocks) => transcripts::faults(&self.source, &blocks, options),
            Err(fault) => vec![fault],
        }
    }

    /// Its core and the sections that go deeper, with how long they take.
    #[must_use]
    pub fn parts(&self) -> Vec<Part> {
        prose::parts(&self.source, self.start)
    }

    fn minutes_fault(&self) -> Option<LessonError> {
        let minutes = self.parts().first()?.minutes();
        let said = self.matter.minutes as usize;
        (said != minutes).then(|| {
            let problem = format!("the core takes {minutes} minutes, the front matter says {said}");
            self.source.error(0, problem, format!("write `minutes: {minutes}`"))
        })
    }
}
