//! How often a host writes the rows of a list as JSON to show a page of it.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::{Map, Value, json};
use toolshape::host::{Entry, JsonText, Kind, Naming, Source};
use toolshape::{Call, Error, Policy, Shaper};

/// A list that notes how often each of its rows is written; the parts of a row are not noted.
#[derive(Clone)]
struct Noted<'a> {
    value: JsonText<'a>,
    /// The place of a row, `None` for the list and for what is in a row.
    row: Option<usize>,
    is_list: bool,
    written: Rc<RefCell<BTreeMap<usize, usize>>>,
}

impl<'a> Noted<'a> {
    fn list(json: &'a str) -> Self {
        Self { value: JsonText::parse(json).unwrap(), row: None, is_list: true, written: Rc::default() }
    }

    fn inside(&self, value: JsonText<'a>, at: usize) -> Self {
        Self { value, row: self.is_list.then_some(at), is_list: false, written: self.written.clone() }
    }
}

impl Source for Noted<'_> {
    fn kind(&self) -> Kind {
        self.value.kind()
    }

    fn len(&self) -> usize {
        self.value.len()
    }

    fn items(&self, start: usize, max: usize) -> Result<Vec<Self>, Error> {
        let items = self.value.items(start, max)?;
        Ok((start..).zip(items).map(|(at, item)| self.inside(item, at)).collect())
    }

    fn entries_where(&self, is_wanted: &mut dyn FnMut(usize, &str) -> bool) -> Result<Vec<Entry<Self>>, Error> {
        let entries = self.value.entries_where(is_wanted)?;
        Ok(entries.into_iter().map(|(key, value)| (key, self.inside(value, 0))).collect())
    }

    fn chars(&self) -> usize {
        self.value.chars()
    }

    fn slice(&self, start: usize, max: usize) -> Result<String, Error> {
        self.value.slice(start, max)
    }

    fn min_bytes(&self, enough: usize) -> usize {
        self.value.min_bytes(enough)
    }

    fn json(&self) -> Result<Cow<'_, str>, Error> {
        if let Some(row) = self.row {
            *self.written.borrow_mut().entry(row).or_default() += 1;
        }
        self.value.json()
    }
}

/// A row like that of an API, of which four fit a page: some names and numbers, a long text, and objects in it.
fn wide_row(at: usize) -> Value {
    let text = "some words that nobody reads ".repeat(20 + at % 7);
    let counts: Map<_, _> = (0..40).map(|n| (format!("count_{n}"), json!(at * 31 + n))).collect();
    json!({
        "id": at, "name": format!("name of {at}"), "state": if at.is_multiple_of(3) { "open" } else { "closed" },
        "text": text, "counts": counts, "user": { "id": at * 7, "login": format!("user{at}") },
    })
}

#[test]
fn each_row_is_written_once_for_a_page() {
    let text = (0..200).map(wide_row).collect::<Value>().to_string();
    let list = Noted::list(&text);
    let policy = Policy::new(&json!({ "maxTokens": 2000, "pageSize": 20, "format": "json" }), Naming::Camel).unwrap();
    let shaped = Shaper::new(policy).shape_source(&list, &Call::default()).unwrap();
    assert!(shaped.text.contains("\"omittedFields\":") && !shaped.text.contains("\"returned\":"), "{}", shaped.text);
    let written = list.written.borrow();
    // Those of the page, the last one, and eight that the estimate of the whole reads.
    assert!((20..=29).contains(&written.len()), "{written:?}");
    // Each choice of fields takes the fingerprint of the first and of the last row that it shows.
    let once = |(row, times): (&usize, &usize)| *times == 1 || ([0, 19].contains(row) && *times <= 4);
    // The estimate of the whole reads rows at a few places, of which one may be on the page.
    let again: Vec<_> = written.iter().filter(|entry| !once(*entry)).collect();
    assert!(again.len() <= 1 && again.iter().all(|(_, times)| **times == 2), "{written:?}");
}
