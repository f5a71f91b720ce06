//! Parts of a stored text that has rows or data in it: a value at a pointer that leads into them.

use crate::base::error::Error;
use crate::base::json_pointer;
use crate::base::work::Work;
use crate::ladder::structured_text::StructuredText;
use crate::render::notes::read_back::Unfit;
use crate::request::policy::ReadAs;
use crate::value::any_source::AnySource;
use crate::value::at_pointer;
use crate::value::source::{Kind, Source};
use crate::value::structured_text::TextFormat;

use super::part::{NotThere, StoredPart, missing, stop_at, unfit};

/// What a call reads.
pub(super) enum ReadPart<'a> {
    Part(StoredPart<'a>),
    /// The JSON text of rows or data in a text, or of a value in them, and what the text is.
    Json(String, TextFormat),
    Nothing(NotThere),
}

/// The part of a content at a pointer, which may lead into a text.
///
/// # Errors
/// `INVALID_CALL` for a pointer into a text without rows or data, and for what takes too much work.
pub(super) fn find<'a>(
    content: StoredPart<'a>,
    pointer: &str,
    reads: ReadAs,
    work: &Work,
) -> Result<ReadPart<'a>, Error> {
    let tokens = json_pointer::tokens(pointer).unwrap_or_default();
    let (text, led) = match content.led_to(&tokens) {
        Ok(part) => return Ok(ReadPart::Part(part)),
        Err((StoredPart::Json(last), led)) if last.kind() != Kind::String => {
            return Ok(ReadPart::Nothing(missing(&last, &tokens, led)?));
        }
        Err(last) => last,
    };
    match within(&text.source(), text.given(), (&tokens, led), reads, work)? {
        Some(found) => Ok(found),
        None => match text {
            StoredPart::Text(_) => Err(unfit("pointer", Unfit::IsText)),
            StoredPart::Json(last) => Ok(ReadPart::Nothing(missing(&last, &tokens, led)?)),
        },
    }
}

/// What the tokens after the first `led`, which lead to `text`, name in it. There may be a text in its data as well.
/// `None` if the text has no rows or data in it.
fn within<'t, 'a>(
    text: &AnySource<'t>,
    given: Option<&'t str>,
    (tokens, led): (&[String], usize),
    reads: ReadAs,
    work: &Work,
) -> Result<Option<ReadPart<'a>>, Error> {
    stop_at("pointer", work.spend(text.min_bytes(usize::MAX)))?;
    let Some(structured) = StructuredText::recognize(text, given, reads)? else { return Ok(None) };
    let data = structured.source();
    let (value, more) = at_pointer::last_on_way(&data, &tokens[led..])?;
    let led = led + more;
    if value.kind() == Kind::String
        && led < tokens.len()
        && let Some(found) = within(&value, None, (tokens, led), reads, work)?
    {
        return Ok(Some(found));
    }
    Ok(Some(match led == tokens.len() {
        true => ReadPart::Json(value.json()?.into_owned(), structured.format()),
        false => ReadPart::Nothing(missing(&value, tokens, led)?),
    }))
}
