//! Reading options that people wrote: every error names the option and the values that it accepts.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::base::error::{Error, ErrorCode};
use crate::base::field_path::FieldPath;
use crate::base::numbers::{MAX_INTEGER, spell};
use crate::base::text_cuts;
use crate::request::call::OF_CALL;
use crate::request::choice::Choice;
use crate::request::host_options::{OF_ADAPTER, OF_ARCHIVE};
use crate::request::option_spec::OptionSpec;
use crate::request::policy::{OF_ALL_TOOLS, OF_TOOL};

/// The maximum depth of a path in an option.
const MAX_STEPS: usize = 8;

/// How the caller's language spells names: `maxTokens` or `max_tokens`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Naming {
    #[default]
    Camel,
    Snake,
}

impl Naming {
    /// A camelCase name as the caller's language spells it.
    pub fn spell(self, name: &str) -> Cow<'_, str> {
        match self {
            Self::Snake if name.contains(|c: char| c.is_ascii_uppercase()) => {
                Cow::Owned(name.chars().fold(String::new(), |mut out, c| {
                    if c.is_ascii_uppercase() {
                        out.push('_');
                    }
                    out.push(c.to_ascii_lowercase());
                    out
                }))
            }
            _ => Cow::Borrowed(name),
        }
    }

    /// A text of ours with the words of JSON as the caller's language has them.
    pub(crate) fn words(self, text: &str) -> String {
        let spelled = |word| match (self, word) {
            (Self::Snake, "true") => "True",
            (Self::Snake, "false") => "False",
            (Self::Snake, "null") => "None",
            _ => word,
        };
        let words: Vec<&str> = text.split(' ').map(spelled).collect();
        words.join(" ")
    }
}

/// A reader of one object of options.
pub struct Reader<'a> {
    map: &'a Map<String, Value>,
    code: ErrorCode,
    /// JSON Pointer to the object, for errors.
    path: String,
    naming: Naming,
}

impl<'a> Reader<'a> {
    /// Reads `value`, which must be an object that has only keys of `names` (in camelCase).
    pub fn new(value: &'a Value, names: &[&str], code: ErrorCode, path: String, naming: Naming) -> Result<Self, Error> {
        let Value::Object(map) = value else {
            let what = if path.is_empty() { "the options are" } else { "it is" };
            return Err(Error::new(code, format!("{what} {}; an object is required", describe(value)), path));
        };
        let reader = Self { map, code, path, naming };
        for key in map.keys() {
            if names.iter().any(|name| naming.spell(name) == *key) {
                continue;
            }
            let known: Vec<_> = names.iter().map(|name| naming.spell(name)).collect();
            // A key may be as long as whoever wrote it likes.
            let key = &*text_cuts::clipped(key, text_cuts::SHOWN_CHARS);
            let close = known.iter().map(|name| (strsim::osa_distance(name, key), name));
            // Of a short name nothing is left after three changes.
            let most = 3.min(key.chars().count() / 2);
            let hint = match close.min() {
                Some((distance, name)) if distance <= most => format!("; did you mean {name}?"),
                _ => format!("; the options are {}", known.join(", ")),
            };
            let place =
                place_of(key, naming).map_or_else(String::new, |place| format!(", which is an option of {place}"));
            return Err(reader.error_at(key, format!("unknown option {key}{place}{hint}")));
        }
        Ok(reader)
    }

    /// Reads an object whose keys are known to be options.
    pub fn over(map: &'a Map<String, Value>, code: ErrorCode, naming: Naming) -> Self {
        Self { map, code, path: String::new(), naming }
    }

    /// The value of an option; an option that is null counts as absent.
    pub fn get(&self, name: &str) -> Option<&'a Value> {
        // For so few keys comparing is faster than hashing.
        let spelled = self.naming.spell(name);
        self.map.iter().find(|(key, _)| **key == *spelled).map(|(_, value)| value).filter(|value| !value.is_null())
    }

    /// A whole number from `min` to `max`.
    pub fn integer(&self, name: &str, min: u64, max: u64) -> Result<Option<u64>, Error> {
        let Some(value) = self.get(name) else { return Ok(None) };
        match whole(value) {
            Some(number) if (min..=max).contains(&number) => Ok(Some(number)),
            _ => Err(self.error(name, value, &format!("a whole number from {min} to {max}"))),
        }
    }

    /// A number from `min` to `max`.
    pub fn number(&self, name: &str, min: f64, max: f64) -> Result<Option<f64>, Error> {
        let Some(value) = self.get(name) else { return Ok(None) };
        match value.as_f64() {
            Some(number) if (min..=max).contains(&number) => Ok(Some(number)),
            _ => Err(self.error(name, value, &format!("a number from {} to {}", spell(min), spell(max)))),
        }
    }

    /// True or false.
    pub fn flag(&self, name: &str) -> Result<Option<bool>, Error> {
        let Some(value) = self.get(name) else { return Ok(None) };
        value.as_bool().map(Some).ok_or_else(|| self.error(name, value, "true or false"))
    }

    /// A text that is not empty.
    pub fn text(&self, name: &str) -> Result<Option<&'a str>, Error> {
        let Some(value) = self.get(name) else { return Ok(None) };
        match value.as_str() {
            Some(text) if !text.is_empty() => Ok(Some(text)),
            _ => Err(self.error(name, value, "a string that is not empty")),
        }
    }

    /// A field: names joined by dots, or a JSON Pointer.
    pub fn path(&self, name: &str) -> Result<Option<FieldPath>, Error> {
        let Some(path) = self.text(name)?.map(FieldPath::parse) else { return Ok(None) };
        if path.segments().len() > MAX_STEPS {
            let message = format!("{name} has {} steps; it takes at most {MAX_STEPS}", path.segments().len());
            return Err(self.error_at(name, message));
        }
        Ok(Some(path))
    }

    /// The options in a nested object; `names` are the options that it may have.
    pub fn group(&self, name: &str, names: &[&str]) -> Result<Option<Reader<'a>>, Error> {
        let Some(value) = self.get(name) else { return Ok(None) };
        if !value.is_object() {
            return Err(self.error(name, value, "an object of options"));
        }
        let path = format!("{}/{}", self.path, self.spell(name));
        Reader::new(value, names, self.code, path, self.naming).map(Some)
    }

    /// The value of one of several words.
    pub fn choice<T: Copy>(&self, name: &str, choices: &[(&str, T)]) -> Result<Option<T>, Error> {
        self.one_of(name, choices.iter().copied())
    }

    /// The value of one of these words of a choice.
    pub(crate) fn choice_of<T: Choice>(&self, name: &str, words: &[&str]) -> Result<Option<T>, Error> {
        self.one_of(name, T::ALL.iter().copied().filter(|(word, _)| words.contains(word)))
    }

    fn one_of<'w, T>(
        &self,
        name: &str,
        choices: impl Iterator<Item = (&'w str, T)> + Clone,
    ) -> Result<Option<T>, Error> {
        let Some(value) = self.get(name) else { return Ok(None) };
        match choices.clone().find(|(word, _)| value.as_str() == Some(word)) {
            Some((_, choice)) => Ok(Some(choice)),
            None => {
                let words: Vec<String> = choices.map(|(word, _)| format!("{word:?}")).collect();
                Err(self.error(name, value, &words.join(" or ")))
            }
        }
    }

    /// A list of strings that are not empty.
    pub fn texts(&self, name: &str) -> Result<Option<Vec<&'a str>>, Error> {
        self.texts_or(name, "a list of strings that are not empty")
    }

    /// The same of an option that also takes other values, as `takes` says.
    pub fn texts_or(&self, name: &str, takes: &str) -> Result<Option<Vec<&'a str>>, Error> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let list = value.as_array().ok_or_else(|| self.error(name, value, takes))?;
        let text = |item: &'a Value| match item.as_str() {
            Some(text) if !text.is_empty() => Ok(text),
            _ => Err(self.wrong(name, "has the item", item, takes)),
        };
        list.iter().map(text).collect::<Result<_, _>>().map(Some)
    }

    /// The error for an option with a wrong value.
    pub fn error(&self, name: &str, value: &Value, takes: &str) -> Error {
        self.wrong(name, "is", value, takes)
    }

    fn wrong(&self, name: &str, has: &str, value: &Value, takes: &str) -> Error {
        let name = self.naming.spell(name);
        let given = match value {
            Value::Null | Value::Bool(_) => self.naming.words(&value.to_string()),
            other => describe(other),
        };
        let message = format!("{name} {has} {given}; it takes {}", self.naming.words(takes));
        self.error_at(&name, message)
    }

    /// An error about an option, with its own text.
    pub fn error_at(&self, name: &str, message: String) -> Error {
        let path = format!("{}/{}", self.path, crate::base::json_pointer::escape(name));
        let message = if self.path.is_empty() { message } else { format!("{message} (at {path})") };
        Error::new(self.code, message, path)
    }

    /// The name in the caller's spelling.
    pub fn spell<'n>(&self, name: &'n str) -> Cow<'n, str> {
        self.naming.spell(name)
    }
}

/// The whole number of a value, in any spelling (`2.0` is 2).
fn whole(value: &Value) -> Option<u64> {
    // One more than is exact, so that it is out of range and not of another type.
    const LARGEST: f64 = (MAX_INTEGER + 1) as f64;
    value
        .as_u64()
        .or_else(|| value.as_f64().filter(|f| f.fract() == 0.0 && (0.0..=LARGEST).contains(f)).map(|f| f as u64))
}

/// A value as an error message shows it: its start, and its type if that helps.
fn describe(value: &Value) -> String {
    match value {
        Value::Object(_) => "an object".to_owned(),
        Value::Array(list) => format!("a list of {}", list.len()),
        Value::String(text) if text.chars().count() > 40 => {
            format!("{:?}… ({} characters)", text.chars().take(40).collect::<String>(), text.chars().count())
        }
        Value::String(text) => format!("{text:?}"),
        other => other.to_string(),
    }
}

/// The object that has an option of this name; `None` if none has.
fn place_of(option: &str, naming: Naming) -> Option<&'static str> {
    let tables: [(&[OptionSpec], &str); 5] = [
        (&OF_TOOL, "the policy"),
        (&OF_ALL_TOOLS, "the policy"),
        (&OF_ADAPTER, "an adapter"),
        (&OF_ARCHIVE, "an adapter or an archive"),
        (&OF_CALL, "a call"),
    ];
    let has = |table: &[OptionSpec]| table.iter().any(|spec| naming.spell(spec.name) == option);
    tables.into_iter().find(|(table, _)| has(table)).map(|(_, place)| place)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_of_json_are_those_of_the_callers_language() {
        let options = json!({ "flag": 1, "size": true, "text": null, "texts": ["id", ""] });
        for (naming, words) in [
            (
                Naming::Camel,
                [
                    "flag is 1; it takes true or false",
                    "size is true; it takes",
                    "text is null; it takes a",
                    "texts has the item \"\"; it takes a list of strings",
                ],
            ),
            (
                Naming::Snake,
                [
                    "flag is 1; it takes True or False",
                    "size is True; it takes",
                    "text is None; it takes a",
                    "texts has the item \"\"; it takes a list of strings",
                ],
            ),
        ] {
            let names = ["flag", "size", "text", "texts"];
            let reader = Reader::new(&options, &names, ErrorCode::InvalidCall, String::new(), naming).unwrap();
            let errors = [
                reader.flag("flag").unwrap_err(),
                reader.number("size", 0.0, 1.0).unwrap_err(),
                reader.error("text", &options["text"], "a text, or null for none"),
                reader.texts("texts").unwrap_err(),
            ];
            for (error, words) in errors.iter().zip(words) {
                assert!(error.message().starts_with(words), "{}", error.message());
            }
        }
    }

    #[test]
    fn an_unknown_option_is_refused_with_its_place_and_what_is_allowed() {
        for (option, naming, message) in [
            ("store", Naming::Camel, "unknown option store, which is an option of an adapter; the options are size"),
            (
                "ttlSeconds",
                Naming::Camel,
                "unknown option ttlSeconds, which is an option of an adapter or an archive; the",
            ),
            (
                "max_tokens",
                Naming::Snake,
                "unknown option max_tokens, which is an option of the policy; the options are size",
            ),
            ("page", Naming::Camel, "unknown option page, which is an option of a call; the options are size"),
            ("sice", Naming::Camel, "unknown option sice; did you mean size?"),
            ("colour", Naming::Camel, "unknown option colour; the options are size"),
        ] {
            let options = json!({ option: 1 });
            let refused =
                Reader::new(&options, &["size"], ErrorCode::InvalidCall, String::new(), naming).err().unwrap();
            assert!(refused.message().starts_with(message), "{}", refused.message());
            assert_eq!(refused.path(), format!("/{option}"));
        }
    }
}
