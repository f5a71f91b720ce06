//! The arguments of `read_result` over a stored content: every question is answered within the budget or explained, and
//! following the answers rebuilds the content.

use arbitrary::{Result, Unstructured};
use serde_json::{Value, json};
use toolshape::host::JsonText;

use super::shape::accepted;
use crate::input::Input;
use crate::{options, promises};

/// A larger text is not rebuilt, because that takes many calls.
const REBUILT_BYTES: usize = 3_000;

pub fn edit(input: &mut Input, choose: &mut Unstructured<'_>) -> Result<()> {
    if choose.ratio(1, 4)? { options::edit_policy(input, choose) } else { options::edit_arguments(input, choose) }
}

pub fn run(input: &Input) -> Option<()> {
    let (mut policy, _) = accepted(input)?;
    let policy_members = policy.as_object_mut()?;
    // The reader has no clock, and signs with one key.
    policy_members.shift_remove("cursorTtl");
    if policy_members.get("cursorKey").is_some_and(Value::is_array) {
        policy_members.shift_remove("cursorKey");
    }
    let is_json = !input.is_text();
    if is_json && JsonText::parse(&input.body).is_err() {
        return None;
    }
    let mut arguments = input.object("arguments");
    arguments.as_object_mut()?.shift_remove("handle");
    promises::answered(&input.body, is_json, &policy, &arguments);
    if !is_json && input.body.len() <= REBUILT_BYTES {
        promises::readable(&input.body, false, &json!({ "maxTokens": policy.get("maxTokens") }));
    }
    Some(())
}
