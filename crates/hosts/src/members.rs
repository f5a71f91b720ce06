//! A member of a JSON text, set or taken out; all else stays as it is.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstRootNode};

use crate::Refusal;

/// Sets the flag `name` in the object `table`, or takes it out. Comments stay.
///
/// # Errors
/// Text that is not JSON, or has something else in these places.
///
/// ```
/// let with = toolshape_hosts::set_flag("{ \"maxTokens\": 1 } // mine\n", "tools", "shot", Some(false))?;
/// assert!(with.contains("\"shot\": false") && with.ends_with("// mine\n"));
/// # Ok::<(), toolshape_hosts::Refusal>(())
/// ```
pub fn set_flag(text: &str, table: &str, name: &str, flag: Option<bool>) -> Result<String, Refusal> {
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    let root = CstRootNode::parse(text, &ParseOptions::default()).map_err(|error| Refusal(error.to_string()))?;
    let object = root.object_value_or_create().ok_or_else(|| Refusal("it is not a JSON object".to_owned()))?;
    let table = match (object.object_value(table), flag) {
        (Some(found), _) => found,
        (None, None) => return Ok(text.to_owned()),
        (None, Some(_)) => {
            object.object_value_or_create(table).ok_or_else(|| Refusal(format!("{table} is not an object")))?
        }
    };
    match (table.get(name), flag) {
        (Some(found), Some(flag)) => found.set_value(CstInputValue::Bool(flag)),
        (Some(found), None) => found.remove(),
        (None, Some(flag)) => _ = table.append(name, CstInputValue::Bool(flag)),
        (None, None) => {}
    }
    Ok(root.to_string())
}
