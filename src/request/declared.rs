//! What the author declares about a tool's results: that they are series or grids, shown as a summary or in full.

use serde_json::Value;

use crate::base::error::Error;
use crate::base::field_path::FieldPath;
use crate::request::options::Reader;

/// What is shown of a series or a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    Summary,
    Full,
}

impl Output {
    pub(crate) const CHOICES: [(&str, Self); 2] = [("summary", Self::Summary), ("full", Self::Full)];

    /// Its name in options and results.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Summary => "summary",
            Self::Full => "full",
        }
    }
}

/// What the author declares about a tool's results.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Declared {
    Series(Series),
    Grid(Grid),
}

impl Declared {
    /// Reads the policy's `series` and `grid`. Returns `None` if neither is given, and `Some(None)` if false removes
    /// the declaration that holds for all tools.
    pub fn read(options: &Reader<'_>) -> Result<Option<Option<Self>>, Error> {
        let is_off = |name| options.get(name) == Some(&Value::Bool(false));
        let series = if is_off("series") { None } else { options.group("series", &Series::OPTIONS)? };
        let grid = if is_off("grid") { None } else { options.group("grid", &Grid::OPTIONS)? };
        match (series, grid) {
            (Some(_), Some(_)) => Err(options.error_at("grid", "a result is a series or a grid, not both".to_owned())),
            (Some(series), None) => Ok(Some(Some(Self::Series(Series::read(&series)?)))),
            (None, Some(grid)) => Ok(Some(Some(Self::Grid(Grid::read(&grid)?)))),
            (None, None) => Ok((is_off("series") || is_off("grid")).then_some(None)),
        }
    }

    pub fn list(&self) -> Option<&FieldPath> {
        match self {
            Self::Series(series) => series.list.as_ref(),
            Self::Grid(grid) => grid.list.as_ref(),
        }
    }
}

/// The entries of a summary by default.
pub(crate) const POINTS: usize = 12;
const MAX_POINTS: u64 = 1000;

/// How the results of a tool are a series, by its author's declaration.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Series {
    /// The path of the entries in the result; `None` for the result itself.
    pub list: Option<FieldPath>,
    pub value: Option<FieldPath>,
    pub at: Option<FieldPath>,
    pub points: usize,
    pub extremes: bool,
}

impl Default for Series {
    fn default() -> Self {
        Self { list: None, value: None, at: None, points: POINTS, extremes: false }
    }
}

impl Series {
    pub const OPTIONS: [&str; 5] = ["list", "value", "at", "points", "extremes"];

    /// Reads the options of the policy's `series`.
    pub fn read(options: &Reader<'_>) -> Result<Self, Error> {
        Ok(Self {
            list: options.path("list")?,
            value: options.path("value")?,
            at: options.path("at")?,
            points: options.integer("points", 2, MAX_POINTS)?.map_or(POINTS, |points| points as usize),
            extremes: options.flag("extremes")?.unwrap_or(false),
        })
    }
}

/// Whether the highest or the lowest value is the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    Max,
    Min,
}

/// How the results of a tool are a grid, by its author's declaration.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Grid {
    /// The path of the cells or the matrix in the result; `None` for the result itself.
    pub list: Option<FieldPath>,
    /// In a cell the fields with its position; beside a matrix, in the result, the fields with the axes.
    pub x: FieldPath,
    pub y: FieldPath,
    /// The field in a cell.
    pub value: FieldPath,
    pub goal: Goal,
    /// The field in a cell: a cell is not feasible if it is false, null, 0 or absent.
    pub feasible: Option<FieldPath>,
}

impl Default for Grid {
    fn default() -> Self {
        let [x, y, value] = ["x", "y", "value"].map(FieldPath::parse);
        Self { list: None, x, y, value, goal: Goal::Max, feasible: None }
    }
}

impl Grid {
    pub const OPTIONS: [&str; 6] = ["list", "x", "y", "value", "goal", "feasible"];

    /// Reads the options of the policy's `grid`.
    pub fn read(options: &Reader<'_>) -> Result<Self, Error> {
        let default = Self::default();
        Ok(Self {
            list: options.path("list")?,
            x: options.path("x")?.unwrap_or(default.x),
            y: options.path("y")?.unwrap_or(default.y),
            value: options.path("value")?.unwrap_or(default.value),
            goal: options.choice("goal", &[("max", Goal::Max), ("min", Goal::Min)])?.unwrap_or(default.goal),
            feasible: options.path("feasible")?,
        })
    }
}
