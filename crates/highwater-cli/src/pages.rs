//! `highwater pages`: every lesson of a folder into a static page, and every situation and challenge of the Lab, from
//! the template that trunk built.

use std::fs;
use std::path::{Path, PathBuf};

use highwater_lesson::{
    Built, Course, LessonError, Page, Program, SceneFile, Site, Source, beginnings, build_key_page,
};

use crate::png;

/// What `highwater pages` is asked for.
#[derive(Debug, clap::Args)]
pub(crate) struct PagesArgs {
    /// The page that trunk has built: its slots are filled
    #[arg(long, value_name = "FILE")]
    template: PathBuf,
    /// The folder with the lessons, one Markdown file each
    #[arg(long, value_name = "DIR")]
    lessons: PathBuf,
    /// The folder to write the pages to, beside the files that the template names
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// A program of the site beside that of the template, by the name that islands have for it: its glue, wasm and
    /// style sheet, as addresses from the site's root
    #[arg(long = "program", value_name = "NAME=JS,WASM,STYLE", value_parser = read_program)]
    programs: Vec<Program>,
    /// The page about one key that trunk has built: its slot is filled where it stands
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// The page with the contents of the course that trunk has built: its slot is filled where it stands
    #[arg(long, value_name = "FILE")]
    contents: Option<PathBuf>,
    /// Make a picture for each page, which others show beside a link to it
    #[arg(long)]
    previews: bool,
    /// Write a page for each broken lesson, too, that says what is wrong with it, and do not fail for that
    #[arg(long)]
    with_broken: bool,
}

impl PagesArgs {
    fn site(&self) -> Site {
        Site { programs: self.programs.clone(), has_pictures: self.previews }
    }
}

fn read_program(text: &str) -> Result<Program, String> {
    let (name, files) = text.split_once('=').unwrap_or((text, ""));
    let [js, wasm, style] = files.split(',').collect::<Vec<_>>()[..] else {
        return Err("write NAME=JS,WASM,STYLE".to_owned());
    };
    let [name, js, wasm, style] = [name, js, wasm, style].map(str::to_owned);
    Ok(Program { name, js, wasm, style })
}

/// Builds the pages and returns one line for each, or every fault that was found.
///
/// A broken lesson does not keep the others from being written.
pub(crate) fn build_pages(args: &PagesArgs) -> Result<String, String> {
    let template = read(&args.template)?;
    let template = Source { file: &args.template.to_string_lossy(), text: &template };
    fs::create_dir_all(&args.out).map_err(|e| explain("create the folder", &args.out, &e))?;
    let files = read_lessons(&files_with_ending(&args.lessons, "md")?)?;
    let sources: Vec<Source<'_>> = files.iter().map(source_of).collect();
    let mut course = Course::read(&sources);
    let mut faults = course.faults.clone();
    let mut pages = lesson_pages(&course, &template, args, &mut faults);
    let is_of_lesson = |fault: &LessonError| sources.iter().any(|source| source.file == fault.file);
    if args.with_broken && !faults.is_empty() && faults.iter().all(is_of_lesson) {
        course.mark_broken(&faults);
        // Once more, since each page has the contents of the course.
        pages = lesson_pages(&course, &template, args, &mut Vec::new());
        let broken = course.broken_pages(&template, &args.site());
        pages.extend(broken.map_err(|fault| fault.to_string())?);
        let said: Vec<String> = faults.drain(..).map(|fault| fault.to_string()).collect();
        eprintln!("{}", said.join("\n"));
    }
    match beginnings(&template, &args.site()) {
        Ok(others) => pages.extend(others),
        Err(fault) => faults.push(fault),
    }
    faults.extend(fill_in_place(args.key.as_deref(), build_key_page)?);
    let contents = |page: &Source<'_>| course.contents_page(page, &args.site());
    faults.extend(fill_in_place(args.contents.as_deref(), contents)?);
    let mut report = String::new();
    for page in &pages {
        report.push_str(&write_page(page, &args.out)?);
    }
    if faults.is_empty() {
        Ok(report)
    } else {
        Err(faults.iter().map(|fault| format!("{fault}\n")).collect())
    }
}

/// The pages of all lessons that can be written; what is wrong with the others goes to `faults`.
fn lesson_pages(
    course: &Course<'_>,
    template: &Source<'_>,
    args: &PagesArgs,
    faults: &mut Vec<LessonError>,
) -> Vec<Built> {
    let scenes = |scene: &str| scene_files(&args.lessons, scene);
    let mut pages = Vec::new();
    for lesson in &course.lessons {
        if course.is_broken(lesson.source.file) {
            continue;
        }
        match course.page(lesson, template, &scenes, &args.site()) {
            Ok(Page { matter, built }) => {
                if matter.number == 1 {
                    // The first lesson is what a reader sees who opens the site.
                    pages.push(built.as_first());
                }
                pages.push(built);
            }
            Err(fault) => faults.push(fault),
        }
    }
    pages
}

/// Fills the slots of a page that trunk has built, where it stands; what is wrong with it.
fn fill_in_place(
    path: Option<&Path>,
    fill: impl FnOnce(&Source<'_>) -> Result<String, LessonError>,
) -> Result<Option<LessonError>, String> {
    let Some(path) = path else { return Ok(None) };
    let text = read(path)?;
    match fill(&Source { file: &path.to_string_lossy(), text: &text }) {
        Ok(html) => write(path, html.as_bytes()).map(|()| None),
        Err(fault) => Ok(Some(fault)),
    }
}

/// Writes a page with its picture.
fn write_page(page: &Built, out: &Path) -> Result<String, String> {
    let target = out.join(&page.file_name);
    write(&target, page.in_place().as_bytes())?;
    if let Some(card) = &page.card {
        write(&target.with_file_name("preview.png"), &png::of_svg(card)?)?;
    }
    Ok(format!("{}\n", target.display()))
}

/// Lessons with the names of their files.
pub(crate) fn read_lessons(paths: &[PathBuf]) -> Result<Vec<(String, String)>, String> {
    paths.iter().map(|path| Ok((path.to_string_lossy().into_owned(), read(path)?))).collect()
}

/// A lesson as a source.
pub(crate) fn source_of((file, text): &(String, String)) -> Source<'_> {
    Source { file, text }
}

fn write(file: &Path, content: &[u8]) -> Result<(), String> {
    let folder = file.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(folder).map_err(|e| explain("create the folder", folder, &e))?;
    fs::write(file, content).map_err(|e| explain("write", file, &e))
}

/// The transcripts of a scene: the `.console` files of its folder, full runs first.
fn scene_files(lessons: &Path, scene: &str) -> Result<Vec<SceneFile>, String> {
    let folder = lessons.join("scenes").join(scene);
    let mut files = Vec::new();
    for path in files_with_ending(&folder, "console")? {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        files.push(SceneFile { name, text: read(&path)? });
    }
    // `java` first where it is there: it is what Kafka's own client does.
    files.sort_by_key(|file| (file.name != "java", file.name.clone()));
    Ok(files)
}

/// The files of a folder with this ending, by name, so that every machine builds in the same order.
fn files_with_ending(folder: &Path, ending: &str) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|e| explain("read the folder", folder, &e))?;
    let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let fits = |path: &PathBuf| path.extension().is_some_and(|end| end == ending);
    let mut files: Vec<PathBuf> = paths.filter(fits).collect();
    files.sort();
    if files.is_empty() {
        return Err(format!("there is no *.{ending} in {}", folder.display()));
    }
    Ok(files)
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|e| explain("read", path, &e))
}

fn explain(verb: &str, path: &Path, error: &std::io::Error) -> String {
    format!("cannot {verb} {}: {error}", path.display())
}
