//! `LIKE`, `GLOB` and `REGEXP` of a column, tested where the rows are read: no text is copied for SQLite that does not match.

use super::pattern::Pattern;
use super::regular::{self, Engine};
use crate::account::Account;

/// How many times as long as reading a character comparing it takes.
pub const COST: usize = 4;
/// The longest pattern of `LIKE` and `GLOB`, in bytes.
pub const LONGEST: usize = 10_000;

/// Which operator it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterKind {
    Like = 1,
    Glob,
    Regexp,
}

impl FilterKind {
    pub const ALL: [Self; 3] = [Self::Like, Self::Glob, Self::Regexp];
}

/// A pattern that a text must match.
pub enum RowFilter {
    Pattern(Pattern),
    Regexp(Box<Engine>),
}

impl RowFilter {
    /// # Errors
    /// What is wrong with the pattern.
    pub fn new(kind: FilterKind, pattern: &str, account: &Account) -> Result<Self, String> {
        if kind != FilterKind::Regexp && pattern.len() > LONGEST {
            return Err("LIKE or GLOB pattern too complex".to_owned());
        }
        Ok(match kind {
            FilterKind::Like => Self::Pattern(Pattern::like(pattern, None)),
            FilterKind::Glob => Self::Pattern(Pattern::glob(pattern)),
            FilterKind::Regexp => Self::Regexp(Box::new(regular::compile(pattern, account)?)),
        })
    }

    /// Whether a text matches; `None` if there is no work left to find it.
    pub fn matches(&self, text: &str, account: &Account) -> Option<bool> {
        match self {
            Self::Pattern(pattern) => pattern.matches(text, |compared| account.read(COST * compared)),
            Self::Regexp(compiled) => compiled.finds(text, account),
        }
    }
}
