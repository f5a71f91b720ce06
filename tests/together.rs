//! Results that are returned together: any number of any size, with a store, without one, or with one that fails.

use proptest::prelude::*;
use serde_json::{Value, json};
use toolshape::host::{Naming, Together, ToolOutput};
use toolshape::{Call, Policy, Shaped, Shaper};

use crate::promises;

/// Shapes texts of these numbers of words together, and checks the general properties.
fn together(words: &[usize], limit: usize, policy: &Value, call: &Value) -> Vec<Shaped> {
    let shaper = Shaper::new(Policy::new(policy, Naming::Camel).unwrap());
    let call = Call::new(call, Naming::Camel).unwrap();
    let texts: Vec<String> =
        words.iter().enumerate().map(|(at, &words)| format!("{at} {}", "word ".repeat(words))).collect();
    let results: Vec<_> = texts.iter().map(|text| ToolOutput::text(text, &call)).collect();
    let limits = Together::new(&json!({ "combinedTokens": limit }), Naming::Camel).unwrap();
    let shaped = shaper.shape_together(&results, &limits).unwrap();
    assert_eq!(shaped.len(), words.len());
    let sum: usize = shaped.iter().map(|shaped| shaped.receipt.tokens_after).sum();
    let least: usize = shaped.iter().map(|shaped| shaped.receipt.tokens_after.min(200)).sum();
    assert!(sum <= limit.max(least), "{sum} of {limit}: {words:?}");
    for (shaped, text) in shaped.iter().zip(&texts) {
        promises::fits(shaped);
        promises::out_of_the_way(text, shaped);
        match &shaped.keep {
            Some(_) => promises::kept(text, true, shaped),
            None => assert!(!shaped.text.contains("toolshape://result/"), "{}", shaped.text),
        }
    }
    shaped
}

fn steps(shaped: &[Shaped]) -> Vec<&str> {
    shaped.iter().map(|shaped| shaped.receipt.step_names().first().copied().unwrap_or("")).collect()
}

#[test]
fn the_largest_is_stored_first_and_the_smallest_stays() {
    let store = json!({ "tool": "read", "store": true });
    let shaped = together(&[3000, 100, 4000, 900, 2500], 6000, &json!({ "maxTokens": 6000 }), &store);
    assert_eq!(steps(&shaped), ["offload", "", "offload", "", ""]);
    // Results of equal size are stored in order, and no more than necessary.
    let shaped = together(&[1500; 4], 5000, &json!({}), &store);
    assert_eq!(steps(&shaped), ["offload", "", "", ""]);
}

#[test]
fn what_is_stored_already_is_not_stored_again() {
    let policy = json!({ "maxTokens": 4000, "overflow": "offload", "offloadOver": 4000 });
    let shaped = together(&[9000, 3000, 200, 8000], 3000, &policy, &json!({ "tool": "read", "store": true }));
    assert_eq!(steps(&shaped), ["offload", "offload", "", "offload"]);
    // Nor is a handle that a tool itself returned.
    let shaper = Shaper::default();
    let call = Call::new(&json!({ "tool": "read", "store": true }), Naming::Camel).unwrap();
    let (handle, text) = (shaped[0].text.clone(), "word ".repeat(1900));
    let results = [ToolOutput::json(&handle, &call).unwrap(), ToolOutput::text(&text, &call)];
    let limits = Together::new(&json!({ "combinedTokens": 500 }), Naming::Camel).unwrap();
    let shaped = shaper.shape_together(&results, &limits).unwrap();
    assert_eq!(steps(&shaped), ["", "offload"]);
}

/// Two results as a shaper gives them of these values, shaped together within a number of tokens: the texts before and after.
fn shown_twice(policy: &Value, limit: usize, tool: &str, values: [Value; 2]) -> Vec<(String, Shaped)> {
    let shaper = Shaper::new(Policy::new(policy, Naming::Camel).unwrap());
    let call = Call::new(&json!({ "tool": tool, "store": true }), Naming::Camel).unwrap();
    let texts = values.map(|value| shaper.shape(&value, &call).unwrap().text);
    let limits = Together::new(&json!({ "combinedTokens": limit }), Naming::Camel).unwrap();
    let fitted = |texts: &[String]| {
        let results: Vec<_> = texts.iter().map(|text| ToolOutput::text(text, &call)).collect();
        shaper.shape_together(&results, &limits).unwrap()
    };
    let shaped = fitted(&texts);
    // What is fitted stays.
    let again: Vec<_> = shaped.iter().map(|shaped| shaped.text.clone()).collect();
    assert!(fitted(&again).iter().all(|shaped| shaped.unchanged), "{again:?}");
    texts.into_iter().zip(shaped).collect()
}

fn rows(count: usize) -> Value {
    (0..count).map(|id| json!({ "id": id, "name": format!("the row of number {id}") })).collect()
}

#[test]
fn what_is_shaped_twice_keeps_the_handle_and_the_facts_of_the_whole() {
    let log: String = (0..3000).map(|each| format!("GET /articles/{each} 200\n")).collect();
    let summary = json!({ "about": "word ".repeat(3000), "rows": rows(20) });
    for value in [rows(800), json!({ "total": 800, "items": rows(800) }), json!(log), summary] {
        for (before, shaped) in shown_twice(&json!({}), 600, "list", [value.clone(), value]) {
            let (before, after): (Value, Value) =
                (serde_json::from_str(&before).unwrap(), serde_json::from_str(&shaped.text).unwrap());
            assert!(shaped.keep.is_none(), "nothing is stored a second time");
            let [uri, note] = if before["note"].is_null() { ["_uri", "_note"] } else { ["uri", "note"] };
            assert_eq!(after["uri"], before[uri]);
            assert!(after["note"].as_str().unwrap().ends_with(before[note].as_str().unwrap()), "{after}");
            for name in ["totalItems", "nextCursor", "_page", "_totalKeys", "totalLines", "ask", "omittedFields"] {
                assert_eq!(after[name], before[name], "{name}");
            }
            if before["totalItems"] == 800 {
                assert_eq!(after["description"], "[{id, name}] (800 items)");
            }
        }
    }
}

#[test]
fn what_is_shaped_twice_keeps_the_handle_that_only_its_cursor_names() {
    let policy = json!({ "maxTokens": 250, "cursorKey": "a key that is long enough" });
    for (before, shaped) in shown_twice(&policy, 420, "list", [rows(800), rows(700)]) {
        let before: Value = serde_json::from_str(&before).unwrap();
        if !shaped.unchanged {
            assert!(before["uri"].is_null() && before["nextCursor"].is_string());
            assert!(shaped.keep.is_none() && shaped.text.contains("toolshape://result/"), "{}", shaped.text);
        }
    }
}

#[test]
fn an_answer_from_the_store_is_not_stored_again() {
    for (_, shaped) in shown_twice(&json!({}), 600, "read_result", [rows(800), json!("word ".repeat(900))]) {
        assert!(shaped.keep.is_none(), "{}", shaped.text);
        assert!(shaped.text.contains("Repeat this call alone."), "{}", shaped.text);
    }
}

#[test]
fn without_a_store_the_largest_share_what_room_there_is() {
    for call in [json!({ "tool": "read" }), json!({ "tool": "read", "store": true, "storeFailure": "away" })] {
        let shaped = together(&[1900, 100, 1900, 300], 2000, &json!({}), &call);
        assert_eq!(steps(&shaped), ["truncate", "", "truncate", ""]);
        let tokens: Vec<usize> = shaped.iter().map(|shaped| shaped.receipt.tokens_after).collect();
        assert!(tokens[0] > 700 && tokens[0].abs_diff(tokens[2]) < 100, "{tokens:?}");
    }
}

#[test]
fn what_the_policy_leaves_alone_passes_and_counts() {
    let policy = json!({ "tools": { "raw": false } });
    let shaper = Shaper::new(Policy::new(&policy, Naming::Camel).unwrap());
    let [raw, other] = ["raw", "other"].map(|tool| Call::new(&json!({ "tool": tool }), Naming::Camel).unwrap());
    let text = "word ".repeat(1500);
    let results = [ToolOutput::text(&text, &other), ToolOutput::text(&text, &raw)];
    let shaped =
        shaper.shape_together(&results, &Together::new(&json!({ "combinedTokens": 2000 }), Naming::Camel).unwrap());
    let shaped = shaped.unwrap();
    assert!(shaped[1].unchanged && shaped[0].receipt.tokens_after <= 499, "{}", shaped[0].receipt.tokens_after);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_results_fit_together(
        words in prop::collection::vec(0..5000usize, 0..12),
        limit in 200..8000usize,
        max_tokens in 200..7000usize,
        offload in any::<bool>(),
        store in 0..3usize,
    ) {
        let overflow = if offload { "offload" } else { "shape" };
        let policy = json!({ "maxTokens": max_tokens, "overflow": overflow, "offloadOver": 3000 });
        let failure = (store == 2).then_some("no room");
        together(&words, limit, &policy, &json!({ "tool": "read", "store": store > 0, "storeFailure": failure }));
    }
}
