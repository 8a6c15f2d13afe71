//! A listing that walks in step with a figure: the lines that do what has just happened are marked.

use highwater_scene::node::Node;
use highwater_scene::template::tree;

/// A line of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkLine {
    /// The code.
    pub code: String,
    /// What it does, by the names of `highwater_lab::exhibit::DOINGS`.
    pub does: Vec<String>,
}

/// A listing that walks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walk {
    /// Its name by ear.
    pub label: String,
    /// Its lines.
    pub lines: Vec<WalkLine>,
}

impl Walk {
    /// The listing, with the lines marked that do one of these.
    #[must_use]
    pub fn view(&self, doing: &[&str]) -> Node {
        let mut lines = Vec::new();
        for WalkLine { code, does } in &self.lines {
            let is_now = does.iter().any(|does| doing.contains(&does.as_str()));
            let class = if is_now { "walk-line walk-now" } else { "walk-line" };
            // By ear and without colours, too: the line says that it runs.
            let mark = is_now.then(|| {
                tree(
                    "<span class='walk-mark'><span aria-hidden='true'>\u{25b8}</span>\
                     <span class='visually-hidden'>runs now: </span></span>",
                    vec![],
                )
            });
            lines.push(tree(
                "<span class='{}' data-does='{}'>{}{}</span>",
                vec![
                    class.into(),
                    does.join(" ").into(),
                    mark.into(),
                    [code, "\n"].concat().into(),
                ],
            ));
        }
        tree(
            "<pre class='listing walk' tabindex='0' role='group' aria-label='{}'><code>{}</code></pre>",
            vec![self.label.clone().into(), lines.into()],
        )
    }
}
