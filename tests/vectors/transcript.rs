//! What every face is asked, and the answers of this build: each case as calls of methods. The other faces replay them, those
//! that have nothing but bytes as messages (`transcript.bin`), and the others as JSON (`transcript.jsonl`).

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;

use serde_json::{Value, json};
use toolshape_methods::messages::{MessageHost, answer, message};

use super::runners::{expand, handle_of, hash, reading, source, summarizing};

/// The calls for the cases of one file, in a thread of their own: shapers are numbered from 1.
#[derive(Default)]
pub struct Transcript {
    case: String,
    spelling: bool,
    exchanges: Vec<Exchange>,
    shapers: u64,
}

struct Exchange {
    case: String,
    /// Whether values of a host have another spelling than the texts.
    spelling: bool,
    request: Value,
    texts: Vec<Vec<u8>>,
    /// The parts of the answer, of which the first is JSON.
    answer: Vec<Vec<u8>>,
}

impl Transcript {
    /// Asks what a case of this runner asks, and returns its result, in the form of an expectation where it has one.
    pub fn record(&mut self, runner: &str, name: &str, case: &Value) -> Value {
        (self.case, self.spelling) = (name.to_owned(), case["spelling"] == true);
        let call = &case["call"];
        match runner {
            "count_tokens" => return self.count(case),
            "conversation" | "http_conversation" => return json!({}),
            _ => {}
        }
        let policy = case.get("policy").filter(|policy| !policy.is_null()).cloned().unwrap_or_else(|| json!({}));
        let made = self.ask("shaper", json!({ "policy": policy }), &[]);
        let Some(shaper) = made["result"].as_u64() else { return made };
        let mut of = |method: &str, mut members: Value, texts: &[&str]| {
            members["shaper"] = json!(shaper);
            self.ask(method, members, texts)
        };
        match runner {
            "shape" => {
                let method = if case.get("text").is_some() { "shapeText" } else { "shapeJson" };
                let shaped = of(method, json!({ "text": 1, "call": call }), &[&source(case)]);
                if shaped["error"].is_object() {
                    of("refusal", json!({ "error": shaped["error"], "call": call }), &[]);
                }
                shaped
            }
            "summarize_text" => {
                let members = json!({ "text": 1, "summary": case["summary"], "call": call });
                of("summarizeText", members, &[&source(case)])
            }
            "keyset_page" => {
                let page =
                    of("keysetPage", json!({ "rows": 1, "keyset": case["keyset"], "call": call }), &[&source(case)]);
                let text: Value = serde_json::from_str(page["result"]["text"].as_str().unwrap_or("null")).unwrap();
                of("decodeKeyset", json!({ "cursor": text["nextCursor"], "call": call }), &[]);
                page
            }
            "links" => of("links", json!({ "rows": 1, "links": case["links"], "call": call }), &[&source(case)]),
            "output_schema" => of("outputSchema", json!({ "tool": case["tool"] }), &[]),
            "tool" => of("tool", json!({ "tool": case["tool"], "hasStore": case["store"] == true }), &[]),
            "rate_limit" => of("rateLimit", json!({ "error": case["error"], "call": call, "now": case["now"] }), &[]),
            "shape_result" => of("shapeResult", json!({ "returned": 1, "call": call }), &[&expand(&case["returned"])]),
            "shape_together" => {
                let given = case["results"].as_array().unwrap();
                let texts: Vec<String> = given.iter().map(source).collect();
                let name = |one: &Value| if one.get("json").is_some() { "json" } else { "text" };
                let results = given.iter().zip(1..).map(|(one, at)| json!({ (name(one)): at, "call": one["call"] }));
                let members =
                    json!({ "results": results.collect::<Value>(), "combinedTokens": case["combinedTokens"] });
                of("shapeTogether", members, &texts.iter().map(String::as_str).collect::<Vec<_>>())
            }
            "shape_snapshot" => {
                let text = source(case);
                let method = if case.get("json").is_some() { "shapeJson" } else { "shapeText" };
                let first = of(method, json!({ "text": 1, "call": call }), &[&text]);
                let first = &first["result"];
                let cursor =
                    first["text"].as_str().unwrap().split_once("ursor\":\"").unwrap().1.split_once('"').unwrap().0;
                let (mut next, keep) = (call.clone(), &first["keep"]);
                next["cursor"] = json!(cursor);
                let content = keep["content"].as_str().unwrap();
                let stored = |ticket: &Value, content: &str| {
                    let ticket = ticket.as_str().map(str::to_owned);
                    let pairs = [(&keep["ticket"], ticket), (&keep["key"], Some(content.to_owned()))];
                    pairs.into_iter().filter_map(|(key, text)| Some((key.as_str()?.to_owned(), text?))).collect()
                };
                let ticket = of("ticket", json!({ "key": keep["key"], "call": call }), &[])["result"].clone();
                let mut page = |call: &Value, content: &str, is_allowed: bool| {
                    let members =
                        json!({ "shaper": shaper, "reads": "textPage", "authorizes": !is_allowed, "call": call });
                    self.read(members, &stored(&ticket, content), is_allowed)
                };
                page(call, content, true);
                page(&next, &format!("{content} "), true);
                page(&next, content, false);
                page(&next, content, true)
            }
            "read_result" => {
                let content = source(case);
                let (call, key) = reading(case, &hash(&content));
                let mut stored = BTreeMap::new();
                if case.get("absent").is_none() {
                    let ticket = of("ticket", json!({ "key": key }), &[])["result"].clone();
                    stored.extend(
                        ticket
                            .as_str()
                            .map(|ticket| (format!("{}.handle", handle_of(&hash(&content))), ticket.to_owned())),
                    );
                    stored.insert(key, content);
                }
                let is_allowed = call["forbidden"] != true;
                let members = json!({ "shaper": shaper, "reads": "part", "authorizes": !is_allowed, "call": call });
                self.read(members, &stored, is_allowed)
            }
            "read_result_sql" => {
                let content = source(case);
                let (call, key) = reading(case, &hash(&content));
                let handle = call["arguments"]["handle"].clone();
                let table = json!({ "handle": handle, "key": key, "content": 1, "call": call });
                of("readSql", json!({ "tables": [table], "call": call }), &[&content])
            }
            "summarize" => {
                let (call, stored) = summarizing(case);
                let (key, content) = stored.unzip();
                let texts: Vec<&str> = content.as_deref().into_iter().collect();
                let given = content.as_ref().map(|_| 1);
                let task = of("toSummarize", json!({ "key": key, "content": given, "call": call }), &texts);
                let Some(summary) = task["result"].get("summary") else { return task };
                let text = task["result"]["text"].as_str().unwrap();
                of("summarizeText", json!({ "text": 1, "summary": summary, "call": call }), &[text])
            }
            _ => json!({}),
        }
    }

    fn count(&mut self, case: &Value) -> Value {
        let (text, encoding) = (expand(&case["text"]), &case["encoding"]);
        let members = json!({ "text": 1, "encoding": encoding });
        let with = |name: &str, value: Value| {
            let mut members = members.clone();
            members[name] = value;
            members
        };
        let count = self.ask("countTokens", members.clone(), &[&text])["result"].as_u64().unwrap();
        for limit in [Some(count), count.checked_sub(1)].into_iter().flatten() {
            self.ask("fitsTokens", with("limit", json!(limit)), &[&text]);
        }
        for side in ["head", "tail"] {
            let mut members = with("limit", json!(count / 2));
            members["side"] = json!(side);
            self.ask("truncateToTokens", members, &[&text]);
        }
        let tokens = self.send("encode", members.clone(), vec![text.into_bytes()]);
        if let Some(tokens) = tokens.get(1).cloned() {
            self.send("decode", json!({ "tokens": 1, "encoding": encoding }), vec![tokens]);
        }
        json!({ "result": { "count": count } })
    }

    /// The steps of a session, as `shared/session.json` expects them.
    pub fn session(&mut self, policy: &Value, name: &str, case: &Value) {
        name.clone_into(&mut self.case);
        let shaper = self.ask("shaper", json!({ "policy": policy }), &[])["result"].clone();
        let (mut slots, mut turn) = (BTreeMap::<u64, String>::new(), Value::Null);
        for step in case["steps"].as_array().unwrap() {
            let put = step["put"].as_object().into_iter().flatten();
            slots.extend(put.map(|(at, text)| (at.parse().unwrap(), text.as_str().unwrap().to_owned())));
            let mut members = case["members"].clone();
            members["shaper"] = shaper.clone();
            for name in ["heard", "shaped", "whole"].into_iter().filter(|name| !step[*name].is_null()) {
                members[name] = step[name].clone();
            }
            let contents = step["whole"].as_array().into_iter().flatten().flat_map(|whole| numbers(&whole["contents"]));
            let answered = self.turn(case["method"].as_str().unwrap(), members, &turn, &slots, contents);
            turn = answered["result"].clone();
            slots.extend(written_by(&turn));
            let seen = match (&answered["error"]["code"], &turn["done"]) {
                (Value::Null, Value::Null) => said(&turn),
                (Value::Null, done) => {
                    let done: Value = serde_json::from_str(done["text"].as_str().unwrap()).unwrap();
                    json!({ "done": done.get("error").unwrap_or(&done) })
                }
                (code, _) => json!({ "error": code }),
            };
            assert_eq!(seen, step["expect"], "{name}");
        }
    }

    /// Drives a session that reads, with these texts in the store, to what is done.
    fn read(&mut self, members: Value, stored: &BTreeMap<String, String>, is_allowed: bool) -> Value {
        let (mut slots, mut turn, mut heard) = (BTreeMap::new(), Value::Null, Value::Null);
        loop {
            let mut members = members.clone();
            members["heard"] = heard;
            let answered = self.turn("read", members, &turn, &slots, []);
            turn = answered["result"].clone();
            let Some(effects) = turn["effects"].as_array() else { return json!({ "result": turn["done"] }) };
            slots.extend(written_by(&turn));
            let hear = |effect: &Value| {
                let found = effect["key"].as_str().and_then(|key| stored.get(key));
                slots.extend(found.map(|text| (effect["to"].as_u64().unwrap(), text.clone())));
                if found.is_some() || is_allowed && effect["do"] == "allow" { "there" } else { "absent" }
            };
            heard = effects.iter().map(hear).collect();
        }
    }

    /// The next turn of a session, after `turn`; the host gives what that one reads, and these slots.
    fn turn(
        &mut self,
        method: &str,
        mut members: Value,
        turn: &Value,
        slots: &BTreeMap<u64, String>,
        contents: impl IntoIterator<Item = u64>,
    ) -> Value {
        let mut given: Vec<u64> = numbers(&turn["reads"]).chain(contents).collect();
        given.retain(|at| slots.contains_key(at));
        given.sort_unstable();
        given.dedup();
        let texts: Vec<&str> = given.iter().map(|at| &*slots[at]).collect();
        if !turn.is_null() {
            let count = slots.keys().map(|at| at + 1).chain([turn["slots"].as_u64().unwrap()]).max();
            members["state"] = turn["state"].clone();
            members["slots"] = json!(count);
            members["texts"] = json!((1..=given.len()).collect::<Vec<_>>());
            members["given"] = json!(given);
        }
        self.ask(method, members, &texts)
    }

    /// The answer of a method, with texts in the places of their numbers.
    fn ask(&mut self, method: &str, members: Value, texts: &[&str]) -> Value {
        let parts = self.send(method, members, texts.iter().map(|text| text.as_bytes().to_vec()).collect());
        let exchange = self.exchanges.last().unwrap();
        spelled_out(method, &parts, &exchange.texts)
    }

    fn send(&mut self, method: &str, members: Value, texts: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        let mut request = json!({ "method": method });
        let named = members.as_object().unwrap().iter().filter(|(_, value)| !value.is_null());
        request.as_object_mut().unwrap().extend(named.map(|(name, value)| (name.clone(), value.clone())));
        let came = answer(&written(&request, &texts), MessageHost { take: |_| None, clock: None });
        let answer: Vec<Vec<u8>> = message::read(&came).unwrap().into_iter().map(<[u8]>::to_vec).collect();
        self.shapers += u64::from(method == "shaper" && !answer[0].starts_with(b"{\"error\""));
        let (case, spelling) = (self.case.clone(), self.spelling);
        self.exchanges.push(Exchange { case, spelling, request, texts, answer: answer.clone() });
        answer
    }
}

/// Writes the transcripts, one behind the other, for one instance that is asked all of it.
pub fn write(transcripts: &[Transcript], folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    let file = |name: &str| std::io::BufWriter::new(std::fs::File::create(folder.join(name)).unwrap());
    let (mut bytes, mut lines, mut before) = (file("transcript.bin"), file("transcript.jsonl"), 0);
    // The plain module has one vocabulary; a host hands in the other.
    let install = json!({ "method": "installVocabulary", "encoding": "cl100k_base", "packed": 1 });
    let packed = include_bytes!("../../crates/tokens/src/data/cl100k_base.bin").to_vec();
    bytes.write_all(&written(&install, &[packed])).unwrap();
    bytes.write_all(&message::write(&[br#"{"result":null}"#])).unwrap();
    for transcript in transcripts {
        for Exchange { case, spelling, request, texts, answer } in &transcript.exchanges {
            let (mut request, mut answer) = (request.clone(), answer.clone());
            if let Some(number) = request["shaper"].as_u64() {
                request["shaper"] = json!(number + before);
            }
            if request["method"] == "shaper" {
                let mut json: Value = serde_json::from_slice(&answer[0]).unwrap();
                if let Some(number) = json["result"].as_u64() {
                    json["result"] = json!(number + before);
                }
                answer[0] = json.to_string().into_bytes();
            }
            bytes.write_all(&written(&request, texts)).unwrap();
            bytes.write_all(&message::write(&answer.iter().map(Vec::as_slice).collect::<Vec<_>>())).unwrap();
            let method = request["method"].as_str().unwrap();
            let given: Vec<Value> = texts.iter().map(|text| text_or_tokens(method == "decode", text)).collect();
            let mut line = json!({ "case": case, "spelling": spelling, "request": request, "texts": given });
            let answer = spelled_out(method, &answer, texts);
            line.as_object_mut().unwrap().extend(answer.as_object().unwrap().clone());
            writeln!(lines, "{line}").unwrap();
        }
        before += transcript.shapers;
    }
}

fn written(request: &Value, texts: &[Vec<u8>]) -> Vec<u8> {
    let json = request.to_string();
    message::write(&[json.as_bytes()].into_iter().chain(texts.iter().map(Vec::as_slice)).collect::<Vec<_>>())
}

fn text_or_tokens(are_tokens: bool, bytes: &[u8]) -> Value {
    match are_tokens {
        true => bytes.chunks(4).map(|token| u32::from_le_bytes(token.try_into().unwrap())).collect(),
        false => String::from_utf8(bytes.to_vec()).unwrap().into(),
    }
}

/// An answer with texts in the places of their numbers, and the texts that were given where it has null for them.
fn spelled_out(method: &str, parts: &[Vec<u8>], given: &[Vec<u8>]) -> Value {
    let mut answer: Value = serde_json::from_slice(&parts[0]).unwrap();
    let Some(result) = answer.get_mut("result") else { return answer };
    let text = |given: &Vec<u8>| String::from_utf8(given.clone()).unwrap();
    match (method, result.as_u64()) {
        ("decode" | "encode" | "expand" | "truncateToTokens", Some(at)) => {
            *result = text_or_tokens(method == "encode", &parts[at as usize]);
        }
        ("shapeTogether", _) => {
            for (one, given) in result.as_array_mut().unwrap().iter_mut().zip(given) {
                put_in(one, parts, Some(&text(given)));
            }
        }
        _ => put_in(result, parts, given.first().map(text).as_deref()),
    }
    answer
}

/// Puts the texts into a shaped result, or into a turn of a session.
fn put_in(value: &mut Value, parts: &[Vec<u8>], given: Option<&str>) {
    let part = |number: &Value| number.as_u64().map(|at| String::from_utf8(parts[at as usize].clone()).unwrap());
    for (name, member) in value.as_object_mut().into_iter().flatten() {
        match name.as_str() {
            "text" | "content" | "image" | "result" => {
                let own = given.filter(|_| name != "image" && member.is_null()).map(str::to_owned);
                *member = json!(part(member).or(own));
            }
            "texts" => {
                member.as_array_mut().into_iter().flatten().for_each(|written| written[1] = json!(part(&written[1])));
            }
            "keep" | "images" | "done" => put_in(member, parts, given),
            _ => {}
        }
    }
}

/// The numbers of a list, or the first of each pair.
fn numbers(list: &Value) -> impl Iterator<Item = u64> {
    list.as_array().into_iter().flatten().filter_map(|one| one.as_u64().or_else(|| one[0].as_u64()))
}

/// The texts that a turn puts into slots.
fn written_by(turn: &Value) -> impl Iterator<Item = (u64, String)> {
    let texts = turn["texts"].as_array().into_iter().flatten();
    texts.map(|written| (written[0].as_u64().unwrap(), written[1].as_str().unwrap().to_owned()))
}

/// What a turn says, without what is empty.
fn said(turn: &Value) -> Value {
    let unsaid = |name: &str, value: &Value| {
        ["state", "slots", "isLong"].contains(&name) || *value == json!([]) || *value == json!(false)
    };
    let members = turn.as_object().into_iter().flatten().filter(|(name, value)| !unsaid(name, value));
    members.map(|(name, value)| (name.clone(), value.clone())).collect::<serde_json::Map<_, _>>().into()
}
