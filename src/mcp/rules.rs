//! What a JSON Schema demands of one value that is valid by it, read so that whoever keeps to it stays valid.
//!
//! Words that would have to be evaluated (`not`, `if`, `contains`, a choice between branches that cannot be
//! told apart) make a value rigid: it may be kept whole or not at all. Of a choice between branches that can,
//! the one that the value is of counts; of several that it may be of, all of them at once.

use serde_json::Value;

use crate::any_source::AnySource;
use crate::error::Error;
use crate::literal;
use crate::source::{Entry, Kind, Source};

use super::read::member;

/// How deep references and branches lead before one is taken for a circle.
const MOST_LEVELS: usize = 16;
/// Words that no part of a value can keep by itself.
const RIGID: [&str; 9] =
    ["not", "if", "dependentSchemas", "dependencies", "contains", "const", "enum", "$dynamicRef", "$recursiveRef"];
/// Words that a text could break by being shorter.
const TEXTUAL: [&str; 6] = ["pattern", "format", "minLength", "contentEncoding", "contentMediaType", "contentSchema"];

/// The schemas that hold for one value.
#[derive(Clone)]
pub(super) struct Rules<'s> {
    root: &'s Value,
    /// Each by its own words; references and branches are followed.
    schemas: Vec<&'s Value>,
    /// Nothing may be taken from the value.
    pub is_rigid: bool,
}

impl<'s> Rules<'s> {
    /// The rules of a schema for the whole value.
    pub fn of(schema: &'s Value, value: &AnySource<'_>) -> Result<Self, Error> {
        let mut rules = Self { root: schema, schemas: Vec::new(), is_rigid: false };
        rules.add(schema, value, 0)?;
        Ok(rules)
    }

    /// The rules for a part of the value that those schemas hold for.
    fn below(&self, schemas: Vec<&'s Value>, value: &AnySource<'_>) -> Result<Self, Error> {
        let mut rules = Self { root: self.root, schemas: Vec::new(), is_rigid: false };
        for schema in schemas {
            rules.add(schema, value, 0)?;
        }
        Ok(rules)
    }

    fn add(&mut self, schema: &'s Value, value: &AnySource<'_>, level: usize) -> Result<(), Error> {
        let Value::Object(words) = schema else { return Ok(()) };
        let is_circle = level == MOST_LEVELS;
        self.is_rigid |= is_circle || RIGID.iter().any(|word| words.contains_key(*word));
        if is_circle {
            return Ok(());
        }
        self.schemas.push(schema);
        if let Some(reference) = words.get("$ref").and_then(Value::as_str) {
            match reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer)) {
                Some(target) => self.add(target, value, level + 1)?,
                None => self.is_rigid = true,
            }
        }
        for branch in words.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            self.add(branch, value, level + 1)?;
        }
        for word in ["anyOf", "oneOf"] {
            let Some(branches) = words.get(word).and_then(Value::as_array) else { continue };
            let mut possible = Vec::new();
            for branch in branches {
                if self.may_hold(branch, value, 0)? {
                    possible.push(branch);
                }
            }
            // A part of the value could be of two branches at once, of which just one is allowed.
            self.is_rigid |= word == "oneOf" && possible.len() > 1;
            for branch in possible {
                self.add(branch, value, level + 1)?;
            }
        }
        Ok(())
    }

    /// Whether a value may be of a schema, by its kind, its keys and its constants.
    fn may_hold(&self, schema: &'s Value, value: &AnySource<'_>, level: usize) -> Result<bool, Error> {
        let Value::Object(words) = schema else { return Ok(schema != &Value::Bool(false)) };
        if level == MOST_LEVELS {
            return Ok(true);
        }
        let kind = value.kind();
        let is_of = |name: &str| name == kind.name() || (name == "integer" && kind == Kind::Number);
        let holds = match words.get("type") {
            Some(Value::String(name)) => is_of(name),
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).any(is_of),
            _ => true,
        };
        if !holds {
            return Ok(false);
        }
        let is_scalar = !matches!(kind, Kind::Array | Kind::Object);
        if is_scalar && (words.contains_key("const") || words.contains_key("enum")) {
            let json: Value = serde_json::from_str(&value.json()?).unwrap_or_default();
            let allowed = words.get("enum").and_then(Value::as_array).into_iter().flatten().chain(words.get("const"));
            return Ok(allowed.into_iter().any(|constant| *constant == json));
        }
        if let Some(target) = words.get("$ref").and_then(Value::as_str) {
            let target = target.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
            if !target.map_or(Ok(true), |target| self.may_hold(target, value, level + 1))? {
                return Ok(false);
            }
        }
        for branch in words.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            if !self.may_hold(branch, value, level + 1)? {
                return Ok(false);
            }
        }
        if kind != Kind::Object {
            return Ok(true);
        }
        let entries = value.entries()?;
        let required = words.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        let has_all = required.into_iter().all(|name| member(&entries, name).is_some());
        let properties = words.get("properties").and_then(Value::as_object);
        let is_closed = words.get("additionalProperties") == Some(&Value::Bool(false));
        let is_known = |(key, _): &Entry<AnySource<'_>>| {
            properties.is_some_and(|known| known.contains_key(&literal::unescape(&key[1..key.len() - 1])))
        };
        if !has_all || (is_closed && !words.contains_key("patternProperties") && !entries.iter().all(is_known)) {
            return Ok(false);
        }
        for (name, schema) in properties.into_iter().flatten() {
            let scalar = member(&entries, name).filter(|value| !matches!(value.kind(), Kind::Array | Kind::Object));
            if let Some(value) = scalar
                && !self.may_hold(schema, value, level + 1)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn word(&self, word: &str) -> impl Iterator<Item = &'s Value> {
        self.schemas.iter().filter_map(move |schema| schema.get(word))
    }

    fn least(&self, word: &str) -> usize {
        self.word(word).filter_map(Value::as_u64).max().unwrap_or(0) as usize
    }

    /// How many items an array has to have.
    pub fn min_items(&self) -> usize {
        self.least("minItems")
    }

    /// How many entries an object has to have.
    pub fn min_properties(&self) -> usize {
        self.least("minProperties")
    }

    /// Whether the items of an array are told apart by their places, so that only trailing ones may go.
    pub fn is_tuple(&self) -> bool {
        self.word("prefixItems").chain(self.word("items").filter(|items| items.is_array())).next().is_some()
    }

    /// Whether an object has to have the member of that name, or has it for the sake of another one.
    pub fn needs(&self, name: &str) -> bool {
        let is_named = |names: &Value| names.as_array().is_some_and(|names| names.iter().any(|other| other == name));
        let is_depended_on =
            |map: &Value| map.as_object().is_some_and(|map| map.contains_key(name) || map.values().any(is_named));
        self.word("required").any(is_named) || self.word("dependentRequired").any(is_depended_on)
    }

    /// Whether a text may be shown shortened.
    pub fn frees_text(&self) -> bool {
        !self.is_rigid && !TEXTUAL.iter().any(|word| self.word(word).next().is_some())
    }

    /// The rules for the member of that name.
    pub fn of_member(&self, name: &str, value: &AnySource<'_>) -> Result<Self, Error> {
        let mut schemas = Vec::new();
        for schema in &self.schemas {
            // Which patterns a name is of is not told, so it keeps to all of them.
            let patterns = schema.get("patternProperties").and_then(Value::as_object);
            schemas.extend(patterns.into_iter().flat_map(|patterns| patterns.values()));
            match schema.get("properties").and_then(|known| known.get(name)) {
                Some(known) => schemas.push(known),
                None => schemas.extend(schema.get("additionalProperties")),
            }
        }
        self.below(schemas, value)
    }

    /// The rules for the item at an index.
    pub fn of_item(&self, at: usize, value: &AnySource<'_>) -> Result<Self, Error> {
        let mut schemas = Vec::new();
        for schema in &self.schemas {
            let items = schema.get("items");
            let places = schema.get("prefixItems").or(items).and_then(Value::as_array);
            match places.map(|places| (places.get(at), places.len())) {
                Some((Some(place), _)) => schemas.push(place),
                Some(_) => schemas.extend(items.filter(|items| !items.is_array()).or(schema.get("additionalItems"))),
                None => schemas.extend(items),
            }
        }
        self.below(schemas, value)
    }
}
