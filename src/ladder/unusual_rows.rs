//! Rows that differ from the others in a field: a value that hardly any row has, a value or a blank where hardly any row has one, a
//! number far from all others.
//!
//! The rows are read once, as they are written, with the first items of lists in them. How surprising their values are decides
//! ([`surprise`](toolshape_text::surprise)), and not what their fields are called. Of such a row several fields are shown.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashMap;

use toolshape_json::{next_member, skip_space, skip_string, skip_value};
use toolshape_text::prose::odd;
use toolshape_text::surprise::{self, Numbers, Odd, Values, Why};

use crate::base::error::Error;
use crate::base::field_path::FieldPath;
use crate::base::json_pointer;
use crate::base::json_string::{Quoted, quoted};
use crate::base::members::Members;
use crate::base::sorting::sort_by_key;
use crate::ladder::field_roles::{self, Role, RoleOfKeys};
use crate::ladder::row_fields::path_keys;
use crate::render::notes::unusual::{Rule, Seen};
use crate::request::context::Context;
use crate::value::at_pointer::at_pointer;
use crate::value::project::{Projected, Selection};
use crate::value::source::{CHUNK, Kind, Source, original_index, row_key};

/// With less room these rows take too much of it.
const LEAST_BUDGET: usize = 500;
/// Among fewer rows none is rare.
const FEWEST_ROWS: usize = 8;
/// The most bytes of rows that are looked at.
const MOST_BYTES: usize = 1 << 19;
/// These rows take at most 1/n of the budget.
const PARTS: usize = 3;
/// Those that have the largest number of a column at most 1/n.
const LARGEST_PARTS: usize = 8;
/// What is shown of a row has at most as many bytes as 1/n of the budget has tokens: all of it if it is short.
const ROW_PARTS: usize = 2;
/// How many keys lead to a field that is looked at and how many fields these are.
const DEEPEST: usize = 6;
const FIELDS: usize = 256;
/// The longest value that is shown.
const VALUE_BYTES: usize = 80;

/// The member `unusual` of a page: some of the list's rows, with their pointers and the rules that chose them.
///
/// `list` is the pointer to the rows; those of a part have another one. Without a store rows are read only where that costs
/// little: those of a text. A row that cannot be read ends the looking and not the call.
pub(crate) fn of_rows<S: Source>(rows: &S, list: &str, ctx: &Context<'_>) -> Option<Members> {
    let is_read = ctx.handle(true).is_some() || ctx.text.is_some();
    if rows.len() < FEWEST_ROWS || ctx.budget < LEAST_BUDGET || !ctx.base.is_empty() || !is_read {
        return None;
    }
    let mut tally = Tally { of: rows.len(), ..Tally::default() };
    // What was read before a row that cannot be read is looked at.
    let _ = tally.read(rows);
    if tally.rows < FEWEST_ROWS {
        return None;
    }
    let seen = Seen { rows: tally.rows, is_all: tally.rows == rows.len() };
    let name = tally.name();
    let shown = tally.without_constants();
    let mut found: Vec<(Odd, usize)> = Vec::new();
    for (at, field) in tally.fields.iter_mut().enumerate() {
        found.extend(field.odd(tally.rows).into_iter().map(|odd| (odd, at)));
    }
    // A second row of a field says half as much as the first.
    found.retain(|(odd, _)| odd.bits >= surprise::LEAST);
    // In every column of numbers one is the largest.
    sort_by_key(&mut found, |(odd, field)| (odd.why == Why::Extreme, Reverse(odd.bits), tally.fields[*field].depth));
    let mut unusual: Vec<Unusual> = Vec::new();
    for (Odd { row, why, .. }, field) in found {
        match unusual.iter_mut().find(|known| known.row == row) {
            Some(known) if known.fields.iter().any(|(known, _)| *known == field) => {}
            Some(known) => known.fields.push((field, why)),
            None => unusual.push(Unusual { row, fields: vec![(field, why)] }),
        }
    }
    let mut left = ctx.budget / PARTS;
    let mut written = Vec::new();
    for row in unusual {
        let is_largest = row.fields[0].1 == Why::Extreme;
        let Ok(row) =
            row.written(rows, list, (&tally.fields, name.as_deref(), shown.as_ref()), seen, ctx.budget / ROW_PARTS)
        else {
            break;
        };
        if is_largest {
            left = left.min(ctx.budget / LARGEST_PARTS);
        }
        let Some(rest) = left.checked_sub(ctx.measure.count(&row) + 1) else { break };
        left = rest;
        written.push(row);
    }
    if written.is_empty() {
        return None;
    }
    let mut out = Members::new();
    out.list("unusual", &written);
    Some(out)
}

/// A row that differs from the others in some fields, the most telling first.
struct Unusual {
    row: usize,
    fields: Vec<(usize, Why)>,
}

impl Unusual {
    fn written<S: Source>(
        &self,
        rows: &S,
        list: &str,
        (fields, name, shown): (&[Field], Option<&[String]>, Option<&Selection>),
        seen: Seen,
        most: usize,
    ) -> Result<String, Error> {
        let items = rows.items(self.row, 1)?;
        let place = match items.first().and_then(row_key) {
            Some(key) => json_pointer::escape(&Quoted::new(key).text()).into_owned(),
            None => original_index(rows, self.row).to_string(),
        };
        let mut out = Members::new();
        out.text("pointer", &format!("{list}/{place}"));
        // A short row says all that it has and not all others have.
        let own = items.first().map(|row| match shown {
            Some(shown) if row.kind() == Kind::Object => {
                Ok(Projected::new(row.clone(), shown).json_up_to(most)?.map(Cow::into_owned))
            }
            _ => Ok::<_, Error>(row.json_up_to(most)?.map(Cow::into_owned)),
        });
        let row = own.transpose()?.flatten();
        if let Some(row) = &row {
            out.json("row", row);
        } else if let Some(name) = name.map(|name| short(rows, self.row, name)).transpose()?.flatten() {
            out.json("name", &name);
        }
        let (first, why) = self.fields[0];
        let first = &fields[first];
        let value = short(rows, self.row, &first.steps())?;
        out.text("field", &first.written);
        if let Some(value) = value.as_ref().filter(|_| row.is_none()) {
            out.json("value", value);
        }
        out.text("rule", &first.rule(rows, why, value.is_none(), seen)?);
        let mut also = Members::new();
        let mut left = if row.is_none() { most } else { 0 };
        for (field, _) in &self.fields[1..] {
            let field = &fields[*field];
            let Some(value) = short(rows, self.row, &field.steps())? else { continue };
            let Some(rest) = left.checked_sub(field.written.len() + value.len()) else { break };
            left = rest;
            also.json_under(&quoted(&field.written), &value);
        }
        if !also.is_empty() {
            out.object("also", &also);
        }
        Ok(out.into_object())
    }
}

/// A value of a row, if it is short and no object: its members have places of their own.
fn short<S: Source>(rows: &S, row: usize, path: &[String]) -> Result<Option<String>, Error> {
    let items = rows.items(row, 1)?;
    let Some(value) = items.first().map(|row| at_pointer(row, path)).transpose()?.flatten() else { return Ok(None) };
    if value.kind() == Kind::Object
        || value.kind() == Kind::Array && value.items(0, 1)?.iter().any(|item| item.kind().is_container())
    {
        return Ok(None);
    }
    let json = value.json_up_to(VALUE_BYTES)?.map(|json| json.into_owned());
    Ok(json.filter(|json| !is_blank(json)))
}

fn is_blank(json: &str) -> bool {
    matches!(json, "null" | "\"\"" | "[]" | "{}")
}

/// What a value of a field holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    Value,
    Fields,
    /// A list, or an object that is not looked at.
    Anything,
}

/// What is known of a field of the rows.
struct Field {
    path: String,
    written: String,
    says: RoleOfKeys,
    depth: usize,
    /// The row that was seen last, from 1; how many rows have a value that is not empty, and the sum of their numbers: what is missing in
    /// it is the row without.
    last: usize,
    filled: usize,
    sum: usize,
    /// Whether its last value has fields of its own, or what is not looked at.
    holds: Holds,
    /// `None` once too many are different.
    values: Option<Values>,
    forms: Option<Values>,
    /// `None` once one of them is not a number.
    numbers: Option<Numbers>,
}

impl Field {
    fn new(path: &str) -> Self {
        let steps = &path_keys(path);
        // The first item of a list is named as the list is.
        let keys = &steps.iter().filter(|step| json_pointer::index(step).is_none()).cloned().collect::<Vec<_>>();
        let is_id = keys.last().is_some_and(|key| field_roles::is_id(key));
        Self {
            path: path.to_owned(),
            written: FieldPath::of_keys(steps).written().to_owned(),
            says: field_roles::of_keys(keys),
            depth: keys.len(),
            last: 0,
            filled: 0,
            sum: 0,
            holds: Holds::Value,
            values: Some(Values::default()),
            forms: Some(Values::default()),
            numbers: (!is_id).then(Numbers::default),
        }
    }

    fn steps(&self) -> Vec<String> {
        path_keys(&self.path)
    }

    /// Notes its value in a row, of `rows`, which is counted from 1.
    fn note(&mut self, row: usize, json: &str, rows: usize) {
        if self.last == row || is_blank(json) {
            return;
        }
        self.last = row;
        self.holds = match json.as_bytes()[0] {
            b'{' if self.depth < DEEPEST => Holds::Fields,
            b'{' | b'[' => Holds::Anything,
            _ => Holds::Value,
        };
        self.filled += 1;
        self.sum += row;
        if self.values.is_some() || self.forms.is_some() {
            // What is in an object or a list has fields of its own.
            let own = if json.starts_with(['{', '[']) { &json[..1] } else { json };
            let (own, form) = odd::hashes(own);
            Values::note_of(&mut self.values, row - 1, own, rows);
            Values::note_of(&mut self.forms, row - 1, form, rows);
        }
        if let Some(numbers) = &mut self.numbers {
            match number(json) {
                Some(number) => numbers.note(row - 1, number),
                None => self.numbers = None,
            }
        }
    }

    /// The rows that it makes unusual, of `rows`.
    fn odd(&mut self, rows: usize) -> Vec<Odd> {
        let blank = (rows * (rows + 1) / 2 - self.sum).wrapping_sub(1);
        let odd_of = |values: Option<Values>, blank| {
            let mut values = values?;
            values.note_blank(rows - self.filled, blank);
            Some(values.odd())
        };
        let mut odd = odd_of(self.values.take(), Some(blank)).unwrap_or_default();
        let forms = odd_of(self.forms.take(), None).unwrap_or_default().into_iter().filter_map(|odd| match odd.why {
            Why::Shared(count) => Some(Odd { why: Why::Form(count), ..odd }),
            _ => None,
        });
        if odd.is_empty() {
            odd.extend(forms);
        }
        let numbers = self.numbers.take().filter(|_| self.filled >= FEWEST_ROWS);
        odd.extend(numbers.map(Numbers::odd).unwrap_or_default());
        odd
    }

    /// Why a row is unusual.
    fn rule<S: Source>(&self, rows: &S, why: Why, is_empty: bool, seen: Seen) -> Result<String, Error> {
        let rule = match why {
            Why::Beyond(low, high) => {
                let of = |row: usize| Ok::<_, Error>(short(rows, row, &self.steps())?.unwrap_or_default());
                Rule::Others(of(low)?, of(high)?)
            }
            Why::Form(count) => Rule::Form(count),
            Why::Extreme => Rule::Largest,
            _ if is_empty && self.filled + 1 == seen.rows => Rule::Empty,
            _ if self.filled == 1 => Rule::Filled,
            Why::Shared(count) if !surprise::is_rare(self.filled, seen.rows) => Rule::InRows(count),
            _ => Rule::FilledIn(self.filled),
        };
        Ok(rule.text(seen))
    }
}

/// The number that a value is, printed or not.
fn number(json: &str) -> Option<f64> {
    match json.as_bytes()[0] {
        b'-' | b'0'..=b'9' => json.parse().ok(),
        b'"' if json.len() <= VALUE_BYTES => {
            let text = Quoted::new(json).text();
            // `3187 (41s ago)`
            let (bare, _) = text.split_once(" (").filter(|_| text.ends_with(')')).unwrap_or((&*text, ""));
            odd::value(bare).filter(|_| bare.split(' ').count() <= 2)
        }
        _ => None,
    }
}

/// The fields of the rows that were read.
#[derive(Default)]
struct Tally {
    rows: usize,
    /// How many there are.
    of: usize,
    fields: Vec<Field>,
    places: HashMap<String, usize>,
    /// Where the next field is looked for first: most rows have the same members in the same order.
    next: usize,
    /// The keys that lead to what is read, each as a JSON string literal, one after the other.
    path: String,
}

impl Tally {
    fn read<S: Source>(&mut self, rows: &S) -> Result<(), Error> {
        let mut left = MOST_BYTES;
        for start in (0..rows.len()).step_by(CHUNK) {
            for row in rows.items(start, CHUNK)? {
                let json = if row.kind().is_container() { row.json_up_to(left)? } else { None };
                let Some(json) = json else { return Ok(()) };
                left -= json.len();
                self.rows += 1;
                self.next = 0;
                match row.kind() {
                    Kind::Array => self.cells(&json),
                    _ => _ = self.object(&json, 0, 1),
                }
            }
        }
        Ok(())
    }

    /// Reads the members of the object at a place in checked JSON, and returns its end.
    fn object(&mut self, json: &str, start: usize, depth: usize) -> usize {
        let bytes = json.as_bytes();
        let mut at = skip_space(bytes, start + 1);
        while bytes[at] != b'}' {
            let key_end = skip_string(bytes, at);
            let outer = self.path.len();
            self.path += &json[at..key_end];
            let value = skip_space(bytes, skip_space(bytes, key_end) + 1);
            let field = self.field();
            let end = match bytes[value] {
                b'{' if depth < DEEPEST => self.object(json, value, depth + 1),
                b'[' if depth < DEEPEST => self.first_item(json, value, depth + 1),
                _ => skip_value(bytes, value),
            };
            if let Some(field) = field {
                self.fields[field].note(self.rows, &json[value..end], self.of);
            }
            self.path.truncate(outer);
            at = next_member(bytes, end);
        }
        at + 1
    }

    /// Reads the items of a row that is a list: their places are its fields.
    fn cells(&mut self, json: &str) {
        let bytes = json.as_bytes();
        let (mut at, mut place) = (skip_space(bytes, 1), 0);
        while bytes[at] != b']' && place < FIELDS {
            self.path = quoted(&place.to_string());
            let field = self.field();
            let end = skip_value(bytes, at);
            if let Some(field) = field {
                self.fields[field].note(self.rows, &json[at..end], self.of);
            }
            at = next_member(bytes, end);
            place += 1;
        }
        self.path.clear();
    }

    /// Reads the first item of the list at a place, if it is an object, and returns the end of the list.
    fn first_item(&mut self, json: &str, start: usize, depth: usize) -> usize {
        let item = skip_space(json.as_bytes(), start + 1);
        if json.as_bytes()[item] == b'{' {
            let outer = self.path.len();
            self.path += "\"0\"";
            self.object(json, item, depth);
            self.path.truncate(outer);
        }
        skip_value(json.as_bytes(), start)
    }

    /// All fields but those with one value in all rows; `None` if there are more than are looked at.
    fn without_constants(&self) -> Option<Selection> {
        let is_shown = |field: &&Field| match field.holds {
            Holds::Fields => false,
            Holds::Anything => true,
            Holds::Value => {
                field.filled < self.rows || field.values.as_ref().is_none_or(|values| values.distinct() > 1)
            }
        };
        let paths = |field: &Field| {
            let steps = field.steps();
            let is_listed = steps.iter().any(|step| json_pointer::index(step).is_some());
            (!is_listed).then(|| FieldPath::of_keys(&steps))
        };
        let shown = || self.fields.iter().filter(is_shown).filter_map(paths).collect::<Vec<_>>();
        (self.fields.len() < FIELDS).then(|| Selection::new(&shown(), &[]))
    }

    /// The path of the field that says what a row is called: its name, or else its identity.
    fn name(&self) -> Option<Vec<String>> {
        let is_name = |field: &&Field| {
            let is_role = field.says.role == Some(Role::Name) || field.says.is_identity();
            is_role && !field.says.is_of_another && field.depth <= 2 && field.filled == self.rows
        };
        let rank = |field: &&Field| (field.says.role != Some(Role::Name), field.depth, field.says.doubt);
        self.fields.iter().filter(is_name).min_by_key(rank).map(|field| path_keys(&field.path))
    }

    /// The place of the field at the path; `None` if there are too many.
    fn field(&mut self) -> Option<usize> {
        if self.fields.get(self.next).is_some_and(|field| field.path == self.path) {
            self.next += 1;
            return Some(self.next - 1);
        }
        let at = match self.places.get(&self.path) {
            Some(&at) => at,
            None if self.fields.len() == FIELDS => return None,
            None => {
                self.fields.push(Field::new(&self.path));
                self.places.insert(self.path.clone(), self.fields.len() - 1);
                self.fields.len() - 1
            }
        };
        self.next = at + 1;
        Some(at)
    }
}
