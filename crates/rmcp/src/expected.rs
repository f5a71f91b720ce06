//! For tests of a server: what a tool's result is expected to be.

use rmcp::model::CallToolResult;
use serde_json::Value;
use toolshape::host::{Expected, Naming};

/// Checks that the result of a tool, as a client got it, fits, and shows certain fields.
///
/// `expected` has `maxTokens` (2000) of the content and of the structured content; `fields`, as `author.name` or `/author/name`,
/// that an object in the result has; `client`, whose limit of tokens also applies; `encoding`; and `isError` (false).
///
/// # Panics
/// With all that is not as expected, and for what cannot be expected.
///
/// ```
/// use rmcp::model::{CallToolResult, ContentBlock};
/// use toolshape_rmcp::{assert_fits, json};
/// let result = CallToolResult::success(vec![ContentBlock::text(r#"[{"id":1,"title":"a"}]"#)]);
/// assert_fits(&result, json!({ "maxTokens": 500, "fields": ["id", "title"] }));
/// ```
#[track_caller]
pub fn assert_fits(result: &CallToolResult, expected: Value) {
    let unmet = Expected::new(&expected, Naming::Camel).map_or_else(
        |error| vec![error.message().to_owned()],
        |expected| expected.unmet(&serde_json::to_value(result).unwrap_or_default()),
    );
    assert!(unmet.is_empty(), "{}", unmet.join("; "));
}
