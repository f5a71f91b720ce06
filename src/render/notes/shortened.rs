//! How to see a shortened value in full.

use crate::request::context::{Context, HowToAsk};

/// Where a shortened value is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shortened {
    /// On a page of rows.
    OnPage,
    /// In an object that is not paged, or beside a list.
    InObject,
}

impl Shortened {
    /// The end of a sentence; `uri` is the member that holds the address of the stored result, if there is one.
    pub fn in_full(self, uri: Option<&str>, cx: &Context<'_>) -> String {
        if let Some(uri) = uri {
            return format!("call read_result with handle set to {uri} and pointer to its pointer.");
        }
        if cx.how_to_ask == HowToAsk::ReadResult {
            return "call again with the same handle and pointer set to its pointer, nothing else.".to_owned();
        }
        let (fields, cursor) = (cx.call.argument("fields"), cx.call.argument("cursor"));
        match (self, cx.keyset()) {
            (Self::OnPage, Some(_)) => format!("repeat this call with {fields} set to [its pointer]."),
            (Self::OnPage, None) => {
                format!("call again with {fields} set to [its pointer], without page and {cursor}.")
            }
            (Self::InObject, _) => format!("call again with {fields} set to [its pointer], without {cursor}."),
        }
    }
}
