//! Reads the dense form: the minified original.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use crate::base::error::{Error, ErrorCode};
use crate::render::dense::rules::Rules;
use crate::render::dense::shape::{Found, Place, Row, Shape, WriteStep};
use crate::render::dense::tree::{At, ROOT, Tree, literal};
use crate::value::source::{Kind, MAX_DEPTH, too_deep};

/// The most bytes of what a text represents.
pub(super) const MOST_BYTES: usize = 1 << 26;
/// The most paths that lead from one to the next, and names in the values of names.
const MOST_HOPS: u8 = 8;
/// The most bytes of an address.
const LONGEST: usize = 1 << 12;
/// The most steps of a path.
const MOST_STEPS: usize = 32;
/// The rows and objects around an address whose values it may have.
const MOST_AROUND: usize = 3;

/// What a minified text in the form represents.
///
/// # Errors
/// `INVALID_JSON` for a text that does not keep to the form, `TOO_DEEP`.
pub(super) fn expand(text: &str, rules: Rules) -> Result<String, Error> {
    let tree = Tree::of(text);
    let mut expander = Expander {
        tree: &tree,
        rules,
        out: String::new(),
        tasks: Vec::new(),
        records: Vec::new(),
        keys: RefCell::new(HashMap::new()),
    };
    expander.root()?;
    while let Some(task) = expander.tasks.pop() {
        expander.step(task)?;
        if expander.out.len() > MOST_BYTES {
            return Err(broken("it represents too long a text"));
        }
        if expander.tasks.len() > 4 * MAX_DEPTH {
            return Err(too_deep());
        }
    }
    Ok(expander.out)
}

pub(super) fn broken(what: &str) -> Error {
    Error::new(ErrorCode::InvalidJson, format!("this is not what _form describes: {what}"), "")
}

/// A row, or an object that paths begin in.
enum Record<'a> {
    Object(At),
    Row(Rc<Shape<'a>>, Rc<Row<'a>>),
}

/// The object that a value belongs to, if names in it have a meaning.
#[derive(Clone, Copy)]
enum Owner {
    None,
    Object(At),
    /// The row that is read.
    Row,
}

enum Task<'a> {
    /// A text as it is.
    Text(&'static str),
    /// The value of a member, an item or a cell.
    Value { at: At, owner: Owner, hops: u8 },
    /// The members of an object or a list, from one of them on.
    Members { next: At, end: At, owner: Option<At> },
    /// The rows of a table, from one of them on.
    Rows { shape: Rc<Shape<'a>>, next: At, end: At },
    /// The members of an object in a row, from one of them on.
    Steps { shape: Rc<Shape<'a>>, row: Rc<Row<'a>>, next: usize, end: usize, owner: &'a str },
    /// What a row ends with that no column names, from one of them on.
    Extras { row: Rc<Row<'a>>, owner: &'a str, next: usize },
    /// The end of the record that is read.
    EndRecord,
}

struct Expander<'t, 'a> {
    tree: &'t Tree<'a>,
    rules: Rules,
    out: String,
    tasks: Vec<Task<'a>>,
    records: Vec<Record<'a>>,
    /// The members of objects that a name led to.
    keys: RefCell<HashMap<At, HashMap<&'a str, At>>>,
}

impl<'a> Expander<'_, 'a> {
    fn root(&mut self) -> Result<(), Error> {
        let tree = self.tree;
        let members: Vec<At> = tree.children(ROOT).collect();
        let keys: Vec<&str> = members.iter().map(|at| tree.node(*at).key).collect();
        match (&keys[..], &members[..]) {
            (["_form", "_list"], [_, list]) => self.value(*list, Owner::None, 0)?,
            (["_form", "columns", "rows"], [_, columns, rows]) => self.open_table(*columns, *rows)?,
            ([.., "_form", "columns", "rows"], [.., form, columns, rows])
                if [columns, rows].iter().all(|list| tree.node(**list).kind() == Kind::Array) =>
            {
                self.open_cells(tree.before(*form), *columns, *rows)?;
            }
            _ => {
                self.records.push(Record::Object(ROOT));
                self.out.push('{');
                self.tasks.push(Task::Text("}"));
                let (next, end) = (ROOT + 1, tree.node(ROOT).end);
                self.tasks.push(Task::Members { next, end, owner: Some(ROOT) });
            }
        }
        Ok(())
    }

    fn step(&mut self, task: Task<'a>) -> Result<(), Error> {
        match task {
            Task::Text(text) => self.out += text,
            Task::EndRecord => _ = self.records.pop(),
            Task::Value { at, owner, hops } => self.value(at, owner, hops)?,
            Task::Members { next, end, .. } if next == end => {}
            Task::Members { next, end, owner } => {
                let node = self.tree.node(next);
                let is_form = owner == Some(ROOT) && node.key == "_form";
                if !is_form {
                    self.key(owner.map(|_| node.key));
                }
                self.tasks.push(Task::Members { next: node.end, end, owner });
                if !is_form {
                    self.value(next, owner.map_or(Owner::None, Owner::Object), 0)?;
                }
            }
            Task::Rows { next, end, .. } if next == end => {}
            Task::Rows { shape, next, end } => self.row(&shape, next, end)?,
            Task::Steps { shape, row, next, end, owner } => self.steps(shape, row, (next, end), owner)?,
            Task::Extras { row, owner, next } => {
                let Some((key, at)) = row.extras.get(owner).and_then(|extras| extras.get(next)).copied() else {
                    return Ok(());
                };
                self.key(Some(key));
                self.tasks.push(Task::Extras { row, owner, next: next + 1 });
                self.value(at, Owner::None, 0)?;
            }
        }
        Ok(())
    }

    /// Begins a member, or an item.
    fn key(&mut self, literal: Option<&str>) {
        // A string ends in a quote.
        if !self.out.ends_with(['[', '{']) {
            self.out.push(',');
        }
        if let Some(literal) = literal {
            self.out.push('"');
            self.out += literal;
            self.out += "\":";
        }
    }

    fn value(&mut self, at: At, owner: Owner, hops: u8) -> Result<(), Error> {
        let (tree, node) = (self.tree, self.tree.node(at));
        match node.kind() {
            Kind::Array => {
                self.out.push('[');
                self.tasks.push(Task::Text("]"));
                self.tasks.push(Task::Members { next: at + 1, end: node.end, owner: None });
            }
            Kind::Object => {
                let mut members = tree.children(at);
                let members = [members.next(), members.next(), members.next()];
                match members.map(|member| member.map(|at| (at, tree.node(at).key))) {
                    [Some((path, "=")), None, None] if self.rules.has(Rules::REPEATS) => {
                        return self.follow(tree.node(path).literal(), hops + 1);
                    }
                    [Some((columns, "columns")), Some((rows, "rows")), None] => {
                        return self.open_table(columns, rows);
                    }
                    _ => {}
                }
                self.out.push('{');
                self.tasks.push(Task::Text("}"));
                self.tasks.push(Task::Members { next: at + 1, end: node.end, owner: Some(at) });
            }
            _ => match self.address(node.json, owner, 0)? {
                Some(address) => self.out += &address,
                None => self.out += node.json,
            },
        }
        Ok(())
    }

    /// Writes the object at a path in the row, or in the whole.
    fn follow(&mut self, path: &str, hops: u8) -> Result<(), Error> {
        let nowhere = || broken("nothing is at a path");
        if hops > MOST_HOPS || path.matches('.').count() >= MOST_STEPS {
            return Err(broken("a path leads in circles"));
        }
        let at = match self.records.last() {
            Some(Record::Object(record)) => self.within(*record, path).ok_or_else(nowhere)?,
            Some(Record::Row(shape, row)) => {
                if let Some((owner, Found::Object(next, end))) = shape.paths.get_key_value(path) {
                    let (shape, row) = (Rc::clone(shape), Rc::clone(row));
                    self.out.push('{');
                    self.tasks.push(Task::Steps { shape, row, next: *next, end: *end, owner });
                    return Ok(());
                }
                self.in_row(shape, row, path).ok_or_else(nowhere)?
            }
            None => return Err(nowhere()),
        };
        self.tasks.push(Task::Value { at, owner: Owner::None, hops });
        Ok(())
    }

    /// The value at a path inside an object.
    fn within(&self, object: At, path: &str) -> Option<At> {
        path.split('.').try_fold(object, |at, key| self.member(at, key))
    }

    /// The value at a path in a row: that of a column, or inside it.
    fn in_row(&self, shape: &Shape<'a>, row: &Row<'a>, path: &str) -> Option<At> {
        let whole = || shape.value(row, path);
        let dots = path.match_indices('.').take(MOST_STEPS);
        let inside = |(dot, _): (usize, &str)| self.within(shape.value(row, &path[..dot])?, &path[dot + 1..]);
        whole().or_else(|| dots.filter_map(inside).next())
    }

    fn member(&self, object: At, key: &str) -> Option<At> {
        let tree = self.tree;
        let mut keys = self.keys.borrow_mut();
        let members = keys.entry(object).or_insert_with(|| {
            let is_object = tree.node(object).kind() == Kind::Object;
            let mut members = HashMap::new();
            for child in tree.children(object).filter(|_| is_object) {
                members.entry(tree.node(child).key).or_insert(child);
            }
            members
        });
        members.get(key).copied()
    }

    /// Lists with one cell for each column, after the facts about them.
    fn open_cells(&mut self, facts: &str, columns: At, rows: At) -> Result<(), Error> {
        let mut shape = Shape::of(self.tree, columns, self.rules)?;
        shape.is_bare = true;
        if shape.columns.iter().any(|column| matches!(column.place, Place::End)) {
            return Err(broken("a row has not one cell for each column"));
        }
        let names: Vec<String> = shape.bare().map(|name| format!("\"{name}\"")).collect();
        self.out += &format!("{facts}\"columns\":[{}],\"rows\":[", names.join(","));
        self.tasks.push(Task::Text("]}"));
        let end = self.tree.node(rows).end;
        self.tasks.push(Task::Rows { shape: Rc::new(shape), next: rows + 1, end });
        Ok(())
    }

    fn open_table(&mut self, columns: At, rows: At) -> Result<(), Error> {
        let (list, node) = (self.tree.node(columns), self.tree.node(rows));
        if list.kind() != Kind::Array || !node.kind().is_container() {
            return Err(broken("columns and rows are not lists"));
        }
        let shape = Rc::new(Shape::of(self.tree, columns, self.rules)?);
        let is_map = node.kind() == Kind::Object;
        self.out.push(if is_map { '{' } else { '[' });
        self.tasks.push(Task::Text(if is_map { "}" } else { "]" }));
        self.tasks.push(Task::Rows { shape, next: rows + 1, end: node.end });
        Ok(())
    }

    fn row(&mut self, shape: &Rc<Shape<'a>>, at: At, end: At) -> Result<(), Error> {
        let node = self.tree.node(at);
        self.key(node.is_member.then_some(node.key));
        self.tasks.push(Task::Rows { shape: Rc::clone(shape), next: node.end, end });
        match node.kind() {
            Kind::Array => {
                let row = Rc::new(shape.row(self.tree, at, self.rules)?);
                self.records.push(Record::Row(Rc::clone(shape), Rc::clone(&row)));
                self.out.push(if shape.is_bare { '[' } else { '{' });
                self.tasks.push(Task::EndRecord);
                let (shape, end) = (Rc::clone(shape), shape.steps.len());
                self.tasks.push(Task::Steps { shape, row, next: 0, end, owner: "" });
                Ok(())
            }
            _ if shape.is_bare => Err(broken("a row is not a list")),
            Kind::Object => {
                self.records.push(Record::Object(at));
                self.tasks.push(Task::EndRecord);
                self.value(at, Owner::None, 0)
            }
            _ => self.value(at, Owner::None, 0),
        }
    }

    /// Writes the members of an object in a row, as far as they are scalars.
    fn steps(
        &mut self,
        shape: Rc<Shape<'a>>,
        row: Rc<Row<'a>>,
        steps: (usize, usize),
        owner: &'a str,
    ) -> Result<(), Error> {
        let (mut next, end) = steps;
        while next < end {
            let step = shape.steps[next];
            next += 1;
            match step {
                WriteStep::Open(path, key) => {
                    self.key(shape.named(path, key));
                    self.out.push('{');
                }
                WriteStep::Close(path) if row.extras.contains_key(path) => {
                    let extras = Task::Extras { row: Rc::clone(&row), owner: path, next: 0 };
                    self.tasks.push(Task::Steps { shape, row, next, end, owner });
                    self.tasks.push(Task::Text("}"));
                    self.tasks.push(extras);
                    return Ok(());
                }
                WriteStep::Close(_) => {
                    self.out.push('}');
                }
                WriteStep::Column(at) => {
                    let column = &shape.columns[at];
                    let Some(value) = shape.value(&row, column.path) else { continue };
                    self.key(shape.named(column.path, column.key));
                    let of = match column.place {
                        Place::Constant(constant) if constant == value => Owner::Row,
                        _ => Owner::None,
                    };
                    if self.tree.node(value).kind().is_container() {
                        self.tasks.push(Task::Steps { shape, row, next, end, owner });
                        return self.value(value, Owner::None, 0);
                    }
                    self.value(value, of, 0)?;
                }
            }
        }
        let is_bare = shape.is_bare && owner.is_empty();
        if is_bare && row.extras.contains_key("") {
            return Err(broken("a row ends with a key that has no place"));
        }
        self.tasks.push(Task::Text(if is_bare { "]" } else { "}" }));
        self.tasks.push(Task::Extras { row, owner, next: 0 });
        Ok(())
    }

    /// An address with names in it, written out; `None` for any other value.
    fn address(&self, json: &str, owner: Owner, hops: u8) -> Result<Option<String>, Error> {
        if matches!(owner, Owner::None) || !self.rules.has(Rules::ADDRESSES) || !json.contains("${") {
            return Ok(None);
        }
        let (mut out, mut rest) = (String::new(), json);
        while let Some(start) = rest.find("${") {
            let found = match rest[start..].find('}').map(|end| &rest[start + 2..start + end]) {
                Some(name) if hops < MOST_HOPS => self.named(name, owner, hops)?.map(|value| (name, value)),
                _ => None,
            };
            let end = found.as_ref().map_or(start + 2, |(name, _)| start + name.len() + 3);
            match found {
                Some((_, value)) => {
                    out += &rest[..start];
                    out += &value;
                }
                None => out += &rest[..end],
            }
            rest = &rest[end..];
            if out.len() > LONGEST && out.len() > json.len() {
                return Err(broken("an address is too long"));
            }
        }
        Ok(Some(out + rest))
    }

    /// The literal of the scalar that a name means: of the object itself, or of the rows and objects around it.
    fn named(&self, name: &str, owner: Owner, hops: u8) -> Result<Option<String>, Error> {
        if name.matches('.').count() >= MOST_STEPS {
            return Ok(None);
        }
        let own = match owner {
            Owner::Object(object) => self.scalar_in(&Record::Object(object), name),
            Owner::None | Owner::Row => None,
        };
        let around = || self.records.iter().rev().take(MOST_AROUND).find_map(|record| self.scalar_in(record, name));
        let Some((json, owner)) = own.or_else(around) else { return Ok(None) };
        let written = self.address(json, owner, hops + 1)?;
        Ok(Some(literal(written.as_deref().unwrap_or(json)).to_owned()))
    }

    /// A scalar in a row or an object, and the object that it belongs to.
    fn scalar_in(&self, record: &Record<'a>, path: &str) -> Option<(&'a str, Owner)> {
        let (at, owner) = match record {
            Record::Object(object) => {
                let inner = path.rsplit_once('.').map_or(Some(*object), |(inner, _)| self.within(*object, inner))?;
                (self.within(*object, path)?, Owner::Object(inner))
            }
            Record::Row(shape, row) => {
                let at = shape.value(row, path)?;
                let Some(Found::Column(column)) = shape.paths.get(path) else { return None };
                let column = &shape.columns[*column];
                let is_constant = matches!(column.place, Place::Constant(constant) if constant == at);
                (at, if is_constant { Owner::Row } else { Owner::None })
            }
        };
        let node = self.tree.node(at);
        matches!(node.kind(), Kind::String | Kind::Number).then_some((node.json, owner))
    }
}
