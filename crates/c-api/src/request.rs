//! What a message asks: the members of its JSON, each read as what its method takes it for.

use std::borrow::Cow;

use serde_json::Value;
use toolshape::host::Naming;
use toolshape::{Call, Error, ErrorCode};
use toolshape_json::{Fault, check, next_member, skip_space, skip_string, skip_value};

/// The members of an object in a message, and the parts that they name.
pub struct Request<'a> {
    /// The text of each key, and the JSON of its value.
    members: Vec<(Cow<'a, str>, &'a str)>,
    parts: &'a [&'a [u8]],
}

impl<'a> Request<'a> {
    /// The request in the first of these parts.
    ///
    /// # Errors
    /// `INVALID_CALL` if that is no JSON object.
    pub fn read(parts: &'a [&'a [u8]]) -> Result<Self, Error> {
        let json = text_of(parts[0], 0, "")?;
        // The arguments of a tool nest as deeply as their caller likes.
        let value = match check(json, usize::MAX) {
            Ok(checked) => checked.value,
            Err(Fault::At(at, wanted)) => {
                return Err(wrong(format!("the first part is no JSON: at byte {at} it lacks {wanted}"), ""));
            }
            Err(Fault::TooDeep) => return Err(wrong("the first part nests too deeply", "")),
        };
        Self::of(&json[value], parts)
    }

    /// The request in checked JSON.
    fn of(json: &'a str, parts: &'a [&'a [u8]]) -> Result<Self, Error> {
        let bytes = json.as_bytes();
        if bytes[0] != b'{' {
            return Err(wrong("a request is an object", ""));
        }
        let mut members = Vec::new();
        let mut at = skip_space(bytes, 1);
        while bytes[at] != b'}' {
            let key_end = skip_string(bytes, at);
            let start = skip_space(bytes, skip_space(bytes, key_end) + 1);
            let end = skip_value(bytes, start);
            members.push((string(&json[at..key_end]), &json[start..end]));
            at = next_member(bytes, end);
        }
        Ok(Self { members, parts })
    }

    /// Refuses a member that the method does not take: else one that is misspelled would have no effect.
    ///
    /// # Errors
    /// `INVALID_CALL`.
    pub fn has_only(&self, takes: &[&str]) -> Result<(), Error> {
        let unknown = self.members.iter().find(|(name, _)| name != "method" && !takes.contains(&name.as_ref()));
        let Some((name, _)) = unknown else { return Ok(()) };
        let takes = if takes.is_empty() { "nothing".to_owned() } else { takes.join(", ") };
        Err(wrong(format!("the method has no member {name:?}; it takes {takes}"), name))
    }

    /// The JSON of a member; of several with one name the last. Null is as absent.
    fn json(&self, name: &str) -> Option<&'a str> {
        let found = self.members.iter().rev().find(|(known, _)| known == name);
        found.map(|(_, json)| *json).filter(|json| *json != "null")
    }

    /// What `read` makes of a member's JSON.
    fn optional<T>(&self, name: &str, form: &str, read: impl FnOnce(&'a str) -> Option<T>) -> Result<Option<T>, Error> {
        let Some(json) = self.json(name) else { return Ok(None) };
        read(json).map(Some).ok_or_else(|| wrong(format!("{name} is not {form}"), name))
    }

    /// A string, or nothing.
    ///
    /// # Errors
    /// `INVALID_CALL` for another type; so do all that follow, also for a member that has to be there.
    pub fn optional_string(&self, name: &str) -> Result<Option<Cow<'a, str>>, Error> {
        self.optional(name, "a string", |json| json.starts_with('"').then(|| string(json)))
    }

    pub fn string(&self, name: &str) -> Result<Cow<'a, str>, Error> {
        there(self.optional_string(name)?, name)
    }

    /// True or false, which is the default.
    pub fn flag(&self, name: &str) -> Result<bool, Error> {
        Ok(self.optional(name, "true or false", |json| json.parse().ok())?.unwrap_or_default())
    }

    /// A whole number, or nothing.
    pub fn optional_number(&self, name: &str) -> Result<Option<u64>, Error> {
        self.optional(name, "a whole number", |json| json.parse().ok())
    }

    pub fn number(&self, name: &str) -> Result<u64, Error> {
        there(self.optional_number(name)?, name)
    }

    /// Any JSON; `code` is that of the fault if it nests too deeply.
    pub fn value(&self, name: &str, code: ErrorCode) -> Result<Value, Error> {
        let read = |error| Error::new(code, format!("{name} cannot be read: {error}"), "");
        serde_json::from_str(self.json(name).unwrap_or("{}")).map_err(read)
    }

    /// The bytes of the part that a member names, or nothing.
    pub fn optional_bytes(&self, name: &str) -> Result<Option<&'a [u8]>, Error> {
        self.optional(name, "the number of a part", |json| self.part(json))
    }

    pub fn bytes(&self, name: &str) -> Result<&'a [u8], Error> {
        there(self.optional_bytes(name)?, name)
    }

    /// The text in the part that a member names, or nothing.
    pub fn optional_text(&self, name: &str) -> Result<Option<&'a str>, Error> {
        let number = self.optional_number(name).ok().flatten().unwrap_or_default();
        self.optional_bytes(name)?.map(|bytes| text_of(bytes, number, name)).transpose()
    }

    pub fn text(&self, name: &str) -> Result<&'a str, Error> {
        there(self.optional_text(name)?, name)
    }

    /// The texts in the parts that a list names.
    pub fn texts(&self, name: &str) -> Result<Vec<String>, Error> {
        let listed = |json| {
            let parts = items(json)?.into_iter().map(|item| Some(str::from_utf8(self.part(item)?).ok()?.to_owned()));
            parts.collect::<Option<Vec<_>>>()
        };
        there(self.optional(name, "a list of parts with texts in UTF-8", listed)?, name)
    }

    /// The objects in a list.
    pub fn list(&self, name: &str) -> Result<Vec<Request<'a>>, Error> {
        let objects = |json| items(json)?.into_iter().map(|item| Request::of(item, self.parts).ok()).collect();
        there(self.optional(name, "a list of objects", objects)?, name)
    }

    /// The call, at the time that the request has.
    ///
    /// # Errors
    /// As [`Call::new`].
    pub fn call(&self) -> Result<Call, Error> {
        self.call_at(self.optional_number("now")?)
    }

    /// The call at a time, in seconds since 1970.
    pub fn call_at(&self, now: Option<u64>) -> Result<Call, Error> {
        let call = Call::from_json(self.json("call").unwrap_or("{}"), Naming::Camel)?;
        Ok(match now {
            Some(now) => call.at(now),
            None => call,
        })
    }

    fn part(&self, number: &str) -> Option<&'a [u8]> {
        let number: usize = number.parse().ok()?;
        // The first is the request itself.
        self.parts.get(number).copied().filter(|_| number > 0)
    }
}

/// The JSON of each item of a checked array.
fn items(json: &str) -> Option<Vec<&str>> {
    let bytes = json.as_bytes();
    let mut items = Vec::new();
    let mut at = skip_space(bytes, 1);
    while bytes[0] == b'[' && bytes[at] != b']' {
        let end = skip_value(bytes, at);
        items.push(&json[at..end]);
        at = next_member(bytes, end);
    }
    (bytes[0] == b'[').then_some(items)
}

/// The text of a checked string literal.
fn string(literal: &str) -> Cow<'_, str> {
    match literal.contains('\\') {
        false => Cow::Borrowed(&literal[1..literal.len() - 1]),
        true => Cow::Owned(serde_json::from_str(literal).unwrap_or_default()),
    }
}

fn text_of<'a>(bytes: &'a [u8], number: u64, path: &str) -> Result<&'a str, Error> {
    let no_text = |error| wrong(format!("part {number} is not UTF-8: {error}"), path);
    str::from_utf8(bytes).map_err(no_text)
}

fn there<T>(found: Option<T>, name: &str) -> Result<T, Error> {
    found.ok_or_else(|| wrong(format!("{name} is missing"), name))
}

fn wrong(message: impl Into<String>, name: &str) -> Error {
    let path = if name.is_empty() { String::new() } else { format!("/{}", toolshape::host::escape_token(name)) };
    Error::new(ErrorCode::InvalidCall, message, path)
}
