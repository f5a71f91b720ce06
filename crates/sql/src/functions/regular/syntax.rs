//! What a regular expression says, as far as most of them go: what is not read here is left to `regex-lite`, whose meaning this has.

/// A part of an expression.
#[derive(Clone, Debug)]
pub enum Node {
    Empty,
    /// A byte of ASCII, or also any other character.
    Set(Set),
    /// A character outside of ASCII.
    Character(char),
    Look(Look),
    /// A group with its number.
    Group(usize, Box<Node>),
    Concat(Vec<Node>),
    Either(Vec<Node>),
    Repeat {
        node: Box<Node>,
        min: u32,
        max: Option<u32>,
        is_greedy: bool,
    },
}

/// ASCII characters, by bits, and whether all others are in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Set {
    pub ascii: u128,
    pub others: bool,
}

/// What is true of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    Start,
    End,
    Word,
    NotWord,
}

impl Set {
    const NOTHING: Self = Self { ascii: 0, others: false };

    fn range(from: char, to: char) -> Self {
        Self { ascii: (from as u32..=to as u32).fold(0, |set, at| set | 1 << at), others: false }
    }

    fn with(self, other: Self) -> Self {
        Self { ascii: self.ascii | other.ascii, others: self.others || other.others }
    }

    fn without(self) -> Self {
        Self { ascii: !self.ascii, others: !self.others }
    }

    /// The letters in both cases.
    fn folded(self) -> Self {
        let letters = Self::range('a', 'z').ascii;
        let (small, large) = (self.ascii & letters, self.ascii & (letters >> 32));
        Self { ascii: self.ascii | small >> 32 | large << 32, ..self }
    }
}

/// Words are of these characters.
pub fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// How deep groups may nest.
const MOST_NESTED: usize = 50;
/// The most repetitions of a part.
const MOST_REPEATED: u32 = 1000;

/// Reads an expression, and counts its groups with the whole; `None` for what is not read here.
pub fn read(pattern: &str) -> Option<(Node, usize)> {
    let (pattern, is_folded) = pattern.strip_prefix("(?i)").map_or((pattern, false), |rest| (rest, true));
    let mut reader = Reader { rest: pattern, groups: 1, depth: 0, is_folded };
    let node = reader.either()?;
    reader.rest.is_empty().then_some((node, reader.groups))
}

struct Reader<'p> {
    rest: &'p str,
    groups: usize,
    depth: usize,
    is_folded: bool,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.rest = &self.rest[next.len_utf8()..];
        Some(next)
    }

    fn takes(&mut self, start: &str) -> bool {
        let rest = self.rest.strip_prefix(start);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn either(&mut self) -> Option<Node> {
        let mut nodes = vec![self.concat()?];
        while self.takes("|") {
            nodes.push(self.concat()?);
        }
        Some(if nodes.len() == 1 { nodes.remove(0) } else { Node::Either(nodes) })
    }

    fn concat(&mut self) -> Option<Node> {
        let mut nodes = Vec::new();
        while self.peek().is_some_and(|next| next != '|' && next != ')') {
            let node = self.one()?;
            nodes.push(self.repeated(node)?);
        }
        Some(if nodes.is_empty() { Node::Empty } else { Node::Concat(nodes) })
    }

    /// A part, and how often it comes. What is repeated is not repeated again here.
    fn repeated(&mut self, node: Node) -> Option<Node> {
        let (min, max) = match self.peek() {
            Some('{') => self.counts()?,
            Some(sign @ ('*' | '+' | '?')) => {
                self.next();
                (u32::from(sign == '+'), (sign == '?').then_some(1))
            }
            _ => return Some(node),
        };
        let is_greedy = !self.takes("?");
        if matches!(self.peek(), Some('*' | '+' | '?' | '{')) || max.is_some_and(|max| max < min) {
            return None;
        }
        Some(Node::Repeat { node: Box::new(node), min, max, is_greedy })
    }

    fn counts(&mut self) -> Option<(u32, Option<u32>)> {
        let (inside, rest) = self.rest.strip_prefix('{')?.split_once('}')?;
        self.rest = rest;
        let number = |text: &str| {
            let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse().ok().filter(|number| is_number && *number <= MOST_REPEATED)
        };
        Some(match inside.split_once(',') {
            None => (number(inside)?, Some(number(inside)?)),
            Some((min, "")) => (number(min)?, None),
            Some((min, max)) => (number(min)?, Some(number(max)?)),
        })
    }

    fn one(&mut self) -> Option<Node> {
        Some(match self.next()? {
            '.' => Node::Set(Set::range('\n', '\n').without()),
            '^' => Node::Look(Look::Start),
            '$' => Node::Look(Look::End),
            '(' => self.group()?,
            '[' => Node::Set(self.set()?),
            '\\' => match self.next()? {
                // `\b{start}` is read elsewhere.
                'b' if self.peek() != Some('{') => Node::Look(Look::Word),
                'B' => Node::Look(Look::NotWord),
                'A' => Node::Look(Look::Start),
                'z' => Node::Look(Look::End),
                escaped => match class(escaped) {
                    Some(set) => Node::Set(set),
                    None => self.character(character(escaped)?)?,
                },
            },
            '*' | '+' | '?' | '{' | '}' | ']' => return None,
            other => self.character(other)?,
        })
    }

    fn character(&self, character: char) -> Option<Node> {
        if !character.is_ascii() {
            return (!self.is_folded).then_some(Node::Character(character));
        }
        let set = Set::range(character, character);
        Some(Node::Set(if self.is_folded { set.folded() } else { set }))
    }

    fn group(&mut self) -> Option<Node> {
        let mut number = None;
        if self.takes("?P<") || self.takes("?<") {
            self.rest = self.rest.split_once('>')?.1;
            number = Some(self.groups);
        } else if !self.takes("?:") {
            // Other flags are read elsewhere.
            number = (self.peek()? != '?').then_some(self.groups);
            number?;
        }
        self.groups += usize::from(number.is_some());
        self.depth += 1;
        if self.depth > MOST_NESTED {
            return None;
        }
        let node = self.either()?;
        self.depth -= 1;
        if !self.takes(")") {
            return None;
        }
        Some(match number {
            Some(number) => Node::Group(number, Box::new(node)),
            None => node,
        })
    }

    /// What is between brackets, of which the first was taken. Sets in sets are read elsewhere.
    fn set(&mut self) -> Option<Set> {
        let is_negated = self.takes("^");
        let (mut set, mut is_first) = (Set::NOTHING, true);
        loop {
            let from = match self.next()? {
                ']' if !is_first => break,
                '[' => return None,
                '\\' => {
                    let escaped = self.next()?;
                    if let Some(class) = class(escaped) {
                        (set, is_first) = (set.with(class), false);
                        continue;
                    }
                    character(escaped)?
                }
                sign @ ('&' | '~' | '-') if self.peek() == Some(sign) => return None,
                plain => plain,
            };
            is_first = false;
            let mut to = from;
            if self.rest.starts_with('-') && !self.rest.starts_with("-]") {
                self.next();
                to = match self.next()? {
                    '[' => return None,
                    '\\' => character(self.next()?)?,
                    plain => plain,
                };
            }
            if !from.is_ascii() || !to.is_ascii() || to < from {
                return None;
            }
            set = set.with(Set::range(from, to));
        }
        let set = if self.is_folded { set.folded() } else { set };
        Some(if is_negated { set.without() } else { set })
    }
}

/// The set of a letter behind `\`.
fn class(letter: char) -> Option<Set> {
    let set = match letter.to_ascii_lowercase() {
        'd' => Set::range('0', '9'),
        'w' => Set::range('0', '9').with(Set::range('A', 'Z')).with(Set::range('a', 'z')).with(Set::range('_', '_')),
        's' => Set::range('\t', '\r').with(Set::range(' ', ' ')),
        _ => return None,
    };
    Some(if letter.is_ascii_uppercase() { set.without() } else { set })
}

/// The character of another character behind `\`.
fn character(escaped: char) -> Option<char> {
    Some(match escaped {
        'a' => '\x07',
        'f' => '\x0C',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\x0B',
        '<' | '>' => return None,
        sign if sign.is_ascii_punctuation() => sign,
        _ => return None,
    })
}
