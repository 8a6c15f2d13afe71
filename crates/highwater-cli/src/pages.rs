//! `highwater pages`: every lesson of a folder into a static page, from the template that trunk built.

use std::fs;
use std::path::{Path, PathBuf};

use highwater_lesson::{FigureBlock, FigureMarkup, LessonError, Source, build_page};

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
}

/// Builds the pages and returns one line for each, or every fault that was found.
///
/// A broken lesson does not keep the others from being written.
pub(crate) fn build_pages(args: &PagesArgs) -> Result<String, String> {
    let template = read(&args.template)?;
    let template = Source { file: &args.template.to_string_lossy(), text: &template };
    fs::create_dir_all(&args.out).map_err(|e| explain("create the folder", &args.out, &e))?;
    let (mut report, mut faults) = (String::new(), String::new());
    for path in lesson_files(&args.lessons)? {
        match build_one(&template, &path, &args.out) {
            Ok(line) => report.push_str(&line),
            Err(fault) => faults.push_str(&format!("{fault}\n")),
        }
    }
    if faults.is_empty() { Ok(report) } else { Err(faults) }
}

fn build_one(template: &Source<'_>, path: &Path, out: &Path) -> Result<String, String> {
    let text = read(path)?;
    let lesson = Source { file: &path.to_string_lossy(), text: &text };
    let page = build_page(template, &lesson, &first_frame).map_err(|error| error.to_string())?;
    let target = out.join(&page.file_name);
    fs::write(&target, &page.html).map_err(|e| explain("write", &target, &e))?;
    Ok(format!("{} -> {}\n", path.display(), target.display()))
}

/// The first frame of a figure. Empty until `highwater-scene` can draw it.
fn first_frame(_block: &FigureBlock) -> Result<FigureMarkup, LessonError> {
    Ok(FigureMarkup::default())
}

/// The Markdown files of a folder, by name, so that every machine builds in the same order.
fn lesson_files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|e| explain("read the folder", folder, &e))?;
    let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let is_lesson = |path: &PathBuf| path.extension().is_some_and(|end| end == "md");
    let mut files: Vec<PathBuf> = paths.filter(is_lesson).collect();
    files.sort();
    if files.is_empty() {
        return Err(format!("no lesson (*.md) in {}", folder.display()));
    }
    Ok(files)
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|e| explain("read", path, &e))
}

fn explain(verb: &str, path: &Path, error: &std::io::Error) -> String {
    format!("cannot {verb} {}: {error}", path.display())
}
