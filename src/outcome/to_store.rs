//! What must be in the store before a result may name it.

/// A whole result for a store.
///
/// The result that came with it must not be sent until the store has it.
///
/// ```
/// use serde_json::json;
/// use toolshape::host::Naming;
/// use toolshape::{Call, Shaper};
///
/// let rows = json!((0..10_000).collect::<Vec<_>>()).to_string();
/// let call = Call::new(&json!({ "tool": "list", "store": true }), Naming::Camel)?;
/// let shaped = Shaper::default().shape_json(&rows, &call)?;
/// let keep = shaped.keep.expect("a page leaves something out");
/// let handle = keep.ticket.strip_suffix(".handle").unwrap();
/// assert!(shaped.text.contains(&format!("toolshape://result/{handle}")));
/// let (name, content) = (keep.key, keep.content.unwrap_or(rows));
/// assert!(name.ends_with(".json") && content.starts_with("[0,1,2,"));
/// # Ok::<(), toolshape::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keep {
    /// 64 hexadecimal digits.
    pub id: String,
    /// The key in the store: the id, and `.json` or `.txt`.
    pub key: String,
    /// The key under which the store must have the [ticket](crate::Shaper::ticket) too, after the content: the handle
    /// that the result names, and `.handle`.
    pub ticket: String,
    /// Whose result it is, as a name that tells nothing of the call's scope; `None` without a scope.
    pub owner: Option<String>,
    /// JSON, minified and otherwise as the tool returned it, or the tool's plain text.
    ///
    /// `None` if it is byte for byte the given text, or a text that the value's host holds and was told to keep
    /// ([`Source::keep_whole`](crate::Source::keep_whole)): it may be long, so it is not copied.
    pub content: Option<String>,
}
