//! Rows that differ from the others in one field: a state that hardly any row has, a value where hardly any row has one, an empty
//! value that no other row has, a number far from all others or at the limit of its unit.
//!
//! The first rows are read once, as they are written, with the first items of lists in them. Printed numbers are read, as `62K` and
//! `1.3s`. A rule names three rows at most, so that it is true of few rows whatever the list is, and each field has its row before a
//! second one of another. Fields whose values name rows, and texts, have no rule.

use std::collections::HashMap;

use toolshape_json::{next_member, skip_space, skip_string, skip_value};
use toolshape_text::values::column::{Reading, Survey, Value};

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
use crate::value::source::{CHUNK, Kind, Source, original_index, row_key};
use crate::value::structured_text::TextFormat;

/// With less room these rows take too much of it.
const LEAST_BUDGET: usize = 500;
/// Among fewer rows none is rare.
const FEWEST_ROWS: usize = 20;
/// The most rows that are looked at, and the most bytes of them.
const MOST_ROWS: usize = 1000;
const MOST_BYTES: usize = 1 << 17;
/// The most rows that are named.
const NAMED: usize = 3;
/// A state is rare in at most 1/n of the rows.
const RARE: usize = 20;
/// A field of more values is not a state.
const STATES: usize = 8;
/// A number is far away if it is this many times the range of the others from the nearest of them.
const FAR: f64 = 3.0;
/// How many keys lead to a field that is looked at and how many fields these are.
const DEEPEST: usize = 6;
const FIELDS: usize = 256;
/// A share of this many percent is all of it.
const ALL: f64 = 100.0;
/// The longest value that is shown, the longest name, and the longest row.
const VALUE_BYTES: usize = 40;
const NAME_BYTES: usize = 80;
const ROW_BYTES: usize = 400;

/// The member `unusual` of a page: up to three of the list's rows, with their pointers and the rules that chose them.
///
/// `list` is the pointer to the rows; those of a part have another one. Without a store rows are read only where that costs
/// little: those of a printed table. A row that cannot be read ends the looking and not the call.
pub(crate) fn of_rows<S: Source>(rows: &S, list: &str, ctx: &Context<'_>) -> Option<Members> {
    let printed = ctx.text.as_ref().filter(|text| text.format == TextFormat::Table);
    let is_read = ctx.handle(true).is_some() || printed.is_some();
    if rows.len() < FEWEST_ROWS || ctx.budget < LEAST_BUDGET || !ctx.base.is_empty() || !is_read {
        return None;
    }
    let mut tally = Tally::default();
    // What was read before a row that cannot be read is looked at.
    let _ = tally.read(rows);
    if tally.rows < FEWEST_ROWS {
        return None;
    }
    let seen = Seen { rows: tally.rows, is_all: tally.rows == rows.len() };
    let mut found: Vec<(usize, Unusual)> = Vec::new();
    for field in &tally.fields {
        found.extend(field.unusual(tally.rows).into_iter().enumerate());
    }
    // The first of each field, then the second of each.
    sort_by_key(&mut found, |(place, unusual)| (*place, unusual.rank));
    let mut found: Vec<Unusual> = found.into_iter().map(|(_, unusual)| unusual).collect();
    let rare = printed.map_or(&[][..], |text| &text.rare);
    let by_any_cell = |&row| Unusual { row, field: String::new(), value: None, rule: Rule::Unlike, rank: (4, 0) };
    found.extend(rare.iter().map(by_any_cell));
    let mut named: Vec<Unusual> = Vec::new();
    for unusual in found {
        if named.len() < NAMED && !named.iter().any(|known| known.row == unusual.row) {
            named.push(unusual);
        }
    }
    let name = tally.name();
    let written: Result<Vec<String>, Error> = named
        .iter()
        .map(|unusual| {
            let shown = if rare.contains(&unusual.row) { Shown::Whole } else { Shown::Name(name.as_deref()) };
            unusual.written(rows, list, shown, seen)
        })
        .collect();
    let written = written.ok().filter(|written| !written.is_empty())?;
    let mut out = Members::new();
    out.list("unusual", &written);
    Some(out)
}

/// What is shown of a row that differs.
enum Shown<'n> {
    /// All of it, if it is short.
    Whole,
    /// The field at a path, which says what it is called.
    Name(Option<&'n [String]>),
}

/// A row that differs from the others in a field.
struct Unusual {
    row: usize,
    /// Empty where all of the row differs.
    field: String,
    /// Its value as JSON; `None` if it is empty or not shown.
    value: Option<String>,
    rule: Rule,
    /// The lowest is the most telling.
    rank: (usize, usize),
}

impl Unusual {
    fn written<S: Source>(&self, rows: &S, list: &str, shown: Shown<'_>, seen: Seen) -> Result<String, Error> {
        let row = rows.items(self.row, 1)?;
        let place = match row.first().and_then(row_key) {
            Some(key) => json_pointer::escape(&Quoted::new(key).text()).into_owned(),
            None => original_index(rows, self.row).to_string(),
        };
        let mut out = Members::new();
        out.text("pointer", &format!("{list}/{place}"));
        let mut is_whole = false;
        match (shown, row.first()) {
            (Shown::Whole, Some(row)) => {
                if let Some(json) = row.json_up_to(ROW_BYTES)? {
                    out.json("row", &json);
                    is_whole = true;
                }
            }
            (Shown::Name(Some(path)), Some(row)) => {
                if let Some(name) = at_pointer(row, path)?
                    && let Some(json) = name.json_up_to(NAME_BYTES)?.filter(|_| !name.kind().is_container())
                {
                    out.json("name", &json);
                }
            }
            _ => {}
        }
        if !self.field.is_empty() {
            out.text("field", &self.field);
        }
        if let Some(value) = self.value.as_ref().filter(|value| value.len() <= VALUE_BYTES && !is_whole) {
            out.json("value", value);
        }
        out.text("rule", &self.rule.text(seen));
        Ok(out.into_object())
    }
}

/// What is known of a field of the rows.
struct Field {
    path: String,
    written: String,
    says: RoleOfKeys,
    /// Whether its own name is plain, and not that of something else.
    is_named: bool,
    /// Whether it refers to something else.
    is_reference: bool,
    depth: usize,
    /// Whether its states are compared, or its numbers.
    has_states: bool,
    has_numbers: bool,
    is_code: bool,
    /// The first texts that may be printed numbers, and what all texts can be read as.
    texts: Vec<(usize, String)>,
    survey: Survey,
    /// The first values, and their rows: one more than may be named at most.
    first: Vec<(String, usize)>,
    /// The row that was seen last, from 1.
    last: usize,
    /// How many rows have a value that is not empty, and the sum of their numbers from 1: what is missing in it is the row without.
    filled: usize,
    sum: usize,
    /// Each value, and the rows that have it: one more than may be named at most.
    states: Vec<(String, Vec<usize>)>,
    /// The least numbers and the greatest: one more of each than may be named.
    least: Vec<Number>,
    greatest: Vec<Number>,
}

/// A number of a row.
#[derive(Clone)]
struct Number {
    value: f64,
    json: String,
    row: usize,
}

impl Field {
    fn new(path: &str) -> Self {
        let steps = &path_keys(path);
        // The first item of a list is named as the list is.
        let keys = &steps.iter().filter(|step| json_pointer::index(step).is_none()).cloned().collect::<Vec<_>>();
        let says = field_roles::of_keys(keys);
        let is_named = keys.iter().all(|key| field_roles::is_plain_name(key)) && !says.is_of_another;
        let is_amount = matches!(says.role, None | Some(Role::Amount));
        Self {
            path: path.to_owned(),
            written: FieldPath::of_keys(steps).written().to_owned(),
            is_reference: keys.last().is_some_and(|key| field_roles::is_reference(key)),
            depth: keys.len(),
            has_states: is_named && says.role == Some(Role::State),
            has_numbers: is_named && is_amount && !field_roles::is_code(keys),
            is_code: field_roles::is_code(keys),
            texts: Vec::new(),
            survey: Survey::default(),
            first: Vec::new(),
            says,
            is_named,
            last: 0,
            filled: 0,
            sum: 0,
            states: Vec::new(),
            least: Vec::new(),
            greatest: Vec::new(),
        }
    }

    /// Notes its value in a row, which is counted from 1.
    fn note(&mut self, row: usize, json: &str) {
        if self.last == row || matches!(json, "null" | "\"\"" | "[]" | "{}") {
            return;
        }
        self.last = row;
        self.filled += 1;
        self.sum += row;
        if self.first.len() <= NAMED {
            self.first.push((json.to_owned(), row));
        }
        if json.starts_with('"') {
            // A longer text is not a number.
            let text = Quoted::new(if json.len() <= VALUE_BYTES { json } else { "\"…\"" }).text();
            if self.survey.note(&text).is_some() || text.bytes().any(|byte| byte.is_ascii_digit()) {
                self.texts.push((row, text.into_owned()));
            }
        }
        match json.as_bytes()[0] {
            b'"' | b't' | b'f' if self.has_states => {
                if let Some((_, rows)) = self.states.iter_mut().find(|(known, _)| known == json) {
                    if rows.len() <= NAMED {
                        rows.push(row);
                    }
                } else if self.states.len() < STATES {
                    self.states.push((json.to_owned(), vec![row]));
                } else {
                    self.has_states = false;
                }
            }
            b'"' => self.has_states = false,
            b'-' | b'0'..=b'9' if self.has_numbers => match json.parse() {
                Ok(value) => {
                    keep(&mut self.least, value, json, row, |a, b| a < b);
                    keep(&mut self.greatest, value, json, row, |a, b| a > b);
                }
                Err(_) => self.has_numbers = false,
            },
            _ => (self.has_states, self.has_numbers) = (false, false),
        }
    }

    /// What of it differs from the others in `rows` rows, from the most telling on.
    fn unusual(&self, rows: usize) -> Vec<Unusual> {
        let unusual = |row: usize, value: Option<&str>, rule, rank| Unusual {
            row: row - 1,
            field: self.written.clone(),
            value: value.map(str::to_owned),
            rule,
            rank: (rank, self.depth),
        };
        let mut found = Vec::new();
        if self.has_states {
            for (value, in_rows) in rare(&self.states, rows) {
                found.extend(in_rows.iter().map(|&row| unusual(row, Some(value), Rule::InRows(in_rows.len()), 0)));
            }
        }
        let most = NAMED.min(rows / RARE);
        let (mut least, mut greatest) = (self.least.clone(), self.greatest.clone());
        let reading = self.survey.reading(&self.written);
        let is_measured = match &reading {
            Reading::Number { unit, .. } => !unit.is_empty() && self.is_named && !self.is_code || self.has_numbers,
            reading => reading.is_number() && self.is_named,
        };
        if is_measured {
            for (row, text) in &self.texts {
                if let Some(value) = number(&reading, text) {
                    let json = quoted(text);
                    keep(&mut least, value, &json, *row, |a, b| a < b);
                    keep(&mut greatest, value, &json, *row, |a, b| a > b);
                }
            }
        }
        let has_enough = self.filled >= FEWEST_ROWS && greatest.len() > NAMED;
        if has_enough && (self.has_numbers || is_measured) {
            let far = far(&greatest, &least, most).or_else(|| far(&least, &greatest, most));
            for (numbers, rule) in far.iter() {
                found.extend(numbers.iter().map(|far| unusual(far.row, Some(&far.json), rule.clone(), 1)));
            }
            if matches!(&reading, Reading::Number { unit, .. } if &**unit == "%") {
                let full = greatest.iter().take_while(|number| number.value >= ALL).count();
                let shown = greatest.iter().take(if full <= most { full } else { 0 });
                found.extend(shown.map(|at| unusual(at.row, Some(&at.json), Rule::InRows(full), 0)));
            }
        }
        if self.is_named && self.depth == 1 && self.filled == 1 && !self.is_reference {
            found.push(unusual(self.sum, None, Rule::Filled, 2));
        } else if self.is_named && !self.is_reference && self.filled <= most && self.says.role != Some(Role::Time) {
            let rank = |value: &str| if value.len() <= VALUE_BYTES { 2 } else { 3 };
            let rule = if self.filled == 1 { Rule::Filled } else { Rule::FilledIn(self.filled) };
            let scalars = self.first.iter().filter(|(value, _)| !value.starts_with(['[', '{']));
            found.extend(scalars.map(|(value, row)| unusual(*row, Some(value), rule.clone(), rank(value))));
        }
        if self.is_named && self.depth == 1 && self.says.role.is_some() && rows - self.filled == 1 {
            found.push(unusual(rows * (rows + 1) / 2 - self.sum, None, Rule::Empty, 3));
        }
        found
    }
}

/// The number that a text of a column is.
fn number(reading: &Reading, text: &str) -> Option<f64> {
    match reading.value(text.into()) {
        Value::Number(json) => json.parse().ok(),
        Value::Double(number) => Some(number),
        Value::Blank | Value::Text(_) => None,
    }
}

/// The states of the fewest rows, if these are few enough.
fn rare(states: &[(String, Vec<usize>)], rows: usize) -> Vec<&(String, Vec<usize>)> {
    let mut ordered: Vec<&(String, Vec<usize>)> = states.iter().collect();
    sort_by_key(&mut ordered, |(_, rows)| rows.len());
    let most = NAMED.min(rows / RARE);
    let mut count = 0;
    let fitting = |(_, in_rows): &&&(String, Vec<usize>)| {
        count += in_rows.len();
        count <= most
    };
    let taken = ordered.iter().take_while(fitting).count();
    // Of states that are equally rare either all are named or none.
    let is_tied = |taken: &usize| ordered.get(*taken).is_some_and(|next| next.1.len() == ordered[taken - 1].1.len());
    let taken = (1..=taken).rev().find(|taken| !is_tied(taken)).unwrap_or(0);
    if taken == ordered.len() { Vec::new() } else { ordered[..taken].to_vec() }
}

/// Keeps a number if it is before others that are kept.
fn keep(kept: &mut Vec<Number>, value: f64, json: &str, row: usize, is_before: fn(f64, f64) -> bool) {
    if kept.len() > NAMED && !kept.last().is_some_and(|last| is_before(value, last.value)) {
        return;
    }
    let at = kept.partition_point(|known| !is_before(value, known.value));
    kept.insert(at, Number { value, json: json.to_owned(), row });
    kept.truncate(NAMED + 1);
}

/// As many numbers at one end as are far from all others, at most `most`, and what the others are.
fn far<'n>(end: &'n [Number], other_end: &[Number], most: usize) -> Option<(&'n [Number], Rule)> {
    let last = &other_end[0];
    let count = (1..=most).rev().find(|&count| {
        let (nearest, next) = (&end[count - 1], &end[count]);
        (nearest.value - next.value).abs() > FAR * (next.value - last.value).abs()
    })?;
    let (low, high) = if last.value > end[count].value { (&end[count], last) } else { (last, &end[count]) };
    Some((&end[..count], Rule::Others(low.json.clone(), high.json.clone())))
}

/// The fields of the rows that were read.
#[derive(Default)]
struct Tally {
    rows: usize,
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
        for start in (0..rows.len().min(MOST_ROWS)).step_by(CHUNK) {
            for row in rows.items(start, CHUNK.min(MOST_ROWS - start))? {
                let json = if row.kind() == Kind::Object { row.json_up_to(left)? } else { None };
                let Some(json) = json else { return Ok(()) };
                left -= json.len();
                self.rows += 1;
                self.next = 0;
                self.object(&json, 0, 1);
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
                self.fields[field].note(self.rows, &json[value..end]);
            }
            self.path.truncate(outer);
            at = next_member(bytes, end);
        }
        at + 1
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

    /// The path of the field that says what a row is called: its name, or else its identity.
    fn name(&self) -> Option<Vec<String>> {
        let is_name = |field: &&Field| {
            let is_role = field.says.role == Some(Role::Name) || field.says.is_identity();
            is_role && field.is_named && field.depth <= 2 && field.filled == self.rows
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
