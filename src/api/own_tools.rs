//! What a server with an adapter lists in addition to its own: the adapter's tools, and stored results as resources.

use serde_json::{Value, json};

use crate::api::mcp::ShapedResult;
use crate::api::read_back::read_result_within;
use crate::api::shaper::Shaper;
use crate::api::summarize_tool::summarize_tool;
use crate::base::error::{Error, ErrorCode};
use crate::outcome::receipt::Receipt;
use crate::request::handle::SCHEME;
use crate::request::policy::Settings;
use crate::request::read_tool::READ_RESULT;

#[doc(hidden)]
impl Shaper {
    /// The answer of a tool that an adapter adds, for hosts that have measured it themselves.
    pub fn answer(
        &self,
        tool: Option<&str>,
        text: &str,
        image: Option<String>,
        is_error: bool,
        client: Option<&str>,
    ) -> ShapedResult {
        let Settings { encoding, receipt, .. } = *self.policy().settings(tool);
        let receipt = Receipt::unchanged(tool, (0, text.len()), Some(0), encoding, receipt);
        ShapedResult::answer(text, image, is_error, Some(receipt), client)
    }

    /// The tools that an adapter adds to a server's own, with or without a store, in the form of `tools/list`.
    ///
    /// ```
    /// let shaper = toolshape::Shaper::default();
    /// let names = |has_store, summarizes| -> Vec<String> {
    ///     shaper.added_tools(has_store, summarizes).iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    /// };
    /// assert_eq!(names(true, true), ["read_result", "summarize"]);
    /// assert!(names(false, false).is_empty());
    /// ```
    pub fn added_tools(&self, has_store: bool, summarizes: bool) -> Vec<Value> {
        let read = has_store.then(|| read_result_within(self.policy().settings(Some(READ_RESULT))));
        read.into_iter().chain(summarizes.then(|| summarize_tool(has_store))).collect()
    }
}

/// Refuses a tool of a server or an agent that has the name of one that an adapter `added`: which of the two a model calls is
/// for the author to say.
///
/// # Errors
/// `INVALID_CALL`, with what to do.
///
/// ```
/// assert!(toolshape::host::check_tool_name("list", &["read_result"]).is_ok());
/// assert!(toolshape::host::check_tool_name("read_result", &["read_result"]).is_err());
/// ```
pub fn check_tool_name(name: &str, added: &[&str]) -> Result<(), Error> {
    if !added.contains(&name) {
        return Ok(());
    }
    let remedy = match name {
        "summarize" => "leave out the option summarize",
        _ => "choose another name for toolshape's with the option readTool (read_tool in Python)",
    };
    let message = format!("there is a tool {name}, and toolshape adds one of that name: rename that tool, or {remedy}");
    Err(Error::new(ErrorCode::InvalidCall, message, ""))
}

/// The template of the addresses of stored results, in the form of `resources/templates/list`.
///
/// ```
/// assert_eq!(toolshape::host::result_template()["uriTemplate"], "toolshape://result/{id}");
/// ```
pub fn result_template() -> Value {
    json!({
        "uriTemplate": format!("{SCHEME}{{id}}"),
        "name": "toolshape-result",
        "title": "A stored result",
        "description": "The whole of a tool's result that was too large to show, in parts that fit",
        "mimeType": "application/json",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Policy;
    use crate::host::Naming;

    #[test]
    fn servers_in_typescript_list_the_same_template() {
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("pkg-templates/src/mcp/template.ts");
        let source = std::fs::read_to_string(file).unwrap().replace("${PREFIX}", SCHEME);
        for (name, value) in result_template().as_object().unwrap() {
            assert!(source.contains(value.as_str().unwrap()), "{name}: {value}");
        }
    }

    #[test]
    fn the_limits_of_read_result_are_those_of_its_policy() {
        let most = |policy: Value| {
            let shaper = Shaper::new(Policy::new(&policy, Naming::Camel).unwrap());
            shaper.added_tools(true, false)[0]["inputSchema"]["properties"]["pageSize"]["maximum"].clone()
        };
        assert_eq!(most(json!({})), 1000);
        assert_eq!(most(json!({ "maxPageSize": 50 })), 50);
        assert_eq!(most(json!({ "maxPageSize": 50, "tools": { "read_result": { "maxPageSize": 70 } } })), 70);
    }
}
