//! What surrounds a list in a result: the object without the list, shortened to a share of the budget.

use crate::base::error::Error;
use crate::base::json_string::Quoted;
use crate::base::members::Members;
use crate::render::elide::{Elision, child_pointer};
use crate::render::opening::Opening;
use crate::request::context::Context;
use crate::value::source::{Entry, Kind, Source};

/// The object without some of its parts, and what of the rest is shortened.
#[derive(Clone, Debug, Default)]
pub(crate) struct Around {
    /// Empty if nothing surrounds the list.
    members: Members,
    pub elisions: Vec<Elision>,
}

impl Around {
    /// What `value` contains except the value at the `taken` path, in about `budget` tokens; nothing if it is not an object. `base` is
    /// the pointer to the value.
    ///
    /// The recursion is at most as deep as the path is long.
    pub fn of<S: Source>(
        value: &S,
        taken: &[String],
        budget: usize,
        base: &str,
        ctx: &Context<'_>,
    ) -> Result<Self, Error> {
        let mut around = Self::default();
        let Some((name, below)) = taken.split_first().filter(|_| value.kind() == Kind::Object) else {
            return Ok(around);
        };
        let is_taken = |key: &str| Quoted::new(key).is(name);
        let entries = value.entries()?;
        let plain: Vec<Entry<S>> = entries.iter().filter(|(key, _)| !is_taken(key)).cloned().collect();
        let shown = Opening::of_entries(plain, base, ctx).within(budget)?;
        // Opening the object shows how to read keys that are too long.
        if shown.omitted > 0 || shown.shortened_keys > 0 {
            around.elisions.push(Elision::of(value, base.to_owned()));
        }
        around.elisions.extend(shown.elisions);
        let mut shown = shown.parts.iter();
        for (key, child) in &entries {
            if !is_taken(key) {
                shown.next().into_iter().for_each(|entry| around.members.entry(entry));
                continue;
            }
            let inside = Self::of(child, below, budget / 2, &child_pointer(base, key), ctx)?;
            around.elisions.extend(inside.elisions);
            if !inside.members.is_empty() {
                around.members.object_under(key, &inside.members);
            }
        }
        Ok(around)
    }

    /// Writes the object as the member `around`, unless it is empty.
    pub fn write(&self, out: &mut Members) {
        if !self.members.is_empty() {
            out.object("around", &self.members);
        }
    }
}
