//! What a JSON Schema requires of one value that is valid by it. A shrunk value that follows these rules stays valid.
//!
//! A keyword that would have to be evaluated (`not`, `if`, `contains`, a choice between branches that cannot be
//! distinguished) makes a value rigid: it is kept whole or not at all. If the branches of a choice can be
//! distinguished, the value's branch applies; if several branches are possible, all of them apply together.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::base::error::Error;
use crate::base::work::Work;
use crate::value::any_source::AnySource;
use crate::value::source::{Kind, Source};

use super::candidate::{Candidate, Exclusion};

/// The most references and branches that are followed before the schema counts as circular.
const MOST_LEVELS: usize = 16;
/// Keywords that cannot be checked on parts of a value.
const RIGID: [&str; 9] =
    ["not", "if", "dependentSchemas", "dependencies", "contains", "const", "enum", "$dynamicRef", "$recursiveRef"];
/// Keywords that a shortened text could violate.
const TEXTUAL: [&str; 6] = ["pattern", "format", "minLength", "contentEncoding", "contentMediaType", "contentSchema"];

/// The schemas that apply to one value.
#[derive(Clone)]
pub(super) struct Rules<'s> {
    root: &'s Value,
    work: &'s Work,
    /// Each counts by its own keywords; referenced schemas and branches are listed as well.
    schemas: Vec<&'s Value>,
    /// Nothing may be removed from the value.
    pub is_rigid: bool,
    /// Members that the value must have, also so that no other branch accepts it.
    needed: BTreeSet<Cow<'s, str>>,
}

/// The schemas that are being added, the outermost first, and those that were.
#[derive(Default)]
struct Adding {
    /// By their addresses.
    open: Vec<usize>,
    added: BTreeSet<usize>,
}

impl<'s> Rules<'s> {
    /// The rules of a schema for the whole value. Where reading them takes too much work, the value is rigid.
    pub fn of(schema: &'s Value, value: &AnySource<'_>, work: &'s Work) -> Result<Self, Error> {
        Self { root: schema, work, schemas: Vec::new(), is_rigid: false, needed: BTreeSet::new() }
            .with(vec![schema], value)
    }

    /// The rules for a part of the value, which these schemas apply to.
    fn below(&self, schemas: Vec<&'s Value>, value: &AnySource<'_>) -> Result<Self, Error> {
        let Self { root, work, .. } = *self;
        Self { root, work, schemas: Vec::new(), is_rigid: false, needed: BTreeSet::new() }.with(schemas, value)
    }

    fn with(mut self, schemas: Vec<&'s Value>, value: &AnySource<'_>) -> Result<Self, Error> {
        let (candidate, mut adding) = (Candidate::new(value)?, Adding::default());
        for schema in schemas {
            self.add(schema, &candidate, &mut adding)?;
        }
        self.is_rigid |= self.work.is_over();
        Ok(self)
    }

    fn add(&mut self, schema: &'s Value, value: &Candidate<'_>, adding: &mut Adding) -> Result<(), Error> {
        let Value::Object(words) = schema else {
            // What is not a schema, such as one that was too deep to be read, could say anything.
            self.is_rigid |= !schema.is_boolean();
            return Ok(());
        };
        let address = std::ptr::from_ref(schema).addr();
        let is_circle = adding.open.contains(&address) || adding.open.len() == MOST_LEVELS;
        self.is_rigid |= is_circle || RIGID.iter().any(|word| words.contains_key(*word));
        // References in a schema with its own `$id` do not start at the root.
        self.is_rigid |= words.contains_key("$id") && !std::ptr::eq(schema, self.root);
        if is_circle || !adding.added.insert(address) || self.work.step(0).is_break() {
            return Ok(());
        }
        self.schemas.push(schema);
        self.note_needed(words);
        adding.open.push(address);
        if let Some(reference) = words.get("$ref").and_then(Value::as_str) {
            match self.target(reference) {
                Some(target) => self.add(target, value, adding)?,
                None => self.is_rigid = true,
            }
        }
        for branch in words.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            self.add(branch, value, adding)?;
        }
        for word in ["anyOf", "oneOf"] {
            let Some(branches) = words.get(word).and_then(Value::as_array) else { continue };
            let mut possible = Vec::new();
            for branch in branches {
                match self.exclusion(branch, value, 0)? {
                    None => possible.push(branch),
                    // Without this member the value could match this branch too, but `oneOf` allows only one.
                    Some(Exclusion::ByMember(name)) if word == "oneOf" => drop(self.needed.insert(Cow::Owned(name))),
                    Some(_) => {}
                }
            }
            // With two possible branches a shrunk value could match both; with none we have misread the schema.
            self.is_rigid |= possible.is_empty() || (word == "oneOf" && possible.len() > 1);
            for branch in possible {
                self.add(branch, value, adding)?;
            }
        }
        adding.open.pop();
        Ok(())
    }

    /// Notes the members that a schema requires, for themselves or because of another member.
    fn note_needed(&mut self, words: &'s Map<String, Value>) {
        let depended = words.get("dependentRequired").and_then(Value::as_object);
        let lists = words.get("required").into_iter().chain(depended.into_iter().flat_map(Map::values));
        let names = lists.filter_map(Value::as_array).flatten().filter_map(Value::as_str);
        let names = names.chain(depended.into_iter().flat_map(Map::keys).map(String::as_str));
        self.needed.extend(names.map(Cow::Borrowed));
    }

    /// Why a schema does not accept a value, as far as the value's kind, keys and constants show.
    fn exclusion(&self, schema: &'s Value, value: &Candidate<'_>, level: usize) -> Result<Option<Exclusion>, Error> {
        let Value::Object(words) = schema else {
            return Ok((schema == &Value::Bool(false)).then_some(Exclusion::Firmly));
        };
        if level == MOST_LEVELS || self.work.step(0).is_break() {
            return Ok(None);
        }
        value.exclusion(schema, || self.excludes(words, value, level))
    }

    fn excludes(
        &self,
        words: &'s Map<String, Value>,
        value: &Candidate<'_>,
        level: usize,
    ) -> Result<Option<Exclusion>, Error> {
        let kind = value.kind();
        let is_of = |name: &str| name == kind.name() || (name == "integer" && kind == Kind::Number);
        let is_of_type = match words.get("type") {
            Some(Value::String(name)) => is_of(name),
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).any(is_of),
            _ => true,
        };
        if !is_of_type {
            return Ok(Some(Exclusion::Firmly));
        }
        let is_scalar = !matches!(kind, Kind::Array | Kind::Object);
        if is_scalar && (words.contains_key("const") || words.contains_key("enum")) {
            let json = value.scalar()?;
            let allowed = words.get("enum").and_then(Value::as_array).into_iter().flatten().chain(words.get("const"));
            let is_allowed = allowed.into_iter().any(|constant| is_equal(constant, json));
            return Ok((!is_allowed).then_some(Exclusion::Firmly));
        }
        let names = words.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        // Not collected, which would sort them first: see `base/sorting.rs`.
        let mut required: BTreeSet<&str> = BTreeSet::new();
        required.extend(names);
        if kind == Kind::Object && required.iter().any(|name| value.member(name).is_none()) {
            return Ok(Some(Exclusion::Firmly));
        }
        let referred = words.get("$ref").and_then(Value::as_str).and_then(|reference| self.target(reference));
        let all = words.get("allOf").and_then(Value::as_array).into_iter().flatten();
        for part in all.chain(referred) {
            if let Some(exclusion) = self.exclusion(part, value, level + 1)? {
                return Ok(Some(exclusion));
            }
        }
        if kind != Kind::Object {
            return Ok(None);
        }
        let by = |name: &str| match required.contains(&name) {
            true => Exclusion::Firmly,
            false => Exclusion::ByMember(name.to_owned()),
        };
        let properties = words.get("properties").and_then(Value::as_object);
        for (name, schema) in properties.into_iter().flatten() {
            let scalar = value.member(name).filter(|value| !matches!(value.kind(), Kind::Array | Kind::Object));
            if let Some(scalar) = scalar
                && self.exclusion(schema, &Candidate::new(scalar)?, level + 1)?.is_some()
            {
                return Ok(Some(by(name)));
            }
        }
        if words.get("additionalProperties") == Some(&Value::Bool(false)) && !words.contains_key("patternProperties") {
            let unknown = value.names().find(|name| !properties.is_some_and(|known| known.contains_key(*name)));
            return Ok(unknown.map(by));
        }
        Ok(None)
    }

    /// The schema that a reference names, within the root.
    fn target(&self, reference: &str) -> Option<&'s Value> {
        self.root.pointer(reference.strip_prefix('#')?)
    }

    fn word(&self, word: &str) -> impl Iterator<Item = &'s Value> {
        self.schemas.iter().filter_map(move |schema| schema.get(word))
    }

    fn least(&self, word: &str) -> usize {
        self.word(word).filter_map(Value::as_u64).max().unwrap_or(0) as usize
    }

    /// The minimum number of items of an array.
    pub fn min_items(&self) -> usize {
        self.least("minItems")
    }

    /// The minimum number of entries of an object.
    pub fn min_properties(&self) -> usize {
        self.least("minProperties")
    }

    /// Whether the schema of an item depends on its index, so that only trailing items may be removed.
    pub fn is_tuple(&self) -> bool {
        self.word("prefixItems").chain(self.word("items").filter(|items| items.is_array())).next().is_some()
    }

    /// Whether an object must have the member `name`, for itself or because of another member.
    pub fn needs(&self, name: &str) -> bool {
        self.needed.contains(name)
    }

    /// Whether the value, an object, may have a further member of this name with any value.
    pub fn allows(&self, name: &str) -> bool {
        let is_open = |schema: &Value| {
            let is_true = |word| schema.get(word).is_none_or(|rule| rule == &json!(true) || rule == &json!({}));
            let is_absent = |word| schema.get(word).is_none();
            is_true("additionalProperties")
                && is_true("unevaluatedProperties")
                && ["patternProperties", "propertyNames", "maxProperties"].into_iter().all(is_absent)
                && schema.get("properties").is_none_or(|known| known.get(name).is_none())
        };
        !self.is_rigid && self.schemas.iter().all(|schema| is_open(schema))
    }

    /// Whether a text may be shortened.
    pub fn frees_text(&self) -> bool {
        !self.is_rigid && !TEXTUAL.iter().any(|word| self.word(word).next().is_some())
    }

    /// The rules for the member `name`.
    pub fn of_member(&self, name: &str, value: &AnySource<'_>) -> Result<Self, Error> {
        let mut schemas = Vec::new();
        for schema in &self.schemas {
            // Patterns are not evaluated, so a member must follow all of them.
            let patterns = schema.get("patternProperties").and_then(Value::as_object);
            schemas.extend(patterns.into_iter().flat_map(|patterns| patterns.values()));
            match schema.get("properties").and_then(|known| known.get(name)) {
                Some(known) => schemas.push(known),
                None => schemas.extend(schema.get("additionalProperties")),
            }
            schemas.extend(schema.get("unevaluatedProperties"));
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
            schemas.extend(schema.get("unevaluatedItems"));
        }
        let mut rules = self.below(schemas, value)?;
        // Different items could become equal when they are shortened.
        rules.is_rigid |= self.word("uniqueItems").any(|word| word == &Value::Bool(true));
        Ok(rules)
    }
}

/// Whether two scalars are equal for JSON Schema, which compares numbers by value.
fn is_equal(one: &Value, other: &Value) -> bool {
    one == other || (one.is_number() && one.as_f64() == other.as_f64())
}
