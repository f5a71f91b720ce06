//! Alike objects as a table: which keys are cells, which hold for every row, and which only some rows end with.
//!
//! Nothing is written here. Each row keeps the order of its keys: a row in which it differs is written as an object.

use std::collections::{HashMap, HashSet};

use crate::render::dense::address::{
    Found, Lengths, MOST_LEVELS, Names, Part, Template, is_address, is_name, is_value,
};
use crate::render::dense::merge::{Cell, merge};
use crate::render::dense::rules::{Rules, Saved};
use crate::render::dense::tree::{At, ROOT, Tree, weight};
use crate::value::source::Kind;

/// The most keys of a table, whatever they are.
const MOST_COLUMNS: usize = 512;
/// The most levels of objects that are taken apart.
const MOST_APART: usize = 6;
/// The most objects that another one is compared with.
const MOST_COMPARED: usize = 32;
/// The most columns with one value that an address may be made of.
const MOST_ALIKE: usize = 8;
/// Tokens by which a table must be smaller than its objects.
const WORTH: i64 = 8;

/// Finds the values of the objects around a table, the nearest first.
pub(super) type Outer<'f, 'a> = &'f dyn Fn() -> Vec<&'f Names<'a>>;

/// How a key is written.
pub(super) enum Place<'a> {
    /// As one cell of each row.
    Cell,
    /// Once, for every row that does not end with another value.
    Constant(At),
    /// The same, with other values of the row in it.
    Template(Template<'a>),
    /// As another object of the row.
    Repeated(usize),
    /// At the end of the rows that have it.
    End,
}

/// A key of the rows, or of an object in them that is taken apart.
pub(super) struct Column<'a> {
    /// The literals of the keys that lead to it, joined by dots.
    pub path: String,
    /// The bytes of the path that name the object it is in.
    owner: usize,
    /// Its values, in the order of the rows.
    pub values: Vec<Cell>,
    pub place: Place<'a>,
}

/// An object in each row that is taken apart.
pub(super) struct Apart {
    pub path: String,
    values: Vec<Cell>,
}

/// A list or an object of alike objects.
pub(super) struct Table<'a> {
    /// In the order of the keys.
    pub columns: Vec<Column<'a>>,
    /// The items, each with its row; without one it is written as it is.
    pub items: Vec<(At, Option<u32>)>,
    /// What rows end with, in the order of rows and columns.
    pub ends: Vec<(u32, u32, At)>,
    pub apart: Vec<Apart>,
    /// What it saves.
    pub saved: Saved,
    /// How many rows it has.
    count: usize,
    /// The paths of all keys and objects.
    paths: HashSet<String>,
}

impl<'a> Table<'a> {
    /// The table of the items of a list, or of the members of an object; `None` if they are not alike, or if that does not save
    /// enough. `outer` are the values of the objects around it.
    pub fn of(tree: &Tree<'a>, at: At, rules: Rules, outer: Outer<'_, 'a>) -> Option<Self> {
        let is_map = tree.node(at).kind() == Kind::Object;
        let items: Vec<At> = tree.children(at).collect();
        let mut objects = Vec::new();
        for (row, &node) in (0..).zip(&items) {
            match tree.node(node).kind() {
                Kind::Object => objects.push(Cell { row, node }),
                // It looks like a row.
                Kind::Array => return None,
                _ if is_map => return None,
                _ => {}
            }
        }
        if objects.len() < 2 {
            return None;
        }
        let mut merged = merge(tree, &objects)?;
        merged.leave_out(tree, &objects);
        let mut rows = vec![None; items.len()];
        let in_table = objects.iter().filter(|cell| !merged.odd.contains(&cell.row));
        let mut count = 0;
        for cell in in_table {
            rows[cell.row as usize] = Some(count);
            count += 1;
        }
        if count < 2 {
            return None;
        }
        let mut table = Self::with(items.into_iter().zip(rows.iter().copied()).collect(), count as usize);
        for (key, cells) in merged.fields {
            let own = cells.iter().filter_map(|cell| Some(Cell { row: rows[cell.row as usize]?, ..*cell })).collect();
            table.add(tree, String::new(), key, own, rules)?;
        }
        let is_common = |column: &Column<'a>| column.values.len() == table.count;
        if table.columns.len() > MOST_COLUMNS || !table.columns.iter().any(is_common) {
            return None;
        }
        table.find_places(tree, rules, outer);
        (table.saved.all >= WORTH && (rules.has(Rules::ENDS) || table.ends.is_empty())).then_some(table)
    }

    /// The table of lists that have one cell for each name; `None` if names and the paths of objects would be the same.
    pub fn of_cells(tree: &Tree<'a>, names: &[&'a str], rules: Rules, outer: Outer<'_, 'a>) -> Option<Self> {
        let items: Vec<(At, Option<u32>)> = tree.children(ROOT).zip((0..).map(Some)).collect();
        let mut columns: Vec<Vec<Cell>> = names.iter().map(|_| Vec::with_capacity(items.len())).collect();
        for (row, (item, _)) in (0..).zip(&items) {
            let cells = tree.children(*item).map(|node| Cell { row, node });
            columns.iter_mut().zip(cells).for_each(|(column, cell)| column.push(cell));
        }
        let count = items.len();
        let mut table = Self::with(items, count);
        for (name, cells) in names.iter().zip(columns) {
            table.add(tree, String::new(), name, cells, rules)?;
        }
        table.find_places(tree, rules, outer);
        Some(table)
    }

    fn with(items: Vec<(At, Option<u32>)>, count: usize) -> Self {
        let (columns, ends, apart) = (Vec::new(), Vec::new(), Vec::new());
        Self { columns, items, ends, apart, saved: Saved::default(), count, paths: HashSet::new() }
    }

    fn find_places(&mut self, tree: &Tree<'a>, rules: Rules, outer: Outer<'_, 'a>) {
        if rules.has(Rules::CONSTANTS) {
            self.find_constants(tree);
        }
        if rules.has(Rules::ADDRESSES) {
            self.find_templates(tree, outer);
        }
        self.list_ends(tree);
        self.saved = self.saves(tree);
    }

    /// Adds a key; an object in all rows is taken apart, or is another one.
    fn add(&mut self, tree: &Tree<'a>, owner: String, key: &'a str, values: Vec<Cell>, rules: Rules) -> Option<()> {
        if rules.has(Rules::PATHS) && !is_step(key) {
            return None;
        }
        let path = if owner.is_empty() { key.to_owned() } else { format!("{owner}.{key}") };
        self.paths.insert(path.clone());
        let is_everywhere = values.len() == self.count;
        let are_objects = || values.iter().all(|cell| tree.node(cell.node).kind() == Kind::Object);
        let mut place = if is_everywhere { Place::Cell } else { Place::End };
        if is_everywhere && rules.has(Rules::PATHS) && path.matches('.').count() < MOST_APART && are_objects() {
            let repeated = if rules.has(Rules::REPEATS) { self.repeated(tree, &values) } else { None };
            if let Some(of) = repeated {
                place = Place::Repeated(of);
            } else if let Some(fields) = self.apart(tree, &values) {
                self.apart.push(Apart { path: path.clone(), values });
                for (key, cells) in fields {
                    // Much more than this is no table.
                    if self.columns.len() > MOST_COLUMNS {
                        return None;
                    }
                    self.add(tree, path.clone(), key, cells, rules)?;
                }
                return Some(());
            }
        }
        self.columns.push(Column { owner: owner.len(), path, values, place });
        Some(())
    }

    /// The keys of an object in each row, if these have some in common.
    fn apart(&self, tree: &Tree<'a>, values: &[Cell]) -> Option<Vec<(&'a str, Vec<Cell>)>> {
        let merged = merge(tree, values).filter(|merged| merged.odd.is_empty())?;
        let are_plain = merged.fields.iter().all(|(key, _)| is_step(key));
        let is_common = merged.fields.iter().any(|(_, cells)| cells.len() == self.count);
        (are_plain && is_common).then_some(merged.fields)
    }

    /// The object that an object is equal to in most rows.
    fn repeated(&self, tree: &Tree<'a>, values: &[Cell]) -> Option<usize> {
        let all: u64 = values.iter().map(|cell| u64::from(tree.node(cell.node).weight)).sum();
        let first_ones = self.apart.iter().take(MOST_COMPARED).enumerate();
        let others = first_ones.map(|(at, apart)| {
            let differ = values.iter().zip(&apart.values).filter(|(own, other)| !tree.are_equal(own.node, other.node));
            (differ.map(|(own, _)| u64::from(tree.node(own.node).weight)).sum::<u64>(), at)
        });
        others.min().filter(|(differ, _)| differ * 8 < all).map(|(_, at)| at)
    }

    fn find_constants(&mut self, tree: &Tree<'a>) {
        for at in 0..self.columns.len() {
            let column = &self.columns[at];
            if !matches!(column.place, Place::Cell) {
                continue;
            }
            let mut counts: HashMap<u32, usize> = HashMap::new();
            for cell in &column.values {
                *counts.entry(tree.node(cell.node).hash).or_default() += 1;
            }
            let Some(most) = counts.values().copied().max().filter(|most| *most > 1) else { continue };
            // Of several that are as frequent the first one.
            let mut own = column.values.iter().map(|cell| cell.node);
            let Some(common) = own.find(|node| counts.get(&tree.node(*node).hash) == Some(&most)) else { continue };
            let place = Place::Constant(common);
            if self.weight(tree, at, &place) < self.weight(tree, at, &Place::Cell) {
                self.columns[at].place = place;
            }
        }
    }

    /// Finds the addresses that are made of other values of their rows.
    fn find_templates(&mut self, tree: &Tree<'a>, outer: Outer<'_, 'a>) {
        let is_address_at =
            |column: &Column<'a>| column.values.first().is_some_and(|cell| is_address(tree.node(cell.node).json));
        if !self.columns.iter().any(is_address_at) {
            return;
        }
        let outer = &outer()[..];
        // What happens to be the same in the first row is not in another.
        let samples = HashSet::from([0, self.count / 2, self.count - 1]);
        let mut samples: Vec<usize> = samples.into_iter().collect();
        samples.sort_unstable();
        let values: Vec<(usize, HashMap<&'a str, Vec<usize>>)> =
            samples.into_iter().map(|row| (row, self.by_value(tree, row))).collect();
        let lengths = values.iter().map(|(_, by_value)| {
            let mut lengths = outer.iter().fold(Lengths::default(), |all, names| all.and(names.lengths));
            by_value.keys().for_each(|value| lengths.add(value.len()));
            lengths
        });
        let lengths: Vec<Lengths> = lengths.collect();
        // A column that may become a template is not a part of one before it.
        let may_be = |column: &Column<'a>| {
            let is_address_in =
                |row: &usize| column.values.get(*row).is_some_and(|cell| is_address(tree.node(cell.node).json));
            values.iter().any(|(row, _)| is_address_in(row))
        };
        let may_be: Vec<bool> = self.columns.iter().map(may_be).collect();
        for at in 0..self.columns.len() {
            let column = &self.columns[at];
            let is_open = matches!(column.place, Place::Cell | Place::Constant(_)) && column.values.len() == self.count;
            if !is_open {
                continue;
            }
            let mut best = self.weight(tree, at, &column.place) - 1;
            let mut place = None;
            for ((row, by_value), lengths) in values.iter().zip(&lengths) {
                let json = tree.node(column.values[*row].node).json;
                if !is_address(json) {
                    continue;
                }
                let find = |value: &'a str| self.find(at, by_value.get(value), value, outer, &may_be);
                let address = &json[1..json.len() - 1];
                let Some(template) = Template::of(address, *lengths, find) else { continue };
                let template = Place::Template(template);
                let weight = self.weight(tree, at, &template);
                if weight < best {
                    (best, place) = (weight, Some(template));
                }
            }
            if let Some(place) = place {
                self.columns[at].place = place;
            }
        }
    }

    /// The columns by their values in a row.
    fn by_value(&self, tree: &Tree<'a>, row: usize) -> HashMap<&'a str, Vec<usize>> {
        let mut by_value: HashMap<&'a str, Vec<usize>> = HashMap::new();
        for (at, column) in self.columns.iter().enumerate() {
            let is_named = column.values.len() == self.count && column.path.split('.').all(is_name);
            // A column of empty objects has no value.
            if is_named && is_value(tree.node(column.values[row].node).json) {
                let alike = by_value.entry(tree.node(column.values[row].node).literal()).or_default();
                if alike.len() < MOST_ALIKE {
                    alike.push(at);
                }
            }
        }
        by_value
    }

    /// What a part of the address in a column is.
    fn find(
        &self,
        at: usize,
        alike: Option<&Vec<usize>>,
        value: &'a str,
        outer: &[&Names<'a>],
        may_be: &[bool],
    ) -> Option<Found<'a>> {
        let mut found: Option<Found<'a>> = None;
        for &of in alike.into_iter().flatten() {
            let column = &self.columns[of];
            let level = self.level(of);
            let is_done = of < at || !may_be[of];
            if of == at || level >= MOST_LEVELS || !is_done {
                continue;
            }
            if found.as_ref().is_none_or(|found| column.path.len() < found.name.len()) {
                found = Some(Found { name: column.path.clone(), level, part: Part::Column(of) });
            }
        }
        found.or_else(|| Names::find(outer, value, &|first| self.paths.contains(first)))
    }

    /// How many templates the value of a column depends on, one through the other.
    fn level(&self, at: usize) -> u8 {
        if let Place::Template(template) = &self.columns[at].place { template.level } else { 0 }
    }

    /// Whether a value is written by what stands once for its column.
    fn is_common(&self, tree: &Tree<'a>, place: &Place<'a>, cell: Cell) -> bool {
        let json = tree.node(cell.node).json;
        match place {
            Place::Cell => true,
            Place::End => false,
            Place::Constant(common) => tree.are_equal(*common, cell.node),
            Place::Repeated(of) => tree.are_equal(self.apart[*of].values[cell.row as usize].node, cell.node),
            Place::Template(template) => {
                let value = |column: usize| tree.node(self.columns[column].values[cell.row as usize].node).literal();
                json.starts_with('"') && template.is(&json[1..json.len() - 1], value)
            }
        }
    }

    /// The tokens of a column, roughly, if it is written in this way.
    fn weight(&self, tree: &Tree<'a>, at: usize, place: &Place<'a>) -> i64 {
        let column = &self.columns[at];
        let own = |cell: &Cell| i64::from(tree.node(cell.node).weight) + 1;
        let key = i64::from(weight(&column.path)) + 1;
        let once = match place {
            Place::Cell => return key + column.values.iter().map(own).sum::<i64>(),
            Place::End => 0,
            Place::Constant(common) => key + i64::from(tree.node(*common).weight),
            Place::Template(template) => key + i64::from(weight(&template.text)),
            Place::Repeated(of) => key + 2 + i64::from(weight(&self.apart[*of].path)),
        };
        let others = column.values.iter().filter(|cell| !self.is_common(tree, place, **cell));
        once + others.map(|cell| own(cell) + key + 1).sum::<i64>()
    }

    fn list_ends(&mut self, tree: &Tree<'a>) {
        let mut ends = Vec::new();
        for (at, column) in (0..).zip(&self.columns) {
            let others = column.values.iter().filter(|cell| !self.is_common(tree, &column.place, **cell));
            ends.extend(others.map(|cell| (cell.row, at, cell.node)));
        }
        ends.sort_unstable();
        self.ends = ends;
    }

    /// The tokens that the table saves, roughly.
    fn saves(&self, tree: &Tree<'a>) -> Saved {
        let own = |node: At| i64::from(tree.node(node).weight);
        let mut saved = Saved::default();
        let weights = self.columns.iter().enumerate().map(|(at, column)| {
            let weight = self.weight(tree, at, &column.place);
            let rule = match column.place {
                Place::Cell | Place::End => return weight,
                Place::Constant(_) => Rules::CONSTANTS,
                Place::Template(_) => Rules::ADDRESSES,
                Place::Repeated(_) => Rules::REPEATS,
            };
            saved.add(rule, self.weight(tree, at, &Place::Cell) - weight);
            weight
        });
        let weights: Vec<i64> = weights.collect();
        for apart in self.apart.iter().filter(|apart| !apart.path.contains('.')) {
            let whole =
                i64::from(weight(&apart.path)) + 1 + apart.values.iter().map(|cell| own(cell.node) + 1).sum::<i64>();
            let is_in =
                |column: &Column<'a>| column.path.strip_prefix(&*apart.path).is_some_and(|rest| rest.starts_with('.'));
            let parts = self.columns.iter().zip(&weights).filter(|(column, _)| is_in(column)).map(|(_, weight)| weight);
            saved.add(Rules::PATHS, whole - parts.sum::<i64>());
        }
        let plain: i64 = self.items.iter().filter(|(_, row)| row.is_some()).map(|(node, _)| own(*node)).sum();
        let ending = self.ends.chunk_by(|a, b| a.0 == b.0).count() as i64;
        saved.all = plain - weights.iter().sum::<i64>() - 2 * ending - self.count as i64 - 8;
        saved
    }

    /// The scalars of a row, for the addresses in what is inside it.
    pub fn names(&self, tree: &Tree<'a>, row: u32) -> Names<'a> {
        let mut names = Names::default();
        for (at, column) in self.columns.iter().enumerate() {
            if column.values.len() == self.count && column.path.split('.').all(is_name) {
                let json = tree.node(column.values[row as usize].node).json;
                names.add(json, &column.path, self.level(at));
            }
            names.add_key(first_of(&column.path));
        }
        names
    }

    /// Which keys at the end of rows have a place before others, so that `columns` name them.
    pub fn placed(&self) -> Vec<bool> {
        let mut before: HashSet<&str> = HashSet::new();
        let mut placed = vec![false; self.columns.len()];
        for (at, column) in self.columns.iter().enumerate().rev() {
            if matches!(column.place, Place::End) {
                placed[at] = before.contains(&column.path[..column.owner]);
                continue;
            }
            before.insert("");
            let dots = column.path.match_indices('.').map(|(dot, _)| dot).filter(|dot| *dot <= column.owner);
            before.extend(dots.map(|dot| &column.path[..dot]));
        }
        placed
    }

    /// The objects of a row that are taken apart, with their paths.
    pub fn objects(&self, row: u32) -> impl Iterator<Item = (At, &str)> {
        self.apart.iter().map(move |apart| (apart.values[row as usize].node, &apart.path[..]))
    }
}

/// Whether a key can be a step of a path with dots.
fn is_step(key: &str) -> bool {
    !key.is_empty() && !key.contains('.')
}

fn first_of(path: &str) -> &str {
    path.split('.').next().unwrap_or_default()
}
