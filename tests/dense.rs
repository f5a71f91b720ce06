//! P9: of what an object leaves out, nothing small fits into what is left of the budget.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use toolshape::host::{Naming, count_tokens};
use toolshape::{Call, Encoding, Policy, Shaper};

/// A leaf with at most this many characters is small.
const SMALL_CHARS: usize = 100;
/// Parts are counted one by one, so that together they are fewer; and the note and the list of elisions differ from draft to
/// draft. So this part of the budget may stay unused although a small value is left out.
const UNUSED: usize = 8;

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        3 => "[a-z]{1,8}( [a-z]{1,8}){0,8}".prop_map(Value::from),
        2 => any::<u32>().prop_map(Value::from),
        1 => Just(Value::Null),
        1 => ("[a-z]{2,9} ", 20..600usize).prop_map(|(word, times)| Value::from(word.repeat(times))),
    ]
}

fn tree() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(5, 400, 14, |inner| {
        prop_oneof![
            3 => prop::collection::vec(("[a-z]{1,9}", inner.clone()), 1..14)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
            1 => prop::collection::vec(inner, 1..14).prop_map(Value::Array),
        ]
    })
}

fn record() -> impl Strategy<Value = Value> {
    prop::collection::vec(("[a-z]{1,9}", tree()), 2..7).prop_map(|members| Value::Object(members.into_iter().collect()))
}

/// The members of a summarized object that are its own.
fn own(shown: &Value) -> Map<String, Value> {
    let members = shown.as_object().unwrap().iter().filter(|(key, _)| !key.starts_with('_'));
    members.map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// The small leaves, and how many of them are shown in place.
fn small_leaves(value: &Value, shown: Option<&Value>, left_out: &mut Vec<String>, count: &mut (usize, usize)) {
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                small_leaves(member, shown.and_then(|shown| shown.get(key)), left_out, count);
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                small_leaves(item, shown.and_then(|shown| shown.get(at)), left_out, count);
            }
        }
        leaf if leaf.as_str().is_none_or(|text| text.chars().count() <= SMALL_CHARS) => {
            count.1 += 1;
            match shown == Some(leaf) {
                true => count.0 += 1,
                false => left_out.push(leaf.to_string()),
            }
        }
        _ => {}
    }
}

fn shape(value: &Value, max_tokens: usize) -> (Value, usize) {
    let shaper = Shaper::new(Policy::new(&json!({ "maxTokens": max_tokens }), Naming::Camel).unwrap());
    let call = Call::new(&json!({ "tool": "t" }), Naming::Camel).unwrap();
    let shaped = shaper.shape_json(&value.to_string(), &call).unwrap();
    (serde_json::from_str(&shaped.text).unwrap(), shaped.receipt.tokens_after)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_small_is_left_out_that_would_fit(value in record(), max_tokens in 300..3000usize) {
        let (shown, tokens) = shape(&value, max_tokens);
        if shown.get("_summarized").is_none() || shown.get("_page").is_some() {
            return Ok(());
        }
        let (mut left_out, mut count) = (Vec::new(), (0, 0));
        small_leaves(&value, Some(&Value::Object(own(&shown))), &mut left_out, &mut count);
        let least = left_out.iter().map(|leaf| count_tokens(leaf, Encoding::O200kBase)).min();
        let unused = max_tokens - tokens;
        prop_assert!(
            least.is_none_or(|least| least + max_tokens / UNUSED > unused),
            "{unused} of {max_tokens} tokens are unused, and {} small values are left out: {value} as {shown}",
            left_out.len()
        );
    }
}

#[test]
fn an_object_is_opened_as_deep_as_it_takes() {
    let mut value = json!({ "title": "the innermost", "body": "many words ".repeat(2000) });
    for level in (0..20).rev() {
        value = json!({ "level": level, "inside": value });
    }
    let (shown, _) = shape(&value, 500);
    let innermost = shown.pointer(&format!("{}/title", "/inside".repeat(20)));
    assert_eq!(innermost, Some(&json!("the innermost")), "{shown}");
}

#[test]
fn keys_that_are_too_long_to_show_are_reached() {
    let text = |words: usize| Value::from("many words ".repeat(words));
    for key in ["k".repeat(900), "\u{10330}\u{e01}\u{1f600}".repeat(30)] {
        let inside = json!({ "a": 1, key.clone(): "its value", "b": text(200) });
        let rows: Vec<Value> = (0..30).map(|id| json!({ "id": id, key.clone(): text(id) })).collect();
        for value in
            [json!({ "outer": inside, "c": text(100) }), json!({ key.clone(): rows.clone() }), json!(rows), inside]
        {
            for max_tokens in [200, 500] {
                crate::promises::reachable(&value.to_string(), &json!({ "maxTokens": max_tokens }));
            }
        }
    }
}
