//! The fields that the filters of a query look at and none of the values that they test has: they may be misspelled.

use std::ops::ControlFlow;

use crate::base::field_path::FieldPath;
use crate::base::json_string::Quoted;
use crate::base::work::{Going, Work};
use crate::value::json_text::JsonText;

use super::document::MemberKey;
use super::evaluate::Search;
use super::query::{Filter, Query, Selector};

/// The fields, as they are written; none of a filter that tests no value, and none where finding out takes more than half of
/// the work that is left.
pub(crate) fn unmet<'q>(query: &'q Query, text: &JsonText<'_>, work: &Work) -> Vec<&'q str> {
    let mut unmet = Vec::new();
    let _ = work.with_half(|work| {
        let search = Search::new(text, work);
        for (at, segment) in query.segments.iter().enumerate() {
            for selector in &segment.selectors {
                if let Selector::Filter(filter) = selector {
                    unmet.extend(search.unmet_of(filter, query, at)?);
                }
            }
        }
        ControlFlow::Continue(())
    });
    unmet
}

impl<'a> Search<'_, 'a> {
    /// Those of a filter that is in a segment of the query.
    fn unmet_of<'q>(&self, filter: &'q Filter, query: &Query, segment: usize) -> Going<Vec<&'q str>> {
        let mut unmet: Vec<&FieldPath> = filter.paths.iter().collect();
        let mut tests_any = false;
        let end = self.members_at(query, segment, &mut |value| {
            tests_any = true;
            let mut at = 0;
            while at < unmet.len() {
                match self.has(unmet[at].segments(), value)? {
                    true => drop(unmet.swap_remove(at)),
                    false => at += 1,
                }
            }
            if unmet.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if unmet.is_empty() || !tests_any {
            return ControlFlow::Continue(Vec::new());
        }
        end?;
        ControlFlow::Continue(filter.paths.iter().filter(|path| unmet.contains(path)).map(FieldPath::written).collect())
    }

    /// Whether a value has a field at a path of names.
    fn has(&self, path: &[String], value: usize) -> Going<bool> {
        let mut at = value;
        for name in path {
            let mut found = None;
            let end = self.document.members(at, |member, start| match member {
                MemberKey::Key(key) if Quoted::new(key).is(name) => {
                    found = Some(start);
                    ControlFlow::Break(())
                }
                _ => ControlFlow::Continue(()),
            });
            match found {
                Some(start) => at = start,
                None => return end.map_continue(|()| false),
            }
        }
        ControlFlow::Continue(true)
    }
}
