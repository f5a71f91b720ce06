//! A query, parsed and well-typed (RFC 9535, section 2.4).

use crate::base::field_path::FieldPath;
use crate::base::json_pointer;

use super::pattern::TextPattern;

/// Segments from the root of the document, or from the node that a filter tests.
#[derive(Debug)]
pub(crate) struct Query {
    pub from_root: bool,
    pub segments: Vec<Segment>,
    /// The number of its path in the filter that it is in, if it is a path of names from the value that is tested.
    pub path: Option<usize>,
}

impl Query {
    pub fn new(from_root: bool, segments: Vec<Segment>) -> Self {
        Self { from_root, segments, path: None }
    }

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
    Filter(Filter),
}

/// A condition that a value passes or does not.
#[derive(Debug)]
pub(crate) struct Filter {
    pub test: Test,
    /// The paths of names from the value that it looks at, each up to where it goes on in another way, and each once.
    pub paths: Vec<FieldPath>,
}

impl Filter {
    pub fn new(mut test: Test) -> Self {
        let name = |segment: &Segment| match &segment.selectors[..] {
            [Selector::Name(name)] if !segment.descends => Some(name.clone()),
            _ => None,
        };
        let mut paths: Vec<FieldPath> = Vec::new();
        for query in queries(&mut test).into_iter().filter(|query| !query.from_root) {
            let names: Vec<String> = query.segments.iter().map_while(name).collect();
            if names.is_empty() {
                continue;
            }
            let path = FieldPath::of_keys(&names);
            let number = paths.iter().position(|known| known.segments() == path.segments()).unwrap_or(paths.len());
            // A name is not an index here, but the path of a field has both.
            let is_whole = names.len() == query.segments.len();
            if is_whole && names.iter().all(|name| json_pointer::index(name).is_none()) {
                query.path = Some(number);
            }
            if number == paths.len() {
                paths.push(path);
            }
        }
        Self { test, paths }
    }
}

/// The queries of a test in the order in which they are written, without those inside of their own filters.
fn queries(test: &mut Test) -> Vec<&mut Query> {
    let (mut tests, mut queries) = (vec![test], Vec::new());
    while let Some(test) = tests.pop() {
        match test {
            Test::Any(inside) | Test::All(inside) => tests.extend(inside.iter_mut().rev()),
            Test::Not(inside) => tests.push(inside),
            Test::Exists(query) => queries.push(query),
            Test::Compare(left, _, right) => queries.extend([left, right].into_iter().filter_map(Operand::query)),
            Test::Matches { text, pattern: PatternOperand::Computed(pattern), .. } => {
                queries.extend([text, pattern].into_iter().filter_map(Operand::query));
            }
            Test::Matches { text, .. } => queries.extend(text.query()),
        }
    }
    queries
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

impl Operand {
    /// The query that it is made of, if it is not a literal.
    fn query(&mut self) -> Option<&mut Query> {
        match self {
            Self::Literal(_) => None,
            Self::Query(query) | Self::Count(query) | Self::Value(query) => Some(query),
            Self::Length(inside) => inside.query(),
        }
    }
}

/// A regular expression: compiled if it is in the query, otherwise evaluated first.
#[derive(Debug)]
pub(crate) enum PatternOperand {
    Literal(TextPattern),
    Computed(Operand),
}
