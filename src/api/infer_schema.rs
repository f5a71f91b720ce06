//! The JSON Schema (draft 2020-12) of a value, inferred in one pass and limited in size.
//!
//! The schema accepts the value that it was inferred from, and is as strict as types, `properties`, `required` and
//! `items` allow, with all items of an array merged. It is less strict only where a limit applies: an object with more
//! than 200 different keys is a map, described by the merged schema of its values (`additionalProperties`); if a schema
//! exceeds 2,000 properties, the objects with the most keys become maps; and a value nested deeper than 48 levels is
//! described only by its type.

use std::borrow::Cow;

use crate::base::error::Error;
use crate::base::json_string::{self, Quoted};
use crate::base::sorting::sort_by_key;
use crate::value::json_text::JsonText;
use crate::value::json_walk::{Walk, WalkStep};
use crate::value::source::Kind;

/// The dialect of the schemas.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";
/// An object with more different keys is a map.
const MOST_KEYS: usize = 200;
/// The most properties of a whole schema: with more it is not an overview of the value.
const MOST_PROPERTIES: usize = 2_000;
/// The levels of arrays and objects that are described. A schema nests twice as deep, which every reader accepts.
const MOST_LEVELS: usize = 48;

/// Infers the JSON Schema of a JSON text, as JSON text.
///
/// A number without fraction and exponent is an integer.
///
/// ```
/// let schema = toolshape::host::infer_schema(r#"[{"id":1,"name":"a"},{"id":2,"name":null}]"#)?;
/// assert_eq!(schema, concat!(
///     r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"array","items":{"type":"object","#,
///     r#""properties":{"id":{"type":"integer"},"name":{"type":["string","null"]}},"required":["id","name"]}}"#,
/// ));
/// # Ok::<(), toolshape::Error>(())
/// ```
///
/// # Errors
/// `INVALID_JSON` and `TOO_DEEP`, as [`JsonText::parse`].
pub fn infer_schema(json: &str) -> Result<String, Error> {
    Ok(of(&JsonText::parse(json)?))
}

/// The JSON Schema of a value, as JSON text.
pub(crate) fn of(value: &JsonText<'_>) -> String {
    let mut shapes = Shapes::default();
    let root = shapes.add();
    shapes.read(value.span(), root);
    let mut out = format!("{{\"$schema\":\"{DIALECT}\",");
    shapes.write(root, &mut out);
    out.push('}');
    out
}

/// The types of JSON Schema, in the order in which a schema lists them.
const TYPES: [&str; 7] = ["object", "array", "string", "number", "integer", "boolean", "null"];
const NUMBER: u8 = 1 << 3;
const INTEGER: u8 = 1 << 4;

fn type_of(kind: Kind, span: &str) -> u8 {
    match kind {
        Kind::Object => 1,
        Kind::Array => 1 << 1,
        Kind::String => 1 << 2,
        Kind::Number if span.contains(['.', 'e', 'E']) => NUMBER,
        Kind::Number => INTEGER,
        Kind::Bool => 1 << 5,
        Kind::Null => 1 << 6,
    }
}

/// The index of a shape; after a merge the index still leads to the merged shape.
type ShapeId = usize;

/// What the values at one place have in common.
#[derive(Default)]
struct Shape {
    types: u8,
    /// The number of objects at this place.
    objects: usize,
    /// In the order of their first appearance; empty once this is a map.
    properties: Vec<Property>,
    /// Their indices, sorted by key.
    sorted: Vec<usize>,
    /// The shape of a map's values.
    values: Option<ShapeId>,
    /// The shape of an array's items.
    items: Option<ShapeId>,
    merged_into: Option<ShapeId>,
}

impl Shape {
    /// The index of the property of a key; if there is none, its place among the sorted ones.
    fn property(&self, key: &str) -> Result<usize, usize> {
        let found = self.sorted.binary_search_by(|&at| self.properties[at].key.as_str().cmp(key));
        found.map(|place| self.sorted[place])
    }

    /// Adds a property at its place among the sorted ones.
    fn add(&mut self, place: usize, property: Property) {
        self.sorted.insert(place, self.properties.len());
        self.properties.push(property);
    }
}

struct Property {
    /// A string literal with its quotes, as `JSON.stringify` would write it.
    key: String,
    shape: ShapeId,
    /// The number of objects that have it.
    seen: usize,
    /// The number of the last object that has it, so that a duplicate key counts once.
    last: usize,
}

/// An open array or object.
struct OpenShape {
    /// `None` below the deepest described level.
    shape: Option<ShapeId>,
    is_object: bool,
    /// The object's number, and the index in its shape's properties where the search for the next key begins.
    number: usize,
    next: usize,
    /// The shape of the next value.
    child: Option<ShapeId>,
}

#[derive(Default)]
struct Shapes {
    all: Vec<Shape>,
    properties: usize,
    objects: usize,
}

impl Shapes {
    fn add(&mut self) -> ShapeId {
        self.all.push(Shape::default());
        self.all.len() - 1
    }

    /// The current index of a shape.
    fn find(&self, mut id: ShapeId) -> ShapeId {
        while let Some(next) = self.all[id].merged_into {
            id = next;
        }
        id
    }

    fn read(&mut self, text: &str, root: ShapeId) {
        let mut open: Vec<OpenShape> = Vec::new();
        for step in Walk::new(text) {
            let (kind, span) = match step {
                WalkStep::Close => {
                    open.pop();
                    continue;
                }
                WalkStep::Key(key) => {
                    if let Some(object) = open.last_mut() {
                        object.child = object.shape.map(|shape| self.value_at(shape, key, object));
                    }
                    continue;
                }
                WalkStep::Open(kind) => (kind, ""),
                WalkStep::Scalar(kind, span) => (kind, span),
            };
            let shape = match open.last() {
                None => Some(root),
                Some(OpenShape { is_object: true, child, .. }) => *child,
                Some(OpenShape { shape, .. }) => shape.map(|array| self.item_of(array)),
            };
            if let Some(shape) = shape {
                let shape = self.find(shape);
                self.all[shape].types |= type_of(kind, span);
            }
            if matches!(step, WalkStep::Open(_)) {
                let is_object = kind == Kind::Object;
                let shape = shape.filter(|_| open.len() < MOST_LEVELS).map(|shape| self.find(shape));
                if let (Some(shape), true) = (shape, is_object) {
                    self.all[shape].objects += 1;
                    self.objects += 1;
                }
                open.push(OpenShape { shape, is_object, number: self.objects, next: 0, child: None });
            }
        }
    }

    fn item_of(&mut self, array: ShapeId) -> ShapeId {
        let array = self.find(array);
        if let Some(items) = self.all[array].items {
            return items;
        }
        let items = self.add();
        self.all[array].items = Some(items);
        items
    }

    /// The shape of the value of a key.
    fn value_at(&mut self, shape: ShapeId, key: &str, object: &mut OpenShape) -> ShapeId {
        let shape = self.find(shape);
        if let Some(values) = self.all[shape].values {
            return values;
        }
        let key = normal(key);
        let known = &mut self.all[shape];
        // Similar objects have their keys in the same order, so the next key is mostly after the last one.
        let is_next = known.properties.get(object.next).is_some_and(|property| property.key == key);
        let found = if is_next { Ok(object.next) } else { known.property(&key) };
        let place = match found {
            Ok(at) => {
                object.next = at + 1;
                let property = &mut known.properties[at];
                property.seen += usize::from(property.last != object.number);
                property.last = object.number;
                return property.shape;
            }
            Err(place) => place,
        };
        let child = self.add();
        let known = &mut self.all[shape];
        object.next = known.properties.len() + 1;
        known.add(place, Property { key: key.into_owned(), shape: child, seen: 1, last: object.number });
        self.properties += 1;
        if self.all[shape].properties.len() > MOST_KEYS {
            self.make_map(shape);
        }
        if self.properties > MOST_PROPERTIES {
            self.shrink();
        }
        child
    }

    /// Turns the objects with the most keys into maps, until half as many properties are left.
    fn shrink(&mut self) {
        let mut widest: Vec<ShapeId> = (0..self.all.len()).filter(|&id| !self.all[id].properties.is_empty()).collect();
        sort_by_key(&mut widest, |&id| std::cmp::Reverse(self.all[id].properties.len()));
        for id in widest {
            if self.properties <= MOST_PROPERTIES / 2 {
                break;
            }
            self.make_map(id);
        }
    }

    /// Merges the shapes of all values of an object into one, for any key.
    fn make_map(&mut self, id: ShapeId) {
        let properties = std::mem::take(&mut self.all[id].properties);
        self.all[id].sorted.clear();
        self.properties -= properties.len();
        for Property { shape, .. } in properties {
            match self.all[id].values {
                Some(values) => self.merge(shape, values),
                None => self.all[id].values = Some(shape),
            }
        }
    }

    /// Merges one shape into another of the same level; the recursion is at most as deep as the described levels.
    fn merge(&mut self, from: ShapeId, into: ShapeId) {
        let (from, into) = (self.find(from), self.find(into));
        if from == into {
            return;
        }
        let Shape { types, objects, properties, values, items, .. } = std::mem::take(&mut self.all[from]);
        self.all[from].merged_into = Some(into);
        self.properties -= properties.len();
        self.all[into].types |= types;
        self.all[into].objects += objects;
        match (items, self.all[into].items) {
            (Some(from), Some(into)) => self.merge(from, into),
            (items, None) => self.all[into].items = items,
            (None, Some(_)) => {}
        }
        if let Some(values) = values {
            self.make_map(into);
            match self.all[into].values {
                Some(into) => self.merge(values, into),
                None => self.all[into].values = Some(values),
            }
        }
        for property in properties {
            if let Some(values) = self.all[into].values {
                self.merge(property.shape, values);
                continue;
            }
            match self.all[into].property(&property.key) {
                Ok(at) => {
                    let known = &mut self.all[into].properties[at];
                    known.seen += property.seen;
                    known.last = known.last.max(property.last);
                    let known = known.shape;
                    self.merge(property.shape, known);
                }
                Err(place) => {
                    self.all[into].add(place, property);
                    self.properties += 1;
                }
            }
            if self.all[into].properties.len() > MOST_KEYS {
                self.make_map(into);
            }
        }
    }

    /// Writes the members of a shape's schema.
    fn write(&self, id: ShapeId, out: &mut String) {
        let Shape { mut types, objects, ref properties, values, items, .. } = self.all[self.find(id)];
        if types & NUMBER != 0 {
            types &= !INTEGER;
        }
        let names: Vec<String> =
            (0..TYPES.len()).filter(|bit| types >> bit & 1 == 1).map(|bit| json_string::quoted(TYPES[bit])).collect();
        match &names[..] {
            [one] => *out += &format!("\"type\":{one}"),
            some => *out += &format!("\"type\":[{}]", some.join(",")),
        }
        let below = |id: ShapeId, out: &mut String| {
            out.push('{');
            self.write(id, out);
            out.push('}');
        };
        for (at, property) in properties.iter().enumerate() {
            *out += if at == 0 { ",\"properties\":{" } else { "," };
            *out += &property.key;
            out.push(':');
            below(property.shape, out);
        }
        if !properties.is_empty() {
            out.push('}');
        }
        let required: Vec<&str> = properties.iter().filter(|p| p.seen == objects).map(|p| p.key.as_str()).collect();
        if !required.is_empty() {
            *out += &format!(",\"required\":[{}]", required.join(","));
        }
        if let Some(values) = values {
            *out += ",\"additionalProperties\":";
            below(values, out);
        }
        if let Some(items) = items {
            *out += ",\"items\":";
            below(items, out);
        }
    }
}

/// A key's literal in the one spelling that equal keys share.
fn normal(key: &str) -> Cow<'_, str> {
    match key.contains('\\') {
        true => Cow::Owned(format!("\"{}\"", json_string::normalized(Quoted::new(key).literal()))),
        false => Cow::Borrowed(key),
    }
}
