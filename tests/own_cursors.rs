//! P4: a cursor that a result gives out is taken by the next call, however small the budget and long the keys.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use toolshape::host::Naming;
use toolshape::{Call, Policy, Shaper};

/// Calls that follow one result.
const CALLS: usize = 8;

fn row() -> impl Strategy<Value = Value> {
    let value = prop_oneof![
        3 => "[a-z]{0,30}".prop_map(Value::from),
        2 => any::<u32>().prop_map(Value::from),
        1 => (20..300usize).prop_map(|words| Value::from("word ".repeat(words))),
    ];
    prop::collection::vec(("[a-z_]{1,24}", value), 1..8)
        .prop_map(|members| Value::Object(members.into_iter().collect()))
}

/// A list or a map in an object or two, with other members; sometimes as JSON in a string.
fn envelope() -> impl Strategy<Value = Value> {
    let others = prop::collection::vec(("[a-z]{1,40}", "[a-z ]{0,80}".prop_map(Value::from)), 0..5);
    let rows = prop_oneof![
        prop::collection::vec(row(), 1..40).prop_map(Value::Array),
        prop::collection::vec(("[a-z0-9]{4,60}", row()), 8..40)
            .prop_map(|members| Value::Object(members.into_iter().collect())),
    ];
    let outer = prop::option::of("[a-z]{1,60}");
    (others, "[a-zA-Z_]{1,120}", rows, outer, prop::bool::weighted(0.25)).prop_map(
        |(others, key, rows, outer, is_text)| {
            let mut members: Map<String, Value> = others.into_iter().collect();
            members.insert(key, rows);
            match outer {
                Some(outer) if is_text => json!({ outer: Value::Object(members).to_string() }),
                Some(outer) => json!({ outer: members }),
                None => Value::Object(members),
            }
        },
    )
}

fn cursor(result: &Value) -> Option<String> {
    let places = ["/nextCursor", "/_page/nextCursor", "/_nextCursor"];
    places.iter().find_map(|place| result.pointer(place)?.as_str().map(str::to_owned))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_cursor_of_ours_is_refused(
        value in envelope(),
        max_tokens in 200..500usize,
        is_stored in any::<bool>(),
        is_signed in any::<bool>(),
    ) {
        let key = is_signed.then_some("a secret of sixteen bytes and more");
        let policy = json!({ "maxTokens": max_tokens, "cursorKey": key, "snapshot": false });
        let shaper = Shaper::new(Policy::new(&policy, Naming::Camel).unwrap());
        let source = value.to_string();
        let mut asked = json!({ "tool": "t", "store": is_stored });
        for _ in 0..CALLS {
            let shaped = shaper.shape_json(&source, &Call::new(&asked, Naming::Camel).unwrap()).unwrap();
            prop_assert!(!shaped.is_error, "{asked}: {}", shaped.text);
            let result: Value = serde_json::from_str(&shaped.text).unwrap();
            let nothing = result["note"].as_str().is_some_and(|note| note.starts_with("No part"));
            prop_assert!(!nothing || asked.get("cursor").is_none(), "{asked}: {}", shaped.text);
            match cursor(&result) {
                Some(next) => asked["cursor"] = json!(next),
                None => break,
            }
        }
    }
}
