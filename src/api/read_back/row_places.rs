//! Where the rows of a value are: its items, the list that it mostly is, the entries of a map, or what a query finds.

use crate::base::error::Error;
use crate::base::json_pointer;
use crate::base::json_string::Quoted;
use crate::base::members::Members;
use crate::base::work::Work;
use crate::render::layout::ListLayout;
use crate::value::any_source::AnySource;
use crate::value::json_path::{self, Query};
use crate::value::json_text::JsonText;
use crate::value::source::{Kind, Source};

/// Places that an error names: the first or the most similar, so that the error stays short.
pub(super) const LISTED: usize = 20;
/// How deeply lists are looked for that an error names, and among how many keys.
const LISTED_DEPTH: usize = 4;
const LISTED_KEYS: usize = 200;

/// Where rows are.
pub(super) enum Located<'q> {
    /// The members of the array or object that begins there, at a pointer from the part.
    Members {
        start: usize,
        pointer: String,
    },
    Found(&'q Query),
}

impl Located<'_> {
    /// Writes where the rows are, unless it is where the call says.
    pub fn write(&self, base: &str, out: &mut Members) {
        if let Self::Members { pointer, .. } = self
            && !pointer.is_empty()
        {
            out.text("pointer", &format!("{base}{pointer}"));
        }
    }

    /// The fields that filters of the query look at and no value that they test has.
    pub fn unmet(&self, part: &JsonText<'_>, work: &Work) -> Vec<&str> {
        match self {
            Self::Members { .. } => Vec::new(),
            Self::Found(query) => json_path::unmet(query, part, work),
        }
    }
}

/// Finds the rows of a value, or those that a query finds in it: if that names one value which is a list, its rows.
///
/// # Errors
/// Whatever reading the value reports.
pub(super) fn locate<'q>(
    part: &JsonText<'_>,
    query: Option<&'q Query>,
    work: &Work,
) -> Result<Option<Located<'q>>, Error> {
    let Some(query) = query else { return members(part, part, "") };
    if query.is_singular()
        && let [one] = &json_path::find(query, part, work).matches[..]
        && let Some(located) = members(part, &part.value_at(one.start), &one.pointer())?
    {
        return Ok(Some(located));
    }
    Ok(Some(Located::Found(query)))
}

/// The rows of a value inside a part, which is at a pointer.
fn members<'q>(part: &JsonText<'_>, value: &JsonText<'_>, at: &str) -> Result<Option<Located<'q>>, Error> {
    let found = |list: &JsonText<'_>, pointer: String| Located::Members { start: part.start_of(list), pointer };
    let layout = ListLayout::new(AnySource::new(value.clone()));
    let Some(envelope) = layout.envelope()? else {
        return Ok((value.kind() == Kind::Array).then(|| found(value, at.to_owned())));
    };
    let tokens = json_pointer::tokens(&envelope.pointer).unwrap_or_default();
    Ok(value.at(&tokens).ok().map(|list| found(&list, format!("{at}{}", envelope.pointer))))
}

/// Pointers to lists inside a value at a pointer, those higher up first.
///
/// # Errors
/// Whatever reading the value reports.
pub(super) fn lists(value: &JsonText<'_>, base: &str) -> Result<Vec<String>, Error> {
    let mut found = Vec::new();
    let mut level = vec![(base.to_owned(), value.clone())];
    for _ in 0..LISTED_DEPTH {
        let mut below = Vec::new();
        for (pointer, object) in &level {
            let room = LISTED_KEYS.saturating_sub(below.len());
            for (key, value) in object.entries_where(&mut |at, _| at < room)? {
                let pointer = format!("{pointer}/{}", json_pointer::escape(&Quoted::new(&key).text()));
                match value.kind() {
                    Kind::Array => found.push(pointer),
                    Kind::Object => below.push((pointer, value)),
                    _ => {}
                }
                if found.len() == LISTED {
                    return Ok(found);
                }
            }
        }
        level = below;
    }
    Ok(found)
}
