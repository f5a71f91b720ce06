//! Objects over budget: the object's own keys in their order, small values whole, large ones stood in
//! for, and a header that says so first.

use crate::base::error::Error;
use crate::base::json_string;
use crate::render::elide::{self, Elision, Entries, Omitted};
use crate::request::context::{Context, Fit};
use crate::request::cursor::{Cursor, Unit};
use crate::request::stored;
use crate::value::source::Source;

/// The header's keys; an object that has one of them is nested under `_value`, so that nobody
/// confuses them.
const OURS: [&str; 12] = [
    "\"_summarized\"",
    "\"_totalKeys\"",
    "\"_estimatedTokens\"",
    "\"_truncatedKeys\"",
    "\"_nextCursor\"",
    "\"_uri\"",
    "\"_storeFailed\"",
    "\"_note\"",
    "\"_page\"",
    "\"_elided\"",
    "\"_elisions\"",
    "\"_value\"",
];

/// Whether a key's literal is one of the header's keys.
pub(crate) fn is_ours(key: &str) -> bool {
    OURS.contains(&key)
        || (key.contains('\\')
            && OURS.contains(&json_string::quoted(&json_string::unescape(&key[1..key.len() - 1])).as_str()))
}

/// What stands before the keys of an object that is not shown whole.
pub(crate) struct Header<'a> {
    pub total_keys: usize,
    pub estimated_tokens: usize,
    pub truncated_keys: usize,
    /// Facts of the page, as a JSON object, where a list inside is paged.
    pub page: Option<&'a str>,
    pub next_cursor: Option<&'a str>,
    /// Whether there is a cursor, here or among the facts of the page.
    pub has_cursor: bool,
    pub note: &'a str,
    pub elisions: &'a [Elision],
}

impl Header<'_> {
    /// The whole object: the header, then `content`, the members that are shown.
    pub fn wrap(&self, content: &str, nested: bool, cx: &Context<'_>) -> String {
        let (before, after) = self.around(content.is_empty(), nested, cx);
        before + content + after
    }

    /// What stands before the members that are shown, and behind them.
    pub fn around(&self, is_empty: bool, nested: bool, cx: &Context<'_>) -> (String, &'static str) {
        let mut out = format!(
            "{{\"_summarized\":true,\"_totalKeys\":{},\"_estimatedTokens\":{},\"_truncatedKeys\":{},",
            self.total_keys, self.estimated_tokens, self.truncated_keys
        );
        if let Some(cursor) = self.next_cursor {
            out += &format!("\"_nextCursor\":{},", json_string::quoted(cursor));
        }
        out += &cx.store_members("_", self.has_cursor);
        out += &format!("\"_note\":{}", json_string::quoted(self.note));
        if let Some(page) = self.page {
            out += &format!(",\"_page\":{page}");
        }
        if !self.elisions.is_empty() {
            out += ",";
            out += &elide::members(self.elisions, "_", cx.budget / 5, cx.measure);
        }
        match (nested, is_empty) {
            (true, _) => (out + ",\"_value\":{", "}}"),
            (false, true) => (out, "}"),
            (false, false) => (out + ",", "}"),
        }
    }
}

/// Fits an object into the budget, from the key that the call's cursor names.
///
/// `omitted` is what the default projection dropped, `weight` about how many tokens the object has as
/// the tool returned it. Gives `None` where not even the header fits.
pub(crate) fn object<S: Source>(
    object: &S,
    omitted: &Omitted,
    weight: usize,
    cx: &Context<'_>,
) -> Result<Option<Fit>, Error> {
    let entries = object.entries()?;
    let total = entries.len();
    let (start, shifted) = match cx.cursor(Unit::Keys)? {
        Some(cursor) => (cursor.position.min(total), cursor.total != total),
        None => (0, false),
    };
    let nested = entries.iter().any(|(key, _)| is_ours(key));
    let mut shown_entries = Entries::new(&entries[start..], cx.measure);
    cx.shrink(|spend| {
        let fitted = shown_entries.fit(spend, &cx.base)?;
        let shown = total - start - fitted.omitted;
        // A key that is too long to show at all is stepped over, so that those after it are reached.
        let position = start + shown.max(1);
        let next = if fitted.omitted > 0 && position < total {
            let pointer = String::new();
            cx.encode(Cursor { unit: Unit::Keys, position, end: total, total, fingerprint: 0, pointer })
        } else {
            None
        };
        let truncated = fitted.elisions.len() + start + fitted.omitted + omitted.keys;
        let mut note = match (start, fitted.omitted) {
            (0, 0) if fitted.elisions.is_empty() => String::new(),
            (0, 0) => format!("{} of {total} keys shortened.", fitted.elisions.len()),
            _ if shown == 0 => format!("Key {position} of {total} is too long to show."),
            _ => format!("Keys {} to {position} of {total}.", start + 1),
        };
        if !fitted.elisions.is_empty() {
            note += " For a shortened value in full ";
            note += &match cx.uri("_", next.is_some()) {
                Some(uri) => stored::way_to_part(&uri),
                None => cx.ask_in_full_of_object(),
            };
        }
        if next.is_some() {
            let cursor = cx.call.argument("cursor");
            note += &format!(" For the next keys call again with the same arguments and {cursor} set to _nextCursor.");
        }
        if !omitted.names.is_empty() {
            let fields = cx.call.argument("fields");
            note += &format!(" Left out unless named in {fields}: {}.", omitted.names.join(", "));
        }
        if shifted {
            note += " The object changed since: keys may repeat or be missing.";
        }
        let header = Header {
            total_keys: total + omitted.keys,
            estimated_tokens: weight,
            truncated_keys: truncated,
            page: None,
            next_cursor: next.as_deref(),
            has_cursor: next.is_some(),
            note: note.trim_start(),
            elisions: &fitted.elisions,
        };
        Ok(header.wrap(&fitted.parts.join(","), nested, cx))
    })
}
