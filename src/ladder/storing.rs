//! What has to be in the store before a result may tell of it, and what the result then tells.

use crate::api::shaper::Shaped;
use crate::base::error::Error;
use crate::base::json_string;
use crate::base::text_cuts;
use crate::ladder::run::{Outcome, Run};
use crate::outcome::stored_content::{self, Whole};
use crate::render::offload::{Offloaded, Schema};
use crate::request::call::Controls;
use crate::request::context::Context;
use crate::request::policy::{Overflow, Settings};
use crate::request::stored_id::{Form, Id, Namer};
use crate::value::any_source::AnySource;

/// A budget below this has room for one handle: where a cursor names the stored result, the address is left out.
const ROOM_FOR_TWO: usize = 400;
/// As much of a store's fault is told.
const REASON_CHARS: usize = 100;

/// A whole result as a store is to hold it.
///
/// Until the store has it, the result that came with it must not be told.
///
/// ```
/// use serde_json::json;
/// use toolshape::{Call, Naming, Shaper};
///
/// let rows = json!((0..100).collect::<Vec<_>>()).to_string();
/// let call = Call::new(&json!({ "tool": "list", "store": true }), Naming::Camel)?;
/// let shaped = Shaper::default().shape_json(&rows, &call)?;
/// let keep = shaped.keep.expect("a page leaves something out");
/// assert!(shaped.text.contains(&format!("toolshape://result/{}", keep.id)));
/// let (name, content) = (keep.key, keep.content.unwrap_or(rows));
/// assert!(name.ends_with(".json") && content.starts_with("[0,1,2,"));
/// # Ok::<(), toolshape::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keep {
    /// 64 hexadecimal digits: the handle.
    pub id: String,
    /// The name in the store: the id, and `.json` or `.txt`.
    pub key: String,
    /// JSON, minified and otherwise as the tool gave it, or the tool's plain text.
    ///
    /// `None` where that is the text that was handed in, to the byte, or one that the value's host holds
    /// ([`Source::holds_whole`](crate::Source::holds_whole)): it may be long, so it is not copied.
    pub content: Option<String>,
}

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

impl Run<'_, '_> {
    /// Where the whole result is stored; `None` without a store. What is to be stored is read at the first call.
    pub fn stored(&self) -> Result<Option<Stored>, Error> {
        if let Some(stored) = self.stored.get() {
            return Ok(stored.clone());
        }
        let stored = self.store()?;
        Ok(self.stored.get_or_init(|| stored).clone())
    }

    /// A result that tells of the store, with what has to be in it.
    pub fn keeping(&self, shaped: Shaped) -> Shaped {
        let whole = self.whole.take().filter(|_| !shaped.is_error);
        Shaped { keep: whole.map(Whole::into_keep), ..shaped }
    }

    /// The result as its handle, where the policy wants that of one so large.
    pub fn offloaded(&self, value: &AnySource<'_>, cx: &Context<'_>) -> Result<Option<Shaped>, Error> {
        let Settings { overflow, offload_over, .. } = *self.settings;
        let is_small = |most| Ok::<_, Error>(self.measure.json_within(value, most)?.is_some());
        if overflow != Overflow::Offload || !self.can_offload() || is_small(offload_over.max(cx.budget))? {
            return Ok(None);
        }
        self.as_handle(cx)
    }

    /// Whether the whole result can be stored, and the call asks for no part of it.
    fn can_offload(&self) -> bool {
        let asks_whole = self.asked.as_ref().is_some_and(|(_, controls)| {
            let Controls { page, page_size, cursor, fields, .. } = controls;
            page.is_none_or(|page| page == 1) && page_size.is_none() && cursor.is_none() && fields.is_empty()
        });
        asks_whole && self.call.has_store() && self.call.store_failure().is_none() && self.keyset.is_none()
    }

    /// The whole result as its handle, if it can be stored; `None` where not even a handle fits.
    pub fn as_handle(&self, cx: &Context<'_>) -> Result<Option<Shaped>, Error> {
        let Some((value, _)) = self.asked.as_ref().filter(|_| self.can_offload()) else { return Ok(None) };
        self.stored()?;
        let fit = match &*self.whole.borrow() {
            Some(whole) => {
                let schema = &Schema::of(value, whole.form)?;
                Offloaded { whole, estimated_tokens: self.before.0, schema }.fit(cx)
            }
            None => None,
        };
        Ok(fit.map(|fit| self.keeping(self.finish(fit.text, fit.tokens, vec!["offload"], Outcome::Changed))))
    }

    fn store(&self) -> Result<Option<Stored>, Error> {
        if let Some(reason) = self.call.store_failure() {
            let cut =
                reason.char_indices().nth(REASON_CHARS).map_or(reason.len(), |(at, _)| text_cuts::floor(reason, at));
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
        let form = if self.is_text { Form::Text } else { Form::Json };
        let whole = stored_content::read(
            value,
            self.given,
            self.is_lent,
            form,
            Namer::new(self.call.scope(), &self.settings.cursor_keys),
        )?;
        let id = whole.id;
        self.whole.replace(Some(whole));
        Ok(Some(Stored::At { id, is_source: false, is_snapshot }))
    }
}
