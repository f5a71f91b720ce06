//! JavaScript values as a [`Source`]: what is not emitted is not read, and what the host's own
//! `JSON.stringify` serves for is left to it.
//!
//! `host.js` decides what each JavaScript value is to JSON; here is only the way down from the root, by
//! which faults are located and cycles found.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::rc::Rc;

use js_sys::{Float64Array, JsString, Uint8Array, Uint32Array};
use wasm_bindgen::prelude::*;

use crate::error::{Error, ErrorCode};
use crate::length::{self, Length};
use crate::source::{Entry, Kind, MAX_DEPTH, Source, too_deep, write_json};
use crate::{literal, pointer};

/// As much of a whole text is copied in at a time.
const PIECE_BYTES: usize = 3 << 16;

#[wasm_bindgen(module = "/src/wasm/host.js")]
extern "C" {
    #[wasm_bindgen(catch)]
    fn root(value: &JsValue) -> Result<JsValue, Refusal>;
    fn kind(value: &JsValue) -> u8;
    fn same(one: &JsValue, other: &JsValue) -> bool;
    fn length(list: &JsValue) -> f64;
    #[wasm_bindgen(catch)]
    fn items(list: &JsValue, start: f64, max: f64) -> Result<Vec<JsValue>, Refusal>;
    #[wasm_bindgen(catch)]
    fn entries(object: &JsValue) -> Result<Vec<JsValue>, Refusal>;
    fn chars(text: &JsValue) -> f64;
    fn slice(text: &JsValue, start: f64, max: f64, total: f64) -> String;
    #[wasm_bindgen(catch)]
    fn column(list: &JsValue, path: Vec<String>) -> Result<Float64Array, Refusal>;
    fn lengths(value: &JsValue, places: &[u32], room: u32) -> Option<Float64Array>;
    #[wasm_bindgen(js_name = minBytes)]
    fn min_bytes(value: &JsValue, enough: f64) -> f64;
    #[wasm_bindgen(catch)]
    fn json(value: &JsValue, depth_left: u32) -> Result<Option<String>, Refusal>;
    #[wasm_bindgen(catch)]
    fn whole(value: &JsValue, is_text: bool, depth_left: u32) -> Result<Option<JsString>, Refusal>;
    fn encode(text: &JsString, start: u32, into: &Uint8Array) -> Uint32Array;

    /// Why a value cannot be read.
    type Refusal;
    #[wasm_bindgen(method, getter)]
    fn key(this: &Refusal) -> JsValue;
    #[wasm_bindgen(method, getter)]
    fn reason(this: &Refusal) -> String;
}

/// A JavaScript value that `host.js` has resolved.
#[derive(Clone)]
pub(crate) struct Value(Rc<Node>);

/// A value, its way from the root, and what was read of it once for all.
struct Node {
    value: JsValue,
    kind: Kind,
    /// The value it stands in, and under which key or index there.
    above: Option<(Value, Step)>,
    depth: usize,
    /// Of a string.
    chars: OnceCell<usize>,
    /// The whole text, once it was read.
    whole: OnceCell<JsString>,
    /// Of an object. Getters run once.
    members: OnceCell<Result<Members, Error>>,
}

/// The keys of an object, each a JSON string literal, and the values that belong to them.
type Members = (Vec<String>, Vec<JsValue>);

enum Step {
    Index(usize),
    /// A JSON string literal with its quotes.
    Key(String),
}

impl Value {
    /// A value as its owner handed it in.
    ///
    /// # Errors
    /// `UNSUPPORTED_VALUE` if JSON has no form for it at all.
    pub fn new(value: &JsValue) -> Result<Self, Error> {
        let value = root(value).map_err(|refusal| refused(&refusal, String::new()))?;
        Ok(Self::resolved(value, None))
    }

    fn resolved(value: JsValue, above: Option<(Self, Step)>) -> Self {
        let kind = match kind(&value) {
            1 => Kind::Bool,
            2 => Kind::Number,
            3 => Kind::String,
            4 => Kind::Array,
            5 => Kind::Object,
            _ => Kind::Null,
        };
        let depth = above.as_ref().map_or(0, |(above, _)| above.0.depth + 1);
        let (chars, whole, members) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Self(Rc::new(Node { value, kind, above, depth, chars, whole, members }))
    }

    /// The whole text, if it was read.
    pub fn held(&self) -> Option<JsString> {
        self.0.whole.get().cloned()
    }

    fn child(&self, value: JsValue, step: Step) -> Self {
        Self::resolved(value, Some((self.clone(), step)))
    }

    /// Refuses to go down into a value that is too deep, or that stands within itself.
    fn enter(&self) -> Result<(), Error> {
        if self.0.depth >= MAX_DEPTH {
            return Err(too_deep());
        }
        let mut node = self;
        while let Some((above, _)) = &node.0.above {
            if same(&above.0.value, &self.0.value) {
                let (path, around) = (self.path(), above.path());
                let whole = if around.is_empty() { "the whole value".to_owned() } else { around };
                let message = format!("the value at {path} is a cycle: it is {whole}, in which it stands");
                return Err(Error::new(ErrorCode::UnsupportedValue, message, path));
            }
            node = above;
        }
        Ok(())
    }

    fn members(&self) -> Result<&Members, Error> {
        let read = || {
            self.enter()?;
            let mut values = entries(&self.0.value).map_err(|refusal| self.refused(&refusal))?;
            let keys = values.pop().and_then(|keys| keys.as_string()).unwrap_or_default();
            let keys = if keys.is_empty() { Vec::new() } else { keys.split('\n').map(str::to_owned).collect() };
            Ok((keys, values))
        };
        self.0.members.get_or_init(read).as_ref().map_err(Clone::clone)
    }

    /// JSON Pointer from the root.
    fn path(&self) -> String {
        let (mut tokens, mut node) = (Vec::new(), self);
        while let Some((above, step)) = &node.0.above {
            tokens.push(match step {
                Step::Index(index) => index.to_string(),
                Step::Key(key) => pointer::escape(&literal::unescape(&key[1..key.len() - 1])).into_owned(),
            });
            node = above;
        }
        tokens.iter().rev().fold(String::new(), |path, token| path + "/" + token)
    }

    fn refused(&self, refusal: &Refusal) -> Error {
        let key = refusal.key();
        let token = key.as_string().or_else(|| key.as_f64().map(|index| index.to_string()));
        let mut path = self.path();
        if let Some(token) = token {
            path.push('/');
            path.push_str(&pointer::escape(&token));
        }
        refused(refusal, path)
    }
}

fn refused(refusal: &Refusal, path: String) -> Error {
    let place = if path.is_empty() { String::new() } else { format!(" at {path}") };
    Error::new(ErrorCode::UnsupportedValue, format!("the value{place} cannot be shown: {}", refusal.reason()), path)
}

impl Source for Value {
    fn kind(&self) -> Kind {
        self.0.kind
    }

    fn len(&self) -> usize {
        match self.0.kind {
            Kind::Array => length(&self.0.value) as usize,
            Kind::Object => self.members().map_or(0, |(keys, _)| keys.len()),
            _ => 0,
        }
    }

    fn items(&self, start: usize, max: usize) -> Result<Vec<Self>, Error> {
        if self.0.kind != Kind::Array {
            return Ok(Vec::new());
        }
        self.enter()?;
        let read = items(&self.0.value, start as f64, max as f64).map_err(|refusal| self.refused(&refusal))?;
        let child = |(at, value)| self.child(value, Step::Index(start + at));
        Ok(read.into_iter().enumerate().map(child).collect())
    }

    fn entries(&self) -> Result<Vec<Entry<Self>>, Error> {
        if self.0.kind != Kind::Object {
            return Ok(Vec::new());
        }
        let (keys, values) = self.members()?;
        let entry =
            |(key, value): (&String, &JsValue)| (key.clone(), self.child(value.clone(), Step::Key(key.clone())));
        Ok(keys.iter().zip(values).map(entry).collect())
    }

    fn chars(&self) -> usize {
        match self.0.kind {
            Kind::String => *self.0.chars.get_or_init(|| chars(&self.0.value) as usize),
            _ => 0,
        }
    }

    fn slice(&self, start: usize, max: usize) -> Result<String, Error> {
        Ok(match self.0.kind {
            Kind::String => slice(&self.0.value, start as f64, max as f64, self.chars() as f64),
            _ => String::new(),
        })
    }

    fn column(&self, path: &[String]) -> Result<Vec<f64>, Error> {
        if self.0.kind != Kind::Array {
            return Ok(Vec::new());
        }
        self.enter()?;
        let read = column(&self.0.value, path.to_vec()).map_err(|refusal| self.refused(&refusal))?;
        Ok(read.to_vec())
    }

    fn lengths(&self, places: &[usize], room: usize) -> Result<Vec<Length>, Error> {
        self.enter()?;
        let indices: Vec<u32> = places.iter().map(|&place| place as u32).collect();
        let Some(told) = lengths(&self.0.value, &indices, room as u32) else {
            return length::of_members(self, places, room);
        };
        let told = told.to_vec();
        Ok(told.chunks_exact(2).map(|pair| Length { chars: pair[0], is_all: pair[1] == 1.0 }).collect())
    }

    fn min_bytes(&self, enough: usize) -> usize {
        min_bytes(&self.0.value, enough as f64) as usize
    }

    fn json(&self) -> Result<Cow<'_, str>, Error> {
        let depth_left = MAX_DEPTH.saturating_sub(self.0.depth) as u32;
        match json(&self.0.value, depth_left).map_err(|refusal| self.refused(&refusal))? {
            Some(json) => Ok(Cow::Owned(json)),
            None => write_json(self, |value| Ok(value.json()?.into_owned())).map(Cow::Owned),
        }
    }

    fn whole(&self, is_text: bool, piece: &mut dyn FnMut(&str)) -> Result<(), Error> {
        let depth_left = MAX_DEPTH.saturating_sub(self.0.depth) as u32;
        let text = match whole(&self.0.value, is_text, depth_left).map_err(|refusal| self.refused(&refusal))? {
            Some(text) => text,
            None => self.json()?.as_ref().into(),
        };
        let buffer = Uint8Array::new_with_length(PIECE_BYTES as u32);
        let mut bytes = vec![0; PIECE_BYTES];
        let mut at = 0;
        while at < text.length() {
            let step = encode(&text, at, &buffer);
            let written = step.get_index(1);
            buffer.subarray(0, written).copy_to(&mut bytes[..written as usize]);
            piece(&String::from_utf8_lossy(&bytes[..written as usize]));
            at = step.get_index(0);
        }
        self.0.whole.get_or_init(|| text);
        Ok(())
    }

    fn holds_whole(&self) -> bool {
        true
    }
}
