//! The cases of `vectors/shared/redaction.json` through every door by which something of a tool leaves the adapter. With
//! `TOOLSHAPE_DOORS` the table goes into a file of that folder, for `cargo xtask doors`.

#[allow(dead_code, reason = "other tests call its other functions")]
mod caller;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use toolshape_rmcp::{FileStore, Shaping, Value, json};

use crate::caller::{Client, call, client};

/// What the tool returns: a result, or its error.
type Next = Arc<Mutex<Result<Value, String>>>;

/// A server of one tool, `x`.
struct Returns(Next);

impl ServerHandler for Returns {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tool = serde_json::from_value(json!({ "name": "x", "inputSchema": { "type": "object" } })).unwrap();
        Ok(ListToolsResult::with_all_items(vec![tool]))
    }

    async fn call_tool(
        &self,
        _: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        match self.0.lock().unwrap().clone() {
            Ok(result) => Ok(serde_json::from_value::<CallToolResult>(result).unwrap().into()),
            Err(text) => Err(ErrorData::internal_error(text, None)),
        }
    }
}

/// Texts of JSON as they are read, so that no escape hides a secret.
fn shown(text: &str) -> String {
    text.replace("\\\"", "\"").replace("\\\\", "\\")
}

async fn called(client: &Client, name: &'static str, arguments: Value) -> String {
    let left = match call(client, name, arguments).await {
        Ok(result) => serde_json::to_string(&result).unwrap(),
        Err(error) => error.to_string(),
    };
    shown(&left)
}

fn handle(page: &str) -> String {
    let (_, rest) = page.split_once("toolshape://result/").unwrap_or_else(|| panic!("no handle: {page}"));
    rest[..16].to_owned()
}

/// What leaves through each door.
async fn doors(client: &Client, next: &Next, case: &Value, store: &Path) -> Vec<(&'static str, String)> {
    let text = case["text"].as_str().unwrap();
    let block = |text: &str| json!([{ "type": "text", "text": text }]);
    let value: Value = serde_json::from_str(text).unwrap_or_else(|_| text.into());
    let rows = (0..400).map(|n| json!({ "n": n, "text": format!("row {n} of many rows") }));
    let rows: Value = [json!({ "n": -1, "text": text })].into_iter().chain(rows).collect();
    let mut left = Vec::new();
    for (door, returned) in [
        ("result", Ok(json!({ "content": block(text) }))),
        ("structured", Ok(json!({ "content": [], "structuredContent": { "value": value } }))),
        ("is error", Ok(json!({ "content": block(text), "isError": true }))),
        ("_meta", Ok(json!({ "content": [], "_meta": { "note": text } }))),
        ("thrown", Err(text.to_owned())),
        ("page, note", Ok(json!({ "content": block(&rows.to_string()) }))),
    ] {
        *next.lock().unwrap() = returned;
        left.push((door, called(client, "x", json!({})).await));
    }
    let handle = handle(&left.last().unwrap().1);
    let secret = case["secrets"][0].as_str().unwrap_or("row");
    for (door, asked) in [
        ("read", json!({ "pointer": "/0" })),
        ("search", json!({ "search": secret })),
        ("SQL", json!({ "sql": "SELECT text FROM result LIMIT 1" })),
    ] {
        let mut arguments = json!({ "handle": handle });
        arguments.as_object_mut().unwrap().extend(asked.as_object().unwrap().clone());
        let answer = called(client, "read_result", arguments).await;
        // A search names what was sought.
        left.push((door, if door == "search" { answer.replacen(secret, "", 1) } else { answer }));
    }
    let uri = ReadResourceRequestParams::new(format!("toolshape://result/{handle}"));
    let resource = client.read_resource(uri).await.unwrap();
    left.push(("resource", shown(&serde_json::to_string(&resource).unwrap())));
    left.push(("summary", called(client, "summarize", json!({ "uri": handle })).await));
    let stored = std::fs::read_dir(store).unwrap();
    let stored: Vec<String> = stored.filter_map(|file| std::fs::read_to_string(file.ok()?.path()).ok()).collect();
    left.push(("store", shown(&stored.concat())));
    left
}

#[tokio::test]
async fn no_door_lets_a_secret_out() {
    let file: Value = serde_json::from_str(include_str!("../../../vectors/shared/redaction.json")).unwrap();
    let texts = |list: &Value| -> Vec<String> {
        list.as_array().into_iter().flatten().filter_map(|text| text.as_str().map(str::to_owned)).collect()
    };
    let mut groups: BTreeMap<_, Vec<&Value>> = BTreeMap::new();
    for case in file["cases"].as_array().unwrap() {
        groups.entry((texts(&case["fields"]), texts(&case["texts"]))).or_default().push(case);
    }
    let (mut names, mut rows, mut out) = (Vec::new(), json!({}), Vec::new());
    for (number, ((fields, patterns), cases)) in groups.into_iter().enumerate() {
        let store = Path::new(env!("CARGO_TARGET_TMPDIR")).join("doors").join(number.to_string());
        let _ = std::fs::remove_dir_all(&store);
        let next: Next = Arc::new(Mutex::new(Ok(Value::Null)));
        let shaping = Shaping::builder(json!({ "maxTokens": 600 }))
            .store(FileStore::open(&store).unwrap())
            .summarize()
            .redact_fields(fields.iter().map(String::as_str))
            .redact_texts(patterns.iter().map(String::as_str))
            .on_receipt(|_| ());
        let client = client(shaping.build().unwrap().around(Returns(Arc::clone(&next))), "tests").await;
        for case in cases {
            let left = doors(&client, &next, case, &store).await;
            names = left.iter().map(|(door, _)| *door).collect();
            let secrets = texts(&case["secrets"]);
            let name = case["name"].as_str().unwrap();
            let are_out: Vec<bool> =
                left.iter().map(|(_, text)| secrets.iter().any(|secret| text.contains(secret))).collect();
            out.extend(
                names.iter().zip(&are_out).filter(|(_, is_out)| **is_out).map(|(door, _)| format!("{name}: {door}")),
            );
            rows[name] = json!(are_out);
        }
    }
    if let Some(folder) = std::env::var_os("TOOLSHAPE_DOORS") {
        let table = json!({ "name": "rmcp", "doors": names, "rows": rows });
        std::fs::write(Path::new(&folder).join("rmcp.json"), table.to_string()).unwrap();
    }
    assert!(out.is_empty(), "{out:?}");
}
