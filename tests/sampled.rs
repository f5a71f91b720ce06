//! What a summary of a series or a grid promises about the full result: its entries are some of the full result's, to
//! the byte and in their order.

use serde_json::Value;
use toolshape::Shaped;
use toolshape::host::{JsonText, Source};

use crate::promises;

/// The most pages of a full result that are read.
const MOST_PAGES: usize = 10_000;

/// The members of a shaped result, as they are spelled.
pub struct Answer(pub Vec<(String, String)>);

impl Answer {
    pub fn read(shaped: &Shaped) -> Self {
        Self::of(&shaped.text)
    }

    pub fn of(object: &str) -> Self {
        let entries = JsonText::parse(object).unwrap().entries().unwrap();
        Self(entries.into_iter().map(|(key, value)| (key, value.span().to_owned())).collect())
    }

    pub fn text(&self, name: &str) -> &str {
        self.find(name).unwrap_or_else(|| panic!("no {name} in {:?}", self.0))
    }

    pub fn find(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key.trim_matches('"') == name).map(|(_, value)| &**value)
    }

    pub fn value(&self, name: &str) -> Value {
        serde_json::from_str(self.text(name)).unwrap()
    }

    /// The items of a list, each as it is spelled.
    pub fn items(&self, name: &str) -> Vec<String> {
        let items = JsonText::parse(self.text(name)).unwrap().items(0, usize::MAX).unwrap();
        items.into_iter().map(|item| item.span().to_owned()).collect()
    }
}

/// Every entry of the full result, put together from its pages; `None` if a page shows a row shortened, or
/// a matrix.
pub fn whole(source: &str, policy: &Value, call: &Value, bulk: &str) -> Option<Vec<String>> {
    let mut call = call.clone();
    call["output"] = "full".into();
    let mut entries = Vec::new();
    for _ in 0..MOST_PAGES {
        let shaped = promises::hold(source, policy, &call).unwrap_or_else(|| panic!("{policy} {call}: {source}"));
        // A list that passes whole has no pages.
        if shaped.unchanged {
            let items = JsonText::parse(source).ok()?.items(0, usize::MAX).ok().filter(|_| bulk == "entries")?;
            return Some(items.into_iter().map(|item| item.span().to_owned()).collect());
        }
        let answer = Answer::read(&shaped);
        // Next to other members that are too long, a page of the entries has no room.
        if answer.find("_summarized").is_some() {
            return None;
        }
        assert_eq!(answer.text("output"), "\"full\"", "{}", shaped.text);
        // Rows of a matrix are pages of their own.
        if answer.find("elisions").is_some() || answer.find(bulk).is_none() {
            return None;
        }
        entries.extend(answer.items(bulk));
        match answer.find("nextCursor") {
            Some(next) if next != "null" => call["cursor"] = serde_json::from_str(next).unwrap(),
            _ => return Some(entries),
        }
    }
    panic!("the full result has no end: {source}");
}

/// A summary shows entries of the full result, in their order; the first and the last are among them. Of a grid it
/// shows cells.
pub fn is_strict_subset(source: &str, policy: &Value, call: &Value, summary: &Shaped) {
    let answer = Answer::read(summary);
    let is_grid = answer.text("kind") == "\"grid\"";
    let mut policy = policy.clone();
    // The full result is read as rows, page by page.
    ["format", "overflow", "offloadOver"].iter().for_each(|name| policy[*name] = Value::Null);
    let mut call = call.clone();
    ["format", "page", "pageSize", "store", "storeFailure"].iter().for_each(|name| call[*name] = Value::Null);
    let Some(full) = whole(source, &policy, &call, if is_grid { "cells" } else { "entries" }) else { return };
    if is_grid {
        assert_eq!(answer.value("feasibleCells"), full.len(), "{}", summary.text);
        let top = answer.items("topCells");
        assert!(top.iter().all(|cell| full.contains(cell)), "{}", summary.text);
        assert_eq!(answer.text("best"), top.first().map_or("null", String::as_str), "{}", summary.text);
        return;
    }
    let (kept, indices) = (answer.items("entries"), answer.value("indices"));
    let indices: Vec<usize> = indices.as_array().unwrap().iter().map(|at| at.as_u64().unwrap() as usize).collect();
    assert_eq!(answer.value("totalItems"), full.len(), "{}", summary.text);
    assert_eq!((answer.value("returned"), indices.len()), (kept.len().into(), kept.len()), "{}", summary.text);
    assert!(indices.windows(2).all(|pair| pair[0] < pair[1]), "{}", summary.text);
    for (&index, entry) in indices.iter().zip(&kept) {
        assert_eq!(entry, &full[index], "{}", summary.text);
    }
    if let (Some(first), Some(last)) = (indices.first(), indices.last()) {
        let ends = if indices.len() > 1 { full.len() - 1 } else { 0 };
        assert_eq!((*first, *last), (0, ends), "{}", summary.text);
    }
}
