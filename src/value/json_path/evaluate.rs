//! Evaluates a query: matches come one after the other, and only those of the result are kept.

use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use std::rc::Rc;

use toolshape_json::Fields;

use crate::base::field_path::FieldPath;
use crate::base::json_pointer;
use crate::base::json_string::{self, Quoted};
use crate::base::work::{Going, MAX_MATCHES, Work};
use crate::value::json_text::JsonText;

use super::condition::Known;
use super::document::{Document, MemberKey};
use super::matches::{Match, Matches, Path, PathStep};
use super::pattern::TextPattern;
use super::query::{Filter, Query, Segment, Selector};
use super::slice;

/// Evaluates a query over JSON text, as far as the work of the call goes.
pub(crate) fn find<'a>(query: &Query, text: &JsonText<'a>, work: &Work) -> Matches<'a> {
    let search = Search::new(text, work);
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
    let search = Search::new(text, work);
    search.select(&query.segments, &Node::unplaced(0), &mut |node| visit(node.start))
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
    fn child(&self, name: MemberKey<'a>, start: usize) -> Self {
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
pub(super) struct Search<'s, 'a> {
    pub document: Document<'s, 'a>,
    /// The last compiled expression that is not in the query itself.
    pub compiled: RefCell<Option<Compiled>>,
}

/// An expression from the document, whether it must match the whole text, and the compiled form, if it compiles.
pub(super) type Compiled = (String, bool, Option<Rc<TextPattern>>);

impl<'s, 'a> Search<'s, 'a> {
    pub fn new(text: &'s JsonText<'a>, work: &'s Work) -> Self {
        Self { document: Document::new(text, work), compiled: RefCell::new(None) }
    }

    pub fn spend(&self, work: usize) -> Going {
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

    /// Visits where the members begin of all arrays and objects that a segment of a query selects from.
    pub fn members_at(&self, query: &Query, segment: usize, visit: &mut dyn FnMut(usize) -> Going) -> Going {
        let (before, rest) = query.segments.split_at(segment);
        let mut members = |node: &Node<'a>| self.document.members(node.start, |_, start| visit(start));
        self.select(before, &Node::unplaced(0), &mut |node| match rest {
            [first, ..] if first.descends => self.descend(&node, &mut members),
            _ => members(&node),
        })
    }

    /// Visits a node and all arrays and objects below it, parents first, in the order of the text, in one pass.
    fn descend(&self, node: &Node<'a>, mut visit: impl FnMut(&Node<'a>) -> Going) -> Going {
        /// An open array or object, the place of its next member, and the number of that member.
        struct OpenNode<'a> {
            node: Node<'a>,
            is_object: bool,
            at: usize,
            index: usize,
        }
        let document = &self.document;
        let begin = |node: Node<'a>| {
            let (is_object, at) = (document.byte(node.start) == b'{', document.inside(node.start));
            OpenNode { node, is_object, at, index: 0 }
        };
        visit(node)?;
        let mut open = Vec::new();
        if document.is_container(node.start) {
            open.push(begin(node.clone()));
        }
        while let Some(OpenNode { node, is_object, at, index }) = open.last_mut() {
            if document.is_end(*at) {
                let end = *at + 1;
                open.pop();
                if let Some(around) = open.last_mut() {
                    around.at = document.after(end);
                }
                continue;
            }
            let (before, mut name, mut start) = (*at, MemberKey::Index(*index), *at);
            if *is_object {
                let (key, value) = document.key(start);
                (name, start) = (MemberKey::Key(key), value);
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
                self.pick_one(node, |name| matches!(name, MemberKey::Key(key) if Quoted::new(key).is(wanted)), take)
            }
            Selector::Wildcard => document.members(node.start, |name, start| take(node.child(name, start))),
            Selector::Filter(filter) => self.filtered(filter, node, take),
            Selector::Index(_) | Selector::Slice { .. } if !is_array => ControlFlow::Continue(()),
            Selector::Index(index) if *index >= 0 => {
                self.pick_one(node, |name| matches!(name, MemberKey::Index(at) if at as i64 == *index), take)
            }
            Selector::Index(from_end) => {
                let index = (document.count(node.start)? as i64).saturating_add(*from_end);
                self.pick_one(node, |name| matches!(name, MemberKey::Index(at) if at as i64 == index), take)
            }
            Selector::Slice { start, end, step } => {
                let slice = slice::Slice { start: *start, end: *end, step: *step };
                slice.visit(document, node.start, |index, start| take(node.child(MemberKey::Index(index), start)))
            }
        }
    }

    /// Takes the members that pass a filter.
    fn filtered(&self, filter: &Filter, node: &Node<'a>, take: Taker<'_, 'a>) -> Going {
        let document = &self.document;
        let mut picked = |known: Option<Known<'_>>, name, start| match self.holds(&filter.test, start, known)? {
            true => take(node.child(name, start)),
            false => ControlFlow::Continue(()),
        };
        if filter.paths.is_empty() || !document.is_large(node.start) {
            return document.members(node.start, |name, start| picked(None, name, start));
        }
        let paths = filter.paths.iter().map(FieldPath::segments);
        let mut fields = Fields::new(paths, json_string::is_text, json_pointer::index);
        let numbers: Vec<usize> = (0..filter.paths.len()).collect();
        document.members_with(node.start, &mut fields, |fields, name, start| {
            document.work.spend(fields.compared())?;
            picked(Some(Known { fields, numbers: &numbers }), name, start)
        })
    }

    /// Takes the first member that is wanted, if there is one; the members after it are not read.
    fn pick_one(&self, node: &Node<'a>, is_wanted: impl Fn(MemberKey<'a>) -> bool, take: Taker<'_, 'a>) -> Going {
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

    /// Where the first values are that a query finds, at most `max`.
    pub fn first(&self, query: &Query, node: usize, max: usize) -> Going<Vec<usize>> {
        let mut found = Vec::new();
        let end = self.query(query, node, &mut |node| {
            found.push(node.start);
            if found.len() == max { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if found.len() < max { end.map_continue(|()| found) } else { ControlFlow::Continue(found) }
    }

    /// Where the one value is that a singular query finds, if it finds one.
    pub fn only(&self, query: &Query, node: usize) -> Going<Option<usize>> {
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

    /// How many values a query finds.
    pub fn count(&self, query: &Query, node: usize) -> Going<usize> {
        let mut count = 0;
        self.query(query, node, &mut |_| {
            count += 1;
            ControlFlow::Continue(())
        })?;
        ControlFlow::Continue(count)
    }

    fn query(&self, query: &Query, node: usize, take: Taker<'_, 'a>) -> Going {
        self.select(&query.segments, &Node::unplaced(if query.from_root { 0 } else { node }), take)
    }
}
