//! The head of a page for programs that show something of it beside a link, and the picture they show.
//!
//! Their addresses are relative: a site that may lie under any path cannot know its own. Programs that want a whole
//! address resolve it as they do all others on a page, or show no picture.

use highwater_scene::node::{Node, to_string};
use highwater_scene::picture::card::{Body, Card};
use highwater_scene::picture::{Picture, View};

use highwater_lab::exhibit::Exhibit;

use crate::chrome::{self, ROOM};
use crate::html::escape;
use crate::markdown::Piece;
use crate::page::Scenes;

/// The name of the picture, in the page's folder.
pub(crate) const FILE: &str = "preview.png";

/// What a page says about itself to programs.
pub(crate) struct Head<'a> {
    /// Its title, as text.
    pub title: &'a str,
    /// One sentence, as text.
    pub summary: &'a str,
    /// Its folder, from the site's root, with a slash at its end.
    pub folder: &'a str,
    /// Whether the folder is said to be the page's one address: where another one shows the same, or a fragment of
    /// the Lab leads to the same.
    pub is_canonical: bool,
    /// Whether there is a picture.
    pub has_picture: bool,
}

impl Head<'_> {
    /// The page with this in its head. What `twitter:` tags would say is read from these too.
    pub(crate) fn put_into(&self, html: &str) -> String {
        let Self { title, summary, folder, .. } = self;
        let mut tags = String::new();
        let mut add = |name: &str, content: &str| {
            tags.push_str(&format!("<meta property=\"og:{name}\" content=\"{content}\">\n"));
        };
        add("type", "article");
        add("title", &escape(title));
        add("description", &escape(summary));
        if self.has_picture {
            add("image", &format!("./{folder}{FILE}"));
        }
        if self.is_canonical {
            tags.push_str(&format!("<link rel=\"canonical\" href=\"./{folder}\">\n"));
        }
        html.replacen("</head>", &(tags + "</head>"), 1)
    }
}

/// The card of a lesson: its first figure, or its summary where it has none. The error is in words.
pub(crate) fn of_lesson(
    kicker: &str,
    title: &str,
    summary: &str,
    pieces: &[Piece],
    scenes: &Scenes<'_>,
) -> Result<String, String> {
    for piece in pieces {
        match piece {
            Piece::Exhibit(block) => {
                let exhibit = Exhibit::new(block.plan.clone(), ROOM, false)?;
                return Ok(to_string(&exhibit.card(kicker, title)));
            }
            Piece::Figure(block) => {
                let (figure, _) = chrome::figure_of(block, &scenes(&block.scene)?)?;
                let story = figure.story();
                let (snapshot, topic) = (story.snapshot(), story.topic());
                let picture = Picture {
                    snapshot: &snapshot,
                    view: View::Log,
                    topics: &[topic],
                    width: 0,
                    font: ROOM.font,
                    keys: story.keys().clone(),
                };
                let card = Card { kicker, title, body: Body::Figure(picture) };
                return Ok(to_string(&card.svg()));
            }
            _ => {}
        }
    }
    Ok(of_words(kicker, title, summary))
}

/// A card with words in place of a figure.
pub(crate) fn of_words(kicker: &str, title: &str, words: &str) -> String {
    let card: Node = Card { kicker, title, body: Body::Words(words) }.svg();
    to_string(&card)
}
