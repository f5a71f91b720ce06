//! The error for a field that does not exist, and the fields that do: those below the deepest part of it that exists, the most
//! similar first.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use crate::base::error::{Error, ErrorCode};
use crate::base::field_path::{FieldPath, MAX_STEPS};
use crate::base::json_pointer;
use crate::base::json_string::Quoted;
use crate::base::similar_names;
use crate::base::text_cuts;
use crate::base::work::Work;
use crate::value::field_search::{self, NESTED_ARRAYS, SAMPLE};
use crate::value::project::join;
use crate::value::sampling::evenly;
use crate::value::source::{Kind, Source, items_at};

/// How far below the part that exists fields are listed, and how many.
const LISTED_DEPTH: usize = 3;
const LISTED_FIELDS: usize = 200;

/// The error for an unknown field, and the fields that exist. `of_wildcards` ends the message about a field that has one.
///
/// # Errors
/// Whatever reading the value reports.
pub(crate) fn unknown_field_error<S: Source>(
    value: &S,
    field: &FieldPath,
    of_wildcards: &str,
    work: &Work,
) -> Result<(Error, Vec<String>), Error> {
    let is_pointer = field.is_pointer();
    let mut names = BTreeSet::new();
    for known in (0..=known_steps(value, field, work)?).rev() {
        let listed = Listed { wanted: &field.segments()[..known], is_pointer };
        listed.add(value, &FieldPlace::default(), &mut names, work)?;
        if !names.is_empty() {
            break;
        }
    }
    let start = similar_names::start(field.written());
    let names = similar_names::closest_first(names.into_iter().map(Cow::Owned), start);
    let written = text_cuts::clipped(field.written(), text_cuts::SHOWN_CHARS);
    let is_wildcard = |step: &String| step == "*" || step.contains("[*]") || step.ends_with("[]");
    let note = if field.segments().iter().any(is_wildcard) { of_wildcards } else { "" };
    let error = Error::new(ErrorCode::UnknownField, format!("unknown field {written:?}{note}"), "/fields");
    Ok((error, names))
}

/// How many of a field's first steps the value has.
fn known_steps<S: Source>(value: &S, field: &FieldPath, work: &Work) -> Result<usize, Error> {
    let steps = &field.segments()[..field.segments().len().min(MAX_STEPS)];
    let parts: Vec<FieldPath> = (1..=steps.len()).map(|to| FieldPath::of_steps(&steps[..to])).collect();
    Ok(match field_search::found(value, &parts, work)? {
        ControlFlow::Continue(found) => found.iter().take_while(|found| **found).count(),
        ControlFlow::Break(()) => 0,
    })
}

/// How the fields of a value are listed.
struct Listed<'f> {
    /// The steps below which they are.
    wanted: &'f [String],
    /// Whether they are JSON Pointers with the indices of rows, because the wanted one is.
    is_pointer: bool,
}

/// A place in the value: how it is written, how many steps lead there, and how many levels of the value.
#[derive(Default)]
struct FieldPlace {
    written: String,
    steps: usize,
    level: usize,
}

impl Listed<'_> {
    /// Adds the paths of a value's fields, as many as are compared.
    fn add<S: Source>(
        &self,
        value: &S,
        at: &FieldPlace,
        names: &mut BTreeSet<String>,
        work: &Work,
    ) -> Result<(), Error> {
        let wanted = self.wanted.get(at.steps);
        match value.kind() {
            _ if at.level == MAX_STEPS + LISTED_DEPTH + NESTED_ARRAYS || work.step(0).is_break() => Ok(()),
            Kind::Array => self.add_rows(value, at, names, work),
            Kind::Object if at.steps < self.wanted.len() + LISTED_DEPTH => {
                let is_short = |key: &str| at.written.len() + key.len() <= similar_names::MAX_BYTES;
                let is_on_way = |key: &str| wanted.is_none_or(|wanted| Quoted::new(key).text() == *wanted);
                let mut taken = 0;
                let entries = value.entries_where(&mut |_, key| {
                    let is_taken = taken < LISTED_FIELDS && is_short(key) && is_on_way(key);
                    taken += usize::from(is_taken);
                    is_taken
                })?;
                for (key, child) in entries {
                    if names.len() >= LISTED_FIELDS {
                        break;
                    }
                    let name = Quoted::new(&key).text();
                    let written = match self.is_pointer {
                        true => format!("{}/{}", at.written, json_pointer::escape(&name)),
                        false => join(&at.written, &name),
                    };
                    let below = FieldPlace { written, steps: at.steps + 1, level: at.level + 1 };
                    self.add(&child, &below, names, work)?;
                    if wanted.is_none() {
                        names.insert(below.written);
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The same for rows: for the one that is named, or for some of them.
    fn add_rows<S: Source>(
        &self,
        rows: &S,
        at: &FieldPlace,
        names: &mut BTreeSet<String>,
        work: &Work,
    ) -> Result<(), Error> {
        let named = self.wanted.get(at.steps).and_then(|step| json_pointer::index(step));
        if let Some(index) = named.filter(|&index| index < rows.len()).or(self.is_pointer.then_some(0)) {
            let written = match self.is_pointer {
                true => format!("{}/{index}", at.written),
                false => join(&at.written, &index.to_string()),
            };
            // An index that nobody names is not a step.
            let below = FieldPlace { written, steps: at.steps + usize::from(named.is_some()), level: at.level + 1 };
            return rows.items(index, 1)?.iter().try_for_each(|row| self.add(row, &below, names, work));
        }
        let sample = items_at(rows, &evenly(rows.len(), SAMPLE))?;
        sample.iter().filter(|row| row.kind() == Kind::Object).try_for_each(|row| self.add(row, at, names, work))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json_text::JsonText;

    fn listed(json: &str, field: &str) -> (String, Vec<String>) {
        let value = JsonText::parse(json).unwrap();
        let (error, names) =
            unknown_field_error(&value, &FieldPath::parse(field), "; none", &Work::over(json.len())).unwrap();
        (error.message().to_owned(), names)
    }

    #[test]
    fn fields_are_listed_below_what_exists() {
        let json = r#"{"a":{"b":{"c":{"d":{"e":{"name":1,"size":2}}}},"x":3},"rows":[{"id":1,"at":{"y":2}}],"n":1}"#;
        for (field, first) in [
            ("a.b.c.d.e.nam", &["a.b.c.d.e.name", "a.b.c.d.e.size"][..]),
            ("a.*.name", &["a.b.c", "a.b.c.d", "a.b", "a.x"]),
            ("rows.ids", &["rows.id", "rows.at", "rows.at.y"]),
            ("rows.0.at.z", &["rows.0.at.y"]),
            ("/rows/0/ids", &["/rows/0/id", "/rows/0/at", "/rows/0/at/y"]),
            ("n.o", &["a.b", "a.x", "n"]),
        ] {
            let (_, names) = listed(json, field);
            assert_eq!(names[..first.len()], *first, "{field}");
        }
        assert_eq!(listed(json, "rows.ids").1.len(), 3);
    }

    #[test]
    fn a_wildcard_is_named() {
        for (field, has_note) in [("rows.*.id", true), ("rows[*].id", true), ("rows[].id", true), ("rows.a*", false)] {
            assert_eq!(listed(r#"{"rows":[{"id":1}]}"#, field).0.ends_with("; none"), has_note, "{field}");
        }
    }
}
