//! What has to be in the store before a result may tell of it, and what the result then tells.

use crate::boundary;
use crate::error::Error;
use crate::handle::{Form, Id};
use crate::literal;
use crate::shape::{Run, own_text};
use crate::source::Source;

/// A budget below this has room for one handle: where a cursor names the stored result, the address is left out.
const ROOM_FOR_TWO: usize = 400;
/// As much of a store's fault is told.
const REASON_CHARS: usize = 100;

/// A whole result as a store is to hold it.
///
/// Until the store has it, the result that came with it must not be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keep {
    /// 64 hexadecimal digits: the handle.
    pub id: String,
    /// The name in the store: the id, and `.json` or `.txt`.
    pub key: String,
    /// JSON, minified and otherwise as the tool gave it, or the tool's plain text.
    pub content: String,
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
            Self::At { is_snapshot: true, .. } if has_cursor && budget < ROOM_FOR_TWO => String::new(),
            Self::At { id, .. } => format!("\"{mark}uri\":\"{}\",", id.uri()),
            Self::Failed(reason) => format!("\"{mark}storeFailed\":{},", literal::quoted(reason)),
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

impl Run<'_, '_> {
    /// Where the whole result is stored; `None` without a store. What is to be stored is made at the first call.
    pub fn stored(&self) -> Result<Option<Stored>, Error> {
        if let Some(stored) = self.stored.get() {
            return Ok(stored.clone());
        }
        let stored = self.store()?;
        Ok(self.stored.get_or_init(|| stored).clone())
    }

    fn store(&self) -> Result<Option<Stored>, Error> {
        if let Some(reason) = self.call.store_failure() {
            let cut =
                reason.char_indices().nth(REASON_CHARS).map_or(reason.len(), |(at, _)| boundary::floor(reason, at));
            return Ok(Some(Stored::Failed(reason[..cut].to_owned())));
        }
        let is_snapshot = self.settings.snapshot;
        if let Some(id) = self.snapshot {
            return Ok(Some(Stored::At { id, is_source: true, is_snapshot }));
        }
        // Rows that the author's own query fetched are no whole.
        let Some((value, _)) = self.asked.as_ref().filter(|_| self.call.has_store() && self.keyset.is_none()) else {
            return Ok(None);
        };
        let (form, content) = match self.is_text {
            true => (Form::Text, own_text(value, None)?),
            false => (Form::Json, value.json()?.into_owned()),
        };
        let id = Id::of(&content, self.call.scope(), &self.settings.cursor_keys);
        self.keep.replace(Some(Keep { id: id.to_string(), key: form.key(&id), content }));
        Ok(Some(Stored::At { id, is_source: false, is_snapshot }))
    }
}
