//! Writes the values of an opening as they are shown, with the list of what is shortened in them.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::error::Error;
use crate::base::json_pointer;
use crate::base::json_string::Quoted;
use crate::render::elide::Elision;
use crate::render::excerpt;
use crate::value::source::{Kind, RowSource, Source, original_index};

use super::{Opening, ROOT, ShownValues, ValueForm};

impl<S: Source> Opening<S> {
    /// The values as they are shown. It keeps its own stack, because values nest deeply.
    pub(super) fn written(&self) -> Result<ShownValues, Error> {
        let shortened_keys =
            self.nodes.iter().filter(|node| node.has_short_key && node.form != ValueForm::Hidden).count();
        let omitted = self.nodes[ROOT].len - self.nodes[ROOT].shown;
        let mut shown = ShownValues { omitted, shortened_keys, ..ShownValues::default() };
        let mut elisions = Elisions::default();
        for &child in &self.nodes[ROOT].children[..self.nodes[ROOT].shown] {
            shown.parts.push(self.write(child, &mut elisions)?);
        }
        shown.elisions = elisions.found;
        Ok(shown)
    }

    fn write(&self, at: usize, elisions: &mut Elisions) -> Result<String, Error> {
        let mut out = String::new();
        // Containers that are open, each with the child that comes next.
        let mut stack: Vec<(usize, usize)> = Vec::new();
        let mut next = Some(at);
        loop {
            if let Some(at) = next.take() {
                let node = &self.nodes[at];
                match node.form {
                    ValueForm::Whole => out += node.whole.as_ref().map_or("", |part| &part.text),
                    ValueForm::Open => {
                        out += &node.key;
                        out += &self.sign(at);
                        out.push(if self.inside_kind(at) == Kind::Array { '[' } else { '{' });
                        if node.shown < node.len || self.data(at).is_some() {
                            self.elide(at, elisions);
                        }
                        stack.push((at, 0));
                    }
                    ValueForm::Start(tokens) => {
                        let value = self.value(at);
                        // Only of a string there is a start.
                        out += &match node.ends.as_ref().and_then(|ends| ends.within(tokens, self.measure)) {
                            Some(literal) => format!("{}\"{literal}\"", node.key),
                            None => {
                                let start = excerpt::start(value, (0, value.chars()), tokens, false, self.measure)?;
                                format!("{}\"{}…\"", node.key, start.literal)
                            }
                        };
                        self.elide(at, elisions);
                    }
                    ValueForm::Stub | ValueForm::Hidden => {
                        out += node.stub.as_ref().map_or("null", |part| &part.text);
                        self.elide(at, elisions);
                    }
                }
            }
            let Some((open, nth)) = stack.last_mut() else { return Ok(out) };
            let node = &self.nodes[*open];
            if *nth < node.shown {
                if *nth > 0 {
                    out.push(',');
                }
                next = Some(node.children[*nth]);
                *nth += 1;
                continue;
            }
            let is_array = self.inside_kind(*open) == Kind::Array;
            if node.shown < node.len {
                out += &self.more(*open, is_array);
            }
            out.push(if is_array { ']' } else { '}' });
            if self.data(*open).is_some() {
                out.push('}');
            }
            stack.pop();
        }
    }

    /// The placeholder of the children that are not shown.
    fn more(&self, at: usize, is_array: bool) -> String {
        let node = &self.nodes[at];
        let hidden = node.len - node.shown;
        if is_array {
            return format!(",\"… {hidden} more\"");
        }
        let mut key = "…".to_owned();
        let is_taken = |key: &str| {
            node.children[..node.shown]
                .iter()
                .any(|&child| self.nodes[child].key.strip_suffix(':').is_some_and(|own| Quoted::new(own).is(key)))
        };
        while is_taken(&key) {
            key.push('…');
        }
        format!(",\"{key}\":\"{hidden} more\"")
    }

    /// Notes that a node is not shown whole, unless its pointer would have a key that is too long to show.
    fn elide(&self, at: usize, elisions: &mut Elisions) {
        if self.is_in_reading(at) {
            return;
        }
        let outermost = self.repeated_on_way(at, elisions);
        let Some(pointer) = self.pointer(outermost.map_or(at, |repeated| self.nodes[repeated].parent)) else { return };
        if outermost.is_some() {
            elisions.found.push(Elision::repeated(self.value(at), pointer));
            return;
        }
        elisions.found.push(match (self.nodes[at].form, self.data(at)) {
            (ValueForm::Open, Some(_)) => Elision::of_text(self.value(at), self.nodes[at].reading, pointer),
            _ => Elision::of(self.value(at), pointer),
        });
    }

    /// The outermost node on the way to one whose key its object has before: a pointer finds the first.
    fn repeated_on_way(&self, mut at: usize, elisions: &mut Elisions) -> Option<usize> {
        let mut outermost = None;
        while at != ROOT {
            let parent = self.nodes[at].parent;
            if !self.nodes[at].key.is_empty()
                && elisions.repeated.entry(parent).or_insert_with(|| self.repeated_of(parent)).contains(&at)
            {
                outermost = Some(at);
            }
            at = parent;
        }
        outermost
    }

    /// The children of an object whose keys earlier ones have.
    fn repeated_of(&self, parent: usize) -> BTreeSet<usize> {
        let children = &self.nodes[parent].children;
        let before = self.repeated.iter().filter(|_| parent == ROOT).filter_map(|&nth| children.get(nth).copied());
        let mut keys = BTreeSet::new();
        let mut is_new = |&&child: &&usize| {
            let key = self.nodes[child].key.strip_suffix(':').unwrap_or_default();
            keys.insert(Quoted::new(key).text())
        };
        let again: BTreeSet<usize> = children.iter().filter(|child| !is_new(child)).copied().collect();
        before.chain(again).collect()
    }

    /// JSON Pointer to a node; `None` if it would have a key that is too long to show.
    fn pointer(&self, mut at: usize) -> Option<String> {
        let mut path = Vec::new();
        let mut base = self.base.clone();
        while at != ROOT {
            let node = &self.nodes[at];
            if let Some(place) = self.value(at).row().and_then(RowSource::place) {
                base = place;
                break;
            }
            if node.has_short_key {
                return None;
            }
            match node.key.strip_suffix(':') {
                Some(key) => path.push(format!("/{}", json_pointer::escape(&Quoted::new(key).text()))),
                // The one value that is opened has no key.
                None if node.parent == ROOT => {}
                None => {
                    let index = original_index(self.inside(node.parent), node.index);
                    path.push(format!("/{index}"));
                }
            }
            at = node.parent;
        }
        Some(path.iter().rev().fold(base, |pointer, step| pointer + step))
    }
}

/// What is not shown whole, and for that the repeated keys of the objects on the way, each looked for once.
#[derive(Default)]
struct Elisions {
    found: Vec<Elision>,
    repeated: BTreeMap<usize, BTreeSet<usize>>,
}
