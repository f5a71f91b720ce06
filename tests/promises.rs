//! The promises as plain functions over any JSON text, policy and call, for tests and fuzzers alike.
//!
//! Each takes a result and panics where the promise does not hold.

use serde_json::Value;
use toolshape::{Call, Encoding, JsonText, Naming, Policy, Returned, Shaped, Shaper, Source, count_tokens};

use crate::reader::Reader;

/// Shapes `source` and checks every promise that can be told from one result.
pub fn hold(source: &str, policy: &Value, call: &Value) -> Option<Shaped> {
    let shaper = Shaper::new(Policy::new(policy, Naming::Camel).ok()?);
    let asked = Call::new(call, Naming::Camel).ok()?;
    let shaped = shaper.shape_json(source, &asked).ok()?;
    fits(&shaped);
    uncounted(&Returned::json(source, &asked).unwrap(), &shaper, &shaped);
    whole(&shaped);
    loud(source, &shaped);
    out_of_the_way(source, &shaped);
    helpful(source, policy, call, &shaped);
    match shaped.keep {
        Some(_) => kept(source, false, &shaped),
        None => assert!(!shaped.text.contains("toolshape://result/"), "{}", shaped.text),
    }
    Some(shaped)
}

/// P1: the text is within the budget, counted by somebody else.
pub fn fits(shaped: &Shaped) {
    let receipt = &shaped.receipt;
    assert_eq!(receipt.bytes, shaped.text.len());
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

/// P7: what passes without being counted is what shaping gives, and its receipt says the same.
pub fn uncounted(returned: &Returned<'_>, shaper: &Shaper, shaped: &Shaped) {
    if let Some(passed) = shaper.pass(returned) {
        assert!(shaped.unchanged, "{}", shaped.text);
        assert_eq!((passed.text(), &passed.receipt()), (&*shaped.text, &shaped.receipt));
    }
}

/// P2: what left is JSON.
pub fn whole(shaped: &Shaped) {
    JsonText::parse(&shaped.text).unwrap_or_else(|error| panic!("{error}: {}", shaped.text));
}

/// P3: a result that is not the original says so before anything else.
pub fn loud(source: &str, shaped: &Shaped) {
    if shaped.unchanged {
        return;
    }
    let markers = [
        "{\"truncated\":true,",
        "{\"paginated\":true,",
        "{\"_summarized\":true,",
        "{\"error\":",
        "{\"offloaded\":true,",
        "{\"output\":\"",
    ];
    let marked = markers.iter().any(|marker| shaped.text.starts_with(marker));
    let steps = &shaped.receipt.steps;
    let lossless = steps.iter().all(|step| ["minify", "project", "columns"].contains(step));
    assert!(marked || lossless, "{steps:?}: {}", shaped.text);
    if steps == &["minify"] {
        assert_eq!(JsonText::parse(source).unwrap().json().unwrap(), shaped.text);
    }
}

/// P1 for results in MCP's form: texts together and structured content each fit, with links of ours beside them.
pub fn result_fits(result: &Value) {
    let receipt = &result["_meta"]["toolshape/receipt"];
    let Some(budget) = receipt["budget"].as_u64() else { return };
    let blocks = result["content"].as_array().into_iter().flatten();
    let is_ours = |block: &&Value| block["uri"].as_str().is_some_and(|uri| uri.starts_with("toolshape://result/"));
    let links = blocks.clone().filter(is_ours).map(Value::to_string);
    let texts = blocks.filter_map(|block| block["text"].as_str().or(block["resource"]["text"].as_str()));
    let count = |text: &str| count_tokens(text, Encoding::O200kBase) as u64;
    let links: u64 = links.map(|link| count(&link)).sum();
    let content = texts.map(count).sum::<u64>() + links;
    let structured = result.get("structuredContent").map_or(0, |value| count(&value.to_string()) + links);
    assert!(content.max(structured) <= budget, "{content} and {structured} of {budget}: {result}");
    assert_eq!(receipt["tokensAfter"].as_u64(), Some(content.max(structured)), "{result}");
}

/// P4: what is to be stored is the original, byte for byte but for white space, and what the result tells of is
/// to be stored, or is where the result comes from.
pub fn kept(source: &str, is_text: bool, shaped: &Shaped) {
    let keep = shaped.keep.as_ref().expect("something to keep");
    let content = keep.content.as_deref().unwrap_or(source);
    match is_text {
        true => assert_eq!(content, source),
        false => assert_eq!(content, JsonText::parse(source).unwrap().json().unwrap()),
    }
    assert_eq!(keep.key, format!("{}.{}", keep.id, if is_text { "txt" } else { "json" }));
    let is_told = shaped.text.contains(&keep.id) || shaped.text.contains("ursor\":\"");
    assert!(is_told && !shaped.unchanged && !shaped.is_error, "{}", shaped.text);
}

/// P7: what passes unchanged is the original to the byte.
pub fn out_of_the_way(source: &str, shaped: &Shaped) {
    if shaped.unchanged {
        assert_eq!(shaped.text, source);
        assert!(shaped.receipt.steps.is_empty());
    }
}

/// P4: what a refusal suggests was tried: the call that follows it gets data.
pub fn helpful(source: &str, policy: &Value, call: &Value, shaped: &Shaped) {
    let Ok(Value::Object(told)) = serde_json::from_str(&shaped.text) else { return };
    let (true, Some(Value::Object(suggest))) = (shaped.is_error, told.get("suggest")) else { return };
    assert!(!suggest.is_empty(), "{}", shaped.text);
    let mut again = call.clone();
    suggest.iter().for_each(|(name, value)| again[name] = value.clone());
    let shaper = Shaper::new(Policy::new(policy, Naming::Camel).unwrap());
    let followed = shaper.shape_json(source, &Call::new(&again, Naming::Camel).unwrap()).unwrap();
    assert!(!followed.is_error, "{} then {}", shaped.text, followed.text);
}

/// P4 and P6: what the results say to call gives back the original, byte for byte but for white space.
pub fn reachable(source: &str, policy: &Value) {
    let Ok(parsed) = JsonText::parse(source) else { return };
    let shaper = Shaper::new(Policy::new(policy, Naming::Camel).unwrap());
    let rebuilt = Reader::new(&shaper, source).rebuild();
    assert_eq!(rebuilt, parsed.json().unwrap());
}

/// JSON text as a store holds it.
pub fn minified(source: &str) -> String {
    JsonText::parse(source).unwrap().json().unwrap().into_owned()
}

/// P4 of what a store holds: following only what `read_result` answers gives it back, byte for byte.
pub fn readable(content: &str, is_json: bool, policy: &Value) {
    let shaper = Shaper::new(Policy::new(policy, Naming::Camel).unwrap());
    let mut reader = Reader::of_stored(&shaper, content, is_json);
    let rebuilt = if is_json { reader.rebuild() } else { reader.rebuild_text() };
    assert_eq!(rebuilt, content);
}

/// P1, P2, P3 and P8 of one answer of `read_result`, whatever is asked.
pub fn answered(content: &str, is_json: bool, policy: &Value, arguments: &Value) {
    let shaper = Shaper::new(Policy::new(policy, Naming::Camel).unwrap());
    let shaped = Reader::of_stored(&shaper, content, is_json).ask(arguments);
    fits(&shaped);
    if !shaped.unchanged {
        whole(&shaped);
    }
}

/// A summary of a text shows nothing but the text's own lines, or beginnings of them, by their numbers, in order.
pub fn extractive(text: &str, shaped: &Shaped) {
    let Ok(Value::Object(summary)) = serde_json::from_str(&shaped.text) else { return };
    let (Some(shown), false) = (summary.get("lines"), shaped.unchanged) else { return };
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(summary["totalLines"], lines.len());
    let mut last = 0;
    for entry in shown.as_array().unwrap() {
        let first = entry["line"].as_u64().unwrap() as usize;
        assert!(first > last, "line {first} after {last}");
        last = first;
        for (at, line) in entry["text"].as_str().unwrap().split('\n').enumerate() {
            assert!(
                lines[first - 1 + at].starts_with(line.trim_end_matches('\r')),
                "line {} is not {line:?}",
                first + at
            );
        }
        for number in ["lastLine", "count", "alike"].iter().filter_map(|name| entry.get(*name)) {
            assert!(number.as_u64().unwrap() as usize <= lines.len());
        }
    }
}
