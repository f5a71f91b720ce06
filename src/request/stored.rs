//! Where the whole result of a call is stored, and what a result says of it.

use crate::base::members::Members;
use crate::request::stored_id::Id;

/// A budget below this has room for one handle: where a cursor names the stored result, the address is left out.
const ROOM_FOR_TWO: usize = 400;

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
    /// Writes the address of the whole, or why there is none.
    ///
    /// `has_cursor` says whether the result has a cursor to its rest.
    pub fn write(&self, has_cursor: bool, budget: usize, out: &mut Members) {
        match self {
            Self::At { id, .. } if self.tells_uri(has_cursor, budget) => out.text("uri", &id.uri()),
            Self::At { .. } => {}
            Self::Failed(reason) => out.text("storeFailed", reason),
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

    /// Where a page comes from.
    pub fn source(&self) -> Option<&'static str> {
        match self {
            Self::At { is_source: true, .. } => Some("snapshot"),
            Self::At { .. } => Some("live"),
            Self::Failed(_) => None,
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
