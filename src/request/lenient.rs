//! What models send in place of the type that an argument has: a number or a flag as text, a list as its JSON text or as
//! names joined by commas. They become what is meant; everything else stays, so that its error shows what was sent.
//!
//! Only for what a model writes, never for a policy: an author's mistake is better refused.

use serde_json::{Map, Value, json};

/// Whether a value is what models send for an argument that a strict schema requires and that they do not need.
pub(crate) fn is_empty(given: &Value) -> bool {
    match given {
        Value::Null | Value::Bool(false) => true,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.iter().all(is_empty),
        Value::Object(members) => members.is_empty(),
        Value::Bool(true) => false,
    }
}

/// Arguments without what a model leaves empty, also in lists.
pub(crate) fn without_empty(mut arguments: Map<String, Value>) -> Map<String, Value> {
    for given in arguments.values_mut() {
        if let Value::Array(items) = given {
            items.retain(|item| !is_empty(item));
        }
    }
    arguments.retain(|_, given| !is_empty(given));
    arguments
}

/// A call control with the type that it has.
pub(crate) fn control(name: &str, given: Value) -> Value {
    match name {
        "page" | "pageSize" => number(given),
        "fields" => texts(given),
        _ => given,
    }
}

/// A whole number that may be written as text: `"20"`.
pub(crate) fn number(given: Value) -> Value {
    let Some(text) = given.as_str().map(str::trim) else { return given };
    let is_number = (1..=16).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse::<u64>() {
        Ok(number) if is_number => json!(number),
        _ => given,
    }
}

/// A flag that may be written as text: `"true"`.
pub(crate) fn flag(given: Value) -> Value {
    match given.as_str().map(|text| text.trim().to_ascii_lowercase()).as_deref() {
        Some("true") => Value::Bool(true),
        Some("false") => Value::Bool(false),
        _ => given,
    }
}

/// A list of texts that may be written as JSON text, `"[\"id\"]"`, or as names, `"id, name"`.
pub(crate) fn texts(given: Value) -> Value {
    let Some(text) = given.as_str().map(str::trim) else { return given };
    if text.starts_with('[') {
        return serde_json::from_str(text).ok().filter(Value::is_array).unwrap_or(given);
    }
    let names: Vec<&str> = text.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    if names.is_empty() { given } else { json!(names) }
}

/// A range of lines that may be written as a number, or as a list of its ends. A heading stays.
pub(crate) fn range(given: Value) -> Value {
    let ends: Option<Vec<u64>> = match &given {
        // From the end.
        Value::Number(line) if line.as_i64().is_some_and(|line| line < 0) => return json!(line.to_string()),
        Value::Number(line) => line.as_u64().map(|line| vec![line]),
        Value::Array(ends) if (1..=2).contains(&ends.len()) => {
            ends.iter().map(|end| number(end.clone()).as_u64()).collect()
        }
        _ => None,
    };
    match (ends, given.as_str()) {
        (Some(ends), _) => json!(ends.iter().map(u64::to_string).collect::<Vec<_>>().join("-")),
        (None, Some(text)) if text.chars().all(|c| c.is_ascii_digit() || c == '-' || c.is_whitespace()) => {
            json!(text.chars().filter(|c| !c.is_whitespace()).collect::<String>())
        }
        (None, _) => given,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_meant_is_taken_and_the_rest_stays() {
        for (read, given, wanted) in [
            (number as fn(Value) -> Value, json!("2"), json!(2)),
            (number, json!(" 20 "), json!(20)),
            (number, json!("-2"), json!("-2")),
            (number, json!("2.5"), json!("2.5")),
            (number, json!("two"), json!("two")),
            (number, json!(""), json!("")),
            (number, json!("99999999999999999999"), json!("99999999999999999999")),
            (number, json!(2.0), json!(2.0)),
            (flag, json!("true"), json!(true)),
            (flag, json!("False"), json!(false)),
            (flag, json!("yes"), json!("yes")),
            (texts, json!("[\"id\", \"name\"]"), json!(["id", "name"])),
            (texts, json!("id, name"), json!(["id", "name"])),
            (texts, json!("/0/id"), json!(["/0/id"])),
            (texts, json!("[id]"), json!("[id]")),
            (texts, json!(" ,"), json!(" ,")),
            (texts, json!(["a,b"]), json!(["a,b"])),
            (range, json!(7), json!("7")),
            (range, json!(-100), json!("-100")),
            (range, json!([100, "200"]), json!("100-200")),
            (range, json!("100 - 200"), json!("100-200")),
            (range, json!("2 - Use"), json!("2 - Use")),
            (range, json!([1, 2, 3]), json!([1, 2, 3])),
            (range, json!({}), json!({})),
        ] {
            assert_eq!(read(given), wanted);
        }
    }
}
