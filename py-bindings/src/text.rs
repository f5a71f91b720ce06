//! Python strings as UTF-8, whole or in parts, with any content.
//!
//! A `str` may contain lone surrogates, which UTF-8 cannot represent: in JSON they stay as escapes, in plain text they
//! become U+FFFD. A long string is read piece by piece, because Python caches the UTF-8 form of a string for the
//! string's lifetime.

use std::borrow::Cow;
use std::fmt::Write;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PySlice, PyString};
use toolshape::host::escape_into;

/// Code points of a long string that are read at a time.
const PIECE: usize = 1 << 16;

/// At most `max` code points from `start`, as the inside of a JSON string literal.
pub fn literal(text: &Bound<'_, PyString>, start: usize, max: usize) -> PyResult<String> {
    let end = start.saturating_add(max).min(text.code_point_len()?);
    let mut out = String::new();
    write_stretch(text, start, end, &mut out, usize::MAX)?;
    Ok(out)
}

/// Appends a string to `out` as a JSON string literal; may stop once `out` is longer than `enough` bytes.
pub fn write_quoted(text: &Bound<'_, PyString>, out: &mut String, enough: usize) -> PyResult<()> {
    out.push('"');
    write_stretch(text, 0, text.code_point_len()?, out, enough)?;
    out.push('"');
    Ok(())
}

fn write_stretch(
    text: &Bound<'_, PyString>,
    start: usize,
    end: usize,
    out: &mut String,
    enough: usize,
) -> PyResult<()> {
    if start == 0 && end <= PIECE && end == text.code_point_len()? {
        return write_piece(text, out);
    }
    let mut at = start;
    while at < end && out.len() <= enough {
        let next = end.min(at + PIECE);
        let piece = text.get_item(PySlice::new(text.py(), at as isize, next as isize, 1))?;
        write_piece(piece.cast::<PyString>()?, out)?;
        at = next;
    }
    Ok(())
}

fn write_piece(text: &Bound<'_, PyString>, out: &mut String) -> PyResult<()> {
    match text.to_str() {
        Ok(text) => escape_into(text, out),
        Err(_) => decode(text, |part, lone| {
            escape_into(part, out);
            escape_surrogate(lone, out);
        })?,
    }
    Ok(())
}

/// A string as plain text: each lone surrogate becomes U+FFFD.
pub fn plain<'a>(text: &'a Bound<'_, PyString>) -> PyResult<Cow<'a, str>> {
    utf8(text, |_, out| out.push('\u{fffd}'))
}

/// The same, piece by piece.
pub fn pieces(text: &Bound<'_, PyString>, each: &mut dyn FnMut(&str)) -> PyResult<()> {
    each_piece(text, &mut |piece| {
        each(&plain(piece)?);
        Ok(())
    })
}

/// A string as JSON text: each lone surrogate becomes its escape.
pub fn json<'a>(text: &'a Bound<'_, PyString>) -> PyResult<Cow<'a, str>> {
    utf8(text, |lone, out| escape_surrogate(Some(lone), out))
}

/// JSON text that [`write_quoted`] wrote, with U+FFFD for each escape of a lone surrogate.
pub fn replace_surrogates(json: String) -> String {
    if !json.contains("\\ud") {
        return json;
    }
    let mut out = String::with_capacity(json.len());
    let mut rest = json.as_str();
    while let Some(at) = rest.find('\\') {
        let (plain, escape) = rest.split_at(at);
        out.push_str(plain);
        let lone = escape.starts_with("\\ud");
        let bytes = if lone { 6 } else { 2 };
        out.push_str(if lone { "\u{fffd}" } else { &escape[..bytes] });
        rest = &escape[bytes..];
    }
    out + rest
}

fn utf8<'a>(text: &'a Bound<'_, PyString>, write_lone: impl Fn(u16, &mut String)) -> PyResult<Cow<'a, str>> {
    if is_whole(text)?
        && let Ok(text) = text.to_str()
    {
        return Ok(Cow::Borrowed(text));
    }
    let mut out = String::with_capacity(text.code_point_len()?);
    each_piece(text, &mut |piece| match piece.to_str() {
        Ok(piece) => {
            out.push_str(piece);
            Ok(())
        }
        Err(_) => decode(piece, |part, lone| {
            out.push_str(part);
            if let Some(lone) = lone {
                write_lone(lone, &mut out);
            }
        }),
    })?;
    Ok(Cow::Owned(out))
}

/// Python's own string for what was read of it: that string itself, unless its lone surrogates were replaced.
pub fn held<'py>(
    string: &Bound<'py, PyString>,
    replaced: impl FnOnce() -> PyResult<Bound<'py, PyString>>,
) -> PyResult<Bound<'py, PyString>> {
    let mut has_lone = !is_own(string);
    if !has_lone {
        each_piece(string, &mut |piece| {
            has_lone |= piece.to_str().is_err();
            Ok(())
        })?;
    }
    if has_lone { replaced() } else { Ok(string.clone()) }
}

/// Whether a string is of Python's own class, and of no caller's, whose slices may be anything.
fn is_own(text: &Bound<'_, PyString>) -> bool {
    text.is_exact_instance_of::<PyString>()
}

/// Whether a string is read in one piece: it is short or ASCII, and then its UTF-8 form is the string's own memory.
fn is_whole(text: &Bound<'_, PyString>) -> PyResult<bool> {
    let is_short = text.code_point_len()? <= PIECE || !is_own(text);
    Ok(is_short || text.call_method0(intern!(text.py(), "isascii"))?.is_truthy()?)
}

fn each_piece<'py>(
    text: &Bound<'py, PyString>,
    each: &mut dyn FnMut(&Bound<'py, PyString>) -> PyResult<()>,
) -> PyResult<()> {
    if is_whole(text)? {
        return each(text);
    }
    let length = text.code_point_len()?;
    for at in (0..length).step_by(PIECE) {
        let end = length.min(at + PIECE);
        each(text.get_item(PySlice::new(text.py(), at as isize, end as isize, 1))?.cast::<PyString>()?)?;
    }
    Ok(())
}

fn escape_surrogate(lone: Option<u16>, out: &mut String) {
    if let Some(lone) = lone {
        write!(out, "\\u{lone:04x}").expect("writing to a String cannot fail");
    }
}

/// Reads a string with surrogates: each part of the text, with the lone surrogate after it.
fn decode(text: &Bound<'_, PyString>, mut each: impl FnMut(&str, Option<u16>)) -> PyResult<()> {
    let encoded = text.call_method1("encode", ("utf-16-le", "surrogatepass"))?;
    let units =
        encoded.cast::<PyBytes>()?.as_bytes().chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
    let mut part = String::new();
    for unit in char::decode_utf16(units) {
        match unit {
            Ok(character) => part.push(character),
            Err(lone) => {
                each(&part, Some(lone.unpaired_surrogate()));
                part.clear();
            }
        }
    }
    each(&part, None);
    Ok(())
}
