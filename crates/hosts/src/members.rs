//! A member of a JSON text, set or taken out; all else stays as it is.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstRootNode};

use crate::Refusal;

/// A byte order mark, which hosts read over.
pub(crate) const BOM: char = '\u{feff}';

/// Sets the member `name` in the object at a path, or takes it out.
pub(crate) fn set_member(
    text: &str,
    path: &[&str],
    name: &str,
    value: Option<CstInputValue>,
) -> Result<String, Refusal> {
    let (mark, text) = text.split_at(if text.starts_with(BOM) { BOM.len_utf8() } else { 0 });
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    let root = CstRootNode::parse(text, &ParseOptions::default()).map_err(|error| Refusal(error.to_string()))?;
    let mut object = root.object_value_or_create().ok_or_else(|| Refusal("it is not a JSON object".to_owned()))?;
    for name in path {
        object = match (object.object_value(name), &value) {
            (Some(found), _) => found,
            (None, None) => return Ok([mark, text].concat()),
            (None, Some(_)) => {
                object.object_value_or_create(name).ok_or_else(|| Refusal(format!("{name} is not an object")))?
            }
        };
    }
    match (object.get(name), value) {
        (Some(found), Some(value)) => found.set_value(value),
        (Some(found), None) => found.remove(),
        (None, Some(value)) => _ = object.append(name, value),
        (None, None) => {}
    }
    Ok(format!("{mark}{root}"))
}
