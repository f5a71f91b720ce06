//! An expression as steps over the bytes of a text.

use super::syntax::{self, Look, Node, Set, is_word};

/// What a search does next. Steps are known by their numbers.
#[derive(Clone, Copy, Debug)]
pub enum Instruction {
    /// Takes a byte of the set with this number.
    Byte(u32, u32),
    /// Goes on in two ways; the first is preferred.
    Split(u32, u32),
    /// Notes the place under a number.
    Note(u32, u32),
    /// Goes on if it is true of the place.
    Look(Look, u32),
    Match,
}

/// The bytes of a set.
type Bytes = [bool; 256];

/// The steps of an expression.
pub struct Program {
    pub steps: Vec<Instruction>,
    pub sets: Vec<Bytes>,
    pub start: u32,
    /// The groups, with the whole.
    pub groups: usize,
    /// Bytes that every step treats alike have the same number here.
    pub classes: [u8; 256],
    /// A byte of each class.
    pub of_class: Vec<u8>,
    /// The bytes with which a match begins; `None` if it may be empty.
    pub first: Option<Box<Bytes>>,
    /// For each step a bit for each class of bytes with which it may go on, and [`WITHOUT_BYTE`]; all if there are more classes.
    pub may: Vec<u64>,
    /// The steps to which several lead: the others cannot be reached twice at one place.
    pub is_join: Vec<bool>,
}

/// The bit of steps that may go on without a byte.
pub const WITHOUT_BYTE: u64 = 1 << 63;

const MOST_STEPS: usize = 4000;
const MOST_SETS: usize = 62;

impl Program {
    /// The steps of an expression; `None` for one that is too large, or not read here.
    pub fn new(pattern: &str) -> Option<Self> {
        let (node, groups) = syntax::read(pattern)?;
        let mut program = Self {
            steps: vec![Instruction::Match],
            sets: Vec::new(),
            start: 0,
            groups,
            classes: [0; 256],
            of_class: Vec::new(),
            first: None,
            may: Vec::new(),
            is_join: Vec::new(),
        };
        program.start = program.add(&node, 0)?;
        program.classify();
        program.first = program.first_bytes().map(Box::new);
        program.look_ahead();
        program.is_join = program.joins();
        Some(program)
    }

    /// Finds with which bytes each step may go on.
    fn look_ahead(&mut self) {
        if self.of_class.len() > WITHOUT_BYTE.trailing_zeros() as usize {
            self.may = vec![u64::MAX; self.steps.len()];
            return;
        }
        let of_set = |set: &Bytes| {
            let classes = self.of_class.iter().enumerate().filter(|(_, byte)| set[usize::from(**byte)]);
            classes.fold(0, |all, (class, _)| all | 1 << class)
        };
        let sets: Vec<u64> = self.sets.iter().map(of_set).collect();
        self.may = vec![0; self.steps.len()];
        // What follows a step has mostly the lower number.
        let mut is_changed = true;
        while std::mem::take(&mut is_changed) {
            for (at, step) in self.steps.iter().enumerate() {
                let may = match *step {
                    Instruction::Match => u64::MAX,
                    Instruction::Byte(set, _) => sets[set as usize],
                    Instruction::Split(one, other) => self.may[one as usize] | self.may[other as usize],
                    Instruction::Note(_, next) | Instruction::Look(_, next) => self.may[next as usize],
                };
                is_changed |= may != self.may[at];
                self.may[at] = may;
            }
        }
    }

    fn joins(&self) -> Vec<bool> {
        let mut ways = vec![0_usize; self.steps.len()];
        ways[self.start as usize] = 1;
        for step in &self.steps {
            match *step {
                Instruction::Match => {}
                Instruction::Byte(_, next) | Instruction::Note(_, next) | Instruction::Look(_, next) => {
                    ways[next as usize] += 1
                }
                Instruction::Split(one, other) => {
                    ways[one as usize] += 1;
                    ways[other as usize] += 1;
                }
            }
        }
        ways.into_iter().map(|ways| ways > 1).collect()
    }

    fn first_bytes(&self) -> Option<Bytes> {
        let (mut first, mut seen, mut stack) = ([false; 256], vec![false; self.steps.len()], vec![self.start]);
        while let Some(step) = stack.pop() {
            if std::mem::replace(&mut seen[step as usize], true) {
                continue;
            }
            match self.steps[step as usize] {
                Instruction::Match => return None,
                Instruction::Byte(set, _) => {
                    first.iter_mut().zip(&self.sets[set as usize]).for_each(|(first, set)| *first |= set)
                }
                Instruction::Split(one, other) => stack.extend([one, other]),
                Instruction::Note(_, next) | Instruction::Look(_, next) => stack.push(next),
            }
        }
        Some(first)
    }

    fn step(&mut self, step: Instruction) -> Option<u32> {
        self.steps.push(step);
        (self.steps.len() <= MOST_STEPS).then(|| self.steps.len() as u32 - 1)
    }

    fn byte(&mut self, bytes: Bytes, next: u32) -> Option<u32> {
        let known = self.sets.iter().position(|set| *set == bytes);
        let set = known.unwrap_or_else(|| {
            self.sets.push(bytes);
            self.sets.len() - 1
        });
        if set >= MOST_SETS {
            return None;
        }
        self.step(Instruction::Byte(set as u32, next))
    }

    fn range(&mut self, from: u8, to: u8, next: u32) -> Option<u32> {
        self.byte(std::array::from_fn(|byte| (usize::from(from)..=usize::from(to)).contains(&byte)), next)
    }

    /// Adds what comes before a step; returns where it begins. A repetition is made as `regex-lite` makes it, which decides what groups of
    /// empty matches are.
    fn add(&mut self, node: &Node, next: u32) -> Option<u32> {
        Some(match node {
            Node::Empty => next,
            Node::Set(set) => self.set(*set, next)?,
            Node::Character(character) => {
                let mut buffer = [0; 4];
                let bytes = character.encode_utf8(&mut buffer).bytes().rev();
                bytes.into_iter().try_fold(next, |next, byte| self.range(byte, byte, next))?
            }
            Node::Look(look) => self.step(Instruction::Look(*look, next))?,
            Node::Group(number, node) => {
                let end = self.step(Instruction::Note(*number as u32 * 2 + 1, next))?;
                let inside = self.add(node, end)?;
                self.step(Instruction::Note(*number as u32 * 2, inside))?
            }
            Node::Concat(nodes) => nodes.iter().rev().try_fold(next, |next, node| self.add(node, next))?,
            Node::Either(nodes) => {
                let mut ways =
                    nodes.iter().rev().map(|node| self.add(node, next)).collect::<Option<Vec<_>>>()?.into_iter();
                let last = ways.next()?;
                ways.try_fold(last, |other, way| self.step(Instruction::Split(way, other)))?
            }
            Node::Repeat { node, min, max: None, is_greedy } => {
                let again = self.step(Instruction::Match)?;
                let body = self.add(node, again)?;
                self.steps[again as usize] = split(body, next, *is_greedy);
                match min {
                    0 if can_be_empty(node) => self.step(split(body, next, *is_greedy))?,
                    0 => again,
                    min => (1..*min).try_fold(body, |next, _| self.add(node, next))?,
                }
            }
            Node::Repeat { node, min, max: Some(max), is_greedy } => {
                let optional = (*min..*max).try_fold(next, |start, _| {
                    let body = self.add(node, start)?;
                    self.step(split(body, next, *is_greedy))
                })?;
                (0..*min).try_fold(optional, |next, _| self.add(node, next))?
            }
        })
    }

    fn set(&mut self, Set { ascii, others }: Set, next: u32) -> Option<u32> {
        let one = self.byte(std::array::from_fn(|byte| byte < 128 && ascii >> byte & 1 == 1), next)?;
        if !others {
            return Some(one);
        }
        // The bytes of a character of two, three or four bytes.
        let third = self.range(0x80, 0xBF, next)?;
        let second = self.range(0x80, 0xBF, third)?;
        let first = self.range(0x80, 0xBF, second)?;
        let mut ways = self.range(0xF0, 0xF7, first)?;
        for (from, to, next) in [(0xE0, 0xEF, second), (0xC0, 0xDF, third)] {
            let lead = self.range(from, to, next)?;
            ways = self.step(Instruction::Split(lead, ways))?;
        }
        self.step(Instruction::Split(one, ways))
    }

    /// Numbers bytes by the sets that they are in, and by what [`Look`] asks of them.
    fn classify(&mut self) {
        let mut known: Vec<u64> = Vec::new();
        for byte in 0..=255_u8 {
            let sets = self.sets.iter().fold(0, |sets, set| sets << 1 | u64::from(set[usize::from(byte)]));
            let asked = sets << 2 | u64::from(is_word(byte)) << 1 | u64::from(is_inside(byte));
            let class = known.iter().position(|known| *known == asked).unwrap_or_else(|| {
                known.push(asked);
                self.of_class.push(byte);
                known.len() - 1
            });
            self.classes[usize::from(byte)] = class as u8;
        }
    }
}

/// Whether a byte is inside of a character.
pub fn is_inside(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

fn split(body: u32, next: u32, is_greedy: bool) -> Instruction {
    if is_greedy { Instruction::Split(body, next) } else { Instruction::Split(next, body) }
}

fn can_be_empty(node: &Node) -> bool {
    match node {
        Node::Empty | Node::Look(_) => true,
        Node::Set(_) | Node::Character(_) => false,
        Node::Group(_, node) => can_be_empty(node),
        Node::Concat(nodes) => nodes.iter().all(can_be_empty),
        Node::Either(nodes) => nodes.iter().any(can_be_empty),
        Node::Repeat { node, min, .. } => *min == 0 || can_be_empty(node),
    }
}
