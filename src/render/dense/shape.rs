//! The columns of a table as they are read: the steps that write a row as an object.

use std::collections::HashMap;

use crate::base::error::Error;
use crate::render::dense::expand::broken;
use crate::render::dense::rules::Rules;
use crate::render::dense::tree::{At, Tree};
use crate::value::source::{Kind, MAX_DEPTH};

/// Where the value of a column is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    Cell(usize),
    Constant(At),
    /// At the end of some rows.
    End,
}

/// A column.
pub(super) struct Column<'a> {
    pub path: &'a str,
    pub key: &'a str,
    pub place: Place,
}

/// A step in writing a row.
#[derive(Clone, Copy, Debug)]
pub(super) enum WriteStep<'a> {
    Column(usize),
    /// The object at a path, with a key, begins.
    Open(&'a str, &'a str),
    /// The object at a path ends.
    Close(&'a str),
}

/// What is at a path.
#[derive(Clone, Copy, Debug)]
pub(super) enum Found {
    Column(usize),
    /// An object, by the steps that write its members.
    Object(usize, usize),
}

/// The columns of a table.
pub(super) struct Shape<'a> {
    pub columns: Vec<Column<'a>>,
    pub steps: Vec<WriteStep<'a>>,
    pub paths: HashMap<&'a str, Found>,
    cells: usize,
    /// Whether rows represent lists, which name no key.
    pub is_bare: bool,
}

/// A row, in which the values of a table's columns are found.
pub(super) struct Row<'a> {
    cells: Vec<At>,
    /// What the row ends with, by path.
    ends: HashMap<&'a str, At>,
    /// What it ends with that no column names, by the path of the object that it belongs to.
    pub extras: HashMap<&'a str, Vec<(&'a str, At)>>,
}

impl<'a> Shape<'a> {
    /// Reads the columns.
    ///
    /// # Errors
    /// `INVALID_JSON` for what are none.
    pub fn of(tree: &Tree<'a>, columns: At, rules: Rules) -> Result<Self, Error> {
        let mut shape =
            Self { columns: Vec::new(), steps: Vec::new(), paths: HashMap::new(), cells: 0, is_bare: false };
        let mut open: Vec<(&'a str, &'a str, usize)> = Vec::new();
        for at in tree.children(columns) {
            let node = tree.node(at);
            match node.kind() {
                Kind::String => {
                    let place = Place::Cell(shape.cells);
                    shape.cells += 1;
                    shape.add(node.literal(), place, rules, &mut open)?;
                }
                Kind::Object => {
                    for constant in tree.children(at) {
                        shape.add(tree.node(constant).key, Place::Constant(constant), rules, &mut open)?;
                    }
                }
                Kind::Array => {
                    for end in tree.children(at) {
                        shape.add(tree.node(end).literal(), Place::End, rules, &mut open)?;
                    }
                }
                _ => return Err(broken("a column has no name")),
            }
        }
        shape.close(0, &mut open);
        Ok(shape)
    }

    /// Adds a column, and opens and closes the objects before it.
    fn add(
        &mut self,
        path: &'a str,
        place: Place,
        rules: Rules,
        open: &mut Vec<(&'a str, &'a str, usize)>,
    ) -> Result<(), Error> {
        let (owner, key) = split(path, rules);
        // The objects that are open and that it is in.
        let is_within = |(at, ..): &&(&str, &str, usize)| {
            owner.strip_prefix(*at).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let kept = open.iter().take_while(is_within).count();
        self.close(kept, open);
        let mut from = open.last().map_or(0, |(at, ..)| at.len() + 1);
        while from <= owner.len() && !owner.is_empty() {
            let end = owner[from..].find('.').map_or(owner.len(), |dot| from + dot);
            if open.len() == MAX_DEPTH || self.paths.contains_key(&owner[..end]) {
                return Err(broken("the columns of an object do not stand together"));
            }
            open.push((&owner[..end], &owner[from..end], self.steps.len() + 1));
            self.steps.push(WriteStep::Open(&owner[..end], &owner[from..end]));
            from = end + 1;
        }
        if self.paths.insert(path, Found::Column(self.columns.len())).is_some() {
            return Err(broken("a column occurs twice"));
        }
        self.steps.push(WriteStep::Column(self.columns.len()));
        self.columns.push(Column { path, key, place });
        Ok(())
    }

    /// Closes all but some of the open objects.
    fn close(&mut self, kept: usize, open: &mut Vec<(&'a str, &'a str, usize)>) {
        for (path, _, start) in open.drain(kept..).rev() {
            self.paths.insert(path, Found::Object(start, self.steps.len()));
            self.steps.push(WriteStep::Close(path));
        }
    }

    /// The key of a column, or of an object, unless rows do not name it.
    pub fn named<'k>(&self, path: &str, key: &'k str) -> Option<&'k str> {
        (!self.is_bare || path.len() > key.len()).then_some(key)
    }

    /// The keys that rows do not name.
    pub fn bare(&self) -> impl Iterator<Item = &'a str> {
        self.steps.iter().filter_map(|step| {
            let (path, key) = match *step {
                WriteStep::Column(at) => (self.columns[at].path, self.columns[at].key),
                WriteStep::Open(path, key) => (path, key),
                WriteStep::Close(_) => return None,
            };
            self.named(path, key).is_none().then_some(key)
        })
    }

    /// Reads a row.
    ///
    /// # Errors
    /// `INVALID_JSON` for a row that has not one cell for each column.
    pub fn row(&self, tree: &Tree<'a>, at: At, rules: Rules) -> Result<Row<'a>, Error> {
        let mut cells: Vec<At> = tree.children(at).collect();
        let mut row = Row { cells: Vec::new(), ends: HashMap::new(), extras: HashMap::new() };
        if cells.len() == self.cells + 1 {
            let end = cells.pop().filter(|end| tree.node(*end).kind() == Kind::Object);
            let end = end.ok_or_else(|| broken("a row has too many cells"))?;
            for child in tree.children(end) {
                let path = tree.node(child).key;
                if matches!(self.paths.get(path), Some(Found::Column(_))) {
                    row.ends.insert(path, child);
                    continue;
                }
                let (owner, key) = split(path, rules);
                if self.paths.contains_key(path)
                    || !(owner.is_empty() || matches!(self.paths.get(owner), Some(Found::Object(..))))
                {
                    return Err(broken("a row ends with a key that has no place"));
                }
                row.extras.entry(owner).or_default().push((key, child));
            }
        }
        if cells.len() != self.cells {
            return Err(broken("a row has not one cell for each column"));
        }
        row.cells = cells;
        Ok(row)
    }

    /// The value of a column in a row, or of a key that the row alone has.
    pub fn value(&self, row: &Row<'a>, path: &str) -> Option<At> {
        let Some(found) = self.paths.get(path) else {
            let of =
                |owner: &str, key: &str| row.extras.get(owner)?.iter().find(|(own, _)| *own == key).map(|(_, at)| *at);
            return of("", path).or_else(|| path.rsplit_once('.').and_then(|(owner, key)| of(owner, key)));
        };
        let Found::Column(column) = found else { return None };
        row.ends.get(path).copied().or(match self.columns[*column].place {
            Place::Cell(cell) => Some(row.cells[cell]),
            Place::Constant(constant) => Some(constant),
            Place::End => None,
        })
    }
}

/// The path of the object that a column is in, and its key there.
pub(super) fn split(path: &str, rules: Rules) -> (&str, &str) {
    path.rsplit_once('.').filter(|_| rules.has(Rules::PATHS)).unwrap_or(("", path))
}
