//! Where some fields are in one row after another, found in one pass over each row.
//!
//! Of a row no more is looked at than leads to the fields; once all are found, its rest is skipped.

use crate::outline::Steps;
use crate::scan::{next_member, plain_end, skip_space, skip_string};

/// The start and the end of a value in the text.
pub type ValueSpan = (usize, usize);

/// What fields are looked for, and where they are in the row that was read last.
pub struct Fields {
    nodes: Vec<FieldNode>,
    found: Vec<FoundField>,
    /// Whether the text of a literal with escapes is a name.
    is_text: fn(&str, &str) -> bool,
    /// The number of the row that was read last, from 1.
    row: u64,
    /// How many names its keys were compared with.
    compared: usize,
}

/// A step of a field's path.
struct FieldNode {
    name: String,
    /// The index that the name spells, if it does.
    index: Option<usize>,
    below: Vec<usize>,
    /// Whether a step below is one into an array.
    has_indices: bool,
    /// The number of the field that ends here.
    field: Option<usize>,
    /// The row in which it was found last.
    row: u64,
}

#[derive(Clone, Copy, Default)]
struct FoundField {
    row: u64,
    place: ValueSpan,
    /// Whether any row had it, and whether a row had a list on its way.
    is_known: bool,
    is_in_list: bool,
}

const ROOT: usize = 0;

impl Fields {
    /// Looks for fields, each a path of keys; an empty path is the row itself. `is_text` says whether the text of a JSON
    /// string literal is a name, for literals with escapes, and `index` which index a name spells.
    pub fn new<'p>(
        paths: impl IntoIterator<Item = &'p [String]>,
        is_text: fn(&str, &str) -> bool,
        index: fn(&str) -> Option<usize>,
    ) -> Self {
        let mut fields =
            Self { nodes: vec![FieldNode::new("", None)], found: Vec::new(), is_text, row: 0, compared: 0 };
        for path in paths {
            let mut at = ROOT;
            for name in path {
                let below = fields.nodes[at].below.iter().copied().find(|&below| fields.nodes[below].name == *name);
                at = below.unwrap_or_else(|| {
                    let (new, index) = (fields.nodes.len(), index(name));
                    fields.nodes.push(FieldNode::new(name, index));
                    fields.nodes[at].below.push(new);
                    fields.nodes[at].has_indices |= index.is_some();
                    new
                });
            }
            fields.nodes[at].field = Some(fields.found.len());
            fields.found.push(FoundField::default());
        }
        fields
    }

    /// Reads the row that begins at `at` of checked text, and returns its end.
    pub fn read(&mut self, text: &str, steps: &mut Steps<'_>, at: usize) -> usize {
        self.row += 1;
        self.compared = 0;
        self.value(text, steps, at, ROOT)
    }

    /// Where a field is in the row that was read last, if it is there.
    pub fn place(&self, field: usize) -> Option<ValueSpan> {
        let FoundField { row, place, .. } = self.found[field];
        (row == self.row).then_some(place)
    }

    /// How many names the keys of the row that was read last were compared with.
    pub fn compared(&self) -> usize {
        self.compared
    }

    /// Whether any row had a field.
    pub fn is_known(&self, field: usize) -> bool {
        self.found[field].is_known
    }

    /// Whether a row had a list where the field's path goes on with a key.
    pub fn is_in_list(&self, field: usize) -> bool {
        self.found[field].is_in_list
    }

    /// Reads the value at `at`, to which a node leads, and returns its end.
    fn value(&mut self, text: &str, steps: &mut Steps<'_>, at: usize, node: usize) -> usize {
        let bytes = text.as_bytes();
        let end = match bytes[at] {
            b'{' if !self.nodes[node].below.is_empty() => self.object(text, steps, at, node),
            b'[' if !self.nodes[node].below.is_empty() => {
                self.note_list(node);
                if self.nodes[node].has_indices { self.array(text, steps, at, node) } else { steps.skip_value(at) }
            }
            _ => steps.skip_value(at),
        };
        if let Some(field) = self.nodes[node].field {
            let found = &mut self.found[field];
            (found.row, found.place, found.is_known) = (self.row, (at, end), true);
        }
        end
    }

    fn object(&mut self, text: &str, steps: &mut Steps<'_>, start: usize, node: usize) -> usize {
        let bytes = text.as_bytes();
        let known_end = steps.enter(start);
        let mut left = self.nodes[node].below.len();
        let mut at = skip_space(bytes, start + 1);
        while bytes[at] != b'}' {
            let plain = plain_end(bytes, at + 1);
            let is_plain = bytes[plain] == b'"';
            let key_end = if is_plain { plain + 1 } else { skip_string(bytes, at) };
            let value = skip_space(bytes, skip_space(bytes, key_end) + 1);
            self.compared += self.nodes[node].below.len();
            let end = match self.below(node, &text[at + 1..key_end - 1], is_plain) {
                Some(below) => {
                    self.nodes[below].row = self.row;
                    left -= 1;
                    self.value(text, steps, value, below)
                }
                None => steps.skip_value(value),
            };
            if left == 0 {
                return match known_end {
                    Some(known_end) => steps.leave(end, known_end),
                    None => steps.skip_rest(end),
                };
            }
            at = next_member(bytes, end);
        }
        at + 1
    }

    /// The node below another of a key, unless it was found in this row already: of equal keys the first counts.
    fn below(&self, node: usize, key: &str, is_plain: bool) -> Option<usize> {
        self.nodes[node].below.iter().copied().find(|&below| {
            let FieldNode { name, row, .. } = &self.nodes[below];
            let is_it = if is_plain { name == key } else { (self.is_text)(key, name) };
            is_it && *row != self.row
        })
    }

    fn array(&mut self, text: &str, steps: &mut Steps<'_>, start: usize, node: usize) -> usize {
        let bytes = text.as_bytes();
        let known_end = steps.enter(start);
        let last = self.nodes[node].below.iter().filter_map(|&below| self.nodes[below].index).max().unwrap_or(0);
        let (mut at, mut index) = (skip_space(bytes, start + 1), 0);
        while bytes[at] != b']' {
            self.compared += self.nodes[node].below.len();
            let below = self.nodes[node].below.iter().copied().find(|&below| self.nodes[below].index == Some(index));
            let end = match below {
                Some(below) => self.value(text, steps, at, below),
                None => steps.skip_value(at),
            };
            if index == last {
                return match known_end {
                    Some(known_end) => steps.leave(end, known_end),
                    None => steps.skip_rest(end),
                };
            }
            at = next_member(bytes, end);
            index += 1;
        }
        at + 1
    }

    /// Notes that a list is where the paths through a node go on.
    fn note_list(&mut self, node: usize) {
        let mut waiting: Vec<usize> = Vec::new();
        let named = |nodes: &[FieldNode], node: usize| {
            nodes[node].below.iter().copied().filter(|&below| nodes[below].index.is_none()).collect::<Vec<_>>()
        };
        waiting.extend(named(&self.nodes, node));
        while let Some(node) = waiting.pop() {
            if let Some(field) = self.nodes[node].field {
                self.found[field].is_in_list = true;
            }
            waiting.extend(&self.nodes[node].below);
        }
    }
}

impl FieldNode {
    fn new(name: &str, index: Option<usize>) -> Self {
        Self { name: name.to_owned(), index, below: Vec::new(), has_indices: false, field: None, row: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check;

    /// What each field is in each row of a list.
    fn found(json: &str, paths: &[&[&str]]) -> Vec<Vec<Option<String>>> {
        let paths: Vec<Vec<String>> =
            paths.iter().map(|path| path.iter().map(|&name| name.to_owned()).collect()).collect();
        let index = |name: &str| name.parse().ok();
        let is_text = |literal: &str, name: &str| literal.replace("\\u0061", "a") == name;
        let mut fields = Fields::new(paths.iter().map(Vec::as_slice), is_text, index);
        let outline = check(json, 100).unwrap().outline;
        let mut steps = outline.steps(json.as_bytes(), 0, 1);
        let (mut at, mut rows) = (skip_space(json.as_bytes(), 1), Vec::new());
        while json.as_bytes()[at] != b']' {
            let end = fields.read(json, &mut steps, at);
            let texts = (0..paths.len()).map(|field| fields.place(field).map(|(at, end)| json[at..end].to_owned()));
            rows.push(texts.collect());
            at = next_member(json.as_bytes(), end);
        }
        rows
    }

    #[test]
    fn fields_are_found_whatever_is_around_them() {
        let long = "x{}[]\\\"".repeat(200);
        let row = format!(
            r#"{{"pad":"{long}","\u0061":{{"n":{{"m":[1,{{"k":2}},3]}},"o":[{{"p":"{long}"}}]}},"z":[],"a":5,"z":7}}"#
        );
        let json = format!("[ {row} , 7,[{row}],{{}},{row}]");
        let paths: [&[&str]; 6] = [&["a", "n", "m", "1", "k"], &["z"], &["a", "o", "0", "p"], &[], &["b"], &["0", "z"]];
        let rows = found(&json, &paths);
        let text = |text: &str| Some(text.to_owned());
        let whole = vec![text("2"), text("[]"), Some(format!("\"{long}\"")), Some(row.clone()), None, None];
        assert_eq!(rows.len(), 5);
        assert_eq!(rows[0], whole);
        assert_eq!(rows[1], [None, None, None, text("7"), None, None]);
        assert_eq!(rows[2][5], text("[]"));
        assert_eq!(rows[3], [None, None, None, text("{}"), None, None]);
        assert_eq!(rows[4], whole);
    }

    #[test]
    fn a_list_on_the_way_is_noted() {
        let paths = [vec!["a".to_owned(), "b".to_owned()], vec!["a".to_owned()], vec!["c".to_owned()]];
        let mut fields = Fields::new(paths.iter().map(Vec::as_slice), |a, b| a == b, |_| None);
        let json = r#"{"a":[{"b":1}]}"#;
        assert_eq!(fields.read(json, &mut Steps::new(json.as_bytes()), 0), json.len());
        let facts = |field| (fields.is_known(field), fields.is_in_list(field));
        assert_eq!([facts(0), facts(1), facts(2)], [(false, true), (true, false), (false, false)]);
    }
}
