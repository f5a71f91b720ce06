//! Why a statement has no answer.

use std::fmt;

use toolshape_text::chars::floor_char;

/// The kind of an [`AskError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AskErrorKind {
    /// The text is not SQL.
    Syntax,
    UnknownTable,
    UnknownColumn,
    UnknownFunction,
    /// The statement does something else than read tables.
    NotAllowed,
    /// Work, memory or time ran out, and what was found so far is not an answer.
    Stopped,
    /// The table cannot be read.
    Table,
    /// Anything else that SQLite reports.
    Failed,
}

/// Where in the SQL a fault is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SqlPlace {
    /// The byte, from 0.
    pub offset: usize,
    /// The line and the character in it, from 1.
    pub line: usize,
    pub column: usize,
}

/// Why a statement has no answer, with what would help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskError {
    pub kind: AskErrorKind,
    pub message: String,
    pub place: Option<SqlPlace>,
    /// Names that exist, those close to the unknown one first; of functions those alone.
    pub near: Vec<String>,
    /// What to write instead, where that is known.
    pub instead: Option<String>,
}

impl AskError {
    pub(crate) fn new(kind: AskErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), place: None, near: Vec::new(), instead: None }
    }
}

impl SqlPlace {
    pub(crate) fn of(sql: &str, offset: usize) -> Self {
        let offset = floor_char(sql, offset);
        let before = &sql[..offset];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Self { offset, line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1 }
    }
}

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if let Some(SqlPlace { line, column, .. }) = self.place {
            match line {
                1 => write!(f, " (at character {column})")?,
                _ => write!(f, " (at line {line}, character {column})")?,
            }
        }
        if let Some(instead) = &self.instead {
            write!(f, "; write {instead}")?;
        }
        match &self.near[..] {
            [] => Ok(()),
            names => write!(f, "; there is: {}", names.join(", ")),
        }
    }
}

impl std::error::Error for AskError {}
