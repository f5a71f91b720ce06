//! One row of a table of options: the name, what it takes, its default and its meaning.
//!
//! The checks, the builders, the JSON Schema, docs/options.md and the types of the TypeScript and Python packages come
//! from these rows, or are checked against them.

use serde_json::{Value, json};

/// An option.
#[derive(Clone, Copy, Debug)]
pub struct OptionSpec {
    /// The name in camelCase.
    pub name: &'static str,
    pub takes: Takes,
    /// The default as documents show it.
    pub default: &'static str,
    /// One sentence.
    pub about: &'static str,
}

/// Defines a table of options: of each the sentence, the name, what it takes, and its default. After a `+` follow rows of
/// other tables.
#[doc(hidden)]
#[macro_export]
macro_rules! option_table {
    (
        $(#[doc = $what:literal])+ $of:vis const $table:ident;
        $($(#[doc = $about:literal])+ $name:literal, $takes:expr, $default:literal;)+
        $(+ $($other:expr),+;)?
    ) => {
        $(#[doc = $what])+
        $of const $table: [$crate::host::OptionSpec; [$($name),+ $($(, $other.name)+)?].len()] = [
            $($crate::host::OptionSpec {
                name: $name, takes: $takes, default: $default, about: concat!($($about),+),
            }),+
            $($(, $other)+)?
        ];
    };
}

/// The values that an option takes.
#[derive(Clone, Copy, Debug)]
pub enum Takes {
    /// A whole number from the first to the second.
    Whole(u64, u64),
    /// A number from the first to the second.
    Number(f64, f64),
    /// A number greater than 0.
    Positive,
    /// A number greater than 0, at most 1.
    Share,
    /// Seconds: a number from 0.
    SecondsOrNone,
    /// True or false.
    Flag,
    /// A string that is not empty.
    Text,
    /// The name of a tool, as models' APIs take it.
    Name,
    /// A list of strings that are not empty.
    Texts,
    /// One of several words. The first member is the name of the type in TypeScript and Python.
    Choice(&'static str, &'static [&'static str]),
    /// The name of an encoding.
    Encoding,
    /// A list of fields, `auto`, or `all`.
    Fields,
    /// A secret, or a list of secrets.
    Secrets,
    /// Options of its own, or false. The first member is the name of the type in TypeScript and Python.
    Declaration(&'static str, &'static [OptionSpec]),
    /// Options for each tool by its name, or false.
    Tools,
    /// A JSON object of any content.
    Object,
    /// A JSON Schema, or true for one that is not known.
    OutputSchema,
    /// Something of the host's language, in the words of docs/options.md.
    Host(&'static str),
}

impl Takes {
    /// The limits of a whole number.
    pub(crate) fn range(&self) -> (u64, u64) {
        match self {
            Self::Whole(least, most) => (*least, *most),
            _ => (0, u64::MAX),
        }
    }

    /// The words of a choice.
    pub(crate) fn words(&self) -> &'static [&'static str] {
        match self {
            Self::Choice(_, words) => words,
            _ => &[],
        }
    }
}

impl OptionSpec {
    /// The sentence and the default, for a person who completes a file.
    pub fn summary(&self) -> String {
        format!("{} Default: {}.", self.about.trim(), self.default)
    }

    /// The JSON Schema of its values. An option of the host's language has none.
    pub fn schema(&self) -> Value {
        let text = json!({ "type": "string", "minLength": 1 });
        match self.takes {
            Takes::Whole(least, most) => json!({ "type": "integer", "minimum": least, "maximum": most }),
            Takes::Number(least, most) => json!({ "type": "number", "minimum": least, "maximum": most }),
            Takes::Positive => json!({ "type": "number", "exclusiveMinimum": 0 }),
            Takes::Share => json!({ "type": "number", "exclusiveMinimum": 0, "maximum": 1 }),
            Takes::SecondsOrNone => json!({ "type": "number", "minimum": 0 }),
            Takes::Flag => json!({ "type": "boolean" }),
            Takes::Text | Takes::Encoding => text,
            Takes::Name => json!({ "type": "string", "pattern": "^[a-zA-Z0-9_-]{1,64}$" }),
            Takes::Texts => json!({ "type": "array", "items": text }),
            Takes::Choice(_, words) => json!({ "enum": words }),
            Takes::Fields => json!({ "anyOf": [{ "enum": ["auto", "all"] }, { "type": "array", "items": text }] }),
            Takes::Secrets => {
                let secret = json!({ "type": "string", "minLength": 16 });
                json!({ "anyOf": [secret, { "type": "array", "items": secret, "minItems": 1 }] })
            }
            Takes::Declaration(_, options) => json!({ "anyOf": [{ "const": false }, object_schema(options)] }),
            Takes::Tools => {
                let each = json!({ "anyOf": [{ "const": false }, { "$ref": "#/$defs/tool" }] });
                json!({ "type": "object", "additionalProperties": each })
            }
            Takes::Object => json!({ "type": "object" }),
            Takes::OutputSchema => json!({ "type": ["object", "boolean"] }),
            Takes::Host(_) => json!({}),
        }
    }
}

/// The JSON Schema of an object that has these options and no others.
pub fn object_schema(options: &[OptionSpec]) -> Value {
    json!({ "type": "object", "properties": properties(options), "additionalProperties": false })
}

/// The schemas of options by their names, each with its description.
pub fn properties(options: &[OptionSpec]) -> serde_json::Map<String, Value> {
    let property = |option: &OptionSpec| {
        let mut schema = option.schema();
        schema["description"] = option.summary().into();
        (option.name.to_owned(), schema)
    };
    options.iter().map(property).collect()
}

/// The names of options.
pub const fn names<const N: usize>(options: &[OptionSpec; N]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut at = 0;
    while at < N {
        names[at] = options[at].name;
        at += 1;
    }
    names
}
