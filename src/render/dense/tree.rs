//! A minified JSON text as nodes in one row: a value, then everything inside it.

use std::hash::{DefaultHasher, Hash, Hasher};

use toolshape_json::{skip_string, skip_value};

use crate::value::source::Kind;

/// The place of a node in its tree.
pub(super) type At = u32;

/// A value: its key, its text, and where the nodes inside it end.
pub(super) struct Node<'a> {
    /// The literal of the key, without quotes; empty for an item.
    pub key: &'a str,
    /// Whether it has a key, however short.
    pub is_member: bool,
    pub json: &'a str,
    /// The first node after those inside it.
    pub end: At,
    /// The tokens that it has, roughly.
    pub weight: u32,
    /// Equal for equal texts.
    pub hash: u64,
}

impl<'a> Node<'a> {
    pub fn kind(&self) -> Kind {
        kind(self.json)
    }

    /// The tokens of its key and of what is around it, roughly.
    pub fn key_weight(&self) -> u32 {
        if self.is_member { weight(self.key) + 2 } else { 1 }
    }

    /// The text of a scalar without quotes.
    pub fn literal(&self) -> &'a str {
        literal(self.json)
    }
}

/// What a JSON text is, by its first byte.
pub(super) fn kind(json: &str) -> Kind {
    match json.as_bytes().first() {
        Some(b'{') => Kind::Object,
        Some(b'[') => Kind::Array,
        Some(b'"') => Kind::String,
        Some(b't' | b'f') => Kind::Bool,
        Some(b'n') => Kind::Null,
        _ => Kind::Number,
    }
}

/// A scalar without quotes.
pub(super) fn literal(json: &str) -> &str {
    if json.starts_with('"') { &json[1..json.len() - 1] } else { json }
}

/// All values of a text.
pub(super) struct Tree<'a> {
    nodes: Vec<Node<'a>>,
}

/// The root.
pub(super) const ROOT: At = 0;

impl<'a> Tree<'a> {
    /// Reads a text that is checked and minified.
    pub fn of(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let (mut tree, mut open): (Self, Vec<(At, usize)>) = (Self { nodes: Vec::new() }, Vec::new());
        let mut at = 0;
        while at < bytes.len() {
            match bytes[at] {
                b',' => at += 1,
                b'}' | b']' => {
                    at += 1;
                    let Some((node, start)) = open.pop() else { break };
                    let end = tree.nodes.len() as At;
                    let own = &mut tree.nodes[node as usize];
                    (own.json, own.end) = (&text[start..at], end);
                    tree.add_to(open.last(), node);
                }
                _ => {
                    let mut key = "";
                    let is_member = open.last().is_some_and(|(_, start)| bytes[*start] == b'{');
                    if is_member {
                        let end = skip_string(bytes, at);
                        key = &text[at + 1..end - 1];
                        at = end + ":".len();
                    }
                    let node = tree.nodes.len() as At;
                    if matches!(bytes[at], b'{' | b'[') {
                        let hash = u64::from(bytes[at]);
                        tree.nodes.push(Node { key, is_member, json: "", end: node, weight: 1, hash });
                        open.push((node, at));
                        at += 1;
                        continue;
                    }
                    let end = skip_value(bytes, at);
                    let json = &text[at..end];
                    let (weight, hash) = (weight(json), hash_of(json));
                    tree.nodes.push(Node { key, is_member, json, end: node + 1, weight, hash });
                    tree.add_to(open.last(), node);
                    at = end;
                }
            }
        }
        tree
    }

    /// Counts a value that is complete as a part of what it is in.
    fn add_to(&mut self, above: Option<&(At, usize)>, node: At) {
        let Node { weight, hash, .. } = self.nodes[node as usize];
        let (own, key) = (weight + self.nodes[node as usize].key_weight(), hash_of(self.nodes[node as usize].key));
        if let Some((above, _)) = above {
            let above = &mut self.nodes[*above as usize];
            above.weight += own;
            above.hash = mixed(mixed(above.hash, key), hash);
        }
    }

    /// Whether two values have the same text.
    pub fn are_equal(&self, one: At, other: At) -> bool {
        let (one, other) = (self.node(one), self.node(other));
        one.hash == other.hash && one.json == other.json
    }

    pub fn node(&self, at: At) -> &Node<'a> {
        &self.nodes[at as usize]
    }

    /// The values directly inside a container.
    pub fn children(&self, at: At) -> impl Iterator<Item = At> + '_ {
        let end = self.node(at).end;
        let mut next = at + 1;
        std::iter::from_fn(move || {
            let child = next;
            (child < end).then(|| {
                next = self.node(child).end;
                child
            })
        })
    }
}

fn hash_of(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

fn mixed(hash: u64, other: u64) -> u64 {
    (hash ^ other).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
}

/// The tokens of a text, roughly: words, groups of three digits, and pairs of other characters.
pub(super) fn weight(text: &str) -> u32 {
    fn class(byte: u8) -> (u8, u32) {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => (0, 7),
            b'0'..=b'9' => (1, 3),
            b' ' => (2, u32::MAX),
            0x80.. => (3, 3),
            _ => (4, 3),
        }
    }
    let bytes = text.as_bytes();
    let (mut tokens, mut at) = (0, 0);
    while at < bytes.len() {
        let (own, longest) = class(bytes[at]);
        let run = bytes[at..].iter().take_while(|&&byte| class(byte).0 == own).count();
        tokens += if own == 2 { 0 } else { (run as u32).div_ceil(longest) };
        at += run;
    }
    tokens
}
