//! JSONPath against `serde_json_path`: both accept the same queries, and find the same places in the same order.

use std::collections::HashSet;

use arbitrary::{Arbitrary, Result, Unstructured};
use serde_json::{Value, json};
use serde_json_path::JsonPath;
use toolshape::host::{JsonText, Kind, Naming, Source};
use toolshape::{Policy, Shaper};

use crate::input::Input;
use crate::queries;
use crate::reader::Reader;

/// Both walk a query's parentheses recursively; ours refuses deep ones.
const MAX_NESTING: usize = 24;
/// Ours takes no longer query.
const MAX_BYTES: usize = 1_000;
/// A double has this many exact digits.
const EXACT_DIGITS: usize = 15;

pub fn edit(input: &mut Input, choose: &mut Unstructured<'_>) -> Result<()> {
    let query = queries::edit(query(input), &input.names(), choose)?;
    input.head.insert("query".to_owned(), json!(query));
    if bool::arbitrary(choose)? && query.len() > 40 {
        input.head.insert("query".to_owned(), json!(queries::edit("$", &input.names(), choose)?));
    }
    Ok(())
}

fn query(input: &Input) -> &str {
    input.head.get("query").and_then(Value::as_str).unwrap_or("$")
}

pub fn run(input: &Input) -> Option<()> {
    let query = query(input);
    let document: Value = serde_json::from_str(&input.body).ok()?;
    // JSON in a string is data for ours.
    if is_deep(query)
        || query.len() > MAX_BYTES
        || document.is_string()
        || !is_plain(&JsonText::parse(&input.body).ok()?)
    {
        return None;
    }
    let theirs = JsonPath::parse(query);
    let Some(ours) = ours(&input.body, query) else {
        assert!(theirs.is_err() || has_pattern(query), "ours refuses {query:?}");
        return Some(());
    };
    let theirs = match theirs {
        Ok(theirs) => theirs,
        Err(error) => {
            assert!(is_refused_by_theirs_alone(query), "theirs refuses {query:?}: {error}");
            return Some(());
        }
    };
    if is_read_differently(query) || has_large_number(query) {
        return Some(());
    }
    let found: Vec<String> =
        theirs.query_located(&document).iter().map(|node| node.location().to_json_pointer()).collect();
    // A search that reaches the bound of its work says so, and gives what it found.
    match ours {
        Found { pointers, stopped: false } => assert_eq!(pointers, found, "{query:?} in {document}"),
        Found { pointers, stopped: true } => assert!(found.starts_with(&pointers), "{query:?} in {document}"),
    }
    Some(())
}

struct Found {
    pointers: Vec<String>,
    stopped: bool,
}

/// The places that `read_result` finds; `None` if it refuses the query.
fn ours(document: &str, query: &str) -> Option<Found> {
    let most = 1_000_000;
    let policy = json!({ "maxTokens": 10_000_000, "paginateAfter": most, "pageSize": most, "maxPageSize": most });
    let shaper = Shaper::new(Policy::new(&policy, Naming::Camel).expect("a valid policy"));
    let reader = Reader::of_stored(&shaper, document, true, None);
    let shaped = reader.ask(&json!({ "jsonPath": query }));
    let answer: Value = serde_json::from_str(&shaped.text).expect("an answer is JSON");
    if shaped.is_error {
        assert_eq!(answer["error"], "INVALID_CALL", "{query:?}: {}", shaped.text);
        return None;
    }
    let items = answer["items"].as_array().unwrap_or_else(|| panic!("{query:?}: {}", shaped.text));
    assert_eq!(answer["totalItems"], json!(items.len()), "{query:?}");
    let pointer = |item: &Value| item["pointer"].as_str().expect("a pointer").to_owned();
    Some(Found { pointers: items.iter().map(pointer).collect(), stopped: answer["stopped"] == json!(true) })
}

fn is_deep(query: &str) -> bool {
    query.matches(['(', '[', '!']).count() > MAX_NESTING
}

/// Whether both read the document as the same values: no key twice (theirs keeps the last), and no number that a double
/// rounds (ours compares numbers by their digits).
fn is_plain(document: &JsonText<'_>) -> bool {
    let mut waiting = vec![document.clone()];
    while let Some(value) = waiting.pop() {
        match value.kind() {
            Kind::Array => waiting.extend(value.items(0, usize::MAX).unwrap_or_default()),
            Kind::Object => {
                let mut seen = HashSet::new();
                for (key, value) in value.entries().unwrap_or_default() {
                    if !seen.insert(serde_json::from_str::<String>(&key).ok()) {
                        return false;
                    }
                    waiting.push(value);
                }
            }
            Kind::Number if has_large_number(value.span()) => return false,
            _ => {}
        }
    }
    true
}

/// Whether a text has a number with more digits than a double holds, or with an exponent.
fn has_large_number(text: &str) -> bool {
    let mut numbers = text.split(|c: char| !(c.is_ascii_digit() || ".eE+-".contains(c)));
    numbers.any(|number| {
        let is_number = number.contains(|c: char| c.is_ascii_digit());
        is_number && (number.len() > EXACT_DIGITS || number.contains(['e', 'E']))
    })
}

/// Patterns: ours takes I-Regexp with anchors and few categories, theirs all that the crate `regex` takes.
fn has_pattern(query: &str) -> bool {
    query.contains("match") || query.contains("search")
}

/// Queries that are valid, and that theirs refuses: white space before a segment that begins with two dots.
fn is_refused_by_theirs_alone(query: &str) -> bool {
    let before = |(at, _): (usize, &str)| query[..at].ends_with([' ', '\t', '\n', '\r']);
    has_pattern(query) || query.match_indices("..").any(before)
}

/// Queries that mean something else to theirs, which finds `{} > {}` and `true >= false` true, and nothing `<=` nothing
/// false (RFC 9535, section 2.3.5.3, has it true).
fn is_read_differently(query: &str) -> bool {
    has_pattern(query) || query.contains('>') || query.contains("<=")
}
