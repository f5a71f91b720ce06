//! What the author declares about a tool's results: that they are series or grids, shown as a summary or in full.

use serde_json::Value;

use crate::base::error::Error;
use crate::base::field_path::FieldPath;
use crate::option_table;
use crate::request::choice::choice;
use crate::request::option_spec::{Takes, names};
use crate::request::reader::Reader;

choice! {
    /// What is shown of a series or a grid.
    pub enum Output {
        Summary = "summary",
        Full = "full",
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
        let series = if is_off("series") { None } else { options.group("series", &names(&Series::OPTIONS))? };
        let grid = if is_off("grid") { None } else { options.group("grid", &names(&Grid::OPTIONS))? };
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

/// The entries of a summary by default: few, but enough to show a trend.
pub(crate) const POINTS: usize = 12;
const MAX_POINTS: u64 = 1000;

/// How a tool's results form a series.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Series {
    /// The path of the entries in the result; `None` for the result itself.
    pub(crate) list: Option<FieldPath>,
    pub(crate) value: Option<FieldPath>,
    pub(crate) at: Option<FieldPath>,
    pub(crate) points: usize,
    pub(crate) extremes: bool,
}

impl Default for Series {
    fn default() -> Self {
        Self { list: None, value: None, at: None, points: POINTS, extremes: false }
    }
}

impl Series {
    option_table! {
        /// Its options.
        pub(crate) const OPTIONS;

        /// Path of the entries in the result: `prices`, `data.prices` or `/data/prices`.
        "list", Takes::Text, "the result itself";
        /// Field of an entry with its value.
        "value", Takes::Text, "the first field with numbers";
        /// Field of an entry with its position, such as a time.
        "at", Takes::Text, "the first monotonic field";
        /// Maximum entries of a summary.
        "points", Takes::Whole(2, MAX_POINTS), "12";
        /// Whether the entries of a summary include the extremes, instead of being evenly spaced.
        "extremes", Takes::Flag, "false";
    }

    /// Reads the options of the policy's `series`.
    pub(crate) fn read(options: &Reader<'_>) -> Result<Self, Error> {
        Ok(Self {
            list: options.path("list")?,
            value: options.path("value")?,
            at: options.path("at")?,
            points: options.integer("points", 2, MAX_POINTS)?.map_or(POINTS, |points| points as usize),
            extremes: options.flag("extremes")?.unwrap_or(false),
        })
    }
}

choice! {
    /// Whether the highest or the lowest value of a grid is the best.
    pub enum Goal {
        Max = "max",
        Min = "min",
    }
}

/// How a tool's results form a grid: a list of cells, or a matrix of numbers with axes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Grid {
    /// The path of the cells or the matrix in the result; `None` for the result itself.
    pub(crate) list: Option<FieldPath>,
    /// For cells, the fields with the position; for a matrix, the fields of the result with the axes.
    pub(crate) x: FieldPath,
    pub(crate) y: FieldPath,
    /// The field in a cell.
    pub(crate) value: FieldPath,
    pub(crate) goal: Goal,
    /// The field in a cell: a cell is not feasible if it is false, null, 0 or absent.
    pub(crate) feasible: Option<FieldPath>,
}

impl Default for Grid {
    fn default() -> Self {
        let [x, y, value] = ["x", "y", "value"].map(FieldPath::parse);
        Self { list: None, x, y, value, goal: Goal::Max, feasible: None }
    }
}

impl Grid {
    option_table! {
        /// Its options.
        pub(crate) const OPTIONS;

        /// Path of the cells, or of the rows of a matrix, in the result.
        "list", Takes::Text, "the result itself";
        /// Field of a cell with its column; for a matrix, the path of its horizontal axis in the result.
        "x", Takes::Text, "`x`";
        /// Field of a cell with its row; for a matrix, the path of its vertical axis in the result.
        "y", Takes::Text, "`y`";
        /// Field of a cell with its value.
        "value", Takes::Text, "`value`";
        /// Whether the highest or the lowest value is the best.
        "goal", Takes::Choice("Goal", &["max", "min"]), "`max`";
        /// Field of a cell that is false, null, 0 or absent if the cell is not feasible.
        "feasible", Takes::Text, "none";
    }

    /// Reads the options of the policy's `grid`.
    pub(crate) fn read(options: &Reader<'_>) -> Result<Self, Error> {
        let default = Self::default();
        Ok(Self {
            list: options.path("list")?,
            x: options.path("x")?.unwrap_or(default.x),
            y: options.path("y")?.unwrap_or(default.y),
            value: options.path("value")?.unwrap_or(default.value),
            goal: options.choice_of("goal", &["max", "min"])?.unwrap_or(default.goal),
            feasible: options.path("feasible")?,
        })
    }
}
