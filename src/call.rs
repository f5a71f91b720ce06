//! What one call may ask within the policy: the tool's name, its arguments and the call controls.

use serde_json::{Map, Value};

use crate::error::{Error, ErrorCode};
use crate::fields::FieldPath;
use crate::options::{Naming, Reader};
use crate::policy::{Format, Settings};

/// The call controls: the arguments by which a caller steers shaping, not the tool.
pub const CONTROLS: [&str; 5] = ["page", "pageSize", "cursor", "fields", "format"];

/// The largest whole number that every JSON reader keeps exact.
const MAX_INTEGER: u64 = (1 << 53) - 1;

/// One call of a tool.
#[derive(Clone, Debug, Default)]
pub struct Call {
    tool: Option<String>,
    /// The tool's own arguments in a form that does not depend on the order of keys.
    arguments: String,
    /// The call controls as they came; they are the caller's, so they are checked when shaping.
    controls: Map<String, Value>,
}

impl Call {
    /// Reads a call: `tool`, `arguments` (as in MCP's `tools/call`), and the call controls.
    ///
    /// Call controls may stand beside `tool` or among the `arguments`, there always in camelCase.
    ///
    /// # Errors
    /// `INVALID_CALL` for an unknown key or a wrong type of `tool` or `arguments`. A wrong call control
    /// is no error here: whoever made the call gets a result that explains it.
    pub fn new(call: &Value, naming: Naming) -> Result<Self, Error> {
        let mut names = CONTROLS.to_vec();
        names.extend(["tool", "arguments"]);
        let reader = Reader::new(call, &names, ErrorCode::InvalidCall, String::new(), naming)?;
        let tool = reader.text("tool")?.map(str::to_owned);
        let mut arguments = match reader.get("arguments") {
            None => Map::new(),
            Some(Value::Object(map)) => map.clone(),
            Some(other) => return Err(reader.error("arguments", other, "an object")),
        };
        let mut controls = Map::new();
        for name in CONTROLS {
            let inside = arguments.remove(name);
            let value = reader.get(name).cloned().or(inside).filter(|value| !value.is_null());
            if let Some(value) = value {
                controls.insert(name.to_owned(), value);
            }
        }
        Ok(Self { tool, arguments: canonical(Value::Object(arguments)), controls })
    }

    /// The tool's name.
    pub fn tool(&self) -> Option<&str> {
        self.tool.as_deref()
    }

    /// What a cursor of this call belongs to.
    pub(crate) fn arguments(&self) -> &str {
        &self.arguments
    }

    /// The call controls, checked against what the policy allows.
    pub(crate) fn controls(&self, settings: &Settings) -> Result<Controls, Error> {
        let value = Value::Object(self.controls.clone());
        let reader = Reader::new(&value, &CONTROLS, ErrorCode::InvalidCall, String::new(), Naming::Camel)?;
        Ok(Controls {
            page: reader.integer("page", 1, MAX_INTEGER)?,
            page_size: reader.integer("pageSize", 1, settings.max_page_size as u64)?.map(|n| n as usize),
            cursor: reader.text("cursor")?.map(str::to_owned),
            fields: reader.texts("fields")?.unwrap_or_default().into_iter().map(FieldPath::parse).collect(),
            format: reader.choice("format", &Format::CHOICES)?,
        })
    }
}

/// The call controls of one call; where both `page` and `cursor` are given, the cursor holds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Controls {
    pub page: Option<u64>,
    pub page_size: Option<usize>,
    pub cursor: Option<String>,
    pub fields: Vec<FieldPath>,
    pub format: Option<Format>,
}

/// JSON text with the keys of every object in order, so that equal arguments give equal text.
fn canonical(value: Value) -> String {
    fn sort(value: Value) -> Value {
        match value {
            Value::Object(map) => {
                let mut entries: Vec<(String, Value)> = map.into_iter().map(|(k, v)| (k, sort(v))).collect();
                entries.sort_by(|a, b| a.0.cmp(&b.0));
                Value::Object(entries.into_iter().collect())
            }
            Value::Array(items) => Value::Array(items.into_iter().map(sort).collect()),
            other => other,
        }
    }
    sort(value).to_string()
}
