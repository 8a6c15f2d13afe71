//! Proves what the pages beside the lessons hold, what every page says in its head, and what becomes of a broken lesson.

use std::collections::BTreeSet;

use highwater_lab::challenge::Challenge;
use highwater_lab::start::{Kind, all, play};
use highwater_lesson::{Built, Course, SceneFile, Site, Source, beginnings};

const TEMPLATE: &str = "<html><head>
<title><!-- highwater:title --></title>
<meta name=\"description\" content=\"<!-- highwater:summary -->\">
</head>
<main><!-- highwater:main --></main>
<script data-js=\"./reader.js\"></script></html>
";

fn template() -> Source<'static> {
    Source { file: "index.html", text: TEMPLATE }
}

fn no_scenes(scene: &str) -> Result<Vec<SceneFile>, String> {
    Err(format!("no scene is named `{scene}`"))
}

fn with_pictures() -> Site {
    Site { has_pictures: true, ..Site::default() }
}

fn built() -> Vec<Built> {
    beginnings(&template(), &with_pictures()).unwrap_or_else(|fault| panic!("{fault}"))
}

fn page<'a>(pages: &'a [Built], file: &str) -> &'a Built {
    pages.iter().find(|page| page.file_name == file).unwrap_or_else(|| panic!("no page {file}"))
}

/// The values of an attribute in a page.
fn values<'a>(html: &'a str, name: &str) -> Vec<&'a str> {
    let open = format!(" {name}=\"");
    html.split(&open).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// Every situation has a page with its figure in it: a drawing of records or replicas, its table, and what to look at.
#[test]
fn each_situation_has_a_page() {
    let pages = built();
    for scene in all(Kind::Situation) {
        let id = &scene.id;
        let Built { html, card, .. } = page(&pages, &format!("situations/{id}/index.html"));
        assert!(html.contains(&format!("<h1>{}</h1>", scene.title)), "{id}");
        assert!(html.contains(&format!("<title>{} · Highwater</title>", scene.title)), "{id}");
        let described = format!("<meta name=\"description\" content=\"{}\">", scene.about);
        assert!(html.contains(&described), "{id}: {described}");
        assert!(html.contains(&format!("id=\"fig-{id}\" data-island=\"exhibit\"")), "{id}");
        assert!(html.contains("exhibit-watch-words"), "{id}: what to look at");
        assert!(html.contains(&format!("href=\"./lab/#start={id}\"")), "{id}: the way to the Lab");
        assert!(html.contains("href=\"./\""), "{id}: the way back");
        assert!(!html.contains("lab-empty"), "{id}: there is something to see");
        // What a browser without scripts shows of the figure: its drawing or list, and its table.
        let frame = html.split("<div class=\"fig-draw").nth(1).expect("a figure");
        assert!(frame.contains("parcel-events") && frame.contains("<table"), "{id}: {frame}");
        let others = all(Kind::Situation).filter(|other| other.id != *id);
        for other in others.map(|other| other.id) {
            assert!(html.contains(&format!("href=\"./situations/{other}/\"")), "{id}: {other}");
        }
        assert!(!html.contains(&format!("href=\"./situations/{id}/\">{}", scene.title)), "{id}");
        let card = card.as_deref().unwrap_or_default();
        assert!(card.starts_with("<svg ") && card.contains("hw-picture"), "{id}: {card}");
    }
}

/// A challenge says what is asked and how many commands its own solution has, and not a command of it.
#[test]
fn each_challenge_has_a_page_that_gives_nothing_away() {
    let pages = built();
    for scene in all(Kind::Challenge) {
        let id = &scene.id;
        let Built { html, card, .. } = page(&pages, &format!("challenges/{id}/index.html"));
        assert!(scene.asked.ends_with('.') && html.contains(&scene.asked), "{id}");
        let run = play(&scene.text).expect("its solution plays");
        assert!(Challenge::from_id(id).expect("a challenge").is_met(&run), "{id}");
        let best = format!("solution has {} commands", Challenge::commands(&run));
        assert!(html.contains(&best), "{id}: {best}");
        assert!(html.contains(&format!("href=\"./lab/#start={id}\"")), "{id}");
        for line in scene.text.lines().filter_map(|line| line.strip_prefix("$ ")) {
            assert!(!html.contains(line), "{id} gives away {line}");
        }
        for word in ["kafka-", "hw ", "--topic"] {
            assert!(!html.contains(word), "{id} tells of a command: {word}");
        }
        assert!(!html.contains(&scene.about) && !html.contains(&scene.watch), "{id}");
        assert!(card.as_deref().unwrap_or_default().contains("Challenge"), "{id}");
    }
}

/// The list has every situation and challenge with its sentence; every address of these pages leads to one of them, to
/// the Lab or to the course; ids are there once, and each heading has one.
#[test]
fn the_list_and_all_addresses() {
    let pages = built();
    let list = &page(&pages, "situations/index.html").html;
    for scene in all(Kind::Situation) {
        assert!(list.contains(&scene.title) && list.contains(&scene.about), "{}", scene.id);
    }
    for scene in all(Kind::Challenge) {
        assert!(list.contains(&scene.title) && list.contains(&scene.asked), "{}", scene.id);
        assert!(!list.contains(&scene.about), "{} gives its solution away", scene.id);
    }
    let folders: BTreeSet<String> = pages
        .iter()
        .map(|page| format!("./{}", page.file_name.replace("index.html", "")))
        .collect();
    for Built { file_name, html, .. } in &pages {
        for address in values(html, "href") {
            let leads = address == "./" || address.starts_with("./lab/#start=");
            assert!(leads || folders.contains(address), "{file_name}: {address}");
        }
        let ids = values(html, "id");
        let unique: BTreeSet<&&str> = ids.iter().collect();
        assert_eq!(ids.len(), unique.len(), "{file_name}: {ids:?}");
        assert!(!html.contains("<h2>"), "{file_name}: a heading without an id");
        for refused in ["style=", "<style", "onclick"] {
            assert!(!html.contains(refused), "{file_name} holds {refused}");
        }
    }
    // In its folder, an address has as many levels to go up as the folder is deep.
    let below = page(&pages, "situations/hot-key/index.html").in_place();
    assert!(below.contains("href=\"../../lab/#start=hot-key\"") && !below.contains("=\"./"));
}

const LESSON: &str = "---\nid: NAME\nnumber: 1\ntitle: A <lesson>\nsummary: It says \"so\".\ngoals: g\nminutes: 5\n\
                      needs: nothing\n---\nHello.\n";

fn lesson(name: &str, number: u32) -> String {
    LESSON.replace("NAME", name).replace("number: 1", &format!("number: {number}"))
}

fn page_of(course: &Course<'_>, place: usize, site: &Site) -> Built {
    course
        .page(&course.lessons[place], &template(), &no_scenes, site)
        .unwrap_or_else(|fault| panic!("{fault}"))
        .built
}

/// What others show beside a link: escaped, seen from the page's own folder, with a picture only where there is one.
/// Only the lesson that has two addresses says which one counts.
#[test]
fn the_head_of_a_page() {
    let (one, two) = (lesson("one", 1), lesson("two", 2));
    let sources = [Source { file: "one.md", text: &one }, Source { file: "two.md", text: &two }];
    let course = Course::read(&sources);
    let first = page_of(&course, 0, &with_pictures());
    let expected = "<meta property=\"og:type\" content=\"article\">
<meta property=\"og:title\" content=\"A &lt;lesson&gt;\">
<meta property=\"og:description\" content=\"It says &quot;so&quot;.\">
<meta property=\"og:image\" content=\"../one/preview.png\">
<link rel=\"canonical\" href=\"../one/\">
</head>";
    assert!(first.in_place().contains(expected), "{}", first.in_place());
    assert!(first.html.contains("<link rel=\"canonical\" href=\"./one/\">"));
    // Without a figure the picture has words.
    assert!(first.card.as_deref().unwrap_or_default().contains("It says &quot;so&quot;."));
    let second = page_of(&course, 1, &Site::default());
    assert!(!second.html.contains("canonical") && !second.html.contains("og:image"));
    assert!(second.html.contains("og:title") && second.card.is_none());
    assert!(first.html.contains("<a href=\"./situations/\">Situations and challenges</a>"));
}

/// A broken lesson has a page that says what is wrong and where; the others are whole, and their contents mark it.
#[test]
fn a_broken_lesson_leaves_the_others_whole() {
    let (one, two) = (lesson("one", 1), lesson("two", 2) + "\n<div>x</div>\n");
    let sources = [
        Source { file: "l/one.md", text: &one },
        Source { file: "l/two.md", text: &two },
        Source { file: "l/Three 3.md", text: "---\nid three\n---\n" },
        Source { file: "l/again.md", text: &one },
    ];
    let mut course = Course::read(&sources);
    let mut faults = course.faults.clone();
    assert_eq!(faults.len(), 2, "{faults:?}");
    let second = &course.lessons.iter().position(|it| it.matter.id == "two").expect("it is there");
    let fault = course.page(&course.lessons[*second], &template(), &no_scenes, &Site::default());
    faults.push(fault.expect_err("it holds HTML"));
    course.mark_broken(&faults);
    assert!(!course.is_broken("l/one.md"));
    let whole = page_of(&course, 0, &Site::default()).html;
    assert!(whole.contains("Hello."));
    let marks: Vec<&str> = whole.lines().filter(|line| line.contains("is broken")).collect();
    assert_eq!(marks.len(), 3, "{marks:?}");
    assert!(marks[0].contains("href=\"./two/\""), "{marks:?}");
    let pages = course.broken_pages(&template(), &Site::default()).expect("its pages");
    let names: BTreeSet<&str> = pages.iter().map(|page| page.file_name.as_str()).collect();
    let expected = ["again/index.html", "three-3/index.html", "two/index.html"];
    assert_eq!(names, BTreeSet::from(expected));
    let two = &page(&pages, "two/index.html").html;
    assert!(two.contains("<code>l/two.md:12:1</code>: a lesson holds no HTML of its own"), "{two}");
    assert!(two.contains("<strong>Remedy:</strong> ") && two.contains("href=\"./one/\""), "{two}");
    let three = &page(&pages, "three-3/index.html").html;
    assert!(three.contains("<h1>Three 3.md</h1>") && three.contains("Three 3.md:2:1"), "{three}");
}

/// Where the first lesson cannot even be read, the site still begins with a page.
#[test]
fn a_broken_first_lesson_is_the_start_page() {
    let two = lesson("two", 2);
    let sources =
        [Source { file: "one.md", text: "no front matter" }, Source { file: "two.md", text: &two }];
    let mut course = Course::read(&sources);
    course.mark_broken(&course.faults.clone());
    let pages = course.broken_pages(&template(), &Site::default()).expect("its pages");
    assert!(page(&pages, "index.html").html.contains("one.md:1:1"));
}
