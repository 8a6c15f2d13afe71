//! The text twin: the records that the figure shows, as a table with the same actions.

use super::{LogFigure, Strip};
use crate::digits::int;
use crate::node::{Element, Node, Text, element};
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
    let mut head: Vec<Node> =
        words::table_columns().into_iter().map(|name| heading("col", name)).collect();
    if figure.live {
        head.push(heading("col", words::why()));
    }
    element("table")
        .child(element("caption").text(words::table_caption(figure.topic, hidden)))
        .child(element("thead").child(element("tr").children(head)))
        .child(element("tbody").children(rows))
        .into()
}

fn record_rows(figure: &LogFigure<'_>, strip: &Strip, rows: &mut Vec<Node>) {
    for (record, mark) in &strip.cells {
        let id = strip.id(record.offset);
        let key = match &record.key {
            Some(key) => [&mark.letter(), " ", &words::shown(key)].concat(),
            None => words::no_key().to_owned(),
        };
        let value = record.value.as_deref().map(words::shown);
        let readable = record.offset < strip.lane.high_watermark;
        let mut row = start_row(strip, record.offset)
            .key(id.text())
            .child(cell(key))
            .child(cell(value.unwrap_or_else(|| words::no_value().to_owned())))
            .child(cell(words::readable_cell(readable)))
            .child(cell(words::list(&strip.readers_at(record.offset))));
        if figure.live {
            let button = element("button")
                .attr("type", "button")
                .class("btn btn-quiet btn-small")
                .attr("data-cell", id.text())
                .attr("aria-label", words::why_label(id.partition, id.offset))
                .text(words::why());
            row = row.child(element("td").child(button));
        }
        rows.push(row.into());
    }
}

/// The slot where the next record goes.
fn next_row(figure: &LogFigure<'_>, strip: &Strip) -> Node {
    let end = strip.lane.end;
    let words_cell = element("td").attr("colspan", "3").text(words::next_row());
    let mut row = start_row(strip, end)
        .key(strip.id(end).text())
        .child(words_cell)
        .child(cell(words::list(&strip.readers_at(end))));
    if figure.live {
        row = row.child(element("td"));
    }
    row.into()
}

/// A row that begins with its partition and its offset.
fn start_row(strip: &Strip, offset: i64) -> Element {
    let partition = int(strip.lane.partition.into());
    element("tr").child(cell(partition)).child(heading("row", int(offset)))
}

fn cell(what: impl Into<Text>) -> Node {
    element("td").text(what).into()
}

fn heading(scope: &'static str, what: impl Into<Text>) -> Node {
    element("th").attr("scope", scope).text(what).into()
}
