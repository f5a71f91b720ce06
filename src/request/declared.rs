//! What the author declares about a tool's results: that they are series or grids, shown as a summary or in full.

use serde_json::{Value, json};

use crate::base::error::Error;
use crate::base::field_path::FieldPath;
use crate::request::choice::choice;
use crate::request::option_spec::{OptionSpec, Takes, names};
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
///
/// ```
/// use toolshape::Policy;
/// use toolshape::options::Series;
/// let prices = Series::new().list("data.prices").value("close").at("day").points(30);
/// let policy = Policy::builder().tool("prices", |tool| tool.series(prices)).build()?;
/// let json = r#"{ "list": "data.prices", "value": "close", "at": "day", "points": 30 }"#;
/// assert_eq!(policy, Policy::from_json(&format!(r#"{{ "tools": {{ "prices": {{ "series": {json} }} }} }}"#))?);
/// # Ok::<(), toolshape::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Series {
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
    /// A series that is the result itself; its fields are detected.
    pub fn new() -> Self {
        Self::default()
    }

    /// The path of the entries in the result: `prices`, `data.prices` or `/data/prices`.
    pub fn list(self, path: &str) -> Self {
        Self { list: Some(FieldPath::parse(path)), ..self }
    }

    /// The field of an entry with its value. Default: the first field with numbers.
    pub fn value(self, field: &str) -> Self {
        Self { value: Some(FieldPath::parse(field)), ..self }
    }

    /// The field of an entry with its position, such as a time. Default: the first monotonic field.
    pub fn at(self, field: &str) -> Self {
        Self { at: Some(FieldPath::parse(field)), ..self }
    }

    /// Maximum entries of a summary, 2 to 1000. Default: 12.
    pub fn points(self, points: usize) -> Self {
        Self { points, ..self }
    }

    /// Whether the entries of a summary include the extremes, instead of being evenly spaced. Default: false.
    pub fn extremes(self, extremes: bool) -> Self {
        Self { extremes, ..self }
    }

    /// Its options.
    pub(crate) const OPTIONS: [OptionSpec; 5] = [
        OptionSpec {
            name: "list",
            takes: Takes::Text,
            default: "the result itself",
            about: "Path of the entries in the result: `prices`, `data.prices` or `/data/prices`.",
        },
        OptionSpec {
            name: "value",
            takes: Takes::Text,
            default: "the first field with numbers",
            about: "Field of an entry with its value.",
        },
        OptionSpec {
            name: "at",
            takes: Takes::Text,
            default: "the first monotonic field",
            about: "Field of an entry with its position, such as a time.",
        },
        OptionSpec {
            name: "points",
            takes: Takes::Whole(2, MAX_POINTS),
            default: "12",
            about: "Maximum entries of a summary.",
        },
        OptionSpec {
            name: "extremes",
            takes: Takes::Flag,
            default: "false",
            about: "Whether the entries of a summary include the extremes, instead of being evenly spaced.",
        },
    ];

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
#[non_exhaustive]
pub struct Grid {
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
    /// A grid that is the result itself, of cells with the fields `x`, `y` and `value`.
    pub fn new() -> Self {
        Self::default()
    }

    /// The path of the cells, or of the rows of a matrix, in the result.
    pub fn list(self, path: &str) -> Self {
        Self { list: Some(FieldPath::parse(path)), ..self }
    }

    /// The fields of a cell with its column and its row; for a matrix, the paths of its axes in the result.
    pub fn axes(self, x: &str, y: &str) -> Self {
        Self { x: FieldPath::parse(x), y: FieldPath::parse(y), ..self }
    }

    /// The field of a cell with its value. Default: `value`.
    pub fn value(self, field: &str) -> Self {
        Self { value: FieldPath::parse(field), ..self }
    }

    /// Whether the highest or the lowest value is the best. Default: the highest.
    pub fn goal(self, goal: Goal) -> Self {
        Self { goal, ..self }
    }

    /// A field of a cell that is false, null, 0 or absent if the cell is not feasible.
    pub fn feasible(self, field: &str) -> Self {
        Self { feasible: Some(FieldPath::parse(field)), ..self }
    }

    /// Its options.
    pub(crate) const OPTIONS: [OptionSpec; 6] = [
        OptionSpec {
            name: "list",
            takes: Takes::Text,
            default: "the result itself",
            about: "Path of the cells, or of the rows of a matrix, in the result.",
        },
        OptionSpec {
            name: "x",
            takes: Takes::Text,
            default: "`x`",
            about: "Field of a cell with its column; for a matrix, the path of its horizontal axis in the result.",
        },
        OptionSpec {
            name: "y",
            takes: Takes::Text,
            default: "`y`",
            about: "Field of a cell with its row; for a matrix, the path of its vertical axis in the result.",
        },
        OptionSpec { name: "value", takes: Takes::Text, default: "`value`", about: "Field of a cell with its value." },
        OptionSpec {
            name: "goal",
            takes: Takes::Choice("Goal", &["max", "min"]),
            default: "`max`",
            about: "Whether the highest or the lowest value is the best.",
        },
        OptionSpec {
            name: "feasible",
            takes: Takes::Text,
            default: "none",
            about: "Field of a cell that is false, null, 0 or absent if the cell is not feasible.",
        },
    ];

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

/// As the option `series`.
impl From<Series> for Value {
    fn from(series: Series) -> Self {
        let Series { list, value, at, points, extremes } = series;
        let path = |path: Option<FieldPath>| path.map(|path| path.written().to_owned());
        json!({ "list": path(list), "value": path(value), "at": path(at), "points": points, "extremes": extremes })
    }
}

/// As the option `grid`.
impl From<Grid> for Value {
    fn from(grid: Grid) -> Self {
        let Grid { list, x, y, value, goal, feasible } = grid;
        let path = |path: Option<FieldPath>| path.map(|path| path.written().to_owned());
        json!({
            "list": path(list), "x": x.written(), "y": y.written(), "value": value.written(), "goal": goal.name(),
            "feasible": path(feasible),
        })
    }
}
