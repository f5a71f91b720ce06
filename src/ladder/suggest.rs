//! What to call instead: arguments that may fit. They are tried before a result suggests them.

use serde_json::{Map, Value, json};

use crate::base::error::Error;
use crate::base::field_path::FieldPath;
use crate::base::sorting::sort_by;
use crate::ladder::draft::Draft;
use crate::render::counted_rows::CountedRows;
use crate::render::elide::Omitted;
use crate::render::page::{Frame, ListFrame};
use crate::render::page_window::Window;
use crate::render::paginate::{self, PageFields};
use crate::request::call::Controls;
use crate::request::choice::Choice;
use crate::request::context::Context;
use crate::request::cursor::Unit;
use crate::request::declared::Output;
use crate::value::any_source::AnySource;
use crate::value::project::{Projected, Selection};
use crate::value::source::{Kind, RECORD_KEYS, Source, item};
use crate::value::token_estimate;

/// Arguments with which the same call may fit, the best first: a smaller `pageSize`, `fields`, and finally a cursor
/// that shows the result in parts.
///
/// The result also contains what the draft omits, and the total tokens, so they are already known when a candidate
/// is tried.
pub(crate) fn candidates(draft: &Draft<'_, '_, '_>) -> Result<Vec<Map<String, Value>>, Error> {
    let Draft { layout, omitted, weight, ref ctx, .. } = *draft;
    let value = &layout.value;
    let envelope = layout.envelope()?;
    let frame = match envelope {
        Some(envelope) if !envelope.is_list_itself() => envelope.frame(weight, ctx)?,
        _ => None,
    };
    let whole = ListFrame { ctx, pointer: "" };
    let mut candidates = match (value.kind(), envelope, frame) {
        (_, Some(envelope), _) if envelope.is_list_itself() => list(&envelope.list, omitted, &whole, ctx)?,
        (_, Some(envelope), Some(frame)) => list(&envelope.list, omitted, &frame, ctx)?,
        (Kind::Array, ..) => list(value, omitted, &whole, ctx)?,
        (Kind::Object, ..) => object_fields(value, ctx)?.into_iter().collect(),
        _ => Vec::new(),
    };
    let cursor = match ctx.keyset() {
        Some(rows) => ctx.encode_after(rows.start()).map(|cursor| object(json!({ "cursor": cursor }))),
        None => {
            let (unit, total) = match value.kind() {
                Kind::Array => (Unit::Rows, value.len()),
                Kind::Object => (Unit::Keys, value.len()),
                Kind::String => (Unit::Chars, value.chars()),
                _ => (Unit::Chars, value.json()?.len()),
            };
            from_start(unit, total, "", ctx)
        }
    };
    candidates.extend(cursor);
    Ok(candidates)
}

/// A cursor that shows the value at `pointer` in parts, from its start.
pub(crate) fn from_start(unit: Unit, total: usize, pointer: &str, ctx: &Context<'_>) -> Option<Map<String, Value>> {
    let cursor = ctx.cursor_to(unit, (0, total), total, 0, pointer)?;
    Some(object(json!({ "cursor": cursor })))
}

/// The call controls, with those of a suggestion in place of the old ones.
pub(crate) fn followed(controls: &Controls, suggestion: &Map<String, Value>) -> Controls {
    let mut controls = controls.clone();
    let number = |name: &str| suggestion.get(name).and_then(Value::as_u64);
    controls.page = number("page").or(controls.page);
    controls.page_size = number("pageSize").map(|size| size as usize).or(controls.page_size);
    let output = suggestion.get("output").and_then(Value::as_str);
    controls.output = output
        .and_then(|name| Output::ALL.iter().find(|(word, _)| *word == name))
        .map(|(_, output)| *output)
        .or(controls.output);
    if let Some(cursor) = suggestion.get("cursor").and_then(Value::as_str) {
        controls.cursor = Some(cursor.to_owned());
    }
    if let Some(fields) = suggestion.get("fields").and_then(Value::as_array) {
        controls.fields = fields.iter().filter_map(Value::as_str).map(FieldPath::parse).collect();
    }
    controls
}

fn list(
    list: &AnySource<'_>,
    omitted: &Omitted,
    frame: &dyn Frame,
    ctx: &Context<'_>,
) -> Result<Vec<Map<String, Value>>, Error> {
    let rows = &CountedRows::new(list, ctx);
    let window = Window::new(rows, ctx)?;
    let fields = PageFields { omitted: &omitted.names, ..PageFields::default() };
    let mut candidates = Vec::new();
    let mut size = match paginate::fill(rows, &window, fields, frame, ctx)? {
        Some(filled) if frame.is_lossless() && !filled.shortened => filled.returned,
        _ => 0,
    };
    // A smaller page has other facts and, after the first page, other rows. So it is tried before it is suggested.
    while size > 0 {
        let page = window.start / size + 1;
        let smaller = window.resized(page, size);
        if paginate::fill(rows, &smaller, fields, frame, ctx)?
            .is_some_and(|filled| filled.is_complete(&smaller) && frame.is_lossless())
        {
            let mut suggested = object(json!({ "pageSize": size }));
            if ctx.controls.page.is_some_and(|asked| asked != page as u64) {
                suggested.insert("page".to_owned(), json!(page));
            }
            candidates.push(suggested);
            break;
        }
        size -= 1;
    }
    let Some(row) = item(list, window.start)? else { return Ok(candidates) };
    let fits = |fields: &[FieldPath]| -> Result<bool, Error> {
        let selection = Selection::new(fields, &[]);
        let projected = AnySource::new(Projected::new(list.clone(), &selection));
        let filled = paginate::fill(&CountedRows::new(&projected, ctx), &window, PageFields::default(), frame, ctx)?;
        Ok(filled.is_some_and(|filled| filled.is_complete(&window) && frame.is_lossless()))
    };
    candidates.extend(smallest_fields(&row, fits)?);
    Ok(candidates)
}

fn object_fields(value: &AnySource<'_>, ctx: &Context<'_>) -> Result<Option<Map<String, Value>>, Error> {
    let fits = |fields: &[FieldPath]| -> Result<bool, Error> {
        let selection = Selection::new(fields, &[]);
        Ok(ctx.measure.json_within(&AnySource::new(Projected::new(value.clone(), &selection)), ctx.budget)?.is_some())
    };
    smallest_fields(value, fits)
}

/// The largest set of an object's fields that fits, taking the smallest first; in the object's order. For an object with more
/// keys than a record has, a cursor is suggested instead.
fn smallest_fields(
    value: &AnySource<'_>,
    fits: impl Fn(&[FieldPath]) -> Result<bool, Error>,
) -> Result<Option<Map<String, Value>>, Error> {
    let entries = value.entries_where(&mut |at, _| at <= RECORD_KEYS)?;
    if entries.is_empty() || entries.len() > RECORD_KEYS {
        return Ok(None);
    }
    let mut by_size = Vec::new();
    for (at, (_, value)) in entries.iter().enumerate() {
        by_size.push((token_estimate::chars(value)?, at));
    }
    sort_by(&mut by_size, Ord::cmp);
    let mut chosen: Vec<usize> = Vec::new();
    for (_, at) in by_size {
        chosen.push(at);
        sort_by(&mut chosen, Ord::cmp);
        let fields: Vec<FieldPath> = chosen.iter().map(|&at| FieldPath::of_key(&entries[at].0)).collect();
        if !fits(&fields)? {
            chosen.retain(|&kept| kept != at);
            break;
        }
    }
    if chosen.is_empty() {
        return Ok(None);
    }
    let names: Vec<String> =
        chosen.into_iter().map(|at| FieldPath::of_key(&entries[at].0).written().to_owned()).collect();
    Ok(Some(object(json!({ "fields": names }))))
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
