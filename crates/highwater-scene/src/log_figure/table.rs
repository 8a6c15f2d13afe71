//! The text twin: the records that the figure shows, as a table with the same actions.

use super::{LogFigure, Strip};
use crate::node::Node;
use crate::template::tree;
use crate::words;

/// One row per record, and one for the next slot of each partition.
pub(super) fn table(figure: &LogFigure<'_>, strips: &[Strip], hidden: i64) -> Node {
    let mut rows = Vec::new();
    for strip in strips {
        record_rows(figure, strip, &mut rows);
        if strip.lane.has_leader && strip.window.newer == 0 {
            rows.push(next_row(figure, strip));
        }
    }
    let mut head = Vec::new();
    for name in words::table_columns().into_iter().chain(figure.live.then(words::why)) {
        head.push(tree("<th scope='col'>{}</th>", vec![name.into()]));
    }
    tree(
        "<table><caption>{}</caption><thead><tr>{}</tr></thead><tbody>{}</tbody></table>",
        vec![words::table_caption(figure.topic, hidden).into(), head.into(), rows.into()],
    )
}

fn record_rows(figure: &LogFigure<'_>, strip: &Strip, rows: &mut Vec<Node>) {
    for record in &strip.cells {
        let id = strip.id(record.offset);
        let key = match &record.key {
            Some(key) => [&record.mark.letter(), " ", &words::shown(key)].concat(),
            None => words::no_key().to_owned(),
        };
        let value = record.value.as_deref().map(words::shown);
        let readable = record.offset < strip.lane.high_watermark;
        let button = figure.live.then(|| {
            tree(
                "<td><button type='button' class='btn btn-quiet btn-small' data-cell='{}' \
                 aria-label='{}'>{}</button></td>",
                vec![
                    id.text().into(),
                    words::why_label(id.partition, id.offset).into(),
                    words::why().into(),
                ],
            )
        });
        rows.push(tree(
            "<tr key='{}'><td>{}</td><th scope='row'>{}</th><td>{}</td><td>{}</td><td>{}</td>\
             <td>{}</td>{}</tr>",
            vec![
                id.text().into(),
                id.partition.into(),
                id.offset.into(),
                key.into(),
                value.unwrap_or_else(|| words::no_value().to_owned()).into(),
                words::readable_cell(readable).into(),
                words::list(&strip.readers_at(id.offset)).into(),
                button.into(),
            ],
        ));
    }
}

/// The slot where the next record goes.
fn next_row(figure: &LogFigure<'_>, strip: &Strip) -> Node {
    let id = strip.id(strip.lane.end);
    tree(
        "<tr key='{}'><td>{}</td><th scope='row'>{}</th><td colspan='3'>{}</td><td>{}</td>{}</tr>",
        vec![
            id.text().into(),
            id.partition.into(),
            id.offset.into(),
            words::next_row().into(),
            words::list(&strip.readers_at(id.offset)).into(),
            figure.live.then(|| tree("<td></td>", Vec::new())).into(),
        ],
    )
}
