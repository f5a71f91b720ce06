//! Who reads what: scopes, and what `redact` took out.

use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};

use rmcp::model::{CallToolRequestParams, CallToolResponse, ListToolsResult, PaginatedRequestParams, ServerConfig};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use toolshape_rmcp::{MemoryStore, Redacts, ShapedServer, Shaping, ShapingBuilder, json};

use crate::caller::{Lists, ask, call, client};

fn line() -> ShapingBuilder {
    Shaping::builder(json!({ "maxTokens": 400, "cursorKey": "a secret of more than sixteen bytes" }))
        .store(MemoryStore::new())
        .on_receipt(|_| ())
}

#[tokio::test]
async fn a_handle_opens_nothing_for_another_scope() {
    let of_client = |context: &toolshape_rmcp::CallContext| context.client_info().map(|client| client.name);
    let shaping = line().scope(of_client).build().unwrap();
    let (ada, eve) = (client(shaping.around(Lists), "ada").await, client(shaping.around(Lists), "eve").await);
    let page = ask(&ada, "list", json!({ "count": 500 })).await;
    let part = json!({ "handle": page["uri"], "pointer": "/7/name" });
    assert_eq!(ask(&ada, "read_result", part.clone()).await, "row 7");
    assert_eq!(ask(&eve, "read_result", part).await["error"], "NOT_FOUND");
}

#[tokio::test]
async fn sql_reads_the_tables_that_the_caller_may_read() {
    let of_client = |context: &toolshape_rmcp::CallContext| context.client_info().map(|client| client.name);
    let shaping = line().scope(of_client).build().unwrap();
    let (ada, eve) = (client(shaping.around(Lists), "ada").await, client(shaping.around(Lists), "eve").await);
    let table = |page: &toolshape_rmcp::Value| page["uri"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    let large = table(&ask(&ada, "list", json!({ "count": 500 })).await);
    let small = table(&ask(&ada, "list", json!({ "count": 100 })).await);
    let sql = json!({ "sql": format!("SELECT count(*), max(id) FROM {large} JOIN {small} USING (id)") });
    assert_eq!(ask(&ada, "read_result", sql.clone()).await["rows"], json!([[100, 99]]));
    assert_eq!(ask(&eve, "read_result", sql.clone()).await["error"], "NOT_FOUND");
    let of_result = json!({ "handle": large, "sql": "SELECT count(*) FROM result" });
    assert_eq!(ask(&ada, "read_result", of_result).await["rows"], json!([[500]]));

    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let log = Arc::clone(&asked);
    let shaping = line().authorize(move |_, tool| {
        log.lock().unwrap().push(tool);
        let is_first = log.lock().unwrap().len() == 1;
        async move { is_first }
    });
    let client = client(shaping.build().unwrap().around(Lists), "tests").await;
    let (large, small) =
        (ask(&client, "list", json!({ "count": 500 })).await, ask(&client, "list", json!({ "count": 100 })).await);
    let sql =
        json!({ "sql": format!("SELECT count(*) FROM {}; SELECT count(*) FROM {}", table(&large), table(&small)) });
    let reply = ask(&client, "read_result", sql).await;
    assert_eq!(reply["answers"][0]["rows"], json!([[500]]), "{reply}");
    assert!(reply["answers"][1]["error"].as_str().unwrap().contains("not allowed"), "{reply}");
    assert_eq!(*asked.lock().unwrap(), ["list", "list"]);
}

/// A server around a shaped one, which checks each call.
struct Checked {
    shaped: ShapedServer<Lists>,
    calls: Arc<Mutex<Vec<String>>>,
}

impl ServerHandler for Checked {
    fn get_info(&self) -> ServerConfig {
        self.shaped.get_info()
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.shaped.list_tools(request, context).await
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.calls.lock().unwrap().push(request.name.to_string());
        self.shaped.call_tool(request, context).await
    }
}

#[tokio::test]
async fn a_check_around_is_called_for_later_pages_and_read_result() {
    let calls: Arc<Mutex<Vec<String>>> = Arc::default();
    let shaped = line().build().unwrap().around(Lists);
    let client = client(Checked { shaped, calls: Arc::clone(&calls) }, "tests").await;
    let page = ask(&client, "list", json!({ "count": 500 })).await;
    let later = ask(&client, "list", json!({ "count": 500, "cursor": page["nextCursor"] })).await;
    assert_eq!(later["source"], "snapshot");
    assert_eq!(ask(&client, "read_result", json!({ "handle": page["uri"], "pointer": "/7/name" })).await, "row 7");
    assert_eq!(*calls.lock().unwrap(), ["list", "list", "read_result"]);
}

#[tokio::test]
async fn what_is_redacted_is_neither_shown_nor_stored() {
    let shaping = line().redact(|text| Ok(text.replace("sk-secret", "…"))).build().unwrap();
    let client = client(shaping.around(Lists), "tests").await;
    let page = ask(&client, "list", json!({ "count": 500 })).await;
    assert!(page["totalItems"] == 500 && !page.to_string().contains("sk-secret"), "{page}");
    assert_eq!(ask(&client, "read_result", json!({ "handle": page["uri"], "pointer": "/499/key" })).await, "…");
    // What fits is not stored, and so not redacted, unless all is.
    assert!(ask(&client, "list", json!({ "count": 1 })).await.to_string().contains("sk-secret"));
}

#[tokio::test]
async fn where_all_is_redacted_a_failure_shows_nothing() {
    type Redact = fn(&str) -> Result<String, toolshape_rmcp::AnyError>;
    let (fails, panics): (Redact, Redact) = (|_| Err("no".into()), |_| panic!("no"));
    for redact in [fails, panics] {
        let told = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&told);
        let shaping = line().redact(redact).redacts(Redacts::All);
        let shaping = shaping.on_store_error(move |error| log.lock().unwrap().push(error.to_string())).build().unwrap();
        let client = client(shaping.around(Lists), "tests").await;
        for count in [1, 500] {
            let result = call(&client, "list", json!({ "count": count })).await.unwrap();
            assert_eq!(result.is_error, Some(true));
            let shown = format!("{result:?}");
            assert!(shown.contains("REDACT_FAILED") && !shown.contains("sk-secret"), "{shown}");
        }
        assert_eq!(told.lock().unwrap().len(), 2);
    }
}

#[tokio::test(flavor = "current_thread")]
async fn what_is_large_is_read_in_another_thread() {
    let threads: Arc<Mutex<Vec<ThreadId>>> = Arc::default();
    let seen = Arc::clone(&threads);
    let redact = move |text: &str| {
        seen.lock().unwrap().push(thread::current().id());
        Ok(text.to_owned())
    };
    let client = client(line().redact(redact).redacts(Redacts::All).build().unwrap().around(Lists), "tests").await;
    ask(&client, "list", json!({ "count": 5 })).await;
    ask(&client, "list", json!({ "count": 5000 })).await;
    let here = thread::current().id();
    let were_here: Vec<bool> = threads.lock().unwrap().iter().map(|thread| *thread == here).collect();
    assert_eq!(were_here, [true, false]);
}
