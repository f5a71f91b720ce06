//! What a search looks for: a text in any case.

use std::ops::ControlFlow;

use toolshape_text::any_case::AnyCase;

use crate::base::work::{Going, Work};

use super::prefilter::Prefilter;

/// A text to look for, ready to be compared.
pub(super) struct Sought {
    any_case: AnyCase,
    lower: String,
}

impl Sought {
    pub fn new(text: &str) -> Self {
        Self { any_case: AnyCase::new(text), lower: text.to_lowercase() }
    }

    /// Where matches may be in JSON text; `None` if they may be anywhere.
    pub fn prefilter<'t>(&self, json: &'t str) -> Option<Prefilter<'t>> {
        Prefilter::new(&self.lower, json)
    }

    /// Where a match begins first.
    pub fn first(&mut self, text: &str, work: &Work) -> Going<Option<usize>> {
        let mut first = None;
        self.each(text, work, &mut |at| {
            first = Some(at);
            false
        })?;
        ControlFlow::Continue(first)
    }

    /// Calls `found` for places where a match begins, in ascending order, until it returns false: for at least one place in
    /// each line that has any.
    pub fn each(&mut self, text: &str, work: &Work, found: &mut dyn FnMut(usize) -> bool) -> Going {
        work.spend(text.len())?;
        self.any_case.each(text, found);
        ControlFlow::Continue(())
    }
}
