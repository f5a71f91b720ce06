//! The arguments of `read_result` without `sql`, checked.

use serde_json::{Map, Value};

use crate::base::error::{Error, ErrorCode};
use crate::render::notes::read_back;
use crate::request::call::Call;
use crate::request::lenient;
use crate::request::reader::{Naming, Reader};

/// The tool's arguments. The call controls among them are read elsewhere, and named where another argument is unknown.
const NAMES: [&str; 12] = [
    "handle", "sql", "cursor", "pointer", "fields", "page", "pageSize", "format", "search", "context", "lines",
    "outline",
];
/// The most lines around a match: who wants more asks for `lines`.
pub(super) const MAX_CONTEXT: u64 = 20;
/// The longest text that is searched for, and the longest heading.
const MAX_SEARCH_CHARS: usize = 1_000;
/// The digits of a line number, at most.
const MAX_DIGITS: usize = 15;

/// What a call of `read_result` asks for.
pub(super) struct ReadArguments {
    /// JSON Pointer to the part that is read; empty for the whole.
    pub pointer: String,
    pub what: WhatToRead,
    pub has_context: bool,
}

/// What the call asks for in the part.
pub(super) enum WhatToRead {
    Value,
    Lines(LineSelection),
    Search {
        wanted: String,
        within: Option<LineSelection>,
        /// Lines before and after.
        context: usize,
    },
    /// The headings of a text, or those that have a text, or within lines.
    Outline(Option<String>, Option<LineSelection>),
}

impl WhatToRead {
    /// The lines within which the call asks.
    pub fn lines(&self) -> Option<&LineSelection> {
        match self {
            Self::Lines(lines) => Some(lines),
            Self::Search { within, .. } | Self::Outline(_, within) => within.as_ref(),
            Self::Value => None,
        }
    }
}

/// Which lines are asked for.
pub(super) enum LineSelection {
    /// From 1, `to` included; without `to` up to the end.
    From { from: usize, to: Option<usize> },
    /// This many at the end.
    Last(usize),
    /// The section of this heading.
    Under(String),
}

impl ReadArguments {
    /// Reads the arguments of a call, except the handle.
    ///
    /// # Errors
    /// `INVALID_CALL` with the argument's name.
    pub fn new(call: &Call) -> Result<Self, Error> {
        let value = Value::Object(lenient_arguments(call.own_arguments()));
        if let Some((given, meant)) = read_back::meant_by_others(value.as_object()) {
            let message = read_back::other_name(given, meant);
            return Err(Error::new(ErrorCode::InvalidCall, message, format!("/{given}")));
        }
        let reader = Reader::new(&value, &NAMES, ErrorCode::InvalidCall, String::new(), Naming::Camel)?;
        let pointer = match reader.get("pointer") {
            None => String::new(),
            Some(Value::String(pointer)) if pointer.is_empty() || pointer.starts_with('/') => pointer.clone(),
            Some(other) => {
                return Err(reader.error("pointer", other, read_back::TAKES_POINTER));
            }
        };
        let outline = match reader.get("outline") {
            None | Some(Value::Bool(false)) => false,
            Some(Value::Bool(true)) => true,
            Some(other) => return Err(reader.error("outline", other, "true")),
        };
        let context = reader.integer("context", 0, MAX_CONTEXT)?.map(|lines| lines as usize);
        let wanted = reader.text("search")?.map(str::to_owned);
        if wanted.as_ref().is_some_and(|text| text.chars().count() > MAX_SEARCH_CHARS) {
            return Err(reader.error_at("search", read_back::search_too_long(MAX_SEARCH_CHARS)));
        }
        let within = match reader.get("lines") {
            None => None,
            Some(given) => {
                let lines = given.as_str().and_then(lines);
                Some(lines.ok_or_else(|| reader.error("lines", given, read_back::TAKES_LINES))?)
            }
        };
        let what = if outline {
            WhatToRead::Outline(wanted, within)
        } else if let Some(wanted) = wanted {
            WhatToRead::Search { wanted, within, context: context.unwrap_or(0) }
        } else if let Some(lines) = within {
            WhatToRead::Lines(lines)
        } else {
            WhatToRead::Value
        };
        Ok(Self { pointer, what, has_context: context.is_some() })
    }
}

/// The arguments with the types that they have, where a model sent another.
fn lenient_arguments(given: Map<String, Value>) -> Map<String, Value> {
    let one = |(name, value): (String, Value)| {
        let value = match name.as_str() {
            "lines" => lenient::range(value),
            "context" => lenient::number(value),
            "outline" => lenient::flag(value),
            _ => value,
        };
        (name, value)
    };
    given.into_iter().map(one).collect()
}

/// Parses `100-200`, `100`, `100-` or `-100`; what does not look so is a heading.
fn lines(text: &str) -> Option<LineSelection> {
    let text = text.trim();
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let looks_so = match text.strip_prefix('-').unwrap_or(text).split_once('-') {
        None => is_digits(text.trim_start_matches('-')),
        Some((from, to)) => is_digits(from) && is_digits(to),
    };
    if !looks_so {
        let is_short = text.chars().count() <= MAX_SEARCH_CHARS;
        return is_short.then(|| LineSelection::Under(text.to_owned()));
    }
    let number = |text: &str| text.parse().ok().filter(|&number: &usize| number > 0 && text.len() <= MAX_DIGITS);
    if let Some(count) = text.strip_prefix('-') {
        return number(count).map(LineSelection::Last);
    }
    let (from, to) = match text.split_once('-') {
        None => (number(text)?, Some(number(text)?)),
        Some((from, "")) => (number(from)?, None),
        Some((from, to)) => (number(from)?, Some(number(to)?)),
    };
    (to.is_none_or(|to| to >= from)).then_some(LineSelection::From { from, to })
}
