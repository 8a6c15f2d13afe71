//! The pages of the Lab's situations and challenges: each in a folder of its own, and one that lists all.
//!
//! What they say of each stands in the head of its transcript (`web/lab/README.md`).

use highwater_scene::node::to_string;

use highwater_lab::challenge::Challenge;
use highwater_lab::exhibit::{Exhibit, Plan};
use highwater_lab::start::{self, Kind, Scene};

use crate::chrome::{self, ROOM};
use crate::html::escape;
use crate::page::{self, Built, Site};
use crate::preview::{self, Head};
use crate::{LessonError, Source};

/// The folder of the list, and of situations.
pub(crate) const LIST: &str = "situations/";
/// What the list is called.
pub(crate) const LIST_TITLE: &str = "Situations and challenges";

const LIST_SUMMARY: &str = "Kafka clusters in which something happens, to be stepped through, and things to bring about \
                            in one of your own.";

/// All those pages: the list first.
///
/// # Errors
/// One of the transcripts cannot be played, or the template has other slots.
pub fn pages(template: &Source<'_>, site: &Site) -> Result<Vec<Built>, LessonError> {
    let mut pages = vec![list(template, site)?];
    for scene in start::all(Kind::Situation) {
        pages.push(situation(template, &scene, site)?);
    }
    for scene in start::all(Kind::Challenge) {
        pages.push(challenge(template, &scene, site)?);
    }
    Ok(pages)
}

fn folder(kind: Kind, scene: &Scene) -> String {
    let id = &scene.id;
    if kind == Kind::Challenge { format!("challenges/{id}/") } else { format!("{LIST}{id}/") }
}

/// What a list says of it. How a challenge can be met is not for readers.
fn sentence(kind: Kind, scene: &Scene) -> &str {
    if kind == Kind::Challenge { &scene.asked } else { &scene.about }
}

fn list(template: &Source<'_>, site: &Site) -> Result<Built, LessonError> {
    let body = items(Kind::Situation, "Situations", None, true)
        + &items(Kind::Challenge, "Challenges", None, true)
        + &back(false);
    let main = page::row(&opening("The Lab", LIST_TITLE, LIST_SUMMARY), "", &body);
    let picture = || preview::of_words("The Lab", LIST_TITLE, LIST_SUMMARY);
    let head = head(LIST_TITLE, LIST_SUMMARY, LIST, site);
    finish(template, &head, main, site, picture)
}

fn situation(template: &Source<'_>, scene: &Scene, site: &Site) -> Result<Built, LessonError> {
    let Scene { id, title, about, watch, view, topic, .. } = scene;
    let file = format!("web/lab/situations/{id}.console");
    let source = Source { file: &file, text: &scene.text };
    let fault = |problem: String| source.error(0, problem, "mend this transcript");
    let at = scene.first_sight(&scene.play().map_err(fault)?).to_string();
    let plan = Plan {
        id: id.clone(),
        label: title.clone(),
        say: "<strong>Press Step</strong> and see what each command does. Step back as often as you like.".to_owned(),
        watch: escape(watch),
        text: scene.text.clone(),
        at,
        view: *view,
        topic: topic.clone().unwrap_or_default(),
        ..Plan::default()
    };
    let island = chrome::exhibit_of(&plan).map_err(fault)?;
    let body = format!(
        "<h2 id=\"go-on\">Go on with it</h2>\n<p>The figure plays real commands in a simulated cluster. Type your own in \
         its terminal, or <a href=\"./lab/#start={id}\">open this situation in the Lab</a>: there are all views, and \
         buttons to stop brokers, cut links and make them slow.</p>\n{}{}",
        items(Kind::Situation, "Other situations", Some(id), false),
        items(Kind::Challenge, "Challenges", None, false) + &back(true),
    );
    let main = page::row(&opening("Situation", title, about), &island, &body);
    let picture = || {
        // It was made above.
        let exhibit = Exhibit::new(plan, ROOM, false).ok();
        exhibit.map(|it| to_string(&it.card("Situation", title))).unwrap_or_default()
    };
    let folder = folder(Kind::Situation, scene);
    finish(template, &head(title, about, &folder, site), main, site, picture)
}

fn challenge(template: &Source<'_>, scene: &Scene, site: &Site) -> Result<Built, LessonError> {
    let Scene { id, title, asked, .. } = scene;
    let file = format!("web/lab/challenges/{id}.console");
    let source = Source { file: &file, text: &scene.text };
    let solution = start::play(&scene.text)
        .map_err(|problem| source.error(0, problem, "mend this transcript"))?;
    let met = scene.goal.as_deref().and_then(Challenge::from_id);
    if !met.is_some_and(|challenge| challenge.is_met(&solution)) {
        let remedy = "its commands must bring about what its `# goal:` names";
        return Err(source.error(0, "this solution does not meet its challenge", remedy));
    }
    let best = match Challenge::commands(&solution) {
        1 => "The best known solution has 1 command.".to_owned(),
        commands => format!("The best known solution has {commands} commands."),
    };
    let body = format!(
        "<h2 id=\"rules\">The rules</h2>\n<p>You begin with the \
         Lab’s own cluster and nothing in it. Every command counts; a pipeline counts as one. The simulator itself judges \
         whether it has happened. {best}</p>\n<p><a href=\"./lab/#start={id}\">Take the challenge in the Lab</a></p>\n\
         {}{}",
        items(Kind::Challenge, "Other challenges", Some(id), false),
        items(Kind::Situation, "Situations", None, false) + &back(true),
    );
    let main = page::row(&opening("Challenge", title, asked), "", &body);
    let picture = || preview::of_words("Challenge", title, &format!("{asked} {best}"));
    let folder = folder(Kind::Challenge, scene);
    finish(template, &head(title, asked, &folder, site), main, site, picture)
}

/// What stands at the top of a page: what kind it is, its title and a sentence.
fn opening(kicker: &str, title: &str, sentence: &str) -> String {
    let (title, sentence) = (escape(title), escape(sentence));
    format!("<p class=\"kicker\">{kicker}</p>\n<h1>{title}</h1>\n<p>{sentence}</p>\n")
}

fn head<'a>(title: &'a str, summary: &'a str, folder: &'a str, site: &Site) -> Head<'a> {
    Head { title, summary, folder, is_canonical: true, has_picture: site.has_pictures }
}

fn finish(
    template: &Source<'_>,
    head: &Head<'_>,
    main: String,
    site: &Site,
    picture: impl FnOnce() -> String,
) -> Result<Built, LessonError> {
    Ok(Built {
        file_name: format!("{}index.html", head.folder),
        html: page::finish(template, head, main, site)?,
        card: head.has_picture.then(picture),
    })
}

/// A list of all of a kind but one, with what each is where `is_full`.
fn items(kind: Kind, title: &str, but: Option<&str>, is_full: bool) -> String {
    let id = crate::html::slug(title);
    let mut out = format!("<h2 id=\"{id}\">{title}</h2>\n<ul>\n");
    for scene in start::all(kind).filter(|scene| Some(scene.id.as_str()) != but) {
        let says =
            if is_full { format!("<br>{}", escape(sentence(kind, &scene))) } else { String::new() };
        let (folder, title) = (folder(kind, &scene), escape(&scene.title));
        out.push_str(&format!("<li><a href=\"./{folder}\">{title}</a>{says}</li>\n"));
    }
    out + "</ul>\n"
}

/// The way back to the course, and from a page of one of them to the list of all.
fn back(to_list: bool) -> String {
    let list = format!("<br><a href=\"./{LIST}\">All situations and challenges</a>");
    let list = if to_list { &list } else { "" };
    format!(
        "<nav class=\"ways\" aria-label=\"Course\">\n<h2 id=\"course\">The course</h2>\n\
         <p><a href=\"./\">Back to the lessons</a>{list}</p>\n</nav>\n"
    )
}
