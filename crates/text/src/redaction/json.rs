//! JSON without secrets: values by the names that lead to them, and keys, texts and numbers by patterns.

use std::ops::Range;

use toolshape_json::{skip_space, skip_string, skip_value};

use super::column_names::ColumnNames;
use super::names::{normalized, path};
use super::{Names, Replaced, Secrets, quoted, unquoted};

/// What replaces a value.
pub(super) const SECRET: &str = "\"[redacted]\"";
/// The members of a schema that are values.
const VALUES_OF_SCHEMA: [&str; 5] = ["default", "const", "enum", "example", "examples"];

/// Redacts one JSON text.
pub(super) struct JsonRedaction<'r> {
    pub of: &'r Secrets,
    /// How many texts of JSON may be inside this one.
    pub texts: usize,
    pub names: Names,
}

/// An array or object that is open.
struct Open<'c> {
    is_object: bool,
    /// The names before those of its members.
    path: usize,
    /// Its items so far, and which of them are in a secret column.
    items: u32,
    columns: &'c [u32],
    /// Whether one of its members is the name of a secret, so that another is its value.
    is_named: bool,
    /// Whether it is the schema of a secret argument.
    is_schema: bool,
    redacted_keys: usize,
}

impl JsonRedaction<'_> {
    /// Replaces what is secret in JSON that begins at this place of a text.
    pub fn redact(&self, json: &str, place: usize, replaced: &mut Replaced<'_>) {
        let bytes = json.as_bytes();
        let fields = &self.of.fields;
        let has_names = !fields.is_empty();
        let is_data = self.names == Names::OfData;
        let columns = (has_names && is_data).then(|| ColumnNames::of(json, fields)).flatten();
        let mut at = 0;
        let (mut open, mut names) = (Vec::<Open<'_>>::new(), Vec::<String>::new());
        let (mut is_key, mut begins_schema) = (false, false);
        let mut replace = |value: Range<usize>, with: &str| replaced.add(place + value.start..place + value.end, with);
        let hide = |replace: &mut dyn FnMut(Range<usize>, &str), value: Range<usize>| {
            if json[value.clone()] != *SECRET {
                replace(value, SECRET);
            }
        };
        while let Some(byte) = bytes.get(at) {
            let start = at;
            at += 1;
            let begins = matches!(byte, b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n') && !is_key;
            if begins
                && let Some(list) = open.last_mut()
                && !list.is_object
            {
                let index = list.items;
                list.items += 1;
                if list.columns.binary_search(&index).is_ok() && !self.is_name(json, start) {
                    at = skip_value(bytes, start);
                    hide(&mut replace, start..at);
                    continue;
                }
            }
            match byte {
                b'{' | b'[' => {
                    is_key = *byte == b'{';
                    let columns = columns.as_ref();
                    open.push(Open {
                        is_object: is_key,
                        path: names.len(),
                        items: 0,
                        columns: columns.map_or(&[][..], |columns| columns.of_list(start)),
                        is_named: columns.is_some_and(|columns| columns.is_named(start)),
                        is_schema: std::mem::take(&mut begins_schema),
                        redacted_keys: 0,
                    });
                }
                b'}' | b']' => {
                    if let Some(closed) = open.pop() {
                        names.truncate(closed.path);
                    }
                    is_key = false;
                }
                b',' => is_key = open.last().is_some_and(|open| open.is_object),
                b'"' => {
                    at = skip_string(bytes, start);
                    let text = unquoted(&json[start..at]);
                    if !std::mem::take(&mut is_key) {
                        if let Some(text) = self.of.text(&text, self.texts) {
                            replace(start..at, &quoted(&text));
                        }
                        continue;
                    }
                    if let Some(mut key) = self.of.patterns(&text)
                        && let Some(open) = open.last_mut()
                    {
                        // Members stay apart.
                        open.redacted_keys += 1;
                        if open.redacted_keys > 1 {
                            key += &format!(" ({})", open.redacted_keys);
                        }
                        replace(start..at, &quoted(&key));
                    }
                    let Some(inside) = open.last().filter(|_| has_names) else { continue };
                    let value = skip_space(bytes, skip_space(bytes, at) + 1);
                    let may_be_secret = fields.may_end(&text, inside.path);
                    let is_one = is_data && may_be_secret && fields.is_one(&text);
                    if !is_one && (may_be_secret || matches!(bytes.get(value), Some(b'{' | b'['))) {
                        names.truncate(inside.path);
                        names.extend(path(&text));
                    }
                    let is_secret = is_one || may_be_secret && fields.end(&names);
                    begins_schema = !is_data && is_secret && bytes.get(value) == Some(&b'{');
                    let is_hidden = match self.names {
                        Names::OfData => is_secret || inside.is_named && is_value(&text) && !self.is_name(json, value),
                        Names::OfSchemas if inside.is_schema => VALUES_OF_SCHEMA.contains(&&*text),
                        Names::OfSchemas => is_secret && !matches!(bytes.get(value), Some(b'{' | b'[' | b't' | b'f')),
                    };
                    if is_hidden {
                        at = skip_value(bytes, value);
                        hide(&mut replace, value..at);
                    }
                }
                b'-' | b'0'..=b'9' => {
                    at = skip_value(bytes, start);
                    if self.of.patterns(&json[start..at]).is_some() {
                        hide(&mut replace, start..at);
                    }
                }
                _ => {}
            }
        }
    }

    /// Whether a value is the name of a secret.
    fn is_name(&self, json: &str, value: usize) -> bool {
        let end = skip_value(json.as_bytes(), value);
        json[value..end].starts_with('"') && self.of.fields.has(&unquoted(&json[value..end]))
    }
}

/// Whether a member has the value of what another member names.
pub fn is_value(name: &str) -> bool {
    let name = normalized(name);
    name.starts_with("val") || matches!(&*name, "v" | "text" | "content" | "data")
}
