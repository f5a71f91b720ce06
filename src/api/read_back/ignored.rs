//! What a call of `read_result` names and its answer does not depend on, so that the answer can say so.

use crate::base::members::Members;
use crate::request::call::Controls;

use super::arguments::WhatToRead;
use super::question::Question;

/// The arguments that are ignored.
#[derive(Default)]
pub(super) struct Ignored(Vec<&'static str>);

impl Ignored {
    /// Of a call about a text or about JSON; `has_context` says whether it has `context`.
    pub fn of(
        what: &WhatToRead,
        question: Option<&Question>,
        is_text: bool,
        has_context: bool,
        controls: &Controls,
    ) -> Self {
        let is_search = matches!(what, WhatToRead::Search { .. });
        let shows_lines = is_text && matches!(what, WhatToRead::Search { counts: false, .. });
        let has_no_fields = is_search || matches!(what, WhatToRead::Lines(_) | WhatToRead::Outline(..));
        let is_one_object = question.is_some_and(|asked| asked.group.is_empty() && !asked.aggregates.is_empty());
        let has_no_pages =
            is_one_object || matches!(what, WhatToRead::Lines(_) | WhatToRead::Search { counts: true, .. });
        let has_sort = question.is_some_and(|asked| !asked.sort.is_empty());
        let all = [
            ("context", has_context && !shows_lines),
            ("fields", !controls.fields.is_empty() && has_no_fields),
            ("sort", has_sort && is_one_object),
            ("pageSize", controls.page_size.is_some() && has_no_pages),
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
