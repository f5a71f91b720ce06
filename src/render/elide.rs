//! Elisions: what is left out of a result, what is in its place, and the list of it.

use crate::base::error::Error;
use crate::base::json_pointer;
use crate::base::json_string::{self, Quoted};
use crate::base::members::Members;
use crate::base::text_cuts;
use crate::value::source::{Kind, RowSource, Source};
use crate::value::structured_text::TextFormat;
use crate::value::token_count::Measure;

/// Keys that the placeholder or the description of an object names: enough to recognize what it is.
pub(crate) const NAMED_KEYS: usize = 10;
/// The kind of a string of JSON text that is shown as data.
const JSON_TEXT: &str = "json-text";
/// The kind of a value whose key its object has before: no pointer leads to it.
const REPEATED: &str = "repeated-key";

/// A value that is shortened or left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Elision {
    /// JSON Pointer (RFC 6901) to it in the result; if its key is [`REPEATED`], to the object around it.
    pub pointer: String,
    /// The name of its kind in JSON Schema, or of a string that is shown as what is in it: [`JSON_TEXT`], or what it is read as;
    /// or [`REPEATED`].
    pub kind: &'static str,
    /// Characters of a string or of a number's text, items of an array, keys of an object.
    pub size: usize,
}

impl Elision {
    pub fn of<S: Source>(value: &S, pointer: String) -> Self {
        Self {
            pointer: value.row().and_then(RowSource::place).unwrap_or(pointer),
            kind: value.kind().name(),
            size: size(value),
        }
    }

    /// The same for a string that is shown as the data of its JSON text, or as the text of a page or a log.
    pub fn of_text<S: Source>(value: &S, reading: Option<TextFormat>, pointer: String) -> Self {
        Self { kind: reading.map_or(JSON_TEXT, TextFormat::name), ..Self::of(value, pointer) }
    }

    /// The same for a value whose key the object at `pointer` has before.
    pub fn repeated<S: Source>(value: &S, pointer: String) -> Self {
        Self { pointer, kind: REPEATED, size: size(value) }
    }

    /// Whether its pointer leads to the object around it.
    pub fn is_repeated(&self) -> bool {
        self.kind == REPEATED
    }

    /// Whether the value is JSON text that is shown as data.
    pub fn is_json_text(&self) -> bool {
        self.kind == JSON_TEXT
    }

    /// Whether the value is shown as what a page or a log says.
    pub fn is_reading(&self) -> bool {
        [TextFormat::Html, TextFormat::Log].iter().any(|format| format.name() == self.kind)
    }

    fn json(&self) -> String {
        let mut members = Members::new();
        members.text("pointer", &self.pointer);
        members.text("kind", self.kind);
        members.number("size", self.size);
        members.into_object()
    }
}

/// What the policy's default projection leaves out of a result.
#[derive(Clone, Debug, Default)]
pub(crate) struct Omitted {
    /// Dotted paths of the fields, as many as the result lists.
    pub names: Vec<String>,
    /// How many keys of the outermost object are left out.
    pub keys: usize,
}

/// What is left out where nothing is.
pub(crate) static NOTHING_OMITTED: Omitted = Omitted { names: Vec::new(), keys: 0 };

/// Writes `omittedFields`, the fields that the policy does not show, if there are any.
pub(crate) fn write_omitted_fields(names: &[String], out: &mut Members) {
    if !names.is_empty() {
        out.texts("omittedFields", names);
    }
}

/// The most tokens that the list of elisions takes of a budget: a tenth.
pub(crate) fn list_tokens(budget: usize) -> usize {
    budget / 10
}

/// Writes the elisions, if there are any: `elisions`, as many as `limit` tokens hold, and where those are not
/// all, before them `moreElisions`, how many are not listed.
pub(crate) fn write_elisions(elisions: &[Elision], limit: usize, measure: Measure, out: &mut Members) {
    if elisions.is_empty() {
        return;
    }
    let mut listed: Vec<String> = Vec::new();
    let mut tokens = 2;
    for elision in elisions {
        let json = elision.json();
        tokens += measure.count(&json) + 1;
        if tokens > limit {
            break;
        }
        listed.push(json);
    }
    if listed.len() < elisions.len() {
        out.number("moreElisions", elisions.len() - listed.len());
    }
    if limit > 0 {
        out.list("elisions", &listed);
    }
}

/// The placeholder of a value that does not fit, as a JSON string.
pub(crate) fn stand_in<S: Source>(value: &S) -> Result<String, Error> {
    Ok(match value.kind() {
        Kind::Array => format!("\"[Array({})]\"", value.len()),
        Kind::Object => {
            let entries = value.entries_where(&mut |at, _| at <= NAMED_KEYS)?;
            let mut names: Vec<String> = entries.iter().take(NAMED_KEYS).map(|(key, _)| short_key(key)).collect();
            if entries.len() > NAMED_KEYS {
                names.push("...".to_owned());
            }
            format!("\"{{Object: {}}}\"", names.join(", "))
        }
        Kind::String => "\"…\"".to_owned(),
        _ => format!("\"[Number({} digits)]\"", size(value)),
    })
}

/// The key of the data in a string of JSON text, or of the text of a page or a log; with its quotes.
pub(crate) fn text_key<S: Source>(value: &S, reading: Option<TextFormat>) -> String {
    let what = match reading {
        None => "JSON text",
        Some(TextFormat::Html) => "HTML",
        Some(_) => "log",
    };
    format!("\"… {what} of {} characters\"", size(value))
}

/// A key as a literal without quotes, cut if it is long.
pub(crate) fn short_key(key: &str) -> String {
    json_string::clipped(Quoted::new(key).literal(), text_cuts::KEY_CHARS).into_owned()
}

fn size<S: Source>(value: &S) -> usize {
    match value.kind() {
        Kind::String => value.chars(),
        Kind::Array | Kind::Object => value.len(),
        _ => value.json().map_or(0, |json| json.len()),
    }
}

/// The pointer to an entry of the object at `base`; `key` has its quotes.
pub(crate) fn child_pointer(base: &str, key: &str) -> String {
    format!("{base}/{}", json_pointer::escape(&Quoted::new(key).text()))
}
