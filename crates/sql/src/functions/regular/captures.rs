//! Where the first match of a text and its groups are: ways are tried in their order, each step at each place once, and none that the
//! next byte ends.

use super::program::{Instruction, Program, WITHOUT_BYTE, is_inside};
use super::syntax::{Look, is_word};

/// The most steps at places that are remembered: longer texts are searched elsewhere.
const MOST_SEEN: usize = 1 << 18;

/// What is to be tried.
enum Job {
    Try {
        step: u32,
        at: usize,
    },
    /// A place that was noted before what failed.
    Restore {
        note: u32,
        place: Option<usize>,
    },
}

/// What a search remembers.
#[derive(Default)]
pub struct Searcher {
    seen: Vec<u32>,
    round: u32,
    jobs: Vec<Job>,
    /// Steps at places that the last search tried.
    pub tried: usize,
}

/// The starts and ends of groups, in turn.
pub type Places = Vec<Option<usize>>;

impl Searcher {
    /// Whether a text is short enough from a place on.
    pub fn takes(program: &Program, text: &[u8], start: usize) -> bool {
        program.steps.len().saturating_mul(text.len() - start + 1) <= MOST_SEEN
    }

    /// Finds the first match that begins at a place or later; returns whether there is one.
    pub fn find(&mut self, program: &Program, text: &[u8], start: usize, places: &mut Places) -> bool {
        self.seen.resize(self.seen.len().max(program.steps.len() * (text.len() - start + 1)), 0);
        self.tried = 0;
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.seen.fill(0);
            self.round = 1;
        }
        // What fails restores them.
        places.clear();
        places.resize(program.groups * 2, None);
        let begins = |at: &usize| match (&program.first, text.get(*at)) {
            (Some(first), Some(byte)) => first[usize::from(*byte)],
            (first, None) => first.is_none(),
            (None, Some(byte)) => !is_inside(*byte),
        };
        (start..=text.len()).filter(begins).any(|from| self.is_at(program, text, start, from, places))
    }

    fn is_at(
        &mut self,
        program: &Program,
        text: &[u8],
        start: usize,
        from: usize,
        places: &mut [Option<usize>],
    ) -> bool {
        self.jobs.clear();
        self.jobs.push(Job::Try { step: program.start, at: from });
        while let Some(job) = self.jobs.pop() {
            let (mut step, mut at) = match job {
                Job::Restore { note, place } => {
                    places[note as usize] = place;
                    continue;
                }
                Job::Try { step, at } => (step, at),
            };
            loop {
                self.tried += 1;
                if program.is_join[step as usize] {
                    let seen = &mut self.seen[(at - start) * program.steps.len() + step as usize];
                    if std::mem::replace(seen, self.round) == self.round {
                        break;
                    }
                }
                step = match program.steps[step as usize] {
                    Instruction::Match => {
                        (places[0], places[1]) = (Some(from), Some(at));
                        return true;
                    }
                    Instruction::Byte(set, next) => {
                        if !text.get(at).is_some_and(|byte| program.sets[set as usize][usize::from(*byte)]) {
                            break;
                        }
                        at += 1;
                        next
                    }
                    Instruction::Split(one, other) => {
                        let ahead = match text.get(at) {
                            Some(byte) => 1 << program.classes[usize::from(*byte)].min(63),
                            None => WITHOUT_BYTE,
                        };
                        let may = |step: u32| program.may[step as usize] & ahead != 0;
                        match (may(one), may(other)) {
                            (true, true) => {
                                self.jobs.push(Job::Try { step: other, at });
                                one
                            }
                            (true, false) => one,
                            (false, true) => other,
                            (false, false) => break,
                        }
                    }
                    Instruction::Note(note, next) => {
                        self.jobs.push(Job::Restore { note, place: places[note as usize] });
                        places[note as usize] = Some(at);
                        next
                    }
                    Instruction::Look(look, next) => {
                        if !is_true(look, text, at) {
                            break;
                        }
                        next
                    }
                };
            }
        }
        false
    }
}

fn is_true(look: Look, text: &[u8], at: usize) -> bool {
    let is_boundary =
        || at.checked_sub(1).is_some_and(|at| is_word(text[at])) != text.get(at).is_some_and(|byte| is_word(*byte));
    match look {
        Look::Start => at == 0,
        Look::End => at == text.len(),
        Look::Word => is_boundary(),
        Look::NotWord => !is_boundary(),
    }
}
