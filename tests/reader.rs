//! A caller that reads only shaped results, and rebuilds the original from them.
//!
//! It follows the notes: it uses `nextCursor`, and asks for shortened values by their pointers.

use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Digest;
use toolshape::host::{JsonText, Kind, Naming, Source};
use toolshape::{Call, Shaped, Shaper, Step};

/// Keys of the header of a summarized object.
const HEADER: [&str; 17] = [
    "_summarized", "_text", "_cut", "_textCursor", "_before", "_after", "_totalKeys", "_estimatedTokens",
    "_truncatedKeys", "_nextCursor", "_uri", "_storeFailed", "_note", "_page", "_omittedFields", "_moreElisions",
    "_elisions",
];

/// A caller of one tool that returns the JSON text `source` on every call, or of `read_result`, if it is stored.
pub struct Reader<'a> {
    pub shaper: &'a Shaper,
    pub source: &'a str,
    /// The key of the source in the store.
    stored: Option<String>,
    /// Whether texts are asked for as they are, not as rows or data.
    as_text: bool,
    /// The number of calls. It is bounded so that a reader without progress fails.
    pub calls: usize,
    pub most_calls: usize,
}

impl<'a> Reader<'a> {
    pub fn new(shaper: &'a Shaper, source: &'a str) -> Self {
        Self { shaper, source, stored: None, as_text: false, calls: 0, most_calls: 20_000 }
    }

    /// A reader of a stored content, JSON as it was minified or plain text, under the key that depends on the policy's
    /// cursor key.
    pub fn of_stored(shaper: &'a Shaper, content: &'a str, is_json: bool, cursor_key: Option<&str>) -> Self {
        let id = id(content, cursor_key).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let stored = Some(format!("{id}.{}", if is_json { "json" } else { "txt" }));
        Self { stored, ..Self::new(shaper, content) }
    }

    /// The answer of `read_result` to arguments, which may be invalid.
    pub fn ask(&self, arguments: &Value) -> Shaped {
        self.ask_for(None, arguments)
    }

    /// The same for a client of some name.
    pub fn ask_for(&self, client: Option<&str>, arguments: &Value) -> Shaped {
        let key = self.stored.as_deref().unwrap();
        let mut arguments = arguments.clone();
        arguments["handle"] = json!(key.split('.').next());
        let asked = json!({ "tool": "read_result", "arguments": arguments, "client": client });
        let call = Call::new(&asked, Naming::Camel).unwrap();
        self.shaper.read_result(Some((key, self.source)), &call).unwrap()
    }

    /// A complete stored text, joined from the answers of `read_result`.
    pub fn rebuild_text(&mut self) -> String {
        let mut shaped = self.call("", None);
        if is_of_structure(&shaped) {
            self.as_text = true;
            shaped = self.call("", None);
        }
        if shaped.unchanged {
            return shaped.text;
        }
        serde_json::from_str(&self.text("", shaped)).unwrap()
    }

    /// The complete result as minified JSON, joined from shaped results.
    pub fn rebuild(&mut self) -> String {
        let rebuilt = self.rebuild_at("");
        let is_number = JsonText::parse(self.source).unwrap().kind() == Kind::Number;
        if is_number { digits_of(&rebuilt) } else { rebuilt }
    }

    /// A value of which a result shows `shown`.
    fn in_full(&mut self, pointer: &str, shown: String) -> String {
        if !is_shortened(&shown) {
            return shown;
        }
        let rebuilt = self.rebuild_at(pointer);
        let digits = digits_of(&rebuilt);
        let is_number = JsonText::parse(&digits).is_ok_and(|value| value.kind() == Kind::Number);
        if shown.starts_with("\"[Number(") && is_number { digits } else { rebuilt }
    }

    fn call(&mut self, pointer: &str, cursor: Option<&str>) -> Shaped {
        self.calls += 1;
        assert!(self.calls <= self.most_calls, "the reader does not get on at {pointer:?}");
        let shaped = if self.stored.is_some() {
            let pointer = Some(pointer).filter(|pointer| !pointer.is_empty());
            self.ask(&json!({ "pointer": pointer, "cursor": cursor, "format": self.as_text.then_some("text") }))
        } else {
            let fields = Some([pointer]).filter(|[pointer]| !pointer.is_empty());
            let format = self.as_text.then_some("text");
            let call = json!({ "tool": "t", "fields": fields, "cursor": cursor, "format": format });
            self.shaper.shape_json(self.source, &Call::new(&call, Naming::Camel).unwrap()).unwrap()
        };
        assert!(!shaped.is_error, "{pointer:?} {cursor:?}: {}", shaped.text);
        let mut shaped = shaped;
        if shaped.receipt.steps.contains(&Step::Columns) {
            shaped.text = toolshape::host::expand(&shaped.text).unwrap();
        }
        shaped
    }

    fn rebuild_at(&mut self, pointer: &str) -> String {
        let mut shaped = self.call(pointer, None);
        if is_of_structure(&shaped) {
            self.as_text = true;
            shaped = self.call(pointer, None);
            let text = match shaped.receipt.steps.contains(&Step::Truncate) {
                true => self.text(pointer, shaped),
                false => serde_json::to_string(&shaped.text).unwrap(),
            };
            self.as_text = false;
            // The text of a JSON string that is the whole value is that value, with its quotes and the white space around.
            let inside: String = serde_json::from_str(&text).unwrap();
            let own = inside.trim_start_matches('\u{feff}').trim();
            let is_json_string = pointer.is_empty() && serde_json::from_str::<String>(own).is_ok();
            return if is_json_string { own.to_owned() } else { text };
        }
        if has_short_keys(&shaped) {
            return self.json_as_text(pointer);
        }
        let steps = shaped.receipt.step_names();
        if steps.contains(&"truncate") {
            self.text(pointer, shaped)
        } else if steps.contains(&"paginate") && shaped.text.starts_with("{\"paginated\"") {
            self.list(pointer, shaped, |text| text.to_owned(), "items")
        } else if steps.contains(&"paginate") {
            self.envelope(pointer, shaped)
        } else if steps.contains(&"summarize") {
            self.object(pointer, shaped)
        } else {
            JsonText::parse(&shaped.text).unwrap().json().unwrap().into_owned()
        }
    }

    /// The JSON text of a value with keys that are too long to show.
    fn json_as_text(&mut self, pointer: &str) -> String {
        self.as_text = true;
        let shaped = self.call(pointer, None);
        let text = match shaped.receipt.steps.contains(&Step::Truncate) {
            true => serde_json::from_str(&self.text(pointer, shaped)).unwrap(),
            false => shaped.text,
        };
        self.as_text = false;
        JsonText::parse(&text).unwrap().json().unwrap().into_owned()
    }

    fn text(&mut self, pointer: &str, mut shaped: Shaped) -> String {
        let mut whole = String::new();
        loop {
            let preview = member(&shaped.text, "preview");
            whole += &preview[1..preview.len() - 1];
            match facts(&shaped.text)["nextCursor"].as_str() {
                Some(cursor) => shaped = self.call(pointer, Some(cursor)),
                None => return format!("\"{whole}\""),
            }
        }
    }

    /// Pages of a list: `page` finds the object with the page's facts and rows in a result.
    fn list(&mut self, pointer: &str, mut shaped: Shaped, page: impl Fn(&str) -> String, items: &str) -> String {
        let (mut rows, mut is_map): (Vec<String>, bool) = (Vec::new(), false);
        loop {
            if has_short_keys(&shaped) {
                return self.json_as_text(pointer);
            }
            let here = page(&shaped.text);
            let is_whole = facts(&here).get("omittedFields").is_none();
            for (key, row) in rows_of(&member(&here, items)) {
                is_map |= key.is_some();
                let at = match &key {
                    Some(key) => child(pointer, key),
                    None => format!("{pointer}/{}", rows.len()),
                };
                let row = if is_whole { self.in_full(&at, row) } else { self.rebuild_at(&at) };
                rows.push(key.map_or(String::new(), |key| key + ":") + &row);
            }
            let facts = facts(&here);
            assert_eq!(facts["hasMore"], json!(facts["nextCursor"].is_string()));
            match facts["nextCursor"].as_str() {
                Some(cursor) => shaped = self.call(pointer, Some(cursor)),
                None => {
                    assert_eq!(facts["totalItems"], json!(rows.len()));
                    let (open, close) = if is_map { ('{', '}') } else { ('[', ']') };
                    return format!("{open}{}{close}", rows.join(","));
                }
            }
        }
    }

    fn object(&mut self, pointer: &str, mut shaped: Shaped) -> String {
        let mut members = Vec::new();
        loop {
            if has_short_keys(&shaped) {
                return self.json_as_text(pointer);
            }
            for (key, value) in own_members(&shaped.text) {
                let child = child(pointer, &key);
                let value = self.in_full(&child, value);
                members.push(format!("{key}:{value}"));
            }
            match facts(&shaped.text)["_nextCursor"].as_str() {
                Some(cursor) => shaped = self.call(pointer, Some(cursor)),
                None => return format!("{{{}}}", members.join(",")),
            }
        }
    }

    fn envelope(&mut self, pointer: &str, shaped: Shaped) -> String {
        let list = facts(&shaped.text)["_page"]["pointer"].as_str().unwrap().to_owned();
        let rest = list.strip_prefix(pointer).unwrap().to_owned();
        let inside = own_value(&shaped.text);
        self.around(pointer, &inside, &rest, shaped)
    }

    /// One object, or one short list, on the way to the paged list.
    fn around(&mut self, pointer: &str, object: &str, rest: &str, shaped: Shaped) -> String {
        let mut members = Vec::new();
        let mut shaped = Some(shaped);
        let parsed = JsonText::parse(object).unwrap();
        let is_list = parsed.kind() == Kind::Array;
        let children = match is_list {
            true => {
                let items = parsed.items(0, usize::MAX).unwrap().into_iter().enumerate();
                items.map(|(at, item)| (format!("\"{at}\""), item)).collect()
            }
            false => parsed.entries().unwrap(),
        };
        for (key, value) in children {
            let child = child(pointer, &key);
            let step = child.strip_prefix(pointer).unwrap();
            let value = value.span().to_owned();
            let value = match (rest.strip_prefix(step), shaped.take()) {
                (Some(""), Some(_)) if is_json_text(&value) => self.rebuild_at(&child),
                (Some(""), Some(first)) => {
                    // The page's rows are in the place of the list; its facts are in `_page`.
                    self.rows_in_place(&child, pointer, rest, first)
                }
                (Some(rest), Some(_)) if rest.starts_with('/') && is_json_text(&value) => self.rebuild_at(&child),
                (Some(rest), Some(first)) if rest.starts_with('/') => self.around(&child, &value, rest, first),
                (_, first) => {
                    shaped = first;
                    self.in_full(&child, value)
                }
            };
            members.push(if is_list { value } else { format!("{key}:{value}") });
        }
        let members = members.join(",");
        if is_list { format!("[{members}]") } else { format!("{{{members}}}") }
    }

    fn rows_in_place(&mut self, list: &str, _parent: &str, _rest: &str, first: Shaped) -> String {
        // The list's own pages: requested by its pointer, it is a list like any other.
        let total = facts(&first.text)["_page"]["totalItems"].clone();
        let rebuilt = self.rebuild_at(list);
        assert_eq!(json!(rows_of(&rebuilt).len()), total);
        rebuilt
    }
}

/// Whether a result shows a text by its structure.
fn is_of_structure(shaped: &Shaped) -> bool {
    shaped.receipt.steps.iter().any(|step| matches!(step, Step::Text(_)))
}

/// Whether a result says that keys are too long to show, and how to read them.
fn has_short_keys(shaped: &Shaped) -> bool {
    shaped.text.contains("keys that end in …") || shaped.text.contains(" is too long to show.")
}

/// The facts of a result, without the data, because serde_json refuses some spellings in them.
fn facts(text: &str) -> Value {
    let reply = |key: &str| !["\"items\"", "\"rows\"", "\"preview\""].contains(&key);
    let entries = JsonText::parse(text).unwrap().entries().unwrap().into_iter().filter(|(key, _)| reply(key));
    let read = |(key, value): (String, JsonText<'_>)| {
        Some((serde_json::from_str(&key).ok()?, serde_json::from_str(value.span()).ok()?))
    };
    Value::Object(entries.filter_map(read).collect())
}

fn member(object: &str, name: &str) -> String {
    let entries = JsonText::parse(object).unwrap().entries().map(|entries| {
        entries.into_iter().find(|(key, _)| key.trim_matches('"') == name).map(|(_, value)| value.span().to_owned())
    });
    entries.unwrap().unwrap_or_else(|| panic!("no {name} in {object}"))
}

/// What a summary shows of the original: an object, or a short list.
fn own_value(text: &str) -> String {
    let entries = JsonText::parse(text).unwrap().entries().unwrap();
    let mut after = entries.iter().skip_while(|(key, _)| HEADER.contains(&key.trim_matches('"')));
    match after.next() {
        Some((key, value)) if key == "\"_value\"" => value.span().to_owned(),
        _ => {
            let members: Vec<_> = own_members(text).iter().map(|(key, value)| format!("{key}:{value}")).collect();
            format!("{{{}}}", members.join(","))
        }
    }
}

/// The members of a summarized object that are the original's own.
fn own_members(text: &str) -> Vec<(String, String)> {
    let entries = |text: &str| -> Vec<(String, String)> {
        let parsed = JsonText::parse(text).unwrap();
        parsed.entries().unwrap().into_iter().map(|(key, value)| (key, value.span().to_owned())).collect()
    };
    let all = entries(text);
    let header = all.iter().take_while(|(key, _)| HEADER.contains(&key.trim_matches('"'))).count();
    match all.get(header) {
        Some((key, value)) if key == "\"_value\"" => entries(value),
        _ => all[header..].to_vec(),
    }
}

fn child(pointer: &str, key: &str) -> String {
    let name: String = serde_json::from_str(key).unwrap();
    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// The rows of a page, and if they are the entries of a map their keys.
fn rows_of(items: &str) -> Vec<(Option<String>, String)> {
    let items = JsonText::parse(items).unwrap();
    match items.kind() {
        Kind::Object => {
            items.entries().unwrap().into_iter().map(|(key, row)| (Some(key), row.span().to_owned())).collect()
        }
        _ => items.items(0, usize::MAX).unwrap().into_iter().map(|row| (None, row.span().to_owned())).collect(),
    }
}

/// Whether a value is written as data is that is a string in the original, or that was made from one.
fn is_json_text(value: &str) -> bool {
    ["JSON text", "HTML", "log"].iter().any(|what| value.starts_with(&format!("{{\"… {what} of ")))
}

/// The digits of a number that is shown like a text, because it has thousands of them.
fn digits_of(text: &str) -> String {
    text.trim_matches('"').to_owned()
}

/// Whether a value, or one within it, is written as shortened values are. A string of the tool may look the same; a request
/// for it then returns it unchanged.
fn is_shortened(value: &str) -> bool {
    let parsed = JsonText::parse(value).unwrap();
    match parsed.kind() {
        Kind::Array => return parsed.items(0, usize::MAX).unwrap().iter().any(|item| is_shortened(item.span())),
        Kind::Object => {
            let entries = parsed.entries().unwrap();
            return is_json_text(value) || entries.iter().any(|(_, entry)| is_shortened(entry.span()));
        }
        _ => {}
    }
    let inside = value.trim_matches('"');
    parsed.kind() == Kind::String
        && (inside.ends_with('…')
            || inside.starts_with("… ")
            || inside.ends_with(" more")
            || inside.starts_with("[Array(")
            || inside.starts_with("{Object: ")
            || inside.starts_with("[Number("))
}

/// The id of a content of no scope: its SHA-256, or the HMAC-SHA256 by the key.
fn id(content: &str, cursor_key: Option<&str>) -> Vec<u8> {
    let Some(key) = cursor_key else { return sha2::Sha256::digest(content).to_vec() };
    let mac = Hmac::<sha2::Sha256>::new_from_slice(key.as_bytes()).unwrap();
    mac.chain_update(b"toolshape handle 1\0")
        .chain_update([0; 8])
        .chain_update(content)
        .finalize()
        .into_bytes()
        .to_vec()
}
