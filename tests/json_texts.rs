//! JSON in strings: how much of it is read, and what is shown of it.

use serde_json::{Value, json};
use toolshape::host::Naming;
use toolshape::{Call, Policy, Shaper};

use crate::counted::Counted;

fn shaper() -> Shaper {
    Shaper::new(Policy::new(&json!({}), Naming::Camel).unwrap())
}

fn call() -> Call {
    Call::new(&json!({ "tool": "t" }), Naming::Camel).unwrap()
}

/// What is read of rows that have a long string each, which begins like JSON and ends otherwise.
fn read(rows: usize, end: &str) -> u64 {
    // Four of them are all that may be read.
    let text = format!("[{}0{end}", "1,".repeat((1 << 19) - 16));
    let rows: Vec<Value> = (0..rows).map(|id| json!({ "id": id, "text": text })).collect();
    let source = json!(rows).to_string();
    let value = Counted::new(&source);
    shaper().shape_source(&value, &call()).unwrap();
    value.read()
}

#[test]
fn so_much_of_strings_is_read_whatever_their_number() {
    for end in ["]", "", "] and more"] {
        let (few, many) = (read(8, end), read(24, end));
        assert!(few > 1 << 20, "{end:?}: no string was read");
        assert!(many < 2 * few, "{end:?}: {few} of 8 rows and {many} of 24 are read");
    }
}

#[test]
fn a_longer_string_stays_a_string() {
    let shown = |numbers: usize| {
        let text = format!("{{\"first\":1,\"list\":[{}0]}}", "1,".repeat(numbers));
        let source = json!({ "status": 200, "body": text }).to_string();
        let shaped = shaper().shape_json(&source, &call()).unwrap();
        serde_json::from_str::<Value>(&shaped.text).unwrap()
    };
    assert!(shown(1 << 19)["body"].is_object());
    let longer = shown(5 << 20);
    assert!(longer["body"].as_str().is_some_and(|start| start.starts_with("{\"first\":1,")), "{longer}");
    assert_eq!(longer["_elisions"][0]["kind"], "string");
}
