//! Evaluates a query: matches come one after the other, and only those of the result are kept.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use std::rc::Rc;

use crate::base::json_string::Quoted;
use crate::base::work::{Going, Work};
use crate::value::json_text::JsonText;

use super::compare::{self, Value};
use super::document::{Document, Name};
use super::matches::{Match, Matches, Path, PathStep};
use super::pattern::{Expression, TextPattern};
use super::query::{Comparison, Filter, Operand, PatternOperand, Query, Segment, Selector, Test};
use super::slice;

/// More matches than this are not kept.
const MAX_MATCHES: usize = 100_000;

/// Evaluates a query over JSON text, as far as the work of the call goes.
pub(crate) fn find<'a>(query: &Query, text: &JsonText<'a>, work: &Work) -> Matches<'a> {
    let search = Search { document: Document::new(text, work), compiled: RefCell::new(None) };
    let mut matches = Vec::new();
    let end = search.select(&query.segments, &Node { is_placed: true, ..Node::unplaced(0) }, &mut |node| {
        if matches.len() == MAX_MATCHES {
            return ControlFlow::Break(());
        }
        work.keep(1 + node.keep())?;
        matches.push(Match { span: search.document.value(node.start)?, start: node.start, place: node.place });
        ControlFlow::Continue(())
    });
    Matches { matches, stopped: end.is_break() }
}

/// Visits where each value begins that a query selects, as far as the work of the call goes; nothing is kept.
pub(crate) fn each(query: &Query, text: &JsonText<'_>, work: &Work, visit: &mut dyn FnMut(usize) -> Going) -> Going {
    let search = Search { document: Document::new(text, work), compiled: RefCell::new(None) };
    search.select(&query.segments, &Node::unplaced(0), &mut |node| visit(node.start))
}

/// Tests of values in a text, of one after another.
pub(crate) struct Tester<'s, 'a>(Search<'s, 'a>);

impl<'s, 'a> Tester<'s, 'a> {
    pub fn new(text: &'s JsonText<'a>, work: &'s Work) -> Self {
        Self(Search { document: Document::new(text, work), compiled: RefCell::new(None) })
    }

    /// Whether the value that begins there passes a filter; stops when no work is left.
    pub fn passes(&self, filter: &Filter, start: usize) -> Going<bool> {
        self.0.holds(&filter.test, start)
    }
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
        let step = || Rc::new(PathStep { above: self.place.clone(), name, is_kept: Cell::new(false) });
        Self { start, place: self.is_placed.then(step), is_placed: self.is_placed }
    }

    fn unplaced(start: usize) -> Self {
        Self { start, place: None, is_placed: false }
    }

    /// How many steps of its path are kept from now on.
    fn keep(&self) -> usize {
        let (mut count, mut place) = (0, &self.place);
        while let Some(step) = place
            && !step.is_kept.replace(true)
        {
            count += 1;
            place = &step.above;
        }
        count
    }
}

/// Takes one node after the other, and stops once it has enough.
type Taker<'t, 'a> = &'t mut dyn FnMut(Node<'a>) -> Going;

/// A search over one text; it stops when no work is left.
struct Search<'s, 'a> {
    document: Document<'s, 'a>,
    /// The last compiled expression that is not in the query itself.
    compiled: RefCell<Option<Compiled>>,
}

/// An expression from the document, whether it must match the whole text, and the compiled form, if it compiles.
type Compiled = (String, bool, Option<Rc<TextPattern>>);

impl<'a> Search<'_, 'a> {
    fn spend(&self, work: usize) -> Going {
        self.document.work.step(work)
    }

    /// Passes the nodes that the segments select from a node to `take`.
    fn select(&self, segments: &[Segment], node: &Node<'a>, take: Taker<'_, 'a>) -> Going {
        let Some((segment, rest)) = segments.split_first() else { return take(node.clone()) };
        let mut next = |node: Node<'a>| self.select(rest, &node, take);
        let mut pick =
            |node: &Node<'a>| segment.selectors.iter().try_for_each(|selector| self.pick(selector, node, &mut next));
        if segment.descends { self.descend(node, pick) } else { pick(node) }
    }

    /// Visits a node and all arrays and objects below it, parents first, in the order of the text, in one pass.
    fn descend(&self, node: &Node<'a>, mut visit: impl FnMut(&Node<'a>) -> Going) -> Going {
        /// An open array or object, the place of its next member, and the number of that member.
        struct Open<'a> {
            node: Node<'a>,
            is_object: bool,
            at: usize,
            index: usize,
        }
        let document = &self.document;
        let begin = |node: Node<'a>| {
            let (is_object, at) = (document.byte(node.start) == b'{', document.inside(node.start));
            Open { node, is_object, at, index: 0 }
        };
        visit(node)?;
        let mut open = Vec::new();
        if document.is_container(node.start) {
            open.push(begin(node.clone()));
        }
        while let Some(Open { node, is_object, at, index }) = open.last_mut() {
            if document.is_end(*at) {
                let end = *at + 1;
                open.pop();
                if let Some(around) = open.last_mut() {
                    around.at = document.after(end);
                }
                continue;
            }
            let (before, mut name, mut start) = (*at, Name::Index(*index), *at);
            if *is_object {
                let (key, value) = document.key(start);
                (name, start) = (Name::Key(key), value);
            }
            *index += 1;
            if document.is_container(start) {
                self.spend(start - before)?;
                let child = node.child(name, start);
                visit(&child)?;
                open.push(begin(child));
            } else {
                document.work.spend(start - before)?;
                let end = document.end_of(start)?;
                *at = document.after(end);
            }
        }
        ControlFlow::Continue(())
    }

    fn pick(&self, selector: &Selector, node: &Node<'a>, take: Taker<'_, 'a>) -> Going {
        let document = &self.document;
        let is_array = document.byte(node.start) == b'[';
        match selector {
            Selector::Name(_) if is_array => ControlFlow::Continue(()),
            Selector::Name(wanted) => {
                self.pick_one(node, |name| matches!(name, Name::Key(key) if Quoted::new(key).is(wanted)), take)
            }
            Selector::Wildcard => document.members(node.start, |name, start| take(node.child(name, start))),
            Selector::Filter(test) => document.members(node.start, |name, start| match self.holds(test, start)? {
                true => take(node.child(name, start)),
                false => ControlFlow::Continue(()),
            }),
            Selector::Index(_) | Selector::Slice { .. } if !is_array => ControlFlow::Continue(()),
            Selector::Index(index) if *index >= 0 => {
                self.pick_one(node, |name| matches!(name, Name::Index(at) if at as i64 == *index), take)
            }
            Selector::Index(from_end) => {
                let index = (document.count(node.start)? as i64).saturating_add(*from_end);
                self.pick_one(node, |name| matches!(name, Name::Index(at) if at as i64 == index), take)
            }
            Selector::Slice { start, end, step } => {
                let slice = slice::Slice { start: *start, end: *end, step: *step };
                slice.visit(document, node.start, |index, start| take(node.child(Name::Index(index), start)))
            }
        }
    }

    /// Takes the first member that is wanted, if there is one; the members after it are not read.
    fn pick_one(&self, node: &Node<'a>, is_wanted: impl Fn(Name<'a>) -> bool, take: Taker<'_, 'a>) -> Going {
        let mut found = None;
        let all_seen = self.document.members(node.start, |name, start| match is_wanted(name) {
            true => {
                found = Some(node.child(name, start));
                ControlFlow::Break(())
            }
            false => ControlFlow::Continue(()),
        });
        match found {
            Some(child) => take(child),
            None => all_seen,
        }
    }

    /// Whether a test holds for the value at `node`; stops when no work is left.
    fn holds(&self, test: &Test, node: usize) -> Going<bool> {
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
                let text = self.value(text, node)?.json;
                let Some(text) = Quoted::of(&text).map(Quoted::text) else { return ControlFlow::Continue(false) };
                let computed;
                let pattern = match pattern {
                    PatternOperand::Literal(pattern) => pattern,
                    PatternOperand::Computed(operand) => match self.compile(operand, *whole, node)? {
                        Some(pattern) => {
                            computed = pattern;
                            &*computed
                        }
                        None => return ControlFlow::Continue(false),
                    },
                };
                self.spend(pattern.work(text.len()))?;
                pattern.is_match(&text)
            }
        })
    }

    /// The expression that an operand evaluates to, if any; a value that is no expression matches nothing.
    fn compile(&self, operand: &Operand, whole: bool, node: usize) -> Going<Option<Rc<TextPattern>>> {
        let value = self.value(operand, node)?.json;
        let Some(text) = Quoted::of(&value).map(Quoted::text) else { return ControlFlow::Continue(None) };
        if let Some((known, for_whole, compiled)) = &*self.compiled.borrow()
            && (known.as_str(), *for_whole) == (&*text, whole)
        {
            return ControlFlow::Continue(compiled.clone());
        }
        if text.len() > Expression::MAX_BYTES {
            // It may be an expression, so the answer without it would not be the whole one.
            return self.document.work.stop();
        }
        let expression = Expression::new(&text, whole).ok();
        self.spend(expression.as_ref().map_or(text.len(), Expression::work))?;
        let compiled = expression.and_then(|expression| expression.compile().ok()).map(Rc::new);
        *self.compiled.borrow_mut() = Some((text.into_owned(), whole, compiled.clone()));
        ControlFlow::Continue(compiled)
    }

    /// Where the first values are that a query finds, at most `max`.
    fn first(&self, query: &Query, node: usize, max: usize) -> Going<Vec<usize>> {
        let mut found = Vec::new();
        let end = self.query(query, node, &mut |node| {
            found.push(node.start);
            if found.len() == max { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if found.len() < max { end.map_continue(|()| found) } else { ControlFlow::Continue(found) }
    }

    /// Where the one value is that a singular query finds, if it finds one.
    fn only(&self, query: &Query, node: usize) -> Going<Option<usize>> {
        let mut at = if query.from_root { 0 } else { node };
        for segment in &query.segments {
            let selector = match &segment.selectors[..] {
                [name @ Selector::Name(_)] if self.document.byte(at) == b'{' => name,
                [index @ Selector::Index(_)] if self.document.byte(at) == b'[' => index,
                _ => return ControlFlow::Continue(None),
            };
            let mut found = None;
            self.pick(selector, &Node::unplaced(at), &mut |node| {
                found = Some(node.start);
                ControlFlow::Continue(())
            })?;
            match found {
                Some(start) => at = start,
                None => return ControlFlow::Continue(None),
            }
        }
        ControlFlow::Continue(Some(at))
    }

    fn query(&self, query: &Query, node: usize, take: Taker<'_, 'a>) -> Going {
        self.select(&query.segments, &Node::unplaced(if query.from_root { 0 } else { node }), take)
    }

    /// The value of an operand.
    fn value<'v>(&self, operand: &'v Operand, node: usize) -> Going<Value<'v>>
    where
        'a: 'v,
    {
        let read = |start: usize| {
            let json = self.document.value(start)?;
            ControlFlow::Continue(Value { json: Cow::Borrowed(json), start: Some(start) })
        };
        ControlFlow::Continue(match operand {
            Operand::Literal(json) => Value::new(json),
            Operand::Query(query) => match self.only(query, node)? {
                Some(found) => read(found)?,
                None => Value::NOTHING,
            },
            Operand::Value(query) => match self.first(query, node, 2)?[..] {
                [one] => read(one)?,
                _ => Value::NOTHING,
            },
            Operand::Count(query) => {
                let mut count = 0usize;
                self.query(query, node, &mut |_| {
                    count += 1;
                    ControlFlow::Continue(())
                })?;
                Value::new(count.to_string())
            }
            Operand::Length(operand) => {
                let value = self.value(operand, node)?;
                self.spend(value.scalar_bytes())?;
                compare::length(&value, &self.document)?.map_or(Value::NOTHING, |length| Value::new(length.to_string()))
            }
        })
    }

    fn compare(&self, left: &Value<'_>, comparison: Comparison, right: &Value<'_>) -> Going<bool> {
        self.spend(left.scalar_bytes() + right.scalar_bytes())?;
        let equal = || compare::are_equal(left, right, &self.document);
        ControlFlow::Continue(match comparison {
            Comparison::Equal => equal()?,
            Comparison::Unequal => !equal()?,
            Comparison::Less => compare::is_less(&left.json, &right.json),
            Comparison::Greater => compare::is_less(&right.json, &left.json),
            Comparison::LessOrEqual => compare::is_less(&left.json, &right.json) || equal()?,
            Comparison::GreaterOrEqual => compare::is_less(&right.json, &left.json) || equal()?,
        })
    }
}
