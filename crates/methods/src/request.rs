//! The request of a method: members of JSON, each read as its method takes it, and the parts that they name.

use std::borrow::Cow;

use serde_json::Value;
use toolshape::host::{HostHash, Naming};
use toolshape::{Call, Error, ErrorCode, Shaper};
use toolshape_json::{JsonFault, check, next_member, skip_space, skip_string, skip_value};

/// What the methods use of their host.
pub struct RequestHost {
    /// The names of options.
    pub naming: Naming,
    /// The time in seconds since 1970, for requests without `now`.
    pub now: fn() -> Option<u64>,
    /// A hash that is faster than ours.
    pub hash: Option<HostHash>,
}

/// A long text, or bytes.
#[derive(Clone, Copy)]
pub enum RequestPart<'a> {
    Text(&'a str),
    /// Also a text whose UTF-8 is unchecked.
    Bytes(&'a [u8]),
}

/// A request. JSON names its parts by number, from 1.
pub struct Request<'a> {
    /// The text of each key, and the JSON of its value.
    members: Vec<(Cow<'a, str>, &'a str)>,
    parts: &'a [RequestPart<'a>],
    pub(crate) host: &'a RequestHost,
    /// The shaper, if the host holds it itself.
    pub(crate) shaper: Option<&'a Shaper>,
}

impl<'a> Request<'a> {
    /// The request with these members, a JSON object.
    ///
    /// # Errors
    /// `INVALID_CALL` if `json` is not a JSON object.
    pub fn new(json: &'a str, parts: &'a [RequestPart<'a>], host: &'a RequestHost) -> Result<Self, Error> {
        // The arguments of a tool can nest to any depth.
        let value = match check(json, usize::MAX) {
            Ok(checked) => checked.value,
            Err(JsonFault::At(at, wanted)) => {
                return Err(wrong(format!("the request is invalid JSON: {wanted} expected at byte {at}"), ""));
            }
            Err(JsonFault::TooDeep) => return Err(wrong("the request nests too deeply", "")),
        };
        Self::of(&json[value], parts, host)
    }

    /// The same for methods of this shaper.
    #[must_use]
    pub fn of_shaper(self, shaper: &'a Shaper) -> Self {
        Self { shaper: Some(shaper), ..self }
    }

    /// The request in checked JSON.
    fn of(json: &'a str, parts: &'a [RequestPart<'a>], host: &'a RequestHost) -> Result<Self, Error> {
        let bytes = json.as_bytes();
        if bytes[0] != b'{' {
            return Err(wrong("a request must be an object", ""));
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
        Ok(Self { members, parts, host, shaper: None })
    }

    /// Rejects a member that the method does not have, which is likely misspelled.
    ///
    /// # Errors
    /// `INVALID_CALL`.
    pub fn has_only<'n>(&self, names: impl Iterator<Item = &'n str> + Clone) -> Result<(), Error> {
        let is_known = |name: &str| name == "method" || names.clone().any(|known| known == name);
        let Some((name, _)) = self.members.iter().find(|(name, _)| !is_known(name)) else { return Ok(()) };
        let names: Vec<&str> = names.clone().collect();
        let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        Err(wrong(format!("unknown member {name:?}; known: {known}"), name))
    }

    /// The JSON of a member, the last one of that name. Null counts as missing.
    fn json(&self, name: &str) -> Option<&'a str> {
        let found = self.members.iter().rev().find(|(known, _)| known == name);
        found.map(|(_, json)| *json).filter(|json| *json != "null")
    }

    /// What `read` makes of a member's JSON.
    fn optional<T>(&self, name: &str, form: &str, read: impl FnOnce(&'a str) -> Option<T>) -> Result<Option<T>, Error> {
        let Some(json) = self.json(name) else { return Ok(None) };
        read(json).map(Some).ok_or_else(|| wrong(format!("{name} must be {form}"), name))
    }

    /// A string, or nothing.
    ///
    /// # Errors
    /// `INVALID_CALL` for another type. All readers have this error, and for a missing member those that return no `Option`.
    pub fn optional_string(&self, name: &str) -> Result<Option<Cow<'a, str>>, Error> {
        self.optional(name, "a string", |json| json.starts_with('"').then(|| string(json)))
    }

    pub fn string(&self, name: &str) -> Result<Cow<'a, str>, Error> {
        there(self.optional_string(name)?, name)
    }

    /// A boolean; false by default.
    pub fn flag(&self, name: &str) -> Result<bool, Error> {
        Ok(self.optional(name, "a boolean", |json| json.parse().ok())?.unwrap_or_default())
    }

    /// A list of strings.
    pub fn strings(&self, name: &str) -> Result<Vec<Cow<'a, str>>, Error> {
        let listed =
            |json| items(json)?.into_iter().map(|item: &str| item.starts_with('"').then(|| string(item))).collect();
        there(self.optional(name, "a list of strings", listed)?, name)
    }

    /// A whole number, or nothing.
    pub fn optional_number(&self, name: &str) -> Result<Option<u64>, Error> {
        self.optional(name, "a whole number", |json| json.parse().ok())
    }

    pub fn number(&self, name: &str) -> Result<u64, Error> {
        there(self.optional_number(name)?, name)
    }

    /// Whether there is such a member.
    pub fn has(&self, name: &str) -> bool {
        self.json(name).is_some()
    }

    /// A member in its own form.
    pub fn read<T: serde::de::DeserializeOwned>(&self, name: &str) -> Result<T, Error> {
        let read = serde_json::from_str(self.json(name).unwrap_or("null"));
        read.map_err(|error| wrong(format!("{name} cannot be read: {error}"), name))
    }

    /// A list of whole numbers.
    pub fn numbers(&self, name: &str) -> Result<Vec<u64>, Error> {
        let listed = |json| items(json)?.into_iter().map(|item: &str| item.parse().ok()).collect();
        there(self.optional(name, "a list of whole numbers", listed)?, name)
    }

    /// The time in seconds since 1970: that of the request, or else of the host.
    pub fn optional_now(&self) -> Result<Option<u64>, Error> {
        Ok(self.optional_number("now")?.or_else(self.host.now))
    }

    pub fn now(&self) -> Result<u64, Error> {
        there(self.optional_now()?, "now")
    }

    /// Any JSON; an empty object by default. `code` is that of the error for one that nests too deeply.
    pub fn value(&self, name: &str, code: ErrorCode) -> Result<Value, Error> {
        let unreadable = |error| Error::new(code, format!("the options cannot be read: {error}"), "");
        serde_json::from_str(self.json(name).unwrap_or("{}")).map_err(unreadable)
    }

    /// The same with the code `INVALID_CALL`.
    pub fn options(&self, name: &str) -> Result<Value, Error> {
        self.value(name, ErrorCode::InvalidCall)
    }

    fn optional_part(&self, name: &str) -> Result<Option<RequestPart<'a>>, Error> {
        self.optional(name, "the number of a part", |json| self.part(json))
    }

    fn part(&self, number: &str) -> Option<RequestPart<'a>> {
        let number: usize = number.parse().ok()?;
        self.parts.get(number.checked_sub(1)?).copied()
    }

    /// The bytes of the part that a member names.
    pub fn bytes(&self, name: &str) -> Result<&'a [u8], Error> {
        let part = there(self.optional_part(name)?, name)?;
        Ok(match part {
            RequestPart::Text(text) => text.as_bytes(),
            RequestPart::Bytes(bytes) => bytes,
        })
    }

    /// The text in the part that a member names, or nothing.
    pub fn optional_text(&self, name: &str) -> Result<Option<&'a str>, Error> {
        self.optional_part(name)?.map(|part| part.text(name)).transpose()
    }

    pub fn text(&self, name: &str) -> Result<&'a str, Error> {
        there(self.optional_text(name)?, name)
    }

    /// The texts in the parts that a list names.
    pub fn texts(&self, name: &str) -> Result<Vec<&'a str>, Error> {
        let listed = |json| items(json)?.into_iter().map(|item| self.part(item)?.text(name).ok()).collect();
        there(self.optional(name, "a list of parts with texts in UTF-8", listed)?, name)
    }

    /// The objects in a list.
    pub fn list(&self, name: &str) -> Result<Vec<Self>, Error> {
        let objects = |json| items(json)?.into_iter().map(|item| Self::of(item, self.parts, self.host).ok()).collect();
        there(self.optional(name, "a list of objects", objects)?, name)
    }

    /// The call, at the time of the request.
    ///
    /// # Errors
    /// As [`Call::from_json`].
    pub fn call(&self) -> Result<Call, Error> {
        self.call_at(self.optional_now()?)
    }

    /// The calls in a list, at the time of the request.
    ///
    /// # Errors
    /// As [`Call::from_json`].
    pub fn calls(&self, name: &str) -> Result<Vec<Call>, Error> {
        let now = self.optional_now()?;
        let calls = there(self.optional(name, "a list of calls", items)?, name)?;
        calls.into_iter().map(|call| self.read_call(call, now)).collect()
    }

    /// The call at a time, in seconds since 1970.
    pub fn call_at(&self, now: Option<u64>) -> Result<Call, Error> {
        self.read_call(self.json("call").unwrap_or("{}"), now)
    }

    fn read_call(&self, json: &str, now: Option<u64>) -> Result<Call, Error> {
        let call = Call::from_json(json, self.host.naming)?;
        let call = now.into_iter().fold(call, Call::at);
        Ok(self.host.hash.into_iter().fold(call, Call::hashed_by))
    }
}

impl<'a> RequestPart<'a> {
    fn text(self, name: &str) -> Result<&'a str, Error> {
        match self {
            Self::Text(text) => Ok(text),
            Self::Bytes(bytes) => {
                str::from_utf8(bytes).map_err(|error| wrong(format!("{name} is not UTF-8: {error}"), name))
            }
        }
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

fn there<T>(found: Option<T>, name: &str) -> Result<T, Error> {
    found.ok_or_else(|| wrong(format!("{name} is missing"), name))
}

fn wrong(message: impl Into<String>, name: &str) -> Error {
    let path = if name.is_empty() { String::new() } else { format!("/{}", toolshape::host::escape_token(name)) };
    Error::new(ErrorCode::InvalidCall, message, path)
}
