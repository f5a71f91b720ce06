//! Keeps whole results in a store without doing the I/O itself, so that what a result says about the store is true.
//!
//! A host shapes results, redacts what is to be stored and stores it. [`Keeping::next`] takes the answers to the last
//! step and returns the next step. All results are shaped again if a result was redacted or could not be stored; a result
//! is redacted once, all of it, so that whatever is made of it later is redacted too. If it cannot be redacted, an error
//! replaces it. The host holds the texts; this module only has their keys.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::base::error::{Error, ErrorCode};
use crate::request::content_id::Form;
use crate::request::redacts::Redacts;
use crate::value::as_read;
use crate::value::json_text::JsonText;

/// The state of results until they can be sent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Keeping {
    results: Vec<Kept>,
    redacts: Redacts,
    asked: Action,
}

/// One result in progress.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Kept {
    input: Input,
    is_redacted: bool,
    /// The key of its content to store, from the last time it was shaped.
    key: Option<String>,
    /// The key under which its content is stored, with a ticket that names its tool.
    stored: Option<String>,
}

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

/// What the host does next; numbers are indices of results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Action {
    /// Shape all results together. The answers are the keys of their contents to store.
    Shape(Vec<Input>),
    /// Redact all of these results.
    Redact(Vec<usize>),
    /// Store the contents of these results, and then their tickets. Results with equal contents are named once: the
    /// ticket names the tools of all that have the key.
    Store(Vec<usize>),
    /// Send the results as they were last shaped.
    Done,
}

/// The answer to one part of a step, in the order of its indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Nothing changed: there is no content to store, or nothing was redacted; or the content is stored.
    Nothing,
    /// The key of the result's content to store.
    Key(String),
    /// The result is now what `redact` returned: JSON, or plain text.
    Redacted { is_json: bool },
    /// `redact` or the store failed; the reason is text for the model.
    Failed(String),
}

impl Keeping {
    /// Starts with `count` results.
    pub fn new(count: usize, redacts: Redacts) -> Self {
        Self { results: vec![Kept::default(); count], redacts, asked: Action::Done }
    }

    /// The next step after the answers to the last one; no answers before the first step.
    pub fn next(&mut self, answers: &[Answer]) -> Action {
        let is_settled = match std::mem::replace(&mut self.asked, Action::Done) {
            Action::Done if self.redacts == Redacts::All => {
                self.asked = Action::Redact((0..self.results.len()).collect());
                return self.asked.clone();
            }
            Action::Done => false,
            Action::Shape(_) => {
                self.take_keys(answers);
                true
            }
            Action::Redact(asked) => self.take_redacted(&asked, answers) && self.redacts == Redacts::Stored,
            Action::Store(asked) => self.take_stored(&asked, answers),
        };
        self.asked = if is_settled { self.after_shaping() } else { self.shape() };
        self.asked.clone()
    }

    fn shape(&self) -> Action {
        Action::Shape(self.results.iter().map(|one| one.input.clone()).collect())
    }

    fn take_keys(&mut self, answers: &[Answer]) {
        for (at, one) in self.results.iter_mut().enumerate() {
            one.key = match answers.get(at) {
                Some(Answer::Key(key)) => Some(key.clone()),
                _ => None,
            };
            // From now on it is shaped from this content: the value may give other data when it is read again.
            let form = one.key.as_deref().and_then(Form::of_key);
            if let (Origin::Own, Some((form, _))) = (one.input.origin, form) {
                one.input.origin = Origin::of(form == Form::Json);
            }
        }
    }

    /// What is left to do for the results in their current shape.
    fn after_shaping(&self) -> Action {
        let is_open = |one: &Kept| one.key.is_some() && one.key != one.stored;
        let open = |wanted: &dyn Fn(&Kept) -> bool| -> Vec<usize> {
            self.results.iter().enumerate().filter(|(_, one)| is_open(one) && wanted(one)).map(|(at, _)| at).collect()
        };
        let to_redact = open(&|one| self.redacts != Redacts::Nothing && !one.is_redacted);
        if !to_redact.is_empty() {
            return Action::Redact(to_redact);
        }
        // Equal contents are stored once.
        let mut to_store = open(&|_| true);
        let mut keys: Vec<&Option<String>> = Vec::new();
        to_store.retain(|&at| {
            let key = &self.results[at].key;
            let is_first = !keys.contains(&key);
            keys.push(key);
            is_first
        });
        if to_store.is_empty() { Action::Done } else { Action::Store(to_store) }
    }

    /// Whether the results may keep their current shape.
    fn take_redacted(&mut self, asked: &[usize], answers: &[Answer]) -> bool {
        let mut is_settled = true;
        for (&at, answer) in asked.iter().zip(answers) {
            let one = &mut self.results[at];
            one.is_redacted = true;
            match answer {
                Answer::Redacted { is_json } => {
                    one.input.is_redacted = true;
                    one.input.origin = Origin::of(*is_json);
                }
                Answer::Failed(reason) => one.input.redact_failure = Some(reason.clone()),
                _ => continue,
            }
            is_settled = false;
        }
        is_settled
    }

    fn take_stored(&mut self, asked: &[usize], answers: &[Answer]) -> bool {
        let mut is_settled = true;
        for (&at, answer) in asked.iter().zip(answers) {
            let key = self.results[at].key.clone();
            match answer {
                Answer::Failed(reason) => {
                    let of_key = self.results.iter_mut().filter(|one| one.key == key);
                    of_key.for_each(|one| one.input.store_failure = Some(reason.clone()));
                    is_settled = false;
                }
                _ => {
                    let of_key = self.results.iter_mut().filter(|one| one.key == key);
                    of_key.for_each(|one| one.stored.clone_from(&key));
                }
            }
        }
        is_settled
    }
}

impl Origin {
    fn of(is_json: bool) -> Self {
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
        as_read::replaced(text, is_json, "", &mut |reading| {
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
    let changed = as_read::replaced(text, is_json, "", &mut { left });
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

    fn key(digit: char) -> Answer {
        Answer::Key(format!("{}.json", digit.to_string().repeat(64)))
    }

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

    fn failed() -> Answer {
        Answer::Failed("away".to_owned())
    }

    fn input(origin: Origin, is_redacted: bool, failure: Option<&str>) -> Input {
        Input { origin, is_redacted, store_failure: failure.map(str::to_owned), ..Input::default() }
    }

    #[test]
    fn what_leaves_nothing_out_is_done() {
        let mut keeping = Keeping::new(2, Redacts::Stored);
        assert_eq!(keeping.next(&[]), Action::Shape(vec![Input::default(); 2]));
        assert_eq!(keeping.next(&[Answer::Nothing, Answer::Nothing]), Action::Done);
    }

    #[test]
    fn a_content_is_redacted_once_and_stored_before_it_is_told() {
        let mut keeping = Keeping::new(2, Redacts::Stored);
        keeping.next(&[]);
        assert_eq!(keeping.next(&[key('a'), Answer::Nothing]), Action::Redact(vec![0]));
        let again = vec![input(Origin::Json, true, None), Input::default()];
        assert_eq!(keeping.next(&[Answer::Redacted { is_json: true }]), Action::Shape(again));
        assert_eq!(keeping.next(&[key('b'), key('c')]), Action::Redact(vec![1]));
        assert_eq!(keeping.next(&[Answer::Nothing]), Action::Store(vec![0, 1]));
        assert_eq!(keeping.next(&[Answer::Nothing, Answer::Nothing]), Action::Done);
    }

    #[test]
    fn where_something_fails_all_are_shaped_again_and_that_one_without_the_store() {
        let mut keeping = Keeping::new(3, Redacts::Nothing);
        keeping.next(&[]);
        assert_eq!(keeping.next(&[key('a'), key('a'), key('b')]), Action::Store(vec![0, 2]));
        let without = input(Origin::Json, false, Some("away"));
        let again = vec![without.clone(), without, input(Origin::Json, false, None)];
        assert_eq!(keeping.next(&[failed(), Answer::Nothing]), Action::Shape(again));
        // A stored content is not stored again.
        assert_eq!(keeping.next(&[Answer::Nothing, Answer::Nothing, key('b')]), Action::Done);
    }

    #[test]
    fn what_cannot_be_redacted_is_shown_no_more_than_stored() {
        let refused =
            |reason: &str| Input { redact_failure: Some(reason.to_owned()), ..input(Origin::Json, false, None) };
        let mut keeping = Keeping::new(2, Redacts::Stored);
        keeping.next(&[]);
        assert_eq!(keeping.next(&[key('a'), Answer::Nothing]), Action::Redact(vec![0]));
        assert_eq!(keeping.next(&[failed()]), Action::Shape(vec![refused("away"), Input::default()]));
        assert_eq!(keeping.next(&[Answer::Nothing, Answer::Nothing]), Action::Done);
    }

    #[test]
    fn where_all_is_redacted_nothing_is_shaped_before() {
        let mut keeping = Keeping::new(3, Redacts::All);
        assert_eq!(keeping.next(&[]), Action::Redact(vec![0, 1, 2]));
        let refused = Input { redact_failure: Some("away".to_owned()), ..Input::default() };
        let shaped = vec![input(Origin::Text, true, None), Input::default(), refused];
        assert_eq!(
            keeping.next(&[Answer::Redacted { is_json: false }, Answer::Nothing, failed()]),
            Action::Shape(shaped)
        );
        assert_eq!(keeping.next(&[key('a'), Answer::Nothing, Answer::Nothing]), Action::Store(vec![0]));
        assert_eq!(keeping.next(&[Answer::Nothing]), Action::Done);
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
