//! Generated JSON Schemas in two drafts, each with a large value that it allows.

use jsonschema::Draft;
use serde_json::{Map, Value, json};

pub struct Generated {
    pub schema: Value,
    pub value: Value,
    pub draft: Draft,
}

/// A schema with an object as tools return it: mostly lists of rows and a few other members.
pub fn large(seed: u64, depth: usize) -> Generated {
    let mut chance = Chance(seed | 1);
    let is_old = chance.one_in(3);
    let mut maker = Maker { chance, is_old, definitions: Map::new(), named: 0 };
    let mut members = maker.members(depth);
    members.push((maker.name(), maker.list(depth, 60), true));
    let shape = Shape::Object { members, is_closed: maker.chance.one_in(2), extra: Extra::None };
    let mut schema = maker.schema(&shape);
    let value = maker.value(&shape);
    schema["type"] = json!("object");
    if !maker.definitions.is_empty() {
        schema[maker.definitions_word()] = Value::Object(std::mem::take(&mut maker.definitions));
    }
    let draft = if is_old { Draft::Draft7 } else { Draft::Draft202012 };
    Generated { schema, value, draft }
}

/// Numbers that follow from a seed (xorshift64*, S. Vigna, 2014).
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % limit.max(1)
    }

    fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}

/// The shape of values, from which a schema and matching values are generated.
enum Shape {
    Words,
    Bound(&'static str),
    Choice(Vec<Value>),
    Constant(Value),
    Count,
    Number,
    Truth,
    Nothing,
    List {
        item: Box<Shape>,
        least: usize,
        most: usize,
        words: Vec<(&'static str, Value)>,
    },
    Tuple {
        first: Vec<Shape>,
        rest: Option<Box<Shape>>,
    },
    Object {
        members: Vec<(String, Shape, bool)>,
        is_closed: bool,
        extra: Extra,
    },
    /// One of several, distinguishable or not.
    Union {
        word: &'static str,
        branches: Vec<Shape>,
    },
    /// Of both; the members of the second are not those of the first.
    Both(Box<Shape>, Box<Shape>),
    Referred(String, Box<Shape>),
}

/// What an object has besides its members.
enum Extra {
    None,
    Patterns(Box<Shape>),
    Others(Box<Shape>),
    Unevaluated,
    LeastMembers(usize),
    Dependent,
    Condition,
}

struct Maker {
    chance: Chance,
    is_old: bool,
    definitions: Map<String, Value>,
    /// Members that have a name; no two have the same.
    named: usize,
}

const NAMES: [&str; 12] =
    ["id", "name", "tags", "owner", "note", "a/b", "größe", "quo\"te", "kind", "__proto__", "items", "body"];
const WORDS: [&str; 8] = ["deploy", "the", "gateway", "größer", "token", "日本語", "of", "ready"];

impl Maker {
    fn definitions_word(&self) -> &'static str {
        if self.is_old { "definitions" } else { "$defs" }
    }

    fn name(&mut self) -> String {
        let name = NAMES[self.chance.below(NAMES.len())];
        self.named += 1;
        format!("{name}{}", self.named)
    }

    fn members(&mut self, depth: usize) -> Vec<(String, Shape, bool)> {
        (0..self.chance.below(6)).map(|_| (self.name(), self.shape(depth), self.chance.one_in(2))).collect()
    }

    fn shape(&mut self, depth: usize) -> Shape {
        let scalars = 10;
        match self.chance.below(if depth == 0 { scalars } else { 22 }) {
            0..=3 => Shape::Words,
            4 => Shape::Bound(["pattern", "format", "minLength", "maxLength"][self.chance.below(4)]),
            5 => Shape::Choice(vec![json!("open"), json!("closed"), json!(1), json!(null)]),
            6 => Shape::Constant([json!("v1"), json!(1), json!(true)][self.chance.below(3)].clone()),
            7 => Shape::Count,
            8 => Shape::Number,
            9 => [Shape::Truth, Shape::Nothing].into_iter().nth(self.chance.below(2)).unwrap(),
            10..=12 => self.list(depth - 1, 25),
            13 => {
                let first = (0..1 + self.chance.below(4)).map(|_| self.shape(depth - 1)).collect();
                let rest = self.chance.one_in(2).then(|| Box::new(self.shape(depth - 1)));
                Shape::Tuple { first, rest }
            }
            14 | 15 => self.union(depth - 1),
            16 => Shape::Both(Box::new(self.object(depth - 1, "l")), Box::new(self.object(depth - 1, "r"))),
            17 => {
                let (name, shape) = (format!("def {}", self.definitions.len()), self.object(depth - 1, ""));
                let schema = self.schema(&shape);
                self.definitions.insert(name.clone(), schema);
                Shape::Referred(name, Box::new(shape))
            }
            _ => self.object(depth - 1, ""),
        }
    }

    /// An object whose members' names begin with `prefix`.
    fn object(&mut self, depth: usize, prefix: &str) -> Shape {
        let mut members = self.members(depth);
        members.iter_mut().for_each(|(name, ..)| *name = format!("{prefix}{name}"));
        let extra = match self.chance.below(10) {
            0 => Extra::Patterns(Box::new(self.shape(depth))),
            1 => Extra::Others(Box::new(self.shape(depth))),
            2 if !self.is_old => Extra::Unevaluated,
            3 => Extra::LeastMembers(self.chance.below(members.len() + 1)),
            4 if !self.is_old => Extra::Dependent,
            5 => Extra::Condition,
            _ => Extra::None,
        };
        let is_closed = prefix.is_empty() && matches!(extra, Extra::None) && self.chance.one_in(2);
        Shape::Object { members, is_closed, extra }
    }

    fn list(&mut self, depth: usize, most: usize) -> Shape {
        let item = Box::new(if self.chance.one_in(3) { self.shape(depth) } else { self.object(depth, "") });
        let least = if self.chance.one_in(2) { 0 } else { self.chance.below(8) };
        let mut words = Vec::new();
        if self.chance.one_in(5) {
            words.push(("uniqueItems", json!(true)));
        }
        if self.chance.one_in(12) {
            words.push(("contains", json!(true)));
        }
        if self.chance.one_in(6) {
            words.push(("maxItems", json!(least + most * 4)));
        }
        Shape::List { item, least, most, words }
    }

    fn union(&mut self, depth: usize) -> Shape {
        let word = if self.chance.one_in(2) { "oneOf" } else { "anyOf" };
        let count = 2 + self.chance.below(2);
        let branches = match self.chance.below(3) {
            // Distinguished by a constant, which may be missing.
            0 => {
                let is_needed = self.chance.one_in(2);
                let branch = |maker: &mut Self, at: usize| {
                    let mut members = maker.members(depth);
                    members.push(("kind".to_owned(), Shape::Constant(json!(format!("kind{at}"))), is_needed));
                    Shape::Object { members, is_closed: maker.chance.one_in(2), extra: Extra::None }
                };
                (0..count).map(|at| branch(self, at)).collect()
            }
            // Distinguished by their keys.
            1 => (0..count)
                .map(|at| Shape::Object {
                    members: vec![
                        ("shared".to_owned(), Shape::Words, false),
                        (format!("only{at}"), self.shape(depth), at > 0),
                    ],
                    is_closed: true,
                    extra: Extra::None,
                })
                .collect(),
            _ => vec![Shape::Nothing, self.object(depth, ""), Shape::Words],
        };
        Shape::Union { word, branches }
    }

    fn schema(&mut self, shape: &Shape) -> Value {
        match shape {
            Shape::Words => json!({ "type": "string" }),
            Shape::Bound("pattern") => json!({ "type": "string", "pattern": "^([a-z]+ )*end$" }),
            Shape::Bound("format") => json!({ "type": "string", "format": "uri" }),
            Shape::Bound("minLength") => json!({ "type": "string", "minLength": 30 }),
            Shape::Bound(_) => json!({ "type": "string", "maxLength": 4000 }),
            Shape::Choice(values) => json!({ "enum": values }),
            Shape::Constant(value) => json!({ "const": value }),
            Shape::Count => json!({ "type": "integer", "minimum": 0 }),
            Shape::Number => json!({ "type": "number" }),
            Shape::Truth => json!({ "type": "boolean" }),
            Shape::Nothing => json!({ "type": "null" }),
            Shape::List { item, least, words, .. } => {
                let mut schema = json!({ "type": "array", "items": self.schema(item), "minItems": least });
                for (word, value) in words {
                    schema[*word] = value.clone();
                }
                schema
            }
            Shape::Tuple { first, rest } => {
                let first: Vec<Value> = first.iter().map(|shape| self.schema(shape)).collect();
                let rest = rest.as_ref().map_or(json!(false), |shape| self.schema(shape));
                let least = first.len() / 2;
                match self.is_old {
                    true => json!({ "type": "array", "items": first, "additionalItems": rest, "minItems": least }),
                    false => json!({ "type": "array", "prefixItems": first, "items": rest, "minItems": least }),
                }
            }
            Shape::Object { members, is_closed, extra } => self.object_schema(members, *is_closed, extra),
            Shape::Union { word, branches } => {
                let branches: Vec<Value> = branches.iter().map(|shape| self.schema(shape)).collect();
                json!({ *word: branches })
            }
            Shape::Both(one, other) => json!({ "allOf": [self.schema(one), self.schema(other)] }),
            Shape::Referred(name, _) => {
                json!({ "$ref": format!("#/{}/{name}", self.definitions_word()).replace(' ', "%20") })
            }
        }
    }

    fn object_schema(&mut self, members: &[(String, Shape, bool)], is_closed: bool, extra: &Extra) -> Value {
        let mut properties = Map::new();
        for (name, shape, _) in members {
            properties.insert(name.clone(), self.schema(shape));
        }
        let required: Vec<&String> = members.iter().filter(|member| member.2).map(|member| &member.0).collect();
        let mut schema = json!({ "type": "object", "properties": properties, "required": required });
        if is_closed {
            schema["additionalProperties"] = json!(false);
        }
        let name = members.first().map_or("none", |member| &member.0);
        match extra {
            Extra::None => {}
            Extra::Patterns(shape) => schema["patternProperties"] = json!({ "^x-": self.schema(shape) }),
            Extra::Others(shape) => schema["additionalProperties"] = self.schema(shape),
            Extra::Unevaluated => schema["unevaluatedProperties"] = json!(false),
            Extra::LeastMembers(least) => schema["minProperties"] = json!(least),
            Extra::Dependent => {
                schema["dependentRequired"] = json!({ name: members.iter().map(|m| &m.0).collect::<Vec<_>>() })
            }
            Extra::Condition => {
                schema["if"] = json!({ "required": [name] });
                schema["then"] = json!({ "minProperties": members.len() });
            }
        }
        schema
    }

    fn value(&mut self, shape: &Shape) -> Value {
        match shape {
            Shape::Words | Shape::Bound("maxLength") => {
                let most = if self.chance.one_in(6) { 300 } else { 8 };
                json!(self.words(most))
            }
            Shape::Bound("pattern") => json!("words and ".repeat(self.chance.below(60)) + "end"),
            Shape::Bound("format") => json!(format!("https://example.com/{}", self.chance.below(1 << 20))),
            Shape::Bound(_) => json!(self.words(20) + &"-".repeat(30)),
            Shape::Choice(values) => values[self.chance.below(values.len())].clone(),
            Shape::Constant(value) => value.clone(),
            Shape::Count => json!(self.chance.below(1 << 30)),
            Shape::Number => json!(self.chance.below(1 << 30) as f64 / 7.0),
            Shape::Truth => json!(self.chance.one_in(2)),
            Shape::Nothing => Value::Null,
            Shape::List { item, least, most, .. } => {
                let count = least + self.chance.below(*most);
                Value::Array((0..count).map(|_| self.value(item)).collect())
            }
            Shape::Tuple { first, rest } => {
                let mut items: Vec<Value> = first.iter().map(|shape| self.value(shape)).collect();
                if let Some(rest) = rest {
                    items.extend((0..self.chance.below(30)).map(|_| self.value(rest)));
                }
                Value::Array(items)
            }
            Shape::Object { members, extra, .. } => {
                let mut value = Map::new();
                let is_full = matches!(extra, Extra::Dependent | Extra::Condition | Extra::LeastMembers(_));
                for (name, shape, is_needed) in members {
                    if *is_needed || is_full || !self.chance.one_in(4) {
                        value.insert(name.clone(), self.value(shape));
                    }
                }
                if let Extra::Patterns(shape) | Extra::Others(shape) = extra {
                    for at in 0..self.chance.below(12) {
                        value.insert(format!("x-{at}"), self.value(shape));
                    }
                }
                Value::Object(value)
            }
            Shape::Union { branches, .. } => {
                let at = self.chance.below(branches.len());
                self.value(&branches[at])
            }
            Shape::Both(one, other) => {
                let mut value = self.value(one);
                if let (Value::Object(value), Value::Object(more)) = (&mut value, self.value(other)) {
                    value.extend(more);
                }
                value
            }
            Shape::Referred(_, shape) => self.value(shape),
        }
    }

    fn words(&mut self, most: usize) -> String {
        let words: Vec<&str> =
            (0..1 + self.chance.below(most)).map(|_| WORDS[self.chance.below(WORDS.len())]).collect();
        words.join(" ")
    }
}
