//! Writes a JSON text in the dense form.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::render::dense::address::{Names, Template, is_address, is_name, names_within};
use crate::render::dense::rules::{Rules, Saved};
use crate::render::dense::table::{Place, Table};
use crate::render::dense::tree::{At, ROOT, Tree, weight};
use crate::value::source::Kind;

/// The most dots in a path to an object that is repeated.
const MOST_DOTS: usize = 6;
/// An object of fewer tokens is not worth a path.
const LEAST_REPEATED: u32 = 12;
/// Of how many rows and objects around an object addresses are made of.
const MOST_AROUND: usize = 2;

/// A text in the dense form, without `_form`.
pub(super) struct Written {
    /// The members of the root.
    pub members: String,
    /// The rules that are used.
    pub rules: Rules,
    pub saved: Saved,
    /// The end of what is before the rows or the items of the root, and of each of these.
    pub ends: Vec<usize>,
}

/// Writes a minified text by some rules.
pub(super) fn write(tree: &Tree<'_>, rules: Rules) -> Written {
    let mut writer = Writer::new(tree, rules);
    writer.root();
    writer.run()
}

/// Writes lists that have one cell for each name as a table by some rules; `None` if these leave no room for the names.
pub(super) fn write_cells<'a>(tree: &Tree<'a>, names: &[&'a str], rules: Rules) -> Option<Written> {
    let mut writer = Writer::new(tree, rules);
    let table = Table::of_cells(tree, names, rules, &Vec::new)?;
    writer.open_table(Rc::new(table), false);
    Some(writer.run())
}

/// A row or the whole: what paths begin in.
struct Record<'a> {
    of: Of<'a>,
    /// The paths of its objects.
    seen: HashMap<u32, (At, String)>,
    /// The paths of its members: of keys that are alike only the first can be named.
    taken: HashSet<String>,
    names: OnceCell<Names<'a>>,
}

enum Of<'a> {
    Object(At),
    Row(Rc<Table<'a>>, u32),
}

enum Task<'a> {
    /// A text as it is.
    Text(&'a str),
    /// A value, and the path to it in the record if that has one.
    Value(At, Option<String>),
    /// The members of a container from one of them on.
    Members { next: At, end: At, of: Kind, path: Option<String> },
    /// The rows of a table from one of them on, and what these end with.
    Rows { table: Rc<Table<'a>>, next: usize, ends: usize, is_map: bool },
    /// The key of what a row ends with, by its place in the table's ends.
    EndKey(Rc<Table<'a>>, usize),
    /// The end of the record that is read.
    EndRecord,
}

struct Writer<'t, 'a> {
    tree: &'t Tree<'a>,
    rules: Rules,
    used: Rules,
    saved: Saved,
    ends: Vec<usize>,
    out: String,
    tasks: Vec<Task<'a>>,
    records: Vec<Record<'a>>,
    /// Addresses that are made of other values.
    made: HashMap<At, String>,
}

impl<'t, 'a> Writer<'t, 'a> {
    fn new(tree: &'t Tree<'a>, rules: Rules) -> Self {
        Self {
            tree,
            rules,
            used: Rules::NONE,
            saved: Saved::default(),
            ends: Vec::new(),
            out: String::new(),
            tasks: Vec::new(),
            records: Vec::new(),
            made: HashMap::new(),
        }
    }

    fn run(mut self) -> Written {
        while let Some(task) = self.tasks.pop() {
            // Only what closes the root is open.
            if self.tasks.len() == 1 && matches!(task, Task::Rows { .. } | Task::Members { .. }) {
                self.ends.push(self.out.len());
            }
            self.step(task);
        }
        Written { members: self.out, rules: self.used, saved: self.saved, ends: self.ends }
    }

    fn root(&mut self) {
        let node = self.tree.node(ROOT);
        match self.table(ROOT) {
            Some(table) => self.open_table(table, node.kind() == Kind::Object),
            None if node.kind() == Kind::Object => {
                self.record(Of::Object(ROOT));
                self.make_addresses(ROOT);
                self.tasks.push(members(ROOT, node.end, Kind::Object, Some(String::new())));
            }
            None => {
                self.out += "\"_list\":[";
                self.tasks.push(Task::Text("]"));
                self.tasks.push(members(ROOT, node.end, Kind::Array, None));
            }
        }
    }

    fn step(&mut self, task: Task<'a>) {
        match task {
            Task::Text(text) => self.out += text,
            Task::EndKey(table, nth) => {
                self.out += &table.columns[table.ends[nth].1 as usize].path;
                self.out += "\":";
            }
            Task::EndRecord => {
                self.records.pop();
            }
            Task::Value(at, path) => self.value(at, path),
            Task::Members { next, end, .. } if next == end => {}
            Task::Members { next, end, of, path } => {
                // A string ends in a quote.
                if !self.out.is_empty() && !self.out.ends_with(['[', '{']) {
                    self.out.push(',');
                }
                let (tree, node) = (self.tree, self.tree.node(next));
                let mut inner = None;
                if of == Kind::Object {
                    self.key(node.key);
                    let is_short = |path: &&String| is_name(node.key) && path.matches('.').count() < MOST_DOTS;
                    inner = path.as_ref().filter(is_short).map(|path| joined(path, node.key));
                    let record = self.records.last_mut();
                    inner = inner.filter(|inner| record.is_some_and(|record| record.taken.insert(inner.clone())));
                }
                self.tasks.push(Task::Members { next: tree.node(next).end, end, of, path });
                self.value(next, inner);
            }
            Task::Rows { table, next, ends, is_map } => self.row(table, next, ends, is_map),
        }
    }

    fn key(&mut self, literal: &str) {
        self.out.push('"');
        self.out += literal;
        self.out += "\":";
    }

    fn value(&mut self, at: At, path: Option<String>) {
        let node = self.tree.node(at);
        match node.kind() {
            Kind::Array | Kind::Object if node.end == at + 1 => self.out += node.json,
            Kind::Array => match self.table(at) {
                Some(table) => self.nested_table(table, false),
                None => {
                    self.out.push('[');
                    self.tasks.push(Task::Text("]"));
                    self.tasks.push(members(at, node.end, Kind::Array, None));
                }
            },
            Kind::Object => self.object(at, path),
            _ => match self.made.remove(&at) {
                Some(made) => self.out += &made,
                None => self.out += node.json,
            },
        }
    }

    fn object(&mut self, at: At, path: Option<String>) {
        let node = self.tree.node(at);
        let is_long = node.weight >= LEAST_REPEATED;
        if self.rules.has(Rules::REPEATS) && is_long {
            let seen = self.records.last().and_then(|record| record.seen.get(&node.hash));
            if let Some((_, path)) = seen.filter(|(seen, _)| self.tree.are_equal(*seen, at)) {
                let path = path.clone();
                self.used = self.used.with(Rules::REPEATS);
                self.save(Rules::REPEATS, i64::from(node.weight) - i64::from(weight(&path)) - 2);
                self.out += &format!("{{\"=\":\"{path}\"}}");
                return;
            }
        }
        if let Some(table) = self.table(at) {
            return self.nested_table(table, true);
        }
        if let (Some(record), Some(path)) =
            (self.records.last_mut(), path.as_ref().filter(|path| is_long && !path.is_empty()))
        {
            record.seen.entry(node.hash).or_insert_with(|| (at, path.clone()));
        }
        self.make_addresses(at);
        self.out.push('{');
        self.tasks.push(Task::Text("}"));
        self.tasks.push(members(at, node.end, Kind::Object, path));
    }

    fn table(&self, at: At) -> Option<Rc<Table<'a>>> {
        let node = self.tree.node(at);
        let rule = if node.kind() == Kind::Object { Rules::KEYED } else { Rules::ROWS };
        let is_tried = node.kind().is_container() && self.rules.has(rule);
        is_tried.then(|| Table::of(self.tree, at, self.rules, &|| self.around()).map(Rc::new))?
    }

    /// The values of the objects around, the nearest first.
    fn around(&self) -> Vec<&Names<'a>> {
        let names = |record: &Record<'a>| match &record.of {
            Of::Row(table, row) => table.names(self.tree, *row),
            Of::Object(at) => self.names_of(*at),
        };
        self.records.iter().rev().take(MOST_AROUND).map(|record| record.names.get_or_init(|| names(record))).collect()
    }

    fn names_of(&self, at: At) -> Names<'a> {
        let mut names = Names::default();
        self.tree.children(at).for_each(|child| _ = names.add_key(self.tree.node(child).key));
        names_within(self.tree, at, "", 3, &mut names);
        names
    }

    /// Finds the addresses of an object that are made of other values.
    fn make_addresses(&mut self, at: At) {
        let tree = self.tree;
        let addresses: Vec<At> = tree.children(at).filter(|child| is_address(tree.node(*child).json)).collect();
        if addresses.is_empty() || !self.rules.has(Rules::ADDRESSES) {
            return;
        }
        let (mut own, mut repeated) = (Names::default(), HashSet::new());
        for child in tree.children(at) {
            let node = tree.node(child);
            if !own.add_key(node.key) {
                repeated.insert(child);
            } else if is_name(node.key) && !is_address(node.json) {
                own.add(node.json, node.key, 0);
            }
        }
        let is_record = matches!(self.records.last(), Some(Record { of: Of::Object(record), .. }) if *record == at);
        if is_record {
            names_within(tree, at, "", 3, &mut own);
        }
        for address in addresses {
            let node = tree.node(address);
            let around = self.around();
            let scopes: Vec<&Names<'a>> =
                [&own].into_iter().chain(around.into_iter().skip(usize::from(is_record))).collect();
            let lengths = scopes.iter().fold(Default::default(), |all, names| names.lengths.and(all));
            let template = Template::of(node.literal(), lengths, |value| Names::find(&scopes, value, &|_| false));
            let level = template.as_ref().map_or(0, |template| template.level);
            if let Some(template) = template {
                self.used = self.used.with(Rules::ADDRESSES);
                self.save(Rules::ADDRESSES, i64::from(node.weight) - i64::from(weight(&template.text)));
                self.made.insert(address, format!("\"{}\"", template.text));
            }
            if is_name(node.key) && !repeated.contains(&address) {
                own.add(node.json, node.key, level);
            }
        }
        if is_record && let Some(record) = self.records.last_mut() {
            record.names = OnceCell::from(own);
        }
    }

    fn record(&mut self, of: Of<'a>) {
        let mut seen = HashMap::new();
        if let Of::Row(table, row) = &of
            && self.rules.has(Rules::REPEATS)
        {
            let named = table.objects(*row).filter(|(_, path)| path.split('.').all(is_name));
            named.for_each(|(at, path)| _ = seen.insert(self.tree.node(at).hash, (at, path.to_owned())));
        }
        self.records.push(Record { of, seen, taken: HashSet::new(), names: OnceCell::new() });
    }

    fn save(&mut self, rule: Rules, tokens: i64) {
        self.saved.all += tokens;
        self.saved.add(rule, tokens);
    }

    fn nested_table(&mut self, table: Rc<Table<'a>>, is_map: bool) {
        self.out.push('{');
        self.tasks.push(Task::Text("}"));
        self.open_table(table, is_map);
    }

    fn open_table(&mut self, table: Rc<Table<'a>>, is_map: bool) {
        self.used = self.used.with(Rules::ROWS).with(if is_map { Rules::KEYED } else { Rules::NONE });
        self.saved.and(&table.saved);
        self.saved.add(Rules::KEYED, if is_map { table.saved.all } else { 0 });
        let columns = self.columns(&table);
        self.out += &format!("\"columns\":{columns},\"rows\":");
        self.out.push(if is_map { '{' } else { '[' });
        self.tasks.push(Task::Text(if is_map { "}" } else { "]" }));
        self.tasks.push(Task::Rows { table, next: 0, ends: 0, is_map });
    }

    /// The columns: names of cells, objects of constants, and lists of keys that rows end with.
    fn columns(&mut self, table: &Table<'a>) -> String {
        let mut entries: Vec<(&str, String)> = Vec::new();
        for (column, is_placed) in table.columns.iter().zip(table.placed()) {
            let constant = |json: &str| ("{}", format!("\"{}\":{json}", column.path));
            self.used = self.used.with(match &column.place {
                Place::Cell => Rules::NONE,
                Place::End => Rules::ENDS,
                Place::Constant(_) => Rules::CONSTANTS,
                Place::Template(_) => Rules::CONSTANTS.with(Rules::ADDRESSES),
                Place::Repeated(_) => Rules::CONSTANTS.with(Rules::REPEATS),
            });
            entries.push(match &column.place {
                Place::Cell => ("", format!("\"{}\"", column.path)),
                Place::Constant(common) => constant(self.tree.node(*common).json),
                Place::Template(template) => constant(&format!("\"{}\"", template.text)),
                Place::Repeated(of) => constant(&format!("{{\"=\":\"{}\"}}", table.apart[*of].path)),
                Place::End if is_placed => ("[]", format!("\"{}\"", column.path)),
                Place::End => continue,
            });
        }
        // Neighbours of one kind share their brackets.
        let groups = entries.chunk_by(|one, other| one.0 == other.0).map(|group| {
            let inside: Vec<&str> = group.iter().map(|(_, entry)| entry.as_str()).collect();
            let (open, close) = group[0].0.split_at(group[0].0.len() / 2);
            format!("{open}{}{close}", inside.join(","))
        });
        let columns: Vec<String> = groups.collect();
        if !table.apart.is_empty() {
            self.used = self.used.with(Rules::PATHS);
        }
        format!("[{}]", columns.join(","))
    }

    fn row(&mut self, table: Rc<Table<'a>>, next: usize, mut ends: usize, is_map: bool) {
        let Some(&(at, row)) = table.items.get(next) else { return };
        if next > 0 {
            self.out.push(',');
        }
        if is_map {
            self.key(self.tree.node(at).key);
        }
        let Some(row) = row else {
            self.tasks.push(Task::Rows { table, next: next + 1, ends, is_map });
            if self.tree.node(at).kind() == Kind::Object {
                self.record(Of::Object(at));
                self.tasks.push(Task::EndRecord);
            }
            return self.value(at, Some(String::new()));
        };
        self.record(Of::Row(Rc::clone(&table), row));
        let mut tasks = Vec::new();
        for column in table.columns.iter().filter(|column| matches!(column.place, Place::Cell)) {
            tasks.push(Task::Text(if tasks.is_empty() { "[" } else { "," }));
            tasks.push(self.cell(column.values[row as usize].node, &column.path));
        }
        if tasks.is_empty() {
            tasks.push(Task::Text("["));
        }
        let has_cells = tasks.len() > 1;
        let mut is_first = true;
        while let Some(&(_, column, node)) = table.ends.get(ends).filter(|(of, ..)| *of == row) {
            let column = &table.columns[column as usize];
            tasks.push(Task::Text(match (is_first, has_cells) {
                (true, true) => ",{\"",
                (true, false) => "{\"",
                _ => ",\"",
            }));
            tasks.push(Task::EndKey(Rc::clone(&table), ends));
            tasks.push(self.cell(node, &column.path));
            (is_first, ends) = (false, ends + 1);
        }
        tasks.push(Task::Text(if is_first { "]" } else { "}]" }));
        tasks.push(Task::EndRecord);
        self.tasks.push(Task::Rows { table, next: next + 1, ends, is_map });
        self.tasks.extend(tasks.into_iter().rev());
    }

    /// A value in a row, of which paths are known.
    fn cell(&self, at: At, path: &str) -> Task<'a> {
        let node = self.tree.node(at);
        match node.kind() {
            Kind::Object => Task::Value(at, path.split('.').all(is_name).then(|| path.to_owned())),
            Kind::Array => Task::Value(at, None),
            _ => Task::Text(node.json),
        }
    }
}

fn members<'a>(at: At, end: At, of: Kind, path: Option<String>) -> Task<'a> {
    Task::Members { next: at + 1, end, of, path }
}

fn joined(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}
