//! Nobody reads the results of another tenant.

use std::sync::Arc;

use serde_json::json;
use toolshape_stores::MemoryStore;

use crate::world::{Got, Server, call, gateway, handle, post, send};

const UNKNOWN: &str = "aaaaaaaaaaaaaaaa";

#[tokio::test(flavor = "multi_thread")]
async fn another_tenants_result_is_not_found() {
    let server = Server::usual().await;
    for (options, own, others) in [
        (
            json!({ "tenantHeader": "x-tenant" }),
            vec![("x-tenant", "one")],
            vec![
                vec![("x-tenant", "two")],
                vec![],
                vec![("x-tenant", "")],
                vec![("x-tenant", "one"), ("x-tenant", "two")],
            ],
        ),
        (json!({}), vec![("authorization", "Bearer one")], vec![vec![("authorization", "Bearer two")], vec![]]),
        (
            json!({ "tenantClaim": "sub" }),
            vec![("authorization", "Bearer e30.eyJzdWIiOiJvbmUifQ.c")],
            vec![vec![("authorization", "Bearer e30.eyJzdWIiOiJ0d28ifQ.c")], vec![("authorization", "Bearer e30")]],
        ),
    ] {
        let replica = gateway(server.address, options, Some(Arc::new(MemoryStore::new()))).await;
        let first = post(replica.address, &own, &call(1, "list", json!({ "word": "secret" }))).await.text();
        let handle = handle(&first);
        let cursor = serde_json::from_str::<serde_json::Value>(&first).unwrap()["nextCursor"].clone();
        let read = |handle: &str| call(2, "read_result", json!({ "handle": handle, "pointer": "/300" }));
        assert!(post(replica.address, &own, &read(&handle)).await.text().contains("secret 300"));
        for other in others {
            let same = |got: Got| got.body.replace(&handle, "HANDLE").replace(UNKNOWN, "HANDLE");
            let theirs = post(replica.address, &other, &read(&handle)).await;
            let unknown = post(replica.address, &other, &read(UNKNOWN)).await;
            assert!(!theirs.body.contains("secret"), "{theirs:?}");
            assert_eq!(same(theirs), same(unknown), "{other:?}");
            let sql = call(3, "read_result", json!({ "sql": format!("SELECT * FROM {handle}") }));
            assert!(!post(replica.address, &other, &sql).await.body.contains("secret"));
            let uri = json!({ "jsonrpc": "2.0", "id": 4, "method": "resources/read", "params": { "uri": format!("toolshape://result/{handle}") } });
            assert!(!post(replica.address, &other, &uri).await.body.contains("secret"));
            // The tool runs, with the rights of the one who calls.
            let page =
                post(replica.address, &other, &call(5, "list", json!({ "word": "own", "cursor": cursor }))).await;
            assert!(!page.body.contains("secret"), "{page:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn another_tenants_session_is_not_known() {
    let server = Server::usual().await;
    let replica =
        gateway(server.address, json!({ "tenantHeader": "x-tenant" }), Some(Arc::new(MemoryStore::new()))).await;
    let session = ("mcp-session-id", "session-1");
    let first =
        post(replica.address, &[session, ("x-tenant", "one")], &call(1, "list", json!({ "word": "secret" }))).await;
    let read = call(2, "read_result", json!({ "handle": handle(&first.text()), "pointer": "/300" }));
    let theirs = post(replica.address, &[session, ("x-tenant", "two")], &read).await;
    assert!(!theirs.body.contains("secret 300"), "{theirs:?}");
}

/// A session lists what its tenant stored in it.
#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_lists_its_own_results() {
    let server = Server::usual().await;
    let replica =
        gateway(server.address, json!({ "tenantHeader": "x-tenant" }), Some(Arc::new(MemoryStore::new()))).await;
    let (one, two, session) = (("x-tenant", "one"), ("x-tenant", "two"), ("mcp-session-id", "a"));
    let list = call(2, "read_result", json!({}));
    let first = post(replica.address, &[one, session], &call(1, "list", json!({}))).await.text();
    let mine = post(replica.address, &[one, session], &list).await;
    assert!(mine.body.contains(&handle(&first)), "{mine:?}");
    for other in [vec![two, session], vec![one, ("mcp-session-id", "b")], vec![one], vec![two], vec![session], vec![]] {
        let theirs = post(replica.address, &other, &list).await;
        assert!(!theirs.body.contains(&handle(&first)), "{other:?}: {theirs:?}");
    }
}

/// A request that does not say whose it is reaches the server, so that its client learns how to log in.
#[tokio::test(flavor = "multi_thread")]
async fn without_a_tenant_nothing_is_stored() {
    let server = Server::usual().await;
    let replica =
        gateway(server.address, json!({ "tenantHeader": "x-tenant" }), Some(Arc::new(MemoryStore::new()))).await;
    let got = send(replica.address, "POST", "/up", &[], call(1, "list", json!({})).to_string()).await;
    assert!(got.body.len() < 4000 && !got.body.contains("toolshape://result/"), "{got:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_is_deleted_and_others_stay() {
    let server = Server::usual().await;
    let options = json!({ "tenantHeader": "x-tenant" });
    let replica = gateway(server.address, options, Some(Arc::new(MemoryStore::new()))).await;
    let (one, two) = ([("x-tenant", "one")], [("x-tenant", "two")]);
    let mut handles = Vec::new();
    for tenant in [&one, &two] {
        let first = post(replica.address, tenant, &call(1, "list", json!({ "word": tenant[0].1 }))).await.text();
        handles.push(handle(&first));
    }
    let read = |handle: &str| call(2, "read_result", json!({ "handle": handle, "pointer": "/300" }));
    assert!(post(replica.address, &one, &read(&handles[0])).await.text().contains("one 300"));
    let delete = |tenant: &'static [(&str, &str)]| send(replica.address, "DELETE", "/results", tenant, String::new());
    assert_eq!(send(replica.address, "POST", "/results", &one, String::new()).await.status, 405);
    for nobody in [&[][..], &[("x-tenant", "one"), ("x-tenant", "two")]] {
        assert_eq!(delete(nobody).await.status, 400);
    }
    assert_eq!(delete(&[("x-tenant", "one"), ("origin", "http://evil.example")]).await.status, 403);
    let deleted = delete(&[("x-tenant", "one")]).await;
    assert!(deleted.status == 200 && deleted.json()["deleted"].as_u64().unwrap() > 0, "{deleted:?}");
    assert!(!post(replica.address, &one, &read(&handles[0])).await.text().contains("one 300"));
    assert!(post(replica.address, &two, &read(&handles[1])).await.text().contains("two 300"));
    assert_eq!(delete(&[("x-tenant", "one")]).await.json()["deleted"], 0);
    // Later results are stored as before.
    let again = post(replica.address, &one, &call(3, "list", json!({ "word": "one" }))).await.text();
    assert!(post(replica.address, &one, &read(&handle(&again))).await.text().contains("one 300"));
}
