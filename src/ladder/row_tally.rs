//! What is known of the fields of a list's rows, read once as they are written, with the first items of lists in them.

use std::collections::HashMap;

use toolshape_json::{next_member, skip_space, skip_string, skip_value};
use toolshape_text::hash;
use toolshape_text::prose::cover::{self, Cover};
use toolshape_text::surprise::{Numbers, Odd, Values, Why};
use toolshape_text::values::printed_number;

use crate::base::error::Error;
use crate::base::field_path::FieldPath;
use crate::base::json_pointer;
use crate::base::json_string::{Quoted, quoted};
use crate::ladder::field_roles::{self, Role, RoleOfKeys};
use crate::ladder::row_fields::path_keys;
use crate::value::source::{CHUNK, Source};

/// Among fewer rows none is rare.
pub(crate) const FEWEST_ROWS: usize = 8;
/// The most bytes of rows that are looked at.
const MOST_BYTES: usize = 1 << 19;
/// How many keys lead to a field that is looked at and how many fields these are.
const DEEPEST: usize = 6;
const FIELDS: usize = 256;
/// The longest text that may be a printed number.
const NUMBER_BYTES: usize = 80;

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
pub(crate) struct Field {
    path: String,
    pub written: String,
    pub says: RoleOfKeys,
    pub depth: usize,
    /// The row that was seen last, from 1; how many rows have a value that is not empty, and the sum of their numbers: what is missing in
    /// it is the row without.
    last: usize,
    pub filled: usize,
    sum: usize,
    /// Bytes of its values.
    bytes: usize,
    /// Whether its last value has fields of its own, or what is not looked at.
    holds: Holds,
    /// Whether all values are the same.
    is_constant: bool,
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
            bytes: 0,
            holds: Holds::Value,
            is_constant: true,
            values: Some(Values::default()),
            forms: Some(Values::default()),
            numbers: (!is_id).then(Numbers::default),
        }
    }

    pub fn steps(&self) -> Vec<String> {
        path_keys(&self.path)
    }

    /// Notes its value in a row, of `rows`, which is counted from 1, with the hashes of the value and of its form.
    fn note(&mut self, row: usize, json: &str, (own, form): (u64, u64), rows: usize) {
        if self.last == row || is_blank(json) {
            return;
        }
        self.last = row;
        self.holds = match json.as_bytes()[0] {
            b'{' if self.depth < DEEPEST => Holds::Fields,
            b'[' if self.depth < DEEPEST && json.as_bytes()[skip_space(json.as_bytes(), 1)] == b'{' => Holds::Fields,
            b'{' | b'[' => Holds::Anything,
            _ => Holds::Value,
        };
        self.filled += 1;
        self.sum += row;
        self.bytes += json.len();
        if self.values.is_some() || self.forms.is_some() {
            Values::note_of(&mut self.values, row - 1, own, rows);
            Values::note_of(&mut self.forms, row - 1, form, rows);
            self.is_constant &= self.values.as_ref().is_some_and(|values| values.distinct() == 1);
        }
        if let Some(numbers) = &mut self.numbers {
            match number(json) {
                Some(number) => numbers.note(row - 1, number),
                None => self.numbers = None,
            }
        }
    }

    /// The rows that it makes unusual, of `rows`.
    pub fn odd(&mut self, rows: usize) -> Vec<Odd> {
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

    /// Whether its values are shown in a row, and are not the same in all of them.
    pub fn distinguishes(&self, rows: usize) -> bool {
        match self.holds {
            Holds::Fields => false,
            Holds::Anything => true,
            Holds::Value => self.filled > 0 && (self.filled < rows || !self.is_constant),
        }
    }

    /// The mean bytes of its values.
    pub fn mean_bytes(&self) -> usize {
        self.bytes.div_ceil(self.filled.max(1))
    }
}

/// The number that a value is, printed or not.
fn number(json: &str) -> Option<f64> {
    match json.as_bytes()[0] {
        b'-' | b'0'..=b'9' => json.parse().ok(),
        b'"' if json.len() <= NUMBER_BYTES => {
            let text = Quoted::new(json).text();
            // `3187 (41s ago)`
            let (bare, _) = text.split_once(" (").filter(|_| text.ends_with(')')).unwrap_or((&*text, ""));
            printed_number::value(bare).filter(|_| bare.split(' ').count() <= 2)
        }
        _ => None,
    }
}

/// The fields of the rows that were read.
#[derive(Default)]
pub(crate) struct Tally {
    pub rows: usize,
    /// How many there are.
    of: usize,
    /// The bytes of those that were read, and their words.
    pub bytes: usize,
    pub cover: Cover,
    /// The words of the row that is being read.
    words: Vec<u64>,
    pub fields: Vec<Field>,
    places: HashMap<String, usize>,
    /// Where the next field is looked for first: most rows have the same members in the same order.
    next: usize,
    /// The keys that lead to what is read, each as a JSON string literal, one after the other.
    path: String,
}

impl Tally {
    /// The tally of this many rows, of which none is read.
    pub fn new(rows: usize) -> Self {
        Self { of: rows, ..Self::default() }
    }

    /// Reads the first rows.
    ///
    /// # Errors
    /// Those of reading a row; those before it are read.
    pub fn read<S: Source>(&mut self, rows: &S) -> Result<(), Error> {
        if let Some(list) = rows.fast().and_then(|fast| fast.minified_here()) {
            self.read_in(list);
            return Ok(());
        }
        for start in (0..rows.len()).step_by(CHUNK) {
            for row in rows.items(start, CHUNK)? {
                let json = if row.kind().is_container() { row.json_up_to(MOST_BYTES - self.bytes)? } else { None };
                let Some(json) = json else { return Ok(()) };
                self.row(&json, 0);
            }
        }
        Ok(())
    }

    /// Reads the first rows of a list, in checked JSON.
    fn read_in(&mut self, list: &str) {
        let (bytes, mut at) = (list.as_bytes(), 1);
        while matches!(bytes.get(at), Some(b'{' | b'[')) {
            // What the whole rest has room for is not measured before.
            let left = MOST_BYTES - self.bytes;
            if bytes.len() - at > left && skip_value(bytes, at) - at > left {
                return;
            }
            at = next_member(bytes, self.row(list, at));
        }
    }

    /// Reads the row at a place in checked JSON, and returns its end.
    fn row(&mut self, json: &str, start: usize) -> usize {
        self.rows += 1;
        self.next = 0;
        let end = match json.as_bytes()[start] {
            b'[' => self.cells(json, start),
            _ => self.object(json, start, 1),
        };
        self.bytes += end - start;
        self.cover.add_words(self.words.drain(..), end - start, 1);
        end
    }

    /// Notes the value of a field in the row: a text by its words, any other value by its form.
    fn note(&mut self, field: usize, json: &str) {
        // What is in an object or a list has fields of its own.
        let is_container = json.starts_with(['{', '[']);
        let own = if is_container { &json[..1] } else { json };
        let hashes = hash::of_word(own);
        if own.contains(' ') {
            self.words.extend(cover::words(own));
        } else if !is_container {
            self.words.push(hash::mixed(hashes.1, field as u64));
        }
        self.fields[field].note(self.rows, json, hashes, self.of);
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
                self.note(field, &json[value..end]);
            }
            self.path.truncate(outer);
            at = next_member(bytes, end);
        }
        at + 1
    }

    /// Reads the items of a row that is a list, whose places are its fields, and returns its end.
    fn cells(&mut self, json: &str, start: usize) -> usize {
        let bytes = json.as_bytes();
        let (mut at, mut place) = (skip_space(bytes, start + 1), 0);
        while bytes[at] != b']' && place < FIELDS {
            self.path = quoted(&place.to_string());
            let field = self.field();
            let end = skip_value(bytes, at);
            if let Some(field) = field {
                self.note(field, &json[at..end]);
            }
            at = next_member(bytes, end);
            place += 1;
        }
        self.path.clear();
        if bytes[at] == b']' { at + 1 } else { skip_value(bytes, start) }
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

    /// The field that says what a row is called: its name, or else its identity.
    pub fn name(&self) -> Option<usize> {
        let is_name = |field: &Field| {
            let is_role = field.says.role == Some(Role::Name) || field.says.is_identity();
            is_role && !field.says.is_of_another && field.depth <= 2 && field.filled == self.rows
        };
        let rank = |at: &usize| {
            let field = &self.fields[*at];
            (field.says.role != Some(Role::Name), field.depth, field.says.doubt)
        };
        (0..self.fields.len()).filter(|&at| is_name(&self.fields[at])).min_by_key(rank)
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
