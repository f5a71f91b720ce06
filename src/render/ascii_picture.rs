//! A grid as a small picture in characters: each cell's value from 0 to 9, the best cell, and the axes.
//!
//! It uses digits, because models read them reliably and a token contains up to three. If a grid is larger than the
//! picture, each character is the best of a block of cells.

use crate::base::json_string::{self, Quoted};
use crate::base::numbers;
use crate::base::text_cuts;
use crate::render::notes::overview;

/// Picture sizes in characters, the largest useful one first.
pub(crate) const SIZES: [(usize, usize); 4] = [(64, 32), (32, 16), (16, 8), (8, 4)];
/// The most characters of a label: the rest of the line is the picture.
const LABEL_CHARS: usize = 12;

/// A feasible cell at its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    pub column: usize,
    pub row: usize,
    pub value: f64,
}

/// An axis of a grid.
#[derive(Clone, Debug, Default)]
pub(crate) struct Axis {
    pub name: String,
    /// As JSON texts, one for each column or row.
    pub labels: Vec<String>,
}

/// What a picture is drawn from.
pub(crate) struct Picture<'a> {
    pub across: &'a Axis,
    pub down: &'a Axis,
    pub spots: &'a [Spot],
    /// The index of the best spot, and whether higher is better.
    pub best: usize,
    pub is_max: bool,
}

impl Picture<'_> {
    /// Draws a picture of at most this many characters and lines, without labels and legend.
    pub fn draw(&self, max_width: usize, max_height: usize) -> String {
        let (columns, rows) = (self.across.labels.len(), self.down.labels.len());
        let (block_width, block_height) = (columns.div_ceil(max_width).max(1), rows.div_ceil(max_height).max(1));
        let (width, height) = (columns.div_ceil(block_width), rows.div_ceil(block_height));
        let mut levels: Vec<Option<u8>> = vec![None; width * height];
        let scale = self.scale();
        for spot in self.spots {
            let block = &mut levels[spot.row / block_height * width + spot.column / block_width];
            *block = (*block).max(Some(scale.level(spot.value)));
        }
        let best = &self.spots[self.best];
        let best = best.row / block_height * width + best.column / block_width;
        let labels: Vec<String> = (0..height).map(|row| label(&self.down.labels[row * block_height])).collect();
        let margin = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
        let mut out = String::new();
        for (row, label) in labels.iter().enumerate() {
            let line: String = (row * width..(row + 1) * width)
                .map(|at| match levels[at] {
                    _ if at == best => '*',
                    Some(level) => char::from(b'0' + level),
                    None => ' ',
                })
                .collect();
            out += format!("{label:>margin$} |{line}").trim_end();
            out.push('\n');
        }
        out += &self.ticks(margin, width, (width - 1) * block_width);
        out += &self.legend((block_width, block_height), &scale);
        out
    }

    /// The first and the last label of the horizontal axis, if there is room for both.
    fn ticks(&self, margin: usize, width: usize, last: usize) -> String {
        let (first, last) = (label(&self.across.labels[0]), label(&self.across.labels[last]));
        let room = width.saturating_sub(first.chars().count());
        match last.chars().count() < room {
            true => format!("{:margin$}  {first}{last:>room$}\n", ""),
            false => String::new(),
        }
    }

    fn legend(&self, block: (usize, usize), scale: &Scale) -> String {
        let axis = |axis: &Axis| {
            let (first, last) = (axis.labels.first(), axis.labels.last());
            let [first, last] = [first, last].map(|end| end.map_or(String::new(), |end| label(end)));
            overview::axis(&short(&axis.name), &first, &last)
        };
        let [worst, best] = [scale.worst, scale.best].map(numbers::spell);
        overview::legend(&axis(self.across), &axis(self.down), &worst, &best, block)
    }

    fn scale(&self) -> Scale {
        let best = self.spots[self.best].value;
        let values = self.spots.iter().map(|spot| spot.value);
        let worst = if self.is_max { values.fold(best, f64::min) } else { values.fold(best, f64::max) };
        Scale { worst, best }
    }
}

/// From the worst value to the best.
struct Scale {
    worst: f64,
    best: f64,
}

impl Scale {
    /// The tenth of the range from the worst to the best that a value is in.
    fn level(&self, value: f64) -> u8 {
        // Halved, so that no difference overflows.
        let (way, all) = (value / 2.0 - self.worst / 2.0, self.best / 2.0 - self.worst / 2.0);
        if all == 0.0 { 9 } else { ((way / all * 10.0) as u8).min(9) }
    }
}

/// A label as an axis shows it: short, and on one line.
fn label(json: &str) -> String {
    match Quoted::of(json) {
        Some(quoted) => short(&json_string::unescape(json_string::slice(quoted.literal(), 0, LABEL_CHARS + 1))),
        None => short(json),
    }
}

fn short(text: &str) -> String {
    let plain: String = text.chars().take(LABEL_CHARS + 1).map(|c| if c.is_control() { ' ' } else { c }).collect();
    text_cuts::start(&plain, LABEL_CHARS).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(name: &str, labels: &[&str]) -> Axis {
        Axis { name: name.to_owned(), labels: labels.iter().map(|&label| label.to_owned()).collect() }
    }

    #[test]
    fn where_less_is_better_the_least_is_nine() {
        let across = axis("x", &["1", "2", "3"]);
        let down = axis("y", &["1"]);
        let values = [f64::MAX, 0.0, -f64::MAX];
        let spots: Vec<Spot> =
            values.into_iter().enumerate().map(|(column, value)| Spot { column, row: 0, value }).collect();
        let picture = Picture { across: &across, down: &down, spots: &spots, best: 2, is_max: false };
        assert!(picture.draw(64, 32).starts_with("1 |05*\n"), "{}", picture.draw(64, 32));
    }
}
