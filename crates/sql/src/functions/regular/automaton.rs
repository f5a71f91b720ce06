//! Whether a text has a match, and before which place none begins: one look-up for each byte, in a table that is filled as texts need it.
//!
//! A state is the steps that wait for the next byte, before they look around. So what is behind a place decides with what is before it.

use std::collections::HashMap;

use super::program::{Instruction, Program, is_inside};
use super::syntax::{Look, is_word};
use crate::account::Account;

/// The states that are kept. When there are more, all are found again.
const MOST_STATES: usize = 1000;
/// Bytes that are read while a step is followed, and after how many the account is charged.
const EFFORT_OF_STEP: usize = 3;
const CHARGED: usize = 1 << 14;
const UNKNOWN: u32 = u32::MAX;
const MATCH: u32 = u32::MAX - 1;
/// No match can come any more.
const OVER: u32 = u32::MAX - 2;

/// What is behind a place.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Behind {
    Nothing,
    Word,
    Other,
}

impl Behind {
    const ALL: [Self; 3] = [Self::Nothing, Self::Word, Self::Other];
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    waiting: Box<[u32]>,
    behind: Behind,
}

/// The table of an expression.
#[derive(Default)]
pub struct Automaton {
    /// For each state what follows by the class of the byte, and last by the end of the text.
    table: Vec<u32>,
    states: Vec<State>,
    places: HashMap<State, u32>,
    /// The steps that were seen in this round.
    seen: Vec<u32>,
    round: u32,
    /// What filling the table took since it was charged, in bytes that are read in the same time.
    effort: usize,
}

impl Automaton {
    /// A place before which no match begins, of those that begin at a place or later, if there is one; `None` if there is no work left
    /// to find it.
    pub fn finds(&mut self, program: &Program, text: &[u8], start: usize, account: &Account) -> Option<Option<usize>> {
        let behind = match start.checked_sub(1).map(|at| text[at]) {
            None => Behind::Nothing,
            Some(byte) if is_word(byte) => Behind::Word,
            Some(_) => Behind::Other,
        };
        if self.states.is_empty() {
            self.begin(program);
        }
        let width = program.of_class.len() + 1;
        let (mut state, mut from) = (behind as u32 * width as u32, start);
        for (at, byte) in text[start..].iter().enumerate() {
            let class = program.classes[usize::from(*byte)];
            let mut next = self.table[state as usize + usize::from(class)];
            if next >= OVER {
                if next == UNKNOWN {
                    next = self.follow(program, state, Some(class));
                    if self.effort >= CHARGED && !account.read(std::mem::take(&mut self.effort)) {
                        return None;
                    }
                }
                if next >= OVER {
                    return account.read(at).then_some((next == MATCH).then_some(from));
                }
            }
            state = next;
            // Where nothing waits, no match has begun that has not failed.
            if state < (Behind::ALL.len() * width) as u32 {
                from = start + at + 1;
            }
        }
        let mut end = self.table[state as usize + program.of_class.len()];
        if end == UNKNOWN {
            end = self.follow(program, state, None);
        }
        let read = text.len() - start + std::mem::take(&mut self.effort);
        account.read(read).then_some((end == MATCH).then_some(from))
    }

    /// Forgets all states but those in which nothing waits: they come first.
    fn begin(&mut self, program: &Program) {
        self.table.clear();
        self.states.clear();
        self.places.clear();
        for behind in Behind::ALL {
            self.add(program, State { waiting: Box::default(), behind });
        }
    }

    /// The place of a state in the table.
    fn place(&mut self, program: &Program, state: State) -> u32 {
        if let Some(&place) = self.places.get(&state) {
            return place;
        }
        if self.states.len() >= MOST_STATES {
            self.begin(program);
        }
        self.add(program, state)
    }

    fn add(&mut self, program: &Program, state: State) -> u32 {
        let place = self.table.len() as u32;
        self.table.resize(self.table.len() + program.of_class.len() + 1, UNKNOWN);
        self.states.push(state.clone());
        self.places.insert(state, place);
        place
    }

    /// What follows a state by a byte of a class, or by the end; noted in the table.
    fn follow(&mut self, program: &Program, from: u32, class: Option<u8>) -> u32 {
        let width = program.of_class.len() + 1;
        let State { waiting, behind } = self.states[from as usize / width].clone();
        let byte = class.map(|class| program.of_class[usize::from(class)]);
        let next = self.next(program, &waiting, behind, byte);
        self.effort += width;
        let states = self.states.len();
        let next = match next {
            Next::Match => MATCH,
            Next::Over => OVER,
            Next::State(state) => self.place(program, state),
        };
        // If all were dropped, the place is no longer that of this state.
        if self.states.len() >= states {
            self.table[from as usize + class.map_or(width - 1, usize::from)] = next;
        }
        next
    }

    fn next(&mut self, program: &Program, waiting: &[u32], behind: Behind, byte: Option<u8>) -> Next {
        self.round = self.round.wrapping_add(1);
        self.seen.resize(program.steps.len(), 0);
        let is_word_ahead = byte.is_some_and(is_word);
        let mut stack = waiting.to_vec();
        // No match begins inside of a character.
        if !byte.is_some_and(is_inside) {
            stack.push(program.start);
        }
        let mut taken = Vec::new();
        while let Some(step) = stack.pop() {
            self.effort += EFFORT_OF_STEP;
            if std::mem::replace(&mut self.seen[step as usize], self.round) == self.round {
                continue;
            }
            match program.steps[step as usize] {
                Instruction::Match => return Next::Match,
                Instruction::Byte(set, next) => {
                    if byte.is_some_and(|byte| program.sets[set as usize][usize::from(byte)]) {
                        taken.push(next);
                    }
                }
                Instruction::Split(one, other) => stack.extend([other, one]),
                Instruction::Note(_, next) => stack.push(next),
                Instruction::Look(look, next) => {
                    let is_true = match look {
                        Look::Start => behind == Behind::Nothing,
                        Look::End => byte.is_none(),
                        Look::Word => (behind == Behind::Word) != is_word_ahead,
                        Look::NotWord => (behind == Behind::Word) == is_word_ahead,
                    };
                    if is_true {
                        stack.push(next);
                    }
                }
            }
        }
        if byte.is_none() || (taken.is_empty() && self.begins_at_start(program)) {
            return Next::Over;
        }
        taken.sort_unstable();
        taken.dedup();
        Next::State(State { waiting: taken.into(), behind: if is_word_ahead { Behind::Word } else { Behind::Other } })
    }

    /// Whether a match can only begin where the text does.
    fn begins_at_start(&mut self, program: &Program) -> bool {
        self.round = self.round.wrapping_add(1);
        let mut stack = vec![program.start];
        while let Some(step) = stack.pop() {
            if std::mem::replace(&mut self.seen[step as usize], self.round) == self.round {
                continue;
            }
            match program.steps[step as usize] {
                Instruction::Match | Instruction::Byte(..) => return false,
                Instruction::Split(one, other) => stack.extend([one, other]),
                Instruction::Look(Look::Start, _) => {}
                Instruction::Note(_, next) | Instruction::Look(_, next) => stack.push(next),
            }
        }
        true
    }
}

enum Next {
    Match,
    Over,
    State(State),
}
