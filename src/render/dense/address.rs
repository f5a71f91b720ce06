//! Addresses that are made of other values: `https://host/issues/${number}`.
//!
//! `${x}` is the x of the object that the address is in, or of the row or the object around it; only whole names, numbers and
//! addresses are replaced, between characters that separate the parts of an address.

use std::collections::{HashMap, HashSet};

use crate::render::dense::tree::{Tree, literal, weight};

/// The most bytes of an address that is looked at.
const LONGEST: usize = 512;
/// The most separators in an address that are looked at.
const MOST_EDGES: usize = 24;
/// How many templates a value may depend on, one through the other.
pub(super) const MOST_LEVELS: u8 = 3;

/// Whether a value is an address, in which nothing is escaped.
pub(super) fn is_address(json: &str) -> bool {
    json.starts_with('"') && json.len() <= LONGEST && json.contains("://") && !json.contains(['\\', ' ', '$'])
}

/// Whether a key can are between the braces of `${x}`, and between the dots of a path.
pub(super) fn is_name(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'@' | b':'))
}

/// A part of a template.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part<'a> {
    /// Text, or a value of another object.
    Text(&'a str),
    /// The value of a column in the same row.
    Column(usize),
}

/// A value that an address may contain.
pub(super) struct Found<'a> {
    pub name: String,
    pub level: u8,
    pub part: Part<'a>,
}

/// An address with names in it.
#[derive(Clone, Debug)]
pub(super) struct Template<'a> {
    /// The literal.
    pub text: String,
    parts: Vec<Part<'a>>,
    pub level: u8,
}

impl<'a> Template<'a> {
    /// The template of an address, by the values that `find` knows; `None` if it has none of them. `lengths` are those of these
    /// values.
    pub fn of(address: &'a str, lengths: Lengths, find: impl Fn(&'a str) -> Option<Found<'a>>) -> Option<Self> {
        let is_within = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-') || byte >= 0x80;
        let bytes = address.as_bytes();
        let is_edge =
            |at: &usize| *at == 0 || *at == bytes.len() || !is_within(bytes[*at]) || !is_within(bytes[*at - 1]);
        let edges: Vec<usize> = (0..=bytes.len()).filter(is_edge).take(MOST_EDGES).collect();
        let mut template = Self { text: String::new(), parts: Vec::new(), level: 0 };
        let (mut at, mut copied) = (0, 0);
        while at < edges.len() {
            let start = edges[at];
            let ends = (at + 1..edges.len()).rev().filter(|&end| lengths.has(edges[end] - start));
            let found = ends.filter_map(|end| Some((end, find(&address[start..edges[end]])?))).next();
            let Some((end, found)) = found else {
                at += 1;
                continue;
            };
            template.push_text(&address[copied..start]);
            template.text += &format!("${{{}}}", found.name);
            template.parts.push(found.part);
            template.level = template.level.max(found.level + 1);
            (at, copied) = (end, edges[end]);
        }
        template.push_text(&address[copied..]);
        (template.level > 0).then_some(template)
    }

    fn push_text(&mut self, text: &'a str) {
        self.text += text;
        self.parts.push(Part::Text(text));
    }

    /// Whether it represents a literal.
    pub fn is(&self, mut literal: &str, value: impl Fn(usize) -> &'a str) -> bool {
        for part in &self.parts {
            let text = match *part {
                Part::Text(text) => text,
                Part::Column(column) => value(column),
            };
            let Some(rest) = literal.strip_prefix(text) else { return false };
            literal = rest;
        }
        literal.is_empty()
    }
}

/// Which lengths some values have.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lengths(u128);

impl Lengths {
    pub fn add(&mut self, length: usize) {
        self.0 |= 1 << length.min(127);
    }

    fn has(self, length: usize) -> bool {
        self.0 >> length.min(127) & 1 == 1
    }

    pub fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }
}

/// The scalars of an object, by their literals.
#[derive(Clone, Debug, Default)]
pub(super) struct Names<'a> {
    by_value: HashMap<&'a str, (String, u8)>,
    pub lengths: Lengths,
    /// The keys of the object.
    keys: HashSet<String>,
}

impl<'a> Names<'a> {
    /// Adds a key of the object; false if it has that already.
    pub fn add_key(&mut self, key: &str) -> bool {
        self.keys.insert(key.to_owned())
    }

    /// Adds a scalar that is long enough, under a name.
    pub fn add(&mut self, json: &'a str, name: &str, level: u8) {
        let literal = literal(json);
        if is_value(json) && level < MOST_LEVELS && weight(literal) > weight(name) {
            self.lengths.add(literal.len());
            self.by_value.entry(literal).or_insert_with(|| (name.to_owned(), level));
        }
    }

    /// The name of a literal that is not a key of any of the inner objects, from this object or those around it.
    pub fn find(scopes: &[&Self], value: &'a str, is_hidden: &dyn Fn(&str) -> bool) -> Option<Found<'a>> {
        for (nth, scope) in scopes.iter().enumerate() {
            let Some((name, level)) = scope.by_value.get(value) else { continue };
            let first = name.split('.').next().unwrap_or_default();
            if !is_hidden(first) && !scopes[..nth].iter().any(|inner| inner.keys.contains(first)) {
                return Some(Found { name: name.clone(), level: *level, part: Part::Text(value) });
            }
        }
        None
    }
}

/// Whether a value can be a part of an address: a number, or a text without escapes.
pub(super) fn is_value(json: &str) -> bool {
    match json.as_bytes()[0] {
        b'"' => json.len() > 3 && json.len() <= LONGEST && !json.contains(['\\', ' ', '$']),
        b'{' | b'[' | b't' | b'f' | b'n' => false,
        _ => true,
    }
}

/// The scalars of an object and of the objects in it, down to a few levels, that are not addresses.
pub(super) fn names_within<'a>(tree: &Tree<'a>, at: u32, prefix: &str, levels: usize, names: &mut Names<'a>) {
    let mut keys = HashSet::new();
    for child in tree.children(at) {
        let node = tree.node(child);
        // Of several members with one key a name means the first.
        if !is_name(node.key) || !keys.insert(node.key) {
            continue;
        }
        let name = if prefix.is_empty() { node.key.to_owned() } else { format!("{prefix}.{}", node.key) };
        if node.json.starts_with('{') && levels > 0 {
            names_within(tree, child, &name, levels - 1, names);
        } else if !is_address(node.json) {
            names.add(node.json, &name, 0);
        }
    }
}
