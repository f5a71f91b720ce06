//! JavaScript values as a [`Source`]: only what is shown is read, and `JSON.stringify` is used if it gives the same
//! result.
//!
//! `host.js` decides what each JavaScript value is in JSON. This module only keeps the path from the root, which is
//! used to locate errors and to find cycles.

use std::any::Any;
use std::borrow::Cow;
use std::cell::{Cell, OnceCell, RefCell};
use std::ops::Range;
use std::rc::Rc;

use js_sys::{Float64Array, JsString, Uint8Array, Uint32Array};
use toolshape_json::skip_string;
use wasm_bindgen::prelude::*;

use toolshape::host::{
    Entry, FastSource, Hashed, Hashing, Kind, Length, MAX_DEPTH, Source, json_if_short, json_pointer, json_string,
    too_deep, write_json,
};
use toolshape::{Error, ErrorCode};

use crate::utf16::Places;

/// This many characters from the start of a string are stepped over one by one.
const NEAR: usize = 4096;
/// A value of at most this many bytes is short.
const SHORT_BYTES: usize = 4096;
/// The JSON of an array or object of at most this many bytes is kept: a row is read to measure it, to count it and to name it.
const KEPT_BYTES: usize = 1 << 14;
/// The bytes of a whole text that are copied in at a time.
const PIECE_BYTES: usize = 3 << 16;

#[wasm_bindgen(module = "/src/host.js")]
extern "C" {
    #[wasm_bindgen(catch)]
    fn root(value: &JsValue) -> Result<JsValue, Refusal>;
    #[wasm_bindgen(catch)]
    fn items(held: &JsValue, at: u32, start: f64, max: f64) -> Result<JsValue, Refusal>;
    #[wasm_bindgen(catch)]
    fn entries(held: &JsValue, at: u32) -> Result<JsValue, Refusal>;
    fn described(held: &JsValue) -> String;
    fn chars(held: &JsValue, at: u32) -> f64;
    fn units(held: &JsValue, at: u32, start: u32, into: &mut [u16]) -> u32;
    fn slice(held: &JsValue, at: u32, start: f64, end: f64, total: f64) -> String;
    fn start(held: &JsValue, at: u32, max: u32) -> String;
    #[wasm_bindgen(js_name = minBytes)]
    fn min_bytes(held: &JsValue, at: u32, enough: f64) -> f64;
    #[wasm_bindgen(catch)]
    fn json(held: &JsValue, at: u32, depth_left: u32, most: f64) -> Result<Option<String>, Refusal>;
    #[wasm_bindgen(catch)]
    fn whole(held: &JsValue, at: u32, is_text: bool, depth_left: u32) -> Result<Option<JsString>, Refusal>;
    fn text(held: &JsValue, at: u32) -> String;

    /// Why a value cannot be read.
    type Refusal;
    #[wasm_bindgen(method, getter)]
    fn key(this: &Refusal) -> JsValue;
    #[wasm_bindgen(method, getter)]
    fn reason(this: &Refusal) -> String;
    /// The number of levels up to the same value, if it is a cycle.
    #[wasm_bindgen(method, getter)]
    fn up(this: &Refusal) -> Option<u32>;
}

#[wasm_bindgen(module = "/src/column.js")]
extern "C" {
    #[wasm_bindgen(catch)]
    fn column(held: &JsValue, at: u32, path: Vec<String>) -> Result<Float64Array, Refusal>;
}

#[wasm_bindgen(module = "/src/utf16.js")]
extern "C" {
    fn encode(text: &JsString, start: u32, into: &Uint8Array) -> Uint32Array;
}

#[wasm_bindgen(module = "/src/lengths.js")]
extern "C" {
    fn lengths(held: &JsValue, at: u32, places: &[u32], room: u32) -> Option<Float64Array>;
    fn length(held: &JsValue, at: u32, room: u32) -> Option<Float64Array>;
}

#[wasm_bindgen(module = "/src/hash.js")]
extern "C" {
    #[wasm_bindgen(js_name = hashOf)]
    fn hash_of(key: Option<&[u8]>, before: &[u8], text: &[u8]) -> Option<Vec<u8>>;
    #[wasm_bindgen(js_name = hashedText)]
    fn hashed_text(text: &JsString, key: Option<&[u8]>, before: &[u8], ends: u32) -> Option<HashedText>;

    /// What is known of a text that stays in the host.
    type HashedText;
    #[wasm_bindgen(method, getter)]
    fn hash(this: &HashedText) -> Vec<u8>;
    #[wasm_bindgen(method, getter)]
    fn bytes(this: &HashedText) -> u32;
    #[wasm_bindgen(method, getter)]
    fn head(this: &HashedText) -> String;
    #[wasm_bindgen(method, getter)]
    fn tail(this: &HashedText) -> String;
}

/// The host's hash of bytes that are in the module's memory; they are not copied.
pub(crate) fn host_hash(key: Option<&[u8]>, before: &[u8], text: &[u8]) -> Option<[u8; 32]> {
    hash_of(key, before, text)?.try_into().ok()
}

/// A JavaScript value that `host.js` has resolved.
#[derive(Clone)]
pub(crate) struct JsSource(Rc<JsNode>);

/// A value, its path from the root, and what was read of it, only once.
struct JsNode {
    held: Rc<Held>,
    /// Its index among the values that are held together.
    at: usize,
    kind: Kind,
    /// The value that contains it.
    above: Option<JsSource>,
    depth: usize,
    /// The length of a string.
    chars: OnceCell<usize>,
    /// Where the characters of a long string are, if the host does not know it.
    places: OnceCell<Places>,
    /// The whole text, after it was read.
    whole: OnceCell<JsString>,
    /// The JSON text of a short array or object, after it was read.
    json: OnceCell<String>,
    /// A number of bytes that its JSON text exceeds.
    exceeds: Cell<usize>,
    /// Of the root: the text within it that the store is to have.
    kept: RefCell<Option<JsString>>,
    /// The members of an object. Getters run once.
    members: OnceCell<Result<Rc<Held>, Error>>,
}

/// Members of one value, which the host holds, and its description of them.
struct Held {
    host: JsValue,
    text: String,
    /// The place of each value's description in the text: its kind, then the text of a number or a word, or the length
    /// of a string or an array.
    values: Vec<Range<usize>>,
    /// The places of an object's keys, each a JSON string literal.
    keys: Vec<Range<usize>>,
    /// The index of the first item of an array.
    start: usize,
}

impl Held {
    fn new(host: JsValue, start: usize) -> Rc<Self> {
        let text = described(&host);
        let (mut values, mut keys) = (Vec::new(), Vec::new());
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() && bytes[at] != b'[' {
            let end = at + bytes[at..].iter().position(|&byte| byte == b' ').unwrap_or(0);
            values.push(at..end);
            at = end + 1;
        }
        at += 1;
        while at < bytes.len() && bytes[at] != b']' {
            let end = skip_string(bytes, at);
            keys.push(at..end);
            at = end + 1;
        }
        Rc::new(Self { host, text, values, keys, start })
    }

    fn key(&self, at: usize) -> &str {
        &self.text[self.keys[at].clone()]
    }

    /// The description of a value without its kind.
    fn detail(&self, at: usize) -> &str {
        &self.text[self.values[at].start + 1..self.values[at].end]
    }
}

impl JsSource {
    /// The given value.
    ///
    /// # Errors
    /// `UNSUPPORTED_VALUE` if it has no JSON form at all.
    pub fn new(value: &JsValue) -> Result<Self, Error> {
        let held = root(value).map_err(|refusal| refused(&refusal, String::new()))?;
        Ok(Self::member(&Held::new(held, 0), 0, None))
    }

    fn member(held: &Rc<Held>, at: usize, above: Option<Self>) -> Self {
        let kind = match held.text.as_bytes()[held.values[at].start] {
            b'1' => Kind::Bool,
            b'2' => Kind::Number,
            b'3' => Kind::String,
            b'4' => Kind::Array,
            b'5' => Kind::Object,
            _ => Kind::Null,
        };
        let depth = above.as_ref().map_or(0, |above| above.0.depth + 1);
        Self(Rc::new(JsNode {
            held: held.clone(),
            at,
            kind,
            above,
            depth,
            chars: OnceCell::new(),
            places: OnceCell::new(),
            whole: OnceCell::new(),
            json: OnceCell::new(),
            exceeds: Cell::new(0),
            kept: RefCell::default(),
            members: OnceCell::new(),
        }))
    }

    /// The JSON text of a short value, as the host writes it, so that it is read here and not by a call for each of its
    /// members; `None` for a longer value, and where the host's JSON could differ.
    pub fn short_json(&self) -> Option<String> {
        let is_short = self.min_bytes(SHORT_BYTES + 1) <= SHORT_BYTES;
        is_short.then(|| self.read_whole(false).ok()?.map(String::from)).flatten()
    }

    /// The whole text, if it was read.
    pub fn held(&self) -> Option<JsString> {
        self.0.whole.get().cloned()
    }

    /// The text, of the value or within it, that the store is to have.
    pub fn kept(&self) -> Option<JsString> {
        self.0.kept.take()
    }

    fn root(&self) -> &Self {
        std::iter::successors(Some(self), |value| value.0.above.as_ref()).last().unwrap_or(self)
    }

    /// The whole text from the host; `None` if the host's JSON could differ from ours.
    fn read_whole(&self, is_text: bool) -> Result<Option<&JsString>, Error> {
        let (held, at) = self.place();
        if self.0.whole.get().is_none()
            && let Some(text) = whole(held, at, is_text, self.depth_left()).map_err(|refusal| self.refused(&refusal))?
        {
            return Ok(Some(self.0.whole.get_or_init(|| text)));
        }
        Ok(self.0.whole.get())
    }

    /// The whole text, as the host writes it or, where that could differ, as the core does.
    fn read_or_write(&self, is_text: bool) -> Result<&JsString, Error> {
        match self.read_whole(is_text)? {
            Some(text) => Ok(text),
            None => {
                let json = self.json()?;
                Ok(self.0.whole.get_or_init(|| json.as_ref().into()))
            }
        }
    }

    /// The JSON text that the host writes, empty if it has more than `most` bytes; `None` if it could differ from ours.
    fn written(&self, most: f64) -> Result<Option<String>, Error> {
        let (held, at) = self.place();
        json(held, at, self.depth_left(), most).map_err(|refusal| self.refused(&refusal))
    }

    /// The JSON text that was read, which is kept if it is that of a short array or object.
    fn keep(&self, json: String) -> Cow<'_, str> {
        match self.0.kind.is_container() && json.len() <= KEPT_BYTES {
            true => Cow::Borrowed(self.0.json.get_or_init(|| json)),
            false => Cow::Owned(json),
        }
    }

    /// Whether it is the given value, and an array or an object.
    fn is_given(&self) -> bool {
        self.0.above.is_none() && self.0.kind.is_container()
    }

    /// Its place in the host.
    fn place(&self) -> (&JsValue, u32) {
        (&self.0.held.host, self.0.at as u32)
    }

    /// Copies the UTF-16 units of a string from one on, and returns how many.
    fn units(&self) -> impl Fn(usize, &mut [u16]) -> usize {
        let (held, at) = self.place();
        move |start, into| units(held, at, start as u32, into) as usize
    }

    fn depth_left(&self) -> u32 {
        MAX_DEPTH.saturating_sub(self.0.depth) as u32
    }

    /// Refuses to enter a value that is too deep.
    fn enter(&self) -> Result<(&JsValue, u32), Error> {
        if self.0.depth >= MAX_DEPTH { Err(too_deep()) } else { Ok(self.place()) }
    }

    fn members(&self) -> Result<&Rc<Held>, Error> {
        let read = || {
            let (held, at) = self.enter()?;
            Ok(Held::new(entries(held, at).map_err(|refusal| self.refused(&refusal))?, 0))
        };
        self.0.members.get_or_init(read).as_ref().map_err(Clone::clone)
    }

    /// JSON Pointer from the root.
    fn path(&self) -> String {
        let (mut tokens, mut value) = (Vec::new(), self);
        while let Some(above) = &value.0.above {
            let JsNode { held, at, .. } = &*value.0;
            tokens.push(match held.keys.get(*at) {
                Some(key) => {
                    json_pointer::escape(&json_string::unescape(&held.text[key.start + 1..key.end - 1])).into_owned()
                }
                None => (held.start + at).to_string(),
            });
            value = above;
        }
        tokens.iter().rev().fold(String::new(), |path, token| path + "/" + token)
    }

    fn refused(&self, refusal: &Refusal) -> Error {
        let mut path = self.path();
        if let Some(up) = refusal.up() {
            let mut around = self;
            for _ in 0..up {
                around = around.0.above.as_ref().unwrap_or(around);
            }
            let around = around.path();
            let whole = if around.is_empty() { "the whole value".to_owned() } else { around };
            let message = format!("the value at {path} is a cycle: it is {whole}, which contains it");
            return Error::new(ErrorCode::UnsupportedValue, message, path);
        }
        let key = refusal.key();
        let token = key.as_string().or_else(|| key.as_f64().map(|index| (index as u64).to_string()));
        if let Some(token) = token {
            path.push('/');
            path.push_str(&json_pointer::escape(&token));
        }
        refused(refusal, path)
    }
}

fn refused(refusal: &Refusal, path: String) -> Error {
    let place = if path.is_empty() { String::new() } else { format!(" at {path}") };
    Error::new(ErrorCode::UnsupportedValue, format!("the value{place} cannot be shown: {}", refusal.reason()), path)
}

impl Source for JsSource {
    fn kind(&self) -> Kind {
        self.0.kind
    }

    fn len(&self) -> usize {
        match self.0.kind {
            Kind::Array => self.0.held.detail(self.0.at).parse().unwrap_or(0),
            Kind::Object => self.members().map_or(0, |members| members.values.len()),
            _ => 0,
        }
    }

    fn items(&self, start: usize, max: usize) -> Result<Vec<Self>, Error> {
        if self.0.kind != Kind::Array {
            return Ok(Vec::new());
        }
        let (held, at) = self.enter()?;
        let read = items(held, at, start as f64, max as f64).map_err(|refusal| self.refused(&refusal))?;
        let held = Held::new(read, start);
        Ok((0..held.values.len()).map(|at| Self::member(&held, at, Some(self.clone()))).collect())
    }

    fn entries_where(&self, is_wanted: &mut dyn FnMut(usize, &str) -> bool) -> Result<Vec<Entry<Self>>, Error> {
        if self.0.kind != Kind::Object {
            return Ok(Vec::new());
        }
        let held = self.members()?;
        let wanted = (0..held.values.len()).filter(|&at| is_wanted(at, held.key(at)));
        Ok(wanted.map(|at| (held.key(at).to_owned(), Self::member(held, at, Some(self.clone())))).collect())
    }

    fn chars(&self) -> usize {
        if self.0.kind != Kind::String {
            return 0;
        }
        *self.0.chars.get_or_init(|| {
            let (held, at) = self.place();
            self.0.held.detail(self.0.at).parse().unwrap_or_else(|_| match chars(held, at) {
                known if known >= 0.0 => known as usize,
                _ => self.0.places.get_or_init(|| Places::of(self.units())).chars,
            })
        })
    }

    fn slice(&self, from: usize, max: usize) -> Result<String, Error> {
        let (held, at) = self.place();
        Ok(match self.0.kind {
            Kind::String if from == 0 && max <= NEAR => start(held, at, max as u32),
            Kind::String => {
                let total = self.chars();
                let end = from.saturating_add(max).min(total);
                let (from, end, total) = match self.0.places.get() {
                    Some(places) => {
                        (places.unit_of(from, self.units()), places.unit_of(end, self.units()), places.units)
                    }
                    None => (from.min(end), end, total),
                };
                slice(held, at, from as f64, end as f64, total as f64)
            }
            _ => String::new(),
        })
    }

    fn min_bytes(&self, enough: usize) -> usize {
        let (held, at) = self.place();
        min_bytes(held, at, enough as f64) as usize
    }

    fn json(&self) -> Result<Cow<'_, str>, Error> {
        if let Kind::Null | Kind::Bool | Kind::Number = self.0.kind
            && let detail = self.0.held.detail(self.0.at)
            && !detail.is_empty()
        {
            return Ok(Cow::Borrowed(detail));
        }
        if let Some(json) = self.0.json.get() {
            return Ok(Cow::Borrowed(json));
        }
        // For the root, the host's text may be all that is needed, so it is read and kept.
        let text = match self.is_given() {
            true => self.read_whole(false)?.map(String::from),
            false => self.written(f64::INFINITY)?,
        };
        match text {
            Some(json) => Ok(self.keep(json)),
            None => {
                let json = write_json(self, usize::MAX, |value| value.kind().is_container())?;
                Ok(Cow::Owned(json.unwrap_or_default()))
            }
        }
    }

    fn json_up_to(&self, most: usize) -> Result<Option<Cow<'_, str>>, Error> {
        if let Some(json) = self.0.json.get() {
            return Ok(Some(json).filter(|json| json.len() <= most).map(|json| Cow::Borrowed(json.as_str())));
        }
        if most <= self.0.exceeds.get() {
            return Ok(None);
        }
        // A container is measured while it is checked, and not for itself.
        let written = match self.0.kind.is_container() && !self.is_given() {
            true => self.written(most as f64)?,
            false => None,
        };
        match written {
            Some(json) if (1..=most).contains(&json.len()) => Ok(Some(self.keep(json))),
            Some(_) => {
                self.0.exceeds.set(most);
                Ok(None)
            }
            None => json_if_short(self, most),
        }
    }

    fn text(&self) -> Result<Cow<'_, str>, Error> {
        let (held, at) = self.place();
        Ok(if self.0.kind == Kind::String { Cow::Owned(text(held, at)) } else { Cow::Borrowed("") })
    }

    fn fast(&self) -> Option<&dyn FastSource> {
        Some(self)
    }
}

impl FastSource for JsSource {
    fn column(&self, path: &[String]) -> Result<Option<Vec<f64>>, Error> {
        if self.0.kind != Kind::Array {
            return Ok(None);
        }
        let (held, at) = self.enter()?;
        // If this fails, reading item by item finds the exact error.
        Ok(column(held, at, path.to_vec()).ok().map(|read| read.to_vec()))
    }

    fn lengths(&self, places: &[usize], room: usize) -> Result<Option<Vec<Length>>, Error> {
        let (held, at) = self.enter()?;
        let indices: Vec<u32> = places.iter().map(|&place| place as u32).collect();
        let pairs = lengths(held, at, &indices, room as u32).map(|pairs| pairs.to_vec());
        let length = |pair: &[f64]| Length { chars: pair[0], is_all: pair[1] == 1.0 };
        Ok(pairs.map(|pairs| pairs.chunks_exact(2).map(length).collect()))
    }

    fn length(&self, room: usize) -> Option<Length> {
        let (held, at) = self.place();
        let pair = length(held, at, room as u32)?.to_vec();
        Some(Length { chars: pair[0], is_all: pair[1] == 1.0 })
    }

    fn whole(&self, is_text: bool, piece: &mut dyn FnMut(&str)) -> Result<bool, Error> {
        let text = self.read_or_write(is_text)?;
        // Short texts are copied in one piece.
        if text.length() <= PIECE_BYTES as u32 / 3 {
            piece(&String::from(text));
            return Ok(true);
        }
        let buffer = Uint8Array::new_with_length(PIECE_BYTES as u32);
        let mut bytes = vec![0; PIECE_BYTES];
        let mut at = 0;
        while at < text.length() {
            let step = encode(text, at, &buffer);
            let written = step.get_index(1);
            buffer.subarray(0, written).copy_to(&mut bytes[..written as usize]);
            piece(&String::from_utf8_lossy(&bytes[..written as usize]));
            at = step.get_index(0);
        }
        Ok(true)
    }

    fn hashed(&self, is_text: bool, hashing: Hashing<'_>, ends: usize) -> Result<Option<Hashed>, Error> {
        let hashed = hashed_text(self.read_or_write(is_text)?, hashing.key, hashing.before, ends as u32);
        let known = |hashed: HashedText| {
            let (bytes, head, tail) = (hashed.bytes() as usize, hashed.head(), hashed.tail());
            Some(Hashed { hash: hashed.hash().try_into().ok()?, bytes, head, tail })
        };
        Ok(hashed.and_then(known))
    }

    fn holds_whole(&self) -> bool {
        true
    }

    fn keep_whole(&self, is_text: bool) {
        // It was read before, so that it cannot fail.
        if let Ok(text) = self.read_or_write(is_text) {
            self.root().0.kept.replace(Some(text.clone()));
        }
    }

    fn as_held(&self) -> Option<&dyn Any> {
        Some(self)
    }

    fn is_written_as(&self, text: &dyn Any) -> bool {
        let Some(text) = text.downcast_ref::<Self>() else { return false };
        matches!((self.read_whole(false), text.read_whole(true)), (Ok(Some(json)), Ok(Some(text))) if json == text)
    }

    fn writes_fast(&self) -> bool {
        true
    }
}
