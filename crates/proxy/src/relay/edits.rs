//! A line with some of its parts replaced; all other bytes are unchanged.

use std::ops::Range;

use toolshape::host::{JsonText, Quoted, Source, sort_by_key};

/// The replacements in a line.
pub(super) struct Edits<'l> {
    line: &'l str,
    parts: Vec<(Range<usize>, String)>,
}

impl<'l> Edits<'l> {
    pub fn of(line: &'l str) -> Self {
        Self { line, parts: Vec::new() }
    }

    /// Whether nothing is replaced.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Replaces a part of the line; parts do not overlap.
    pub fn replace(&mut self, part: &str, with: String) {
        self.parts.push((place(self.line, part), with));
    }

    /// Removes the members of an object that are wanted no more, each with one of its commas.
    pub fn remove_members(&mut self, object: &JsonText<'_>, is_removed: impl Fn(&str) -> bool) {
        let Ok(members) = object.entries() else { return };
        let members = members.iter().map(|(key, value)| (value.span(), is_removed(&Quoted::new(key).text())));
        self.remove(object.span(), members);
    }

    /// The same for the items of a list, by their texts in the line.
    pub fn remove_items(&mut self, list: &JsonText<'_>, is_removed: impl Fn(&str) -> bool) {
        let Ok(items) = list.items(0, usize::MAX) else { return };
        self.remove(list.span(), items.iter().map(|item| (item.span(), is_removed(item.span()))));
    }

    /// Removes members of an object or a list, by the values of all its members.
    fn remove<'m>(&mut self, container: &str, members: impl Iterator<Item = (&'m str, bool)>) {
        let (mut at, mut keeps) = (place(self.line, container).start + 1, false);
        for (value, is_removed) in members {
            let end = place(self.line, value).end;
            let mut part = at..end;
            at = end;
            if !is_removed {
                keeps = true;
                continue;
            }
            // Before the first that stays, the comma after a member goes with it.
            if !keeps
                && let Some(comma) =
                    self.line[end..].find([',', '}', ']']).filter(|at| self.line[end + at..].starts_with(','))
            {
                part.end += comma + 1;
                at = part.end;
            }
            self.parts.push((part, String::new()));
        }
    }

    /// Adds text before the last byte of a part: the bracket of an array or of an object.
    pub fn add_inside(&mut self, part: &str, text: String) {
        let at = place(self.line, part).end - 1;
        self.parts.push((at..at, text));
    }

    /// The edited line.
    pub fn apply(mut self) -> String {
        sort_by_key(&mut self.parts, |(part, _)| part.start);
        let (mut out, mut at) = (String::with_capacity(self.line.len()), 0);
        for (part, with) in self.parts {
            out.push_str(&self.line[at..part.start]);
            out.push_str(&with);
            at = part.end;
        }
        out.push_str(&self.line[at..]);
        out
    }
}

/// Where a part of a line is in it.
pub(super) fn place(line: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr() as usize - line.as_ptr() as usize;
    start..start + part.len()
}
