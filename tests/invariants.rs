//! The promises on generated values: any JSON, any spelling, any policy.

use proptest::prelude::*;
use serde_json::json;
use toolshape::host::{Naming, TextSummary};
use toolshape::{Call, Policy, Shaper};

use crate::promises;

/// The size limit for lists of similar rows, at any nesting.
const LIST_BYTES: usize = 50_000;

/// JSON text in spellings that parsers tend to change.
fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<i64>().prop_map(|n| n.to_string()),
        any::<f64>().prop_filter("JSON has no NaN", |f| f.is_finite()).prop_map(|f| format!("{f:?}")),
        "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?",
        Just("-0".to_owned()),
        Just("9007199254740993".to_owned()),
    ]
}

fn string() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-zA-Z ,.]{0,40}",
        1 => any::<String>(),
        1 => "(👩‍👩‍👧|🇩🇪|é|中文|\u{202e}){0,10}",
        1 => "[A-Za-z0-9+/]{64,200}={0,2}",
    ];
    let literal = piece.prop_map(|text| serde_json::to_string(&text).unwrap());
    prop_oneof![
        8 => literal,
        1 => Just("\"\\ud83d\"".to_owned()),
        1 => Just("\"a\\u0000\\/\\ud83d\\ude00\"".to_owned()),
    ]
}

fn long_string() -> impl Strategy<Value = String> {
    (string(), 1..400usize).prop_map(|(literal, times)| format!("\"{}\"", literal[1..literal.len() - 1].repeat(times)))
}

fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![Just("null".to_owned()), Just("true".to_owned()), number(), string(), long_string()]
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "[a-z]{1,8}",
        1 => Just("__proto__".to_owned()),
        1 => "[0-9]{1,3}",
        1 => "_(summarized|value|note|page)",
        1 => "[a-z/~. \"é]{0,6}",
    ]
}

/// An object's text; keys may repeat only where `unique` allows it.
fn object(value: impl Strategy<Value = String>, space: &'static str, unique: bool) -> impl Strategy<Value = String> {
    prop::collection::vec((key(), value), 0..12).prop_map(move |mut members| {
        if unique {
            let mut seen = std::collections::HashSet::new();
            members.retain(|(key, _)| seen.insert(key.clone()));
        }
        let members: Vec<String> = members
            .iter()
            .map(|(key, value)| format!("{}:{space}{value}", serde_json::to_string(key).unwrap()))
            .collect();
        format!("{{{}}}", members.join(&format!(",{space}")))
    })
}

fn value(unique: bool) -> impl Strategy<Value = String> {
    scalar().prop_recursive(4, 200, 12, move |inner| {
        let list = |items: Vec<String>| format!("[{}]", items.join(","));
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..12).prop_map(list),
            // Long lists of similar rows, as tools return them.
            (object(inner.clone(), "", unique), 0..120usize).prop_map(move |(row, times)| {
                let times = times.min(LIST_BYTES / row.len());
                list(vec![row; times])
            }),
            // Objects used as maps have many keys.
            (inner.clone(), 0..300usize).prop_map(|(value, times)| {
                let times = times.min(LIST_BYTES / (value.len() + 8));
                let members: Vec<String> = (0..times).map(|i| format!("\"key{i}\":{value}")).collect();
                format!("{{{}}}", members.join(","))
            }),
            object(inner.clone(), "", unique),
            object(inner.clone(), " ", unique),
            // JSON in a string, as proxies return it.
            object(inner, " ", unique).prop_map(|value| serde_json::to_string(&value).unwrap()),
        ]
    })
}

fn policy() -> impl Strategy<Value = serde_json::Value> {
    let encoding = prop_oneof![Just("o200k_base"), Just("cl100k_base"), Just("estimate")];
    let preview = prop_oneof![Just("head"), Just("tail"), Just("headTail")];
    let text = prop_oneof![4 => Just("auto"), 1 => Just("plain"), 1 => Just("csv"), 1 => Just("log"), 1 => Just("markdown"), 1 => Just("html")];
    let format = prop_oneof![Just("json"), Just("columns"), Just("auto")];
    let overflow = prop_oneof![3 => Just("shape"), 1 => Just("error"), 2 => Just("offload")];
    let fields = prop::option::weighted(0.3, prop::sample::subsequence(vec!["a", "key1", "/b", "c.a", "0"], 1..4));
    let overflow = (overflow, prop::option::of(1..3000usize), any::<bool>());
    let declared = prop_oneof![
        3 => Just(json!({})),
        1 => Just(json!({ "series": { "value": "a" } })),
        1 => Just(json!({ "output": "full", "series": { "list": "a", "extremes": true, "points": 5 } })),
        1 => Just(json!({ "grid": { "x": "a", "y": "b", "value": "c" } })),
    ];
    let shown = (any::<bool>(), fields, declared, text);
    (200..1500usize, encoding, 1..60usize, 1..100usize, preview, format, overflow, shown).prop_map(
        |(
            max_tokens,
            encoding,
            after,
            size,
            preview,
            format,
            (overflow, over, snapshot),
            (signed, fields, declared, text),
        )| {
            let key = signed.then_some("a secret of sixteen bytes and more");
            let mut policy = json!({
                "maxTokens": max_tokens, "encoding": encoding, "paginateAfter": after, "pageSize": size,
                "preview": preview, "format": format, "overflow": overflow, "cursorKey": key, "fields": fields,
                "offloadOver": over, "snapshot": snapshot, "text": text,
            });
            policy.as_object_mut().unwrap().extend(declared.as_object().unwrap().clone());
            policy
        },
    )
}

fn call() -> impl Strategy<Value = serde_json::Value> {
    let page = prop::option::weighted(0.3, 0..60u64);
    let size = prop::option::weighted(0.3, 0..120u64);
    let fields = prop::option::weighted(0.2, prop::collection::vec("/?[a-z0-9]{1,2}(\\.[a-z]{1,2})?", 1..3));
    let failure = prop::option::weighted(0.1, "[a-z \\PC]{1,300}");
    (page, size, fields, any::<bool>(), failure).prop_map(|(page, size, fields, store, failure)| {
        json!({
            "tool": "t", "page": page, "pageSize": size, "fields": fields, "store": store, "storeFailure": failure,
        })
    })
}

/// Arguments of `read_result`, most of them valid.
fn arguments() -> impl Strategy<Value = serde_json::Value> {
    let search =
        ("[a-zA-Z0-9é.]{1,3}", 0..25u64).prop_map(|(text, context)| json!({ "search": text, "context": context }));
    let lines = "[0-9]{1,2}(-([0-9]{1,3})?)?".prop_map(|lines| json!({ "lines": lines }));
    let what = prop_oneof![3 => search, 1 => lines, 2 => Just(json!({}))];
    let fields = prop::option::weighted(0.2, prop::collection::vec("/?[a-z0-9]{1,2}(\\.[a-z]{1,2})?", 1..3));
    let pointer = prop::option::weighted(0.3, "(/[a-c0-3]){0,3}");
    (what, pointer, prop::option::weighted(0.3, 1..9u64), fields).prop_map(|(mut arguments, pointer, page, fields)| {
        arguments["pointer"] = json!(pointer);
        arguments["page"] = json!(page);
        arguments["fields"] = json!(fields);
        arguments
    })
}

/// A character to insert, from those that a parser treats specially, or the removal of one.
fn edit() -> impl Strategy<Value = Option<char>> {
    prop::option::of(prop::sample::select(
        "[]{}:,\"\\ \t\n0123456789.eE+-truefalsn/u\u{0}\u{a0}\u{feff}é".chars().collect::<Vec<_>>(),
    ))
}

/// A line as in logs and documents, or an arbitrary one.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "2026-11-20 1[0-9]:00:[0-5][0-9] (INFO|WARN|ERROR) (disk|user [a-z]{3}|request [0-9]{4}) (ok|gone|failed)",
        1 => "(  at [a-z]{3}|Traceback \\(most recent call last\\):|  File \"a.py\"|ValueError: x|goroutine 1 \\[running\\]:)",
        1 => "#{1,7} [A-Za-z ]{0,20}|[A-Z][a-z]{5}|={3,9}|-{3,9}|```[a-z]{0,4}|~~~|[0-9.]{1,6}  [A-Z][a-z]{3}",
        2 => "([A-Z][a-z]{1,9} ?){1,20}[.!?]",
        1 => "",
        1 => any::<String>().prop_map(|text| text.replace(['\n', '\r'], " ")),
        1 => "(👩‍👩‍👧|é|\u{1b}\\[31m){200,300}",
    ]
}

#[test]
fn every_digit_of_a_number_that_is_too_long_is_reachable() {
    let (digits, policy) = ("7".repeat(610), json!({ "maxTokens": 203 }));
    let rows = format!(r#"[{{"id":0,"n":{digits}}},{{"id":1,"n":"[Number({digits} digits)]"}}]"#);
    for source in [digits.clone(), format!("[{digits}]"), format!(r#"{{"a":{{"n":-{digits}e5}}}}"#), rows] {
        promises::reachable(&source, &policy);
    }
}

proptest! {
    // Few cases, for every change: the fuzz targets check the same promises each night.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn one_result_keeps_its_promises(source in value(false), policy in policy(), call in call()) {
        promises::hold(&source, &policy, &call);
    }

    #[test]
    fn one_text_keeps_its_promises(text in "(?s).{0,200}", times in 1..200usize, policy in policy(), call in call()) {
        promises::hold_text(&text.repeat(times), &policy, &call);
    }

    #[test]
    fn a_text_that_passes_for_every_call_passes(
        text in prop_oneof![value(false), "(?s).{0,600}", prop::collection::vec(line(), 0..40).prop_map(|lines| lines.join("\n"))],
        policy in policy(),
        client in prop::sample::select(vec![None, Some("codex-mcp-client"), Some("claude-code"), Some("qwen")]),
        is_stored in any::<bool>(),
    ) {
        promises::passed_text(&text, &policy, client, is_stored);
    }

    #[test]
    fn following_the_notes_rebuilds_the_original(
        source in value(true),
        max_tokens in 200..1200usize,
        page_size in 1..40usize,
        signed in any::<bool>(),
    ) {
        let key = signed.then_some("a secret of sixteen bytes and more");
        let policy = json!({ "maxTokens": max_tokens, "pageSize": page_size, "paginateAfter": 30, "cursorKey": key });
        promises::reachable(&source, &policy);
    }

    #[test]
    fn reading_back_rebuilds_what_was_stored(source in value(true), tight in any::<bool>(), page_size in 1..40usize) {
        let policy = json!({ "maxTokens": if tight { 200 } else { 2000 }, "pageSize": page_size });
        let content = promises::minified(&source);
        promises::readable(&content, true, &policy);
    }

    #[test]
    fn reading_back_rebuilds_a_stored_text(
        text in "(?s).{0,200}",
        times in 1..200usize,
        tight in any::<bool>(),
    ) {
        promises::readable(&text.repeat(times), false, &json!({ "maxTokens": if tight { 200 } else { 2000 } }));
    }

    #[test]
    fn whatever_is_asked_of_a_stored_result_is_answered(
        source in value(false),
        policy in policy(),
        arguments in arguments(),
        is_json in any::<bool>(),
    ) {
        promises::answered(&source, is_json, &policy, &arguments);
    }

    #[test]
    fn json_is_what_another_parser_takes_for_json(
        source in value(false),
        edits in prop::collection::vec((any::<prop::sample::Index>(), edit()), 0..3),
    ) {
        let mut text: Vec<char> = source.chars().take(400).collect();
        for (place, edit) in edits {
            let at = place.index(text.len() + 1);
            match edit {
                Some(character) => text.insert(at, character),
                None if at < text.len() => drop(text.remove(at)),
                None => {}
            }
        }
        let text: String = text.into_iter().collect();
        // A byte order mark is ignored, as RFC 8259, section 8.1, allows; serde_json takes it for an error.
        let unmarked = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let theirs = serde_json::from_str::<serde::de::IgnoredAny>(unmarked).is_ok();
        prop_assert_eq!(toolshape::host::JsonText::parse(&text).is_ok(), theirs, "{}", text);
    }

    #[test]
    fn a_summary_of_text_is_made_of_its_lines(
        lines in prop::collection::vec(line(), 0..200),
        ending in prop_oneof![Just("\n"), Just("\r\n")],
        kind in prop_oneof![Just(json!(null)), Just(json!("log")), Just(json!("document"))],
        max_tokens in 200..2000usize,
    ) {
        let text = lines.join(ending);
        let shaper = Shaper::new(Policy::new(&json!({ "maxTokens": max_tokens }), Naming::Camel).unwrap());
        let options = TextSummary::new(&json!({ "uri": "file:///x", "kind": kind }), Naming::Camel).unwrap();
        let shaped = shaper.summarize_text(&text, &options, &Call::default()).unwrap();
        promises::fits(&shaped);
        promises::out_of_the_way(&text, &shaped);
        promises::extractive(&text, &shaped);
    }

    #[test]
    fn any_text_is_refused_or_shaped(source in any::<String>(), policy in policy()) {
        promises::hold(&source, &policy, &json!({}));
    }
}
