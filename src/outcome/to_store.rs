//! What must be in the store before a result may name it.

/// A whole result for a store.
///
/// The result that came with it must not be sent until the store has it.
///
/// ```
/// use toolshape::{Call, Shaper};
///
/// let rows: Vec<_> = (0..10_000).collect();
/// let shaped = Shaper::default().shape(&rows, &Call::tool("list").with_store())?;
/// let keep = shaped.keep.expect("a page leaves something out");
/// let handle = keep.ticket.strip_suffix(".handle").unwrap();
/// assert!(shaped.text.contains(&format!("toolshape://result/{handle}")));
/// let (name, content) = (keep.key, keep.content.unwrap());
/// assert!(name.ends_with(".json") && content.starts_with("[0,1,2,"));
/// # Ok::<(), toolshape::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Keep {
    /// 64 hexadecimal digits.
    pub id: String,
    /// The key in the store: the id, and `.json` or `.txt`.
    pub key: String,
    /// The key under which the store must have the [ticket](crate::Shaper::ticket) too, after the content: the handle
    /// that the result names, and `.handle`.
    pub ticket: String,
    /// Whose result it is, as a name that reveals nothing about the call's scope; `None` without a scope.
    pub owner: Option<String>,
    /// JSON, minified and otherwise as the tool returned it, or the tool's plain text.
    ///
    /// `None` if it is byte for byte the text that was given to [`shape_json`](crate::Shaper::shape_json) or
    /// [`shape_text`](crate::Shaper::shape_text): it may be long, so it is not copied. A host's value may keep its own text
    /// likewise (`Source::keep_whole`).
    pub content: Option<String>,
    /// What it is, in a few words: its rows and keys, or its first line, and its size.
    pub about: String,
    /// The images that the result leaves out next to a text that it shortens: stored likewise, under a handle of their own.
    pub images: Option<Box<Keep>>,
}
