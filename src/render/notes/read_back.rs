//! What is wrong with a call of `read_result`.

use serde_json::{Map, Value};

use crate::request::context::{Context, HowToAsk};
use crate::value::source::Kind;

/// The note of a list without results.
pub(crate) const NOTHING_STORED: &str = "Nothing is stored.";

/// The message where the store holds nothing under a handle.
pub(crate) const GONE: &str = "no stored result has this handle";

/// The message where the store does not hold what a cursor continues.
pub(crate) const GONE_BY_CURSOR: &str = "the stored result of this cursor is gone";

/// The message where the server does not allow a caller to read a stored result.
pub(crate) const FORBIDDEN: &str = "you are not allowed to read this stored result";

/// What `pointer` takes.
pub(crate) const TAKES_POINTER: &str =
    "a JSON Pointer (RFC 6901): empty for the whole, otherwise a slash before each key or index";

/// What `lines` takes.
pub(crate) const TAKES_LINES: &str =
    "line numbers from 1, as \"100-200\", \"100\" or \"100-\", or \"-100\" for the last 100, or a heading";

/// What arguments of other tools mean here.
const OTHER_NAMES: [(&str, &[&str]); 12] = [
    ("handle", &["id", "uri"]),
    ("pointer", &["path"]),
    ("sql", &["query", "filter", "where", "jsonPath", "jsonpath", "select", "sort", "orderBy", "order_by", "sortBy"]),
    ("sql", &["group", "groupBy", "group_by", "count", "aggregate", "aggregates", "schema"]),
    ("fields", &["columns"]),
    ("pageSize", &["limit", "top"]),
    ("page or cursor", &["offset"]),
    ("sql with REGEXP", &["regex", "word"]),
    ("sql with GLOB", &["case"]),
    ("search", &["text"]),
    ("lines as -100", &["tail", "last"]),
    ("lines as a heading", &["section", "heading"]),
];

/// The argument of a call that is another tool's, with the name of what does the same here.
pub(crate) fn meant_by_others(arguments: Option<&Map<String, Value>>) -> Option<(&'static str, &'static str)> {
    let given = arguments?;
    let is_given = |(meant, names): (&'static str, &[&'static str])| {
        names.iter().find(|name| given.contains_key(**name)).map(|name| (*name, meant))
    };
    OTHER_NAMES.into_iter().find_map(is_given)
}

/// The message for an argument that has another name here.
pub(crate) fn other_name(given: &str, meant: &str) -> String {
    format!("this tool has no {given}; write {meant} instead")
}

/// The message for two arguments of which a call has one.
pub(crate) fn either(one: &str, other: &str) -> String {
    format!("give either {one} or {other}, not both")
}

/// The message for an argument in addition to the cursor of another tool's result.
pub(crate) fn beside_cursor(argument: &str) -> String {
    format!(
        "{}; to ask for something else than its next part, leave cursor out",
        either("the cursor of a tool's result", argument)
    )
}

/// The message for a heading that a text does not have.
pub(crate) fn no_such_heading(wanted: &str, has_none: bool) -> String {
    let why = if has_none { "no headings were found in this text" } else { "no heading matches" };
    format!("lines is {wanted:?}, and {why}; it takes {TAKES_LINES}")
}

/// The message for a heading that several sections have.
pub(crate) fn many_headings(wanted: &str, count: usize) -> String {
    format!("lines is {wanted:?}, and {count} headings match; give one of fields, or a range as outline has it")
}

/// The note where a text has no outline.
pub(crate) const NO_HEADINGS: &str = "No headings were found in this text. Use search or lines.";

/// The note of an outline without its deeper headings.
pub(crate) const DEEPER: &str =
    " Deeper headings are left out; for those of a section, give outline with lines set to its range.";

/// The message for a text to look for that is too long.
pub(crate) fn search_too_long(most: usize) -> String {
    format!("search is longer than {most} characters")
}

/// The message where what an argument asks for takes too much work.
pub(crate) fn stopped(argument: &str) -> String {
    format!("{argument} was stopped because it asks for too much; narrow it by pointer")
}

/// The message for a text to summarize that is too long.
pub(crate) fn text_too_long(bytes: usize, most: usize) -> String {
    format!("text has {bytes} bytes, and at most {most} are allowed; give the handle of a stored result instead")
}

/// The message for lines that do not exist.
pub(crate) fn no_such_line(from: usize, total: usize) -> String {
    format!("lines begins with {from}, but there are only {total}")
}

/// The message for a page of what has no pages.
pub(crate) fn no_pages(page: u64, kind: Kind, ctx: &Context<'_>) -> String {
    let cursor = ctx.call.argument("cursor");
    let way = match (kind, ctx.how_to_ask) {
        (Kind::String, HowToAsk::ReadResult) => {
            format!(
                "this result is a text, which has no pages; it is read on with {cursor} set to nextCursor, or with lines"
            )
        }
        (Kind::String, _) => {
            format!("this result is a text, which has no pages; it is read on with {cursor} set to nextCursor")
        }
        (Kind::Object, HowToAsk::ReadResult) => {
            format!(
                "this result is an object, which has no pages; read parts of it with pointer, or continue with {cursor} set to nextCursor"
            )
        }
        (Kind::Object, _) => format!(
            "this result is an object, which has no pages; name parts of it in {}, or continue with {cursor} set to nextCursor",
            ctx.call.argument("fields")
        ),
        _ => "this result is a single value, which has no pages".to_owned(),
    };
    format!("page is {page}; {way}")
}

/// Why an argument does not suit the part that is read.
#[derive(Clone, Copy)]
pub(crate) enum Unfit {
    /// The argument is for JSON.
    IsText,
    /// The argument is for text.
    IsNoText,
    /// JSON has no outline.
    HasNoOutline,
    /// The tool `summarize` is for text.
    NothingToSummarize,
}

/// The message for an argument that does not suit the part that is read.
pub(crate) fn unfit(argument: &str, why: Unfit) -> String {
    let reason = match why {
        Unfit::IsText => "the result is plain text; use sql, lines, search or outline",
        Unfit::IsNoText => "the part is not text; use sql, search or page, or set pointer to a text in it",
        Unfit::HasNoOutline => "this is JSON; use sql, or set pointer to a text in it",
        Unfit::NothingToSummarize => "this is JSON, not text; read it in parts, or set pointer to a text in it",
    };
    format!("{argument} cannot be used: {reason}")
}

/// What a pointer ends at that does not exist.
pub(crate) enum EndsAt {
    Array { len: usize },
    Object,
    Scalar { kind: &'static str },
}

/// The message for a pointer that does not exist: `wanted` is the first key that is missing, `base` the pointer to
/// the value without it.
pub(crate) fn nothing_under(wanted: &str, base: &str, ends_at: &EndsAt) -> String {
    let what = match ends_at {
        EndsAt::Array { len } => format!("an array of {len} items"),
        EndsAt::Object => "an object without that key".to_owned(),
        EndsAt::Scalar { kind } => format!("of type {kind}"),
    };
    let place = if base.is_empty() { "the result".to_owned() } else { format!("the value at {base:?}") };
    format!("there is nothing under {wanted:?}: {place} is {what}")
}
