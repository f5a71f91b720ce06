//! Whether texts of a result have the facts of its structured content.

use crate::base::error::Error;
use crate::base::json_string;
use crate::base::numbers;
use crate::value::any_source::AnySource;
use crate::value::json_text::JsonText;
use crate::value::plain_text::PlainText;
use crate::value::sampling::evenly;
use crate::value::source::{AT_ONCE_BYTES, FastSource, Kind, Source};

use super::parts::ResultPart;
use super::returned::BlockText;

/// Items of a list, and entries of an object, that are compared to decide whether two values are equal.
const COMPARED: usize = 16;
const COMPARED_LEVELS: usize = 4;
/// The number of samples that are compared in two texts of equal length, and the characters of each; the first sample
/// is the texts' start, the last one their end.
const COMPARED_STRETCHES: usize = 4;
const COMPARED_CHARS: usize = 256;

/// Whether the host writes an object exactly as a text. It is asked only if `is_stored` says of the text that the JSON is
/// needed anyway, and if the text begins as that does.
///
/// # Errors
/// Whatever reading either reports.
pub(super) fn is_written_as<'v>(
    object: &AnySource<'v>,
    text: &BlockText<'v>,
    is_stored: impl FnOnce(&AnySource<'v>) -> bool,
) -> Result<bool, Error> {
    let value = &text.value;
    let Some(held) =
        value.fast().and_then(FastSource::as_held).filter(|_| object.kind() == Kind::Object && is_stored(value))
    else {
        return Ok(false);
    };
    let Some((key, _)) = object.entries_where(&mut |at, _| at == 0)?.pop() else { return Ok(false) };
    let start = format!("{{{key}:");
    Ok(text.start(start.chars().count())? == start && object.fast().is_some_and(|fast| fast.is_written_as(held)))
}

/// Calls `compare` with a value; with a short one as its text, which a host writes in less time than it takes to ask for
/// each member.
fn near<T>(value: &AnySource<'_>, compare: impl FnOnce(&AnySource<'_>) -> T) -> T {
    let is_short = value.kind().is_container() && value.min_bytes(AT_ONCE_BYTES) <= AT_ONCE_BYTES;
    match is_short.then(|| value.json()) {
        Some(Ok(json)) => compare(&AnySource::new(JsonText::checked(&json))),
        _ => compare(value),
    }
}

/// Whether texts and structured content have the same content, as far as samples show.
pub(super) fn tell_the_same(texts: &[ResultPart<'_>], structured: &AnySource<'_>) -> Result<bool, Error> {
    near(structured, |structured| are_alike(texts, structured))
}

fn are_alike(texts: &[ResultPart<'_>], structured: &AnySource<'_>) -> Result<bool, Error> {
    if let [text] = texts {
        return alike(text.value(), structured, 0);
    }
    // A list with one block for each item.
    if texts.is_empty() || structured.kind() != Kind::Array || structured.len() != texts.len() {
        return Ok(false);
    }
    for at in evenly(texts.len(), COMPARED) {
        let same = structured.items(at, 1)?.first().map_or(Ok(false), |item| alike(texts[at].value(), item, 0))?;
        if !same {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a text is equal to a member of structured content, as far as samples show. Servers return this if their data
/// is a text, for example a file.
pub(super) fn holds_text(structured: &AnySource<'_>, text: &ResultPart<'_>) -> Result<bool, Error> {
    if structured.kind() != Kind::Object || structured.len() > COMPARED {
        return Ok(false);
    }
    let told = match text.given() {
        Some(given) => AnySource::new(PlainText::new(given)),
        None => text.value().clone(),
    };
    for (_, member) in structured.entries()? {
        if alike(&told, &member, 0)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn alike(one: &AnySource<'_>, other: &AnySource<'_>, level: usize) -> Result<bool, Error> {
    if one.kind() != other.kind() || one.len() != other.len() || one.chars() != other.chars() {
        return Ok(false);
    }
    match one.kind() {
        Kind::String => {
            for at in evenly(one.chars().saturating_sub(COMPARED_CHARS) + 1, COMPARED_STRETCHES) {
                let [ours, theirs] = [one.slice(at, COMPARED_CHARS)?, other.slice(at, COMPARED_CHARS)?];
                if json_string::unescape(&ours) != json_string::unescape(&theirs) {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        Kind::Number => {
            let number = |value: &AnySource<'_>| Ok::<_, Error>(numbers::double(&value.json()?));
            Ok(number(one)? == number(other)?)
        }
        Kind::Array | Kind::Object if level == COMPARED_LEVELS => Ok(true),
        Kind::Array => {
            for at in evenly(one.len(), COMPARED) {
                let (one, other) = (one.items(at, 1)?, other.items(at, 1)?);
                if !one.iter().zip(&other).map(|(one, other)| alike(one, other, level + 1)).all(|same| same == Ok(true))
                {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        Kind::Object => {
            let (ours, theirs) = (one.entries()?, other.entries()?);
            for at in evenly(ours.len(), COMPARED) {
                let ((key, one), (its, other)) = (&ours[at], &theirs[at]);
                if json_string::unescape(key) != json_string::unescape(its) || !alike(one, other, level + 1)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        _ => Ok(one.json()? == other.json()?),
    }
}
