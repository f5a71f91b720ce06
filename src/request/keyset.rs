//! Paging by sort keys, for authors whose own query finds the next rows.
//!
//! The cursor contains the keys of the last shown row, as their JSON text, and the next query asks for the rows after
//! it. So every row that exists all the time is shown exactly once, whatever is inserted or deleted elsewhere. Keys
//! have the total order of [`sort_key_order`](crate::base::sort_key_order). Together they must identify a row, so the
//! last of them is usually an id.

use crate::value::at_pointer;
use sha2::{Digest, Sha256};

use crate::base::error::{Error, ErrorCode};
use crate::base::field_path::FieldPath;
use crate::base::json_pointer;
use crate::base::sort_key_order;
use crate::base::text_cuts;
use crate::request::call::{Call, Controls, RequestedFields};
use crate::request::cursor::{After, Binding, Cursor, refuse};
use crate::request::policy::{MAX_ROWS, PAGE_SIZE, Settings};
use crate::request::reader::{Naming, Reader};
use crate::value::source::{Kind, Source};

/// The most sort keys: a cursor contains the value of each.
const MAX_KEYS: usize = 8;
/// The maximum length of all keys of one row, as JSON text: a cursor contains them.
const MAX_VALUES_BYTES: usize = 512;

/// The sort order of the rows, and the number of rows of a page.
///
/// ```
/// use serde_json::json;
/// use toolshape::host::{JsonText, Keyset, Naming};
/// use toolshape::{Call, Shaper};
///
/// let keys = json!([{ "name": "updated", "order": "desc" }, "id"]);
/// let keyset = Keyset::new(&json!({ "keys": keys, "limit": 2 }), Naming::Camel)?;
/// let shaper = Shaper::default();
/// let call = Call::new(&json!({ "tool": "list" }), Naming::Camel)?;
/// // SELECT … ORDER BY updated DESC, id LIMIT 3
/// let rows = r#"[{"id":7,"updated":"2026-03-01"},{"id":4,"updated":"2026-02-01"},{"id":9,"updated":"2026-01-01"}]"#;
/// let page = shaper.keyset_page(&JsonText::parse(rows)?, &keyset, &call)?;
/// let next = serde_json::from_str::<serde_json::Value>(&page.text).unwrap()["nextCursor"].clone();
/// // WHERE updated < ? OR (updated = ? AND id > ?) …
/// assert_eq!(shaper.decode_keyset(next.as_str(), &call)?.unwrap(), ["\"2026-02-01\"", "4"]);
/// # Ok::<(), toolshape::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Keyset {
    keys: Vec<Key>,
    limit: Option<usize>,
}

#[derive(Clone, Debug)]
struct Key {
    field: FieldPath,
    descending: bool,
    nulls_first: bool,
}

impl Keyset {
    /// Reads `keys`, the fields that rows are sorted by, and `limit`, the rows of a page (by default the page size of
    /// the call).
    ///
    /// A key is a field's name or `{name, order, nulls}`: `order` is `asc` or `desc`, `nulls` is `first` or `last`. By
    /// default nulls are the least values: first in ascending order, last in descending order.
    ///
    /// # Errors
    /// `INVALID_CALL` for an unknown option, a wrong type or a value out of range.
    pub fn new(options: &serde_json::Value, naming: Naming) -> Result<Self, Error> {
        let reader = Reader::new(options, &["keys", "limit"], ErrorCode::InvalidCall, String::new(), naming)?;
        let limit = reader.integer("limit", 1, MAX_ROWS)?.map(|limit| limit as usize);
        let list =
            reader.get("keys").and_then(|keys| keys.as_array()).filter(|keys| (1..=MAX_KEYS).contains(&keys.len()));
        let takes = format!("keys takes a list of 1 to {MAX_KEYS} sort keys, each a name or {{name, order, nulls}}");
        let list = list.ok_or_else(|| reader.error_at("keys", takes))?;
        let keys = list.iter().enumerate().map(|(at, key)| Key::new(key, at, naming));
        Ok(Self { keys: keys.collect::<Result<_, _>>()?, limit })
    }

    /// Reads the keys of the fetched rows, and the row after which they begin.
    ///
    /// # Errors
    /// `INVALID_CALL` for rows that lack a key or are not sorted by their keys; `INVALID_CURSOR` for a cursor that
    /// cannot be used.
    pub(crate) fn read<S: Source>(
        &self,
        rows: &S,
        controls: &Controls,
        settings: &Settings,
        call: &Call,
    ) -> Result<KeysetRows, Error> {
        if rows.kind() != Kind::Array {
            let message = format!("rows is {}; it takes a list", rows.kind().name());
            return Err(Error::new(ErrorCode::InvalidCall, message, "/rows"));
        }
        if controls.page.is_some_and(|page| page > 1) && controls.cursor.is_none() {
            let message = "this list has no page numbers: use nextCursor";
            return Err(Error::new(ErrorCode::InvalidCall, message, "/page"));
        }
        let found = self.mark(controls, settings, call)?;
        let limit = self.limit.unwrap_or_else(|| page_size(controls, settings));
        let mut keys: Vec<Vec<String>> = Vec::new();
        for (at, row) in rows.items(0, limit.saturating_add(1))?.iter().enumerate() {
            let these = self.keys_of(row, at)?;
            if let Some(before) = keys.last() {
                self.check_order(before, &these, at)?;
            }
            keys.push(these);
        }
        let values = keys.iter().map(|keys| format!("[{}]", keys.join(","))).collect();
        let (is_place, after) = found.map_or((true, None), |mark| (mark.place.is_some(), mark.after));
        // A cursor before the first row begins where a call without a cursor begins.
        Ok(KeysetRows { order: self.order(), limit, values, after, is_place })
    }

    /// The content of the call's cursor, which must be a cursor of this list.
    fn mark(&self, controls: &Controls, settings: &Settings, call: &Call) -> Result<Option<Cursor>, Error> {
        let Some(cursor) = &controls.cursor else { return Ok(None) };
        let mark = decode(cursor, controls, settings, call)?;
        if mark.after.as_ref().is_some_and(|after| after.order != self.order()) {
            return Err(refuse("the list is sorted by other keys now"));
        }
        Ok(Some(mark))
    }

    fn keys_of<S: Source>(&self, row: &S, at: usize) -> Result<Vec<String>, Error> {
        let mut keys = Vec::new();
        for Key { field, .. } in &self.keys {
            let name = field.written();
            let value = at_pointer::at_pointer(row, field.segments())?;
            let value =
                value.ok_or_else(|| fault(at, field, &format!("row {at} has no {name}, by which rows are sorted")))?;
            if matches!(value.kind(), Kind::Array | Kind::Object) {
                let kind = value.kind().name();
                return Err(fault(at, field, &format!("{name} of row {at} is an {kind}, which cannot be ordered")));
            }
            keys.push(value.json()?.into_owned());
        }
        let bytes = keys.iter().map(|key| key.len() + 1).sum::<usize>() + 1;
        if bytes > MAX_VALUES_BYTES {
            let message = format!(
                "the sort keys of row {at} are {bytes} bytes long; a cursor carries {MAX_VALUES_BYTES}: sort by shorter ones"
            );
            return Err(Error::new(ErrorCode::InvalidCall, message, format!("/rows/{at}")));
        }
        Ok(keys)
    }

    /// Checks that a row is after the row before it.
    fn check_order(&self, before: &[String], these: &[String], at: usize) -> Result<(), Error> {
        for ((a, b), key) in before.iter().zip(these).zip(&self.keys) {
            let follows = match key.compare(a, b) {
                Some(std::cmp::Ordering::Equal) => continue,
                Some(order) => order.is_lt(),
                None => return Ok(()),
            };
            if follows {
                return Ok(());
            }
            let (name, order) = (key.field.written(), if key.descending { "descending" } else { "ascending" });
            let nulls = if key.nulls_first { "first" } else { "last" };
            let message = format!(
                "row {at} is out of order: {name} is {} after {}, but the order is {order} with nulls {nulls}",
                shown(b),
                shown(a)
            );
            return Err(fault(at, &key.field, &message));
        }
        let message = format!(
            "row {at} has the same sort keys as the row before it, so no cursor could tell them apart: sort by a unique key last, such as an id"
        );
        Err(Error::new(ErrorCode::InvalidCall, message, format!("/rows/{at}")))
    }

    /// A hash of the keys and their order.
    fn order(&self) -> u16 {
        let mut hasher = Sha256::new();
        for Key { field, descending, nulls_first } in &self.keys {
            hasher.update((field.written().len() as u64).to_le_bytes());
            hasher.update(field.written());
            hasher.update([u8::from(*descending), u8::from(*nulls_first)]);
        }
        let hash = hasher.finalize();
        u16::from_le_bytes([hash[0], hash[1]])
    }
}

impl Key {
    fn new(key: &serde_json::Value, at: usize, naming: Naming) -> Result<Self, Error> {
        let by_name = serde_json::json!({ "name": key });
        let options = if key.is_string() { &by_name } else { key };
        let names = ["name", "order", "nulls"];
        let reader = Reader::new(options, &names, ErrorCode::InvalidCall, format!("/keys/{at}"), naming)?;
        let name = reader.text("name")?.ok_or_else(|| reader.error_at("name", "name is missing".to_owned()))?;
        let descending = reader.choice("order", &[("asc", false), ("desc", true)])?.unwrap_or(false);
        let nulls_first = reader.choice("nulls", &[("first", true), ("last", false)])?.unwrap_or(!descending);
        Ok(Self { field: FieldPath::parse(name), descending, nulls_first })
    }

    fn compare(&self, a: &str, b: &str) -> Option<std::cmp::Ordering> {
        let ascending = sort_key_order::compare(a, b)?;
        let of_null = sort_key_order::is_null(a) != sort_key_order::is_null(b);
        let reversed = if of_null { !self.nulls_first } else { self.descending };
        Some(if reversed { ascending.reverse() } else { ascending })
    }
}

/// The rows that the author's query returned: a page, and one more row if more follow.
#[derive(Clone, Debug)]
pub(crate) struct KeysetRows {
    order: u16,
    limit: usize,
    /// The keys of each row of the page and of the one after it, as JSON arrays.
    values: Vec<String>,
    /// The row after which the rows begin.
    after: Option<After>,
    /// Whether the call's cursor names a place in a part of these rows.
    is_place: bool,
}

impl KeysetRows {
    /// How many rows are read: at most one more than the limit.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    pub fn limit(&self) -> usize {
        self.limit
    }

    pub fn has_more(&self) -> bool {
        self.len() > self.limit
    }

    pub fn after(&self) -> Option<&After> {
        self.after.as_ref()
    }

    /// The place of the rows after the first `shown` rows; `None` if there are none.
    pub fn next(&self, shown: usize) -> Option<After> {
        let is_last = shown >= self.len();
        let values = self.values.get(shown.checked_sub(1)?).filter(|_| !is_last)?.clone();
        Some(After { order: self.order, values })
    }

    /// The place before the first row.
    pub fn start(&self) -> After {
        After { order: self.order, values: "[]".to_owned() }
    }

    /// Removes the cursor from the controls if it only names these rows.
    pub fn adopt(&self, controls: &mut Controls) {
        if !self.is_place {
            controls.cursor = None;
        }
    }
}

pub(crate) fn page_size(controls: &Controls, settings: &Settings) -> usize {
    controls.page_size.or(settings.page_size).unwrap_or(PAGE_SIZE)
}

/// Reads a cursor to a page, or to a place in the part of a page that the call's pointer names.
pub(crate) fn decode(cursor: &str, controls: &Controls, settings: &Settings, call: &Call) -> Result<Cursor, Error> {
    let of_page = Binding::new(call, "", settings).decode(cursor).and_then(|mark| match mark.place {
        None => Ok(mark),
        Some(_) => Err(refuse("the list is paged by its sort keys now")),
    });
    match controls.requested() {
        RequestedFields::Part(one) if of_page.is_err() => Binding::new(call, one.written(), settings).decode(cursor),
        _ => of_page,
    }
}

/// The error for a row that the author's query got wrong.
fn fault(at: usize, field: &FieldPath, message: &str) -> Error {
    let way: String = field.segments().iter().map(|name| format!("/{}", json_pointer::escape(name))).collect();
    Error::new(ErrorCode::InvalidCall, message, format!("/rows/{at}{way}"))
}

/// A key as it is written in a message.
fn shown(key: &str) -> String {
    text_cuts::clipped(key, text_cuts::KEY_CHARS).into_owned()
}

/// The error for keys whose cursor leaves no room for a row.
pub(crate) fn too_long(budget: usize) -> Error {
    let message =
        format!("a cursor with these sort keys leaves no room for a row in {budget} tokens: sort by shorter ones");
    Error::new(ErrorCode::InvalidCall, message, "/keys")
}
