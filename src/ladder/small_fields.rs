//! The small fields of wide rows: with them alone a page shows many more rows.
//!
//! The first rows are looked at. Of their small members, and of those of the objects and lists in them, those are chosen
//! that tell rows apart, outer ones before inner ones, until a row takes its share of a page. What is suggested was tried.

use crate::base::error::Error;
use crate::base::field_path::FieldPath;
use crate::base::json_string::Quoted;
use crate::base::sorting::sort_by_key;
use crate::render::page::SmallFields;
use crate::request::view::View;
use crate::value::any_source::AnySource;
use crate::value::json_text::JsonText;
use crate::value::project::{Projected, Selection};
use crate::value::source::{Kind, Source};

/// Rows that are looked at, and members of each object in them.
const SAMPLED: usize = 6;
const MEMBERS: usize = 64;
/// A smaller row is read from its JSON text.
const READ_BYTES: usize = 1 << 14;
/// A larger value is no small field.
const SMALL_TOKENS: usize = 32;
const SMALL_BYTES: usize = 200;
/// The tokens of what surrounds the rows of a page.
const FRAME: usize = 160;
/// With less room the suggestion itself would take too much of it.
const LEAST_ROOM: usize = 2 * FRAME;
/// At most so many fields are suggested.
const MOST_FIELDS: usize = 12;
/// Rows of a page.
const ROWS: usize = 20;
/// Fields are worth a suggestion if so many times as many rows fit.
const TIMES: usize = 2;

/// In fewer tokens a row says hardly anything.
const ROW_TOKENS: usize = 40;
const FEWEST_FIELDS: usize = 2;
/// Fewer rows are no page.
const FEWEST_ROWS: usize = 5;
/// Less is paid for a name, a state or a small number; a value that costs more is an id, a date or a text.
const CHEAP: usize = 10;
/// How often a field is taken away because the rows do not fit.
const TRIES: usize = 4;
/// Bytes of a token in rows that are not short of room.
const TOKEN_BYTES: usize = 3;

/// A member of the sampled rows.
struct Member {
    path: Vec<String>,
    /// Its tokens in all sampled rows, with its key.
    tokens: usize,
    /// In how many rows it is.
    count: usize,
    first: String,
    varies: bool,
    has_words: bool,
}

impl Member {
    /// Tokens in a row.
    fn cost(&self) -> usize {
        self.tokens.div_ceil(self.count)
    }

    /// How much a reader has of it: what tells rows apart and is cheap or in words is the best, and has the lowest rank.
    fn rank(&self) -> (usize, usize) {
        let is_dear = self.cost() > CHEAP && !self.has_words;
        let is_constant = match (self.varies, self.first.as_str()) {
            (true, _) => 0,
            (false, "null" | "true" | "false" | "\"\"") => 2,
            (false, _) => 1,
        };
        // The numbers of what is inside a row are ids, and there is mostly a name beside.
        let is_inner_number = self.path.len() > 1 && !self.first.starts_with('"');
        (usize::from(is_dear) + is_constant + usize::from(is_inner_number), self.path.len())
    }
}

/// The small fields of a list's rows, if a page holds many more rows with them alone.
///
/// # Errors
/// Whatever reading the rows reports.
pub(crate) fn of_rows(list: &AnySource<'_>, cx: &View<'_>) -> Result<Option<SmallFields>, Error> {
    let room = cx.budget.saturating_sub(FRAME);
    if room < LEAST_ROOM {
        return Ok(None);
    }
    let wanted = match list.len() <= cx.settings.paginate_after {
        true => list.len(),
        false => cx.controls.page_size.or(cx.settings.page_size).unwrap_or(ROWS).min(list.len()),
    };
    let sample = list.items(0, SAMPLED)?;
    if sample.len() < 2 || sample.iter().any(|row| row.kind() != Kind::Object) {
        return Ok(None);
    }
    let bytes: usize = sample.iter().map(|row| row.min_bytes(room * TOKEN_BYTES)).sum();
    if bytes / sample.len() * wanted <= room * TOKEN_BYTES {
        return Ok(None);
    }
    let whole = rows_within(list, room, cx)?;
    let wanted = wanted.min(room / ROW_TOKENS);
    if wanted < FEWEST_ROWS.min(list.len()) || whole.saturating_mul(TIMES) >= wanted {
        return Ok(None);
    }
    let mut members = Vec::new();
    for row in &sample {
        if row.min_bytes(READ_BYTES) > READ_BYTES {
            note_members(row, &[], &mut members, cx)?;
            continue;
        }
        // A host writes a row in less time than it takes to ask it for each member.
        let json = row.json()?;
        note_members(&AnySource::new(JsonText::checked(&json)), &[], &mut members, cx)?;
    }
    sort_by_key(&mut members, Member::rank);
    let (share, mut taken, mut fields) = (room / wanted, 2, Vec::new());
    for member in &members {
        if fields.len() < MOST_FIELDS && taken + member.cost() <= share {
            taken += member.cost();
            fields.push(FieldPath::of_keys(&member.path));
        }
    }
    for _ in 0..TRIES {
        if fields.len() < FEWEST_FIELDS {
            break;
        }
        let selection = Selection::new(&fields, &[]);
        let rows = rows_within(&AnySource::new(Projected::new(list.clone(), &selection)), room, cx)?;
        if rows >= wanted {
            let fields = fields.iter().map(|field| field.written().to_owned()).collect();
            return Ok(Some(SmallFields { fields, rows: wanted }));
        }
        fields.pop();
    }
    Ok(None)
}

/// How many of a list's first rows fit.
fn rows_within(list: &AnySource<'_>, room: usize, cx: &View<'_>) -> Result<usize, Error> {
    let (mut left, mut rows) = (room, 0);
    while rows < list.len() {
        for row in list.items(rows, SAMPLED)? {
            let key = row.key().map_or(0, |key| cx.measure.count(key) + 1);
            let Some((_, tokens)) = cx.measure.json_within(&row, left)? else { return Ok(rows) };
            let Some(rest) = left.checked_sub(tokens + key + 1) else { return Ok(rows) };
            left = rest;
            rows += 1;
        }
    }
    Ok(rows)
}

/// Notes the small members of an object, and of the objects and lists of objects in it.
fn note_members(
    object: &AnySource<'_>,
    path: &[String],
    members: &mut Vec<Member>,
    cx: &View<'_>,
) -> Result<(), Error> {
    for (key, value) in object.entries_where(&mut |at, _| at < MEMBERS)? {
        let mut inside = path.to_vec();
        inside.push(Quoted::new(&key).text().into_owned());
        let is_small = value.min_bytes(SMALL_BYTES) <= SMALL_BYTES;
        let first = if value.kind() == Kind::Array { value.items(0, 1)?.pop() } else { None };
        match (value.kind(), first) {
            (Kind::Object, _) if path.is_empty() => note_members(&value, &inside, members, cx)?,
            (_, Some(first)) if path.is_empty() && first.kind() == Kind::Object => {
                note_members(&first, &inside, members, cx)?;
            }
            (_, Some(first)) if first.kind().is_container() => {}
            (Kind::Object, _) => {}
            _ if is_small => note(inside, &key, value.json()?.into_owned(), members, cx),
            _ => {}
        }
    }
    Ok(())
}

fn note(path: Vec<String>, key: &str, json: String, members: &mut Vec<Member>, cx: &View<'_>) {
    let tokens = cx.measure.count(&json);
    // Addresses are long, and follow from the ids.
    if tokens > SMALL_TOKENS || json.starts_with("\"http://") || json.starts_with("\"https://") {
        return;
    }
    let tokens = tokens + cx.measure.count(key) + 2;
    match members.iter_mut().find(|member| member.path == path) {
        Some(member) => {
            member.tokens += tokens;
            member.count += 1;
            member.varies |= member.first != json;
        }
        None => {
            let has_words = json.contains(' ');
            members.push(Member { path, tokens, count: 1, first: json, varies: false, has_words });
        }
    }
}
