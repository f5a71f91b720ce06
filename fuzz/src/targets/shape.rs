//! A tool's output, JSON or plain text, under any policy, for any call: what one result promises, and that following
//! its notes rebuilds the original.

use std::collections::HashSet;

use arbitrary::{Result, Unstructured};
use serde_json::{Value, json};
use toolshape::host::{JsonText, Kind, Naming, Source};
use toolshape::{Call, Policy};

use crate::input::Input;
use crate::{options, promises};

/// A larger value is not rebuilt, because that takes many calls.
const REBUILT_BYTES: usize = 3_000;

pub fn edit(input: &mut Input, choose: &mut Unstructured<'_>) -> Result<()> {
    match choose.int_in_range(0..=9)? {
        0..=4 => options::edit_policy(input, choose),
        5..=8 => options::edit_call(input, choose),
        _ => {
            let is_text = input.is_text();
            input.head.insert("text".to_owned(), json!(!is_text));
            Ok(())
        }
    }
}

pub fn run(input: &Input) -> Option<()> {
    let (policy, call) = accepted(input)?;
    if input.is_text() {
        promises::hold_text(&input.body, &policy, &call);
        return Some(());
    }
    let shaped = promises::hold(&input.body, &policy, &call)?;
    if !shaped.unchanged && input.body.len() <= REBUILT_BYTES && has_unique_keys(&JsonText::parse(&input.body).ok()?) {
        promises::reachable(&input.body, &alone(&policy));
    }
    Some(())
}

/// Policy and call, if both are accepted and an author could combine them. A refusal has the code of what is refused.
pub fn accepted(input: &Input) -> Option<(Value, Value)> {
    let (policy, call) = (of_tool(&input.object("policy"), &input.object("call"))?, input.object("call"));
    if let Err(error) = Policy::new(&policy, Naming::Camel) {
        assert_eq!(error.code().as_str(), "INVALID_POLICY", "{error}");
        return None;
    }
    if let Err(error) = Call::new(&call, Naming::Camel) {
        assert_eq!(error.code().as_str(), "INVALID_CALL", "{error}");
        return None;
    }
    let is = |of: &Value, name: &str| of.get(name).is_some_and(|value| !value.is_null());
    let has_time = !is(&policy, "cursorTtl") || is(&call, "now");
    let has_key = !is(&call, "scope") || is(&policy, "cursorKey");
    // The promises look at the controls by their own names.
    (has_time && has_key && !is(&call, "ownArguments")).then_some((policy, call))
}

/// The policy with the options of the called tool for all tools; `None` if the tool is left alone.
fn of_tool(policy: &Value, call: &Value) -> Option<Value> {
    let mut policy = policy.clone();
    let tools = policy.as_object_mut()?.shift_remove("tools");
    let own = tools.as_ref().and_then(|tools| tools.get(call.get("tool")?.as_str()?));
    match own {
        Some(Value::Object(own)) => policy.as_object_mut()?.extend(own.clone()),
        Some(_) => return None,
        None => {}
    }
    Some(policy)
}

/// What of a policy a reader follows who rebuilds the original from pages and parts.
fn alone(policy: &Value) -> Value {
    let names = ["maxTokens", "pageSize", "maxPageSize", "paginateAfter", "cursorKey", "encoding", "margin"];
    let own = policy.as_object().into_iter().flatten().filter(|(name, _)| names.contains(&name.as_str()));
    Value::Object(own.map(|(name, value)| (name.clone(), value.clone())).collect())
}

/// Whether no object names a key twice: a pointer reaches only one of the values.
fn has_unique_keys(value: &JsonText<'_>) -> bool {
    let mut waiting = vec![value.clone()];
    while let Some(value) = waiting.pop() {
        match value.kind() {
            Kind::Array => waiting.extend(value.items(0, usize::MAX).unwrap_or_default()),
            Kind::Object => {
                let (mut seen, entries) = (HashSet::new(), value.entries().unwrap_or_default());
                for (key, value) in entries {
                    // A key with a lone surrogate has no pointer that JSON readers agree on.
                    let Ok(name) = serde_json::from_str::<String>(&key) else { return false };
                    if !seen.insert(name) {
                        return false;
                    }
                    waiting.push(value);
                }
            }
            _ => {}
        }
    }
    true
}
