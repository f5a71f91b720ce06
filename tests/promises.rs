//! The promises as plain functions over any JSON text, policy and call, for tests and fuzzers alike.
//!
//! Each takes a result and panics if the promise does not hold.

use serde_json::{Value, json};
use toolshape::host::{
    Block, Channel, JsonText, MAX_DEPTH, Measure, Naming, Source, ToolOutput, count_tokens, dense, expand,
};
use toolshape::{Call, Encoding, Error, ErrorCode, Policy, Receipt, Shaped, Shaper};

use crate::reader::Reader;
use crate::vectors::weight::heaviest;

/// Shapes `source` with a valid policy and a valid call, and checks every promise about one result. Returns `None` if
/// `source` is refused.
pub fn hold(source: &str, policy: &Value, call: &Value) -> Option<Shaped> {
    let shaper = shaper(policy);
    let asked = Call::new(call, Naming::Camel).unwrap();
    let shaped = match shaper.shape_json(source, &asked) {
        Ok(shaped) => shaped,
        Err(error) => {
            refused(source, &error);
            return None;
        }
    };
    fits(&shaped);
    uncounted(&ToolOutput::json(source, &asked).unwrap(), &shaper, &shaped);
    whole(&shaped);
    loud(source, &shaped);
    out_of_the_way(source, &shaped);
    explained(policy, call, &shaped);
    helpful(source, policy, call, &shaped);
    exact(source, &shaped);
    match shaped.keep {
        Some(_) => kept(source, asks_for_text(call), &shaped),
        None => unlinked(source, &shaped),
    }
    Some(shaped)
}

/// The same for plain text, which is never refused.
pub fn hold_text(source: &str, policy: &Value, call: &Value) -> Shaped {
    let shaper = shaper(policy);
    let asked = Call::new(call, Naming::Camel).unwrap();
    let shaped = shaper.shape_text(source, &asked).unwrap_or_else(|error| panic!("{error}: {source}"));
    fits(&shaped);
    uncounted(&ToolOutput::text(source, &asked), &shaper, &shaped);
    if !shaped.unchanged {
        whole(&shaped);
        loud(source, &shaped);
    }
    out_of_the_way(source, &shaped);
    explained(policy, call, &shaped);
    match shaped.keep {
        Some(_) => kept(source, true, &shaped),
        None => unlinked(source, &shaped),
    }
    shaped
}

/// P4: where nothing is stored, the result names no stored result, unless the output itself does.
fn unlinked(source: &str, shaped: &Shaped) {
    let link = "toolshape://result/";
    assert!(!shaped.text.contains(link) || source.contains(link), "{}", shaped.text);
}

/// The dense form of a minified text is smaller, and represents its bytes.
pub fn comes_back(json: &str) {
    if let Some((text, tokens)) = dense(json, Measure { encoding: Encoding::O200kBase }) {
        assert_eq!(tokens, count_tokens(&text, Encoding::O200kBase));
        assert!(tokens < count_tokens(json, Encoding::O200kBase), "{text}");
        assert_eq!(expand(&text).unwrap(), json, "{text}");
    }
}

/// What is shown is the dense form or plain JSON.
pub fn exact(source: &str, shaped: &Shaped) {
    comes_back(&minified(source));
    let _ = expand(source);
    if !shaped.unchanged && JsonText::parse(&shaped.text).is_ok() {
        expand(&shaped.text).unwrap_or_else(|error| panic!("{error}: {}", shaped.text));
    }
}

/// P8: only invalid JSON is refused, as another parser confirms, and what nests deeper than any tool's result.
pub fn refused(source: &str, error: &Error) {
    let is_deep = source.matches(['[', '{']).count() > MAX_DEPTH;
    if is_deep && error.code() == ErrorCode::TooDeep {
        return;
    }
    let is_json = serde_json::from_str::<serde::de::IgnoredAny>(source).is_ok();
    assert!(!is_json && error.code() == ErrorCode::InvalidJson, "{error}: {source}");
}

/// The most fields that a call may name.
const MOST_FIELDS: usize = 100;

/// P8: an error that a model reads has a cause in its call or in the policy.
pub fn explained(policy: &Value, call: &Value, shaped: &Shaped) {
    if !shaped.is_error {
        return;
    }
    let code = code(shaped);
    let control = |name: &str| {
        let inside = call.get("arguments").and_then(|arguments| arguments.get(name));
        call.get(name).filter(|value| !value.is_null()).or(inside).filter(|value| !value.is_null())
    };
    let is_possible = match code.as_str() {
        "INVALID_CALL" => {
            let most = policy.get("maxPageSize").and_then(Value::as_f64).unwrap_or(100.0);
            let is_one_of = |name: &str, known: &[&str]| {
                control(name).is_none_or(|value| value.as_str().is_some_and(|text| known.contains(&text)))
            };
            let are_texts = |value: &Value| {
                let is_text = |text: &Value| text.as_str().is_some_and(|text| !text.is_empty());
                value.as_array().is_some_and(|list| list.len() <= MOST_FIELDS && list.iter().all(is_text))
            };
            control("page").is_some_and(|page| page.as_f64() != Some(1.0))
                || control("pageSize").is_some_and(|size| {
                    size.as_f64().is_none_or(|size| size < 1.0 || size > most || size.fract() > 0.0)
                })
                || control("cursor").is_some_and(|cursor| cursor.as_str().is_none_or(str::is_empty))
                || control("fields").is_some_and(|fields| !are_texts(fields) || has_row_beside_field(fields))
                || !is_one_of("format", &["json", "columns", "auto", "text"])
                || !is_one_of("output", &["summary", "full"])
        }
        "INVALID_CURSOR" => control("cursor").is_some(),
        "UNKNOWN_FIELD" => control("fields").is_some(),
        "OUTPUT_BUDGET_EXCEEDED" => policy["overflow"] == "error",
        _ => false,
    };
    assert!(is_possible, "{policy} {call}: {}", shaped.text);
}

/// Whether some of these fields have a number where another has a name, which no list takes.
fn has_row_beside_field(fields: &Value) -> bool {
    let steps =
        fields.as_array().into_iter().flatten().filter_map(Value::as_str).flat_map(|field| field.split(['/', '.']));
    let (rows, names): (Vec<_>, Vec<_>) =
        steps.filter(|step| !step.is_empty()).partition(|step| step.bytes().all(|byte| byte.is_ascii_digit()));
    !rows.is_empty() && !names.is_empty()
}

/// The code of an error result.
fn code(shaped: &Shaped) -> String {
    let reply: Value = serde_json::from_str(&shaped.text).unwrap_or_else(|error| panic!("{error}: {}", shaped.text));
    reply["error"].as_str().unwrap_or_else(|| panic!("no code: {}", shaped.text)).to_owned()
}

fn shaper(policy: &Value) -> Shaper {
    Shaper::new(Policy::new(policy, Naming::Camel).unwrap_or_else(|error| panic!("{policy}: {error}")))
}

/// P1: the text is within the budget, counted by another implementation.
pub fn fits(shaped: &Shaped) {
    let receipt = &shaped.receipt;
    assert_eq!(receipt.bytes, shaped.text.len());
    // An image has the tokens of its pixels.
    if shaped.image.is_some() {
        return;
    }
    assert_eq!(receipt.tokens_after, count_tokens(&shaped.text, receipt.encoding));
    if let Some(budget) = receipt.budget {
        assert!(receipt.tokens_after <= budget, "{} of {budget}: {}", receipt.tokens_after, shaped.text);
    }
    let independent = match receipt.encoding {
        Encoding::O200kBase => bpe_openai::o200k_base().count(shaped.text.as_str()),
        Encoding::Cl100kBase => bpe_openai::cl100k_base().count(shaped.text.as_str()),
        _ => return,
    };
    assert_eq!(receipt.tokens_after, independent);
}

/// P7: a result that passes uncounted is the same as the shaped result, with the same receipt.
pub fn uncounted(returned: &ToolOutput<'_>, shaper: &Shaper, shaped: &Shaped) {
    if let Some(passed) = shaper.pass(returned) {
        assert!(shaped.unchanged, "{}", shaped.text);
        assert_eq!((passed.text(), &passed.receipt()), (&*shaped.text, &shaped.receipt));
    }
}

/// P7: a tool's text that passes whatever its call is has the receipt that it has as part of any such call.
pub fn passed_text(text: &str, policy: &Value, client: Option<&str>, is_stored: bool) {
    let shaper = shaper(policy);
    let Some(receipt) = shaper.passing(Some("t"), client).and_then(|passing| passing.receipt(text)) else { return };
    let call = json!({ "tool": "t", "arguments": { "filter": [1] }, "client": client, "store": is_stored, "now": 1 });
    let shaped = shaper.shape_text_result(text, &Call::new(&call, Naming::Camel).unwrap()).unwrap();
    assert!(shaped.unchanged && !shaped.is_error && !shaped.is_own && shaped.keep.is_none(), "{policy} {text}");
    assert_eq!((shaped.content, shaped.structured), (vec![Block::Own(0)], Channel::Own));
    assert_eq!(shaped.receipt, Some(receipt));
}

/// P2: the output is JSON.
pub fn whole(shaped: &Shaped) {
    JsonText::parse(&shaped.text).unwrap_or_else(|error| panic!("{error}: {}", shaped.text));
}

/// P3: a result that is not the original says so first.
pub fn loud(source: &str, shaped: &Shaped) {
    if shaped.unchanged {
        return;
    }
    let markers = [
        "{\"truncated\":true,", "{\"paginated\":true,", "{\"_summarized\":true,", "{\"error\":",
        "{\"offloaded\":true,", "{\"output\":\"", "{\"text\":\"",
    ];
    let marked = markers.iter().any(|marker| shaped.text.starts_with(marker));
    let steps = shaped.receipt.step_names();
    let lossless =
        ["minify", "project", "columns", "csv", "tsv", "table", "ndjson", "json", "events", "xml", "python", "yaml"];
    let lossless = steps.iter().all(|step| lossless.contains(step));
    assert!(marked || lossless, "{steps:?}: {}", shaped.text);
    if steps == ["minify"] {
        assert_eq!(JsonText::parse(source).unwrap().json().unwrap(), shaped.text);
    }
}

/// P1 for results in MCP's form: texts together and structured content each fit, our links included.
pub fn result_fits(result: &Value, receipt: Option<&Receipt>) {
    let Some(receipt) = receipt else { return };
    let tokens = heaviest(result, &|text| count_tokens(text, Encoding::O200kBase));
    // Images have tokens too, of which this knows nothing.
    if result["content"].as_array().into_iter().flatten().any(|block| block["type"] == "image") {
        assert!(receipt.tokens_after >= tokens, "{tokens}: {result}");
    } else {
        assert_eq!((receipt.tokens_after, receipt.bytes), (tokens, heaviest(result, &str::len)), "{result}");
    }
    let tokens = receipt.tokens_after;
    assert!(receipt.budget.is_none_or(|budget| tokens <= budget), "{tokens} of {:?}: {result}", receipt.budget);
}

/// Whether a call requests the whole as plain text: then that is stored.
pub fn asks_for_text(call: &Value) -> bool {
    call["format"] == "text" && call["fields"].as_array().is_none_or(Vec::is_empty)
}

/// P4: the content to be stored is the original, byte for byte except white space, and the result refers only to that
/// content or to the content that it comes from.
pub fn kept(source: &str, is_text: bool, shaped: &Shaped) {
    let keep = shaped.keep.as_ref().expect("something to keep");
    let content = keep.content.as_deref().unwrap_or(source);
    match is_text {
        true => assert_eq!(content, source),
        false => assert_eq!(content, JsonText::parse(source).unwrap().json().unwrap()),
    }
    assert_eq!(keep.key, format!("{}.{}", keep.id, if is_text { "txt" } else { "json" }));
    let handle = keep.ticket.strip_suffix(".handle").expect("the key of a ticket");
    let is_told = shaped.text.contains(&format!("toolshape://result/{handle}")) || shaped.text.contains("ursor\":\"");
    assert!(is_told && !shaped.unchanged && !shaped.is_error, "{}", shaped.text);
}

/// P7: what passes unchanged is the original to the byte.
pub fn out_of_the_way(source: &str, shaped: &Shaped) {
    if shaped.unchanged {
        assert_eq!(shaped.text, source);
        assert!(shaped.receipt.steps.is_empty());
    }
}

/// P4: the suggestion of a refusal works: the call that follows it gets data.
pub fn helpful(source: &str, policy: &Value, call: &Value, shaped: &Shaped) {
    if !shaped.is_error || code(shaped) != "OUTPUT_BUDGET_EXCEEDED" {
        return;
    }
    let reply: Value = serde_json::from_str(&shaped.text).unwrap();
    let suggest = reply["suggest"].as_object().filter(|suggest| !suggest.is_empty());
    let suggest = suggest.unwrap_or_else(|| panic!("suggests nothing: {}", shaped.text));
    let mut again = call.clone();
    suggest.iter().for_each(|(name, value)| again[name] = value.clone());
    let shaper = shaper(policy);
    let followed = shaper.shape_json(source, &Call::new(&again, Naming::Camel).unwrap()).unwrap();
    assert!(!followed.is_error, "{} then {}", shaped.text, followed.text);
}

/// P4 and P6: the calls that the results suggest return the original, byte for byte except white space.
pub fn reachable(source: &str, policy: &Value) {
    let rebuilt = Reader::new(&shaper(policy), source).rebuild();
    assert_eq!(rebuilt, minified(source));
}

/// JSON text as a store holds it.
pub fn minified(source: &str) -> String {
    JsonText::parse(source).unwrap().json().unwrap().into_owned()
}

/// P4 for stored content: following only the answers of `read_result` returns it, byte for byte.
pub fn readable(content: &str, is_json: bool, policy: &Value) {
    let shaper = shaper(policy);
    let mut reader = Reader::of_stored(&shaper, content, is_json, policy["cursorKey"].as_str());
    let rebuilt = if is_json { reader.rebuild() } else { reader.rebuild_text() };
    assert_eq!(rebuilt, content);
}

/// P1, P2, P3 and P8 for one answer of `read_result`, with any arguments.
pub fn answered(content: &str, is_json: bool, policy: &Value, arguments: &Value) {
    let shaper = shaper(policy);
    let shaped = Reader::of_stored(&shaper, content, is_json, policy["cursorKey"].as_str()).ask(arguments);
    fits(&shaped);
    if !shaped.unchanged {
        whole(&shaped);
    }
    if shaped.is_error {
        let code = code(&shaped);
        let is_over_budget = code == "OUTPUT_BUDGET_EXCEEDED" && policy["overflow"] == "error";
        let has_arguments = arguments.as_object().is_some_and(|given| given.values().any(|value| !value.is_null()));
        let is_about_arguments = match code.as_str() {
            "INVALID_CURSOR" => arguments.get("cursor").is_some_and(|cursor| !cursor.is_null()),
            "INVALID_CALL" | "UNKNOWN_FIELD" => has_arguments,
            _ => false,
        };
        assert!(is_over_budget || is_about_arguments, "{arguments}: {}", shaped.text);
    }
}

/// A summary of a text shows only the text's own lines, or their beginnings, with their numbers, in order; without the escape
/// sequences in them.
pub fn extractive(text: &str, shaped: &Shaped) {
    if shaped.unchanged {
        return;
    }
    // Where the store failed, the text is shaped like any other.
    if !shaped.receipt.step_names().contains(&"summarizeText") {
        loud(text, shaped);
        return;
    }
    let summary: Value = serde_json::from_str(&shaped.text).unwrap();
    let Some(shown) = summary.get("lines") else {
        assert!(summary["by"].is_string(), "{}", shaped.text);
        return;
    };
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(summary["totalLines"], lines.len());
    let mut last = 0;
    for entry in shown.as_array().unwrap() {
        let first = entry["line"].as_u64().unwrap() as usize;
        assert!(first > last, "line {first} after {last}");
        last = first;
        for (at, line) in entry["text"].as_str().unwrap().split('\n').enumerate() {
            let (own, line) = (lines[first - 1 + at], line.trim_end_matches('\r'));
            let mut ahead = own.chars();
            let is_own = match (own.contains('\r'), own.contains('\x1b')) {
                // What is written over is as a terminal shows it at last.
                (true, _) => line.chars().all(|shown| own.contains(shown)),
                (_, true) => line.chars().all(|shown| shown != '\x1b' && ahead.any(|own| own == shown)),
                _ => own.starts_with(line),
            };
            assert!(is_own, "line {} is not {line:?}", first + at);
        }
        for number in ["lastLine", "count", "alike"].iter().filter_map(|name| entry.get(*name)) {
            assert!(number.as_u64().unwrap() as usize <= lines.len());
        }
    }
}
