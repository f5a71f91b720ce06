//! Where the whole result of a call is stored, and what a result says of it.

use crate::base::json_string;
use crate::request::stored_id::Id;

/// A budget below this has room for one handle: where a cursor names the stored result, the address is left out.
const ROOM_FOR_TWO: usize = 400;
/// How to get a shortened value in full from the store, as the end of a sentence; `uri` names the address.
pub(crate) fn way_to_part(uri: &str) -> String {
    format!("call read_result with handle set to {uri} and pointer to its pointer.")
}

/// What a result tells of the store.
#[derive(Clone, Debug)]
pub(crate) enum Stored {
    /// The whole result is there, or will be before this one is told.
    At {
        id: Id,
        /// Whether the call was answered from the store, and not by the tool.
        is_source: bool,
        /// Whether cursors name it, so that the next pages come from it.
        is_snapshot: bool,
    },
    /// The store could not take it.
    Failed(String),
}

impl Stored {
    /// JSON members, each with a comma after it: the address of the whole, or why there is none.
    ///
    /// `mark` stands before their names; `has_cursor` says whether the result has a cursor to its rest.
    pub fn members(&self, mark: &str, has_cursor: bool, budget: usize) -> String {
        match self {
            Self::At { id, .. } if self.tells_uri(has_cursor, budget) => format!("\"{mark}uri\":\"{}\",", id.uri()),
            Self::At { .. } => String::new(),
            Self::Failed(reason) => format!("\"{mark}storeFailed\":{},", json_string::quoted(reason)),
        }
    }

    /// Whether the address is told: not where a cursor holds it too, and there is little room.
    pub fn tells_uri(&self, has_cursor: bool, budget: usize) -> bool {
        matches!(self, Self::At { is_snapshot, .. } if !(*is_snapshot && has_cursor && budget < ROOM_FOR_TWO))
    }

    /// The address of the whole, if it is there.
    pub fn address(&self) -> Option<String> {
        match self {
            Self::At { id, .. } => Some(id.uri()),
            Self::Failed(_) => None,
        }
    }

    /// The JSON member that says where a page comes from, with a comma before it.
    pub fn source(&self) -> &'static str {
        match self {
            Self::At { is_source: true, .. } => ",\"source\":\"snapshot\"",
            Self::At { .. } => ",\"source\":\"live\"",
            Self::Failed(_) => "",
        }
    }

    /// What cursors name, if they are to.
    pub fn snapshot(&self) -> Option<Id> {
        match self {
            Self::At { id, is_snapshot: true, .. } => Some(*id),
            _ => None,
        }
    }
}
