//! Answers calls, whatever server they are for. The core makes the decisions; this code executes them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject, ReadResourceResult,
    ResourceContents, Tool,
};
use serde_json::{Value, json};
use toolshape::host::{
    JsonText, Naming, Plan, Read, ReadFor, Redacts, ReturnedJson, ShapedResult, Summarized, Tasks, ToSummarize,
    check_tool_name, receipt_line,
};
use toolshape::{Error, ErrorCode, Receipt};

use crate::archive::{Allows, Archive};
use crate::blocking::spawn_blocking_if_large;
use crate::call::{CallContext, CallMembers, Session, call_now, now, with};
use crate::result::{RequestInfo, assembled, fault, marked};

pub type Scope = dyn Fn(&CallContext) -> Option<String> + Send + Sync;
pub type Authorize = dyn Fn(CallContext, String) -> Pin<Box<dyn Future<Output = bool> + Send>> + Send + Sync;
pub type OnReceipt = dyn Fn(&Value) + Send + Sync;

/// The functions of the author of a server.
#[derive(Clone, Default)]
pub struct Callbacks {
    pub scope: Option<Arc<Scope>>,
    pub authorize: Option<Arc<Authorize>>,
    pub on_receipt: Option<Arc<OnReceipt>>,
}

/// Shapes the calls of servers' tools.
pub struct Adapter {
    pub archive: Archive,
    /// The tools that are added to a server's own.
    pub added: Vec<Tool>,
    callbacks: Callbacks,
    summarizes: bool,
    tasks: Arc<Mutex<Tasks<CallMembers>>>,
}

impl Adapter {
    pub fn new(archive: Archive, summarizes: bool, callbacks: Callbacks) -> Self {
        let added = archive.shaper.added_tools(archive.storage.is_some(), summarizes);
        let added = added.into_iter().filter_map(|tool| serde_json::from_value(tool).ok()).collect();
        Self { archive, added, callbacks, summarizes, tasks: Arc::default() }
    }

    /// The same for a server of that name, with the same store and tasks.
    pub fn for_server(&self, server: &str) -> Self {
        let shaper = Arc::new(self.archive.shaper.for_server(server));
        let archive = Archive { shaper, storage: self.archive.storage.clone() };
        Self { tasks: Arc::clone(&self.tasks), ..Self::new(archive, self.summarizes, self.callbacks.clone()) }
    }

    pub fn has_store(&self) -> bool {
        self.archive.storage.is_some()
    }

    /// One of the tools that are added.
    pub fn added(&self, name: &str) -> Option<&Tool> {
        self.added.iter().find(|tool| tool.name == name)
    }

    /// Refuses a server's own tool that has the name of one that is added.
    pub fn check_name(&self, name: &str) -> Result<(), ErrorData> {
        let added: Vec<&str> = self.added.iter().map(|tool| tool.name.as_ref()).collect();
        check_tool_name(name, &added).map_err(|error| fault(&error))
    }

    /// Runs a call: `work` calls the tool.
    pub async fn run<F>(
        &self,
        plan: &Plan,
        mut request: CallToolRequestParams,
        context: CallContext,
        work: impl FnOnce(CallToolRequestParams, CallContext) -> F,
    ) -> Result<CallToolResponse, ErrorData>
    where
        F: Future<Output = Result<CallToolResponse, ErrorData>>,
    {
        let asked = RequestInfo::now(&context);
        if self.archive.shaper.leaves_alone(&request.name) {
            let mut response = work(request, context).await?;
            if let CallToolResponse::Complete(result) = &mut response {
                marked(&mut result.meta, None);
            }
            return Ok(response);
        }
        let mut members = self.members(&context);
        members.insert("arguments".to_owned(), json!(request.arguments.as_ref().unwrap_or(&JsonObject::new())));
        members.insert("meta".to_owned(), json!(context.meta));
        let members = with(&members, plan.call.clone());
        if let Some(given) = &mut request.arguments
            && given.keys().any(|name| plan.controls.contains(&name.as_str()))
        {
            given.retain(|name, _| !plan.controls.contains(&name.as_str()));
            if let Some(answer) = self.answered_before(&members, &context).await.map_err(|error| fault(&error))? {
                return self.answer(&answer, &asked).map(Into::into);
            }
        }
        match work(request, context).await {
            Ok(CallToolResponse::Complete(result)) => self.shape(result, &members, &asked).await.map(Into::into),
            Ok(CallToolResponse::Task(created)) => {
                let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
                tasks.remember(created.task.task_id.clone(), members);
                Ok(CallToolResponse::Task(created))
            }
            Ok(asks) => Ok(asks),
            Err(error) => self.thrown(error, &members, &asked).await.map(Into::into),
        }
    }

    /// The answer to a call with controls, if the tool need not run: they are wrong, or continue a stored result.
    async fn answered_before(
        &self,
        members: &CallMembers,
        context: &CallContext,
    ) -> Result<Option<ShapedResult>, Error> {
        let shaper = &self.archive.shaper;
        if let Some(refused) = shaper.check_call(&call_now(members)?)? {
            return Ok(Some(refused));
        }
        if !self.has_store() {
            return Ok(None);
        }
        match self.find(ReadFor::Page, members, context).await? {
            Read::Page(page) => Ok(Some(*page)),
            _ => Ok(None),
        }
    }

    /// Shapes what a tool returned.
    async fn shape(
        &self,
        result: CallToolResult,
        members: &CallMembers,
        asked: &RequestInfo,
    ) -> Result<CallToolResult, ErrorData> {
        let (result, json) = spawn_blocking_if_large(weight(&result), move || {
            let json = serde_json::to_string(&result);
            (result, json)
        })
        .await;
        let json = json.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        let shaped = self.kept(json, members).await?;
        let receipt = self.report(shaped.receipt.as_ref(), asked);
        assembled(result, &shaped, receipt.as_ref())
    }

    /// A result as JSON, shaped and stored.
    async fn kept(&self, json: String, members: &CallMembers) -> Result<ShapedResult, ErrorData> {
        let call = call_now(members).map_err(|error| fault(&error))?;
        let bytes = json.len();
        self.archive.shape_and_store(ReturnedJson(json), bytes, call).await.map_err(|error| fault(&error))
    }

    /// The result for an error, if toolshape reports it: a rate limit, and a message that is over the budget.
    ///
    /// # Errors
    /// Every other error, unchanged.
    async fn thrown(
        &self,
        error: ErrorData,
        members: &CallMembers,
        asked: &RequestInfo,
    ) -> Result<CallToolResult, ErrorData> {
        let mut json = serde_json::to_value(&error).unwrap_or_default();
        // The data of an error may have its cause, in any form.
        if let Some(data) = &error.data {
            json["cause"] = data.clone();
        }
        let call = call_now(members).map_err(|error| fault(&error))?;
        let call = if self.has_store() { call.with_store() } else { call };
        let shaped = self.archive.shaper.thrown_result(&json, &error.message, &call, Some(now()));
        let said = || CallToolResult::error(vec![ContentBlock::text(&*error.message)]);
        let redacts_all = self.archive.storage.as_ref().is_some_and(|storage| storage.redacts == Redacts::All);
        let returned = match shaped.map_err(|error| fault(&error))? {
            // It is stored, so that nobody runs the tool again to read its error.
            Some(shaped) if shaped.keep.is_some() => said(),
            Some(shaped) if redacts_all => assembled(CallToolResult::default(), &shaped, None)?,
            Some(shaped) => return self.answer(&shaped, asked),
            None if redacts_all => said(),
            None => return Err(error),
        };
        self.shape(returned, members, asked).await
    }

    /// Shapes the result of a task, in place.
    pub async fn finish(&self, task: &str, result: &mut JsonObject, context: &CallContext) -> Result<(), ErrorData> {
        let asked = RequestInfo::now(context);
        let known = self.tasks.lock().unwrap_or_else(PoisonError::into_inner).of(task).cloned();
        let members = known.unwrap_or_else(|| {
            let plan = self.archive.shaper.plan_unlisted("", toolshape::host::Naming::Camel);
            with(&self.members(context), plan.call)
        });
        let json = Value::Object(std::mem::take(result)).to_string();
        let shaped = self.kept(json.clone(), &members).await?;
        let text =
            JsonText::parse(&json).and_then(|returned| shaped.to_json(&returned)).map_err(|error| fault(&error))?;
        let mut shown: JsonObject =
            serde_json::from_str(&text).map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        let receipt = self.report(shaped.receipt.as_ref(), &asked);
        if let Some(receipt) = receipt.filter(|_| shaped.shows_receipt()) {
            shown["_meta"][crate::result::RECEIPT] = receipt;
        }
        *result = shown;
        Ok(())
    }

    /// Answers a call of a tool that is added.
    pub async fn answer_added(
        &self,
        name: &str,
        given: JsonObject,
        context: &CallContext,
    ) -> Result<CallToolResult, ErrorData> {
        let asked = RequestInfo::now(context);
        let members = with(&self.members(context), json!({ "arguments": given }));
        let answer = match name {
            "summarize" => self.summarize(members, context).await,
            _ => self.read(members, context).await,
        };
        self.answer(&answer.map_err(|error| fault(&error))?, &asked)
    }

    async fn read(&self, members: CallMembers, context: &CallContext) -> Result<ShapedResult, Error> {
        let client = members.get("client").and_then(Value::as_str);
        match self.find(ReadFor::Part, &members, context).await? {
            Read::Part(shaped) => Ok(ShapedResult::of(*shaped, client)),
            _ => Err(unread()),
        }
    }

    async fn summarize(&self, members: CallMembers, context: &CallContext) -> Result<ShapedResult, Error> {
        let mut members = with(&members, json!({ "tool": "summarize" }));
        // A host's limit is for what tools return; a summary has the budget of its policy.
        members.shift_remove("client");
        let asked = match self.has_store() {
            true => match self.find(ReadFor::Summary, &members, context).await? {
                Read::Summary(asked) => *asked,
                _ => return Err(unread()),
            },
            false => self.archive.shaper.to_summarize(None, &call_now(&members)?)?,
        };
        let shaped = match asked {
            ToSummarize::Answered(shaped) => *shaped,
            ToSummarize::Text { text, summary } => {
                let bytes = text.len();
                self.archive.shape_and_store(Summarized { text, summary }, bytes, call_now(&members)?).await?
            }
        };
        Ok(ShapedResult::of(shaped, None))
    }

    /// The content of a resource under the address of stored results.
    pub async fn resource(&self, uri: &str, context: &CallContext) -> Result<ReadResourceResult, ErrorData> {
        let mut members = with(&self.members(context), json!({ "arguments": { "handle": uri } }));
        members.shift_remove("client");
        let refused = |error: Error| ErrorData::resource_not_found(error.message().to_owned(), None);
        let resource = match self.find(ReadFor::Resource, &members, context).await.map_err(refused)? {
            Read::Resource(resource) => resource,
            Read::Refused(error) => return Err(refused(error)),
            _ => return Err(refused(unread())),
        };
        let contents = ResourceContents::text(resource.text, uri).with_mime_type(resource.mime_type);
        Ok(ReadResourceResult::new(vec![contents]))
    }

    /// Reads the stored result that a call names.
    async fn find(&self, reads: ReadFor, members: &CallMembers, context: &CallContext) -> Result<Read, Error> {
        let call = match reads {
            ReadFor::Page => call_now(members)?,
            ReadFor::Summary => call_now(members)?.with_store(),
            _ => call_now(&with(members, json!({ "tool": "read_result" })))?,
        };
        let allows = self.callbacks.authorize.clone().map(|authorize| {
            let context = context.clone();
            Box::new(move |tool| authorize(context.clone(), tool)) as Box<Allows>
        });
        self.archive.read(reads, call, allows).await
    }

    /// The members that all calls of a caller have.
    fn members(&self, context: &CallContext) -> CallMembers {
        let mut members = CallMembers::new();
        if let Some(client) = context.client_info() {
            members.insert("client".to_owned(), json!(client.name));
        }
        if let Some(session) = context.extensions.get::<Session>() {
            members.insert("session".to_owned(), json!(session.0));
        }
        if let Some(scope) = self.callbacks.scope.as_ref().and_then(|scope| scope(context)) {
            members.insert("scope".to_owned(), json!(scope));
        }
        members
    }

    /// One of our own results.
    fn answer(&self, shaped: &ShapedResult, asked: &RequestInfo) -> Result<CallToolResult, ErrorData> {
        let receipt = self.report(shaped.receipt.as_ref(), asked);
        assembled(CallToolResult::default(), shaped, receipt.as_ref())
    }

    /// Tells the author of a receipt.
    fn report(&self, receipt: Option<&Receipt>, asked: &RequestInfo) -> Option<Value> {
        let receipt = asked.receipt(receipt?);
        match &self.callbacks.on_receipt {
            // A failing callback must not break the result.
            Some(on_receipt) => drop(catch_unwind(AssertUnwindSafe(|| on_receipt(&receipt)))),
            None => log(&receipt),
        }
        Some(receipt)
    }
}

fn unread() -> Error {
    Error::new(ErrorCode::Internal, "nothing was read", "")
}

/// Writes a line about each changed result; with `TOOLSHAPE_LOG=all` about every result, with `off` about none.
fn log(receipt: &Value) {
    let said = std::env::var("TOOLSHAPE_LOG").unwrap_or_default();
    let is_unchanged = receipt["steps"].as_array().is_none_or(Vec::is_empty);
    if said != "off" && (said == "all" || !is_unchanged) {
        eprintln!("{}", receipt_line(receipt, Naming::Camel));
    }
}

/// About how many bytes a result takes as JSON; more than a few values are not looked at.
fn weight(result: &CallToolResult) -> usize {
    let texts: usize = result.content.iter().map(|block| block.as_text().map_or(0, |text| text.text.len())).sum();
    let mut values = MOST_VALUES;
    texts + result.structured_content.as_ref().map_or(0, |value| size(value, &mut values))
}

/// How many values are looked at; beyond it a value is large.
const MOST_VALUES: usize = 1000;

fn size(value: &Value, left: &mut usize) -> usize {
    let Some(rest) = left.checked_sub(1) else { return 1 << 20 };
    *left = rest;
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) if items.len() > *left => 1 << 20,
        Value::Array(items) => items.iter().map(|item| size(item, left)).sum(),
        Value::Object(members) => members.iter().map(|(name, value)| name.len() + size(value, left)).sum(),
        _ => 8,
    }
}
