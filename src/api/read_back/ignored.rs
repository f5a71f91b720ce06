//! What a call of `read_result` names and its answer does not depend on, so that the answer can say so.

use crate::base::members::Members;
use crate::request::call::Controls;

use super::arguments::WhatToRead;

/// The arguments that are ignored.
#[derive(Default)]
pub(super) struct Ignored(Vec<&'static str>);

impl Ignored {
    /// Of a call about a text or about JSON; `has_context` says whether it has `context`.
    pub fn of(what: &WhatToRead, is_text: bool, has_context: bool, controls: &Controls) -> Self {
        let is_search = matches!(what, WhatToRead::Search { .. });
        let has_no_fields = is_search || matches!(what, WhatToRead::Lines(_) | WhatToRead::Outline(..));
        let all = [
            ("context", has_context && !(is_text && is_search)),
            ("fields", !controls.fields.is_empty() && has_no_fields),
            ("pageSize", controls.page_size.is_some() && matches!(what, WhatToRead::Lines(_))),
        ];
        Self(all.into_iter().filter(|(_, is_ignored)| *is_ignored).map(|(name, _)| name).collect())
    }

    /// Takes them out of what the call controls.
    pub fn take_out_of(&self, controls: &mut Controls) {
        if self.0.contains(&"pageSize") {
            controls.page_size = None;
        }
        if self.0.contains(&"fields") {
            controls.fields.clear();
        }
    }

    /// Writes them, if there are any.
    pub fn write(&self, out: &mut Members) {
        if !self.0.is_empty() {
            out.texts("ignored", &self.0);
        }
    }
}
