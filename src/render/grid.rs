//! A grid over two axes as a summary: its best cell, the next best, and a picture of all.
//!
//! A grid is a list of cells with their coordinates, or a matrix of numbers with its axes. A cell is feasible
//! if its value is a number, unless a field says whether it is.

use std::collections::BTreeMap;

use crate::base::error::Error;
use crate::base::field_path::FieldPath;
use crate::base::json_string;
use crate::base::members::Members;
use crate::base::numbers;
use crate::base::sorting::{order_of, sort_by_key};
use crate::outcome::receipt::Step;
use crate::render::ascii_picture::{Axis, Picture, SIZES, Spot};
use crate::render::elide;
use crate::render::notes::{self, overview::Missing};
use crate::render::subject::{Ending, Subject, SubjectAbout, SubjectHead};
use crate::request::context::{Context, Fit};
use crate::request::declared::{Goal, Grid};
use crate::value::any_source::AnySource;
use crate::value::at_pointer;
use crate::value::numeric_column;
use crate::value::reordered::Reordered;
use crate::value::source::{CHUNK, Kind, Source, item, original_index};

/// The most cells that a summary shows with the picture, which shows where the others are.
const TOP_CELLS: usize = 5;
/// A picture may take 1/n of a full result's budget.
const PICTURE_SHARE: usize = 3;

/// Whether a list's items are rows of a matrix, not cells.
pub(crate) fn is_matrix<S: Source>(list: &S) -> Result<bool, Error> {
    Ok(list.items(0, 1)?.first().is_some_and(|row| row.kind() == Kind::Array))
}

/// Reads the cells of a list; they are shown as `shown` has them.
pub(crate) fn read_cells<'v>(
    grid: &Grid,
    list: &AnySource<'v>,
    shown: &AnySource<'v>,
    place: ListPlace,
) -> Result<Cells<'v>, Error> {
    let mut values = numeric_column::numbers(list, grid.value.segments())?;
    if let Some(path) = &grid.feasible {
        for start in (0..list.len()).step_by(CHUNK) {
            for (at, cell) in (start..).zip(list.items(start, CHUNK)?) {
                if !is_true(&cell, path)? {
                    values[at] = f64::NAN;
                }
            }
        }
    }
    let (across, columns) = axis(list, &grid.x)?;
    let (down, rows) = axis(list, &grid.y)?;
    let mut spots: Vec<(Spot, u32)> = Vec::new();
    for (at, &value) in values.iter().enumerate().filter(|(_, value)| !value.is_nan()) {
        spots.push((Spot { column: columns[at], row: rows[at], value }, at as u32));
    }
    // The sort is stable: cells at the same place keep their order.
    sort_by_key(&mut spots, |(spot, _)| (spot.row, spot.column));
    let (spots, order): (Vec<Spot>, Vec<u32>) = spots.into_iter().unzip();
    let shown = AnySource::new(Reordered(shown.clone(), order));
    Ok(Cells {
        total: values.len(),
        value: grid.value.written().to_owned(),
        is_matrix: false,
        across,
        down,
        best: best(&spots, grid.goal),
        spots,
        goal: grid.goal,
        shown,
        place,
    })
}

/// Reads the rows of a matrix; the axes are members of the result.
pub(crate) fn read_matrix<'v>(
    grid: &Grid,
    result: &AnySource<'v>,
    matrix: &AnySource<'v>,
    place: ListPlace,
) -> Result<Cells<'v>, Error> {
    let (mut spots, mut total, mut width, mut height) = (Vec::new(), 0, 0, 0);
    for start in (0..matrix.len()).step_by(CHUNK) {
        for row in matrix.items(start, CHUNK)? {
            let values = numeric_column::numbers(&row, &[])?;
            (total, width) = (total + values.len(), width.max(values.len()));
            let known = values.iter().enumerate().filter(|(_, value)| !value.is_nan());
            spots.extend(known.map(|(column, &value)| Spot { column, row: height, value }));
            height += 1;
        }
    }
    let across = axis_beside(result, &grid.x, width)?;
    let down = axis_beside(result, &grid.y, height)?;
    let (value, shown) = ("value".to_owned(), matrix.clone());
    let best = best(&spots, grid.goal);
    Ok(Cells { total, value, is_matrix: true, across, down, spots, best, goal: grid.goal, shown, place })
}

/// Where a list is, and what of its items is not shown.
pub(crate) struct ListPlace {
    /// JSON Pointer to the list.
    pub pointer: String,
    /// Fields of the items that the policy does not show.
    pub omitted: Vec<String>,
}

/// A grid with its cells read.
pub(crate) struct Cells<'v> {
    /// All cells, feasible or not.
    total: usize,
    value: String,
    is_matrix: bool,
    across: Axis,
    down: Axis,
    /// The feasible cells, row by row.
    spots: Vec<Spot>,
    /// The indices of the best spots, the best first; of equal ones the first.
    best: Vec<usize>,
    goal: Goal,
    /// The feasible cells row by row, or the rows of the matrix.
    shown: AnySource<'v>,
    place: ListPlace,
}

impl Cells<'_> {
    /// A feasible cell as JSON, if it is within the budget.
    fn cell(&self, at: usize, ctx: &Context<'_>) -> Result<Option<String>, Error> {
        if !self.is_matrix {
            let cell = self.shown.items(at, 1)?;
            let Some(cell) = cell.first() else { return Ok(None) };
            return Ok(ctx.measure.json_within(cell, ctx.budget)?.map(|(json, _)| json));
        }
        let Spot { column, row, value } = self.spots[at];
        let own = match self.shown.items(row, 1)?.first() {
            Some(row) => {
                row.items(column, 1)?.first().map(|own| own.json().map(|json| json.into_owned())).transpose()?
            }
            None => None,
        };
        let own = own.unwrap_or_else(|| numbers::spell(value));
        let (x, y) = (&self.across.labels[column], &self.down.labels[row]);
        let mut cell = Members::new();
        cell.json("x", x);
        cell.json("y", y);
        cell.json("value", &own);
        Ok(Some(cell.into_object()))
    }

    fn picture(&self, size: (usize, usize)) -> String {
        let Some(&best) = self.best.first() else { return String::new() };
        let is_max = self.goal == Goal::Max;
        Picture { across: &self.across, down: &self.down, spots: &self.spots, best, is_max }.draw(size.0, size.1)
    }

    /// Writes what the grid is.
    fn write_facts(&self, out: &mut Members) {
        out.number("totalCells", self.total);
        out.number("feasibleCells", self.spots.len());
        out.number("columns", self.across.labels.len());
        out.number("rows", self.down.labels.len());
        out.text("x", &self.across.name);
        out.text("y", &self.down.name);
        out.text("value", &self.value);
        out.text("goal", if self.goal == Goal::Max { "max" } else { "min" });
    }
}

impl<'v> Subject<'v> for Cells<'v> {
    fn about(&self) -> SubjectAbout<'_, 'v> {
        let bulk = if self.is_matrix { "matrix" } else { "cells" };
        SubjectAbout { kind: "grid", step: Step::Grid, list: &self.shown, bulk, place: &self.place }
    }

    fn summary(&self, ending: &Ending<'_>, ctx: &Context<'_>) -> Result<Option<(Fit, bool)>, Error> {
        let mut top = Vec::new();
        for &at in &self.best {
            let Some(cell) = self.cell(at, ctx)? else { break };
            top.push(cell);
        }
        let text = |top: &[String], picture: &str| {
            let too_large = match (top, &self.best[..]) {
                ([], [best, ..]) => Some(format!("{}/{}", self.place.pointer, original_index(&self.shown, *best))),
                _ => None,
            };
            let is_max = self.goal == Goal::Max;
            let said = notes::overview::grid(self.spots.len(), self.total, is_max, too_large.as_deref());
            let note = ending.note(said, Some(Missing::FeasibleCells));
            let mut out = Members::new();
            out.text("output", "summary");
            out.text("kind", "grid");
            self.write_facts(&mut out);
            elide::write_omitted_fields(&self.place.omitted, &mut out);
            out.text("note", &note);
            out.extend(&ending.members);
            out.json("best", top.first().map_or("null", String::as_str));
            out.list("topCells", top);
            out.text("asciiSummary", picture);
            out.into_object()
        };
        // Cells are dropped before the picture shrinks, and the picture before the best cell.
        let pictures: Vec<String> = SIZES.iter().map(|&size| self.picture(size)).chain([String::new()]).collect();
        for counts in [1..top.len() + 1, 0..1] {
            for picture in &pictures {
                for shown in counts.clone().rev() {
                    let text = text(&top[..shown], picture);
                    if let Some(tokens) = ctx.measure.fits(&text, ctx.budget) {
                        let is_all = shown == self.total && self.place.omitted.is_empty() && !ending.has_elisions;
                        return Ok(Some((Fit { text, tokens }, is_all)));
                    }
                }
            }
        }
        Ok(None)
    }

    fn head(&self, head: SubjectHead, ctx: &Context<'_>) -> Result<Members, Error> {
        let best = match self.best.first() {
            Some(&best) if head != SubjectHead::Names => self.cell(best, ctx)?,
            _ => None,
        };
        let mut out = Members::new();
        self.write_facts(&mut out);
        out.json("best", best.as_deref().unwrap_or("null"));
        if head == SubjectHead::Start {
            let pictures = SIZES.iter().map(|&size| json_string::quoted(&self.picture(size)));
            let fits = |picture: &String| ctx.measure.fits(picture, ctx.budget / PICTURE_SHARE).is_some();
            let picture = pictures.into_iter().find(fits);
            out.json("asciiSummary", picture.as_deref().unwrap_or("\"\""));
        }
        Ok(out)
    }
}

/// The indices of the best cells, the best first; of equal ones the first.
fn best(spots: &[Spot], goal: Goal) -> Vec<usize> {
    // Minus zero is no less than zero.
    let value = |at: usize| spots[at].value + 0.0;
    let mut order = order_of(spots.len(), &|a, b| match goal {
        Goal::Max => value(b).total_cmp(&value(a)),
        Goal::Min => value(a).total_cmp(&value(b)),
    });
    order.truncate(TOP_CELLS);
    order
}

fn is_true(cell: &AnySource<'_>, path: &FieldPath) -> Result<bool, Error> {
    let Some(found) = at_pointer::at_pointer(cell, path.segments())? else { return Ok(false) };
    Ok(match found.kind() {
        Kind::Bool => found.json()? == "true",
        Kind::Number => numbers::finite(&found.json()?) != 0.0,
        kind => kind != Kind::Null,
    })
}

/// An axis from one coordinate of all cells, and each cell's place on it: sorted by value if all are numbers, otherwise
/// in the order of the cells.
fn axis(list: &AnySource<'_>, path: &FieldPath) -> Result<(Axis, Vec<usize>), Error> {
    let numbers = numeric_column::numbers(list, path.segments())?;
    let mut axis = Axis { name: path.written().to_owned(), labels: Vec::new() };
    if numbers.iter().any(|number| number.is_nan()) {
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        let mut place_of = Vec::with_capacity(numbers.len());
        for start in (0..list.len()).step_by(CHUNK) {
            for cell in list.items(start, CHUNK)? {
                let label = label(&cell, path)?;
                let place = *places.entry(label.clone()).or_insert(axis.labels.len());
                if place == axis.labels.len() {
                    axis.labels.push(label);
                }
                place_of.push(place);
            }
        }
        return Ok((axis, place_of));
    }
    // Minus zero is no less than zero.
    let number = |at: usize| numbers[at] + 0.0;
    let order = order_of(numbers.len(), &|a, b| number(a).total_cmp(&number(b)));
    let mut place_of = vec![0; numbers.len()];
    for (rank, &at) in order.iter().enumerate() {
        // Of equal numbers the first gives the label.
        if rank == 0 || number(order[rank - 1]) != number(at) {
            let label = item(list, at)?.map_or(Ok("null".to_owned()), |cell| label(&cell, path))?;
            axis.labels.push(label);
        }
        place_of[at] = axis.labels.len() - 1;
    }
    Ok((axis, place_of))
}

/// A cell's coordinate, as JSON.
fn label(cell: &AnySource<'_>, path: &FieldPath) -> Result<String, Error> {
    let found = at_pointer::at_pointer(cell, path.segments())?;
    found.map_or(Ok("null".to_owned()), |label| Ok(label.json()?.into_owned()))
}

/// The axis next to a matrix; without one, numbers from 0.
fn axis_beside(result: &AnySource<'_>, path: &FieldPath, len: usize) -> Result<Axis, Error> {
    let beside =
        at_pointer::at_pointer(result, path.segments())?.filter(|axis| axis.kind() == Kind::Array && axis.len() == len);
    let labels = match &beside {
        Some(axis) => {
            axis.items(0, len)?.iter().map(|label| Ok(label.json()?.into_owned())).collect::<Result<_, Error>>()?
        }
        None => (0..len).map(|at| at.to_string()).collect(),
    };
    let name = if beside.is_some() { path.written() } else { "index" };
    Ok(Axis { name: name.to_owned(), labels })
}
