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
    /// What `value` contains except the values at the `taken` paths, in about `budget` tokens; nothing if it is not an
    /// object. `base` is the pointer to the value.
    pub fn of<S: Source>(
        value: &S,
        taken: &[&[String]],
        budget: usize,
        base: &str,
        ctx: &Context<'_>,
    ) -> Result<Self, Error> {
        let mut around = Self::default();
        around.members = around.rest(value, taken, budget, base, ctx)?;
        Ok(around)
    }

    /// Writes the object as the member `around`, unless it is empty.
    pub fn write(&self, out: &mut Members) {
        if !self.members.is_empty() {
            out.object("around", &self.members);
        }
    }

    /// The recursion is at most as deep as the paths are long.
    fn rest<S: Source>(
        &mut self,
        value: &S,
        taken: &[&[String]],
        budget: usize,
        base: &str,
        ctx: &Context<'_>,
    ) -> Result<Members, Error> {
        let mut members = Members::new();
        if value.kind() != Kind::Object || taken.iter().any(|path| path.is_empty()) {
            return Ok(members);
        }
        let below = |key: &str| -> Vec<&[String]> {
            let name = Quoted::new(key).text();
            taken.iter().filter(|path| path[0] == name).map(|path| &path[1..]).collect()
        };
        let entries = value.entries()?;
        let is_plain = |(key, _): &&Entry<S>| below(key).is_empty();
        let plain: Vec<Entry<S>> = entries.iter().filter(is_plain).cloned().collect();
        let shown = Opening::of_entries(plain, base, ctx).within(budget)?;
        // Opening the object shows how to read keys that are too long.
        if shown.omitted > 0 || shown.shortened_keys > 0 {
            self.elisions.push(Elision::of(value, base.to_owned()));
        }
        self.elisions.extend(shown.elisions);
        let mut shown = shown.parts.iter();
        for (key, child) in &entries {
            match below(key) {
                paths if paths.is_empty() => shown.next().into_iter().for_each(|entry| members.entry(entry)),
                paths => {
                    let inside = self.rest(child, &paths, budget / 2, &child_pointer(base, key), ctx)?;
                    if !inside.is_empty() {
                        members.object_under(key, &inside);
                    }
                }
            }
        }
        Ok(members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::call::{Call, Controls};
    use crate::request::policy::Settings;
    use crate::value::json_text::JsonText;

    #[test]
    fn all_but_what_is_taken_stands_around() {
        let text = r#"{"symbol":"A","data":{"took":3,"prices":[1,2],"axis":[1]},"prices":7,"text":"a long one, really, and far longer than everything else that is in that object"}"#;
        let path = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let (prices, axis) = (path(&["data", "prices"]), path(&["data", "axis"]));
        let (settings, call) = (Settings::default(), Call::default());
        let ctx = Context::new(&settings, Controls::default(), &call, None);
        let around = |budget| Around::of(&JsonText::parse(text).unwrap(), &[&prices, &axis], budget, "", &ctx).unwrap();
        let written = |around: &Around| {
            let mut out = Members::new();
            around.write(&mut out);
            out.into_object()
        };
        let all = r#"{"around":{"symbol":"A","data":{"took":3},"prices":7,"text":"a long one, really, and far longer than everything else that is in that object"}}"#;
        assert_eq!(written(&around(100)), all);
        let shortened = around(24);
        assert_eq!(shortened.elisions.len(), 1, "{}", written(&shortened));
        assert_eq!(shortened.elisions[0].pointer, "/text");
        let whole = Around::of(&JsonText::parse("[1]").unwrap(), &[&[]], 100, "", &ctx).unwrap();
        assert_eq!(written(&whole), "{}");
    }
}
