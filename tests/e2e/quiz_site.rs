//! A page with questions of every kind and with cards, made here from the fixture of `highwater-lesson` and the files
//! of the built site: that of the key, whose program and styles it has.

use std::fs;
use std::path::{Path, PathBuf};

use highwater_lesson::quiz::page::{due, progress};
use highwater_lesson::{SceneFile, Site, Source, build_page};
use xtask::site_server::SiteServer;

use crate::browser::{dist, serve};
use crate::page::{Page, pictures};

const LESSON: &str = include_str!("../../crates/highwater-lesson/tests/quiz/everything.md");

/// A site with a page of questions in the folder `quiz`.
pub(crate) struct QuizSite {
    pub(crate) server: SiteServer,
    folder: PathBuf,
}

impl QuizSite {
    /// Makes it, in a folder of this name.
    pub(crate) fn new(name: &str) -> Self {
        let folder = pictures().join(name);
        let _ = fs::remove_dir_all(&folder);
        copy(&dist(), &folder);
        fs::create_dir_all(folder.join("quiz")).expect("a folder can be made");
        let site = Self { server: serve(|options| options.root.clone_from(&folder)), folder };
        site.write(|lesson| lesson);
        site
    }

    /// Writes the page anew, with the lesson changed.
    pub(crate) fn write(&self, change: impl FnOnce(String) -> String) {
        let key = fs::read_to_string(dist().join("key/index.html")).expect("the page about a key");
        let (head, rest) = key.split_once("<main").expect("a main part");
        let (_, foot) = rest.split_once("</main>").expect("its end");
        let (before, rest) = head.split_once("<title>").expect("a title");
        let (_, after) = rest.split_once("</title>").expect("its end");
        let (due, progress) = (due(), progress());
        let contents = "<ol class=\"contents\"><li data-lesson=\"everything\">\
                        <a href=\"#to-remember\">One question of each kind</a></li></ol>";
        let after = after.replace("href=\"#key\"", "href=\"#lesson\"");
        let template = format!(
            "{before}<title><!-- highwater:title --></title><meta name=\"x\" content=\"<!-- highwater:summary -->\">\
             {after}<main id=\"lesson\" class=\"lesson\" tabindex=\"-1\">{due}<!-- highwater:main -->{contents}{progress}</main>{foot}"
        );
        let lesson = change(LESSON.to_owned());
        let none = |_: &str| -> Result<Vec<SceneFile>, String> { Err("none".to_owned()) };
        let page = build_page(
            &Source { file: "template", text: &template },
            &Source { file: "everything.md", text: &lesson },
            &none,
            &Site::default(),
        );
        let page = page.unwrap_or_else(|fault| panic!("{fault}")).built;
        fs::write(self.folder.join("quiz/index.html"), page.html).expect("it can be written");
    }

    /// The address of the page.
    pub(crate) fn url(&self) -> String {
        format!("{}quiz/", self.server.url())
    }

    /// The file of the page.
    pub(crate) fn file(&self) -> PathBuf {
        self.folder.join("quiz/index.html")
    }

    /// Opens the page and waits until its program runs.
    #[track_caller]
    pub(crate) fn open(&self, page: &Page) {
        page.open("about:blank");
        page.open(&self.url());
        awake(page);
    }
}

/// Waits until the program of a page runs.
#[track_caller]
pub(crate) fn awake(page: &Page) {
    page.js("document.querySelector('.island').scrollIntoView({ block: 'nearest' })");
    page.wait("the program to run", || {
        page.engine() == "running" && !page.exists("[data-ask-do=check]:disabled")
    });
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder can be made");
    for entry in fs::read_dir(from).expect("the site") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).expect("a file can be copied");
        }
    }
}
