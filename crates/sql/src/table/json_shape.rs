//! Which part of a JSON value is its rows.

use super::json_place::{Member, Members};
use super::json_string;

/// Objects and lists of one that are looked through.
const LEVELS: usize = 6;
/// Members of a map that are looked at, and the least number that it has.
const LOOKED_AT: usize = 16;
const LEAST_ENTRIES: usize = 2;

/// What is rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    List,
    /// A map of alike objects.
    Map,
    /// One value, not rows.
    Document,
}

/// The shape of the checked value from `start` to `end`, where its rows are, and the pointer to them.
pub fn find(text: &str, (mut start, mut end): (usize, usize)) -> (Shape, usize, String) {
    let whole = start;
    let mut pointer = String::new();
    for _ in 0..LEVELS {
        let bytes = text.as_bytes();
        let key = |member: &Member| json_string::text(&text[member.key.0 + 1..member.key.1 - 1]);
        match bytes[start] {
            b'[' => {
                // A list of one object that has a list is that list.
                let mut members = Members::of(text, start);
                let only = members.next().filter(|member| bytes[member.value.0] == b'{' && members.next().is_none());
                let inner = only.and_then(|only| {
                    let main = main_member(text, only.value)?;
                    (bytes[main.value.0] == b'[').then_some(main)
                });
                let Some(inner) = inner else { return (Shape::List, start, pointer) };
                pointer.push_str("/0");
                json_string::pointer_token(&key(&inner), &mut pointer);
                (start, end) = inner.value;
            }
            b'{' if is_map(text, start) => return (Shape::Map, start, pointer),
            b'{' => {
                let Some(main) = main_member(text, (start, end)) else { break };
                json_string::pointer_token(&key(&main), &mut pointer);
                (start, end) = main.value;
            }
            _ => break,
        }
    }
    (Shape::Document, whole, String::new())
}

/// The list or object that is at least half of an object, if it is not empty.
fn main_member(text: &str, (start, end): (usize, usize)) -> Option<Member> {
    let bytes = text.as_bytes();
    let is_container = |member: &Member| matches!(bytes[member.value.0], b'[' | b'{');
    let largest = Members::of(text, start).filter(is_container).max_by_key(|member| member.value.1 - member.value.0)?;
    let len = largest.value.1 - largest.value.0;
    let is_filled = Members::of(text, largest.value.0).next().is_some();
    (is_filled && 2 * len >= end - start).then_some(largest)
}

/// Whether an object is a map of alike objects: they share most of their keys.
fn is_map(text: &str, start: usize) -> bool {
    let bytes = text.as_bytes();
    let keys = |object: usize| -> Vec<&str> {
        Members::of(text, object).take(LOOKED_AT).map(|member| &text[member.key.0..member.key.1]).collect()
    };
    let (mut first, mut entries): (Option<Vec<&str>>, usize) = (None, 0);
    for member in Members::of(text, start).take(LOOKED_AT) {
        if bytes[member.value.0] != b'{' {
            return false;
        }
        let keys = keys(member.value.0);
        match &first {
            None => first = Some(keys),
            Some(first) => {
                let shared = keys.iter().filter(|key| first.contains(key)).count();
                if 2 * shared < keys.len().max(1) {
                    return false;
                }
            }
        }
        entries += 1;
    }
    entries >= LEAST_ENTRIES && Members::of(text, start).all(|member| bytes[member.value.0] == b'{')
}
