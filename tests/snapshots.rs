//! Pages over a result that changes between calls, with a store and without what it held.

use std::collections::HashMap;

use serde_json::{Value, json};
use toolshape::host::{Naming, Purpose, expand};
use toolshape::{Call, Keep, Policy, Shaped, Shaper};

use crate::promises;

const KEY: &str = "a secret of sixteen bytes and more";

/// A server with a store and a tool whose result differs at every run.
struct Server {
    shaper: Shaper,
    scope: Option<&'static str>,
    store: HashMap<String, String>,
    runs: usize,
}

impl Server {
    fn new(policy: Value) -> Self {
        let shaper = Shaper::new(Policy::new(&policy, Naming::Camel).unwrap());
        Self { shaper, scope: None, store: HashMap::new(), runs: 0 }
    }

    /// Answers like a server: from the store if possible, else by running the tool.
    fn answer(&mut self, call: &Value, run: impl Fn(usize) -> String) -> Shaped {
        let mut call = call.clone();
        call["tool"] = json!("list");
        call["store"] = json!(true);
        call["scope"] = json!(self.scope);
        let call = Call::new(&call, Naming::Camel).unwrap();
        if let Some(shaped) = self.stored_page(&call) {
            assert_eq!(shaped.keep, None, "what is stored need not be stored again");
            promises::fits(&shaped);
            return shaped;
        }
        let source = run(self.runs);
        self.runs += 1;
        let shaped = self.shaper.shape_json(&source, &call).unwrap();
        promises::fits(&shaped);
        if let Some(Keep { key, ticket, content, .. }) = shaped.keep.clone() {
            let known = self.store.get(&ticket).map(String::as_str);
            let reply = self.shaper.ticket(&key, known, &call).unwrap();
            self.store.insert(key, content.unwrap_or(source));
            self.store.insert(ticket, reply);
        }
        shaped
    }

    /// The page from the stored result that the call's cursor names, by its ticket.
    fn stored_page(&self, call: &Call) -> Option<Shaped> {
        let ticket = self.shaper.lookup(Purpose::Snapshot, false, call).unwrap().ticket?;
        let opened = self.shaper.open(Purpose::Snapshot, self.store.get(&ticket)?, call).unwrap()?;
        self.shaper.shape_snapshot(&opened.key, self.store.get(&opened.key)?, call).unwrap()
    }
}

/// Rows as they are at a run: each run adds one at the front, and the others have other texts.
fn rows(run: usize) -> Vec<Value> {
    let row = |id: usize| json!({ "id": id, "text": format!("row {id} as it was at run {run}, and some words more") });
    (0..100 + run).map(|at| row((100 + run) - at)).collect()
}

fn read(shaped: &Shaped) -> Value {
    assert!(!shaped.is_error, "{}", shaped.text);
    serde_json::from_str(&expand(&shaped.text).unwrap()).unwrap()
}

/// All rows by following the cursors, with the source that each page reports.
fn follow(server: &mut Server, run: impl Fn(usize) -> String, list: &str) -> (Vec<Value>, Vec<String>) {
    let (mut all, mut sources, mut call) = (Vec::new(), Vec::new(), json!({}));
    loop {
        let page = read(&server.answer(&call, &run));
        all.extend(page[list].as_array().unwrap().clone());
        let facts = if list == "items" && page.get("paginated").is_some() { &page } else { &page["_page"] };
        sources.push(facts["source"].as_str().unwrap().to_owned());
        match facts["nextCursor"].as_str() {
            Some(cursor) => call = json!({ "cursor": cursor }),
            None => return (all, sources),
        }
    }
}

#[test]
fn pages_come_from_the_first_run_whatever_changed() {
    for policy in [
        json!({ "pageSize": 20 }),
        json!({ "pageSize": 20, "cursorKey": KEY }),
        json!({ "maxTokens": 300 }),
        json!({ "pageSize": 20, "overflow": "error" }),
    ] {
        let mut server = Server::new(policy.clone());
        let (all, sources) = follow(&mut server, |run| json!(rows(run)).to_string(), "items");
        assert_eq!(all, rows(0), "{policy}");
        assert_eq!((sources[0].as_str(), server.runs), ("live", 1));
        assert!(sources.len() > 4 && sources[1..].iter().all(|source| source == "snapshot"), "{sources:?}");
    }
}

#[test]
fn an_envelope_is_paged_from_its_first_run_too() {
    let mut server = Server::new(json!({}));
    let (all, sources) = follow(&mut server, |run| json!({ "total": 1, "rows": rows(run) }).to_string(), "rows");
    assert_eq!(all, rows(0));
    assert_eq!((server.runs, &sources[1..3]), (1, &["snapshot".to_owned(), "snapshot".to_owned()][..]));
}

#[test]
fn a_long_text_in_a_part_that_is_asked_for_is_read_on_from_the_first_run() {
    let mut server = Server::new(json!({ "maxTokens": 300 }));
    let text = |run: usize| format!("run {run}: {}", (0..2000).map(|i| format!("{i} ")).collect::<String>());
    let run = |run: usize| json!([{ "text": text(run) }]).to_string();
    let (mut whole, mut call) = (String::new(), json!({ "fields": ["/0/text"] }));
    loop {
        let part = read(&server.answer(&call, run));
        whole += part["preview"].as_str().unwrap();
        match part["nextCursor"].as_str() {
            Some(cursor) => call["cursor"] = json!(cursor),
            None => break,
        }
    }
    assert_eq!((whole, server.runs), (text(0), 1));
}

#[test]
fn a_cursor_of_a_stored_result_is_never_the_tools_own() {
    let run = |run: usize| json!(rows(run)).to_string();
    let own = |arguments: Value| json!({ "ownArguments": ["cursor"], "arguments": arguments });
    let mut server = Server::new(json!({ "pageSize": 20 }));
    let first = read(&server.answer(&own(json!({})), run));
    let next = first["nextCursor"].as_str().unwrap();
    let second = read(&server.answer(&own(json!({ "cursor": next })), run));
    assert_eq!((&second["source"], server.runs), (&json!("snapshot"), 1));
    // Any other text is the tool's.
    read(&server.answer(&own(json!({ "cursor": "b2Zmc2V0OjEwMA" })), run));
    assert_eq!(server.runs, 2);
    server.store.clear();
    server.answer(&own(json!({ "cursor": next })), run);
    assert_eq!(server.runs, 3);
}

#[test]
fn receipts_count_a_list_once() {
    let run = |run: usize| json!(rows(run)).to_string();
    let mut server = Server::new(json!({ "pageSize": 20 }));
    let first = server.answer(&json!({}), run);
    assert!(first.receipt.tokens_before > 3 * first.receipt.tokens_after);
    let page = server.answer(&json!({ "cursor": read(&first)["nextCursor"] }), run);
    assert_eq!((page.receipt.tokens_before, page.receipt.tokens_before_exact), (page.receipt.tokens_after, true));
}

#[test]
fn what_is_gone_or_tampered_with_runs_the_tool() {
    let run = |run: usize| json!(rows(run)).to_string();
    let first = |server: &mut Server| read(&server.answer(&json!({}), run))["nextCursor"].clone();
    type Change = fn(&mut Server);
    let changes: [(&str, Change); 3] = [
        ("gone", |server| server.store.clear()),
        ("tampered with", |server| {
            server.store.values_mut().for_each(|content| *content = content.replace("row", "r0w"))
        }),
        ("cut", |server| server.store.values_mut().for_each(|content| content.truncate(100))),
    ];
    for (what, change) in changes {
        let mut server = Server::new(json!({ "cursorKey": KEY }));
        server.scope = Some("a");
        let cursor = first(&mut server);
        change(&mut server);
        let page = server.answer(&json!({ "cursor": cursor }), run);
        assert!(page.keep.is_some(), "{what}");
        let page = read(&page);
        assert_eq!((&page["source"], server.runs), (&json!("live"), 2), "{what}");
        // The rows have other texts now, so that the place cannot be found again, and the page reports it.
        assert_eq!(page["shifted"], json!(true), "{what}");
    }
}

#[test]
fn the_cursor_of_another_tenant_is_refused() {
    let mut server = Server::new(json!({ "cursorKey": KEY }));
    server.scope = Some("a");
    let run = |run: usize| json!(rows(run)).to_string();
    let cursor = read(&server.answer(&json!({}), run))["nextCursor"].clone();
    for scope in [Some("b"), None] {
        server.scope = scope;
        let shaped = server.answer(&json!({ "cursor": cursor }), run);
        assert!(shaped.is_error && shaped.text.contains("INVALID_CURSOR"), "{}", shaped.text);
    }
}

#[test]
fn without_snapshots_pages_are_live() {
    let mut server = Server::new(json!({ "paginateAfter": 50, "pageSize": 20, "snapshot": false }));
    // Every run adds a row at the front, and no row changes.
    let run =
        |run: usize| json!((0..100 + run).map(|at| json!({ "id": 100 + run - at })).collect::<Vec<_>>()).to_string();
    let (all, sources) = follow(&mut server, run, "items");
    assert_eq!((all.len(), server.runs), (100, 5));
    assert!(sources.iter().all(|source| source == "live"));
}

#[test]
fn no_cursor_opens_what_it_does_not_name() {
    let shaper = Shaper::new(Policy::new(&json!({ "cursorKey": KEY }), Naming::Camel).unwrap());
    let call = |cursor: Option<&str>, tool: &str| {
        Call::new(&json!({ "tool": tool, "store": true, "cursor": cursor }), Naming::Camel).unwrap()
    };
    let [source, other_source] = [0, 1].map(|run| json!(rows(run)).to_string());
    let shaped = shaper.shape_json(&source, &call(None, "list")).unwrap();
    let other = shaper.shape_json(&other_source, &call(None, "list")).unwrap().keep.unwrap();
    let keep = shaped.keep.clone().unwrap();
    let cursor = read(&shaped)["nextCursor"].as_str().unwrap().to_owned();
    let ticket = |call: &Call| shaper.lookup(Purpose::Snapshot, false, call).unwrap().ticket;
    assert_eq!(ticket(&call(Some(&cursor), "list")), Some(keep.ticket));
    let shape = |key: &str, content: &str| shaper.shape_snapshot(key, content, &call(Some(&cursor), "list")).unwrap();
    assert!(shape(&keep.key, &source).is_some());
    // Another result, also under the right key; the right result under an invalid key.
    for (key, content) in [(&other.key, &other_source), (&keep.key, &other_source), (&"../x".to_owned(), &source)] {
        assert_eq!(shape(key, content), None, "{key}");
    }
    // Another tool's call, and one bit of the cursor changed anywhere.
    assert_eq!(ticket(&call(Some(&cursor), "other")), None);
    for at in 0..cursor.len() {
        let mut changed = cursor.clone().into_bytes();
        changed[at] ^= 1;
        let changed = String::from_utf8(changed).unwrap();
        assert_eq!(ticket(&call(Some(&changed), "list")), None, "{at}");
    }
}

#[test]
fn a_cursor_that_is_forged_without_a_key_opens_nothing_of_another_tool() {
    let mut server = Server::new(json!({}));
    let run = |run: usize| json!(rows(run)).to_string();
    server.answer(&json!({}), run);
    // Who knows the content can make the cursor of any tool that names it.
    let call = |cursor: Option<&str>| {
        Call::new(&json!({ "tool": "free", "store": true, "cursor": cursor }), Naming::Camel).unwrap()
    };
    let forged = read(&server.shaper.shape_json(&run(0), &call(None)).unwrap())["nextCursor"].clone();
    let next = call(forged.as_str());
    assert!(server.shaper.lookup(Purpose::Snapshot, false, &next).unwrap().ticket.is_some());
    assert_eq!(server.stored_page(&next), None);
    // Once that tool itself has returned the content, its cursors open it.
    let (key, ticket) = server.store.iter().find(|(key, _)| key.ends_with(".handle")).unwrap();
    let (key, ticket) = (key.clone(), ticket.clone());
    let content = server.store.keys().find(|key| key.ends_with(".json")).unwrap();
    let reply = server.shaper.ticket(content, Some(&ticket), &call(None)).unwrap();
    server.store.insert(key, reply);
    assert!(server.stored_page(&next).is_some());
}

#[test]
fn a_poisoned_ticket_opens_nothing() {
    let mut server = Server::new(json!({ "cursorKey": KEY }));
    server.scope = Some("a");
    let run = |run: usize| json!(rows(run)).to_string();
    let cursor = read(&server.answer(&json!({}), run))["nextCursor"].clone();
    let (key, ticket) = server.store.iter().find(|(key, _)| key.ends_with(".handle")).unwrap();
    let (key, ticket) = (key.clone(), ticket.clone());
    let other = format!("{}.json", "7".repeat(64));
    let content = server.store.keys().find(|key| key.ends_with(".json")).unwrap();
    for forged in [ticket.replace("\"list\"", "\"list\",\"free\""), ticket.replace(content, &other), other.clone()] {
        server.store.insert(key.clone(), forged);
        let page = read(&server.answer(&json!({ "cursor": cursor }), run));
        assert_eq!(page["source"], json!("live"));
        // The tool's own run wrote the ticket again.
        assert_eq!(read(&server.answer(&json!({ "cursor": page["nextCursor"] }), run))["source"], json!("snapshot"));
    }
}
