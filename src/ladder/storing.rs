//! What has to be in the store before a result may tell of it, and what the result then tells.

use crate::base::error::Error;
use crate::base::text_cuts;
use crate::ladder::run::Run;
use crate::outcome::shaped::Outcome;
use crate::outcome::shaped::Shaped;
use crate::outcome::stored_content::{self, Whole};
use crate::render::offload::{Description, Offloaded};
use crate::request::call::Controls;
use crate::request::context::Context;
use crate::request::policy::{Overflow, Settings};
use crate::request::stored::Stored;
use crate::request::stored_id::{Form, Namer};
use crate::value::any_source::AnySource;

/// As much of a store's fault is told.
const REASON_CHARS: usize = 100;

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
                let description = &Description::of(value, whole.form)?;
                Offloaded { whole, estimated_tokens: self.before.0, description }.fit(cx)
            }
            None => None,
        };
        Ok(fit.map(|fit| self.keeping(self.finish(fit.text, fit.tokens, vec!["offload"], Outcome::Changed))))
    }

    fn store(&self) -> Result<Option<Stored>, Error> {
        if let Some(reason) = self.call.store_failure() {
            return Ok(Some(Stored::Failed(text_cuts::start(reason, REASON_CHARS).to_owned())));
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
