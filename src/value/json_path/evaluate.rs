//! Evaluates a query: matches come one after the other, and only those of the result are kept.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use std::rc::Rc;

use crate::base::json_pointer;
use crate::base::json_string::Quoted;
use toolshape_json::{next_member, skip_space, skip_value};

use super::compare;
use super::pattern::TextPattern;
use super::query::{Comparison, Operand, PatternOperand, Query, Segment, Selector, Test};

/// The bound on the work of a search, in bytes that are skipped: about a second for any text, and for each byte of a
/// long text enough to read it a few times.
const MAX_WORK: usize = 1 << 29;
const WORK_PER_BYTE: usize = 128;
/// The work of a step besides the bytes that it skips, and of compiling an expression.
const STEP: usize = 256;
const COMPILING: usize = 1 << 18;
/// More matches than this are not kept.
const MAX_MATCHES: usize = 100_000;

/// What a query found.
#[derive(Debug)]
pub(crate) struct Matches<'a> {
    pub matches: Vec<Match<'a>>,
    /// Whether the search stopped early, so that there may be more.
    pub stopped: bool,
}

/// One value that a query selects.
#[derive(Clone, Debug)]
pub(crate) struct Match<'a> {
    /// The value's text.
    pub span: &'a str,
    place: Path<'a>,
}

impl Match<'_> {
    /// JSON Pointer from the root of the searched text.
    pub fn pointer(&self) -> String {
        let (mut steps, mut place) = (Vec::new(), &self.place);
        while let Some(step) = place {
            steps.push(match step.name {
                Name::Key(key) => json_pointer::escape(&Quoted::new(key).text()).into_owned(),
                Name::Index(index) => index.to_string(),
            });
            place = &step.above;
        }
        steps.iter().rev().fold(String::new(), |pointer, step| pointer + "/" + step)
    }
}

/// Evaluates a query over checked JSON text without white space around it.
pub(crate) fn find<'a>(query: &Query, text: &'a str) -> Matches<'a> {
    let work = text.len().saturating_mul(WORK_PER_BYTE).saturating_add(MAX_WORK);
    let search = Search { text, left: Cell::new(work), compiled: RefCell::new(None) };
    let mut matches = Vec::new();
    let end = search.select(&query.segments, &Node { is_placed: true, ..Node::unplaced(0) }, &mut |node| {
        if matches.len() == MAX_MATCHES {
            return ControlFlow::Break(());
        }
        matches.push(Match { span: search.span(&node), place: node.place });
        ControlFlow::Continue(())
    });
    Matches { matches, stopped: end.is_break() }
}

/// The path from the root to a node; `None` is the root.
type Path<'a> = Option<Rc<PathStep<'a>>>;

#[derive(Debug)]
struct PathStep<'a> {
    above: Path<'a>,
    name: Name<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Name<'a> {
    /// A key with its quotes.
    Key(&'a str),
    Index(usize),
}

#[derive(Clone, Debug)]
struct Node<'a> {
    /// Where the value begins.
    start: usize,
    place: Path<'a>,
    /// Whether its path is needed; within a filter it is not.
    is_placed: bool,
}

impl<'a> Node<'a> {
    fn child(&self, name: Name<'a>, start: usize) -> Self {
        let place = self.is_placed.then(|| Rc::new(PathStep { above: self.place.clone(), name }));
        Self { start, place, is_placed: self.is_placed }
    }

    fn unplaced(start: usize) -> Self {
        Self { start, place: None, is_placed: false }
    }
}

/// Takes one node after the other, and stops once it has enough.
type Taker<'t, 'a> = &'t mut dyn FnMut(Node<'a>) -> ControlFlow<()>;

/// A search over one text; it stops when no work is left.
struct Search<'a> {
    text: &'a str,
    left: Cell<usize>,
    /// The last compiled expression that is not in the query itself.
    compiled: RefCell<Option<Compiled>>,
}

/// An expression from the document, whether it must match the whole text, and the compiled form, if it compiles.
type Compiled = (String, bool, Option<Rc<TextPattern>>);

impl<'a> Search<'a> {
    fn span(&self, node: &Node<'a>) -> &'a str {
        &self.text[node.start..skip_value(self.text.as_bytes(), node.start)]
    }

    fn spent_span(&self, node: &Node<'a>) -> ControlFlow<(), &'a str> {
        let span = self.span(node);
        self.spend(span.len())?;
        ControlFlow::Continue(span)
    }

    fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes()[at]
    }

    fn spend(&self, work: usize) -> ControlFlow<()> {
        match self.left.get().checked_sub(work + STEP) {
            Some(left) => {
                self.left.set(left);
                ControlFlow::Continue(())
            }
            None => ControlFlow::Break(()),
        }
    }

    /// Visits the children of a node: their names, starts and ends.
    fn children(
        &self,
        node: &Node<'a>,
        mut child: impl FnMut(Name<'a>, usize, usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let bytes = self.text.as_bytes();
        let is_object = match bytes[node.start] {
            b'{' => true,
            b'[' => false,
            _ => return ControlFlow::Continue(()),
        };
        let (mut at, mut index) = (skip_space(bytes, node.start + 1), 0);
        while !matches!(bytes[at], b'}' | b']') {
            let before = at;
            let mut name = Name::Index(index);
            if is_object {
                let key_end = skip_value(bytes, at);
                name = Name::Key(&self.text[at..key_end]);
                at = skip_space(bytes, skip_space(bytes, key_end) + 1);
            }
            let end = skip_value(bytes, at);
            self.spend(end - before)?;
            child(name, at, end)?;
            at = next_member(bytes, end);
            index += 1;
        }
        ControlFlow::Continue(())
    }

    /// Passes the nodes that the segments select from a node to `take`.
    fn select(&self, segments: &[Segment], node: &Node<'a>, take: Taker<'_, 'a>) -> ControlFlow<()> {
        let Some((segment, rest)) = segments.split_first() else { return take(node.clone()) };
        let mut next = |node: Node<'a>| self.select(rest, &node, take);
        if !segment.descends {
            return segment.selectors.iter().try_for_each(|selector| self.pick(selector, node, &mut next));
        }
        self.descend(node, |node| {
            segment.selectors.iter().try_for_each(|selector| self.pick(selector, &node, &mut next))
        })
    }

    /// A node and all arrays and objects below it, parents first, in the order of the text.
    fn descend(&self, node: &Node<'a>, mut visit: impl FnMut(Node<'a>) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut waiting = vec![node.clone()];
        while let Some(node) = waiting.pop() {
            visit(node.clone())?;
            let first = waiting.len();
            self.children(&node, |name, start, _| {
                if matches!(self.byte(start), b'{' | b'[') {
                    waiting.push(node.child(name, start));
                }
                ControlFlow::Continue(())
            })?;
            waiting[first..].reverse();
        }
        ControlFlow::Continue(())
    }

    fn pick(&self, selector: &Selector, node: &Node<'a>, take: Taker<'_, 'a>) -> ControlFlow<()> {
        let is_array = self.byte(node.start) == b'[';
        match selector {
            Selector::Name(wanted) => {
                let mut found = None;
                let all_seen = self.children(node, |name, start, _| match name {
                    Name::Key(key) if Quoted::new(key).is(wanted) => {
                        found = Some(node.child(name, start));
                        ControlFlow::Break(())
                    }
                    _ => ControlFlow::Continue(()),
                });
                match found {
                    Some(child) => take(child),
                    None => all_seen,
                }
            }
            Selector::Wildcard => self.children(node, |name, start, _| take(node.child(name, start))),
            Selector::Filter(test) => self.children(node, |name, start, _| {
                let child = node.child(name, start);
                if self.holds(test, &child)? { take(child) } else { ControlFlow::Continue(()) }
            }),
            Selector::Index(_) | Selector::Slice { .. } if !is_array => ControlFlow::Continue(()),
            Selector::Index(index) if *index >= 0 => {
                let mut found = None;
                let all_seen = self.children(node, |name, start, _| match name {
                    Name::Index(at) if at as i64 == *index => {
                        found = Some(node.child(name, start));
                        ControlFlow::Break(())
                    }
                    _ => ControlFlow::Continue(()),
                });
                match found {
                    Some(child) => take(child),
                    None => all_seen,
                }
            }
            Selector::Index(from_end) => {
                let starts = self.starts(node)?;
                let index = (starts.len() as i64).saturating_add(*from_end);
                match usize::try_from(index).ok().and_then(|index| Some((index, *starts.get(index)?))) {
                    Some((index, start)) => take(node.child(Name::Index(index), start)),
                    None => ControlFlow::Continue(()),
                }
            }
            Selector::Slice { start, end, step } => {
                let starts = self.starts(node)?;
                let mut indices = slice(starts.len() as i64, *start, *end, *step);
                indices.try_for_each(|index| take(node.child(Name::Index(index), starts[index])))
            }
        }
    }

    /// The starts of an array's items.
    fn starts(&self, array: &Node<'a>) -> ControlFlow<(), Vec<usize>> {
        let mut starts = Vec::new();
        self.children(array, |_, start, _| {
            starts.push(start);
            ControlFlow::Continue(())
        })?;
        ControlFlow::Continue(starts)
    }

    /// Whether a test holds for a node; stops when no work is left.
    fn holds(&self, test: &Test, node: &Node<'a>) -> ControlFlow<(), bool> {
        ControlFlow::Continue(match test {
            Test::Any(tests) => {
                for test in tests {
                    if self.holds(test, node)? {
                        return ControlFlow::Continue(true);
                    }
                }
                false
            }
            Test::All(tests) => {
                for test in tests {
                    if !self.holds(test, node)? {
                        return ControlFlow::Continue(false);
                    }
                }
                true
            }
            Test::Not(test) => !self.holds(test, node)?,
            Test::Exists(query) => !self.first(query, node, 1)?.is_empty(),
            Test::Compare(left, comparison, right) => {
                let (left, right) = (self.value(left, node)?, self.value(right, node)?);
                self.compare(&left, *comparison, &right)?
            }
            Test::Matches { text, pattern, whole } => {
                let text = self.value(text, node)?;
                let Some(text) = string_of(&text) else { return ControlFlow::Continue(false) };
                let pattern = match pattern {
                    PatternOperand::Literal(pattern) => pattern,
                    PatternOperand::Computed(operand) => match self.compile(operand, *whole, node)? {
                        Some(pattern) => &*pattern.clone(),
                        None => return ControlFlow::Continue(false),
                    },
                };
                self.spend(text.len().saturating_mul(pattern.weight))?;
                pattern.is_match(&text)
            }
        })
    }

    /// The expression that an operand evaluates to, if any; a value that is no expression matches nothing.
    fn compile(&self, operand: &Operand, whole: bool, node: &Node<'a>) -> ControlFlow<(), Option<Rc<TextPattern>>> {
        let value = self.value(operand, node)?;
        let Some(text) = string_of(&value) else { return ControlFlow::Continue(None) };
        if let Some((known, for_whole, compiled)) = &*self.compiled.borrow()
            && (known, *for_whole) == (&text, whole)
        {
            return ControlFlow::Continue(compiled.clone());
        }
        self.spend(COMPILING + text.len())?;
        let compiled = TextPattern::new(&text, whole).ok().map(Rc::new);
        *self.compiled.borrow_mut() = Some((text, whole, compiled.clone()));
        ControlFlow::Continue(compiled)
    }

    /// The first nodes that a query finds, at most `max`.
    fn first(&self, query: &Query, node: &Node<'a>, max: usize) -> ControlFlow<(), Vec<Node<'a>>> {
        let mut found = Vec::new();
        let end = self.query(query, node, &mut |node| {
            found.push(node);
            if found.len() == max { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if found.len() < max { end.map_continue(|()| found) } else { ControlFlow::Continue(found) }
    }

    fn query(&self, query: &Query, node: &Node<'a>, take: Taker<'_, 'a>) -> ControlFlow<()> {
        match query.from_root {
            true => self.select(&query.segments, &Node::unplaced(0), take),
            false => self.select(&query.segments, &Node::unplaced(node.start), take),
        }
    }

    /// The JSON text of an operand's value; empty for no value.
    fn value(&self, operand: &Operand, node: &Node<'a>) -> ControlFlow<(), Cow<'_, str>> {
        ControlFlow::Continue(match operand {
            Operand::Literal(json) => Cow::Owned(json.clone()),
            Operand::Query(query) => match self.first(query, node, 1)?.first() {
                Some(found) => Cow::Borrowed(self.spent_span(found)?),
                None => Cow::Borrowed(""),
            },
            Operand::Value(query) => match &self.first(query, node, 2)?[..] {
                [one] => Cow::Borrowed(self.spent_span(one)?),
                _ => Cow::Borrowed(""),
            },
            Operand::Count(query) => {
                let mut count = 0usize;
                self.query(query, node, &mut |_| {
                    count += 1;
                    ControlFlow::Continue(())
                })?;
                Cow::Owned(count.to_string())
            }
            Operand::Length(operand) => {
                let value = self.value(operand, node)?;
                self.spend(value.len())?;
                Cow::Owned(compare::length(&value).map_or(String::new(), |length| length.to_string()))
            }
        })
    }

    fn compare(&self, left: &str, comparison: Comparison, right: &str) -> ControlFlow<(), bool> {
        let equal = || compare::are_equal(left, right, &mut |work| self.spend(work));
        ControlFlow::Continue(match comparison {
            Comparison::Equal => equal()?,
            Comparison::Unequal => !equal()?,
            Comparison::Less => compare::is_less(left, right),
            Comparison::Greater => compare::is_less(right, left),
            Comparison::LessOrEqual => compare::is_less(left, right) || equal()?,
            Comparison::GreaterOrEqual => compare::is_less(right, left) || equal()?,
        })
    }
}

/// The indices of a slice (RFC 9535, section 2.3.4.2).
fn slice(len: i64, start: Option<i64>, end: Option<i64>, step: i64) -> Box<dyn Iterator<Item = usize>> {
    let absolute = |index: i64| if index >= 0 { index } else { len.saturating_add(index) };
    let stride = usize::try_from(step.unsigned_abs()).unwrap_or(usize::MAX).max(1);
    match step {
        0 => Box::new(std::iter::empty()),
        1.. => {
            let from = absolute(start.unwrap_or(0)).clamp(0, len) as usize;
            let to = absolute(end.unwrap_or(len)).clamp(0, len) as usize;
            Box::new((from..to.max(from)).step_by(stride))
        }
        _ => {
            let from = absolute(start.unwrap_or(len - 1)).clamp(-1, len - 1);
            let to = end.map_or(-1, |end| absolute(end).clamp(-1, len - 1));
            Box::new(((to + 1) as usize..(from + 1).max(to + 1) as usize).rev().step_by(stride))
        }
    }
}

/// The text of a JSON string.
fn string_of(json: &str) -> Option<String> {
    Quoted::of(json).map(|quoted| quoted.text().into_owned())
}
