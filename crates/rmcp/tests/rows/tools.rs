//! The tools of the table, as `js-tests/adapters/tools.mjs` has them.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, InputRequiredResult, JsonObject, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ResultType, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Clone)]
pub struct Rows;

/// Of the process, since a server over HTTP may be made for every request.
static RUNS: AtomicUsize = AtomicUsize::new(0);
static GUARDED: AtomicBool = AtomicBool::new(true);

/// Whether callers may read what the tool `guarded` returned.
pub fn is_guarded_open() -> bool {
    GUARDED.load(Ordering::SeqCst)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Count {
    count: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    given: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OwnCursor {
    cursor: Option<String>,
    page: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

/// The header of an image of 100 by 100 pixels.
const HEADER: &str = "iVBORw0KGgoAAAANSUhEUgAAAGQAAABkCAIAAAD/gAID";
/// The tools that take `count`, those that take nothing, and those that promise an object.
const COUNTED: [&str; 12] = [
    "list_rows", "guarded", "json_text", "wide", "blocks", "promised", "kept", "alone", "narrow", "refuses", "stored",
    "reports",
];
const PLAIN: [&str; 15] = [
    "runs", "several", "log", "hosted", "exact", "broken", "no_text", "shots", "annotated", "error", "flattened",
    "boom", "fails", "fails_at_length", "asks",
];
const PROMISING: [&str; 3] = ["promised", "kept", "broken"];

const QUESTION: &str = "Whose articles? ";

impl ServerHandler for Rows {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = tools().into_iter().map(read::<Tool>).collect::<Result<Vec<_>, _>>()?;
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let given = request.arguments.unwrap_or_default();
        let answers = request.input_responses.map(|answers| json!(answers));
        match request.name.as_ref() {
            "reports" => {
                let count = arguments::<Count>(given)?.count;
                report(&context).await;
                Ok(result(list(count))?.into())
            }
            "asks" => asks(answers.as_ref()),
            name => Ok(result(returned(name, given)?)?.into()),
        }
    }
}

/// What a tool returns, as JSON.
fn returned(name: &str, given: JsonObject) -> Result<Value, ErrorData> {
    let counted = |given| arguments::<Count>(given).map(|Count { count }| count);
    if PLAIN.contains(&name) {
        arguments::<Nothing>(given.clone())?;
    }
    Ok(match name {
        "list_rows" => {
            let count = counted(given)?;
            RUNS.fetch_add(1, Ordering::SeqCst);
            list(count)
        }
        "runs" => json!({ "content": [text(RUNS.load(Ordering::SeqCst).to_string())] }),
        "guarded" | "json_text" | "alone" | "narrow" | "refuses" | "stored" | "described" => list(counted(given)?),
        "rights" => {
            GUARDED.store(arguments::<Given>(given)?.given, Ordering::SeqCst);
            json!({ "content": [text("so be it")] })
        }
        "wide" => {
            let wide = serde_json::to_string_pretty(&rows(counted(given)?)).unwrap_or_default();
            json!({ "content": [text(wide)] })
        }
        "blocks" => {
            let blocks: Vec<Value> = rows(counted(given)?).into_iter().map(|row| text(row.to_string())).collect();
            json!({ "content": blocks })
        }
        "several" => json!({ "content": [text("All rows of today:"), rows_text(400)] }),
        "log" | "hosted" => {
            json!({ "content": [text((0..2000).map(|at| format!("GET /articles/{at} 200\n")).collect::<String>())] })
        }
        "exact" => {
            let row = r#"{"id":9007199254740993,"price":1.0,"zero":-0,"name":"a row"}"#;
            json!({ "content": [text(format!("[{}]", [row; 200].join(",")))] })
        }
        "promised" => {
            let count = counted(given)?;
            both(json!({ "total": count, "rows": rows(count) }))
        }
        "listed" => both(json!(rows(counted(given)?))),
        "kept" => {
            let count = counted(given)?;
            both(json!({ "total": count, "rows": rows(count), "note": "a long note ".repeat(500) }))
        }
        "broken" => both(json!({ "total": "many", "rows": rows(900) })),
        "own_cursor" => {
            let OwnCursor { cursor, page } = arguments(given)?;
            let rows = rows(200).into_iter().map(|mut row| {
                row["cursor"] = json!(cursor);
                row["page"] = json!(page);
                row
            });
            json!({ "content": [text(json!(rows.collect::<Vec<_>>()).to_string())] })
        }
        "no_text" => {
            let [image, audio, blob, link] = no_text();
            json!({ "content": [image, audio, rows_text(200), blob, link], "_meta": { "example.com/theirs": [1, 2] } })
        }
        "shots" => {
            let shot = |at| json!({ "type": "image", "data": format!("{HEADER}AAA{at}"), "mimeType": "image/png" });
            json!({ "content": (0..6).map(shot).collect::<Vec<_>>() })
        }
        "annotated" => {
            let [.., link] = no_text();
            json!({ "content": [beside(link), beside(rows_text(200))] })
        }
        "error" => {
            let trace = format!("Traceback\n{}", "  at line 1\n".repeat(900));
            json!({ "content": [text(trace)], "isError": true })
        }
        "flattened" => json!({ "content": [text("Request failed with status code 429")], "isError": true }),
        "boom" => {
            let data = json!({ "status": 429, "headers": { "retry-after": "30" } });
            return Err(ErrorData::internal_error("Too Many Requests", Some(data)));
        }
        "fails" => return Err(ErrorData::internal_error("no such article", None)),
        "fails_at_length" => return Err(ErrorData::internal_error("no such article ".repeat(3000), None)),
        _ => return Err(ErrorData::invalid_params(format!("there is no tool {name}"), None)),
    })
}

/// Asks the client, and returns rows with its answer.
fn asks(answers: Option<&Value>) -> Result<CallToolResponse, ErrorData> {
    if let Some(answers) = answers {
        let author = &answers["name"]["content"]["name"];
        let rows = rows(400).into_iter().map(|mut row| {
            row["author"] = author.clone();
            row
        });
        let rows: Vec<Value> = rows.collect();
        return Ok(result(json!({ "content": [text(json!(rows).to_string())] }))?.into());
    }
    let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
    let params = json!({ "mode": "form", "message": QUESTION.repeat(300), "requestedSchema": schema });
    let asked = json!({
        "resultType": "input_required",
        "inputRequests": { "name": { "method": "elicitation/create", "params": params } },
    });
    Ok(read::<InputRequiredResult>(asked)?.into())
}

async fn report(context: &RequestContext<RoleServer>) {
    let Some(token) = context.meta.get_progress_token() else { return };
    for progress in [1.0, 2.0] {
        let told = ProgressNotificationParam::new(token.clone(), progress).with_total(2.0);
        let _ = context.peer.notify_progress(told).await;
    }
    // Once they have a result, clients forget whose progress it was.
    tokio::time::sleep(Duration::from_millis(50)).await;
}

/// Each with what it takes and what it promises.
fn tools() -> Vec<Value> {
    let taking = |properties: Value, required: &[&str]| json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false });
    let row = taking(json!({ "id": { "type": "number" }, "name": { "type": "string" } }), &["id", "name"]);
    let rows = json!({ "type": "array", "items": row.clone(), "minItems": 2 });
    let of_output = json!({ "total": { "type": "number" }, "rows": rows, "note": { "type": "string" } });
    let output = taking(of_output, &["total", "rows"]);
    let count = taking(json!({ "count": { "type": "number" } }), &["count"]);
    let tool = |name: &str, input: &Value| {
        let mut tool = json!({ "name": name, "description": name, "inputSchema": input });
        if PROMISING.contains(&name) {
            tool["outputSchema"] = output.clone();
        }
        tool
    };
    let nothing = json!({ "type": "object", "properties": {} });
    let counted = COUNTED.into_iter().map(|name| tool(name, &count));
    let plain = PLAIN.into_iter().map(|name| tool(name, &nothing));
    let mut tools: Vec<Value> = counted.chain(plain).collect();
    tools.push(tool("rights", &taking(json!({ "given": { "type": "boolean" } }), &["given"])));
    let own = json!({ "cursor": { "type": "string" }, "page": { "type": "number" } });
    tools.push(tool("own_cursor", &taking(own, &[])));
    tools.push(json!({
        "name": "listed", "description": "listed", "inputSchema": count,
        "outputSchema": { "type": "array", "items": row },
    }));
    tools.push(json!({
        "name": "described", "title": "Rows of today", "description": "All of them, in their order",
        "inputSchema": count, "annotations": { "readOnlyHint": true },
        "_meta": { "anthropic/maxResultSizeChars": 500_000 },
    }));
    tools
}

fn rows(count: usize) -> Vec<Value> {
    (0..count).map(|id| json!({ "id": id, "name": format!("the row of number {id}") })).collect()
}

fn text(text: impl Into<String>) -> Value {
    json!({ "type": "text", "text": text.into() })
}

fn rows_text(count: usize) -> Value {
    text(json!(rows(count)).to_string())
}

fn list(count: usize) -> Value {
    json!({ "content": [rows_text(count)] })
}

/// A value that is in both channels.
fn both(value: Value) -> Value {
    json!({ "content": [text(value.to_string())], "structuredContent": value })
}

/// An image, audio, a blob and a link.
fn no_text() -> [Value; 4] {
    let encoded = |what: &str| what.repeat(6000);
    [
        json!({ "type": "image", "data": format!("{HEADER}{}", encoded("cGl4ZWxz")), "mimeType": "image/png" }),
        json!({ "type": "audio", "data": encoded("c291bmRz"), "mimeType": "audio/wav" }),
        json!({
            "type": "resource",
            "resource": { "uri": "file:///blob", "mimeType": "application/pdf", "blob": encoded("cGFwZXJz") },
        }),
        json!({ "type": "resource_link", "uri": "file:///report.pdf", "name": "report" }),
    ]
}

/// A block with what it may have in addition to what it shows.
fn beside(mut block: Value) -> Value {
    block["annotations"] = json!({ "audience": ["user", "assistant"], "priority": 0.5 });
    block["_meta"] = json!({ "example.com/pages": 3 });
    block
}

fn arguments<T: for<'de> Deserialize<'de>>(given: JsonObject) -> Result<T, ErrorData> {
    let wrong = |error: serde_json::Error| ErrorData::invalid_params(error.to_string(), None);
    serde_json::from_value(Value::Object(given)).map_err(wrong)
}

fn result(value: Value) -> Result<CallToolResult, ErrorData> {
    let mut result: CallToolResult = read(value)?;
    result.result_type = Some(ResultType::COMPLETE);
    Ok(result)
}

fn read<T: for<'de> Deserialize<'de>>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}
