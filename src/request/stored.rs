//! Where the whole result of a call is stored, and what a result says about it.

use crate::base::members::Members;
use crate::request::handle::Handle;
use crate::request::policy::ROOM_FOR_TWO;

/// What a result says about the store.
#[derive(Clone, Debug)]
pub(crate) enum Stored {
    /// The whole result is stored, or will be before this result is sent.
    At {
        handle: Handle,
        /// Whether the store answered the call, and not the tool.
        is_source: bool,
        /// Whether cursors contain the handle, so that the next pages come from the stored result.
        is_snapshot: bool,
    },
    /// The store could not store it, for this reason.
    Failed(String),
}

impl Stored {
    /// Writes the address of the whole result, or why there is none.
    ///
    /// `has_cursor` is whether the result has a cursor to its rest.
    pub fn write(&self, has_cursor: bool, budget: usize, out: &mut Members) {
        match self {
            Self::At { handle, .. } if self.tells_uri(has_cursor, budget) => out.text("uri", &handle.uri()),
            Self::At { .. } => {}
            Self::Failed(reason) => out.text("storeFailed", reason),
        }
    }

    /// Whether the result contains the address. It does not if a cursor contains the handle too and there is little room.
    pub fn tells_uri(&self, has_cursor: bool, budget: usize) -> bool {
        matches!(self, Self::At { is_snapshot, .. } if !(*is_snapshot && has_cursor && budget < ROOM_FOR_TWO))
    }

    /// The handle of the whole result, if it is stored.
    pub fn handle(&self) -> Option<Handle> {
        match self {
            Self::At { handle, .. } => Some(*handle),
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

    /// The handle that cursors contain, if they contain one.
    pub fn snapshot(&self) -> Option<Handle> {
        match self {
            Self::At { handle, is_snapshot: true, .. } => Some(*handle),
            _ => None,
        }
    }
}
