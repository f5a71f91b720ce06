//! The keys of several objects in one order that is that of each of them.

use std::collections::{HashMap, HashSet};

use crate::render::dense::tree::{At, Tree, weight};

/// The most keys that are put in order.
const MOST_KEYS: usize = 512;

/// A value in a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub row: u32,
    pub node: At,
}

/// Objects by their keys.
pub(super) struct Merged<'a> {
    /// The keys in their order, each with its values in the order of the rows.
    pub fields: Vec<(&'a str, Vec<Cell>)>,
    /// The rows of objects that have no such order, or lack what the others have. Their values are among those of the fields.
    pub odd: HashSet<u32>,
}

/// Puts the keys of objects in order; `None` if there are too many.
pub(super) fn merge<'a>(tree: &Tree<'a>, objects: &[Cell]) -> Option<Merged<'a>> {
    let mut keys = Keys::default();
    let mut fields: Vec<(&'a str, Vec<Cell>)> = Vec::new();
    let mut odd = HashSet::new();
    let (mut ids, mut last_ids): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    for object in objects {
        ids.clear();
        let (mut after, mut is_odd) = (None, false);
        for (nth, child) in tree.children(object.node).enumerate() {
            let key = tree.node(child).key;
            // Most objects have the keys of the one before them.
            let as_before = last_ids.get(nth).copied().filter(|id| fields[*id].0 == key);
            let id = match as_before.or_else(|| keys.ids.get(key).copied()) {
                Some(id) => id,
                None => {
                    let id = keys.insert(key, after)?;
                    fields.push((key, Vec::new()));
                    id
                }
            };
            if after.is_some_and(|after: usize| keys.places[id] <= keys.places[after]) {
                is_odd = true;
                break;
            }
            after = Some(id);
            ids.push(id);
        }
        if is_odd || ids.is_empty() {
            odd.insert(object.row);
            continue;
        }
        for (child, id) in tree.children(object.node).zip(&ids) {
            fields[*id].1.push(Cell { row: object.row, node: child });
        }
        std::mem::swap(&mut ids, &mut last_ids);
    }
    let order = std::mem::take(&mut keys.order);
    let mut taken: Vec<Option<(&'a str, Vec<Cell>)>> = fields.into_iter().map(Some).collect();
    let fields = order.into_iter().filter_map(|id| taken[id].take()).filter(|(_, cells)| !cells.is_empty()).collect();
    Some(Merged { fields, odd })
}

impl Merged<'_> {
    /// Leaves out rows that lack a key which nearly all have, where they are cheaper as objects.
    pub fn leave_out(&mut self, tree: &Tree<'_>, objects: &[Cell]) {
        let count = objects.len() - self.odd.len();
        let mut keys_of: HashMap<u32, u32> = HashMap::new();
        for (key, cells) in &self.fields {
            if cells.len() == count || cells.len() * 8 < count * 7 {
                continue;
            }
            let have: HashSet<u32> = cells.iter().map(|cell| cell.row).collect();
            let lack = objects.iter().filter(|object| !have.contains(&object.row) && !self.odd.contains(&object.row));
            let lack: Vec<Cell> = lack.copied().collect();
            let keys =
                |object: &Cell| tree.children(object.node).map(|child| weight(tree.node(child).key) + 2).sum::<u32>();
            let mut weight_of = |object: &Cell| *keys_of.entry(object.row).or_insert_with(|| keys(object));
            let as_objects: u64 = lack.iter().map(|object| u64::from(weight_of(object))).sum();
            let at_the_end = u64::from(weight(key) + 3) * cells.len() as u64;
            if as_objects < at_the_end {
                self.odd.extend(lack.iter().map(|object| object.row));
            }
        }
    }
}

/// Keys in an order that grows.
#[derive(Default)]
struct Keys<'a> {
    ids: HashMap<&'a str, usize>,
    order: Vec<usize>,
    /// The place of each key in the order.
    places: Vec<usize>,
}

impl<'a> Keys<'a> {
    /// Adds a key after another one.
    fn insert(&mut self, key: &'a str, after: Option<usize>) -> Option<usize> {
        let id = self.places.len();
        if id == MOST_KEYS {
            return None;
        }
        let place = after.map_or(0, |after| self.places[after] + 1);
        self.order.insert(place, id);
        self.places.push(place);
        for (place, id) in self.order.iter().enumerate().skip(place) {
            self.places[*id] = place;
        }
        self.ids.insert(key, id);
        Some(id)
    }
}
