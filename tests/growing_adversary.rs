//! An adversary that grows by itself: for every call of a model it doubles each dimension of what the call is given, and
//! fails where the cost grows by more than 2.2 for twice the input.
//!
//! Cost is never time. It is what the call allocates (bytes and calls), what it reads of a value (a source that counts),
//! and the units of work of `read_result`. With `GROWTH_TABLE=1` it prints the worst factors of each call.

#![cfg(not(target_arch = "wasm32"))]

mod counted;
mod growing_rows;
mod growing_texts;

use std::collections::BTreeMap;

use allocation_counter::measure;
use serde_json::{Value, json};
use sha2::Digest;
use toolshape::host::{Naming, Redaction, TextSummary};
use toolshape::{Call, Policy, Shaped, Shaper};

use crate::counted::Counted;
use crate::growing_texts::{TEXTS, asked_of_texts};

/// The factor that a doubled input may cost.
const MOST: f64 = 2.2;
/// Costs below this are those of an answer, which has a size of its own.
const SLACK: f64 = 60_000.0;
/// What one allocation costs, in bytes.
const ALLOCATION: u64 = 64;
/// How often each input is doubled: twice, so that a cost can grow too fast two times in a row.
const DOUBLINGS: u32 = 2;

/// One case in seven runs each day: each call with some of the documents, because their number is not a multiple of it.
const SHARE: usize = 7;

/// A case: its name, its smallest input, and what it does with an input of a size.
struct Case {
    name: String,
    base: usize,
    make: Box<dyn Fn(usize) -> Box<dyn FnOnce() -> Spent>>,
}

/// What a call says it spent: units of work, and what was read of its source.
#[derive(Default)]
struct Spent {
    work: u64,
    read: u64,
}

impl Case {
    fn new<I: 'static>(
        name: impl Into<String>,
        base: usize,
        input: impl Fn(usize) -> I + 'static,
        call: impl Fn(I) -> Spent + Copy + 'static,
    ) -> Self {
        let make = move |size: usize| -> Box<dyn FnOnce() -> Spent> {
            let input = input(size);
            Box::new(move || call(input))
        };
        Self { name: name.into(), base, make: Box::new(make) }
    }
}

fn shaper(policy: &Value) -> Shaper {
    Shaper::new(Policy::new(policy, Naming::Camel).unwrap())
}

fn call(call: Value) -> Call {
    Call::new(&call, Naming::Camel).unwrap()
}

/// The answer of `read_result` about a stored content.
fn answer(content: &str, form: &str, mut arguments: Value) -> Shaped {
    let digest = sha2::Sha256::digest(content.as_bytes());
    let id: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    arguments["handle"] = json!(id);
    let call = call(json!({ "tool": "read_result", "arguments": arguments }));
    shaper(&json!({})).read_result(Some((&format!("{id}.{form}"), content)), &call).unwrap()
}

fn read((content, arguments): (String, Value)) -> Spent {
    Spent { work: answer(&content, "json", arguments).receipt.work, read: 0 }
}

fn read_text((content, arguments): (String, Value)) -> Spent {
    Spent { work: answer(&content, "txt", arguments).receipt.work, read: 0 }
}

/// Shapes a value of a host.
fn shape((json, policy, asked): (String, Value, Value)) -> Spent {
    let value = Counted::new(&json);
    shaper(&policy).shape_source(&value, &call(asked)).unwrap();
    Spent { work: 0, read: value.read() }
}

fn shape_result((json, asked): (String, Value)) -> Spent {
    let value = Counted::new(&json);
    // The result around a value at the deepest level is too deep.
    drop(shaper(&json!({})).shape_result(&value, &call(asked)));
    Spent { work: 0, read: value.read() }
}

fn list_tool(tool: Value) -> Spent {
    shaper(&json!({})).tool(&tool, false);
    Spent::default()
}

fn summarize(text: String) -> Spent {
    let options = TextSummary::new(&json!({ "uri": "file:///x" }), Naming::Camel).unwrap();
    shaper(&json!({})).summarize_text(&text, &options, &Call::default()).unwrap();
    Spent::default()
}

/// Values at this many levels. What they hold is long, so that each level is stepped over: a few levels around a short value
/// are read instead, which costs less.
fn chains(open: &str, levels: usize, close: &str) -> String {
    let held = "needle ".repeat(100);
    let chain = format!("{}\"{held}\"{}", open.repeat(levels), close.repeat(levels));
    list((0..16).map(|_| chain.clone()))
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

/// The documents: a name, the smallest size, and the document of a size.
type Document = (&'static str, usize, fn(usize) -> String);

const DOCUMENTS: [Document; 10] = [
    ("rows", 300, |n| {
        list((0..n).map(|at| format!(r#"{{"id":{at},"name":"needle","tags":["a","b"],"at":{{"x":{at},"y":null}}}}"#)))
    }),
    ("numbers", 3_000, |n| list((0..n).map(|at| at.to_string()))),
    ("keys", 1_500, |n| {
        let entries: Vec<String> = (0..n).map(|at| format!(r#""key{at}":"needle {at}""#)).collect();
        format!("{{{}}}", entries.join(","))
    }),
    ("depth of arrays", 500, |n| chains("[", n, "]")),
    ("depth of objects", 500, |n| chains(r#"{"id":"#, n, "}")),
    ("long text", 10_000, |n| format!(r#"{{"id":1,"name":"{} needle"}}"#, "some words ".repeat(n / 11))),
    ("page in a field", 10_000, |n| {
        format!(r#"{{"id":1,"name":"<!doctype html>{} needle"}}"#, "<p>some &amp;words</p>".repeat(n / 22))
    }),
    ("log in a field", 10_000, |n| {
        let line = |at: usize| format!(r"2026-11-20 10:00:00 ERROR some words of {at}\n");
        format!(r#"{{"id":1,"name":"{} needle"}}"#, (0..n / 48).map(line).collect::<String>())
    }),
    ("escapes", 10_000, |n| format!(r#"{{"id":1,"name":"{} needle"}}"#, "\\u00e9\\n".repeat(n / 8))),
    ("long keys", 10_000, |n| {
        format!(r#"{{"{}":{}}}"#, "k".repeat(n), list((0..n / 100).map(|_| "\"needle\"".to_owned())))
    }),
];

fn read_cases(cases: &mut Vec<Case>) {
    let mut add = |name: &str, arguments: fn(usize) -> Value| {
        for (document, base, make) in DOCUMENTS {
            let input = move |size: usize| (make(size), arguments(size));
            cases.push(Case::new(format!("{name} | {document}"), base, input, read));
        }
    };
    add("value", |_| json!({}));
    add("page", |_| json!({ "page": 2 }));
    add("page size", |_| json!({ "pageSize": 7 }));
    add("search", |_| json!({ "search": "NEEDLE" }));
    add("search for nothing", |_| json!({ "search": "none" }));
    add("search for a letter", |_| json!({ "search": "e" }));
    add("lines", |_| json!({ "pointer": "/name", "lines": "2-4" }));
    add("search in a text", |_| json!({ "pointer": "/name", "search": "needle" }));
    add("pointer", |_| json!({ "pointer": "/id" }));
    add("pointer to nothing", |_| json!({ "pointer": "/7/nmae" }));
    add("deep pointer", |size| json!({ "pointer": "/0".repeat(size) }));
    add("long pointer", |size| json!({ "pointer": format!("/{}", "k".repeat(size)) }));
    add("fields", |_| json!({ "fields": ["id", "at.x"] }));
    add("fields that are not there", |_| json!({ "fields": ["id", "none", "at.none"] }));
    add("a deep field that is not there", |_| json!({ "fields": ["at.*.x.y.z", "/0/at/none"] }));
    add("a hundred fields", |_| json!({ "fields": (0..100).map(|at| format!("key{at}")).collect::<Vec<_>>() }));
    add("long field", |size| json!({ "fields": [".k".repeat(size)] }));
    add("columns", |_| json!({ "format": "columns" }));
}

fn text_cases(cases: &mut Vec<Case>) {
    for (text, base, make) in TEXTS {
        for (name, arguments) in asked_of_texts() {
            let input = move |size: usize| (make(size), arguments.clone());
            cases.push(Case::new(format!("{name} | {text}"), base, input, read_text));
        }
        cases.push(Case::new(format!("summarize_text | {text}"), base, make, summarize));
    }
}

fn shape_cases(cases: &mut Vec<Case>) {
    for (name, policy, asked) in [
        ("shape", json!({}), json!({})),
        ("shape with a store", json!({ "overflow": "offload" }), json!({ "store": true })),
        ("shape or suggest", json!({ "overflow": "error" }), json!({})),
        ("shape page 3", json!({}), json!({ "page": 3 })),
        ("shape fields", json!({}), json!({ "fields": ["id", "none"] })),
        ("shape default fields", json!({ "fields": ["id", "none"] }), json!({})),
        ("shape a hundred fields", json!({}), json!({ "fields": vec!["none"; 100] })),
        ("shape with a long cursor", json!({}), json!({ "cursor": "A".repeat(100_000) })),
        ("shape columns", json!({ "format": "auto" }), json!({})),
    ] {
        for (document, base, make) in DOCUMENTS {
            let (policy, asked) = (policy.clone(), asked.clone());
            let input = move |size: usize| (make(size), policy.clone(), asked.clone());
            cases.push(Case::new(format!("{name} | {document}"), base, input, shape));
        }
    }
    let mut asked = |name: &str, base: usize, asked: fn(usize) -> Value| {
        let input = move |size: usize| (DOCUMENTS[0].2(50), json!({}), asked(size));
        cases.push(Case::new(format!("shape | {name}"), base, input, shape));
    };
    asked("names in fields", 500, |n| json!({ "fields": (0..n).map(|at| format!("f{at}")).collect::<Vec<_>>() }));
    asked("length of a field", 5_000, |n| json!({ "fields": ["x".repeat(n)] }));
    asked("segments of a field", 5_000, |n| json!({ "fields": ["x.".repeat(n)] }));
    asked("length of a cursor", 5_000, |n| json!({ "cursor": "x".repeat(n) }));
    asked(
        "own arguments",
        1_000,
        |n| json!({ "arguments": (0..n).map(|at| (format!("a{at}"), json!(at))).collect::<serde_json::Map<_, _>>() }),
    );
}

fn result_cases(cases: &mut Vec<Case>) {
    for (document, base, make) in DOCUMENTS {
        let text =
            move |size: usize| (json!({ "content": [{ "type": "text", "text": make(size) }] }).to_string(), json!({}));
        cases.push(Case::new(format!("result with text | {document}"), base, text, shape_result));
        let structured = move |size: usize| {
            let document = make(size);
            let quoted = serde_json::to_string(&document).unwrap();
            let text = format!(
                r#"{{"content":[{{"type":"text","text":{quoted}}}],"structuredContent":{{"value":{document}}}}}"#
            );
            (text, json!({ "outputSchema": true }))
        };
        cases.push(Case::new(format!("result with both | {document}"), base, structured, shape_result));
    }
    let blocks = |size: usize| {
        let block = json!({ "type": "text", "text": "some words" });
        (json!({ "content": vec![block; size] }).to_string(), json!({}))
    };
    cases.push(Case::new("result | blocks", 500, blocks, shape_result));
    let members = |size: usize| -> serde_json::Map<String, Value> {
        (0..size).map(|at| (format!("member{at}"), json!("some words"))).collect()
    };
    let preserved = move |name: &str, base: usize, schema: fn(usize) -> Value| {
        let input = move |size: usize| {
            let result = json!({ "content": [], "structuredContent": members(size) });
            (result.to_string(), json!({ "outputSchema": schema(size) }))
        };
        Case::new(format!("result with a schema | {name}"), base, input, shape_result)
    };
    cases.push(preserved("members", 500, |_| json!({ "type": "object" })));
    cases.push(preserved(
        "required members",
        500,
        |n| json!({ "type": "object", "required": (0..n).map(|at| format!("member{at}")).collect::<Vec<_>>() }),
    ));
    cases.push(preserved("branches", 500, |n| {
        let branch = |at: usize| json!({ "properties": { format!("member{at}"): { "type": "string" } } });
        json!({ "type": "object", "anyOf": (0..n).map(branch).collect::<Vec<_>>() })
    }));
    cases.push(preserved("branches to the root", 8, |n| {
        json!({ "type": "object", "anyOf": vec![json!({ "$ref": "#" }); n], "allOf": vec![json!({ "$ref": "#" }); n] })
    }));
}

fn tool_cases(cases: &mut Vec<Case>) {
    let mut add = |name: &str, base: usize, schema: fn(usize) -> Value| {
        for member in ["inputSchema", "outputSchema"] {
            let input = move |size: usize| json!({ "name": "t", member: schema(size) });
            cases.push(Case::new(format!("tool's {member} | {name}"), base, input, list_tool));
        }
    };
    add("properties", 500, |n| {
        let properties: serde_json::Map<_, _> =
            (0..n).map(|at| (format!("p{at}"), json!({ "type": "integer" }))).collect();
        json!({ "type": "object", "properties": properties, "additionalProperties": false })
    });
    add("branches to the root", 8, |n| json!({ "type": "object", "anyOf": vec![json!({ "$ref": "#" }); n] }));
    add(
        "branches",
        100,
        |n| json!({ "type": "object", "anyOf": vec![json!({ "type": "object", "additionalProperties": false }); n] }),
    );
    add("references through one another", 8, |n| {
        let all = |at: usize| json!({ "anyOf": vec![json!({ "$ref": format!("#/$defs/d{}", at + 1) }); 6] });
        let definitions: serde_json::Map<_, _> = (0..n).map(|at| (format!("d{at}"), all(at))).collect();
        json!({ "type": "object", "$defs": definitions, "anyOf": [{ "$ref": "#/$defs/d0" }] })
    });
    add("depth", 12, |n| {
        (0..n).fold(
            json!({ "type": "integer" }),
            |below, _| json!({ "type": "object", "properties": { "below": below }, "additionalProperties": false }),
        )
    });
}

/// Texts in which many names are secret, apart from their values.
const NAMES: [Document; 6] = [
    ("columns and rows", 1_000, |n| {
        format!(r#"{{"columns":["key"{}],"rows":[[1]{}]}}"#, r#","key""#.repeat(n), ",[1]".repeat(n))
    }),
    ("header row", 1_000, |n| format!(r#"[["key"{}],[1]{}]"#, r#","key""#.repeat(n), ",[1]".repeat(n))),
    ("lists of names", 1_000, |n| {
        let lists: Vec<String> = (0..n).map(|at| format!(r#""a{at}":["key"]"#)).collect();
        format!(r#"{{"a":["key"{}],{}}}"#, r#","key""#.repeat(n), lists.join(","))
    }),
    ("header of CSV", 2_000, |n| format!("{}n\n{}", "key,".repeat(n), "1,2\n".repeat(n))),
    ("printed header", 2_000, |n| format!("{}n\n{}", "key  ".repeat(n), "a  b\n".repeat(n))),
    ("values in a line", 4_000, |n| "key=a key: ".repeat(n)),
];

fn redact(text: String) -> Spent {
    let redaction = Redaction::new(&["key", "user.name"], &["needle*", "ne*d*l*"]).unwrap();
    redaction.of_text(&text);
    Spent::default()
}

fn redaction_cases(cases: &mut Vec<Case>) {
    for (text, base, make) in TEXTS.into_iter().chain(DOCUMENTS).chain(NAMES) {
        cases.push(Case::new(format!("redact | {text}"), base, make, redact));
    }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    redaction_cases(&mut cases);
    read_cases(&mut cases);
    text_cases(&mut cases);
    growing_rows::cases(&mut cases);
    shape_cases(&mut cases);
    result_cases(&mut cases);
    tool_cases(&mut cases);
    cases
}

/// What a call costs: units of work, what is read of its source, what it allocates.
fn costs(case: &Case, size: usize) -> [u64; 3] {
    let prepared = (case.make)(size);
    let mut spent = Spent::default();
    let allocated = measure(|| spent = prepared());
    [spent.work, spent.read, allocated.bytes_total + ALLOCATION * allocated.count_total]
}

/// How a cost grows with each doubling.
fn factors(costs: &[[u64; 3]], which: usize) -> Vec<f64> {
    costs.windows(2).map(|pair| (pair[1][which] as f64 - SLACK).max(0.0) / (pair[0][which] as f64).max(1.0)).collect()
}

/// The worst factors of a call: of one doubling, and that which two doublings in a row reach.
#[derive(Default)]
struct Worst {
    once: f64,
    twice: f64,
}

#[test]
fn twice_the_input_costs_at_most_a_little_more_than_twice() {
    grow(&mut cases().iter().step_by(SHARE));
}

#[test]
#[ignore = "takes minutes"]
fn twice_the_input_costs_at_most_a_little_more_than_twice_in_every_case() {
    grow(&mut cases().iter());
}

/// A cost may jump once, where a larger input is shown in another way; so it grows too fast where it does so twice in a
/// row.
fn grow(cases: &mut dyn Iterator<Item = &Case>) {
    // What is made once is made before anything is counted.
    drop(answer("[1]", "json", json!({})));
    let (mut failed, mut worst) = (Vec::new(), BTreeMap::<String, Worst>::new());
    for case in cases {
        let sizes = (0..=DOUBLINGS).map(|doubling| case.base << doubling);
        let costs: Vec<[u64; 3]> = sizes.map(|size| costs(case, size)).collect();
        let name = case.name.split(" | ").next().unwrap_or_default();
        let worst = worst.entry(name.to_owned()).or_default();
        for (which, what) in ["work", "reading", "memory"].into_iter().enumerate() {
            let factors = factors(&costs, which);
            worst.once = factors.iter().copied().fold(worst.once, f64::max);
            let twice = factors.windows(2).map(|pair| pair[0].min(pair[1])).fold(0.0, f64::max);
            worst.twice = worst.twice.max(twice);
            if twice > MOST {
                let grown: Vec<u64> = costs.iter().map(|costs| costs[which]).collect();
                failed.push(format!("{}: {what} grows {grown:?}", case.name));
            }
        }
    }
    if std::env::var("GROWTH_TABLE").is_ok() {
        println!("call\tone doubling\ttwo in a row");
        for (call, Worst { once, twice }) in worst {
            println!("{call}\t{once:.2}\t{twice:.2}");
        }
    }
    assert!(failed.is_empty(), "{} cases:\n{}", failed.len(), failed.join("\n"));
}

/// A text of 20 MB, and a search that finds more than it may.
#[test]
fn no_search_of_a_large_text_goes_on() {
    const BYTES: usize = 20_000_000;
    let unit = r#"{"id":1,"name":"needle and more of it"}"#;
    let rows = list((0..BYTES / (unit.len() + 1)).map(|_| unit.to_owned()));
    let mut answered = None;
    let memory = measure(|| answered = Some(answer(&rows, "json", json!({ "search": "e" })))).bytes_max;
    let answered = answered.unwrap();
    assert!(answered.receipt.work <= (1 << 27) + 8 * rows.len() as u64);
    assert!(answered.text.contains(r#""stopped":true"#), "{}", answered.text);
    assert!(memory < 2 * BYTES as u64, "{memory} bytes");
}

/// Texts of which a list of lines is many times as long as the text.
#[test]
fn the_lines_of_a_large_text_are_listed_only_if_they_are_less_than_it() {
    const BYTES: usize = 20_000_000;
    for unit in ["\n", "a\n"] {
        let text = unit.repeat(BYTES / unit.len());
        for arguments in [json!({ "outline": true }), json!({ "lines": "a" }), json!({ "search": "a", "lines": "a" })] {
            let mut answered = None;
            let memory = measure(|| answered = Some(answer(&text, "txt", arguments.clone()))).bytes_max;
            let answered = answered.unwrap();
            assert!(answered.text.contains("asks for too much"), "{arguments}: {}", answered.text);
            assert!(memory < BYTES as u64, "{arguments}: {memory} bytes");
        }
    }
}

/// An object with enough keys that what is kept for each would be several times the text.
#[test]
fn what_is_kept_of_a_large_object_is_less_than_twice_its_text() {
    let entries: Vec<String> = (0..1_000_000).map(|at| format!(r#""{at}":1"#)).collect();
    let keys = format!("{{{}}}", entries.join(","));
    drop(entries);
    for arguments in [json!({}), json!({ "page": 2 }), json!({ "fields": ["7"] }), json!({ "fields": ["none"] })] {
        let memory = measure(|| drop(answer(&keys, "json", arguments.clone()))).bytes_max;
        assert!(memory < 2 * keys.len() as u64, "{arguments}: {memory} bytes");
    }
}

/// Logs whose lines are all of other words, and ordinary ones: no string is made of a line that is not shown.
#[test]
fn a_line_of_a_log_is_read_without_a_string_of_its_own() {
    let words = |at: usize| (0..10).map(move |nth| format!("w{}", char::from(b'a' + (at >> nth) as u8 % 26)));
    let various = |at: usize| format!("2026-11-20 10:00:00 ERROR {}\n", words(at).collect::<Vec<_>>().join(" "));
    let alike = |at: usize| format!("2026-11-20 10:00:00 INFO request {at} took {at} ms\n");
    for log in [(0..40_000).map(various).collect::<String>(), (0..40_000).map(alike).collect()] {
        let shaper = shaper(&json!({}));
        let counted = measure(|| drop(shaper.shape_text(&log, &Call::default()).unwrap()));
        assert!(counted.count_total < 20_000, "{} allocations", counted.count_total);
    }
}
