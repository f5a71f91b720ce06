//! A part as its readers see it, for a search that finds nothing in what is stored: a text as the data in it, or as the page or
//! the terminal shows it; in JSON the same for each text. Pointers into the texts are those that `read_result` takes.

use toolshape_json::{skip_space, skip_string};

use crate::base::error::Error;
use crate::base::json_string::{Quoted, quoted};
use crate::base::work::Work;
use crate::render::notes::stored;
use crate::value::as_read;
use crate::value::json_text::JsonText;
use crate::value::source::Source;
use crate::value::structured_text::{self, Formats};

use super::part::StoredPart;

/// How many texts may be inside each other.
const MOST_TEXTS: usize = 4;
/// A shorter text in JSON is read as it is.
const LEAST_BYTES: usize = 16;

/// A part in the form in which it is read.
pub(super) enum AsShown {
    /// The data in it, as JSON.
    Data(String),
    /// A text without codes and tags.
    Text(String),
}

impl AsShown {
    /// What a part is to its readers; `None` if that is what is stored, and where it takes too much work.
    pub fn of(part: &StoredPart<'_>, work: &Work) -> Option<Self> {
        match (part.text(), part) {
            (None, StoredPart::Json(value)) => in_json(value.span(), MOST_TEXTS, work).map(Self::Data),
            (text, _) => of_text(&text.unwrap_or_default(), MOST_TEXTS, work),
        }
    }

    /// The same as a part.
    ///
    /// # Errors
    /// None for what is made here.
    pub fn part(&self) -> Result<StoredPart<'_>, Error> {
        Ok(match self {
            Self::Data(json) => StoredPart::Json(JsonText::parse(json)?),
            Self::Text(text) => StoredPart::Text(text),
        })
    }

    /// What the answer says about its form.
    pub fn note(&self) -> &'static str {
        match self {
            Self::Data(_) => stored::AS_DATA,
            Self::Text(_) => stored::AS_TEXT,
        }
    }
}

fn of_text(text: &str, texts: usize, work: &Work) -> Option<AsShown> {
    if texts == 0 || work.spend(text.len()).is_break() {
        return None;
    }
    if let Some(structure) = structured_text::recognize(text, Formats::All)
        && let Ok(json) = structure.source(text).json()
    {
        let inside = in_json(&json, texts - 1, work);
        return Some(AsShown::Data(inside.unwrap_or_else(|| json.into_owned())));
    }
    let shown = as_read::shown(text);
    (shown != text).then(|| AsShown::Text(shown.into_owned()))
}

/// JSON with each text in it as it is read; `None` if there is no other reading. Keys stay.
fn in_json(json: &str, texts: usize, work: &Work) -> Option<String> {
    let bytes = json.as_bytes();
    let (mut out, mut copied, mut at) = (String::new(), 0, 0);
    while let Some(start) = memchr::memchr(b'"', &bytes[at..]).map(|next| at + next) {
        at = skip_string(bytes, start);
        let is_key = bytes.get(skip_space(bytes, at)) == Some(&b':');
        if is_key || at - start < LEAST_BYTES {
            continue;
        }
        let read = match of_text(&Quoted::new(&json[start..at]).text(), texts, work) {
            Some(AsShown::Data(json)) => json,
            Some(AsShown::Text(text)) => quoted(&text),
            None => continue,
        };
        out.push_str(&json[copied..start]);
        out.push_str(&read);
        copied = at;
    }
    (copied > 0).then(|| out + &json[copied..])
}
