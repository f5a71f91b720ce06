//! The children of what is opened: which are read, and when.

use std::borrow::Cow;

use crate::base::error::Error;
use crate::base::json_string::{self, Quoted};
use crate::value::source::{AT_ONCE_BYTES, Kind, Source};

use super::{CHUNK, Opening, OpeningNode, ROOT};

impl<S: Source> Opening<S> {
    /// The node of a child; `None` if there is no such child. At most as many entries are kept as `room` tokens could show.
    pub(super) fn child(&mut self, at: usize, nth: usize, room: usize) -> Result<Option<usize>, Error> {
        if let Some(&child) = self.nodes[at].children.get(nth) {
            return Ok(Some(child));
        }
        if self.nodes[at].children.is_empty() && at != ROOT {
            self.read_at_once(at);
        }
        if self.inside_kind(at) == Kind::Array {
            let start = self.nodes[at].children.len();
            let most = CHUNK.min(room + 1);
            let items = self.inside(at).items(start, most)?;
            for (index, item) in (start..).zip(items) {
                self.add(at, String::new(), item, index);
            }
        } else {
            let most = nth + room + 1;
            let is_read = self.nodes[at].entries.is_some();
            let mut entries = match self.nodes[at].entries.take() {
                Some(entries) => entries,
                None => self.inside(at).entries_where(&mut |at, _| at <= most)?.into(),
            };
            if entries.is_empty() && is_read && self.nodes[at].children.len() < self.nodes[at].len && at != ROOT {
                let seen = self.nodes[at].children.len();
                entries = self.inside(at).entries_where(&mut |at, _| (seen..=seen + most).contains(&at))?.into();
            }
            if let Some((key, value)) = entries.pop_front() {
                let index = self.nodes[at].children.len();
                self.add(at, key, value, index);
            }
            self.nodes[at].entries = Some(entries);
        }
        Ok(self.nodes[at].children.get(nth).copied())
    }

    /// Reads a small array or object that is opened at once, if its host takes longer to be asked for one member after
    /// another.
    fn read_at_once(&mut self, at: usize) {
        let node = &mut self.nodes[at];
        if node.data.as_ref().is_none_or(Option::is_none)
            && let Some(text) = node.value.as_ref().and_then(|value| value.in_text(AT_ONCE_BYTES))
        {
            node.value = Some(text);
        }
    }

    fn add(&mut self, parent: usize, key: String, value: S, index: usize) {
        let child = self.nodes.len();
        let literal = Quoted::of(&key).map_or("", Quoted::literal);
        let (key, has_short_key) = match json_string::clipped(literal, self.longest_key) {
            Cow::Owned(clipped) => (self.unlike_siblings(parent, &clipped), true),
            Cow::Borrowed(_) if key.is_empty() => (key, false),
            Cow::Borrowed(_) => (key + ":", false),
        };
        let key_tokens = if key.is_empty() { 0 } else { self.measure.count(&key) };
        self.nodes.push(OpeningNode { has_short_key, key_tokens, ..OpeningNode::new(key, Some(value), parent, index) });
        self.nodes[parent].children.push(child);
    }

    /// A shortened key that no earlier sibling has.
    fn unlike_siblings(&self, parent: usize, clipped: &str) -> String {
        let mut key = format!("\"{clipped}\":");
        while self.nodes[parent].children.iter().any(|&sibling| self.nodes[sibling].key == key) {
            key.insert(key.len() - 2, '…');
        }
        key
    }
}
