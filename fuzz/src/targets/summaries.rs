//! Summaries: of a text, made of its own lines; of a series or a grid, a strict subset of the full result.

use arbitrary::{Result, Unstructured};
use serde_json::json;
use toolshape::host::{Naming, TextSummary};
use toolshape::{Call, Policy, Shaper};

use super::shape::accepted;
use crate::input::Input;
use crate::{options, promises, sampled, text_edits};

pub fn edit(input: &mut Input, choose: &mut Unstructured<'_>) -> Result<()> {
    match choose.int_in_range(0..=9)? {
        0..=2 => options::edit_policy(input, choose),
        3 => options::edit_call(input, choose),
        4 => {
            let kind = choose.choose(&["log", "document", "\u{0}"])?;
            let summary = json!({ "uri": "file:///x", "kind": if *kind == "\u{0}" { None } else { Some(kind) } });
            input.head.insert("summary".to_owned(), summary);
            Ok(())
        }
        5 => {
            let is_text = input.is_text();
            input.head.insert("text".to_owned(), json!(!is_text));
            Ok(())
        }
        _ if input.is_text() => text_edits::edit(&mut input.body, choose),
        _ => options::edit_call(input, choose),
    }
}

pub fn run(input: &Input) -> Option<()> {
    let (mut policy, call) = accepted(input)?;
    if !input.is_text() {
        if !["series", "grid"].iter().any(|name| policy.get(*name).is_some_and(|value| !value.is_null())) {
            policy["series"] = json!({});
        }
        let shaped = promises::hold(&input.body, &policy, &call)?;
        if shaped.text.starts_with("{\"output\":\"summary\"") {
            sampled::is_strict_subset(&input.body, &policy, &call, &shaped);
        }
        return Some(());
    }
    let shaper = Shaper::new(Policy::new(&policy, Naming::Camel).ok()?);
    let options = TextSummary::new(&input.object("summary"), Naming::Camel).ok()?;
    let call = Call::new(&call, Naming::Camel).ok()?;
    let shaped = match shaper.summarize_text(&input.body, &options, &call) {
        Ok(shaped) => shaped,
        Err(error) => {
            assert_eq!(error.code().as_str(), "INVALID_CALL", "{error}");
            return None;
        }
    };
    promises::fits(&shaped);
    promises::out_of_the_way(&input.body, &shaped);
    if !shaped.is_error {
        promises::extractive(&input.body, &shaped);
    }
    Some(())
}
