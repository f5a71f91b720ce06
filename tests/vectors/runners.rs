//! The outcome of each kind of case, through the public functions; the promises are checked for every result.

use serde_json::{Value, json};
use sha2::Digest;
use toolshape::host::{
    JsonText, Keyset, Links, Naming, Purpose, TextSummary, ToSummarize, Together, ToolOutput, count_tokens, decode,
    encode, fits_tokens, truncate_to_tokens,
};
use toolshape::{Call, Encoding, Error, Policy, Shaped, Shaper, Side, Step};

use crate::{first_questions, promises};

/// Returns the outcome of a case, in the form of its expectation.
pub type Runner = fn(&Value) -> Value;

/// The runners that a file of vectors may name.
pub const RUNNERS: &[(&str, Runner)] = &[
    ("conversation", conversation),
    ("count_tokens", count),
    ("http_conversation", super::http_conversation::run),
    ("keyset_page", keyset_page),
    ("links", links),
    ("output_schema", output_schema),
    ("rate_limit", rate_limit),
    ("read_result", read_result),
    ("read_result_sql", read_result),
    ("shape", shape),
    ("shape_result", shape_result),
    ("shape_snapshot", shape_snapshot),
    ("shape_together", shape_together),
    ("summarize", summarize),
    ("summarize_text", summarize_text),
    ("tool", tool),
];

/// Longer texts are compared by the lengths of their parts.
const MOST_SPELLED: usize = 100;

fn conversation(case: &Value) -> Value {
    super::conversation::run(case, expand)
}

fn count(case: &Value) -> Value {
    let encoding = Encoding::from_name(case["encoding"].as_str().unwrap()).unwrap();
    let text = expand(&case["text"]);
    let count = count_tokens(&text, encoding);
    assert_eq!(fits_tokens(&text, count, encoding), Some(count));
    assert_eq!(count.checked_sub(1).and_then(|less| fits_tokens(&text, less, encoding)), None);
    let [head, tail] = [Side::Head, Side::Tail].map(|side| truncate_to_tokens(&text, count / 2, encoding, side));
    if let Ok(tokens) = encode(&text, encoding) {
        assert_eq!(decode(&tokens, encoding).unwrap(), text);
    }
    if count > MOST_SPELLED {
        return json!({ "count": count, "headBytes": head.len(), "tailBytes": tail.len() });
    }
    json!({ "count": count, "tokens": encode(&text, encoding).ok(), "head": head, "tail": tail })
}

fn output_schema(case: &Value) -> Value {
    json!(shaper(case).unwrap().output_schema(case["tool"].as_str()))
}

fn tool(case: &Value) -> Value {
    shaper(case).unwrap().tool(&case["tool"], case["store"] == true).to_json()
}

fn shape(case: &Value) -> Value {
    let attempt = || {
        let (shaper, call) = shaper_and_call(case)?;
        let source = source(case);
        let is_text = case.get("text").is_some();
        let shaped = match is_text {
            true => shaper.shape_text(&source, &call)?,
            false => shaper.shape_json(&source, &call)?,
        };
        if !is_text {
            promises::whole(&shaped);
        }
        first_questions::answers(&shaper, &source, &shaped);
        Ok(checked_facts(&source, is_text || promises::asks_for_text(&case["call"]), &shaped))
    };
    attempt().unwrap_or_else(|error| fault(&error))
}

fn summarize_text(case: &Value) -> Value {
    let attempt = || {
        let (shaper, call) = shaper_and_call(case)?;
        let text = expand(&case["text"]);
        let shaped = shaper.summarize_text(&text, &TextSummary::new(&case["summary"], Naming::Camel)?, &call)?;
        promises::extractive(&text, &shaped);
        Ok(checked_facts(&text, true, &shaped))
    };
    attempt().unwrap_or_else(|error| fault(&error))
}

fn keyset_page(case: &Value) -> Value {
    of_rows(case, |rows, shaper, call| shaper.keyset_page(rows, &Keyset::new(&case["keyset"], Naming::Camel)?, call))
}

fn links(case: &Value) -> Value {
    of_rows(case, |rows, shaper, call| shaper.links(rows, &Links::new(&case["links"], Naming::Camel)?, call))
}

/// The outcome of a page of rows; for a page by keys also the keys in its cursor.
fn of_rows(case: &Value, page: impl Fn(&JsonText<'_>, &Shaper, &Call) -> Result<Shaped, Error>) -> Value {
    let attempt = || {
        let (shaper, call) = shaper_and_call(case)?;
        let source = source(case);
        let shaped = page(&JsonText::parse(&source)?, &shaper, &call)?;
        promises::whole(&shaped);
        let mut facts = checked_facts(&source, false, &shaped);
        if case.get("keyset").is_some() {
            let page: Value = serde_json::from_str(&shaped.text).unwrap();
            facts["after"] = json!(shaper.decode_keyset(page["nextCursor"].as_str(), &call)?);
        }
        Ok(facts)
    };
    attempt().unwrap_or_else(|error| fault(&error))
}

fn shape_together(case: &Value) -> Value {
    let attempt = || -> Result<Value, Error> {
        let shaper = shaper(case)?;
        let given = case["results"].as_array().unwrap();
        let texts: Vec<String> = given.iter().map(source).collect();
        let calls = given.iter().map(|one| Call::new(one.get("call").unwrap_or(&json!({})), Naming::Camel));
        let calls = calls.collect::<Result<Vec<_>, _>>()?;
        let results = given.iter().zip(&texts).zip(&calls).enumerate().map(|(at, ((one, text), call))| {
            let json = one.get("json").map(|_| ToolOutput::json(text, call));
            json.unwrap_or_else(|| Ok(ToolOutput::text(text, call))).map_err(|error| error.under(at))
        });
        let together = Together::new(&json!({ "combinedTokens": case.get("combinedTokens") }), Naming::Camel)?;
        let shaped = shaper.shape_together(&results.collect::<Result<Vec<_>, _>>()?, &together)?;
        shaped.iter().for_each(promises::fits);
        Ok(json!({ "results": shaped.iter().map(facts).collect::<Vec<_>>() }))
    };
    attempt().unwrap_or_else(|error| fault(&error))
}

/// The page after the cursor of a case's result, from the stored content.
fn shape_snapshot(case: &Value) -> Value {
    let shaper = shaper(case).unwrap();
    let call = |cursor: Option<&str>| {
        let mut call = case["call"].clone();
        call["cursor"] = json!(cursor);
        Call::new(&call, Naming::Camel).unwrap()
    };
    let source = source(case);
    let first = match case.get("json") {
        Some(_) => shaper.shape_json(&source, &call(None)).unwrap(),
        None => shaper.shape_text(&source, &call(None)).unwrap(),
    };
    let cursor = first.text.split_once("ursor\":\"").unwrap().1.split_once('"').unwrap().0;
    let next = &call(Some(cursor));
    let keep = first.keep.unwrap();
    let content = keep.content.unwrap_or(source);
    let Some(found) = shaper.lookup(Purpose::Snapshot, false, next).unwrap().ticket else {
        return json!({ "snapshot": null });
    };
    assert_eq!((&found, format!("{}.handle", handle_of(&keep.id))), (&keep.ticket, keep.ticket.clone()));
    let ticket = shaper.ticket(&keep.key, None, next).unwrap();
    let open = |purpose, call: &Call| shaper.open(purpose, &ticket, call).unwrap().map(|opened| opened.key);
    assert_eq!(open(Purpose::Snapshot, next).as_ref(), Some(&keep.key));
    assert_eq!(open(Purpose::Snapshot, &call(None)), None);
    let mut forbidden = case["call"].clone();
    forbidden["forbidden"] = json!(true);
    let forbidden = Call::new(&forbidden, Naming::Camel).unwrap();
    let refused = shaper.shape_snapshot(&keep.key, &content, &forbidden).unwrap().unwrap();
    assert!(refused.is_error && refused.text.starts_with(r#"{"error":"FORBIDDEN""#), "{}", refused.text);
    assert_eq!(shaper.shape_snapshot(&keep.key, &format!("{content} "), next).unwrap(), None);
    let shaped = shaper.shape_snapshot(&keep.key, &content, next).unwrap().unwrap();
    promises::fits(&shaped);
    let mut facts = facts(&shaped);
    let read = shaper.read_result(Some((&keep.key, &content)), &reading_on(&case["call"], cursor)).unwrap();
    promises::fits(&read);
    facts["read"] = json!(if read.text == shaped.text { "the same" } else { &read.text });
    facts
}

/// The call of `read_result` that goes on by the cursor of a call's result alone.
fn reading_on(call: &Value, cursor: &str) -> Call {
    let mut asked = call.clone();
    for name in ["store", "arguments", "ownArguments"] {
        asked.as_object_mut().unwrap().remove(name);
    }
    let returned_by = asked["tool"].as_str().unwrap_or_default().to_owned();
    asked["returnedBy"] = json!([returned_by]);
    asked["tool"] = json!("read_result");
    asked["cursor"] = json!(cursor);
    Call::new(&asked, Naming::Camel).unwrap()
}

fn read_result(case: &Value) -> Value {
    let shaper = shaper(case).unwrap();
    let content = source(case);
    let hash = hash(&content);
    let (asked, key) = reading(case, &hash);
    let call = Call::new(&asked, Naming::Camel).unwrap();
    let found = shaper.lookup(Purpose::Read, false, &call).unwrap();
    let is_named = found.ticket.is_some() || !found.keys.is_empty() || found.tables.is_some();
    let stored = (is_named && case.get("absent").is_none()).then(|| {
        if let Some(found) = &found.ticket {
            assert_eq!(*found, format!("{}.handle", handle_of(&hash)));
            let ticket = shaper.ticket(&key, None, &Call::default()).unwrap();
            let opened = shaper.open(Purpose::Read, &ticket, &call).unwrap().unwrap();
            assert_eq!((&opened.key, opened.tools), (&key, vec![String::new()]));
        } else if found.tables.is_none() {
            assert!(found.keys.contains(&key), "{key} is none of {found:?}");
        }
        (key.as_str(), content.as_str())
    });
    let shaped = shaper.read_result(stored, &call).unwrap();
    if !shaped.unchanged {
        promises::whole(&shaped);
    }
    if shaped.image.is_none() {
        promises::fits(&shaped);
    }
    let mut seen = json!({
        "unchanged": shaped.unchanged,
        "isError": shaped.is_error,
        "steps": shaped.receipt.step_names(),
        "text": shaped.text,
    });
    if let Some(image) = &shaped.image {
        seen["image"] = json!(image);
    }
    seen
}

/// The call of `read_result` of a case whose content has that hash, and the key of what it reads.
pub fn reading(case: &Value, hash: &str) -> (Value, String) {
    let mut arguments = case.get("arguments").cloned().unwrap_or(json!({}));
    arguments["handle"] = match (case.get("handle"), case["named"].as_str().unwrap_or("id")) {
        (Some(handle), _) => handle.clone(),
        (None, "id") => json!(hash),
        (None, "file") => json!(format!("{hash}.{}", extension(case))),
        (None, "address of the id") => json!(format!("toolshape://result/{hash}")),
        (None, "handle") => json!(handle_of(hash)),
        (None, "address") => json!(format!("toolshape://result/{}", handle_of(hash))),
        (None, other) => panic!("{other} does not name a result"),
    };
    let mut call = json!({ "tool": "read_result", "arguments": arguments });
    call.as_object_mut().unwrap().extend(case["call"].as_object().cloned().unwrap_or_default());
    (call, format!("{}.{}", case["handle"].as_str().unwrap_or(hash), extension(case)))
}

/// The answer to a call of `summarize`, and how its text is summarized.
fn summarize(case: &Value) -> Value {
    let shaper = shaper(case).unwrap();
    let (call, stored) = summarizing(case);
    let call = Call::new(&call, Naming::Camel).unwrap();
    match shaper.to_summarize(stored.as_ref().map(|(key, content)| (key.as_str(), content.as_str())), &call).unwrap() {
        ToSummarize::Answered(shaped) => {
            promises::fits(&shaped);
            facts(&shaped)
        }
        ToSummarize::Text { text, summary } => {
            let options = TextSummary::new(&summary, Naming::Camel).unwrap();
            let shaped = shaper.summarize_text(&text, &options, &call).unwrap();
            promises::fits(&shaped);
            promises::whole(&shaped);
            let mut facts = facts(&shaped);
            facts["summary"] = summary;
            facts
        }
    }
}

/// The call of `summarize` of a case, and what is stored for it.
pub fn summarizing(case: &Value) -> (Value, Option<(String, String)>) {
    let mut arguments = case["arguments"].clone();
    if arguments["text"].is_object() {
        arguments["text"] = json!(expand(&arguments["text"]));
    }
    let stored = case.get("json").or(case.get("text")).map(|content| {
        let content = expand(content);
        let hash = hash(&content);
        arguments["handle"] = json!(format!("toolshape://result/{hash}"));
        (format!("{hash}.{}", extension(case)), content)
    });
    let mut call = case.get("call").cloned().unwrap_or(json!({}));
    (call["tool"], call["arguments"]) = (json!("summarize"), arguments);
    (call, stored.filter(|_| case.get("absent").is_none()))
}

fn rate_limit(case: &Value) -> Value {
    let (shaper, call) = shaper_and_call(case).unwrap();
    let Some(shaped) = shaper.rate_limit(&case["error"], &call, case["now"].as_u64()) else { return Value::Null };
    assert!(shaped.is_error && !shaped.unchanged);
    assert_eq!(shaped.receipt.steps, [Step::RateLimit]);
    promises::fits(&shaped);
    json!({ "text": shaped.text })
}

fn shape_result(case: &Value) -> Value {
    let attempt = || -> Result<Value, Error> {
        let (shaper, call) = shaper_and_call(case)?;
        let returned = expand(&case["returned"]);
        let returned = JsonText::parse(&returned)?;
        let shaped = shaper.shape_result(&returned, &call)?;
        let mut result: Value = serde_json::from_str(&shaped.to_json(&returned)?).unwrap();
        promises::result_fits(&result, shaped.receipt.as_ref());
        if let Some(Value::Object(receipt)) = result.pointer_mut("/_meta/toolshape~1receipt") {
            receipt.retain(|name, _| !["tokensAfter", "bytes"].contains(&name.as_str()));
        }
        Ok(json!({ "unchanged": shaped.unchanged, "isError": shaped.is_error, "result": result }))
    };
    attempt().unwrap_or_else(|error| fault(&error))
}

/// The facts of a result that are the same in every face.
fn facts(shaped: &Shaped) -> Value {
    let receipt = &shaped.receipt;
    let mut facts = json!({
        "unchanged": shaped.unchanged,
        "isError": shaped.is_error,
        "steps": receipt.step_names(),
        "tokensBefore": receipt.tokens_before,
    });
    if let Some(keep) = &shaped.keep {
        facts["keep"] = json!(keep.key);
    }
    if !shaped.unchanged {
        facts["text"] = json!(shaped.text);
    }
    facts
}

fn checked_facts(source: &str, is_text: bool, shaped: &Shaped) -> Value {
    promises::fits(shaped);
    promises::out_of_the_way(source, shaped);
    if shaped.keep.is_some() {
        promises::kept(source, is_text, shaped);
    }
    facts(shaped)
}

fn fault(error: &Error) -> Value {
    json!({ "error": error.code().as_str(), "path": error.path() })
}

fn shaper(case: &Value) -> Result<Shaper, Error> {
    match case.get("policy").unwrap_or(&Value::Null) {
        Value::Null => Ok(Shaper::default()),
        policy => Ok(Shaper::new(Policy::new(policy, Naming::Camel)?)),
    }
}

fn shaper_and_call(case: &Value) -> Result<(Shaper, Call), Error> {
    let call = || case.get("call").map_or(Ok(Call::default()), |call| Call::new(call, Naming::Camel));
    Ok((shaper(case)?, call()?))
}

pub fn hash(content: &str) -> String {
    sha2::Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The handle of the content with that id, computed digit by digit.
pub fn handle_of(id: &str) -> String {
    let mut number = u128::from_str_radix(&id[..32], 16).unwrap();
    let mut letters = String::new();
    for _ in 0..16 {
        letters.insert(0, (b'a' + (number % 26) as u8) as char);
        number /= 26;
    }
    letters
}

fn extension(case: &Value) -> &'static str {
    if case.get("json").is_some() { "json" } else { "txt" }
}

/// The input of a case, which is JSON text or plain text.
pub fn source(case: &Value) -> String {
    expand(
        case.get("json").or(case.get("text")).unwrap_or_else(|| panic!("{} has neither json nor text", case["name"])),
    )
}

/// A text of a case: itself, or its expanded `repeat`.
pub fn expand(text: &Value) -> String {
    if let Some(text) = text.as_str() {
        return text.to_owned();
    }
    let part = |name: &str| text["repeat"][name].as_str().unwrap_or_default();
    let times = text["repeat"]["times"].as_u64().unwrap();
    let items: Vec<String> = (0..times).map(|i| part("item").replace("${i}", &i.to_string())).collect();
    format!("{}{}{}", part("prefix"), items.join(part("separator")), part("suffix"))
}
