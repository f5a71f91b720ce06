//! How to see a shortened value in full.

use crate::request::handle::Handle;
use crate::request::view::{HowToAsk, View};

use super::repeat_with;

/// Where a shortened value is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shortened {
    /// On a page of rows.
    OnPage,
    /// In an object that is not paged, or beside a list.
    InObject,
}

impl Shortened {
    /// The end of a sentence; `handle` is that of the stored result, if the result tells it.
    pub fn in_full(self, handle: Option<Handle>, cx: &View<'_>) -> String {
        if let Some(handle) = handle {
            return format!("call read_result with handle set to {handle} and pointer set to its pointer.");
        }
        let cursor = cx.call.argument("cursor");
        let repeat = repeat_with(cx.call.argument("fields"), "[its pointer]");
        match (cx.how_to_ask, self) {
            (HowToAsk::ReadResult, _) => {
                "call again with the same handle, pointer set to its pointer, and nothing else.".to_owned()
            }
            (HowToAsk::Keyset, Self::OnPage) => format!("{repeat}."),
            (HowToAsk::Tool, Self::OnPage) => format!("{repeat}, without page and {cursor}."),
            (HowToAsk::Tool | HowToAsk::Keyset, Self::InObject) => format!("{repeat}, without {cursor}."),
        }
    }
}
