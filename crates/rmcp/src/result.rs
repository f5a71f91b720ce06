//! Shaped results in the types of the SDK: what passes is moved, and only what is new is read from JSON.

use std::mem;
use std::time::Instant;

use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, MetaObject, ResultType};
use serde_json::{Value, json};
use toolshape::host::{Block, Channel, ShapedResult};
use toolshape::{Error, Receipt};

use crate::call::CallContext;

/// The receipt's key in `_meta`.
pub const RECEIPT: &str = "toolshape/receipt";

/// What receipts have of a request: when it came, its id, and the client's name.
pub struct RequestInfo {
    began: Instant,
    id: Value,
    client: Option<String>,
}

impl RequestInfo {
    pub fn now(context: &CallContext) -> Self {
        let client = context.client_info().map(|client| client.name.clone());
        Self { began: Instant::now(), id: json!(context.id), client }
    }

    /// A receipt of the request as JSON.
    pub fn receipt(&self, receipt: &Receipt) -> Value {
        let mut receipt = receipt.to_json();
        if let Some(client) = &self.client {
            receipt["client"] = json!(client);
        }
        receipt["requestId"] = self.id.clone();
        receipt["durationMs"] = json!(self.began.elapsed().as_secs_f64() * 1000.0);
        receipt
    }
}

/// The result, from what the tool returned and what is new; `receipt` is its own.
pub fn assembled(
    mut own: CallToolResult,
    shaped: &ShapedResult,
    receipt: Option<&Value>,
) -> Result<CallToolResult, ErrorData> {
    if shaped.is_own {
        return Ok(own);
    }
    if !shaped.is_result {
        own = CallToolResult::default();
    }
    own.result_type.get_or_insert(ResultType::COMPLETE);
    if shaped.receipt.is_some() || !shaped.is_result {
        let mut blocks: Vec<Option<ContentBlock>> = mem::take(&mut own.content).into_iter().map(Some).collect();
        for block in &shaped.content {
            own.content.extend(match block {
                Block::Own(at) => blocks.get_mut(*at).and_then(Option::take),
                Block::Json(json) => Some(serde_json::from_str(json).map_err(unreadable)?),
            });
        }
        match &shaped.structured {
            Channel::Own => {}
            Channel::Absent => own.structured_content = None,
            Channel::Json(json) => own.structured_content = Some(serde_json::from_str(json).map_err(unreadable)?),
        }
        if shaped.is_error {
            own.is_error = Some(true);
        }
    }
    marked(&mut own.meta, receipt.filter(|_| shaped.shows_receipt()));
    Ok(own)
}

/// Puts a receipt into `_meta`, in place of one that a tool wrote there.
pub fn marked(meta: &mut Option<MetaObject>, receipt: Option<&Value>) {
    if let Some(meta) = meta {
        meta.shift_remove(RECEIPT);
    }
    if let Some(receipt) = receipt {
        meta.get_or_insert_default().insert(RECEIPT.to_owned(), receipt.clone());
    }
}

/// The error of JSON-RPC for one that the server's author has to mend.
pub fn fault(error: &Error) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

fn unreadable(error: serde_json::Error) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}
