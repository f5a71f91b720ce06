//! Compares values as filters do (RFC 9535, section 2.3.5.2.2).
//!
//! Numbers compare exactly by value, strings by Unicode code points; a lone surrogate counts as U+FFFD. Nothing is copied:
//! beside the text there are only the places of the members of the objects that are being compared.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::ControlFlow;

use crate::base::json_string::{self, Quoted};
use crate::base::sort_key_order;
use crate::base::sorting::sort_by;
use crate::base::work::{Going, STEP};

use super::document::Document;

/// An object with more members is not compared: their places would take as much memory as a large text.
const MOST_KEYS: usize = 1_000_000;

/// The value of an operand; without text there is none.
pub(super) struct Value<'v> {
    pub json: Cow<'v, str>,
    /// Where it begins in the document, for a value of the document.
    pub start: Option<usize>,
}

impl<'v> Value<'v> {
    pub const NOTHING: Self = Self { json: Cow::Borrowed(""), start: None };

    /// The bytes that it takes to read the value, unless it is an array or an object.
    pub fn scalar_bytes(&self) -> usize {
        if self.json.starts_with(['[', '{']) { 0 } else { self.json.len() }
    }

    /// A value that is not from the document.
    pub fn new(json: impl Into<Cow<'v, str>>) -> Self {
        Self { json: json.into(), start: None }
    }
}

/// Two arrays or objects that are compared member by member.
enum Pair {
    /// The places of the next items.
    Arrays(usize, usize),
    /// The places of the keys, sorted by name, and how many were compared.
    Objects(Vec<usize>, Vec<usize>, usize),
}

/// Whether two values are equal.
pub(super) fn are_equal(a: &Value<'_>, b: &Value<'_>, document: &Document<'_, '_>) -> Going<bool> {
    if let (Some(a), Some(b)) = (a.start, b.start)
        && document.is_container(a)
    {
        return DeepComparison { document, open: Vec::new() }.run(a, b);
    }
    // Of an array or an object and another kind of value, only the first byte is compared.
    ControlFlow::Continue(is_same_scalar(&a.json, &b.json))
}

/// Whether a value is less than another, as only numbers and strings can be.
pub(super) fn is_less(a: &str, b: &str) -> bool {
    let is_number = |json: &str| json.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    if is_number(a) && is_number(b) {
        return sort_key_order::numbers(a, b) == Ordering::Less;
    }
    match (Quoted::of(a), Quoted::of(b)) {
        (Some(a), Some(b)) => a.compare(b) == Ordering::Less,
        _ => false,
    }
}

/// The characters of a string, the items of an array, the members of an object.
pub(super) fn length(value: &Value<'_>, document: &Document<'_, '_>) -> Going<Option<usize>> {
    ControlFlow::Continue(match (value.json.as_bytes().first(), value.start) {
        (Some(b'"'), _) => Some(json_string::chars(Quoted::new(&value.json).literal())),
        (Some(b'['), Some(start)) => Some(document.count(start)?),
        (Some(b'{'), Some(start)) => Some(keys(start, document)?.len()),
        _ => None,
    })
}

/// Whether two values are equal of which one is neither an array nor an object.
fn is_same_scalar(a: &str, b: &str) -> bool {
    let is_number = |json: &str| json.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    match (Quoted::of(a), Quoted::of(b)) {
        (Some(a), Some(b)) => a.compare(b) == Ordering::Equal,
        _ if is_number(a) && is_number(b) => sort_key_order::numbers(a, b) == Ordering::Equal,
        _ => a == b,
    }
}

/// The places of an object's keys, sorted by name; of keys with one name, the first.
fn keys(object: usize, document: &Document<'_, '_>) -> Going<Vec<usize>> {
    let key = |at: usize| Quoted::new(document.key(at).0);
    let count = document.count(object)?;
    if count > MOST_KEYS {
        return document.work.stop();
    }
    let (mut keys, mut at) = (Vec::with_capacity(count), document.inside(object));
    while !document.is_end(at) {
        keys.push(at);
        at = document.after(document.end_of(document.key(at).1)?);
    }
    // An order has to be one to the end, so what comparisons take is spent in advance.
    let bytes: usize = keys.iter().map(|&at| key(at).literal().len()).sum();
    let times = keys.len().max(1).ilog2() as usize + 1;
    document.work.spend((bytes + STEP as usize * keys.len()).saturating_mul(times))?;
    sort_by(&mut keys, |&a, &b| key(a).compare(key(b)));
    keys.dedup_by(|later, first| key(*later).compare(key(*first)) == Ordering::Equal);
    ControlFlow::Continue(keys)
}

/// A comparison of two arrays or objects of a document; it keeps its own stack.
struct DeepComparison<'c, 's, 'a> {
    document: &'c Document<'s, 'a>,
    open: Vec<Pair>,
}

impl DeepComparison<'_, '_, '_> {
    fn run(&mut self, a: usize, b: usize) -> Going<bool> {
        let mut are_equal = self.begin(a, b)?;
        while are_equal && let Some(pair) = self.open.last_mut() {
            let (a, b) = match pair {
                Pair::Arrays(a, b) => match (self.document.is_end(*a), self.document.is_end(*b)) {
                    (false, false) => (*a, *b),
                    (true, true) => {
                        let ends = (*a + 1, *b + 1);
                        self.open.pop();
                        self.end(ends);
                        continue;
                    }
                    _ => return ControlFlow::Continue(false),
                },
                Pair::Objects(a, b, compared) if *compared < a.len() => {
                    let (a, b) = (self.document.key(a[*compared]), self.document.key(b[*compared]));
                    *compared += 1;
                    self.document.work.step(a.0.len() + b.0.len())?;
                    if Quoted::new(a.0).compare(Quoted::new(b.0)) != Ordering::Equal {
                        return ControlFlow::Continue(false);
                    }
                    (a.1, b.1)
                }
                Pair::Objects(..) => {
                    self.open.pop();
                    // An array around the objects goes on after them.
                    if let Some(Pair::Arrays(a, b)) = self.open.last() {
                        let ends = (self.document.end_of(*a)?, self.document.end_of(*b)?);
                        self.end(ends);
                    }
                    continue;
                }
            };
            are_equal = self.begin(a, b)?;
        }
        ControlFlow::Continue(are_equal)
    }

    /// Compares two values as far as they are not made of others; false if they differ.
    fn begin(&mut self, a: usize, b: usize) -> Going<bool> {
        let document = self.document;
        if document.byte(a) != document.byte(b) && (document.is_container(a) || document.is_container(b)) {
            return ControlFlow::Continue(false);
        }
        match document.byte(a) {
            b'[' => {
                document.work.step(0)?;
                self.open.push(Pair::Arrays(document.inside(a), document.inside(b)));
            }
            b'{' => {
                let (a, b) = (keys(a, document)?, keys(b, document)?);
                if a.len() != b.len() {
                    return ControlFlow::Continue(false);
                }
                self.open.push(Pair::Objects(a, b, 0));
            }
            _ => {
                let (one, other) = (document.value(a)?, document.value(b)?);
                self.end((a + one.len(), b + other.len()));
                return ControlFlow::Continue(is_same_scalar(one, other));
            }
        }
        ControlFlow::Continue(true)
    }

    /// Goes on after two items that end there, if they are of arrays.
    fn end(&mut self, (a, b): (usize, usize)) {
        if let Some(Pair::Arrays(next_a, next_b)) = self.open.last_mut() {
            (*next_a, *next_b) = (self.document.after(a), self.document.after(b));
        }
    }
}
