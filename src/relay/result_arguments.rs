//! Stored results as arguments: `{"$result": "<handle>"}` in the arguments of a tool that may have it stands for the whole
//! of the result, or with `pointer` for a value in it. It is put in before the server sees the call.
//!
//! What is put in is not looked into: data cannot name results.

use std::ops::Range;

use serde_json::{Map, Value, json};

use crate::api::shaper::Shaper;
use crate::base::error::Error;
use crate::base::json_string::{Quoted, quoted};
use crate::value::json_text::JsonText;
use crate::value::source::{Kind, Source};

use super::edits::{Edits, place};
use super::message::{Message, member, text};
use super::time::call_at;

const NAME: &str = "$result";
/// The types that a result can have for a schema.
const TYPES: [&str; 3] = ["string", "array", "object"];

/// A result that the arguments name.
pub(super) struct Named {
    place: Range<usize>,
    pub handle: String,
    pointer: String,
    /// Whether the tool wants a text there: a result that is JSON is then put in as the text of it.
    is_text: bool,
}

/// A call whose arguments name results, of which some have been read.
pub(super) struct Expansion {
    pub line: String,
    pub now: u64,
    /// What is still to be read, the next one last.
    pub named: Vec<Named>,
    read: Vec<(Range<usize>, String)>,
}

impl Expansion {
    /// The results that the arguments of a call name, if there are any. `schema` is the tool's own.
    pub fn of(message: &Message<'_>, given: &JsonText<'_>, schema: Option<&Value>, now: u64) -> Option<Self> {
        let mut named = Vec::new();
        for (key, value) in given.entries().ok()? {
            let of_schema = schema.and_then(|schema| schema["properties"].get(&*Quoted::new(&key).text()));
            let is_text = of_schema.is_some_and(|schema| schema["type"] == "string");
            find(message.line, &value, is_text, &mut named);
        }
        named.reverse();
        let line = message.line.to_owned();
        (!named.is_empty()).then_some(Self { line, now, named, read: Vec::new() })
    }

    /// Takes the content of the result that was read last, or nothing if the store has none.
    ///
    /// # Errors
    /// Why it cannot stand in the arguments.
    pub fn take(
        &mut self,
        stored: Option<(&str, &str)>,
        failure: Option<&str>,
        members: &str,
        shaper: &Shaper,
    ) -> Result<(), Error> {
        let Some(named) = self.named.pop() else { return Ok(()) };
        let call = call_at(members, false, failure, self.now)?;
        let whole = shaper.stored_whole(stored, &named.pointer, &call).map_err(|error| {
            Error::new(error.code(), format!("{NAME} {}: {}", named.handle, error.message()), error.path())
        })?;
        let is_spelled = named.is_text && !whole.starts_with('"');
        self.read.push((named.place, if is_spelled { quoted(&whole) } else { whole }));
        Ok(())
    }

    /// The line with the results in their places.
    pub fn apply(self) -> String {
        let mut edits = Edits::of(&self.line);
        for (place, with) in self.read {
            edits.replace(&self.line[place], with);
        }
        edits.apply()
    }
}

/// Finds what names a result: an object of `$result` and nothing else but `pointer`.
fn find(line: &str, value: &JsonText<'_>, is_text: bool, named: &mut Vec<Named>) {
    if !value.span().contains(NAME) {
        return;
    }
    match value.kind() {
        Kind::Object => {
            let Ok(members) = value.entries() else { return };
            let is_other = |key: &str| !["$result", "pointer"].contains(&&*Quoted::new(key).text());
            let handle = member(value, NAME).and_then(|handle| text(&handle));
            match handle.filter(|_| !members.iter().any(|(key, _)| is_other(key))) {
                Some(handle) => {
                    let pointer = member(value, "pointer").and_then(|pointer| text(&pointer)).unwrap_or_default();
                    named.push(Named { place: place(line, value.span()), handle, pointer, is_text });
                }
                None => members.iter().for_each(|(_, value)| find(line, value, false, named)),
            }
        }
        Kind::Array => {
            let items = value.items(0, usize::MAX).unwrap_or_default();
            items.iter().for_each(|item| find(line, item, false, named));
        }
        _ => {}
    }
}

/// Lets a tool's schema take results where it takes texts, lists and objects; clients check calls against it.
pub(super) fn widen(schema: &mut Value) {
    // A schema whose definitions are none has no place for ours.
    if schema.get("$defs").is_some_and(|definitions| !definitions.is_object()) {
        return;
    }
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    let mut is_wider = false;
    for property in properties.values_mut() {
        let takes = |types: &Value| TYPES.iter().any(|one| types == one);
        let is_fixed = property.get("enum").is_some() || property.get("const").is_some();
        let is_one = match &property["type"] {
            Value::Array(types) => types.iter().any(takes),
            one => takes(one),
        };
        if !is_one || is_fixed {
            continue;
        }
        let Value::Object(own) = property.take() else { continue };
        let (about, own): (Map<_, _>, Map<_, _>) =
            own.into_iter().partition(|(name, _)| name == "description" || name == "title");
        let mut wider = about;
        wider.insert("anyOf".to_owned(), json!([own, { "$ref": "#/$defs/toolshapeResult" }]));
        *property = Value::Object(wider);
        is_wider = true;
    }
    if is_wider {
        schema["$defs"]["toolshapeResult"] = json!({
            "type": "object",
            "properties": { "$result": { "type": "string" }, "pointer": { "type": "string" } },
            "required": ["$result"],
            "additionalProperties": false,
        });
    }
}

/// What our tool says of the tools that take results.
pub(super) fn note(tools: &[String]) -> String {
    format!(" In arguments of {}, {{\"$result\":handle}} stands for the stored result.", tools.join(", "))
}
