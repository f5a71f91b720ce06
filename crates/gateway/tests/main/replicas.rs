//! Two gateways before one server, with one store: any of them answers any request.

use std::sync::Arc;

use serde_json::{Value, json};
use toolshape_stores::{MemoryStore, Store};

use crate::world::{Answer, Replica, Server, call, gateway, handle, post, request, usual};

async fn two(server: &Server) -> [Replica; 2] {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let of = |store| gateway(server.address, json!({}), Some(store));
    [of(Arc::clone(&store)).await, of(store).await]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_is_read_at_the_other_replica() {
    let server = Server::usual().await;
    let [one, other] = two(&server).await;
    let first = post(one.address, &[], &call(1, "list", json!({}))).await.text();
    let read = call(2, "read_result", json!({ "handle": handle(&first), "pointer": "/399" }));
    let read = post(other.address, &[], &read).await;
    assert!(read.text().contains("row 399"), "{read:?}");
    assert_eq!(server.calls(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_goes_on_at_the_other_replica() {
    let server = Server::usual().await;
    let [one, other] = two(&server).await;
    let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": { "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "c", "version": "1" } } });
    let session = post(one.address, &[], &hello).await.header("mcp-session-id").to_owned();
    let headers = [("mcp-session-id", &*session)];
    let listed = post(other.address, &headers, &request(1, "tools/list")).await.json();
    let tools: Vec<&str> =
        listed["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    // The tool has the name of the server, of which the other replica has heard.
    assert_eq!(tools, ["list", "small", "read_result_rows"]);
    let first = post(one.address, &headers, &call(2, "list", json!({}))).await;
    let page: Value = serde_json::from_str(&first.text()).unwrap();
    let cursor = page["nextCursor"].as_str().unwrap();
    let next = post(other.address, &headers, &call(3, "list", json!({ "cursor": cursor }))).await;
    assert!(next.text().contains("\"source\":\"snapshot\""), "{next:?}");
    assert_eq!(server.calls(), 1);
}

/// Each session lists what it stored, at any replica; who has no session gets no list.
#[tokio::test(flavor = "multi_thread")]
async fn a_session_lists_its_own_results_at_the_other_replica() {
    let server = Server::usual().await;
    let [one, other] = two(&server).await;
    let of = |session| [("mcp-session-id", session)];
    let first = post(one.address, &of("mine"), &call(1, "list", json!({}))).await.text();
    let list = call(2, "read_result", json!({}));
    let mine = post(other.address, &of("mine"), &list).await.text();
    assert!(mine.contains(&handle(&first)) && mine.contains("(400 items)"), "{mine}");
    let another = post(other.address, &of("another"), &list).await.text();
    assert!(!another.contains(&handle(&first)) && another.contains("\"totalItems\":0"), "{another}");
    let nobody = post(other.address, &[], &list).await.text();
    assert!(nobody.contains("INVALID_HANDLE"), "{nobody}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stored_result_is_an_argument_at_the_other_replica() {
    let server = Server::usual().await;
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let options = json!({ "resultArguments": ["small"] });
    let of = |store| gateway(server.address, options.clone(), Some(store));
    let (one, other) = (of(Arc::clone(&store)).await, of(store).await);
    let first = post(one.address, &[], &call(1, "list", json!({}))).await.text();
    let written = json!({ "path": "rows.json", "content": { "$result": handle(&first) } });
    post(other.address, &[], &call(2, "small", written)).await;
    let given = server.last().json()["params"]["arguments"].take();
    assert_eq!(given["path"], "rows.json");
    assert!(given["content"].to_string().contains("row 399"), "{given}");
    let calls = server.calls();
    let unknown = json!({ "content": { "$result": "aaaaaaaaaaaaaaaa" } });
    let refused = post(other.address, &[], &call(3, "small", unknown)).await.text();
    assert!(refused.contains("NOT_FOUND") && server.calls() == calls, "{refused}");
}

/// A tool with an argument `page` of its own keeps it, because the list of tools was read at the other replica.
#[tokio::test(flavor = "multi_thread")]
async fn tools_that_one_replica_listed_are_known_at_the_other() {
    let server = Server::start(|seen| {
        let message = seen.json();
        let properties = json!({ "page": { "type": "integer" } });
        let tools =
            json!({ "tools": [{ "name": "paged", "inputSchema": { "type": "object", "properties": properties } }] });
        match message["method"].as_str() {
            Some("tools/list") => Answer::json(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": tools })),
            _ => usual(seen),
        }
    })
    .await;
    let [one, other] = two(&server).await;
    for headers in [&[][..], &[("mcp-session-id", "s")]] {
        post(one.address, headers, &request(1, "tools/list")).await;
        post(other.address, headers, &call(2, "paged", json!({ "page": 3, "fields": ["a"] }))).await;
        assert_eq!(server.last().json()["params"]["arguments"], json!({ "page": 3 }), "{headers:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_a_list_that_two_replicas_read_are_merged() {
    let server = Server::start(|seen| {
        let message = seen.json();
        let tool =
            |name: &str| json!({ "name": name, "inputSchema": { "type": "object", "properties": { "page": {} } } });
        let result = match message["params"]["cursor"].as_str() {
            None => json!({ "tools": [tool("one")], "nextCursor": "2" }),
            Some(_) => json!({ "tools": [tool("two")] }),
        };
        match message["method"].as_str() {
            Some("tools/list") => Answer::json(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": result })),
            _ => usual(seen),
        }
    })
    .await;
    let [one, other] = two(&server).await;
    post(one.address, &[], &request(1, "tools/list")).await;
    let second = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": { "cursor": "2" } });
    post(other.address, &[], &second).await;
    for tool in ["one", "two"] {
        for replica in [&one, &other] {
            post(replica.address, &[], &call(3, tool, json!({ "page": 3, "fields": ["a"] }))).await;
            assert_eq!(server.last().json()["params"]["arguments"], json!({ "page": 3 }), "{tool}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_one_replica_began_ends_at_the_other() {
    let server = Server::start(|seen| {
        let message = seen.json();
        let result = match message["method"].as_str() {
            Some("tools/call") => json!({ "task": { "taskId": "t1", "status": "working" } }),
            _ => crate::world::rows("row"),
        };
        Answer::json(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }))
    })
    .await;
    let [one, other] = two(&server).await;
    let mut begun = call(1, "list", json!({}));
    begun["params"]["task"] = json!({ "ttl": 1000 });
    let begun = post(one.address, &[], &begun).await.json();
    assert_eq!(begun["result"]["task"]["taskId"], "t1");
    let ended = json!({ "jsonrpc": "2.0", "id": 2, "method": "tasks/result", "params": { "taskId": "t1" } });
    let ended = post(other.address, &[], &ended).await;
    assert!(ended.body.len() < 4000, "{ended:?}");
    handle(&ended.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_is_answered_together() {
    let server = Server::start(|seen| {
        let messages = seen.json();
        let messages = messages.as_array().cloned().unwrap_or_else(|| vec![messages]);
        let answers: Vec<Value> = messages
            .iter()
            .map(|message| json!({ "jsonrpc": "2.0", "id": message["id"], "result": crate::world::rows("row") }))
            .collect();
        Answer::json(&if answers.len() == 1 && !seen.body.starts_with('[') {
            answers[0].clone()
        } else {
            json!(answers)
        })
    })
    .await;
    let [one, other] = two(&server).await;
    let first = post(one.address, &[], &call(1, "list", json!({}))).await.text();
    let read = call(2, "read_result", json!({ "handle": handle(&first), "pointer": "/7" }));
    let both = post(other.address, &[], &json!([read, call(3, "list", json!({}))])).await;
    let answers = both.json();
    let mut ids: Vec<u64> = answers.as_array().unwrap().iter().map(|answer| answer["id"].as_u64().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, [2, 3]);
    assert!(both.body.len() < 6000);
    let asked = server.last().json();
    assert_eq!((&asked[0]["method"], &asked[1]["id"], asked.as_array().unwrap().len()), (&json!("ping"), &json!(3), 2));
    let alone = post(other.address, &[], &json!([read])).await;
    assert!(alone.body.contains("row 7"), "{alone:?}");
}

/// A store that was emptied, as a Redis that was started again.
#[tokio::test(flavor = "multi_thread")]
async fn a_session_outlives_its_store() {
    let server = Server::usual().await;
    let [one, _] = two(&server).await;
    let hello =
        json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": { "clientInfo": { "name": "c" } } });
    post(one.address, &[], &hello).await;
    // Another gateway, which has never seen the session, and an empty store.
    let [other, _] = two(&server).await;
    let headers = [("mcp-session-id", "session-1")];
    let first = post(other.address, &headers, &call(1, "list", json!({}))).await.text();
    let read = call(2, "read_result_rows", json!({ "handle": handle(&first), "pointer": "/7" }));
    assert!(post(other.address, &headers, &read).await.text().contains("row 7"));
    assert_eq!(server.calls(), 1);
}
