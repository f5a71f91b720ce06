//! What is wrong with a call of `read_result`.

/// The message where the store holds nothing under a handle.
pub(crate) const GONE: &str = "there is no stored result of this handle";

/// What `pointer` takes.
pub(crate) const TAKES_POINTER: &str =
    "a JSON Pointer (RFC 6901): nothing for the whole, else each key or index after a slash";

/// What `lines` takes.
pub(crate) const TAKES_LINES: &str = "line numbers from 1, as \"100-200\", \"100\" or \"100-\"";

/// The message for two arguments of which a call has one.
pub(crate) fn either(one: &str, other: &str) -> String {
    format!("a call has either {one} or {other}; leave one of them out")
}

/// The message for a text to look for that is too long.
pub(crate) fn search_too_long(most: usize) -> String {
    format!("search is longer than {most} characters")
}

/// The message for lines that do not exist.
pub(crate) fn no_such_line(from: usize, total: usize) -> String {
    format!("lines begins with {from}; there are {total}")
}

/// Why an argument does not suit the part that is read.
#[derive(Clone, Copy)]
pub(crate) enum Unfit {
    /// The argument is for JSON.
    IsText,
    /// The argument is for text.
    IsNoText,
    /// The tool `summarize` is for text.
    NothingToSummarize,
}

/// The message for an argument that does not suit the part that is read.
pub(crate) fn unfit(argument: &str, why: Unfit) -> String {
    let reason = match why {
        Unfit::IsText => "the result is plain text; read it by lines or search",
        Unfit::IsNoText => "the part is no text; use pointer to go to a text in it",
        Unfit::NothingToSummarize => {
            "this is JSON and no text; read it with read_result, or set pointer to a text in it"
        }
    };
    format!("{argument} cannot be used: {reason}")
}

/// What a pointer ends at that leads nowhere.
pub(crate) enum EndsAt {
    Array { len: usize },
    Object,
    Scalar { kind: &'static str },
}

/// The message for a pointer that leads nowhere: `wanted` is the first key that is missing, `base` the pointer to
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
