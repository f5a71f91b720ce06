//! The options of a relay, and the JSON Schema by which editors check them.

use serde_json::{Value, json};
use toolshape::ErrorCode;
use toolshape_proxy::{RelayOptions, StoreOption};

/// What one of the two takes, the other takes.
#[test]
fn the_schema_takes_what_the_relay_takes() {
    let schema = RelayOptions::schema();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let values = [
        json!(true),
        json!(false),
        json!(0),
        json!(1),
        json!(2),
        json!(199),
        json!(200),
        json!(0.5),
        json!(0.6),
        json!(1000.0),
        json!(""),
        json!("a"),
        json!("auto"),
        json!("json"),
        json!("columns"),
        json!("shape"),
        json!("error"),
        json!("offload"),
        json!("head"),
        json!("tail"),
        json!("headTail"),
        json!("plain"),
        json!("csv"),
        json!("markdown"),
        json!("html"),
        json!("log"),
        json!("widen"),
        json!("preserve"),
        json!("result"),
        json!("tool"),
        json!("summary"),
        json!("full"),
        json!("redis://localhost"),
        json!("http://localhost"),
        json!("0123456789abcdef"),
        json!(["0123456789abcdef"]),
        json!([]),
        json!([""]),
        json!(["a"]),
        json!({}),
        json!({ "list": "a" }),
        json!({ "list": "a", "of": "b" }),
        json!({ "points": 1 }),
        json!({ "points": 2 }),
        json!({ "goal": "max" }),
        json!({ "goal": "best" }),
        json!({ "a": false }),
        json!({ "a": true }),
        json!({ "a": { "maxTokens": 300 } }),
        json!({ "a": { "store": false } }),
    ];
    let names: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    let (mut taken, mut refused) = (0, 0);
    for name in names.into_iter().filter(|name| !["$schema", "encoding"].contains(&name.as_str())) {
        for value in &values {
            let options = json!({ name: value });
            let is_taken = RelayOptions::new(&options).is_ok();
            assert_eq!(validator.is_valid(&options), is_taken, "{options}");
            if is_taken { taken += 1 } else { refused += 1 }
        }
    }
    assert!(taken > 100 && refused > 100, "{taken} {refused}");
    assert!(!validator.is_valid(&json!({ "maxToken": 300 })));
}

#[test]
fn a_store_is_one_of_five() {
    let store = |given: Value| RelayOptions::new(&json!({ "store": given })).map(|options| options.store);
    assert_eq!(RelayOptions::new(&json!({})).unwrap().store, StoreOption::Cache);
    assert_eq!(store(json!(true)), Ok(StoreOption::Memory));
    assert_eq!(store(json!(false)), Ok(StoreOption::None));
    assert_eq!(store(json!("a/b")), Ok(StoreOption::Folder("a/b".to_owned())));
    assert_eq!(store(json!("rediss://h:1")), Ok(StoreOption::Redis("rediss://h:1".to_owned())));
    let error = store(json!("mongodb://h")).unwrap_err();
    assert_eq!((error.code(), error.path()), (ErrorCode::InvalidPolicy, "/store"));
    assert!(error.message().contains("redis://"), "{}", error.message());
}

#[test]
fn results_as_arguments_need_a_store() {
    let tools = |store: bool| RelayOptions::new(&json!({ "store": store, "resultArguments": ["save"] }));
    assert_eq!(tools(true).unwrap().result_arguments, ["save"]);
    assert_eq!(tools(false).unwrap_err().path(), "/resultArguments");
}
