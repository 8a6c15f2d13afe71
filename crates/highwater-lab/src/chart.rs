//! Four small lines over the stops of a run: produced, consumed, lag, under-replicated partitions.

use highwater_scene::node::Node;
use highwater_scene::template::tree;
use highwater_scene::words::lab as words;

use crate::totals::Sample;

const WIDTH: usize = 150;
const HEIGHT: i64 = 26;
/// Room above and below a line.
const PAD: i64 = 3;

/// The lines; `at` stops have happened.
#[must_use]
pub fn view(samples: &[Sample], at: usize) -> Node {
    let rows = [
        (words::PRODUCED, series(samples, |sample| sample.produced)),
        (words::CONSUMED, series(samples, |sample| sample.consumed)),
        (words::LAG_OF_ALL, series(samples, |sample| sample.lag)),
        (words::UNDER_REPLICATED, series(samples, |sample| sample.under_replicated)),
    ];
    let rows: Vec<Node> = rows.iter().map(|(name, values)| row(name, values, at)).collect();
    tree(
        "<table class='lab-chart'><caption class='visually-hidden'>{}</caption><tbody>{}</tbody></table>",
        vec![words::CHART.into(), rows.into()],
    )
}

/// The values of each stop, behind that of the beginning.
fn series(samples: &[Sample], value: fn(&Sample) -> i64) -> Vec<i64> {
    std::iter::once(0).chain(samples.iter().map(value)).collect()
}

fn row(name: &'static str, values: &[i64], at: usize) -> Node {
    let now = values.get(at).copied().unwrap_or(0);
    let most = values.iter().copied().max().unwrap_or(0);
    let (x, y) = point(values, at, most);
    let here = format!("M{x} 0V{HEIGHT}");
    tree(
        "<tr><th scope='row'>{}</th><td><svg class='lab-line' width='{}' height='{}' aria-hidden='true'>\
         <path class='lab-now' d='{}'/><path class='lab-path' d='{}'/><circle class='lab-dot' cx='{}' cy='{}' r='3'/>\
         </svg></td><td class='num lab-value'>{}</td></tr>",
        vec![
            name.into(),
            i64::try_from(WIDTH).unwrap_or(0).into(),
            HEIGHT.into(),
            here.into(),
            path(values, most).into(),
            x.into(),
            y.into(),
            now.into(),
        ],
    )
}

/// A line in steps: a value holds until the next stop. One corner for each pixel at most.
fn path(values: &[i64], most: i64) -> String {
    let mut path = String::new();
    let mut last: Option<(i64, i64)> = None;
    for index in 0..values.len() {
        let (x, y) = point(values, index, most);
        match last {
            None => path.push_str(&format!("M{x} {y}")),
            Some((_, before)) if before == y => {}
            Some((before, _)) if before == x => path.push_str(&format!("V{y}")),
            Some(_) => path.push_str(&format!("H{x}V{y}")),
        }
        last = Some((x, y));
    }
    path.push_str(&format!("H{WIDTH}"));
    path
}

fn point(values: &[i64], index: usize, most: i64) -> (i64, i64) {
    let last = values.len().saturating_sub(1).max(1);
    let x = i64::try_from(index.min(last) * WIDTH / last).unwrap_or(0);
    let value = values.get(index).copied().unwrap_or(0);
    let room = HEIGHT - 2 * PAD;
    (x, HEIGHT - PAD - value * room / most.max(1))
}
