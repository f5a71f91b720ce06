//! Stored results as arguments: `{"$result": "<handle>"}` in the arguments of a tool that may have it is replaced by the whole
//! of the result, or with `pointer` for a value in it. It is put in before the server sees the call.
//!
//! What is put in is not looked into: data cannot name results.

use std::ops::Range;

use serde_json::{Map, Value, json};

use toolshape::Error;
use toolshape::host::{JsonText, Kind, Quoted, Source, quoted};

use super::edits::{Edits, place};
use super::message::{Message, member, text};

const NAME: &str = "$result";
/// The types that a result can have for a schema.
const TYPES: [&str; 3] = ["string", "array", "object"];
/// The types of an argument that is a text or nothing.
const OF_TEXTS: [&str; 2] = ["string", "null"];
/// How many schemas are looked at for one argument: they may refer to themselves.
const SCHEMAS: usize = 64;

/// A result that the arguments name.
pub(super) struct Named {
    place: Range<usize>,
    pub handle: String,
    pub pointer: String,
    /// Whether the tool takes a text there: a result that is JSON is then inserted as a text.
    is_text: bool,
}

/// The schemas of a tool that describe one value of its arguments.
#[derive(Clone, Default)]
struct Described<'s> {
    root: Option<&'s Value>,
    of_value: Vec<&'s Value>,
}

impl<'s> Described<'s> {
    /// The schema and those that it refers to or has as alternatives.
    fn by(root: &'s Value, schemas: impl IntoIterator<Item = &'s Value>) -> Self {
        let mut waiting: Vec<&Value> = schemas.into_iter().collect();
        let mut of_value = Vec::new();
        while let Some(schema) = waiting.pop().filter(|_| of_value.len() < SCHEMAS) {
            of_value.push(schema);
            let referred = schema["$ref"].as_str().and_then(|target| root.pointer(target.strip_prefix('#')?));
            let among = |name: &str| schema[name].as_array().into_iter().flatten();
            waiting.extend(referred.into_iter().chain(["anyOf", "oneOf", "allOf"].into_iter().flat_map(among)));
        }
        Self { root: Some(root), of_value }
    }

    fn of(schema: Option<&'s Value>) -> Self {
        schema.map_or_else(Self::default, |root| Self::by(root, [root]))
    }

    fn members(&self, of: impl Fn(&'s Value) -> Option<&'s Value>) -> Self {
        let Some(root) = self.root else { return Self::default() };
        Self::by(root, self.of_value.iter().filter_map(|schema| of(schema)))
    }

    fn property(&self, name: &str) -> Self {
        self.members(|schema| schema["properties"].get(name).or_else(|| schema.get("additionalProperties")))
    }

    fn items(&self) -> Self {
        self.members(|schema| schema.get("items"))
    }

    fn types(&self) -> impl Iterator<Item = &'s str> {
        self.of_value.iter().flat_map(|schema| match &schema["type"] {
            Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
            one => Vec::from_iter(one.as_str()),
        })
    }

    /// Whether the value is a text, or nothing.
    fn is_text(&self) -> bool {
        self.types().any(|one| one == "string") && self.types().all(|one| OF_TEXTS.contains(&one))
    }
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
        let described = Described::of(schema);
        for (key, value) in given.entries().ok()? {
            find(message.line, &value, &described.property(&Quoted::new(&key).text()), &mut named);
        }
        named.reverse();
        let line = message.line.to_owned();
        (!named.is_empty()).then_some(Self { line, now, named, read: Vec::new() })
    }

    /// Inserts the value of the next result that is to be read.
    pub fn insert(&mut self, value: String) {
        let Some(named) = self.named.pop() else { return };
        let is_spelled = named.is_text && !value.starts_with('"');
        self.read.push((named.place, if is_spelled { quoted(&value) } else { value }));
    }

    /// Why the next result cannot be an argument.
    pub fn refused(&self, error: &Error) -> Error {
        let handle = self.named.last().map_or("", |named| &named.handle);
        Error::new(error.code(), format!("{NAME} {handle}: {}", error.message()), error.path())
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
fn find(line: &str, value: &JsonText<'_>, described: &Described<'_>, named: &mut Vec<Named>) {
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
                    named.push(Named {
                        place: place(line, value.span()),
                        handle,
                        pointer,
                        is_text: described.is_text(),
                    });
                }
                None => members.iter().for_each(|(key, value)| {
                    find(line, value, &described.property(&Quoted::new(key).text()), named);
                }),
            }
        }
        Kind::Array => {
            let items = value.items(0, usize::MAX).unwrap_or_default();
            let described = described.items();
            items.iter().for_each(|item| find(line, item, &described, named));
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
    let takes_results = |property: &Value| {
        let is_fixed = property.get("enum").is_some() || property.get("const").is_some();
        !is_fixed && Described::by(schema, [property]).types().any(|one| TYPES.contains(&one))
    };
    let Some(Value::Object(properties)) = schema.get("properties") else { return };
    let wanted: Vec<String> =
        properties.iter().filter(|(_, property)| takes_results(property)).map(|(name, _)| name.clone()).collect();
    let mut is_wider = false;
    for name in &wanted {
        let Some(property) = schema["properties"].get_mut(name) else { continue };
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

/// The sentence in the description of `read_result` about tools that take results.
pub(super) fn note(tools: &[String]) -> String {
    format!(" In arguments of {}, {{\"$result\":handle}} represents the stored result.", tools.join(", "))
}
