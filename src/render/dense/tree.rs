//! A minified JSON text as nodes in one row: a value, then everything inside it.

use toolshape_json::{skip_string, skip_value};

use crate::value::source::Kind;

/// The place of a node in its tree.
pub(super) type At = u32;

/// A value: its key, its text, and where the nodes inside it end.
#[derive(Clone, Copy)]
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
    pub hash: u32,
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

/// All values of a text, in a few bytes each.
pub(super) struct Tree<'a> {
    text: &'a str,
    nodes: Vec<Span>,
}

/// Where a value is in the text. An item has its key, which is empty, where it begins.
struct Span {
    key: u32,
    start: u32,
    stop: u32,
    end: At,
    weight: u32,
    hash: u32,
}

/// The root.
pub(super) const ROOT: At = 0;

impl<'a> Tree<'a> {
    /// Reads a text that is checked and minified, of less than 4 GB.
    pub fn of(text: &'a str) -> Self {
        Self::read(text, false)
    }

    /// The same without what is inside lists that have no object in them.
    pub fn of_objects(text: &'a str) -> Self {
        Self::read(text, true)
    }

    fn read(text: &'a str, are_lists_left: bool) -> Self {
        let bytes = text.as_bytes();
        let mut tree = Self { text, nodes: Vec::new() };
        // What is open, and whether there is an object in it.
        let mut open: Vec<(At, bool)> = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            match bytes[at] {
                b',' => at += 1,
                b'}' | b']' => {
                    at += 1;
                    let Some((node, has_object)) = open.pop() else { break };
                    if are_lists_left && !has_object {
                        tree.nodes.truncate(node as usize + 1);
                    }
                    if let Some((_, above)) = open.last_mut() {
                        *above |= has_object;
                    }
                    let end = tree.nodes.len() as At;
                    let own = &mut tree.nodes[node as usize];
                    (own.stop, own.end) = (at as u32, end);
                    tree.add_to(open.last(), node);
                }
                _ => {
                    let key = at as u32 + 1;
                    let is_member = open.last().is_some_and(|(above, _)| tree.first_byte(*above) == b'{');
                    if is_member {
                        at = skip_string(bytes, at) + ":".len();
                    }
                    let node = tree.nodes.len() as At;
                    let is_container = matches!(bytes[at], b'{' | b'[');
                    let end = if is_container { at + 1 } else { skip_value(bytes, at) };
                    let start = at as u32;
                    let (weight, hash) = match is_container {
                        true => (1, u32::from(bytes[at])),
                        // The quotes of a text are a part of what is around it.
                        false => (weight(literal(&text[at..end])), hash_of(&text[at..end])),
                    };
                    let key = if is_member { key } else { start };
                    tree.nodes.push(Span { key, start, stop: end as u32, end: node + 1, weight, hash });
                    match is_container {
                        true => open.push((node, bytes[at] == b'{')),
                        false => tree.add_to(open.last(), node),
                    }
                    at = end;
                }
            }
        }
        tree
    }

    /// The first byte of a value.
    fn first_byte(&self, at: At) -> u8 {
        self.text.as_bytes()[self.nodes[at as usize].start as usize]
    }

    /// Counts a value that is complete as a part of what it is in.
    fn add_to(&mut self, above: Option<&(At, bool)>, at: At) {
        let node = self.node(at);
        if let Some((above, _)) = above {
            let above = &mut self.nodes[*above as usize];
            above.weight += node.weight + node.key_weight();
            above.hash = mixed(mixed(above.hash, hash_of(node.key)), node.hash);
        }
    }

    /// Whether two values have the same text.
    pub fn are_equal(&self, one: At, other: At) -> bool {
        let (one, other) = (self.node(one), self.node(other));
        one.hash == other.hash && one.json == other.json
    }

    pub fn node(&self, at: At) -> Node<'a> {
        let Span { key, start, stop, end, weight, hash } = self.nodes[at as usize];
        let is_member = key < start;
        let key_end = if is_member { start as usize - "\":".len() } else { start as usize };
        let (key, json) = (&self.text[key as usize..key_end], &self.text[start as usize..stop as usize]);
        Node { key, is_member, json, end, weight, hash }
    }

    /// The text before a member.
    pub fn before(&self, member: At) -> &'a str {
        &self.text[..self.nodes[member as usize].key as usize - 1]
    }

    /// The values directly inside a container.
    pub fn children(&self, at: At) -> impl Iterator<Item = At> + '_ {
        let end = self.nodes[at as usize].end;
        let mut next = at + 1;
        std::iter::from_fn(move || {
            let child = next;
            (child < end).then(|| {
                next = self.nodes[child as usize].end;
                child
            })
        })
    }
}

/// Equal for equal texts, of eight bytes at a time.
fn hash_of(text: &str) -> u32 {
    let mut words = text.as_bytes().chunks_exact(8);
    let hash = words.by_ref().fold(text.len() as u64, |hash, word| {
        let word = u64::from_le_bytes(word.try_into().expect("a word has eight bytes"));
        (hash.rotate_left(5) ^ word).wrapping_mul(FACTOR)
    });
    let hash =
        words.remainder().iter().fold(hash, |hash, &byte| (hash.rotate_left(5) ^ u64::from(byte)).wrapping_mul(FACTOR));
    (hash >> 32) as u32
}

fn mixed(hash: u32, other: u32) -> u32 {
    ((u64::from(hash) << 32 | u64::from(other)).wrapping_mul(FACTOR) >> 29) as u32
}

const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// The kinds of bytes, and how many of a kind make a token.
const CLASSES: [u8; 256] = {
    let (mut classes, mut byte) = ([OTHER; 256], 0);
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' => LETTER,
            b'0'..=b'9' => DIGIT,
            b' ' => SPACE,
            0x80.. => WIDE,
            _ => OTHER,
        };
        byte += 1;
    }
    classes
};
const LONGEST: [u32; 5] = [7, 3, u32::MAX, 3, 3];
const LETTER: u8 = 0;
const DIGIT: u8 = 1;
const SPACE: u8 = 2;
const WIDE: u8 = 3;
const OTHER: u8 = 4;
/// Of a longer text the start says how many tokens it has.
const LONG: usize = 512;

/// The tokens of a text, roughly: words, groups of three digits, and pairs of other characters.
pub(crate) fn weight(text: &str) -> u32 {
    let bytes = &text.as_bytes()[..text.len().min(LONG)];
    let (mut tokens, mut last, mut left) = (0, SPACE, u32::MAX);
    for &byte in bytes {
        let class = CLASSES[byte as usize];
        if class != last || left == 0 {
            tokens += u32::from(class != SPACE);
            (last, left) = (class, LONGEST[class as usize]);
        }
        left -= 1;
    }
    if text.len() > LONG { (u64::from(tokens) * text.len() as u64 / LONG as u64) as u32 } else { tokens }
}
