//! What is asked of all rows, or of each group: how many there are, or what a field of them comes to.

use crate::base::field_path::FieldPath;
use crate::value::json_path::Filter;

/// One aggregate.
#[derive(Debug)]
pub(crate) struct Aggregate {
    /// As the caller wrote it; the result has it under this name.
    pub written: String,
    pub measured: Measured,
}

/// What an aggregate measures.
#[derive(Debug)]
pub(crate) enum Measured {
    /// How many rows there are.
    Rows,
    /// How many rows pass a filter.
    Passing(Filter),
    /// What the values of a field come to.
    Field(Function, FieldPath),
}

/// What the values of a field come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    /// How many are there and not null.
    Count,
    Sum,
    Mean,
    Median,
    Min,
    Max,
    /// How many different ones there are, without null.
    Distinct,
}

impl Function {
    /// All functions, by the names that callers write.
    pub const NAMED: [(&str, Self); 7] = [
        ("count", Self::Count),
        ("sum", Self::Sum),
        ("mean", Self::Mean),
        ("median", Self::Median),
        ("min", Self::Min),
        ("max", Self::Max),
        ("distinct", Self::Distinct),
    ];

    /// The function of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMED.into_iter().find(|(known, _)| *known == name).map(|(_, function)| function)
    }
}
