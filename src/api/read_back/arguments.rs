//! The arguments of `read_result`, checked.

use serde_json::{Map, Value};

use crate::base::error::{Error, ErrorCode};
use crate::render::notes::read_back;
use crate::request::call::Call;
use crate::request::lenient;
use crate::request::reader::{Naming, Reader};
use crate::value::json_path::Query;

use super::question::Question;

/// The tool's own arguments, without the call controls.
const NAMES: [&str; 14] = [
    "handle",
    "pointer",
    "jsonPath",
    "lines",
    "search",
    "case",
    "word",
    "regex",
    "context",
    "outline",
    "schema",
    "sort",
    "group",
    "aggregate",
];
/// A call may have at most one of these arguments, except that those of a text go together.
const WAYS: [&str; 5] = ["jsonPath", "lines", "search", "outline", "schema"];
/// Where in a text, what of it, and whether headings or all of it.
const OF_TEXT: [&str; 3] = ["lines", "search", "outline"];
/// How `search` compares.
const HOW: [&str; 3] = ["case", "word", "regex"];
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
    /// What is asked of the rows that are there, or that `what` finds.
    pub question: Option<Question>,
    pub has_context: bool,
}

/// What the call asks for in the part.
pub(super) enum WhatToRead {
    Value,
    Query(Query),
    Lines(LineSelection),
    Search {
        wanted: SearchText,
        within: Option<LineSelection>,
        /// Lines before and after.
        context: usize,
        /// Whether only the number of the hits is asked for.
        counts: bool,
    },
    /// The headings of a text, or those that are wanted, or within lines.
    Outline(Option<SearchText>, Option<LineSelection>),
    Schema,
}

/// A text to look for, and how it is compared.
pub(super) struct SearchText {
    pub text: String,
    /// Whether the case of letters counts.
    pub case: bool,
    /// Whether it stands between word boundaries.
    pub word: bool,
    /// Whether it is a regular expression.
    pub regex: bool,
}

impl WhatToRead {
    /// The argument by which the call asks something of JSON.
    pub fn of_json(&self) -> Option<&'static str> {
        match self {
            Self::Query(_) => Some("jsonPath"),
            Self::Schema => Some("schema"),
            Self::Value | Self::Lines(_) | Self::Search { .. } | Self::Outline(..) => None,
        }
    }

    /// The lines within which the call asks.
    pub fn lines(&self) -> Option<&LineSelection> {
        match self {
            Self::Lines(lines) => Some(lines),
            Self::Search { within, .. } | Self::Outline(_, within) => within.as_ref(),
            Self::Value | Self::Query(_) | Self::Schema => None,
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
        let flag = |name: &str| match reader.get(name) {
            None | Some(Value::Bool(false)) => Ok(false),
            Some(Value::Bool(true)) => Ok(true),
            Some(other) => Err(reader.error(name, other, "true")),
        };
        let (schema, outline) = (flag("schema")?, flag("outline")?);
        let is_asked = |way: &&str| match *way {
            "schema" => schema,
            "outline" => outline,
            way => reader.get(way).is_some(),
        };
        let asked: Vec<&str> = WAYS.into_iter().filter(is_asked).collect();
        if let [one, other, ..] = asked[..]
            && !asked.iter().all(|way| OF_TEXT.contains(way))
        {
            return Err(reader.error_at(other, read_back::either(one, other)));
        }
        let mut question = Question::read(&reader)?;
        let finds = asked.last() == Some(&"search");
        let counts = question.take_if(|question| finds && question.only_counts()).is_some();
        if let (Some(question), Some(other)) = (&question, asked.last().filter(|way| **way != "jsonPath")) {
            return Err(reader.error_at(other, read_back::either(question.argument(), other)));
        }
        let context = reader.integer("context", 0, MAX_CONTEXT)?.map(|lines| lines as usize);
        let [case, word, regex] = HOW.map(flag);
        let (case, word, regex) = (case?, word?, regex?);
        let text = reader.text("search")?;
        if text.is_some_and(|text| text.chars().count() > MAX_SEARCH_CHARS) {
            return Err(reader.error_at("search", read_back::search_too_long(MAX_SEARCH_CHARS)));
        }
        let wanted = text.map(|text| SearchText { text: text.to_owned(), case, word, regex });
        if wanted.is_none()
            && let Some((name, _)) = HOW.into_iter().zip([case, word, regex]).find(|(_, is_set)| *is_set)
        {
            return Err(reader.error_at(name, read_back::needs_search(name)));
        }
        let within = match reader.get("lines") {
            None => None,
            Some(given) => {
                let lines = given.as_str().and_then(lines);
                Some(lines.ok_or_else(|| reader.error("lines", given, read_back::TAKES_LINES))?)
            }
        };
        let what = if let Some(query) = reader.text("jsonPath")? {
            WhatToRead::Query(Query::parse(query)?)
        } else if outline {
            WhatToRead::Outline(wanted, within)
        } else if let Some(wanted) = wanted {
            WhatToRead::Search { wanted, within, context: context.unwrap_or(0), counts }
        } else if let Some(lines) = within {
            WhatToRead::Lines(lines)
        } else if schema {
            WhatToRead::Schema
        } else {
            WhatToRead::Value
        };
        Ok(Self { pointer, what, question, has_context: context.is_some() })
    }
}

/// The arguments with the types that they have, where a model sent another.
fn lenient_arguments(given: Map<String, Value>) -> Map<String, Value> {
    let one = |(name, value): (String, Value)| {
        let value = match name.as_str() {
            "lines" => lenient::range(value),
            "context" => lenient::number(value),
            "schema" | "outline" | "case" | "word" | "regex" => lenient::flag(value),
            "sort" | "group" | "aggregate" => lenient::expressions(value),
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
