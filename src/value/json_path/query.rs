//! A query, parsed and well-typed (RFC 9535, section 2.4).

use super::pattern::TextPattern;

/// Segments from the root of the document, or from the node that a filter tests.
#[derive(Debug)]
pub(crate) struct Query {
    pub from_root: bool,
    pub segments: Vec<Segment>,
}

impl Query {
    /// Whether it selects at most one node in any document.
    pub fn is_singular(&self) -> bool {
        self.segments.iter().all(|segment| {
            !segment.descends && matches!(segment.selectors[..], [Selector::Name(_) | Selector::Index(_)])
        })
    }
}

#[derive(Debug)]
pub(crate) struct Segment {
    /// Whether it selects from the node and all descendants.
    pub descends: bool,
    pub selectors: Vec<Selector>,
}

#[derive(Debug)]
pub(crate) enum Selector {
    Name(String),
    Wildcard,
    Index(i64),
    Slice { start: Option<i64>, end: Option<i64>, step: i64 },
    Filter(Test),
}

/// A condition by itself, which a value passes or does not.
#[derive(Debug)]
pub(crate) struct Filter {
    pub test: Test,
}

/// A condition on a node.
#[derive(Debug)]
pub(crate) enum Test {
    Any(Vec<Test>),
    All(Vec<Test>),
    Not(Box<Test>),
    Exists(Query),
    Compare(Operand, Comparison, Operand),
    /// `match`, which must match the whole text, or `search`.
    Matches {
        text: Operand,
        pattern: PatternOperand,
        whole: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// An expression with one value, or none.
#[derive(Debug)]
pub(crate) enum Operand {
    /// As JSON text.
    Literal(String),
    /// A singular query.
    Query(Query),
    Length(Box<Operand>),
    Count(Query),
    Value(Query),
}

/// A regular expression: compiled if it is in the query, otherwise evaluated first.
#[derive(Debug)]
pub(crate) enum PatternOperand {
    Literal(TextPattern),
    Computed(Operand),
}
