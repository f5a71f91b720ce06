//! Which fields a result is shown with: those that the caller asked for, or those of the policy, which
//! then says what it left out.

use crate::value::lookup;
use std::collections::BTreeSet;

use crate::base::error::Error;
use crate::base::field_path::FieldPath;
use crate::base::json_pointer;
use crate::ladder::run::Run;
use crate::outcome::shaped::Shaped;
use crate::render::elide::Omitted;
use crate::render::layout::Layout;
use crate::request::context::Context;
use crate::value::any_source::AnySource;
use crate::value::project::{self, Projected, Selection};
use crate::value::source::{Kind, Source};

impl Run<'_, '_> {
    /// Down the ladder with the fields that the caller asked for.
    pub fn with_asked_fields(
        &self,
        value: &AnySource<'_>,
        asked: &[FieldPath],
        cx: Context<'_>,
    ) -> Result<Shaped, Error> {
        let Some(unknown) = project::unknown_field(value, asked)? else {
            // One JSON Pointer alone is the value that it points to.
            if let [one] = asked
                && one.is_pointer()
                && let Some(part) = lookup::at_pointer(value, one.segments())?
            {
                let base = format!("{}{}", cx.base, one.written());
                let is_reading = cx.is_reading;
                let mut cx = self.context(&cx.controls, &base);
                cx.is_reading = is_reading;
                let weight = self.measure.estimate(&part)?;
                return self.descend(&part, &Omitted::default(), weight, &cx, vec!["project"]);
            }
            return self.projected(value, &Selection::new(asked, &[]), &cx);
        };
        // In an envelope the fields may be meant as those of its list's rows.
        if let Layout::Envelope(envelope) = Layout::of(value)?
            && project::unknown_field(&envelope.list, asked)?.is_none()
        {
            let base = json_pointer::tokens(&envelope.pointer).unwrap_or_default();
            return self.projected(value, &Selection::new(asked, &base), &cx);
        }
        let (error, names) = project::unknown_field_error(value, unknown)?;
        Ok(self.refuse(&error, &names))
    }

    fn projected(&self, value: &AnySource<'_>, selection: &Selection, cx: &Context<'_>) -> Result<Shaped, Error> {
        let projected = AnySource::new(Projected::new(value.clone(), selection));
        self.descend(&projected, &Omitted::default(), self.before.0, cx, vec!["project"])
    }

    /// The policy's fields, as far as the rows of the list, or else the object, have them.
    pub fn default_selection(&self, value: &AnySource<'_>) -> Result<Option<Selection>, Error> {
        if self.settings.fields.is_empty() || !matches!(value.kind(), Kind::Array | Kind::Object) {
            return Ok(None);
        }
        let layout = Layout::of(value)?;
        let (rows, pointer) = layout.list().unwrap_or((value, ""));
        let base = json_pointer::tokens(pointer).unwrap_or_default();
        let mut known = Vec::new();
        for field in &self.settings.fields {
            if project::unknown_field(rows, std::slice::from_ref(field))?.is_none() {
                known.push(field.clone());
            }
        }
        Ok(if known.is_empty() { None } else { Some(Selection::new(&known, &base)) })
    }

    /// What a default projection leaves out, with as many names as a result should tell.
    pub fn tell_omitted(&self, projected: &Projected<'_, AnySource<'_>>) -> Result<Omitted, Error> {
        let mut names = BTreeSet::new();
        projected.left_out("", &mut names)?;
        let mut left = self.settings.budget() / 8;
        let mut told: Vec<String> = Vec::new();
        for name in names {
            let tokens = self.measure.count(&name) + 3;
            if tokens > left {
                told.push("...".to_owned());
                break;
            }
            left -= tokens;
            told.push(name);
        }
        Ok(Omitted { names: told, keys: projected.original().len() - projected.len() })
    }
}
