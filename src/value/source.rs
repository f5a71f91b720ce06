//! How the core reads a value that it does not own, and no more of it than it needs.
//!
//! A [`Source`] is JSON text, a JavaScript value or a Python object. Shapes ask for its kind, its length, some items, a
//! part of a string; only what is shown becomes JSON text.

use std::any::Any;
use std::borrow::Cow;
use std::cell::Cell;

pub use toolshape_json::lengths::Length;

use crate::base::error::{Error, ErrorCode};
use crate::base::json_string;
use crate::value::hashed::{Hashed, Hashing};
use crate::value::structured_text::TextFormat;

/// How deeply arrays and objects may nest; beyond it a value is refused with `TOO_DEEP`.
///
/// No tool returns this many levels on purpose, and hosts can still parse them.
pub const MAX_DEPTH: usize = 4096;

/// Items that are read from a host at once: few calls of the host, and little that is read beyond what is needed.
pub(crate) const CHUNK: usize = 32;
/// An array or object of at most this many bytes is read as a whole: a host writes it in less time than it takes to ask for
/// each member.
pub(crate) const AT_ONCE_BYTES: usize = 1 << 14;
/// Keys of an object that are read to know its form: a record rarely has more.
pub(crate) const RECORD_KEYS: usize = 64;

/// What a JSON value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Null,
    Bool,
    Number,
    String,
    Array,
    Object,
}

impl Kind {
    /// Whether it is an array or an object.
    pub fn is_container(self) -> bool {
        matches!(self, Self::Array | Self::Object)
    }

    /// The name of the kind in JSON Schema.
    pub fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "boolean",
            Self::Number => "number",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
        }
    }
}

/// An entry of an object: the key as a JSON string with its quotes, and the value.
pub type Entry<S> = (String, S);

/// A JSON value in its host's own form.
///
/// A clone is a second handle to the same value, not a copy. Implementations run host code (getters, `toJSON`) when a
/// child is made, so only [`items`](Self::items), [`entries_where`](Self::entries_where), [`slice`](Self::slice) and
/// [`json`](Self::json) can fail: with `UNSUPPORTED_VALUE` or `TOO_DEEP`.
#[allow(clippy::len_without_is_empty)] // a length of 0 also means that the kind has none
pub trait Source: Clone {
    /// What the value is.
    fn kind(&self) -> Kind;

    /// The number of items of an array or of entries of an object; 0 for every other kind.
    fn len(&self) -> usize {
        0
    }

    /// At most `max` items of an array, from index `start`; none for every other kind.
    fn items(&self, _start: usize, _max: usize) -> Result<Vec<Self>, Error> {
        Ok(Vec::new())
    }

    /// The entries of an object whose index and key, with its quotes, are wanted, in their order; none for every other
    /// kind. A host that can leave out the others without reading them does.
    fn entries_where(&self, _is_wanted: &mut dyn FnMut(usize, &str) -> bool) -> Result<Vec<Entry<Self>>, Error> {
        Ok(Vec::new())
    }

    /// All entries of an object in their order; none for every other kind.
    fn entries(&self) -> Result<Vec<Entry<Self>>, Error> {
        self.entries_where(&mut |_, _| true)
    }

    /// Calls `with` with the items of an array at `places`, which are in ascending order; with `None` for an item that cannot
    /// be read.
    fn each_item(&self, places: &[usize], with: &mut dyn FnMut(Option<&Self>)) {
        let is_row = places.len() > 1 && places[places.len() - 1] + 1 - places[0] == places.len();
        let row = if is_row { self.items(places[0], places.len()).unwrap_or_default() } else { Vec::new() };
        for (nth, &at) in places.iter().enumerate() {
            match row.get(nth) {
                Some(item) => with(Some(item)),
                None => with(self.items(at, 1).unwrap_or_default().first()),
            }
        }
    }

    /// Calls `with` with the entries of an object at `places`, which are in ascending order: the key with its quotes, and the
    /// value.
    fn each_entry(&self, places: &[usize], with: &mut dyn FnMut(&str, &Self)) -> Result<(), Error> {
        let mut ahead = places.iter().peekable();
        let found = self.entries_where(&mut |at, _| ahead.next_if_eq(&&at).is_some())?;
        found.iter().for_each(|(key, value)| with(key, value));
        Ok(())
    }

    /// The length of a string in Unicode scalar values (a lone surrogate is one); 0 for other kinds.
    fn chars(&self) -> usize {
        0
    }

    /// At most `max` characters of a string from character `start`, as a JSON string literal without quotes.
    fn slice(&self, _start: usize, _max: usize) -> Result<String, Error> {
        Ok(String::new())
    }

    /// A lower bound of the length in bytes of [`json`](Self::json); may stop reading once above `enough`.
    fn min_bytes(&self, enough: usize) -> usize;

    /// The whole value as minified JSON text.
    fn json(&self) -> Result<Cow<'_, str>, Error>;

    /// The same if it has at most `most` bytes. A choice must depend on this and not on [`min_bytes`](Self::min_bytes), which
    /// differs between hosts.
    fn json_up_to(&self, most: usize) -> Result<Option<Cow<'_, str>>, Error> {
        json_if_short(self, most)
    }

    /// The characters of a string, unescaped; nothing for other kinds.
    fn text(&self) -> Result<Cow<'_, str>, Error> {
        Ok(Cow::Owned(json_string::unescape(&self.slice(0, usize::MAX)?)))
    }

    /// What this type does faster than the core, if there is anything.
    fn fast(&self) -> Option<&dyn FastSource> {
        None
    }

    /// What the value is in the list that it is a row of, if that is not only an item.
    fn row(&self) -> Option<&dyn RowSource> {
        None
    }

    /// The same array or object read from its JSON text, if it [writes fast](FastSource::writes_fast), has at most `most` bytes,
    /// and can be written.
    fn in_text(&self, _most: usize) -> Option<Self> {
        None
    }

    /// The object or array whose JSON text this string is, if this type can hold it. It reads at most `left` bytes and
    /// subtracts what it read.
    fn data_in_text(&self, _left: &Cell<usize>) -> Result<Option<Self>, Error> {
        Ok(None)
    }

    /// What this string says that is a page or a log, as an object, if this type can hold it. It reads at most `left` bytes and
    /// subtracts what it read.
    fn reading_of_text(&self, _left: &Cell<usize>) -> Result<Option<(TextFormat, Self)>, Error> {
        Ok(None)
    }
}

/// What a type of source can do faster than the core: look at many values at once, or hand over its text as it holds it.
///
/// Every method has a default, for which the core reads the value by [`Source`]; what is returned must be the same.
pub trait FastSource {
    /// The minified JSON text of the value, if that is in memory.
    fn minified_here(&self) -> Option<&str> {
        None
    }

    /// Passes the whole text to `piece`, part by part: minified JSON or, for a string that is plain text, its characters.
    /// False if it did not, because the text is no less work in one piece.
    fn whole(&self, _is_text: bool, _piece: &mut dyn FnMut(&str)) -> Result<bool, Error> {
        Ok(false)
    }

    /// What is known of the whole text, from a host that can hash it where it is; `ends` is the least length of the ends in
    /// bytes. `None` elsewhere: the core then reads it by [`whole`](Self::whole).
    fn hashed(&self, _is_text: bool, _hashing: Hashing<'_>, _ends: usize) -> Result<Option<Hashed>, Error> {
        Ok(None)
    }

    /// Whether the host holds that text itself, and can give it to the store.
    fn holds_whole(&self) -> bool {
        false
    }

    /// Tells a host that holds the whole text that it is what the store is to have.
    fn keep_whole(&self, _is_text: bool) {}

    /// The value as its host has it, if the host can compare it with others.
    fn as_held(&self) -> Option<&dyn Any> {
        None
    }

    /// Whether its host writes its JSON exactly as the text that is held there too. The host remembers the JSON for the store,
    /// also if they differ.
    fn is_written_as(&self, _text: &dyn Any) -> bool {
        false
    }

    /// Whether a small array or object is written in less time than it takes to ask for its members one by one.
    fn writes_fast(&self) -> bool {
        false
    }

    /// The numbers at a path in each item of an array, NaN where there is none, from a host that can read one
    /// field of all items at once. `None` elsewhere: the core then reads item after item.
    fn column(&self, _path: &[String]) -> Result<Option<Vec<f64>>, Error> {
        Ok(None)
    }

    /// The estimated lengths of the JSON texts of the members at `places`, each with its key and separator, from a
    /// host that can look at many values at once; at most `room` values within them are visited. `None` elsewhere:
    /// the core then visits member after member, and must come to the same figures.
    fn lengths(&self, _places: &[usize], _room: usize) -> Result<Option<Vec<Length>>, Error> {
        Ok(None)
    }

    /// The estimated length of the JSON text of this value, after a separator, from a host that can look at many values at
    /// once; at most `room` values within it are visited. `None` elsewhere, as for [`lengths`](Self::lengths).
    fn length(&self, _room: usize) -> Option<Length> {
        None
    }

    /// The same of this value as a member, with the characters of its separator and its key, from a value whose type was erased
    /// and whose members are cheap to read without that; down to this many levels below it, and at most `left` values, from which
    /// what was visited is taken. `None` elsewhere, as for [`lengths`](Self::lengths).
    fn member_length(&self, _around: f64, _left: &mut usize, _levels: usize) -> Option<Length> {
        None
    }
}

/// A value as a row: its place and its name in the list that it is in.
pub trait RowSource {
    /// The index that an item has in the value as the tool returned it.
    fn original_index(&self, index: usize) -> usize {
        index
    }

    /// The key, with its quotes, of an item that is an entry of a map, where such entries are rows.
    fn key(&self) -> Option<&str> {
        None
    }

    /// JSON Pointer to the value in the stored result, for a value that was found there and put into a list.
    fn place(&self) -> Option<String> {
        None
    }

    /// What identifies the value among its neighbours in a list, whatever is shown of it; `None` if that is its JSON
    /// text.
    fn identity(&self) -> Result<Option<Cow<'_, str>>, Error> {
        Ok(None)
    }
}

/// Passes the whole text of a value to `piece`, as [`FastSource::whole`] does.
///
/// # Errors
/// Whatever reading the value reports.
pub(crate) fn whole<S: Source>(value: &S, is_text: bool, piece: &mut dyn FnMut(&str)) -> Result<(), Error> {
    if let Some(fast) = value.fast()
        && fast.whole(is_text, piece)?
    {
        return Ok(());
    }
    piece(&if is_text { value.text()? } else { value.json()? });
    Ok(())
}

/// The index that an item of a list has in the value as the tool returned it.
pub(crate) fn original_index<S: Source>(list: &S, index: usize) -> usize {
    list.row().map_or(index, |row| row.original_index(index))
}

/// The key of a row: see [`RowSource::key`].
pub(crate) fn row_key<S: Source>(row: &S) -> Option<&str> {
    row.row()?.key()
}

/// What identifies a row: see [`RowSource::identity`].
pub(crate) fn identity<S: Source>(row: &S) -> Result<Option<Cow<'_, str>>, Error> {
    row.row().map_or(Ok(None), RowSource::identity)
}

/// The item of an array at `index`, if there is one.
pub fn item<S: Source>(value: &S, index: usize) -> Result<Option<S>, Error> {
    Ok(value.items(index, 1)?.pop())
}

/// The items of an array at `places`, which are in ascending order, read in one pass where that is faster.
///
/// # Errors
/// Whatever reading an item reports.
pub(crate) fn items_at<S: Source>(array: &S, places: &[usize]) -> Result<Vec<S>, Error> {
    let mut items = Vec::with_capacity(places.len());
    array.each_item(places, &mut |item| items.extend(item.cloned()));
    if items.len() < places.len() {
        // An item that cannot be read says why.
        places.iter().try_for_each(|&at| array.items(at, 1).map(|_| ()))?;
    }
    Ok(items)
}

/// What [`Source::json_up_to`] is by [`Source::min_bytes`] and [`Source::json`].
///
/// # Errors
/// Whatever reading the value reports.
pub fn json_if_short<S: Source>(value: &S, most: usize) -> Result<Option<Cow<'_, str>>, Error> {
    if most < usize::MAX && value.min_bytes(most) > most {
        return Ok(None);
    }
    Ok(Some(value.json()?).filter(|json| json.len() <= most))
}

/// Writes `value` as minified JSON, if that has at most `most` bytes. Values for which `is_walked` holds are written member by
/// member, others by their own `json_up_to`.
///
/// Uses a stack of its own, so that deep nesting cannot overflow the call stack.
///
/// # Errors
/// `TOO_DEEP` beyond [`MAX_DEPTH`], and any error from reading the value.
pub fn write_json<S: Source>(value: &S, most: usize, is_walked: impl Fn(&S) -> bool) -> Result<Option<String>, Error> {
    enum OpenContainer<S> {
        /// A list, its items that are read, and how many those are with the ones before them.
        Array(S, std::vec::IntoIter<S>, usize),
        Object(std::vec::IntoIter<Entry<S>>),
    }
    // What is too long is not read to its end.
    let at_once = if most == usize::MAX { usize::MAX } else { CHUNK };
    let mut out = String::new();
    let mut stack: Vec<OpenContainer<S>> = Vec::new();
    // False once it is too long.
    let open = |value: &S, out: &mut String, stack: &mut Vec<OpenContainer<S>>| -> Result<bool, Error> {
        match value.kind() {
            Kind::Array if is_walked(value) => {
                out.push('[');
                stack.push(OpenContainer::Array(value.clone(), Vec::new().into_iter(), 0));
            }
            Kind::Object if is_walked(value) => {
                out.push('{');
                stack.push(OpenContainer::Object(value.entries()?.into_iter()));
            }
            _ => match value.json_up_to(if most == usize::MAX { most } else { most - out.len() })? {
                Some(json) => out.push_str(&json),
                None => return Ok(false),
            },
        }
        if stack.len() > MAX_DEPTH { Err(too_deep()) } else { Ok(true) }
    };
    let mut is_within = open(value, &mut out, &mut stack)?;
    while is_within && let Some(top) = stack.last_mut() {
        let (next, close) = match top {
            OpenContainer::Array(list, items, read) => {
                if items.as_slice().is_empty() && *read < list.len() {
                    *items = list.items(*read, at_once)?.into_iter();
                    *read = read.saturating_add(at_once);
                }
                (items.next().map(|item| (None, item)), ']')
            }
            OpenContainer::Object(entries) => (entries.next().map(|(key, item)| (Some(key), item)), '}'),
        };
        let Some((key, item)) = next else {
            out.push(close);
            stack.pop();
            continue;
        };
        if !out.ends_with(['[', '{']) {
            out.push(',');
        }
        if let Some(key) = key {
            out.push_str(&key);
            out.push(':');
        }
        is_within = out.len() <= most && open(&item, &mut out, &mut stack)?;
    }
    Ok(Some(out).filter(|out| is_within && out.len() <= most))
}

/// The error for a value that nests deeper than [`MAX_DEPTH`].
pub fn too_deep() -> Error {
    Error::new(ErrorCode::TooDeep, format!("the value nests deeper than {MAX_DEPTH} levels"), "")
}
