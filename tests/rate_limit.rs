//! Runs `vectors/rate_limit.json`; with `UPDATE_VECTORS` set it writes the expectations anew.

use serde_json::{Value, json};
use toolshape::{Call, Naming, Policy, Shaper};

#[test]
fn rate_limits_are_found_and_told() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/rate_limit.json");
    let mut file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let cases = file["cases"].as_array_mut().unwrap();
    assert!(cases.len() > 100, "only {} cases", cases.len());
    let mut wrong = Vec::new();
    for case in cases {
        let result = result(case);
        if result != case["expect"] {
            wrong.push(format!("{}: {result}\n  instead of {}", case["name"], case["expect"]));
            case["expect"] = result;
        }
    }
    if std::env::var_os("UPDATE_VECTORS").is_some() {
        std::fs::write(path, serde_json::to_string_pretty(&file).unwrap() + "\n").unwrap();
    } else {
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

fn result(case: &Value) -> Value {
    let policy = case.get("policy").map(|policy| Policy::new(policy, Naming::Camel).unwrap());
    let call = Call::new(&case["call"], Naming::Camel).unwrap();
    let shaped = Shaper::new(policy.unwrap_or_default()).rate_limit(&case["error"], &call, case["now"].as_u64());
    let Some(shaped) = shaped else { return Value::Null };
    assert!(shaped.is_error && !shaped.unchanged);
    assert_eq!(shaped.receipt.steps, ["rateLimit"]);
    assert!(Some(shaped.receipt.tokens_after) <= shaped.receipt.budget);
    json!({ "text": shaped.text })
}
