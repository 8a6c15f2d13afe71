//! Broken lessons in a development build: a page in place of each that says what is wrong, and a mark in the contents
//! of the others.

use crate::course::Course;
use crate::html::{escape, is_name, slug};
use crate::page::{self, Built, Site};
use crate::preview::Head;
use crate::{LessonError, Source};

/// A lesson that cannot be shown.
#[derive(Clone, Debug)]
pub(crate) struct Broken {
    /// Names its folder: the lesson's id, or the name of its file where that is not known.
    pub id: String,
    /// Its place in the course, where that is known.
    pub number: Option<u32>,
    /// Its title, or its file where that is not known.
    pub title: String,
    /// Whether it is among the lessons of the course.
    pub is_listed: bool,
    fault: LessonError,
}

impl Course<'_> {
    /// Has the contents of all pages say which lessons are broken; see [`Course::broken_pages`].
    pub fn mark_broken(&mut self, faults: &[LessonError]) {
        for fault in faults {
            if self.broken.iter().all(|it| it.fault.file != fault.file) {
                let broken = self.broken(fault);
                self.broken.push(broken);
            }
        }
    }

    fn broken(&self, fault: &LessonError) -> Broken {
        let file = fault.file.rsplit(['/', '\\']).next().unwrap_or_default();
        let stem = slug(file.trim_end_matches(".md"));
        let stem = if is_name(&stem) { stem } else { format!("lesson-{stem}") };
        let unreadable = Broken {
            id: stem,
            number: None,
            title: file.to_owned(),
            is_listed: false,
            fault: fault.clone(),
        };
        let place = self.lessons.iter().position(|it| it.source.file == fault.file);
        let Some(place) = place else { return unreadable };
        let matter = &self.lessons[place].matter;
        // Of two with one id, the first has it.
        let is_first = self.lessons.iter().position(|it| it.matter.id == matter.id) == Some(place);
        if !is_first {
            return Broken { title: matter.title.clone(), ..unreadable };
        }
        Broken {
            id: matter.id.clone(),
            number: Some(matter.number),
            title: matter.title.clone(),
            is_listed: true,
            fault: fault.clone(),
        }
    }

    /// Whether a lesson was marked as broken.
    #[must_use]
    pub fn is_broken(&self, file: &str) -> bool {
        self.broken.iter().any(|it| it.fault.file == file)
    }

    /// The pages in place of the broken lessons, and of the site's first page if it is one of them.
    ///
    /// # Errors
    /// The template has other slots.
    pub fn broken_pages(
        &self,
        template: &Source<'_>,
        site: &Site,
    ) -> Result<Vec<Built>, LessonError> {
        let has_first = self.lessons.iter().any(|it| it.matter.number == 1);
        let mut pages = Vec::new();
        for broken in &self.broken {
            let Broken { id, number, title, .. } = broken;
            let head = Head {
                title,
                summary: "This lesson is broken.",
                folder: &format!("{id}/"),
                is_canonical: false,
                has_picture: false,
            };
            let main = self.broken_main(broken);
            let html = page::finish(template, &head, main, site)?;
            let built = Built { file_name: format!("{id}/index.html"), html, card: None };
            if *number == Some(1) || (!has_first && pages.is_empty()) {
                pages.push(built.as_first());
            }
            pages.push(built);
        }
        Ok(pages)
    }

    fn broken_main(&self, broken: &Broken) -> String {
        let LessonError { file, line, column, problem, remedy } = &broken.fault;
        let (file, problem, remedy) = (escape(file), escape(problem), escape(remedy));
        let (title, ways) = (escape(&broken.title), self.ways(None));
        let head = format!(
            "<p class=\"kicker\">Broken lesson</p>\n<h1>{title}</h1>\n\
             <p>This lesson cannot be shown, because its file has a fault.</p>\n\
             <p><code>{file}:{line}:{column}</code>: {problem}</p>\n<p><strong>Remedy:</strong> {remedy}</p>\n"
        );
        page::row(&head, "", &ways)
    }
}
