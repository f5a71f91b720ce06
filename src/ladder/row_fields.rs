//! The small fields of a list's first rows, measured on their values.
//!
//! A field may be nested, also in lists (`fields.status.name`, `properties.Name.title.plain_text`); of a list the first items
//! are looked at, and the first value represents all.

use std::cell::OnceCell;
use std::collections::HashMap;

use crate::base::error::Error;
use crate::base::field_path::FieldPath;
use crate::base::json_pointer;
use crate::base::json_string::Quoted;
use crate::base::once::once;
use crate::ladder::field_roles::{self, RoleOfKeys};
use crate::render::counted_rows::{CountedRow, CountedRows};
use crate::value::any_source::AnySource;
use crate::value::json_text::JsonText;
use crate::value::source::{Kind, RECORD_KEYS, Source, row_key};
use toolshape_text::values::moment::Moment;

/// Rows at the start that are looked at.
pub(crate) const SAMPLED: usize = 12;
/// The bytes of the longest value that is looked at: a sentence or two.
const LONG: usize = 240;
/// How many keys lead to a field.
const DEEPEST: usize = 5;
/// Items of a list in a row that are looked at.
const ITEMS: usize = 4;
/// Members of a row that are looked at.
const MEMBERS: usize = 400;
/// The places of the members of an object that are looked at.
const FIRST_KEYS: [usize; RECORD_KEYS] = {
    let (mut places, mut at) = ([0; RECORD_KEYS], 0);
    while at < RECORD_KEYS {
        places[at] = at;
        at += 1;
    }
    places
};
/// A text without spaces of this many characters may be a hash.
const HASH_CHARS: usize = 16;
/// The same between two marks.
const HASH_PART: usize = 8;
/// Seconds since 1970 in the years 2001 to 2100; numbers with three digits more are of milliseconds, and so on.
const SECONDS: std::ops::Range<u64> = 1_000_000_000..4_102_444_800;
const DIGITS_OF_SECONDS: usize = 10;

/// What the values of a field are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueKind {
    /// Texts that mostly differ.
    Words,
    /// Texts that repeat, and lists of texts.
    Category,
    Number,
    Flag,
    Time,
    Link,
    /// A hash, a token or another id that is not for readers.
    Opaque,
}

/// A field of the sampled rows.
pub(crate) struct RowField {
    /// The keys that lead to it.
    pub keys: Vec<String>,
    pub depth: usize,
    /// Whether it is in a list.
    pub is_listed: bool,
    /// Its first value in each row as JSON, without those that are null or empty.
    pub values: Vec<String>,
    /// How many of them differ.
    pub distinct: usize,
    /// In how many rows it is too long.
    pub long: usize,
    /// Bytes of all its values with its key, and how many values these are: more than one a row in lists.
    bytes: usize,
    all: usize,
    kind: Option<Kind>,
    is_mixed: bool,
    /// The row in which it was seen last.
    row: usize,
    /// What its values are and what its keys say, once it was asked for.
    value_kind: OnceCell<Option<ValueKind>>,
    says: OnceCell<RoleOfKeys>,
}

impl RowField {
    /// What its keys say.
    pub fn says(&self) -> RoleOfKeys {
        *self.says.get_or_init(|| field_roles::of_keys(&self.keys))
    }

    pub fn field(&self) -> FieldPath {
        FieldPath::of_keys(&self.keys)
    }

    /// Whether its value is the same in all of this many rows.
    pub fn is_constant(&self, rows: usize) -> bool {
        self.distinct <= 1 && (self.values.len() == rows || self.values.is_empty())
    }

    /// Whether every row has a value, each another one.
    pub fn is_unique(&self, rows: usize) -> bool {
        self.distinct == rows
    }

    /// Whether its values repeat.
    pub fn repeats(&self) -> bool {
        self.distinct * 2 <= self.values.len()
    }

    pub fn is_mixed(&self) -> bool {
        self.is_mixed
    }

    /// About the bytes that it takes in a row.
    pub fn bytes(&self) -> usize {
        self.bytes.div_ceil(self.values.len().max(1))
    }

    /// About how many values a row has: more than one in lists.
    pub fn items_per_value(&self) -> usize {
        self.all.div_ceil(self.values.len().max(1)).max(1)
    }

    /// Whether a row has several of it.
    pub fn is_plural(&self) -> bool {
        self.is_listed && self.all > self.values.len()
    }

    /// What its values are; `None` if it has none, or of different kinds.
    pub fn value_kind(&self) -> Option<ValueKind> {
        *self.value_kind.get_or_init(|| self.find_value_kind())
    }

    fn find_value_kind(&self) -> Option<ValueKind> {
        let first = self.values.first().filter(|_| !self.is_mixed)?;
        let most = |is: fn(&str) -> bool| {
            let mut others = self.values.len().div_ceil(2);
            self.values.iter().all(|value| {
                others -= usize::from(!is(value));
                others > 0
            })
        };
        Some(match self.kind? {
            Kind::Bool => ValueKind::Flag,
            Kind::Number if most(is_epoch) && !first.contains('.') => ValueKind::Time,
            Kind::Number => ValueKind::Number,
            Kind::Array => ValueKind::Category,
            _ if most(is_link) => ValueKind::Link,
            _ if most(is_time) => ValueKind::Time,
            _ if most(is_opaque) => ValueKind::Opaque,
            _ if most(is_numeral) => ValueKind::Number,
            _ if self.repeats() => ValueKind::Category,
            _ => ValueKind::Words,
        })
    }
}

/// The keys of a path that is written as JSON string literals, one after the other.
pub(crate) fn path_keys(path: &str) -> Vec<String> {
    let (mut keys, mut rest) = (Vec::new(), path);
    while let Some(end) = literal_end(rest) {
        keys.push(Quoted::new(&rest[..end]).text().into_owned());
        rest = &rest[end..];
    }
    keys
}

/// The end of the JSON string literal that a text begins with.
fn literal_end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 1;
    while *bytes.get(at)? != b'"' {
        at += 1 + usize::from(bytes[at] == b'\\');
    }
    Some(at + 1)
}

fn inside(literal: &str) -> &str {
    literal.trim_matches('"')
}

fn is_link(json: &str) -> bool {
    let text = inside(json);
    let is_of_api = text.starts_with('/') && (text.contains("/api/") || text.contains("/rest/"));
    is_of_api
        || text.contains("://")
        || text.starts_with("\\/\\/")
        || text.starts_with("data:")
        || text.contains(":\\/\\/")
}

fn is_epoch(json: &str) -> bool {
    let is_unit = matches!(json.len().checked_sub(DIGITS_OF_SECONDS), Some(0 | 3 | 6 | 9));
    let seconds = json.get(..DIGITS_OF_SECONDS).filter(|_| is_unit && json.parse::<u64>().is_ok());
    seconds.and_then(|seconds| seconds.parse().ok()).is_some_and(|seconds| SECONDS.contains(&seconds))
}

/// A date, a time of the day, or seconds with a fraction in a text.
fn is_time(json: &str) -> bool {
    let text = inside(json);
    let is_clock = text.as_bytes().get(2) == Some(&b':')
        && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b':' || byte == b'.');
    let is_seconds = || text.split_once('.').is_some_and(|(seconds, _)| is_epoch(seconds));
    is_clock || (text.len() >= 7 && Moment::parse(text).is_some()) || is_seconds()
}

fn is_numeral(json: &str) -> bool {
    let text = inside(json);
    !text.is_empty() && text.len() < 16 && text.parse::<f64>().is_ok_and(f64::is_finite)
}

/// A text without spaces that mixes letters and digits as nobody writes them.
fn is_opaque(json: &str) -> bool {
    let text = inside(json);
    let has = |is: fn(&char) -> bool| text.chars().any(|c| is(&c));
    // An entity tag has quotes of its own.
    if (text.ends_with('=') || text.starts_with("\\\"")) && !text.contains(' ') {
        return true;
    }
    if text.len() < HASH_CHARS || has(|c| c.is_whitespace()) {
        return false;
    }
    let is_hex = text.chars().all(|c| c.is_ascii_hexdigit() || c == '-') && has(char::is_ascii_digit);
    let is_of_token = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+');
    // A name of several words has letters and digits as well, but not in one of them.
    let is_mixed = |part: &str| {
        let has = |is: fn(&u8) -> bool| part.bytes().any(|byte| is(&byte));
        part.len() >= HASH_PART && has(u8::is_ascii_digit) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase)
    };
    is_hex || text.chars().all(is_of_token) && text.split(['_', '-', '+']).any(is_mixed)
}

/// The small fields of a list's first rows and of the last one, measured when they are first asked for. The last row says what
/// changes in a list that is sorted by it.
pub(crate) struct RowFields<'r, 'v> {
    pub rows: &'r CountedRows<'r, AnySource<'v>>,
    measured: OnceCell<Measured>,
}

/// What is known of the sampled rows.
pub(crate) struct Measured {
    /// In the order in which they are found; none if the rows are not objects.
    pub fields: Vec<RowField>,
    /// How many rows were looked at.
    pub rows: usize,
    /// The names of the first row's members.
    pub names: Vec<String>,
}

impl<'r, 'v> RowFields<'r, 'v> {
    pub fn of(rows: &'r CountedRows<'r, AnySource<'v>>) -> Self {
        Self { rows, measured: OnceCell::new() }
    }

    /// What is known of the sampled rows.
    ///
    /// # Errors
    /// Whatever reading the rows reports.
    pub fn measured(&self) -> Result<&Measured, Error> {
        once(&self.measured, || measure(self.rows))
    }
}

fn measure(list: &CountedRows<'_, AnySource<'_>>) -> Result<Measured, Error> {
    let mut rows = list.at(0, SAMPLED)?;
    if let Some(last) = list.list().len().checked_sub(1).filter(|last| *last >= SAMPLED) {
        rows.extend(list.at(last, 1)?);
    }
    let mut fields = FieldTally::default();
    let keys: Vec<&str> = rows.iter().filter_map(|row| row_key(&row.source)).collect();
    if rows.iter().all(|row| row.source.kind() == Kind::Object) {
        // A page need not show these rows, so one that cannot be read ends the measuring and not the call.
        for row in &rows {
            if fields.row(row).is_err() {
                break;
            }
        }
    }
    // The entries of a map show their keys already.
    fields.noted.retain(|field| keys.is_empty() || field.values != keys);
    Ok(Measured { fields: fields.noted, rows: rows.len(), names: fields.names })
}

#[derive(Default)]
struct FieldTally {
    noted: Vec<RowField>,
    names: Vec<String>,
    row: usize,
    left: usize,
    /// The keys that lead to the member that is looked at, each as a JSON string literal, one after the other.
    path: String,
    /// The path of each field.
    paths: Vec<String>,
    /// The place of the field of each path.
    places: HashMap<String, usize>,
    /// The place of the next field, which is mostly that of the row before.
    next: usize,
}

impl FieldTally {
    fn row(&mut self, row: &CountedRow<AnySource<'_>>) -> Result<(), Error> {
        self.left = MEMBERS;
        self.row += 1;
        self.next = 0;
        self.path.clear();
        row.with_json(|json| match json {
            // What is checked again is walked in fewer steps.
            Some(json) => self.object(&JsonText::parse(json)?, 1, false),
            None => self.object(&row.source, 1, false),
        })?
    }

    fn object<S: Source>(&mut self, object: &S, depth: usize, is_listed: bool) -> Result<(), Error> {
        let mut looked = Ok(());
        object.each_entry(&FIRST_KEYS, &mut |key, value| {
            if looked.is_ok() && self.left > 0 {
                self.left -= 1;
                if self.row == 1 && depth == 1 {
                    self.names.push(Quoted::new(key).text().into_owned());
                }
                let outer = self.path.len();
                self.path += key;
                looked = self.member(value, depth, is_listed);
                self.path.truncate(outer);
            }
        })?;
        looked
    }

    fn member<S: Source>(&mut self, value: &S, depth: usize, is_listed: bool) -> Result<(), Error> {
        match value.kind() {
            Kind::Object if depth < DEEPEST => self.object(value, depth + 1, is_listed),
            Kind::Object => Ok(()),
            Kind::Array => {
                let items = value.items(0, ITEMS)?;
                match items.first().map(Source::kind) {
                    Some(Kind::Object) if depth < DEEPEST => {
                        items.iter().try_for_each(|item| self.object(item, depth + 1, true))
                    }
                    Some(Kind::Object | Kind::Array) => Ok(()),
                    _ => self.note(value, depth, is_listed),
                }
            }
            _ => self.note(value, depth, is_listed),
        }
    }

    fn note<S: Source>(&mut self, value: &S, depth: usize, is_listed: bool) -> Result<(), Error> {
        let is_next = self.paths.get(self.next).is_some_and(|path| *path == self.path);
        let known = if is_next { Some(self.next) } else { self.places.get(&self.path).copied() };
        let at = known.unwrap_or_else(|| {
            self.places.insert(self.path.clone(), self.noted.len());
            self.paths.push(self.path.clone());
            self.noted.push(RowField {
                keys: path_keys(&self.path),
                depth,
                is_listed,
                values: Vec::new(),
                distinct: 0,
                long: 0,
                bytes: 0,
                all: 0,
                kind: None,
                is_mixed: false,
                row: 0,
                value_kind: OnceCell::new(),
                says: OnceCell::new(),
            });
            self.noted.len() - 1
        });
        self.next = at + 1;
        let field = &mut self.noted[at];
        let is_first = field.row < self.row;
        field.row = self.row;
        if value.kind() == Kind::Null {
            return Ok(());
        }
        let Some(json) = value.json_up_to(LONG)? else {
            field.long += usize::from(is_first);
            return Ok(());
        };
        if matches!(&*json, "\"\"" | "[]") {
            return Ok(());
        }
        field.bytes += json.len();
        field.all += 1;
        if is_first {
            field.is_mixed |= field.kind.is_some_and(|kind| kind != value.kind());
            field.kind = Some(value.kind());
            field.bytes += self.path.len();
            field.distinct += usize::from(!field.values.iter().any(|known| *known == *json));
            field.values.push(json.into_owned());
        }
        Ok(())
    }
}

/// Whether a field is one of all rows: numbers in its path would pick rows or items.
pub(crate) fn is_of_all_rows(keys: &[String]) -> bool {
    keys.iter().all(|key| json_pointer::index(key).is_none())
}
