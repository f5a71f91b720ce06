//! What a result is shaped from until it is stored, and what `redact` sees of a content.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::base::error::{Error, ErrorCode};
use crate::value::as_read;
use crate::value::json_text::JsonText;

/// What a result is shaped from, and what its call says about the store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Input {
    #[serde(rename = "from")]
    pub origin: Origin,
    /// Whether the host shapes what `redact` returned.
    pub is_redacted: bool,
    /// The call's `redactFailure`.
    pub redact_failure: Option<String>,
    /// The call's `storeFailure`; `None` for a call with `store`.
    pub store_failure: Option<String>,
}

/// What a result is shaped from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// What the tool returned.
    #[default]
    Own,
    /// The content to store, or what `redact` returned, because the value may give other data when it is read again.
    Json,
    Text,
}

impl Origin {
    pub(crate) fn of(is_json: bool) -> Self {
        if is_json { Self::Json } else { Self::Text }
    }
}

/// The most rounds until `redact` changes none of the readings of what it returned.
const MOST_ROUNDS: u64 = 16;

/// Finds what `redact` is to receive of a content, in rounds from 0: first the text as readers may see it, where that differs, and then the
/// text itself, because what is removed of the text alone may leave the rest of a secret. `seen` is what it returned for the readings of
/// the round before, in their order. Returns the content, and no readings once it is redacted.
///
/// # Errors
/// `REDACT_FAILED` for a text that is not JSON in place of JSON, and if `redact` changes whatever it returned itself.
///
/// ```
/// use toolshape::host::check_redacted;
/// let redact = |readings: &[String]| readings.iter().map(|text| text.replace("sk-1", "…")).collect::<Vec<_>>();
/// let (text, readings) = check_redacted(false, "s\x1b[1mk-1", 0, &[])?;
/// assert_eq!(readings, ["s\x1b[1mk-1", "sk-1", "s\x1b[1mk-1"]);
/// let (text, readings) = check_redacted(false, &text, 1, &redact(&readings))?;
/// assert_eq!((&*text, readings.len()), ("…\x1b[1m", 3));
/// let (text, readings) = check_redacted(false, &text, 2, &redact(&readings))?;
/// assert_eq!((&*text, readings.len()), ("…\x1b[1m", 0));
/// # Ok::<(), toolshape::Error>(())
/// ```
pub fn check_redacted<'t>(
    is_json: bool,
    text: &'t str,
    round: u64,
    seen: &[String],
) -> Result<(Cow<'t, str>, Vec<String>), Error> {
    let refuse = |why| Err(Error::new(ErrorCode::RedactFailed, why, ""));
    let readings = |text: &str| {
        let mut readings = Vec::new();
        as_read::replaced(text, is_json, "", &mut None, &mut |reading| {
            readings.push(reading.to_owned());
            None
        });
        readings
    };
    let with_itself = |text: Cow<'t, str>| {
        let mut asked = readings(&text);
        asked.push((*text).to_owned());
        Ok((text, asked))
    };
    if round == 0 {
        return with_itself(Cow::Borrowed(text));
    }
    if round > MOST_ROUNDS {
        return refuse("redact changes what it returned itself");
    }
    // What is replaced may have readings of its own, which are then passed over: so the order alone does not tell them apart.
    let asked = readings(text);
    let of_reading: HashMap<&str, &String> = asked.iter().map(String::as_str).zip(seen).collect();
    let left = |reading: &str| of_reading.get(reading).filter(|left| **left != reading).map(|left| (*left).clone());
    let changed = as_read::replaced(text, is_json, "", &mut None, &mut { left });
    // The text itself comes last, and once.
    match (changed, seen.get(asked.len())) {
        (Some(changed), Some(_)) => with_itself(Cow::Owned(changed)),
        (Some(changed), None) => {
            let readings = readings(&changed);
            Ok((Cow::Owned(changed), readings))
        }
        (None, Some(own)) if is_json && JsonText::parse(own).is_err() => {
            refuse("redact returned text that is not JSON")
        }
        (None, Some(own)) if own != text => Ok((Cow::Owned(own.clone()), readings(own))),
        (None, _) => Ok((Cow::Borrowed(text), Vec::new())),
    }
}

/// The error for a host's function `what` that returned a value of another type instead of a text.
pub fn no_text(what: &str, type_name: &str) -> Error {
    Error::new(ErrorCode::StoreFailed, format!("{what} returned {type_name} instead of text"), "")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left of a text that is redacted as hosts do it.
    fn redacted(text: &str, redact: impl Fn(&str) -> String) -> String {
        let (mut text, mut seen) = (text.to_owned(), Vec::new());
        for round in 0.. {
            let (left, readings) = check_redacted(false, &text, round, &seen).unwrap();
            (text, seen) = (left.into_owned(), readings.iter().map(|reading| redact(reading)).collect());
            if readings == seen {
                return text;
            }
        }
        unreachable!()
    }

    #[test]
    fn a_reading_inside_of_another_that_is_replaced_has_its_own_answer() {
        let cells: String = (0..40).map(|at| format!("{at},\"s\"\"k-{at}<br>\"\n")).collect();
        let secret = |reading: &str| match reading.starts_with("s\"k-") {
            true => "***".to_owned(),
            false => reading.to_owned(),
        };
        let left = redacted(&format!("id,key\n{cells}"), secret);
        assert_eq!((left.matches("***").count(), left.contains("k-")), (40, false), "{left}");
    }

    #[test]
    fn what_redact_gave_for_json_has_to_be_json() {
        let own = |text: &str| vec!["[1]".to_owned(), text.to_owned()];
        assert_eq!(check_redacted(true, "[1]", 0, &[]).unwrap().1, ["[1]"]);
        assert!(check_redacted(true, "[1]", 1, &own("[2]")[1..]).is_ok());
        assert!(check_redacted(false, "[1,", 1, &own("[2,")[1..]).is_ok());
        assert_eq!(check_redacted(true, "[1]", 1, &own("[1,")[1..]).unwrap_err().code(), ErrorCode::RedactFailed);
    }
}
